"""A question in; memories out, best first, each saying why, and which paths could be walked."""

from __future__ import annotations

from dataclasses import dataclass, replace

from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.recall.conflict import marked
from saegim.recall.gather import Found, Gathered, Path, gather
from saegim.recall.query import Query
from saegim.recall.score import Hit, relevance, weigh
from saegim.recall.walk import walk
from saegim.settings import Settings


@dataclass(frozen=True, slots=True)
class Recollection:
    """What came back: hits in rank order, the paths that ran, and the scope they ran in."""

    hits: tuple[Hit, ...]
    paths: tuple[Path, ...]
    scope: Scope
    candidates: int = 0

    @property
    def searched(self) -> bool:
        """Say whether any path ran: nothing found is not the same as nothing searched."""
        return any(path.ran for path in self.paths)


def recall(query: Query, *, mind: Mind) -> Recollection:
    """Answer a question from memory; reads only, and takes no lock."""
    gathered = gather(query, store=mind.store, embedder=mind.embedder, pool=mind.settings.pool)
    share = gathered.words_share(mind.settings.words_share)
    walk(query, gathered, store=mind.store, words_share=share)
    if gathered.waiting:
        mind.store.keep_indexed(mind.embedder, mind.now)
    hits = shown(best(gathered, query, mind, share), gathered, query, mind)
    hits = marked(hits, query.where.scope, mind.store)
    return Recollection(hits, tuple(gathered.paths), query.where.scope, len(gathered.found))


def best(gathered: Gathered, query: Query, mind: Mind, share: float) -> dict[int, Hit]:
    """Score the most relevant candidates by all three factors and keep the best."""
    settings = replace(mind.settings, words_share=share)
    ordered = sorted(
        gathered.found.values(), key=lambda each: (-relevance(each, share), each.number)
    )
    likely = {each.number: each for each in _within_reach(ordered, query.limit, settings)}
    facts = mind.store.facts(query.where.scope, likely)
    now = mind.now()
    weighed = {
        number: weigh(likely[number], facts[number], now=now, settings=settings) for number in facts
    }
    ranked = sorted(weighed, key=lambda number: (-weighed[number].score, -number))[: query.limit]
    memories = mind.store.by_numbers(query.where.scope, ranked)
    return {
        number: Hit(memories[number], weighed[number], each.words, each.vector, each.context)
        for number in ranked
        if number in memories and (each := likely[number])
    }


def _within_reach(ordered: list[Found], limit: int, settings: Settings) -> list[Found]:
    """Return the candidates that recency and importance could still lift into the answer."""
    if len(ordered) <= limit:
        return ordered
    lift = settings.recency_weight + settings.importance_weight
    last = settings.relevance_weight * relevance(ordered[limit - 1], settings.words_share) - lift
    return ordered[:limit] + [
        each
        for each in ordered[limit : 2 * limit]
        if settings.relevance_weight * relevance(each, settings.words_share) > last
    ]


def shown(hits: dict[int, Hit], gathered: Gathered, query: Query, mind: Mind) -> tuple[Hit, ...]:
    """Give each hit the words it shares with the question."""
    matched = mind.store.matched(
        query.where.scope, hits, gathered.terms, analyser=gathered.analyser
    )
    return tuple(replace(hit, matched=matched.get(number, ())) for number, hit in hits.items())
