"""A text as the eye sees it: one width, nothing invisible, and the way back to the original."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

# What we write in place of a value, and therefore never read as one.
PLACEHOLDER: Final = re.compile(r"\[(?:secret|private|held):([a-z0-9_]{1,40})#([0-9]{1,7})\]")
FILLER: Final = "\x00"

_UNSEEN: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef"
)
_DASHES: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_DOTS: Final = "\u00b7\u2022\u2024\u2027\u30fb\u318d\uff65"
_QUOTES: Final = "\u201c\u201d\u201e\u201f\u300c\u300d\u300e\u300f\u300a\u300b\u00ab\u00bb"
_TICKS: Final = "\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4"
# Blocks of characters that are a styled form of one plain letter, digit or sign.
_STYLED: Final = (
    (0x00A0, 0x00BA),
    (0x2000, 0x200A),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x2070, 0x2079),
    (0x2080, 0x2089),
    (0x2460, 0x2468),
    (0x24B6, 0x24EA),
    (0x3000, 0x3000),
    (0xFF01, 0xFF5E),
    (0x1D400, 0x1D7FF),
)


def _plain_forms() -> dict[int, str]:
    """Map each styled character to its plain one; always one to one, so that offsets stay."""
    forms: dict[int, str] = {0x0130: "I"}  # the only letter whose lower case is longer
    for first, last in _STYLED:
        for code in range(first, last + 1):
            form = unicodedata.normalize("NFKC", chr(code))
            if len(form) == 1 and form.isascii():
                forms[code] = form
    for signs, plain in ((_DASHES, "-"), (_DOTS, "."), (_QUOTES, '"'), (_TICKS, "'")):
        forms.update(dict.fromkeys(map(ord, signs), plain))
    return forms


_PLAIN: Final = _plain_forms()
_ODD: Final = re.compile(
    "[\u0130"
    + "".join(f"{chr(first)}-{chr(last)}" for first, last in _STYLED)
    + _DASHES
    + _DOTS
    + _QUOTES
    + _TICKS
    + "]"
)
# A stretch that changes its length: unseen characters, or letters with marks and jamo that join.
_UNEVEN: Final = re.compile(
    f"[{_UNSEEN}]+|[^\u0300-\u036f\u1161-\u11ff][\u0300-\u036f\u1161-\u11ff]+"
)
_INVISIBLE: Final = re.compile(f"[{_UNSEEN}]")


class Spot(NamedTuple):
    """A place in the seen text that must not be kept as it is."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Seen:
    """The text to look at, the same in lower case, and where each character came from."""

    text: str
    low: str
    starts: array[int] | None = None
    ends: array[int] | None = None

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the original text that a range of this text was made from."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


def see(text: str) -> Seen:
    """Return the text as it is seen, with placeholders blanked out."""
    plain = text
    if "[" in text and PLACEHOLDER.search(text):
        plain = PLACEHOLDER.sub(lambda match: FILLER * len(match[0]), text)
    if plain.isascii():
        return Seen(plain, plain.lower())
    if _ODD.search(plain):
        plain = plain.translate(_PLAIN)
    if not _INVISIBLE.search(plain) and unicodedata.is_normalized("NFC", plain):
        return Seen(plain, plain.lower())
    pieces: list[str] = []
    starts, ends = array("l"), array("l")
    for piece, first, last in _stretches(plain):
        pieces.append(piece)
        if len(piece) == last - first:
            starts.extend(range(first, last))
            ends.extend(range(first + 1, last + 1))
        else:
            starts.extend([first] * len(piece))
            ends.extend([last] * len(piece))
    plain = "".join(pieces)
    return Seen(plain, plain.lower(), starts, ends)


def _stretches(text: str) -> Iterator[tuple[str, int, int]]:
    """Cut the text where its length changes: what is seen, from where, to where."""
    at = 0
    for match in _UNEVEN.finditer(text):
        start, end = match.span()
        if start > at:
            yield text[at:start], at, start
        if not _INVISIBLE.match(match[0]):
            yield unicodedata.normalize("NFC", match[0]), start, end
        at = end
    if at < len(text):
        yield text[at:], at, len(text)
