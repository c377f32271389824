"""kill -9 at random instants: what was confirmed is there, whole, and no lock is left behind."""

from __future__ import annotations

import random
import time
from pathlib import Path

from faults.processes import Warm
from faults.stores import opened
from saegim import State
from saegim.errors import NotFound
from stand_ins import PATIENCE, rounds

WRITERS = 4


def killed_round(warm: Warm, path: Path, dice: random.Random, name: str, early: bool) -> list[list]:
    """Let four processes write, kill each at a random instant, return what they confirmed."""
    children = [
        warm.start("live", path=str(path), name=f"{name}w{number}", early=early)
        for number in range(WRITERS)
    ]
    for child in children:
        assert child.told() == "open"
    dice.shuffle(children)
    # Where nothing was confirmed nothing can be lost: on a slow machine too, one comes so far.
    said = [children[0].told()]
    for child in children:
        time.sleep(dice.uniform(0.0, 0.06))
        child.kill()
    return said + [line for child in children for line in child.rest()]


def missing(path: Path, said: list[list]) -> list[str]:
    """Return the marks that were confirmed and are not as they were confirmed."""
    gone = {id for act, id, _ in said if act == "left"}
    lost = []
    with opened(path) as memory:
        for _, id, mark in said:
            try:
                state = memory.get(id).life.state
            except NotFound:
                lost.append(mark)
                continue
            found = [each.id for each in memory.search(mark)]
            if id in gone:
                if state is not State.LEAVING or found:
                    lost.append(mark)
            # Killed between letting it go and confirming that: both states are true.
            elif found != [id] and state is not State.LEAVING:
                lost.append(mark)
    return lost


def assert_whole(path: Path) -> None:
    """Every page, index, ledger line and digest fits, and no lock keeps the next from writing."""
    with opened(path, busy_seconds=PATIENCE) as memory:
        store = memory.mind.store
        assert store.check() == []
        memory.maintenance.verify()
        assert store.survey.lost() == []
        assert store.survey.unsworn() == []
        assert store.survey.unfindable("basic-1", all_read=True) == 0
        memory.remember("the first words after a kill")


def kill_again_and_again(warm: Warm, path: Path, turns: int, seed: int) -> int:
    """Do the rounds; return how many acts were confirmed in all."""
    dice = random.Random(seed)
    confirmed = []
    for turn in range(turns):
        said = killed_round(warm, path, dice, f"r{turn}", early=False)
        assert_whole(path)
        assert missing(path, said) == []
        confirmed += said
    assert missing(path, confirmed) == []
    return len(confirmed)


def test_kill_9_loses_nothing_that_was_confirmed(warm: Warm, tmp_path: Path) -> None:
    """R-02, U1.1, U2.4, U8.2: 24 killed writers, 800 by night; what they confirmed is found."""
    turns = rounds(200, 6)
    assert kill_again_and_again(warm, tmp_path / "memory.db", turns, seed=1) >= turns


def test_a_writer_that_confirms_too_early_is_seen_to_lose(warm: Warm, tmp_path: Path) -> None:
    """R-02 control: a writer that confirms before the commit loses, and this test sees it."""
    path, dice = tmp_path / "memory.db", random.Random(3)
    lost = (
        missing(path, killed_round(warm, path, dice, f"r{turn}", early=True)) for turn in range(50)
    )
    assert any(lost)
