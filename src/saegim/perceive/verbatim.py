"""A turn kept word for word: in parts where it is long, with the facts its sentences state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from saegim.guard.masking import Tally
from saegim.language.predicates import Named
from saegim.language.sentences import parts
from saegim.memory.changes import Change, Linked
from saegim.memory.coordinate import Time
from saegim.memory.links import DERIVED_FROM, PARENT, Link
from saegim.memory.memory import Memory
from saegim.memory.tiers import Tier, expiry
from saegim.memory.weighing import EXPLICIT_START, observed_start
from saegim.mind import Mind
from saegim.perceive.birth import kept_apart, overheard
from saegim.perceive.decide.decide import Decision
from saegim.perceive.facts import facts_in
from saegim.perceive.keep import keep, wanted_of_a_model
from saegim.perceive.moment import Kept
from saegim.perceive.turn import Turn
from saegim.perceive.understand import (
    Heard,
    hear,
    kept_for,
    placed_in_time,
    understood,
    weighed,
)


def aside(turn: Turn, time: Time, tally: Tally, mind: Mind) -> tuple[Kept, ...]:
    """Keep what reads like an order from a stranger where recall does not look."""
    texts = parts(turn.text, mind.settings.turn_limit)
    memories = [kept_apart(overheard(turn, each, time, mind)) for each in texts]
    count = turn.sequence is None
    kept = keep(memories, {}, mind=mind, tally=tally, count_turns=count, receipt=turn.receipt)
    return tuple(kept)


def verbatim(
    turn: Turn,
    heard: Sequence[Heard],
    decision: Decision,
    time: Time,
    tally: Tally,
    mind: Mind,
) -> tuple[tuple[Kept, ...], tuple[Kept, ...]]:
    """Keep the turn word for word, long ones in parts, and the facts its sentences state."""
    said_at = mind.here(mind.now()) if turn.said_at is None else turn.said_at
    wish = "wish" in decision.why
    start = EXPLICIT_START if wish else observed_start(decision.salience)
    memories: list[Memory] = []
    named: dict[str, tuple[Named, ...]] = {}
    for text in parts(turn.text, mind.settings.turn_limit):
        memory = placed_in_time(overheard(turn, text, time, mind), said_at, fixed=False)
        memory, named[memory.id] = _understood(memory, heard, turn, mind)
        memory = _born(weighed(memory, start), wish)
        memories.append(kept_for(memory, decision.lifetime, said_at, mind))
    facts, named_in_facts = facts_in(turn, heard, memories, said_at, mind)
    facts = [_born(weighed(each, start), wish) for each in facts]
    facts = [kept_for(each, decision.lifetime, said_at, mind) for each in facts]
    ties: list[Change] = [
        Linked(Link(source=each.id, type=PARENT, target=memories[0].id)) for each in memories[1:]
    ]
    if turn.parent is not None:
        ties.append(Linked(Link(source=memories[0].id, type=PARENT, target=turn.parent)))
    ties += [
        Linked(Link(source=each.id, type=DERIVED_FROM, target=each.provenance.turn))
        for each in facts
    ]
    kept = keep(
        [*memories, *facts],
        {**named, **named_in_facts},
        mind=mind,
        ties=ties,
        tally=tally,
        collapse=turn.says_again,
        count_turns=turn.sequence is None,
        receipt=turn.receipt,
        wishes=wanted_of_a_model(memories, mind),
    )
    return tuple(kept[: len(memories)]), tuple(kept[len(memories) :])


def _understood(
    memory: Memory, heard: Sequence[Heard], turn: Turn, mind: Mind
) -> tuple[Memory, tuple[Named, ...]]:
    """Read one part of a turn; of several sentences each states its own, and can end alone."""
    whole = heard[0] if len(heard) == 1 else hear(memory.text, mind)
    memory, said = understood(memory, whole, mind, kind=None, voice=turn.voice)
    if len(heard) > 1:
        memory = memory.evolve(content=replace(memory.content, triples=()))
    return memory, said.named


def _born(memory: Memory, wish: bool) -> Memory:
    """Overheard, it starts in M30; "remember this" puts it into M90 (seed D §3)."""
    if not wish:
        return memory
    life = replace(memory.life, tier=Tier.M90, expires_at=expiry(Tier.M90, memory.time.recorded_at))
    return memory.evolve(life=life)
