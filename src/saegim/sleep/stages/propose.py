"""Proposing: what could become a core memory is laid before the person, a few at a time."""

from __future__ import annotations

from collections.abc import Iterator

from saegim.memory.tiers import State
from saegim.sleep import candidates
from saegim.sleep.night import Night, Step
from saegim.sleep.proposals import CORE, made, proposals, room_for_more


def propose(night: Night) -> Iterator[Step]:
    """Put the strongest candidates into the queue of proposals; no answer is no yes (seed D §3)."""
    mind = night.mind
    asked = {each.memory for each in proposals(night.scope, mind, state=None)}
    room = room_for_more(night.scope, mind)
    for id, reasons in candidates.read(night.places.get("promote", "")).core:
        if room <= 0:
            return
        memory = mind.store.memories.get(night.scope, id)
        if id in asked or memory is None or memory.life.state is not State.ACTIVE:
            continue
        room -= 1
        name = night.new_id(CORE, id).removeprefix("mem_")
        yield Step(
            changes=(made(f"core_{name}", CORE, id, reasons),),
            why="proposed",
            about=(id,),
            details={"reasons": ", ".join(reasons)},
        )
