"""Ten feelings, their colours, their one blend, and numbers that must lie in their range."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.errors import BadInput
from saegim.memory.memory import COLOURS, Emotion, Feeling, checked_number, checked_share


def test_every_feeling_has_a_colour_of_its_own() -> None:
    """Seed D §2: ten feelings, ten colours, each the seed's."""
    assert {feeling.value: colour for feeling, colour in COLOURS.items()} == {
        "joy": "gold",
        "sadness": "blue",
        "anger": "red",
        "fear": "purple",
        "disgust": "green",
        "anxiety": "orange",
        "envy": "teal",
        "ennui": "indigo",
        "nostalgia": "pink and blue",
        "neutral": "grey",
    }
    assert set(COLOURS) == set(Feeling)


@given(st.lists(st.sampled_from(list(Feeling)), max_size=6))
def test_joy_with_sadness_is_nostalgia_and_else_the_first_feeling_speaks(
    felt: list[Feeling],
) -> None:
    """Seed D §2: the blend is read from the pair, in any order and company."""
    blend = Emotion(feelings=tuple(felt)).blend
    if {Feeling.JOY, Feeling.SADNESS} <= set(felt):
        assert blend is Feeling.NOSTALGIA
    else:
        assert blend is (felt[0] if felt else Feeling.NEUTRAL)


@pytest.mark.parametrize("name", ["intensity", "affect", "confidence"])
@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf, "0.5", True, [1]])
def test_a_share_outside_zero_to_one_is_refused(name: str, value: Any) -> None:
    """Bad input: the error names the field and the range, NaN and booleans included."""
    with pytest.raises(BadInput, match=name) as caught:
        Emotion(**{name: value})
    assert "0 to 1" in caught.value.next_step


@pytest.mark.parametrize("value", [-1.1, 1.1, math.nan, "good"])
def test_sentiment_lies_between_minus_one_and_one(value: Any) -> None:
    """Seed A: sentiment runs from -1 to 1 and nothing else."""
    with pytest.raises(BadInput, match="sentiment"):
        Emotion(sentiment=value)


@given(st.floats(0, 1))
def test_a_share_comes_back_as_it_was(value: float) -> None:
    """What is in range is kept, as a float."""
    assert checked_share("x", value) == value
    assert checked_number("x", value, low=-1, high=1) == value
    assert isinstance(checked_share("x", 1), float)
