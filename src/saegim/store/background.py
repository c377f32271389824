"""Background work of one process: checkpoints, word-index merges, missing vectors.

A daemon thread that starts with the first need for it and stops with the store, so that no write
and no read ever waits for any of it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

from saegim.errors import EngineError, StoreError
from saegim.store.database import Database
from saegim.store.search import word_index

# About 4 MB of log: small enough to copy back in milliseconds.
CHECKPOINT_PAGES = 1000
# A steady writer outruns a checkpoint that waits for nobody; from here on it waits a moment itself.
_LOG_TOO_LONG = 4000
# One bite of merging holds the write lock for a few milliseconds.
_MERGE_PAGES = 32
_MERGE_EVERY = 64
_LAST_BITES = 64
_IDLE_SECONDS = 5.0
_PATIENCE_SECONDS = 5.0

Fill = Callable[[], Iterator[int]]


class Upkeep:
    """The one background thread of an open store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._fills: dict[str, tuple[Fill, Callable[[], bool]]] = {}
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._commits = 0
        self._pages = 0
        self.trouble = ""

    def after_commit(self, pages: int) -> None:
        """Note that the log has grown; called by the writer after each commit."""
        self._commits += 1
        self._pages = pages
        if pages >= CHECKPOINT_PAGES or self._commits % _MERGE_EVERY == 0:
            self._start()
            self._wake.set()

    def fill(self, name: str, work: Fill, unfinished: Callable[[], bool]) -> None:
        """Ask for an index to be filled, again and again while anything is unfinished."""
        with self._lock:
            self._fills[name] = (work, unfinished)
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

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait(_IDLE_SECONDS if self._fills else None)
            self._wake.clear()
            if self._stop.is_set():
                return
            try:
                if self._commits:
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
            work, unfinished = wish
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
            word_index.merge(connection, _MERGE_PAGES)
            # The command itself counts as one change per table; more means work was done.
            return connection.total_changes() - before > len(word_index.TABLES)

    def close(self) -> None:
        """Stop after the piece of work in hand, and leave the word indexes tidy."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            # An embedder may hang on its network; what it was making is made anew next time.
            self._thread.join(_PATIENCE_SECONDS)
        if self._commits:
            # Another process may be writing, the disk may be full: it can wait for the next one.
            with contextlib.suppress(StoreError):
                any(not self._bite() for _ in range(_LAST_BITES))
