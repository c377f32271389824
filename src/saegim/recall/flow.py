"""A question in; memories out, best first, each saying why, and which paths could be walked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.recall.asked.understanding import Understanding, understand
from saegim.recall.conflict import marked
from saegim.recall.gather import Path, gather
from saegim.recall.graph import by_ties
from saegim.recall.query import Query
from saegim.recall.rank import best
from saegim.recall.rerank import features, reordered
from saegim.recall.score import Hit, own_relevance, shares_of
from saegim.recall.used.evidence import FIRST, said_in
from saegim.recall.walk import walk


@dataclass(frozen=True, slots=True)
class Recollection:
    """What came back: hits in rank order, the paths that ran, and the scope they ran in.

    `below_floor` counts what is too far from the question to be put into a prompt unasked: hits
    that a search shows all the same, each marked `weak`, and near misses of the vectors, which
    `near_misses` shows (U17.2).
    """

    hits: tuple[Hit, ...]
    paths: tuple[Path, ...]
    scope: Scope
    candidates: int = 0
    below_floor: int = 0
    # How many of those are near misses that are not among the hits.
    hidden: int = 0
    # The act and the question, not the answer: two that say the same are equal.
    trace: str = field(default="", compare=False)
    understood: Understanding = field(default_factory=Understanding, repr=False, compare=False)

    @property
    def searched(self) -> bool:
        """Say whether any path ran: nothing found is not the same as nothing searched."""
        return any(path.ran for path in self.paths)


def recall(query: Query, *, mind: Mind) -> Recollection:
    """Answer a question from memory; reads only, and takes no lock."""
    scope, store = query.where.scope, mind.store
    asked = understand(query.asked, now=mind.here(mind.now()), scope=scope, store=store)
    gathered = gather(
        query,
        asked,
        store=store,
        embedder=mind.embedder,
        pool=mind.settings.pool,
        patience=mind.settings.semantic_patience,
    )
    shares = shares_of(mind.settings, known=gathered.words_may_say, steady=query.steady)
    own = {each.number: own_relevance(each, shares) for each in gathered.found.values()}
    if not asked.only_time:
        # A stretch of time has no neighbours: what lies beside it lies outside.
        walk(query, gathered, own=own, store=store)
        hops = mind.settings.graph_hops
        by_ties(query, gathered, own=own, named=asked.names, store=store, hops=hops)
    if gathered.waiting:
        store.keep_indexed(mind.embedder, mind.now)
    hits = best(gathered, query, asked, mind, shares)
    if mind.reranker is not None and not query.steady:
        # Recency and recalls are among the features: a prompt must not change by being asked for.
        rows = features(hits, query.asked, gathered.terms, scope=scope, store=store)
        hits = reordered(hits, rows, mind.reranker)
    hits = marked(hits, scope, store)
    return Recollection(
        hits,
        tuple(gathered.paths),
        scope,
        len(gathered.found),
        below_floor=sum(hit.weak for hit in hits) + gathered.hidden,
        hidden=gathered.hidden,
        trace="" if query.steady else _noted(query, hits, mind),
        understood=asked,
    )


def _noted(query: Query, hits: Sequence[Hit], mind: Mind) -> str:
    """Note what is shown, and which words of the first the question said itself."""
    said = said_in(query.asked, [hit.memory.text for hit in hits[:FIRST]])
    return mind.shown(query.where.scope, [hit.memory.id for hit in hits], said)
