"""Nothing stays unheard: events that were cut off, transcripts that grew, sessions nobody told of.

The client's own transcripts hold every word. Which of them are ours to read follows from what hooks
have told of: from the first time on, in the folders where those sessions lie, only where our hooks
are installed now, and never what is older.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from saegim.errors import BadInput, SaegimError
from saegim.memory.clock import from_micros, iso, parse_instant
from saegim.saegim import Saegim
from saegim.serve.clients.hook_entries import in_force
from saegim.serve.hooks import capture, event_note, journal
from saegim.serve.hooks.deadlines import Deadline
from saegim.serve.hooks.event import PROMPT, Event
from saegim.serve.hooks.event_note import EventNote
from saegim.serve.hooks.memory_access import HookCall, project_at
from saegim.serve.hooks.spool import Spool, settled, store_in
from saegim.serve.hooks.transcript import folder_of
from saegim.serve.hooks.transcript_position import (
    SUFFIX,
    Mark,
    Marks,
    Root,
    digest,
    root_of,
    roots,
    watch_roots,
)

_EVENT: Final = "drain"
# Where Claude Code is told of hooks: beside its transcripts, and in the folder it works in.
_SETTINGS, _LOCAL, _CONFIGURED = "settings.json", "settings.local.json", ".claude"
# What a client writes while it is looked at is looked at again.
_AGAIN: Final = timedelta(minutes=1)


@dataclass(slots=True)
class Caught:
    """What was caught up: events that were cut, and sessions of which no hook had told."""

    events: int = 0
    sessions: int = 0


# -- catching up ----------------------------------------------------------------------------------


def waits(home: Path, store: str) -> bool:
    """Say whether there may be something to catch up with; quick, and nothing is opened for it."""
    if any(not each.is_running() for each in event_note.slips(str(home))):
        return True
    marks = [*Marks(home).all_of(store)]
    return any(map(_has_grown, marks)) or any(True for _ in _strangers(home, store, marks))


def catch_up(home: Path, memory: Saegim, pace: Deadline, now: datetime) -> Caught:
    """Put on the spool whatever was said and not heard, as far as the time goes."""
    done = Caught()
    store = store_in(home, memory.mind.store.path)
    with Spool(home).held() as alone:
        if not alone:
            # Whoever is at it does this too.
            return done
        for paper in event_note.slips(str(home)):
            if pace.left and not paper.is_running():
                with _noted(home):
                    done.events += _attend(paper, home, memory, store, pace)
        for mark in Marks(home).all_of(store):
            if pace.left and _has_grown(mark):
                with _noted(home):
                    _read_on(mark, home, now, pace)
        done.sessions = _look_around(home, memory, store, pace, now)
    return done


@contextlib.contextmanager
def _noted(home: Path) -> Iterator[None]:
    """Let what is wrong with one session keep no other waiting."""
    try:
        yield
    except (SaegimError, OSError, ValueError) as error:
        journal.note(home, _EVENT, f"failed: {journal.named(error)}")


def given_of(paper: EventNote, home: Path) -> HookCall:
    """Return who asked, and from where, when a slip was written."""
    told = {
        event_note.USER: paper.user,
        event_note.AGENT: paper.agent,
        event_note.STARTED_IN: paper.started_in,
    }
    return HookCall(
        home=home,
        file=Path(paper.store) if paper.store else None,
        project=paper.project or None,
        environment={name: value for name, value in told.items() if value},
    )


def event_of(paper: EventNote) -> Event:
    """Return the event of a slip: everything but its words, which stand in the transcript."""
    return Event(
        name=paper.event,
        at=from_micros(paper.at),
        session=paper.session,
        transcript=paper.transcript,
        folder=paper.folder,
        source=paper.source,
    )


def _attend(paper: EventNote, home: Path, memory: Saegim, store: str, pace: Deadline) -> int:
    """Hear what an event stands for whose hook could not; say whether it is done."""
    given, event = given_of(paper, home), event_of(paper)
    owner = given.owner
    if owner.store != store:
        return 0
    try:
        seen = memory.within(user=owner.user, agent=owner.agent)
    except BadInput as error:
        event_note.done(paper.path)
        journal.note(home, paper.event, f"failed: {journal.named(error)}")
        return 0
    project = capture.noted_project(event, given)
    if project is None:
        project = project_at(event.folder, given, seen)
    read = capture.hear_out(event, project, given, pace)
    if not pace.left:
        return 0
    event_note.done(paper.path)
    if not paper.taken:
        journal.note(home, paper.event, _told(paper, event, read))
    return 1


def _told(paper: EventNote, event: Event, read: int) -> str:
    """Say what became of an event that was cut."""
    cut = f"{journal.CUT_OFF} at {event.at:%Y-%m-%dT%H:%M:%SZ}"
    if not paper.session and not paper.transcript:
        return f"{cut}; it told of no session, so there is nothing to catch up with"
    if not event.transcript:
        return f"{cut}; its client names no transcript" + (
            ", so a prompt that was not on the spool is lost" if event.name == PROMPT else ""
        )
    return f"{cut}; caught up: {read} bytes of its transcript"


def _has_grown(mark: Mark) -> bool:
    """Say whether a transcript holds more than was heard, or was written anew."""
    if not mark.transcript:
        return False
    try:
        return os.stat(mark.transcript).st_size != mark.offset
    except (OSError, ValueError):
        return False


def _read_on(
    mark: Mark, home: Path, now: datetime, pace: Deadline, since: datetime | None = None
) -> Mark:
    more = True
    while more and pace.left:
        mark, more = capture.hear_on(mark, home, now, since)
    return mark


# -- sessions nobody told of ----------------------------------------------------------------------


def _strangers(home: Path, store: str, marks: Sequence[Mark]) -> Iterator[tuple[Root, str]]:
    """Yield the transcripts of which no hook has told, with the folder that makes them ours.

    Where several share a folder nobody can say whose an untold session is: it is left alone.
    """
    known = {each.transcript for each in marks} | {each.session for each in marks}
    held = roots(home)
    for root in held:
        owners = {settled(each.owner, home) for each in held if each.folder == root.folder}
        if root.owner.store != store or len(owners) > 1:
            continue
        since = parse_instant(root.seen or root.since).timestamp()
        for path, changed in transcripts_in(root.folder):
            name = os.path.basename(path).removesuffix(SUFFIX)
            if changed >= since and path not in known and name not in known:
                yield root, path


def transcripts_in(folder: str) -> Iterator[tuple[str, float]]:
    """Yield the transcripts below a folder, and when each was last written to."""
    with contextlib.suppress(OSError), os.scandir(folder) as projects:
        for project in projects:
            with contextlib.suppress(OSError), os.scandir(project.path) as files:
                for file in files:
                    if root_of(file.path) and file.is_file(follow_symlinks=False):
                        yield file.path, file.stat().st_mtime


def _look_around(home: Path, memory: Saegim, store: str, pace: Deadline, now: datetime) -> int:
    """Hear the sessions whose every hook was cut off before it could leave a slip."""
    found = 0
    for root, path in [*_strangers(home, store, [*Marks(home).all_of(store)])]:
        if not pace.left:
            return found
        with _noted(home):
            found += _hear_stranger(root, path, home, memory, pace, now)
    held = [_seen_until(each, now - _AGAIN, store) for each in roots(home)]
    if held != roots(home):
        watch_roots(home, held)
    return found


def _seen_until(root: Root, seen: datetime, store: str) -> Root:
    newer = root.owner.store == store and seen > parse_instant(root.seen or root.since)
    return replace(root, seen=iso(seen)) if newer else root


def _is_hooked(root: str, folder: str) -> bool:
    """Say whether a session of this folder runs our hooks.

    Who has taken them out is heard no longer, and who wants them in one project, only there.
    """
    own = Path(root).parent / _SETTINGS
    there = Path(folder) / _CONFIGURED if folder else None
    return in_force(own) or (there is not None and any(map(in_force, _both(there))))


def _both(folder: Path) -> tuple[Path, Path]:
    return folder / _SETTINGS, folder / _LOCAL


def _hear_stranger(
    root: Root, path: str, home: Path, memory: Saegim, pace: Deadline, now: datetime
) -> int:
    owner, folder = settled(root.owner, home), folder_of(path)
    if not _is_hooked(root.folder, folder):
        return 0
    given = HookCall(home=home, user=owner.user or None, agent=owner.agent or None)
    seen = memory.within(user=owner.user, agent=owner.agent)
    session = os.path.basename(path).removesuffix(SUFFIX)
    # When it began is not known: what stands in it may be a copy of another session's words.
    mark = Mark(session=session, begun=iso(now), transcript=path, owner=root.owner)
    mark = replace(mark, folder=digest(folder), project=project_at(folder, given, seen))
    read = _read_on(mark, home, now, pace, parse_instant(root.since))
    if read.offset == mark.offset:
        return 0
    what = f"a session {journal.CUT_OFF} whole; caught up: {read.offset} bytes of its transcript"
    journal.note(home, _EVENT, what)
    return 1
