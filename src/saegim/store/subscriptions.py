"""Who hears of what was committed: told after the commit, in its order, on one quiet thread."""

from __future__ import annotations

import contextlib
import threading
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import TracebackType
from typing import Any, Final, Self, get_args

from saegim.errors import BadInput, StoreError
from saegim.memory.changes import Change

# Changes that may wait for one listener: some minutes of a busy conversation.
MOST_WAITING: Final = 4096
# How long closing waits for a listener in hand: it may hang.
FAREWELL_SECONDS: Final = 2.0
_LONGEST_TROUBLE: Final = 200


@dataclass(frozen=True, slots=True)
class News:
    """What one commit made true: whose, which Changes, who acted, when.

    `lines` are the numbers of the Changes in the owner's ledger, one for each; `missed` says how
    many commits this listener lost just before this one, because too much was waiting for it.
    """

    owner: str
    changes: tuple[Change, ...]
    lines: tuple[int, ...]
    actor: str
    at: datetime
    missed: int = 0


Listener = Callable[[News], object]


class Subscription:
    """One listener: what it wants to hear, what it missed, and what went wrong in it."""

    def __init__(
        self,
        subscriptions: Subscriptions,
        listener: Listener,
        kinds: tuple[type, ...],
        owner: str | None,
    ) -> None:
        self._subscriptions = subscriptions
        self._listener = listener
        self._kinds = kinds
        self._owner = owner
        self._lost = 0  # commits since the last one that found room
        self.waiting = 0  # Changes that are committed and not delivered yet
        self.missed = 0
        self.trouble = ""
        self.closed = False

    def wait(self, seconds: float = 10.0) -> bool:
        """Wait until nothing is left to deliver; say whether that came true in time."""
        return self._subscriptions.wait(self, seconds)

    def close(self) -> None:
        """Hear nothing more; a call that is under way ends by itself."""
        self._subscriptions.leave(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def wanted(self, news: News) -> News | None:
        """Return the part of the news that this listener wants to hear."""
        if self.closed or self._owner not in (None, news.owner):
            return None
        if not self._kinds:
            return news
        lines = zip(news.changes, news.lines, strict=True)
        mine = [each for each in lines if isinstance(each[0], self._kinds)]
        if not mine:
            return None
        return replace(
            news, changes=tuple(each for each, _ in mine), lines=tuple(line for _, line in mine)
        )

    def has_room(self, news: News) -> bool:
        """Say whether this much more may wait; what finds nothing waiting always may."""
        return not self.waiting or self.waiting + len(news.changes) <= MOST_WAITING

    def lose(self) -> None:
        """Count a commit that found no room."""
        self._lost += 1
        self.missed += 1

    def take(self, news: News) -> News:
        """Count what waits from now on; return it with what was lost before it."""
        self.waiting += len(news.changes)
        lost, self._lost = self._lost, 0
        return replace(news, missed=lost)

    def tell(self, news: News) -> None:
        """Call the listener; whatever goes wrong in it is noted and harms nobody else."""
        with _Noted(self):
            self._listener(news)


class _Noted:
    """Holds an error of a listener, of whatever kind: it is a stranger's code on our thread."""

    def __init__(self, subscription: Subscription) -> None:
        self._subscription = subscription

    def __enter__(self) -> None:
        return

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if error is not None:
            said = "".join(traceback.format_exception_only(error)).strip()
            self._subscription.trouble = said[:_LONGEST_TROUBLE]
        return True


class Subscriptions:
    """The listeners of one store, and the thread that calls them."""

    def __init__(self) -> None:
        self._listeners: tuple[Subscription, ...] = ()
        self._queue: deque[tuple[Subscription, News]] = deque()
        # Held for the queue, never while a listener is called.
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stopped = False

    def subscribe(
        self, listener: Listener, kinds: Sequence[type[Any]], owner: str | None
    ) -> Subscription:
        """Tell this listener from now on of these kinds of Changes, of all kinds for none."""
        known = get_args(Change)
        if wrong := [each for each in kinds if each not in known]:
            raise BadInput(
                "store.no_kind_of_change",
                wrong=wrong[0],
                known=", ".join(each.__name__ for each in known),
            )
        if not callable(listener):
            raise BadInput("store.cannot_be_called", listener=listener)
        made = Subscription(self, listener, tuple(kinds), owner)
        with self._changed:
            if self._stopped:
                raise StoreError("store.store_is_closed")
            self._listeners = (*self._listeners, made)
        return made

    def tell(self, news: News) -> None:
        """Queue what was committed for those who want it; waits for nobody.

        Called after each commit under the write lock of the process, so the queue has its order.
        """
        if not self._listeners or not news.changes:
            return
        with self._changed:
            for each in self._listeners:
                mine = each.wanted(news)
                if mine is None:
                    continue
                if self._stopped or not each.has_room(mine):
                    each.lose()
                else:
                    self._queue.append((each, each.take(mine)))
            if self._queue:
                self._start()
                self._changed.notify_all()

    def _start(self) -> None:
        if self._thread is None:
            thread = threading.Thread(target=self._run, name="saegim-hearing", daemon=True)
            # What is durable must not fail because the system has no thread to spare.
            with contextlib.suppress(RuntimeError):
                thread.start()
                self._thread = thread

    def _run(self) -> None:
        while self._deliver():
            pass

    def _deliver(self) -> bool:
        """Wait for something to tell and tell it; say whether there may be more."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._stopped)
            if not self._queue:
                return False
            subscription, news = self._queue.popleft()
        if not subscription.closed:
            subscription.tell(news)
        with self._changed:
            subscription.waiting -= len(news.changes)
            self._changed.notify_all()
        return True

    def wait(self, subscription: Subscription, seconds: float) -> bool:
        """Wait until nothing is left to deliver to one listener."""
        with self._changed:
            if self._is_own_thread():
                return False
            return self._changed.wait_for(lambda: not subscription.waiting, seconds)

    def leave(self, subscription: Subscription) -> None:
        """Deliver nothing more to one listener."""
        with self._changed:
            subscription.closed = True
            self._listeners = tuple(each for each in self._listeners if each is not subscription)

    def close(self) -> None:
        """Deliver what waits, as far as listeners let go in time; count the rest as missed."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._thread is not None and not self._is_own_thread():
            self._thread.join(FAREWELL_SECONDS)
        with self._changed:
            for subscription, news in self._queue:
                subscription.lose()
                subscription.waiting -= len(news.changes)
            self._queue.clear()
            self._changed.notify_all()

    def _is_own_thread(self) -> bool:
        return threading.current_thread() is self._thread
