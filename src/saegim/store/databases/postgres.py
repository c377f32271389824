"""`PostgresDatabase`: the same seam over a PostgreSQL server, for several processes and machines.

A writer takes the lock of its owner for the length of a transaction, as a statement of its own,
before it reads the head of the chain: writers of different owners never wait for one another. Who
writes for everyone (a migration, a rebuild, a watermark) waits for all of them. No state is kept in
a session, so a pooler in transaction mode may stand between.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache, partialmethod
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import psycopg
from psycopg import conninfo, errors, pq
from psycopg.types.numeric import Int8Dumper

from saegim.errors import (
    BadInput,
    SchemaMismatch,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreReadOnly,
)
from saegim.store.database import (
    LASTING,
    Connection,
    Database,
    Params,
    can_write,
    newest_of,
    refuse_closed,
)
from saegim.store.databases import walls
from saegim.store.databases.dialect import Fetched, GatheredRows, for_postgres, refusal
from saegim.store.sidecar import Sidecar

OLDEST: Final = 150_000
# The lock of everyone, in a space of keys that owners do not use.
_HOUSE: Final = "(1524000257, 0)"
_CONNECT_SECONDS: Final = 10
# A read that takes longer is a mistake; a night's largest takes seconds.
_STATEMENT_MS: Final = 300_000
_IDLE_MS: Final = 120_000
# How long is asked what became of a transaction whose end was not heard.
_RESOLVE_SECONDS: Final = 30.0
_RESOLVE_PAUSE: Final = 0.2
_STRIPES: Final = 256
_PLACED_SINCE: Final = 12
# What holds for one transaction: how long it waits for a lock, runs and lies idle; that what it
# writes is on the disk before it is confirmed, whatever the server's settings say; and whose rows
# it sees. Then the locks, in this order, and its number.
_BEGIN: Final = (
    "SELECT set_config('lock_timeout', %s, true), "
    f"set_config('statement_timeout', '{_STATEMENT_MS}', true), "
    f"set_config('idle_in_transaction_session_timeout', '{_IDLE_MS}', true), "
    "set_config('synchronous_commit', CASE WHEN %s = 1 THEN 'off' "
    "WHEN current_setting('synchronous_commit') = 'off' THEN 'on' "
    "ELSE current_setting('synchronous_commit') END, true), "
    "set_config('saegim.owner', %s, true), "
)
_NUMBER: Final = "pg_current_xact_id()::text::bigint"
# Which schema is written, by whom, whether everything or this owner went elsewhere, and the era:
# another one voids what a process knows of rows' numbers.
_VERSION: Final = (
    "SELECT name, value FROM house WHERE name IN ('schema', 'writable', 'closed', 'era') "
    "UNION ALL SELECT 'placed', split_part(store, '#', 1) FROM placement WHERE owner = %s"
)

Raw = psycopg.Connection[Any]
# How a statement begins that brings nothing back, unless it says so.
_SILENT: Final = ("INSERT", "UPDATE", "DELETE")


class _Wish(NamedTuple):
    owner: str
    wait: float
    shared: bool
    of_house: bool


class _Number(Int8Dumper):
    """Sends every whole number as one type: else each length of it is a statement of its own."""


class ServerConnection:
    """A connection that reads our SQL, and is used as the file's is."""

    is_server = True

    def __init__(self, raw: Raw, prepare: bool, seen: str = "") -> None:
        self.raw, self._prepare = raw, None if prepare else False
        # Whose rows the server shows in this transaction; outside of one, nobody's.
        self._seen = seen
        # Open while what was sent has not been answered yet.
        self._unanswered: ExitStack | None = None
        # What this transaction knows already: see `held_by`.
        self.held: dict[str, Any] = {}
        # Rows that wait to be added together, of a group; see `reserve_numbers`.
        self._gathered: GatheredRows | None = None
        # What is there only if this transaction was kept: a line of a ledger, by its hash.
        self.proof: tuple[str, Params] | None = None

    @property
    def in_transaction(self) -> bool:
        """Say whether a transaction is open."""
        return self.raw.info.transaction_status != pq.TransactionStatus.IDLE

    def execute(self, sql: str, params: Params = ()) -> Fetched:
        """Run one statement, which sees the rows of whoever this thread asks for.

        Inside a transaction nobody waits for one that brings nothing back: its answer comes with
        that of the next.
        """
        inside = self.in_transaction
        if self._seen != (owner := walls.whose()):
            self._pour()
            # Answered together, they are one transaction also where none was begun.
            self._post(walls.TELL, (owner,))
            self._seen = owner if inside else ""
        if inside and not _brings_rows(sql):
            if self._gathered is None or not self._gathered.takes(sql, params):
                if self._gathered is not None and self._gathered.touches(sql):
                    self._pour()
                self._post(for_postgres(sql), params)
            return Fetched(None)
        return Fetched(self.send(for_postgres(sql), params))

    def _post(self, text: str, params: Params) -> None:
        if self._unanswered is None:
            self._unanswered = ExitStack()
            self._unanswered.enter_context(self.raw.pipeline())
        self._run(text, params)

    def send(self, text: str, params: Params = ()) -> psycopg.Cursor[Any]:
        """Send a statement, and wait for its answer and those before."""
        self._pour()
        before, self._unanswered = self._unanswered, None
        if before is None:
            return self._run(text, params)
        with before:
            return self._run(text, params)

    def _pour(self) -> None:
        """Send the rows that were gathered."""
        for text, params in self._gathered.drained() if self._gathered is not None else ():
            self._post(text, params)

    def take_back(self) -> None:
        """End the transaction as if it had not been."""
        self._gathered = None
        before, self._unanswered = self._unanswered, None
        if before is not None:
            with suppress(psycopg.Error):
                before.close()
        _roll_back(self.raw)

    def _run(self, text: str, params: Params) -> psycopg.Cursor[Any]:
        return self.raw.execute(text, params, prepare=self._prepare, binary=True)

    def _settle(self) -> None:
        """Wait for every answer, and tell the server whose rows are asked for."""
        self._seen = walls.whose()
        self.send(walls.TELL, (self._seen,))

    def executemany(self, sql: str, every: Any) -> None:
        """Run one statement for each of these."""
        self._settle()
        with self.raw.cursor() as cursor:
            cursor.executemany(for_postgres(sql), list(every))

    def stream(self, sql: str, most: int, params: Params = ()) -> Iterator[Any]:
        """Run a query and read its rows a part at a time, inside a transaction."""
        self._settle()
        with self.raw.cursor(name="saegim_stream") as cursor:
            cursor.itersize = most
            yield from cursor.execute(for_postgres(sql).encode(), params, binary=True)

    def copy_in(self, table: str, columns: Sequence[str], rows: Sequence[Any]) -> None:
        """Write many rows at once: beside the table first, because no wall lets COPY through."""
        self._settle()
        names, beside = ", ".join(columns), f"carried_{table}"
        self.raw.execute(
            f"CREATE TEMP TABLE IF NOT EXISTS {beside} ON COMMIT DROP AS "
            f"SELECT {names} FROM {table} WITH NO DATA".encode()
        )
        with (
            self.raw.cursor() as cursor,
            cursor.copy(f"COPY {beside} ({names}) FROM STDIN".encode()) as copying,
        ):
            for row in rows:
                copying.write_row(row)
        self.raw.execute(
            f"INSERT INTO {table} ({names}) OVERRIDING SYSTEM VALUE "
            f"SELECT {names} FROM {beside}".encode()
        )
        self.raw.execute(f"TRUNCATE {beside}".encode())

    def run(self, text: str) -> None:
        """Run the text of a migration, which PostgreSQL reads as it is."""
        self._settle()
        self.raw.execute(text.encode())

    def draw(self, table: str, number: str, count: int) -> list[int]:
        """Draw numbers for rows of a table, in their order; nobody else gets them."""
        asked = "SELECT nextval(pg_get_serial_sequence(?, ?)) FROM generate_series(1, ?)"
        return sorted(int(row[0]) for row in self.execute(asked, (table, number, count)).fetchall())

    def reserve_numbers(self, count: int) -> None:
        """Draw the numbers of memories beforehand, and add rows together: here begins a group."""
        self._gathered = GatheredRows()
        self.held["numbers"] = self.draw("memory", "number", count)[::-1]


