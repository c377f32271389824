"""What the decision sees around a turn: its place, the memories, what was decided lately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from saegim.engines.brain.turn_reader import TurnReading
from saegim.language import language
from saegim.language.features import Signs
from saegim.language.quoting import unmarked
from saegim.language.times import Span, last_named, looks_back
from saegim.memory.clock import parse_instant
from saegim.memory.memory import Lifetime, Memory, Scope
from saegim.mind import Mind
from saegim.perceive.build import HeardSentence, placed_in_time
from saegim.perceive.decide_turn import (
    ASSISTANT,
    Action,
    Decision,
    TurnFeatures,
    judge,
    judge_by_seed,
    lifetime_of,
    state_of,
)
from saegim.perceive.learned import LearnedJudge, trace_of
from saegim.perceive.turn import Turn
from saegim.store.rows import Where

# Beyond this many memories one more changes nothing for the decision.
_ENOUGH = 1000
# Why a turn was passed over whose key is known.
AGAIN = "again"
# A day that was named longer ago than this many turns is no longer "that day".
_TURNS_BACK = 8


def judged(
    turn: Turn,
    heard: Sequence[HeardSentence],
    position: int,
    mind: Mind,
    *,
    judge_by: LearnedJudge | None = None,
) -> Decision:
    """Decide about a turn from all its sentences; `position` is its place in the session.

    Where the rules are unsure `judge_by` is asked; what they would have done stands beside it.
    """
    found, reading = _around(turn, heard, position, mind)
    made = _decided(turn, found, reading, mind, judge_by)
    if judge_by is None or judge_by.choice is None:
        return made
    ruled = _decided(turn, found, reading, mind, None) if judge_by.in_charge else made
    done = "save" if ruled.keeps else ruled.action.value
    return replace(made, ruled=done, **trace_of(judge_by, made))


def _around(
    turn: Turn, heard: Sequence[HeardSentence], position: int, mind: Mind
) -> tuple[list[tuple[Signs, TurnFeatures]], TurnReading | None]:
    """Return the signs and features of each sentence, and what was read in the turn as a whole."""
    around = {
        "turn_position": position,
        "memory_count": mind.store.memories.count_up_to(turn.scope, _ENOUGH),
        "recent_saves": mind.recently.count(turn.session, Action.SAVE),
        "recent_retrievals": mind.recently.count(turn.session, Action.RETRIEVE),
    }
    found = [(each.signs, state_of(each.signs, **around)) for each in heard]
    # A name in marks is a name: the reader knows few of them, and takes the rest for chatter.
    return found, mind.read_turn(unmarked(turn.text), assistant=turn.role == ASSISTANT)


def _decided(
    turn: Turn,
    found: Sequence[tuple[Signs, TurnFeatures]],
    reading: TurnReading | None,
    mind: Mind,
    judge_by: LearnedJudge | None,
) -> Decision:
    if reading is None or mind.settings.capture == "seed":
        made = judge_by_seed(
            found,
            policy=judge_by,
            role=turn.role,
            keep_from=mind.settings.save_from,
            skip_to=mind.settings.skip_to,
        )
        # Seed C chooses whether it is kept; how long is another question, and doubt lets none go.
        if reading is None or "wish" in made.why:
            return replace(made, lifetime=Lifetime.LASTING)
        return replace(made, lifetime=lifetime_of(reading))
    usual = mind.settings.keep_unsure
    return judge(
        reading,
        found,
        policy=judge_by,
        role=turn.role,
        keep_from=mind.settings.keep_from,
        unsure=judge_by.unsure(usual) if judge_by else usual,
    )


def placed_in_talk(memory: Memory, said_at: datetime, mind: Mind, *, before: str = "") -> Memory:
    """Resolve time words, "that day" to the day that its turn (`before`) or session named last."""
    back = looks_back(memory.text)
    last = last_named(language.times(before, said_at), said_at) if back and before else None
    if back and last is None and memory.scope.session:
        last = _named_in_session(memory.scope, said_at, mind)
    return placed_in_time(memory, said_at, fixed=False, last=last)


def _named_in_session(scope: Scope, said_at: datetime, mind: Mind) -> Span | None:
    """Return the day ahead that the turns before this one named last."""
    turns = Where(scope=scope, session=scope.session, everywhere=True)
    numbers = mind.store.memories.latest(turns, limit=_TURNS_BACK)
    memories = mind.store.memories.by_numbers(scope, numbers)
    told = [memories[number].time.mentions for number in numbers if number in memories]
    for mention in (mention for each in told for mention in reversed(each)):
        start, end = (parse_instant(at).astimezone(said_at.tzinfo) for at in mention.split("/"))
        if start.date() > said_at.date():
            return Span(start, end, words="", at=0)
    return None


def nothing_left() -> Decision:
    """Decide about a turn that was nothing but our own words."""
    return Decision(action=Action.SKIP, phase=1, salience=0.0, why=("echo",), state=TurnFeatures())


def heard_before() -> Decision:
    """Decide about a turn whose key is known: it was judged then, and is not again."""
    return Decision(action=Action.SKIP, phase=1, salience=0.0, why=(AGAIN,), state=TurnFeatures())
