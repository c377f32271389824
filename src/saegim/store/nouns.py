"""Links, entities and pages: how each is kept and read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

import apsw

from saegim.memory.changes import Linked, Met, Portrayed, Recalled, Trusted, Unlinked
from saegim.memory.clock import from_micros, micros
from saegim.memory.emotion import checked_share
from saegim.memory.entities import Entity, SentimentPoint, met_again
from saegim.memory.keys import normalise
from saegim.memory.links import Link
from saegim.memory.memory import Memory
from saegim.memory.pages import Page
from saegim.store.database import Database
from saegim.store.rows import SELECT, from_row

_LINK = "SELECT source, type, target, weight, negative, created_at, touched_at FROM link "
_PROFILE = (
    "e.platform, e.name, e.type, e.first_seen_at, e.last_seen_at, e.interactions, e.sentiment, "
    "e.sentiment_score, e.trust, e.details"
)
_ENTITY = f"SELECT {_PROFILE} FROM entity e "
_PAGE = "SELECT key, version, kind, title, body, data, derived_from, written_at FROM page "


def memory(connection: apsw.Connection, number: int) -> Memory:
    """Return the memory in a row, as the transaction sees it."""
    return from_row(connection.execute(f"{SELECT} WHERE m.number = ?", (number,)).fetchall()[0])


def count_recall(connection: apsw.Connection, owner: str, recalled: Recalled, at: datetime) -> None:
    """Count one recall of each memory that was shown and still has its words (seed E touch_node).

    Traces are written behind the answer, perhaps late: the last time never moves back.
    """
    connection.execute(
        "UPDATE memory SET recalled = recalled + 1, "
        "recalled_at = CASE WHEN coalesce(recalled_at, 0) > :at THEN recalled_at ELSE :at END "
        "WHERE owner = :owner AND text IS NOT NULL "
        "AND id IN (SELECT value FROM json_each(:ids))",
        {"owner": owner, "ids": json.dumps(recalled.memories), "at": micros(at)},
    )
    # What was asked for is awake again (DESIGN §4b); the night sees that it has grown.
    for sql in (
        "UPDATE memory SET state = 'active' WHERE owner = :owner AND state = 'dormant' "
        "AND id IN (SELECT value FROM json_each(:ids))",
        "UPDATE ageing SET dormant_since = NULL WHERE number IN (SELECT m.number "
        "FROM json_each(:ids) j CROSS JOIN memory m ON m.owner = :owner AND m.id = j.value) "
        "AND dormant_since IS NOT NULL",
    ):
        connection.execute(sql, {"owner": owner, "ids": json.dumps(recalled.memories)})


def tie(connection: apsw.Connection, owner: str, change: Linked | Unlinked, at: datetime) -> None:
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


def links(
    database: Database, owner: str, keys: Iterable[str], types: Iterable[str] = ()
) -> list[Link]:
    """Return the ties that touch any of the keys, in either direction."""
    wanted = {"owner": owner, "keys": json.dumps(list(keys)), "types": json.dumps(list(types))}
    kinds = "WHERE l.type IN (SELECT value FROM json_each(:types))" if types else ""
    # Joined from the keys: asked with IN, the planner may read every tie of the owner instead.
    one_way = (
        "SELECT l.source, l.type, l.target, l.weight, l.negative, l.created_at, l.touched_at "
        "FROM json_each(:keys) j CROSS JOIN link l ON l.owner = :owner AND l.{} = j.value " + kinds
    )
    rows = database.rows(
        f"{one_way.format('source')} UNION {one_way.format('target')} ORDER BY 1, 2, 3", wanted
    )
    return [_link(row) for row in rows]


def all_links(database: Database, owner: str) -> list[Link]:
    """Return every tie of the owner, in the order of its key."""
    rows = database.rows(f"{_LINK} WHERE owner = ? ORDER BY source, type, target", (owner,))
    return [_link(row) for row in rows]


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


def meet(connection: apsw.Connection, owner: str, met: Met, at: datetime) -> None:
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
    connection.execute(
        "INSERT INTO sentiment VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (owner, entity, at) "
        "DO UPDATE SET score = excluded.score, label = excluded.label, memory = excluded.memory",
        (owner, entity.key, seen, met.entity.sentiment_score, met.entity.sentiment, met.memory),
    )
    for name in entity.names:
        connection.execute(
            "INSERT INTO alias VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (owner, name, entity.key)
        )


def _after(connection: apsw.Connection, owner: str, met: Met, at: datetime) -> Entity:
    """Return the entity as it is after this meeting, as the transaction sees it."""
    now = replace(met.entity, last_seen_at=met.entity.last_seen_at or at)
    if not met.again:
        return now
    held = connection.execute(f"{_ENTITY} WHERE owner = ? AND key = ?", (owner, now.key)).fetchall()
    return met_again(_entity(held[0]), now) if held else replace(now, interactions=1)


def portray(connection: apsw.Connection, owner: str, change: Portrayed) -> None:
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


def trust(connection: apsw.Connection, owner: str, change: Trusted) -> None:
    """Keep how far an entity is trusted now; everything else of it stays."""
    connection.execute(
        "UPDATE entity SET trust = ? WHERE owner = ? AND key = ?",
        (checked_share("trust", change.trust), owner, change.entity),
    )


def entities(database: Database, owner: str, key: str | None = None) -> list[Entity]:
    """Return the owner's entities, the most met first, or the one of that key."""
    only = "AND key = :key" if key else ""
    rows = database.rows(
        f"{_ENTITY} WHERE owner = :owner {only} ORDER BY interactions DESC, key",
        {"owner": owner, "key": key},
    )
    return [_entity(row) for row in rows]


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


