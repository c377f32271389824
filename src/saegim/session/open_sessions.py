"""The sessions in mind in this process: how they come to mind, are written and put down."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

from saegim.errors import BadInput, NotFound
from saegim.memory.memory import STRANGERS, Scope, checked_name
from saegim.mind import Mind
from saegim.session.graph import Checkpoints, SessionGraph
from saegim.session.nodes import QUERY, SessionSettings, session_settings
from saegim.session.sessions import Sessions, summary_of, topic_of
from saegim.session.snapshot import Recreate, RestoredGraph, instant, read_json, recreated

T = TypeVar("T")
Sign = tuple[int, int, int]
# Below the data directory, one folder for each store.
FOLDER = "sessions"


def folder_of(store: Path) -> Path:
    """Return where the checkpoints of a store lie; two stores in one folder never share them."""
    return store.parent / FOLDER / store.stem


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedSession:
    """How a session was found: new, taken up again, or left behind by a process that died.

    `lost`: it had been begun and never ended; what was said after `since` is not here, unless
    another process still has it open.
    """

    session: str
    run: int = 0
    resumed: bool = False
    lost: bool = False
    since: datetime | None = None
    # True: the embedder of the checkpoint cannot be made here, and its texts were embedded anew.
    embedded_anew: bool = False

    def words(self, language: str = "en") -> str:
        """Say in a sentence what is missing; nothing, if nothing is."""
        if not self.lost or self.since is None:
            return ""
        at = f"{self.since:%Y-%m-%d %H:%M:%S} UTC"
        if language == "ko":
            return (
                f"끝나지 않은 채 멈춘 세션입니다: {self.session}. {at} 이후에 오간 말은 "
                "남아 있지 않습니다(다른 프로세스가 아직 열어 두었다면 그쪽에 있습니다)."
            )
        return (
            f"The session {self.session} was not ended. What was said after {at} is lost, unless "
            "another process still has it open."
        )


@dataclass(slots=True)
class Open:
    """A session while it is in mind."""

    graph: SessionGraph
    opened: OpenedSession
    touched: datetime
    # When something was said last: as it stood then, a session is judged.
    said_at: datetime
    faded_at: datetime
    # The version of the graph that the checkpoint on disk holds, and when it was written; before
    # the first, when the session came to mind.
    saved: tuple[int, datetime]
    since: datetime | None = None
    # Whether the book of sessions knows that it runs.
    begun: bool = False
    # Overheard turn by turn: whoever puts it down does not thereby end it.
    overheard: bool = False
    # The words that were heard last, and through which verb: one turn may come through two.
    heard: tuple[str, str] = ("", "")
    turns: int = 0
    ended: bool = False
    sign: Sign | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)


class HeldSessions:
    """Sessions in mind, side by side; one object serves all threads of a process."""

    def __init__(
        self,
        mind: Mind,
        scope: Scope,
        folder: Path,
        *,
        settings: SessionSettings | None = None,
        recreate: Recreate = recreated,
    ) -> None:
        self.mind = mind
        self._scope = scope
        self._settings = settings or session_settings(mind.settings)
        self._recreate = recreate
        self._checkpoints = Checkpoints(folder, scope, mind.embedder, self._settings, recreate)
        self._sessions = Sessions(mind, scope)
        self._open: dict[str, Open] = {}
        self._lock = threading.Lock()
        self._opening = threading.Lock()

    def active_sessions(self) -> list[str]:
        """Return the sessions that are in mind, the first opened first."""
        with self._lock:
            return list(self._open)

    def act(
        self,
        session: str,
        act: Callable[[Open], T],
        *,
        said: bool = True,
        quiet: bool = False,
    ) -> T:
        """Do something in a session; one that another thread has just ended is opened anew.

        What is `quiet` writes nothing, neither to the store nor to a file.
        """
        while True:
            held = self._held(session, quiet=quiet)
            with held.lock:
                if held.ended:
                    continue
                if not (quiet or held.begun):
                    self._begin(session, held)
                self._catch_up(session, held)
                self._fade(held)
                done = act(held)
                held.touched = self.mind.now()
                if said:
                    held.said_at = held.touched
                    if not quiet:
                        self._save_soon(session, held)
                return done

    # -- coming to mind ---------------------------------------------------------------------------

    def _new(self) -> SessionGraph:
        return SessionGraph(
            self.mind.embedder, self.mind.clock, self._settings.graph, recreate=self._recreate
        )

    def _in_mind(self, session: str) -> Open | None:
        with self._lock:
            return self._open.get(checked_name("session", session))

    def _held(
        self, session: str, *, platform: str = "chat", resume: bool = True, quiet: bool = False
    ) -> Open:
        """Return the open session, opening it if it is not."""
        name = checked_name("session", session)
        with self._lock:
            if (held := self._open.get(name)) is not None:
                return held
        # One thread at a time opens; those who only look do not wait for it.
        with self._opening:
            with self._lock:
                if (held := self._open.get(name)) is not None:
                    return held
            held = self._taken_up(name, resume=resume)
            if not quiet:
                self._begin(name, held, platform)
            with self._lock:
                self._open[name] = held
        self._leave_room(name)
        return held

    def _taken_up(self, session: str, *, resume: bool = True) -> Open:
        """Return a session from its checkpoint if there is one and it is wanted, else a new one."""
        graph, now = self._new(), self.mind.now()
        sign = self._sign(session)
        read = self._read(session) if resume and sign is not None else None
        if read is None:
            return Open(graph, OpenedSession(session=session), now, now, now, (-1, now), sign=sign)
        graph.take(read)
        written = instant(float(read.record["createdAt"]))
        said = max((node.last_access for node in graph.nodes(QUERY)), default=written)
        return Open(
            graph,
            OpenedSession(session=session, resumed=True, embedded_anew=read.embedded_anew),
            now,
            said_at=said,
            # Weights fade as something is said, and not while nothing is.
            faded_at=min(said, now),
            since=written,
            saved=(graph.version, now),
            sign=sign,
        )

    def _begin(self, session: str, held: Open, platform: str = "chat") -> None:
        """Write down that the session runs, and see whether it was left behind."""
        held.begun = True
        if self.mind.store.readonly:
            return
        begun = self._sessions.start(session, platform=platform)
        held.opened = replace(
            held.opened,
            run=begun.runs,
            lost=begun.unfinished,
            since=(held.since or begun.started_at) if begun.unfinished else None,
        )

    def _leave_room(self, besides: str) -> None:
        """Put down what was touched longest ago where too many sessions are in mind."""
        while True:
            with self._lock:
                if len(self._open) <= self._settings.most_open:
                    return
                others = [name for name in self._open if name != besides]
                oldest = min(others, key=lambda name: self._open[name].touched, default=None)
            if oldest is None:
                return
            self._put_away(oldest)

    # -- on paper ---------------------------------------------------------------------------------

    def _sign(self, session: str) -> Sign | None:
        """Return what tells one state of the session's file from another; None: there is none."""
        with contextlib.suppress(OSError):
            found = self._checkpoints.file(session).stat()
            return found.st_mtime_ns, found.st_size, found.st_ino
        return None

    def _read(self, session: str) -> RestoredGraph | None:
        try:
            return self._checkpoints.read(self._checkpoints.file(session), session)
        except NotFound:
            return None

    def _written_at(self, session: str) -> datetime | None:
        """Return when a session was last put on paper; None where that cannot be read."""
        with contextlib.suppress(BadInput, NotFound, KeyError, TypeError, ValueError):
            return instant(float(read_json(self._checkpoints.file(session))["createdAt"]))
        return None

    def _catch_up(self, session: str, held: Open) -> None:
        """Take in what another process has written of this session since we last looked."""
        sign = self._sign(session)
        if sign is None or sign == held.sign:
            return
        held.sign = sign
        # A file that cannot be read is told to whoever opens the session, and replaced by ours.
        with contextlib.suppress(BadInput):
            if (read := self._read(session)) is not None:
                held.graph.absorb(read)

    def _write(self, session: str, held: Open, name: str | None) -> Path:
        """Write a checkpoint, and count the turns so far where sessions are counted."""
        own = name is None
        if own:
            self._catch_up(session, held)
        version, now = held.graph.version, self.mind.now()
        file = self._checkpoints.write(held.graph, session, session if own else str(name), now)
        if own or name == session:
            held.sign, held.saved = self._sign(session), (version, now)
        self._count(session, held)
        return file

    def _save_soon(self, session: str, held: Open) -> None:
        """Write what is in mind if it has changed and was not written a moment ago."""
        every = self._settings.save_every
        if every is None:
            return
        version, at = held.saved
        if version != held.graph.version and held.touched - at >= every:
            self._write(session, held, None)

    def _fade(self, held: Open) -> None:
        """Let weights fade by every tick of the clock since the last; a dead session does not.

        Ticks are counted from the clock itself, so that many short processes fade a session as far
        as one long one does.
        """
        every, now = self._settings.decay_every, self.mind.now()
        if every is None:
            return
        ticks = _ticks(now, every) - _ticks(held.faded_at, every)
        if ticks > 0:
            held.graph.decay(ticks * every)
        held.faded_at = max(held.faded_at, now)

    # -- putting down -----------------------------------------------------------------------------

    def _count(self, session: str, held: Open) -> None:
        if held.turns and not self.mind.store.readonly:
            if not held.begun:
                self._begin(session, held)
            with contextlib.suppress(NotFound):
                self._sessions.turn(session, held.turns)
            held.turns = 0

    def _end(self, session: str, held: Open) -> tuple[str, str]:
        """Write down that the session is over, and what it was about."""
        main = held.graph.best(self._settings.checkpoint_top)
        # What strangers said in it is not what it was about.
        said = [node for node in main if not node.chatter and node.origin not in STRANGERS]
        weighed = ((node.text, 1.0 + max(node.repeat, 0.0)) for node in said)
        topic = topic_of(weighed, self.mind.store.words.analyser())
        summary = summary_of([node.text for node in said])
        if not self.mind.store.readonly:
            self._count(session, held)
            with contextlib.suppress(NotFound):
                self._sessions.end(session, topic=topic, summary=summary)
        return topic, summary

    def _put_away(self, session: str) -> None:
        """Write a session down, to be taken up again; what was only overheard is not over."""
        if (held := self._in_mind(session)) is None:
            return
        with held.lock:
            if held.ended:
                return
            if held.saved[0] != held.graph.version:
                self._write(session, held, None)
            if not held.overheard:
                self._end(session, held)
            self._put_down(session, held)

    def _put_down(self, session: str, held: Open) -> None:
        held.ended = True
        with self._lock:
            if self._open.get(session) is held:
                del self._open[session]


def _ticks(at: datetime, every: timedelta) -> int:
    return int(at.timestamp() // every.total_seconds())
