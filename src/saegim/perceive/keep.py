"""The last step in: vectors, ties and words in one transaction, or nothing at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from saegim.engines.vectors import Vector
from saegim.errors import EngineError, Refused
from saegim.guard.masking import Tally
from saegim.language.predicates import Named
from saegim.memory.changes import Change, Saved
from saegim.memory.memory import Memory
from saegim.memory.tiers import State
from saegim.mind import Mind
from saegim.perceive.connect import Fresh, Joined, connect
from saegim.perceive.moment import Kept
from saegim.store.commit import Batch
from saegim.store.desk.jobs import Job
from saegim.store.store import Committed, Receipt

# The work of reading facts with a language model.
FACTS = "facts"
# Someone else may correct the same memory at the same time; then we look again.
_TRIES = 3


def keep(
    memories: Sequence[Memory],
    named: Mapping[str, tuple[Named, ...]],
    *,
    mind: Mind,
    ties: Sequence[Change] = (),
    tally: Tally | None = None,
    collapse: bool = True,
    count_turns: bool = True,
    receipt: Receipt | None = None,
    finishes: Job | None = None,
    wishes: Sequence[str] = (),
) -> list[Kept]:
    """Keep memories with their ties and say what became of each; all of them, or none."""
    vectors = embedded(memories, mind)
    fresh = [Fresh(each, named.get(each.id, ()), vectors.get(each.id)) for each in memories]
    for left in reversed(range(_TRIES)):
        joined = connect(fresh, mind)
        first = memories[0].scope
        batch = Batch(
            owner=first.user,
            changes=[*map(Saved, memories), *ties, *joined.changes],
            actor=first.agent or first.user,
            at=mind.now(),
            vectors=vectors,
            identity=mind.embedder.identity if vectors else None,
            collapse=collapse,
            count_turns=count_turns,
            wishes=[(FACTS, id) for id in wishes],
            finishes=finishes,
        )
        try:
            committed = mind.store.commit(batch, receipt=receipt)
            break
        except Refused:
            if not left or finishes is not None or not joined.supersedes:
                raise
    if len(vectors) < len(memories):
        mind.store.keep_indexed(mind.embedder, mind.now)
    return [_told(each, committed, bool(vectors), joined, tally, mind) for each in memories]


def embedded(memories: Sequence[Memory], mind: Mind) -> dict[str, Vector]:
    """Return the vectors of memories if they can be had without leaving the process."""
    if not memories or not mind.embedder.local:
        return {}
    try:
        made = mind.embedder.embed([memory.text for memory in memories], "document")
    except EngineError:
        # A damaged model file must not cost a memory: it is kept and found by its words, its
        # vector is made once the model is whole again, and doctor says what is wrong.
        return {}
    return dict(zip((memory.id for memory in memories), made, strict=True))


def wanted_of_a_model(memories: Sequence[Memory], mind: Mind) -> list[str]:
    """Return which memories a language model should read later, if one is turned on."""
    if mind.model is None or not mind.settings.extraction:
        return []
    return [each.id for each in memories if each.life.state is State.ACTIVE]


def _told(
    memory: Memory,
    committed: Committed,
    indexed: bool,
    joined: Joined,
    tally: Tally | None,
    mind: Mind,
) -> Kept:
    """Say what became of it: new, the same as one that is here, or done before."""
    known = committed.repeated or committed.same.get(memory.id)
    status = "repeated" if committed.repeated else "duplicate" if known else "stored"
    # In a session the store has given it its number.
    found = mind.store.memory(memory.scope, known or memory.id)
    return Kept(
        found or memory,
        status,
        duplicate_of=known,
        indexed="ready" if indexed else "pending",
        masked=tally.masked if tally else 0,
        held=tally.held if tally else 0,
        supersedes=tuple(joined.supersedes.get(memory.id, ())) if not known else (),
        contradicts=tuple(joined.contradicts.get(memory.id, ())) if not known else (),
        similar_to=tuple(joined.similar_to.get(memory.id, ())) if not known else (),
    )
