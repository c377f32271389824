"""A correction is a new memory that holds in the place of the old one; both are kept."""

from __future__ import annotations

from dataclasses import replace

from saegim.engines.tokens import estimate
from saegim.errors import NotFound, Refused
from saegim.memory.changes import Change, Linked, Saved, Superseded
from saegim.memory.coordinate import Life, Time, Worth
from saegim.memory.links import PROMOTED_FROM, SUPERSEDES, Link
from saegim.memory.memory import Memory, checked_text
from saegim.memory.scope import Scope
from saegim.memory.tiers import FINDABLE, State, Tier, expiry
from saegim.mind import Mind
from saegim.perceive.connect import Fresh, connect
from saegim.perceive.keep import embedded
from saegim.perceive.masking import Tally, masked
from saegim.perceive.moment import Kept
from saegim.perceive.understand import hear, understood
from saegim.store.commit import Batch


def revise(
    id: str, text: str, *, scope: Scope, mind: Mind, keep_private: bool = False, by: str = ""
) -> Kept:
    """Write the new version of a memory; the old id leads to it from now on.

    A core memory is corrected only if `by` names the person who wants it.
    """
    tally = Tally()
    text = masked(checked_text(text), tally, keep_private=keep_private)
    old = changeable(mind.store.current(scope, id), scope=scope, mind=mind)
    if old.life.tier is Tier.M0 and not by:
        raise Refused(
            f"{old.id} is a core memory (M0).",
            next_step="Only a person corrects it: name them with by=…; nothing was changed.",
        )
    new, said = understood(
        version_of(old, text, mind),
        hear(text, mind),
        mind,
        kind=old.kind,
        voice=old.provenance.author,
    )
    also = echoes(old, mind)
    vectors = embedded([new], mind)
    joined = connect([Fresh(new, said.named, vectors.get(new.id))], mind)
    changes: list[Change] = [
        Saved(new),
        Linked(Link(source=new.id, type=SUPERSEDES, target=old.id)),
        Superseded(old.id, by=new.id, at=new.time.recorded_at),
        # What it names and whom it meets; that it resembles its older self says nothing.
        *(each for each in joined.changes if not _about(each, {old.id, *(e.id for e in also)})),
    ]
    for echo in also:
        changes.append(Linked(Link(source=new.id, type=SUPERSEDES, target=echo.id)))
        changes.append(Superseded(echo.id, by=new.id, at=new.time.recorded_at))
    mind.store.commit(
        Batch(
            scope.user,
            changes,
            actor=by or scope.agent or scope.user,
            at=mind.now(),
            vectors=vectors,
            identity=mind.embedder.identity if vectors else None,
        )
    )
    if not vectors:
        mind.store.keep_indexed(mind.embedder, mind.now)
    return Kept(
        new,
        "stored",
        indexed="ready" if vectors else "pending",
        masked=tally.masked,
        held=tally.held,
        supersedes=(old.id,),
    )


def echoes(memory: Memory, mind: Mind) -> list[Memory]:
    """Return what was distilled into the same words, or from them: to a reader it is one memory.

    What was made to stay is not among them.
    """
    found: dict[str, Memory] = {}
    fresh = [memory.id]
    while fresh:
        links = mind.store.links(memory.scope, fresh, (PROMOTED_FROM,))
        near = {end for link in links for end in (link.source, link.target)}
        fresh = []
        for id in sorted(near - {memory.id, *found}):
            other = mind.store.memory(memory.scope, id)
            if other is None or other.life.state not in FINDABLE:
                continue
            held_fast = other.life.immutable or other.life.tier is Tier.M0
            if other.canonical_key == memory.canonical_key and not held_fast:
                found[id] = other
                fresh.append(id)
    return list(found.values())


def _about(change: Change, ids: set[str]) -> bool:
    """Say whether a Change speaks of these memories."""
    match change:
        case Linked(link=link):
            return bool(ids & {link.source, link.target})
        case Superseded(memory=memory):
            return memory in ids
        case _:
            return False


def changeable(id: str, *, scope: Scope, mind: Mind) -> Memory:
    """Return the memory if it may be revised; say why not otherwise."""
    memory = mind.store.memory(scope, id)
    if memory is None or not memory.text:
        raise NotFound(
            f"There is no memory {id}.", next_step="`saegim recent` lists what there is."
        )
    if memory.life.immutable:
        raise Refused(
            f"{id} is immutable: its words were made to stay.",
            next_step="Remember the correction as a memory of its own.",
        )
    if memory.life.state is not State.ACTIVE:
        raise Refused(
            f"{id} is {memory.life.state.value} and cannot be revised.",
            next_step=f"Restore it first: saegim restore {id}",
        )
    return memory


def version_of(old: Memory, text: str, mind: Mind) -> Memory:
    """Return the new version: the old coordinates, the new words, a life of its own."""
    now = mind.now()
    return old.evolve(
        id=mind.new_id(),
        text=text,
        time=Time(
            happened_at=now,
            recorded_at=now,
            valid_from=now,
            sequence=old.time.sequence,
            minutes_into_session=old.time.minutes_into_session,
        ),
        content=replace(
            old.content, brief=None, triples=(), keywords=(), token_count=estimate(text)
        ),
        worth=Worth(
            importance=old.worth.importance,
            confidence=old.worth.confidence,
            rating=old.worth.rating,
        ),
        life=Life(
            tier=old.life.tier,
            expires_at=expiry(old.life.tier, now),
            pinned=old.life.pinned,
            island=old.life.island,
        ),
    )
