"""Which forms can be read: how each is recognised by what it holds, and who reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saegim.errors import BadInput, NotFound
from saegim.importers import coordinate_folder, jsonl, orbs
from saegim.importers.intake import COORDINATES, ORBS, OWN
from saegim.importers.source import archive, chats, markdown, memory_servers, old_tables
from saegim.importers.source.archive import Glimpse, glimpse
from saegim.importers.source.source import Entries, ImportRun
from saegim.store.tables.other_sqlite import MAGIC, OtherSqlite

# What can be written as well.
WRITTEN = (OWN, COORDINATES, ORBS)


@dataclass(frozen=True, slots=True)
class Sight:
    """What is seen of a path before anything of it is read."""

    path: Path
    is_folder: bool
    json: Glimpse
    tables: frozenset[str] = frozenset()
    notes: frozenset[str] = frozenset()

    @property
    def first(self) -> dict[str, Any]:
        """Return the first element of the array in it, if that is an object."""
        return self.json.first if isinstance(self.json.first, dict) else {}

    @property
    def is_empty_list(self) -> bool:
        """Say whether it is an array of nothing, which could be anyone's."""
        return self.json.is_array and self.json.first is None


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """A form: its name, whether a path looks like it, its reader, and where it can lie."""

    name: str
    fits: Callable[[Sight], bool]
    read: Callable[[Path, ImportRun], Entries]
    file: bool = True
    folder: bool = False


def _read_own(path: Path, source: ImportRun) -> Entries:
    yield from jsonl.read(path, source.scope.user)


def _read_coordinates(path: Path, source: ImportRun) -> Entries:
    yield from coordinate_folder.read(path, scope=source.scope, store=source.store, now=source.now)


def _is_mem0(sight: Sight) -> bool:
    """Say whether the first thing in a list is a memory with an owner, as mem0 writes them."""
    first = sight.first
    if not first:
        return sight.is_empty_list or any(
            name in sight.json.fields for name in memory_servers.LISTS
        )
    owned = "id" in first and any(name in first for name in memory_servers.OWNERS)
    return any(isinstance(first.get(name), str) for name in memory_servers.WORDS) and (
        owned or "memory" in first
    )


def _has_sessions(sight: Sight) -> bool:
    """Say whether a folder holds sessions, and not only a folder of that name with notes in it."""
    for folder in (sight.path / "memory" / "sessions", sight.path / "sessions"):
        if sight.is_folder and folder.is_dir():
            return any(folder.glob("*.jsonl")) or not any(folder.iterdir())
    return False


FORMS: tuple[ImportFormat, ...] = (
    ImportFormat(OWN, lambda sight: "saegim" in sight.json.fields, _read_own),
    ImportFormat(COORDINATES, _has_sessions, _read_coordinates, file=False, folder=True),
    ImportFormat(
        "bara", lambda sight: bool(sight.tables & set(old_tables.TABLES)), old_tables.read
    ),
    ImportFormat(
        "server-memory",
        lambda sight: sight.json.fields.get("type") in memory_servers.TYPES,
        memory_servers.read_server_memory,
    ),
    ImportFormat(ORBS, lambda sight: orbs.fits(sight.json), orbs.read),
    ImportFormat(
        "mem0",
        lambda sight: not orbs.fits(sight.json) and _is_mem0(sight),
        memory_servers.read_mem0,
    ),
    ImportFormat(
        "chatgpt",
        lambda sight: sight.is_empty_list or "mapping" in sight.first,
        chats.read_chatgpt,
        folder=True,
    ),
    ImportFormat(
        "claude",
        lambda sight: sight.is_empty_list or "chat_messages" in sight.first,
        chats.read_claude,
        folder=True,
    ),
    ImportFormat(
        "claude-code", lambda sight: "claude-code" in sight.notes, markdown.read, folder=True
    ),
    ImportFormat("markdown", lambda sight: "markdown" in sight.notes, markdown.read, folder=True),
)
NAMES = tuple(form.name for form in FORMS)


def chosen(path: Path, name: str) -> ImportFormat:
    """Return the form that was asked for, or the one that the path has; refuse to guess."""
    if name not in ("auto", *NAMES):
        raise unknown(name, ("auto", *NAMES))
    try:
        if not path.exists():
            raise NotFound("import.no_file_or_folder", path=path)
    except OSError as error:
        # A name that is too long, or a folder that we may not look into.
        raise BadInput("import.cannot_be_read", path=path, reason=error.strerror) from error
    if not path.is_dir() and not path.is_file():
        raise BadInput("import.not_file", path=path)
    if name == "auto":
        return _recognised(path)
    form = next(each for each in FORMS if each.name == name)
    if path.is_dir() and not form.folder:
        raise BadInput("import.is_a_folder", path=path)
    if path.is_file() and not form.file:
        raise BadInput("import.is_a_file", path=path)
    return form


def unknown(name: str, known: tuple[str, ...]) -> BadInput:
    """Return the error for a form that there is not."""
    return BadInput("import.no_form", name=name, known=" or ".join(known))


def _recognised(path: Path) -> ImportFormat:
    try:
        sight = _seen(path)
    except OSError as error:
        raise BadInput(
            "import.cannot_be_read_check_is", path=path, reason=error.strerror or error
        ) from error
    fitting = [form for form in FORMS if form.fits(sight)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = " or ".join(form.name for form in fitting)
        raise BadInput("import.could_be_several_forms", path=path, names=names)
    if sight.is_folder:
        raise BadInput("import.holds_neither_sessions_nor_memory_give_folder", path=path)
    with path.open("rb") as file:
        empty = not file.read(4096).strip()
    key = "import.form_of_empty_file" if empty else "import.form_unknown"
    raise BadInput(key, path=path, names=", ".join(NAMES))


def _seen(path: Path) -> Sight:
    if path.is_dir():
        found = Glimpse()
        if archive.holds_conversations(path):
            found = _conversations(path)
        return Sight(path, True, found, notes=_notes(path))
    if markdown.is_note(path):
        return Sight(path, False, Glimpse(), notes=_notes(path))
    with path.open("rb") as file:
        head = file.read(len(MAGIC))
    if head == MAGIC:
        return Sight(path, False, Glimpse(), tables=_tables(path))
    if head.startswith(archive.MAGIC):
        return Sight(path, False, _conversations(path))
    with path.open("rb") as file:
        return Sight(path, False, glimpse(file, memory_servers.LISTS))


def _conversations(path: Path) -> Glimpse:
    """Look into the first file of conversations."""
    for _, file in archive.documents(path):
        with file:
            return glimpse(file)
    return Glimpse()


def _tables(path: Path) -> frozenset[str]:
    with OtherSqlite(path) as foreign:
        if foreign.is_ours:
            raise BadInput("import.store_of_saegim_not_export", path=path)
        return frozenset(foreign.tables)


def _notes(path: Path) -> frozenset[str]:
    """Say whose notes there are; looking ends as soon as one of each has been seen."""
    if path.is_file():
        mine = path.name.lower() in markdown.CLAUDE_NAMES
        return frozenset(("claude-code" if mine else "markdown",))
    theirs = (note for note in markdown.notes(path) if isinstance(note, Path))
    seen = {
        "markdown": any(not markdown.of_claude(note, path) for note in theirs),
        "claude-code": any(
            isinstance(note, Path) for note in markdown.notes(path, markdown.of_claude)
        ),
    }
    return frozenset(name for name, there in seen.items() if there)
