"""`Event`: what an agent says happened, read from whatever came in; it never complains."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from saegim.serve.hooks.event_note import (
    EVENTS,
    PRE_COMPACT,
    PROMPT,
    SESSION_END,
    SESSION_START,
    STOP,
    is_trivial,
)
from saegim.serve.hooks.hook_main import MOST_BYTES

__all__ = [
    "EVENTS",
    "MOST_BYTES",
    "PRE_COMPACT",
    "PROMPT",
    "SESSION_END",
    "SESSION_START",
    "STOP",
    "Event",
    "event_of",
    "read_event",
    "whole",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event of one session; what was not told is empty."""

    name: str
    at: datetime
    session: str = ""
    transcript: str = ""
    folder: str = ""
    source: str = ""
    prompt: str = ""
    # What was wrong with it, in our words, if anything was.
    trouble: str = ""

    @property
    def is_trivial(self) -> bool:
        """Say whether there is nothing in the prompt to answer or to keep."""
        return is_trivial(self.prompt)


def read_event(name: str, data: bytes, at: datetime | None = None) -> Event:
    """Read an event from the bytes a client sent; what cannot be read is left out."""
    at = at or datetime.now(UTC)
    if len(data) > MOST_BYTES:
        return Event(name=name, at=at, trouble="the event is too long")
    try:
        told = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return Event(name=name, at=at, trouble="the event is not JSON")
    if not isinstance(told, dict):
        return Event(name=name, at=at, trouble="the event is not an object")
    return event_of(name, told, at)


def event_of(name: str, told: Mapping[str, Any], at: datetime | None = None) -> Event:
    """Return the event that a client's object tells of."""
    return Event(
        name=name,
        at=at or datetime.now(UTC),
        session=_text(told, "session_id").strip(),
        transcript=_text(told, "transcript_path"),
        folder=_text(told, "cwd"),
        source=_text(told, "source"),
        prompt=_text(told, "prompt"),
    )


def whole(text: str) -> str:
    """Return the text with halves of characters joined to whole ones, or marked as lost."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _text(told: Mapping[str, Any], name: str) -> str:
    value = told.get(name)
    return whole(value).replace("\x00", " ") if isinstance(value, str) else ""
