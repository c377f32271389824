"""`Mark`: how far the transcript of a session was heard, and what the session was told."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from saegim.filesystem import replacing
from saegim.memory.clock import iso

FOLDER: Final = "hooks"
# A mark that is gone costs a second reading, never a word.
_MOST: Final = 256


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


def digest(text: str) -> str:
    """Name a text in a few characters."""
    whole = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12)
    return whole.hexdigest()


class Marks:
    """The marks of one home."""

    def __init__(self, home: Path) -> None:
        self.folder = home / FOLDER

    def of(self, session: str, now: datetime) -> Mark:
        """Return the mark of a session; a new one if it has none that can be read."""
        read = self._read(self._file(session))
        return read if read and read.session == session else Mark(session=session, begun=iso(now))

    def keep(self, mark: Mark) -> None:
        """Write a mark down, whole or not at all."""
        self.folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        file = self._file(mark.session)
        fresh = not file.exists()
        with replacing(file) as whole:
            whole.write(json.dumps(asdict(mark)) + "\n")
        if fresh:
            self._sweep()

    def others(self, session: str, most: int) -> Iterator[Mark]:
        """Yield the marks of other sessions, the latest first."""
        for file in self._latest()[: most + 1]:
            read = self._read(file)
            if read is not None and read.session != session:
                yield read

    def _file(self, session: str) -> Path:
        return self.folder / f"{digest(session)}.json"

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
        if not isinstance(held, dict) or set(held) != {each.name for each in fields(Mark)}:
            return None
        texts = {name: value for name, value in held.items() if name != "offset"}
        offset = held["offset"]
        if not all(isinstance(each, str) for each in texts.values()) or type(offset) is not int:
            return None
        return replace(Mark(session="", begun=""), **texts, offset=offset)
