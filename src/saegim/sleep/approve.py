"""Answers to proposals: a person's yes or no, and what follows from it.

Every door brings its answers to `answer`: who says so, how they were asked, and which words they
were shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum

from saegim.errors import BadInput, Refused
from saegim.guard.guard import MaskTally, masked
from saegim.memory.changes import Change, Linked, Saved
from saegim.memory.entities import DERIVED_FROM, PROMOTED_FROM, REFERS_TO, Link
from saegim.memory.memory import FINDABLE, Life, Memory, Origin, Scope, Source, Tier, Worth
from saegim.mind import Mind
from saegim.perceive.build import embedded
from saegim.perceive.revise import Correction
from saegim.recall.handle import named_id
from saegim.sleep import change_requests
from saegim.sleep.forget import named
from saegim.sleep.promotions import APPROVED, noted
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
    version_of,
)
from saegim.store.commit import Batch, Committed, IdempotencyKey

_LONGEST_NOTE = 500


class Channel(StrEnum):
    """How a person was asked."""

    TERMINAL = "terminal"
    # The dialogue of an MCP client.
    CLIENT = "client"
    PAGE = "page"
    # A program of the person's own, which calls this in Python and shows nothing.
    PROGRAM = "program"


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """What a person said to a proposal: who, how they were asked, to which words."""

    yes: bool
    by: str
    channel: Channel = Channel.PROGRAM
    # As `version_of` names the words; only a program may leave it out.
    version: str | None = None
    note: str = ""


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
        """Say yes: what was proposed is done; return the memory. `by` names who says so."""
        kept = self.answer(id, PersonAnswer(True, by))
        assert kept is not None  # a yes makes one, or raises
        return kept

    def refuse(self, id: str, *, by: str, note: str = "") -> Proposal:
        """Say no: the memory goes on as it is, and is not proposed again."""
        self.answer(id, PersonAnswer(False, by, note=note))
        return one(id, self.scope, self.mind)

    def answer(self, id: str, said: PersonAnswer) -> Memory | None:
        """Carry out what a person said; a yes returns the memory it made, kept or let go."""
        return answer(id, said, scope=self.scope, mind=self.mind)

    def correct(
        self,
        id: str,
        text: str | None = None,
        *,
        tags: Sequence[str] | None = None,
        session: str = "",
    ) -> change_requests.ChangeRequest:
        """Correct a memory as a model may: a person's own words only if they say the same."""
        known = named_id(id, scope=self.scope, store=self.mind.store)
        wanted = Correction(text=text, tags=tags, origin=Origin.AGENT_INFERRED)
        return change_requests.correct(
            known, wanted, session=session, scope=self.scope, mind=self.mind
        )

    def let_go(self, *ids: str) -> change_requests.LettingGo:
        """Let memories go as a model may; for a person's own words, ask the person."""
        known = [named_id(each, scope=self.scope, store=self.mind.store) for each in ids]
        return change_requests.let_go(known, scope=self.scope, mind=self.mind)


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


def answer(id: str, said: PersonAnswer, *, scope: Scope, mind: Mind) -> Memory | None:
    """Carry out a person's answer; return the memory that a yes made, changed or let go.

    It counts for the words that were shown: where others stand there now, nothing happens.
    """
    person = a_person(said.by)
    seen = mind.store.ledger.length(scope.user)
    proposal = still_open(one(id, scope, mind))
    source = mind.store.memories.get(scope, proposal.memory)
    version = version_of(proposal, source)
    if said.version is None and said.channel is not Channel.PROGRAM:
        raise BadInput("sleep.answer_names_no_words", id=proposal.id)
    if said.version not in (None, version):
        raise Refused("sleep.words_changed_since_shown", id=proposal.id)
    note = masked(said.note[:_LONGEST_NOTE], MaskTally()) if said.note.strip() else ""
    state = ACCEPTED if said.yes else REFUSED
    page = answered(proposal, state, by=person, note=note, channel=said.channel, version=version)
    if not said.yes:
        gone = change_requests.withdrawn(proposal, scope, mind)
        _commit([page, *gone], (), person, scope, mind, seen=seen)
        return None
    if proposal.about != CORE:
        return change_requests.carried_out(proposal, page, person, scope=scope, mind=mind)
    if source is None or source.life.state not in FINDABLE or not source.text:
        raise Refused("sleep.not_here_any_more", memory=proposal.memory)
    core = _core(source, mind)
    names = mind.store.links.of(scope, [source.id], (REFERS_TO,))
    changes: list[Change] = [
        Saved(core),
        Linked(Link(source=core.id, type=DERIVED_FROM, target=source.id)),
        Linked(Link(source=core.id, type=PROMOTED_FROM, target=source.id)),
        *(Linked(replace(each, source=core.id)) for each in names),
        page,
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
