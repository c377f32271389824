"""The disk is full: nothing confirmed is lost, reading goes on, and space heals it at once."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest

from faults.disks import FailingDisk, can_mount, everything_on, exhaust, mounted, remount
from faults.stores import OWNER, born, grown, on_disk, sentences
from saegim import Saegim, State
from saegim.errors import NotFound, StoreFull
from saegim.memory.memory import Scope
from saegim.store.database import Database
from saegim.store.ledger import LedgerTable
from saegim.store.migrate import Migration, migrate, steps, version

_names = itertools.count()
# The real thing where this user may mount a disk, and everywhere a disk that says it is full.
KINDS = ["counted", *(["mounted"] if can_mount() else [])]
REBUILD = (
    "CREATE TABLE copied AS SELECT m.*, randomblob(2000) AS ballast FROM memory m; "
    "DROP TABLE memory; ALTER TABLE copied RENAME TO memory;"
)


@dataclass(frozen=True, slots=True)
class Small:
    """A small disk: where it is, how it gets full, and how it gets room again."""

    folder: Path
    vfs: str | None
    around: Callable[[], AbstractContextManager[None]]
    fill: Callable[[], object]
    free: Callable[[], object]


@pytest.fixture(params=KINDS)
def small(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Small]:
    """A disk of 4 MB."""
    folder = tmp_path / "small"
    if request.param == "mounted":
        with mounted(folder, 4):
            yield Small(
                folder,
                None,
                contextlib.nullcontext,
                lambda: exhaust(folder),
                lambda: remount(folder, "size=32m"),
            )
        return
    folder.mkdir()
    disk = FailingDisk(f"small-{next(_names)}")
    disk.room = 4_000_000
    yield Small(
        folder,
        disk.name,
        lambda: everything_on(disk),
        lambda: setattr(disk, "room", 0),
        lambda: setattr(disk, "room", None),
    )


@pytest.fixture
def memory(small: Small) -> Iterator[Saegim]:
    """A memory on the small disk."""
    opened = on_disk(small.folder / "memory.db", small.vfs)
    yield opened
    small.free()
    opened.close()


def until_full(memory: Saegim) -> list[str]:
    """Remember until the disk is full; return what was confirmed."""
    ids: list[str] = []
    texts = (f"we walked past mark1n{at}end {'and so on ' * 40}" for at in range(5000))
    with pytest.raises(StoreFull, match=r"memory\.db"):
        ids.extend(memory.remember(text).memory.id for text in texts)
    return ids


def assert_all_there(memory: Saegim, ids: list[str]) -> None:
    """Each confirmed memory is got and found, and the file fits together."""
    for at, id in enumerate(ids):
        assert memory.get(id)
        assert [each.id for each in memory.search(f"mark1n{at}end")] == [id]
    assert memory.mind.store.check() == []
    assert born(memory) == len(ids)


def test_a_full_disk_loses_nothing_and_answers(small: Small, memory: Saegim) -> None:
    """R-08: full while writing: the error names the file, the confirmed are there and found."""
    ids = until_full(memory)
    assert ids
    small.fill()
    assert_all_there(memory, ids)
    assert memory.recall("where did we walk").hits
    assert memory.recent(5).total == len(ids)
    assert any("room" in each or "full" in each for each in memory.status()["warnings"])


def test_a_memory_confirmed_on_a_full_disk_and_not_there_would_be_seen(
    small: Small, memory: Saegim
) -> None:
    """R-08 control: the check of this file fails if something confirmed is missing."""
    ids = until_full(memory)
    with pytest.raises(NotFound):
        assert_all_there(memory, [*ids, "mem_20260101_000000_0000000000000000"])


def test_space_heals_a_full_store_without_a_restart(small: Small, memory: Saegim) -> None:
    """R-08: once there is room again, the same object remembers and lets go, and is content."""
    ids = until_full(memory)
    small.free()
    more = memory.remember("the first words after the disk had room again").memory.id
    assert memory.get(more)
    assert memory.forget(ids[0]).done
    assert memory.get(ids[0]).life.state is State.LEAVING
    assert memory.mind.store.warnings == []
    assert memory.mind.store.check() == []


def test_a_store_closed_on_a_full_disk_opens_again_on_it(small: Small) -> None:
    """R-08: a checkpoint that finds no room takes nothing away: a new start reads everything."""
    first = on_disk(small.folder / "memory.db", small.vfs)
    ids = until_full(first)
    small.fill()
    # A disk written in Python tells its failures to Python as well; a real one says nothing here.
    with contextlib.suppress(apsw.Error):
        first.close()
    again = on_disk(small.folder / "memory.db", small.vfs)
    assert_all_there(again, ids)
    again.close()


def test_letting_go_works_on_a_full_disk(small: Small, memory: Saegim) -> None:
    """R-08: forgetting needs no new space where the log has some of its own."""
    ids = grown(memory, sentences(50))
    memory.mind.store.database.checkpoint("RESTART")
    small.fill()
    assert memory.forget(ids[3]).done
    assert memory.get(ids[3]).life.state is State.LEAVING
    with pytest.raises(StoreFull):
        grown(memory, sentences(500, seed=3))
    assert memory.recent(1).total == len(ids) - 1


def test_a_backup_onto_a_full_disk_leaves_no_half_file(small: Small, tmp_path: Path) -> None:
    """R-08: full while backing up: the error names the backup, and the store is untouched."""
    memory = on_disk(tmp_path / "memory.db")
    ids = grown(memory, sentences(200))
    small.fill()
    with small.around(), pytest.raises(StoreFull, match=r"small.saegim-.*\.db"):
        memory.maintenance.backup(small.folder)
    assert [each.name for each in small.folder.glob("saegim-*")] == []
    assert_all_there(memory, ids)
    small.free()
    with small.around():
        assert memory.maintenance.backup(small.folder).memories == len(ids)
    memory.close()


def test_a_migration_on_a_full_disk_leaves_the_old_schema_whole(small: Small) -> None:
    """R-08, U25.1: full while migrating: exactly the old schema; with room, it completes."""
    path = small.folder / "memory.db"
    memory = on_disk(path, small.vfs)
    ids = grown(memory, sentences(150))
    memory.close()
    to = [*steps(), Migration(steps()[-1].number + 1, REBUILD)]
    database = Database(path, vfs=small.vfs)
    assert version(database._reader()) == steps()[-1].number
    small.fill()
    with pytest.raises(StoreFull, match=r"memory\.db"):
        migrate(database, to=to)
    assert version(database._reader()) == steps()[-1].number
    assert database.rows("SELECT count(*) FROM memory") == [(len(ids),)]
    small.free()
    assert migrate(database, to=to) == to[-1].number
    assert database.rows("SELECT count(*), min(length(ballast)) FROM memory") == [(len(ids), 2000)]
    assert LedgerTable(database).verify(Scope(OWNER))[0] == len(ids)
    database.close()


if can_mount():

    def test_a_start_on_a_disk_without_a_free_byte_says_that_it_is_full(tmp_path: Path) -> None:
        """R-08: even reading needs a little room at the start; the error says so, not "broken"."""
        with mounted(tmp_path / "disk", 4) as disk:
            with on_disk(disk / "memory.db") as memory:
                id = memory.remember("words on a small disk").memory.id
            ballast = exhaust(disk)
            with pytest.raises(StoreFull, match=r"memory\.db"):
                on_disk(disk / "memory.db")
            ballast.unlink()
            with on_disk(disk / "memory.db") as memory:
                assert memory.get(id)
