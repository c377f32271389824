"""Candidates from words and vectors, each path saying whether it ran and what it found."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from saegim.engines.embedder import Embedder
from saegim.engines.vectors import Vector
from saegim.engines.words import Term
from saegim.errors import EngineError, StoreCorrupt
from saegim.recall.query import Query
from saegim.store.store import Store

# How many of the words' best are also given their true cosine, and how many neighbours are taken
# from the vectors alone: more changes nothing (docs/decisions/0006-fusion-with-meaning.md).
BOTH = 32
NEAREST = 32
# In how many steps from the floor to `ask` a cosine begins to count. Cut off sharply at the floor,
# what words have found would lose the order that weak cosines still give it.
STEPS = 3.0
# A question of which at least this share (by rarity) is known here is weighed in full. Below it,
# as in "Tom은 어디 살아?" asked of English notes, the one name that matches must not outvote what
# the sentence means.
ENOUGH_KNOWN = 0.5


@dataclass(frozen=True, slots=True)
class Path:
    """One way of finding: whether it ran, how much it found, and why not if it did not."""

    name: str
    ran: bool
    found: int = 0
    why: str = ""


@dataclass(slots=True)
class Found:
    """A candidate: what each path says of it, from 0 (nothing) to about 1 (everything).

    `vector` is the cosine as it was measured, `meaning` what it says for this embedder.
    """

    number: int
    words: float = 0.0
    meaning: float = 0.0
    context: float = 0.0
    vector: float = 0.0


@dataclass(slots=True)
class Gathered:
    """All candidates of a question, by row, and the paths that brought them."""

    found: dict[int, Found] = field(default_factory=dict)
    paths: list[Path] = field(default_factory=list)
    terms: tuple[Term, ...] = ()
    analyser: str | None = None
    waiting: int = 0
    known: float = 1.0

    def at(self, number: int) -> Found:
        """Return the candidate in this row, new if it is the first time it is found."""
        return self.found.setdefault(number, Found(number))

    def words_share(self, share: float) -> float:
        """Return what words may say: less where hardly any word of the question is known here."""
        return share * min(self.known / ENOUGH_KNOWN, 1.0)


def likeness(cosine: float, floor: float, ask: float) -> float:
    """Return what a cosine says on a scale that all embedders share: almost 0 for strangers, 1.

    Straight above the floor, bent softly around it; it depends on the embedder's identity alone,
    never on what else was found.
    """
    step = max(ask - floor, 1e-3) / STEPS
    return min(_ramp((cosine - floor) / step) / _ramp((1.0 - floor) / step), 1.0)


def _ramp(x: float) -> float:
    """Return log(1 + e^x) without overflow: 0 far below zero, x far above it."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


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
    gathered.known = hits.known
    why = f"too common to search for: {', '.join(hits.left_out)}" if hits.left_out else ""
    gathered.paths.append(Path("words", True, len(hits.hits), why))


def by_vector(query: Query, gathered: Gathered, store: Store, embedder: Embedder) -> None:
    """Find by meaning, and give the words' best candidates their true cosine as well."""
    # Words that only ask mislead an embedder that compares spelling; one that knows meaning has
    # learned what to make of them.
    asked = query.meaning if embedder.lexical else query.asked
    if not asked.strip():
        gathered.paths.append(Path("vector", False, why="the question is empty"))
        return
    best = sorted(gathered.found.values(), key=lambda each: -each.words)[:BOTH]
    enough = embedder.lexical and len(gathered.found) >= query.limit
    try:
        vector: Vector = embedder.embed([asked], "query")[0]
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
            found = gathered.at(hit.number)
            found.vector = max(hit.cosine, 0.0)
            found.meaning = likeness(hit.cosine, embedder.floor, embedder.ask)
    measured = {hit.number for hit in hits}
    for each in best:
        if each.number not in measured:
            # Not embedded yet, or its vector is spoilt: its words speak for its meaning too, so
            # that it stands where it would if all were in its place.
            each.meaning = each.words
    near = sum(hit.cosine >= embedder.floor for hit in hits)
    waiting = store.waiting(identity)
    unread = store.unread(query.where.scope, identity)
    why = f"{waiting} memories are not embedded yet" if waiting else ""
    if unread:
        why = f"{unread} vectors are still being read"
    gathered.paths.append(Path("vector", True, near, why))
    gathered.waiting = waiting
