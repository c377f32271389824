"""The three factors: relevance, recency, importance; kept apart for the explanation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from saegim.memory.clock import micros
from saegim.memory.memory import Memory
from saegim.memory.weighing import SECONDS_A_DAY, ScoreWeights, Weighed, recency, score
from saegim.recall.gather import Found
from saegim.settings import Settings
from saegim.store.read import Facts


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

    @property
    def score(self) -> float:
        """Return the number the order rests on."""
        return self.weighed.score

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the names of the paths that found it."""
        return tuple(name for name in ("words", "vector", "context") if getattr(self, name) > 0.0)


def relevance(found: Found, words_share: float) -> float:
    """Fuse the paths: words and meaning by their shares, and what the neighbours lend."""
    return min(words_share * found.words + (1 - words_share) * found.meaning + found.context, 1.0)


def weigh(found: Found, facts: Facts, *, now: datetime, settings: Settings) -> Weighed:
    """Score one candidate."""
    idle = (micros(now) - facts.last_at) / 1_000_000
    return score(
        relevance=relevance(found, settings.words_share),
        recency_score=recency(idle, settings.recency_half_life_days * SECONDS_A_DAY),
        importance_score=facts.importance,
        weights=ScoreWeights(
            relevance=settings.relevance_weight,
            recency=settings.recency_weight,
            importance=settings.importance_weight,
        ),
    )
