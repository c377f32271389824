"""An event in; what the agent should know out, and what was said is heard, kept or handed over.

The answer comes first. What was said goes to the spool, which is durable, and from there into the
memory while there is time; the next hook goes on where this one had to stop.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from saegim.errors import SaegimError
from saegim.memory.clock import iso
from saegim.plugins import Late
from saegim.serve.hooks import event as events
from saegim.serve.hooks import journal
from saegim.serve.hooks.doors import Given, Here, NextDoor, Told, project_at
from saegim.serve.hooks.event import Event
from saegim.serve.hooks.mark import Mark, Marks, digest
from saegim.serve.hooks.pace import Pace
from saegim.serve.hooks.spool import Entry, settled

if TYPE_CHECKING:
    from saegim.serve.hooks import drain as draining
    from saegim.serve.hooks import greeting as greetings
    from saegim.serve.hooks import hearing
else:
    # These load the store, which a hook that a server answers does without.
    draining = Late("saegim.serve.hooks.drain")
    greetings = Late("saegim.serve.hooks.greeting")
    hearing = Late("saegim.serve.hooks.hearing")

# Of other sessions, whose client may have been killed before its last hook ran.
_OTHERS: Final = 8
_TAKEN_UP: Final = "resume"
_COMPACTED: Final = "compact"


class Reply:
    """What is said to the agent, by whoever works on it to whoever waits for it."""

    def __init__(self) -> None:
        self.text = ""
        self.event: Event | None = None
        self._said = threading.Event()
        self._ended = threading.Event()

    def say(self, text: str) -> None:
        """Give the answer; what comes after it is ours alone."""
        self.text = text
        self._said.set()

    def end(self) -> None:
        """Tell that nothing is left to do."""
        self._said.set()
        self._ended.set()

    def is_said_within(self, seconds: float) -> bool:
        """Wait for the answer, not longer than this."""
        return self._said.wait(seconds)

    def has_ended_within(self, seconds: float) -> bool:
        """Wait for everything else, not longer than this."""
        return self._ended.wait(seconds)


def attend(event: Event, given: Given, pace: Pace, reply: Reply) -> None:
    """Do what an event asks for: answer, hear, keep."""
    reply.event = event
    if event.trouble:
        journal.note(given.home, event.name, event.trouble)
        return
    house = Here(given, pace)
    try:
        if event.name == events.SESSION_START:
            _greet(event, given, house, reply)
        elif event.name == events.PROMPT:
            _answer(event, given, house, pace, reply)
        else:
            reply.say("")
            _hear_out(event, given, house, pace)
        if event.name != events.PROMPT or house.is_open:
            # A prompt that a server answered does not open the memory only to keep itself.
            _work_off(event, given, house, pace)
        if event.name == events.SESSION_START and pace.left:
            _hear_others(event, given)
            _work_off(event, given, house, pace)
    finally:
        house.close()


def hand_over(event: Event, given: Given) -> None:
    """Put a prompt on the spool where the time was up before it could be kept.

    Where it is not known to which project it belongs, it is left to the transcript.
    """
    project = _noted_project(event, given)
    if event.name == events.PROMPT and not event.is_trivial and project is not None:
        hearing.hear_prompt(event, project, given)


def _greet(event: Event, given: Given, house: Here, reply: Reply) -> None:
    """Tell a session what is at hand, and begin it."""
    session = hearing.session_name(event)
    project = house.project(event.folder)
    text = greetings.greeting(house.memory.within(project=project), session=session)
    known = _noted(event, given)
    # A session that is taken up again still has its first words before it.
    again = event.source == _TAKEN_UP and known is not None and known.shown == digest(text)
    reply.say("" if again else text)
    _note_session(event, given, project, shown=digest(text))
    if event.source != _COMPACTED:
        hearing.hear_act(event, Entry(act="begin", at=event.at), project, given)


def _hear_others(event: Event, given: Given) -> None:
    """Hear what was said in other sessions of this store, each for whose it is."""
    session = hearing.session_name(event)
    for other in Marks(given.home).others(session, given.owner.store, _OTHERS):
        try:
            hearing.hear_on(other, given.home, event.at)
        except OSError as error:
            journal.note(given.home, event.name, f"failed: {journal.named(error)}")


def _answer(event: Event, given: Given, house: Here, pace: Pace, reply: Reply) -> None:
    """Tell a prompt what is remembered for it, then hear it."""
    if event.is_trivial:
        reply.say("")
        return
    try:
        told = _told(event, given, house, pace)
    except (SaegimError, OSError) as error:
        # What cannot be answered is heard all the same.
        journal.note(given.home, event.name, f"failed: {journal.named(error)}")
        told = Told("")
    reply.say(told.text)
    if told.cut_short:
        journal.note(given.home, event.name, "cut short: words answered alone")
    project = _project(event, given, house)
    _note_session(event, given, project)
    hearing.hear_prompt(event, project, given)


def _told(event: Event, given: Given, house: Here, pace: Pace) -> Told:
    """Ask next door first, where everything is loaded, if the project is known by its name."""
    noted = _noted_project(event, given)
    if noted is not None:
        told = NextDoor(given).context(event.prompt, noted, pace)
        if told is not None:
            return told
    return house.context(event.prompt, _project(event, given, house), pace)


def _hear_out(event: Event, given: Given, house: Here, pace: Pace) -> None:
    """Hear everything that was said since the last time."""
    project = _project(event, given, house)
    known = _note_session(event, given, project)
    more = True
    while known is not None and more and pace.left:
        known, more = hearing.hear_on(known, given.home, event.at)
    if event.name == events.SESSION_END:
        hearing.hear_act(event, Entry(act="end", at=event.at), project, given)


def _work_off(event: Event, given: Given, house: Here, pace: Pace) -> None:
    done = draining.drain(given.home, lambda: house.memory, pace)
    if done.waiting and not done.elsewhere:
        journal.note(given.home, event.name, f"handed over: {done.waiting} files wait")


# -- the session ----------------------------------------------------------------------------------


def _noted_project(event: Event, given: Given) -> str | None:
    """Return the project that was found when the session began, if it began in this folder."""
    if given.project is not None:
        return given.project
    known = _noted(event, given)
    return known.project if known and known.folder == digest(event.folder) else None


def _noted(event: Event, given: Given) -> Mark | None:
    """Return the mark of the session, unless it is someone else's."""
    known = Marks(given.home).of(hearing.session_name(event), event.at, given.owner)
    return known if _is_of(known, given) else None


