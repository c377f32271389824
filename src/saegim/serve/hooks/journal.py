"""The journal of the hooks: what went wrong and what was cut short, never what was said."""

from __future__ import annotations

import contextlib
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

FILE: Final = "hooks.log"
# Some hundred lines; the half before them is kept beside it.
MOST_BYTES: Final = 64 * 1024


def note(home: Path, event: str, what: str) -> None:
    """Write one line; a journal that cannot be written is not worth an error."""
    line = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {event} {what}\n"
    file = home / FILE
    with contextlib.suppress(OSError, ValueError):
        if not home.exists():
            home.mkdir(parents=True, mode=0o700, exist_ok=True)
        if file.exists() and file.stat().st_size + len(line) > MOST_BYTES:
            os.replace(file, home / f"{FILE}.1")
        handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line.encode("ascii", "backslashreplace"))
        finally:
            os.close(handle)


def named(error: BaseException | type[BaseException] | None) -> str:
    """Name an error by its kind alone: its words may be someone's."""
    kind = error if isinstance(error, type) else type(error)
    number = getattr(error, "errno", None)
    return f"{kind.__name__} ({os.strerror(number)})" if isinstance(number, int) else kind.__name__


def last(home: Path, count: int) -> list[str]:
    """Return the last lines, the newest at the end."""
    lines: list[str] = []
    for file in (home / f"{FILE}.1", home / FILE):
        with contextlib.suppress(OSError):
            lines += file.read_text(encoding="ascii", errors="replace").splitlines()
    return lines[-count:] if count else []
