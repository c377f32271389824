"""What a store takes of the disk: bounded while it works, told to whoever asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.stores import OWNER, grown, opened, sentences
from saegim import Saegim
from saegim.memory.changes import Erased
from saegim.store import upkeep
from saegim.store.commit import Batch

PAGE = 4096


def log_after(path: Path, writes: int) -> int:
    """Remember one text after another; return how long the log has become."""
    with opened(path) as memory:
        for text in sentences(writes):
            memory.remember(text)
        return Path(f"{path}-wal").stat().st_size


def test_the_log_is_kept_short_while_others_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U8.6: however much is written, the log stays near its limit; the file takes it in."""
    monkeypatch.setattr(upkeep, "CHECKPOINT_PAGES", 60)
    monkeypatch.setattr(upkeep, "_LOG_TOO_LONG", 240)
    # Twelve times the limit: on a busy machine the background may come late, but it comes.
    assert log_after(tmp_path / "memory.db", 500) < 12 * 240 * PAGE


def test_a_log_that_nobody_takes_in_is_seen_to_grow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U8.6 control: the same writing without checkpoints makes a log many times as long."""
    monkeypatch.setattr(upkeep, "CHECKPOINT_PAGES", 1_000_000)
    monkeypatch.setattr(upkeep, "_LOG_TOO_LONG", 1_000_000)
    assert log_after(tmp_path / "memory.db", 500) > 24 * 240 * PAGE


def test_disk_use_is_told(tmp_path: Path) -> None:
    """U8.6: status says how many bytes the store, its log and its backups take."""
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        grown(memory, sentences(50))
        backup = memory.care.backup()
        told = memory.status()["bytes"]
        assert told["store"] == path.stat().st_size
        assert told["log"] == Path(f"{path}-wal").stat().st_size
        assert told["backups"] == backup.path.stat().st_size


def erase(memory: Saegim, ids: list[str]) -> None:
    """Erase memories for good."""
    gone = [Erased(id) for id in ids]
    memory._mind.store.commit(Batch(OWNER, gone, actor=OWNER, at=memory._mind.now()))


def test_closing_leaves_one_file_with_what_is_alive(tmp_path: Path) -> None:
    """U8.6: after adding and erasing, the log is gone and no word of the erased is on the disk."""
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        grown(memory, sentences(100))
        erased = grown(memory, [f"{text} quartzite" for text in sentences(100, seed=2)])
        assert b"quartzite" in path.read_bytes() + Path(f"{path}-wal").read_bytes()
        erase(memory, erased)
    assert not Path(f"{path}-wal").exists()
    assert b"quartzite" not in path.read_bytes()
    with opened(path) as memory:
        assert memory.recent(1).total == 100
        assert memory._mind.store.check() == []
