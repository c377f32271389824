"""What was said goes to the spool: without secrets, and without our own words.

Nothing is kept here; that is the work of `drain`, now or by whoever comes next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from saegim.errors import BadInput
from saegim.memory.clock import parse_instant
from saegim.memory.scope import checked_name
from saegim.perceive.guard.echo import without_echo
from saegim.perceive.guard.guard import screen
from saegim.serve.hooks.event import Event
from saegim.serve.hooks.mark import Mark, Marks, digest
from saegim.serve.hooks.spool import Entry, Spool, sheets
from saegim.serve.hooks.transcript import Said, read_on, spoken

# A transcript writes a prompt down a moment before its hook runs.
_MOMENT = timedelta(seconds=2)


def session_name(event: Event) -> str:
    """Return a name for the session that the store takes: its own, or one made from it."""
    told = event.session or event.transcript
    try:
        if not screen(checked_name("session", event.session)).masked:
            return event.session
    except BadInput:
        pass  # any text can be an id elsewhere
    return f"session-{digest(told)}" if told else ""


def hear_prompt(event: Event, project: str, home: Path) -> bool:
    """Put a prompt on the spool; say whether there was anything to put."""
    entries = list(_entries([Said("user", spoken(event.prompt), event.at)], event.at))
    return _put(session_name(event), project, entries, home, event.at)


def hear_act(event: Event, act: Entry, project: str, home: Path) -> None:
    """Put the beginning or the end of a session on the spool."""
    if session := session_name(event):
        _put(session, project, [act], home, event.at)


def hear_on(mark: Mark, home: Path, now: datetime) -> tuple[Mark, bool]:
    """Read a transcript on from its mark; return the new mark and whether there is more.

    The mark is moved once everything before it lies on the spool, and not before: a process that
    is killed in between hears the same again, and `drain` knows what it has kept.
    """
    if not mark.transcript:
        return mark, False
    try:
        found = read_on(mark.transcript, mark.offset, now)
    except (FileNotFoundError, ValueError):
        return mark, False  # it was never written, or is cleared away
    begun = parse_instant(mark.begun) if mark.begun else now
    _put(mark.session, mark.project, list(_entries(found.said, begun)), home, now)
    if found.offset != mark.offset:
        mark = replace(mark, offset=found.offset)
        Marks(home).keep(mark)
    return mark, found.more


def _entries(said: Sequence[Said], begun: datetime) -> list[Entry]:
    made = []
    for each in said:
        bare = without_echo(each.text, lambda _: ()).text
        text = screen(bare).text if bare.strip() else ""
        if text.strip():
            copied = each.at is not None and each.at < begun - _MOMENT
            made.append(Entry(act="turn", role=each.role, text=text, at=each.at, copied=copied))
    return made


def _put(session: str, project: str, entries: Sequence[Entry], home: Path, now: datetime) -> bool:
    spool = Spool(home)
    for sheet in sheets(session, project, entries):
        spool.put(sheet, now)
    return bool(entries)
