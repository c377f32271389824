"""Whether a text asks for what was said before, in Korean and English.

"What did I name the cat?" and "조카 언제 태어나더라" ask a memory; "write me a sorting function"
and "내일 날씨 어때" do not, whatever they share with it. One weight for each number of a vector of
the encoder, taught on questions of scenes against requests of other kinds (training/asked.py).
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from saegim.engines.brain.model import damaged, read
from saegim.engines.embedder import Dense, Embedder
from saegim.errors import EngineError
from saegim.messages import Message

# How sure it must be: of a hundred questions about the world at most five are given a memory.
_SURE: Final = 0.8
SHIPPED: Final = Path(__file__).with_name("asked-ko-en-1.safetensors")


class AskedReader:
    """Reads questions by the vector they are searched with; it knows one encoder only."""

    def __init__(self, embedder: Embedder, path: Path = SHIPPED) -> None:
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

    @cached_property
    def _weights(self) -> Dense:
        held = self._tensors.arrays().get("weights")
        if held is None or held.shape != (self._embedder.identity.dimension + 1,):
            raise damaged(self._tensors.path, Message("engine.file_not_model_this_kind"))
        return held.astype(np.float32)

    def asks(self, text: str) -> bool:
        """Return whether it asks rather for what was said than for anything else."""
        vector = np.asarray(self._embedder.embed([text], "query")[0], np.float32)
        return bool(vector @ self._weights[:-1] + self._weights[-1] > _SURE)
