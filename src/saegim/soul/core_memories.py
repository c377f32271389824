"""Core memories (seed D §3, M0): proposed with their story, kept by a person's yes, and numbered.

To change or to let go of one shakes the islands it holds up: the person is told which before they
answer, and what the self believes because of it is proposed anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from saegim.errors import Refused
from saegim.guard.injection import suspicion
from saegim.memory.changes import Change, Linked, Saved
from saegim.memory.entities import DERIVED_FROM, PROMOTED_FROM, REFERS_TO, Link
from saegim.memory.memory import Life, Memory, Scope, Source, State, Tier, Worth
from saegim.mind import Mind
from saegim.perceive.revise import Correction, revise
from saegim.recall.handle import named_id
from saegim.recall.listing import one as memory_of
from saegim.soul import beliefs, islands
from saegim.soul.consent import Consent, recorded
from saegim.soul.promotions import APPROVED, noted
from saegim.soul.proposals import (
    ASKED,
    CHANGE,
    CORE,
    CORE_CHANGE,
    CORE_LETTING_GO,
    MOST_WAITING,
    Proposal,
    one,
    put,
    room_for_more,
    waiting,
)
from saegim.store.commit import IdempotencyKey
from saegim.store.rows import Where


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Where a memory came from: said when and by whom, risen from what, used how often."""

    memory: str
    said_at: datetime
    author: str
    origin: str
    # From the first words on: each tier it had, and since when.
    rose: tuple[tuple[str, datetime], ...]
    used: int
    recalled: int
    island: str = ""


def story(memory: Memory, scope: Scope, mind: Mind) -> Story:
    """Tell where a memory came from, through everything it was promoted from."""
    steps, seen = [memory], {memory.id}
    while (before := steps[-1].life.promoted_from) and before not in seen:
        held = mind.store.memories.get(scope, before)
        if held is None:
            break
        seen.add(before)
        steps.append(held)
    first = steps[-1]
    return Story(
        memory=memory.id,
        said_at=first.time.said_at or first.time.happened_at,
        author=first.provenance.author,
        origin=memory.provenance.origin.value,
        rose=tuple((each.life.tier.value, each.time.recorded_at) for each in reversed(steps)),
        used=sum(each.worth.used for each in steps),
        recalled=sum(each.worth.recalled for each in steps),
        island=memory.life.island or "",
    )


def cores(scope: Scope, mind: Mind) -> dict[str, Memory]:
    """Return the core memories that are here by their numbers, M0-001 first.

    A number is never given twice: what is let go keeps its own, a correction inherits it.
    """
    where = Where(scope=scope, states=tuple(State), tiers=(Tier.M0,), everywhere=True)
    every = {memory.id: memory for _, memory in mind.store.memories.walk(where)}
    numbers: dict[str, int] = {}
    for id, memory in every.items():
        numbers.setdefault(id, len(set(numbers.values())) + 1)
        if memory.life.state is State.SUPERSEDED:
            numbers[mind.store.memories.current(scope, id)] = numbers[id]
    here = [each for each in every.values() if each.text and each.life.state is State.ACTIVE]
    return {f"M0-{numbers[each.id]:03}": each for each in here}


def propose(id: str, *, scope: Scope, mind: Mind) -> Proposal:
    """Put a memory into the queue of what could be kept for ever; asked twice, it waits once."""
    known = named_id(id, scope=scope, store=mind.store)
    memory = memory_of(known, scope=scope, mind=mind)
    if memory.life.tier is Tier.M0:
        raise Refused("soul.core_memory_already", id=memory.id)
    for each in waiting(CORE, scope, mind):
        if each.memory == memory.id:
            return each
    if not room_for_more(scope, mind, asked=True):
        raise Refused("soul.proposals_wait_for_answer_already", most=mind.settings.core_most)
    asked = Proposal(id=mind.new_id(CORE), about=CORE, memory=memory.id, reasons=(ASKED,))
    recorded([put(asked)], scope.agent or scope.user, scope, mind)
    return one(asked.id, scope, mind)


def kept(consent: Consent) -> Memory:
    """Keep a memory for ever: the same words and trust, no end; it founds or joins an island."""
    mind, scope, source = consent.mind, consent.scope, consent.memory()
    core = source.evolve(
        id=mind.new_id(),
        time=replace(source.time, recorded_at=mind.now()),
        provenance=replace(source.provenance, source=Source.DISTILLATION),
        worth=Worth(
            importance=source.worth.importance,
            confidence=source.worth.confidence,
            rating=source.worth.rating,
        ),
        life=Life(tier=Tier.M0, promoted_from=source.id),
    )
    names = mind.store.links.of(scope, [source.id], (REFERS_TO,))
    home = islands.founded(source, core.id, scope, mind)
    core = core.evolve(life=replace(core.life, island=home.id))
    changes: list[Change] = [
        Saved(core),
        Linked(Link(source=core.id, type=DERIVED_FROM, target=source.id)),
        Linked(Link(source=core.id, type=PROMOTED_FROM, target=source.id)),
        *(Linked(replace(each, source=core.id)) for each in names),
        noted(core, [source], why=APPROVED, at=mind.now(), night=""),
        islands.written(home),
        beliefs.after_islands([home], scope, mind),
    ]
    # Answered twice at once, it is answered once; and what was erased meanwhile stays erased.
    once = IdempotencyKey(f"answer:{consent.proposal.id}", core.id)
    done = consent.commit(changes, [core], receipt=once)
    return mind.store.memories.get(scope, done.repeated or core.id) or core


# -- changing a core memory -----------------------------------------------------------------------


def warned(memory: Memory, scope: Scope, mind: Mind) -> dict[str, list[str]]:
    """Return what a person is warned of before a core memory changes: what it holds up."""
    held = islands.held_up_by([memory.id], scope, mind)
    rests = [
        each.statement
        for each in beliefs.current(scope, mind).beliefs
        if memory.id in each.supporting
    ]
    return {"islands": [f"{each.emoji} {each.name}" for each in held], "beliefs": rests}


def propose_change(memory: Memory, text: str, *, scope: Scope, mind: Mind) -> Proposal:
    """Ask that a core memory say something else, or, without words, that it be let go."""
    about = CORE_CHANGE if text else CORE_LETTING_GO
    if suspicion(text):
        raise Refused("perceive.new_words_read_like_order")
    asked = waiting(about, scope, mind)
    for each in asked:
        if each.memory == memory.id and each.text == text:
            return each
    if len(asked) >= MOST_WAITING:
        raise Refused("sleep.changes_wait_already", most=MOST_WAITING)
    made = Proposal(
        id=mind.new_id(CHANGE),
        about=about,
        memory=memory.id,
        replaces=memory.id if text else "",
        text=text,
        reasons=(ASKED,),
        details=warned(memory, scope, mind),
    )
    recorded([put(made)], scope.agent or scope.user, scope, mind)
    return one(made.id, scope, mind)


def changed(consent: Consent) -> Memory:
    """Write the new version of a core memory; its islands stand on it, beliefs are asked anew."""
    scope, mind, old = consent.scope, consent.mind, consent.memory()

    def also(new: Memory) -> Sequence[Change]:
        moved = islands.handed_on(old.id, new.id, scope, mind)
        return [
            *map(islands.written, moved),
            *beliefs.recomputed([old.id], scope, mind, instead=new),
            consent.answer,
        ]

    wanted = Correction(text=consent.text, by=consent.person)
    maker = consent.proposal.id
    return revise(old.id, wanted, scope=scope, mind=mind, also=also, maker=maker).memory
