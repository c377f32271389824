"""Two processes judge one memory at the same instant: neither loses a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from faults.processes import Warm
from faults.stores import opened
from saegim import Saegim
from saegim.errors import StoreBusy
from saegim.memory.memory import Memory, importance
from saegim.recall import feedback as judging
from saegim.recall.feedback import judged
from saegim.store.commit import Batch
from saegim.store.store import Store
from stand_ins import rounds

JUDGES = 3


def reckoned(before: Memory, *, ups: int, wrongs: int, rating: int) -> tuple[float, float, float]:
    """Return the feedback, the importance and the confidence that so many judgements come to."""
    total = ups - 2.0 * wrongs + (rating - 3) / 2
    felt = before.emotion.sentiment
    stars = importance(start=0.0, rating=rating, sentiment=felt)
    stars -= importance(start=0.0, rating=None, sentiment=felt)
    after = before.worth.importance + stars + judged(total)
    return total, after, before.worth.confidence * 0.5**wrongs


def worth(memory: Saegim, id: str) -> tuple[float, float, float]:
    """Return how a memory stands."""
    held = memory.get(id, counts=False).worth
    return held.feedback, held.importance, held.confidence


def test_of_many_judgements_at_once_none_is_lost(warm: Warm, tmp_path: Path) -> None:
    """Three processes praise, rate and doubt one memory: every step counts, in every number."""
    each = rounds(100)
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        before = memory.remember("the spare key is with the neighbour").memory
    children = [
        warm.start("judge", path=str(path), id=before.id, rounds=each) for _ in range(JUDGES)
    ]
    for child in children:
        assert child.told() == "open"
    for child in children:
        child.say("go")
    assert [child.rest() for child in children] == [["done"]] * JUDGES
    with opened(path) as memory:
        count, last = JUDGES * each, (each - 1) % 5 + 1
        expected = reckoned(before, ups=count, wrongs=count, rating=last)
        assert worth(memory, before.id) == pytest.approx(expected, rel=1e-9)
        memory.maintenance.verify()


def between(act: Callable[[], object], patch: pytest.MonkeyPatch) -> None:
    """Do something once, after the memory was read and before the judgement is written."""
    real, done = judging._own, []

    def own(*given: Any) -> Any:
        if not done:
            done.append(True)
            act()
        return real(*given)

    patch.setattr(judging, "_own", own)


def test_a_judgement_is_thought_out_where_nobody_else_can_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is read still holds when it is written: the store is held meanwhile."""
    with opened(tmp_path / "memory.db") as memory, opened(tmp_path / "memory.db") as other:
        before = memory.remember("the spare key is with the neighbour").memory
        refused: list[str] = []

        def judge() -> None:
            try:
                other.mind.store.commit(Batch("owner", [], "x", memory.mind.now()), patience=0)
            except StoreBusy as error:
                refused.append(type(error).__name__)

        between(judge, monkeypatch)
        memory.feedback(before.id, "up")
        assert refused == ["StoreBusy"]
        other.feedback(before.id, "up")
        assert worth(memory, before.id) == pytest.approx(
            (2.0, before.worth.importance + judged(2.0), before.worth.confidence)
        )


@pytest.mark.parametrize("label", ["up", "wrong"])
def test_a_judgement_that_was_thought_out_before_loses_a_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, label: str
) -> None:
    """The control: read first and written later, the step of another is overwritten."""

    @contextmanager
    def late(self: Store, batch: Any, patience: float | None, owner: str) -> Iterator[Any]:
        drawn = batch if isinstance(batch, Batch) else batch()
        with self.database.writing(owner, patience=patience) as connection:
            yield connection, drawn

    monkeypatch.setattr(Store, "_transaction", late)
    with opened(tmp_path / "memory.db") as memory, opened(tmp_path / "memory.db") as other:
        before = memory.remember("the spare key is with the neighbour").memory
        between(lambda: other.feedback(before.id, label), monkeypatch)
        memory.feedback(before.id, label)
        total, after, believed = worth(memory, before.id)
        assert total == {"up": 2.0, "wrong": -4.0}[label]
        lost = before.worth.importance + judged(total) - after
        assert abs(lost) > 1e-3 or believed == before.worth.confidence * 0.5
