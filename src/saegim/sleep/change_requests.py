"""What a model wants to change of a person's own words: it waits beside them for a yes.

A correction becomes a contradiction and a proposal, a wish to let go becomes a proposal. Only where
the person said the same in the conversation at hand is it done at once, in their name, and can be
taken back. What no person said a model may change as before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final

from saegim.errors import Refused
from saegim.guard.guard import MaskTally, masked
from saegim.guard.injection import suspicion
from saegim.language import language
from saegim.language.claims import Claim, claims
from saegim.language.grounding import Ground
from saegim.language.quoting import quotation
from saegim.language.words import sentences
from saegim.memory.changes import Change, Leaving, Superseded
from saegim.memory.memory import (
    FINDABLE,
    PERSON,
    Memory,
    Origin,
    Reason,
    Scope,
    Source,
    State,
    Tier,
)
from saegim.memory.text import canonical_key
from saegim.mind import Mind
from saegim.perceive.build import hear
from saegim.perceive.moment import Kept
from saegim.perceive.revise import Correction, contradict, revise
from saegim.recall.handle import named_id
from saegim.sleep.forget import leave, named, refuse_protected
from saegim.soul import core_memories
from saegim.soul.consent import Consent, Outcome, Outcomes, ProposalQueue
from saegim.soul.proposals import (
    ASKED,
    CHANGE,
    CORE_LETTING_GO,
    CORRECTION,
    LETTING_GO,
    MOST_WAITING,
    Proposal,
    made,
    one,
    waiting,
)
from saegim.soul.soul import OUTCOMES as OF_THE_SELF
from saegim.store.commit import Batch
from saegim.store.rows import Where

# A client's hooks and its MCP connection name one conversation differently: beside the turns of the
# session itself, what the person said this long ago belongs to it.
_THIS_TALK: Final = timedelta(hours=1)
_TURNS: Final = 24
_ASKS: Final = re.compile(r"[?？][\s\"'”’)~.!ㅋㅎㅠㅜ]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRequest:
    """What became of a wish: done, with the turn that says so, or a proposal that waits."""

    kept: Kept
    proposal: str = ""
    confirmed_by: str = ""
    undo: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LettingGo:
    """What left, and the proposals for what only its person lets go."""

    gone: tuple[Memory, ...] = ()
    proposed: tuple[Proposal, ...] = ()


def correct(
    id: str, wanted: Correction, *, session: str, scope: Scope, mind: Mind
) -> ChangeRequest:
    """Carry out a model's correction as far as it may be: never over a person's own words."""
    old = mind.store.memories.get(scope, mind.store.memories.current(scope, id))
    said = "" if wanted.text is None else masked(wanted.text, MaskTally())
    if old is not None and said and old.life.tier is Tier.M0 and not old.life.immutable:
        return _core_change(old, said, scope, mind)
    if old is None or not said or not is_reserved(old):
        return ChangeRequest(kept=revise(id, wanted, scope=scope, mind=mind))
    if canonical_key(said) == old.canonical_key:
        if wanted.tags is not None:
            tagged = Correction(tags=wanted.tags)
            return ChangeRequest(kept=revise(id, tagged, scope=scope, mind=mind))
        return ChangeRequest(kept=Kept(old, "duplicate", duplicate_of=old.id))
    first = mind.store.memories.get(scope, id) or old
    turn = confirming(said, (old, first), session=session, scope=scope, mind=mind)
    if turn is not None and turn.id == old.id:
        # It was heard already, and holds; cut down to the model's words it would say less.
        return ChangeRequest(kept=Kept(old, "duplicate", duplicate_of=old.id), confirmed_by=old.id)
    if turn is not None:
        maker = mind.new_id(CHANGE)
        own = replace(wanted, origin=Origin.USER_SAID)
        kept = revise(id, own, scope=scope, mind=mind, maker=maker)
        return ChangeRequest(kept=kept, confirmed_by=turn.id, undo=maker)
    for each in waiting(CORRECTION, scope, mind):
        beside = mind.store.memories.get(scope, each.memory)
        if each.replaces == old.id and beside and beside.canonical_key == canonical_key(said):
            known = Kept(beside, "duplicate", duplicate_of=beside.id, contradicts=(old.id,))
            return ChangeRequest(kept=known, proposal=each.id)
    _refuse_a_flood(scope, mind)
    name = mind.new_id(CHANGE)
    kept = contradict(
        id,
        wanted,
        scope=scope,
        mind=mind,
        also=lambda new: [made(name, CORRECTION, new.id, (ASKED,), replaces=old.id)],
    )
    return ChangeRequest(kept=kept, proposal=name)


def let_go(ids: Sequence[str], *, scope: Scope, mind: Mind) -> LettingGo:
    """Let go of what a model may; propose the rest. What its person asked to forget is gone.

    What is pinned was not to be forgotten: that is asked of the person too, whoever said it.
    """
    memories = named(ids, scope=scope, mind=mind)
    core = [each for each in memories if each.life.tier is Tier.M0 and not each.life.immutable]
    rest = [each for each in memories if each not in core]
    refuse_protected(rest)
    own = [each for each in rest if is_reserved(each) or each.life.pinned]
    gone = [each for each in own if _is_leaving(each)]
    free = [each for each in rest if each not in own]
    asked = [core_memories.propose_change(each, "", scope=scope, mind=mind) for each in core]
    asked += [_proposed(each, scope, mind) for each in own if each not in gone]
    if free:
        gone += leave(free, scope=scope, mind=mind, confirm=True, exact=True).memories
    return LettingGo(gone=tuple(gone), proposed=tuple(asked))


def is_reserved(memory: Memory) -> bool:
    """Say whether only its person changes a memory: they said or confirmed it.

    A core memory is proposed to be changed under a name of its own, with a warning.
    """
    return memory.provenance.origin in PERSON and memory.life.tier is not Tier.M0


def _core_change(old: Memory, said: str, scope: Scope, mind: Mind) -> ChangeRequest:
    """Lay other words for a core memory before its person; nothing is written beside it."""
    if canonical_key(said) == old.canonical_key:
        return ChangeRequest(kept=Kept(old, "duplicate", duplicate_of=old.id))
    asked = core_memories.propose_change(old, said, scope=scope, mind=mind)
    kept = Kept(old, "duplicate", duplicate_of=old.id, contradicts=(old.id,))
    return ChangeRequest(kept=kept, proposal=asked.id)


def _let_go(consent: Consent) -> Memory:
    """Let a memory go, as its person said; what it holds up shakes."""
    memory = consent.memory()
    scope, mind = consent.scope, consent.mind
    leave(
        [memory], scope=scope, mind=mind, confirm=True, by=consent.person, also=[consent.answer],
        exact=True,
    )  # fmt: skip
    return memory


def _replaced(consent: Consent) -> Memory:
    """Put the words a model proposed in the place of others; return the version that holds."""
    beside, proposal, scope, mind = consent.memory(), consent.proposal, consent.scope, consent.mind
    _refuse_if_changed(proposal, scope, mind)
    wanted = Correction(text=beside.text, tags=beside.content.tags, by=consent.person)
    kept = revise(
        proposal.replaces,
        wanted,
        scope=scope,
        mind=mind,
        also=lambda new: [Superseded(beside.id, by=new.id, at=mind.now()), consent.answer],
        maker=proposal.id,
    )
    return kept.memory


def _withdrawn(consent: Consent) -> list[Change]:
    """Return what a no takes away: the words that were to stand in the place of others."""
    mind = consent.mind
    beside = mind.store.memories.get(consent.scope, consent.proposal.memory)
    if beside is None or beside.life.state not in FINDABLE:
        return []
    now = mind.now()
    until = now + timedelta(days=mind.settings.forgetting_days)
    return [Leaving(beside.id, Reason.MANUAL, now, until)]


# Everything a person's yes can do: what the self does, and what only the forgetting can.
OUTCOMES: Final[Outcomes] = {
    **OF_THE_SELF,
    CORRECTION: Outcome(_replaced, _withdrawn),
    LETTING_GO: Outcome(_let_go),
    CORE_LETTING_GO: Outcome(_let_go),
}


@dataclass(frozen=True, slots=True)
class Proposals(ProposalQueue):
    """What waits for one person's yes, and what others may ask for."""

    outcomes: Outcomes = field(default_factory=lambda: OUTCOMES)

    def propose(self, id: str) -> Proposal:
        """Ask that a memory be kept for ever; it is, once a person says yes."""
        return core_memories.propose(id, scope=self.scope, mind=self.mind)

    def correct(
        self,
        id: str,
        text: str | None = None,
        *,
        tags: Sequence[str] | None = None,
        session: str = "",
    ) -> ChangeRequest:
        """Correct a memory as a model may: a person's own words only if they say the same."""
        known = named_id(id, scope=self.scope, store=self.mind.store)
        wanted = Correction(text=text, tags=tags, origin=Origin.AGENT_INFERRED)
        return correct(known, wanted, session=session, scope=self.scope, mind=self.mind)

    def let_go(self, *ids: str) -> LettingGo:
        """Let memories go as a model may; for a person's own words, ask the person."""
        known = [named_id(each, scope=self.scope, store=self.mind.store) for each in ids]
        return let_go(known, scope=self.scope, mind=self.mind)


