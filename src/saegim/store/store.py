"""`Store`: where memories rest. Everyone may propose Changes; only `commit` makes them true.

Each table is an attribute that holds the SQL of what it is named after:
`store.memories.page(where)`, `store.links.of(scope, keys)`, `store.jobs.take(now, kinds)`.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from saegim.engines.embedder import Embedder
from saegim.errors import (
    BadInput,
    EngineError,
    StoreCorrupt,
    StoreError,
    StoreMissing,
    StoreReplaced,
)
from saegim.language.words import Analyser, Basic
from saegim.memory.changes import Change, Saved, Tagged
from saegim.memory.clock import SystemClock, from_micros
from saegim.memory.memory import Scope
from saegim.store import backup, tombstones, transfer
from saegim.store.commit import write
from saegim.store.database import Connection, Database, DriverError, log_of, size
from saegim.store.databases import walls
from saegim.store.grouped_writes import GroupedWrites, WriteRequest, write_batch
from saegim.store.ledger import Batch, Committed, IdempotencyKey, LedgerTable, UndoTable, Writing
from saegim.store.migrate import migrate, version
from saegim.store.recall_traces import RecallTraceTable
from saegim.store.seals import seal_all
from saegim.store.search import bm25
from saegim.store.search.bm25 import IndexInFile, WordSearch
from saegim.store.search.embedding_index import Shard, VectorSearch
from saegim.store.search.index_memory import fill_vectors, fill_words, settle_marks
from saegim.store.search.resident_tables import ResidentIndexes, Tables
from saegim.store.search.words_on_server import IndexOnServer
from saegim.store.sidecar import Sidecar
from saegim.store.subscriptions import Listener, News, Subscription, Subscriptions
from saegim.store.tables.audit_table import AuditTable, Survey
from saegim.store.tables.entity_table import EntityTable, LinkTable, PageTable
from saegim.store.tables.experience_table import ExperienceTable
from saegim.store.tables.job_table import AgentJobTable, JobTable
from saegim.store.tables.memory_table import MemoryTable
from saegim.store.tables.model_usage import UsageTable
from saegim.store.tables.night_queries import NightQueries
from saegim.store.tables.night_table import NightTable
from saegim.store.tables.people_table import PeopleTable, TokenTable, VisitTable
from saegim.store.tables.profile_table import ProfileTable, drop_every_profile
from saegim.store.tables.project_table import ProjectTable
from saegim.store.tables.replay_table import ReplayTable
from saegim.store.tables.session_table import SessionTable

if TYPE_CHECKING:
    from saegim.store.databases.postgres import PostgresDatabase

# About 4 MB of log: small enough to copy back in milliseconds.
CHECKPOINT_PAGES = 1000
# A steady writer outruns a checkpoint that waits for nobody; from here on it waits a moment itself.
_LOG_TOO_LONG = 4000
# One bite of merging holds the write lock for a few milliseconds.
_MERGE_PAGES = 32
_MERGE_EVERY = 64
_LAST_BITES = 64
_IDLE_SECONDS = 5.0
# Memories held in memory for quick recall, where nobody says: the setting says why.
RESIDENT = 100_000
_PATIENCE_SECONDS = 5.0

Fill = Callable[[], Iterator[int]]


class Upkeep:
    """The one background thread of an open store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._fills: dict[str, tuple[Fill, Callable[[], bool], bool]] = {}
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._commits = 0
        self._pages = 0
        self._may_hang = False
        self.trouble = ""

    def told_to_stop(self) -> bool:
        """Say whether the work in hand should end where it is."""
        return self._stop.is_set()

    def after_commit(self, pages: int) -> None:
        """Note that the log has grown; called by the writer after each commit."""
        self._commits += 1
        self._pages = pages
        if pages >= CHECKPOINT_PAGES or self._commits % _MERGE_EVERY == 0:
            self._start()
            self._wake.set()

    def fill(
        self, name: str, work: Fill, unfinished: Callable[[], bool], *, may_hang: bool = False
    ) -> None:
        """Ask for an index to be filled, again and again while anything is unfinished.

        Whoever closes waits for the piece in hand, but not long for what `may_hang`.
        """
        with self._lock:
            self._fills[name] = (work, unfinished, may_hang)
        self._start()
        self._wake.set()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None and not self._stop.is_set():
                thread = threading.Thread(target=self._run, name="saegim-upkeep", daemon=True)
                # Called after a commit: what is durable must not be reported as failed because
                # the system has no thread to spare. The next commit tries again.
                with contextlib.suppress(RuntimeError):
                    thread.start()
                    self._thread = thread
                    # Not everybody closes what they open; who does not is not kept for long, and
                    # another process may hold the lock that is waited for.
                    atexit.register(self._end, _PATIENCE_SECONDS)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait(_IDLE_SECONDS if self._fills else None)
            self._wake.clear()
            if self._stop.is_set():
                return
            try:
                if self._commits and self._database.is_server:
                    settle_marks(self._database)
                elif self._commits:
                    self._merge()
                if self._pages >= CHECKPOINT_PAGES:
                    self._database.checkpoint()
                if self._pages >= _LOG_TOO_LONG:
                    with self._database.pausing_writes():
                        self._database.checkpoint()
                self._fill_all()
                self.trouble = ""
            except (StoreError, EngineError) as error:
                # Nothing is lost: the next commit or the next look tries again; status shows why.
                self.trouble = error.message

    def _fill_all(self) -> None:
        for name, wish in list(self._fills.items()):
            work, unfinished, self._may_hang = wish
            # Looked at after the mark is set, as whoever closes looks in the other order.
            if self._stop.is_set():
                return
            for _ in work():
                if self._stop.is_set():
                    return
            if not unfinished():
                with self._lock:
                    # A newer wish may have come in meanwhile: that one is not done yet.
                    if self._fills.get(name) is wish:
                        del self._fills[name]

    def _merge(self) -> None:
        while not self._stop.is_set() and self._bite():
            pass

    def _bite(self) -> bool:
        """Merge a little of the word indexes; say whether there is more to do."""
        with self._database.writing() as connection:
            before = connection.total_changes()
            bm25.merge(connection, _MERGE_PAGES)
            # The command itself counts as one change per table; more means work was done.
            return connection.total_changes() - before > len(bm25.TABLES)

    def _end(self, at_most: float | None = None) -> None:
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            # An embedder may hang on its network; what it was making is made anew next time.
            # All else ends by itself, and Python dies if it ends before a thread in foreign code.
            self._thread.join(_PATIENCE_SECONDS if self._may_hang else at_most)

    def close(self) -> None:
        """Stop after the piece of work in hand, and leave the word indexes tidy."""
        self._end()
        atexit.unregister(self._end)
        if self._commits and self._database.is_server:
            with contextlib.suppress(StoreError):
                settle_marks(self._database)
        elif self._commits:
            # Another process may be writing, the disk may be full: it can wait for the next one.
            with contextlib.suppress(StoreError):
                any(not self._bite() for _ in range(_LAST_BITES))


