"""Memories: one, many, a page of a list; never takes the write lock."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from saegim.errors import StoreCorrupt
from saegim.memory.changes import Recalled
from saegim.memory.clock import from_micros, micros
from saegim.memory.memory import BOOKKEEPING, Kind, Memory, Scope, State
from saegim.store.database import Connection, Database
from saegim.store.rows import (
    HAPPENED_AT,
    KEEPS_BOOKS,
    SELECT,
    SELECT_BYTES,
    Cursor,
    Params,
    Where,
    ends_asking,
    from_row,
    newest_numbers,
    unpacked,
)

# How many bytes of a text are its beginning.
_BEGINNING = 1200


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a list, newest first, with the true total and the way to go on."""

    memories: list[Memory]
    total: int
    next: str | None


@dataclass(frozen=True, slots=True)
class Facts:
    """What the scores of memories need beside their words, in columns.

    `last_at` is in microseconds; `mentions` says whether their words name a time, `asks` whether
    they end in a question; how they begin is told where the words are asked for.
    """

    number: npt.NDArray[np.int64]
    importance: npt.NDArray[np.float64]
    last_at: npt.NDArray[np.int64]
    kind: Sequence[str]
    tier: Sequence[str]
    intensity: npt.NDArray[np.float64]
    author: Sequence[str]
    confidence: npt.NDArray[np.float64]
    origin: Sequence[str]
    source: Sequence[str]
    mentions: npt.NDArray[np.bool_]
    asks: npt.NDArray[np.bool_]
    beginning: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.number)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim, and the living memory that makes it."""

    slot: str
    value: str
    negative: bool
    memory: str
    number: int


class MemoryTable:
    """The memories of all users; every question names whose."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, scope: Scope, id: str) -> Memory | None:
        """Return the memory of that id if this user has one."""
        rows = self._selected("WHERE m.owner = ? AND m.id = ?", (scope.user, id))
        return from_row(rows[0]) if rows else None

    def by_numbers(self, scope: Scope, numbers: Iterable[int]) -> dict[int, Memory]:
        """Return the memories in these rows, as far as they are this user's and can be read."""
        wanted = tuple(numbers)
        marks = ", ".join("?" * len(wanted))
        try:
            # `|| ''` keeps the planner on the row numbers instead of the owner's whole index.
            which = f"WHERE m.number IN ({marks}) AND m.owner || '' = ?"
            rows = self._selected(which, (*wanted, scope.user))
        except StoreCorrupt:
            # One that cannot even be read must not hide the others: each is asked for alone.
            each = (self.by_numbers(scope, (number,)) for number in wanted if len(wanted) > 1)
            return {number: memory for found in each for number, memory in found.items()}
        return dict(_readable(rows))

    def _selected(self, which: str, params: Params | tuple[Any, ...]) -> list[Any]:
        """Return rows of memories; where a letter is spoilt, the words as far as they go."""
        try:
            return self._database.rows(f"{SELECT} {which}", params)
        except StoreCorrupt:
            return self._database.rows(f"{SELECT_BYTES} {which}", params)

    def facts(self, scope: Scope, numbers: Iterable[int], *, words: bool = False) -> Facts:
        """Return what the score needs of these rows, without reading the memories themselves."""
        rows = self._database.rows(
            "SELECT m.number, m.importance, max(m.recorded_at, coalesce(m.recalled_at, 0)), "
            "m.kind, m.tier, m.intensity, m.author, m.confidence, m.origin, m.source, "
            "EXISTS (SELECT 1 FROM mention t WHERE t.number = m.number), "
            # As bytes: where a letter is spoilt on disk, the others still count.
            "substr(CAST(coalesce(m.text, '') AS BLOB), -48), "
            "substr(CAST(coalesce(m.text, '') AS BLOB), 1, :most) "
            "FROM json_each(:numbers) j CROSS JOIN memory m ON m.number = j.value "
            "WHERE m.owner = :owner",
            {
                "numbers": json.dumps(list(map(int, numbers))),
                "owner": scope.user,
                "most": _BEGINNING if words else 0,
            },
        )
        return _facts(rows)

    def page(self, where: Where, *, limit: int, cursor: str | None = None) -> Slice:
        """Return a page of the list, newest first; adding memories never shifts a later page."""
        owner = {"owner": where.scope.user, "bookkeeping": BOOKKEEPING}
        if not self._database.rows(f"{KEEPS_BOOKS} LIMIT 1", owner):
            # Looked at row by row, what is not there would cost half as much again.
            where = replace(where, bookkeeping=True)
        total = self._count(replace(where, imagined=True))
        if where.only_true:
            # Taken off: counted without them, every row would have to be looked at.
            total -= self._count(replace(where, kinds=(Kind.IMAGINED,)))
        sql, params = where.sql()
        after = ""
        if cursor is not None:
            place = Cursor.read(cursor)
            after = "AND (m.happened_at, m.number) < (:cursor_at, :cursor_number)"
            params |= {"cursor_at": place.happened_at, "cursor_number": place.number}
        rows = self._selected(
            f"WHERE {sql} {after} ORDER BY m.happened_at DESC, m.number DESC LIMIT :more",
            {**params, "more": limit + 1},
        )
        found = [memory for _, memory in _readable(rows[:limit])]
        if len(rows) <= limit:
            return Slice(found, total, None)
        last = rows[limit - 1]
        happened_at = last[HAPPENED_AT]
        return Slice(found, total, Cursor(int(happened_at), int(last[0])).text())

    def _count(self, where: Where) -> int:
        sql, params = where.sql()
        return int(self._database.rows(f"SELECT count(*) FROM memory m WHERE {sql}", params)[0][0])

    def leaving(self, where: Where, *, limit: int | None = None) -> list[Memory]:
        """Return what leaves, what goes first first."""
        sql, params = where.sql()
        most = "" if limit is None else f"LIMIT {int(limit)}"
        which = f"WHERE {sql} AND m.leaving_until IS NOT NULL ORDER BY m.leaving_until, m.id {most}"
        return [memory for _, memory in _readable(self._selected(which, params))]

    def leaving_by(self, where: Where, at: datetime | None = None) -> int:
        """Count what leaves, or what does by an instant."""
        sql, params = where.sql()
        if at is not None:
            sql, params = f"{sql} AND m.leaving_until <= :by", {**params, "by": micros(at)}
        counted = f"SELECT count(*) FROM memory m WHERE {sql} AND m.leaving_until IS NOT NULL"
        return int(self._database.rows(counted, params)[0][0])

    def of_ids(self, scope: Scope, ids: Iterable[str]) -> dict[str, Memory]:
        """Return the memories of these ids, as far as they are this user's."""
        numbers = self._database.rows(
            "SELECT m.number FROM json_each(:ids) j "
            "CROSS JOIN memory m ON m.owner = :owner AND m.id = j.value",
            {"owner": scope.user, "ids": json.dumps(list(ids))},
        )
        found = self.by_numbers(scope, (int(row[0]) for row in numbers))
        return {memory.id: memory for memory in found.values()}

    def latest(self, where: Where, *, limit: int) -> list[int]:
        """Return the rows of the newest memories that `where` allows."""
        return newest_numbers(self._database, where, limit=limit)

    def walk(
        self, where: Where, *, chunk: int = 500, unreadable: list[int] | None = None
    ) -> Iterator[tuple[int, Memory]]:
        """Go through all memories in the order they were written, a chunk at a time.

        With a list for what is `unreadable`, rows on broken pages are named there and passed over.
        """
        sql, params = where.sql()
        last = 0
        while True:
            try:
                rows = self._selected(
                    f"WHERE {sql} AND m.number > :last ORDER BY m.number LIMIT :chunk",
                    {**params, "last": last, "chunk": chunk},
                )
            except StoreCorrupt:
                if unreadable is None:
                    raise
                yield from self._one_by_one(sql, params, last, unreadable)
                return
            read = list(_readable(rows))
            if unreadable is not None and len(read) < len(rows):
                found = {number for number, _ in read}
                unreadable += [int(row[0]) for row in rows if row[0] not in found]
            yield from read
            if len(rows) < chunk:
                return
            last = int(rows[-1][0])

    def _one_by_one(
        self, sql: str, params: dict[str, Any], last: int, unreadable: list[int]
    ) -> Iterator[tuple[int, Memory]]:
        """Ask for each row alone: a broken page hides only those that lie on it."""
        for number in range(last + 1, self._highest() + 1):
            try:
                yield from _readable(
                    self._selected(f"WHERE {sql} AND m.number = :one", {**params, "one": number})
                )
            except StoreCorrupt:
                unreadable.append(number)

    def _highest(self) -> int:
        """Return the highest row there can be, from whatever still says it."""
        for sql in (
            "SELECT max(number) FROM memory",
            "SELECT max(number) FROM vector",
            "SELECT count(*) FROM ledger",
        ):
            with contextlib.suppress(StoreCorrupt):
                if (found := self._database.rows(sql)[0][0]) is not None:
                    return int(found)
        return 0

    def neighbours(
        self, where: Where, numbers: Iterable[int], *, before: int, after: int
    ) -> list[tuple[int, int, int]]:
        """Return (row, neighbouring row, distance) for turns beside these in the same session."""
        sql, params = where.sql()
        rows = self._database.rows(
            "SELECT h.number, m.number, m.sequence - h.sequence FROM json_each(:numbers) j "
            "CROSS JOIN memory h ON h.number = j.value "
            "CROSS JOIN memory m ON m.owner = h.owner AND m.session = h.session "
            "AND m.sequence BETWEEN h.sequence + :before AND h.sequence + :after "
            f"WHERE h.session <> '' AND m.number <> h.number AND h.owner = :owner AND {sql}",
            {**params, "numbers": json.dumps(list(numbers)), "before": before, "after": after},
        )
        return [(int(a), int(b), int(step)) for a, b, step in rows]

    def sessions_of(self, scope: Scope, numbers: Iterable[int]) -> dict[int, str]:
        """Return the session of each of these rows that stands in one."""
        rows = self._database.rows(
            "SELECT m.number, m.session FROM json_each(:numbers) j "
            "CROSS JOIN memory m ON m.number = j.value "
            "WHERE m.owner = :owner AND m.session <> ''",
            {"owner": scope.user, "numbers": json.dumps(list(map(int, numbers)))},
        )
        return {int(number): str(session) for number, session in rows}

    def session_so_far(self, scope: Scope) -> tuple[int, datetime | None]:
        """Return the highest sequence number of the scope's session, and when it began."""
        key = {"owner": scope.user, "session": scope.session}
        inside = "FROM memory WHERE owner = :owner AND session = :session"
        last = self._database.rows(f"SELECT max(sequence) {inside}", key)[0][0]
        which = (
            "WHERE m.owner = :owner AND m.session = :session "
            "ORDER BY m.sequence NULLS FIRST, m.number LIMIT 1"
        )
        began = [memory.time for _, memory in _readable(self._selected(which, key))]
        return int(last or 0), began[0].said_at or began[0].happened_at if began else None

    def known_keys(self, scope: Scope, keys: Iterable[str]) -> set[str]:
        """Return which of these canonical keys belong to a memory that holds or held."""
        rows = self._database.rows(
            "SELECT DISTINCT m.canonical_key FROM json_each(:keys) j "
            "CROSS JOIN memory m ON m.owner = :owner AND m.canonical_key = j.value "
            "WHERE m.text IS NOT NULL",
            {"owner": scope.user, "keys": json.dumps(list(keys))},
        )
        return {str(row[0]) for row in rows}

    def count_up_to(self, scope: Scope, most: int) -> int:
        """Count this user's active memories, but no further than `most`."""
        rows = self._database.rows(
            "SELECT count(*) FROM (SELECT 1 FROM memory "
            "WHERE owner = ? AND state = 'active' LIMIT ?) AS counted",
            (scope.user, most),
        )
        return int(rows[0][0])

    def planned(self, where: Where, start: datetime, end: datetime, most: int) -> list[Memory]:
        """Return what is kept until a day that ends in this stretch, the nearest first."""
        which, params = where.sql()
        rows = self._selected(
            f"WHERE {which} AND m.lifetime = 'until' AND m.last_date > :begin_at "
            f"AND m.last_date <= :end_at ORDER BY m.last_date, m.number LIMIT {int(most)}",
            {**params, "begin_at": micros(start), "end_at": micros(end)},
        )
        return [memory for _, memory in _readable(rows)]

    def sessions(self, scope: Scope) -> list[str]:
        """Return the sessions that hold living memories, the latest first."""
        rows = self._database.rows(
            "SELECT session, max(happened_at) FROM memory WHERE owner = ? AND session <> '' "
            "AND state = 'active' GROUP BY session ORDER BY 2 DESC, 1",
            (scope.user,),
        )
        return [str(row[0]) for row in rows]

    def states(self, scope: Scope) -> dict[str, int]:
        """Count the user's memories by state, from the index alone."""
        rows = self._database.rows(
            "SELECT state, count(*) FROM memory WHERE owner = ? GROUP BY 1 ORDER BY 1",
            (scope.user,),
        )
        return {str(state): int(count) for state, count in rows}

    def projects(self, scope: Scope) -> list[str]:
        """Return the projects that hold or held memories, leaping from one to the next."""
        rows = self._database.rows(
            "WITH RECURSIVE leap(project) AS ("
            "SELECT min(project) FROM memory WHERE owner = :owner AND project > '' "
            "UNION ALL SELECT (SELECT min(project) FROM memory WHERE owner = :owner "
            "AND project > leap.project) FROM leap WHERE leap.project IS NOT NULL) "
            "SELECT project FROM leap WHERE project IS NOT NULL",
            {"owner": scope.user},
        )
        return [str(project) for (project,) in rows]

    def tally(self, scope: Scope) -> dict[str, dict[str, int]]:
        """Count the user's memories by state, and the living ones by kind, tier and project."""
        names = ("state", "kind", "tier", "project")
        counts: dict[str, dict[str, int]] = {name: {} for name in names}
        # Read once: counted one after another, every row would be read four times.
        for *held, count in self._database.rows(
            "SELECT state, kind, tier, project, count(*) FROM memory WHERE owner = ? "
            "GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4",
            (scope.user,),
        ):
            for name, value in zip(names, map(str, held), strict=True):
                if name == "state" or held[0] == State.ACTIVE:
                    counts[name][value] = counts[name].get(value, 0) + int(count)
        return {name: dict(sorted(each.items())) for name, each in counts.items()}

    def current(self, scope: Scope, id: str) -> str:
        """Follow an id through its newer versions to the one that holds now."""
        seen = {id}
        while True:
            rows: list[Any] = self._database.rows(
                "SELECT source FROM link WHERE owner = ? AND target = ? AND type = 'supersedes' "
                "ORDER BY created_at DESC, source DESC LIMIT 1",
                (scope.user, id),
            )
            if not rows or rows[0][0] in seen:
                return id
            id = str(rows[0][0])
            seen.add(id)

    def ids_of(self, scope: Scope, numbers: Iterable[int]) -> dict[int, str]:
        """Return the ids in these rows of this user."""
        rows = self._database.rows(
            "SELECT m.number, m.id FROM json_each(:numbers) j "
            "CROSS JOIN memory m ON m.number = j.value WHERE m.owner = :owner",
            {"owner": scope.user, "numbers": json.dumps(list(numbers))},
        )
        return {int(number): str(id) for number, id in rows}

    def rows_of(self, where: Where, ids: Iterable[str]) -> dict[str, int]:
        """Return the rows of these ids, as far as the filters allow them."""
        # By id first, then by row: at once, the planner may start from a filter's whole list.
        known = dict(
            self._database.rows(
                "SELECT m.number, m.id FROM json_each(:ids) j "
                "CROSS JOIN memory m ON m.owner = :owner AND m.id = j.value",
                {"owner": where.scope.user, "ids": json.dumps(list(ids))},
            )
        )
        sql, params = where.sql()
        rows = self._database.rows(
            "SELECT m.number FROM json_each(:numbers) j CROSS JOIN memory m ON m.number = j.value "
            f"WHERE {sql}",
            {**params, "numbers": json.dumps(list(known))},
        )
        return {known[number]: number for (number,) in rows}

    def claimed(self, scope: Scope, slots: Iterable[str]) -> list[Claimed]:
        """Return what this user's active memories claim for these slots, the newest first."""
        rows = self._database.rows(
            "SELECT c.slot, c.value, c.negative, m.id, m.number FROM json_each(:slots) j "
            "CROSS JOIN claim c ON c.owner = :owner AND c.slot = j.value "
            "JOIN memory m ON m.number = c.number AND m.state IN ('active', 'dormant') "
            "ORDER BY m.happened_at DESC, m.number DESC",
            {"owner": scope.user, "slots": json.dumps(list(slots))},
        )
        return [
            Claimed(slot, value, bool(negative), id, int(number))
            for slot, value, negative, id, number in rows
        ]

    def same_words(self, owner: str, key: str) -> list[int]:
        """Return the living memories that say exactly this, the oldest first."""
        rows = self._database.rows(
            "SELECT number FROM memory WHERE owner = ? AND canonical_key = ? "
            "AND state IN ('active', 'dormant') ORDER BY number",
            (owner, key),
        )
        return [int(row[0]) for row in rows]

    def shrunk(self, scope: Scope, ids: Iterable[str]) -> set[str]:
        """Return which of these memories have faded so far that their short form is offered."""
        wanted = tuple(ids)
        rows = self._database.rows(
            "SELECT m.id FROM memory m JOIN ageing a ON a.number = m.number AND a.shrunk = 1 "
            f"WHERE m.owner = ? AND m.id IN ({', '.join('?' for _ in wanted)})",
            (scope.user, *wanted),
        )
        return {str(row[0]) for row in rows}

    def held(self, owner: str) -> tuple[int, int]:
        """Return how many memories an owner has, every version of them, and their bytes."""
        rows = self._database.rows(
            "SELECT count(*), coalesce(sum(octet_length(text)), 0) FROM memory "
            "WHERE owner = ? AND text IS NOT NULL",
            (owner,),
        )
        return int(rows[0][0]), int(rows[0][1])

    def in_archive(self, scope: Scope, id: str) -> bool:
        """Say whether the words of a memory lie in the archive."""
        rows = self._database.rows(
            "SELECT 1 FROM archive WHERE owner = ? AND id = ?", (scope.user, id)
        )
        return bool(rows)

    def archive(self, scope: Scope, *, limit: int) -> list[tuple[str, datetime, str]]:
        """Return what lies in the archive, the latest first: id, since when, and its words."""
        rows = self._database.rows(
            "SELECT id, archived_at, packed FROM archive WHERE owner = ? "
            "ORDER BY archived_at DESC, id LIMIT ?",
            (scope.user, limit),
        )
        return [(str(id), from_micros(at), _archived_text(packed)) for id, at, packed in rows]

    def archived(self, owner: str, before_: datetime) -> list[str]:
        """Return what went into the archive before an instant."""
        rows = self._database.rows(
            "SELECT id FROM archive WHERE owner = ? AND archived_at < ? ORDER BY archived_at, id",
            (owner, micros(before_)),
        )
        return [str(row[0]) for row in rows]


def _readable(rows: Iterable[Any]) -> Iterator[tuple[int, Memory]]:
    """Return the memories in these rows; a spoilt record must not hide the others."""
    for row in rows:
        try:
            memory = from_row(row)
        except StoreCorrupt:
            continue
        yield int(row[0]), memory


def _facts(rows: Sequence[Any]) -> Facts:
    (
        number,
        importance,
        last_at,
        kind,
        tier,
        intensity,
        author,
        confidence,
        origin,
        source,
        *rest,
    ) = zip(*rows, strict=True) if rows else [()] * 13
    mentions, ending, beginning = rest
    return Facts(
        np.array(number, np.int64),
        np.array(importance, np.float64),
        np.array(last_at, np.int64),
        kind,
        tier,
        np.array(intensity, np.float64),
        author,
        np.array(confidence, np.float64),
        origin,
        source,
        np.array(mentions, np.bool_),
        np.array([ends_asking(each) for each in ending], np.bool_),
        [str(each or b"", "utf-8", "replace") for each in beginning],
    )


def _archived_text(packed: bytes) -> str:
    held = unpacked(packed)
    return held[0] if held else ""


def count_recall(connection: Connection, owner: str, recalled: Recalled, at: datetime) -> None:
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
