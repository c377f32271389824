"""What a sentence feels, asks and is worth: small heads on the small brain's vector and pieces.

HeadWeights, not certain, and blind to who speaks. A feeling that no head was taught, or that a word
list reads as well, is left out of the reading rather than guessed.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from saegim.engines.brain.model import Brain, Static, read, unit
from saegim.engines.brain.turn_reader import TurnReader
from saegim.engines.embedder import Dense
from saegim.errors import BadInput, EngineError
from saegim.language.language import LANGUAGES, Language, language_of
from saegim.memory.memory import SENTIMENT, Feeling, SentenceReading

SHIPPED: Final = Path(__file__).with_name("heads-ko-en-1.safetensors")
QUESTION, KEEPING = "question", "keeping"
OTHERS: Final = (SENTIMENT, QUESTION, KEEPING)
# Where a text begins and ends counts as a neighbour, so that first words and endings are seen.
_BEGIN, _END = 1 << 40, 1 << 41
_ENDINGS: Final = (1, 2, 3)
_64_BITS: Final = (1 << 64) - 1
# Marks and sighs after the last word.
_CLOSING: Final = re.compile(r"[\s.?!~…,ㅋㅎㅠㅜ^]+$")
_LAST: Final = 16
# Odd 64-bit constants (golden ratio, and the mixers of xxHash64) spread pairs over the rows.
_MIX: Final = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)


@dataclass(frozen=True, slots=True)
class HeadWeights:
    """The numbers of the file: one column per head."""

    # One row per piece, then one per hashed pair of neighbours, in steps.
    scores: npt.NDArray[np.int8]
    steps: Dense
    inner: Dense
    inner_bias: Dense
    # From the vector and what is behind the inner layer to the heads.
    weights: dict[Language, Dense]
    bias: dict[Language, Dense]
    pieces: int


def rows_of(text: str, ids: Sequence[int], pieces: int, rows: int) -> npt.NDArray[np.int64]:
    """Return which rows of the score table speak of a text.

    One per piece; then, hashed into `rows` more (a power of two), one per pair of neighbours, begin
    and end included, and one per length of the text's last syllables, where Korean says how a
    sentence is meant.
    """
    shift = 65 - rows.bit_length()
    one, two, three = _MIX
    # Plain integers: for a sentence, quicker than arrays.
    line = [_BEGIN, *ids, _END]
    found = [((a * one ^ b * two) * three & _64_BITS) >> shift for a, b in pairwise(line)]
    last = _CLOSING.sub("", text[-_LAST:].lower()).encode("utf-32-le", "surrogatepass")
    for size in _ENDINGS:
        found.append((zlib.crc32(last[-4 * size :], size) * one & _64_BITS) >> shift)
    return np.array([*ids, *(pieces + each for each in found)], np.int64)


def features(brain: Brain, ids: Sequence[int]) -> Dense:
    """Return the text's vector at unit length, as the heads see it."""
    return unit(brain.bent(brain.mean(ids, "document")))


def _shares(logits: Dense) -> list[float]:
    # Beyond 30 nothing is left to tell apart, and the exponential would overflow.
    bounded = np.minimum(np.maximum(logits, -30.0), 30.0)
    shares: list[float] = (1.0 / (1.0 + np.exp(-bounded))).tolist()
    return shares


class Heads:
    """Reads sentiment, feelings, question and worth from a text, in microseconds."""

    def __init__(self, static: Static, path: Path = SHIPPED) -> None:
        self._static = static
        self._last: tuple[str, SentenceReading] | None = None
        self._tensors = read(path)
        notes = self._tensors.notes
        if notes.get("embedder") != static.identity.digest:
            raise EngineError(
                "engine.heads_in_were_taught_on",
                name=path.name,
                model=static.identity.model,
                digest=static.identity.digest,
            )
        self.columns = columns = notes["columns"].split()
        # Per language the heads that beat the plain rule; the others are not read.
        self.known = {each: frozenset(notes[f"known_{each}"].split()) for each in LANGUAGES}
        self._others = {name: columns.index(name) for name in OTHERS}
        self._feelings = {
            language: [(each, columns.index(each)) for each in Feeling if each in known]
            for language, known in self.known.items()
        }

    @cached_property
    def _learned(self) -> HeadWeights:
        found = self._tensors.arrays()
        return HeadWeights(
            scores=found["scores"],
            steps=found["steps"].astype(np.float32),
            inner=found["inner"].astype(np.float32),
            inner_bias=found["inner_bias"].astype(np.float32),
            weights={each: found[f"weights_{each}"].astype(np.float32) for each in LANGUAGES},
            bias={each: found[f"bias_{each}"].astype(np.float32) for each in LANGUAGES},
            pieces=len(self._static.brain.pieces.names),
        )

    @cached_property
    def turns(self) -> TurnReader:
        """The reader of turns, on the same small brain."""
        return TurnReader(self._static)

    def alike(self, one: str, other: str) -> float:
        """Return how near two words or names lie in the table, whichever their language.

        A word alone is best known by the table: a reader of sentences puts cities near cities.
        """
        first, second = self._static.embed([one, other], "document")
        return float(np.dot(np.asarray(first), np.asarray(second)))

    def surprise(self, word: str) -> float:
        """Return how unlikely a word is in Korean or English, in nats."""
        return self._static.brain.pieces.surprise(word)

    def read(self, text: str) -> SentenceReading:
        """Read one text; the same text asked for again is not read again."""
        last = self._last
        if last is None or last[0] != text:
            last = self._last = (text, self._read(text))
        return last[1]

    def _read(self, text: str) -> SentenceReading:
        language = language_of(text)
        shares = _shares(self.logits(text, language))
        known = self._feelings[language]
        feelings = {feeling: shares[at] for feeling, at in known}
        sentiment = 2.0 * shares[self._others[SENTIMENT]] - 1.0
        strongest = max(shares[at] for feeling, at in known if feeling is not Feeling.NEUTRAL)
        return SentenceReading(
            sentiment=sentiment,
            # No label says how strong a feeling is; both heads must be sure for it to be strong.
            intensity=(abs(sentiment) + strongest) / 2.0,
            feelings=feelings,
            question=shares[self._others[QUESTION]],
            keeping=shares[self._others[KEEPING]] if KEEPING in self.known[language] else None,
        )

    def read_all(self, texts: Sequence[str]) -> list[SentenceReading]:
        """Read some texts, in order."""
        return [self.read(text) for text in texts]

    def logits(self, text: str, language: Language) -> Dense:
        """Return what each head says before it is squeezed between 0 and 1."""
        brain, learned = self._static.brain, self._learned
        ids = brain.pieces.ids(text)
        if not ids:
            raise BadInput("engine.empty_text_says_nothing")
        rows = rows_of(text, ids, learned.pieces, len(learned.scores) - learned.pieces)
        summed = learned.scores[rows].sum(axis=0, dtype=np.int32)
        vector = features(brain, ids)
        behind = np.maximum(vector @ learned.inner + learned.inner_bias, 0.0)
        said = np.concatenate((vector, behind)) @ learned.weights[language]
        said += learned.bias[language]
        said += summed * (learned.steps * np.float32(len(ids) ** -0.5))
        return said