# -- `Store`: where memories rest. Everyone may propose Changes; only `commit` makes them true

Seen = TypeVar("Seen")
# A file name holds 255 bytes; the store's log and its unfinished form need some of them.
_LONGEST_NAME = 220


class Store:
    """One file: nouns, words and vectors in one transaction, several processes at once."""

    def __init__(
        self,
        path: Path,
        *,
        analysers: Sequence[Analyser] = (),
        busy_seconds: float = 10.0,
        synchronous: str = "FULL",
        vfs: str | None = None,
        backups: Path | None = None,
        now: Callable[[], datetime] | None = None,
        resident: int = RESIDENT,
        server: PostgresDatabase | None = None,
    ) -> None:
        self.path, self.common = path, self
        self._resident_most = resident
        self.analysers: list[Analyser] = list(analysers) or [Basic()]
        options: dict[str, Any] = {
            "busy_seconds": busy_seconds,
            "synchronous": synchronous,
            "vfs": vfs,
        }
        self.database: Database
        if server is not None:
            self.database, server.on_commit = server, self._after_commit
        else:
            if vfs is None:
                _create(path, options)
            self.database = Database(
                path, **options, on_wal=self._after_commit, on_replaced=self._follow_file
            )
        self._grouped = GroupedWrites(server, self._commit_together) if server else None
        self._check_pages = False
        self._upkeep = Upkeep(self.database)
        self._subscriptions = Subscriptions()
        self._add_tables()
        make = None
        if backups is not None and now is not None:
            make = lambda: backup.back_up(self.database, backups, now())  # noqa: E731
        try:
            sidecar = self._open_sidecar() if vfs is None else None
            migrate(self.database, backup=make)
            self.database.leave_log()
            if sidecar is not None:
                self._look_back(sidecar)
            if not self.damage:
                tombstones.reapply(self.database, self.words.ready(), (now or SystemClock().now)())
        except BaseException:
            # A store that cannot be opened must not be held: someone may want to move it away.
            self.database.close()
            raise
        if not self.readonly:
            self._keep_read()

    def _open_sidecar(self) -> Sidecar:
        """Hold the file beside the store; find out whether it was left whole."""
        database, sidecar = self.database, self.database.sidecar
        sidecar.open(readonly=database.readonly and not database.is_server)
        if database.is_server:
            return sidecar
        if not database.readonly and sidecar.has_foreign_log():
            database.replaced = _set_log_aside(self.path)
        left_open = size(log_of(sidecar.store)) > 0 and sidecar.is_alone()
        if left_open or sidecar.read().damage or _is_torn(sidecar.store):
            # Not before the store is known to be ours: what is no store at all says so itself.
            self._check_pages = True
        return sidecar

    def _look_back(self, sidecar: Sidecar) -> None:
        """Check the pages if the store was left in a crash, and the ledgers for lost lines."""
        if self._check_pages:
            damage = self.database.quick_check()
            if not damage and _is_torn(sidecar.store):
                damage = f"{self.path.name} ends in the middle of a page"
            self.database.damage = damage
            sidecar.note_damage(damage)
        with contextlib.suppress(StoreError):
            sidecar.note_lost(self.ledger.cut())
        if not self.database.readonly:
            sidecar.note_files()

    def _add_tables(self) -> None:
        database, walled = self.database, self.database.walled
        self.memories = walled(MemoryTable)(database)
        self.links = walled(LinkTable)(database)
        self.entities = walled(EntityTable)(database)
        self.pages = walled(PageTable)(database)
        self.ledger = walled(LedgerTable)(database)
        self.undo = walled(UndoTable)(database)
        self.jobs = walled(JobTable)(database)
        self.agent_jobs = walled(AgentJobTable)(database)
        self.nights = walled(NightTable)(database)
        self.night_queries = walled(NightQueries)(database)
        self.sessions = walled(SessionTable)(database)
        self.projects = walled(ProjectTable)(database)
        self.replays = walled(ReplayTable)(database)
        self.usage = walled(UsageTable)(database)
        self.people = walled(PeopleTable)(database)
        self.tokens = walled(TokenTable)(database)
        self.visits = walled(VisitTable)(database)
        self.profiles = walled(ProfileTable)(database)
        self.experience = walled(ExperienceTable)(database)
        self.audit = walled(AuditTable)(database)
        self.survey = walled(Survey)(database)
        self.traces = walled(RecallTraceTable)(self.ledger)
        index = IndexOnServer if database.is_server else IndexInFile
        self.words = walled(WordSearch)(database, self.analysers, index)
        self.vectors = walled(VectorSearch)(database, behind=self._read_behind)
        self._resident = walled(ResidentIndexes)(database, self, self._work_on, self._resident_most)

    def at_hand(self, scope: Scope) -> Tables:
        """Return the tables that a recall asks: in memory where they are, and else this store."""
        return self._resident.at_hand(scope)

    def prepare(self, scope: Scope) -> bool:
        """Bring what a recall asks into memory now; say whether it is there."""
        return self._resident.prepare(scope)

    def settle_resident(self, most: int) -> int:
        """Hold no more than so many memories in memory from now on; return the number before."""
        return self._resident.settle(most)

    def _work_on(self, name: str, work: Fill) -> None:
        self._upkeep.fill(name, work, lambda: False)

    def _read_behind(self, shard: Shard) -> None:
        """Read the rest of a large shard in the background; words answer meanwhile."""
        self._work_on(
            f"shard:{shard.owner}:{shard.embedder}",
            lambda: walls.for_owner(shard.catch_up(self.database), shard.owner),
        )

    def _after_commit(self, pages: int) -> None:
        self._upkeep.after_commit(pages)

    # -- what a person should know ----------------------------------------------------------------

    @property
    def readonly(self) -> bool:
        """Say whether the file can only be read."""
        return self.database.readonly

    @property
    def place(self) -> str:
        """Say where the store is, as people read it: a file, or a server without its password."""
        return self.database.place

    @property
    def warnings(self) -> list[str]:
        """Say what is wrong with the place or the disk, if anything."""
        held = self.database
        texts = (held.warning, held.damage, held.replaced, held.trouble, self._upkeep.trouble)
        return [text for text in (*texts, *self.lost_lines) if text]

    @property
    def lost_lines(self) -> list[str]:
        """Say which lines of ledgers were written once and are not here."""
        with contextlib.suppress(StoreError):
            lost = self.ledger.cut().values()
            return [StoreError("store.ledger_was_cut", seq=last.seq).message for last in lost]
        return []

    @property
    def damage(self) -> str:
        """Say what is broken in the file, if that was seen: then nothing is written."""
        return self.database.damage

    # -- writing ----------------------------------------------------------------------------------

    def commit(
        self,
        batch: Batch | Callable[[], Batch],
        receipt: IdempotencyKey | None = None,
        *,
        patience: float | None = None,
        owner: str = "",
    ) -> Committed:
        """Make all Changes of the batch true, and their ledger lines, or none of them.

        A batch that is a function is thought out inside the transaction: what it reads holds.
        `owner` says whose it will be; a server holds back everyone where nobody is named.
        """
        if self._grouped is not None and isinstance(batch, Batch):
            return self._grouped.commit(WriteRequest(batch, receipt, patience))
        owner = batch.owner if isinstance(batch, Batch) else owner
        # The lock outlasts the transaction, so that commits are told of in their order.
        with self.database.pausing_writes(patience, owner):
            with contextlib.ExitStack() as failed:
                with self._transaction(batch, patience, owner) as (connection, thought):
                    done = write_batch(self, connection, thought, receipt, failed)
                failed.pop_all()
            return self._told(done)

    def _commit_together(self, requests: Sequence[WriteRequest]) -> list[Committed]:
        """Make the batches of one owner true in one transaction; its lock is held."""
        with contextlib.ExitStack() as failed:
            first = requests[0]
            with self.database.writing(first.batch.owner, patience=first.patience) as connection:
                if len(requests) > 1:
                    saved = [isinstance(c, Saved) for r in requests for c in r.batch.changes]
                    connection.reserve_numbers(sum(saved))  # type: ignore[attr-defined]
                done = [
                    write_batch(self, connection, each.batch, each.receipt, failed)
                    for each in requests
                ]
            failed.pop_all()
        return [self._told(each) for each in done]

    def _told(self, done: Writing | str) -> Committed:
        """Tell listeners what became true; a batch that was carried out before is told of once."""
        if isinstance(done, str):
            return Committed({}, repeated=done)
        if done.lines:
            self.database.sidecar.note_line(done.owner, done.last, done.head)
        self._subscriptions.tell(_news(done))
        tagged = {each.memory: each.tags for each, _ in done.lines if isinstance(each, Tagged)}
        return Committed(done.same, tagged=tagged)

    @contextlib.contextmanager
    def _transaction(
        self, batch: Batch | Callable[[], Batch], patience: float | None, owner: str
    ) -> Iterator[tuple[Connection, Batch]]:
        if isinstance(batch, Batch):
            with self.database.writing(owner, patience=patience) as connection:
                yield connection, batch
        else:
            with self.database.deciding(patience=patience, owner=owner) as connection:
                yield connection, batch()

    def subscribe(
        self, listener: Listener, *kinds: type[Change], owner: str | None = None
    ) -> Subscription:
        """Call the listener after each commit with what it made true, of these kinds and owner."""
        return self._subscriptions.subscribe(listener, kinds, owner)

    # -- upkeep -----------------------------------------------------------------------------------

    def _keep_read(self) -> None:
        """Let each analyser read in the background what it missed: it came late, or was stopped."""
        for each in self.analysers:
            # A damaged index must not keep the store from opening: the text is still there.
            with contextlib.suppress(StoreError, DriverError):
                if self._has_unread(each):
                    work = partial(self._read_with, each)
                    self._upkeep.fill(f"words:{each.name}", work, partial(self._has_unread, each))

    def _has_unread(self, analyser: Analyser) -> bool:
        return not bm25.words_complete(self.database, analyser.name)

    def _read_with(self, analyser: Analyser) -> Iterator[int]:
        ready = analyser in self.words.ready()
        return fill_words(self.database, analyser) if ready else iter(())

    def keep_indexed(self, embedder: Embedder, now: Callable[[], datetime]) -> None:
        """Fill in missing vectors in the background until there are none."""
        if self.readonly:
            return
        self._upkeep.fill(
            "vectors",
            lambda: fill_vectors(self.database, embedder, now, self._upkeep.told_to_stop),
            lambda: bool(self.vectors.waiting(embedder.identity)),
            may_hang=not embedder.local,
        )

    def fill(self, embedder: Embedder, now: Callable[[], datetime]) -> Iterator[int]:
        """Fill in missing vectors, a batch at a time; yield how many each batch brought."""
        return fill_vectors(self.database, embedder, now)

    def work_behind(self, name: str, work: Fill) -> None:
        """Do something piece by piece in the background, while the store is open."""
        if not self.readonly:
            self._upkeep.fill(name, work, lambda: False)

    def rebuild(self, embedder: Embedder, now: Callable[[], datetime]) -> Iterator[tuple[int, int]]:
        """Write words and vectors anew from the text alone; yield (done, total)."""
        with self.database.repairing():
            yield from self._rebuild(embedder, now)

    def _rebuild(
        self, embedder: Embedder, now: Callable[[], datetime]
    ) -> Iterator[tuple[int, int]]:
        with self.database.writing() as connection:
            bm25.rebuild(connection)
            connection.execute("DELETE FROM vector")
            connection.execute("DELETE FROM embedder")
            connection.execute("DELETE FROM house WHERE name LIKE 'covered:%'")
            connection.execute("UPDATE house SET value = '0' WHERE name LIKE 'read:%'")
            drop_every_profile(connection)
        self._forget_read()
        total = len(self.words.ready()) + 1
        count = self.database.rows("SELECT count(*) FROM memory WHERE text IS NOT NULL")[0][0]
        done = 0
        for analyser in self.words.ready():
            for made in fill_words(self.database, analyser):
                done += made
                yield done, total * count
        for made in fill_vectors(self.database, embedder, now):
            done += made
            yield done, total * count
        self.database.shrink()

    def _forget_read(self) -> None:
        """Forget what is held in memory of the file: it holds something else now."""
        self.vectors.forget_shards()
        self.words.forget_counts()
        self._resident.forget()

    def _follow_file(self) -> None:
        """Begin anew with the file that has the store's name now, and look what it lacks."""
        self._forget_read()
        with contextlib.suppress(StoreError):
            self.database.sidecar.note_lost(self.ledger.cut())

    def back_up(self, folder: Path, at: datetime, *, keep: int = 10) -> backup.Backup:
        """Make one verified backup file while others write."""
        return backup.back_up(self.database, folder, at, keep=keep)

    @contextlib.contextmanager
    def copy(self) -> Iterator[Store]:
        """Lend a copy of the store as it is now, in a folder that is thrown away afterwards."""
        beside = None if self.readonly else self.path.parent
        with tempfile.TemporaryDirectory(prefix=".saegim-copy-", dir=beside) as folder:
            target = Path(folder) / "copy.db"
            with self.database.one_moment(), self.database.reading() as reader:
                if self.database.is_server:
                    transfer.to_file(reader, target)
                else:
                    backup.copy(reader, target)
            copied = Store(target, analysers=self.analysers, synchronous="OFF")
            try:
                yield copied
            finally:
                copied.close()

    def restore_backup(
        self, source: Path, folder: Path, at: datetime
    ) -> tuple[backup.Backup, backup.Backup]:
        """Put a backup in place; return what was restored and what was kept aside."""
        tombstones.note_past(self.database)
        opens = self.tokens.opening() if _is_lived_in(self) else None
        with self.database.repairing():
            restored, aside = backup.restore(source, self.database, folder, at)
            migrate(self.database)
            self.database.sidecar.accept(self.ledger.heads())
            tombstones.reapply(self.database, self.words.ready(), at)
            if opens is not None:
                # What was revoked since the backup was made stays so.
                self.tokens.close_others(opens, at)
        self._forget_read()
        return restored, aside

    def accept_file(self) -> None:
        """Seal every row as it is, and take the last lines of the ledgers for the last."""
        if not self.database.is_server:
            with self.database.writing() as connection:
                seal_all(connection)
        self.database.sidecar.accept(self.ledger.heads())

    def check(self) -> list[str]:
        """Check every page and every word index against what it indexes; return what is wrong."""
        if self.database.is_server:
            return []  # the pages are the server's own to check
        with self.database.fresh_reader() as reader:
            rows = reader.execute("PRAGMA integrity_check(20)").fetchall()
        return [str(row[0]) for row in rows if row[0] != "ok"]

    def rehearse(self, *acts: tuple[Batch, Callable[[], Seen]]) -> list[Seen]:
        """Write each batch, look at the store as if it were kept, and take everything back."""
        seen = []
        try:
            with self.database.rehearsing() as connection:
                for batch, look in acts:
                    write(connection, batch, self.words.ready())
                    # FTS5 writes its totals at a savepoint or a commit; a search reads them.
                    connection.execute("SAVEPOINT act")
                    self.words.forget_counts()
                    seen.append(look())
        finally:
            self.words.forget_counts()
        return seen

    def schema(self) -> int:
        """Return the schema of the file; refuse one that is not ours."""
        with self.database.reading() as connection:
            return version(connection)

    def carried_out(self, scope: Scope, key: str) -> datetime | None:
        """Return when the act of this key was carried out, if it was."""
        rows = self.database.rows(
            "SELECT at FROM receipt WHERE owner = ? AND key = ?", (scope.user, key)
        )
        return from_micros(rows[0][0]) if rows else None

    def close(self) -> None:
        """Tell listeners what is left to tell, and let go of the store."""
        self._subscriptions.close()
        self._upkeep.close()
        self.database.close()


