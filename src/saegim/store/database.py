"""`Database`: the seam between the store and SQLite, where another database can plug in.

One file, one writer, one reader per thread, and errors in our own words. Only this module, the
backup and `search/` name the driver: everyone else asks `rows()`, or writes on the connection
that `writing()` lends.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import apsw

from saegim.errors import (
    BadInput,
    SchemaMismatch,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreReadOnly,
    StoreReplaced,
    UnsafeSqlite,
)
from saegim.filesystem import is_writable, trouble_with
from saegim.store.seals import SealWriter
from saegim.store.sidecar import FileId, Sidecar, file_id

# What a transaction is written on, and what the driver raises when it cannot go on.
Connection = apsw.Connection
DriverError = apsw.Error
# Of what it raises: no room, a place that refuses, a file that is not what it should be.
NoRoom = apsw.FullError
CannotOpen = (apsw.CantOpenError, apsw.ReadOnlyError)
NotReadable = (apsw.NotADBError, apsw.CorruptError, apsw.SQLError)
Params = dict[str, Any] | tuple[Any, ...]
Table = TypeVar("Table", bound=type)

# "새김" in the file header, so that a foreign database is never taken for ours.
APPLICATION_ID = 0x5AE61A01
# Two connections that write or checkpoint one WAL can corrupt it up to 3.51.2 (fixed 2026-03-13).
_FIXED_LINES = {(3, 50): 7, (3, 44): 6}
# How SQLite says that a table, or what FTS5 keeps of one, is not what it was made as.
# Pages of two moments, as a disk that lies about its syncs leaves them.
_HAS_ALREADY = re.compile(r"^duplicate column name|already exists$")
_LACKING = (
    "no such table",
    "no such column",
    "no such fts5 table",
    "invalid fts5 file format",
    "vtable constructor failed",
)
# What SQLite needs on the disk before the first read, for the memory that processes share.
_SHARED_KB = 32
# How often, and how many seconds apart, the log is emptied when someone holds it.
_TRIES, _PAUSE = 20, 0.02


def sqlite_version() -> str:
    """Return the version of the SQLite that is in use."""
    return apsw.sqlite_lib_version()


def open_file(path: Path, *, immutable: bool = False, writable: bool = False) -> Connection:
    """Open a file outside the store's own life: no busy time, no journal, no cache of ours.

    Immutable means: no lock, no log, no look at one.
    """
    flags = apsw.SQLITE_OPEN_READWRITE if writable else apsw.SQLITE_OPEN_READONLY
    if not immutable:
        return Connection(str(path), flags=flags)
    return Connection(
        f"{path.absolute().as_uri()}?mode=ro&immutable=1", flags=flags | apsw.SQLITE_OPEN_URI
    )


def log_of(path: Path) -> Path:
    """Return where the log of a store lies."""
    return Path(f"{path}-wal")


def size(path: Path) -> int:
    """Return how many bytes a file holds; one that is not there holds none."""
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 0


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


def first(connection: Connection, sql: str, params: Params = ()) -> Any:
    """Return the first value of the first row, or None if there is no row."""
    rows: list[Any] = connection.execute(sql, params).fetchall()
    return rows[0][0] if rows else None


def as_it_is(kind: Table) -> Table:
    """Return a table as it is: a file is one wall, and each query names its owner."""
    return kind


def nobody(owner: str = "") -> dict[str, str]:
    """Return who lies in another store, and in which: of a file, nobody."""
    del owner
    return {}


# What stays true until an index is made anew.
LASTING = "embedder:"

# Why a store is read alone: it has moved to a place, or arrives from one and is not whole yet.
MOVED, ARRIVING = "moved:", "arriving:"
# After it stands which move it is: two of the same do not write into each other.
FENCE = "#"


def closed_in(connection: Connection) -> str:
    """Return why a store is read alone; nothing if it is written."""
    return str(first(connection, "SELECT value FROM house WHERE name = 'closed'") or "")


def writable_in(connection: Connection) -> str | None:
    """Return what the last migration says of who may write on beside it."""
    said: str | None = first(connection, "SELECT value FROM house WHERE name = 'writable'")
    return said


def refuse_closed(why: str, path: Path | str) -> None:
    """Refuse to write where another place holds what is true now, or nothing is whole yet."""
    if why.startswith(ARRIVING):
        place = why.removeprefix(ARRIVING).partition(FENCE)[0]
        raise StoreReadOnly("store.is_arriving", path=path, place=place)
    if why:
        raise StoreReadOnly("store.moved_elsewhere", path=path, place=why.removeprefix(MOVED))


def can_write(known: int, found: int, said: str | None) -> bool:
    """Say whether a program that knows one schema may write a store of another.

    A newer one says from which on ("13:12"): a migration that only adds lets the one before go on.
    """
    schema, _, since = (said or "").partition(":")
    return found == known or (schema == str(found) and int(since) <= known < found)


def held_by(connection: Connection) -> dict[str, Any]:
    """Return what is known for the length of a transaction on a server, so that a group asks once.

    Whoever writes holds the lock of what it concerns. Of a file nothing is held: asking is nothing.
    """
    held: dict[str, Any] = getattr(connection, "held", {})
    return held


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


def _copied_aside(source: Connection, path: Path) -> Path:
    """Copy the store that is open, wherever it is now, beside the place it had.

    Where that fails, whoever asks keeps their hold on it: what was acknowledged is nowhere else.
    """
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
    aside = path.with_name(f"{path.name}.replaced-{stamp}")
    try:
        os.close(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with closing(Connection(str(aside))) as copy:
            with copy.backup("main", source, "main") as running:
                running.step(-1)
            copy.execute("PRAGMA journal_mode = DELETE").fetchall()
    except (OSError, apsw.Error) as error:
        aside.unlink(missing_ok=True)
        raise StoreMissing("store.replaced_and_not_copied", path=path, error=error) from error
    return aside


def _copied_folder(path: Path) -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="saegim-read-")
    for suffix in ("", "-wal"):
        if (part := Path(f"{path}{suffix}")).exists():
            shutil.copyfile(part, Path(folder.name, f"{path.name}{suffix}"))
    return folder


def _choose_journal(connection: Connection, warning: str) -> None:
    journal = "DELETE" if warning else "WAL"
    try:
        connection.execute(f"PRAGMA journal_mode = {journal}").fetchall()
    except apsw.BusyError:
        # Someone has the store open with its log, and a log can be left only when all are gone.
        if not warning:
            raise


def _refuse_other_schema(
    connection: Connection, known: int | None, path: Path, *, closed: bool = False
) -> None:
    """Refuse to write where another version of Saegim has changed the schema meanwhile.

    With `closed`, also where the store has moved elsewhere.
    """
    found = int(first(connection, "PRAGMA user_version"))
    if known is not None and closed:
        refuse_closed(closed_in(connection), path)
    if known is None or found == known:
        return
    if not can_write(known, found, writable_in(connection)):
        raise SchemaMismatch("store.schema_changed_while_open", path=path, found=found, known=known)


class _TakenBack(Exception):
    """Ends a rehearsal."""


class Database:
    """A SQLite file that several threads and processes share."""

    # Whether it is a server's, and not a file: `databases/postgres.py`.
    is_server = False
    walled = staticmethod(as_it_is)
    elsewhere = staticmethod(nobody)

    def __init__(
        self,
        path: Path,
        *,
        busy_seconds: float = 10.0,
        synchronous: str = "FULL",
        vfs: str | None = None,
        on_wal: Callable[[int], None] | None = None,
        on_replaced: Callable[[], None] | None = None,
    ) -> None:
        gate(apsw.sqlite_lib_version())
        self.path, self.place = _nameable(path), str(path)
        self.warning = trouble_with(path)
        self.readonly = path.exists() and not is_writable(path)
        self.trouble = ""
        # What is broken in the file, once it was seen: nothing is written until it is mended.
        self.damage = ""
        # The schema that this process writes, once it is known.
        self.schema: int | None = None
        self.moving = False  # it carries a store in or out: then a closed one is written too
        self.sidecar = Sidecar(path)
        # What became of a file that lost its name while it was open, once that was seen.
        self.replaced = ""
        self._file: FileId | None = None
        self._replaced = 0
        self._on_replaced = on_replaced
        self._seals = SealWriter()
        self._repairing = False
        self._busy = busy_seconds
        self._synchronous = synchronous
        self._vfs = vfs
        self._on_wal = on_wal
        self._lock = threading.RLock()
        self._writer: Connection | None = None
        self._local = threading.local()
        self._readers: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        self._closed = False

    # -- connections -----------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Lend this thread's own read-only connection."""
        with self.translated():
            yield self._reader()

    def _reader(self) -> Connection:
        connection: Connection | None = getattr(self._local, "reader", None)
        if connection is not None and not connection.in_transaction and self._is_stale():
            self._local.reader = connection = None
        if connection is None:
            self._refuse_closed()
            with self.translated():
                connection = self._open_reader()
            self._local.reader, self._local.replaced = connection, self._replaced
            self._readers.add(connection)
        return connection

    # -- the file under the connections ------------------------------------------------------------

    def _is_stale(self) -> bool:
        """Say whether this thread reads a file that no longer has the store's name."""
        if self._is_replaced():
            self._let_go()
        return bool(getattr(self._local, "replaced", 0) != self._replaced)

    def _is_replaced(self) -> bool:
        """Say whether another file, or none, has the name of the one that is open."""
        return self._file is not None and file_id(self.path) != self._file

    def _let_go(self) -> Path | None:
        """Set aside what the lost file holds and drop its connections; return where it lies.

        What was acknowledged is in the open file and its log, which may have no name any more:
        it is copied before the last hold on it is given up.
        """
        with self._lock:
            if not self._is_replaced():
                return None
            source = self._writer or getattr(self._local, "reader", None)
            aside = _copied_aside(source, self.path) if source is not None else None
            log = log_of(Path(os.path.realpath(self.path)))
            if aside is not None and self.sidecar.has_foreign_log():
                # Beside another file it would be taken for that file's own, and ruin it.
                for each in (log, log.with_name(f"{self.sidecar.store.name}-shm")):
                    each.unlink(missing_ok=True)
            if self._writer is not None:
                self._writer.close(True)
                self._writer = None
            self._file = None
            self._replaced += 1
            self.damage = ""
            told = StoreReplaced("store.replaced_while_open", path=self.path, aside=aside or "-")
            self.replaced = told.message
        if self._on_replaced is not None:
            self._on_replaced()
        return aside

    @contextmanager
    def fresh_reader(self) -> Iterator[Connection]:
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

    def _open_reader(self) -> Connection:
        try:
            connection = self._connect(self.path, apsw.SQLITE_OPEN_READONLY)
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            # A WAL file on a read-only disk cannot be read in place (its index must be created),
            # so a copy is read; nothing can be written to the original meanwhile.
            if not self.readonly or not self.path.is_file():
                raise
            connection = self._connect(self._copied(), apsw.SQLITE_OPEN_READWRITE)
        if self._replaced:
            _refuse_other_schema(connection, self.schema, self.path)
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _copied(self) -> Path:
        with self._lock:
            self._copy = self._copy or _copied_folder(self.path)
            return Path(self._copy.name, self.path.name)

    def _connect(self, path: Path, flags: int) -> Connection:
        if path == self.path and self._file is None:
            self._file = file_id(path)
        elif path == self.path and self._is_replaced():
            self._let_go()
        connection = Connection(str(path), flags=flags, vfs=self._vfs)
        if path == self.path and self._file is None:
            self._file = file_id(path)  # it was made just now
        connection.set_busy_timeout(int(self._busy * 1000))
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA cache_size = -16000")
        return connection

    def _writable(self) -> Connection:
        if self._writer is None:
            flags = apsw.SQLITE_OPEN_READWRITE
            if self.schema is None:
                flags |= apsw.SQLITE_OPEN_CREATE
            connection = self._connect(self.path, flags)
            _choose_journal(connection, self.warning)
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")
            # Checkpoints run in the background, so that no write waits for one.
            connection.wal_autocheckpoint(0)
            connection.execute("PRAGMA secure_delete = ON").fetchall()
            if self._on_wal is not None:
                connection.set_wal_hook(self._after_commit)
            self._seals.attach(connection)
            self._writer = connection
        return self._writer

    def leave_log(self) -> None:
        """Give up the log where processes cannot share memory; before anyone here reads it."""
        if self.warning and not self.readonly:
            if (reader := getattr(self._local, "reader", None)) is not None:
                reader.close()
                self._local.reader = None
            with self._lock, self.translated():
                self._writable()

    def _after_commit(self, _connection: Connection, _name: str, pages: int) -> int:
        if self._on_wal is not None:
            self._on_wal(pages)
        return apsw.SQLITE_OK

    @contextmanager
    def writing(
        self, owner: str = "", *, patience: float | None = None, shared: bool = False
    ) -> Iterator[Connection]:
        """Hold the write lock for one transaction of an owner: all of it is kept, or nothing.

        SQLite has one lock for the whole file, so it need not know the owner; no owner is everyone.
        `patience` is how many seconds to wait for other writers, if not as long as usual; `shared`
        says that no chain is written: a server need hold nobody back.
        """
        del owner, shared
        self._refuse_closed()
        if self.readonly:
            raise StoreReadOnly("store.cannot_be_written", path=self.path)
        wait = self._busy if patience is None else patience
        with _alone(self._lock, patience, self.path), self.translated(wait):
            self._refuse_damaged()
            self._refuse_replaced()
            connection = self._writable()
            connection.set_busy_timeout(int(wait * 1000))
            connection.execute("BEGIN IMMEDIATE")
            try:
                _refuse_other_schema(connection, self.schema, self.path, closed=not self.moving)
                self._seals.begin(self.schema)
                yield connection
                self._seals.seal(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            # Into a file that had lost its name meanwhile: it lies in the copy set aside.
            self._refuse_replaced()
            self.trouble = ""

    # What is about somebody and not among their memories: on a server these may lie elsewhere.
    about = writing

    def _refuse_damaged(self) -> None:
        if self.damage and not self._repairing:
            raise StoreCorrupt("store.damaged_nothing_is_written", path=self.path, why=self.damage)

    def _refuse_replaced(self) -> None:
        """Refuse to write into a file that no longer has the name of the store."""
        if not self._is_replaced():
            return
        aside = self._let_go() or "-"
        if not self.path.exists():
            raise StoreMissing("store.gone_while_open", path=self.path, aside=aside)
        raise StoreReplaced("store.replaced_while_open", path=self.path, aside=aside)

    @contextmanager
    def repairing(self) -> Iterator[None]:
        """Let a damaged store be written by what mends it; say so only once it is sound."""
        self._repairing = True
        try:
            yield
            if self.damage and not self.quick_check():
                self.damage = ""
                self.sidecar.note_damage("")
        finally:
            self._repairing = False

    def quick_check(self) -> str:
        """Check every page; return the first thing that is wrong, or nothing."""
        with self.fresh_reader() as reader:
            found = str(first(reader, "PRAGMA quick_check(1)"))
        return "" if found == "ok" else found

    def latch(self, damage: str) -> None:
        """Write nothing more before this damage is mended; other processes are told."""
        if not self.damage:
            self.damage = damage
            self.sidecar.note_damage(damage)

    @contextmanager
    def pausing_writes(self, patience: float | None = None, owner: str = "") -> Iterator[None]:
        """Hold back the other writers of this process, on a server those of the owner alone."""
        del owner
        with _alone(self._lock, patience, self.path):
            yield

    @contextmanager
    def deciding(self, *, patience: float | None = None, owner: str = "") -> Iterator[Connection]:
        """Hold a transaction that this thread's reads look into: nobody changes what they see."""
        reader = getattr(self._local, "reader", None)
        try:
            with self.writing(owner, patience=patience) as connection:
                self._local.reader = connection
                yield connection
        finally:
            self._local.reader = reader

    @contextmanager
    def rehearsing(self) -> Iterator[Connection]:
        """Hold such a transaction, and always take it back."""
        with suppress(_TakenBack), self.deciding() as connection:
            yield connection
            raise _TakenBack

    def checkpoint(self, mode: str = "PASSIVE") -> None:
        """Copy the log back into the file on a connection of its own; waits for nobody."""
        if self.damage or self._is_replaced():
            return
        with self.translated():
            connection = Connection(str(self.path), vfs=self._vfs)
            try:
                if self._is_replaced():
                    return
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
            reader = self._reader()
            if reader.in_transaction:
                yield
                return
            with self.sidecar.held():
                reader.execute("BEGIN")
                try:
                    yield
                finally:
                    reader.execute("ROLLBACK")

    def rows(self, sql: str, params: Params = ()) -> list[Any]:
        """Run a query on this thread's reader."""
        with self.translated():
            return self._reader().execute(sql, params).fetchall()

    def answers(self) -> bool:
        """Say whether it can be asked at all: a file always can, a server may be away."""
        return True

    @property
    def sees_others(self) -> bool:
        """Say whether this thread reads what is committed, and not inside a transaction."""
        reader: Connection | None = getattr(self._local, "reader", None)
        return reader is None or not reader.in_transaction

    def pulse(self, owner: str = "") -> str:
        """Return what stays the same for this thread while nobody writes, in any process."""
        del owner
        ((beat,),) = self.rows("PRAGMA data_version")
        return f"{threading.get_ident()}:{self._replaced}:{id(self._reader())}:{beat}"

    def empty_log(self) -> bool:
        """Empty the log into the file: no bytes of what is gone stay. Say whether it is empty."""
        for _ in range(_TRIES):
            self.checkpoint("TRUNCATE")
            if not size(log_of(self.path)):
                return True
            time.sleep(_PAUSE)
        return False

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
            self.sidecar.close()

    # -- errors ----------------------------------------------------------------------------------

    def _refuse_closed(self) -> None:
        if self._closed:
            raise _closed()

    def _poison(self) -> None:
        """Drop the writer after an I/O error: what the kernel holds can no longer be trusted."""
        with self._lock:
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
            if _is_damage(error):
                self.latch(ours.message)
            if type(ours) is StoreError:
                self._poison()
            raise ours from error


def _is_damage(error: apsw.Error | UnicodeDecodeError) -> bool:
    """Say whether the pages themselves are broken; an index of words can be made anew."""
    extended = getattr(error, "extendedresult", 0)
    return isinstance(error, apsw.CorruptError) and extended != apsw.SQLITE_CORRUPT_VTAB


def in_our_words(
    error: apsw.Error | UnicodeDecodeError, path: Path, busy_seconds: float
) -> StoreError | None:
    """Return our error for one of SQLite's; nothing for one that only a mistake of ours causes.

    Text that is not UTF-8 is a damage too: the library never writes any.
    """
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return StoreBusy("store.busy_another_process_has_been", path=path, seconds=busy_seconds)
        case apsw.FullError():
            return StoreFull("store.no_room_left_for_nothing", path=path)
        case apsw.ReadOnlyError() if (
            getattr(error, "extendedresult", 0) == apsw.SQLITE_READONLY_DBMOVED
        ):
            return StoreReplaced("store.replaced_while_open", path=path, aside="-")
        case apsw.ReadOnlyError():
            return StoreReadOnly("store.cannot_be_written", path=path)
        case apsw.CorruptError() | apsw.NotADBError() | UnicodeDecodeError():
            return StoreCorrupt("store.damaged_or_is_not_saegim", path=path, error=error)
        case apsw.NoMemError():
            # A damaged index claims sizes that no machine has.
            return StoreCorrupt("store.asks_for_more_memory_than", path=path)
        case apsw.SQLError() if str(error).startswith(_LACKING):
            return StoreCorrupt("store.lacks_part_of_saegim_store", path=path, error=error)
        case apsw.SQLError() if _HAS_ALREADY.search(str(error)):
            return StoreCorrupt("store.holds_more_than_version_says", path=path, error=error)
        case apsw.ConstraintError():
            return StoreCorrupt("store.index_of_disagrees_with_memories", path=path, error=error)
        case apsw.CantOpenError():
            return StoreMissing("store.cannot_be_opened", path=path, error=error)
        case apsw.IOError() if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
            return StoreFull("store.no_room_left_beside_reading", path=path, kilobytes=_SHARED_KB)
        case apsw.IOError():
            return StoreError("store.disk_under_failed_nothing", path=path, error=error)
        case _:
            return None


# Of a line of the ledger: its number, hash, change, subject, facts and instant.
Line = tuple[int, str, str, str, str, int]


def newest_of(owner: str, embedder: str) -> str:
    """Write how far the vectors of an owner have come: the last row of an index, and no other.

    Not max(seq), nor the embedder as it is: a server that has not analysed the table yet takes them
    for a row or two, and reads and sorts all of them.
    """
    return (
        f"(SELECT CASE v.embedder WHEN {embedder} THEN v.seq END FROM vector v "
        f"WHERE v.owner = {owner} AND v.embedder <= {embedder} "
        "ORDER BY v.embedder DESC, v.seq DESC LIMIT 1)"
    )


def lines_since(
    database: Database, owner: str, sequence: int, most: int, *, newest: bool = False
) -> tuple[str, list[Line]]:
    """Return the era of the file, and an owner's lines from this one on, at most so many.

    After a backup was restored, an index rebuilt, the file replaced, it is another era: what was
    known of it is void.
    """
    rows = database.rows(
        "SELECT v.schema_version, l.seq, l.hash, l.change, l.subject, l.facts, l.at "
        "FROM pragma_schema_version v LEFT JOIN ledger l ON l.owner = ? AND l.seq >= ? "
        f"ORDER BY l.seq {'DESC' if newest else ''} LIMIT ?",
        (owner, sequence, most),
    )
    return f"{database.replaced}:{rows[0][0]}", [row[1:] for row in rows if row[1] is not None]


def changed_since(database: Database, owner: str, sequence: int) -> bool:
    """Say whether anything but pages and recalls has happened after a line of the ledger."""
    found = database.rows(
        "SELECT 1 FROM ledger WHERE owner = ? AND seq > ? "
        "AND change NOT IN ('Written', 'Recalled') LIMIT 1",
        (owner, sequence),
    )
    return bool(found)


def free_share(database: Database) -> float:
    """Return which share of the file holds nothing, between pages and inside them."""
    if database.is_server:
        return 0.0  # the server sweeps by itself
    ((pages,),) = database.rows("PRAGMA page_count")
    ((page_size,),) = database.rows("PRAGMA page_size")
    ((unused,),) = database.rows("SELECT sum(unused) FROM dbstat WHERE aggregate = TRUE")
    ((free,),) = database.rows("PRAGMA freelist_count")
    return (free * page_size + (unused or 0)) / (pages * page_size) if pages else 0.0