@lru_cache(maxsize=4096)
def _brings_rows(sql: str) -> bool:
    """Say whether somebody waits for what a statement brings."""
    return not sql.startswith(_SILENT) or "RETURNING" in sql


def _roll_back(raw: Raw) -> None:
    """End a transaction as if it had not been, if the server is still there."""
    with suppress(psycopg.Error):
        raw.execute("ROLLBACK")


class CommitUnknown(StoreError):
    """The server went away while a transaction ended: it was kept, or it was not."""


def server_name(dsn: str) -> str:
    """Return what to call a server where people read it: without its password."""
    held = read_dsn(dsn)
    who = f"{held['user']}@" if held.get("user") else ""
    port = f":{held['port']}" if held.get("port") else ""
    return f"postgresql://{who}{held.get('host', '')}{port}/{held.get('dbname', '')}"


def read_dsn(dsn: str) -> dict[str, Any]:
    """Read where a server is; refuse what is not such an address, without repeating it."""
    try:
        held = conninfo.conninfo_to_dict(dsn)
        if "\0" in dsn or any("@" in str(held.get(part, "")) for part in ("host", "dbname")):
            # What follows is the rest of a password that was not written with %40.
            raise BadInput("store.dsn_cannot_be_read", why="@ in host or database")
        for port in str(held.get("port", "")).split(","):
            if port and not (port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16):
                raise BadInput("store.dsn_cannot_be_read", why="invalid port")
        return held
    except UnicodeError as error:
        raise BadInput("store.dsn_cannot_be_read", why=type(error).__name__) from None
    except psycopg.Error as error:
        why = str(error).strip().splitlines()[0]
        # libpq repeats what it could not read, which may be the password.
        why = why.split('"')[0].strip(" :") if "invalid" not in why.lower() else _option(why)
        raise BadInput("store.dsn_cannot_be_read", why=why) from None


