"""Where a running server is: its server file, and the lock file it holds while it lives.

And what is this user's alone: files nobody else can have put here, folders nobody else can change.

Owners and modes are known on POSIX only; elsewhere the folder of the user is trusted.
"""

from __future__ import annotations

import json
import os
import shlex
import stat
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from saegim.errors import SettingsError, StoreBusy, StoreError
from saegim.filesystem import replacing

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# Nobody follows a link to a file of another name, nor waits for somebody at the end of a pipe.
_PLAINLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def opened(path: Path, flags: int = os.O_RDONLY) -> int:
    """Return the descriptor of a regular file that is ours alone; refuse any other (M10)."""
    handle = os.open(path, flags | _PLAINLY)
    try:
        _refuse_foreign(path, os.fstat(handle))
    except SettingsError:
        os.close(handle)
        raise
    return handle


def text_of(path: Path, most: int) -> str:
    """Return the beginning of a file that is ours alone, as ASCII or UTF-8."""
    handle = opened(path)
    try:
        return os.read(handle, most).decode("utf-8", "replace")
    finally:
        os.close(handle)


def _refuse_foreign(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise SettingsError("server.no_ordinary_file", path=path)
    if os.name == "posix" and found.st_uid != os.geteuid():
        raise SettingsError("server.foreign_token", path=path)
    if os.name == "posix" and found.st_mode & _OTHERS:
        raise SettingsError(
            "server.can_be_read_by_others", path=path, quoted=shlex.quote(str(path))
        )


def refuse_shared_folder(home: Path) -> None:
    """Refuse to serve a data directory into which others can put a token or a server file."""
    try:
        found = home.stat()
    except OSError:
        # It is made later, for us alone; or whoever makes it says why it cannot be.
        return
    if os.name != "posix":
        return
    if found.st_uid != os.geteuid():
        raise SettingsError("server.foreign_home", path=home)
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise SettingsError(
            "server.others_can_write_into", home=home, quoted=shlex.quote(str(home))
        )


def refuse_foreign_folder(home: Path) -> None:
    """Refuse a data directory that another user made, or to which a link of theirs leads.

    Only root may look after what belongs to others.
    """
    try:
        found = home.stat()
    except OSError:
        return
    if os.name == "posix" and os.geteuid() not in (0, found.st_uid):
        raise SettingsError("server.foreign_home", path=home)


def refuse_shared_key(key: str) -> None:
    """Refuse the key of a certificate that others can read; root may share it with a group."""
    path = Path(key).expanduser()
    found = path.stat()
    if os.name != "posix":
        return
    if found.st_uid not in (os.geteuid(), 0):
        raise SettingsError("server.foreign_key", path=path)
    of_root = found.st_uid == 0 != os.geteuid()
    if found.st_mode & (_OTHERS & ~stat.S_IRGRP if of_root else _OTHERS):
        raise SettingsError(
            "server.can_be_read_by_others_chmod_600", path=path, quoted=shlex.quote(str(path))
        )


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
    """Return what the server file says, or nothing; whether it holds is for the reader to try."""
    try:
        said = json.loads((home / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def believed(home: Path) -> dict[str, object]:
    """Return what the server file says, if we wrote it and its server holds the lock; or nothing.

    A server file that a killed server left behind names a port on which anybody may listen by now.
    """
    try:
        said = json.loads(text_of(home / FILE, _MOST))
    except (OSError, ValueError, RecursionError, SettingsError):
        return {}
    return said if isinstance(said, dict) and _is_held(home) else {}


def _is_held(home: Path) -> bool:
    """Say whether somebody else holds the lock; of several who look, none sees the others."""
    try:
        lock = opened(home / _LOCK, os.O_RDWR)
    except (OSError, SettingsError):
        return False
    try:
        _taken(lock, shared=True)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


class ServerFile:
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
        self.remove()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def write(self, served: Served) -> None:
        """Say where the server is, once it answers."""
        with replacing(self._home / FILE) as file:
            json.dump(asdict(served), file, ensure_ascii=False)

    def remove(self) -> None:
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
