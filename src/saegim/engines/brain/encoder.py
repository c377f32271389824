"""The reading brain: a small contextual encoder of Korean and English, in plain numpy.

Words look at each other before they are summed, and a question was taught to lie near the turn
that answers it, also where the two share no word. A vector is half of it what the encoder read and
half what the static table knows of the words: each finds what the other misses. How it was taught:
`docs/encoder-card.md`.
"""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from saegim.engines.brain import model
from saegim.engines.brain.model import CUT_VERSION, Brain, Tensors, damaged, unit
from saegim.engines.embedder import Dense, Identity, Role, Vector
from saegim.errors import BadInput
from saegim.memory.text import NORM_VERSION
from saegim.messages import Message
from saegim.one_thread import ALONE

SHIPPED: Final = Path(__file__).with_name("encoder-ko-en-1.safetensors")
# How many numbers of the table and of the encoder stand side by side in a vector.
DIMENSIONS: Final = {384: (256, 128), 192: (128, 64)}
# Pieces read together; what is longer is read in windows, whose vectors are averaged.
WINDOW: Final = 192
_TINY: Final = np.float32(1.1920929e-07)
_LOADING: Final = Lock()  # two threads that need the numbers at one moment load them once
# A prompt is asked with, judged and taken in mind: three times the same words within a moment.
_LATELY: Final = 64


@dataclass(frozen=True, slots=True)
class Layer:
    """One step of reading: what looks at what, then what follows from it."""

    looks: Dense  # queries, keys and values side by side; scaled and weighed beforehand
    joined: Dense
    inner: Dense
    bias: Dense
    outer: Dense
    distance: Dense


@dataclass(frozen=True, slots=True)
class EncoderWeights:
    """The learned numbers: int8 where they lie in the file, wide where they are multiplied."""

    words: Brain
    table: npt.NDArray[np.int8]
    steps: Dense
    weights: Dense
    roles: Dense
    layers: tuple[Layer, ...]
    weigh: Dense
    last: Dense
    heads: int

    def states(self, ids: Sequence[int], role: Role) -> Dense:
        """Return a state for each piece: what it means here."""
        some = np.array(ids, np.intp)
        x: Dense = self.table.take(some, axis=0) * self.steps.take(some)[:, None]
        x += self.roles[1 if role == "query" else 0]
        return rms_even(read_on(x, self.layers, self.heads))

    def vector(self, ids: Sequence[int], role: Role) -> Dense:
        """Return the vector of a text, not yet of unit length."""
        if len(ids) <= WINDOW:
            return self._pooled(ids, role)
        total = np.zeros(self.last.shape[1], np.float32)
        for at in range(0, len(ids), WINDOW):
            part = ids[at : at + WINDOW]
            total += unit(self._pooled(part, role)) * np.float32(len(part))
        return total

    def _pooled(self, ids: Sequence[int], role: Role) -> Dense:
        x = self.states(ids, role)
        counts = x @ self.weigh
        counts += self.weights.take(np.array(ids, np.intp))
        np.exp(counts - counts.max(), out=counts)
        mean: Dense = (counts @ x) / counts.sum()
        return mean @ self.last


def read_on(x: Dense, layers: Sequence[Layer], heads: int) -> Dense:
    """Read rows on through some layers: each takes from those that matter to it."""
    at = np.arange(len(x))
    reach = (layers[0].distance.shape[1] - 1) // 2
    apart = np.clip(at[None] - at[:, None], -reach, reach) + reach
    for layer in layers:
        _look(x, layer, apart, heads)
        bent = rms_even(x) @ layer.inner
        bent += layer.bias
        np.maximum(bent, 0.0, out=bent)
        np.square(bent, out=bent)
        x += bent @ layer.outer
    return x


def _look(x: Dense, layer: Layer, apart: npt.NDArray[Any], heads: int) -> None:
    """Let every piece take from those that matter to it."""
    count, width = x.shape
    parts = (rms_even(x) @ layer.looks).reshape(count, 3, heads, -1).transpose(1, 2, 0, 3)
    scores: Dense = parts[0] @ parts[1].transpose(0, 2, 1)
    scores += layer.distance[:, apart]
    scores -= scores.max(axis=2, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=2, keepdims=True)
    seen = (scores @ parts[2]).transpose(1, 0, 2).reshape(count, width)
    x += seen @ layer.joined


def rms_even(x: Dense) -> Dense:
    """Return each row at the same size; what a number is worth lies in the next product."""
    size = np.einsum("ij,ij->i", x, x) / np.float32(x.shape[1])
    even: Dense = x * (1.0 / np.sqrt(size + _TINY))[:, None].astype(np.float32)
    return even


