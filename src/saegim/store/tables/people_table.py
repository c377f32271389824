"""People who share a store: who they are, their tokens, links and cookies, how much they may have.

Only digests are kept of what lets somebody in. Everything is asked of the tables each time, so that
a token that was revoked, wherever that was, opens nothing with the next request.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from saegim.errors import BadInput, NotFound
from saegim.memory.clock import from_micros, micros
from saegim.store.database import Connection, Database, first

MODEL_CALLS = "model_calls"
# A person has as many browsers as this; the oldest cookie gives way.
_MOST_VISITS = 64
_LINK, _COOKIE = "link", "cookie"
# Of days before these nobody asks how much was used.
_KEPT_DAYS = 40


@dataclass(frozen=True, slots=True)
class Quota:
    """How much a person may have, and ask in a day; None is no limit."""

    memories: int | None = None
    bytes: int | None = None
    requests: int | None = None
    model_calls: int | None = None


QUOTAS = tuple(each.name for each in fields(Quota))
_COLUMNS = ", ".join(f"person.{each}" for each in QUOTAS)


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One person."""

    name: str
    made_at: datetime
    quota: Quota


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One token, without the token; an empty owner is the administrator."""

    id: str
    owner: str
    label: str
    rights: tuple[str, ...]
    made_at: datetime
    expires_at: datetime | None = None
    used_at: datetime | None = None
    revoked_at: datetime | None = None


class PeopleTable:
    """The people of a store, and what they used."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[PersonRow]:
        """Return everyone, by name."""
        rows = self._database.rows(f"SELECT name, made_at, {_COLUMNS} FROM person ORDER BY name")
        return [PersonRow(name, from_micros(at), Quota(*held)) for name, at, *held in rows]

    def named(self, name: str) -> PersonRow:
        """Return one person."""
        rows = self._database.rows(
            f"SELECT name, made_at, {_COLUMNS} FROM person WHERE name = ?", (name,)
        )
        if not rows:
            raise NotFound("people.no_person", name=name[:60])
        found, at, *held = rows[0]
        return PersonRow(found, from_micros(at), Quota(*held))

    def is_here(self, name: str) -> bool:
        """Say whether there is a person of that name."""
        return bool(self._database.rows("SELECT 1 FROM person WHERE name = ?", (name,)))

    def is_shared(self) -> bool:
        """Say whether this store has people at all."""
        return bool(self._database.rows("SELECT 1 FROM person LIMIT 1"))

    def add(self, name: str, looks: str, quota: Quota, at: datetime) -> PersonRow:
        """Add a person; of two who add names that look the same, one is refused."""
        with self._database.writing() as connection:
            found: list[Any] = connection.execute(
                "SELECT name FROM person WHERE name = ? OR looks = ?", (name, looks)
            ).fetchall()
            if found:
                key = "people.is_here" if found[0][0] == name else "people.looks_like"
                raise BadInput(key, name=name, other=found[0][0])
            connection.execute(
                "INSERT INTO person VALUES (?, ?, ?, ?, ?, ?, ?)",
                (name, looks, micros(at), *(getattr(quota, each) for each in QUOTAS)),
            )
        return self.named(name)

    def limit(self, name: str, quota: Quota) -> PersonRow:
        """Let other limits hold for a person from now on."""
        self.named(name)
        with self._database.writing() as connection:
            connection.execute(
                f"UPDATE person SET {', '.join(f'{each} = ?' for each in QUOTAS)} WHERE name = ?",
                (*(getattr(quota, each) for each in QUOTAS), name),
            )
        return self.named(name)

    def remove(self, name: str) -> None:
        """Take a person away with everything that lets them in; their memories stay."""
        self.named(name)
        with self._database.writing() as connection:
            for table in ("access_token", "page_visit", "person_use"):
                connection.execute(f"DELETE FROM {table} WHERE owner = ?", (name,))
            connection.execute("DELETE FROM person WHERE name = ?", (name,))

    # -- how much they have and ask ---------------------------------------------------------------

    def quota_of(self, owner: str) -> Quota | None:
        """Return the limits of an owner; nothing if it is no person."""
        rows = self._database.rows(f"SELECT {_COLUMNS} FROM person WHERE name = ?", (owner,))
        return Quota(*rows[0]) if rows else None

    def used(self, owner: str, what: str, at: datetime) -> int:
        """Return how often an owner asked for something on a day."""
        rows = self._database.rows(
            "SELECT count FROM person_use WHERE owner = ? AND day = ? AND what = ?",
            (owner, _day(at), what),
        )
        return int(rows[0][0]) if rows else 0

    def use(self, owner: str, what: str, at: datetime, count: int) -> int:
        """Count what was asked for; return how often that was today, by everybody's count."""
        with self._database.about(owner) as connection:
            return _counted(connection, owner, what, at, count)

    def reserve_model_call(self, owner: str, at: datetime) -> int | None:
        """Count a model call before it is made; return the limit if that is reached, or None.

        Counted first and in one transaction, so that many processes share one limit.
        """
        quota = self.quota_of(owner)
        if quota is None:
            return None
        with self._database.about(owner) as connection:
            if quota.model_calls is not None:
                made = first(
                    connection,
                    "SELECT coalesce(sum(count), 0) FROM person_use "
                    "WHERE owner = ? AND day = ? AND what = ?",
                    (owner, _day(at), MODEL_CALLS),
                )
                if int(made) >= quota.model_calls:
                    return quota.model_calls
            _counted(connection, owner, MODEL_CALLS, at, 1)
        return None


