"""What a person's turn says of the answer before it: praise, blame, going on, indifference.

Seed C, layer 5. Only the person's own words count, not what they quote. Praise and blame also
judge the memories that the answer leaned on, once for each answer however often it is said; the
flow of talk is only learned from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from saegim.learn.evidence import implicit_reward
from saegim.memory.changes import session_mark
from saegim.memory.clock import from_micros, micros
from saegim.memory.memory import FINDABLE, PERSON, Memory
from saegim.memory.text import fold
from saegim.mind import LastReply, Mind
from saegim.perceive.decide_turn import ASSISTANT, USER, Action
from saegim.perceive.learned import NOT_TO_BE_LEARNED
from saegim.recall import usage
from saegim.recall.feedback import EFFECTS, judge_together
from saegim.recall.usage import Differs, Perceives, rooms_of, shown_before
from saegim.store.recall_traces import ShownTrace
from saegim.store.tables.experience_table import ReplyNote, Reward

if TYPE_CHECKING:
    from saegim.perceive.turn import Observed, Turn

# An answer is judged at once or not at all; later words are about something else.
_AT_ONCE: Final = timedelta(minutes=15)
# Without a known use, an answer is taken to lean on what stood first.
_LEANS_ON: Final = 1
_LOOKED_AT: Final = 3
# Taking nothing up: a sound or a word ("음", "ok", "whatever").
_BRIEF_LETTERS: Final = 8
_WORD: Final = re.compile(r"\w")
_WORDS: Final = re.compile(r"\w+")
_SAME_WORDS: Final = 0.6
UP, DOWN, RETRY = "up", "down", "retry"


def observe(turn: Turn, *, mind: Mind, perceive: Perceives, differs: Differs) -> Observed:
    """Let a turn be heard, its uses counted, and what it says of the answer before it credited."""
    began = mind.now()
    seen = usage.observe(turn, mind=mind, perceive=perceive, differs=differs)
    return heard(turn, seen, began, mind=mind)


def heard(turn: Turn, seen: Observed, began: datetime, *, mind: Mind) -> Observed:
    """Learn from a turn that was heard: what a reply leaned on, or how the last reply was taken.

    `began` is the instant before this turn was judged: what was decided before it is credited.
    """
    if turn.role == ASSISTANT and not seen.quarantined:
        _take_reply(turn, seen.used, mind)
        return seen
    reply = _last_reply(turn, mind) if _counts(turn, seen, mind) else None
    if reply is None or reply.judged:
        return seen
    if not reply.at <= (turn.said_at or began) <= reply.at + _AT_ONCE:
        return seen
    label, reward = _explicit(seen.heard, mind)
    memories: tuple[str, ...] = reply.used or reply.ids[:_LEANS_ON]
    if label:
        if reply.trace:
            once = f"reward:{reply.trace}"
            judge_together(memories, label, scope=turn.scope, mind=mind, once=once)
    elif reply.taken_up:
        # Two lines in a row are one going on.
        return seen
    else:
        reward = _implicit(seen, reply, turn, mind)
    _keep_reply(turn, replace(reply, judged=bool(label), taken_up=True), mind)
    given = Reward(
        owner=turn.scope.user,
        reward=reward,
        trace=reply.trace,
        memories=memories,
        session=session_mark(turn.scope.session),
        before=micros(began),
    )
    _note(given, mind)
    return replace(seen, reward=reward, feedback=label)


def _take_reply(turn: Turn, used: Sequence[str], mind: Mind) -> None:
    """Remember what a reply leaned on; what came back in it has earned something."""
    at = turn.said_at or mind.now()
    last = next(iter(shown_before(turn, at, mind)), ShownTrace("", (), ""))
    kept = tuple(each for each in last.ids if each in used)
    # What came back may have stood further down.
    ids = tuple(dict.fromkeys((*last.ids[:_LOOKED_AT], *kept)))
    asked = tuple(mind.recently.asked(rooms_of(turn), at - _AT_ONCE))
    _keep_reply(turn, LastReply(last.trace, ids, kept, at, asked), mind)
    if used:
        worth = mind.settings.reward_used
        memories = tuple(used)
        _note(
            Reward(owner=turn.scope.user, reward=worth, trace=last.trace, memories=memories), mind
        )


def _keep_reply(turn: Turn, reply: LastReply, mind: Mind) -> None:
    """Remember a reply here and in the store: the next turn may be heard by another process."""
    mind.recently.note_reply(rooms_of(turn), reply)
    note = ReplyNote(
        owner=turn.scope.user,
        room=_room_of(turn),
        at=micros(reply.at),
        trace=reply.trace,
        ids=reply.ids,
        used=reply.used,
        taken_up=reply.taken_up,
        judged=reply.judged,
    )
    if mind.traces is not None:
        mind.traces.note_experience(lambda: [note])


def _last_reply(turn: Turn, mind: Mind) -> LastReply | None:
    """Return the last reply of a session, whichever process heard it."""
    here = mind.recently.last_reply(rooms_of(turn))
    kept = mind.store.experience.last_reply(turn.scope.user, _room_of(turn))
    if kept is None or (here is not None and micros(here.at) >= kept.at):
        return here
    at = from_micros(kept.at)
    return LastReply(kept.trace, kept.ids, kept.used, at, taken_up=kept.taken_up)


def _room_of(turn: Turn) -> str:
    return session_mark("\x1f".join(rooms_of(turn)[0]))


def _note(given: Reward, mind: Mind) -> None:
    if given.reward and mind.traces is not None:
        mind.traces.note_experience(lambda: [given])


def _counts(turn: Turn, seen: Observed, mind: Mind) -> bool:
    """Say whether a turn may judge: a person's own, heard for the first time, with a word in it."""
    unfit = seen.quarantined or seen.decision.pasted
    unfit = unfit or not NOT_TO_BE_LEARNED.difference(("forget",)).isdisjoint(seen.decision.why)
    own = turn.role == USER and turn.origin in PERSON and mind.settings.rewards
    return own and not unfit and bool(_WORD.search(seen.heard))