def _option(why: str) -> str:
    """Return the complaint about a named option, of which the name alone is repeated."""
    return why if "option" in why or "parameter" in why else why.split('"')[0].strip(" :")


def owner_key(owner: str) -> int:
    """Return the number under which the server locks an owner."""
    made = hashlib.blake2b(owner.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(made, signed=True)


class Pool:
    """A bounded number of connections, the last used first."""

    def __init__(self, connect: Callable[[], Raw], most: int, patience: float, place: str) -> None:
        self._connect, self._patience, self._place, self.most = connect, patience, place, most
        self._free: list[Raw] = []
        self._slots = threading.BoundedSemaphore(most)
        self._lock = threading.Lock()
        self._closed = False

    def take(self) -> Raw:
        """Return a connection; wait for one at most as long as for a lock."""
        if not self._slots.acquire(timeout=self._patience):
            raise StoreBusy(
                "store.every_connection_is_in_use",
                path=self._place,
                most=self.most,
                seconds=self._patience,
            )
        with ExitStack() as undo:
            undo.callback(self._slots.release)
            with self._lock:
                free = (raw for raw in iter(self._popped, None) if not raw.closed)
                raw = next(free, None)
            raw = raw or self._connect()
            undo.pop_all()
        return raw

    def _popped(self) -> Raw | None:
        return self._free.pop() if self._free else None

    def give(self, raw: Raw) -> None:
        """Take a connection back; one that is broken, or in the middle of something, is closed."""
        idle = raw.info.transaction_status == pq.TransactionStatus.IDLE
        with self._lock:
            keeps = idle and not raw.closed and not self._closed
            if keeps:
                self._free.append(raw)
        if not keeps:
            raw.close()
        self._slots.release()

    def drop(self) -> None:
        """Close what lies free: the server they spoke to is gone."""
        with self._lock:
            free, self._free = self._free, []
        for raw in free:
            raw.close()

    def close(self) -> None:
        """Close every connection that comes back."""
        self._closed = True
        self.drop()


class PostgresDatabase(Database):
    """A database on a server that many processes share, one transaction lock for each owner."""

    is_server = True
    # A table asks for the rows of the owner it is given, and no others.
    walled = staticmethod(walls.walled)

    def __init__(
        self,
        dsn: str,
        path: Path,
        *,
        busy_seconds: float = 10.0,
        durable: bool = True,
        most: int = 8,
        prepare: bool = True,
    ) -> None:
        # Not the file's own beginning: there is no file, only a name beside which we keep notes.
        self.path = path
        self.place = server_name(dsn)
        self.warning = self.trouble = self.damage = self.replaced = ""
        self.readonly = self.moving = False
        self.schema: int | None = None
        self.sidecar = Sidecar(path)
        self.on_commit: Callable[[int], None] | None = None
        self._dsn, self._durable, self._prepare = dsn, durable, prepare
        self.patience = self._busy = busy_seconds
        # What outlasts a transaction of what it knew, until the era changes.
        self._era: str | None = None
        self._known: dict[str, Any] = {}
        self._local = threading.local()
        self._stripes = [threading.RLock() for _ in range(_STRIPES)]
        self._closed = False
        self._readers = Pool(self._connected, most, busy_seconds, self.place)  # type: ignore[assignment]
        self._writers = Pool(self._connected, most, busy_seconds, self.place)
        with ExitStack() as undo:
            undo.callback(self.close)
            with self.translated(), self._lent(self._pool) as raw:
                self._look_at(raw)
            undo.pop_all()

    @staticmethod
    def beside(dsn: str, home: Path) -> Path:
        """Return the name beside which this machine keeps what belongs to a server's store."""
        held = read_dsn(dsn)
        key = "\0".join(str(held.get(each, "")) for each in ("host", "port", "dbname"))
        return home / f"server-{hashlib.sha256(key.encode()).hexdigest()[:12]}"

    @property
    def _pool(self) -> Pool:
        return cast(Pool, self._readers)

    # -- connections -----------------------------------------------------------------------------

    def _connected(self) -> Raw:
        self._refuse_closed()
        given = _given(self._dsn, self._prepare)
        try:
            raw: Raw = psycopg.connect(**given, autocommit=True)
        except psycopg.OperationalError as error:
            code, name = error.sqlstate or "", type(error).__name__
            raise refusal(self.place, code, str(error), name) from None
        except (UnicodeError, psycopg.ProgrammingError) as error:
            raise BadInput("store.dsn_cannot_be_read", why=type(error).__name__) from None
        raw.prepare_threshold = 5 if self._prepare else None
        raw.adapters.register_dumper(int, _Number)
        raw.adapters.register_dumper(bool, _Truth)
        return raw

    def _look_at(self, raw: Raw) -> None:
        """Refuse a server that cannot keep what is given to it."""
        version = raw.info.server_version
        if version < OLDEST:
            raise StoreMissing(
                "store.server_is_too_old",
                path=self.place,
                found=version // 10_000,
                needed=OLDEST // 10_000,
            )
        found = raw.execute(
            "SELECT pg_is_in_recovery(), current_setting('transaction_read_only'), "
            "current_setting('server_encoding'), current_setting('fsync'), "
            "current_setting('full_page_writes'), current_setting('synchronous_commit')"
        ).fetchone()
        assert found is not None
        standby, readonly, encoding, fsync, pages, _ = found
        if encoding != "UTF8":
            raise StoreMissing("store.server_encoding", path=self.place, encoding=encoding)
        self.readonly = bool(standby) or readonly == "on"
        if "off" in (fsync, pages):
            self.warning = StoreError("store.server_may_lose", path=self.place).message

    @contextmanager
    def _lent(self, pool: Pool) -> Iterator[Raw]:
        raw = pool.take()
        try:
            yield raw
        finally:
            pool.give(raw)

    def _own(self) -> ServerConnection | None:
        """Return the connection that this thread's reads look into, inside a transaction."""
        held: ServerConnection | None = getattr(self._local, "reader", None)
        return held

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Lend a connection to read with."""
        if (own := self._own()) is not None:
            yield cast(Connection, own)
            return
        with self.translated(), self._lent(self._pool) as raw:
            yield cast(Connection, ServerConnection(raw, self._prepare))

    @contextmanager
    def fresh_reader(self) -> Iterator[Connection]:
        """Lend a connection to read with: none of them remembers anything."""
        with self.reading() as connection:
            yield connection

    def rows(self, sql: str, params: Params = ()) -> list[Any]:
        """Run a query; on a connection that broke while it lay idle, once more on another."""
        with self.translated():
            if (own := self._own()) is not None:
                return own.execute(sql, params).fetchall()
            for tries in (1, 2):
                with self._lent(self._pool) as raw:
                    try:
                        connection = ServerConnection(raw, self._prepare)
                        return connection.execute(sql, params).fetchall()
                    except psycopg.OperationalError:
                        if tries == 2 or not raw.closed:
                            raise
                self._pool.drop()
        raise AssertionError("unreachable")

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """Let every read of this thread see the store as it is now, whoever writes meanwhile."""
        if self._own() is not None:
            yield
            return
        with self.translated(), self._lent(self._pool) as raw, self.sidecar.held():
            try:
                raw.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                self._local.reader = ServerConnection(raw, self._prepare)
                yield
            finally:
                self._local.reader = None
                _roll_back(raw)

    def answers(self) -> bool:
        """Say whether the server answers now."""
        try:
            self.rows("SELECT 1")
        except StoreError:
            return False
        return True

    def elsewhere(self, owner: str = "") -> dict[str, str]:
        """Return who, or whether this owner, lies in another store, and in which."""
        if (self.schema or 0) < _PLACED_SINCE:
            return {}  # a standby that waits for the migration of its server
        asked = "SELECT owner, split_part(store, '#', 1) FROM placement WHERE ? IN ('', owner)"
        return {str(row[0]): str(row[1]) for row in self.rows(asked, (owner,))}

    @property
    def sees_others(self) -> bool:
        """Say whether this thread reads what is committed, and not inside a transaction."""
        return self._own() is None

    def pulse(self, owner: str = "") -> str:
        """Return what stays the same while nothing of this owner is written, in any process."""
        rows = self.rows(
            "SELECT (SELECT schema_version FROM pragma_schema_version), "
            "(SELECT seq || ' ' || hash FROM ledger WHERE owner = :o ORDER BY seq DESC LIMIT 1), "
            f"(SELECT sum(newest) FROM (SELECT {newest_of(':o', 'e.number')} AS newest "
            "FROM embedder e) AS one)",
            {"o": owner},
        )
        return f"{owner}:{rows[0][0]}:{rows[0][1]}:{rows[0][2]}"

    # -- writing ---------------------------------------------------------------------------------

    def _stripe(self, owner: str) -> threading.RLock:
        return self._stripes[owner_key(owner) % _STRIPES]

    @contextmanager
    def pausing_writes(self, patience: float | None = None, owner: str = "") -> Iterator[None]:
        """Hold back the other writers of this owner in this process for a moment."""
        lock, wait = self._stripe(owner), self._busy if patience is None else patience
        if not lock.acquire(timeout=wait):
            raise StoreBusy("store.busy_another_thread_has_been", path=self.place, seconds=wait)
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def writing(
        self,
        owner: str = "",
        *,
        patience: float | None = None,
        shared: bool = False,
        of_house: bool = False,
    ) -> Iterator[Connection]:
        """Hold the lock of an owner for one transaction: all of it is kept, or nothing.

        No owner is everyone. With `shared` no chain is written, and nobody is waited for.
        """
        self._refuse_closed()
        if self.readonly:
            raise StoreReadOnly("store.server_is_standby", path=self.place)
        wait = self._busy if patience is None else patience
        with (
            self.pausing_writes(wait, owner),
            self.translated(wait),
            walls.asking_for(owner),
            self._begun(_Wish(owner, wait, shared, of_house)) as (raw, number),
        ):
            connection = ServerConnection(raw, self._prepare, walls.whose())
            era, connection.held = self._era, dict(self._known)
            with ExitStack() as undo:
                undo.callback(connection.take_back)
                yield cast(Connection, connection)
                undo.pop_all()
            self._end(connection, number)
            if era == self._era:
                self._known |= {
                    name: each for name, each in connection.held.items() if name.startswith(LASTING)
                }
        self.trouble = ""
        if self.on_commit is not None:
            self.on_commit(0)

    about = partialmethod(writing, of_house=True)

    @contextmanager
    def _begun(self, wish: _Wish) -> Iterator[tuple[Raw, int]]:
        raw, number = self._begun_once(wish, again=True)
        try:
            yield raw, number
        finally:
            self._writers.give(raw)

    def _begun_once(self, wish: _Wish, *, again: bool) -> tuple[Raw, int]:
        raw = self._writers.take()
        with ExitStack() as undo:
            undo.callback(self._writers.give, raw)
            undo.callback(_roll_back, raw)
            try:
                number = self._begin(raw, wish)
            except psycopg.OperationalError:
                # Nothing was asked for yet: a connection that broke while it lay idle is no error.
                if not again or not raw.closed:
                    raise
            else:
                undo.pop_all()
                return raw, number
        self._writers.drop()
        return self._begun_once(wish, again=False)

    def _begin(self, raw: Raw, wish: _Wish) -> int:
        """Begin a transaction, wait for the lock, and see that the schema is the one we write."""
        everyone = not wish.owner and not wish.shared
        locks = [f"pg_advisory_xact_lock{'' if everyone else '_shared'}{_HOUSE}"]
        if wish.owner:
            locks += self._lock_of(wish.owner)
        limit = str(int(max(wish.wait, 0.001) * 1000))
        with raw.pipeline():
            raw.execute("BEGIN")
            # A statement of its own: what is read after it is read under the lock.
            cursor = raw.execute(
                f"{_BEGIN}{', '.join(locks)}, {_NUMBER}".encode(),
                (limit, not self._durable, walls.whose()),
            )
            version = raw.execute(_VERSION, (wish.owner,)) if self.schema is not None else None
        number = int((cursor.fetchone() or (0,))[-1])
        if version is not None:
            self._see_version(dict(version.fetchall()), wish)
        return number

    def _see_version(self, held: dict[str, str], wish: _Wish) -> None:
        found, known = int(held.get("schema", 0)), self.schema or 0
        if not can_write(known, found, held.get("writable")):
            raise SchemaMismatch(
                "store.schema_changed_while_open", path=self.place, found=found, known=known
            )
        if not self.moving:
            refuse_closed(held.get("closed", ""), self.place)
        if "placed" in held and not wish.of_house:
            raise StoreBusy("store.owner_is_elsewhere", owner=wish.owner, place=held["placed"])
        if held.get("era") != self._era:
            self._era, self._known = held.get("era"), {}

    def _lock_of(self, owner: str) -> list[str]:
        """Return what waits for the other writers of this owner, on whatever machine."""
        return [f"pg_advisory_xact_lock({owner_key(owner)})"]

    def _end(self, connection: ServerConnection, number: int) -> None:
        """Make a transaction true; where the server's answer is lost, ask what became of it."""
        try:
            connection.send("COMMIT")
        except psycopg.Error as error:
            if not connection.raw.closed:
                connection.take_back()
                raise
            self._writers.drop()
            self._pool.drop()
            if not self._was_kept(connection, number):
                raise StoreError("store.server_went_away", path=self.place) from error

    def _was_kept(self, connection: ServerConnection, number: int) -> bool:
        """Ask whether a transaction was kept; raise if nobody can say in time.

        By the line it wrote, also on a standby that was promoted; where it wrote none, by number.
        """
        until = time.monotonic() + _RESOLVE_SECONDS
        while time.monotonic() < until:
            with suppress(StoreError, psycopg.Error), self._lent(self._pool) as raw:
                try:
                    asked = raw.execute("SELECT pg_xact_status(%s::text::xid8)", (str(number),))
                    state = (asked.fetchone() or (None,))[0]
                except psycopg.errors.InvalidParameterValue:
                    return False  # it fell, and has not come to this number again
                if state != "in progress" and connection.proof is not None:
                    again = ServerConnection(raw, self._prepare)
                    return bool(again.execute(*connection.proof).fetchall())
                if state in ("committed", "aborted"):
                    return bool(state == "committed")
            time.sleep(_RESOLVE_PAUSE)
        raise CommitUnknown("store.commit_is_unknown", path=self.place)

    @contextmanager
    def deciding(self, *, patience: float | None = None, owner: str = "") -> Iterator[Connection]:
        """Hold a transaction that this thread's reads look into: nobody changes what they see."""
        before = self._own()
        try:
            with self.writing(owner, patience=patience) as connection:
                self._local.reader = connection
                yield connection
        finally:
            self._local.reader = before

    # -- what only a file has --------------------------------------------------------------------

    def leave_log(self) -> None:
        """Do nothing: a server keeps its own log."""

    def checkpoint(self, mode: str = "PASSIVE") -> None:
        """Do nothing: a server keeps its own log."""

    def empty_log(self) -> bool:
        """Say no: how long a server's log holds what is gone is for its operator to say."""
        return False

    def shrink(self) -> None:
        """Let the server use the room of what is gone again."""
        with self.translated(), self._lent(self._writers) as raw, suppress(errors.LockNotAvailable):
            raw.execute("VACUUM")

    def quick_check(self) -> str:
        """Return nothing: the pages are the server's own to check."""
        return ""

    def latch(self, damage: str) -> None:
        """Note what damage was seen."""
        self.damage = damage

    @contextmanager
    def repairing(self) -> Iterator[None]:
        """Let a store be written by what mends it."""
        self.damage = ""
        yield

    def close(self) -> None:
        """Let go of every connection; safe to call twice."""
        self._closed = True
        self._pool.close()
        self._writers.close()
        self.sidecar.close()

    # -- errors ----------------------------------------------------------------------------------

    @contextmanager
    def translated(self, waited: float | None = None) -> Iterator[None]:
        """Turn the server's errors into ours, naming the server and the next step."""
        try:
            yield
        except (psycopg.Error, OverflowError) as error:
            ours = in_our_words(error, self.place, self._busy if waited is None else waited)
            if ours is None:
                raise
            if isinstance(ours, StoreFull) or type(ours) is StoreError:
                self.trouble = ours.message
            raise ours from error


def _given(dsn: str, prepare: bool) -> dict[str, Any]:
    """Return how to connect: patience, a name, and limits where the session is our own."""
    given: dict[str, Any] = conninfo.conninfo_to_dict(dsn)
    given.setdefault("connect_timeout", _CONNECT_SECONDS)
    given.setdefault("application_name", "saegim")
    if prepare:
        # Behind a pooler a session is nobody's own; there every transaction says it itself.
        limits = (
            f"-c statement_timeout={_STATEMENT_MS} "
            f"-c idle_in_transaction_session_timeout={_IDLE_MS}"
        )
        given["options"] = f"{given.get('options', '')} {limits}".strip()
    return given


class _Truth(Int8Dumper):
    """Sends true and false as 1 and 0, as the columns hold them."""

    def dump(self, obj: Any) -> bytes:
        """Write it down."""
        return b"1" if obj else b"0"


def in_our_words(error: Exception, place: str, seconds: float) -> StoreError | BadInput | None:
    """Return our error for one of the server's; nothing for what only a mistake of ours causes."""
    match error:
        case errors.LockNotAvailable() | errors.DeadlockDetected() | errors.QueryCanceled():
            return StoreBusy("store.busy_another_process_has_been", path=place, seconds=seconds)
        case errors.DiskFull() | errors.OutOfMemory() | errors.TooManyConnections():
            return StoreFull("store.server_has_no_room", path=place, error=_first_line(error))
        case errors.ReadOnlySqlTransaction():
            return StoreReadOnly("store.server_is_standby", path=place)
        case errors.InsufficientPrivilege() | errors.InvalidSchemaName():
            return StoreReadOnly("store.server_role_may_not", path=place, error=_first_line(error))
        case errors.UndefinedTable() | errors.UndefinedColumn() | errors.UndefinedFunction():
            return StoreCorrupt(
                "store.lacks_part_of_saegim_store", path=place, error=_first_line(error)
            )
        case errors.UniqueViolation() | errors.NotNullViolation():
            return StoreCorrupt(
                "store.index_of_disagrees_with_memories", path=place, error=_first_line(error)
            )
        case errors.ProgramLimitExceeded() | psycopg.DataError() | OverflowError():
            return BadInput("store.server_cannot_keep", path=place, error=_first_line(error))
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return StoreError("store.server_went_away", path=place)
        case _:
            return None


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
