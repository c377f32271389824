"""The journal of the hooks: what went wrong and what was cut short, never what was said."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Final

from saegim.logs import logger
from saegim.serve.hooks import event_note

FILE: Final = event_note.JOURNAL
# What stands in a line about an event that began and did not end, once it was caught up with.
CUT_OFF: Final = "was cut off"
MOST_BYTES: Final = event_note.JOURNAL_BYTES
_log = logger("hooks")


def note(home: Path, event: str, what: str) -> None:
    """Write one line; a journal that cannot be written is not worth an error."""
    # At its usual level a hook is silent: whoever waits for the agent is told of no trouble.
    _log.info("%s: %s", event, what)
    event_note.note(str(home), event, what)


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
