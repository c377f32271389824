"""The three factors: relevance, recency, importance; kept apart for the explanation."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10

from saegim.memory.coordinate import Kind
from saegim.memory.memory import Memory
from saegim.memory.tiers import Tier
from saegim.memory.weighing import SECONDS_A_DAY, ScoreWeights, Weighed, clamp, recency, score
from saegim.recall.fit import Wanted, fit
from saegim.recall.gather import Found
from saegim.settings import Settings
from saegim.store.tables.memories import Facts

PATHS = ("words", "vector", "context", "graph", "during")


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that came back, with every number that brought it and the words it shares."""

    memory: Memory
    weighed: Weighed
    words: float
    vector: float
    context: float
    matched: tuple[str, ...] = ()
    # Living memories that say otherwise; nobody has settled which of them holds.
    conflicts: tuple[str, ...] = ()
    number: int = 0
    # What ties lend it, how many ties away it is, along which, and whether one of them is negative.
    graph: float = 0.0
    hops: int | None = None
    via: tuple[str, ...] = ()
    negative: bool = False
    # Whether it lies in the stretch of time that the question names.
    during: bool = False
    # What its shape adds or takes away: names a day where one is asked for, only asks itself, …
    fit: float = 0.0
    # Whether it is below what this embedder needs to call something an answer.
    weak: bool = False

    @property
    def score(self) -> float:
        """Return the number the order rests on."""
        return self.weighed.score

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the names of the paths that found it."""
        return tuple(name for name in PATHS if getattr(self, name) > 0.0)


@dataclass(frozen=True, slots=True)
class Shares:
    """What each part counts in the answer to one question."""

    words: float
    context: float
    graph: float
    time: float
    fit: float
    weights: ScoreWeights
    half_life_days: float
    floor: float


def shares_of(settings: Settings, *, known: float = 1.0, steady: bool = False) -> Shares:
    """Return what each part counts by the settings.

    `known` is how far words may speak for this question; in a `steady` one recency says nothing.
    """
    return Shares(
        words=settings.words_share * known,
        context=settings.context_share,
        graph=settings.graph_share,
        time=settings.time_share,
        fit=settings.fit_share,
        weights=ScoreWeights(
            relevance=settings.relevance_weight,
            recency=0.0 if steady else settings.recency_weight,
            importance=settings.importance_weight,
        ),
        half_life_days=settings.recency_half_life_days,
        floor=settings.relevance_floor,
    )


# The best of many strangers looks better than the best of few: for questions about nothing that is
# here, the 95th percentile of the best relevance was 0.06 among 50 memories, 0.09 among 200, 0.19
# among 800, 0.26 among 3,000 and 0.30 among 4,700 (docs/decisions/0009-recall-in-full.md).
FLOOR_COUNTED_AT = 5000
FLOOR_GROWS = 0.12
_LOWEST_FLOOR, _HIGHEST_FLOOR = 0.05, 0.5


def floor_among(floor: float, memories: int) -> float:
    """Return how relevant an answer must be among so many memories, to be no stranger."""
    if floor <= 0.0 or memories <= 0:
        return floor
    grown = floor + FLOOR_GROWS * log10(memories / FLOOR_COUNTED_AT)
    return clamp(grown, min(_LOWEST_FLOOR, floor), max(_HIGHEST_FLOOR, floor))


def own_relevance(found: Found, shares: Shares) -> float:
    """Fuse what a memory says itself: words and meaning by their shares."""
    return shares.words * found.words + (1 - shares.words) * found.meaning


def relevance(found: Found, shares: Shares) -> float:
    """Fuse the paths: what it says itself, and what neighbours, ties and its time lend it.

    What is lent fills up what is missing, so that nothing lent outdoes the very words asked for.
    """
    own = own_relevance(found, shares)
    lent = shares.context * found.context + shares.graph * found.graph + shares.time * found.during
    return own + (1.0 - own) * min(lent, 1.0)


# How slowly each kind and tier ages beside an episode of the lowest tier (seed C: decay by
# category): a mood passes, a preference lasts, a principle stays.
KIND_PACE: dict[str, float] = {
    Kind.EMOTION: 0.5, Kind.IMAGINED: 0.5, Kind.EPISODE: 1.0, Kind.EXPERIENCE: 2.0,
    Kind.TECHNICAL: 2.0, Kind.FACT: 3.0, Kind.PREFERENCE: 4.0, Kind.INSIGHT: 4.0,
    Kind.PRINCIPLE: 12.0,
}  # fmt: skip
TIER_PACE: dict[str, float] = {Tier.M30: 1.0, Tier.M90: 2.0, Tier.M365: 6.0, Tier.M0: 24.0}


def half_life(facts: Facts, days: float) -> float:
    """Return after how many seconds this memory counts half as recent; strong feeling slows it."""
    pace = KIND_PACE.get(facts.kind, 1.0) * TIER_PACE.get(facts.tier, 1.0)
    return days * SECONDS_A_DAY * pace * (1 + facts.intensity)


def weigh(
    found: Found, relevant: float, facts: Facts, *, wants: Wanted, now: int, shares: Shares
) -> Weighed:
    """Score one candidate of this relevance; `now` is in microseconds."""
    found.fit = shares.fit * fit(wants, facts)
    return score(
        relevance=clamp(relevant + found.fit),
        recency_score=recency(
            (now - facts.last_at) / 1_000_000, half_life(facts, shares.half_life_days)
        ),
        importance_score=facts.importance,
        weights=shares.weights,
    )


def hit_of(found: Found, memory: Memory, weighed: Weighed, *, floor: float) -> Hit:
    """Return a candidate as a hit, with the memory behind it."""
    return Hit(
        memory,
        weighed,
        found.words,
        found.vector,
        found.context,
        number=found.number,
        graph=found.graph,
        hops=found.hops,
        via=found.via,
        negative=found.negative,
        during=found.during,
        fit=found.fit,
        weak=weighed.relevance < floor,
    )
