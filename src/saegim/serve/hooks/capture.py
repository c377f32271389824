"""What was said goes to the spool: without secrets, and without our own words.

Nothing is kept here; that is the work of `drain`, now or by whoever comes next. Each turn gets a
key that it would get again however often, and by whomever, it is heard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from saegim.errors import BadInput
from saegim.guard.echo import without_echo
from saegim.guard.guard import Screened, screen
from saegim.memory.clock import iso, micros, parse_instant
from saegim.memory.memory import checked_name
from saegim.memory.text import canonical_key
from saegim.serve.hooks import event as events
from saegim.serve.hooks.deadlines import Deadline
from saegim.serve.hooks.event import Event
from saegim.serve.hooks.event_note import is_plain
from saegim.serve.hooks.memory_access import HookCall
from saegim.serve.hooks.spool import Spool, SpoolEntry, settled, sheets
from saegim.serve.hooks.transcript import LOOKED_AT, MOST_TEXT, SpokenTurn, read_on, spoken
from saegim.serve.hooks.transcript_position import Mark, Marks, digest, root_of, watch

# A transcript writes a prompt down a moment before its hook runs.
_MOMENT = timedelta(seconds=2)
_COMPACTED = "compact"
_USER = "user"


@dataclass(slots=True)
class _Heard:
    """Turns that were made ready for the spool, and how often each thing was said by then."""

    entries: list[SpoolEntry] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


def session_name(event: Event) -> str:
    """Return a name for the session that the store takes: its own, or one made from it."""
    told = event.session or event.transcript
    if event.session and is_plain(event.session):
        return event.session
    try:
        if not screen(checked_name("session", event.session), told=False).masked:
            return event.session
    except BadInput:
        pass  # any text can be an id elsewhere
    return f"session-{digest(told)}" if told else ""


# -- what was said --------------------------------------------------------------------------------


def hear_prompt(event: Event, project: str | None, given: HookCall) -> bool:
    """Put a prompt on the spool; say whether there was anything to put.

    Where its project is not known, that is looked up when the spool is worked off.
    """
    marks, owner = Marks(given.home), given.owner
    session = session_name(event)
    mark = marks.of(session, event.at, owner)
    mark = mark if is_of(mark, given) else Mark(session=session, begun=iso(event.at), owner=owner)
    said = [SpokenTurn(_USER, spoken(event.prompt), event.at)]
    heard = _entries(said, event.at, session, mark.asked)
    spool = Spool(given.home)
    folder = given.place(event.folder) if project is None else ""
    for sheet in sheets(session, project or "", heard.entries, owner, folder):
        spool.put(sheet, event.at)
    if session and heard.entries:
        marks.keep(replace(mark, asked=heard.counts))
    return bool(heard.entries)


def hear_act(event: Event, act: SpoolEntry, project: str, given: HookCall) -> None:
    """Put the beginning or the end of a session on the spool."""
    if session := session_name(event):
        mark = Mark(session=session, begun="", project=project, owner=given.owner)
        _put(mark, [act], given.home, event.at)


def hear_on(
    mark: Mark, home: Path, now: datetime, since: datetime | None = None
) -> tuple[Mark, bool]:
    """TranscriptPart a transcript on from its mark; return the new mark and whether there is more.

    The mark is moved once everything before it lies on the spool, and not before: a process that
    is killed in between hears the same again, under the same keys. What was said before `since`
    is passed over.
    """
    if not mark.transcript:
        return mark, False
    try:
        found = read_on(mark.transcript, mark.offset, now)
    except (FileNotFoundError, ValueError):
        return mark, False  # it was never written, or is cleared away
    begun = parse_instant(mark.begun) if mark.begun else now
    anew = found.start < mark.offset
    said = [each for each in found.said if since is None or (each.at or now) >= since]
    heard = _entries(said, begun, mark.session, {} if anew else mark.said)
    _put(mark, heard.entries, home, now)
    if found.offset != mark.offset:
        mark = replace(mark, offset=found.offset, said=heard.counts)
        Marks(home).keep(mark)
    return mark, found.more


def hear_out(event: Event, project: str, given: HookCall, pace: Deadline) -> int:
    """Hear everything an event stands for, as far as the time goes; return how far it got.

    The number counts bytes of the transcript. Nothing of it waits for an answer, so the next one,
    a server or a person may do it as well, and as often as they like.
    """
    known = note_session(event, given, project)
    before = known.offset if known is not None else 0
    more = True
    while known is not None and more and pace.left:
        known, more = hear_on(known, given.home, event.at)
    if event.name == events.SESSION_START and event.source != _COMPACTED:
        hear_act(event, SpoolEntry(act="begin", at=event.at), project, given)
    if event.name == events.SESSION_END:
        hear_act(event, SpoolEntry(act="end", at=event.at), project, given)
    return known.offset - before if known is not None else 0


# -- the session ----------------------------------------------------------------------------------


def noted_project(event: Event, given: HookCall) -> str | None:
    """Return the project that was found when the session began, if it began in this folder."""
    if given.project is not None:
        return given.project
    known = noted(event, given)
    return known.project if known and known.folder == digest(event.folder) else None


def noted(event: Event, given: HookCall) -> Mark | None:
    """Return the mark of the session, unless it is someone else's."""
    known = Marks(given.home).of(session_name(event), event.at, given.owner)
    return known if is_of(known, given) else None


