"""The conversations of an export: a JSON file, a folder, or an archive that is never unpacked.

An archive is a stranger's: it is looked at whole before one byte of it is read, and refused if it
could lead out of itself, fill the memory, or hide what it holds.
"""

from __future__ import annotations

import codecs
import json
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final

from saegim.errors import BadInput, Refused
from saegim.importers.jsonl import Problem
from saegim.importers.source.source import Entries, ImportedItem, ImportRun, kept

MAGIC: Final = b"PK\x03\x04"
# Larger than any export that was seen, small enough to be read in an afternoon.
MAX_ENTRY: Final = 2 * 1024**3
# JSON of conversations shrinks to a tenth; a bomb to a thousandth.
MAX_RATIO: Final = 200
# An entry of the directory takes at least 46 bytes, so this is at most 350,000 entries.
MAX_DIRECTORY: Final = 16 * 1024**2
_NAME: Final = re.compile(r"conversations(?:[-_ ]?\d{1,4})?\.json")
# The end of an archive: its record, and a comment of at most 65,535 bytes.
_END, _END_SIZE, _LONGEST_COMMENT = b"PK\x05\x06", 22, 65_535
_END_64: Final = b"PK\x06\x06"


def documents(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield each file of conversations with its name, open for reading; nothing is written."""
    if path.is_dir():
        for file in sorted(each for each in path.iterdir() if _NAME.fullmatch(each.name)):
            yield file.name, _opened(file)
    elif is_archive(path):
        with _archive(path) as archive:
            for entry in conversations(archive):
                yield entry.filename, _entered(archive, entry)
    else:
        yield path.name, _opened(path)


def is_archive(path: Path) -> bool:
    """Say whether a file begins as a zip archive does."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def holds_conversations(folder: Path) -> bool:
    """Say whether a folder holds the files of an export that was unpacked."""
    return any(_NAME.fullmatch(each.name) for each in folder.iterdir() if each.is_file())


def conversations(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the entries that hold conversations; refuse an archive that is not what it seems."""
    for entry in archive.infolist():
        _refuse_odd_name(entry)
    found = [
        entry
        for entry in archive.infolist()
        if not entry.is_dir() and _NAME.fullmatch(PurePosixPath(entry.filename).name)
    ]
    if not found:
        raise BadInput("import.holds_no_conversations_json", filename=archive.filename)
    for entry in found:
        _refuse_bomb(entry)
    return sorted(found, key=lambda entry: entry.filename)


def _opened(path: Path) -> IO[bytes]:
    if path.is_symlink():
        raise Refused("import.is_a_link", path=path)
    return path.open("rb")


def _entered(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
    try:
        return archive.open(entry)
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError) as error:
        raise BadInput(
            "import.cannot_be_read_ask_service", filename=entry.filename, error=error
        ) from error


def _archive(path: Path) -> zipfile.ZipFile:
    _refuse_long_directory(path)
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise BadInput("import.broken_archive", path=path, error=error) from error


def _refuse_long_directory(path: Path) -> None:
    """Refuse a directory too long to be held, before it is read: a million empty files."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _END_SIZE - _LONGEST_COMMENT))
        tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or at + _END_SIZE > len(tail):
        raise BadInput("import.broken_archive_has_no_end", path=path)
    length: int = struct.unpack_from("<L", tail, at + 12)[0]
    large = tail.rfind(_END_64, 0, at)
    if large >= 0 and large + 48 <= len(tail):
        length = max(length % 0xFFFFFFFF, struct.unpack_from("<Q", tail, large + 40)[0])
    if length > MAX_DIRECTORY:
        raise Refused("import.holds_too_many_files", path=path)


def _refuse_odd_name(entry: zipfile.ZipInfo) -> None:
    name = entry.filename
    path = PurePosixPath(name.replace("\\", "/"))
    leads_out = path.is_absolute() or ".." in path.parts or bool(re.match(r"[A-Za-z]:", name))
    if leads_out or stat.S_ISLNK(entry.external_attr >> 16):
        raise Refused("import.archive_holds_which_leads_out", name=name)


def _refuse_bomb(entry: zipfile.ZipInfo) -> None:
    if entry.flag_bits & 0x1:
        raise BadInput("import.encrypted", filename=entry.filename)
    packed = max(entry.compress_size, 1)
    if entry.file_size > MAX_ENTRY or entry.file_size > MAX_RATIO * packed:
        raise Refused(
            "import.would_grow_from_to_bytes",
            filename=entry.filename,
            packed=packed,
            file_size=entry.file_size,
        )


# -- Large JSON, one element at a time: a window slides over the file and holds one element

# One conversation of thousands of turns takes a few of these millions of characters.
MAX_ELEMENT: Final = 64 * 1024 * 1024
_DEEP = "it is nested too deeply"
# Deeper than any export of a chat; Python itself walks about a thousand levels.
_MOST_NESTED = 500
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
    window = FileWindow(file)
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
    window = FileWindow(file)
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


def _object(
    window: FileWindow, within: Collection[str], path: str = ""
) -> Iterator[tuple[str, Any]]:
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


def _array(window: FileWindow, name: str) -> Iterator[tuple[str, Any]]:
    window.take("[")
    number = 0
    while window.peek() != "]":
        if number:
            window.take(",")
        number += 1
        yield f"{name} {number}", window.value()
    window.take("]")


def _names(window: FileWindow) -> Iterator[str]:
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


class FileWindow:
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
                    deep = _is_deep(value, self._text, self._at, end)
                    self._at = end
                    return BadInput("import.not_json_2", reason=_DEEP) if deep else value
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
    return _DEEP if isinstance(error, RecursionError) else str(error)[:80]


def _is_deep(value: Any, text: str, at: int, end: int) -> bool:
    """Say whether a value is nested deeper than what reads it can follow.

    Some versions of Python decode what no other part of them can walk through.
    """
    if text.count("[", at, end) + text.count("{", at, end) < _MOST_NESTED:
        return False
    level = [value]
    for _ in range(_MOST_NESTED):
        inside = [each for each in level if isinstance(each, dict | list)]
        level = [
            each for held in inside for each in (held.values() if isinstance(held, dict) else held)
        ]
        if not level:
            return False
    return True


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


# -- Exports of conversations: one array of them, plain or in a zip, read one at a time

# Whom each side of a conversation speaks to.
OTHER = {"user": "assistant", "assistant": "user"}


def each_conversation(
    path: Path, source: ImportRun, turns_of: Callable[[str, Any], Iterable[ImportedItem | Problem]]
) -> Entries:
    """Yield one memory for each turn of each conversation, in the order they were said."""
    for document, file in documents(path):
        with file:
            for item, conversation in elements(file):
                where = f"{document} {item}"
                try:
                    if isinstance(conversation, BadInput):
                        raise conversation
                    turns = list(turns_of(where, conversation))
                except BadInput as error:
                    yield Problem(where, error.message)
                    continue
                for told in turns:
                    yield kept(told, source) if isinstance(told, ImportedItem) else told


def minutes(began: datetime | None, at: datetime | None) -> float | None:
    """Return how far into its conversation a turn was said."""
    return round((at - began).total_seconds() / 60, 3) if began and at else None
