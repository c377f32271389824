"""`Mark`: how far the transcript of a session was heard, and what the session was told."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from saegim.filesystem import replacing
from saegim.memory.clock import iso
from saegim.serve.hooks.spool import Owner, read_owner
from saegim.settings import STORE

FOLDER: Final = "hooks"
# A mark that is gone costs a second reading, never a word.
_MOST: Final = 256
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
    # Whose session it is; another store has a mark of its own.
    owner: Owner = _NOBODY


_OWNED: Final = frozenset(each.name for each in fields(Owner))
_TEXTS: Final = frozenset(each.name for each in fields(Mark)) - {"offset", "owner"}


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

    def others(self, session: str, store: str, most: int) -> Iterator[Mark]:
        """Yield the marks of other sessions of a store, the latest first."""
        every = (self._read(file) for file in self._latest())
        found = (each for each in every if each is not None and each.owner.store == store)
        return islice((each for each in found if each.session != session), most)

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
        texts = {name: value for name, value in held.items() if name not in _OWNED}
        offset = texts.pop("offset", None)
        if set(texts) != _TEXTS or type(offset) is not int:
            return None
        if not all(isinstance(each, str) for each in texts.values()):
            return None
        return replace(Mark(session="", begun=""), **texts, offset=offset, owner=owner)
