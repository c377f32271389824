"""Large JSON, one element at a time: a window slides over the file and holds one element.

An element that is no JSON is given as its error, and reading goes on behind it; where it ends is
told by its brackets. Only a file whose brackets do not match, or an element too long to be held,
ends the reading.
"""

from __future__ import annotations

import codecs
import json
import re
import zipfile
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import IO, Any, Final

from saegim.errors import BadInput

# One conversation of thousands of turns takes a few of these millions of characters.
MAX_ELEMENT: Final = 64 * 1024 * 1024
_CHUNK: Final = 1 << 18
_BLANK: Final = re.compile(r"[ \t\n\r]*")
# Strings are skipped whole; a quotation mark that is left over opens one that has no end yet.
_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"|["\[\]{},]', re.DOTALL)
_NUMERIC: Final = re.compile(r"[-+.0-9eE]*")
_DECODER: Final = json.JSONDecoder()


def elements(file: IO[bytes], within: Collection[str] = ()) -> Iterator[tuple[str, Any]]:
    """Yield (where, value) for each element of the array, or of the named arrays of the object.

    `a.b` names the array b in the object a.
    A value that cannot be read is its error.
    """
    window = Window(file)
    try:
        match window.peek():
            case "[":
                yield from _array(window, "item")
            case "{":
                yield from _object(window, within)
            case _:
                raise BadInput("import.not_json_array_or_object")
        if window.peek():
            raise BadInput("import.something_follows_end_of_json")
    except BadInput as error:
        yield "the rest of the file", error


@dataclass(frozen=True, slots=True)
class Glimpse:
    """The first thing in a JSON file: the fields of an object, and the first array element."""

    fields: dict[str, Any] = field(default_factory=dict)
    first: Any = None
    is_array: bool = False


def glimpse(file: IO[bytes], within: Collection[str] = ()) -> Glimpse:
    """Look at the first object of a file, or the first element of its array; nothing if none."""
    window = Window(file)
    fields: dict[str, Any] = {}
    try:
        if window.peek() == "[":
            return Glimpse({}, next(_array(window, ""), ("", None))[1], True)
        if window.peek() == "{":
            for name in _names(window):
                fields[name] = None
                if name in within and window.peek() == "[":
                    return Glimpse(fields, next(_array(window, ""), ("", None))[1])
                fields[name] = window.value()
    except BadInput:
        pass
    return Glimpse(fields)


def _object(window: Window, within: Collection[str], path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the elements of the named arrays of an object; everything else is passed over."""
    for name in _names(window):
        full = f"{path}{name}"
        if window.peek() == "[":
            inside = _array(window, full)
            yield from (each for each in inside if full in within)
        elif window.peek() == "{" and any(each.startswith(f"{full}.") for each in within):
            yield from _object(window, within, f"{full}.")
        else:
            window.value()


def _array(window: Window, name: str) -> Iterator[tuple[str, Any]]:
    window.take("[")
    number = 0
    while window.peek() != "]":
        if number:
            window.take(",")
        number += 1
        yield f"{name} {number}", window.value()
    window.take("]")


def _names(window: Window) -> Iterator[str]:
    """Yield the field names of an object; whoever asks takes each value before the next."""
    window.take("{")
    first = True
    while window.peek() != "}":
        if not first:
            window.take(",")
        first = False
        window.peek()
        name = window.value()
        if not isinstance(name, str):
            raise BadInput("import.field_of_json_object")
        window.take(":")
        yield name
    window.take("}")


class Window:
    """The part of a file that is being read, decoded; what has been read is let go."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        # A byte that is no UTF-8 spoils the text it stands in and no other.
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape").decode
        self._text = ""
        self._at = 0
        self._ended = False

    def peek(self) -> str:
        """Return the next character that is not blank, without taking it; nothing at the end."""
        while True:
            self._at = _behind(_BLANK, self._text, self._at)
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
            self._more()

    def take(self, wanted: str) -> None:
        """Take the next character, which must be this one."""
        found = self.peek()
        if found != wanted:
            key = "import.json_broken_by" if found else "import.json_ends_early"
            raise BadInput(key, found=found, wanted=wanted)
        self._at += 1

    def value(self) -> Any:
        """Take the next value; return its error if it is no JSON but its end can be seen."""
        self.peek()
        while True:
            broken = None
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
                # A number may go on behind the window: of 1.5 it may show the 1 and the dot.
                if self._ended or _behind(_NUMERIC, self._text, end) < len(self._text):
                    self._at = end
                    return value
            except (ValueError, RecursionError) as error:
                broken = error
                if end := _end(self._text, self._at):
                    self._at = end
                    return BadInput("import.not_json_2", reason=_reason(error))
            if self._ended:
                raise BadInput("import.json_is_broken_file_ends") from broken
            if len(self._text) - self._at > MAX_ELEMENT:
                raise BadInput(
                    "import.element_is_longer_than_characters", most=MAX_ELEMENT
                ) from broken
            self._more()

    def _more(self) -> None:
        """Read on, as much again as is held, so that a long element is not tried too often."""
        wanted = max(_CHUNK, len(self._text) - self._at)
        raw = b""
        try:
            while len(raw) < wanted and (more := self._file.read(wanted - len(raw))):
                raw += more
        except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
            raise BadInput("import.cannot_be_read_on", error=error) from error
        self._ended = len(raw) < wanted
        self._text = self._text[self._at :] + self._decode(raw, final=self._ended)
        self._at = 0


def _behind(these: re.Pattern[str], text: str, at: int) -> int:
    found = these.match(text, at)
    return found.end() if found else at


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:80]


def _end(text: str, at: int) -> int:
    """Return where the broken value that starts here ends, by its brackets; 0 if not in sight."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        mark = token[0]
        if mark == '"':
            return 0
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
            if depth <= 0:
                return token.end() if depth == 0 else token.start()
        elif mark == "," and depth == 0:
            return token.start()
    return 0
