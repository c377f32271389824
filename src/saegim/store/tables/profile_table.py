"""What memories claim of whom, slot by slot: an index that is derived from their words."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from saegim.memory.memory import State
from saegim.store.database import Connection, Database, first
from saegim.store.rows import Where

_MARK: Final = "claims:"
_UNREAD: Final = (
    "SELECT m.number, m.owner FROM memory m LEFT JOIN profile_read r "
    "ON r.reader = :reader AND r.number = m.number "
    "WHERE m.number > :mark AND m.text IS NOT NULL AND r.number IS NULL "
    "AND (:owner = '' OR m.owner = :owner) "
    "ORDER BY m.number DESC LIMIT :limit"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileClaim:
    """One value that a memory claims of someone."""

    subject: str
    slot: str
    value: str
    denied: bool
    unsure: bool
    changes: float
    sure: float
    place: int = 0
    memory: str = ""
    number: int = 0
    outdated: bool = False


class ProfileTable:
    """Claims by owner, subject and slot, each with the memory that makes it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(
        self,
        where: Where,
        subjects: Collection[str] = (),
        slots: Collection[str] = (),
        *,
        least: float = 0.0,
        most: int = -1,
    ) -> list[ProfileClaim]:
        """Return what the memories that `where` allows claim, the newest so many in their order."""
        allowed, params = where.sql()
        parts = [allowed, "p.sure >= :least"]
        params |= {"least": least, "most": most}
        for name, wanted in (("subject", subjects), ("slot", slots)):
            if wanted:
                parts.append(f"p.{name} IN (SELECT value FROM json_each(:{name}s))")
                params[f"{name}s"] = json.dumps(sorted(wanted), ensure_ascii=False)
        rows = self._database.rows(
            "SELECT p.subject, p.slot, p.value, p.denied, p.unsure, p.changes, p.sure, p.place, "
            "m.id, m.number, m.state FROM profile p "
            "JOIN memory m ON m.number = p.number AND m.owner = p.owner "
            f"WHERE {' AND '.join(parts)} ORDER BY m.number DESC, p.place DESC LIMIT :most",
            params,
        )
        return [
            ProfileClaim(
                subject=subject,
                slot=slot,
                value=value,
                denied=bool(denied),
                unsure=bool(unsure),
                changes=changes,
                sure=sure,
                place=place,
                memory=id,
                number=int(number),
                outdated=state == State.SUPERSEDED,
            )
            for subject, slot, value, denied, unsure, changes, sure, place, id, number, state in (
                reversed(rows)
            )
        ]

    def said_in(self, owner: str, memory: str) -> list[dict[str, object]]:
        """Return what was read in one memory, in the order of its words."""
        rows = self._database.rows(
            "SELECT p.subject, p.slot, p.value, p.denied, p.unsure FROM memory m "
            "JOIN profile p ON p.number = m.number AND p.owner = m.owner "
            "WHERE m.owner = ? AND m.id = ? ORDER BY p.place",
            (owner, memory),
        )
        return [
            {"of": of, "slot": slot, "value": value, "denied": bool(no), "unsure": bool(unsure)}
            for of, slot, value, no, unsure in rows
        ]

    def unread(self, reader: str, limit: int, owner: str = "") -> list[tuple[int, str]]:
        """Return rows this reader has not read, with whose they are, the newest first."""
        key = {"reader": reader, "mark": self._mark(reader), "limit": limit, "owner": owner}
        return [(int(number), owner) for number, owner in self._database.rows(_UNREAD, key)]

    def waiting(self, reader: str, owner: str = "") -> int:
        """Return how many memories this reader has not read, of one user or of all."""
        key = {"reader": reader, "mark": self._mark(reader), "limit": -1, "owner": owner}
        return int(self._database.rows(f"SELECT count(*) FROM ({_UNREAD}) AS unread", key)[0][0])

    def _mark(self, reader: str) -> int:
        rows = self._database.rows(
            "SELECT CAST(value AS INTEGER) FROM house WHERE name = ?", (_MARK + reader,)
        )
        return int(rows[0][0]) if rows else 0

    def keep(self, reader: str, read: Sequence[tuple[int, str, Sequence[ProfileClaim]]]) -> None:
        """Write what was found in some memories, as far as they are still there."""
        for owner in dict.fromkeys(each[1] for each in read):
            self._keep(reader, owner, [(each[0], each[2]) for each in read if each[1] == owner])

    def _keep(
        self, reader: str, owner: str, read: Sequence[tuple[int, Sequence[ProfileClaim]]]
    ) -> None:
        with self._database.writing(owner) as connection:
            for number, claims in read:
                if not first(
                    connection,
                    "SELECT count(*) FROM memory WHERE number = ? AND text IS NOT NULL",
                    (number,),
                ):
                    continue
                # What another reader found in it gives way.
                connection.execute("DELETE FROM profile WHERE number = ?", (number,))
                connection.execute("DELETE FROM profile_read WHERE number = ?", (number,))
                connection.execute("INSERT INTO profile_read VALUES (?, ?)", (reader, number))
                for each in claims:
                    connection.execute(
                        "INSERT INTO profile VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                        "ON CONFLICT DO NOTHING",
                        (
                            owner,
                            each.subject,
                            each.slot,
                            each.value,
                            number,
                            int(each.denied),
                            int(each.unsure),
                            each.changes,
                            each.sure,
                            each.place,
                        ),
                    )

    def settle(self, reader: str) -> bool:
        """Note that nothing up to here is unread; False if something is by now."""
        newest = self._database.rows("SELECT coalesce(max(number), 0) FROM memory")[0][0]
        if int(newest) <= self._mark(reader):
            return True
        with self._database.writing() as connection:
            name = _MARK + reader
            mark = first(connection, "SELECT value FROM house WHERE name = ?", (name,)) or 0
            key = {"reader": reader, "mark": int(mark), "limit": 1, "owner": ""}
            if connection.execute(_UNREAD, key).fetchall():
                return False
            newest = first(connection, "SELECT coalesce(max(number), 0) FROM memory")
            if int(newest) > int(mark):
                connection.execute(
                    "INSERT INTO house VALUES (?, ?) "
                    "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                    (name, str(newest)),
                )
        return True


def drop_profile(connection: Connection, number: int) -> None:
    """Take away what was read in a memory; should it come back, it is read again."""
    connection.execute("DELETE FROM profile WHERE number = ?", (number,))
    connection.execute("DELETE FROM profile_read WHERE number = ?", (number,))
    connection.execute(
        "UPDATE house SET value = ? WHERE name LIKE ? AND CAST(value AS INTEGER) >= ?",
        (str(number - 1), f"{_MARK}%", number),
    )


def drop_every_profile(connection: Connection) -> None:
    """Take away everything that was read: all of it is read again."""
    connection.execute("DELETE FROM profile")
    connection.execute("DELETE FROM profile_read")
    connection.execute("DELETE FROM house WHERE name LIKE ?", (f"{_MARK}%",))
