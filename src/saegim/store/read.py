"""Reads memories: one, many, a page of a list, the nearest; never takes the write lock."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from saegim.engines.embedder import Identity
from saegim.engines.vectors import Vector
from saegim.errors import StoreCorrupt
from saegim.memory.clock import from_micros
from saegim.memory.memory import Memory, checked_tags
from saegim.memory.scope import Scope
from saegim.memory.tiers import FINDABLE
from saegim.store.database import Database
from saegim.store.index.shards import Numbers, Shard, Shards
from saegim.store.index.vectors import check_fits, exact, known_number
from saegim.store.rows import SELECT, SELECT_BYTES, from_row
from saegim.store.where import Cursor, Params, Where

# So few that pass the filters that each can be given its true cosine: no search is quicker.
FEW = 128
# Superseded and leaving memories are in no shard; so many of them are compared one by one.
_MOST_HIDDEN = 2000


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a list, newest first, with the true total and the way to go on."""

    memories: list[Memory]
    total: int
    next: str | None


@dataclass(frozen=True, slots=True)
class Facts:
    """What the score of a memory needs: numbers, and both ends of its words, as bytes.

    `last_at` is in microseconds; `mentions` says whether its words name a time.
    """

    importance: float
    last_at: int
    kind: str
    tier: str
    intensity: float
    author: str
    confidence: float
    origin: str
    source: str
    mentions: int
    beginning: bytes
    ending: bytes


@dataclass(frozen=True, slots=True)
class NearHit:
    """A memory that the vectors found, with its true cosine."""

    number: int
    cosine: float


def memory(database: Database, scope: Scope, id: str) -> Memory | None:
    """Return the memory of that id if this user has one."""
    rows = _selected(database, "WHERE m.owner = ? AND m.id = ?", (scope.user, id))
    return from_row(rows[0]) if rows else None


def _selected(database: Database, which: str, params: Params | tuple[Any, ...]) -> list[Any]:
    """Return rows of memories; where a letter is spoilt on disk, the words as far as they go."""
    try:
        return database.rows(f"{SELECT} {which}", params)
    except StoreCorrupt:
        return database.rows(f"{SELECT_BYTES} {which}", params)


def by_numbers(database: Database, scope: Scope, numbers: Iterable[int]) -> dict[int, Memory]:
    """Return the memories in these rows, as far as they are this user's and can be read."""
    wanted = tuple(numbers)
    marks = ", ".join("?" * len(wanted))
    try:
        # `|| ''` keeps the planner on the row numbers instead of the owner's whole index.
        which = f"WHERE m.number IN ({marks}) AND m.owner || '' = ?"
        rows = _selected(database, which, (*wanted, scope.user))
    except StoreCorrupt:
        # One that cannot even be read must not hide the others: each is asked for alone.
        each = (by_numbers(database, scope, (number,)) for number in wanted if len(wanted) > 1)
        return {number: memory for found in each for number, memory in found.items()}
    return dict(_readable(rows))


def _readable(rows: Iterable[Any]) -> Iterator[tuple[int, Memory]]:
    """Return the memories in these rows; a spoilt record must not hide the others."""
    for row in rows:
        with contextlib.suppress(StoreCorrupt):
            yield int(row[0]), from_row(row)


def facts(database: Database, scope: Scope, numbers: Iterable[int]) -> dict[int, Facts]:
    """Return what the score needs of these rows, without reading the memories themselves."""
    rows = database.rows(
        "SELECT m.number, m.importance, max(m.recorded_at, coalesce(m.recalled_at, 0)), "
        "m.kind, m.tier, m.intensity, m.author, m.confidence, m.origin, m.source, "
        "EXISTS (SELECT 1 FROM mention t WHERE t.number = m.number), "
        # As bytes: where a letter is spoilt on disk, the others still count.
        "substr(CAST(coalesce(m.text, '') AS BLOB), 1, 1200), "
        "substr(CAST(coalesce(m.text, '') AS BLOB), -48) "
        "FROM json_each(:numbers) j CROSS JOIN memory m ON m.number = j.value "
        "WHERE m.owner = :owner",
        {"numbers": json.dumps(list(numbers)), "owner": scope.user},
    )
    return {row[0]: Facts(*row[1:]) for row in rows}


def page(database: Database, where: Where, *, limit: int, cursor: str | None = None) -> Slice:
    """Return a page of the list, newest first; adding memories never shifts a later page."""
    sql, params = where.sql()
    total = int(database.rows(f"SELECT count(*) FROM memory m WHERE {sql}", params)[0][0])
    after = ""
    if cursor is not None:
        place = Cursor.read(cursor)
        after = "AND (m.happened_at, m.number) < (:cursor_at, :cursor_number)"
        params |= {"cursor_at": place.happened_at, "cursor_number": place.number}
    rows = _selected(
        database,
        f"WHERE {sql} {after} ORDER BY m.happened_at DESC, m.number DESC LIMIT :more",
        {**params, "more": limit + 1},
    )
    found = [memory for _, memory in _readable(rows[:limit])]
    if len(rows) <= limit:
        return Slice(found, total, None)
    last = rows[limit - 1]
    happened_at = last[SELECT_HAPPENED_AT]
    return Slice(found, total, Cursor(int(happened_at), int(last[0])).text())


