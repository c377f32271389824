"""How many tokens a text will cost: an estimate by script, without any tokenizer.

The reference is `cl100k_base`, among the widely used tokenizers the dearest for Hangul but one, so
that a text which fits by this estimate fits nearly everywhere. Tokens per Korean character in our
samples: an older Claude 1.20, `cl100k_base` 1.10, Qwen 0.79, `o200k_base` 0.71, Tekken 0.65.
Costs are kept in hundredths of a token, so that a sum is the same on every machine.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from saegim.memory.text import lazy_pattern

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Syllables that the reference holds as one token.
_ONE: Final = (
    "가간값개거게결경고공과구그글기나내는능니다당대도동되된드든들디라래러력로록료류른를름리만메면명목문"
    "미버번보복부분비사산상색생서성세션소수스습시식신아야어에여열오와요용우운원위으은을음의이인일임입자작"
    "장재적전정제져조주지진째체출치크태터턴트튼하한할함해호화환회"
)
# Blocks of 64 syllables (they share two UTF-8 bytes) where the reference merges those two bytes,
# so that a syllable costs two tokens; elsewhere each byte is a token. Exceptions follow.
_TWO_BLOCKS: Final = frozenset(
    (
        *(0, 1, 2, 3, 5, 7, 8, 9, 18, 20, 21, 26, 27, 29, 31, 32, 35, 36, 46, 47, 48, 49, 51, 53),
        *(54, 55, 57, 58, 63, 64, 66, 67, 70, 72, 82, 83, 84, 85, 86, 90, 91, 101, 102, 103, 104),
        *(105, 106, 107, 108, 109, 110, 112, 116, 118, 119, 128, 130, 134, 137, 145, 147, 148),
        *(154, 156, 165, 168, 169),
    )
)
_TWO: Final = "관두때무뭐쌀존초최취코키킨킬킹테텍통표프행후"
_FIRST, _LAST = 0xAC00, 0xD7A3

# Pieces are bounded so that one endless word does not make a cut slow.
_PIECE: Final = lazy_pattern(
    r"(?P<syllables>[가-힣]{1,256})"
    r"|(?P<capitals>[A-Z]{1,256}(?![a-z]))"
    r"|(?P<inner>(?<=[A-Za-z0-9])[A-Z]?[a-z]{1,256})"
    r"|(?P<word>[A-Z]?[a-z]{1,256})"
    r"|(?P<digits>[0-9]{1,256})"
    r"|(?P<gap>[ \t]{2,256})"
    r"|(?P<lines>[\r\n]{1,256})"
    r"|(?P<bar>_)"
    r"|(?P<marks>[!-/:-@\[-^`{-~]{1,256})"
    r"|(?P<jamo>[\u3131-\u318e]{1,256})"
    r"|(?P<conjoining>[\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]{1,256})"
    r"|(?P<kana>[\u3040-\u30ff]{1,256})"
    r"|(?P<ideographs>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]{1,256})"
    r"|(?P<near>[\u0000-\u0008\u000b-\u001f\u007f-\u07ff]{1,256})"
    r"|(?P<signs>[\u2000-\u2bff\u3000-\u303f\uff00-\uffef]{1,256})"
    r"|(?P<far>[\u0800-\uffff])"
    r"|(?P<astral>[\U00010000-\U0010ffff])"
)
_LONGEST_PIECE: Final = 256
# The one kind of piece whose cost hangs on its letters and not on its length.
_BY_LETTER: Final = "syllables"
# Joins to the character before it: combining marks, variation selectors, joiners, skin tones,
# the vowels and finals of conjoining jamo, flag letters, tags.
_CLINGS: Final = lazy_pattern(
    r"[\u0300-\u036f\u0483-\u0489\u064b-\u065f\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    r"\u1160-\u11ff\ud7b0-\ud7fb\u200d\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f"
    r"\U0001f3fb-\U0001f3ff\U0001f1e6-\U0001f1ff\U000e0020-\U000e007f]"
)
# How far back a cut may look for a space before it cuts inside a word.
_LOOK_BACK: Final = 40
# No cluster of characters that people write is longer; a longer one is cut inside.
_LONGEST_CLUSTER: Final = 24


@dataclass(frozen=True, slots=True)
class Rates:
    """What each kind of writing costs, in hundredths of a token."""

    # A syllable of one, two or three tokens, and 12 %: with 8 % one sample in 200 was counted more
    # than a tenth too low.
    one: int = 112
    two: int = 224
    three: int = 336
    jamo: int = 240
    conjoining: int = 280
    mark: int = 20


REFERENCE: Final = Rates()
# English BERT vocabularies write a syllable as its two or three jamo, each a token of its own, and
# every mark of a row like ===== too.
WORDPIECE: Final = Rates(one=300, two=300, three=300, jamo=110, conjoining=110, mark=100)

_PER_CHARACTER: Final = {
    "kana": 110,
    "ideographs": 165,
    "near": 70,
    "signs": 150,
    "far": 170,
    "astral": 310,
}


def _word(piece: str) -> int:
    length = len(piece)
    return 100 if length < 7 else 100 + 20 * (length - 6) + 20 * max(0, length - 12)


def _inner(piece: str) -> int:
    # A word that starts inside a word: camelCase, or the noise of base64, which is dearer.
    return _word(piece) + _INNER


def _capitals(piece: str) -> int:
    return 70 + 36 * len(piece)


def _digits(piece: str) -> int:
    # Between the reference (three digits a token) and tokenizers with one token a digit.
    return 50 + 50 * len(piece)


def _each(price: int) -> Callable[[str], int]:
    return lambda piece: price * len(piece)


def _once(price: int) -> Callable[[str], int]:
    return lambda _: price


def _syllables(rates: Rates) -> Callable[[str], int]:
    costs = {}
    for code in range(_FIRST, _LAST + 1):
        merged = (code - _FIRST) // 64 in _TWO_BLOCKS
        costs[chr(code)] = rates.two if merged else rates.three
    costs.update(dict.fromkeys(_TWO, rates.two))
    costs.update(dict.fromkeys(_ONE, rates.one))
    look_up = costs.__getitem__
    return lambda piece: sum(map(look_up, piece))


@lru_cache(maxsize=4)
def _prices(rates: Rates) -> dict[str | None, Callable[[str], int]]:
    return {
        "syllables": _syllables(rates),
        "word": _word,
        "inner": _inner,
        "capitals": _capitals,
        "digits": _digits,
        "marks": lambda piece: 64 + rates.mark * len(piece),
        "gap": _once(100),
        "lines": _once(70),
        "bar": _once(30),
        "jamo": _each(rates.jamo),
        "conjoining": _each(rates.conjoining),
        **{kind: _each(price) for kind, price in _PER_CHARACTER.items()},
    }


@lru_cache(maxsize=4)
def _by_length(rates: Rates) -> tuple[tuple[int, ...] | None, ...]:
    """Return what a piece costs by the place of its kind and its length; none if by its letters."""
    prices = _prices(rates)
    pattern = re.compile(_PIECE.pattern)
    costs: list[tuple[int, ...] | None] = [None] * (1 + pattern.groups)
    for kind, place in pattern.groupindex.items():
        if kind != _BY_LETTER:
            # A word has one capital more.
            costs[place] = tuple(prices[kind]("x" * length) for length in range(_LONGEST_PIECE + 2))
    return tuple(costs)


def estimate(text: str, rates: Rates = REFERENCE) -> int:
    """Return how many tokens the text costs, rather too many than too few."""
    return -(-(_at_once(text, rates) if len(text) > _SHORT else _piecewise(text, rates)) // 100)


def estimates(texts: Sequence[str]) -> list[int]:
    """Return what each of the texts costs; together they are counted as quickly as one."""
    joined = " ".join(texts)
    # A space alone costs nothing and ends every piece; two would be one.
    apart = all(text[:1].strip() and text[-1:].strip() for text in texts)
    runs = _Runs.of(joined, REFERENCE) if apart else None
    if runs is None:
        return [estimate(text) for text in texts]
    starts = _numpy().cumsum([0, *(len(text) + 1 for text in texts[:-1])])
    return [-(-int(each) // 100) for each in runs.sums(starts)]


def _piecewise(text: str, rates: Rates) -> int:
    """Return what a text costs, piece by piece."""
    # Looked up and not worked out: every card of every answer passes here.
    costs, letters = _by_length(rates), _prices(rates)[_BY_LETTER]
    total = 0
    for match in _PIECE.finditer(text):
        cost = costs[match.lastindex or 0]
        total += letters(match[0]) if cost is None else cost[match.end() - match.start()]
    return total


def _at_once(text: str, rates: Rates) -> int:
    """Return the same for a long text, whose characters are looked up together."""
    runs = _Runs.of(text, rates)
    return _piecewise(text, rates) if runs is None else int(runs.sums(_numpy().zeros(1, int))[0])


def _numpy() -> Any:
    """Load numpy with the first long text: who only asks a model needs none."""
    import numpy

    return numpy


# Below this, one piece after the other is quicker.
_SHORT: Final = 800
# The kinds of which only a run has a price; all others cost something for each character.
_UPPER, _LOWER, _DIGIT, _MARK, _GAP, _LINE = range(1, 7)
_RUN_KINDS: Final = {
    "capitals": _UPPER,
    "word": _LOWER,
    "digits": _DIGIT,
    "marks": _MARK,
    "gap": _GAP,
    "lines": _LINE,
}
_INNER: Final = 45
# Where the kinds lie beyond ASCII, as the pattern above says; a later one takes its place of `far`.
_SPANS: Final = (
    ("far", 0x0800, 0xFFFF),
    ("near", 0x0080, 0x07FF),
    ("signs", 0x2000, 0x2BFF),
    ("signs", 0x3000, 0x303F),
    ("signs", 0xFF00, 0xFFEF),
    ("ideographs", 0x3400, 0x4DBF),
    ("ideographs", 0x4E00, 0x9FFF),
    ("ideographs", 0xF900, 0xFAFF),
    ("kana", 0x3040, 0x30FF),
    ("conjoining", 0x1100, 0x11FF),
    ("conjoining", 0xA960, 0xA97C),
    ("conjoining", 0xD7B0, 0xD7FB),
    ("jamo", 0x3131, 0x318E),
)


@dataclass(frozen=True, slots=True)
class _Prices:
    """What characters and runs cost, to be looked up for a whole text at once."""

    kinds: NDArray[np.uint8]
    characters: NDArray[np.int32]
    runs: NDArray[np.int32]


@lru_cache(maxsize=4)
def _tables(rates: Rates) -> _Prices:
    """Return the prices of every character of the first plane, and of runs by their length."""
    np, prices = _numpy(), _prices(rates)
    kinds, characters = np.zeros(1 << 16, np.uint8), np.zeros(1 << 16, np.int32)
    for code in range(0x80):
        match = _PIECE.match(chr(code))
        kind = match.lastgroup if match is not None else None
        if kind in _RUN_KINDS:
            kinds[code] = _RUN_KINDS[kind]
        elif kind is not None:
            characters[code] = prices[kind](chr(code))
    for kind, first, last in _SPANS:
        characters[first : last + 1] = prices[kind]("x")
    letters = prices[_BY_LETTER]
    characters[_FIRST : _LAST + 1] = [letters(chr(code)) for code in range(_FIRST, _LAST + 1)]
    # Alone they are no piece.
    kinds[[0x20, 0x09]] = _GAP
    runs = np.zeros((1 + len(_RUN_KINDS), _LONGEST_PIECE + 2), np.int32)
    for kind, place in _RUN_KINDS.items():
        runs[place, 1:] = [prices[kind]("x" * length) for length in range(1, _LONGEST_PIECE + 2)]
    runs[_GAP, 1] = 0
    return _Prices(kinds, characters, runs)


@dataclass(frozen=True, slots=True)
class _Runs:
    """A text as runs of the same kind: where each begins, and what it costs."""

    starts: NDArray[np.int64]
    costs: NDArray[np.int32]
    each: NDArray[np.int32]

    @classmethod
    def of(cls, text: str, rates: Rates) -> _Runs | None:
        """Return the runs of a text; nothing where only one piece after the other tells them."""
        np = _numpy()
        codes = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)
        if not codes.size or codes.size != len(text):
            return None
        tables = _tables(rates)
        kinds = tables.kinds[codes]
        starts = np.flatnonzero(np.diff(kinds, prepend=np.uint8(255)))
        sizes, sorts = np.diff(starts, append=len(text)), kinds[starts]
        # Endless runs are cut; carriage returns belong to control characters and accents before.
        odd = (codes == 0x0D).any() or ((codes >= 0xD800) & (codes < 0xE000)).any()
        if odd or (sizes[sorts > 0] > _LONGEST_PIECE).any():
            return None
        costs = tables.runs[sorts, np.minimum(sizes, _LONGEST_PIECE)]
        lower = np.flatnonzero((sorts[:-1] == _UPPER) & (sorts[1:] == _LOWER)) + 1
        upper = lower - 1
        # The last capital begins the word; those before it stay a piece of their own.
        costs[upper] = tables.runs[_UPPER, sizes[upper] - 1]
        costs[lower] = tables.runs[_LOWER, sizes[lower] + 1]
        before = sorts[np.maximum(upper - 1, 0)]
        inside = (upper > 0) & ((before == _LOWER) | (before == _DIGIT))
        costs[lower] += _INNER * (inside | (sizes[upper] > 1))
        costs[1:] += _INNER * ((sorts[:-1] == _DIGIT) & (sorts[1:] == _LOWER))
        return cls(starts, costs, tables.characters[codes])

    def sums(self, froms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what the text costs from each place to the next."""
        numpy = _numpy()
        held = numpy.zeros(len(self.each), numpy.int64)
        held += self.each
        held[self.starts] += self.costs
        summed: NDArray[np.int64] = numpy.add.reduceat(held, froms)
        return summed


