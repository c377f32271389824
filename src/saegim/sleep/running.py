"""One stage of the night is carried out: its steps committed in small parts, its end noted once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from saegim.errors import NotFound, Refused, SaegimError, TakenOver
from saegim.sleep.lease import Holding
from saegim.sleep.night import Night, Stage, Step
from saegim.sleep.rota import next_due
from saegim.store.commit import Batch

# Small enough that a write of someone else waits a few milliseconds, not more.
_MOST_CHANGES = 48
# Steps that waited for a model are not kept waiting for more.
_LONGEST_WAIT = 1.0
# A breath between two commits in which others get the write lock.
_BREATH = 0.002
_SAMPLES = 5


def run(stage: Stage, night: Night, holding: Holding, tell: Callable[[str, int], None]) -> None:
    """Carry out a stage; one that fails ends itself, not the night, and the report says so."""
    tell(stage.name, 0)
    taken = 0
    place: str | None = None
    trouble = ""
    held: Sequence[Step] = ()
    seen = night.mind.store.rounds.ledger_length(night.owner)
    try:
        for steps in _portions(stage.run(night)):
            if held:
                taken += _commit(held, stage, night, holding, seen)
                tell(stage.name, taken)
            held = steps
            for step in steps:
                night.note(stage.name, step)
                place = step.place if step.place is not None else place
    except TakenOver:
        raise
    except SaegimError as error:
        trouble = error.message
    told = _did(held) | ({"trouble": trouble} if trouble else {})
    ends = {
        "ends": True,
        "place": None if trouble else place,
        "due_at": next_due(stage, night.mind),
        "covered": night.mind.now(),
    }
    try:
        _write(held, stage, night, holding, seen, did=told, **ends)
    except TakenOver:
        raise
    except (Refused, NotFound):
        for step in held:
            _alone(step, stage, night, holding, seen)
        _write((), stage, night, holding, seen, did={"trouble": trouble} if trouble else {}, **ends)


def _portions(steps: Iterator[Step]) -> Iterator[list[Step]]:
    """Gather steps until they are worth a commit, or have waited long enough."""
    held: list[Step] = []
    count = 0
    since = time.monotonic()
    for step in steps:
        held.append(step)
        count += len(step.changes)
        if count >= _MOST_CHANGES or time.monotonic() - since > _LONGEST_WAIT:
            yield held
            held, count, since = [], 0, time.monotonic()
    if held:
        yield held


def _commit(steps: Sequence[Step], stage: Stage, night: Night, holding: Holding, seen: int) -> int:
    """Commit steps together; where someone has changed one of them meanwhile, the others alone."""
    try:
        _write(steps, stage, night, holding, seen, did=_did(steps))
        done = len(steps)
    except TakenOver:
        raise
    except (Refused, NotFound):
        done = sum(_alone(step, stage, night, holding, seen) for step in steps)
    time.sleep(_BREATH)
    return done


def _alone(step: Step, stage: Stage, night: Night, holding: Holding, seen: int) -> bool:
    """Commit one step, unless what it is about has changed since it was thought out."""
    try:
        _write((step,), stage, night, holding, seen, did=_did((step,)))
    except TakenOver:
        raise
    except (Refused, NotFound):
        _write((), stage, night, holding, seen, did={"overtaken": 1})
        return False
    return True


def _did(steps: Sequence[Step]) -> dict[str, Any]:
    """Return what steps come to: a count for each reason, and the first ids as samples."""
    counts = Counter(step.why for step in steps)
    samples: dict[str, list[str]] = {}
    for step in steps:
        held = samples.setdefault(f"{step.why}:ids", [])
        if len(held) < _SAMPLES:
            held += step.about[:1]
    return {**counts, **{what: ids for what, ids in samples.items() if ids}}


def _write(
    steps: Sequence[Step],
    stage: Stage,
    night: Night,
    holding: Holding,
    seen: int,
    *,
    did: Mapping[str, Any],
    **ends: Any,
) -> None:
    mind = night.mind
    vectors = {id: vector for step in steps for id, vector in step.vectors.items()}
    mind.store.commit(
        Batch(
            owner=night.owner,
            changes=[change for step in steps for change in step.changes],
            actor=night.id,
            at=mind.now(),
            vectors=vectors,
            identity=mind.embedder.identity if vectors else None,
            shift=holding.shift(stage.name, did=did, **ends),
            seen=seen,
            maker=night.id,
            until=night.until,
        )
    )
