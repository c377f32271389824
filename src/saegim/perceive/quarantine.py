"""Keeping apart what a source brought, and letting it out again: a person's decision, both ways."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from saegim.errors import BadInput, NotFound, Refused
from saegim.memory.changes import Change, Quarantined, Released
from saegim.memory.links import DERIVED_FROM
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.memory.tiers import FINDABLE, State, Tier
from saegim.mind import Mind
from saegim.store.commit import Batch
from saegim.store.where import Where

MOST_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Separated:
    """Which memories were kept apart or let out, or in a preview would be."""

    memories: tuple[Memory, ...]
    done: bool


def quarantine(where: Where, *, mind: Mind, confirm: bool) -> Separated:
    """Keep apart everything a source brought and everything derived from it (U23.2)."""
    if where == Where(scope=where.scope):
        raise BadInput(
            "Nothing says which source.", next_step="Name an author, origin, session or domain."
        )
    everywhere = replace(where, states=FINDABLE) if where.states == (State.ACTIVE,) else where
    found = {memory.id: memory for _, memory in mind.store.walk(everywhere)}
    if len(found) > MOST_AT_ONCE:
        raise Refused(
            f"{len(found):,} memories are too many at once.", next_step="Narrow the source down."
        )
    found |= {each.id: each for each in _derived(found, where.scope, mind)}
    return _settled(where.scope, found.values(), Quarantined, mind, confirm)


def release(ids: Iterable[str], *, scope: Scope, mind: Mind) -> Separated:
    """Let memories out of quarantine; their origin and trust stay what they are."""
    found = []
    for id in dict.fromkeys(ids):
        memory = mind.store.memory(scope, id)
        if memory is None or not memory.text:
            raise NotFound(f"There is no memory {id}.", next_step="`saegim quarantine` lists them.")
        if memory.life.state is not State.QUARANTINED:
            raise Refused(f"{id} is {memory.life.state.value}, not in quarantine.")
        found.append(memory)
    return _settled(scope, found, Released, mind, True)


def _derived(ids: Iterable[str], scope: Scope, mind: Mind) -> Iterable[Memory]:
    """Return everything derived from these, at any distance."""
    known = set(ids)
    fresh = set(known)
    while fresh:
        links = mind.store.links(scope, fresh, [DERIVED_FROM])
        fresh = {each.source for each in links if each.target in fresh} - known
        known |= fresh
        for id in fresh:
            memory = mind.store.memory(scope, id)
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
