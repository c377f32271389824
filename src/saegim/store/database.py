"""`Database`: one SQLite file, one writer, one reader per thread, and errors in our own words."""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from saegim.errors import (
    BadInput,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    UnsafeSqlite,
)
from saegim.filesystem import is_writable, trouble_with
from saegim.store.troubles import in_our_words

# "새김" in the file header, so that a foreign database is never taken for ours.
APPLICATION_ID = 0x5AE61A01
# Two connections that write or checkpoint one WAL can corrupt it up to 3.51.2 (fixed 2026-03-13).
_FIXED_LINES = {(3, 50): 7, (3, 44): 6}


def is_safe(version: str) -> bool:
    """Say whether this SQLite is free of the WAL-reset race."""
    major, minor, patch = (int(part) for part in version.split(".")[:3])
    if (major, minor) in _FIXED_LINES:
        return patch >= _FIXED_LINES[major, minor]
    return (major, minor, patch) >= (3, 51, 3)


def gate(version: str) -> None:
    """Refuse a SQLite that could corrupt a file several processes share."""
    if not is_safe(version):
        raise UnsafeSqlite("store.sqlite_can_corrupt_store_several", version=version)


def _nameable(path: Path) -> Path:
    """Return the path if SQLite can be told its name: text without a NUL, in UTF-8."""
    try:
        usable = b"\0" not in str(path).encode()
    except UnicodeEncodeError:
        usable = False
    if not usable:
        raise BadInput("store.not_name_sqlite_can_open", path=str(path))
    return path


def first(
    connection: apsw.Connection, sql: str, params: dict[str, Any] | tuple[Any, ...] = ()
) -> Any:
    """Return the first value of the first row, or None if there is no row."""
    rows: list[Any] = connection.execute(sql, params).fetchall()
    return rows[0][0] if rows else None


def _closed() -> StoreError:
    return StoreError("store.store_is_closed")


@contextmanager
def _alone(lock: threading.RLock, patience: float | None, path: Path) -> Iterator[None]:
    """Hold back the other writers of this process; with `patience`, wait no longer for them."""
    if not lock.acquire(timeout=-1 if patience is None else patience):
        raise StoreBusy("store.busy_another_thread_has_been", path=path, seconds=patience)
    try:
        yield
    finally:
        lock.release()


class _TakenBack(Exception):
    """Ends a rehearsal."""


