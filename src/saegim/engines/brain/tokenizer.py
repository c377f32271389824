"""Text cut into known pieces: whole words, parts of words, single jamo, and at last single bytes.

Every text has pieces, in any script, so that nothing is left without a vector.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from itertools import chain
from typing import Final

from saegim.memory.keys import normalise

# Part of every embedder's identity: when the same text falls into other pieces, this must change.
CUT_VERSION: Final = "1"

# One run of Hangul, of jamo, of other letters or of digits, or a single sign: "API를 3번" falls
# into "api", "를", "3", "번". Pieces never cross these borders; how Korean is spaced, which people
# do as they like, leaves no trace. A run longer than 64 is nobody's word; cutting it keeps the
# cost of a text linear.
_RUN: Final = re.compile(
    r"[가-힣]{1,64}|[ㄱ-ㅎㅏ-ㅣ]{1,64}|[^\W\d_가-힣ㄱ-ㅎㅏ-ㅣ]{1,64}|\d{1,64}|[^\w\s]|\S"
)
_KNOWN_RUNS: Final = 50_000
# Worse than any learned piece, so that a fallback is used only where nothing else fits.
_FALLBACK: Final = 12.0


def byte_piece(byte: int) -> str:
    """Return the name of the piece for one byte of UTF-8; no text can spell it."""
    return f"\x00{byte:02x}"


JAMO: Final = tuple(
    map(chr, [*range(0x1100, 0x1113), *range(0x1161, 0x1176), *range(0x11A8, 0x11C3)])
)
FALLBACKS: Final = (*JAMO, *map(byte_piece, range(256)))


def runs(text: str) -> list[str]:
    """Return the runs of the normalised text."""
    return _RUN.findall(normalise(text))


def marked(run: str) -> str:
    """Return the run as pieces spell it: words of letters begin with a space, Hangul does not.

    So "in" the word and "in" inside a word are two pieces, and "숙소" is one wherever it stands.
    """
    first = run[0]
    return f" {run}" if first.isalpha() and not "ㄱ" <= first <= "힣" else run


class Pieces:
    """Cuts text into the pieces of one vocabulary, the likeliest cut first."""

    def __init__(self, names: Sequence[str], scores: Sequence[float]) -> None:
        self.names = names
        self._ids = {name: at for at, name in enumerate(names)}
        self._scores = scores
        self._longest = max(map(len, names))
        self._worst = min(scores) - _FALLBACK
        self._known: dict[str, tuple[int, ...]] = {}

    def ids(self, text: str) -> list[int]:
        """Return the numbers of the text's pieces in order; only a text without signs has none."""
        known = self._known
        found = []
        for run in runs(text):
            cut = known.get(run)
            if cut is None:
                if len(known) >= _KNOWN_RUNS:
                    known.clear()
                cut = known[run] = self._cut(run)
            found.append(cut)
        return list(chain.from_iterable(found))

    def surprise(self, word: str) -> float:
        """Return how unlikely a word is, in nats: what everybody says tells nothing."""
        cut = (self._ids[marked(run)] for run in runs(word) if marked(run) in self._ids)
        whole = [-self._scores[at] for at in cut]
        # A word that is in no vocabulary is as rare as they come, however it is spelled.
        return sum(whole) if len(whole) == len(runs(word)) and whole else -self._worst - _FALLBACK

    def _cut(self, run: str) -> tuple[int, ...]:
        run = marked(run)
        whole = self._ids.get(run)
        return (whole,) if whole is not None else tuple(self._best(run))

    def _best(self, run: str) -> list[int]:
        """Return the cut whose pieces are together likeliest (Viterbi over the run)."""
        known, size, longest = self._ids.get, len(run), self._longest
        scores = self._scores
        total = [0.0] + [-math.inf] * size
        begins = [0] * (size + 1)
        chosen: list[int | None] = [None] * (size + 1)
        for start in range(size):
            here = total[start]
            # One character by itself is always possible, spelled if no piece stands for it.
            if here + self._worst > total[start + 1]:
                total[start + 1], begins[start + 1] = here + self._worst, start
                chosen[start + 1] = None
            for end in range(start + 1, min(size, start + longest) + 1):
                at = known(run[start:end])
                if at is not None and (score := here + scores[at]) > total[end]:
                    total[end], begins[end], chosen[end] = score, start, at
        found: list[int] = []
        end = size
        while end:
            at = chosen[end]
            found[:0] = self._spelled(run[end - 1]) if at is None else (at,)
            end = begins[end]
        return found

    def _spelled(self, character: str) -> Sequence[int]:
        """Return a character no piece begins with as jamo or bytes; a space alone says nothing."""
        if character == " ":
            return ()
        if "가" <= character <= "힣":
            return [self._ids[jamo] for jamo in unicodedata.normalize("NFD", character)]
        return [self._ids[byte_piece(b)] for b in character.encode("utf-8", "surrogatepass")]
