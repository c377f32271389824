"""How a person gets in: a link that works once becomes a cookie; no token of a program does.

The code of a link is made by whoever can write into the data directory, at a terminal where a
person sits, and is kept there as a digest. REST hands out none: who only has the token can read
and write memories but gets no cookie, and so approves nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from saegim.errors import SettingsError
from saegim.filesystem import replacing
from saegim.serve.server_file import text_of

LINKS = "links"
VISITS = "visits.json"
# The first part of every address that belongs to the pages; all others belong to programs.
ROOMS = frozenset(
    (
        "", "in", "out", "look", "pulse", "static", "docs", "memories", "about", "recall",
        "cliff", "proposals", "self", "islands", "imagination", "voices", "learning", "night",
        "ledger", "status",
    )
)  # fmt: skip
# The first part of every address that belongs to programs; what is in neither is nobody's.
PROGRAMS = frozenset(("v1", "mcp", "health", "metrics", "openapi.json"))
_MOST_VISITS = 64
_MOST_FILE = 64 * 1024


def is_page(path: str) -> bool:
    """Say whether an address belongs to the pages."""
    return path.startswith("/") and path[1:].partition("/")[0] in ROOMS


def is_lost(method: str, path: str, headers: Mapping[str, str]) -> bool:
    """Say whether a person's browser came to an address that is nobody's: a page tells them so."""
    if method != "GET" or is_page(path) or path[1:].partition("/")[0] in PROGRAMS:
        return False
    return "authorization" not in headers and "text/html" in headers.get("accept", "").lower()


def new_code(home: Path) -> str:
    """Make a code that opens the pages once; only its digest is kept."""
    folder = home / LINKS
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    code = secrets.token_urlsafe(24)
    handle = os.open(folder / _digest(code), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.close(handle)
    return code


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


class Visits:
    """Who is in: the digests of the cookies that were given, each with its end.

    They outlast the server, so that a restart takes nobody out of what they are writing.
    """

    def __init__(self, home: Path, *, link_minutes: float, visit_days: float) -> None:
        self._home = home
        self._link_seconds, self._visit_seconds = 60 * link_minutes, 86_400 * visit_days
        self._lock = threading.Lock()
        self._held = self._read()

    @property
    def seconds(self) -> int:
        """Return how long a cookie holds."""
        return int(self._visit_seconds)

    def admit(self, code: str) -> str | None:
        """Return a new cookie for a code that was never used and is not too old; or nothing."""
        path = self._home / LINKS / _digest(code)
        try:
            made_at = path.stat().st_mtime
            # Of two who bring the same code, one can take it away.
            path.unlink()
        except OSError:
            return None
        if not 0 <= time.time() - made_at + 1 <= self._link_seconds:
            return None
        cookie = secrets.token_urlsafe(32)
        with self._lock:
            now = time.time()
            living = sorted((end, each) for each, end in self._held.items() if end > now)
            self._held = {each: end for end, each in living[1 - _MOST_VISITS :]}
            self._held[_digest(cookie)] = now + self._visit_seconds
            self._write()
        self._sweep()
        return cookie

    def knows(self, cookie: str) -> bool:
        """Say whether a cookie was given here and still holds."""
        return bool(cookie) and self._held.get(_digest(cookie), 0.0) > time.time()

    def end(self, cookie: str) -> None:
        """Let a cookie hold no more."""
        with self._lock:
            if self._held.pop(_digest(cookie), None) is not None:
                self._write()

    def _sweep(self) -> None:
        """Take away links that nobody used in time."""
        for each in (self._home / LINKS).iterdir():
            try:
                if time.time() - each.stat().st_mtime > self._link_seconds:
                    each.unlink()
            except OSError:
                # Somebody else took it away.
                continue

    def _read(self) -> dict[str, float]:
        try:
            told = json.loads(text_of(self._home / VISITS, _MOST_FILE))
        except (OSError, ValueError, SettingsError):
            return {}
        if not isinstance(told, dict):
            return {}
        return {str(each): float(end) for each, end in told.items() if isinstance(end, int | float)}

    def _write(self) -> None:
        with replacing(self._home / VISITS) as file:
            json.dump(self._held, file)


def token_for(cookie: str) -> str:
    """Return what a form must carry besides the cookie: no other site can know it."""
    return hmac.new(cookie.encode(), b"saegim form", "sha256").hexdigest()


def is_token_for(cookie: str, token: str) -> bool:
    """Say whether a form carries the token of this cookie."""
    return hmac.compare_digest(token_for(cookie).encode(), token.encode("utf-8", "replace"))
