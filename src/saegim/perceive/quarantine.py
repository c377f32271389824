"""Keeping apart what a source brought, and letting it out again: a person's decision, both ways."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from saegim.errors import BadInput, NotFound, Refused
from saegim.memory.changes import Change, Quarantined, Released
from saegim.memory.entities import DERIVED_FROM
from saegim.memory.memory import FINDABLE, Memory, Scope, State, Tier
from saegim.mind import Mind
from saegim.perceive.build import reads_like_an_order
from saegim.store.commit import Batch
from saegim.store.rows import Where

MOST_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Separated:
    """Which memories were kept apart or let out, or in a preview would be.

    `suspect` are those that stay apart because they still read like an order.
    """

    memories: tuple[Memory, ...]
    done: bool
    suspect: tuple[Memory, ...] = ()


def quarantine(where: Where, *, mind: Mind, confirm: bool) -> Separated:
    """Keep apart everything a source brought and everything derived from it (U23.2)."""
    _refuse_everything(where)
    everywhere = replace(where, states=FINDABLE) if where.states == (State.ACTIVE,) else where
    found = _brought(everywhere, mind)
    found |= {each.id: each for each in _derived(found, where.scope, mind)}
    return _settled(where.scope, found.values(), Quarantined, mind, confirm)


def release(ids: Iterable[str], *, scope: Scope, mind: Mind) -> Separated:
    """Let memories out of quarantine; their origin and trust stay what they are."""
    found = []
    for id in dict.fromkeys(ids):
        memory = mind.store.memories.get(scope, id)
        if memory is None or not memory.text:
            raise NotFound("perceive.no_memory_saegim_quarantine", id=id)
        if memory.life.state is not State.QUARANTINED:
            raise Refused("perceive.not_in_quarantine", id=id, state=memory.life.state.value)
        found.append(memory)
    return _settled(scope, found, Released, mind, True)


def release_source(where: Where, *, mind: Mind, confirm: bool, suspects: bool = False) -> Separated:
    """Let out together what a source brought and was kept apart by mistake.

    What still reads like an order stays apart, unless `suspects` says that a person looked.
    """
    _refuse_everything(where)
    apart = replace(where, states=(State.QUARANTINED,), everywhere=True)
    found = list(_brought(apart, mind).values())
    doubted = [] if suspects else [each for each in found if reads_like_an_order(each)]
    ids = {each.id for each in doubted}
    free = [each for each in found if each.id not in ids]
    done = _settled(where.scope, free, Released, mind, confirm)
    return replace(done, suspect=tuple(doubted))


def _refuse_everything(where: Where) -> None:
    if where == Where(scope=where.scope):
        raise BadInput("perceive.nothing_says_which_source")


def _brought(where: Where, mind: Mind) -> dict[str, Memory]:
    """Return what a source brought, by id; refuse more than anyone could look at."""
    found = {memory.id: memory for _, memory in mind.store.memories.walk(where)}
    if len(found) > MOST_AT_ONCE:
        raise Refused("perceive.memories_are_too_many", count=len(found))
    return found


def _derived(ids: Iterable[str], scope: Scope, mind: Mind) -> Iterable[Memory]:
    """Return everything derived from these, at any distance."""
    known = set(ids)
    fresh = set(known)
    while fresh:
        links = mind.store.links.of(scope, fresh, [DERIVED_FROM])
        fresh = {each.source for each in links if each.target in fresh} - known
        known |= fresh
        for id in fresh:
            memory = mind.store.memories.get(scope, id)
            if memory is not None and memory.text:
                yield memory


def _settled(
    scope: Scope,
    memories: Iterable[Memory],
    change: type[Quarantined] | type[Released],
    mind: Mind,
    confirm: bool,
) -> Separated:
    wanted = (State.QUARANTINED,) if change is Released else FINDABLE
    # What was made to stay is taken out of recall by nobody but a person who lets it go.
    found = tuple(
        each
        for each in memories
        if each.life.state in wanted and not each.life.immutable and each.life.tier is not Tier.M0
    )
    if confirm and found:
        changes: list[Change] = [change(each.id) for each in found]
        mind.store.commit(
            Batch(scope.user, changes, actor=scope.agent or scope.user, at=mind.now())
        )
    return Separated(found, confirm)