def is_of(mark: Mark, given: HookCall) -> bool:
    """Say whether a session belongs to whoever asks now."""
    return mark.owner == given.owner or settled(mark.owner, given.home) == given.owner


def note_session(
    event: Event,
    given: HookCall,
    project: str,
    *,
    shown: str | None = None,
    recalled: str | None = None,
) -> Mark | None:
    """Note what an event tells of its session; return the mark."""
    if not (session := session_name(event)):
        return None
    marks = Marks(given.home)
    known = marks.of(session, event.at, given.owner)
    if not is_of(known, given):
        known = _taken_over(known, event, given)
    fresh = replace(known, owner=given.owner, folder=digest(event.folder), project=project)
    fresh = replace(
        fresh,
        shown=known.shown if shown is None else shown,
        recalled=known.recalled if recalled is None else recalled,
    )
    fresh = _at_transcript(fresh, event)
    if fresh != known:
        marks.keep(fresh)
        watch(given.home, root_of(fresh.transcript), given.owner, event.at)
    return fresh


def _at_transcript(mark: Mark, event: Event) -> Mark:
    """Return the mark with the transcript that the event names; another one is not read yet."""
    if not event.transcript or event.transcript == mark.transcript:
        return mark
    return replace(mark, transcript=event.transcript, offset=0, said={})


def _taken_over(mark: Mark, event: Event, given: HookCall) -> Mark:
    """Return the mark of a session that someone else goes on with from here.

    What was said in it until now is heard for whoever said it, and is not the other's.
    """
    mark, more = _at_transcript(mark, event), True
    while more:
        mark, more = hear_on(mark, given.home, event.at)
    fresh = Mark(session=mark.session, begun=iso(event.at), owner=given.owner)
    return replace(fresh, transcript=mark.transcript, offset=mark.offset)


# -- one turn -------------------------------------------------------------------------------------


def _entries(
    said: Sequence[SpokenTurn], begun: datetime, session: str, counts: Mapping[str, int]
) -> _Heard:
    made = _Heard(counts=dict(counts))
    for each in said:
        bare = without_echo(each.text, lambda _: ()).text
        text = _cut(screen(bare), _room(each.text, bare)) if bare.strip() else ""
        if text.strip():
            copied = each.at is not None and each.at < begun - _MOMENT
            key = _key(each, text, session, made.counts)
            made.entries.append(
                SpoolEntry(
                    act="turn", role=each.role, text=text, at=each.at, copied=copied, key=key
                )
            )
    return made


def _key(said: SpokenTurn, text: str, session: str, counts: dict[str, int]) -> str:
    """Return the name of a turn, and count it.

    An agent's message is known by its instant. A person's is heard twice, as a prompt and in the
    transcript, at two instants: it is known by its words, and the how manieth of them it is.
    """
    if not session:
        return ""
    if said.role != _USER and said.at is not None:
        return digest(f"{session}\n{said.role}\n{micros(said.at)}")
    words = digest(f"{said.role}\n{canonical_key(text)}")
    counts[words] = counts.get(words, 0) + 1
    return digest(f"{session}\n{words}\n{counts[words]}")


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


def _put(mark: Mark, entries: Sequence[SpoolEntry], home: Path, now: datetime) -> None:
    spool = Spool(home)
    for sheet in sheets(mark.session, mark.project, entries, mark.owner):
        spool.put(sheet, now)
