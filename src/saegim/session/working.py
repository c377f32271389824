"""`WorkingMemory`: the graphs of the running sessions over one long memory (seed B D3)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from saegim.errors import BadInput, NotFound, each_tried
from saegim.memory.memory import Scope, checked_name
from saegim.mind import Mind
from saegim.perceive.turn import Observed, Turn
from saegim.recall.flow import Recollection
from saegim.session import turns
from saegim.session.graph import SessionGraph, read_checkpoint
from saegim.session.graph import checkpoint as checkpoint_of
from saegim.session.nodes import acquainted, admitted
from saegim.session.open_sessions import HeldSessions, Open, OpenedSession, folder_of
from saegim.session.search import Recollected, search, session_first
from saegim.session.snapshot import RestoredGraph, instant, read_snapshot
from saegim.session.turns import Promoted, fresh, promote

CHECKPOINT, SNAPSHOT = "checkpoint", "snapshot"
FORMS = (CHECKPOINT, SNAPSHOT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finalized:
    """What a session left behind: memories, a checkpoint, a topic and a summary."""

    session: str
    promoted: tuple[Promoted, ...] = ()
    checkpoint: Path | None = None
    topic: str = ""
    summary: str = ""


def _length(value: object) -> timedelta:
    if not isinstance(value, timedelta):
        raise BadInput("session.no_length_of_time", value=value)
    return value


class WorkingMemory(HeldSessions):
    """Sessions in mind, side by side; one object serves all threads of a process.

    What is in mind lives in this process until a checkpoint, `finalize_session` or `close` writes
    it down. `folder` is where checkpoints lie.
    """

    # -- sessions ---------------------------------------------------------------------------------

    def open(self, session: str, *, platform: str = "chat", resume: bool = True) -> OpenedSession:
        """Bring a session to mind, from its checkpoint if it has one; say what is missing.

        Every verb opens its session by itself; this one says how it was found.
        """
        return self._held(session, platform=platform, resume=resume).opened

    def graph(self, session: str) -> SessionGraph:
        """Return the graph of a session (seed B `getSessionStore`)."""
        return self._held(session).graph

    def seen(self, session: str) -> SessionGraph | None:
        """Return the graph of a session to look at, as it is in mind or on paper; opens nothing."""
        if (held := self._in_mind(session)) is not None:
            return held.graph
        return self._taken_up(session).graph if self._sign(session) is not None else None

    def gc_sessions(self, older_than: timedelta) -> list[Finalized]:
        """Finalize the sessions in which nothing was said for so long; nothing is thrown away."""
        latest = self.mind.now() - _length(older_than)
        with self._lock:
            idle = [name for name, held in self._open.items() if held.touched <= latest]
        return [self.finalize_session(name) for name in idle]

    def close_unclosed(self, older_than: timedelta) -> list[Finalized]:
        """Finalize the sessions nobody closed, also those of processes that are gone (B7)."""
        done = self.gc_sessions(older_than)
        latest = self.mind.now() - older_than
        for known in self._sessions.unended():
            if self._in_mind(known.id) is None and (at := self._written_at(known.id)) is not None:
                done += [self.finalize_session(known.id)] if at <= latest else []
        return done

    # -- what is said -----------------------------------------------------------------------------

    def upsert_query(self, session: str, text: str) -> str:
        """Take a question in, with those it names whom the long memory knows; returns its id."""
        words = admitted(text, "query")
        return self.act(session, lambda held: self.asked(held, words))

    def asked(self, held: Open, words: str, *, embed: bool = True) -> str:
        """Take a question into an open session."""
        for name, *aliases in acquainted(words, self._scope, self.mind.store):
            held.graph.upsert_entity(name, aliases)
        held.turns += 1
        return held.graph.upsert_query(words, embed=embed)

    def record_answer(self, session: str, query_id: str, text: str) -> str:
        """Tie an answer to a question of the session; returns its id."""
        return self.act(session, lambda held: held.graph.record_answer(query_id, text))

    def record_feedback(
        self, session: str, query_id: str | None, label: str, note: str = ""
    ) -> str:
        """Learn from feedback (up, down, retry) on a question of the session; returns its id.

        Without a question, the one that was asked last is meant.
        """

        def judge(held: Open) -> str:
            if query_id is not None:
                return held.graph.record_feedback(query_id, label, note)
            latest = held.graph.latest()
            if latest is None:
                raise NotFound("session.nothing_was_asked_in_session", session=session)
            return held.graph.record_feedback(latest.id, label, note)

        return self.act(session, judge)

    def search(self, session: str, text: str, k: int = 5) -> tuple[Recollected, ...]:
        """Return what is most like a text: the session's own first, then the long memory's.

        A session that is not in mind is not opened by a question.
        """
        graph = held.graph if (held := self._in_mind(session)) else None
        return search(text, k, graph, scope=self._scope, mind=self.mind, settings=self._settings)

    # -- on paper ---------------------------------------------------------------------------------

    def checkpoint(self, session: str, name: str | None = None) -> Path:
        """Write the main queries of a session down, whole or not at all; returns the file."""
        return self.act(session, lambda held: self._write(session, held, name), said=False)

    def load_checkpoint(self, name: str | Path) -> SessionGraph:
        """Return the graph of a checkpoint: a session's, one by its name, or any file."""
        file = name if isinstance(name, Path) else self._checkpoints.file(name)
        graph = self._new()
        graph.take(self._checkpoints.read(file))
        return graph

    def export(self, session: str, form: str = SNAPSHOT, *, vectors: bool = True) -> dict[str, Any]:
        """Return a session as seed B's JSON: its whole graph, or the checkpoint of its main part.

        Without vectors it is a tenth as large; they are made anew where it is read.
        """
        if form not in FORMS:
            raise BadInput("session.no_form", form=form, known=", ".join(FORMS))
        if (graph := self.seen(session)) is None:
            raise NotFound("session.nothing_is_in_mind", session=session)
        top, at = self._settings.checkpoint_top, self.mind.now()
        made = (
            graph.to_snapshot()
            if form == SNAPSHOT
            else checkpoint_of(graph, agent=self._scope.agent, session=session, at=at, top=top)
        )
        return made if vectors else _without_vectors(made)

    def import_from(self, record: object, session: str | None = None) -> str:
        """Put what a snapshot or a checkpoint holds in the place of a session's graph, or nothing.

        A checkpoint names its session itself. Returns the session.
        """
        whole = isinstance(record, dict) and record.get("form") == "session-graph"
        name = session or (record.get("sessionId") if isinstance(record, dict) else None)
        if not isinstance(name, str) or not name:
            raise BadInput("session.nobody_says_which_session")
        read = self._read_record(record, whole=whole)
        when = instant(float(read.record["decayedAt"])) if whole else None

        def take(held: Open) -> str:
            held.graph.take(read, when)
            self._write(name, held, None)
            return name

        return self.act(name, take, said=False)

    def _read_record(self, record: object, *, whole: bool) -> RestoredGraph:
        graph, embedder = self._settings.graph, self.mind.embedder
        if whole:
            return read_snapshot(record, "The snapshot", embedder, graph, self._recreate)
        return read_checkpoint(record, "The checkpoint", embedder, graph, self._recreate)

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
        A session that is not in mind is taken up from its checkpoint, unless it has ended.
        """
        held = self._in_mind(session) or self._left_behind(session)
        if held is None:
            return Finalized(session=session)
        with held.lock:
            if held.ended:
                return Finalized(session=session)
            if not held.begun:
                self._begin(session, held)
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

    def _left_behind(self, session: str) -> Open | None:
        """Return a session that another process put down without ending it, if it is one."""
        known = self.mind.store.sessions.get(self._scope, checked_name("session", session))
        if known is None or known.ended_at is not None or self._sign(session) is None:
            return None
        return self._held(session, quiet=True)

    def forget(self, session: str) -> None:
        """Forget a session at once: what is in mind of it, its checkpoint, and that it was held.

        Memories that it left behind are memories; they are forgotten as all others are.
        """
        held = self._in_mind(session)
        if held is not None:
            with held.lock:
                self._put_down(session, held)
        self._checkpoints.file(session).unlink(missing_ok=True)
        if not self.mind.store.readonly:
            self._sessions.forget(session)

    def close(self) -> None:
        """Put every session down: written, not promoted; each can be taken up again.

        One that cannot be written does not keep the others from it.
        """
        each_tried(partial(self._put_away, session) for session in self.active_sessions())

    def decay(self) -> None:
        """Let what is in mind fade, in every open session, by the time since it last did."""
        for session in self.active_sessions():
            self.act(session, lambda held: held.graph.decay(), said=False)

    def _promote(self, session: str, held: Open) -> tuple[Promoted, ...]:
        limits = self._settings
        hot = held.graph.best(
            limits.max_promotions,
            min_rank=limits.min_rank,
            min_degree=limits.min_degree,
            # A session that was left alone is judged as it stood when the last word was said.
            at=held.said_at,
        )
        scope = replace(self._scope, session=session)
        made = promote(fresh(hot), run=held.opened.run, scope=scope, mind=self.mind)
        promoted = tuple(made)
        held.graph.carry(each.node for each in promoted)
        return promoted


def _without_vectors(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record whose texts are embedded anew by whoever reads it."""

    def bare(node: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in node.items() if name != "embedding"}

    left: dict[str, Any] = {
        name: [bare(each) for each in record[name]]
        for name in ("topQueries", "nodes")
        if name in record
    }
    edges = [
        {**each, "node": bare(each["node"])} if "node" in each else each for each in record["edges"]
    ]
    return {**record, **left, "edges": edges, "embedderState": None}


