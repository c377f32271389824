"""Five formulas, one page: salience, importance, rank, strength, score.

Every number comes from the seeds; the settings carry them, so a person may argue with each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, isfinite, log, tanh

SECONDS_A_DAY = 86_400.0


def clamp(value: float, low: float = 0.0, high: float = 1.0) -> float:
    """Hold a number between low and high; what is not a number counts as low."""
    if value != value:
        return low
    return max(low, min(high, value))


@dataclass(frozen=True, slots=True, kw_only=True)
class SalienceWeights:
    """What makes a turn worth keeping (seed C, layer 1)."""

    personal: float = 0.40
    preference: float = 0.35
    technical: float = 0.30
    emotion: float = 0.20
    density: float = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreWeights:
    """How much relevance, recency and importance count in an answer (seed E, phase 1-5)."""

    relevance: float = 0.5
    recency: float = 0.3
    importance: float = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionWeights:
    """How much each path counts in relevance (seed E, phase 2)."""

    vector: float = 0.5
    words: float = 0.3
    graph: float = 0.2


def salience(
    *,
    personal: bool = False,
    preference: bool = False,
    technical: bool = False,
    emotion: bool = False,
    density: float = 0.0,
    weights: SalienceWeights = SalienceWeights(),
) -> float:
    """Answer: is this turn worth keeping?"""
    return clamp(
        weights.personal * personal
        + weights.preference * preference
        + weights.technical * technical
        + weights.emotion * emotion
        + weights.density * clamp(density)
    )


# The importance with which what a person asked to keep is born (seed A §6.2).
EXPLICIT_START = 0.3


def observed_start(salience_score: float) -> float:
    """Return the importance with which the overheard is born, low enough to be able to fade."""
    return 0.1 + 0.4 * clamp(salience_score)


def importance(
    *, start: float, rating: int | None = None, references: int = 0, sentiment: float = 0.0
) -> float:
    """Answer: what does it mean? (seed A §6.2)"""
    rated = (rating or 0) / 5.0 * 0.3
    referenced = min(max(references, 0) * 0.05, 0.2)
    felt = abs(clamp(sentiment, -1.0, 1.0)) * 0.2
    return clamp(start + rated + referenced + felt)


def recency(age_seconds: float, half_life_seconds: float) -> float:
    """Return 1 for now, one half after the half-life; the future counts as now."""
    if half_life_seconds <= 0 or not isfinite(half_life_seconds):
        raise ValueError("a half-life is a positive number of seconds")
    return exp(-log(2) * max(age_seconds, 0.0) / half_life_seconds)


def rank(*, recency_score: float, repeat: float, feedback: float) -> float:
    """Answer: does it stay in mind? (seed B §4.1)"""
    return 0.5 * recency_score + 0.3 * tanh(repeat / 5) + 0.2 * tanh(feedback / 5)


def strength(
    *,
    recalled: int,
    idle_days: float,
    links: int = 0,
    intensity: float = 0.0,
    decay: float = 0.02,
    boost: float = 0.05,
) -> float:
    """Answer: is it still alive? Strong feeling slows the decay (seed C, layer 4)."""
    rate = decay / (1 + clamp(intensity))
    return (1 + max(recalled, 0)) * exp(-rate * max(idle_days, 0.0)) + boost * max(links, 0)


# How much of what someone said must hold, or fail, to weigh as much as where they began.
_ACQUAINTANCE = 12.0
# What was called wrong weighs twice what was confirmed, or merely said otherwise by the person.
_WRONG = 2.0
_LEAST_TRUST, _MOST_TRUST = 0.1, 0.95


def trust(*, start: float, confirmed: int, contradicted: int = 0, wrong: int = 0) -> float:
    """Answer: how far is someone trusted who said this much right and wrong? (seed E, phase 1)

    Slow, for a word or two says little of anyone, and bounded: nobody is believed blindly, and
    nobody is lost for good.
    """
    against = contradicted + _WRONG * wrong
    held = (_ACQUAINTANCE * start + confirmed) / (_ACQUAINTANCE + confirmed + against)
    return clamp(held, _LEAST_TRUST, _MOST_TRUST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """The score of one memory for one question, with its parts kept apart."""

    score: float
    relevance: float
    recency: float
    importance: float
    weights: ScoreWeights = field(default_factory=ScoreWeights)


def score(
    *,
    relevance: float,
    recency_score: float,
    importance_score: float,
    weights: ScoreWeights = ScoreWeights(),
) -> Weighed:
    """Answer: does it answer this question? (seed E, phase 1-5)"""
    return Weighed(
        score=weights.relevance * relevance
        + weights.recency * recency_score
        + weights.importance * importance_score,
        relevance=relevance,
        recency=recency_score,
        importance=importance_score,
        weights=weights,
    )