def _counted(connection: Connection, owner: str, what: str, at: datetime, count: int) -> int:
    connection.execute(
        "INSERT INTO person_use VALUES (?, ?, ?, ?) "
        "ON CONFLICT (owner, day, what) DO UPDATE SET count = person_use.count + excluded.count",
        (owner, _day(at), what, count),
    )
    connection.execute(
        "DELETE FROM person_use WHERE owner = ? AND day < ?",
        (owner, _day(at - timedelta(days=_KEPT_DAYS))),
    )
    asked = "SELECT count FROM person_use WHERE owner = ? AND day = ? AND what = ?"
    return int(first(connection, asked, (owner, _day(at), what)))


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"


_HELD = (
    "access_token.id, access_token.owner, access_token.label, access_token.rights, "
    "access_token.made_at, access_token.expires_at, access_token.used_at, access_token.revoked_at"
)


class TokenTable:
    """What lets programs in."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, token: TokenRow, digest: str) -> None:
        """Write down a token by its digest; refuse one for nobody."""
        with self._database.about(token.owner) as connection:
            asked = "SELECT count(*) FROM person WHERE name = ?"
            if token.owner and not first(connection, asked, (token.owner,)):
                raise NotFound("people.no_person", name=token.owner[:60])
            connection.execute(
                "INSERT INTO access_token VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
                (
                    digest,
                    token.id,
                    token.owner,
                    token.label,
                    " ".join(token.rights),
                    micros(token.made_at),
                    None if token.expires_at is None else micros(token.expires_at),
                ),
            )

    def find(self, digest: str, at: datetime) -> tuple[TokenRow, Quota] | None:
        """Return the token that opens something now, and the limits of whose it is."""
        rows = self._database.rows(
            f"SELECT {_HELD}, {_COLUMNS} FROM access_token "
            "LEFT JOIN person ON person.name = access_token.owner "
            "WHERE access_token.digest = ? AND access_token.revoked_at IS NULL "
            "AND (access_token.expires_at IS NULL OR access_token.expires_at > ?) "
            "AND (access_token.owner = '' OR person.name IS NOT NULL)",
            (digest, micros(at)),
        )
        return (_token(rows[0][:8]), Quota(*rows[0][8:])) if rows else None

    def all(self, owner: str | None = None) -> list[TokenRow]:
        """Return every token, or those of one owner, the oldest first."""
        whose = "" if owner is None else "WHERE owner = ?"
        rows = self._database.rows(
            f"SELECT {_HELD} FROM access_token {whose} ORDER BY owner, made_at, id",
            () if owner is None else (owner,),
        )
        return [_token(row) for row in rows]

    def revoke(self, id: str, owner: str | None, at: datetime) -> TokenRow:
        """Let a token open nothing from now on; an owner says whose it must be."""
        found = [each for each in self.all(owner) if each.id == id]
        if not found:
            raise NotFound("people.no_token", id=id[:60])
        with self._database.about(found[0].owner) as connection:
            connection.execute(
                "UPDATE access_token SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
                (micros(at), id),
            )
        return next(each for each in self.all(found[0].owner) if each.id == id)

    def note_use(self, id: str, at: datetime) -> None:
        """Write down when a token was last used."""
        with self._database.writing() as connection:
            connection.execute("UPDATE access_token SET used_at = ? WHERE id = ?", (micros(at), id))

    def opening(self) -> frozenset[str]:
        """Return the digests of everything that lets anybody in now: tokens, links and cookies."""
        rows = self._database.rows(
            "SELECT digest FROM access_token WHERE revoked_at IS NULL "
            "UNION SELECT digest FROM page_visit"
        )
        return frozenset(str(row[0]) for row in rows)

    def close_others(self, digests: frozenset[str], at: datetime) -> None:
        """Let nothing in that is not among these: a backup may know what was revoked since."""
        closed = sorted(self.opening() - digests)
        with self._database.writing() as connection:
            for each in closed:
                connection.execute("DELETE FROM page_visit WHERE digest = ?", (each,))
                connection.execute(
                    "UPDATE access_token SET revoked_at = ? WHERE digest = ?", (micros(at), each)
                )


def _token(row: Any) -> TokenRow:
    id, owner, label, rights, *times = row
    made, *rest = (None if each is None else from_micros(each) for each in times)
    assert made is not None
    return TokenRow(id, owner, label, tuple(str(rights).split()), made, *rest)


class VisitTable:
    """What lets people into the pages: links that work once, and the cookies they become."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_link(self, digest: str, owner: str, until: datetime) -> None:
        """Write down a link; refuse one for nobody."""
        with self._database.about(owner) as connection:
            if not first(connection, "SELECT count(*) FROM person WHERE name = ?", (owner,)):
                raise NotFound("people.no_person", name=owner[:60])
            connection.execute(
                "INSERT INTO page_visit VALUES (?, ?, ?, ?)", (digest, owner, _LINK, micros(until))
            )

    def admit(self, link: str, cookie: str, at: datetime, until: datetime) -> str | None:
        """Put a cookie in the place of a link that nobody used; return whose it is."""
        held = "SELECT owner FROM page_visit WHERE digest = ? AND kind = ? AND until > ?"
        params = (link, _LINK, micros(at))
        if not self._database.rows(held, params):
            return None
        with self._database.writing() as connection:
            # Of two who bring the same link, one finds it here.
            rows: list[Any] = connection.execute(held, params).fetchall()
            connection.execute("DELETE FROM page_visit WHERE until <= ?", (micros(at),))
            if not rows:
                return None
            owner = str(rows[0][0])
            connection.execute("DELETE FROM page_visit WHERE digest = ?", (link,))
            connection.execute(
                "DELETE FROM page_visit WHERE owner = ? AND kind = ? AND digest NOT IN "
                "(SELECT digest FROM page_visit WHERE owner = ? AND kind = ? "
                "ORDER BY until DESC, digest LIMIT ?)",
                (owner, _COOKIE, owner, _COOKIE, _MOST_VISITS - 1),
            )
            connection.execute(
                "INSERT INTO page_visit VALUES (?, ?, ?, ?)",
                (cookie, owner, _COOKIE, micros(until)),
            )
        return owner

    def find(self, cookie: str, at: datetime) -> tuple[str, Quota] | None:
        """Return whose cookie it is, and their limits; nothing if it opens nothing."""
        rows = self._database.rows(
            f"SELECT page_visit.owner, {_COLUMNS} FROM page_visit "
            "JOIN person ON person.name = page_visit.owner "
            "WHERE page_visit.digest = ? AND page_visit.kind = ? AND page_visit.until > ?",
            (cookie, _COOKIE, micros(at)),
        )
        return (str(rows[0][0]), Quota(*rows[0][1:])) if rows else None

    def end(self, cookie: str) -> None:
        """Let a cookie open nothing any more."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM page_visit WHERE digest = ?", (cookie,))