def cut(text: str, budget: int, rates: Rates = REFERENCE) -> str:
    """Return the longest prefix that fits the budget and ends between words or characters."""
    return text[: _reach(text, 0, budget, rates)]


def split(text: str, budget: int, rates: Rates = REFERENCE) -> list[str]:
    """Return the text in consecutive parts that each fit the budget; joined they are the text."""
    parts = []
    start = 0
    while start < len(text):
        # A budget smaller than one character still moves on: nothing is ever dropped.
        end = max(_reach(text, start, budget, rates), _whole(text, start, start + 1))
        parts.append(text[start:end])
        start = end
    return parts


def _reach(text: str, start: int, budget: int, rates: Rates) -> int:
    prices = _prices(rates)
    room = 100 * budget
    for match in _PIECE.finditer(text, start):
        price, piece = prices[match.lastgroup], match[0]
        cost = price(piece)
        if cost > room:
            fits = bisect_right(range(len(piece)), room, key=lambda size: price(piece[:size]))
            return _boundary(text, start, match.start() + max(0, fits - 1))
        room -= cost
    return len(text)


def _boundary(text: str, start: int, end: int) -> int:
    """Step back from `end` to a space close by, else to the edge of a character."""
    for place in range(end, max(start, end - _LOOK_BACK), -1):
        if text[place - 1].isspace() or text[place].isspace():
            return place
    place = end
    while place > max(start, end - _LONGEST_CLUSTER) and _joined(text, place):
        place -= 1
    return place if not _joined(text, place) else end


def _whole(text: str, start: int, end: int) -> int:
    """Step forward from `end` to the edge of the character that begins at `start`."""
    while end < min(len(text), start + _LONGEST_CLUSTER) and _joined(text, end):
        end += 1
    return end


def _joined(text: str, place: int) -> bool:
    if place <= 0 or place >= len(text):
        return False
    return _CLINGS.match(text, place) is not None or text[place - 1] == "\u200d"
