"""Disks that are too small, read-only or broken, as real as this machine and this user allow."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import apsw


@cache
def can_mount() -> bool:
    """Say whether this process may mount a file system of its own."""
    if os.name != "posix" or os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        if not _mount("-t", "tmpfs", "-o", "size=1m", "none", folder):
            return False
        subprocess.run(["umount", "-l", folder], check=True)
    return True


def _mount(*options: str) -> bool:
    return subprocess.run(["mount", *options], capture_output=True, check=False).returncode == 0


@contextmanager
def mounted(folder: Path, megabytes: int) -> Iterator[Path]:
    """Mount a small disk that lives in memory."""
    folder.mkdir()
    assert _mount("-t", "tmpfs", "-o", f"size={megabytes}m", "none", str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def remount(folder: Path, option: str) -> None:
    """Change a mounted disk: `ro`, `rw`, `size=8m`."""
    assert _mount("-o", f"remount,{option}", str(folder))


def exhaust(folder: Path) -> Path:
    """Fill a disk to its last byte; return the file that does it."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(65536))
        except OSError:
            return ballast


class FailingDisk(apsw.VFS):
    """A disk whose calls fail on demand: `syncs`, `reads`, or `writes` when it is full."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.failing: set[str] = set()
        # How many bytes still fit; without a number there is no end to it.
        self.room: int | None = None
        # How often it was written to, and from which write on there is no room at all.
        self.writes = 0
        self.full_from: int | None = None
        self.lock = threading.Lock()
        self.under = apsw.vfs_names()[0]
        super().__init__(name, self.under)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        """Open a file of this disk."""
        return _File(self, name, flags)

    def excepthook(self, *_: object) -> None:
        """Say nothing: the failures are made on purpose, and SQLite is told of each."""


class _File(apsw.VFSFile):
    def __init__(self, disk: FailingDisk, name: Any, flags: list[int]) -> None:
        super().__init__(disk.under, name, flags)
        self._disk = disk
        self._readonly = bool(flags[0] & apsw.SQLITE_OPEN_READONLY)
        self._main = bool(flags[0] & (apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_WAL))

    def excepthook(self, *_: object) -> None:
        """Say nothing, as above."""

    def xSync(self, flags: int) -> None:  # noqa: N802
        """Sync, or fail as a dying disk does."""
        if "syncs" in self._disk.failing:
            raise _failure(apsw.SQLITE_IOERR_FSYNC)
        super().xSync(flags)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        """Read, or fail as a dying disk does."""
        if self._main and "reads" in self._disk.failing:
            raise _failure(apsw.SQLITE_IOERR_READ)
        return super().xRead(amount, offset)

    def xLock(self, level: int) -> None:  # noqa: N802
        """Lock; a file that may only be read cannot be had alone, and SQLite minds no refusal."""
        if self._readonly and level > apsw.SQLITE_LOCK_SHARED:
            raise apsw.BusyError("only for reading")
        super().xLock(level)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        """Write if there is room for more bytes at the end of the file."""
        disk = self._disk
        with disk.lock:
            disk.writes += 1
            if disk.full_from is not None and disk.writes >= disk.full_from:
                raise apsw.FullError("no room left on this disk")
            more = max(offset + len(data) - self.xFileSize(), 0)
            if disk.room is not None:
                if more > disk.room:
                    raise apsw.FullError("no room left on this disk")
                disk.room -= more
        super().xWrite(data, offset)


@contextmanager
def everything_on(disk: FailingDisk) -> Iterator[None]:
    """Let every connection that names no disk of its own use this one."""
    apsw.set_default_vfs(disk.name)
    try:
        yield
    finally:
        apsw.set_default_vfs(disk.under)


def _failure(code: int) -> apsw.IOError:
    error = apsw.IOError("this disk is dying")
    error.extendedresult = code
    return error
