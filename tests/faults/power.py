"""A disk that forgets what was not synced: an APSW VFS that can show what a power cut would leave.

Files are real, so shared memory and locks work as usual; beside them the VFS remembers which bytes
a sync has made durable and which writes came since. The loss of directory entries is not modelled.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

SECTOR = 512
# What a power cut can tear: the store and its log. The shared-memory index is made anew anyway.
_PERSISTENT = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL


@dataclass(slots=True)
class Platter:
    """One file as the disk has it: what is durable, and what was written since, in order."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)

    def sync(self) -> None:
        """Make everything that was written durable."""
        for offset, data in self.pending:
            put(self.durable, offset, data)
        self.pending.clear()

    def after_cut(self, survives: Callable[[], bool]) -> bytes:
        """Return what is left when each unsynced sector survives or not."""
        left = bytearray(self.durable)
        for offset, data in self.pending:
            if data is None:
                if survives():
                    put(left, offset, None)
                continue
            at = offset
            while at < offset + len(data):
                end = min((at // SECTOR + 1) * SECTOR, offset + len(data))
                if survives():
                    put(left, at, data[at - offset : end - offset])
                at = end
        return bytes(left)


def put(content: bytearray, offset: int, data: bytes | None) -> None:
    """Write bytes into a content, or cut it off there if there are none."""
    if data is None:
        del content[offset:]
        return
    if offset > len(content):
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data


@dataclass(frozen=True, slots=True)
class Cut:
    """A power cut: the files it leaves, and what had been confirmed before it."""

    files: dict[str, bytes]
    confirmed: tuple[str, ...]

    def lay_out(self, folder: Path) -> Path:
        """Write the files as the next start finds them; return the store."""
        folder.mkdir()
        for name, content in self.files.items():
            (folder / name).write_bytes(content)
        return folder / next(name for name in self.files if name.endswith(".db"))


class ForgetfulDisk(apsw.VFS):
    """A VFS that follows every write and, now and then, takes the picture of a power cut."""

    def __init__(self, name: str, *, lies: bool = False) -> None:
        self.name = name
        self.lies = lies
        self.confirmed: list[str] = []
        self.cuts: list[Cut] = []
        self.platters: dict[str, Platter] = {}
        self._lock = threading.RLock()
        self._dice = random.Random(0)
        self._chance = 0.0
        super().__init__(name, "")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        """Open a file; the persistent ones are followed."""
        return _File(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        """Delete a file for good."""
        with self._lock:
            super().xDelete(filename, syncdir)
            self.platters.pop(Path(filename).name, None)

    def settle(self) -> None:
        """Make everything durable, as if the machine had been idle for long."""
        with self._lock:
            for platter in self.platters.values():
                platter.sync()

    def tremble(self, chance: float, seed: int) -> None:
        """From now on, take pictures with this chance at every write and every sync."""
        self._dice = random.Random(seed)
        self._chance = chance

    def event(self, act: Callable[[], None]) -> None:
        """Do something to the disk, and perhaps lose the power just before it."""
        with self._lock:
            if self._dice.random() < self._chance:
                self.cut(lambda: False)
                self.cut(lambda: self._dice.random() < 0.5)
            act()

    def cut(self, survives: Callable[[], bool]) -> None:
        """Take the picture of what a power cut would leave now."""
        files = {name: held.after_cut(survives) for name, held in self.platters.items()}
        self.cuts.append(Cut(files, tuple(self.confirmed)))


class _File(apsw.VFSFile):
    """A real file whose writes are followed."""

    def __init__(self, disk: ForgetfulDisk, name: Any, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._disk = disk
        self._platter: Platter | None = None
        if name is not None and flags[0] & _PERSISTENT:
            short = Path(name.filename() if isinstance(name, apsw.URIFilename) else name).name
            self._platter = disk.platters.setdefault(short, Platter())

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        """Write, and remember that it is not durable yet."""
        super().xWrite(data, offset)
        if (platter := self._platter) is not None:
            self._disk.event(lambda: platter.pending.append((offset, bytes(data))))

    def xTruncate(self, size: int) -> None:  # noqa: N802
        """Cut off, and remember that it is not durable yet."""
        super().xTruncate(size)
        if (platter := self._platter) is not None:
            self._disk.event(lambda: platter.pending.append((size, None)))

    def xSync(self, flags: int) -> None:  # noqa: N802
        """Make what was written durable, unless this disk lies about it."""
        super().xSync(flags)
        if (platter := self._platter) is not None and not self._disk.lies:
            self._disk.event(platter.sync)
