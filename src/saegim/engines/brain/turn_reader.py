"""What a turn of talk holds: something to keep, something asked, for how long, whose it is.

One small reader, taught on turns that several hands wrote and labelled for it (training/turns,
training/turns.py): a score for each hashed word and pair, the small brain's vector, the shape of
the text, and a small convolution over its pieces, which sees which words stand together.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from saegim.engines.brain.model import Static, read, unit
from saegim.engines.embedder import Dense
from saegim.errors import EngineError
from saegim.memory.text import lazy_pattern

SHIPPED: Final = Path(__file__).with_name("turns-ko-en-1.safetensors")
# What the person's turn and the assistant's turn are worth are two questions.
HEADS: Final = (
    "keep", "result", "asks", "lasting", "until", "passing", "project",
    "forget", "refuse", "wish", "correct", "paste",
)  # fmt: skip
RESULT: Final = HEADS.index("result")
ROWS: Final = 8192
WIDTHS: Final = (1, 3)
MOST_PIECES: Final = 200
# Of anything longer, the beginning and the end are read.
_HEAD, _TAIL = 1200, 400
# So few pieces at once that the product stays on one core: waking the others costs more than it
# brings, and many times more on a busy machine.
_AT_ONCE: Final = 8
_MIX: Final = 0x9E3779B1
# How likely each of two readers must find a wish to forget.
_BOTH_FORGET: Final = 0.25
_SURER: Final = 0.2
_BEGIN, _END = "\x02", "\x03"

_RUN: Final = lazy_pattern(r"[가-힣]+|[ㄱ-ㅎㅏ-ㅣ]+|[a-z]+(?:'[a-z]+)?|\d+|[^\w\s]", re.I)
_DAYS: Final = (
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:today|tonight|tomorrow|yesterday)"
    r"|\b(?:next|last|this) \w+|오늘|내일|모레|어제|그저께|글피|다음\s?[주달]|이번\s?[주달]"
    r"|지난\s?[주달]|요일|\d+\s?[월일시]"
)
_SHAPES: Final = (
    lazy_pattern(r"\d"),
    lazy_pattern(r"[?？]"),
    lazy_pattern(r"[?？][\s!~.…ㅋㅎㅠㅜ)\"'”’]*$"),
    lazy_pattern(r"!"),
    lazy_pattern(r"[ㅋㅎ]{2,}|\b(?:lol|lmao|haha+|hehe+)\b", re.I),
    lazy_pattern(r"[ㅠㅜ]{2,}|:\(|😭|😢"),
    lazy_pattern(r"\n"),
    lazy_pattern(r"(?:\n.*){4,}"),
    lazy_pattern(r"https?://|www\."),
    lazy_pattern(r"```|^\s*(?:at |File \"|Traceback|>>> |\$ )|[{};]\s*$|\w\(\)|=>|::|\w_\w", re.M),
    lazy_pattern(r"^\s*(?:>|from:|to:|subject:|re:|fwd?:|제목\s*:|보낸\s*사람|\[web발신\]|\[공지\])",
               re.I | re.M),
    lazy_pattern(r"[\"“”].{40,}[\"“”]", re.S),
    lazy_pattern(r":\s*\n"),
    lazy_pattern(r"(?<![.!?…]\s)(?<!^)\b[A-Z][a-z]{2,}"),
    lazy_pattern(r"\b(?:i|i'm|i've|my|me|mine|we|our|us)\b", re.I),
    lazy_pattern(r"(?:^|\s)(?:나|내|난|제|저|전|우리|울)(?:가|는|도|한테|를|의|랑|만)?(?:\s|$)"),
    lazy_pattern(_DAYS, re.I),
    lazy_pattern(r"\d\s?(?:만\s?원|천\s?원|원|개월|살|명|kg|km|cm|%|dollars|bucks|am|pm)|[$€£₩]\s?\d",
               re.I),
    lazy_pattern(r"(?:^|\n)\s*(?:[-*•]|\d+[.)])\s"),
)  # fmt: skip
# Two lengths and one constant stand before the shapes.
PLAIN: Final = 3 + len(_SHAPES)


@dataclass(frozen=True, slots=True)
class TurnReading:
    """What a reader found in a turn; every number is a share from 0 to 1."""

    keep: float
    asks: float
    lasting: float
    until: float
    passing: float
    project: float
    forget: float
    refuse: float
    wish: float
    correct: float
    paste: float


def glance(text: str) -> str:
    """Return as much of a turn as is read."""
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"


def shape(text: str) -> Dense:
    """Return what can be seen of a turn without reading it: lengths, marks, layout."""
    size = len(text)
    seen = [float(each.search(text) is not None) for each in _SHAPES]
    return np.array([1.0, min(size, 400) / 400, min(size, 40) / 40, *seen], np.float32)


def rows_of(text: str) -> npt.NDArray[np.int64]:
    """Return which rows of the score table speak of a turn: words, their beginnings and pairs."""
    words = [each.lower() for each in _RUN.findall(text)]
    found: list[str] = []
    for word in words:
        found.append(word)
        if "가" <= word[0] <= "힣":
            # Korean says what it means at both ends of a word: the noun here, the ending there.
            found += [f"^{word[:size]}" for size in (1, 2) if size < len(word)]
            found += [f"{word[-size:]}$" for size in (1, 2, 3) if size < len(word)]
        elif word[0].isalpha() and len(word) > 5:
            found.append(f"^{word[:5]}")
    found += [f"{one} {two}" for one, two in pairwise([_BEGIN, *words, _END])]
    hashed = {zlib.crc32(each.encode("utf-8", "surrogatepass")) * _MIX for each in found}
    return np.array(sorted({each % (1 << 32) * ROWS >> 32 for each in hashed}), np.int64)


@dataclass(frozen=True, slots=True)
class TurnWeights:
    """The numbers of the file: one column per head."""

    scores: npt.NDArray[np.int8]
    steps: Dense
    vector: Dense
    plain: Dense
    # For each width: (width, numbers of a piece, filters), and what each filter starts from.
    convs: tuple[tuple[Dense, Dense], ...]
    out: Dense
    out_bias: Dense


class TurnReader:
    """Reads turns in well under a millisecond; the first loads its file."""

    def __init__(self, static: Static, path: Path = SHIPPED) -> None:
        self._static = static
        self._tensors = read(path)
        notes = self._tensors.notes
        if notes.get("embedder") != static.identity.digest:
            raise EngineError(
                "engine.reader_in_was_taught_on",
                name=path.name,
                model=static.identity.model,
                digest=static.identity.digest,
            )

    @cached_property
    def _learned(self) -> TurnWeights:
        found = self._tensors.arrays()
        wide = {name: each.astype(np.float32) for name, each in found.items() if name != "scores"}
        return TurnWeights(
            scores=found["scores"],
            steps=wide["steps"],
            vector=wide["vector"],
            plain=wide["plain"],
            convs=tuple((wide[f"conv_{each}"], wide[f"conv_{each}_bias"]) for each in WIDTHS),
            out=wide["out"],
            out_bias=wide["out_bias"],
        )

    def read(self, text: str, *, assistant: bool = False) -> TurnReading:
        """Read one turn of the person or of the assistant."""
        said = dict(zip(HEADS, _shares(self.logits(glance(text))), strict=True))
        worth = said.pop("result") if assistant else said["keep"]
        said.pop("result", None)
        total = max(said["lasting"] + said["until"] + said["passing"], 1e-6)
        for name in ("lasting", "until", "passing"):
            said[name] /= total
        return TurnReading(**{**said, "keep": worth})

    def beside(self, said: TurnReading, other: Mapping[str, float]) -> TurnReading:
        """Return the mean of two readers of one turn; together they err less than either alone.

        Whose it is was taught to the other one by what is kept alone, and it answers otherwise for
        the rest. What two find worth keeping must be a little surer: chosen on hands left out. A
        wish to forget takes something away, so neither may find it unlikely ("나 회사 그만뒀어").
        """
        made = {
            name: _mean(getattr(said, name), share, _SURER if name == "keep" else 0.0)
            for name, share in other.items()
        }
        made["project"] = said.project
        if (least := min(said.forget, other["forget"])) < _BOTH_FORGET:
            made["forget"] = least
        times = ("lasting", "until", "passing")
        total = max(sum(made[name] for name in times), 1e-6)
        return replace(said, **made | {name: made[name] / total for name in times})

    def logits(self, text: str) -> Dense:
        """Return what each head says before it is squeezed between 0 and 1."""
        learned, rows = self._learned, rows_of(text)
        summed = learned.scores[rows].sum(axis=0, dtype=np.int32)
        told: Dense = summed * (learned.steps * np.float32(max(len(rows), 1) ** -0.5))
        ids = self._static.brain.pieces.ids(text)
        told = told + dense(self._static, ids) @ learned.vector + shape(text) @ learned.plain
        beside = self._pooled(ids) @ learned.out + learned.out_bias
        beside[RESULT] = 0.0
        return told + beside

    def _pooled(self, pieces: Sequence[int]) -> Dense:
        """Return what the convolution sees anywhere in the text, and on average."""
        # An empty text is one unknown piece.
        brain, ids = self._static.brain, np.array(pieces[:MOST_PIECES] or (0,), np.intp)
        line = brain.table.take(ids, axis=0) * brain.steps["document"].take(ids)[:, None]
        pooled: list[Dense] = []
        for weights, bias in self._learned.convs:
            reach = len(weights) // 2
            # By hand: for lines as short as these `np.pad` takes longer than the products.
            padded = np.zeros((len(line) + 2 * reach, line.shape[1]), line.dtype)
            padded[reach : reach + len(line)] = line
            found = np.tile(bias, (len(line), 1))
            for start in range(0, len(line), _AT_ONCE):
                part = found[start : start + _AT_ONCE]
                for step, each in enumerate(weights):
                    part += padded[start + step : start + step + len(part)] @ each
            np.maximum(found, 0.0, out=found)
            pooled += [found.max(axis=0), found.mean(axis=0)]
        return np.concatenate(pooled)


def dense(static: Static, ids: Sequence[int]) -> Dense:
    """Return the vector of a turn as the reader sees it; nought where there is nothing to read."""
    if not ids:
        return np.zeros(static.brain.table.shape[1], np.float32)
    return unit(static.brain.bent(static.brain.mean(ids, "document")))


def _mean(one: float, other: float, less: float) -> float:
    """Return the share that lies between two shares, reckoned by their odds."""
    odds = [math.log(max(each, 1e-6) / max(1 - each, 1e-6)) for each in (one, other)]
    return 1 / (1 + math.exp(less - sum(odds) / 2))


def _shares(logits: Dense) -> Sequence[float]:
    bounded = np.minimum(np.maximum(logits, -30.0), 30.0)
    shares: list[float] = (1.0 / (1.0 + np.exp(-bounded))).tolist()
    return shares