def _is_lived_in(store: Store) -> bool:
    """Say whether anybody ever wrote here; a new store that a backup moves into has no say."""
    with contextlib.suppress(StoreError):
        return bool(store.nights.owners())
    return False


def _news(writing: Writing) -> News:
    """Return what a transaction made true."""
    batch, changes = writing.batch, tuple(change for change, _ in writing.lines)
    lines = range(writing.last - len(changes) + 1, writing.last + 1)
    return News(batch.owner, changes, tuple(lines), batch.actor, batch.at)


def _is_torn(path: Path) -> bool:
    """Say whether the file ends in the middle of a page: someone cut it."""
    try:
        with path.open("rb") as file:
            header = file.read(18)
    except OSError:
        return False
    # A page of 65,536 bytes is written as 1, which no length can be odd against.
    page = int.from_bytes(header[16:18]) if len(header) == 18 else 0
    return page >= 512 and size(path) % page != 0


def _set_log_aside(path: Path) -> str:
    """Move a log away that is of the file which lay here before; return what to say about it."""
    real = Path(os.path.realpath(path))
    log = log_of(real)
    aside = log.with_name(f"{log.name}.foreign-{secrets.token_hex(4)}")
    log.rename(aside)
    real.with_name(f"{real.name}-shm").unlink(missing_ok=True)
    return StoreReplaced("store.log_set_aside", log=log, aside=aside).message


def _create(path: Path, options: dict[str, Any]) -> None:
    """Make a new store under another name and move it in place, so no half-made one is seen."""
    if len(path.name.encode("utf-8", "surrogateescape")) > _LONGEST_NAME:
        raise BadInput("store.name_is_too_long", name=path.name, most=_LONGEST_NAME)
    if path.exists() or path.is_symlink():
        if path.is_file() and path.stat().st_size == 0:
            raise StoreCorrupt("store.empty_file_store_was_expected", path=path)
        return
    log = log_of(path)
    if size(log) and not path.exists():
        raise StoreMissing("store.gone_but_log_is_here", path=path, name=log.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    # A name of its own: other processes and other threads may be making the same store.
    fresh = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.new")
    database = Database(fresh, **options)
    try:
        migrate(database)
        database.close()
        _name(fresh, path)
    finally:
        database.close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{fresh}{suffix}").unlink(missing_ok=True)


def _name(fresh: Path, path: Path) -> None:
    """Give a finished store its name, unless another process was faster."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        return
    except OSError:
        # This file system has no second names for a file; a rename is the next best thing.
        if not path.exists():
            os.rename(fresh, path)
