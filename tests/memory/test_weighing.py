"""The five formulas: what they give for the seeds' examples, and what they can never give."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.memory import memory as weighing
from saegim.memory.memory import ScoreWeights, importance, rank, recency, salience, score, strength

SHARES = st.floats(0, 1)
ANY = st.floats(allow_nan=True, allow_infinity=True)
DAYS = st.floats(0, 40_000)
COUNTS = st.integers(0, 10_000)


@given(ANY)
def test_a_clamped_number_lies_between_low_and_high(value: float) -> None:
    """Nothing, not even NaN or infinity, gets past the bounds."""
    assert 0.0 <= weighing.clamp(value) <= 1.0
    assert weighing.clamp(math.nan, -1.0) == -1.0


@pytest.mark.parametrize(
    ("signs", "expected"),
    [
        ({}, 0.0),
        ({"personal": True}, 0.40),
        ({"preference": True}, 0.35),
        ({"technical": True}, 0.30),
        ({"emotion": True}, 0.20),
        ({"density": 1.0}, 0.15),
        ({"personal": True, "preference": True}, 0.75),
        ({"personal": True, "preference": True, "technical": True}, 1.0),
        ({"density": 7.0}, 0.15),
        ({"density": math.nan}, 0.0),
    ],
)
def test_salience_adds_up_what_the_seed_says(signs: dict[str, float], expected: float) -> None:
    """Seed C layer 1: each sign has its share, and their sum stays a share."""
    assert salience(**signs) == pytest.approx(expected)


@given(st.booleans(), st.booleans(), st.booleans(), st.booleans(), ANY)
def test_salience_is_a_share_and_one_more_sign_never_lowers_it(
    personal: bool, preference: bool, technical: bool, emotion: bool, density: float
) -> None:
    """Seed C layer 1: monotone in every sign, always between 0 and 1."""
    without = salience(preference=preference, technical=technical, emotion=emotion, density=density)
    told = salience(
        personal=personal,
        preference=preference,
        technical=technical,
        emotion=emotion,
        density=density,
    )
    assert 0.0 <= without <= told <= 1.0


@given(ANY)
def test_what_is_overheard_starts_low_enough_to_fade(seen: float) -> None:
    """DESIGN 4: observed memories start between 0.1 and 0.5."""
    assert 0.1 <= weighing.observed_start(seen) <= 0.5


@pytest.mark.parametrize(
    ("rating", "references", "sentiment", "expected"),
    [
        (None, 0, 0.0, 0.3),
        (5, 0, 0.0, 0.6),
        (3, 0, 0.0, 0.48),
        (None, 2, 0.0, 0.4),
        (None, 4, 0.0, 0.5),
        (None, 400, 0.0, 0.5),
        (None, 0, -1.0, 0.5),
        (None, 0, 0.5, 0.4),
        (5, 4, 1.0, 1.0),
    ],
)
def test_importance_is_what_seed_a_computes(
    rating: int | None, references: int, sentiment: float, expected: float
) -> None:
    """Seed A §6.2: base 0.3, rating up to 0.3, references up to 0.2, feeling up to 0.2."""
    given_start = weighing.EXPLICIT_START
    assert importance(
        start=given_start, rating=rating, references=references, sentiment=sentiment
    ) == pytest.approx(expected)


@given(SHARES, st.none() | st.integers(1, 5), st.integers(-5, 10_000), ANY)
def test_importance_is_a_share_that_grows_with_each_reason(
    start: float, rating: int | None, references: int, sentiment: float
) -> None:
    """Seed A §6.2: clamped, and monotone in rating, references and strength of feeling."""
    now = importance(start=start, rating=rating, references=references, sentiment=sentiment)
    assert 0.0 <= now <= 1.0
    assert importance(start=start, rating=5, references=references, sentiment=sentiment) >= now
    assert importance(start=start, rating=rating, references=10_001, sentiment=sentiment) >= now
    assert importance(start=start, rating=rating, references=references, sentiment=1.0) >= now


@given(st.floats(-1e9, 1e12), st.floats(1e-3, 1e10), st.floats(0, 1e9))
def test_recency_falls_with_age_and_the_future_counts_as_now(
    age: float, half_life: float, more: float
) -> None:
    """Seed B §4.1 and R-15: a clock set back never makes a memory older or newer than now."""
    assert 0.0 <= recency(age + more, half_life) <= recency(age, half_life) <= 1.0
    assert recency(min(age, 0.0), half_life) == 1.0


def test_recency_is_one_half_after_the_half_life() -> None:
    """Seed B §4.1: exp(-ln2 * age / half-life)."""
    assert recency(30.0, 30.0) == pytest.approx(0.5)
    assert recency(60.0, 30.0) == pytest.approx(0.25)


@pytest.mark.parametrize("half_life", [0, -1, math.inf, math.nan])
def test_a_half_life_is_a_positive_number(half_life: float) -> None:
    """A half-life that is none cannot silently become "never" or "at once"."""
    with pytest.raises(ValueError, match="half-life"):
        recency(1.0, half_life)


@given(SHARES, st.floats(-100, 100), st.floats(-100, 100), st.floats(0, 100))
def test_rank_stays_bounded_and_grows_with_repeat_and_feedback(
    recent: float, repeat: float, feedback: float, more: float
) -> None:
    """Seed B §4.1: 0.5 recency, 0.3 tanh(repeat/5), 0.2 tanh(feedback/5)."""
    now = rank(recency_score=recent, repeat=repeat, feedback=feedback)
    assert -0.5 <= now <= 1.0
    assert rank(recency_score=recent, repeat=repeat + more, feedback=feedback) >= now
    assert rank(recency_score=recent, repeat=repeat, feedback=feedback + more) >= now
    expected = 0.5 * recent + 0.3 * math.tanh(repeat / 5) + 0.2 * math.tanh(feedback / 5)
    assert now == pytest.approx(expected)


@given(COUNTS, DAYS, COUNTS, SHARES, st.floats(0, 1000))
def test_strength_falls_with_days_and_grows_with_recalls_links_and_feeling(
    recalled: int, days: float, links: int, intensity: float, more: float
) -> None:
    """Seed C layer 4: emotion slows the decay, recalls and links hold against it."""
    now = strength(recalled=recalled, idle_days=days, links=links, intensity=intensity)
    assert now >= 0.0
    later = strength(recalled=recalled, idle_days=days + more, links=links, intensity=intensity)
    assert later <= now
    assert strength(recalled=recalled + 1, idle_days=days, links=links, intensity=intensity) >= now
    assert strength(recalled=recalled, idle_days=days, links=links + 1, intensity=intensity) > now
    assert strength(recalled=recalled, idle_days=days, links=links, intensity=1.0) >= now


def test_strength_crosses_the_seeds_thresholds_when_it_should() -> None:
    """Seed C layer 4: alone it shrinks after about 60 days and sleeps after about 115."""
    assert strength(recalled=0, idle_days=0) == 1.0
    assert strength(recalled=0, idle_days=60) > 0.3 > strength(recalled=0, idle_days=61)
    assert strength(recalled=0, idle_days=115) > 0.1 > strength(recalled=0, idle_days=116)
    assert strength(recalled=0, idle_days=116, intensity=1.0) > 0.3
    assert strength(recalled=-3, idle_days=-5, links=-2) == 1.0


@given(SHARES, SHARES, SHARES)
def test_the_score_of_shares_is_a_share_and_keeps_its_parts(
    relevance: float, recent: float, worth: float
) -> None:
    """Seed E phase 1-5: 0.5 relevance, 0.3 recency, 0.2 importance; the parts stay visible."""
    weighed = score(relevance=relevance, recency_score=recent, importance_score=worth)
    assert -1e-9 <= weighed.score <= 1.0 + 1e-9
    assert weighed.score == pytest.approx(0.5 * relevance + 0.3 * recent + 0.2 * worth)
    assert (weighed.relevance, weighed.recency, weighed.importance) == (relevance, recent, worth)
    assert weighed.weights == ScoreWeights()


def test_the_weights_of_the_seeds_sum_to_one() -> None:
    """Seed E: a perfect answer scores 1, whatever the question."""
    for weights in (ScoreWeights(), weighing.FusionWeights()):
        counts = [getattr(weights, name) for name in type(weights).__slots__ if name != "sources"]
        assert len(counts) == 3
        assert sum(counts) == pytest.approx(1.0)
