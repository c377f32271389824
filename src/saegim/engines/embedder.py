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
    `lexical` embedders compare spelling: what shares no word with the question is far from it, so
    where words have found enough, no neighbour needs to be looked for.
    `floor` is the cosine below which two texts are, for this embedder, strangers, and `ask` the one
    that means "this answers the question"; both differ much between embedders.
    """

    local: bool
    lexical: bool
    floor: float
    ask: float

    @property
    def identity(self) -> Identity:
        """Say which space the vectors live in; the dimension is measured, never configured."""
        ...

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Return one unit vector per text, in order, or raise an EngineError."""
        ...
