"""Writes of one owner that wait for each other travel together: one transaction, one sync.

Who comes while another's transaction runs stands in line; whoever gets the lock next takes everyone
who stands there along. If anything in such a group is refused, nothing of it is kept, and each is
carried out by itself: nobody fails for another's sake.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Final, Protocol

from saegim.errors import SaegimError, StoreBusy, StoreCorrupt, StoreError
from saegim.memory.changes import Erased
from saegim.memory.clock import micros
from saegim.store import tombstones
from saegim.store.commit import written
from saegim.store.database import Connection, Database
from saegim.store.ledger import Batch, Committed, IdempotencyKey, Writing
from saegim.store.search.bm25 import WordSearch

_MOST_TOGETHER: Final = 32


@dataclass(slots=True, eq=False)
class WriteRequest:
    """One batch that stands in line, and what became of it."""

    batch: Batch
    receipt: IdempotencyKey | None
    patience: float | None = None
    # Something in a group was refused: now each by itself, in the thread that asked for it.
    alone: bool = False
    done: Committed | None = None
    error: SaegimError | None = None
    is_settled: bool = False
    # Set when it is settled, and when it is this one's turn to carry the line out.
    called: threading.Event = field(default_factory=threading.Event)

    def settle(self, done: Committed | None, error: SaegimError | None = None) -> None:
        """Say what became of it."""
        self.done, self.error, self.is_settled = done, error, True
        self.called.set()

    def outcome(self) -> Committed:
        """Return what was committed, or raise why nothing was."""
        if self.error is not None:
            raise self.error
        assert self.done is not None
        return self.done


# Carries out all of these in one transaction, or none.
Together = Callable[[Sequence[WriteRequest]], list[Committed]]


class WaitingDatabase(Protocol):
    """What a line waits for: a server's database, and how many seconds."""

    place: str
    patience: float

    def pausing_writes(
        self, patience: float | None = None, owner: str = ""
    ) -> AbstractContextManager[None]:
        """Hold back the other writers of an owner."""
        ...


class GroupedWrites:
    """The lines in which the writers of each owner stand, in this process."""

    def __init__(self, database: WaitingDatabase, together: Together) -> None:
        self._database, self._together, self._patience = database, together, database.patience
        self._lines: dict[str, list[WriteRequest]] = {}
        # Whose line is being carried out.
        self._led: set[str] = set()
        self._lock = threading.Lock()

    def commit(self, request: WriteRequest) -> Committed:
        """Carry a batch out, with whoever else of its owner waits.

        Who stands in line sleeps until they are taken along, or until it is their turn: nobody
        wakes for a lock that has nothing to give, so that a line grows while another is carried.
        """
        owner = request.batch.owner
        with self._lock:
            self._lines.setdefault(owner, []).append(request)
            leads = owner not in self._led
            self._led.add(owner)
        try:
            leads = leads or self._is_called(owner, request)
            if leads:
                self._lead(owner, request)
        finally:
            self._leaves(owner, request)
            if leads or (request.called.is_set() and not request.is_settled):
                self._call_next(owner)
        return request.outcome()

    def _is_called(self, owner: str, request: WriteRequest) -> bool:
        """Wait until a request is settled or has its turn; say whether it has."""
        wait = self._patience if request.patience is None else request.patience
        if not request.called.wait(wait):
            with self._lock:
                is_waiting = request in self._lines.get(owner, []) and not request.called.is_set()
            if is_waiting and self._leaves(owner, request):
                place = self._database.place
                raise StoreBusy("store.busy_another_thread_has_been", path=place, seconds=wait)
            # Somebody took it along just now: it is kept, or it is not, and soon known.
            request.called.wait()
        return not request.is_settled

    def _lead(self, owner: str, request: WriteRequest) -> None:
        with self._database.pausing_writes(request.patience, owner):
            while not request.is_settled:
                self._carry_out(owner, request)

    def _call_next(self, owner: str) -> None:
        with self._lock:
            if line := self._lines.get(owner):
                line[0].called.set()
            else:
                self._led.discard(owner)

    def _stand(self, owner: str, requests: Sequence[WriteRequest]) -> None:
        with self._lock:
            self._lines[owner] = [*self._lines.get(owner, ()), *requests]

    def _leaves(self, owner: str, *requests: WriteRequest) -> bool:
        """Step out of line; say no where somebody else carries it out, or has."""
        with self._lock:
            line = self._lines.pop(owner, [])
            left = [each for each in line if each not in requests]
            if left:
                self._lines[owner] = left
        return len(left) < len(line)

    def _carry_out(self, owner: str, mine: WriteRequest) -> None:
        """Carry out whoever stands in line, or this one by itself."""
        with self._lock:
            line = self._lines[owner]
        others = [each for each in line if each is not mine and not each.alone]
        group = [mine] if mine.alone else [mine, *others[: _MOST_TOGETHER - 1]]
        group.sort(key=line.index)
        self._leaves(owner, *group)
        try:
            made = self._together(group)
        except SaegimError as error:
            if len(group) == 1 or _is_everyones(error):
                for each in group:
                    each.settle(None, error)
        else:
            for each, done in zip(group, made, strict=True):
                each.settle(done)
        finally:
            if left := [each for each in group if not each.is_settled]:
                for each in left:
                    each.alone = True
                self._stand(owner, left)


def _is_everyones(error: SaegimError) -> bool:
    """Say whether each by itself would fare no better: the server is busy, full or away."""
    return isinstance(error, StoreError) and not isinstance(error, StoreCorrupt)


class WritableStore(Protocol):
    """What a batch is written into: a store."""

    database: Database
    words: WordSearch


def write_batch(
    store: WritableStore,
    connection: Connection,
    batch: Batch,
    receipt: IdempotencyKey | None,
    failed: ExitStack,
) -> Writing | str:
    """Write one batch; return it, or the outcome of the first try if it was carried out before.

    What must be taken back outside of the transaction, should it not be kept, joins `failed`.
    """
    if receipt is not None and (known := _known(connection, batch.owner, receipt)):
        return known
    database = store.database
    done = written(connection, batch, store.words.ready())
    if done.lines and database.is_server:
        # Should the answer to the commit be lost, this line says what became of it.
        connection.proof = ledger_line(batch.owner, done)  # type: ignore[attr-defined]
    if receipt is not None:
        outcome = done.same.get(receipt.outcome, receipt.outcome)
        connection.execute(
            "INSERT INTO receipt VALUES (?, ?, ?, ?)",
            (batch.owner, receipt.key, micros(batch.at), outcome),
        )
    if any(isinstance(each, Erased) for each in batch.changes):
        laid = tombstones.lay(database.path, done)
        failed.callback(tombstones.withdraw, database, laid)
    return done


def ledger_line(owner: str, done: Writing) -> tuple[str, tuple[str, int, str]]:
    """Return how to ask for the last line that a transaction wrote."""
    asked = "SELECT 1 FROM ledger WHERE owner = ? AND seq = ? AND hash = ?"
    return asked, (owner, done.last, done.head)


def _known(connection: Connection, owner: str, receipt: IdempotencyKey) -> str | None:
    """Return the outcome of the first try, if there was one."""
    rows = connection.execute(
        "SELECT outcome FROM receipt WHERE owner = ? AND key = ?", (owner, receipt.key)
    ).fetchall()
    return str(rows[0][0]) if rows else None
