"""Notes in Markdown, of Obsidian or of Claude Code: one memory for each section of each note.

A section is what stands under one heading, cut again where it is too long. The note itself is an
entity: its sections refer to it, and so does every section of another note that links to it.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import unquote

from saegim.errors import BadInput
from saegim.guard.guard import screen
from saegim.guard.visible_text import PLACEHOLDER
from saegim.importers.jsonl import Acquaintance, JsonlRecord, Problem
from saegim.importers.source.source import (
    Entries,
    ImportedItem,
    ImportRun,
    entity_name,
    first_moment,
    kept,
    name,
)
from saegim.language.words import parts
from saegim.memory.entities import REFERS_TO, Entity
from saegim.memory.memory import Space
from saegim.memory.text import normalise

Fields = dict[str, list[str]]

_FENCE: Final = re.compile(r"---[ \t]*\n(?P<held>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
_DASH: Final = re.compile(r"[ \t]*-[ \t]+(?P<value>.+)")
_ITEM: Final = re.compile(r"\s*(\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^,\s][^,]*)")
# A comment stands between spaces; `#tag` in a list does not.
_COMMENT: Final = re.compile(r"(?<=\s)#\s.*")


def split(text: str) -> tuple[Fields, str]:
    """Return the fields of a note, their names in small letters, and the text behind them."""
    found = _FENCE.match(text)
    return (_fields(found["held"]), text[found.end() :]) if found else ({}, text)


def _fields(held: str) -> Fields:
    fields: Fields = {}
    last = ""
    for line in held.splitlines():
        if dash := _DASH.match(line):
            if last:
                fields[last] += _values(dash["value"], listed=False)
            continue
        name, colon, value = line.partition(":")
        if colon and not name[:1].isspace() and (not value or value[0].isspace()):
            last = _bare(name).lower()
            fields[last] = _values(value)
    return fields


def _values(text: str, *, listed: bool = True) -> list[str]:
    """Return the values of one line: a list in brackets, or the one that stands there."""
    text = _COMMENT.sub("", text.strip()).strip()
    if listed and text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        return [each for item in _ITEM.findall(text[1:-1]) if (each := _bare(item))]
    return [each] if (each := _bare(text)) else []


def _bare(text: str) -> str:
    text = text.strip()
    for mark in "\"'":
        if len(text) >= 2 and text[0] == text[-1] == mark:
            return text[1:-1].strip()
    return text


# -- Notes in Markdown, of Obsidian or of Claude Code

SUFFIXES: Final = (".md", ".markdown")
CLAUDE_NAMES: Final = ("claude.md", "claude.local.md", "memory.md")
CLAUDE_FOLDER: Final = "memory"
MAX_NOTE: Final = 8 * 1024 * 1024
MAX_SECTION: Final = 2000
# More links than this in one section is a table of contents.
_MOST_LINKS: Final = 100
_HEADING: Final = re.compile(r"(?P<depth>#{1,6})[ \t]+(?P<words>.*)")
_CODE_FENCE: Final = re.compile(r" {0,3}(?P<mark>```+|~~~+)")
_CODE: Final = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`", re.DOTALL)
_WIKI: Final = re.compile(r"\[\[(?P<note>[^\[\]|#^]+)(?:[#^][^\[\]|]*)?(?:\|[^\[\]]*)?\]\]")
_LINK: Final = re.compile(r"\]\((?P<note>[^()\s:]+\.(?:md|markdown))(?:#[^()\s]*)?\)", re.I)
_TAG: Final = re.compile(r"(?<![\w/#&\]\[(])#(?P<tag>\w[\w/-]*)")
_DAY: Final = re.compile(r"(?<!\d)(\d{4})[-_.]?(\d{2})[-_.]?(\d{2})(?!\d)")


@dataclass(frozen=True, slots=True)
class Section:
    """One piece of a note, and the headings above it."""

    text: str
    under: tuple[str, ...]


def read(path: Path, source: ImportRun) -> Entries:
    """Yield the notes of a folder, or of one file, each as its entity and its sections."""
    only = of_claude if source.form == "claude-code" else None
    for file in notes(path, only):
        if isinstance(file, Problem):
            yield file
            continue
        where = _relative(file, path)
        try:
            yield from _note(where, file, source)
        except BadInput as error:
            yield Problem(where, error.message)
        except OSError as error:
            yield Problem(where, f"It cannot be read: {error.strerror or error}.")


# -- which files ----------------------------------------------------------------------------------


def notes(path: Path, only: Callable[[Path, Path], bool] | None = None) -> Iterator[Path | Problem]:
    """Yield the notes under a path, folder by folder in order; a link out of it is a problem."""
    if path.is_file():
        yield path
        return
    root = path.resolve()
    waiting = [path]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            yield Problem(_relative(folder, path), f"It cannot be read: {error.strerror}.")
            continue
        waiting += [
            Path(entry.path)
            for entry in reversed(entries)
            if entry.is_dir(follow_symlinks=False) and not _is_hidden(entry.name, only)
        ]
        for entry in entries:
            file = Path(entry.path)
            if entry.is_symlink():
                if not file.resolve().is_relative_to(root):
                    yield Problem(_relative(file, path), "It is a link that leads out.")
            elif is_note(file) and entry.is_file() and (only is None or only(file, path)):
                yield file


def is_note(path: Path) -> bool:
    """Say whether a file is Markdown by its name."""
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(".")


def of_claude(file: Path, root: Path) -> bool:
    """Say whether Claude Code keeps its memory in this file."""
    in_memory = file.parent.name.lower() == CLAUDE_FOLDER
    beside_index = file.parent == root and any(
        (root / name).is_file() for name in ("MEMORY.md", "memory.md")
    )
    return file.name.lower() in CLAUDE_NAMES or in_memory or beside_index


def _is_hidden(folder: str, only: object) -> bool:
    return folder.startswith(".") and not (only is of_claude and folder == ".claude")


def _relative(file: Path, path: Path) -> str:
    """Return the path inside the folder, in the one spelling that every system shares."""
    inside = file.name if path.is_file() else file.relative_to(path).as_posix()
    return unicodedata.normalize("NFC", inside)


# -- one note -------------------------------------------------------------------------------------


def _note(where: str, file: Path, source: ImportRun) -> Iterator[JsonlRecord | Problem]:
    held = _opened(file)
    place = PurePosixPath(where)
    entity = _entity(place.stem, held.fields, source)
    own = () if entity is None else (entity.key,)
    if entity is not None:
        yield JsonlRecord(where, Acquaintance(entity))
    said = ",".join(_listed_values(held.fields, "tags", "tag"))
    labels = [each.strip().lstrip("#") for each in said.split(",")]
    at = _dated(held.fields, place.stem)
    domain = source.form if source.form == "claude-code" else _folder(place)
    for number, section in enumerate(sections(held.text), 1):
        plain = _CODE.sub(" ", section.text)
        keys = dict.fromkeys((*own, *_linked(plain, source.form)))
        told = ImportedItem(
            where=f"{where} section {number}",
            key=where,
            text=section.text,
            at=at,
            by=held.written_at,
            tags=(*labels, *_tags(plain)),
            keywords=(place.stem, *section.under),
            space=Space(domain=domain, files=(where,)),
            ties=tuple((REFERS_TO, key) for key in keys),
        )
        made = kept(told, source)
        if isinstance(made, JsonlRecord):
            made = replace(made, masked=made.masked + held.marks_in(section.text))
        yield made


@dataclass(frozen=True, slots=True)
class ScreenedNote:
    """A note as it may be kept: screened as a whole, for a cut may go through a secret."""

    fields: Fields
    text: str
    raw: str
    written_at: datetime

    def marks_in(self, text: str) -> int:
        """Count the secrets that were masked in this part of the note."""
        return sum(mark[0] not in self.raw for mark in PLACEHOLDER.finditer(text))


def _opened(file: Path) -> ScreenedNote:
    about = file.stat()
    if about.st_size > MAX_NOTE:
        raise BadInput("import.note_is_longer_than_bytes", most=MAX_NOTE)
    raw = file.read_bytes()
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        byte = raw[error.start]
        raise BadInput("import.not_utf_8_byte_2", start=error.start + 1, byte=byte) from error
    fields, body = split(text)
    written_at = datetime.fromtimestamp(about.st_mtime, UTC)
    return ScreenedNote(fields, screen(body).text, body, written_at)


def _entity(stem: str, fields: Fields, source: ImportRun) -> Entity | None:
    """Return what a note is about, by its file's name; nothing if that looks like a secret."""
    titles = _listed_values(fields, "title")
    with suppress(BadInput):
        return Entity(
            name=entity_name(stem),
            platform=source.form,
            type="topic",
            display_name=name(titles[0]) if titles else "",
            aliases=tuple(filter(None, map(name, _listed_values(fields, "aliases", "alias")))),
        )
    return None


