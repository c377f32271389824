"""Candidates from words and vectors, each path saying whether it ran and what it found."""

from __future__ import annotations

from dataclasses import dataclass, field

from saegim.engines.embedder import Embedder
from saegim.engines.vectors import Vector
from saegim.engines.words import Term
from saegim.errors import EngineError, StoreCorrupt
from saegim.recall.query import Query
from saegim.store.store import Store

# How many of the words' best are also given their true cosine, and how many near ones are looked
# at: scoring the words' best 50 exactly equals scoring everything (docs/decisions/0005-fusion.md).
BOTH = 32
# How many neighbours are taken from the vectors alone.
NEAREST = 32


@dataclass(frozen=True, slots=True)
class Path:
    """One way of finding: whether it ran, how much it found, and why not if it did not."""

    name: str
    ran: bool
    found: int = 0
    why: str = ""


@dataclass(slots=True)
class Found:
    """A candidate: what each path says of it, from 0 (nothing) to about 1 (everything)."""

    number: int
    words: float = 0.0
    vector: float = 0.0
    context: float = 0.0


@dataclass(slots=True)
class Gathered:
    """All candidates of a question, by row, and the paths that brought them."""

    found: dict[int, Found] = field(default_factory=dict)
    paths: list[Path] = field(default_factory=list)
    terms: tuple[Term, ...] = ()
    analyser: str | None = None
    waiting: int = 0

    def at(self, number: int) -> Found:
        """Return the candidate in this row, new if it is the first time it is found."""
        return self.found.setdefault(number, Found(number))


def gather(query: Query, *, store: Store, embedder: Embedder, pool: int) -> Gathered:
    """Look along every path; a path that fails says so and the others answer."""
    gathered = Gathered()
    pool = max(pool, 2 * query.limit)
    by_words(query, gathered, store, pool)
    by_vector(query, gathered, store, embedder)
    return gathered


def by_words(query: Query, gathered: Gathered, store: Store, pool: int) -> None:
    """Find by the words of the question; BM25 over the most this question could earn."""
    analyser = store.analyser()
    terms = analyser.query(query.asked)
    if not terms:
        gathered.paths.append(Path("words", False, why="the question has no words to look for"))
        return
    try:
        hits = store.matching(terms, query.where, limit=pool, analyser=analyser.name)
    except StoreCorrupt as error:
        # The word index is derived: while it waits to be rebuilt, the other paths answer. If the
        # file itself is damaged, they fail in their turn.
        gathered.paths.append(Path("words", False, why=error.message))
        return
    for hit in hits.hits:
        gathered.at(hit.number).words = min(hit.bm25 / hits.bound, 1.0) if hits.bound else 0.0
    gathered.terms, gathered.analyser = hits.terms, analyser.name
    why = f"too common to search for: {', '.join(hits.left_out)}" if hits.left_out else ""
    gathered.paths.append(Path("words", True, len(hits.hits), why))


def by_vector(query: Query, gathered: Gathered, store: Store, embedder: Embedder) -> None:
    """Find by meaning, and give the words' best candidates their true cosine as well."""
    if not query.meaning:
        gathered.paths.append(Path("vector", False, why="the question is empty"))
        return
    best = sorted(gathered.found.values(), key=lambda each: -each.words)[:BOTH]
    enough = embedder.lexical and len(gathered.found) >= query.limit
    try:
        vector: Vector = embedder.embed([query.meaning], "query")[0]
        identity = embedder.identity
        hits = store.near(
            vector,
            identity,
            query.where,
            limit=0 if enough else max(NEAREST, query.limit),
            also=[each.number for each in best],
        )
    except EngineError as error:
        gathered.paths.append(Path("vector", False, why=error.message))
        return
    for hit in hits:
        if hit.cosine >= embedder.floor or hit.number in gathered.found:
            gathered.at(hit.number).vector = max(hit.cosine, 0.0)
    near = sum(hit.cosine >= embedder.floor for hit in hits)
    waiting = store.waiting(identity)
    unread = store.unread(query.where.scope, identity)
    why = f"{waiting} memories are not embedded yet" if waiting else ""
    if unread:
        why = f"{unread} vectors are still being read"
    gathered.paths.append(Path("vector", True, near, why))
    gathered.waiting = waiting
