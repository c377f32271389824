"""The spool: what was heard and is not kept yet, durable on disk before anyone counts on it.

Each file is written beside its place, flushed and moved there, so that a process that is killed
leaves it whole or not at all. Its name comes from what it holds: written twice, it is one file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

from saegim.errors import SettingsError
from saegim.filesystem import held_alone, replacing
from saegim.memory.clock import iso, micros, parse_instant
from saegim.serve.hooks.event_note import FOLDER
from saegim.settings import STORE, read_settings

APART: Final = "apart"
_LOCK: Final = ".lock"
_VERSION: Final = 1
# Few enough that a file is worked off within the shortest limit, and small enough to read at once.
MOST_ENTRIES: Final = 16
MOST_LETTERS: Final = 64 * 1024
_LONGEST_FILE: Final = 16 << 20

Act = Literal["begin", "turn", "end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whose words these are, and into which store of the home they belong.

    Without a user they belong to the one whom the settings of the home name.
    """

    user: str = ""
    agent: str = ""
    store: str = STORE


_NOBODY: Final = Owner()


def store_in(home: Path, file: Path) -> str:
    """Name a store as seen from a home, so that both may be moved together."""
    folder, at = os.path.realpath(home), os.path.realpath(file.parent)
    return file.name if at == folder else os.path.join(at, file.name)


def settled(owner: Owner, home: Path) -> Owner:
    """Return the owner by name, as far as the settings of a home can be read.

    The environment does not count: it tells who asks now, not who spoke then.
    """
    if owner.user:
        return owner
    try:
        named = read_settings(home, {})
    except (SettingsError, OSError):
        return owner
    return replace(owner, user=named.user, agent=owner.agent or named.agent)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolEntry:
    """One thing to be done: a session begins, something was said, a session ends.

    `copied` marks words that stand in a transcript from before its session began. `key` names a
    turn, so that it is judged once: the same for a prompt and for its line in the transcript.
    """

    act: Act
    role: str = ""
    text: str = ""
    at: datetime | None = None
    copied: bool = False
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What one file of the spool holds: entries of one session, in their order.

    With a `folder`, its project was not known yet, and is looked up when it is worked off.
    """

    session: str
    project: str
    entries: tuple[SpoolEntry, ...]
    owner: Owner = _NOBODY
    folder: str = ""

    def text(self) -> str:
        """Write the sheet as JSON, in plain ASCII."""
        entries = [
            {
                "act": each.act,
                "role": each.role,
                "text": each.text,
                "at": iso(each.at) if each.at else "",
                "copied": each.copied,
                "key": each.key,
            }
            for each in self.entries
        ]
        held = {"version": _VERSION, "session": self.session, "project": self.project}
        held |= {"folder": self.folder} if self.folder else {}
        return json.dumps({**held, **asdict(self.owner), "entries": entries}) + "\n"


def read_sheet(text: str) -> Sheet:
    """Read what `Sheet.text` wrote; raises ValueError for anything else."""
    held = json.loads(text)
    if not isinstance(held, dict) or held.get("version") != _VERSION:
        raise ValueError("not a sheet of the spool")
    entries = held.get("entries")
    if not isinstance(entries, list):
        raise ValueError("a sheet without entries")
    return Sheet(
        session=_str(held, "session"),
        project=_str(held, "project"),
        entries=tuple(map(_entry, entries)),
        owner=read_owner(held),
        folder=_str(held, "folder"),
    )


def read_owner(held: dict[str, Any]) -> Owner:
    """Read whose something is; what was written before this was noted names nobody."""
    store = _str(held, "store") or STORE
    return Owner(user=_str(held, "user"), agent=_str(held, "agent"), store=store)


def _entry(held: Any) -> SpoolEntry:
    if not isinstance(held, dict):
        raise ValueError("not an entry of the spool")
    act, at = held.get("act"), _str(held, "at")
    if act not in ("begin", "turn", "end"):
        raise ValueError("an act that there is not")
    return SpoolEntry(
        act=act,
        role=_str(held, "role"),
        text=_str(held, "text"),
        at=parse_instant(at) if at else None,
        copied=held.get("copied") is True,
        key=_str(held, "key"),
    )


def _str(held: dict[str, Any], name: str) -> str:
    value = held.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"{name} is not a text")
    return value


def sheets(
    session: str,
    project: str,
    entries: Sequence[SpoolEntry],
    owner: Owner = _NOBODY,
    folder: str = "",
) -> Iterator[Sheet]:
    """Cut entries into sheets of bounded size, in their order."""
    empty = Sheet(session=session, project=project, entries=(), owner=owner, folder=folder)
    held: list[SpoolEntry] = []
    size = 0
    for each in entries:
        if held and (len(held) == MOST_ENTRIES or size + len(each.text) > MOST_LETTERS):
            yield replace(empty, entries=tuple(held))
            held, size = [], 0
        held.append(each)
        size += len(each.text)
    if held:
        yield replace(empty, entries=tuple(held))


class Spool:
    """The spool of one home."""

    def __init__(self, home: Path) -> None:
        self.folder = home / FOLDER

    def put(self, sheet: Sheet, now: datetime) -> Path:
        """Write a sheet down; when this returns, it is on the disk."""
        text = sheet.text()
        first = next((each.at for each in sheet.entries if each.at), None) or now
        digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
        file = self.folder / f"{micros(first):020d}-{digest}.json"
        self.folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        self._write(file, text)
        return file

    def shorten(self, file: Path, sheet: Sheet) -> None:
        """Let a file hold only what is still to be done."""
        self._write(file, sheet.text())

    def done(self, file: Path) -> None:
        """Take away a sheet that was worked off."""
        file.unlink(missing_ok=True)

    def set_apart(self, file: Path) -> None:
        """Put away a file that cannot be worked off, so that the others can."""
        (self.folder / APART).mkdir(mode=0o700, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.replace(file, self.folder / APART / file.name)

    def waiting(self) -> list[Path]:
        """Return the files that wait, the oldest words first."""
        return sorted(self.folder.glob("[0-9]*.json"))

    def apart(self) -> list[Path]:
        """Return the files that could not be worked off."""
        return sorted((self.folder / APART).glob("*.json"))

    def read(self, file: Path) -> Sheet:
        """Read one file; raises ValueError if it is none of ours, OSError if it is gone."""
        if file.stat().st_size > _LONGEST_FILE:
            raise ValueError("too long for a sheet")
        return read_sheet(file.read_text(encoding="ascii"))

    @contextmanager
    def held(self, lock: str = _LOCK) -> Iterator[bool]:
        """Say whether this process alone works off the spool; the system lets go for the dead."""
        self.folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        with held_alone(self.folder / lock) as alone:
            yield alone

    def _write(self, file: Path, text: str) -> None:
        with replacing(file) as whole:
            whole.write(text)
        _settle(self.folder)


def _settle(folder: Path) -> None:
    """Let the name of a new file be as durable as the file."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
