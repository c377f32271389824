"""`AtHome`: one open memory that many callers share, opened when the first of them needs it."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import saegim
from saegim.errors import EngineError, SaegimError, StoreError
from saegim.logs import logger
from saegim.plugins import Late
from saegim.serve.errands import Errands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from saegim.engines.brain import static
    from saegim.projects import resolve
    from saegim.serve import spans
    from saegim.serve.catalogue import catalogue, night
    from saegim.serve.catalogue import entry as entries
    from saegim.serve.hooks import entry as hooks
    from saegim.sleep import watch as watching
else:
    catalogue = Late("saegim.serve.catalogue.catalogue")
    entries = Late("saegim.serve.catalogue.entry")
    hooks = Late("saegim.serve.hooks.entry")
    night = Late("saegim.serve.catalogue.night")
    resolve = Late("saegim.projects.resolve")
    spans = Late("saegim.serve.spans")
    static = Late("saegim.engines.brain.static")
    watching = Late("saegim.sleep.watch")

Json = dict[str, Any]
_MOST_FOLDERS = 1000
_log = logger("serve")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One wish: which function, with what, from which project and through which door."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    # Without a project, the folder the caller stands in says which.
    project: str | None = None
    folder: str | None = None
    agent: str | None = None
    # The client's own: it is over when the client is gone.
    session: str | None = None
    door: str = "rest"
    tell: Any = None


class House(Protocol):
    """Whatever can carry out a function of the catalogue."""

    def call(self, wish: Call) -> Json:
        """Carry out a function; raise an error of ours if it cannot be."""
        ...

    def approve(self, wish: Call, yes: bool) -> Json:
        """Carry out the answer of a person whom a client asked about a proposal."""
        ...

    def rest(self, after: float) -> bool:
        """Let go of what is held if nobody asked for so many seconds; the next call takes it up."""
        ...

    def close(self) -> None:
        """Let go of what is held."""
        ...


@dataclass(slots=True)
class Tally:
    """What was asked of a house, counted: calls, failures and seconds by function."""

    calls: Counter[str] = field(default_factory=Counter)
    failures: Counter[tuple[str, str]] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def note(self, name: str, seconds: float, trouble: str = "") -> None:
        """Count one call."""
        with self._lock:
            self.calls[name] += 1
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
            if trouble:
                self.failures[name, trouble] += 1


def _weight(error: SaegimError) -> int:
    """Return how loud an error is: what a caller can correct is no trouble of this machine."""
    return logging.WARNING if isinstance(error, EngineError | StoreError) else logging.INFO


class AtHome:
    """A memory of this machine in this process."""

    def __init__(
        self,
        file: Path | None = None,
        *,
        user: str | None = None,
        agent: str | None = None,
        project: str | None = None,
        watch: bool = False,
        heartbeat: Callable[[saegim.Saegim], None] | None = None,
        **settings: Any,
    ) -> None:
        self._file, self._watches = file, watch
        # Told of the memory when it is opened and before it is closed: who keeps no watch may see
        # to it that what is due is slept elsewhere.
        self._heartbeat = heartbeat
        self._given: dict[str, Any] = {"user": user, "agent": agent, "project": project, **settings}
        self._lock = threading.RLock()
        self._memory: saegim.Saegim | None = None
        self._watch: watching.Watch | None = None
        self._busy = 0
        self._asked_at = time.monotonic()
        self._projects: dict[str, str] = {}
        # The last wish of each client that has a session of its own.
        self._guests: dict[str, Call] = {}
        self.errands = Errands()
        self.tally = Tally()
        # Set when a hook was answered, whose words are still to be heard.
        self.stirred = threading.Event()

    def call(self, wish: Call) -> Json:
        """Carry out a function of the catalogue in the caller's scope."""
        entry = catalogue.entry_of(wish.name)
        began, trouble = time.perf_counter(), ""
        try:
            given = entry.read(wish.arguments)
            with self._lent() as memory, spans.of(entry, memory.home) as span:
                place = entries.Place(
                    self._seen(memory, wish),
                    entries.Door(wish.door),
                    wish.tell or (lambda *_: None),
                    self.errands,
                    wish.session or "",
                )
                if wish.session:
                    self._guests[wish.session] = wish
                told = entry.call(place, **given)
                span(told)
                return told
        except SaegimError as error:
            trouble = type(error).__name__
            _log.log(_weight(error), "%s (%s) failed: %s", entry.name, wish.door, trouble)
            raise
        finally:
            seconds = time.perf_counter() - began
            self.tally.note(entry.name, seconds, trouble)
            _log.info("%s (%s) took %d ms", entry.name, wish.door, 1000 * seconds)

    def approve(self, wish: Call, yes: bool) -> Json:
        """Carry out the answer of a person whom a client asked about a proposal."""
        with self._lent() as memory:
            here = entries.Place(self._seen(memory, wish), entries.Door.MCP)
            return dict(night.asked(here, str(wish.arguments["id"]), answer=yes))

    def attend(self, body: Json) -> Json:
        """Answer the event of an agent's hook; what it leaves to be heard, the chores hear."""
        with self._lent() as memory:
            told = hooks.for_neighbour(body, memory)
        self.stirred.set()
        return told

    def _seen(self, memory: saegim.Saegim, wish: Call) -> saegim.Saegim:
        """Return the memory as the caller sees it: from their project, as their agent."""
        project = wish.project
        if project is None and wish.folder is not None and not memory.scope.project:
            project = self._project_at(wish.folder, memory)
        rooms = {"project": project, "agent": wish.agent}
        named = {name: value for name, value in rooms.items() if value is not None}
        return memory.within(**named) if named else memory

    def _project_at(self, folder: str, memory: saegim.Saegim) -> str:
        """Return which project a folder is; a folder is looked at once."""
        known = self._projects.get(folder)
        if known is None:
            if len(self._projects) >= _MOST_FOLDERS:
                self._projects.clear()
            store, user = memory.mind.store, memory.scope.user
            found = resolve.project_of(Path(folder), {}, store=store, user=user)
            known = self._projects[folder] = found.project
        return known

    @property
    def memory(self) -> saegim.Saegim:
        """Return the open memory, opening it now if nobody has yet."""
        with self._lock:
            if self._memory is None:
                self._memory = self._opened()
                if self._watches:
                    care = self._memory.care
                    self._watch = watching.Watch(care.mind, beside=care.close_idle_sessions)
                if self._heartbeat is not None:
                    # Whoever asks does not wait for it.
                    threading.Thread(target=self._beat, args=(self._memory,), daemon=True).start()
            return self._memory

    @property
    def is_open(self) -> bool:
        """Say whether the memory is open now."""
        return self._memory is not None

    def rest(self, after: float) -> bool:
        """Close the memory if nobody asked for so many seconds; the next call opens it again.

        What a model or a dictionary takes is given back (U11.2).
        """
        with self._lock:
            idle = time.monotonic() - self._asked_at
            if self._memory is None or self._busy or idle < after or self.errands.busy:
                return False
            if self._watches:
                # Nobody else would begin the night.
                return False
            self._shut()
            # Memories that are opened side by side share the model, so it outlives them.
            static.think.cache_clear()
            return True

    def close(self) -> None:
        """Let go of the memory; the clients are gone, and so their sessions are over."""
        self.errands.close()
        with self._lock:
            if self._guests and self._memory is not None:
                # What cannot be done in time is done by the night.
                with suppress(SaegimError):
                    self._end_sessions(self._memory)
            self._shut()

    def _beat(self, memory: saegim.Saegim) -> None:
        if self._heartbeat is not None:
            # What is wrong with the store is told to whoever asks.
            with suppress(SaegimError):
                self._heartbeat(memory)

    def _end_sessions(self, memory: saegim.Saegim) -> None:
        guests, self._guests = self._guests, {}
        for session, wish in guests.items():
            self._seen(memory, wish).working.finalize_session(session)

    def _shut(self) -> None:
        memory, self._memory = self._memory, None
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.close()
        if memory is not None:
            self._beat(memory)
            memory.close()

    @contextmanager
    def _lent(self) -> Iterator[saegim.Saegim]:
        with self._lock:
            memory = self.memory
            self._busy += 1
        try:
            yield memory
        finally:
            with self._lock:
                self._busy -= 1
                self._asked_at = time.monotonic()

    def _opened(self) -> saegim.Saegim:
        try:
            return saegim.Saegim.open(self._file, **self._given)
        except OSError as error:
            raise StoreError(
                "server.cannot_be_used",
                filename=error.filename or self._file,
                reason=error.strerror,
            ) from error
