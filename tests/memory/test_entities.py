"""Someone or something: one key for each platform and name, and links accept it."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.errors import BadInput
from saegim.memory.clock import FixedClock
from saegim.memory.entities import Entity, Link, SentimentPoint
from saegim.memory.text import normalise

NAMES = st.text(":%가a B\u200b", max_size=6)


@given(NAMES, NAMES, NAMES, NAMES)
def test_entities_share_a_key_only_if_platform_and_name_are_the_same(
    name: str, platform: str, other_name: str, other_platform: str
) -> None:
    """DESIGN 1: unique by platform and name, however many colons these hold."""
    if not normalise(name) or not normalise(other_name):
        return
    one = Entity(name=name, platform=platform)
    other = Entity(name=other_name, platform=other_platform)
    same = (normalise(name), normalise(platform)) == (
        normalise(other_name),
        normalise(other_platform),
    )
    assert (one.key == other.key) == same


@given(NAMES, NAMES)
def test_every_entity_can_be_tied(name: str, platform: str) -> None:
    """DESIGN 1: the key of an entity is a key that links take."""
    if normalise(name):
        key = Entity(name=name, platform=platform).key
        assert Link(source=key, type="likes", target="entity:tea").source == key


@pytest.mark.parametrize("name", ["", "  ", "\u200b", None, 5])
def test_an_entity_without_a_name_is_refused(name: Any) -> None:
    """Bad input: a name that nobody can see is no name."""
    with pytest.raises(BadInput, match="name"):
        Entity(name=name)


@pytest.mark.parametrize(
    ("field", "value"),
    [("trust", 1.1), ("trust", math.nan), ("sentiment_score", -2), ("sentiment_score", "x")],
)
def test_numbers_of_an_entity_lie_in_their_range(field: str, value: Any) -> None:
    """Bad input: the error names the number."""
    with pytest.raises(BadInput, match=field):
        Entity(name="민호", **{field: value})


def test_the_key_is_written_plainly_where_it_can_be() -> None:
    """`entity:platform:name`, or without a platform `entity:name`."""
    assert Entity(name="Minho").key == "entity:minho"
    assert Entity(name="민호", platform="Slack").key == "entity:slack:민호"


def test_a_point_of_sentiment_is_neutral_unless_told() -> None:
    """A point carries when, how much and a label."""
    assert SentimentPoint(at=FixedClock().now(), score=0.5).label == "neutral"
