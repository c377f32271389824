"""Learning anew: where trained judgement is trained again; the rules need no training."""

from __future__ import annotations

from collections.abc import Iterator

from saegim.sleep.night import Night, Step


def relearn(night: Night) -> Iterator[Step]:
    """Say by what memories are judged tonight: by rule, as long as nothing was trained."""
    yield Step(why="by_rule" if night.mind.reranker is None else "learned")