# -- `WorkingMemories`: what is in mind in this process, one working memory for each scope

# Beyond so many scopes, those of which nothing is in mind are let go of.
_MOST = 256


class WorkingMemories:
    """The working memories of one open Saegim; all its views share them."""

    def __init__(self, mind: Mind, home: Path) -> None:
        self._mind, self._home = mind, home
        self._held: dict[Scope, WorkingMemory] = {}
        self._lock = threading.Lock()

    def of(self, scope: Scope) -> WorkingMemory:
        """Return the working memory of a scope, the same for every thread that asks.

        One for all sessions of a scope; and two stores in one folder never share theirs.
        """
        whole = replace(scope, session="")
        with self._lock:
            if whole not in self._held:
                if len(self._held) >= _MOST:
                    self._held = {s: w for s, w in self._held.items() if w.active_sessions()}
                folder = folder_of(self._home / self._mind.store.path.name)
                self._held[whole] = WorkingMemory(self._mind, whole, folder)
            return self._held[whole]

    def of_user(self, user: str) -> tuple[WorkingMemory, ...]:
        """Return what is in mind of one user, in all their rooms."""
        with self._lock:
            return tuple(each for scope, each in self._held.items() if scope.user == user)

    def overheard(self, said: Turn, seen: Observed) -> Observed:
        """Bring an observed turn to mind in the session it belongs to."""
        return turns.overheard(said, seen, self.of(said.scope))

    def first(
        self, question: str, scope: Scope, *, narrowed: bool
    ) -> Callable[[Recollection], Recollection]:
        """Return what puts the session of this scope before an answer."""
        return partial(
            session_first,
            question=question,
            session=scope.session,
            working=self.of(scope),
            mind=self._mind,
            narrowed=narrowed,
        )

    def close_idle(self) -> list[Finalized]:
        """Close what is in mind of sessions in which nothing was said for long (seed B gc)."""
        older_than = timedelta(hours=self._mind.settings.session_idle_hours)
        return [done for each in self._every() for done in each.gc_sessions(older_than)]

    def close(self) -> None:
        """Write down what is in mind, all of it; the first that cannot be written is told."""
        each_tried(each.close for each in self._every())

    def _every(self) -> list[WorkingMemory]:
        with self._lock:
            return list(self._held.values())
