"""`Embedder`: text becomes vectors, and every vector knows where it came from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from saegim.engines.vectors import Vector

Role = Literal["query", "document"]


@dataclass(frozen=True, slots=True)
class Identity:
    """What must be equal before two vectors may be compared."""

    provider: str
    model: str
    digest: str
    dimension: int
    policy: str

    @property
    def key(self) -> str:
        """Name this identity in a few characters, the same in every process."""
        parts = (self.provider, self.model, self.digest, str(self.dimension), self.policy)
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]


class Embedder(Protocol):
    """Turns text into vectors of unit length.

    `local` embedders are quick and never leave the process, so a memory is written together with
    its vector; the others are asked afterwards, outside any transaction.
    `floor` is the cosine below which two texts are, for this embedder, strangers.
    `ask` is the cosine that means "this answers the question": fusion divides by it, so that
    embedders with high and low cosines weigh the same.
    """

    local: bool
    floor: float
    ask: float

    @property
    def identity(self) -> Identity:
        """Say which space the vectors live in; the dimension is measured, never configured."""
        ...

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Return one unit vector per text, in order, or raise an EngineError."""
        ...
