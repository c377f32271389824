"""Words in SQLite: FTS5 over our own tokens, written in the same transaction as the text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import apsw

from saegim.engines.words import Analyser, Term
from saegim.errors import BadInput
from saegim.memory.memory import Memory
from saegim.store.database import Database, first
from saegim.store.where import Where

TABLES = {"basic-1": "words_basic", "kiwi-1": "words_kiwi"}
# A longer question adds cost, not meaning (FAULTS attack 57).
MAX_TERMS = 32
# Postings that one OR query may score: FTS5 needs about 2 µs for each, so this bounds a query to a
# few milliseconds at any size. Commoner words are weighed afterwards, on what the rarer ones found.
MAX_POSTINGS = 4_000
# FTS5's own constants; scores we complete ourselves must use the same.
K1, B = 1.2, 0.75
# An owner with a smaller share of the store is searched inside its own part of the index.
_SMALL_SHARE = 0.3
# Author, tags and keywords count as much as the words themselves.
ABOUT_WEIGHT = 1.0
# Most of the vocabulary's counts fit here; beyond it the oldest are asked again.
_REMEMBERED_COUNTS = 50_000


@dataclass(frozen=True, slots=True)
class WordHit:
    """A memory that the words found: its row, its BM25, and the words that it holds."""

    number: int
    bm25: float


@dataclass(frozen=True, slots=True)
class WordHits:
    """What the words found, with the bound that makes scores comparable between questions."""

    hits: list[WordHit]
    bound: float
    terms: tuple[Term, ...] = ()
    left_out: tuple[str, ...] = ()


def table_of(analyser: str) -> str:
    """Return the table an analyser writes; each has its own, so they never mix."""
    if analyser not in TABLES:
        raise BadInput(
            f"No word index is kept for the analyser {analyser!r}.",
            next_step=f"Use one of {', '.join(TABLES)}.",
        )
    return TABLES[analyser]


def scope_token(owner: str) -> str:
    """Return the one token that stands for an owner in the index."""
    return "u" + owner.encode().hex()


def about(memory: Memory) -> str:
    """Return what is searched beside the words themselves: author, tags, keywords."""
    content = memory.content
    return " ".join((memory.provenance.author, *content.tags, *content.keywords))


def add(connection: apsw.Connection, number: int, memory: Memory, analyser: Analyser) -> None:
    """Index the words of a memory under this analyser."""
    connection.execute(
        f"INSERT INTO {table_of(analyser.name)} (rowid, scope, text, about) VALUES (?, ?, ?, ?)",
        (
            number,
            scope_token(memory.scope.user),
            " ".join(analyser.index(memory.text)),
            " ".join(analyser.index(about(memory))),
        ),
    )
    connection.execute("INSERT INTO analysed VALUES (?, ?)", (analyser.name, number))


def add_next(connection: apsw.Connection, number: int, memory: Memory, analyser: Analyser) -> None:
    """Index a memory just born, and move the watermark if everything before it has been read."""
    add(connection, number, memory, analyser)
    connection.execute(
        "UPDATE house SET value = :n WHERE name = :name AND value = :before",
        {"n": str(number), "name": f"read:{analyser.name}", "before": str(number - 1)},
    )


def remove(connection: apsw.Connection, number: int) -> None:
    """Take a memory out of every word index."""
    for name, table in TABLES.items():
        gone = first(
            connection,
            "DELETE FROM analysed WHERE analyser = ? AND number = ? RETURNING 1",
            (name, number),
        )
        if gone:
            connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (number,))


def configure(connection: apsw.Connection) -> None:
    """Set what FTS5 remembers itself: no merges on the write path, deletions that are real."""
    for table in TABLES.values():
        for option, value in (("automerge", 0), ("crisismerge", 64), ("secure-delete", 1)):
            connection.execute(
                f"INSERT INTO {table} ({table}, rank) VALUES (?, ?)", (option, value)
            )


def merge(connection: apsw.Connection, pages: int = 500) -> None:
    """Merge a bounded part of the index; called in the background."""
    for table in TABLES.values():
        connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)", (pages,))


def rebuild(connection: apsw.Connection) -> None:
    """Throw the word indexes away without reading them; they are written anew from the text."""
    for table in TABLES.values():
        sql: str = first(connection, "SELECT sql FROM sqlite_schema WHERE name = ?", (table,))
        _drop_unread(connection, table)
        connection.execute(sql)
    connection.execute("DELETE FROM analysed")
    configure(connection)


def _drop_unread(connection: apsw.Connection, table: str) -> None:
    """Drop an FTS5 table whose shadow tables may be too damaged to open."""
    try:
        connection.execute(f"DROP TABLE {table}")
        return
    except (apsw.CorruptError, apsw.SQLError):
        pass
    connection.execute("PRAGMA writable_schema = ON")
    try:
        connection.execute("DELETE FROM sqlite_schema WHERE name = ?", (table,))
    finally:
        connection.execute("PRAGMA writable_schema = RESET")
    for part in ("data", "idx", "content", "docsize", "config"):
        connection.execute(f"DROP TABLE IF EXISTS {table}_{part}")


def phrase(term: Term) -> str:
    """Write a Term as FTS5 reads it: quoted, so that no character of it is syntax."""
    inside = " ".join(token.replace('"', "") for token in term.tokens)
    return f'"{inside}"' + ("*" if term.prefix else "")


def totals(database: Database, table: str) -> list[int]:
    """Return what FTS5 keeps in its first block: the number of rows, then tokens per column."""
    rows = database.rows(f"SELECT block FROM {table}_data WHERE id = 1")
    numbers, number = [], 0
    for byte in rows[0][0] if rows else b"":
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    return numbers or [0, 0, 0, 0]


def average_length(database: Database, table: str, documents: int) -> float:
    """Return the mean number of tokens of a memory, over all columns as FTS5 counts it."""
    return max(sum(totals(database, table)[1:]) / max(documents, 1), 1.0)


@dataclass(slots=True)
class Counts:
    """How many memories hold a token, remembered while the store stays about the same size."""

    documents: int = 0
    held: dict[str, int] = field(default_factory=dict)

    def refresh(self, database: Database, table: str) -> None:
        """Forget the counts when the store has grown or shrunk by a tenth."""
        now = totals(database, table)[0]
        if abs(now - self.documents) > max(self.documents // 10, 16):
            self.held.clear()
        self.documents = now

    def of(self, database: Database, table: str, term: Term) -> int:
        """Return about how many memories hold the Term: as many as hold its rarest token."""
        return min(self.token(database, table, token) for token in term.tokens)

    def token(self, database: Database, table: str, token: str) -> int:
        """Return how many memories hold one token."""
        # Read once: another thread may empty the counts at any moment.
        count = self.held.get(token)
        if count is None:
            if len(self.held) >= _REMEMBERED_COUNTS:
                self.held.clear()
            rows = database.rows(f"SELECT doc FROM {table}_vocab WHERE term = ?", (token,))
            if not rows:
                # Not remembered: the next memory may bring the word, and must be found by it.
                return 0
            count = self.held[token] = int(rows[0][0])
        return count


def idf(documents: int, holding: int) -> float:
    """Return FTS5's inverse document frequency."""
    # Remembered counts may be older than the last deletion.
    others = max(documents - holding, 0)
    return max(math.log((others + 0.5) / (holding + 0.5)), 1e-6)


