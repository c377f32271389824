"""Two machines of one person: reading the export of the other makes them alike."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from saegim import FixedClock, Saegim
from saegim.memory.memory import FINDABLE, State
from saegim.store.rows import Where

DRIVE = "drive"


def living(memory: Saegim) -> set[tuple[str, str]]:
    """What holds on a machine: ids and words."""
    where = Where(scope=memory.scope, states=FINDABLE, everywhere=True)
    found = memory.mind.store.memories.walk(where)
    return {(each.id, each.text) for _, each in found}


class Machines:
    """A desk and a laptop, each with its store, and the folder that both see."""

    def __init__(self, folder: Path, clock: FixedClock) -> None:
        self.drive = folder / DRIVE
        self.drive.mkdir()
        self.clock = clock
        self.stores = [
            Saegim.open(folder / name / "memories.db", clock=clock, background=False)
            for name in ("desk", "laptop")
        ]

    def sync(self, *readers: int) -> list[tuple[str, ...]]:
        """Let each write its export into the folder, then read the other's."""
        told = []
        for reader in readers or (0, 1, 0, 1):
            file = self.drive / f"{1 - reader}.jsonl"
            self.stores[1 - reader].export_to(file)
            told.append(self.stores[reader].import_from(file).conflicts)
            self.clock.forward(minutes=1)
        return told

    def close(self) -> None:
        """Close both."""
        for each in self.stores:
            each.close()


@pytest.fixture
def machines(tmp_path: Path, clock: FixedClock) -> Iterator[Machines]:
    """Two machines that have never met."""
    made = Machines(tmp_path, clock)
    yield made
    made.close()


def test_a_correction_on_one_machine_holds_on_both(machines: Machines) -> None:
    """U35.2: the newer words hold on both sides, the older are in the history of both."""
    desk, laptop = machines.stores
    kept = desk.remember("The staging server runs Ubuntu 20.04")
    machines.sync()
    machines.clock.forward(hours=1)
    new = laptop.update(kept.id, "The staging server runs Ubuntu 24.04")
    assert machines.sync(0) == [()]
    for each in machines.stores:
        assert living(each) == {(new.id, "The staging server runs Ubuntu 24.04")}
        assert len(each.history(kept.id).versions) == 2
    assert machines.sync() == [()] * 4, "and reading again changes and tells nothing"


def test_what_was_let_go_leaves_on_both_and_what_was_called_back_returns(
    machines: Machines,
) -> None:
    """Of forgetting and calling back the later holds, whoever reads first."""
    desk, laptop = machines.stores
    kept = desk.remember("tea at four")
    machines.sync()
    machines.clock.forward(hours=1)
    desk.forget(kept.id)
    machines.sync(1, 0)
    assert living(desk) == living(laptop) == set()
    machines.clock.forward(hours=1)
    laptop.restore(kept.id)
    machines.sync(0, 1)
    assert living(desk) == living(laptop) == {(kept.id, "tea at four")}


def test_what_was_let_go_here_and_corrected_there_holds_as_corrected(machines: Machines) -> None:
    """U35.2: the old words wait in no queue any more; on both sides they are an older version."""
    desk, laptop = machines.stores
    kept = desk.remember("The staging server runs Ubuntu 20.04")
    machines.sync()
    machines.clock.forward(hours=1)
    desk.forget(kept.id)
    new = laptop.update(kept.id, "The staging server runs Ubuntu 24.04")
    machines.sync(0, 1)
    for each in machines.stores:
        assert living(each) == {(new.id, "The staging server runs Ubuntu 24.04")}
        assert each.get(kept.id, exact=True).life.state is State.SUPERSEDED
        assert each.forgetting.queue() == []


def test_the_same_words_kept_on_both_are_one(machines: Machines) -> None:
    """No duplicates: the older of the two holds on both sides."""
    desk, laptop = machines.stores
    first = desk.remember("우리 강아지 이름은 보리다")
    machines.clock.forward(minutes=5)
    laptop.remember("우리 강아지 이름은 보리다")
    machines.sync(1, 0)
    assert living(desk) == living(laptop) == {(first.id, "우리 강아지 이름은 보리다")}


def test_what_both_corrected_stands_side_by_side_and_is_told_once(machines: Machines) -> None:
    """Neither correction is lost: both hold, tied as a contradiction, and a person is told."""
    desk, laptop = machines.stores
    kept = desk.remember("회의는 월요일 10시")
    machines.sync()
    machines.clock.forward(hours=1)
    one = desk.update(kept.id, "회의는 화요일 10시")
    two = laptop.update(kept.id, "회의는 수요일 10시")
    told = machines.sync(0, 1)
    assert living(desk) == living(laptop)
    assert {id for id, _ in living(desk)} == {one.id, two.id}
    assert all("side by side" in told[0][0] for _ in told)
    assert machines.sync() == [()] * 4


def test_what_a_person_pinned_is_not_let_go_by_the_other_machine(machines: Machines) -> None:
    """A promise made here is not broken by a file; that the two differ is told."""
    desk, laptop = machines.stores
    kept = desk.remember("보험 증권 번호는 서랍에 있다")
    machines.sync()
    laptop.forgetting.pin(kept.id)
    machines.clock.forward(hours=1)
    desk.forget(kept.id)
    (told,) = machines.sync(1)
    assert "state" in told[0]
    assert living(laptop)


@pytest.mark.parametrize("seed", range(6))
def test_any_life_on_two_machines_ends_in_the_same_living_memories(
    machines: Machines, seed: int
) -> None:
    """Remember, correct, let go, call back, in any order, with syncs one way or both: alike."""
    dice = random.Random(seed)
    words = [
        f"memory number {number} about {dice.choice(('tea', '산책', 'boats'))}"
        for number in range(12)
    ]
    for _ in range(4):
        for _ in range(8):
            machines.clock.forward(minutes=dice.randint(1, 90))
            _live(dice.choice(machines.stores), dice, words)
        machines.sync(*dice.choice([(0,), (1,), (0, 1), (1, 0)]))
    machines.sync(0, 1, 0, 1)
    desk, laptop = machines.stores
    assert living(desk) == living(laptop)
    assert living(desk)
    machines.clock.forward(days=1)
    before = living(desk)
    assert all(not each for each in machines.sync(0, 1)), "nothing new to tell"
    assert living(desk) == living(laptop) == before
    assert desk.maintenance.verify()
    assert laptop.maintenance.verify()


def _live(memory: Saegim, dice: random.Random, words: list[str]) -> None:
    here = sorted(id for id, _ in living(memory))
    act = dice.choice(("remember", "remember", "update", "forget", "restore"))
    if act == "remember" or not here:
        memory.remember(dice.choice(words))
    elif act == "update":
        memory.update(dice.choice(here), f"{dice.choice(words)}, and more {dice.random():.6f}")
    elif act == "forget":
        memory.forget(dice.choice(here))
    elif leaving := memory.recent(50, states=["leaving"]).memories:
        memory.restore(dice.choice(sorted(each.id for each in leaving)))


def test_without_the_merge_a_correction_would_be_lost(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: importing alone leaves the old words standing beside the new ones."""
    monkeypatch.setattr("saegim.importers.intake.Merge.settle", lambda *_: None)
    desk, laptop = machines.stores
    kept = desk.remember("The staging server runs Ubuntu 20.04")
    machines.sync()
    machines.clock.forward(hours=1)
    laptop.update(kept.id, "The staging server runs Ubuntu 24.04")
    machines.sync(0)
    assert len(living(desk)) == 2
