"""A place that can only be read: reading works, writing says so, and nothing is changed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from faults.disks import can_mount, mounted, remount
from faults.processes import Warm
from faults.stores import fingerprint, grown, opened, sentences
from faults.writers import looked_at
from saegim.errors import StoreReadOnly

# Someone who owns nothing here; only root can become someone else, everyone else stays who he is.
NOBODY = 65534 if os.name == "posix" and os.geteuid() == 0 else None


def stocked(folder: Path, warm: Warm, *, killed: bool) -> tuple[Path, str, int]:
    """Fill a store; with `killed`, leave its log as a killed process leaves it.

    Returns the store, the id of one memory and how many there are.
    """
    path = folder / "memory.db"
    with opened(path) as memory:
        ids = grown(memory, sentences(20))
    if not killed:
        return path, ids[0], len(ids)
    child = warm.start("live", path=str(path), name="killed")
    assert child.told() == "open"
    acts = [child.told(), child.told()]
    child.kill()
    acts += child.rest()
    assert Path(f"{path}-wal").stat().st_size > 0
    with opened(copied(path, folder / "aside")) as memory:
        total = memory.recent(1).total
    assert total >= len(ids) + 1
    return path, acts[-1][1], total


def copied(path: Path, folder: Path) -> Path:
    """Copy a store with its log, so that looking at it leaves the original alone."""
    folder.mkdir()
    for part in (path, Path(f"{path}-wal")):
        shutil.copy(part, folder / part.name)
    return folder / path.name


if can_mount():

    @pytest.mark.parametrize("killed", [False, True])
    def test_a_read_only_disk_is_read_and_left_as_it_is(
        warm: Warm, tmp_path: Path, killed: bool
    ) -> None:
        """R-10: on a disk mounted read-only, with or without a leftover log, reading works."""
        with mounted(tmp_path / "disk", 32) as disk:
            path, id, total = stocked(disk, warm, killed=killed)
            remount(disk, "ro")
            before = fingerprint(disk)
            with opened(path) as memory:
                assert memory.mind.store.readonly
                seen = looked_at(memory, id)
                assert seen["get"]
                assert seen["recall"]
                assert seen["search"]
                assert seen["recent"] == total
                for write in (
                    lambda: memory.remember("words that must not arrive"),
                    lambda: memory.forget(id),
                    lambda: list(memory.maintenance.rebuild()),
                ):
                    with pytest.raises(StoreReadOnly, match=r"memory\.db"):
                        write()
                assert memory.recent(1).total == total
                memory.maintenance.verify()
            assert fingerprint(disk) == before
            remount(disk, "rw")
            with opened(path) as memory:
                memory.remember("words on a disk that can be written again")
                assert memory.recent(1).total == total + 1


@contextmanager
def file_mode(path: Path) -> Iterator[None]:
    """Take away the right to write the store, its log and their folder."""
    parts = [each for each in path.parent.iterdir() if each.is_file()]
    for part in parts:
        part.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        yield
    finally:
        path.parent.chmod(0o755)
        for part in parts:
            part.chmod(0o644)


@contextmanager
def folder_mode(path: Path) -> Iterator[None]:
    """Take away the right to write the folder only, where the log would have to be made."""
    for part in path.parent.iterdir():
        if part.is_file():
            part.chmod(0o644)
    path.parent.chmod(0o555)
    try:
        yield
    finally:
        path.parent.chmod(0o755)


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("closed", [file_mode, folder_mode])
def test_a_store_without_the_right_to_write_is_read(
    warm: Warm, killed: bool, closed: Callable[[Path], AbstractContextManager[None]]
) -> None:
    """R-10: file mode 0444 or folder mode 0555: a user without rights reads and is told."""
    # Not in the folder of the test, which nobody but its owner may enter.
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        folder = Path(place, "store")
        folder.mkdir(mode=0o755)
        path, id, total = stocked(folder, warm, killed=killed)
        with closed(path):
            before = fingerprint(folder)
            seen = warm.do("visit", path=str(path), id=id, uid=NOBODY)
            assert fingerprint(folder) == before
        assert seen["get"]
        assert seen["recall"]
        assert seen["recent"] == total
        assert seen["write"][0] == "StoreReadOnly"
        assert "memory.db" in seen["write"][1]


def test_a_store_that_can_be_written_is_written(warm: Warm, tmp_path: Path) -> None:
    """R-10 control: the same visitor with the right to write does write."""
    path, id, total = stocked(tmp_path, warm, killed=False)
    assert warm.do("visit", path=str(path), id=id, uid=None)["write"] == "written"
    with opened(path) as memory:
        assert memory.recent(1).total == total + 1
