"""Answers to proposals: a person's yes or no, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from saegim.errors import Refused
from saegim.guard.guard import MaskTally, masked
from saegim.memory.changes import Change, Linked, Saved
from saegim.memory.entities import DERIVED_FROM, PROMOTED_FROM, REFERS_TO, Link
from saegim.memory.memory import FINDABLE, Life, Memory, Scope, Source, Tier, Worth
from saegim.mind import Mind
from saegim.perceive.build import embedded
from saegim.recall.handle import named_id
from saegim.sleep.distil.promotions import APPROVED, noted
from saegim.sleep.forget import named
from saegim.sleep.proposals import (
    ACCEPTED,
    ASKED,
    CORE,
    REFUSED,
    Proposal,
    a_person,
    answered,
    made,
    one,
    proposals,
    room_for_more,
    still_open,
)
from saegim.store.commit import Batch, Committed, IdempotencyKey

_LONGEST_NOTE = 500


@dataclass(frozen=True, slots=True)
class Proposals:
    """What waits for one person's yes."""

    scope: Scope
    mind: Mind

    def open(self) -> list[Proposal]:
        """Return what waits for an answer, the oldest first."""
        return proposals(self.scope, self.mind)

    def all(self) -> list[Proposal]:
        """Return every proposal there was, with its answer."""
        return proposals(self.scope, self.mind, state=None)

    def propose(self, id: str) -> Proposal:
        """Ask that a memory be kept for ever; it is, once a person says yes."""
        return propose(id, scope=self.scope, mind=self.mind)

    def accept(self, id: str, *, by: str) -> Memory:
        """Say yes: the memory is kept for ever; return it. `by` names the person who says so."""
        return accept(id, by=by, scope=self.scope, mind=self.mind)

    def refuse(self, id: str, *, by: str, note: str = "") -> Proposal:
        """Say no: the memory goes on ageing, and is not proposed again."""
        return refuse(id, by=by, note=note, scope=self.scope, mind=self.mind)


def propose(id: str, *, scope: Scope, mind: Mind) -> Proposal:
    """Put a memory into the queue of what could be kept for ever; asked twice, it waits once."""
    known = named_id(id, scope=scope, store=mind.store)
    (memory,) = named([known], scope=scope, mind=mind)
    if memory.life.tier is Tier.M0:
        raise Refused("sleep.core_memory_already", id=memory.id)
    for each in proposals(scope, mind):
        if (each.about, each.memory) == (CORE, memory.id):
            return each
    if not room_for_more(scope, mind, asked=True):
        raise Refused("sleep.proposals_wait_for_answer_already", most=mind.settings.core_most)
    name, actor = mind.new_id(CORE), scope.agent or scope.user
    seen = mind.store.ledger.length(scope.user)
    _commit([made(name, CORE, memory.id, (ASKED,))], (), actor, scope, mind, seen=seen)
    return one(name, scope, mind)


def accept(id: str, *, by: str, scope: Scope, mind: Mind) -> Memory:
    """Keep a proposed memory for ever; its source stays as it is and ages on."""
    person = a_person(by)
    seen = mind.store.ledger.length(scope.user)
    proposal = still_open(one(id, scope, mind))
    source = mind.store.memories.get(scope, proposal.memory)
    if source is None or source.life.state not in FINDABLE or not source.text:
        raise Refused("sleep.not_here_any_more", memory=proposal.memory)
    core = _core(source, mind)
    names = mind.store.links.of(scope, [source.id], (REFERS_TO,))
    changes: list[Change] = [
        Saved(core),
        Linked(Link(source=core.id, type=DERIVED_FROM, target=source.id)),
        Linked(Link(source=core.id, type=PROMOTED_FROM, target=source.id)),
        *(Linked(replace(each, source=core.id)) for each in names),
        answered(proposal, ACCEPTED, by=person),
        noted(core, [source], why=APPROVED, at=mind.now(), night=""),
    ]
    # Answered twice at once, it is answered once; and what was erased meanwhile stays erased.
    once = IdempotencyKey(f"answer:{proposal.id}", core.id)
    done = _commit(changes, [core], person, scope, mind, seen=seen, receipt=once)
    return mind.store.memories.get(scope, done.repeated or core.id) or core


def _core(source: Memory, mind: Mind) -> Memory:
    """Return the memory as a core memory: the same words and trust, and no end."""
    return source.evolve(
        id=mind.new_id(),
        time=replace(source.time, recorded_at=mind.now()),
        provenance=replace(source.provenance, source=Source.DISTILLATION),
        worth=Worth(
            importance=source.worth.importance,
            confidence=source.worth.confidence,
            rating=source.worth.rating,
        ),
        life=Life(tier=Tier.M0, promoted_from=source.id, island=source.life.island),
    )


def refuse(id: str, *, by: str, note: str = "", scope: Scope, mind: Mind) -> Proposal:
    """Write a no into the proposal."""
    person = a_person(by)
    proposal = still_open(one(id, scope, mind))
    said = masked(note[:_LONGEST_NOTE], MaskTally()) if note.strip() else ""
    seen = mind.store.ledger.length(scope.user)
    no = answered(proposal, REFUSED, by=person, note=said)
    _commit([no], (), person, scope, mind, seen=seen)
    return one(id, scope, mind)


def _commit(
    changes: Sequence[Change],
    fresh: Sequence[Memory],
    person: str,
    scope: Scope,
    mind: Mind,
    *,
    seen: int,
    receipt: IdempotencyKey | None = None,
) -> Committed:
    now = mind.now()
    vectors = embedded(fresh, mind)
    return mind.store.commit(
        Batch(
            owner=scope.user,
            changes=changes,
            actor=person,
            at=now,
            vectors=vectors,
            identity=mind.embedder.identity if vectors else None,
            maker=mind.new_id("answer"),
            until=now + timedelta(days=mind.settings.forgetting_days),
            seen=seen,
        ),
        receipt=receipt,
    )
