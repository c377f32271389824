"""`Sqlite`: the store in one file on this machine."""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import apsw

from saegim.engines.embedder import Embedder, Identity
from saegim.errors import BadInput, StoreCorrupt, StoreError, StoreMissing
from saegim.language.words import Analyser, Basic
from saegim.memory.changes import Change, Erased
from saegim.memory.clock import micros
from saegim.memory.scope import Scope
from saegim.store import backup
from saegim.store.commit import Batch, Writing, write, written
from saegim.store.database import Database
from saegim.store.desk.auditing import Auditing
from saegim.store.desk.hearing import Hearing, Listener, Subscription
from saegim.store.desk.jobs import Desk
from saegim.store.desk.lending import Lending
from saegim.store.desk.nights import Nights
from saegim.store.desk.projects import ProjectBook
from saegim.store.desk.rounds import Rounds
from saegim.store.desk.sessions import SessionBook
from saegim.store.desk.spending import Spending
from saegim.store.index import asking, filling, fulltext
from saegim.store.index.shards import Shards
from saegim.store.log import log_of, size
from saegim.store.migrate import migrate
from saegim.store.reading import Reading
from saegim.store.store import Committed, Receipt
from saegim.store.survey import Survey
from saegim.store.upkeep import Upkeep

Seen = TypeVar("Seen")
# A file name holds 255 bytes; the store's log and its unfinished form need some of them.
_LONGEST_NAME = 220