SELECT_HAPPENED_AT = SELECT.split(" FROM ")[0].split(", ").index("m.happened_at")


def latest(database: Database, where: Where, *, limit: int) -> list[int]:
    """Return the rows of the newest memories that `where` allows."""
    sql, params = where.sql()
    rows = database.rows(
        f"SELECT m.number FROM memory m WHERE {sql} "
        "ORDER BY m.happened_at DESC, m.number DESC LIMIT :limit",
        {**params, "limit": limit},
    )
    return [int(row[0]) for row in rows]


def walk(database: Database, where: Where, *, chunk: int = 500) -> Iterable[tuple[int, Memory]]:
    """Go through all memories in the order they were written, a chunk at a time."""
    sql, params = where.sql()
    last = 0
    while True:
        rows = _selected(
            database,
            f"WHERE {sql} AND m.number > :last ORDER BY m.number LIMIT :chunk",
            {**params, "last": last, "chunk": chunk},
        )
        yield from _readable(rows)
        if len(rows) < chunk:
            return
        last = int(rows[-1][0])


def near(
    database: Database,
    shards: Shards,
    vector: Vector,
    identity: Identity,
    where: Where,
    *,
    limit: int,
    also: Iterable[int] = (),
    behind: Callable[[Shard], None] | None = None,
) -> list[NearHit]:
    """Return the nearest memories that `where` allows, and the rows in `also`, by true cosine.

    With a limit of 0 nothing is searched: only the rows in `also` get their cosine.
    Candidates are taken in order of nearness and filtered in SQL; if too few pass, the filter is
    turned into an allow-list and the search is repeated inside it, so nothing is ever crowded out.
    `behind` is told of a shard that has not read all vectors yet: what it has read is searched.
    """
    check_fits(vector, identity)
    embedder = known_number(database, identity)
    if embedder is None:
        return []
    asked = set(also) | _not_live(database, where)
    shard = shards.of(where.scope.user, embedder, identity.dimension)
    if not limit:
        return _scored(database, vector, shard, where, asked)
    if where.narrows and len(few := _narrowed(database, where, most=FEW + 1)) <= FEW:
        return _scored(database, vector, shard, where, {*few.tolist(), *asked})
    if shard.follow(database) and behind is not None:
        behind(shard)
    if where.tags:
        found = set(shard.nearest(vector, limit, _narrowed(database, where)).tolist())
        hits = _scored(database, vector, shard, where, found | asked)
        if _passed(hits, found) >= limit:
            return hits
    found = set(shard.nearest(vector, limit).tolist())
    hits = _scored(database, vector, shard, where, found | asked)
    if _passed(hits, found) < min(limit, len(shard)) and len(shard) > len(found):
        allowed = _allowed(database, where)
        found = set(shard.nearest(vector, limit, allowed).tolist())
        hits = _scored(database, vector, shard, where, found | asked)
    return hits


def _not_live(database: Database, where: Where) -> set[int]:
    """Return the newest rows that no shard holds, where history or another time is asked for."""
    if not (hidden := tuple(state for state in where.states if state not in FINDABLE)):
        return set()
    return set(latest(database, replace(where, states=hidden), limit=_MOST_HIDDEN))


def _narrowed(database: Database, where: Where, most: int = -1) -> Numbers:
    """Return all rows that may pass the filters, at most so many; by tag, if there is one.

    The index of tags alone answers in a tenth of the time; what else is asked is looked at when
    the nearest of them get their cosine.
    """
    if not where.tags:
        return _allowed(database, where, most)
    rows = database.rows(
        "SELECT number FROM tag WHERE owner = ? AND tag = ? LIMIT ?",
        (where.scope.user, checked_tags(where.tags)[0], most),
    )
    return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))


def _allowed(database: Database, where: Where, most: int = -1) -> Numbers:
    """Return the rows that pass the filters, at most so many."""
    sql, params = where.sql()
    rows = database.rows(
        f"SELECT m.number FROM memory m WHERE {sql} LIMIT :most", {**params, "most": most}
    )
    return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))


def _passed(hits: list[NearHit], found: set[int]) -> int:
    return sum(hit.number in found for hit in hits)


