"""The sentences of a turn that state something of their own, each a memory tied to the turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from saegim.language.predicates import Named
from saegim.memory.coordinate import Source, Time
from saegim.memory.memory import Memory
from saegim.mind import Mind
from saegim.perceive.birth import overheard
from saegim.perceive.turn import Turn
from saegim.perceive.understand import Heard, placed_in_time, understood

# Attack 76 of the fault catalogue: no text, however long, becomes more facts than this.
MOST_FACTS = 20


def facts_in(
    turn: Turn, heard: Sequence[Heard], memories: Sequence[Memory], said_at: datetime, mind: Mind
) -> tuple[list[Memory], dict[str, tuple[Named, ...]]]:
    """Return the facts of a turn of several sentences; a single sentence is its own fact."""
    facts: list[Memory] = []
    named: dict[str, tuple[Named, ...]] = {}
    if len(heard) < 2:
        return facts, named
    for each in heard:
        made = fact(turn, each, _holding(each.text, memories), said_at, mind)
        if made is not None and len(facts) < MOST_FACTS:
            facts.append(made[0])
            named[made[0].id] = made[1]
    return facts, named


def fact(
    turn: Turn, heard: Heard, source: Memory, said_at: datetime, mind: Mind
) -> tuple[Memory, tuple[Named, ...]] | None:
    """Return the fact that one sentence states, in its own words, if it states one."""
    # No session: it is no turn of the conversation, it was said in one.
    time = Time(happened_at=said_at, recorded_at=mind.now())
    memory = overheard(turn, heard.text, time, mind)
    memory, said = understood(memory, heard, mind, kind=None, voice=turn.voice)
    if not said.triples:
        return None
    memory = placed_in_time(memory, said_at, fixed=False)
    return memory.evolve(
        scope=replace(memory.scope, session=""),
        provenance=replace(memory.provenance, source=Source.OBSERVATION, turn=source.id),
    ), said.named


def _holding(sentence: str, memories: Sequence[Memory]) -> Memory:
    """Return the part of the turn in which a sentence stands."""
    return next((each for each in memories if sentence in each.text), memories[0])
