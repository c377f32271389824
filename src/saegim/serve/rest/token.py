"""The token of this installation: whoever can read its file may call; nobody else."""

from __future__ import annotations

import hmac
import os
import secrets
import tempfile
import time
from pathlib import Path

from saegim.errors import SettingsError, StoreError
from saegim.filesystem import replacing
from saegim.serve.rest import ours

FILE = "token"
_BYTES = 32
# 256 bits in URL-safe letters; a person may put a longer one of their own there.
_LEAST = 43
_MOST = 1000
# How long a token that was renewed may still be taken.
LOOK_SECONDS = 1.0


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


def held_at(home: Path) -> str:
    """Return the token of a data directory, or nothing where none can be used; makes none."""
    try:
        return _read(home / FILE)
    except (OSError, SettingsError):
        return ""


def proof_of(token: str, nonce: str, end: str) -> str:
    """Return what only who knows the token can say about a nonce.

    `end` is the address and port at which the caller arrived, so that nobody who listens somewhere
    else can fetch the proof there and show it as their own.
    """
    said = f"saegim server\n{end}\n{nonce}"
    return hmac.new(token.encode(), said.encode("utf-8", "replace"), "sha256").hexdigest()


def _read(path: Path) -> str:
    token = ours.text_of(path, _MOST).strip()
    if len(token) < _LEAST or not token.isprintable() or not token.isascii() or " " in token:
        raise SettingsError("server.holds_no_usable_token", path=path)
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
    return StoreError("server.cannot_be_used_2", path=path, reason=error.strerror or error)


class Current:
    """The token as its file holds it now: after a renewal the old one opens nothing."""

    def __init__(self, home: Path) -> None:
        self._path = home / FILE
        self._seen = self._stamp()
        self._token = token_at(home)
        self._looked_at = time.monotonic()

    def __call__(self, at_once: bool = False) -> str:
        """Return it, or nothing if the file is gone or open to others; looks once a second."""
        now = time.monotonic()
        if at_once or now - self._looked_at >= LOOK_SECONDS:
            self._looked_at = now
            stamp = self._stamp()
            if stamp != self._seen:
                self._seen, self._token = stamp, held_at(self._path.parent)
        return self._token

    def _stamp(self) -> tuple[int, ...]:
        try:
            found = self._path.lstat()
        except OSError:
            return ()
        return (found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size)
