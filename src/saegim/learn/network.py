"""A small dense network whose weights are one flat vector: forward, gradient, bounded steps.

Numbers are kept as float32 and reckoned in float64, in one order: the same weights, examples and
seed give the same weights again, bit for bit on one machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from saegim.errors import BadInput

Vector = NDArray[np.float32]
Rows = NDArray[np.float32]
Wide = NDArray[np.float64]

# One odd example moves no further than this: the length of a gradient before its rate.
LONGEST_GRADIENT: Final = 1.0
_BEGINS_SMALL: Final = 0.1


@dataclass(frozen=True, slots=True)
class Pass:
    """What a forward pass left for the way back: the inputs of each layer, and what was dropped."""

    inputs: tuple[Wide, ...]
    kept: tuple[Wide | None, ...]
    out: Wide


def count_weights(sizes: Sequence[int]) -> int:
    """Return how many numbers the layers of these sizes have."""
    return sum(before * after + after for before, after in pairwise(sizes))


def starting_weights(sizes: Sequence[int], seed: int) -> Vector:
    """Return seeded weights that neither die out nor blow up (He), the biases nought.

    The last layer begins small: who has seen nothing expects nothing.
    """
    drawn = np.random.default_rng(seed)
    parts: list[Wide] = []
    for place, (before, after) in enumerate(pairwise(sizes)):
        width = (2.0 / before) ** 0.5 * (_BEGINS_SMALL if place == len(sizes) - 2 else 1.0)
        parts.append(drawn.normal(0.0, width, before * after))
        parts.append(np.zeros(after))
    return np.concatenate(parts).astype(np.float32)


def checked_weights(vector: NDArray[np.float32], sizes: Sequence[int]) -> Vector:
    """Return a vector as weights of these layers; refuse another length, and what is no number."""
    held = np.asarray(vector, dtype=np.float32).reshape(-1)
    if held.size != count_weights(sizes):
        raise BadInput("learn.wrong_shape", length=held.size, wanted=count_weights(sizes))
    if not np.isfinite(held).all():
        raise BadInput("learn.not_finite")
    return held.copy()


def layers(vector: NDArray[np.float32], sizes: Sequence[int]) -> list[tuple[Wide, Wide]]:
    """Return the matrices and biases that a flat vector holds."""
    wide = np.asarray(vector, dtype=np.float64)
    found, at = [], 0
    for before, after in pairwise(sizes):
        middle, end = at + before * after, at + before * after + after
        found.append((wide[at:middle].reshape(before, after), wide[middle:end]))
        at = end
    return found


def forward(
    vector: NDArray[np.float32],
    sizes: Sequence[int],
    rows: NDArray[np.float32],
    *,
    dropout: float = 0.0,
    drawn: np.random.Generator | None = None,
) -> Pass:
    """Run rows through the network; with a generator, hidden numbers are dropped by chance."""
    held = np.atleast_2d(np.asarray(rows, dtype=np.float64))
    inputs: list[Wide] = []
    kept: list[Wide | None] = []
    parts = layers(vector, sizes)
    for place, (matrix, bias) in enumerate(parts):
        inputs.append(held)
        held = held @ matrix + bias
        mask = None
        if place < len(parts) - 1:
            held = np.maximum(held, 0.0)
            if drawn is not None and dropout > 0.0:
                mask = (drawn.random(held.shape) >= dropout) / (1.0 - dropout)
                held = held * mask
        kept.append(mask)
    return Pass(tuple(inputs), tuple(kept), held)


def gradient(vector: NDArray[np.float32], sizes: Sequence[int], made: Pass, wanted: Wide) -> Wide:
    """Return the gradient of a loss by the weights, from its gradient by the outputs."""
    parts: list[Wide] = []
    back = wanted
    held = layers(vector, sizes)
    for place in range(len(held) - 1, -1, -1):
        given = made.inputs[place]
        parts[:0] = [(given.T @ back).reshape(-1), back.sum(axis=0)]
        if place:
            back = back @ held[place][0].T
            if (mask := made.kept[place - 1]) is not None:
                back = back * mask
            back = back * (given > 0.0)
    return np.concatenate(parts)


def stepped(
    vector: NDArray[np.float32],
    slope: Wide,
    rate: float,
    *,
    around: NDArray[np.float32] | None = None,
    drift: float = float("inf"),
) -> Vector:
    """Return the weights one bounded step down the slope, at most `drift` away from `around`."""
    length = float(np.linalg.norm(slope))
    if not np.isfinite(length):
        return np.asarray(vector, dtype=np.float32).copy()
    if length > LONGEST_GRADIENT:
        slope = slope * (LONGEST_GRADIENT / length)
    moved = np.asarray(vector, dtype=np.float64) - rate * slope
    if around is not None and np.isfinite(drift):
        centre = np.asarray(around, dtype=np.float64)
        away = moved - centre
        if (far := float(np.linalg.norm(away))) > drift:
            moved = centre + away * (drift / far)
    return moved.astype(np.float32)