def usable(terms: Iterable[Term]) -> list[Term]:
    """Return each Term once, at most as many as a question can carry."""
    return list({term.tokens: term for term in terms if term.tokens}.values())[:MAX_TERMS]


def affordable(counted: Sequence[tuple[Term, int]]) -> tuple[list[Term], list[Term]]:
    """Split Terms into those an OR query can afford, rarest first, and those too common for it."""
    kept: list[Term] = []
    left_out: list[Term] = []
    spent = 0
    for term, holding in sorted(counted, key=lambda pair: pair[1]):
        spent += holding
        (kept if not kept or spent <= MAX_POSTINGS else left_out).append(term)
    return kept, left_out


def search(
    database: Database,
    counts: Counts,
    analyser: str,
    terms: Iterable[Term],
    where: Where,
    limit: int,
) -> WordHits:
    """Return the best memories for the Terms among those that `where` allows, by BM25.

    Every filter is part of the query, so nothing outside the scope can push anything out.
    """
    table = table_of(analyser)
    counts.refresh(database, table)
    weights = {
        term: idf(counts.documents, counts.of(database, table, term)) for term in usable(terms)
    }
    # The largest BM25 this question could earn: the same words always give the same bound.
    bound = 0.6 * (K1 + 1) * sum(weights.values())
    held = [
        (term, held_by)
        for term in weights
        if (held_by := counts.of(database, table, term)) or term.prefix
    ]
    if not held:
        return WordHits([], bound, tuple(weights))
    kept, left_out = affordable(held)
    ask = _Ask(database, table, where, counts, limit)
    found = ask.best(kept)
    if left_out:
        found = ask.completed(found, weights)
    hits = [WordHit(number, score) for number, score in found.items()]
    hits.sort(key=lambda hit: (-hit.bm25, hit.number))
    return WordHits(hits[:limit], bound, tuple(weights), tuple(term.surface for term in left_out))


