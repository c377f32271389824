"""Work behind the back: it starts when it is needed, survives trouble, and stops when told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from saegim.engines.embedder import Dense
from saegim.errors import StoreBusy, Unavailable
from saegim.store import store as upkeep
from saegim.store.database import Database
from saegim.store.store import CHECKPOINT_PAGES, Store, Upkeep
from stand_ins import PATIENCE, Toy, wait_until
from store.places import AT, furnished, keep


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    made = furnished(tmp_path / "store.db")
    yield made
    made.close()


@pytest.fixture
def work(database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Upkeep]:
    """Return the upkeep of that database, looking often."""
    monkeypatch.setattr(upkeep, "_IDLE_SECONDS", 0.01)
    made = Upkeep(database)
    yield made
    made.close()


def runs(work: Upkeep) -> bool:
    """Say whether it has a thread that runs; those of other stores may be about to end."""
    return work._thread is not None and work._thread.is_alive()


def test_nothing_runs_before_there_is_something_to_do(work: Upkeep) -> None:
    """U33.3: an idle store has no thread; the first need starts one."""
    assert not runs(work)
    work.after_commit(1)
    assert not runs(work)
    work.fill("x", lambda: iter(()), lambda: False)
    assert runs(work)
    work.close()
    assert not runs(work)


def test_a_wish_is_worked_on_until_it_is_done(work: Upkeep) -> None:
    """U1.2: while anything is unfinished it is tried again, without anyone asking."""
    rounds: list[int] = []

    def step() -> Iterator[int]:
        rounds.append(1)
        yield 1

    work.fill("x", step, lambda: len(rounds) < 5)
    wait_until(lambda: not work._fills)
    assert len(rounds) == 5


@pytest.mark.parametrize("error", [Unavailable("out"), StoreBusy("busy")])
def test_trouble_is_shown_and_tried_again(work: Upkeep, error: Exception) -> None:
    """U12.1: the reason can be read, the thread lives, and it clears when the trouble is over."""
    healthy = threading.Event()
    done: list[int] = []

    def step() -> Iterator[int]:
        if not healthy.is_set():
            raise error
        done.append(1)
        yield 1

    work.fill("x", step, lambda: not done)
    wait_until(lambda: work.trouble == str(error))
    healthy.set()
    work.after_commit(CHECKPOINT_PAGES)
    wait_until(lambda: bool(done) and work.trouble == "")


def test_a_wish_that_comes_in_while_another_ends_is_not_lost(work: Upkeep) -> None:
    """U1.2: a memory stored in the very moment the filling finishes is filled too."""
    second: list[int] = []

    def later() -> Iterator[int]:
        second.append(1)
        yield 1

    def unfinished() -> bool:
        work.fill("x", later, lambda: not second)
        return False

    work.fill("x", lambda: iter([1]), unfinished)
    wait_until(lambda: bool(second))


def test_stopping_ends_after_the_piece_in_hand(work: Upkeep) -> None:
    """Closing does not wait for a thousand batches."""
    started = threading.Event()
    pieces: list[int] = []

    def endless() -> Iterator[int]:
        while True:
            pieces.append(1)
            started.set()
            yield 1

    work.fill("x", endless, lambda: True)
    assert started.wait(PATIENCE)
    work.close()
    held = len(pieces)
    assert not runs(work)
    work.fill("y", endless, lambda: True)
    assert len(pieces) == held


class Slow(Toy):
    """An embedder in whose second text one stays until it may go on."""

    def __init__(self, **options: bool) -> None:
        super().__init__(8, **options)
        self.entered, self.go_on = threading.Event(), threading.Event()

    def _vector(self, text: str) -> Dense:
        if text == "tea 1":
            self.entered.set()
            assert self.go_on.wait(PATIENCE)
        return super()._vector(text)


def closing(path: Path, slow: Slow, monkeypatch: pytest.MonkeyPatch) -> tuple[Upkeep, bool]:
    """Close a store in the middle of its embedding; say whether that waited for the embedder."""
    monkeypatch.setattr(upkeep, "_PATIENCE_SECONDS", 0.01)
    store = Store(path, synchronous="OFF")
    for n in range(4):
        keep(store.database, f"tea {n}")
    store.keep_indexed(slow, lambda: AT)
    assert slow.entered.wait(PATIENCE)
    closer = threading.Thread(target=store.close)
    closer.start()
    closer.join(0.3)
    waited = closer.is_alive()
    slow.go_on.set()
    closer.join(PATIENCE)
    assert not closer.is_alive()
    return store._upkeep, waited


def test_closing_waits_for_the_text_in_hand_and_keeps_what_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U7.3: a slow embedder of this process ends before the process, between two texts.

    Python dies where it ends while a thread is in foreign code; and what every short command began
    anew would never be made.
    """
    slow = Slow()
    work, waited = closing(tmp_path / "store.db", slow, monkeypatch)
    assert waited
    assert not runs(work)
    store = Store(tmp_path / "store.db", synchronous="OFF")
    assert store.vectors.coverage(slow.identity).ready == 2
    store.close()


def test_closing_does_not_wait_for_an_embedder_on_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that hangs holds nobody up; what it was making is made anew next time."""
    work, waited = closing(tmp_path / "store.db", Slow(local=False), monkeypatch)
    assert not waited
    assert work._thread is not None
    work._thread.join(PATIENCE)
    assert not runs(work)


class Busy:
    """A thread that waits for a lock; it notes for how long it is waited for."""

    def __init__(self) -> None:
        self.waits: list[float | None] = []

    def join(self, seconds: float | None = None) -> None:
        """Stay."""
        self.waits.append(seconds)


def test_a_process_that_closes_nothing_is_not_kept_by_another_that_writes(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-32: at the end of a process the thread is waited for a while; the control is who closes."""
    ends: list[Callable[[], None]] = []
    monkeypatch.setattr(
        upkeep.atexit, "register", lambda call, *given: ends.append(partial(call, *given))
    )
    work = Upkeep(database)
    work.fill("x", lambda: iter(()), lambda: False)
    (end,), thread, busy = ends, work._thread, Busy()
    assert thread is not None
    work._thread = busy  # type: ignore[assignment]
    end()
    assert busy.waits == [upkeep._PATIENCE_SECONDS]
    work.close()
    assert busy.waits[1:] == [None]
    thread.join(PATIENCE)


def test_a_long_log_is_copied_back(database: Database, work: Upkeep) -> None:
    """R-13: commits that grow the log start a checkpoint, even one that must hold writers back."""
    for n in range(30):
        keep(database, f"tea number {n}")
    work.after_commit(upkeep._LOG_TOO_LONG)

    def copied() -> bool:
        return b"tea number 7" in database.path.read_bytes()

    wait_until(copied)


def test_every_so_many_commits_the_word_index_is_merged(database: Database, work: Upkeep) -> None:
    """No write waits for a merge; the background makes it."""
    for n in range(upkeep._MERGE_EVERY):
        keep(database, f"tea number {n}")
        work.after_commit(1)
    wait_until(lambda: work._thread is not None)
    work.close()
    assert database.rows("SELECT count(*) FROM words_basic WHERE words_basic MATCH 'tea'") == [
        (upkeep._MERGE_EVERY,)
    ]


def test_a_system_without_threads_to_spare_loses_nothing(
    work: Upkeep, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is durable is not reported as failed because no thread could start."""

    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        work.fill("x", lambda: iter(()), lambda: False)
    assert not runs(work)
    work.after_commit(CHECKPOINT_PAGES)
    assert runs(work)
