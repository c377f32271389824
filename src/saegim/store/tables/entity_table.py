"""Entities, their sentiment, pages, and the links between everything."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from saegim.errors import Refused
from saegim.memory.changes import Linked, Met, Portrayed, Trusted, Unlinked
from saegim.memory.clock import from_micros, micros
from saegim.memory.entities import (
    HAS_FEEDBACK,
    MERGED_FROM,
    SAME_AS,
    SIMILAR_TO,
    SUPERSEDES,
    WEIGHTS,
    Entity,
    Link,
    Page,
    SentimentPoint,
    met_again,
)
from saegim.memory.memory import Scope, checked_share
from saegim.memory.text import normalise
from saegim.store.database import Connection, Database

_PROFILE = (
    "e.platform, e.name, e.type, e.first_seen_at, e.last_seen_at, e.interactions, e.sentiment, "
    "e.sentiment_score, e.trust, e.details"
)
_ENTITY = f"SELECT {_PROFILE} FROM entity e "
# Who goes by a name, who that is said to be, and whoever else is said to be that one.
_KNOWN_AS = (
    "WITH held (name, key) AS MATERIALIZED (SELECT a.name, coalesce((SELECT l.target FROM link l "
    "WHERE l.owner = :owner AND l.source = a.entity AND l.type = :same), a.entity) "
    "FROM json_each(:names) j CROSS JOIN alias a ON a.owner = :owner AND a.name = j.value), "
    "named (name, key, beside) AS (SELECT name, key, 0 FROM held UNION ALL "
    "SELECT h.name, l.source, 1 FROM held h CROSS JOIN link l INDEXED BY link_by_target "
    "ON l.owner = :owner "
    "AND l.target = h.key AND l.type = :same)"
)
_PAGE = "SELECT key, version, kind, title, body, data, derived_from, written_at FROM page "


class EntityTable:
    """Whom and what the memories of a user speak of."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, scope: Scope, key: str | None = None, *, most: int | None = None) -> list[Entity]:
        """Return the owner's entities, the most met first, all or the first, or that of a key."""
        only = "AND key = :key" if key else ""
        limit = "" if most is None else f"LIMIT {int(most)}"
        rows = self._database.rows(
            f"{_ENTITY} WHERE owner = :owner {only} ORDER BY interactions DESC, key {limit}",
            {"owner": scope.user, "key": key},
        )
        return [_entity(row) for row in rows]

    def of_keys(self, scope: Scope, keys: Iterable[str]) -> list[Entity]:
        """Return the entities of these keys."""
        rows = self._database.rows(
            f"SELECT {_PROFILE} FROM json_each(:keys) j CROSS JOIN entity e "
            "ON e.owner = :owner AND e.key = j.value",
            {"owner": scope.user, "keys": json.dumps(list(keys), ensure_ascii=False)},
        )
        return [_entity(row) for row in rows]

    def count(self, scope: Scope) -> int:
        """Count the owner's entities."""
        rows = self._database.rows("SELECT count(*) FROM entity WHERE owner = ?", (scope.user,))
        return int(rows[0][0])

    def named(self, scope: Scope, names: Iterable[str]) -> dict[str, list[Entity]]:
        """Return the entities that go by these names, by normalised name, the most met first.

        Who is the same as somebody, as a person said, is found by either name, after that one.
        """
        wanted = {normalise(name): None for name in names}
        rows = self._database.rows(
            f"{_KNOWN_AS} SELECT n.name, {_PROFILE} FROM (SELECT name, key, min(beside) AS beside "
            "FROM named GROUP BY name, key) AS n "
            "CROSS JOIN entity e ON e.owner = :owner AND e.key = n.key "
            "ORDER BY n.beside, e.interactions DESC, e.key",
            {
                "owner": scope.user,
                "names": json.dumps([*wanted], ensure_ascii=False),
                "same": SAME_AS,
            },
        )
        found: dict[str, list[Entity]] = {}
        for name, *row in rows:
            found.setdefault(name, []).append(_entity(row))
        return found

    def keys_named(self, scope: Scope, names: Iterable[str]) -> dict[str, list[str]]:
        """Return the keys of the entities that go by these normalised names, the most met first."""
        rows = self._database.rows(
            "SELECT a.name, e.key FROM json_each(:names) j "
            "CROSS JOIN alias a ON a.owner = :owner AND a.name = j.value "
            "JOIN entity e ON e.owner = a.owner AND e.key = a.entity "
            "ORDER BY e.interactions DESC, e.key",
            {"owner": scope.user, "names": json.dumps([*names], ensure_ascii=False)},
        )
        found: dict[str, list[str]] = {}
        for name, key in rows:
            found.setdefault(name, []).append(key)
        return found

    def sentiment_history(self, scope: Scope, entity: str) -> list[SentimentPoint]:
        """Return how the sentiment towards an entity moved, oldest first."""
        rows = self._database.rows(
            "SELECT at, score, label, memory FROM sentiment "
            "WHERE owner = ? AND entity = ? ORDER BY at",
            (scope.user, entity),
        )
        return [
            SentimentPoint(at=from_micros(at), score=score, label=label, memory=memory)
            for at, score, label, memory in rows
        ]

    def met_often(self, scope: Scope, keys: Iterable[str], *, more_than: int) -> set[str]:
        """Return which of these entities were met more often than that."""
        rows = self._database.rows(
            "SELECT e.key FROM json_each(:keys) j CROSS JOIN entity e ON e.owner = :owner "
            "AND e.key = j.value WHERE e.interactions > :often",
            {
                "owner": scope.user,
                "keys": json.dumps(list(keys), ensure_ascii=False),
                "often": more_than,
            },
        )
        return {str(row[0]) for row in rows}


