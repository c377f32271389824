"""What is this user's alone: files nobody else can have put here, folders nobody else can change.

Owners and modes are known on POSIX only; elsewhere the folder of the user is trusted.
"""

from __future__ import annotations

import os
import shlex
import stat
from pathlib import Path

from saegim.errors import SettingsError

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
    """Refuse to serve a data directory into which others can put a token or a plate."""
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
