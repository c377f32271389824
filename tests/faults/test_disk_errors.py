"""The disk fails: the handle is let go, nothing confirmed is lost, and the next try works."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.disks import FailingDisk
from faults.processes import Warm
from faults.stores import on_disk, opened
from saegim import Saegim
from saegim.errors import StoreError

_names = itertools.count()
TRACE = ["strace", "-f", "-qq", "-o", "/dev/null"]


@pytest.fixture
def disk() -> FailingDisk:
    """A disk whose calls fail on demand."""
    return FailingDisk(f"failing-{next(_names)}")


@pytest.fixture
def memory(tmp_path: Path, disk: FailingDisk) -> Iterator[Saegim]:
    """A memory with a few words on that disk."""
    made = on_disk(tmp_path / "memory.db", disk.name)
    for number in range(5):
        made.remember(f"mark{number}end words before the failure")
    yield made
    disk.failing.clear()
    made.close()


def test_a_failed_sync_confirms_nothing_and_poisons_the_handle(
    memory: Saegim, disk: FailingDisk
) -> None:
    """R-09: after a failed fsync the writer is dropped, the warning shows, the next try works."""
    store = memory.mind.store
    writer = store.database._writer
    disk.failing.add("syncs")
    with pytest.raises(StoreError, match=r"memory\.db"):
        memory.remember("words that never reach the disk")
    assert store.database._writer is not writer
    assert store.warnings
    assert memory.status()["warnings"]
    assert memory.recent(20).total == 5
    disk.failing.clear()
    kept = memory.remember("words after the failure").memory.id
    assert memory.get(kept)
    assert store.warnings == []
    assert store.check() == []
    assert memory.maintenance.verify()[0] >= 6


def test_a_failed_read_is_an_error_and_not_an_answer(memory: Saegim, disk: FailingDisk) -> None:
    """R-09: what cannot be read is said to be unreadable; afterwards everything is there."""
    store = memory.mind.store
    memory.mind.store.database.checkpoint("TRUNCATE")
    disk.failing.add("reads")
    with pytest.raises(StoreError, match=r"memory\.db"):
        memory.search("words")
    assert store.warnings
    disk.failing.clear()
    assert len(memory.search("words")) == 5
    assert store.check() == []


def test_a_disk_that_never_recovers_keeps_saying_so(memory: Saegim, disk: FailingDisk) -> None:
    """R-09: repeated failures are each an error, never a silent success, and nothing is lost."""
    disk.failing.add("syncs")
    for _ in range(5):
        with pytest.raises(StoreError):
            memory.remember("words that never reach the disk")
    assert memory.mind.store.warnings
    disk.failing.clear()
    assert len(memory.search("before")) == 5
    assert memory.mind.store.check() == []


def test_a_disk_without_failures_has_no_warnings(memory: Saegim) -> None:
    """R-09 control: the same disk, when it does not fail, gives neither errors nor warnings."""
    memory.remember("words on a good day")
    assert memory.mind.store.warnings == []


def can_trace() -> bool:
    """Say whether strace is here and may look into its own children."""
    if shutil.which("strace") is None:
        return False
    tried = subprocess.run([*TRACE, sys.executable, "-c", ""], capture_output=True, check=False)
    return tried.returncode == 0


def injected(call: str, error: str, when: str) -> Warm:
    """Return a warm process in whose children the kernel fails some calls."""
    rule = f"inject={call}:error={error}:when={when}"
    return Warm([*TRACE, "--seccomp-bpf", "-e", f"trace={call}", "-e", rule])


if can_trace():

    @pytest.mark.parametrize(
        ("call", "error", "when"),
        [
            ("fdatasync", "EIO", "8..10"),
            ("pwrite64", "ENOSPC", "60+25"),
            ("pwrite64", "EIO", "60+25"),
        ],
    )
    def test_a_failing_kernel_loses_nothing_that_was_confirmed(
        tmp_path: Path, call: str, error: str, when: str
    ) -> None:
        """R-09: real system calls fail under a writer: confirmed equals stored, then it goes on."""
        path = tmp_path / "memory.db"
        opened(path).close()
        shaky = injected(call, error, when)
        said = shaky.start("write_on", path=str(path), name="a", count=30).rest()
        shaky.close()
        failures = [why for what, why, _ in said if what == "failed"]
        assert failures
        assert all("memory.db" in why for why in failures)
        assert any(warnings for what, _, warnings in said if what == "failed")
        with opened(path) as memory:
            for what, id, _ in said:
                assert what == "failed" or memory.get(id)
            assert memory.mind.store.check() == []
            memory.maintenance.verify()
            memory.remember("words after the failures")

    def test_a_kernel_that_cannot_read_is_an_error_and_not_an_empty_memory(tmp_path: Path) -> None:
        """R-09: EIO on reads: each answer is the true text or an error that names the file."""
        path = tmp_path / "memory.db"
        with opened(path) as memory:
            id = memory.remember("the one true text").memory.id
        shaky = injected("pread64", "EIO", "9+7")
        said = shaky.start("read_on", path=str(path), id=id, count=8).rest()
        shaky.close()
        assert any(what == "failed" for what, _, _ in said)
        assert all(
            text == "the one true text" if what == "read" else "memory.db" in text
            for what, text, _ in said
        )
        with opened(path) as memory:
            assert memory.get(id).text == "the one true text"
            assert memory.mind.store.check() == []
