"""Reads memories: one, many, a page of a list, the nearest; never takes the write lock."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from saegim.engines.embedder import Identity
from saegim.engines.vectors import Vector
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.store.database import Database
from saegim.store.index.shards import Numbers, Shards
from saegim.store.index.vectors import check_fits, exact, known_number
from saegim.store.rows import SELECT, from_row
from saegim.store.where import Cursor, Where


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a list, newest first, with the true total and the way to go on."""

    memories: list[Memory]
    total: int
    next: str | None


@dataclass(frozen=True, slots=True)
class NearHit:
    """A memory that the vectors found, with its true cosine."""

    number: int
    cosine: float


def memory(database: Database, scope: Scope, id: str) -> Memory | None:
    """Return the memory of that id if this user has one."""
    rows = database.rows(f"{SELECT} WHERE m.owner = ? AND m.id = ?", (scope.user, id))
    return from_row(rows[0]) if rows else None


def by_numbers(database: Database, scope: Scope, numbers: Iterable[int]) -> dict[int, Memory]:
    """Return the memories in these rows, as far as they are this user's."""
    wanted = tuple(numbers)
    marks = ", ".join("?" * len(wanted))
    # `|| ''` keeps the planner on the row numbers instead of the owner's whole index.
    rows = database.rows(
        f"{SELECT} WHERE m.number IN ({marks}) AND m.owner || '' = ?", (*wanted, scope.user)
    )
    return {int(row[0]): from_row(row) for row in rows}


def page(database: Database, where: Where, *, limit: int, cursor: str | None = None) -> Slice:
    """Return a page of the list, newest first; adding memories never shifts a later page."""
    sql, params = where.sql()
    total = int(database.rows(f"SELECT count(*) FROM memory m WHERE {sql}", params)[0][0])
    after = ""
    if cursor is not None:
        place = Cursor.read(cursor)
        after = "AND (m.happened_at, m.number) < (:cursor_at, :cursor_number)"
        params |= {"cursor_at": place.happened_at, "cursor_number": place.number}
    rows = database.rows(
        f"{SELECT} WHERE {sql} {after} ORDER BY m.happened_at DESC, m.number DESC LIMIT :more",
        {**params, "more": limit + 1},
    )
    found = [from_row(row) for row in rows[:limit]]
    if len(rows) <= limit:
        return Slice(found, total, None)
    last = rows[limit - 1]
    happened_at = last[SELECT_HAPPENED_AT]
    return Slice(found, total, Cursor(int(happened_at), int(last[0])).text())


SELECT_HAPPENED_AT = SELECT.split(" FROM ")[0].split(", ").index("m.happened_at")


def walk(database: Database, where: Where, *, chunk: int = 500) -> Iterable[tuple[int, Memory]]:
    """Go through all memories in the order they were written, a chunk at a time."""
    sql, params = where.sql()
    last = 0
    while True:
        rows = database.rows(
            f"{SELECT} WHERE {sql} AND m.number > :last ORDER BY m.number LIMIT :chunk",
            {**params, "last": last, "chunk": chunk},
        )
        for row in rows:
            last = int(row[0])
            yield last, from_row(row)
        if len(rows) < chunk:
            return


def near(
    database: Database,
    shards: Shards,
    vector: Vector,
    identity: Identity,
    where: Where,
    *,
    limit: int,
    pool: int,
) -> list[NearHit]:
    """Return the nearest memories that `where` allows, by true cosine.

    Candidates are taken in order of nearness and filtered in SQL; if too few pass, the filter is
    turned into an allow-list and the search is repeated inside it, so nothing is ever crowded out.
    """
    check_fits(vector, identity)
    embedder = known_number(database, identity)
    if embedder is None:
        return []
    shard = shards.of(where.scope.user, embedder, identity.dimension)
    shard.follow(database)
    found = shard.nearest(vector, pool)
    hits = _scored(database, vector, identity, embedder, where, found)
    if len(hits) < limit and len(shard) > len(found):
        sql, params = where.sql()
        rows = database.rows(f"SELECT m.number FROM memory m WHERE {sql}", params)
        allowed: Numbers = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
        found = shard.nearest(vector, pool, allowed)
        hits = _scored(database, vector, identity, embedder, where, found)
    return hits[:limit]


def _scored(
    database: Database,
    vector: Vector,
    identity: Identity,
    embedder: int,
    where: Where,
    numbers: Numbers,
) -> list[NearHit]:
    """Filter candidates in SQL and give each its true cosine, best first."""
    sql, params = where.sql()
    rows = database.rows(
        "SELECT m.number, v.data FROM json_each(:numbers) j "
        "CROSS JOIN memory m ON m.number = j.value "
        "JOIN vector v ON v.embedder = :embedder AND v.number = m.number "
        f"WHERE v.data IS NOT NULL AND {sql}",
        {**params, "numbers": json.dumps(numbers.tolist()), "embedder": embedder},
    )
    if not rows:
        return []
    cosines = exact(vector, [row[1] for row in rows], identity.dimension).tolist()
    hits = [NearHit(int(row[0]), cosine) for row, cosine in zip(rows, cosines, strict=True)]
    hits.sort(key=lambda hit: (-hit.cosine, hit.number))
    return hits


def cosines(
    database: Database, vector: Vector, identity: Identity, where: Where, numbers: Iterable[int]
) -> list[NearHit]:
    """Return the true cosines of these rows, as far as `where` allows and they are embedded."""
    wanted = np.fromiter(numbers, dtype=np.int64)
    embedder = known_number(database, identity)
    if embedder is None or not len(wanted):
        return []
    return _scored(database, vector, identity, embedder, where, wanted)


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


def last_sequence(database: Database, scope: Scope) -> int:
    """Return the highest sequence number of the scope's session, or 0."""
    rows = database.rows(
        "SELECT coalesce(max(sequence), 0) FROM memory WHERE owner = ? AND session = ?",
        (scope.user, scope.session),
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
