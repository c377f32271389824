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
from saegim.perceive.guard.guard import Screened, screen
from saegim.serve.hooks.doors import Given
from saegim.serve.hooks.event import Event
from saegim.serve.hooks.mark import Mark, Marks, digest
from saegim.serve.hooks.spool import Entry, Spool, sheets
from saegim.serve.hooks.transcript import LOOKED_AT, MOST_TEXT, Said, read_on, spoken

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


def hear_prompt(event: Event, project: str, given: Given) -> bool:
    """Put a prompt on the spool; say whether there was anything to put."""
    entries = _entries([Said("user", spoken(event.prompt), event.at)], event.at)
    mark = Mark(session=session_name(event), begun="", project=project, owner=given.owner)
    return _put(mark, entries, given.home, event.at)


def hear_act(event: Event, act: Entry, project: str, given: Given) -> None:
    """Put the beginning or the end of a session on the spool."""
    if session := session_name(event):
        mark = Mark(session=session, begun="", project=project, owner=given.owner)
        _put(mark, [act], given.home, event.at)


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
    _put(mark, _entries(found.said, begun), home, now)
    if found.offset != mark.offset:
        mark = replace(mark, offset=found.offset)
        Marks(home).keep(mark)
    return mark, found.more


def _entries(said: Sequence[Said], begun: datetime) -> list[Entry]:
    made = []
    for each in said:
        bare = without_echo(each.text, lambda _: ()).text
        text = _cut(screen(bare), _room(each.text, bare)) if bare.strip() else ""
        if text.strip():
            copied = each.at is not None and each.at < begun - _MOMENT
            made.append(Entry(act="turn", role=each.role, text=text, at=each.at, copied=copied))
    return made


def _room(text: str, bare: str) -> int:
    """Return how much of a bare text may be kept.

    Where a text was too long to be looked at whole, its end may be the half of a secret.
    """
    beyond = LOOKED_AT - MOST_TEXT if len(text) == LOOKED_AT else 0
    return max(min(MOST_TEXT, len(bare) - beyond), 0)


def _cut(screened: Screened, most: int) -> str:
    """Return what was made of so many characters of the original; a mask stays in one piece."""
    end = at = 0
    for each in screened.findings:
        if each.start >= most:
            break
        end = screened.text.index("]", end + each.start - at) + 1
        at = each.end
    return screened.text[: end + max(most - at, 0)][:MOST_TEXT]


def _put(mark: Mark, entries: Sequence[Entry], home: Path, now: datetime) -> bool:
    spool = Spool(home)
    for sheet in sheets(mark.session, mark.project, entries, mark.owner):
        spool.put(sheet, now)
    return bool(entries)