def _refuse_if_changed(proposal: Proposal, scope: Scope, mind: Mind) -> None:
    """Refuse to replace words that are not those the person was shown beside the new ones."""
    if mind.store.memories.current(scope, proposal.replaces) != proposal.replaces:
        raise Refused("sleep.corrected_meanwhile", memory=proposal.replaces)


def _is_leaving(memory: Memory) -> bool:
    return memory.life.state is State.LEAVING and memory.life.leaving_reason is Reason.MANUAL


def _proposed(memory: Memory, scope: Scope, mind: Mind) -> Proposal:
    """Put the wish to let a memory go into the queue; asked twice, it waits once."""
    for each in waiting(LETTING_GO, scope, mind):
        if each.memory == memory.id:
            return each
    _refuse_a_flood(scope, mind)
    name, actor = mind.new_id(CHANGE), scope.agent or scope.user
    change = made(name, LETTING_GO, memory.id, (ASKED,))
    mind.store.commit(Batch(scope.user, [change], actor=actor, at=mind.now()))
    return one(name, scope, mind)


def _refuse_a_flood(scope: Scope, mind: Mind) -> None:
    asked = waiting(CORRECTION, scope, mind) + waiting(LETTING_GO, scope, mind)
    if len(asked) >= MOST_WAITING:
        raise Refused("sleep.changes_wait_already", most=MOST_WAITING)


