"""Three factors, kept apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim import FixedClock, Saegim
from saegim.memory.changes import Reweighed
from saegim.memory.clock import micros
from saegim.recall.gather import Found
from saegim.recall.score import Hit, relevance, weigh
from saegim.settings import Settings
from saegim.store.commit import Batch
from saegim.store.read import Facts

AT = datetime(2026, 1, 1, tzinfo=UTC)
SHARES = st.floats(0, 1)


def facts(importance: float = 0.3, last_at: datetime = AT) -> Facts:
    """Make what a score needs of a memory that was last in hand at `last_at`."""
    return Facts(importance, micros(last_at))


@given(SHARES, SHARES, SHARES, SHARES)
def test_relevance_is_a_share_that_grows_with_each_path(
    words: float, meaning: float, context: float, share: float
) -> None:
    """Seed E: the paths are fused by their shares, and no path ever lowers relevance."""
    now = relevance(Found(1, words, meaning, context), share)
    assert 0.0 <= now <= 1.0
    assert relevance(Found(1, 1.0, meaning, context), share) >= now
    assert relevance(Found(1, words, 1.0, context), share) >= now
    assert relevance(Found(1, words, meaning, 1.0), share) >= now


def test_the_score_is_made_of_its_parts_by_the_settings() -> None:
    """Seed E: weights come from the settings and stay beside the score."""
    settings = Settings(relevance_weight=0.5, recency_weight=0.3, importance_weight=0.2)
    weighed = weigh(Found(1, 1.0, 1.0), facts(importance=0.5), now=AT, settings=settings)
    assert weighed.score == pytest.approx(0.5 * 1.0 + 0.3 * 1.0 + 0.2 * 0.5)
    assert (weighed.relevance, weighed.recency, weighed.importance) == (1.0, 1.0, 0.5)
    assert weighed.weights.recency == 0.3


def test_age_counts_from_the_last_time_in_hand_and_never_below_nothing() -> None:
    """A half-life halves recency; what lies in the future counts as now."""
    settings, later = Settings(recency_half_life_days=30.0), AT + timedelta(days=30)
    assert weigh(Found(1), facts(), now=later, settings=settings).recency == pytest.approx(0.5)
    renewed = weigh(Found(1), facts(last_at=later), now=later, settings=settings)
    assert renewed.recency == 1.0
    assert weigh(Found(1), facts(), now=AT - timedelta(days=9), settings=settings).recency == 1.0


def test_an_imported_old_chat_is_young_and_a_recall_renews(
    memory: Saegim, clock: FixedClock
) -> None:
    """DESIGN 4b: age counts from recording or the last recall, never from when it happened."""
    kept = memory.remember("tea at noon", happened_at="2015-01-01T00:00:00+00:00")
    assert memory.recall("tea").hits[0].weighed.recency == 1.0
    clock.forward(days=30)
    assert memory.recall("tea").hits[0].weighed.recency == pytest.approx(0.5)
    at = clock.now()
    memory._mind.store.commit(
        Batch("me", [Reweighed(memory=kept.id, at=at, recalled=1)], actor="me", at=at)
    )
    assert memory.recall("tea").hits[0].weighed.recency == 1.0


def test_a_hit_names_the_paths_that_found_it(memory: Saegim) -> None:
    """U32.2: every result says which way it came."""
    held = memory.remember("tea").memory
    weighed = weigh(Found(1), facts(), now=AT, settings=Settings())
    assert Hit(held, weighed, 0.5, 0.0, 0.0).paths == ("words",)
    assert Hit(held, weighed, 0.0, 0.5, 0.1).paths == ("vector", "context")
    assert Hit(held, weighed, 0.0, 0.0, 0.0).paths == ()
