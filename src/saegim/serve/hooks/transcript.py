"""What was said, read from a transcript of Claude Code: a person's turns and the agent's.

Left out: results of tools, sub-agents, commands, reminders and summaries that the client itself
writes in a person's place. Nobody's words may become more trusted by standing there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from saegim.serve.hooks.event import whole

# Of one call; what is left is read by the next.
MOST_BYTES: Final = 8 << 20
# A longer line holds a picture or the output of a tool; it is passed over without being read.
_LONGEST_LINE: Final = 4 << 20
# FAULTS M10: no text longer than this comes through a door.
MOST_TEXT: Final = 32_768
# So much of it is looked through for secrets first: a key that is cut in two is not known as one.
LOOKED_AT: Final = MOST_TEXT + 8192
# Where a session began stands in its first lines.
_BEGINNING: Final = 256 * 1024
_NOT_SAID: Final = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")
# What the client writes between tags, and where it says that a person pressed a key.
_TAGGED: Final = re.compile(
    r"<(system-reminder|ide_\w+|command-[\w-]+|local-command-[\w-]+|bash-[\w-]+|task-[\w-]+"
    r"|user-prompt-submit-hook|teammate-message)\b[^>]*>.*?(?:</\1>|\Z)",
    re.DOTALL,
)
_PRESSED: Final = re.compile(r"\s*\[Request interrupted by user[^\]]*\]\s*")
_FUTURE: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """One turn: who spoke, what, and when.

    A transcript tells time to the millisecond; the three digits below are taken from the id of the
    message, so that the instant names the message, also in a copy of the transcript.
    """

    role: str
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class TranscriptPart:
    """What lay after a place in a transcript, and the place after it."""

    said: tuple[SpokenTurn, ...]
    offset: int
    # Whether there is more than one call may read.
    more: bool = False
    # The place it was read from: the beginning, where the transcript was written anew.
    start: int = 0


def read_on(path: str, offset: int, now: datetime, most: int = MOST_BYTES) -> TranscriptPart:
    """TranscriptPart the turns that lie after an offset; a line that is still being written waits.

    A transcript that has become shorter was written anew, and is read from its beginning.
    """
    with open(path, "rb", opener=_opened) as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            return TranscriptPart((), offset, start=offset)
        start = offset if 0 <= offset <= about.st_size else 0
        file.seek(start)
        # What has no length, such as a file of the system, is not waited for either.
        data = file.read(min(most, about.st_size - start))
        end = data.rfind(b"\n") + 1
        if not end and len(data) == most:
            # One line fills everything: go past it.
            return TranscriptPart(
                (), start + _rest_of_line(file, len(data)), more=True, start=start
            )
    said = tuple(each for line in data[:end].split(b"\n") for each in _turns(line, now))
    more = start + end < about.st_size and len(data) == most
    return TranscriptPart(said, start + end, more=more, start=start)


def _opened(path: str, flags: int) -> int:
    """Open without waiting for anyone at the other end of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))


def _rest_of_line(file: Any, passed: int) -> int:
    while part := file.readline(MOST_BYTES):
        passed += len(part)
        if part.endswith(b"\n"):
            break
    return passed


def folder_of(path: str) -> str:
    """Return the folder in which a transcript says it began, or nothing if it does not say."""
    with open(path, "rb", opener=_opened) as file:
        for line in file.read(_BEGINNING).split(b"\n"):
            if b'"cwd"' in line:
                with contextlib.suppress(ValueError, RecursionError):
                    told = json.loads(line.decode("utf-8", "replace"))
                    if isinstance(told, dict) and isinstance(told.get("cwd"), str):
                        return whole(told["cwd"]).replace("\x00", " ")
    return ""


def _turns(line: bytes, now: datetime) -> Iterator[SpokenTurn]:
    """Yield the turn of a line, if it holds one."""
    if len(line) > _LONGEST_LINE or b'"message"' not in line:
        return
    try:
        told = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return
    if not isinstance(told, dict) or any(told.get(mark) for mark in _NOT_SAID):
        return
    role, message = told.get("type"), told.get("message")
    if role not in ("user", "assistant") or not isinstance(message, Mapping):
        return
    if message.get("role") != role or "toolUseResult" in told:
        return
    text = spoken(_words(message.get("content")))
    if text:
        yield SpokenTurn(str(role), text, _instant(told, now))


def spoken(text: str) -> str:
    """Return what was really said, without what the client adds; longer than what may be kept.

    It is cut once its secrets are masked.
    """
    bare = _TAGGED.sub("", text) if "<" in text else text
    return whole(_PRESSED.sub("", bare)).replace("\x00", " ").strip()[:LOOKED_AT]


def _words(content: Any) -> str:
    """Return the text of a message: its text parts alone, and none beside the result of a tool."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [each for each in content if isinstance(each, Mapping)]
    if any(each.get("type") == "tool_result" for each in parts):
        return ""
    texts = (each.get("text") for each in parts if each.get("type") == "text")
    return "\n\n".join(each for each in texts if isinstance(each, str))


def _instant(told: Mapping[str, Any], now: datetime) -> datetime | None:
    """Return when a message was written; nothing where the clock was wrong or is not told."""
    try:
        at = datetime.fromisoformat(str(told.get("timestamp")))
    except ValueError:
        return None
    if not 2000 <= at.year <= 9000:
        return None
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    if at > now + _FUTURE:
        return None
    named = str(told.get("uuid", "")).encode("utf-8", "replace")
    digits = int.from_bytes(hashlib.blake2b(named, digest_size=8).digest(), "big") % 1000
    return at.replace(microsecond=at.microsecond // 1000 * 1000 + digits)
