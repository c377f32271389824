"""The second act of what was kept without waiting: it is read behind the answer, once.

In the first (`flow.keep_unread`) it became durable, found by its words, and a piece of work that
waits. Here what it says is read, its vector made and its ties drawn, and the same transaction takes
the work off the table. Whoever is killed between the two has lost nothing; whoever takes the work
over finds it either undone or gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime

from saegim.errors import Refused
from saegim.memory.changes import Interpreted
from saegim.memory.memory import EXPLICIT_START, Life, Memory, State, expiry
from saegim.mind import Mind
from saegim.perceive.build import (
    Fresh,
    connect,
    embedded,
    kept_for,
    outcome_of,
    weighed,
)
from saegim.perceive.flow import AS_TOLD, UNDERSTAND, asked_lifetime, read_words
from saegim.perceive.moment import Kept
from saegim.store.commit import Batch
from saegim.store.ledger import Committed
from saegim.store.tables.job_table import Job

# A memory over which processes died so often is left as it is; its words can be found.
_MOST_TRIES = 5
# Someone else may correct the same memory at the same time; then we look again.
_LOOKS = 3


def understand_rest(mind: Mind, heard: Callable[[Kept], object]) -> Iterator[int]:
    """Read what was kept unread, one by one; stop anywhere, and the rest waits."""
    while job := mind.store.jobs.take(mind.now(), (UNDERSTAND, AS_TOLD)):
        kept = _understand(job, mind)
        if kept is not None:
            heard(kept)
        yield 1


def _unread(job: Job, mind: Mind) -> Memory | None:
    """Return the memory that waits, or the version that got its words unread; nothing if neither.

    New words of a correction were read when they came; other tags alone were not.
    """
    kept = mind.store.memories.get(job.scope, job.subject)
    now = mind.store.memories.get(job.scope, mind.store.memories.current(job.scope, job.subject))
    if kept is None or now is None or not now.text or now.text != kept.text:
        return None
    return now if now.life.state is State.ACTIVE else None


def _as_born(life: Life, at: datetime) -> Life:
    """Return a life whose lifetime nobody has touched."""
    return replace(life, lifetime=Life().lifetime, last_date=None, expires_at=expiry(life.tier, at))


def _understand(job: Job, mind: Mind) -> Kept | None:
    """Read one memory; what was read and the end of the work become true together."""
    memory = _unread(job, mind)
    if memory is None:
        mind.store.jobs.finish(job)
        return None
    if job.attempts > _MOST_TRIES:
        mind.store.jobs.park(job, "it was begun too often and never ended")
        return None
    read, named = read_words(memory, memory.kind if job.kind == AS_TOLD else None, mind)
    if memory.worth.importance == weighed(memory, EXPLICIT_START).worth.importance:
        read = weighed(read, EXPLICIT_START)
    if memory.life == _as_born(memory.life, memory.time.recorded_at):
        said_at = memory.time.said_at or memory.time.happened_at
        read = kept_for(read, asked_lifetime(read, mind), said_at, mind)
    vectors = embedded([read], mind)
    fresh = Fresh(read, named, vectors.get(read.id))
    for left in reversed(range(_LOOKS)):
        joined = connect([fresh], mind)
        batch = Batch(
            owner=memory.scope.user,
            changes=[Interpreted(memory.id, memory, read), *joined.changes],
            actor=memory.scope.agent or memory.scope.user,
            at=mind.now(),
            vectors=vectors,
            identity=mind.embedder.identity if vectors else None,
            collapse=False,
            finishes=job,
        )
        try:
            mind.store.commit(batch)
            break
        except Refused:
            # Another process took the work over, or corrected what this one would end.
            if not left or not joined.supersedes:
                return None
    if not vectors:
        mind.store.keep_indexed(mind.embedder, mind.now)
    return outcome_of(read, Committed({}), bool(vectors), joined, None, mind)
