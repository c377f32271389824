"""One file, one writer, one reader for each thread, and errors in our own words."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from saegim.errors import (
    SaegimError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreReadOnly,
    UnsafeSqlite,
)
from saegim.store.database import Database, first, gate, is_safe
from store.places import furnished, keep


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database that does not wait long."""
    made = furnished(tmp_path / "store.db", busy_seconds=0.05)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("version", "safe"),
    [
        ("3.51.2", False),
        ("3.51.3", True),
        ("3.50.6", False),
        ("3.50.7", True),
        ("3.44.5", False),
        ("3.44.6", True),
        ("3.40.1", False),
        ("3.53.0", True),
        ("4.0.0", True),
    ],
)
def test_a_sqlite_that_can_corrupt_a_shared_file_is_refused(version: str, safe: bool) -> None:
    """R-01: the fixed releases pass, all others are refused with what to do."""
    assert is_safe(version) is safe
    if safe:
        gate(version)
    else:
        with pytest.raises(UnsafeSqlite, match=version):
            gate(version)


def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    """DESIGN 1: whatever goes wrong inside, the file is as before and can be written again."""

    def fail(error: type[BaseException]) -> None:
        with database.writing() as connection:
            connection.execute("INSERT INTO house VALUES ('x', '1')")
            raise error

    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error):
            fail(error)
    assert database.rows("SELECT count(*) FROM house WHERE name = 'x'") == [(0,)]
    with database.writing() as connection:
        connection.execute("INSERT INTO house VALUES ('x', '1')")
        assert first(connection, "SELECT value FROM house WHERE name = 'x'") == "1"
        assert first(connection, "SELECT value FROM house WHERE name = 'y'") is None
    assert database.rows("SELECT value FROM house WHERE name = 'x'") == [("1",)]


def test_readers_do_not_wait_for_a_writer(database: Database) -> None:
    """U2.2: with the write lock held elsewhere, reads answer, and writes say who is busy."""
    keep(database, "tea")
    other = apsw.Connection(str(database.path))
    other.execute("BEGIN IMMEDIATE")
    fresh = Database(database.path, busy_seconds=0.05)
    assert database.rows("SELECT text FROM memory") == fresh.rows("SELECT text FROM memory")
    with pytest.raises(StoreBusy, match=r"store\.db"), database.writing():
        raise AssertionError("the lock was given twice")
    other.execute("ROLLBACK")
    other.close()
    keep(database, "more")
    assert fresh.rows("SELECT count(*) FROM memory") == [(2,)]
    fresh.close()


def test_a_reader_cannot_write(database: Database) -> None:
    """U2.2: a question can never change the store, even by mistake."""
    with pytest.raises(StoreReadOnly):
        database.rows("INSERT INTO house VALUES ('x', '1')")


def test_each_thread_has_a_reader_of_its_own(database: Database) -> None:
    """One object serves all threads of a process."""
    seen: list[apsw.Connection] = []
    threads = [threading.Thread(target=lambda: seen.append(database._reader())) for _ in range(3)]
    for thread in threads:
        thread.start()
        thread.join()
    assert len({id(each) for each in [*seen, database._reader()]}) == 4
    assert database._reader() is database._reader()


def test_a_rehearsal_is_seen_by_its_thread_and_then_taken_back(database: Database) -> None:
    """U12.2: the doctor writes, looks and leaves no trace."""
    count = "SELECT count(*) FROM house WHERE name = 'trial'"
    with database.rehearsing() as connection:
        connection.execute("INSERT INTO house VALUES ('trial', '1')")
        assert database.rows(count) == [(1,)]
    assert database.rows(count) == [(0,)]


def test_one_moment_stays_one_moment(database: Database) -> None:
    """Several questions about one state of the store, whoever writes meanwhile."""
    keep(database, "tea")
    count = "SELECT count(*) FROM memory"
    with database.one_moment():
        assert database.rows(count) == [(1,)]
        with database.one_moment():
            writer = threading.Thread(target=keep, args=(database, "more"))
            writer.start()
            writer.join()
            assert database.rows(count) == [(1,)]
    assert database.rows(count) == [(2,)]