def named(database: Database, owner: str, names: Iterable[str]) -> dict[str, list[Entity]]:
    """Return the entities that go by these names, by normalised name, the most met first."""
    wanted = {normalise(name): None for name in names}
    rows = database.rows(
        f"SELECT a.name, {_PROFILE} FROM json_each(:names) j "
        "CROSS JOIN alias a ON a.owner = :owner AND a.name = j.value "
        "JOIN entity e ON e.owner = a.owner AND e.key = a.entity "
        "ORDER BY e.interactions DESC, e.key",
        {"owner": owner, "names": json.dumps([*wanted], ensure_ascii=False)},
    )
    found: dict[str, list[Entity]] = {}
    for name, *row in rows:
        found.setdefault(name, []).append(_entity(row))
    return found


def sentiment_history(database: Database, owner: str, entity: str) -> list[SentimentPoint]:
    """Return how the sentiment towards an entity moved, oldest first."""
    rows = database.rows(
        "SELECT at, score, label, memory FROM sentiment WHERE owner = ? AND entity = ? ORDER BY at",
        (owner, entity),
    )
    return [
        SentimentPoint(at=from_micros(at), score=score, label=label, memory=memory)
        for at, score, label, memory in rows
    ]


def write_page(connection: apsw.Connection, owner: str, page: Page, at: datetime) -> None:
    """Keep the next version of a page; older ones stay."""
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


def pages(
    database: Database, owner: str, *, key: str | None = None, kind: str | None = None
) -> list[Page]:
    """Return versions of pages, by key and version; of one key or one kind, or all."""
    only = ("AND key = :key " if key else "") + ("AND kind = :kind " if kind else "")
    rows = database.rows(
        f"{_PAGE} WHERE owner = :owner {only} ORDER BY key, version",
        {"owner": owner, "key": key, "kind": kind},
    )
    return [
        Page(
            key=row[0],
            version=row[1],
            kind=row[2],
            title=row[3],
            body=row[4],
            data=json.loads(row[5]),
            derived_from=tuple(json.loads(row[6])),
            written_at=from_micros(row[7]),
        )
        for row in rows
    ]
