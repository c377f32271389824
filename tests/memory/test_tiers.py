"""How long each tier keeps a memory."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.memory.memory import LIFETIMES, Tier, expiry

INSTANTS = st.datetimes(
    min_value=datetime(1970, 1, 1), max_value=datetime(9000, 1, 1), timezones=st.just(UTC)
)


@pytest.mark.parametrize(("tier", "days"), [("M30", 30), ("M90", 90), ("M365", 365)])
def test_a_tier_is_named_after_its_days(tier: str, days: int) -> None:
    """Seed D §1: M30, M90 and M365 keep for as many days as they say."""
    since = datetime(2026, 2, 28, tzinfo=UTC)
    assert expiry(Tier(tier), since) == since + timedelta(days=days)


@given(INSTANTS)
def test_a_core_memory_is_never_due(since: datetime) -> None:
    """Seed D §1: M0 has no expiry, whenever it was made."""
    assert expiry(Tier.M0, since) is None


@given(INSTANTS, INSTANTS)
def test_what_came_later_leaves_later(one: datetime, other: datetime) -> None:
    """The order of births is the order of ends, and deeper tiers hold longer."""
    for tier in (Tier.M30, Tier.M90, Tier.M365):
        ends = expiry(tier, one), expiry(tier, other)
        assert ends[0] is not None
        assert ends[1] is not None
        assert (ends[0] <= ends[1]) == (one <= other)
    held = [LIFETIMES[tier] for tier in (Tier.M30, Tier.M90, Tier.M365)]
    assert held == sorted(held, key=lambda each: each or timedelta.max)
