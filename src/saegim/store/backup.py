"""Backups while others write: one file, verified by opening it, the oldest leaving first."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from saegim.errors import NotFound, StoreCorrupt, StoreError, StoreFull
from saegim.filesystem import locked, own_folder
from saegim.store import transfer
from saegim.store.database import (
    CannotOpen,
    Connection,
    Database,
    DriverError,
    NoRoom,
    NotReadable,
    first,
    open_file,
)
from saegim.store.migrate import refuse_newer, version

_UNFINISHED = ".unfinished"


@dataclass(frozen=True, slots=True)
class Backup:
    """A verified backup: where it lies, what it holds, and the head of each owner's ledger."""

    path: Path
    memories: int
    heads: dict[str, str]
    bytes: int


def back_up(
    database: Database,
    folder: Path,
    at: datetime,
    *,
    keep: int = 10,
    reader: Connection | None = None,
) -> Backup:
    """Copy a consistent snapshot into `folder`, verify the copy, and let the oldest leave.

    `reader` is the connection to read from, where one alone can.
    """
    lent = contextlib.nullcontext(reader) if reader else database.reading()
    with lent as source, _named(folder):
        own_folder(folder)
        _sweep(folder)
        final = _free_name(folder, at)
        unfinished = final.with_name(f"{final.name}{_UNFINISHED}")
        with _named(final), _ours_alone(unfinished):
            if database.is_server:
                with database.one_moment(), database.reading() as moment:
                    transfer.to_file(moment, unfinished)
            else:
                copy(source, unfinished)
            made = verify(unfinished)
            _sync(unfinished)
            unfinished.rename(final)
    # Never the one just made: a clock that was set back gives it the oldest name.
    others = sorted(each for each in folder.glob("saegim-*.db") if each != final)
    for old in others[: max(len(others) + 1 - keep, 0)]:
        old.unlink(missing_ok=True)
    return Backup(final, made.memories, made.heads, made.bytes)