def _is_of(mark: Mark, given: Given) -> bool:
    return mark.owner == given.owner or settled(mark.owner, given.home) == given.owner


def _project(event: Event, given: Given, house: Here) -> str:
    """Return the project of an event; the store knows it best, where it can be asked."""
    if (noted := _noted_project(event, given)) is not None:
        return noted
    try:
        return house.project(event.folder)
    except (SaegimError, OSError) as error:
        journal.note(given.home, event.name, f"failed: {journal.named(error)}")
        return project_at(event.folder, given)


def _note_session(event: Event, given: Given, project: str, shown: str = "") -> Mark | None:
    """Note what this event tells of its session; return the mark."""
    if not (session := hearing.session_name(event)):
        return None
    marks = Marks(given.home)
    known = marks.of(session, event.at, given.owner)
    if not _is_of(known, given):
        known = _taken_over(known, event, given)
    fresh = replace(known, owner=given.owner, folder=digest(event.folder), project=project)
    fresh = replace(fresh, shown=shown or known.shown)
    fresh = _at_transcript(fresh, event)
    if fresh != known:
        marks.keep(fresh)
    return fresh


def _at_transcript(mark: Mark, event: Event) -> Mark:
    """Return the mark with the transcript that the event names; another one is not read yet."""
    if not event.transcript or event.transcript == mark.transcript:
        return mark
    return replace(mark, transcript=event.transcript, offset=0)


def _taken_over(mark: Mark, event: Event, given: Given) -> Mark:
    """Return the mark of a session that someone else goes on with from here.

    What was said in it until now is heard for whoever said it, and is not the other's.
    """
    mark, more = _at_transcript(mark, event), True
    while more:
        mark, more = hearing.hear_on(mark, given.home, event.at)
    fresh = Mark(session=mark.session, begun=iso(event.at), owner=given.owner)
    return replace(fresh, transcript=mark.transcript, offset=mark.offset)
