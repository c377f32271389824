"""In which order to show what was found: eleven features, thirty-two in between, one score.

Learned from pairs of one answer: what was taken up stands before what was passed over. Recency
and how often something was recalled are left out where a prompt must not change by being asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from saegim.learn.network import (
    Rows,
    Vector,
    Wide,
    checked_weights,
    forward,
    gradient,
    starting_weights,
    stepped,
)

# Seed C's eleven, and the place that the fused order gave, so that it can learn to keep it.
RERANKER_SCHEMA: Final = "hit-11/1"
FEATURE_COUNT: Final = 11
RERANKER_SIZES: Final = (FEATURE_COUNT, 32, 1)
# Recency and access frequency: what changes by being asked for.
FROZEN: Final = (3, 4)
_RATE: Final = 0.05
_DRIFT: Final = 6.0
# What the features are divided by, so that each is about one: ties, ways and distances are counts.
_SCALE: Final = np.array([1, 1, 1, 1, 3, 1, 1, 3, 8, 4, 1], dtype=np.float32)


def frozen(rows: Rows) -> Rows:
    """Return the rows without what changes by being asked for."""
    still = np.array(rows, dtype=np.float32)
    still[:, list(FROZEN)] = 0.0
    return still


class LearnedReranker:
    """Scores hits by their eleven features, added to the place the fused order gave them."""

    def __init__(
        self,
        vector: NDArray[np.float32] | None = None,
        *,
        seed: int = 0,
        anchor: NDArray[np.float32] | None = None,
        trained: bool | None = None,
        updates: int = 0,
    ) -> None:
        begin = starting_weights(RERANKER_SIZES, seed) if vector is None else vector
        self._vector = checked_weights(begin, RERANKER_SIZES)
        self._anchor = self._vector if anchor is None else checked_weights(anchor, RERANKER_SIZES)
        self.updates = updates
        # An untrained one is noise: nobody asks it.
        self.trained = vector is not None if trained is None else trained

    def weights(self) -> Vector:
        """Return the weights as one flat vector."""
        return self._vector.copy()

    def scores(self, features: Rows) -> NDArray[np.float32]:
        """Return one number for each row of features; more is better."""
        rows = np.nan_to_num(np.atleast_2d(np.asarray(features, dtype=np.float32))) / _SCALE
        learned = forward(self._vector, RERANKER_SIZES, rows).out[:, 0]
        return (learned + fused_order(len(rows))).astype(np.float32)

    def learn(self, features: Rows, worth: Sequence[float]) -> float:
        """Learn from one answer what was worth more than what; return the loss before the step.

        Without a pair that differs there is nothing to learn.
        """
        slope, loss = self.slope(features, worth)
        if slope is None:
            return 0.0
        self._vector = stepped(self._vector, slope, _RATE, around=self._anchor, drift=_DRIFT)
        self.trained = True
        self.updates += 1
        return loss

    def slope(self, features: Rows, worth: Sequence[float]) -> tuple[Wide | None, float]:
        """Return the gradient of the pairwise loss by the weights, and the loss."""
        given = np.nan_to_num(np.atleast_2d(np.asarray(features, dtype=np.float32))) / _SCALE
        value = np.asarray(worth, dtype=np.float64)
        better, worse = np.nonzero(value[:, None] > value[None, :])
        if not len(better):
            return None, 0.0
        made = forward(self._vector, RERANKER_SIZES, given)
        total = made.out[:, 0] + fused_order(len(given))
        behind = total[worse] - total[better]
        loss = float(np.logaddexp(0.0, behind).mean())
        push = 1.0 / (1.0 + np.exp(-behind)) / len(better)
        back = np.zeros_like(made.out)
        np.add.at(back[:, 0], worse, push)
        np.add.at(back[:, 0], better, -push)
        return gradient(self._vector, RERANKER_SIZES, made, back), loss


def fused_order(count: int) -> Wide:
    """Return what the place in the fused order is worth: one for the first, ever less behind."""
    return 1.0 / (1.0 + 0.25 * np.arange(count, dtype=np.float64))


def reciprocal_rank(order: Sequence[int], worth: Sequence[float]) -> float:
    """Return one over the first place that holds something of worth; nought if none does."""
    return next((1.0 / (at + 1) for at, each in enumerate(order) if worth[each] > 0), 0.0)
