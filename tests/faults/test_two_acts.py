"""kill -9 between keeping and reading: nothing is lost, and everything is understood once."""

from __future__ import annotations

import random
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from faults.processes import Warm
from faults.stores import opened
from faults.test_kill import assert_whole
from saegim import FixedClock
from stand_ins import rounds

READERS = 3


def killed_readers(warm: Warm, path: Path, turns: int, *, early: bool) -> list[tuple[str, str]]:
    """Let processes keep and read, kill each at a random instant; return what they confirmed."""
    dice, said = random.Random(5), []
    for turn in range(turns):
        children = [
            warm.start("keep_unread", path=str(path), name=f"t{turn}r{number}", early=early)
            for number in range(READERS)
        ]
        for child in children:
            assert child.told() == "open"
        # However slow the machine is: one has read what waited, and kept more after it.
        said += [children[0].told() for _ in range(4)]
        for child in children:
            time.sleep(dice.uniform(0.0, 0.1))
            child.kill()
        said += [line for child in children for line in child.rest()]
    return [(id, mark) for _, id, mark in said]


def understood(path: Path, said: list[tuple[str, str]]) -> Counter[str]:
    """Read what waits, once the leases of the dead have ended; count how often each was read."""
    later = FixedClock(datetime.now(UTC) + timedelta(minutes=11))
    with opened(path, clock=later, background=False) as memory:
        list(memory.maintenance.work())
        assert memory.mind.store.jobs.all(memory.scope) == []
        memory.maintenance.verify()
        for id, mark in said:
            assert [each.id for each in memory.search(mark)] == [id]
        lines = memory.mind.store.database.rows(
            "SELECT subject FROM ledger WHERE change = 'Interpreted'"
        )
        return Counter(str(subject) for (subject,) in lines)


def test_who_is_killed_between_the_acts_loses_nothing(warm: Warm, tmp_path: Path) -> None:
    """Issue 20: what was confirmed is found, and understood exactly once, by whoever is left."""
    path = tmp_path / "memory.db"
    said = killed_readers(warm, path, rounds(60, 4), early=False)
    read = understood(path, said)
    assert {read[id] for id, _ in said} == {1}
    assert_whole(path)
    with opened(path) as memory:
        for id, mark in said:
            held = memory.get(id, exact=True)
            assert any(mark in each for triple in held.content.triples for each in triple)


def test_a_reader_that_ends_its_work_too_early_is_seen_to_lose(warm: Warm, tmp_path: Path) -> None:
    """Issue 20 control: work that is not ended with what it wrote is lost, and this sees it."""
    path = tmp_path / "memory.db"
    said = killed_readers(warm, path, 3, early=True)
    read = understood(path, said)
    assert {read[id] for id, _ in said} != {1}
