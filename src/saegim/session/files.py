"""Whole files or none: JSON is written beside its place and moved there, and read strictly."""

from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path
from typing import Any, Final, NoReturn

from saegim.errors import BadInput, NotFound
from saegim.filesystem import replacing, unwritable
from saegim.memory.clock import SystemClock
from saegim.messages import Message

# A thousand nodes of the longest texts, every letter escaped; more is not a file of ours.
MAX_FILE: Final = 1 << 30
# Nothing here takes a second to write; what is an hour old was given up.
_GIVEN_UP_SECONDS: Final = 3600


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all, and its folder if there is none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise unwritable(path, error) from error
    with replacing(path) as file:
        file.write(text)


def sweep(folder: Path) -> None:
    """Remove what processes that were killed had begun to write here; it may hold words."""
    latest = SystemClock().now().timestamp() - _GIVEN_UP_SECONDS
    for each in folder.glob(".saegim-*.new"):
        with contextlib.suppress(OSError):
            if each.stat().st_mtime < latest:
                each.unlink()


def read_json(path: Path) -> Any:
    """Read one file of JSON; say what is wrong with it and what helps."""
    try:
        if path.stat().st_size > MAX_FILE:
            raise broken(path, Message("session.file_larger_than_megabytes", most=MAX_FILE >> 20))
        return parsed(path.read_text(encoding="utf-8-sig"), str(path))
    except FileNotFoundError as error:
        raise NotFound("session.no_file", path=path) from error
    except OSError as error:
        raise BadInput(
            "session.cannot_be_read", path=path, reason=error.strerror or error
        ) from error
    except UnicodeDecodeError as error:
        raise broken(path, Message("session.file_not_utf_8_byte", byte=error.start + 1)) from error


def parsed(text: str, name: str = "Standard input") -> Any:
    """Read a text as strict JSON."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise broken(name, Message("session.file_not_json_or_only_part", error=error)) from error


def broken(name: str | Path, why: str | Message) -> BadInput:
    """Return the error for a file, or what was in it, that cannot be used."""
    return BadInput("session.cannot_be_used", name=name, why=why)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number that can be kept")


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ValueError(f"{text[:40]} is too large a number")
    return value
