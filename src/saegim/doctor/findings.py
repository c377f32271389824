"""`Finding`: one thing a doctor tried, how it went, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from saegim.errors import SaegimError
from saegim.messages import LANGUAGES, Message, both

Level = Literal["ok", "warning", "failure"]

_FINE = frozenset({"ok", "needless", "untried"})
# What should be seen to, while everything still works as promised.
_WARNINGS = frozenset(
    "disk.low filesystem.network filesystem.synced words.stale vectors.pending vectors.unknown "
    "model.parked analyser.absent analyser.loading analyser.unread roundtrip.partial backup.none "
    "backup.old leftovers.some server.loses server.waits walls.open walls.owned "
    "walls.seen_past walls.unmarked statements.slow bloat.dead bloat.off owners.large queue.late "
    "nights.late backup.unseen".split()
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was tried. `ok` is false only when something does not work as promised.

    `level` also knows warnings; `case` names the outcome, so that a program need not read prose.
    """

    name: str
    ok: bool
    detail: str
    fix: str = ""
    detail_ko: str = ""
    fix_ko: str = ""
    level: Level = "ok"
    case: str = "ok"


def finding(key: str, /, **blanks: object) -> Finding:
    """Make the finding of a key such as `backup.none`, its blanks filled in."""
    name, _, case = key.partition(".")
    level: Level = "failure"
    if case in _FINE:
        level = "ok"
    elif key in _WARNINGS:
        level = "warning"
    return found(f"doctor.{key}", name, level, case, **blanks)


def found(key: str, name: str, level: Level, case: str, /, **blanks: object) -> Finding:
    """Make a finding from the message of a key, in both languages."""
    detail, fix = both(key, "en", **blanks)
    detail_ko, fix_ko = both(key, "ko", **blanks)
    return Finding(
        name,
        ok=level != "failure",
        detail=detail.strip(),
        fix=fix,
        detail_ko=detail_ko.strip(),
        fix_ko=fix_ko,
        level=level,
        case=case,
    )


def failure(name: str, error: Exception) -> Finding:
    """Make the finding of something that could not even be tried to the end."""
    what = Message(f"doctor.what.{name}")
    (detail, fix), (detail_ko, fix_ko) = (
        both("doctor.error" if step else "doctor.unexplained", each, what=what, why=why, next=step)
        for each in LANGUAGES
        for why, step in [error.told(each) if isinstance(error, SaegimError) else (str(error), "")]
    )
    return Finding(name, False, detail, fix, detail_ko, fix_ko, "failure", "error")