def _listed_values(fields: Fields, *names: str) -> list[str]:
    return [value for each in names for value in fields.get(each, ())]


def _dated(fields: Fields, stem: str) -> datetime | None:
    """Return when a note was written, if it says so or is named after its day."""
    for field in ("date", "created", "created_at", "date created"):
        if at := first_moment(*fields.get(field, ())):
            return at
    day = _DAY.search(stem)
    return first_moment("-".join(day.groups())) if day else None


def _folder(place: PurePosixPath) -> str:
    return "" if place.parent == PurePosixPath(".") else place.parent.as_posix()


def sections(text: str) -> Iterator[Section]:
    """Cut a note at its headings, and again where that leaves more than a memory should hold."""
    headings: list[tuple[int, str]] = []
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        if mark := _CODE_FENCE.match(line):
            fence = "" if fence and mark["mark"].startswith(fence) else fence or mark["mark"]
        heading = None if fence else _HEADING.fullmatch(line)
        if heading is not None:
            # A heading with nothing under it belongs to what follows.
            if any(each.strip() and not _HEADING.fullmatch(each) for each in lines):
                yield from _cut(lines, headings)
                lines = []
            depth = len(heading["depth"])
            headings = [each for each in headings if each[0] < depth]
            headings.append((depth, heading["words"].strip().rstrip("#").rstrip()))
        lines.append(line)
    yield from _cut(lines, headings)


