"""Vectors as embedders make them: dense rows, or sparse ones that stay sparse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Dense = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sparse:
    """A sparse vector: strictly rising indices (uint32) and their values (float32)."""

    indices: npt.NDArray[np.uint32]
    values: npt.NDArray[np.float32]
    dimension: int

    def pairs(self) -> list[list[float]]:
        """Return `[[i, v], …]`, the form in which snapshots carry sparse vectors."""
        return [[int(i), float(v)] for i, v in zip(self.indices.tolist(), self.values, strict=True)]


Vector = Dense | Sparse


def cosine(a: Vector, b: Vector) -> float:
    """Return the cosine of two vectors of unit length."""
    if isinstance(a, Sparse) and isinstance(b, Sparse):
        _, in_a, in_b = np.intersect1d(
            a.indices, b.indices, assume_unique=True, return_indices=True
        )
        return float(a.values[in_a] @ b.values[in_b])
    if isinstance(a, Sparse) or isinstance(b, Sparse):
        raise TypeError("a dense and a sparse vector have no common space")
    return float(a @ b)


def unit(vector: Dense) -> Dense:
    """Scale a dense vector to length one; refuse what has no direction."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0.0:
        raise ValueError("a vector of length zero, NaN or infinity has no direction")
    return (vector / length).astype(np.float32)
