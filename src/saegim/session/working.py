"""`WorkingMemory`: the graphs of the running sessions over one long memory (seed B D3).

`search` is seed B's own: what was said in this session first, then what is long remembered, each
text once; `session_first` puts what is in mind before an answer of the long memory.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from saegim.engines.embedder import cosine, embed_by_deadline
from saegim.errors import BadInput, EngineError, NotFound, each_tried
from saegim.memory.memory import Memory, Scope, checked_name
from saegim.memory.text import canonical_key, normalise
from saegim.mind import Mind
from saegim.perceive.turn import Observed, Turn
from saegim.recall.compose.choose import reads_like_an_order
from saegim.recall.flow import InMind, Recollection, recall
from saegim.recall.gather import RecallPath, scale_of
from saegim.recall.rank import Hit, floor_among, shares_of
from saegim.recall.understand import Query
from saegim.session import turns
from saegim.session.graph import SessionGraph, checked_count, read_checkpoint
from saegim.session.graph import checkpoint as checkpoint_of
from saegim.session.nodes import (
    QUERY,
    Node,
    SessionSettings,
    acquainted,
    admitted,
    rank_of,
    score_of,
)
from saegim.session.open_sessions import HeldSessions, Open, OpenedSession, folder_of
from saegim.session.snapshot import RestoredGraph, instant, read_snapshot
from saegim.session.turns import Promoted, fresh, is_kept, promote
from saegim.store.rows import Where

# A text longer than this is a document; its beginning says what it is about.
_GLANCE: Final = 2000
# A few turns of the session are enough beside what is long remembered, and only clear ones.
_MOST_IN_MIND: Final = 3
_CLEARLY: Final = 0.2


@dataclass(frozen=True, slots=True)
class Recollected:
    """Something like the question: the id of a node (`session`) or of a memory (`agent`)."""

    id: str
    score: float
    sim: float
    text: str
    canonical_key: str
    source: Literal["session", "agent"]


def search(
    text: str,
    k: int,
    graph: SessionGraph | None,
    *,
    scope: Scope,
    mind: Mind,
    settings: SessionSettings,
) -> tuple[Recollected, ...]:
    """Return what is most like a text, best first; the session's own by a little before the rest.

    What is in both is told once, as the session's.
    """
    most = checked_count(k)
    if not isinstance(text, str) or not normalise(text):
        return ()
    words = admitted(text, "query")
    found: dict[str, Recollected] = {}
    for each in _long(words, most, scope, mind, settings):
        found.setdefault(each.canonical_key, each)
    for match in graph.search_similar_queries(words, most) if graph is not None else ():
        known = found.get(match.canonical_key)
        score = max(match.score, known.score if known else 0.0) + settings.bias
        found[match.canonical_key] = Recollected(
            match.id, score, match.sim, match.text, match.canonical_key, "session"
        )
    key = canonical_key(words)
    ranked = sorted(
        found.values(),
        key=lambda each: (each.canonical_key != key, -each.score, each.source != "session"),
    )
    return tuple(ranked[:most])


def _long(
    words: str, most: int, scope: Scope, mind: Mind, settings: SessionSettings
) -> list[Recollected]:
    """Return what the long memory holds, scored as the session's own queries are."""
    where = Where(scope=replace(scope, session=""))
    hits = recall(Query(text=words, where=where, limit=most), mind=mind).hits
    key, now = canonical_key(words), mind.now()
    found = []
    for hit, sim in zip(hits, _sims(words, hits, mind), strict=True):
        memory = hit.memory
        same = memory.canonical_key == key
        rank = rank_of(
            last_access=_last_access(memory),
            repeat=memory.worth.repeat,
            feedback=memory.worth.feedback,
            now=now,
            half_life=settings.long_half_life_minutes,
        )
        alike = 1.0 if same else max(round(sim, 6), 0.0)
        found.append(
            Recollected(
                memory.id,
                score_of(alike, rank),
                alike,
                memory.text,
                memory.canonical_key,
                "agent",
            )
        )
    return found


def _sims(words: str, hits: Sequence[Hit], mind: Mind) -> list[float]:
    """Return how like the question each hit is, measured as in the session: text against text.

    An embedder behind a server is not asked again; there the cosine of the recall stands.
    """
    if hits and mind.embedder.local:
        texts = [words, *(hit.memory.text[:_GLANCE] for hit in hits)]
        try:
            asked, *others = mind.embedder.embed(texts, "document")
            return [cosine(asked, each) for each in others]
        except EngineError:
            pass
    return [hit.vector for hit in hits]


def _last_access(memory: Memory) -> datetime:
    times = (memory.time.recorded_at, memory.worth.recalled_at, memory.worth.used_at)
    return max(each for each in times if each is not None)


# -- before an answer of the long memory ----------------------------------------------------------


