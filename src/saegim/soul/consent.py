"""Consent: a person's yes or no, and what follows from it.

Every door brings its answers to `answer`: who says so, how they were asked, and which words they
were shown. What a yes does stands in a table by kind; each room that can do something on a person's
word puts its own line there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from saegim.errors import BadInput, Refused
from saegim.guard.guard import MaskTally, masked
from saegim.memory.changes import Change, Written
from saegim.memory.memory import FINDABLE, Memory, Scope
from saegim.mind import Mind
from saegim.perceive.build import embedded
from saegim.soul.proposals import (
    ACCEPTED,
    BELIEF,
    CORE_CHANGE,
    REFUSED,
    Proposal,
    a_person,
    answered,
    one,
    proposals,
    still_open,
    version_of,
)
from saegim.store.commit import Batch, Committed, IdempotencyKey

_LONGEST_NOTE: Final = 500


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
    # Words of the person's own, to stand in the place of those proposed.
    text: str = ""


@dataclass(frozen=True, slots=True)
class Consent:
    """An answer that counts: to what, whose, and the page that is written with what it does."""

    proposal: Proposal
    answer: Written
    person: str
    text: str
    scope: Scope
    mind: Mind
    # The last line of the ledger when it was thought out.
    seen: int

    def memory(self) -> Memory:
        """Return the memory it is about, if it is still here."""
        id = self.proposal.memory
        found = self.mind.store.memories.get(self.scope, id)
        if found is None or found.life.state not in FINDABLE or not found.text:
            raise Refused("soul.not_here_any_more", memory=id)
        return found

    def commit(
        self,
        changes: Sequence[Change],
        fresh: Sequence[Memory] = (),
        receipt: IdempotencyKey | None = None,
    ) -> Committed:
        """Write the answer and what follows from it, all or nothing; it can be taken back."""
        every = [*changes, self.answer]
        maker = self.mind.new_id("answer")
        return recorded(
            every, self.person, self.scope, self.mind, fresh=fresh, seen=self.seen, maker=maker,
            receipt=receipt,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a yes to one kind of proposal does, and what a no takes away.

    `yes` commits, with the answer, and returns the memory it made, changed or let go, if one.
    """

    yes: Callable[[Consent], Memory | None]
    no: Callable[[Consent], Sequence[Change]] = lambda _: ()


Outcomes = Mapping[str, Outcome]


@dataclass(frozen=True, slots=True)
class ProposalQueue:
    """What waits for one person's yes, and what their answers do."""

    scope: Scope
    mind: Mind
    outcomes: Outcomes

    def open(self) -> list[Proposal]:
        """Return what waits for an answer, the oldest first."""
        return proposals(self.scope, self.mind)

    def all(self) -> list[Proposal]:
        """Return every proposal there was, with its answer."""
        return proposals(self.scope, self.mind, state=None)

    def accept(self, id: str, *, by: str, text: str = "") -> Memory | None:
        """Say yes, perhaps in other words: what was proposed is done. `by` names who says so."""
        return self.answer(id, PersonAnswer(True, by, text=text))

    def refuse(self, id: str, *, by: str, note: str = "") -> Proposal:
        """Say no: everything goes on as it is, and it is not proposed again unchanged."""
        self.answer(id, PersonAnswer(False, by, note=note))
        return one(id, self.scope, self.mind)

    def answer(self, id: str, said: PersonAnswer) -> Memory | None:
        """Carry out what a person said; a yes returns the memory it made, kept or let go."""
        return answer(id, said, scope=self.scope, mind=self.mind, outcomes=self.outcomes)


def answer(
    id: str, said: PersonAnswer, *, scope: Scope, mind: Mind, outcomes: Outcomes
) -> Memory | None:
    """Carry out a person's answer; return the memory that a yes made, changed or let go.

    It counts for the words that were shown: where others stand there now, nothing happens.
    """
    person = a_person(said.by)
    seen = mind.store.ledger.length(scope.user)
    proposal = still_open(one(id, scope, mind))
    version = version_of(proposal, mind.store.memories.get(scope, proposal.memory))
    if said.version is None and said.channel is not Channel.PROGRAM:
        raise BadInput("soul.answer_names_no_words", id=proposal.id)
    if said.version not in (None, version):
        raise Refused("soul.words_changed_since_shown", id=proposal.id)
    if said.text.strip() and proposal.about not in (BELIEF, CORE_CHANGE):
        raise BadInput("soul.own_words_have_no_place", id=proposal.id)
    note = masked(said.note[:_LONGEST_NOTE], MaskTally()) if said.note.strip() else ""
    text = masked(said.text, MaskTally()) if said.text.strip() else proposal.text
    state = ACCEPTED if said.yes else REFUSED
    page = answered(proposal, state, by=person, note=note, channel=said.channel, version=version)
    consent = Consent(proposal, page, person, text.strip(), scope, mind, seen)
    outcome = outcomes[proposal.about]
    try:
        if said.yes:
            return outcome.yes(consent)
        consent.commit(outcome.no(consent))
    except Refused:
        # Who was overtaken by another answer is told that one, not what it did.
        still_open(one(id, scope, mind))
        raise
    return None


def recorded(
    changes: Sequence[Change],
    by: str,
    scope: Scope,
    mind: Mind,
    *,
    fresh: Sequence[Memory] = (),
    seen: int | None = None,
    maker: str = "",
    receipt: IdempotencyKey | None = None,
) -> Committed:
    """Commit Changes of the self under someone's name; with a `maker` they can be taken back."""
    now = mind.now()
    vectors = embedded(fresh, mind)
    return mind.store.commit(
        Batch(
            owner=scope.user,
            changes=changes,
            actor=by,
            at=now,
            vectors=vectors,
            identity=mind.embedder.identity if vectors else None,
            maker=maker,
            until=now + timedelta(days=mind.settings.forgetting_days) if maker else None,
            seen=seen,
        ),
        receipt=receipt,
    )
