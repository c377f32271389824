"""The coordinates: trust follows the origin, and numbers lie in their range."""

from __future__ import annotations

import math
from typing import Any

import pytest

from saegim.errors import BadInput
from saegim.memory.memory import TRUST, Kind, Origin, Provenance, Source, Worth


def test_each_origin_has_its_trust_and_a_person_has_the_most() -> None:
    """FAULTS M1: trust is earned by origin alone, in a strict order."""
    assert list(TRUST) == list(Origin)
    assert list(TRUST.values()) == sorted(TRUST.values(), reverse=True)
    assert len(set(TRUST.values())) == len(Origin)
    for origin in Origin:
        assert Provenance(origin=origin, author="민호").trust == TRUST[origin]


def test_kinds_and_sources_are_those_of_the_design() -> None:
    """DESIGN 3: nine kinds, six sources; and what an agent reports of the person."""
    assert len(Kind) == 9
    assert len(Source) == 7


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("importance", -0.01),
        ("importance", 1.01),
        ("importance", math.nan),
        ("importance", None),
        ("confidence", "sure"),
        ("rating", 0),
        ("rating", 6),
        ("rating", True),
    ],
)
def test_worth_is_refused_outside_its_range(field: str, value: Any) -> None:
    """Bad input: the error names the number."""
    with pytest.raises(BadInput, match=field):
        Worth(**{field: value})
