"""`Nameplate`: tells other processes which server serves a data directory; there is one at most."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from saegim.errors import StoreBusy, StoreError
from saegim.filesystem import replacing

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

FILE = "server.json"
_LOCK = "server.lock"


@dataclass(frozen=True, slots=True)
class Served:
    """Where a server is and who it is."""

    pid: int
    port: int
    url: str
    token_file: str
    version: str
    # The very file: a folder may hold several stores.
    store: str


def read(home: Path) -> dict[str, object]:
    """Return what the plate says, or nothing; whether it is still true is for the reader to try."""
    try:
        said = json.loads((home / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


class Nameplate:
    """Held while a server runs; the system lets go of it when the process ends, however it ends."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lock = -1

    def __enter__(self) -> Self:
        try:
            self._home.mkdir(parents=True, mode=0o700, exist_ok=True)
            self._lock = os.open(self._home / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(
                f"{self._home} cannot be used: {error.strerror}.",
                next_step="Check the path and its permissions.",
            ) from error
        try:
            _taken(self._lock)
        except OSError as error:
            os.close(self._lock)
            self._lock = -1
            raise self._busy() from error
        return self

    def __exit__(self, *_: object) -> None:
        self.take_down()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def hang(self, served: Served) -> None:
        """Say where the server is, once it answers."""
        with replacing(self._home / FILE) as file:
            json.dump(asdict(served), file, ensure_ascii=False)

    def take_down(self) -> None:
        """Say no more that there is a server here."""
        (self._home / FILE).unlink(missing_ok=True)

    def _busy(self) -> StoreBusy:
        said = read(self._home)
        where = f" (process {said['pid']}, {said['url']})" if {"pid", "url"} <= set(said) else ""
        return StoreBusy(
            f"A Saegim server is already running here{where}.",
            next_step="Use that one, or end it first with Ctrl+C or `kill`.",
        )


def _taken(lock: int) -> None:
    """Take the lock, or raise OSError at once if somebody has it."""
    if sys.platform == "win32":
        msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
