"""A tie has one key, and only keys that can be told apart."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.errors import BadInput
from saegim.memory import entities
from saegim.memory.entities import Link

KEYS = st.text("abc:_-가", min_size=1, max_size=8).filter(
    lambda key: "::" not in key and not key.startswith(":") and not key.endswith(":")
)


@given(st.tuples(KEYS, KEYS, KEYS), st.tuples(KEYS, KEYS, KEYS))
def test_two_ties_share_a_key_only_if_they_are_the_same(
    ends: tuple[str, str, str], others: tuple[str, str, str]
) -> None:
    """Seed B: `from::type::to` names one tie and no other."""
    one = Link(source=ends[0], type=ends[1], target=ends[2])
    other = Link(source=others[0], type=others[1], target=others[2])
    assert (one.key == other.key) == (ends == others)
    assert one.key == "::".join(ends)


@pytest.mark.parametrize("part", ["source", "type", "target"])
@pytest.mark.parametrize("value", ["", "a::b", ":a", "a:", None, 5])
def test_an_end_that_is_no_key_is_refused(part: str, value: Any) -> None:
    """Bad input: the error names which end."""
    ends = {"source": "a", "type": "related", "target": "b", part: value}
    with pytest.raises(BadInput, match=part):
        Link(**ends)


@pytest.mark.parametrize("weight", [math.nan, math.inf, "1", None, True])
def test_a_weight_is_a_number(weight: Any) -> None:
    """Bad input: NaN would become NULL in the store and break the commit."""
    with pytest.raises(BadInput, match="weight"):
        Link(source="a", type="related", target="b", weight=weight)


def test_all_types_of_ties_are_listed_once() -> None:
    """DESIGN 3: eleven types of ties between memories."""
    assert len(entities.TYPES) == len(set(entities.TYPES)) == 11
