"""Three factors, kept apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim import FixedClock, Saegim
from saegim.memory.changes import Reweighed
from saegim.memory.clock import micros
from saegim.memory.memory import Weighed
from saegim.recall.gather import Candidates
from saegim.recall.rank import Hit, relevance, shares_of, wanted, weigh
from saegim.settings import Settings
from saegim.store.commit import Batch
from saegim.store.tables.memory_table import Facts

AT = datetime(2026, 1, 1, tzinfo=UTC)
SHARES = st.floats(0, 1)


NOTHING = wanted("")


def facts(importance: float = 0.3, last_at: datetime = AT, **more: Any) -> Facts:
    """Make what a score needs of one episode of the lowest tier, last in hand at `last_at`."""
    held: dict[str, Any] = {
        "number": 1,
        "importance": importance,
        "last_at": micros(last_at),
        "beginning": "",
        "kind": "episode",
        "tier": "M30",
        "intensity": 0.0,
        "author": "",
        "confidence": 0.7,
        "origin": "user_said",
        "source": "user",
        "mentions": False,
        "asks": False,
    }
    columns = {name: np.array([value]) for name, value in (held | more).items()}
    words = ("kind", "tier", "author", "origin", "source", "beginning")
    return Facts(**(columns | {name: columns[name].tolist() for name in words}))


def candidate(**said: float) -> Candidates:
    """Make one candidate of which this is said."""
    found = Candidates()
    for name, value in ({"words": 0.0} | said).items():
        found.raised(name, [1], value)
    return found


def weigh_one(found: Candidates, held: Facts, *, now: datetime, settings: Settings) -> Weighed:
    """Score one candidate as the flow does."""
    shares = shares_of(settings)
    relevant, at = relevance(found, shares), micros(now)
    scores = weigh(relevant, held, wants=NOTHING, now=at, shares=shares)
    ((weighed, _),) = scores.of(np.array([0]), shares.weights)
    return weighed


@given(SHARES, SHARES, SHARES, SHARES, SHARES)
def test_relevance_is_a_share_that_grows_with_each_path(
    words: float, meaning: float, context: float, graph: float, share: float
) -> None:
    """Seed E: the paths are fused by their shares, and no path ever lowers relevance."""
    shares = shares_of(Settings(words_share=share))
    said = {"words": words, "meaning": meaning, "context": context, "graph": graph}
    now = relevance(candidate(**said), shares)
    assert 0.0 <= now <= 1.0
    for name in (*said, "during"):
        assert relevance(candidate(**(said | {name: 1.0})), shares) >= now


def test_each_path_can_be_turned_off_by_its_share() -> None:
    """What the ablation measures is really off."""
    found = candidate(graph=1.0, during=1.0)
    off = shares_of(Settings(graph_share=0.0, time_share=0.0))
    assert relevance(found, off).tolist() == [0.0]
    assert relevance(found, shares_of(Settings())) > 0.0


def test_the_score_is_made_of_its_parts_by_the_settings() -> None:
    """Seed E: weights come from the settings and stay beside the score."""
    settings = Settings(relevance_weight=0.5, recency_weight=0.3, importance_weight=0.2)
    found = candidate(words=1.0, meaning=1.0)
    weighed = weigh_one(found, facts(importance=0.5), now=AT, settings=settings)
    assert weighed.score == pytest.approx(0.5 * 1.0 + 0.3 * 1.0 + 0.2 * 0.5)
    assert (weighed.relevance, weighed.recency, weighed.importance) == (1.0, 1.0, 0.5)
    assert weighed.weights.recency == 0.3


def test_age_counts_from_the_last_time_in_hand_and_never_below_nothing() -> None:
    """A half-life halves recency; what lies in the future counts as now."""
    settings, later = Settings(recency_half_life_days=30.0), AT + timedelta(days=30)
    assert weigh_one(candidate(), facts(), now=later, settings=settings).recency == pytest.approx(
        0.5
    )
    renewed = weigh_one(candidate(), facts(last_at=later), now=later, settings=settings)
    assert renewed.recency == 1.0
    assert (
        weigh_one(candidate(), facts(), now=AT - timedelta(days=9), settings=settings).recency
        == 1.0
    )


@pytest.mark.parametrize(
    ("slow", "quick"),
    [
        ({"kind": "preference"}, {"kind": "emotion"}),
        ({"kind": "principle"}, {"kind": "fact"}),
        ({"tier": "M365"}, {"tier": "M90"}),
        ({"tier": "M0"}, {"tier": "M365"}),
        ({"intensity": 0.9}, {"intensity": 0.1}),
    ],
)
def test_kind_tier_and_feeling_slow_the_decay(slow: dict[str, Any], quick: dict[str, Any]) -> None:
    """Seed C: recency decays by category, and (DESIGN 4) intensity slows it."""
    later = AT + timedelta(days=60)

    def recency(**more: Any) -> float:
        made = weigh_one(candidate(), facts(**more), now=later, settings=Settings())
        return made.recency

    assert recency(**slow) > recency(**quick)


def test_an_imported_old_chat_is_young_and_a_recall_renews(
    memory: Saegim, clock: FixedClock
) -> None:
    """DESIGN 4b: age counts from recording or the last recall, never from when it happened."""
    kept = memory.remember("tea at noon", happened_at="2015-01-01T00:00:00+00:00")
    assert memory.recall("tea").hits[0].weighed.recency == 1.0
    # A fact of the second tier ages six times as slowly as an episode of the first.
    clock.forward(days=180)
    assert memory.recall("tea").hits[0].weighed.recency == pytest.approx(0.5)
    at = clock.now()
    memory.mind.store.commit(
        Batch("me", [Reweighed(memory=kept.id, at=at, recalled=1)], actor="me", at=at)
    )
    assert memory.recall("tea").hits[0].weighed.recency == 1.0


def test_a_hit_names_the_paths_that_found_it(memory: Saegim) -> None:
    """U32.2: every result says which way it came."""
    held = memory.remember("tea").memory
    weighed = weigh_one(candidate(), facts(), now=AT, settings=Settings())
    assert Hit(held, weighed, 0.5, 0.0, 0.0).paths == ("words",)
    assert Hit(held, weighed, 0.0, 0.5, 0.1).paths == ("vector", "context")
    assert Hit(held, weighed, 0.0, 0.0, 0.0).paths == ()
    assert Hit(held, weighed, 0.0, 0.0, 0.0, graph=0.1, during=True).paths == ("graph", "during")
