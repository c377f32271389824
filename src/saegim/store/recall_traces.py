"""What was shown, written behind the answer: ids and numbers, never words.

An answer waits for none of this. A trace that cannot be written is tried again, and given up
rather than held against anyone; a memory is never at stake.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from saegim.errors import NotFound, SaegimError, StoreError
from saegim.memory.changes import Change, Recalled, Reweighed, read_places, session_mark
from saegim.memory.clock import new_id
from saegim.memory.memory import OPENED, Scope, Use
from saegim.store.ledger import Batch, Committed, IdempotencyKey, LedgerTable
from saegim.store.tables.experience_table import Noted

# A conversation asks in bursts; what comes within a second shares one commit and one fsync.
GATHER_SECONDS = 1.0
# A trace is worth no more waiting than this, for whoever writes now.
PATIENCE_SECONDS: Final = 0.2
# A store that is busy or full is looked at again, ever more rarely.
_LONGEST_PAUSE: Final = 30.0
# How long closing waits for a commit in hand: a disk may hang.
_FAREWELL_SECONDS: Final = 2.0
# Memories in all traces that wait: ten minutes of a busy conversation.
MOST_WAITING: Final = 4096
# Memories in one commit: others get the write lock in between.
AT_ONCE: Final = 400
# Experience that waits to be written; it is made of a function, so that no answer waits for it.
MOST_EXPERIENCE: Final = 1024
# Traces that are known at once, written or not: a reply follows within a few of them.
_JUST_NOW: Final = 64


SaidPlaces = Sequence[tuple[int, ...]]


class PlacesLater:
    """Places of words that are worked out when they are first asked for, behind the answer."""

    __slots__ = ("_find", "_places")

    def __init__(self, find: Callable[[], SaidPlaces]) -> None:
        self._find: Callable[[], SaidPlaces] | None = find
        self._places: tuple[tuple[int, ...], ...] = ()

    def __call__(self) -> tuple[tuple[int, ...], ...]:
        """Return the places; the words they are found by are let go of."""
        if (find := self._find) is not None:
            self._places = tuple(find())
            self._find = None
        return self._places


@dataclass(frozen=True, slots=True)
class TraceNote:
    """One answer: its trace, who asked, and which memories were shown, best first."""

    trace: str
    scope: Scope
    ids: tuple[str, ...]
    at: datetime
    # Which words of the first of them the question said itself, by their places.
    said: PlacesLater = field(default_factory=lambda: PlacesLater(tuple))
    # The day on which the one memory was opened, where nothing was asked.
    opened: str = ""

    @property
    def writer(self) -> tuple[str, str]:
        """Return whose ledger it belongs into, and who acted."""
        return self.scope.user, self.scope.agent or self.scope.user


@dataclass(frozen=True, slots=True)
class ShownTrace:
    """What one answer showed, best first, and for which session, by its mark."""

    trace: str
    ids: tuple[str, ...]
    session: str
    said: tuple[tuple[int, ...], ...] = ()


class RecallTraceTable:
    """What was shown, as the ledger has it."""

    def __init__(self, ledger: LedgerTable) -> None:
        self._ledger = ledger

    def shown(self, scope: Scope, trace: str) -> tuple[str, ...]:
        """Replay a trace: the ids that were shown, in the same order (U32.2)."""
        for entry in self._ledger.entries(scope, subject=trace):
            if entry.change == Recalled.__name__:
                return tuple(str(entry.facts["memories"]).split())
        raise NotFound("store.no_trace", trace=trace[:60])

    def lately(
        self, scope: Scope, writer: TraceWriter | None, *, since: datetime, until: datetime
    ) -> list[ShownTrace]:
        """Return what was shown to whoever acts here between two instants, the latest first."""
        first, last = f"rec_{_instant(since)}", f"rec_{_instant(until)}~"
        actor = scope.agent or scope.user
        found = {
            each.trace: ShownTrace(
                each.trace, each.ids, session_mark(each.scope.session), each.said()
            )
            for each in (writer.just_now if writer else ())
            if each.writer == (scope.user, actor) and first <= each.trace <= last
        }
        for entry in self._ledger.between(scope, first, last):
            if entry.change == Recalled.__name__ and entry.actor == actor:
                facts = {name: str(value) for name, value in entry.facts.items()}
                ids, said = tuple(facts["memories"].split()), read_places(facts.get("said", ""))
                found[entry.subject] = ShownTrace(
                    entry.subject, ids, facts.get("session", ""), said
                )
        return sorted(found.values(), key=lambda each: each.trace, reverse=True)


Notes = Callable[[], Sequence[Noted]]
Learns = Callable[..., None]  # entries, and `patience`: how long to wait for other writers


def _instant(at: datetime) -> str:
    """Write an instant as ids begin with it."""
    moment = at.astimezone(UTC)
    return f"{moment:%Y%m%d_%H%M%S}_{moment.microsecond:05x}"


def _together(notes: Sequence[TraceNote]) -> list[TraceNote]:
    """Return what can share the next commit: answers to one who asked, and not too many."""
    mine: list[TraceNote] = []
    if notes[0].opened:
        # Counted once a day, by a receipt of its own.
        return [notes[0]]
    for note in notes:
        if note.writer == notes[0].writer and not note.opened:
            if mine and sum(len(each.ids) for each in (*mine, note)) > AT_ONCE:
                break
            mine.append(note)
    return mine


class TraceWriter:
    """Collects what was shown and writes it from a quiet thread of its own."""

    def __init__(
        self,
        commit: Callable[..., Committed],
        *,
        gather: float | None = None,
        patience: float = PATIENCE_SECONDS,
        learns: Learns | None = None,
    ) -> None:
        self._commit = commit
        self._learns = learns
        self._experience: deque[Notes] = deque(maxlen=MOST_EXPERIENCE)
        self._gather = GATHER_SECONDS if gather is None else gather
        self._patience = patience
        self._notes: deque[TraceNote] = deque()
        self._just_now: deque[TraceNote] = deque(maxlen=_JUST_NOW)
        self._held = 0  # memories in all of them
        self._lock = threading.Lock()  # held for the queue, never while anything is written
        self._writing = threading.Lock()
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        # Why the last try failed; and how many traces were never written, for want of room in the
        # queue or because the store would not take them.
        self.trouble = ""
        self.unwritten = 0

    @property
    def waiting(self) -> int:
        """Return how many traces are not written yet."""
        return len(self._notes)

    def note(
        self,
        scope: Scope,
        ids: Sequence[str],
        at: datetime,
        said: Callable[[], SaidPlaces] = tuple,
    ) -> str:
        """Note what an answer shows; return its trace at once, or nothing if nothing is shown."""
        if not ids or self._stop.is_set():
            return ""
        shown, places = tuple(dict.fromkeys(ids)), PlacesLater(said)
        noted = TraceNote(new_id(at, "rec"), scope, shown, at, places)
        with self._lock:
            self._just_now.append(noted)
        self._queue(noted)
        return noted.trace

    def note_opened(self, scope: Scope, id: str, at: datetime, *, day: str) -> None:
        """Note that someone opened a memory; however often on one day, it counts once."""
        if not self._stop.is_set():
            self._queue(TraceNote(new_id(at, "open"), scope, (id,), at, opened=day))

    def note_experience(self, made: Notes) -> None:
        """Note what was decided, shown or earned; it is worked out and written behind an answer."""
        if self._learns is None or self._stop.is_set():
            return
        with self._lock:
            self._experience.append(made)
            self._start()
        self._wake.set()

    @property
    def just_now(self) -> tuple[TraceNote, ...]:
        """Return the latest traces, whether they are written yet or not."""
        with self._lock:
            return tuple(self._just_now)

    def _queue(self, noted: TraceNote) -> None:
        with self._lock:
            self._notes.append(noted)
            self._held += len(noted.ids)
            self._make_room()
            self._start()
        self._wake.set()

    def _make_room(self) -> None:
        """Let the oldest go when too much waits: the newest say most about what followed."""
        while self._held > MOST_WAITING and len(self._notes) > 1:
            self._held -= len(self._notes.popleft().ids)
            self.unwritten += 1

    def _start(self) -> None:
        if self._thread is None:
            thread = threading.Thread(target=self._run, name="saegim-traces", daemon=True)
            # No answer fails because the system has no thread to spare; the next one tries again.
            with contextlib.suppress(RuntimeError):
                thread.start()
                self._thread = thread

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait()
            self._wake.clear()
            pause = self._gather
            while not self._stop.wait(pause):
                self.flush()
                if not self._notes and not self._experience:
                    break
                pause = min(2 * pause, _LONGEST_PAUSE)

    def flush(self) -> int:
        """Write what waits, one short commit for each who asked; return how many were written.

        A store that will not take them keeps them waiting, and `trouble` says why.
        """
        with self._writing:
            written = self._flush()
            self._flush_experience()
            return written

    def _flush_experience(self) -> None:
        """Write what was learned from; a store that will not take it is asked again later."""
        with self._lock:
            waiting = list(self._experience)
            self._experience.clear()
        if not waiting or self._learns is None:
            return
        entries: list[Noted] = []
        try:
            for made in waiting:
                try:
                    entries += made()
                except StoreError:
                    raise
                except SaegimError as error:
                    # This one cannot be worked out any more; the others can.
                    self.trouble = error.message
            if entries:
                self._learns(entries, patience=self._patience)
        except StoreError as error:
            self.trouble = error.message
            with self._lock:
                self._experience.extendleft(reversed(waiting))

    def _flush(self) -> int:
        left = self._taken()
        written = 0
        while left:
            mine = _together(left)
            try:
                self._write(mine)
                written += len(mine)
                self.trouble = ""
            except StoreError as error:
                self.trouble = error.message
                self._put_back(left)
                break
            except SaegimError as error:
                # Not the store's state but these traces themselves: they would fail for ever.
                self.trouble = error.message
                self.unwritten += len(mine)
            done = {each.trace for each in mine}
            left = [each for each in left if each.trace not in done]
        return written

    def _taken(self) -> list[TraceNote]:
        with self._lock:
            taken = list(self._notes)
            self._notes.clear()
            self._held = 0
            return taken

    def _write(self, notes: Sequence[TraceNote]) -> None:
        owner, actor = notes[0].writer
        first, receipt = notes[0], None
        if first.opened:
            (id,) = first.ids
            opened = Reweighed(memory=id, at=first.at, used=1, use=Use(OPENED))
            changes: list[Change] = [opened]
            receipt = IdempotencyKey(f"opened:{first.opened}:{id}", id)
        else:
            changes = [
                Recalled(note.trace, note.ids, session_mark(note.scope.session), note.said())
                for note in notes
            ]
        batch = Batch(owner, changes, actor=actor, at=max(each.at for each in notes))
        self._commit(batch, receipt=receipt, patience=self._patience)

    def _put_back(self, notes: Sequence[TraceNote]) -> None:
        with self._lock:
            self._notes.extendleft(reversed(notes))
            self._held += sum(len(each.ids) for each in notes)
            self._make_room()

    def close(self) -> None:
        """Write what is left if that can be done at once, and count what cannot."""
        self._stop.set()
        self._wake.set()
        if self._writing.acquire(timeout=_FAREWELL_SECONDS):
            try:
                self._flush()
                self._flush_experience()
            finally:
                self._writing.release()
            if self._thread is not None:
                self._thread.join(_FAREWELL_SECONDS)
        self.unwritten += len(self._taken())
