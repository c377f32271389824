"""The small brain: what words mean in Korean and English, from a table inside the package.

Each piece of a text has a vector; their weighted mean, bent once, is the text's. No network, no
model server, and no dependency but numpy. It does not read word order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt

from saegim.engines.brain.tensors import Array, Tensors, damaged, read
from saegim.engines.brain.tokenizer import CUT_VERSION, Pieces
from saegim.engines.embedder import Dense, Identity, Role, Vector
from saegim.errors import BadInput
from saegim.memory.keys import NORM_VERSION
from saegim.messages import Message

SHIPPED: Final = Path(__file__).with_name("static-ko-en-1.safetensors")
PREFIXES: Final = (64, 128, 256)
# Pieces summed at once, so that a book does not ask for a gigabyte.
_AT_ONCE: Final = 4096
# Two threads that need the table at the same moment load it once.
_LOADING: Final = Lock()


@dataclass(frozen=True, slots=True)
class Brain:
    """The learned numbers, as they lie in the file."""

    pieces: Pieces
    table: npt.NDArray[np.int8]
    # What a step of the table is worth, per piece; questions weigh their words differently.
    steps: dict[Role, Dense]
    inner: Dense
    inner_bias: Dense
    outer: Dense

    def mean(self, ids: Sequence[int], role: Role) -> Dense:
        """Return the direction of the weighted sum of the pieces."""
        total = self._sum(ids[:_AT_ONCE], role)
        for at in range(_AT_ONCE, len(ids), _AT_ONCE):
            total += self._sum(ids[at : at + _AT_ONCE], role)
        return unit(total)

    def _sum(self, ids: Sequence[int], role: Role) -> Dense:
        some = np.array(ids, np.intp)
        summed: Dense = self.steps[role].take(some) @ self.table.take(some, axis=0).astype(
            np.float32
        )
        return summed

    def bent(self, mean: Dense) -> Dense:
        """Return the vector of a text, not yet of unit length, from its mean."""
        hidden: Dense = mean @ self.inner
        hidden += self.inner_bias
        np.maximum(hidden, 0.0, out=hidden)
        return mean + hidden @ self.outer


def unit(vector: Dense) -> Dense:
    """Return the direction of a vector."""
    length = math.sqrt(vector @ vector)
    if length == 0.0:
        # Pieces that cancel out exactly: any direction is as true as another, none is not one.
        vector = vector + np.float32(1.0)
        length = math.sqrt(len(vector))
    return vector / np.float32(length)


@lru_cache(maxsize=1)
def think(tensors: Tensors) -> Brain:
    """Load the numbers of a model file; memories opened side by side share them."""
    found = tensors.arrays()
    try:
        names = bytes(found["pieces"]).decode("utf-8", "surrogatepass").split("\n")
        steps = found["steps"].astype(np.float32)
        asking = steps * np.exp(found["asking"].astype(np.float32))
        table, scores = found["table"], found["scores"]
        rows = {len(names), len(table), len(scores), len(asking)}
        if rows != {len(names)} or table.shape[1:] != (PREFIXES[-1],):
            raise damaged(tensors.path, Message("engine.file_its_arrays_do_not_fit"))
        return Brain(
            pieces=Pieces(names, scores.astype(np.float32).tolist()),
            table=table,
            steps={"document": steps, "query": asking},
            inner=_wide(found["inner"]),
            inner_bias=_wide(found["inner_bias"]),
            outer=_wide(found["outer"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(tensors.path, Message("engine.file_not_model_this_kind")) from error


def _wide(array: Array) -> Dense:
    return np.ascontiguousarray(array, dtype=np.float32)


class Static:
    """Embeds Korean and English by meaning, in microseconds; the first text loads the table."""

    local = True
    lexical = False

    def __init__(self, dimension: int = PREFIXES[-1], path: Path = SHIPPED) -> None:
        if dimension not in PREFIXES:
            raise BadInput("engine.small_brain_has_no_prefix", dimension=dimension)
        self.dimension = dimension
        self._tensors = read(path)
        self._brain: Brain | None = None
        notes = self._tensors.notes
        try:
            self.floor = float(notes[f"floor_{dimension}"])
            self.ask = float(notes[f"ask_{dimension}"])
            model, digest = notes["model"], notes["checksum"][:12]
        except (KeyError, ValueError) as error:
            raise damaged(path, Message("engine.file_not_model_this_kind")) from error
        policy = f"l2,norm-{NORM_VERSION},cut-{CUT_VERSION}"
        self._identity = Identity("saegim", model, digest, dimension, policy)

    @property
    def identity(self) -> Identity:
        """Say which space the vectors live in."""
        return self._identity

    @property
    def brain(self) -> Brain:
        """The learned numbers, loaded when first needed."""
        if self._brain is None:
            with _LOADING:
                self._brain = think(self._tensors)
        return self._brain

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Return one unit vector per text; a question weighs its words by what answers share."""
        return [self._one(text, role) for text in texts]

    def _one(self, text: str, role: Role) -> Dense:
        # Text by text: a product of many rows may round otherwise than that of one, and the
        # company a text is embedded in must not change its vector.
        brain = self.brain
        ids = brain.pieces.ids(text)
        if not ids:
            raise BadInput("engine.empty_text_has_no_vector")
        return unit(brain.bent(brain.mean(ids, role))[: self.dimension])
