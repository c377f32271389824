"""Whether a turn praises or blames what was just answered, in Korean and English.

A small reader, taught on lines that many hands wrote and labelled (training/feedback.py): it reads
on from the encoder's middle with two layers of its own, and looks at the states of each piece
before and behind them, and at hashed words and letters and the shape of the text. Only what a
person says of the answer counts: not what they like, ask, or tell that others said.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from saegim.engines.brain.encoder import Contextual, rms_even
from saegim.engines.brain.layers import Layers, own_layers
from saegim.engines.brain.model import damaged, read
from saegim.engines.brain.turn_reader import shape
from saegim.engines.embedder import Dense
from saegim.errors import EngineError
from saegim.memory.text import fold
from saegim.messages import Message
from saegim.one_thread import ALONE

SHIPPED: Final = Path(__file__).with_name("feedback-ko-en-2.safetensors")
LABELS: Final = ("positive", "negative", "none")
ROWS: Final = 4096
PIECES: Final = 60
# How far two parts are stretched; chosen, as the rest, by leaving hands out.
_SCORES, _PLAIN = 3.0, 0.5
# Judgements are short; of a longer turn the beginning tells ("아니 그게 아니라, ...").
MOST_LETTERS: Final = 160
_MIX: Final = 0x9E3779B1
_RUN: Final = re.compile(r"[가-힣]+|[ㄱ-ㅎㅏ-ㅣ]+|[a-z]+(?:'[a-z]+)?|\d+|[^\w\s]")
_REPEATED: Final = re.compile(r"(.)\1{2,}")


@dataclass(frozen=True, slots=True)
class FeedbackReading:
    """How sure the reader is of each: shares that add up to one."""

    positive: float
    negative: float
    none: float

    @property
    def label(self) -> str:
        """Return the likeliest of the three."""
        return max(LABELS, key=lambda name: float(getattr(self, name)))


@dataclass(frozen=True, slots=True)
class FeedbackSigns:
    """What the reader sees of a turn."""

    # What the encoder's first layers make of the text: of who speaks, then of each piece.
    middle: Dense
    # Which hashed words and letters there are, and what one of them counts.
    rows: npt.NDArray[np.int64]
    share: float
    plain: Dense


def signs(text: str, encoder: Contextual) -> FeedbackSigns:
    """Return what the reader sees of a turn."""
    said, words = fold(text)[:MOST_LETTERS], encoder.reader
    ids = (words.words.pieces.ids(said) or [0])[:PIECES]
    rows = hashed_rows(_REPEATED.sub(r"\1\1", said.lower().replace("’", "'")))
    return FeedbackSigns(
        middle=words.states(ids, "document")[0],
        rows=rows,
        share=_SCORES * max(len(rows), 1) ** -0.5,
        plain=_PLAIN * shape(said),
    )


def hashed_rows(text: str) -> npt.NDArray[np.int64]:
    """Return which rows speak of a text: words, pairs, their letters, how it begins and ends."""
    words = _RUN.findall(text)
    found = [*words, *(f"{one} {two}" for one, two in pairwise(["\x02", *words, "\x03"]))]
    for word in words:
        size = (1, 2, 3) if "ㄱ" <= word[0] <= "힣" else (4,)
        held = f"<{word}>"
        found += [held[at : at + n] for n in size for at in range(len(held) - n + 1)]
    hashed = {zlib.crc32(each.encode("utf-8", "surrogatepass")) * _MIX for each in found}
    return np.array(sorted({each % (1 << 32) * ROWS >> 32 for each in hashed}), np.int64)


def softmax(logits: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return shares that add up to one."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: npt.NDArray[Any] = raised / raised.sum(axis=-1, keepdims=True)
    return shares


@dataclass(frozen=True, slots=True)
class FeedbackWeights:
    """The numbers of the file."""

    look: Dense  # which pieces matter, seen twice
    out: Dense
    scores: Dense
    plain: Dense
    bias: Dense


class FeedbackReader:
    """Reads judgements in a few milliseconds; the first loads its file."""

    def __init__(self, encoder: Contextual, path: Path = SHIPPED) -> None:
        self._encoder = encoder
        self._tensors = read(path)
        if self._tensors.notes.get("embedder") != encoder.identity.digest:
            raise EngineError(
                "engine.reader_in_was_taught_on",
                name=path.name,
                model=encoder.identity.model,
                digest=encoder.identity.digest,
            )

    @cached_property
    def _layers(self) -> Layers:
        return own_layers(self._tensors)

    @cached_property
    def _learned(self) -> FeedbackWeights:
        found = self._tensors.arrays()
        try:
            return FeedbackWeights(**{
                name: found[name].astype(np.float32)
                for name in ("look", "out", "scores", "plain", "bias")
            })  # fmt: skip
        except (KeyError, TypeError, ValueError) as error:
            why = Message("engine.file_not_model_this_kind")
            raise damaged(self._tensors.path, why) from error

    def read(self, text: str) -> FeedbackReading:
        """Read one turn of the person."""
        learned = self._learned
        with ALONE:
            seen = signs(text, self._encoder)
            [states] = self._layers.read(seen.middle)
            sign, x = np.split(rms_even(np.concatenate([seen.middle, states], axis=1)), [1])
            matters = softmax((x @ learned.look).T)
            pooled = np.concatenate([*(matters @ x), x.max(axis=0), sign[0]])
            told = pooled @ learned.out + seen.plain @ learned.plain + learned.bias
            told += seen.share * learned.scores[seen.rows].sum(axis=0)
        return FeedbackReading(*(float(each) for each in softmax(told)))
