"""From candidates to hits: weighed, in order, each knowing whether it is strong enough."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from saegim.memory.clock import micros
from saegim.memory.coordinate import Source
from saegim.memory.memory import Memory
from saegim.memory.weighing import Weighed
from saegim.mind import Mind
from saegim.recall.asked.understanding import Understanding
from saegim.recall.fit import wanted
from saegim.recall.gather import Gathered
from saegim.recall.query import Query
from saegim.recall.score import Hit, Shares, floor_among, hit_of, relevance, weigh

# How many candidates beyond the answer's size are weighed too: their shape may lift them.
REACH = 40
# Beside a hit above the floor, others count from this part of it on.
BESIDE_AN_ANSWER = 0.25


def best(
    gathered: Gathered, query: Query, asked: Understanding, mind: Mind, shares: Shares
) -> tuple[Hit, ...]:
    """Weigh the most relevant candidates and return the best, with the words they share."""
    scope, found = query.where.scope, gathered.found
    relevant = {number: relevance(each, shares) for number, each in found.items()}
    likely = sorted(relevant, key=lambda number: (-relevant[number], number))
    facts = mind.store.memories.facts(scope, likely[: query.limit + max(query.limit, REACH)])
    now, wants = micros(mind.now()), wanted(query.asked, asked.phrases)
    weighed = {
        number: weigh(found[number], relevant[number], each, wants=wants, now=now, shares=shares)
        for number, each in facts.items()
    }
    ranked = sorted(weighed, key=lambda number: (-weighed[number].score, -number))[: query.limit]
    floor = _floor([weighed[each] for each in ranked], gathered, query, asked, mind, shares)
    memories = mind.store.memories.by_numbers(scope, ranked)
    matched = mind.store.words.matched(scope, memories, gathered.terms, analyser=gathered.analyser)
    return tuple(
        replace(
            hit_of(found[number], memories[number], weighed[number], floor=floor),
            matched=matched.get(number, ()),
        )
        for number in _without_echoes(ranked, memories)
    )


def _without_echoes(ranked: Sequence[int], memories: Mapping[int, Memory]) -> Iterator[int]:
    """Leave out what was distilled into the same words, or the source of it, if both were found."""
    present = [number for number in ranked if number in memories]
    distilled = [memories[n].provenance.source is Source.DISTILLATION for n in present]
    if not any(distilled):
        yield from present
        return
    said: dict[str, bool] = {}
    for number, made in zip(present, distilled, strict=True):
        key = memories[number].canonical_key
        if not (key in said and (made or said[key])):
            yield number
        said[key] = said.get(key, False) or made


def _floor(
    ranked: Sequence[Weighed],
    gathered: Gathered,
    query: Query,
    asked: Understanding,
    mind: Mind,
    shares: Shares,
) -> float:
    """Return how relevant a hit must be to be no weak one."""
    over = all(span.end <= mind.now() for span in asked.spans)
    if asked.only_time and (over or not query.steady):
        # Whatever lies in the time that was asked for, and nothing else, answers the question. But
        # "how are you today?" asks for no memory: unasked, only what is past is shown like this.
        return 0.0
    floor = floor_among(shares.floor, gathered.among)
    if any(each.relevance >= floor for each in ranked):
        # The question belongs here: what helps to answer it may stand lower than what shows that.
        return floor * BESIDE_AN_ANSWER
    return floor
