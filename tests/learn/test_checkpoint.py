"""A checkpoint is plain numbers with a digest; one that does not fit is refused, with a reason."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from saegim.errors import BadInput
from saegim.learn.checkpoint import packed, unpacked
from saegim.learn.policy import FEATURE_SCHEMA, SIZES, Policy

HELD: dict[str, Any] = {"schema": FEATURE_SCHEMA, "embedder": "e-1", "sizes": SIZES}


def test_a_checkpoint_comes_back_bit_for_bit_through_json() -> None:
    """What was learned is read back exactly, without pickle."""
    policy = Policy(seed=5)
    record = json.loads(json.dumps(packed(policy.weights(), **HELD, updates=7)))
    assert (unpacked(record, **HELD) == policy.weights()).all()
    assert record["updates"] == 7


@pytest.mark.parametrize(
    ("spoilt", "why"),
    [
        ({"schema": "turn-11/1"}, "other features"),
        ({"embedder": "e-2"}, "another embedder"),
        ({"sizes": [10, 32, 3]}, "other features"),
        ({"weights": "AAAA"}, "do not match"),
        ({"weights": "not base64!"}, "do not match"),
        ({"sha256": "0" * 64}, "do not match"),
        ({"checkpoint": 2}, "other features"),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_refused(spoilt: dict[str, Any], why: str) -> None:
    """Another schema, embedder, shape or digest is named, and nothing of it is used."""
    record = {**packed(Policy(seed=5).weights(), **HELD), **spoilt}
    with pytest.raises(BadInput, match=why) as caught:
        unpacked(record, **HELD)
    assert caught.value.next_step


def test_numbers_that_are_none_are_refused_even_with_a_true_digest() -> None:
    """A digest proves who wrote it, not that it makes sense."""
    weights = Policy(seed=5).weights()
    weights[0] = np.inf
    with pytest.raises(BadInput, match="no numbers"):
        unpacked(packed(weights, **HELD), **HELD)
