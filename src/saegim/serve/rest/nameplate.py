"""`Nameplate`: tells other processes which server serves a data directory; there is one at most."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from saegim.errors import SettingsError, StoreBusy, StoreError
from saegim.filesystem import replacing
from saegim.serve.rest import ours

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

FILE = "server.json"
_LOCK = "server.lock"
_MOST = 16 * 1024
# Who looks whether a server lives holds its lock for a moment.
_TRIES = 5
_MOMENT = 0.01


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
    # Whose memory it serves; someone else of this machine is no guest there.
    user: str = ""


def read(home: Path) -> dict[str, object]:
    """Return what the plate says, or nothing; whether it is still true is for the reader to try."""
    try:
        said = json.loads((home / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def believed(home: Path) -> dict[str, object]:
    """Return what the plate says, if we hung it there and its server holds the lock; or nothing.

    A plate that a killed server left behind names a port on which anybody may listen by now.
    """
    try:
        said = json.loads(ours.text_of(home / FILE, _MOST))
    except (OSError, ValueError, RecursionError, SettingsError):
        return {}
    return said if isinstance(said, dict) and _is_held(home) else {}


def _is_held(home: Path) -> bool:
    """Say whether somebody else holds the lock; of several who look, none sees the others."""
    try:
        lock = ours.opened(home / _LOCK, os.O_RDWR)
    except (OSError, SettingsError):
        return False
    try:
        _taken(lock, shared=True)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


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
                "server.cannot_be_used_check_path", home=self._home, reason=error.strerror
            ) from error
        try:
            _taken_soon(self._lock)
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
        if {"pid", "url"} <= set(said):
            return StoreBusy("server.running_here_at", pid=said["pid"], url=said["url"])
        return StoreBusy("server.running_here")


def _taken_soon(lock: int) -> None:
    """Take the lock, or raise OSError if somebody keeps it."""
    for _ in range(_TRIES - 1):
        try:
            return _taken(lock)
        except OSError:
            time.sleep(_MOMENT)
    return _taken(lock)


def _taken(lock: int, *, shared: bool = False) -> None:
    """Take the lock, or raise OSError at once if somebody has it."""
    if sys.platform == "win32":
        msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
