"""An event in; what the agent should know out, and what was said is heard, kept or handed over.

JSON in, JSON out, in time, and never an error to the person. A slip says first that the event came.
Then the answer: nothing else is waited for. What was said goes to the spool, which is durable, and
from there into the memory while there is time; the next hook, a server or a process in the
background goes on where this one had to stop.

The work is done in a thread while another watches the clock: when the time is up it answers with
what there is and leaves. Standard output carries the one document and nothing else. A server does
the same for the hooks that ask it (`for_neighbour`).
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from saegim.engines.embedder import in_a_hurry
from saegim.engines.tokens import estimate
from saegim.errors import BadInput, Refused, SaegimError, SettingsError
from saegim.guard.injection import suspicion
from saegim.logs import begin, logger
from saegim.memory.clock import parse_instant
from saegim.memory.memory import PERSON, STRANGERS, Kind, Memory, Origin, State, Tier, Weighed
from saegim.messages import said
from saegim.profile.portrait import drawn
from saegim.recall.compose.card import block, quoted, shortened
from saegim.recall.compose.choose import choose
from saegim.recall.compose.compose import fitted, recipe_of
from saegim.recall.handle import handle_of
from saegim.recall.rank import Hit, marked
from saegim.saegim import Saegim
from saegim.serve.catalogue.notices import (
    TOPIC,
    Reminder,
    claim_notices,
    core_notices,
    reminders,
    self_notices,
)
from saegim.serve.hooks import capture, event_note, hook_main, journal
from saegim.serve.hooks import event as events
from saegim.serve.hooks.deadlines import Deadline
from saegim.serve.hooks.event import EVENTS, Event, event_of, read_event
from saegim.serve.hooks.hook_main import answer_of
from saegim.serve.hooks.memory_access import (
    MOST_PATIENCE,
    Answered,
    Here,
    HookCall,
    HookDoor,
    Housed,
    place_at,
    project_at,
)
from saegim.serve.hooks.transcript_position import Mark, Marks, digest
from saegim.serve.speech import Speech
from saegim.serve.terminal import one_line
from saegim.settings import Settings, read_settings
from saegim.soul.promotions import APPROVED, told_to, untold
from saegim.store.rows import Where

_WORKER: Final = "saegim-hook"
_log = logger("hooks")
_ASKED: Final = frozenset({"event", "told", "slip", "project", "started_in", "ms"})
# No event has as many milliseconds.
_LONG: Final = 60_000


def go_on(
    asked: hook_main.Given, data: bytes, paper: str, out: hook_main.Output, end: float
) -> None:
    """Attend an event in this process, after its slip was written and no server answered."""
    given = HookCall(
        home=Path(asked.home),
        file=Path(asked.path) if asked.path else None,
        user=asked.user,
        agent=asked.agent,
        project=asked.project,
        environment=dict(os.environ),
    )
    _begin_logs(given.home)
    reply = HookReply()

    def failed(how: threading.ExceptHookArgs) -> None:
        # What nobody has thought of is no error to the person either.
        journal.note(given.home, asked.event, f"failed: {journal.named(how.exc_type)}")
        if how.thread is not None and how.thread.name == _WORKER:
            reply.end()

    threading.excepthook = failed
    ended = attended(asked.event, lambda: data, out.write, given, Deadline(end), reply, paper)
    if not ended or reply.left_over:
        hook_main.tend_later(asked.home, asked.words)


def _begin_logs(home: Path) -> None:
    try:
        level = read_settings(home).log_level
    except (SettingsError, OSError):
        # What is wrong with them is said elsewhere.
        level = Settings().log_level
    begin(level)


def attended(
    event: str,
    read: Callable[[], bytes],
    write: Callable[[bytes], None],
    given: HookCall,
    pace: Deadline,
    reply: HookReply | None = None,
    paper: str = "",
) -> bool:
    """Answer one event in time; say whether all of its work was done."""
    reply = reply or HookReply()
    threading.Thread(
        target=_work, args=(event, read, given, pace, reply, paper), name=_WORKER, daemon=True
    ).start()
    in_time = reply.is_said_within(pace.left)
    write(answer_of(event, reply.text, reply.sign) if in_time else answer_of(event, ""))
    if not in_time:
        journal.note(given.home, event, "cut short: nothing could be told in time")
        with contextlib.suppress(SaegimError, OSError, ValueError):
            if reply.event is not None:
                hand_over(reply.event, given, reply)
    return reply.has_ended_within(pace.left)


def _work(
    event: str,
    read: Callable[[], bytes],
    given: HookCall,
    pace: Deadline,
    reply: HookReply,
    paper: str,
) -> None:
    try:
        told = read_event(event, read(), given.clock.now() if given.clock else None)
        attend(told, given, pace, reply, paper)
        _log.debug("%s was attended", event)
    except (SaegimError, OSError, ValueError) as error:
        journal.note(given.home, event, f"failed: {journal.named(error)}")
    reply.end()


# -- for a hook that asks the server --------------------------------------------------------------


def for_neighbour(body: Mapping[str, Any], memory: Saegim) -> dict[str, Any]:
    """Answer the event of a hook next door; its slip says that the rest is ours to do.

    A prompt lies on the spool when this returns. Transcripts are read afterwards: nobody waits.
    """
    event, texts, paper = _checked(body)
    environment = {event_note.STARTED_IN: body["started_in"]} if body.get("started_in") else {}
    given = HookCall(
        home=memory.home,
        file=memory.mind.store.path,
        project=body.get("project"),
        environment=environment,
    )
    if given.owner.user != memory.scope.user:
        raise Refused("hook.server_serves_someone_else")
    told = event_of(event, texts)
    reply = HookReply()
    # The hook waits no longer than it says, however patient the memory here is.
    pace = Deadline(time.monotonic() + min(body.get("ms", _LONG), _LONG) / 1000)
    with in_a_hurry(min(pace.patience, MOST_PATIENCE)):
        answer(told, given, Housed(memory, given), reply)
    event_note.take(str(memory.home), paper)
    return {"text": reply.text, "sign": reply.sign}


def _checked(body: Mapping[str, Any]) -> tuple[str, dict[str, str], str]:
    """Return what a hook asks for; refuse what is no event of ours."""
    if unknown := sorted(set(body) - _ASKED):
        raise BadInput("hook.hook_takes_no", unknown=unknown[0])
    event, texts, paper = body.get("event"), body.get("told"), body.get("slip", "")
    if event not in EVENTS:
        raise BadInput("hook.no_event", event=event, events=", ".join(EVENTS))
    rooms = (body.get("project") or "", body.get("started_in") or "", paper)
    held = texts if isinstance(texts, dict) else {"": None}
    ms = body.get("ms", 0)
    timed = isinstance(ms, int) and ms >= 0
    if not timed or not all(isinstance(each, str) for each in (*held.values(), *rooms)):
        raise BadInput("hook.event_is_not_made")
    return str(event), dict(held), str(paper)


_TAKEN_UP: Final = "resume"
# Where nothing else does, the beginning and the end of a session keep the time of the nights.
HEARTBEATS: Final = (events.SESSION_START, events.SESSION_END)


class HookReply:
    """What is said to the agent, by whoever works on it to whoever waits for it."""

    def __init__(self) -> None:
        self.text = ""
        self.sign = ""
        self.event: Event | None = None
        # Whether something is left for a process in the background.
        self.left_over = False
        self._said = threading.Event()
        self._ended = threading.Event()
        self._prompt = threading.Lock()

    def say(self, text: str) -> None:
        """Give the answer; what comes after it is ours alone."""
        self.text = text
        self._said.set()

    def end(self) -> None:
        """Tell that nothing is left to do."""
        self._said.set()
        self._ended.set()

    def may_hear_prompt(self) -> bool:
        """Say whether the prompt is still to be heard; only the first who asks hears it."""
        return self._prompt.acquire(blocking=False)

    def is_said_within(self, seconds: float) -> bool:
        """Wait for the answer, not longer than this."""
        return self._said.wait(seconds)

    def has_ended_within(self, seconds: float) -> bool:
        """Wait for everything else, not longer than this."""
        return self._ended.wait(seconds)


def attend(
    event: Event, given: HookCall, pace: Deadline, reply: HookReply, paper: str = ""
) -> None:
    """Do what an event asks for: answer, hear, keep; `paper` is its slip, if one was written."""
    reply.event = event
    if event.trouble:
        journal.note(given.home, event.name, event.trouble)
        return
    if event.name == events.PROMPT and event.is_trivial:
        reply.say("")
        return
    paper = paper or _slip(event, given)
    backend = Here(given, pace)
    try:
        answer(event, given, backend, reply)
        if event.name != events.PROMPT:
            capture.hear_out(event, project_of(event, given, backend), given, pace)
        event_note.done(paper)
        reply.left_over = _catch_up(event, given, backend, pace)
    finally:
        backend.close()


def answer(event: Event, given: HookCall, backend: HookDoor, reply: HookReply) -> None:
    """Tell the agent what it should know, and put a prompt on the spool."""
    if event.name == events.SESSION_START:
        _greet(event, given, backend, reply)
    elif event.name == events.PROMPT and not event.is_trivial:
        if not event.transcript:
            # Nobody else holds these words: they are safe before they are answered. Where nothing
            # may be written they are answered all the same.
            try:
                _hear_prompt(event, given, reply)
            except (SaegimError, OSError) as error:
                journal.note(given.home, event.name, f"failed: {journal.named(error)}")
        _answer(event, given, backend, reply)
    else:
        if event.name == events.STOP:
            _sign(event, given, backend, reply)
        reply.say("")


def hand_over(event: Event, given: HookCall, reply: HookReply) -> None:
    """Put a prompt on the spool where the time was up before it could be kept."""
    if event.name == events.PROMPT and not event.is_trivial:
        _hear_prompt(event, given, reply)


def project_of(event: Event, given: HookCall, backend: HookDoor) -> str:
    """Return the project of an event; the store knows it best, where it can be asked."""
    if (noted := capture.noted_project(event, given)) is not None:
        return noted
    try:
        return backend.project(event.folder)
    except (SaegimError, OSError) as error:
        journal.note(given.home, event.name, f"failed: {journal.named(error)}")
        return project_at(event.folder, given)


def _slip(event: Event, given: HookCall) -> str:
    """Write a slip for an event whose hook could not do it before it had asked the guard."""
    named = (
        given.project if given.project is not None else given.environment.get(event_note.NAMED, "")
    )
    try:
        return event_note.write(
            str(given.home),
            event.name,
            session=capture.session_name(event),
            transcript=event.transcript,
            folder=event.folder,
            source=event.source,
            started_in=given.environment.get(event_note.STARTED_IN, ""),
            project=named,
            user=given.user or given.environment.get(event_note.USER, ""),
            agent=given.agent or given.environment.get(event_note.AGENT, ""),
            store=str(given.file or ""),
        )
    except (OSError, ValueError) as error:
        # The event is attended all the same; only its trace is missing should it be cut off.
        journal.note(given.home, event.name, f"failed: {journal.named(error)}")
        return ""


def _greet(event: Event, given: HookCall, backend: HookDoor, reply: HookReply) -> None:
    """Tell a session what is at hand."""
    session = capture.session_name(event)
    found = place_at(event.folder, given, backend.memory)
    project = found.project
    here = backend.memory.within(project=project)
    near = reminders(here, session)
    text = greeting(here, session=session, claims=found.claims, near=near)
    known = capture.noted(event, given)
    # A session that is taken up again still has its first words before it.
    again = event.source == _TAKEN_UP and known is not None and known.shown == digest(text)
    reply.sign = "" if again else _reminding(near, here)
    reply.say("" if again else text)
    capture.note_session(event, given, project, shown=digest(text))


def _answer(event: Event, given: HookCall, backend: HookDoor, reply: HookReply) -> None:
    """Tell a prompt what is remembered for it, then hear it."""
    try:
        project = project_of(event, given, backend)
        told = backend.context(event.prompt, project, capture.session_name(event))
    except (SaegimError, OSError) as error:
        # What cannot be answered is heard all the same.
        journal.note(given.home, event.name, f"failed: {journal.named(error)}")
        told = Answered("")
    reply.say(told.text)
    if told.cut_short:
        journal.note(given.home, event.name, "cut short: words answered alone")
    project = project_of(event, given, backend)
    capture.note_session(event, given, project, recalled=str(told.recalled))
    _hear_prompt(event, given, reply, project)


def _sign(event: Event, given: HookCall, backend: HookDoor, reply: HookReply) -> None:
    """Show the person what this turn kept and was given, and the handles that take it back."""
    known = capture.noted(event, given)
    if known is None or not (session := capture.session_name(event)):
        return
    try:
        memory = backend.memory
        if memory.mind.settings.hook_sign:
            kept = _kept_since(memory, session, known)
            reply.sign = sign_of(memory, kept, int(known.recalled or 0))
            # Where the session is, whoever hears it finds out: the answer does not wait for that.
            fresh = capture.noted(event, given) or known
            newest = max((number for number, _ in kept), default=0)
            signed = replace(fresh, recalled="", signed=str(newest or known.signed))
            Marks(given.home).keep(signed)
    except (SaegimError, OSError) as error:
        journal.note(given.home, event.name, f"failed: {journal.named(error)}")


def _kept_since(memory: Saegim, session: str, known: Mark) -> list[tuple[int, Memory]]:
    """Return what a session kept that no sign has named, newest first.

    By the number of its row, not by the clock: what is being kept while a turn ends has an earlier
    instant than the sign that could not see it yet.
    """
    since, after = parse_instant(known.begun), int(known.signed or 0)
    where = Where(scope=memory.scope, session=session, origins=PERSON, everywhere=True)
    return [
        (number, each)
        for number, each in _newest(memory, where, _LOOKED_AT)
        if number > after and each.time.recorded_at > since and not each.provenance.turn
    ]


def sign_of(memory: Saegim, kept: Sequence[tuple[int, Memory]], recalled: int) -> str:
    """Return the line that says what was kept and recalled; "" for nothing."""
    language = Speech.of(memory.mind.settings.language).language
    parts = []
    if kept:
        names = " ".join(handle_of(number, each.id) for number, each in reversed(kept[:_NAMED]))
        parts.append(said("hook.sign_kept", {"count": len(kept), "ids": names}, language))
    if recalled:
        parts.append(said("hook.sign_recalled", {"count": recalled}, language))
    return said("hook.sign", {"parts": " · ".join(parts)}, language) if parts else ""


def _reminding(near: Sequence[Reminder], memory: Saegim) -> str:
    """Return the line that reminds a person of the days ahead; "" for none."""
    if not near or not memory.mind.settings.hook_sign:
        return ""
    speech = Speech.of(memory.mind.settings.language)
    texts = (one_line(shortened(each.memory.text, _IN_A_SIGN)) for each in near)
    days = (speech.day(each.day, memory.mind.now().year) for each in near)
    parts = " · ".join(map(" ".join, zip(days, texts, strict=True)))
    return said("hook.sign_reminder", {"parts": parts}, speech.language)[:_LONGEST_SIGN]


def _hear_prompt(
    event: Event, given: HookCall, reply: HookReply, project: str | None = None
) -> None:
    if reply.may_hear_prompt():
        known = project if project is not None else capture.noted_project(event, given)
        capture.hear_prompt(event, known, given)


def _catch_up(event: Event, given: HookCall, backend: Here, pace: Deadline) -> bool:
    """Work off what waits, hear what others could not; say whether something is left to do."""
    from saegim.serve.hooks import catchup
    from saegim.serve.hooks import drain as draining
    from saegim.sleep import scheduler

    done = draining.drain(given.home, lambda: backend.memory, pace)
    if pace.left and catchup.waits(given.home, given.owner.store):
        catchup.catch_up(given.home, backend.memory, pace, event.at)
        done = draining.drain(given.home, lambda: backend.memory, pace)
    if done.waiting and not done.elsewhere:
        journal.note(given.home, event.name, f"handed over: {done.waiting} files wait")
    due = event.name in HEARTBEATS and pace.left and backend.is_open
    return bool(done.waiting or (due and scheduler.is_due(backend.memory.mind)))


# Less than a prompt may have: it stands in every session from the beginning.
TOKENS: Final = 1000
_LASTING: Final = 12
_PERSONAL: Final = 8
# What a session should know of the person before anything is asked, in this order.
_WHO: Final = (
    "answer", "name", "health", "diet", "partner", "family", "pet", "home", "work", "role",
    "school", "language", "birthday", "goal",
)  # fmt: skip
_PORTRAYED: Final = 8
_HERE: Final = 10
# So many of the newest are looked through for those of this project.
_LOOKED_AT: Final = 64
_SESSIONS: Final = 50
# So many handles a sign names, so much it says of a planned day, and so long it is at most.
_NAMED: Final = 3
_IN_A_SIGN: Final = 40
_LONGEST_SIGN: Final = 300
_PROMOTIONS: Final = 5
_VOUCHED_FOR: Final = tuple(each for each in Origin if each not in STRANGERS)
_ABOUT_A_PERSON: Final = (Kind.PREFERENCE, Kind.FACT, Kind.PRINCIPLE)


def greeting(
    memory: Saegim,
    *,
    session: str,
    budget: int = TOKENS,
    claims: str = "",
    near: Sequence[Reminder] = (),
) -> str:
    """Return the block for the start of a session, or nothing where there is nothing to say.

    `near` is what is planned for the next days. `claims` is the project whose origin this folder
    names without having its history.
    """
    mind, where = memory.mind, Where(scope=memory.scope)
    rows = dict(_rows(memory))
    hits = [_hit(number, each, rank, len(rows)) for rank, (number, each) in enumerate(rows.items())]
    found = marked(hits, memory.scope, mind.store, now=mind.now())
    recipe = recipe_of("auto_search")
    header = recipe.header(found[0].memory.text if found else "")
    extra = [*(each.line for each in near), *claim_notices(memory, claims)]
    extra += _open_ends(memory, session)
    room = budget - sum(estimate(f"{line}\n") for line in extra)
    made = fitted(choose(found, where, mind=mind), found, recipe, header=header, room=room)
    return block(made.header, [*made.lines, *extra])


def _rows(memory: Saegim) -> Iterator[tuple[int, Memory]]:
    """Yield what belongs to the start of a session, what lasts first; some come twice."""
    scope = memory.scope
    # What nobody vouches for is looked up when it is asked about; a session does not open with it.
    known = Where(scope=scope, origins=_VOUCHED_FOR)
    lasting = (replace(known, pinned=True), replace(known, tiers=(Tier.M0,)))
    for where in lasting:
        yield from _newest(memory, where, _LASTING)
    yield from _portrayed(memory)
    yield from _newest(memory, Where(scope=scope, kinds=_ABOUT_A_PERSON, origins=PERSON), _PERSONAL)
    here = _newest(memory, known, _LOOKED_AT)
    of_here = [row for row in here if row[1].scope.project == scope.project]
    yield from of_here[:_HERE]


def _portrayed(memory: Saegim) -> list[tuple[int, Memory]]:
    """Return who the person is: of what they told of themselves, the latest of each kind."""
    drawn_so_far = drawn(memory.scope, memory.mind)
    if drawn_so_far is None:
        return []
    told = (drawn_so_far.current.get(slot, ()) for slot in _WHO)
    numbers = [[each.number for each in traits] for traits in told]
    every = {number for some in numbers for number in some}
    found = memory.mind.store.memories.by_numbers(memory.scope, every)
    active = {number for number, each in found.items() if each.life.state is State.ACTIVE}
    first = [next((number for number in some if number in active), 0) for some in numbers]
    return [(number, found[number]) for number in dict.fromkeys(filter(None, first))][:_PORTRAYED]


def _newest(memory: Saegim, where: Where, most: int) -> list[tuple[int, Memory]]:
    store = memory.mind.store
    numbers = store.memories.latest(where, limit=most)
    found = store.memories.by_numbers(where.scope, numbers)
    return [(number, found[number]) for number in numbers if number in found]


def _hit(number: int, memory: Memory, rank: int, count: int) -> Hit:
    """Show a memory as if it had come back in this place."""
    worth = memory.worth.importance
    weighed = Weighed(score=1 - rank / count, relevance=1.0, recency=0.0, importance=worth)
    return Hit(memory, weighed, words=0.0, vector=0.0, context=0.0, number=number)


def _open_ends(memory: Saegim, session: str) -> Iterator[str]:
    """Yield what the last session was about, and how much waits for a person's yes."""
    for each in memory.sessions.recent(_SESSIONS):
        if each.id != session and each.topic:
            if not suspicion(each.topic):
                topic = quoted(shortened(each.topic, TOPIC))
                yield f"last_session {each.started_at.date().isoformat()} topic={topic}"
            break
    if waiting := len(memory.proposals.open()):
        yield f"proposals_waiting={waiting}"
    yield from self_notices(memory)
    yield from core_notices(memory, session)
    yield from _news(memory, session)


def _news(memory: Saegim, session: str) -> Iterator[str]:
    """Yield what rose since a session was last told: from where to where, and why (D §9-6)."""
    scope, mind = memory.scope, memory.mind
    shown = []
    for each in untold(scope, mind, session):
        if each.why == APPROVED:
            continue
        made = mind.store.memories.get(scope, each.memory)
        if made is None or made.scope.project not in ("", scope.project):
            continue
        if made.provenance.origin in STRANGERS or suspicion(made.text):
            continue
        shown.append((each, quoted(shortened(made.text, TOPIC))))
    for each, words in shown[:_PROMOTIONS]:
        yield (
            f"promoted {each.at.date().isoformat()} from={each.source_tier} to={each.tier} "
            f"why={each.why} memory={words}"
        )
    if len(shown) > _PROMOTIONS:
        yield f"promoted_more={len(shown) - _PROMOTIONS}"
    told_to(session, (each for each, _ in shown), scope=scope, mind=mind)