def _cut(lines: list[str], headings: list[tuple[int, str]]) -> Iterator[Section]:
    """Yield the parts of one section; its heading stays with the first of them."""
    under = tuple(words for _, words in headings if words)
    title = "\n".join(takewhile(lambda line: not line.strip() or _HEADING.fullmatch(line), lines))
    text = "\n".join(lines)
    if len(title) > MAX_SECTION // 2:
        title = ""
    first, *others = parts(text[len(title) :], MAX_SECTION - len(title)) or [""]
    for part in (title + first, *others):
        if normalise(part):
            yield Section(part.strip(), under)


def _tags(text: str) -> list[str]:
    """Return the #tags of a text; a number is none."""
    return [each["tag"].rstrip("/-") for each in _TAG.finditer(text) if not each["tag"].isdigit()]


def _linked(text: str, platform: str) -> list[str]:
    """Return the keys of the notes that a text links to."""
    named = [each["note"] for each in _WIKI.finditer(text)]
    named += [unquote(each["note"]) for each in _LINK.finditer(text)]
    keys = []
    for each in named[:_MOST_LINKS]:
        place = PurePosixPath(each.strip())
        stem = place.stem if place.suffix.lower() in SUFFIXES else place.name
        with suppress(BadInput):
            keys.append(Entity(name=entity_name(stem), platform=platform).key)
    return keys
