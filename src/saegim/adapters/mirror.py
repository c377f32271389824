"""`Mirror`: a folder kept in step with documents, for people and programs that look at files.

The store holds the truth. The time of a file is that of the version it shows; a file with another
time was touched by a hand.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from saegim.errors import BadInput
from saegim.filesystem import replacing, unwritable
from saegim.memory.clock import micros
from saegim.memory.memory import MAX_TEXT

# Only the person whose memory this is reads it, whatever the umask says.
_FOLDER = 0o700
# A file that is being written; see `replacing`.
_UNFINISHED = ".saegim-"


@dataclass(frozen=True, slots=True)
class Touched:
    """A file that does not show the version it should: its text, or None where there is no file.

    `older` says that it is older than that version: it may show one before.
    """

    name: str
    text: str | None
    older: bool = False


class Mirror:
    """A folder that shows documents as files."""

    def __init__(self, root: Path) -> None:
        place = root.expanduser().absolute()
        self._make(place)
        # Where it really lies, so that a link changed later leads nowhere else.
        self.root = place.resolve()

    def place(self, name: str) -> Path:
        """Return where a document lies; refuse a way that leads out of the folder."""
        place = (self.root / name).resolve()
        if not place.is_relative_to(self.root):
            raise BadInput("adapter.path_memories_would_escape_memories", name=name)
        return place

    def write(self, name: str, text: str, at: datetime) -> None:
        """Show a version of a document."""
        place = self.place(name)
        self._make(place.parent)
        with replacing(place) as file:
            file.write(text.encode("utf-8", "replace").decode())
        self.stamp(name, at)

    def stamp(self, name: str, at: datetime) -> None:
        """Note which version a file shows."""
        os.utime(self.place(name), ns=(micros(at) * 1000, micros(at) * 1000))

    def remove(self, name: str) -> None:
        """Show a document no longer, nor a folder that is empty without it."""
        place = self.place(name)
        place.unlink(missing_ok=True)
        for folder in place.parents:
            if folder == self.root or not folder.is_relative_to(self.root):
                return
            try:
                folder.rmdir()
            except OSError:
                return

    def touched(self, versions: Mapping[str, datetime]) -> Iterator[Touched]:
        """Return which files do not show these versions, and which show nothing we know.

        What is no text, or longer than a memory can be, is left alone.
        """
        for name, at in versions.items():
            place = self.place(name)
            if not place.is_file():
                yield Touched(name, None)
                continue
            written = place.stat().st_mtime_ns // 1000
            if written != micros(at) and (text := _read(place)) is not None:
                yield Touched(name, text, older=written < micros(at))
        for folder, _, files in os.walk(self.root):
            for file in sorted(files):
                place = Path(folder, file)
                name = place.relative_to(self.root).as_posix()
                if name in versions or file.startswith(_UNFINISHED):
                    continue
                if (text := _read(place)) is not None:
                    yield Touched(name, text)

    def _make(self, folder: Path) -> None:
        try:
            lacking = [each for each in (folder, *folder.parents) if not each.exists()]
            for each in reversed(lacking):
                each.mkdir(mode=_FOLDER, exist_ok=True)
                each.chmod(_FOLDER)
        except OSError as error:
            raise unwritable(folder, error) from error


def _read(place: Path) -> str | None:
    """Read a file that could be a memory."""
    if place.is_symlink() or not place.is_file() or place.stat().st_size > 4 * MAX_TEXT:
        return None
    try:
        text = place.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if len(text) <= MAX_TEXT else None
