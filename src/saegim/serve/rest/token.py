"""The token of this installation: whoever can read its file may call; nobody else."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from pathlib import Path

from saegim.errors import SettingsError, StoreError
from saegim.filesystem import replacing

FILE = "token"
_BYTES = 32
# 256 bits in URL-safe letters; a person may put a longer one of their own there.
_LEAST = 43


def token_at(home: Path) -> str:
    """Return the token of a data directory; the first call makes it."""
    path = home / FILE
    try:
        return _read(path)
    except FileNotFoundError:
        _made(path)
    except OSError as error:
        raise _unusable(path, error) from error
    return _read(path)


def renewed(home: Path) -> Path:
    """Put a new token in the place of the old one, which no longer opens anything."""
    path = home / FILE
    home.mkdir(parents=True, mode=0o700, exist_ok=True)
    with replacing(path) as file:
        file.write(secrets.token_urlsafe(_BYTES) + "\n")
    return path


def _read(path: Path) -> str:
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if os.name == "posix" and (stat.S_IMODE(found.st_mode) & 0o077):
            raise SettingsError(
                f"{path} can be read by others.",
                next_step=f"chmod 600 {path}, then `saegim token --new`.",
            )
        if os.name == "posix" and found.st_uid not in (os.getuid(), 0):
            raise SettingsError(
                f"{path} belongs to somebody else.", next_step="Move it away; a new one is made."
            )
        token = file.read(1000).decode("ascii", "replace").strip()
    if len(token) < _LEAST or not token.isprintable() or not token.isascii() or " " in token:
        raise SettingsError(
            f"{path} holds no usable token.", next_step="`saegim token --new` makes one."
        )
    return token


def _made(path: Path) -> None:
    """Write a token under another name, and give it its own unless somebody was quicker."""
    try:
        path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".saegim-", suffix=".new")
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(secrets.token_urlsafe(_BYTES) + "\n")
                file.flush()
                os.fsync(file.fileno())
            # A link is made only where nothing is yet, and what it names is already whole.
            os.link(name, path)
        finally:
            os.unlink(name)
    except FileExistsError:
        return
    except OSError as error:
        raise _unusable(path, error) from error


def _unusable(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"{path} cannot be used: {error.strerror or error}.",
        next_step="Check the path and its permissions.",
    )
