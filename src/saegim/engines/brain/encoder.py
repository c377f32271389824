"""The reading brain: a small contextual encoder of Korean and English.

Words look at each other before they are summed, and a question was taught to lie near the turn
that answers it, also where the two share no word. Six layers in small whole numbers are run by
onnxruntime; what is looked up before them and pooled after them is plain numpy. How it was taught:
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
from typing import Final

import numpy as np
import numpy.typing as npt

from saegim.engines.brain import model
from saegim.engines.brain.layers import Layers
from saegim.engines.brain.model import CUT_VERSION, Brain, Tensors, damaged, unit
from saegim.engines.embedder import Dense, Identity, Role, Vector
from saegim.errors import BadInput
from saegim.memory.text import NORM_VERSION
from saegim.messages import Message
from saegim.one_thread import ALONE

SHIPPED: Final = Path(__file__).with_name("encoder-ko-en-2.safetensors")
# How many numbers of the table and of the encoder stand side by side in a vector.
DIMENSIONS: Final = {384: (256, 128), 192: (128, 64)}
# What part of a vector's length is the table's.
KNOWN_SHARE: Final = 0.4
_OF_TABLE: Final = np.float32(math.sqrt(KNOWN_SHARE))
_OF_READER: Final = np.float32(math.sqrt(1.0 - KNOWN_SHARE))
# Pieces read together; what is longer is read in windows, whose vectors are averaged.
WINDOW: Final = 190
_TINY: Final = np.float32(1e-6)
_LEAST: Final = np.float32(1.1920929e-07)
_LOADING: Final = Lock()  # two threads that need the numbers at one moment load them once
# A prompt is asked with, judged and taken in mind: three times the same words within a moment.
_LATELY: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class EncoderWeights:
    """The learned numbers, few bits each where there are many."""

    words: Brain
    table: npt.NDArray[np.uint8]  # two numbers of four bits in each byte
    steps: npt.NDArray[np.float16]
    weights: Dense
    roles: Dense
    places: Dense
    gain: Dense
    bias: Dense
    layers: Layers
    weigh: Dense
    last: Dense

    def begun(self, ids: Sequence[int], role: Role) -> Dense:
        """Return what the layers begin with: a row for who speaks, and one for each piece."""
        some = np.array(ids, np.intp)
        packed = self.table.take(some, axis=0)
        few = np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32) - 8.0
        steps = self.steps.take(some, axis=0).astype(np.float32)
        rows = few.reshape(*steps.shape, -1) * steps[..., None]
        x = np.concatenate([self.roles[[int(role == "query")]], rows.reshape(len(some), -1)])
        x += self.places[: len(x)]
        x -= x.mean(axis=1, keepdims=True)
        x *= 1.0 / np.sqrt(np.einsum("ij,ij->i", x, x)[:, None] / np.float32(x.shape[1]) + _TINY)
        begun: Dense = x * self.gain + self.bias
        return begun

    def states(self, ids: Sequence[int], role: Role) -> tuple[Dense, Dense]:
        """Return the states in the middle and at the end: of who speaks, then of each piece."""
        return _read(self, tuple(ids), role)

    def read(self, ids: Sequence[int], role: Role) -> tuple[Dense, Dense]:
        """Return the vector of a text, not yet of unit length, and what the layers make of it."""
        vector = np.zeros(self.last.shape[1], np.float32)
        seen = np.zeros(2 * self.places.shape[1], np.float32)
        for at in range(0, len(ids), WINDOW):
            part = ids[at : at + WINDOW]
            middle, states = self.states(part, role)
            vector += unit(self.pooled(states, part)) * np.float32(len(part))
            seen += seen_of(middle, states).sum(axis=0)
        seen /= np.float32(len(ids))
        return vector, seen

    def pooled(self, x: Dense, ids: Sequence[int]) -> Dense:
        """Return the vector that a window's states add up to."""
        counts = x @ self.weigh
        counts[1:] += self.weights.take(np.array(ids, np.intp))
        np.exp(counts - counts.max(), out=counts)
        mean: Dense = (counts @ x) / counts.sum()
        return mean @ self.last


def seen_of(middle: Dense, states: Dense) -> Dense:
    """Return what a small reader sees of each piece: its states side by side, of one size."""
    return rms_even(np.concatenate([middle[1:], states[1:]], axis=1))


def rms_even(x: Dense) -> Dense:
    """Return each row at the same size; what a number is worth lies in the next product."""
    size = np.einsum("ij,ij->i", x, x) / np.float32(x.shape[1])
    even: Dense = x * (1.0 / np.sqrt(size + _LEAST))[:, None].astype(np.float32)
    return even