def session_first(
    found: Recollection,
    *,
    question: str,
    session: str,
    working: WorkingMemory,
    mind: Mind,
    narrowed: bool = False,
) -> Recollection:
    """Return an answer with what was said in the session before it (seed B `search`).

    What was said here and is long remembered is told once, as a hit that is ahead by the bias; what
    a filter asks for is looked for among memories alone. Looking changes nothing, takes no lock.
    """
    bias, graph = mind.settings.session_bias, None
    path = RecallPath("session", False, why="it asks for memories of a kind")
    if not narrowed:
        try:
            graph = working.seen(session)
            path = RecallPath("session", True)
        except BadInput as error:
            path = RecallPath("session", False, why=error.message)
    here: set[str] = set()
    in_mind: list[tuple[InMind, str]] = []
    if graph is not None and normalise(question):
        here, in_mind = _told(found, question, graph, session, mind)
    hits = [_biased(hit, bias) if _is_of(hit, session, here) else hit for hit in found.hits]
    hits.sort(key=lambda hit: -hit.score)
    shown = {id for hit in hits for id in (hit.memory.id, hit.memory.provenance.turn) if id}
    fresh = tuple(each for each, kept in in_mind if kept not in shown)[:_MOST_IN_MIND]
    paths = (*found.paths, replace(path, found=len(fresh)))
    return replace(found, hits=tuple(hits), in_mind=fresh, paths=paths)


def _told(
    found: Recollection, question: str, graph: SessionGraph, session: str, mind: Mind
) -> tuple[set[str], list[tuple[InMind, str]]]:
    """Return which memories were said here, and what may be told of the session."""
    bias = mind.settings.session_bias
    asked = Query(text=question, where=Where(scope=found.scope)).asked
    key = canonical_key(asked)
    here: set[str] = set()
    in_mind: list[tuple[InMind, str]] = []
    for node, relevance in _relevant(asked, graph, mind):
        kept = is_kept(node, found.scope, mind)
        if kept is not None:
            here.add(kept.id)
        answers = [each.text for each in graph.answers(node.id)]
        told = next((each for each in answers if not reads_like_an_order(each)), "")
        repeats = node.canonical_key == key and not told
        # What was let go since, what only asks the same again and what orders is not shown.
        if repeats or node.chatter or (node.memory and kept is None):
            continue
        if node.origin and reads_like_an_order(node.text):
            continue
        in_mind.append(_said(node, relevance + bias, told, session, kept))
    return here, in_mind


def _said(
    node: Node, score: float, answer: str, session: str, kept: Memory | None
) -> tuple[InMind, str]:
    shown = InMind(
        id=node.id,
        session=session,
        text=node.text,
        said_at=node.last_access,
        score=round(score, 6),
        answer=answer,
        origin=node.origin,
    )
    return shown, kept.id if kept is not None else ""


def _is_of(hit: Hit, session: str, here: set[str]) -> bool:
    return hit.memory.id in here or hit.memory.scope.session == session


def _biased(hit: Hit, bias: float) -> Hit:
    return replace(hit, weighed=hit.weighed._replace(score=hit.weighed.score + bias))


def _relevant(asked: str, graph: SessionGraph, mind: Mind) -> Iterator[tuple[Node, float]]:
    """Yield the queries that belong to a question, best first, measured as a recall measures."""
    nodes = [node for node in graph.nodes(QUERY) if not node.chatter]
    meanings = _meanings(asked, graph, mind)
    analyser, shares = mind.store.words.analyser(), shares_of(mind.settings)
    terms = [set(term.tokens) for term in analyser.query(asked)]
    floor = max(floor_among(shares.floor, len(nodes)), _CLEARLY)
    found = []
    for node in nodes:
        held = set(analyser.index(node.text[:_GLANCE]))
        words = sum(term <= held for term in terms) / len(terms) if terms else 0.0
        meaning = meanings.get(node.id, words)
        relevance = shares.words * words + (1 - shares.words) * meaning
        if relevance >= floor:
            found.append((relevance, node))
    found.sort(key=lambda each: -each[0])
    yield from ((node, relevance) for relevance, node in found)


def _meanings(asked: str, graph: SessionGraph, mind: Mind) -> dict[str, float]:
    """Return what the cosine to each query says; nothing where the embedder is late or another."""
    try:
        vector, identity = embed_by_deadline(mind.embedder, asked, mind.patience)
        if graph.embedder.identity != identity:
            return {}
    except EngineError:
        return {}
    says = scale_of(mind.embedder.floor, mind.embedder.ask)
    return {node.id: float(says(sim)) for node, sim in graph.near(vector, asked)}


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

    def put_down(self, user: str) -> None:
        """Write down what is in mind of one user, and have it in mind no more."""
        each_tried(each.close for each in self.of_user(user))
        with self._lock:
            self._held = {scope: each for scope, each in self._held.items() if scope.user != user}

    def close(self) -> None:
        """Write down what is in mind, all of it; the first that cannot be written is told."""
        each_tried(each.close for each in self._every())

    def _every(self) -> list[WorkingMemory]:
        with self._lock:
            return list(self._held.values())
