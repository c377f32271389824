"""Which of two is better, on what neither learned from; how far a learned region may widen."""

from __future__ import annotations

import pytest

from saegim.learn.evidence import (
    autonomy,
    compare,
    earned,
    implicit_reward,
    is_held_out,
    trend,
)


def test_one_in_five_is_held_out_for_good_by_its_name() -> None:
    """The same decision is always held out or never; about a fifth of all are."""
    ids = [f"exp_{n}" for n in range(5000)]
    held = [each for each in ids if is_held_out(each)]
    assert held == [each for each in ids if is_held_out(each)]
    assert 0.15 < len(held) / len(ids) < 0.25


def test_better_is_said_only_where_it_is_sure() -> None:
    """A difference that chance may have made is no proof; a steady one is."""
    chance = compare([1.0, -1.0] * 20, [-1.0, 1.0] * 20)
    assert chance.low < 0
    assert chance.learned == pytest.approx(chance.rule)
    steady = compare([0.0] * 40, [0.5, 0.6] * 20)
    assert steady.low > 0.4
    assert compare([], []).count == 0
    assert compare([0.0], [1.0]).low == -1.0


def test_what_was_not_done_earns_the_opposite_of_what_was() -> None:
    """Only what was done was rewarded; who would have done otherwise is reckoned by that."""
    assert earned("save", "save", -1.0) == -1.0
    assert earned("save", "skip", -1.0) == 1.0


def test_the_region_widens_with_praise_and_narrows_with_blame() -> None:
    """Progressive autonomy: little praise widens little, blame takes it back."""
    assert autonomy([]) == 0.0
    assert 0 < autonomy([1.0] * 10) < autonomy([1.0] * 50) == 1.0
    assert autonomy([1.0] * 50 + [-1.0] * 25) < autonomy([1.0] * 50)
    assert autonomy([1.0] * 50 + [-1.0] * 50) == 0.0


def test_a_trend_shows_lately_beside_before() -> None:
    """Fifty rewards lately stand beside the fifty before them."""
    assert trend([-1.0] * 50 + [1.0] * 50) == {"recent": 1.0, "before": -1.0, "count": 100.0}


def test_the_flow_of_talk_is_worth_what_seed_c_says() -> None:
    """Going on +0.3, taken up +0.2 beside it, a brief word -0.1."""
    assert implicit_reward(continued=0.3, reused=0.2) == pytest.approx(0.5)
    assert implicit_reward(brief=-0.1) == pytest.approx(-0.1)