# A turn is given a vector and is read for what it claims: the layers read it once for both.
@lru_cache(maxsize=4)
def _read(weights: EncoderWeights, ids: tuple[int, ...], role: Role) -> tuple[Dense, Dense]:
    states, middle = weights.layers.read(weights.begun(ids, role))
    return middle, states


def learned(tensors: Tensors) -> EncoderWeights:
    """Return the numbers of an encoder's file; who needs them at one moment loads them once."""
    with _LOADING:
        return _learned(tensors)


def taught_on(checksum: str, reader: Path) -> EncoderWeights:
    """Return the encoder that ships, if it is the one that a reader's file was taught on."""
    shipped = model.read(SHIPPED)
    if shipped.notes["checksum"] != checksum:
        raise damaged(reader, Message("engine.file_its_arrays_do_not_fit"))
    return learned(shipped)


@lru_cache(maxsize=1)
def _learned(tensors: Tensors) -> EncoderWeights:
    found = tensors.arrays()
    try:
        static = model.read(model.SHIPPED)
        words = model.think(static)
        wide = {
            name: found[name].astype(np.float32)
            for name in ("weights", "roles", "places", "gain", "bias", "weigh", "last")
        }
        layers = Layers(found["layers"], ("states", "middle"), tensors.path)
        count, width = len(words.pieces.names), layers.width
        shapes = {
            "table": (count, width // 2), "weights": (count,), "roles": (2, width),
            "gain": (width,), "bias": (width,), "weigh": (width,), "last": (width, width),
            "steps": (count, width // 64),
        }  # fmt: skip
        fits = all(found[name].shape == shape for name, shape in shapes.items())
        fits &= (
            len(found["places"]) > WINDOW and tensors.notes["pieces"] == static.notes["checksum"]
        )
        if not fits:
            raise damaged(tensors.path, Message("engine.file_its_arrays_do_not_fit"))
        return EncoderWeights(
            words=words, table=found["table"], steps=found["steps"], layers=layers, **wide
        )
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(tensors.path, Message("engine.file_not_model_this_kind")) from error


class Contextual:
    """Embeds Korean and English by what a sentence says; the first text loads the numbers."""

    local = True
    at_once = 600  # some 50 ms: a few sentences of talk, not a page
    lexical = False

    def __init__(self, dimension: int = 384, path: Path = SHIPPED) -> None:
        if dimension not in DIMENSIONS:
            raise BadInput("engine.encoder_has_no_prefix", dimension=dimension)
        self.dimension = dimension
        self._tensors = model.read(path)
        self._reader: EncoderWeights | None = None
        self._lately: OrderedDict[bytes, tuple[Dense, Dense]] = OrderedDict()
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
            self._reader = learned(self._tensors)
        return self._reader

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Return one unit vector per text."""
        return [self._one(text, role)[0].copy() for text in texts]

    def seen(self, text: str, role: Role) -> Dense:
        """Return what the layers make of a text on average, in their middle and at their end.

        A vector keeps what a text is about; this also keeps what is done with it, such as asking.
        """
        return self._one(text, role)[1]

    def _one(self, text: str, role: Role) -> tuple[Dense, Dense]:
        """Return what a text makes; of the latest it is remembered, by a digest of the words."""
        said = hashlib.blake2b(
            text.encode("utf-8", "surrogatepass"), digest_size=16, key=role.encode()
        )
        made = self._lately.get(said.digest())
        if made is None:
            made = self._lately[said.digest()] = self._made(text, role)
            with suppress(KeyError):  # another thread was quicker
                while len(self._lately) > _LATELY:
                    self._lately.popitem(last=False)
        return made

    def _made(self, text: str, role: Role) -> tuple[Dense, Dense]:
        # Text by text: a product of many rows may round otherwise than that of one, and the
        # company a text is embedded in must not change its vector.
        ids = self.reader.words.pieces.ids(text)
        if not ids:
            raise BadInput("engine.empty_text_has_no_vector")
        known, read = DIMENSIONS[self.dimension]
        with ALONE:
            table = self.reader.words
            vector, seen = self.reader.read(ids, role)
            made = np.concatenate(
                [
                    _OF_TABLE * unit(table.bent(table.mean(ids, role))[:known]),
                    _OF_READER * unit(vector[:read]),
                ]
            )
        if not math.isfinite(float(made[0] + made[-1])):  # of either half
            raise damaged(self._tensors.path, Message("engine.file_not_model_this_kind"))
        return made, seen
