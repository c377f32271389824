"""Facts read anew from the texts that are kept: what was derived can be derived again."""

from __future__ import annotations

from collections.abc import Iterator

from saegim.language.sentences import sentences
from saegim.memory.changes import Linked
from saegim.memory.coordinate import Source
from saegim.memory.links import DERIVED_FROM, Link
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.memory.tiers import State
from saegim.memory.weighing import observed_start
from saegim.mind import Mind
from saegim.perceive.decide.judge import judged
from saegim.perceive.facts import facts_in
from saegim.perceive.keep import FACTS, keep, wanted_of_a_model
from saegim.perceive.turn import Turn
from saegim.perceive.understand import hear, weighed
from saegim.store.commit import Batch
from saegim.store.where import Where

# A fact in one of these states is there; one that was let go is derived again on request.
_THERE = (State.ACTIVE, State.DORMANT, State.SUPERSEDED, State.QUARANTINED)


def derive_again(scope: Scope, mind: Mind) -> Iterator[tuple[Memory, int]]:
    """Read every overheard turn again; yield it with how many facts it was missing."""
    turns = Where(scope=scope, everywhere=True)
    for _, memory in mind.store.walk(turns):
        if memory.provenance.source is Source.CONVERSATION and not memory.provenance.turn:
            yield memory, _missing(memory, mind)


def _missing(memory: Memory, mind: Mind) -> int:
    said_at = memory.time.said_at or memory.time.happened_at
    turn = Turn(
        scope=memory.scope,
        text=memory.text,
        role=memory.agent.role or "user",
        speaker=memory.provenance.author,
        addressee=memory.provenance.addressee,
        said_at=said_at,
        origin=memory.provenance.origin,
        source=memory.provenance.source,
        space=memory.space,
    )
    heard = [hear(each, mind) for each in sentences(memory.text)]
    facts, named = facts_in(turn, heard, [memory], said_at, mind)
    there = _there(memory, mind)
    start = observed_start(judged(turn, heard, memory.time.sequence or 1, mind).salience)
    missing = [weighed(each, start) for each in facts if each.canonical_key not in there]
    if missing:
        ties = [
            Linked(Link(source=each.id, type=DERIVED_FROM, target=memory.id)) for each in missing
        ]
        keep(missing, named, mind=mind, ties=ties, collapse=False, count_turns=False)
    if wishes := wanted_of_a_model([memory], mind):
        asked = [(FACTS, id) for id in wishes]
        actor = memory.scope.agent or memory.scope.user
        mind.store.commit(Batch(memory.scope.user, [], actor, mind.now(), wishes=asked))
    return len(missing)


def _there(memory: Memory, mind: Mind) -> set[str]:
    """Return the keys of the facts that this memory already has."""
    links = mind.store.links(memory.scope, [memory.id], [DERIVED_FROM])
    found = (mind.store.memory(memory.scope, each.source) for each in links)
    return {each.canonical_key for each in found if each and each.life.state in _THERE}
