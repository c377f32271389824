"""Who listens hears what was committed: after it, in its order, and at nobody else's cost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound, StoreBusy, StoreError
from saegim.memory.changes import Erased, Leaving, Linked, Pinned, Reweighed, Saved, Tiered, subject
from saegim.memory.memory import Memory, Scope
from saegim.store import subscriptions
from saegim.store.commit import Batch, IdempotencyKey
from saegim.store.rows import Where
from saegim.store.store import Store
from saegim.store.subscriptions import News, Subscription
from stand_ins import PATIENCE, wait_until
from store.places import AT, ME, memory

YOU = Scope("you")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return an empty store."""
    made = Store(tmp_path / "store.db", synchronous="OFF")
    yield made
    made.close()


def save(store: Store, *texts: str, scope: Scope = ME, **options: Any) -> list[str]:
    """Commit these texts together; return their ids."""
    made = [memory(text, scope) for text in texts]
    store.commit(Batch(scope.user, [Saved(each) for each in made], "test", AT, **options))
    return [each.id for each in made]


def saved(heard: list[News]) -> list[Memory]:
    """Return the memories that were heard of, in their order."""
    return [each.memory for news in heard for each in news.changes if isinstance(each, Saved)]


def texts(heard: list[News]) -> list[str]:
    """Return the texts of the memories that were heard of, in their order."""
    return [each.text for each in saved(heard)]


class Gate:
    """A listener that stands still until it is let on."""

    def __init__(self) -> None:
        self.heard: list[News] = []
        self.entered = threading.Event()
        self.open = threading.Event()

    def __call__(self, news: News) -> None:
        """Wait at the gate, then note what was heard."""
        self.entered.set()
        assert self.open.wait(30)
        self.heard.append(news)


# -- what is heard --------------------------------------------------------------------------------


def test_what_was_committed_is_heard_with_its_place_in_the_ledger(store: Store) -> None:
    """Seed E, event bus: owner, Changes, actor, instant and lines of the ledger, as committed."""
    heard: list[News] = []
    (first,) = save(store, "before anyone listened")
    with store.subscribe(heard.append) as subscription:
        store.commit(Batch("me", [Pinned(first, True), Pinned(first, False)], "hand", AT))
        assert subscription.wait()
    (news,) = heard
    assert news == News("me", (Pinned(first, True), Pinned(first, False)), (2, 3), "hand", AT)
    told = [(entry.seq, entry.change) for entry in store.ledger.entries(ME, since=1)]
    assert told == [
        (line, type(each).__name__) for line, each in zip(news.lines, news.changes, strict=True)
    ]


def test_only_the_kinds_that_were_asked_for_are_heard(store: Store) -> None:
    """A listener for one kind is not called for another, and each Change keeps its own line."""
    heard: list[News] = []
    with store.subscribe(heard.append, Pinned, Erased) as subscription:
        (id,) = save(store, "tea")
        store.commit(
            Batch("me", [Reweighed(memory=id, at=AT, used=1), Pinned(id, True)], "test", AT)
        )
        assert subscription.wait()
    assert [(news.changes, news.lines) for news in heard] == [((Pinned(id, True),), (3,))]