def test_a_checkpoint_copies_the_log_back(database: Database) -> None:
    """R-13: the log does not grow for ever, and a checkpoint that is in the way gives up."""
    for n in range(20):
        keep(database, f"tea {n}")
    log = Path(f"{database.path}-wal")
    assert log.stat().st_size > 0
    with database.pausing_writes():
        database.checkpoint("TRUNCATE")
    assert log.stat().st_size == 0
    other = apsw.Connection(str(database.path))
    other.execute("BEGIN IMMEDIATE")
    database.checkpoint("TRUNCATE")
    other.execute("ROLLBACK")
    other.close()


@pytest.mark.parametrize(
    ("raised", "told", "remembered"),
    [
        (apsw.BusyError, StoreBusy, False),
        (apsw.LockedError, StoreBusy, False),
        (apsw.FullError, StoreFull, True),
        (apsw.ReadOnlyError, StoreReadOnly, False),
        (apsw.CorruptError, StoreCorrupt, True),
        (apsw.NotADBError, StoreCorrupt, True),
        (apsw.NoMemError, StoreCorrupt, True),
        (apsw.CantOpenError, StoreMissing, False),
        (apsw.IOError, StoreError, True),
    ],
)
def test_every_failure_of_the_file_is_told_in_our_words(
    database: Database, raised: type[apsw.Error], told: type[SaegimError], remembered: bool
) -> None:
    """U12.1: the error names the file and the next step; what may last shows in status."""
    keep(database)
    with pytest.raises(told, match=r"store\.db") as caught, database.translated():
        raise raised("because")
    assert caught.value.next_step
    assert bool(database.trouble) is remembered
    if raised is apsw.CorruptError:
        with pytest.raises(StoreCorrupt, match="nothing is written"):
            keep(database)
        return
    keep(database)
    assert database.trouble == ""


def test_a_missing_part_is_damage_and_a_mistake_of_ours_is_not(database: Database) -> None:
    """U8.1: a table that is gone is told as damage; wrong SQL stays what it is."""
    with pytest.raises(StoreCorrupt, match="nowhere"):
        database.rows("SELECT * FROM nowhere")
    with pytest.raises(apsw.SQLError):
        database.rows("SELEKT")


def test_a_file_that_is_not_there_is_missing_not_made(tmp_path: Path) -> None:
    """U25.2: reading never creates a store."""
    database = Database(tmp_path / "none.db")
    with pytest.raises(StoreMissing, match=r"none\.db"):
        database.rows("SELECT 1")
    database.close()
    assert list(tmp_path.iterdir()) == []


def test_after_closing_nothing_is_opened_again(database: Database) -> None:
    """Closing twice is fine; everything afterwards says that the store is closed."""
    database.rows("SELECT 1")
    database.close()
    database.close()
    with pytest.raises(StoreError, match="closed"):
        database.rows("SELECT 1")
    with pytest.raises(StoreError, match="closed"), database.writing():
        raise AssertionError("a closed store was written")


def test_a_store_marked_read_only_refuses_to_write(database: Database) -> None:
    """R-10: a write says why it cannot be, and reading goes on."""
    keep(database)
    database.readonly = True
    with pytest.raises(StoreReadOnly, match="permissions"), database.writing():
        raise AssertionError("a read-only store was written")
    assert database.rows("SELECT count(*) FROM memory") == [(1,)]


def test_a_place_that_is_shared_has_no_log_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U35.1: in a synchronised folder the journal is rolled back, and a warning says so."""
    folder = tmp_path / "Dropbox"
    folder.mkdir()
    database = furnished(folder / "store.db")
    assert "Dropbox" in database.warning
    keep(database)
    assert database.rows("PRAGMA journal_mode") == [("delete",)]
    assert sorted(path.name for path in folder.iterdir()) == ["store.db"]
    database.close()