@contextlib.contextmanager
def _ours_alone(file: Path) -> Iterator[None]:
    """Make a file that was not there and that only we may read; take it away if this fails.

    Locked as long as it is written, so that nobody takes it for a leftover.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(file, flags, 0o600)
    # On Windows a lock would keep SQLite out; an open file cannot be removed there anyway.
    if os.name == "nt":
        os.close(handle)
    try:
        if os.name != "nt" and (
            not locked(handle) or not os.path.samestat(os.fstat(handle), file.stat())
        ):
            raise OSError("another process took it for a leftover")
        yield
    finally:
        file.unlink(missing_ok=True)
        if os.name != "nt":
            os.close(handle)


def _sweep(folder: Path) -> None:
    """Remove what backups that were cut off left behind; it holds everything a store holds."""
    for left in sorted(folder.glob(f"saegim-*.db{_UNFINISHED}*")):
        with contextlib.suppress(OSError):
            if left.is_symlink() or os.name == "nt":
                left.unlink()
                continue
            handle = os.open(left, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if locked(handle):
                    left.unlink()
            finally:
                os.close(handle)


def _free_name(folder: Path, at: datetime) -> Path:
    """Return a name that no backup has yet: a clock that stands still must not overwrite one."""
    while (path := folder / f"saegim-{at:%Y%m%d-%H%M%S-%f}.db").exists():
        at += timedelta(microseconds=1)
    return path


@contextlib.contextmanager
def _named(backup: Path) -> Iterator[None]:
    """Name the backup, not the store, where it is the backup that cannot be written."""
    try:
        yield
    except NoRoom as error:
        raise StoreFull("store.no_room_left_for_backup", backup=backup) from error
    except (*CannotOpen, OSError) as error:
        raise StoreError(
            "store.backup_cannot_be_written_store", backup=backup, error=error
        ) from error


def copy(source: Connection, target: Path) -> None:
    """Copy in one step under one read transaction: writers go on, the copy is one moment."""
    with contextlib.closing(Connection(str(target))) as copy:
        with copy.backup("main", source, "main") as running:
            running.step(-1)
        # One file that can be carried anywhere: no log beside it.
        copy.execute("PRAGMA journal_mode = DELETE").fetchall()


def verify(path: Path) -> Backup:
    """Open a backup, check every page, and read what it holds; refuse a damaged one."""
    if not path.is_file():
        raise NotFound("store.no_backup", path=path)
    try:
        with contextlib.closing(open_file(path)) as copy:
            refuse_newer(path, version(copy))
            result = first(copy, "PRAGMA quick_check(1)")
            if result != "ok":
                raise StoreCorrupt("store.backup_is_damaged", path=path, result=result)
            memories: int = first(copy, "SELECT count(*) FROM memory WHERE text IS NOT NULL")
            heads = {
                str(owner): str(head)
                for owner, head in copy.execute(
                    "SELECT owner, hash FROM ledger l WHERE seq = "
                    "(SELECT max(seq) FROM ledger WHERE owner = l.owner) ORDER BY owner"
                ).fetchall()
            }
    except NotReadable as error:
        raise StoreCorrupt("store.not_readable_backup", path=path, error=error) from error
    return Backup(path, memories, heads, path.stat().st_size)


def newest_backup(*folders: Path) -> Path | None:
    """Return the backup that was made last, by its name."""
    made = (path for folder in folders for path in folder.glob("saegim-*.db"))
    return max(made, default=None, key=lambda path: path.name)


def verified(path: Path) -> Backup:
    """Open a backup and check it, whatever the driver says about it."""
    try:
        return verify(path)
    except DriverError as error:
        raise StoreCorrupt("store.not_readable_backup", path=path, error=error) from error


def restore(backup: Path, database: Database, folder: Path, at: datetime) -> tuple[Backup, Backup]:
    """Put a verified backup in the place of the store; the store as it was is kept beside it.

    Other processes may have the store open: they see the restored one after their next query.
    Returns (restored, kept aside).
    """
    verified = verify(backup)
    if database.is_server:
        # Under the lock of everyone: nothing that anyone saves falls between the two.
        with database.writing() as connection:
            aside = back_up(database, folder / "before-restore", at, keep=5)
            transfer.from_file(backup, connection)
        return verified, aside
    # Opened first: setting the store aside may let the oldest of those backups go, even this one.
    with (
        contextlib.closing(open_file(backup)) as source,
        database.pausing_writes(),
        database.translated(),
    ):
        aside = _exchanged(database, source, folder / "before-restore", at)
    return verified, aside


def _exchanged(database: Database, source: Connection, folder: Path, at: datetime) -> Backup:
    """Set the store aside and copy a backup over it under one write lock, others reading it.

    Nothing that anyone saves meanwhile falls between the two: it waits for the lock.
    """
    with contextlib.closing(Connection(str(database.path))) as target:
        target.set_busy_timeout(10_000)
        if database.warning:
            # Without a log, copying would shut the reader of the copy set aside out: here the
            # connection itself keeps the lock of its first write, and makes both copies.
            target.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT").fetchall()
            aside = back_up(database, folder, at, keep=5, reader=target)
            with target.backup("main", source, "main") as running:
                running.step(-1)
            return aside
        # A backup that was copied here by hand has no log yet, and then nobody reads meanwhile.
        target.execute("PRAGMA journal_mode = WAL").fetchall()
        with target.backup("main", source, "main") as running:
            # The first page takes the write lock; it is held until the last.
            running.step(1)
            aside = back_up(database, folder, at, keep=5)
            running.step(-1)
        target.execute("PRAGMA journal_mode = WAL").fetchall()
        # Into the file at once: a log of what may have been another store must not stay.
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return aside


def _sync(path: Path) -> None:
    """Make sure the copy is on the disk before it gets its name."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