# -- What the person said themselves


def confirming(
    text: str, held: Sequence[Memory], *, session: str, scope: Scope, mind: Mind
) -> Memory | None:
    """Return the turn of this conversation in which the person says the same, if there is one.

    `held` is what is to be corrected, the version that holds now first.
    """
    where = Where(scope=replace(scope, session=""), origins=PERSON, everywhere=True)
    store, now = mind.store.memories, mind.now()
    turns = store.by_numbers(scope, store.latest(where, limit=_TURNS))
    for turn in turns.values():
        if turn.provenance.source is not Source.CONVERSATION:
            continue
        near = turn.scope.session == session or now - turn.time.recorded_at <= _THIS_TALK
        later = turn.time.recorded_at >= held[0].time.recorded_at
        if turn.scope.session and near and later and _says(turn.text, text, held, mind):
            return turn
    return None


def _says(turn: str, text: str, held: Sequence[Memory], mind: Mind) -> bool:
    """Say whether what a turn tells, outside its quotations and questions, is this."""
    told = [each for each in sentences(quotation(turn).spoken) if not _ASKS.search(each)]
    if not (plain := " ".join(told).strip()):
        return False
    if not Ground(plain, order_in=suspicion).wrong_with(text):
        return True
    # "I moved to Suwon" says that I live there, in none of its words but the name.
    claimed = _claims(text, mind)
    known = _words(plain, mind).union(*(_words(each.text, mind) for each in held))
    return bool(claimed) and claimed <= _claims(plain, mind) and _words(text, mind) <= known


def _claims(text: str, mind: Mind) -> set[Claim]:
    analyser = mind.store.words.analyser()
    return set(
        claims(language.facts(text, analyser=analyser, signs=hear(text, mind).signs).triples)
    )


def _words(text: str, mind: Mind) -> set[tuple[str, ...]]:
    return {term.tokens for term in mind.store.words.analyser().query(text)}