def test_the_order_is_that_of_the_commits_whoever_writes(store: Store) -> None:
    """Eight threads write at once; the ledger and the listener tell the same story."""
    heard: list[News] = []
    with store.subscribe(heard.append, Saved) as subscription:
        threads = [
            threading.Thread(target=lambda n=n: [save(store, f"{n}:{m}") for m in range(12)])
            for n in range(8)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert subscription.wait(30)
    lines = [line for news in heard for line in news.lines]
    assert lines == list(range(1, 97))
    assert [each.id for each in saved(heard)] == [
        entry.subject for entry in store.ledger.entries(ME)
    ]


def test_no_commit_overtakes_another_on_its_way_to_the_listeners(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever commits second is told of second, however long the first takes to tell."""
    heard: list[News] = []
    overtaken, tell = threading.Event(), store._subscriptions.tell
    first_tells = threading.Event()

    def slowly(news: News) -> None:
        if threading.current_thread().name == "first":
            first_tells.set()
            overtaken.wait(0.2)
        tell(news)
        overtaken.set()

    with store.subscribe(heard.append) as subscription:
        monkeypatch.setattr(store._subscriptions, "tell", slowly)
        first = threading.Thread(target=save, args=(store, "first"), name="first")
        first.start()
        assert first_tells.wait(30)
        save(store, "second")
        first.join(30)
        assert subscription.wait()
    assert texts(heard) == ["first", "second"]


def test_a_duplicate_is_heard_as_what_it_became(store: Store) -> None:
    """After collapsing, nothing new was saved: the listener hears of the one that is there."""
    heard: list[News] = []
    (first,) = save(store, "green tea")
    with store.subscribe(heard.append) as subscription:
        save(store, "green tea", collapse=True)
        assert subscription.wait()
    changes = [each for news in heard for each in news.changes]
    assert {type(each) for each in changes} == {Reweighed, Tiered}
    assert {subject(each) for each in changes} == {first}


def test_a_turn_is_heard_with_the_number_it_got(store: Store) -> None:
    """What is delivered is what was written: the number that only the transaction knows too."""
    heard: list[News] = []
    with store.subscribe(heard.append, Saved) as subscription:
        for text in ("one", "two"):
            save(store, text, scope=Scope("me", session="chat"), count_turns=True)
        assert subscription.wait()
    numbers = [each.time.sequence for each in saved(heard)]
    assert numbers == [1, 2]
    assert [each.time.sequence for _, each in store.memories.walk(Where(scope=ME))] == [1, 2]


# -- only what is true ----------------------------------------------------------------------------


def test_when_it_is_heard_it_can_be_read_and_no_lock_is_held(store: Store) -> None:
    """After the commit, outside transaction and lock: a listener reads it, and others write."""
    seen: list[bool] = []

    def listen(news: News) -> None:
        (change,) = news.changes
        assert isinstance(change, Saved)
        if change.memory.text == "first":
            other = threading.Thread(target=save, args=(store, "by another thread"))
            other.start()
            other.join(30)
            seen.append(not other.is_alive())
        seen.append(store.memories.get(ME, change.memory.id) is not None)

    with store.subscribe(listen) as subscription:
        save(store, "first")
        wait_until(lambda: len(seen) == 3)
        assert subscription.wait()
        assert (seen, subscription.trouble) == ([True, True, True], "")


def test_what_was_taken_back_is_never_heard(store: Store) -> None:
    """A batch that fails, a rehearsal and a key that is known already deliver nothing."""
    heard: list[News] = []
    with store.subscribe(heard.append) as subscription:
        good = memory("good")
        with pytest.raises(NotFound):
            store.commit(Batch("me", [Saved(memory("torn")), Erased("mem_none")], "test", AT))
        store.rehearse((Batch("me", [Saved(memory("rehearsed"))], "test", AT), lambda: None))
        for _ in range(2):
            batch = Batch("me", [Saved(good)], "test", AT)
            store.commit(batch, receipt=IdempotencyKey("once", good.id))
        store.commit(Batch("me", [], "test", AT))
        assert subscription.wait()
    assert texts(heard) == ["good"]


def test_a_busy_store_is_still_told_of_in_time(store: Store) -> None:
    """The patience of a writer holds while someone listens: it is not made to wait longer."""
    with store.subscribe(lambda _: None):
        entered, leave = threading.Event(), threading.Event()

        def hold() -> None:
            with store.database.pausing_writes():
                entered.set()
                leave.wait(30)

        holder = threading.Thread(target=hold)
        holder.start()
        assert entered.wait(30)
        with pytest.raises(StoreBusy):
            store.commit(Batch("me", [Saved(memory("x"))], "test", AT), patience=0.0)
        leave.set()
        holder.join(30)


# -- whose it is ----------------------------------------------------------------------------------


def test_another_users_changes_are_never_heard(store: Store) -> None:
    """R-wall: a listener of one user hears nothing of another, and one of all hears both."""
    mine: list[News] = []
    all: list[News] = []
    with store.subscribe(mine.append, owner="me") as one, store.subscribe(all.append) as both:
        save(store, "yours", scope=YOU)
        save(store, "mine")
        assert one.wait()
        assert both.wait()
    assert (texts(mine), texts(all)) == (["mine"], ["yours", "mine"])


def test_a_memory_tells_its_own_user_alone(memory: Saegim) -> None:
    """`care.subscribe` hears every verb of this user, from whichever room, and nobody else's."""
    heard: list[News] = []
    with memory.maintenance.subscribe(heard.append, Saved, Leaving) as subscription:
        memory.within(user="other").remember("열쇠는 옆집에 있다")
        kept = memory.within(project="house").remember("열쇠는 화분 아래에 있다")
        memory.forget(kept.id)
        assert subscription.wait()
    assert [(news.owner, type(each)) for news in heard for each in news.changes] == [
        (memory.scope.user, Saved),
        (memory.scope.user, Leaving),
    ]
    assert texts(heard) == ["열쇠는 화분 아래에 있다"]


# -- trouble --------------------------------------------------------------------------------------


class Mute(Exception):
    """An error that cannot even be printed."""

    def __str__(self) -> str:
        raise ValueError("no words")


@pytest.mark.parametrize("error", [ValueError("no room in my inbox"), Mute(), SystemExit(3)])
def test_an_error_in_a_listener_harms_nobody(store: Store, error: BaseException) -> None:
    """The writer, the other listeners and the next call go on; `trouble` says what happened."""
    heard: list[News] = []
    calls: list[News] = []

    def angry(news: News) -> None:
        calls.append(news)
        raise error

    with store.subscribe(angry) as wrong, store.subscribe(heard.append) as right:
        save(store, "one")
        save(store, "two")
        assert wrong.wait()
        assert right.wait()
        assert (len(calls), texts(heard)) == (2, ["one", "two"])
        assert type(error).__name__ in wrong.trouble
        assert right.trouble == ""
    assert store.memories.count_up_to(ME, 10) == 2


def test_what_overflows_is_counted_and_told_and_no_commit_waits(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A listener that stands still loses what has no room; the next it hears says how much."""
    monkeypatch.setattr(subscriptions, "MOST_WAITING", 3)
    slow = Gate()
    quick: list[News] = []
    with store.subscribe(slow) as waiting, store.subscribe(quick.append) as other:
        save(store, "one")
        assert slow.entered.wait(30)
        for text in ("two", "three", "four", "five"):
            save(store, text)
        assert (waiting.waiting, waiting.missed) == (3, 2)
        slow.open.set()
        assert waiting.wait(30)
        save(store, "six")
        assert waiting.wait()
        assert other.wait()
        assert [(texts([each]), each.missed) for each in slow.heard] == [
            (["one"], 0),
            (["two"], 0),
            (["three"], 0),
            (["six"], 2),
        ]
        assert waiting.missed == 2
    assert store.memories.count_up_to(ME, 10) == 6


def test_a_commit_larger_than_the_queue_is_heard_whole(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing waits there is room for anything: no import is too large to be heard of."""
    monkeypatch.setattr(subscriptions, "MOST_WAITING", 3)
    heard: list[News] = []
    with store.subscribe(heard.append) as subscription:
        save(store, *map(str, range(9)))
        assert subscription.wait()
    assert (len(texts(heard)), subscription.missed) == (9, 0)


# -- closing --------------------------------------------------------------------------------------


def test_a_closed_subscription_hears_nothing_more(store: Store) -> None:
    """Neither what comes later nor what was waiting; the others hear both."""
    slow = Gate()
    heard: list[News] = []
    closed = store.subscribe(slow)
    with store.subscribe(heard.append) as other:
        save(store, "in hand")
        assert slow.entered.wait(30)
        save(store, "waiting")
        closed.close()
        closed.close()
        slow.open.set()
        save(store, "later")
        assert other.wait()
    assert (texts(slow.heard), texts(heard)) == (["in hand"], ["in hand", "waiting", "later"])
    assert store._subscriptions._listeners == ()


def test_a_listener_may_close_itself_and_write(store: Store) -> None:
    """What it does on the quiet thread is heard like everything else, and nothing stands still."""
    heard: list[News] = []
    held: list[Subscription] = []

    def once(_: News) -> None:
        held[0].close()
        assert not held[0].wait(3600)
        save(store, "an answer")

    held.append(store.subscribe(once))
    with store.subscribe(heard.append) as other:
        save(store, "a question")
        wait_until(lambda: len(heard) == 2)
        assert other.wait()
    assert texts(heard) == ["a question", "an answer"]
    assert held[0].trouble == ""


def test_closing_the_store_tells_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was committed before the end is heard before the end, and the store is still open."""
    monkeypatch.setattr(subscriptions, "FAREWELL_SECONDS", PATIENCE)
    heard: list[bool] = []
    store = Store(tmp_path / "store.db", synchronous="OFF")

    def look(news: News) -> None:
        heard.extend(store.memories.get(ME, each.id) is not None for each in saved([news]))

    store.subscribe(look, Saved)
    for n in range(20):
        save(store, str(n))
    store.close()
    assert heard == [True] * 20
    hearing = store._subscriptions._thread
    assert hearing is not None
    assert not hearing.is_alive()
    with pytest.raises(StoreError, match="closed"):
        store.subscribe(look)


def test_a_listener_may_close_the_store(store: Store) -> None:
    """Whoever hears enough may end it all: nothing waits for itself."""
    ended = store.subscribe(lambda _: store.close())
    save(store, "the end")
    assert ended.wait(30)
    assert ended.trouble == ""
    with pytest.raises(StoreError, match="closed"):
        save(store, "after the end")


def test_a_listener_that_hangs_does_not_hold_the_store(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closing waits a moment and goes; what was never told is counted."""
    monkeypatch.setattr(subscriptions, "FAREWELL_SECONDS", 0.05)
    slow = Gate()
    waiting = store.subscribe(slow)
    save(store, "in hand")
    assert slow.entered.wait(30)
    save(store, "never told")
    store.close()
    assert waiting.missed == 1
    slow.open.set()
    assert waiting.wait(30)


def test_nobody_listens_nothing_runs(store: Store) -> None:
    """No thread and no queue before someone listens, nor before there is something to hear."""
    save(store, "unheard")
    with store.subscribe(lambda _: None, Linked) as subscription:
        save(store, "not wanted")
        assert (store._subscriptions._thread, subscription.waiting) == (None, 0)
        with store.subscribe(lambda _: None) as other:
            save(store, "wanted")
            assert other.wait()
        assert store._subscriptions._thread is not None


def test_what_cannot_be_heard_is_refused(store: Store, clock: FixedClock) -> None:
    """A misspelt kind or a listener that is none is told at once, not by silence."""
    with pytest.raises(BadInput, match="kind of Change"):
        store.subscribe(lambda _: None, FixedClock)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="called"):
        store.subscribe("not a function")  # type: ignore[arg-type]
    assert clock.now()
