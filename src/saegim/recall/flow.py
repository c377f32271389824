"""A question in; memories out, best first, each saying why, and which paths could be walked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from saegim.memory.clock import micros
from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.recall.asked.understanding import Understanding, understand
from saegim.recall.conflict import marked
from saegim.recall.fit import LEAST, MOST, wanted
from saegim.recall.gather import Gathered, Path, gather
from saegim.recall.graph import by_ties
from saegim.recall.query import Query
from saegim.recall.rerank import features, reordered
from saegim.recall.score import (
    Hit,
    Shares,
    floor_among,
    hit_of,
    own_relevance,
    relevance,
    shares_of,
    weigh,
)
from saegim.recall.walk import walk

# How many candidates beyond the answer's size are looked at more closely.
REACH = 40
# Beside a hit above the floor, others count from this part of it on.
BESIDE_AN_ANSWER = 0.25


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
    pool = mind.settings.pool
    gathered = gather(query, asked, store=store, embedder=mind.embedder, pool=pool)
    shares = shares_of(mind.settings, known=gathered.words_may_say, steady=query.steady)
    own = {each.number: own_relevance(each, shares) for each in gathered.found.values()}
    if not asked.only_time:
        # A stretch of time has no neighbours: what lies beside it lies outside.
        walk(query, gathered, own=own, store=store)
        hops = mind.settings.graph_hops
        by_ties(query, gathered, own=own, named=asked.names, store=store, hops=hops)
    if gathered.waiting:
        store.keep_indexed(mind.embedder, mind.now)
    hits = shown(best(gathered, query, asked, mind, shares), gathered, query, mind)
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
        trace="" if query.steady else mind.shown(scope, [hit.memory.id for hit in hits]),
        understood=asked,
    )


def best(
    gathered: Gathered, query: Query, asked: Understanding, mind: Mind, shares: Shares
) -> dict[int, Hit]:
    """Score the most relevant candidates by all three factors and keep the best."""
    found = gathered.found
    relevant = {number: relevance(each, shares) for number, each in found.items()}
    likely = _within_reach(relevant, query.limit, shares)
    now, wants = micros(mind.now()), wanted(query.asked, asked.phrases)
    weighed = {
        number: weigh(found[number], relevant[number], facts, wants=wants, now=now, shares=shares)
        for number, facts in mind.store.facts(query.where.scope, likely).items()
    }
    ranked = sorted(weighed, key=lambda number: (-weighed[number].score, -number))[: query.limit]
    memories = mind.store.by_numbers(query.where.scope, ranked)
    floor = floor_among(shares.floor, gathered.among)
    if asked.only_time and not (query.steady and _is_now(asked, mind)):
        # Whatever lies in the time that was asked for, and nothing else, answers the question. But
        # "how are you today?" asks for no memory: unasked, only what is past is shown like this.
        floor = 0.0
    if any(weighed[number].relevance >= floor for number in ranked):
        # The question belongs here: what helps to answer it may stand lower than what shows that.
        floor *= BESIDE_AN_ANSWER
    return {
        number: hit_of(found[number], memories[number], weighed[number], floor=floor)
        for number in ranked
        if number in memories
    }


def _is_now(asked: Understanding, mind: Mind) -> bool:
    """Say whether the time that is asked for is not over yet."""
    return any(span.end > mind.now() for span in asked.spans)


def _within_reach(relevances: dict[int, float], limit: int, shares: Shares) -> list[int]:
    """Return the candidates that the other factors could still lift into the answer."""
    ordered = sorted(relevances, key=lambda number: (-relevances[number], number))
    if len(ordered) <= limit:
        return ordered
    weights = shares.weights
    lift = weights.recency + weights.importance + (MOST - LEAST) * shares.fit
    last = weights.relevance * relevances[ordered[limit - 1]] - lift
    return ordered[:limit] + [
        number
        for number in ordered[limit : limit + max(limit, REACH)]
        if weights.relevance * relevances[number] > last
    ]


def shown(hits: dict[int, Hit], gathered: Gathered, query: Query, mind: Mind) -> tuple[Hit, ...]:
    """Give each hit the words it shares with the question."""
    matched = mind.store.matched(
        query.where.scope, hits, gathered.terms, analyser=gathered.analyser
    )
    return tuple(replace(hit, matched=matched.get(number, ())) for number, hit in hits.items())