class Database:
    """A SQLite file that several threads and processes share."""

    def __init__(
        self,
        path: Path,
        *,
        busy_seconds: float = 10.0,
        synchronous: str = "FULL",
        vfs: str | None = None,
        on_wal: Callable[[int], None] | None = None,
    ) -> None:
        gate(apsw.sqlite_lib_version())
        self.path = _nameable(path)
        self.warning = trouble_with(path)
        self.readonly = path.exists() and not is_writable(path)
        self.trouble = ""
        self._busy = busy_seconds
        self._synchronous = synchronous
        self._vfs = vfs
        self._on_wal = on_wal
        self._lock = threading.RLock()
        self._writer: apsw.Connection | None = None
        self._local = threading.local()
        self._readers: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        self._closed = False

    # -- connections -----------------------------------------------------------------------------

    def reader(self) -> apsw.Connection:
        """Return this thread's own read-only connection."""
        connection: apsw.Connection | None = getattr(self._local, "reader", None)
        if connection is None:
            self._refuse_closed()
            with self.translated():
                connection = self._open_reader()
            self._local.reader = connection
            self._readers.add(connection)
        return connection

    @contextmanager
    def fresh_reader(self) -> Iterator[apsw.Connection]:
        """Lend a connection that remembers nothing.

        FTS5 checks its index against what the connection last knew of it: on one that has not
        searched since another process wrote, a sound index seems damaged.
        """
        with self.translated():
            connection = self._open_reader()
            try:
                yield connection
            finally:
                connection.close()

    def _open_reader(self) -> apsw.Connection:
        try:
            connection = self._connect(self.path, apsw.SQLITE_OPEN_READONLY)
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            # A WAL file on a read-only disk cannot be read in place (its index must be created),
            # so a copy is read; nothing can be written to the original meanwhile.
            if not self.readonly or not self.path.is_file():
                raise
            connection = self._connect(self._copied(), apsw.SQLITE_OPEN_READWRITE)
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _copied(self) -> Path:
        with self._lock:
            if self._copy is None:
                self._copy = tempfile.TemporaryDirectory(prefix="saegim-read-")
                for suffix in ("", "-wal"):
                    if (part := Path(f"{self.path}{suffix}")).exists():
                        shutil.copyfile(part, Path(self._copy.name, f"{self.path.name}{suffix}"))
            return Path(self._copy.name, self.path.name)

    def _connect(self, path: Path, flags: int) -> apsw.Connection:
        connection = apsw.Connection(str(path), flags=flags, vfs=self._vfs)
        connection.set_busy_timeout(int(self._busy * 1000))
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA cache_size = -16000")
        return connection

    def _writable(self) -> apsw.Connection:
        if self._writer is None:
            flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
            connection = self._connect(self.path, flags)
            self._choose_journal(connection)
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")
            # Checkpoints run in the background, so that no write waits for one.
            connection.wal_autocheckpoint(0)
            connection.execute("PRAGMA secure_delete = ON").fetchall()
            if self._on_wal is not None:
                connection.set_wal_hook(self._after_commit)
            self._writer = connection
        return self._writer

    def _choose_journal(self, connection: apsw.Connection) -> None:
        journal = "DELETE" if self.warning else "WAL"
        try:
            connection.execute(f"PRAGMA journal_mode = {journal}").fetchall()
        except apsw.BusyError:
            # Someone has the store open with its log, and a log can be left only when all are gone.
            if not self.warning:
                raise

    def leave_log(self) -> None:
        """Give up the log of a store that was carried to where processes cannot share memory.

        Called before anyone in this process reads: a log that is being read cannot be left.
        """
        if self.warning and not self.readonly:
            if (reader := getattr(self._local, "reader", None)) is not None:
                reader.close()
                self._local.reader = None
            with self._lock, self.translated():
                self._writable()

    def _after_commit(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        if self._on_wal is not None:
            self._on_wal(pages)
        return apsw.SQLITE_OK

    @contextmanager
    def writing(self, patience: float | None = None) -> Iterator[apsw.Connection]:
        """Hold the write lock of the file for one transaction: all of it is kept, or nothing."""
        self._refuse_closed()
        if self.readonly:
            raise StoreReadOnly("store.cannot_be_written", path=self.path)
        wait = self._busy if patience is None else patience
        with _alone(self._lock, patience, self.path), self.translated(wait):
            connection = self._writable()
            connection.set_busy_timeout(int(wait * 1000))
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            self.trouble = ""

    @contextmanager
    def pausing_writes(self, patience: float | None = None) -> Iterator[None]:
        """Hold back the other writers of this process for a moment."""
        with _alone(self._lock, patience, self.path):
            yield

    @contextmanager
    def rehearsing(self) -> Iterator[apsw.Connection]:
        """Hold a transaction that this thread's reads look into and that is always taken back."""
        reader = getattr(self._local, "reader", None)
        try:
            with self.writing() as connection:
                self._local.reader = connection
                yield connection
                raise _TakenBack
        except _TakenBack:
            pass
        finally:
            self._local.reader = reader

    def checkpoint(self, mode: str = "PASSIVE") -> None:
        """Copy the log back into the file on a connection of its own; waits for nobody."""
        with self.translated():
            connection = apsw.Connection(str(self.path), vfs=self._vfs)
            try:
                connection.set_busy_timeout(0)
                # A connection that has not read yet does not know that there is a log.
                connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
                connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()
            except apsw.BusyError:
                pass  # someone else is at it; the next call goes on from there
            finally:
                connection.close()

    def shrink(self) -> None:
        """Give the room of what is gone back to the disk, if nobody else is writing."""
        with self._lock, suppress(StoreBusy, StoreFull), self.translated():
            self._writable().execute("VACUUM").fetchall()

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """Let every read of this thread see the store as it is now, whoever writes meanwhile."""
        with self.translated():
            reader = self.reader()
            if reader.in_transaction:
                yield
                return
            reader.execute("BEGIN")
            try:
                yield
            finally:
                reader.execute("ROLLBACK")

    def rows(self, sql: str, params: dict[str, Any] | tuple[Any, ...] = ()) -> list[Any]:
        """Run a query on this thread's reader."""
        with self.translated():
            return self.reader().execute(sql, params).fetchall()

    def close(self) -> None:
        """Let go of every connection; safe to call twice."""
        with self._lock:
            self._closed = True
            for connection in [*self._readers, *([self._writer] if self._writer else [])]:
                # One with which another thread is reading ends together with that read.
                with suppress(apsw.ThreadingViolationError):
                    connection.close(True)
            self._writer = None
            self._local = threading.local()
            if self._copy is not None:
                self._copy.cleanup()

    # -- errors ----------------------------------------------------------------------------------

    def _refuse_closed(self) -> None:
        if self._closed:
            raise _closed()

    def _poison(self) -> None:
        """Drop the writer after an I/O error: what the kernel holds can no longer be trusted."""
        if self._writer is not None:
            self._writer.close(True)
            self._writer = None

    @contextmanager
    def translated(self, waited: float | None = None) -> Iterator[None]:
        """Turn SQLite's errors into ours, naming the file and the next step."""
        try:
            yield
        except apsw.ConnectionClosedError as error:
            raise _closed() from error
        except (apsw.Error, UnicodeDecodeError) as error:
            ours = in_our_words(error, self.path, self._busy if waited is None else waited)
            if ours is None:
                raise
            if isinstance(ours, StoreFull | StoreCorrupt) or type(ours) is StoreError:
                self.trouble = ours.message
            if type(ours) is StoreError:
                with self._lock:
                    self._poison()
            raise ours from error
