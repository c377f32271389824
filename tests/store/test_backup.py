"""Backups: verified, rotated, never the wrong one thrown away."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

from saegim.errors import NotFound, SchemaMismatch, StoreCorrupt, StoreError
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


# -- nobody else reads it, at no moment -----------------------------------------------------------


def mode(path: Path) -> int:
    """Return who may do what with a file or folder."""
    return path.stat().st_mode & 0o777


def test_a_backup_belongs_to_its_owner_alone_from_its_first_byte(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U24.1: the folder, the unfinished file, its journal and the backup; whatever the umask."""
    seen: list[tuple[str, int]] = []
    real = backup.verify

    def looked(path: Path) -> backup.Backup:
        seen.extend((each.suffix, mode(each)) for each in sorted(path.parent.iterdir()))
        return real(path)

    monkeypatch.setattr(backup, "verify", looked)
    before = os.umask(0)
    try:
        made = backup.back_up(database, tmp_path / "far" / "backups" / "before", AT)
    finally:
        os.umask(before)
    assert seen == [(".unfinished", 0o600)]
    assert mode(made.path) == 0o600
    folders = (made.path.parent, made.path.parent.parent, tmp_path / "far")
    assert [mode(each) for each in folders] == [0o700] * 3


@pytest.mark.parametrize("kind", ["link to a file", "dangling link", "file"])
def test_what_lies_in_the_place_of_an_unfinished_backup_is_not_written_to(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A link that someone laid there is removed, not followed; its target stays as it is."""
    folder, target = tmp_path / "b", tmp_path / "target"
    folder.mkdir()
    place = folder / "saegim-20260101-090000-000000.db.unfinished"
    if kind == "link to a file":
        target.write_bytes(b"mine")
        place.symlink_to(target)
    elif kind == "dangling link":
        place.symlink_to(target)
    else:
        place.write_bytes(b"left behind")
    assert backup.back_up(database, folder, AT).memories == 1
    assert names(folder) == ["saegim-20260101-090000-000000.db"]
    assert target.exists() is (kind == "link to a file")
    if target.exists():
        assert target.read_bytes() == b"mine"
    # Laid there after the sweep, it is refused.
    monkeypatch.setattr(backup, "_sweep", lambda _: None)
    later = AT + timedelta(hours=1)
    (folder / f"saegim-{later:%Y%m%d-%H%M%S-%f}.db.unfinished").symlink_to(tmp_path / "other")
    with pytest.raises(StoreError, match="cannot be written"):
        backup.back_up(database, folder, later)
    assert not (tmp_path / "other").exists()


def test_without_the_exclusive_opening_a_link_is_followed(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: SQLite itself follows a link and writes everything where it leads."""
    monkeypatch.setattr(backup, "_sweep", lambda _: None)
    monkeypatch.setattr(backup, "_ours_alone", lambda _: contextlib.nullcontext())
    (tmp_path / "b").mkdir()
    place = tmp_path / "b" / "saegim-20260101-090000-000000.db.unfinished"
    place.symlink_to(tmp_path / "other")
    backup.back_up(database, tmp_path / "b", AT)
    assert b"tea" in (tmp_path / "other").read_bytes()


def test_a_link_in_the_place_of_the_folder_is_refused(database: Database, tmp_path: Path) -> None:
    """A backup is not made where a link leads: others may read there."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "b").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="it is a link"):
        backup.back_up(database, tmp_path / "b", AT)
    assert names(tmp_path / "elsewhere") == []


def test_leftovers_are_swept_and_what_is_being_made_is_not(
    database: Database, tmp_path: Path
) -> None:
    """What a killed process left goes with the next backup; another's in the making stays."""
    folder = tmp_path / "b"
    folder.mkdir()
    for name in ("saegim-1.db.unfinished", "saegim-1.db.unfinished-journal"):
        (folder / name).write_bytes(b"all the words")
    running = folder / "saegim-2.db.unfinished"
    with backup._ours_alone(running):
        made = backup.back_up(database, folder, AT)
        assert names(folder) == sorted((made.path.name, running.name))
    backup.back_up(database, folder, AT)
    assert [each for each in names(folder) if "unfinished" in each] == []