def meet(connection: Connection, owner: str, met: Met, at: datetime) -> None:
    """Keep an entity as it is now, its names, and the point of its sentiment."""
    entity = _after(connection, owner, met, at)
    details = {
        "display_name": entity.display_name,
        "aliases": entity.aliases,
        "summary": entity.summary,
        "interests": entity.interests,
        "personality_notes": entity.personality_notes,
    }
    seen = micros(entity.last_seen_at or at)
    connection.execute(
        "INSERT INTO entity VALUES (:owner, :key, :platform, :name, :type, :first, :last, :count, "
        ":sentiment, :score, :trust, :details) ON CONFLICT (owner, key) DO UPDATE SET "
        "type = excluded.type, last_seen_at = excluded.last_seen_at, "
        "interactions = excluded.interactions, sentiment = excluded.sentiment, "
        "sentiment_score = excluded.sentiment_score, trust = excluded.trust, "
        "details = excluded.details",
        {
            "owner": owner,
            "key": entity.key,
            "platform": entity.platform,
            "name": entity.name,
            "type": entity.type,
            "first": micros(entity.first_seen_at or at),
            "last": seen,
            "count": entity.interactions,
            "sentiment": entity.sentiment,
            "score": entity.sentiment_score,
            "trust": entity.trust,
            "details": json.dumps(details, ensure_ascii=False),
        },
    )
    if met.felt:
        felt = met.entity.sentiment_score, met.entity.sentiment
        connection.execute(
            "INSERT INTO sentiment VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (owner, entity, at) DO "
            "UPDATE SET score = excluded.score, label = excluded.label, memory = excluded.memory",
            (owner, entity.key, seen, *felt, met.memory),
        )
    for name in entity.names:
        connection.execute(
            "INSERT INTO alias VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (owner, name, entity.key)
        )


def _after(connection: Connection, owner: str, met: Met, at: datetime) -> Entity:
    """Return the entity as it is after this meeting, as the transaction sees it."""
    now = replace(met.entity, last_seen_at=met.entity.last_seen_at or at)
    if not met.again:
        return now
    held = connection.execute(f"{_ENTITY} WHERE owner = ? AND key = ?", (owner, now.key)).fetchall()
    return met_again(_entity(held[0]), now) if held else replace(now, interactions=1)


def portray(connection: Connection, owner: str, change: Portrayed) -> None:
    """Keep a renewed summary of an entity; who was met and how it felt stay as they are."""
    rows: list[Any] = connection.execute(
        "SELECT details FROM entity WHERE owner = ? AND key = ?", (owner, change.entity)
    ).fetchall()
    if rows:
        more = json.loads(rows[0][0])
        more |= {"summary": change.summary, "personality_notes": change.personality_notes}
        connection.execute(
            "UPDATE entity SET details = ? WHERE owner = ? AND key = ?",
            (json.dumps(more, ensure_ascii=False), owner, change.entity),
        )


def trust(connection: Connection, owner: str, change: Trusted) -> None:
    """Keep how far an entity is trusted now; everything else of it stays."""
    connection.execute(
        "UPDATE entity SET trust = ? WHERE owner = ? AND key = ?",
        (checked_share("trust", change.trust), owner, change.entity),
    )


def _entity(row: Any) -> Entity:
    platform, name, kind, first, last, count, label, score, trust, details = row
    more = json.loads(details)
    return Entity(
        platform=platform,
        name=name,
        type=kind,
        first_seen_at=from_micros(first),
        last_seen_at=from_micros(last),
        interactions=count,
        sentiment=label,
        sentiment_score=score,
        trust=trust,
        display_name=more["display_name"],
        aliases=tuple(more["aliases"]),
        summary=more["summary"],
        interests=tuple(more["interests"]),
        personality_notes=more["personality_notes"],
    )


