"""Reads JSON as small models write it: every object and list it can find, however broken.

It takes linear time: each character is read once, and no look ahead is longer than a key.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Any, Final

# Answers are two or three levels deep; more is a fault or an attack.
DEEPEST: Final = 32
_MOST_FALSE_STARTS: Final = 100

_START: Final = re.compile(r"[{\[｛［]")
_BLANK: Final = re.compile(r"[\s\ufeff\u200b]+|//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*", re.DOTALL)
_SPACE: Final = re.compile(r"[\s\ufeff\u200b]+")
# After these, a string is over: the end of what holds it, a fence, a comment, an ellipsis.
_ENDS: Final = ("", "}", "]", ")", "｝", "］")
_MARKS: Final = ("```", "//", "/*", "#", "...", "…")
_QUOTES: Final = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": '”“"',
    "”": '”"',
    "‘": "’'",
    "「": "」",
    "『": "』",
    "＂": '＂"',
}
_OPEN_QUOTE: Final = "[\"'`“”‘「『＂]"
_SHUT_QUOTE: Final = "[\"'`“”’」』＂]"
_NAME: Final = r"[^\"'`“”‘’「」『』＂:：,，{}\[\]｛｝［］\n\\]{1,60}?"
_COLON: Final = r"\s{0,20}(?:[:：]{1,2}|=>?)"
# Python marks some strings with a letter before the quote.
_PREFIX: Final = "(?:[uUrRbB](?=[\"']))?"
_KEY: Final = re.compile(rf"{_PREFIX}{_OPEN_QUOTE}?({_NAME}){_SHUT_QUOTE}?{_COLON}")
_QUOTED_KEY: Final = re.compile(rf"{_PREFIX}{_OPEN_QUOTE}({_NAME}){_SHUT_QUOTE}{_COLON}")
# Where the text breaks off inside a key or right after it.
_CUT_KEY: Final = re.compile(rf"{_OPEN_QUOTE}(?:{_NAME})?{_SHUT_QUOTE}?\s{{0,20}}\Z")
_THEN_A_KEY: Final = re.compile(rf"\s{{0,20}},\s{{0,20}}{_QUOTED_KEY.pattern}")
# The colon forgotten between a quoted key and a quoted value.
_KEY_WITHOUT_COLON: Final = re.compile(
    rf"{_OPEN_QUOTE}({_NAME}){_SHUT_QUOTE}\s{{1,20}}(?={_OPEN_QUOTE})"
)
_NEXT_LINE_IS_A_KEY: Final = re.compile(rf"\n[ \t]{{0,40}}{_QUOTED_KEY.pattern}")
_NUMBER: Final = r"[+-]?(?:[0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})(?:[eE][+-]?[0-9]{1,5})?"
_CONSTANT: Final = re.compile(
    rf"({_NUMBER}|-?\w{{2,10}})(?=[ \t]{{0,40}}(?:[\n,，;}}\]｝］)\"'“]|//|/\*|#|\Z))"
)
_BARE: Final = re.compile(r"[^,，{}\[\]｛｝［］\n]{1,2000}")
_JUNK: Final = re.compile(r"[^,，;；{}\[\]｛｝［］\"'“\n]+")
# A quote forgotten at the end of one object, seen from the first key of the next.
_LOST_QUOTE: Final = re.compile(r"\}\s{0,20},?\s{0,20}\{\s{0,20}\Z")
_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("true", "참"), True),
    **dict.fromkeys(("false", "거짓"), False),
    **dict.fromkeys(("null", "none", "nil", "undefined", "nan", "없음"), None),
    **dict.fromkeys(("infinity", "-infinity", "inf", "-inf"), None),
}
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_HEX: Final = re.compile(r"u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})")
_NOTHING: Final = object()


class TooDeep(Exception):
    """The text nests deeper than any answer."""


class Cut(dict[str, Any]):
    """An object whose end is missing."""


class CutList(list[Any]):
    """A list whose end is missing."""


def values(text: str) -> list[Any]:
    """Return every object and list in the text, in order; text around them is passed over."""
    reader = _Reader(text)
    found: list[Any] = []
    patience = _MOST_FALSE_STARTS
    while start := _START.search(text, reader.at):
        reader.at = start.start()
        value = reader.container(1)
        if value is not _NOTHING:
            found.append(value)
        elif patience:
            # What was taken for a comment may hide the answer; but not again and again.
            patience -= 1
            reader.at = start.end()
    if not found and (bare := _QUOTED_KEY.search(text)):
        # All braces are missing: an answer that began with the brace in the prompt.
        reader.at = bare.start()
        found.append(reader.members(1))
    return [value for value in found if value is not _NOTHING]


def joined(pairs: list[tuple[str, Any]]) -> Any:
    """Return the object of these pairs; a repeated first key begins the next object."""
    if not pairs:
        return {}
    first = pairs[0][0]
    if sum(key == first for key, _ in pairs) == 1:
        return dict(pairs)
    several: list[dict[str, Any]] = []
    for key, value in pairs:
        if key == first:
            several.append({})
        several[-1][key] = value
    return several


def _constant(word: str) -> Any:
    """Return the number or the constant that a word stands for, if it is one."""
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    try:
        number = float(word)
    except ValueError:
        return _NOTHING
    if not isfinite(number):
        return None
    return int(word) if word.lstrip("+-").isdigit() else number


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        # False from where the text breaks off inside a value.
        self.whole = True

    def container(self, depth: int) -> Any:
        """Read the object or list that begins here."""
        if depth > DEEPEST:
            raise TooDeep
        opening = self.text[self.at]
        self.at += 1
        return self.members(depth) if opening in "{｛" else self._list(depth)

    def members(self, depth: int) -> Any:
        """Read the pairs of an object up to its end, or up to where its end is missing."""
        pairs: list[tuple[str, Any]] = []
        lost = False
        while True:
            self._skip(",，;；")
            here = self.text[self.at : self.at + 1]
            if here in ("}", "｝"):
                self.at += 1
                return _NOTHING if lost and not pairs else joined(pairs)
            if here in ("]", "］") or (here in ("{", "｛") and pairs):
                return joined(pairs) if pairs else _NOTHING
            if not here:
                return self._unended(pairs)
            key = self._key()
            if key is None:
                if not pairs and not _CUT_KEY.match(self.text, self.at):
                    return _NOTHING
                self._pass_over()
                continue
            value = self._value(depth, in_list=False)
            if value is _NOTHING:
                lost = True
            elif self.whole or isinstance(value, dict | list):
                pairs.append((key, value))

    def _unended(self, pairs: list[tuple[str, Any]]) -> Any:
        if self.whole and not self.text.rstrip().endswith((",", "，", ":", "：")):
            return joined(pairs) if pairs else _NOTHING
        self.whole = False
        held = joined(pairs)
        return Cut(held) if isinstance(held, dict) else [*held[:-1], Cut(held[-1])]

    def _list(self, depth: int) -> Any:
        held: list[Any] = []
        lost = False
        while True:
            self._skip(",，;；")
            here = self.text[self.at : self.at + 1]
            if not here:
                self.whole = False
                return CutList(held)
            if here in ("]", "］", ")"):
                self.at += 1
                return _NOTHING if lost and not held else held
            if here in ("}", "｝"):
                # The bracket is missing; the brace belongs to the object around.
                return held or _NOTHING
            before = self.at
            if _QUOTED_KEY.match(self.text, self.at):
                value = self.members(depth)
            else:
                value = self._value(depth, in_list=True)
            if value is _NOTHING:
                lost = True
            elif self.whole or isinstance(value, dict | list):
                held.append(value)
            self.at = max(self.at, before + 1)

    def _pass_over(self) -> None:
        """Move on to where the next key, value or end may be."""
        match = _JUNK.match(self.text, self.at)
        self.at = self.at + 1 if match is None else match.end()
        # What comes to an end here may have been the beginning of a key.
        self.whole &= self.at < len(self.text)

    def _key(self) -> str | None:
        match = _KEY.match(self.text, self.at) or _KEY_WITHOUT_COLON.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        return match[1].strip()

    def _value(self, depth: int, *, in_list: bool) -> Any:
        self._skip("")
        here = self.text[self.at : self.at + 1]
        if not here:
            self.whole = False
            return _NOTHING
        if here in "{[｛［(":
            return self.container(depth + 1)
        if here in "uUrRbBfF" and self.text[self.at + 1 : self.at + 2] in ('"', "'"):
            self.at += 1
            return self._string(in_list)
        return self._string(in_list) if here in _QUOTES else self._bare(in_list)

    def _bare(self, in_list: bool) -> Any:
        """Read a number or a constant; other words count only as the value of a key."""
        constant = _CONSTANT.match(self.text, self.at)
        value = _NOTHING if constant is None else _constant(constant[1])
        match = _BARE.match(self.text, self.at) if value is _NOTHING else constant
        if match is None:
            return _NOTHING
        self.at = match.end()
        self.whole = self.at < len(self.text)
        return value if value is not _NOTHING or in_list else match[0].strip()

    def _string(self, in_list: bool) -> str:
        opening = self.text[self.at]
        if self.text.startswith(opening * 3, self.at) and opening in "\"'":
            return self._until(opening * 3)
        self.at += 1
        stops = re.compile(f"[\\\\\n{_QUOTES[opening]}]")
        parts: list[str] = []
        while stop := stops.search(self.text, self.at):
            parts.append(self.text[self.at : stop.start()])
            self.at = stop.end()
            if stop[0] == "\\":
                if self.text[self.at : self.at + 1] == opening and self._escaped_by_mistake():
                    return "".join(parts)
                parts.append(self._escaped())
            elif stop[0] == "\n":
                if _NEXT_LINE_IS_A_KEY.match(self.text, stop.start()):
                    return "".join(parts).rstrip().removesuffix(",")
                parts.append("\n")
            elif self._ends(in_list):
                return "".join(parts)
            elif lost := self._lost_quote(stop.start()):
                said = "".join(parts)
                self.at = stop.start() - lost
                return said[: len(said) - lost].rstrip()
            else:
                parts.append(stop[0])
        self.at = len(self.text)
        self.whole = False
        return ""

    def _until(self, mark: str) -> str:
        start = self.at + len(mark)
        end = self.text.find(mark, start)
        self.whole = end >= 0
        self.at = end + len(mark) if self.whole else len(self.text)
        return self.text[start:end]

    def _escaped_by_mistake(self) -> bool:
        """Say whether the quote after a backslash closes the string, as a key follows it."""
        if _THEN_A_KEY.match(self.text, self.at + 1) is None:
            return False
        self.at += 1
        return True

    def _lost_quote(self, at: int) -> int:
        """Say how far back the object ended, when a key of the next one stands here."""
        back = _LOST_QUOTE.search(self.text, max(0, at - 64), at)
        return at - back.start() if back and _QUOTED_KEY.match(self.text, at) else 0

    def _ends(self, in_list: bool) -> bool:
        """Say whether the quote just read closes the string, by what comes after it."""
        at = self._after_space(self.at)
        after = self.text[at : at + 1]
        if after in _ENDS or self.text.startswith(_MARKS, at):
            return True
        if after in (",", "，", ";", "；"):
            at = self._after_space(at + 1)
            after = self.text[at : at + 1]
            if after in _ENDS or after in ("{", "｛", ",") or self.text.startswith(_MARKS, at):
                return True
            if in_list:
                return after in _QUOTES or after in "[(-0123456789tfnTFN"
            return any(key.match(self.text, at) for key in (_KEY, _KEY_WITHOUT_COLON, _CUT_KEY))
        if _QUOTED_KEY.match(self.text, at):
            return True
        return "\n" in self.text[self.at : at] and (in_list or bool(_KEY.match(self.text, at)))

    def _after_space(self, at: int) -> int:
        space = _SPACE.match(self.text, at)
        return at if space is None else space.end()

    def _escaped(self) -> str:
        if code := _HEX.match(self.text, self.at):
            self.at = code.end()
            return chr(int(code[1] or code[2], 16))
        letter = self.text[self.at : self.at + 1]
        self.at += 1
        return _ESCAPES.get(letter, letter)

    def _skip(self, also: str) -> None:
        while True:
            while blank := _BLANK.match(self.text, self.at):
                self.at = blank.end()
            if not also or self.text[self.at : self.at + 1] not in (*also,):
                return
            self.at += 1
