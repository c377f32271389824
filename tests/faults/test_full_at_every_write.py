"""The disk is full at any one write of a day: a clear error, nothing lost, and it goes on."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from faults.disks import FailingDisk, everything_on
from faults.stores import OWNER, on_disk, opened
from saegim import Saegim, Scope, State
from saegim.errors import StoreFull
from saegim.memory.memory import Memory
from saegim.store.rows import Where
from stand_ins import rounds

_names = itertools.count()
Act = Callable[[Saegim], object]
TEA, LETTER, LAMP = "보리차는 둘째 칸에 있다", "the letter of the harbour", "the lamp in the window"


def named(memory: Saegim, text: str) -> str:
    """Return the id of a text, whatever became of it."""
    return next(each.id for each in all_of(memory) if each.text == text)


def all_of(memory: Saegim) -> list[Memory]:
    """Return every memory in whatever state."""
    where = Where(scope=Scope(OWNER), states=tuple(State))
    return [each for _, each in memory.mind.store.memories.walk(where)]


def erased(memory: Saegim) -> None:
    """Erase the letter; asked again after it is gone, be content."""
    if texts_of(memory).get(LETTER):
        memory.forgetting.erase(named(memory, LETTER), confirm=True, by=OWNER)


# What a day does to a store, each by one verb; each may be asked again after it failed.
DAY: dict[str, Act] = {
    "remember": lambda memory: memory.remember(TEA, key="tea"),
    "observe": lambda memory: memory.observe("나는 보라색 자전거를 좋아해.", session="s", key="b"),
    "remember another": lambda memory: memory.remember(LETTER, key="letter"),
    "and another": lambda memory: memory.remember(LAMP, key="lamp"),
    "update": lambda memory: memory.update(named(memory, TEA), "보리차는 셋째 칸에 있다"),
    "forget": lambda memory: memory.forget(named(memory, LAMP)),
    "checkpoint": lambda memory: memory.mind.store.database.checkpoint("TRUNCATE"),
    "restore": lambda memory: memory.restore(named(memory, LAMP)),
    "rebuild": lambda memory: list(memory.maintenance.rebuild()),
    "back up": lambda memory: memory.maintenance.backup(),
    "erase": erased,
    "sleep": lambda memory: memory.sleep(),
}


def texts_of(memory: Saegim) -> dict[str, str]:
    """Return every text with what became of it."""
    return {each.text: each.life.state.value for each in all_of(memory) if each.text}


@dataclass(slots=True)
class Day:
    """How a day went: the writes each act took it to, what failed, and what is there at its end."""

    writes: dict[str, int] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    there: dict[str, str] = field(default_factory=dict)


def lived(folder: Path, seed: Path, full_from: int | None = None, *, careless: bool = False) -> Day:
    """Live the day on a disk that is full from one write until the error is told; return how.

    Then there is room again, and the same object does the act once more. With `careless`, take a
    failure for a success.
    """
    folder.mkdir()
    shutil.copy(seed, folder / "memory.db")
    disk, day = FailingDisk(f"day-{next(_names)}"), Day()
    memory = on_disk(folder / "memory.db", disk.name)
    disk.writes, disk.full_from = 0, full_from
    with everything_on(disk):
        for name, act in DAY.items():
            try:
                act(memory)
            except StoreFull as error:
                assert folder.name in str(error)  # noqa: PT017 - which act fails is not known
                day.failed.append(name)
                disk.full_from = None
                if not careless:
                    act(memory)
            day.writes[name] = disk.writes
    # What only helps (a checkpoint, a backup of the night) may have failed without a word.
    disk.full_from = None
    memory.remember("the first words of the next day")
    day.there = texts_of(memory)
    assert memory.mind.store.warnings == []
    assert memory.mind.store.check() == []
    assert memory.mind.store.survey.unfindable("basic-1", all_read=True) == 0
    memory.maintenance.verify()
    memory.close()
    return day


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that was made before the day begins."""
    path = tmp_path_factory.mktemp("empty") / "memory.db"
    opened(path).close()
    return path


def test_a_disk_that_is_full_at_any_write_loses_nothing_and_goes_on(
    tmp_path: Path, empty: Path
) -> None:
    """R-07: at each write of a day (some by day): a clear error, and after it all is as ever."""
    whole = lived(tmp_path / "whole", empty)
    assert whole.failed == []
    writes = whole.writes["sleep"]
    stopped: set[str] = set()
    for number in range(1, writes + 1, max(1, writes // rounds(writes, 12))):
        day = lived(tmp_path / f"n{number}", empty, number)
        assert day.there == whole.there, (number, day.failed)
        stopped.update(day.failed)
        shutil.rmtree(tmp_path / f"n{number}")
    assert len(stopped) >= 6, stopped


def test_who_takes_a_full_disk_for_a_success_is_seen_to_lose(tmp_path: Path, empty: Path) -> None:
    """R-07 control: what failed and is not asked again is missing, and this test sees it."""
    whole = lived(tmp_path / "whole", empty)
    day = lived(tmp_path / "careless", empty, whole.writes["remember"] + 1, careless=True)
    assert day.failed == ["observe"]
    assert set(whole.there) - set(day.there)