@lru_cache(maxsize=1)
def learned(tensors: Tensors) -> EncoderWeights:
    """Load the numbers of an encoder's file; memories opened side by side share them."""
    found = tensors.arrays()
    try:
        heads, layers = int(tensors.notes["heads"]), int(tensors.notes["layers"])
        static = model.read(model.SHIPPED)
        words = model.think(static)
        taught_on = tensors.notes["pieces"], len(found["table"])
        if taught_on != (static.notes["checksum"], len(words.pieces.names)):
            raise damaged(tensors.path, Message("engine.file_its_arrays_do_not_fit"))
        return EncoderWeights(
            words=words,
            table=found["table"],
            steps=found["steps"].astype(np.float32),
            weights=found["weights"].astype(np.float32),
            roles=found["roles"].astype(np.float32),
            layers=tuple(
                Layer(**{
                    name: wide(found, f"{at}.{name}")
                    for name in ("looks", "joined", "inner", "bias", "outer", "distance")
                })
                for at in range(layers)
            ),
            weigh=found["weigh"].astype(np.float32),
            last=wide(found, "last"),
            heads=heads,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(tensors.path, Message("engine.file_not_model_this_kind")) from error


def wide(found: dict[str, Any], name: str) -> Dense:
    """Return a product's numbers as they are multiplied: int8 has a step for each column."""
    array = found[name].astype(np.float32)
    if found[name].dtype == np.int8:
        array *= found[f"{name}.steps"].astype(np.float32)
    return np.ascontiguousarray(array)


class Contextual:
    """Embeds Korean and English by what a sentence says; the first text loads the numbers."""

    local = True
    at_once = 1_500  # some 40 ms: a paragraph of talk, not a page
    lexical = False

    def __init__(self, dimension: int = 384, path: Path = SHIPPED) -> None:
        if dimension not in DIMENSIONS:
            raise BadInput("engine.encoder_has_no_prefix", dimension=dimension)
        self.dimension = dimension
        self._tensors = model.read(path)
        self._reader: EncoderWeights | None = None
        self._lately: OrderedDict[bytes, Dense] = OrderedDict()
        notes = self._tensors.notes
        try:
            self.floor = float(notes[f"floor_{dimension}"])
            self.ask = float(notes[f"ask_{dimension}"])
            name, digest = notes["model"], notes["checksum"][:12]
        except (KeyError, ValueError) as error:
            raise damaged(path, Message("engine.file_not_model_this_kind")) from error
        policy = f"l2,norm-{NORM_VERSION},cut-{CUT_VERSION},window-{WINDOW}"
        self._identity = Identity("saegim", name, digest, dimension, policy)

    @property
    def identity(self) -> Identity:
        """Say which space the vectors live in."""
        return self._identity

    @property
    def reader(self) -> EncoderWeights:
        """The learned numbers, loaded when first needed."""
        if self._reader is None:
            with _LOADING:
                self._reader = learned(self._tensors)
        return self._reader

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Return one unit vector per text."""
        return [self._one(text, role) for text in texts]

    def _one(self, text: str, role: Role) -> Dense:
        """Return the vector of a text; of the latest it is remembered, by a digest of the words."""
        said = hashlib.blake2b(
            text.encode("utf-8", "surrogatepass"), digest_size=16, key=role.encode()
        )
        made = self._lately.get(said.digest())
        if made is None:
            made = self._lately[said.digest()] = self._made(text, role)
            with suppress(KeyError):  # another thread was quicker
                while len(self._lately) > _LATELY:
                    self._lately.popitem(last=False)
        return made.copy()

    def _made(self, text: str, role: Role) -> Dense:
        # Text by text: a product of many rows may round otherwise than that of one, and the
        # company a text is embedded in must not change its vector.
        ids = self.reader.words.pieces.ids(text)
        if not ids:
            raise BadInput("engine.empty_text_has_no_vector")
        known, read = DIMENSIONS[self.dimension]
        with ALONE:
            table = self.reader.words
            half = np.float32(math.sqrt(0.5))
            made = np.concatenate(
                [
                    half * unit(table.bent(table.mean(ids, role))[:known]),
                    half * unit(self.reader.vector(ids, role)[:read]),
                ]
            )
        if not math.isfinite(float(made[0] + made[-1])):  # of either half
            raise damaged(self._tensors.path, Message("engine.file_not_model_this_kind"))
        return made
