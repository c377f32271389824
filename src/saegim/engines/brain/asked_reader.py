"""What a text asks for, read from what the encoder makes of it, in Korean and English.

"What did I name the cat?" and "조카 언제 태어나더라" ask a memory; "write me a sorting function"
and "내일 날씨 어때" do not, whatever they share with it. "Where shall we go for dinner?" asks for
no memory either, and what one may not eat still belongs beside it. One weight for each number of
the encoder's states, on average over the pieces (training/asked.py, training/food.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from saegim.engines.brain.encoder import Contextual
from saegim.engines.brain.model import damaged, read
from saegim.engines.embedder import Dense, Embedder, Vector
from saegim.errors import EngineError
from saegim.messages import Message

# How sure it must be: of a hundred questions about the world, left out with a hand, five are
# given a memory, and 92 of a hundred that ask one.
_SURE: Final = 0.8
# Below this no memory is asked: three in a hundred questions of the open lives are read so, and
# three quarters of their small talk.
_NOTHING: Final = -2.5
# On hands left out .79 and .83 (ko, en) of what is about food is read so, and .04 and .02 of the
# rest, half of which only sounds like it; .83 and .77 of what somebody does not or may not eat is
# found, and .02 of the rest, most of which speaks of eating too.
_FOOD: Final = 1.0
_LIMIT: Final = 1.5
SHIPPED: Final = Path(__file__).with_name("asked-ko-en-1.safetensors")
FOOD: Final = Path(__file__).with_name("food-ko-en-1.safetensors")


class _RequestReader:
    """Reads requests; it knows one encoder only."""

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self._embedder = embedder
        self._tensors = read(path)
        known = embedder.identity
        wanted = {"embedder": known.digest, "dimension": str(known.dimension)}
        if not wanted.items() <= self._tensors.notes.items():
            raise EngineError(
                "engine.reader_in_was_taught_on",
                name=path.name,
                model=known.model,
                digest=known.digest,
            )
        self._held: dict[str, Dense] = {}

    def _weights(self, name: str, size: int) -> Dense:
        if name not in self._held:
            held = self._tensors.arrays().get(name)
            if held is None or held.shape != (size + 1,):
                raise damaged(self._tensors.path, Message("engine.file_not_model_this_kind"))
            self._held[name] = held.astype(np.float32)
        return self._held[name]

    def _odds(self, text: str, name: str) -> float:
        if not isinstance(self._embedder, Contextual):
            raise damaged(self._tensors.path, Message("engine.file_not_model_this_kind"))
        seen = self._embedder.seen(text, "query")
        weights = self._weights(name, len(seen))
        return float(seen @ weights[:-1] + weights[-1])


class AskedReader(_RequestReader):
    """Tells a question for a memory from any other request."""

    def __init__(self, embedder: Embedder, path: Path = SHIPPED) -> None:
        super().__init__(embedder, path)

    def odds(self, text: str) -> float:
        """Return how far it asks for what was said and not for anything else."""
        return self._odds(text, "weights")

    def asks(self, text: str) -> bool:
        """Return whether it asks rather for what was said than for anything else."""
        return self.odds(text) > _SURE

    def asks_nothing(self, text: str) -> bool:
        """Return whether it is far from asking for what was said."""
        return self.odds(text) < _NOTHING


class FoodReader(_RequestReader):
    """Tells a request about food from any other, and finds what somebody may not eat."""

    def __init__(self, embedder: Embedder, path: Path = FOOD) -> None:
        super().__init__(embedder, path)

    def is_wanted(self, text: str, asked: AskedReader) -> bool:
        """Return whether it is rather about what to eat than a question for what was said."""
        odds = self._odds(text, "wanted")
        return odds > _FOOD and odds > asked.odds(text)

    @property
    def limits(self) -> tuple[Vector, float]:
        """Return what memories of diets and allergies are searched with, and how near one lies."""
        weights = self._weights("limits", self._embedder.identity.dimension)
        length = float(np.linalg.norm(weights[:-1]))
        return weights[:-1] / length, (_LIMIT - float(weights[-1])) / length