class Sqlite(Reading):
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
    ) -> None:
        self.path = path
        self.analysers: list[Analyser] = list(analysers) or [Basic()]
        options: dict[str, Any] = {
            "busy_seconds": busy_seconds,
            "synchronous": synchronous,
            "vfs": vfs,
        }
        if vfs is None:
            _create(path, options)
        self._database = Database(path, **options, on_wal=self._after_commit)
        self.desk = Desk(self._database)
        self.lending = Lending(self._database)
        self.spending = Spending(self._database)
        self.session_book = SessionBook(self._database)
        self.nights = Nights(self._database)
        self.rounds = Rounds(self._database)
        self.projects = ProjectBook(self._database)
        self._upkeep = Upkeep(self._database)
        self._hearing = Hearing()
        self._shards = Shards()
        self._counts = {name: asking.Counts() for name in fulltext.TABLES}
        make = None
        if backups is not None and now is not None:
            make = lambda: backup.back_up(self._database, backups, now())  # noqa: E731
        try:
            migrate(self._database, backup=make)
            self._database.leave_log()
        except BaseException:
            # A store that cannot be opened must not be held: someone may want to move it away.
            self._database.close()
            raise
        if not self.readonly:
            self._keep_read()

    def _after_commit(self, pages: int) -> None:
        self._upkeep.after_commit(pages)

    # -- what a person should know ----------------------------------------------------------------

    @property
    def readonly(self) -> bool:
        """Say whether the file can only be read."""
        return self._database.readonly

    @property
    def warnings(self) -> list[str]:
        """Say what is wrong with the place or the disk, if anything."""
        return [
            text
            for text in (self._database.warning, self._database.trouble, self._upkeep.trouble)
            if text
        ]

    # -- writing ----------------------------------------------------------------------------------

    def commit(
        self, batch: Batch, *, receipt: Receipt | None = None, patience: float | None = None
    ) -> Committed:
        """Make all Changes of the batch true, and their ledger lines, or none of them."""
        # The lock outlasts the transaction, so that commits are told of in their order.
        with self._database.pausing_writes(patience):
            done = self._commit(batch, receipt, patience)
            if isinstance(done, str):
                return Committed({}, repeated=done)
            self._hearing.tell(done)
            return Committed(done.same)

    def _commit(
        self, batch: Batch, receipt: Receipt | None, patience: float | None
    ) -> Writing | str:
        """Return what was written, or the outcome of the first try if it was carried out before."""
        with self._database.writing(patience) as connection:
            if receipt is not None and (known := _known(connection, batch.owner, receipt)):
                return known
            done = written(connection, batch, self._ready())
            if receipt is not None:
                outcome = done.same.get(receipt.outcome, receipt.outcome)
                connection.execute(
                    "INSERT INTO receipt VALUES (?, ?, ?, ?)",
                    (batch.owner, receipt.key, micros(batch.at), outcome),
                )
            return done

    def subscribe(
        self, listener: Listener, *kinds: type[Change], owner: str | None = None
    ) -> Subscription:
        """Call the listener after each commit with what it made true, of these kinds and owner."""
        return self._hearing.subscribe(listener, kinds, owner)

    # -- upkeep -----------------------------------------------------------------------------------

    def coverage(self, identity: Identity) -> filling.Coverage:
        """Say how far the vectors of an embedder cover the memories."""
        return filling.coverage(self._database, identity)

    def waiting(self, identity: Identity) -> int:
        """Count quickly how many memories still lack their vector."""
        return filling.waiting(self._database, identity)

    def _keep_read(self) -> None:
        """Let each analyser read in the background what it missed: it came late, or was stopped."""
        for each in self.analysers:
            # A damaged index must not keep the store from opening: the text is still there.
            with contextlib.suppress(StoreError, apsw.Error):
                if self._has_unread(each):
                    work = partial(self._read_with, each)
                    self._upkeep.fill(f"words:{each.name}", work, partial(self._has_unread, each))

    def _has_unread(self, analyser: Analyser) -> bool:
        return not filling.words_complete(self._database, analyser.name)

    def _read_with(self, analyser: Analyser) -> Iterator[int]:
        ready = analyser in self._ready()
        return filling.fill_words(self._database, analyser) if ready else iter(())

    def keep_indexed(self, embedder: Embedder, now: Callable[[], datetime]) -> None:
        """Fill in missing vectors in the background until there are none."""
        if self.readonly:
            return
        self._upkeep.fill(
            "vectors",
            lambda: filling.fill_vectors(self._database, embedder, now),
            lambda: bool(filling.waiting(self._database, embedder.identity)),
        )

    def rebuild(self, embedder: Embedder, now: Callable[[], datetime]) -> Iterator[tuple[int, int]]:
        """Write words and vectors anew from the text alone; yield (done, total)."""
        with self._database.writing() as connection:
            fulltext.rebuild(connection)
            connection.execute("DELETE FROM vector")
            connection.execute("DELETE FROM embedder")
            connection.execute("DELETE FROM house WHERE name LIKE 'covered:%'")
            connection.execute("UPDATE house SET value = '0' WHERE name LIKE 'read:%'")
        self._shards = Shards()
        self._counts = {name: asking.Counts() for name in fulltext.TABLES}
        total = len(self._ready()) + 1
        count = self._database.rows("SELECT count(*) FROM memory WHERE text IS NOT NULL")[0][0]
        done = 0
        for analyser in self._ready():
            for made in filling.fill_words(self._database, analyser):
                done += made
                yield done, total * count
        for made in filling.fill_vectors(self._database, embedder, now):
            done += made
            yield done, total * count
        self._database.shrink()

    def back_up(self, folder: Path, at: datetime, *, keep: int = 10) -> backup.Backup:
        """Make one verified backup file while others write."""
        return backup.back_up(self._database, folder, at, keep=keep)

    @contextlib.contextmanager
    def copy(self) -> Iterator[Sqlite]:
        """Lend a copy of the store as it is now, in a folder that is thrown away afterwards."""
        beside = None if self.readonly else self.path.parent
        with tempfile.TemporaryDirectory(prefix=".saegim-copy-", dir=beside) as folder:
            target = Path(folder) / "copy.db"
            with self._database.translated():
                backup.copy(self._database.reader(), target)
            copied = Sqlite(target, analysers=self.analysers, synchronous="OFF")
            try:
                yield copied
            finally:
                copied.close()

    def restore_backup(
        self, source: Path, folder: Path, at: datetime
    ) -> tuple[backup.Backup, backup.Backup]:
        """Put a backup in place; return what was restored and what was kept aside."""
        erased = self._database.rows("SELECT owner, subject FROM ledger WHERE change = 'Erased'")
        restored, aside = backup.restore(source, self._database, folder, at)
        migrate(self._database)
        self._shards = Shards()
        self._counts = {name: asking.Counts() for name in fulltext.TABLES}
        self._erase_again(erased, at)
        return restored, aside

    def _erase_again(self, erased: Sequence[tuple[str, str]], at: datetime) -> None:
        """Let nothing come back with a backup that was erased after it was made."""
        again: dict[str, list[Erased]] = {}
        for owner, id in erased:
            scope = Scope(owner)
            held = self.memory(scope, id)
            if held is not None and (held.text or self.rounds.in_archive(scope, id)):
                again.setdefault(owner, []).append(Erased(id))
        for owner, changes in again.items():
            self.commit(Batch(owner, changes, actor="restore", at=at))
        if again:
            self.rounds.copy_back()

    def check(self) -> list[str]:
        """Check every page and every word index against what it indexes; return what is wrong."""
        with self._database.fresh_reader() as reader:
            rows = reader.execute("PRAGMA integrity_check(20)").fetchall()
        return [str(row[0]) for row in rows if row[0] != "ok"]

    def rehearse(self, *acts: tuple[Batch, Callable[[], Seen]]) -> list[Seen]:
        """Write each batch, look at the store as if it were kept, and take everything back."""
        seen = []
        try:
            with self._database.rehearsing() as connection:
                for batch, look in acts:
                    write(connection, batch, self._ready())
                    # FTS5 writes its totals at a savepoint or a commit; a search reads them.
                    connection.execute("SAVEPOINT act")
                    self._counts = {name: asking.Counts() for name in fulltext.TABLES}
                    seen.append(look())
        finally:
            self._counts = {name: asking.Counts() for name in fulltext.TABLES}
        return seen

    def survey(self) -> Survey:
        """Return what status and doctor may ask of this store."""
        return Survey(self._database)

    def auditing(self) -> Auditing:
        """Return what an audit may count in this store."""
        return Auditing(self._database)

    def close(self) -> None:
        """Tell listeners what is left to tell, and let go of the store."""
        self._hearing.close()
        self._upkeep.close()
        self._database.close()


def _known(connection: apsw.Connection, owner: str, receipt: Receipt) -> str | None:
    """Return the outcome of the first try, if there was one."""
    rows = connection.execute(
        "SELECT outcome FROM receipt WHERE owner = ? AND key = ?", (owner, receipt.key)
    ).fetchall()
    return str(rows[0][0]) if rows else None


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
