"""A moment in; a memory out, durable and findable before anyone is told so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from saegim.engines.tokens import estimate
from saegim.engines.vectors import Vector
from saegim.errors import EngineError
from saegim.memory.changes import Saved
from saegim.memory.coordinate import Life, Time, Worth
from saegim.memory.memory import Memory, checked_tags, checked_text
from saegim.memory.tiers import expiry
from saegim.memory.weighing import EXPLICIT_START, importance
from saegim.mind import Mind
from saegim.perceive.moment import Kept, Moment
from saegim.store.commit import Batch
from saegim.store.store import Receipt

# A key names one act; a longer one is a text passed in the wrong place.
MAX_KEY = 500


def remember(moment: Moment, *, mind: Mind, key: str | None = None) -> Kept:
    """Keep what a person asked to keep: word for word, once, at once."""
    receipt_key = None if key is None else checked_text(key, "key", MAX_KEY)
    memory = placed(moment, mind)
    vectors = embedded([memory], mind)
    committed = mind.store.commit(
        Batch(
            owner=memory.scope.user,
            changes=[Saved(memory)],
            actor=memory.scope.agent or memory.scope.user,
            at=mind.now(),
            vectors=vectors,
            identity=mind.embedder.identity if vectors else None,
            # The same words at another time are another event, not the same memory.
            collapse=moment.happened_at is None,
            count_turns=moment.sequence is None,
        ),
        receipt=Receipt(receipt_key, memory.id) if receipt_key else None,
    )
    if not vectors:
        mind.store.keep_indexed(mind.embedder, mind.now)
    return told(memory, committed.same.get(memory.id), committed.repeated, bool(vectors), mind)


def placed(moment: Moment, mind: Mind) -> Memory:
    """Give a moment its coordinates; refuse what cannot be kept word for word."""
    text = checked_text(moment.text)
    now = mind.now()
    content = moment.content
    return Memory(
        id=mind.new_id(),
        scope=moment.scope,
        text=text,
        kind=moment.kind,
        visibility=moment.visibility,
        time=_when(moment, now, mind),
        provenance=moment.provenance,
        space=moment.space,
        agent=moment.agent,
        emotion=moment.emotion,
        content=replace(
            content,
            tags=checked_tags(content.tags),
            token_count=estimate(text) if content.token_count is None else content.token_count,
        ),
        worth=Worth(
            importance=importance(
                start=EXPLICIT_START, rating=moment.rating, sentiment=moment.emotion.sentiment
            )
            if moment.importance is None
            else moment.importance,
            confidence=moment.confidence,
            rating=moment.rating,
        ),
        life=Life(
            tier=moment.tier,
            expires_at=expiry(moment.tier, now),
            pinned=moment.pinned,
            immutable=moment.immutable,
        ),
        rhythm=moment.rhythm,
    )


def _when(moment: Moment, now: datetime, mind: Mind) -> Time:
    """Place a moment in time; in a session, number it and count the minutes since the first."""
    happened_at = moment.happened_at or now
    sequence, minutes = moment.sequence, None
    if moment.scope.session:
        last, began = mind.store.session_so_far(moment.scope)
        sequence = last + 1 if sequence is None else sequence
        minutes = round((happened_at - (began or happened_at)).total_seconds() / 60, 3)
    return Time(
        happened_at=happened_at,
        recorded_at=now,
        valid_from=moment.valid_from,
        sequence=sequence,
        minutes_into_session=minutes,
    )


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


def told(memory: Memory, same: str | None, repeated: str | None, indexed: bool, mind: Mind) -> Kept:
    """Say what became of it: new, the same as one that is here, or done before."""
    state = "ready" if indexed else "pending"
    known = repeated or same
    if known is None:
        # In a session the store has given it its number.
        held = mind.store.memory(memory.scope, memory.id) if memory.scope.session else None
        return Kept(held or memory, "stored", indexed=state)
    found = mind.store.memory(memory.scope, known)
    return Kept(
        found or memory, "repeated" if repeated else "duplicate", duplicate_of=known, indexed=state
    )
