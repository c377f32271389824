"""`Mark`: how far the transcript of a session was heard, and what the session was told.

Beside the marks stands which folders of transcripts are watched, and since when.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from saegim.filesystem import replacing
from saegim.memory.clock import iso, parse_instant
from saegim.serve.hooks.event_note import is_plain
from saegim.serve.hooks.spool import Owner, read_owner
from saegim.settings import STORE

FOLDER: Final = "hooks"
# A mark that is gone costs a second reading, never a word.
_MOST: Final = 256
_WATCHED: Final = "watched"
# Where Claude Code keeps the transcripts of each project: …/projects/NAME/SESSION.jsonl
PROJECTS: Final = "projects"
SUFFIX: Final = ".jsonl"
# Clocks of files and of processes are not the same to the second.
_MOMENT: Final = timedelta(seconds=2)
_NOBODY: Final = Owner()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What is known of one session between two of its events."""

    session: str
    # When its first event came: what a transcript holds from before then was copied there.
    begun: str
    transcript: str = ""
    offset: int = 0
    # A digest of the folder, and the project it was found to be.
    folder: str = ""
    project: str = ""
    # A digest of the context the session was given at its start.
    shown: str = ""
    # How many memories this turn was given, and the row of the newest that a sign has named.
    recalled: str = ""
    signed: str = ""
    # Whose session it is; another store has a mark of its own.
    owner: Owner = _NOBODY
    # How often each thing was said up to the offset, by a digest of its words; and how often it
    # was heard as a prompt. The first "ok" among the prompts is the first in the transcript.
    said: Mapping[str, int] = field(default_factory=dict)
    asked: Mapping[str, int] = field(default_factory=dict)


_OWNED: Final = frozenset(each.name for each in fields(Owner))
_COUNTS: Final = frozenset({"said", "asked"})
_TEXTS: Final = frozenset(each.name for each in fields(Mark)) - {"offset", "owner"} - _COUNTS


def digest(text: str) -> str:
    """Name a text in a few characters."""
    whole = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12)
    return whole.hexdigest()


class Marks:
    """The marks of one home."""

    def __init__(self, home: Path) -> None:
        self.folder = home / FOLDER

    def of(self, session: str, now: datetime, owner: Owner) -> Mark:
        """Return the mark of a session, whoever's it is; a new one if none can be read."""
        read = self._read(self._file(session, owner.store))
        if read and (read.session, read.owner.store) == (session, owner.store):
            return read
        return Mark(session=session, begun=iso(now), owner=owner)

    def keep(self, mark: Mark) -> None:
        """Write a mark down, whole or not at all."""
        self.folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        file = self._file(mark.session, mark.owner.store)
        fresh = not file.exists()
        with replacing(file) as whole:
            held = asdict(mark)
            held |= held.pop("owner")
            whole.write(json.dumps(held) + "\n")
        if fresh:
            self._sweep()

    def all_of(self, store: str) -> Iterator[Mark]:
        """Yield the marks of a store, the latest first."""
        every = (self._read(file) for file in self._latest())
        return (each for each in every if each is not None and each.owner.store == store)

    def _file(self, session: str, store: str) -> Path:
        name = session if store == STORE else f"{store}\n{session}"
        return self.folder / f"{digest(name)}.json"

    def _latest(self) -> list[Path]:
        aged = []
        for file in self.folder.glob("*.json"):
            with contextlib.suppress(OSError):
                aged.append((file.stat().st_mtime_ns, file))
        return [file for _, file in sorted(aged, reverse=True)]

    def _sweep(self) -> None:
        for file in self._latest()[_MOST:]:
            file.unlink(missing_ok=True)

    @staticmethod
    def _read(file: Path) -> Mark | None:
        try:
            held: Any = json.loads(file.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None
        if not isinstance(held, dict):
            return None
        try:
            owner = read_owner(held)
        except ValueError:
            return None
        texts = {name: value for name, value in held.items() if name not in _OWNED | _COUNTS}
        counts = {name: _counted(held.get(name, {})) for name in _COUNTS}
        # Marks of earlier versions have no signs.
        texts = {"recalled": "", "signed": "", **texts}
        offset = texts.pop("offset", None)
        if set(texts) != _TEXTS or type(offset) is not int:
            return None
        if not all(isinstance(each, str) for each in texts.values()):
            return None
        # Earlier marks held the instant of a sign.
        texts["signed"] = texts["signed"] if texts["signed"].isdecimal() else ""
        read = replace(Mark(session="", begun=""), **texts, offset=offset, owner=owner)
        return replace(read, said=counts["said"], asked=counts["asked"])


def _counted(held: Any) -> dict[str, int]:
    """Return counts as they were written; what is none was written before there were any."""
    if not isinstance(held, dict):
        return {}
    return {each: count for each, count in held.items() if type(count) is int}


# -- the folders of transcripts -------------------------------------------------------------------


def root_of(transcript: str) -> str:
    """Return the folder of all transcripts, if this lies where Claude Code puts one, or nothing."""
    folder, name = os.path.split(transcript)
    root = os.path.dirname(folder)
    stem = name.removesuffix(SUFFIX)
    ours = name != stem and len(stem) == 36 and is_plain(stem)
    return root if ours and os.path.basename(root) == PROJECTS and os.path.isabs(root) else ""


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of transcripts that hooks of an owner have told of, since when, seen until when."""

    folder: str
    since: str
    owner: Owner
    seen: str = ""


def roots(home: Path) -> list[Root]:
    """Return the folders that are watched; none if that cannot be read."""
    try:
        held: Any = json.loads((home / FOLDER / _WATCHED).read_text(encoding="ascii"))
        return [_root(each) for each in held["roots"]]
    except (OSError, ValueError, LookupError, TypeError):
        return []


def _root(held: dict[str, Any]) -> Root:
    texts = {name: held[name] for name in ("folder", "since", "seen")}
    if not all(isinstance(each, str) for each in texts.values()):
        raise ValueError("not a folder that is watched")
    parse_instant(texts["since"])
    return Root(owner=read_owner(held), **texts)


def watch(home: Path, folder: str, owner: Owner, since: datetime) -> None:
    """Look for sessions in a folder from now on; a folder that is watched keeps its beginning."""
    known = roots(home)
    if folder and not any((each.folder, each.owner) == (folder, owner) for each in known):
        watch_roots(home, [*known, Root(folder, iso(since - _MOMENT), owner)])


def watch_roots(home: Path, every: Sequence[Root]) -> None:
    """Write down which folders are watched, whole or not at all."""
    (home / FOLDER).mkdir(parents=True, mode=0o700, exist_ok=True)
    written = []
    for each in every:
        plain = asdict(each)
        written.append({**plain, **plain.pop("owner")})
    with replacing(home / FOLDER / _WATCHED) as file:
        file.write(json.dumps({"version": 1, "roots": written}) + "\n")
