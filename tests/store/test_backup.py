"""Backups: verified, rotated, never the wrong one thrown away."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

from saegim.errors import NotFound, SchemaMismatch, StoreCorrupt
from saegim.store import backup
from saegim.store.database import Database
from store.places import AT, furnished, keep, tamper


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return a database with one memory."""
    made = furnished(tmp_path / "store.db")
    keep(made, "tea")
    yield made
    made.close()


def names(folder: Path) -> list[str]:
    """Return the files in a folder."""
    return sorted(path.name for path in folder.iterdir())


def test_a_backup_is_one_file_named_after_its_time(database: Database, tmp_path: Path) -> None:
    """U24.1: one file without a log beside it, and it says what it holds."""
    made = backup.back_up(database, tmp_path / "b", AT)
    assert names(tmp_path / "b") == ["saegim-20260101-090000-000000.db"]
    assert made.memories == 1
    assert made.bytes == made.path.stat().st_size
    assert set(made.heads) == {"me"}
    assert backup.verify(made.path) == made


def test_the_oldest_leave_and_the_newest_stay(database: Database, tmp_path: Path) -> None:
    """U24.1: rotation keeps as many as it was told to."""
    made = [
        backup.back_up(database, tmp_path / "b", AT + timedelta(hours=n), keep=3).path.name
        for n in range(6)
    ]
    assert names(tmp_path / "b") == made[-3:]
    other = tmp_path / "b" / "notes.db"
    other.write_bytes(b"mine")
    backup.back_up(database, tmp_path / "b", AT + timedelta(days=1), keep=1)
    assert names(tmp_path / "b") == ["notes.db", "saegim-20260102-090000-000000.db"]


def test_a_clock_that_was_set_back_does_not_cost_the_new_backup(
    database: Database, tmp_path: Path
) -> None:
    """R-15: the backup just made is never the one that leaves, whatever its name says."""
    for n in range(3):
        backup.back_up(database, tmp_path / "b", AT + timedelta(hours=n), keep=3)
    made = backup.back_up(database, tmp_path / "b", AT - timedelta(days=400), keep=3)
    assert made.path.exists()
    assert len(names(tmp_path / "b")) == 3


def test_a_backup_that_fails_leaves_no_file(database: Database, tmp_path: Path) -> None:
    """U24.1: an unfinished copy is not mistaken for a backup."""
    folder = tmp_path / "b"
    tamper(database.path, "DROP TABLE ledger")
    with pytest.raises(StoreCorrupt):
        backup.back_up(database, folder, AT)
    assert names(folder) == []


def test_what_is_no_backup_is_refused(database: Database, tmp_path: Path) -> None:
    """U24.1: missing, foreign, torn and newer files are each refused with the reason."""
    with pytest.raises(NotFound):
        backup.verify(tmp_path / "none.db")
    with pytest.raises(NotFound):
        backup.verify(tmp_path)
    text = tmp_path / "text.db"
    text.write_text("not a database, but long enough to be taken for one " * 40)
    foreign = tmp_path / "foreign.db"
    connection = apsw.Connection(str(foreign))
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    empty = tmp_path / "empty.db"
    empty.write_bytes(b"")
    torn = backup.back_up(database, tmp_path / "b", AT).path
    torn.write_bytes(torn.read_bytes()[:8192] + b"\xff" * 20_000)
    for bad in (text, foreign, empty, torn):
        with pytest.raises(StoreCorrupt, match=bad.name):
            backup.verify(bad)
    newer = backup.back_up(database, tmp_path / "c", AT).path
    tamper(newer, "PRAGMA user_version = 99")
    with pytest.raises(SchemaMismatch, match="99"):
        backup.verify(newer)


def test_a_refused_backup_changes_nothing(database: Database, tmp_path: Path) -> None:
    """U24.1: the store is left alone until the backup is known to be sound."""
    bad = tmp_path / "bad.db"
    bad.write_text("nonsense " * 1000)
    with pytest.raises(StoreCorrupt):
        backup.restore(bad, database, tmp_path / "b", AT)
    assert database.rows("SELECT text FROM memory") == [("tea",)]
    assert not (tmp_path / "b").exists()


def test_open_readers_see_the_restored_store(database: Database, tmp_path: Path) -> None:
    """U24.1: a process that has the store open needs no restart."""
    made = backup.back_up(database, tmp_path / "b", AT)
    keep(database, "later")
    other = Database(database.path)
    assert other.rows("SELECT count(*) FROM memory") == [(2,)]
    restored, aside = backup.restore(made.path, database, tmp_path / "b", AT)
    assert other.rows("SELECT count(*) FROM memory") == [(1,)]
    assert (restored.memories, aside.memories) == (1, 2)
    other.close()