@dataclass(frozen=True, slots=True)
class _Ask:
    """One question to one word index, under its filters."""

    database: Database
    table: str
    where: Where
    counts: Counts
    limit: int

    def best(self, terms: Sequence[Term]) -> dict[int, float]:
        """Return the rows that hold any of the Terms, by FTS5's BM25 (higher is better)."""
        return {
            int(number): float(score)
            for number, score in self._rows(
                f"-bm25({self.table}, 0.0, 1.0, {ABOUT_WEIGHT})",
                " OR ".join(phrase(term) for term in terms),
                "2 DESC",
            )
        }

    def completed(self, found: dict[int, float], weights: dict[Term, float]) -> dict[int, float]:
        """Weigh all Terms, common ones too, on what was found and on what holds all of them."""
        together = " AND ".join(phrase(term) for term in weights)
        numbers = {*found, *(int(row[0]) for row in self._rows("0", together, "1 DESC"))}
        mean = average_length(self.database, self.table, self.counts.documents)
        marks = ", ".join("?" * len(numbers))
        scores = {}
        for number, text, about in self.database.rows(
            f"SELECT rowid, text, about FROM {self.table} WHERE rowid IN ({marks})", tuple(numbers)
        ):
            scores[int(number)] = bm25(f" {text} | {about} ", weights, mean)
        return scores

    def _rows(self, score: str, match: str, order: str) -> list[Any]:
        """Run one MATCH; the scope token is asked for only where it makes the search smaller."""
        sql, params = self.where.sql()
        owner = scope_token(self.where.scope.user)
        match = f"{{text about}} : ({match})"
        share = self.counts.token(self.database, self.table, owner)
        if share < _SMALL_SHARE * self.counts.documents:
            match += f' AND scope : "{owner}"'
        return self.database.rows(
            f"SELECT f.rowid, {score} FROM {self.table} f JOIN memory m ON m.number = f.rowid "
            f"WHERE {self.table} MATCH :match AND {sql} ORDER BY {order} LIMIT :limit",
            {**params, "match": match, "limit": self.limit},
        )


def bm25(line: str, weights: dict[Term, float], mean: float) -> float:
    """Return the BM25 of one indexed line, as FTS5 computes it."""
    length = line.count(" ") - 2
    score = 0.0
    for term, weight in weights.items():
        often = line.count(f" {' '.join(term.tokens)}{'' if term.prefix else ' '}")
        if often:
            score += weight * often * (K1 + 1) / (often + K1 * (1 - B + B * length / mean))
    return score


def holding_all(
    database: Database, analyser: str, terms: Iterable[Term], where: Where, limit: int
) -> list[int]:
    """Return the rows that hold every Term, newest first."""
    table = table_of(analyser)
    sql, params = where.sql()
    match = " AND ".join(phrase(term) for term in usable(terms))
    rows = database.rows(
        f"SELECT f.rowid FROM {table} f JOIN memory m ON m.number = f.rowid "
        f"WHERE {table} MATCH :match AND {sql} "
        "ORDER BY m.happened_at DESC, m.number DESC LIMIT :limit",
        {**params, "match": f"{{text about}} : ({match})", "limit": limit},
    )
    return [int(row[0]) for row in rows]


def matched(
    database: Database, analyser: str, owner: str, numbers: Sequence[int], terms: Sequence[Term]
) -> dict[int, tuple[str, ...]]:
    """Return, for the explanation, which words of the question each memory holds."""
    if not numbers or not terms:
        return {}
    marks = ", ".join("?" * len(numbers))
    found: dict[int, tuple[str, ...]] = {}
    for number, text, about in database.rows(
        f"SELECT rowid, text, about FROM {table_of(analyser)} "
        f"WHERE rowid IN ({marks}) AND scope = ?",
        (*numbers, scope_token(owner)),
    ):
        line = f" {text} | {about} "
        found[int(number)] = tuple(
            term.surface
            for term in terms
            if f" {' '.join(term.tokens)}{'' if term.prefix else ' '}" in line
        )
    return found
