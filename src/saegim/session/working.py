"""`WorkingMemory`: the graphs of the running sessions over one long memory (seed B D3)."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

from saegim.errors import BadInput, NotFound, each_tried
from saegim.memory.scope import Scope, checked_name
from saegim.mind import Mind
from saegim.session.checkpoint import Checkpoints
from saegim.session.graph import SessionGraph
from saegim.session.limits import SessionSettings, session_settings
from saegim.session.names import acquainted
from saegim.session.node import admitted
from saegim.session.promote import Promoted, fresh, promote
from saegim.session.remembered import Sessions, summary_of, topic_of
from saegim.session.search import Recollected, search
from saegim.session.snapshot import instant
from saegim.session.spaces import Recreate, recreated

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
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
                f"세션 {self.session}은(는) 끝나지 않은 채 멈췄습니다. {at} 이후에 오간 말은 "
                "남아 있지 않습니다(다른 프로세스가 아직 열어 두었다면 그쪽에 있습니다)."
            )
        return (
            f"The session {self.session} was not ended. What was said after {at} is lost, unless "
            "another process still has it open."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finalized:
    """What a session left behind: memories, a checkpoint, a topic and a summary."""

    session: str
    promoted: tuple[Promoted, ...] = ()
    checkpoint: Path | None = None
    topic: str = ""
    summary: str = ""


@dataclass(slots=True)
class _Open:
    """A session while it is in mind."""

    graph: SessionGraph
    opened: Opened
    touched: datetime
    turns: int = 0
    ended: bool = False
    # The version of the graph that the checkpoint on disk holds, and when it was written.
    saved: tuple[int, datetime] | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)


def _length(value: object) -> timedelta:
    if not isinstance(value, timedelta):
        raise BadInput(f"{value!r:.40} is no length of time.", next_step="Give a timedelta.")
    return value


def _brought_to_mind(
    session: str,
    platform: str,
    graph: SessionGraph,
    checkpoints: Checkpoints | None,
    sessions: Sessions,
    mind: Mind,
) -> _Open:
    """Open a session, from its checkpoint if there is one and it is wanted."""
    file, now = checkpoints.file(session) if checkpoints else None, mind.now()
    read = checkpoints.read(file, session) if checkpoints and file and file.exists() else None
    if read is not None:
        graph.take(read)
    opened = Opened(session=session, resumed=read is not None)
    if not mind.store.readonly:
        begun = sessions.start(session, platform=platform)
        since = instant(float(read.record["createdAt"])) if read else begun.started_at
        opened = replace(
            opened,
            run=begun.runs,
            lost=begun.unfinished,
            since=since if begun.unfinished else None,
            embedded_anew=read is not None and read.embedded_anew,
        )
    return _Open(graph, opened, now, saved=(graph.version, now) if read else None)


class WorkingMemory:
    """Sessions in mind, side by side; one object serves all threads of a process.

    What is in mind lives in this process until a checkpoint, `finalize_session` or `close` writes
    it down. `folder` is where checkpoints lie.
    """

    def __init__(
        self,
        mind: Mind,
        scope: Scope,
        folder: Path,
        *,
        settings: SessionSettings | None = None,
        recreate: Recreate = recreated,
    ) -> None:
        self._mind = mind
        self._scope = scope
        self._settings = settings or session_settings(mind.settings)
        self._recreate = recreate
        self._checkpoints = Checkpoints(folder, scope, mind.embedder, self._settings, recreate)
        self._sessions = Sessions(mind, scope)
        self._open: dict[str, _Open] = {}
        self._lock = threading.Lock()
        self._opening = threading.Lock()

    # -- sessions ---------------------------------------------------------------------------------

    def open(self, session: str, *, platform: str = "chat", resume: bool = True) -> Opened:
        """Bring a session to mind, from its checkpoint if it has one; say what is missing.

        Every verb opens its session by itself; this one says how it was found.
        """
        return self._held(session, platform=platform, resume=resume).opened

    def graph(self, session: str) -> SessionGraph:
        """Return the graph of a session (seed B `getSessionStore`)."""
        return self._held(session).graph

    def active_sessions(self) -> list[str]:
        """Return the sessions that are in mind, the first opened first."""
        with self._lock:
            return list(self._open)

    def gc_sessions(self, older_than: timedelta) -> list[Finalized]:
        """Finalize the sessions in which nothing was said for so long; nothing is thrown away."""
        latest = self._mind.now() - _length(older_than)
        with self._lock:
            idle = [name for name, held in self._open.items() if held.touched <= latest]
        return [self.finalize_session(name) for name in idle]

    # -- what is said -----------------------------------------------------------------------------

    def upsert_query(self, session: str, text: str) -> str:
        """Take a question in, with those it names whom the long memory knows; returns its id."""
        words = admitted(text, "query")

        def act(held: _Open) -> str:
            for name, *aliases in acquainted(words, self._scope, self._mind.store):
                held.graph.upsert_entity(name, aliases)
            held.turns += 1
            return held.graph.upsert_query(words)

        return self._act(session, act)

    def record_answer(self, session: str, query_id: str, text: str) -> str:
        """Tie an answer to a question of the session; returns its id."""
        return self._act(session, lambda held: held.graph.record_answer(query_id, text))

    def record_feedback(self, session: str, query_id: str, label: str, note: str = "") -> str:
        """Learn from feedback (up, down, retry) on a question of the session; returns its id."""
        return self._act(session, lambda held: held.graph.record_feedback(query_id, label, note))

    def search(self, session: str, text: str, k: int = 5) -> tuple[Recollected, ...]:
        """Return what is most like a text: the session's own first, then the long memory's.

        A session that is not in mind is not opened by a question.
        """
        graph = held.graph if (held := self._in_mind(session)) else None
        return search(text, k, graph, scope=self._scope, mind=self._mind, settings=self._settings)

    # -- on paper ---------------------------------------------------------------------------------

    def checkpoint(self, session: str, name: str | None = None) -> Path:
        """Write the main queries of a session down, whole or not at all; returns the file."""
        return self._act(session, lambda held: self._write(session, held, name), said=False)

    def load_checkpoint(self, name: str | Path) -> SessionGraph:
        """Return the graph of a checkpoint: a session's, one by its name, or any file."""
        file = name if isinstance(name, Path) else self._checkpoints.file(name)
        graph = self._new()
        graph.take(self._checkpoints.read(file))
        return graph

    def finalize_session(
        self,
        session: str,
        *,
        promote: bool = True,
        checkpoint: bool = True,
        checkpoint_name: str | None = None,
    ) -> Finalized:
        """End a session: its hotspots become memories, its main queries a checkpoint.

        Should anything fail on the way, the session stays open and nothing is promoted twice.
        A session that is not in mind has nothing to leave behind.
        """
        held = self._in_mind(session)
        if held is None:
            return Finalized(session=session)
        with held.lock:
            if held.ended:
                return Finalized(session=session)
            promoted = self._promote(session, held) if promote else ()
            file = self._write(session, held, checkpoint_name) if checkpoint else None
            if promoted and (file is None or checkpoint_name is not None):
                # An older checkpoint of the session does not know what was carried over: taken up
                # again, it would be carried over once more.
                self._write(session, held, None)
            topic, summary = self._end(session, held)
            self._put_down(session, held)
        return Finalized(
            session=session, promoted=promoted, checkpoint=file, topic=topic, summary=summary
        )

    def forget(self, session: str) -> None:
        """Forget a session at once: what is in mind of it, its checkpoint, and that it was held.

        Memories that it left behind are memories; they are forgotten as all others are.
        """
        held = self._in_mind(session)
        if held is not None:
            with held.lock:
                self._put_down(session, held)
        self._checkpoints.file(session).unlink(missing_ok=True)
        if not self._mind.store.readonly:
            self._sessions.forget(session)

    def close(self) -> None:
        """Put every session down: written and ended, not promoted; each can be taken up again.

        One that cannot be written does not keep the others from it.
        """
        each_tried(partial(self._put_away, session) for session in self.active_sessions())

    def _put_away(self, session: str) -> None:
        if (held := self._in_mind(session)) is not None:
            with held.lock:
                if not held.ended:
                    self._write(session, held, None)
                    self._end(session, held)
                    self._put_down(session, held)

    def decay(self) -> None:
        """Let what is in mind fade, in every open session; how often is the caller's choice."""
        for session in self.active_sessions():
            self._act(session, lambda held: held.graph.decay(), said=False)

    # -- inside -----------------------------------------------------------------------------------

    def _new(self) -> SessionGraph:
        return SessionGraph(
            self._mind.embedder, self._mind.clock, self._settings.graph, recreate=self._recreate
        )

    def _in_mind(self, session: str) -> _Open | None:
        with self._lock:
            return self._open.get(checked_name("session", session))

    def _held(self, session: str, *, platform: str = "chat", resume: bool = True) -> _Open:
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
            kept = self._checkpoints if resume else None
            held = _brought_to_mind(name, platform, self._new(), kept, self._sessions, self._mind)
            with self._lock:
                self._open[name] = held
            return held

    def _act(self, session: str, act: Callable[[_Open], T], *, said: bool = True) -> T:
        """Do something in a session; one that another thread has just ended is opened anew."""
        while True:
            held = self._held(session)
            with held.lock:
                if held.ended:
                    continue
                done = act(held)
                held.touched = self._mind.now()
                if said:
                    self._save_soon(session, held)
                return done

    def _promote(self, session: str, held: _Open) -> tuple[Promoted, ...]:
        limits = self._settings
        hot = held.graph.best(
            limits.max_promotions, min_rank=limits.min_rank, min_degree=limits.min_degree
        )
        scope = replace(self._scope, session=session)
        made = promote(fresh(hot), run=held.opened.run, scope=scope, mind=self._mind)
        promoted = tuple(made)
        held.graph.carry(each.node for each in promoted)
        return promoted

    def _write(self, session: str, held: _Open, name: str | None) -> Path:
        """Write a checkpoint, and count the turns so far where sessions are counted."""
        version, now = held.graph.version, self._mind.now()
        file = self._checkpoints.write(held.graph, session, session if name is None else name, now)
        held.saved = (version, now)
        self._count(session, held)
        return file

    def _save_soon(self, session: str, held: _Open) -> None:
        """Write what is in mind if it has changed and was not written a moment ago."""
        every = self._settings.save_every
        if every is None:
            return
        version, at = held.saved or (-1, held.touched - every)
        if version != held.graph.version and held.touched - at >= every:
            self._write(session, held, None)

    def _count(self, session: str, held: _Open) -> None:
        if held.turns and not self._mind.store.readonly:
            with contextlib.suppress(NotFound):
                self._sessions.turn(session, held.turns)
            held.turns = 0

    def _end(self, session: str, held: _Open) -> tuple[str, str]:
        """Write down that the session is over, and what it was about."""
        main = held.graph.best(self._settings.checkpoint_top)
        weighed = ((node.text, 1.0 + max(node.repeat, 0.0)) for node in main)
        topic = topic_of(weighed, self._mind.store.analyser())
        summary = summary_of([node.text for node in main])
        if not self._mind.store.readonly:
            self._count(session, held)
            with contextlib.suppress(NotFound):
                self._sessions.end(session, topic=topic, summary=summary)
        return topic, summary

    def _put_down(self, session: str, held: _Open) -> None:
        held.ended = True
        with self._lock:
            if self._open.get(session) is held:
                del self._open[session]