class PageTable:
    """Pages that are written from memories, in all their versions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, scope: Scope, *, key: str | None = None, kind: str | None = None) -> list[Page]:
        """Return versions of pages, by key and version; of one key or one kind, or all."""
        only = ("AND key = :key " if key else "") + ("AND kind = :kind " if kind else "")
        rows = self._database.rows(
            f"{_PAGE} WHERE owner = :owner {only} ORDER BY key, version",
            {"owner": scope.user, "key": key, "kind": kind},
        )
        return list(map(_page, rows))

    def latest(self, scope: Scope, key: str) -> Page | None:
        """Return the version of a page that holds now, if there is such a page."""
        rows = self._database.rows(
            f"{_PAGE} WHERE owner = ? AND key = ? ORDER BY version DESC LIMIT 1", (scope.user, key)
        )
        return _page(rows[0]) if rows else None

    def newest(self, owner: str, key: str) -> int:
        """Return the newest version of a page; nought if there is none."""
        rows = self._database.rows(
            "SELECT coalesce(max(version), 0) FROM page WHERE owner = ? AND key = ?", (owner, key)
        )
        return int(rows[0][0])

    def made_of(self, scope: Scope, ids: Collection[str]) -> int:
        """Count the versions of pages with words that were written from any of these memories."""
        rows = self._database.rows(
            "SELECT count(*) FROM page WHERE owner = ? AND (title <> '' OR body <> '') "
            "AND EXISTS (SELECT 1 FROM json_each(derived_from) WHERE value IN "
            "(SELECT value FROM json_each(?)))",
            (scope.user, json.dumps(sorted(ids))),
        )
        return int(rows[0][0])


# Versions of learned weights that are kept where a page does not say.
_KEPT: Final = 5


def _page(row: Any) -> Page:
    return Page(
        key=row[0],
        version=row[1],
        kind=row[2],
        title=row[3],
        body=row[4],
        data=json.loads(row[5]),
        derived_from=tuple(json.loads(row[6])),
        written_at=from_micros(row[7]),
    )


def write_page(
    connection: Connection, owner: str, page: Page, at: datetime, *, after: int | None = None
) -> None:
    """Keep the next version of a page; older ones stay. With `after`, only upon that version."""
    if after is not None:
        ((newest,),) = connection.execute(
            "SELECT coalesce(max(version), 0) FROM page WHERE owner = ? AND key = ?",
            (owner, page.key),
        ).fetchall()
        if newest != after:
            raise Refused("store.page_changed_meanwhile", key=page.key)
    connection.execute(
        "INSERT INTO page VALUES (:owner, :key, 1 + (SELECT coalesce(max(version), 0) FROM page "
        "WHERE owner = :owner AND key = :key), :kind, :title, :body, :data, :sources, :at)",
        {
            "owner": owner,
            "key": page.key,
            "kind": page.kind,
            "title": page.title,
            "body": page.body,
            "data": json.dumps(dict(page.data), ensure_ascii=False),
            "sources": json.dumps(page.derived_from),
            "at": micros(page.written_at or at),
        },
    )
    if page.kind == WEIGHTS:
        # Numbers without a reader: only the newest can be gone back to.
        connection.execute(
            "DELETE FROM page WHERE owner = :owner AND key = :key AND version <= "
            "(SELECT max(version) FROM page WHERE owner = :owner AND key = :key) - :kept",
            {"owner": owner, "key": page.key, "kept": int(page.data.get("kept", _KEPT))},
        )


# -- Links between keys, bounded: who is named in every memory costs no more than a friend

# Predicates are words, so one key may have ties of hundreds of types; a walk needs no more.
MOST_TYPES: Final = 32
_LINK = "SELECT source, type, target, weight, negative, created_at, touched_at FROM link "
_ROW: Final = "SELECT l.source, l.type, l.target, l.weight, l.negative, l.rowid AS place FROM "
# Which types of tie a key has: the index is leapt through from one type to the next.
_LEAP: Final = (
    "WITH RECURSIVE kind (at, type, leaps) AS (SELECT j.value, (SELECT min(x.type) FROM link x "
    "WHERE x.owner = :owner AND x.{at} = j.value), 1 FROM json_each(:keys) j UNION ALL "
    "SELECT k.at, (SELECT min(x.type) FROM link x WHERE x.owner = :owner AND x.{at} = k.at "
    "AND x.type > k.type), k.leaps + 1 FROM kind k "
    "WHERE k.type IS NOT NULL AND k.leaps < :most_types) "
)
_GIVEN: Final = (
    "WITH kind (at, type) AS (SELECT j.value, t.value FROM json_each(:keys) j "
    "CROSS JOIN json_each(:only) t) "
)
# For each key and type the inner query reads an index backwards and stops at its limit: no sort.
_READ: Final = (
    "SELECT l.source, l.type, l.target, l.weight, l.negative, l.created_at, l.touched_at "
    "FROM kind k CROSS JOIN link l ON l.rowid IN (SELECT x.rowid FROM link x "
    "WHERE x.owner = :owner AND x.{at} = k.at AND x.type = k.type "
    "ORDER BY x.{newest} DESC LIMIT :most) "
    "WHERE k.type IS NOT NULL AND k.type NOT IN (SELECT value FROM json_each(:without))"
)
# Ties to a key lie in the order they were made; ties from a key in the order of what they lead
# to, and ids of memories sort by time.
_WAYS: Final = (("source", "target"), ("target", "rowid"))
# One query for a walk that passes by: so many of all types together, the index read backwards.
_STEP: Final = (
    "SELECT j.value, l.type, l.{to}, l.weight, l.negative FROM json_each(:keys) j "
    "CROSS JOIN link l ON l.rowid IN (SELECT x.rowid FROM link x WHERE x.owner = :owner "
    "AND x.{at} = j.value AND x.type NOT IN (SELECT value FROM json_each(:without)) "
    "ORDER BY x.type DESC, x.{newest} DESC LIMIT :most)"
)
# Ties that say nothing about how much a memory is leant on: its twins, its own older versions,
# and what people clicked.
_NO_REFERENCE = (SIMILAR_TO, HAS_FEEDBACK, SUPERSEDES, MERGED_FROM)


@dataclass(frozen=True, slots=True)
class LinkEnd:
    """One end of a tie, as a walker sees it: from the key it stands on to the key it may go to."""

    at: str
    type: str
    to: str
    weight: float
    negative: bool


class LinkTable:
    """The ties between memories and entities."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, scope: Scope, keys: Iterable[str], types: Iterable[str] = ()) -> list[Link]:
        """Return the ties that touch any of the keys, in either direction."""
        wanted = {
            "owner": scope.user,
            "keys": json.dumps(list(keys)),
            "types": json.dumps(list(types)),
        }
        kinds = "WHERE l.type IN (SELECT value FROM json_each(:types))" if types else ""
        # Joined from the keys: asked with IN, the planner may read every tie of the owner.
        one_way = (
            "SELECT l.source, l.type, l.target, l.weight, l.negative, l.created_at, l.touched_at "
            "FROM json_each(:keys) j CROSS JOIN link l ON l.owner = :owner AND l.{} = j.value "
            + kinds
        )
        rows = self._database.rows(
            f"{one_way.format('source')} UNION {one_way.format('target')} ORDER BY 1, 2, 3", wanted
        )
        return [_link(row) for row in rows]

    def all(self, scope: Scope) -> list[Link]:
        """Return every tie of this user, in the order of its key."""
        rows = self._database.rows(
            f"{_LINK} WHERE owner = ? ORDER BY source, type, target", (scope.user,)
        )
        return [_link(row) for row in rows]

    def of_type(self, scope: Scope, type: str, *, limit: int) -> list[Link]:
        """Return the newest ties of one type."""
        rows = self._database.rows(
            f"{_LINK} WHERE owner = ? AND type = ? "
            "ORDER BY created_at DESC, source, target LIMIT ?",
            (scope.user, type, limit),
        )
        return [_link(row) for row in rows]

    def rows_of(self, owner: str, keys: Sequence[str] | None = None) -> list[Any]:
        """Return the ties of a user as rows, or those that touch any of these keys.

        Each is source, type, target, weight, negative, and its place in the order they were made.
        """
        if keys is None:
            return self._database.rows(f"{_ROW} link l WHERE l.owner = ?", (owner,))
        # From the keys: joined otherwise, the planner may read every tie of the owner.
        one_way = (
            f"{_ROW} json_each(:keys) j CROSS JOIN link l ON l.owner = :owner AND l.{{}} = j.value"
        )
        return self._database.rows(
            f"{one_way.format('source')} UNION {one_way.format('target')}",
            {"owner": owner, "keys": json.dumps(list(keys), ensure_ascii=False)},
        )

    def rows_between_entities(self, owner: str) -> list[Any]:
        """Return the ties from an entity to another as rows."""
        one, two = (f"l.{at} >= 'entity:' AND l.{at} < 'entity;'" for at, _ in _WAYS)
        return self._database.rows(f"{_ROW} link l WHERE l.owner = ? AND {one} AND {two}", (owner,))

    def ties(
        self, scope: Scope, keys: Iterable[str], *, without: Iterable[str] = (), most: int = 64
    ) -> list[LinkEnd]:
        """Return the ties that lead away from these keys, at most so many each way."""
        away, back = (
            _STEP.format(at=at, to="target" if at == "source" else "source", newest=newest)
            for at, newest in _WAYS
        )
        rows = self._database.rows(
            f"{away} UNION ALL {back}",
            {
                "owner": scope.user,
                "keys": json.dumps(list(keys), ensure_ascii=False),
                "without": json.dumps(list(without), ensure_ascii=False),
                "most": most,
            },
        )
        return [LinkEnd(row[0], row[1], row[2], row[3], bool(row[4])) for row in rows]

    def touching(
        self,
        scope: Scope,
        keys: Iterable[str],
        *,
        only: Iterable[str] = (),
        without: Iterable[str] = (),
        most: int = 64,
    ) -> list[Link]:
        """Return ties of these keys: of each type and way the newest, at most so many."""
        wanted = list(only)
        given = {
            "owner": scope.user,
            "keys": json.dumps(list(dict.fromkeys(keys)), ensure_ascii=False),
            "without": json.dumps(list(without), ensure_ascii=False),
            "most": most,
        } | (
            {"only": json.dumps(wanted, ensure_ascii=False)}
            if wanted
            else {"most_types": MOST_TYPES}
        )
        found: dict[tuple[str, str, str], Link] = {}
        for at, newest in _WAYS:
            types = _GIVEN if wanted else _LEAP.format(at=at)
            for row in self._database.rows(types + _READ.format(at=at, newest=newest), given):
                found[row[0], row[1], row[2]] = _link(row)
        return list(found.values())

    def references(self, owner: str) -> dict[str, int]:
        """Count how often other memories point at each memory (seed A §6.2)."""
        rows = self._database.rows(
            "SELECT l.target, count(DISTINCT l.source) FROM link l "
            "JOIN memory m ON m.owner = l.owner AND m.id = l.source "
            f"WHERE l.owner = ? AND l.type NOT IN ({_marks(_NO_REFERENCE)}) "
            "AND m.kind <> 'imagined' AND m.state IN ('active', 'dormant') GROUP BY l.target",
            (owner, *_NO_REFERENCE),
        )
        return {str(id): int(count) for id, count in rows}

    def counts(self, owner: str) -> dict[str, int]:
        """Count the ties of each memory to other living memories (seed C's edges)."""
        rows = self._database.rows(
            "SELECT one, count(DISTINCT two) FROM ("
            "SELECT source AS one, target AS two, type FROM link WHERE owner = :owner "
            "UNION ALL SELECT target, source, type FROM link WHERE owner = :owner) t "
            "JOIN memory m ON m.owner = :owner AND m.id = t.two "
            f"WHERE t.type NOT IN ({', '.join(f':type{n}' for n in range(len(_NO_REFERENCE)))}) "
            "AND m.kind <> 'imagined' AND m.state IN ('active', 'dormant') GROUP BY one",
            {"owner": owner, **{f"type{n}": each for n, each in enumerate(_NO_REFERENCE)}},
        )
        return {str(id): int(count) for id, count in rows}


def tie(connection: Connection, owner: str, change: Linked | Unlinked, at: datetime) -> None:
    """Make a tie, add to its weight if it is there, or take it away."""
    link = change.link
    key = {"owner": owner, "source": link.source, "type": link.type, "target": link.target}
    if isinstance(change, Unlinked):
        connection.execute(
            "DELETE FROM link WHERE owner = :owner AND source = :source AND type = :type "
            "AND target = :target",
            key,
        )
        return
    connection.execute(
        "INSERT INTO link VALUES (:owner, :source, :type, :target, :weight, :negative, :created, "
        ":touched) ON CONFLICT (owner, source, type, target) DO UPDATE SET "
        "weight = link.weight + excluded.weight, negative = excluded.negative, "
        "touched_at = excluded.touched_at",
        {
            **key,
            "weight": link.weight,
            "negative": int(link.negative),
            "created": micros(link.created_at or at),
            "touched": micros(link.touched_at or at),
        },
    )


def _link(row: Any) -> Link:
    return Link(
        source=row[0],
        type=row[1],
        target=row[2],
        weight=row[3],
        negative=bool(row[4]),
        created_at=from_micros(row[5]),
        touched_at=from_micros(row[6]),
    )


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)
