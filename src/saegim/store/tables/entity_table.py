"""Entities, how the sentiment towards them moved, and pages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from saegim.memory.changes import Met, Portrayed, Trusted
from saegim.memory.clock import from_micros, micros
from saegim.memory.emotion import checked_share
from saegim.memory.entities import Entity, SentimentPoint, met_again
from saegim.memory.keys import normalise
from saegim.memory.pages import Page
from saegim.memory.scope import Scope
from saegim.store.database import Connection, Database

_PROFILE = (
    "e.platform, e.name, e.type, e.first_seen_at, e.last_seen_at, e.interactions, e.sentiment, "
    "e.sentiment_score, e.trust, e.details"
)
_ENTITY = f"SELECT {_PROFILE} FROM entity e "
_PAGE = "SELECT key, version, kind, title, body, data, derived_from, written_at FROM page "


class EntityTable:
    """Whom and what the memories of a user speak of."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, scope: Scope, key: str | None = None) -> list[Entity]:
        """Return the owner's entities, the most met first, or the one of that key."""
        only = "AND key = :key" if key else ""
        rows = self._database.rows(
            f"{_ENTITY} WHERE owner = :owner {only} ORDER BY interactions DESC, key",
            {"owner": scope.user, "key": key},
        )
        return [_entity(row) for row in rows]

    def named(self, scope: Scope, names: Iterable[str]) -> dict[str, list[Entity]]:
        """Return the entities that go by these names, by normalised name, the most met first."""
        wanted = {normalise(name): None for name in names}
        rows = self._database.rows(
            f"SELECT a.name, {_PROFILE} FROM json_each(:names) j "
            "CROSS JOIN alias a ON a.owner = :owner AND a.name = j.value "
            "JOIN entity e ON e.owner = a.owner AND e.key = a.entity "
            "ORDER BY e.interactions DESC, e.key",
            {"owner": scope.user, "names": json.dumps([*wanted], ensure_ascii=False)},
        )
        found: dict[str, list[Entity]] = {}
        for name, *row in rows:
            found.setdefault(name, []).append(_entity(row))
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
    connection.execute(
        "INSERT INTO sentiment VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (owner, entity, at) "
        "DO UPDATE SET score = excluded.score, label = excluded.label, memory = excluded.memory",
        (owner, entity.key, seen, met.entity.sentiment_score, met.entity.sentiment, met.memory),
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


def write_page(connection: Connection, owner: str, page: Page, at: datetime) -> None:
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
