"""Long work that goes on after its caller was told so; asked again, it tells its end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from saegim.errors import SaegimError, Unavailable

Result = TypeVar("Result")

# A client gives a call ten seconds (U6.3); the answer needs some of them itself.
PATIENCE_SECONDS = 8.0
# How long closing waits for work in hand; nights and imports are safe to be cut off.
_FAREWELL_SECONDS = 3.0
# How long the end of some work is kept for whoever began it, and how much goes on at once.
_KEPT_SECONDS = 600.0
_MOST_AT_ONCE = 4


@dataclass(slots=True)
class LongCall(Generic[Result]):
    """One piece of work in a thread of its own."""

    work: Callable[[], Result]
    begun: float = field(default_factory=time.monotonic)
    _done: threading.Event = field(default_factory=threading.Event)
    _made: list[Result] = field(default_factory=list)
    _trouble: SaegimError | None = None

    @property
    def over(self) -> bool:
        """Say whether it has ended."""
        return self._done.is_set()

    def wait(self, seconds: float) -> None:
        """Wait for its end, but no longer than so."""
        self._done.wait(seconds)

    @property
    def trouble(self) -> SaegimError | None:
        """Return what it failed with, if it did."""
        return self._trouble

    def run(self) -> None:
        """Do the work and keep what came of it."""
        try:
            self._made.append(self.work())
        except SaegimError as error:
            self._trouble = error
        finally:
            self._done.set()

    def result(self) -> Result:
        """Return what came of it, or raise what it failed with."""
        if self._trouble is not None:
            raise self._trouble
        if not self._made:
            raise SaegimError("server.work_broke_off")
        return self._made[0]


class LongCalls:
    """The long work of one process: the same wish twice is the same work."""

    def __init__(self, patience: float = PATIENCE_SECONDS) -> None:
        self._patience = patience
        self._lock = threading.Lock()
        self._held: dict[Hashable, LongCall[Any]] = {}

    def sent(
        self, key: Hashable, work: Callable[[], Result], *, wait: bool = True
    ) -> LongCall[Result]:
        """Begin the work, or find it again; return it when it is over, or when patience is.

        Who does not wait has it at once, and asks `known` how it goes on.
        """
        with self._lock:
            call = self._held.get(key)
            if call is None or (call.over and not wait):
                self._make_room()
                call = self._held[key] = LongCall(work)
                threading.Thread(target=call.run, name="saegim-long-call", daemon=True).start()
        if not wait:
            return call
        call.wait(self._patience)
        if call.over:
            # It is told once: the next wish of this name is new work.
            with self._lock:
                if self._held.get(key) is call:
                    del self._held[key]
        return call

    def known(self, key: Hashable) -> LongCall[Any] | None:
        """Return the work of this name, going on or ended lately."""
        with self._lock:
            return self._held.get(key)

    def _make_room(self) -> None:
        """Drop ends that nobody came back for; refuse more work than one process should do."""
        now = time.monotonic()
        for key, each in list(self._held.items()):
            if each.over and now - each.begun > _KEPT_SECONDS:
                del self._held[key]
        if sum(not each.over for each in self._held.values()) >= _MOST_AT_ONCE:
            raise Unavailable("server.pieces_of_long_work", most_at_once=_MOST_AT_ONCE)

    @property
    def busy(self) -> bool:
        """Say whether some work is still going on."""
        with self._lock:
            return any(not each.over for each in self._held.values())

    def close(self) -> None:
        """Wait a little for what is in hand."""
        with self._lock:
            held = list(self._held.values())
        for each in held:
            each.wait(_FAREWELL_SECONDS)
