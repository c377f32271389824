"""A turn is heard: which of the memories that were shown, named or known does it use?

What a reply gives back is counted before the reply itself is kept: whoever hears it again after a
fall finds the use counted and the reply not, and goes on; the other way round it would be lost.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from saegim.errors import NotFound, Refused
from saegim.guard.echo import without_echo
from saegim.memory.changes import Change, Linked, Reweighed, Woken, session_mark
from saegim.memory.coordinate import AGAIN, BACK, FOLLOWED, NAMED, PERSON, Use
from saegim.memory.keys import normalise
from saegim.memory.links import HAS_FEEDBACK, Link
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.memory.tiers import FINDABLE, State
from saegim.mind import Mind
from saegim.perceive.flow import observe as perceive
from saegim.perceive.moment import Kept
from saegim.perceive.turn import Observed, Turn
from saegim.recall.feedback import CHANGED_BEHAVIOUR
from saegim.recall.handle import handle_of, number_of
from saegim.recall.related import LABELLED
from saegim.recall.used.evidence import FIRST, came_back
from saegim.recall.used.reasons import uses_of
from saegim.recall.used.wishes import follows
from saegim.store.commit import Batch
from saegim.store.desk.traces import Shown, lately
from saegim.store.store import Receipt
from saegim.store.where import Where

# A reply follows its prompt within minutes; in a session of its own, also after a day's work.
MINUTES: Final = timedelta(minutes=15)
A_DAY: Final = timedelta(days=1)
# The same words heard again within this are the same turn: a hook that was told twice.
_RETRY: Final = timedelta(hours=1)
_MOST_NAMED: Final = 8
_MOST_TURNS: Final = 8
_NAME: Final = re.compile(
    r"(?<![\w-])(?:m[0-9a-z]{4,15}|mem_\d{8}_\d{6}_[0-9a-f]+)(?![\w-])", re.IGNORECASE | re.ASCII
)

Differs = Callable[..., str]


def observe(turn: Turn, *, mind: Mind, differs: Differs) -> Observed:
    """Count what a turn uses, judge it and keep it, and count what it says again."""
    used = count(turn, mind=mind)
    seen = perceive(turn, mind=mind)
    again = said_again((*seen.kept, *seen.facts), mind=mind, differs=differs)
    return replace(seen, used=tuple(dict.fromkeys((*used, *again))))


def count(turn: Turn, *, mind: Mind) -> tuple[str, ...]:
    """Count what a turn uses, once however often it is heard; return the ids."""
    if turn.role not in ("user", "assistant"):
        return ()
    at = turn.said_at or mind.now()
    text = without_echo(turn.text, lambda _: ()).text
    used: dict[str, tuple[Memory, Use]] = {}
    if turn.role == "user":
        mind.recently.ask(turn.session, text, at)
    shown = _shown(turn, at, mind) if turn.role == "assistant" else []
    if shown and text.strip():
        used = _given_back(text, shown, _prompt(turn, at, mind), turn.scope, mind)
    for memory in _named(text, turn.scope, mind):
        trace = next((each.trace for each in shown if memory.id in each.ids), "")
        used.setdefault(memory.id, (memory, Use(NAMED, trace, _digest(memory, text))))
    if turn.role == "assistant":
        mind.recently.answer(_rooms(turn))
    fresh = [pair for pair in used.values() if not _is_counted(*pair, mind)]
    return _counted(fresh, turn.scope, mind, key=text)


def said_again(kept: Sequence[Kept], *, mind: Mind, differs: Differs) -> tuple[str, ...]:
    """Count what the person says again, in the same words or nearly; once a day. Return the ids."""
    new = {each.id for each in kept if each.status == "stored"}
    found: dict[str, tuple[Memory, Use]] = {}
    for each in kept:
        if each.status == "repeated" or each.memory.provenance.origin not in PERSON:
            continue
        for other in _told_before(each, mind, differs):
            if other.id not in new:
                found.setdefault(other.id, (other, Use(AGAIN)))
    fresh = [pair for pair in found.values() if not _is_counted(*pair, mind)]
    return _counted(fresh, kept[0].memory.scope, mind) if fresh else ()


# -- a reply --------------------------------------------------------------------------------------


def _shown(turn: Turn, at: datetime, mind: Mind) -> list[Shown]:
    """Return what the reply may lean on, the latest first.

    What was shown for its session; where none is known of it, what was shown for nobody in
    particular in the last minutes.
    """
    recent = lately(turn.scope, mind.store, mind.traces, since=at - A_DAY, until=at)
    mine = session_mark(turn.scope.session)
    own = [each for each in recent if mine and each.session == mine]
    few = lately(turn.scope, mind.store, mind.traces, since=at - MINUTES, until=at)
    traces = {each.trace for each in few}
    if own:
        return [each for each in own if each.trace in traces] or own[:1]
    return [each for each in few if not mine or not each.session]


def _given_back(
    text: str, shown: Sequence[Shown], prompt: str, scope: Scope, mind: Mind
) -> dict[str, tuple[Memory, Use]]:
    """Return which of the shown memories a reply follows or gives back, each with its trace."""
    found: dict[str, tuple[Memory, Use]] = {}
    looked: set[str] = set()
    for each in shown:
        said = dict(zip(each.ids, each.said, strict=False))
        for rank, id in enumerate(each.ids):
            memory = None if id in looked else mind.store.memory(scope, id)
            if memory is None or not memory.text or memory.life.state not in FINDABLE:
                continue
            digest = _digest(memory, text)
            if memory.provenance.origin in PERSON and follows(memory.text, text):
                found[id] = memory, Use(FOLLOWED, each.trace, digest)
                looked.add(id)
            elif rank < FIRST:
                looked.add(id)
                told = came_back(memory.text, prompt, text, mind.surprise, said.get(id, ()))
                if told is not None:
                    found[id] = memory, Use(BACK, each.trace, digest, told.places)
    return found


def _prompt(turn: Turn, at: datetime, mind: Mind) -> str:
    """Return what the person said in the turn that is answered: from mind, or from the store."""
    session = turn.scope.session
    asked = mind.recently.asked(_rooms(turn), at - A_DAY if session else at - MINUTES)
    if asked or not session:
        return "\n".join(asked)
    until = at + timedelta(microseconds=1)
    where = Where(scope=turn.scope, session=session, until=until, everywhere=True)
    rows = mind.store.latest(where, limit=_MOST_TURNS)
    held = mind.store.by_numbers(turn.scope, rows)
    said = (held[row].text for row in rows if row in held and held[row].agent.role == "user")
    return next(said, "")


def _rooms(turn: Turn) -> list[tuple[str, ...]]:
    """Return where the prompt may have been heard: not everyone who asks names the session."""
    user, agent, project, session = turn.session
    rooms = [(user, agent, project, session), (user, agent, project, ""), (user, agent, "", "")]
    return list(dict.fromkeys(rooms))


def _named(text: str, scope: Scope, mind: Mind) -> Iterator[Memory]:
    """Yield the memories that a text calls by their handle or their id."""
    names = dict.fromkeys(found[0].lower() for found in _NAME.finditer(text))
    for name in list(names)[:_MOST_NAMED]:
        number = number_of(name)
        if number is not None:
            memory = mind.store.by_numbers(scope, [number]).get(number)
            if memory is None or handle_of(number, memory.id) != name:
                continue
        else:
            memory = mind.store.memory(scope, name)
        if memory is not None and memory.text and memory.life.state in FINDABLE:
            yield memory


# -- said again -----------------------------------------------------------------------------------


def _told_before(kept: Kept, mind: Mind, differs: Differs) -> Iterator[Memory]:
    """Yield the memories that say what was said now, from an earlier time."""
    memory, scope = kept.memory, kept.memory.scope
    if kept.status == "duplicate":
        yield memory
        return
    rows = mind.store.rounds.same_words(scope.user, memory.canonical_key)
    yield from (
        each
        for each in mind.store.by_numbers(scope, rows).values()
        if _is_earlier(each, memory) and each.scope.agent == scope.agent
    )
    for id in set(kept.similar_to) - {*kept.supersedes, *kept.contradicts}:
        other = mind.store.memory(scope, id)
        if other is None or not _is_earlier(other, memory):
            continue
        # No other number, date, name, negation or word: it may be put in another way.
        if differs(other, memory, analyser=mind.store.analyser()) in ("", "form"):
            yield other


def _is_earlier(other: Memory, memory: Memory) -> bool:
    """Say whether the person said it at another time; the same turn heard twice is one turn."""
    lives = other.life.state in FINDABLE and other.provenance.origin in PERSON
    return other.id != memory.id and lives and _said(other) < _said(memory)


def _said(memory: Memory) -> datetime:
    return memory.time.said_at or memory.time.happened_at


# -- counting -------------------------------------------------------------------------------------


def _digest(memory: Memory, text: str) -> str:
    """Return what stands for a text in the lines of a memory: nobody can read it back."""
    said = f"{memory.id}\x1f{normalise(text)}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(said).hexdigest()[:16]


def _is_counted(memory: Memory, use: Use, mind: Mind) -> bool:
    """Say whether this use is known: of this trace, of the same words just now, or of this day."""
    now = mind.now()
    return any(
        (use.trace and known.trace == use.trace)
        or (use.reply and known.reply == use.reply and abs(now - known.at) < _RETRY)
        or (
            use.because in (AGAIN, FOLLOWED)
            and known.because == use.because
            and mind.here(known.at).date() == mind.here(now).date()
        )
        for known in uses_of(memory, scope=memory.scope, store=mind.store)
    )


def _counted(
    used: Sequence[tuple[Memory, Use]], scope: Scope, mind: Mind, *, key: str = ""
) -> tuple[str, ...]:
    """Write the uses in one commit; the same reply to the same showing writes nothing twice."""
    if not used:
        return ()
    changes = [each for memory, use in used for each in _changes(memory, use, mind.now())]
    batch = Batch(scope.user, changes, actor=scope.agent or scope.user, at=mind.now())
    receipt = Receipt(_key(used, key), used[0][0].id) if any(use.trace for _, use in used) else None
    try:
        done = mind.store.commit(batch, receipt=receipt)
    except (NotFound, Refused):
        # One of them was let go or replaced this very moment: then it is not used either.
        return ()
    return () if done.repeated else tuple(memory.id for memory, _ in used)


def _changes(memory: Memory, use: Use, at: datetime) -> Iterable[Change]:
    yield Reweighed(memory=memory.id, at=at, used=1, use=use)
    if use.because == FOLLOWED:
        target = f"{LABELLED}{CHANGED_BEHAVIOUR}"
        yield Linked(Link(source=memory.id, type=HAS_FEEDBACK, target=target))
    if memory.life.state is State.DORMANT:
        yield Woken(memory.id)


def _key(used: Sequence[tuple[Memory, Use]], text: str) -> str:
    said = "\x1f".join([normalise(text), *(f"{memory.id} {use.trace}" for memory, use in used)])
    return f"use:{hashlib.sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()}"