def _explicit(text: str, mind: Mind) -> tuple[str, float]:
    """Return how the person judges the answer in words, and what that is worth."""
    reading = mind.read_feedback(text)
    if reading is None:
        return "", 0.0
    least, worth = mind.settings.reward_from, mind.settings.reward_explicit
    if reading.positive >= least:
        return UP, worth
    return (DOWN, -worth) if reading.negative >= least else ("", 0.0)


def _implicit(seen: Observed, reply: LastReply, turn: Turn, mind: Mind) -> float:
    """Return what the flow of talk says of the answer: it goes on, takes it up, or lets it lie.

    Who asks the same once more was not answered: half of a blame, as in the session's graph.
    """
    settings, said = mind.settings, fold(seen.heard).lower()
    if seen.decision.asks and any(is_asked_again(each, said) for each in reply.asked):
        return EFFECTS[RETRY].feedback * settings.reward_explicit
    passed = seen.decision.action is Action.SKIP and not seen.decision.asks
    if passed and len(said) <= _BRIEF_LETTERS:
        return implicit_reward(brief=settings.reward_indifference)
    found = (mind.store.memories.get(turn.scope, id) for id in reply.ids)
    reused = any(_takes_up(said, each) for each in found if each is not None)
    return implicit_reward(
        continued=settings.reward_continuation, reused=settings.reward_topic if reused else 0.0
    )


def is_asked_again(before: str, words: str) -> bool:
    """Say whether a question has nearly the words of the one before it."""
    one, other = (set(_WORDS.findall(fold(each).lower())) for each in (before, words))
    return len(one & other) >= _SAME_WORDS * len(one | other) > 0


def _takes_up(said: str, memory: Memory) -> bool:
    """Say whether a turn speaks of what a memory is about."""
    words = [each.lower() for each in memory.content.keywords if len(each) > 1]
    return memory.life.state in FINDABLE and any(word in said for word in words)
