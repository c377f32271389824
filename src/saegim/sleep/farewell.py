"""Letting go on purpose: a preview first, then seven days in which it can be called back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from saegim.errors import BadInput, NotFound, Refused
from saegim.memory.changes import Change, Leaving, Pinned, Restored, Woken
from saegim.memory.clock import checked_id
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.memory.tiers import FINDABLE, Reason, State, Tier, expiry
from saegim.mind import Mind
from saegim.perceive.revise import echoes
from saegim.recall.listing import newest_matching
from saegim.recall.query import Query
from saegim.store.commit import Batch
from saegim.store.where import Where

# A wish that names more than this is a query, not a list of memories.
MOST_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Farewell:
    """Which memories leave, or would leave, and until when they can be called back."""

    memories: tuple[Memory, ...]
    until: datetime
    done: bool


def leave(
    memories: Sequence[Memory], *, scope: Scope, mind: Mind, confirm: bool, by: str = ""
) -> Farewell:
    """Put memories into the forgetting queue; without `confirm`, only say which.

    A core memory leaves only if `by` names the person who wants it.
    """
    now = mind.now()
    until = now + timedelta(days=mind.settings.forgetting_days)
    # What says the same in another tier goes along, or recall would still tell it.
    whole = {each.id: each for each in memories}
    whole |= {echo.id: echo for each in memories for echo in echoes(each, mind)}
    memories = list(whole.values())
    if confirm and memories:
        refuse_protected(memories, by=by)
        changes: list[Change] = [Leaving(each.id, Reason.MANUAL, now, until) for each in memories]
        actor = by or scope.agent or scope.user
        mind.store.commit(Batch(scope.user, changes, actor=actor, at=now))
    return Farewell(tuple(memories), until, confirm)


def matching(query: str, where: Where, *, named: bool, mind: Mind, confirm: bool) -> Farewell:
    """Let go of what holds every word; `named` says that a filter was given.

    Whole words only: who lets go of 차 does not mean 자동차.
    """
    asked = Query(text=query, where=where, limit=MOST_AT_ONCE)
    if not asked.meaning and not named:
        raise BadInput(
            "Nothing says what to forget.", next_step="Give words or a filter such as tags."
        )
    found = newest_matching(asked, mind=mind, within=False)
    return leave(found, scope=where.scope, mind=mind, confirm=confirm)


def refuse_protected(memories: Iterable[Memory], *, by: str = "") -> None:
    """Refuse to let go of what was made to stay."""
    for each in memories:
        if each.life.immutable:
            raise Refused(
                f"{each.id} is immutable and cannot be forgotten.",
                next_step="It was made to stay; nothing was changed.",
            )
        if each.life.tier is Tier.M0 and not by:
            raise Refused(
                f"{each.id} is a core memory (M0).",
                next_step="Only a person lets it go: name them with by=…; nothing was changed.",
            )


def named(ids: Iterable[str], *, scope: Scope, mind: Mind) -> list[Memory]:
    """Return what holds now for each of these ids; name the first that is not there."""
    wanted = list(dict.fromkeys(checked_id(each) for each in ids))
    if not wanted or len(wanted) > MOST_AT_ONCE:
        raise BadInput(
            f"{len(wanted)} ids were given.", next_step=f"Give 1 to {MOST_AT_ONCE} memory ids."
        )
    found = {}
    for id in wanted:
        memory = mind.store.memory(scope, mind.store.current(scope, id))
        if memory is None or not memory.text:
            raise NotFound(
                f"There is no memory {id}.", next_step="`saegim recent` lists what there is."
            )
        found[memory.id] = memory
    return list(found.values())


def pin(ids: Iterable[str], *, scope: Scope, mind: Mind, pinned: bool) -> list[Memory]:
    """Hold memories fast, so that nothing lets them go by itself; or let them loose again."""
    held = named(ids, scope=scope, mind=mind)
    changes: list[Change] = []
    for each in held:
        if each.life.state not in FINDABLE:
            raise Refused(
                f"{each.id} is {each.life.state.value}.",
                next_step=f"Call it back first: `saegim restore {each.id}`.",
            )
        if each.life.pinned is not pinned:
            changes.append(Pinned(each.id, pinned))
        if pinned and each.life.state is State.DORMANT:
            changes.append(Woken(each.id))
    if changes:
        actor = scope.agent or scope.user
        mind.store.commit(Batch(scope.user, changes, actor=actor, at=mind.now()))
    return named([each.id for each in held], scope=scope, mind=mind)


def restore(ids: Iterable[str], *, scope: Scope, mind: Mind) -> list[Memory]:
    """Call memories back: active again, their tier kept, their time reset."""
    now = mind.now()
    changes: dict[str, Change] = {}
    for id in dict.fromkeys(checked_id(each) for each in ids):
        memory = mind.store.memory(scope, id)
        if memory is not None and memory.life.state is State.SUPERSEDED:
            memory = mind.store.memory(scope, mind.store.current(scope, id))
        if memory is None:
            raise NotFound(f"There is no memory {id}.", next_step="`saegim recent --state leaving`")
        if memory.life.state is State.QUARANTINED:
            raise Refused(
                f"{id} is in quarantine, not in the queue.", next_step="A person must release it."
            )
        end = expiry(memory.life.tier, now, memory.life.last_date)
        changes[memory.id] = Restored(memory.id, end)
    if not changes:
        raise BadInput("No ids were given.", next_step="Give the ids of memories to restore.")
    actor = scope.agent or scope.user
    mind.store.commit(Batch(scope.user, list(changes.values()), actor=actor, at=now))
    return [each for id in changes if (each := mind.store.memory(scope, id)) is not None]
