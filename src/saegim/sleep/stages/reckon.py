"""Importance anew (seed A §10.2): what other memories lean on counts for more."""

from __future__ import annotations

from collections.abc import Iterator

from saegim.memory.changes import Reweighed
from saegim.memory.weighing import clamp, importance
from saegim.sleep.night import Night, Step

# Less is rounding.
_LEAST = 1e-9


def reckon(night: Night) -> Iterator[Step]:
    """Move the importance of memories that are referred to more, or less, than last time.

    Rating and feeling were weighed when they came in, and a person's judgements since then stay:
    only the share of the references is moved.
    """
    rounds = night.mind.store.rounds
    references = rounds.references(night.owner)
    for standing in rounds.standings(night.owner, ("active", "dormant")):
        own = standing.importance - standing.lent
        after = clamp(own + _share(references.get(standing.id, 0)))
        if abs(after - standing.importance) < _LEAST or standing.id in night.gone:
            continue
        change = Reweighed(memory=standing.id, at=night.at, importance=after, lent=after - own)
        yield Step(
            changes=(change,),
            why="reweighed",
            about=(standing.id,),
            details={"before": round(standing.importance, 3), "after": round(after, 3)},
        )


def _share(references: int) -> float:
    return importance(start=0.0, references=references)