def _scored(
    database: Database, vector: Vector, shard: Shard, where: Where, numbers: set[int]
) -> list[NearHit]:
    """Filter candidates in SQL and give each its true cosine, best first."""
    sql, params = where.sql()
    rows = database.rows(
        "SELECT m.number, v.data FROM json_each(:numbers) j "
        "CROSS JOIN memory m ON m.number = j.value "
        "JOIN vector v ON v.embedder = :embedder AND v.number = m.number "
        f"WHERE v.data IS NOT NULL AND {sql}",
        {**params, "numbers": json.dumps(list(numbers)), "embedder": shard.embedder},
    )
    if not rows:
        return []
    cosines = exact(vector, [row[1] for row in rows], shard.dimension).tolist()
    hits = [
        NearHit(int(row[0]), cosine)
        for row, cosine in zip(rows, cosines, strict=True)
        if math.isfinite(cosine)
    ]
    hits.sort(key=lambda hit: (-hit.cosine, hit.number))
    return hits


def neighbours(
    database: Database, where: Where, numbers: Iterable[int], *, before: int, after: int
) -> list[tuple[int, int, int]]:
    """Return (row, neighbouring row, distance) for turns beside these in the same session."""
    sql, params = where.sql()
    rows = database.rows(
        "SELECT h.number, m.number, m.sequence - h.sequence FROM json_each(:numbers) j "
        "CROSS JOIN memory h ON h.number = j.value "
        "CROSS JOIN memory m ON m.owner = h.owner AND m.session = h.session "
        "AND m.sequence BETWEEN h.sequence + :before AND h.sequence + :after "
        f"WHERE h.session <> '' AND m.number <> h.number AND h.owner = :owner AND {sql}",
        {**params, "numbers": json.dumps(list(numbers)), "before": before, "after": after},
    )
    return [(int(a), int(b), int(step)) for a, b, step in rows]


def session_so_far(database: Database, scope: Scope) -> tuple[int, datetime | None]:
    """Return the highest sequence number of the scope's session, and when it began."""
    key = {"owner": scope.user, "session": scope.session}
    inside = "FROM memory WHERE owner = :owner AND session = :session"
    last = database.rows(f"SELECT max(sequence) {inside}", key)[0][0]
    which = "WHERE m.owner = :owner AND m.session = :session ORDER BY m.sequence, m.number LIMIT 1"
    began = [memory.time for _, memory in _readable(_selected(database, which, key))]
    return int(last or 0), began[0].said_at or began[0].happened_at if began else None


def known_keys(database: Database, scope: Scope, keys: Iterable[str]) -> set[str]:
    """Return which of these canonical keys belong to a memory that holds or held."""
    rows = database.rows(
        "SELECT DISTINCT m.canonical_key FROM json_each(:keys) j "
        "CROSS JOIN memory m ON m.owner = :owner AND m.canonical_key = j.value "
        "WHERE m.text IS NOT NULL",
        {"owner": scope.user, "keys": json.dumps(list(keys))},
    )
    return {str(row[0]) for row in rows}


def carried_out(database: Database, scope: Scope, key: str) -> datetime | None:
    """Return when the act of this key was carried out, if it was."""
    rows = database.rows("SELECT at FROM receipt WHERE owner = ? AND key = ?", (scope.user, key))
    return from_micros(rows[0][0]) if rows else None


def count_up_to(database: Database, scope: Scope, most: int) -> int:
    """Count this user's active memories, but no further than `most`."""
    rows = database.rows(
        "SELECT count(*) FROM (SELECT 1 FROM memory WHERE owner = ? AND state = 'active' LIMIT ?)",
        (scope.user, most),
    )
    return int(rows[0][0])


def sessions(database: Database, scope: Scope) -> list[str]:
    """Return the sessions that hold living memories, the latest first."""
    rows = database.rows(
        "SELECT session, max(happened_at) FROM memory WHERE owner = ? AND session <> '' "
        "AND state = 'active' GROUP BY session ORDER BY 2 DESC, 1",
        (scope.user,),
    )
    return [str(row[0]) for row in rows]


def tally(database: Database, scope: Scope) -> dict[str, dict[str, int]]:
    """Count the user's memories by state, and the living ones by kind, tier and project."""
    counts: dict[str, dict[str, int]] = {}
    for what, living in (
        ("state", ""),
        ("kind", "active"),
        ("tier", "active"),
        ("project", "active"),
    ):
        only = "AND state = 'active'" if living else ""
        rows = database.rows(
            f"SELECT {what}, count(*) FROM memory WHERE owner = ? {only} GROUP BY 1 ORDER BY 1",
            (scope.user,),
        )
        counts[what] = {str(name): int(count) for name, count in rows}
    return counts


def current(database: Database, scope: Scope, id: str) -> str:
    """Follow an id through its newer versions to the one that holds now."""
    seen = {id}
    while True:
        rows: list[Any] = database.rows(
            "SELECT source FROM link WHERE owner = ? AND target = ? AND type = 'supersedes' "
            "ORDER BY created_at DESC, source DESC LIMIT 1",
            (scope.user, id),
        )
        if not rows or rows[0][0] in seen:
            return id
        id = str(rows[0][0])
        seen.add(id)
