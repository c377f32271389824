"""`SessionGraph`: what is in mind in one session, bounded, learning from what follows (seed B)."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from saegim.engines.embedder import Embedder, Vector
from saegim.errors import BadInput, EngineError, Refused
from saegim.memory.clock import Clock
from saegim.memory.entities import HAS_FEEDBACK, RESPONDED_WITH, SIMILAR_TO, Entity, Link
from saegim.memory.memory import Scope, checked_name, checked_number, recency
from saegim.memory.text import canonical_key, normalise
from saegim.messages import Message
from saegim.session.nodes import (
    ANSWER,
    ENTITY,
    FEEDBACK,
    LABELS,
    NODE_TYPES,
    QUERY,
    Contents,
    GraphSettings,
    Node,
    SessionSettings,
    admitted,
    check_ends,
    fade,
    least_score,
    make_room,
    may_be_one,
    node_rank,
    not_in_mind,
    refer,
    score_of,
    spread,
)
from saegim.session.snapshot import (
    CANONICAL,
    VERSION,
    GraphState,
    Recreate,
    RestoredGraph,
    broken,
    checked_record,
    edge_record,
    embedder_record,
    instant,
    millis,
    node_record,
    read_json,
    read_snapshot,
    recreated,
    restored,
    snapshot,
    sweep,
    write_whole,
    written,
)

# Queries that were asked while the embedder was away and get their vector beside the next one.
_LATE = 16
# So much of a pasted page says what it is about; the rest would be read at a second a page.
_EMBEDDED = 1_500
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Match:
    """A query in mind that is like a text: `sim` is the cosine, on `score` the order rests."""

    id: str
    score: float
    sim: float
    text: str
    canonical_key: str


@dataclass(frozen=True, slots=True)
class GraphStats:
    """How full the mind is."""

    nodes: int
    edges: int
    by_type: dict[str, int]
    pinned: int


class Looking:
    """The reading half of `SessionGraph`."""

    settings: GraphSettings
    embedder: Embedder
    _clock: Clock
    _held: Contents
    _lock: threading.RLock
    _space: str
    _version: int
    _decayed_at: datetime

    def search_similar_queries(self, text: str, k: int = 5) -> tuple[Match, ...]:
        """Return the queries most like a text, best first; the same words always come first."""
        most = checked_count(k)
        if not isinstance(text, str) or not normalise(text):
            return ()
        words = admitted(text, "query")
        key = canonical_key(words)
        own, vector = self.embedder, self._embedded(words)
        with self._lock:
            vector = vector if own is self.embedder else None
            near = self._held.near(vector, words) if vector is not None else []
            sims = {node.id: (node, sim) for node, sim in _within_reach(near, most)}
            if (same := self._held.keyed(QUERY, key)) is not None:
                sims[same.id] = (same, 1.0)
            found = [
                Match(node.id, score_of(sim, self._rank(node)), sim, node.text, node.canonical_key)
                for node, sim in sims.values()
            ]
        # Among equals those that came first stay first.
        found.sort(key=lambda each: (each.canonical_key != key, -each.score))
        return tuple(found[:most])

    def near(self, vector: Vector, text: str) -> list[tuple[Node, float]]:
        """Return the queries with their cosine to a vector of this graph's space, nearest first."""
        with self._lock:
            return self._held.near(vector, text)

    def node(self, id: str) -> Node:
        """Return one node."""
        with self._lock:
            found = self._held.nodes.get(id) if isinstance(id, str) else None
        if found is None:
            raise not_in_mind(id)
        return found

    def nodes(self, type: str | None = None) -> tuple[Node, ...]:
        """Return all nodes, or those of one type, in the order in which they came."""
        with self._lock:
            every = tuple(self._held.nodes.values())
        return every if type is None else tuple(node for node in every if node.type == type)

    def edges(self) -> tuple[Link, ...]:
        """Return all edges."""
        with self._lock:
            return tuple(self._held.edges.values())

    def degree(self, id: str) -> int:
        """Count the edges of a node."""
        with self._lock:
            return self._held.degree(self.node(id).id)

    def rank(self, id: str) -> float:
        """Return how firmly a node stays in mind now (seed B §4.1)."""
        return self._rank(self.node(id))

    def answers(self, id: str) -> tuple[Node, ...]:
        """Return the answers to a query, the latest first."""
        with self._lock:
            found = [
                other
                for link, other in self._held.ties(self.node(id).id)
                if link.type == RESPONDED_WITH
            ]
        return tuple(sorted(found, key=lambda each: each.last_access, reverse=True))

    def latest(self, but: str = "") -> Node | None:
        """Return the query that was in mind last, `but` not these words; nothing if none was."""
        with self._lock:
            queries = [each for each in self._held.of_type(QUERY) if each.canonical_key != but]
        # Of those of one instant, the one that came last stands last.
        order = sorted(queries, key=lambda each: each.last_access)
        return order[-1] if order else None

    def best(
        self,
        most: int,
        *,
        min_rank: float = -1.0,
        min_degree: int = 0,
        at: datetime | None = None,
    ) -> tuple[Node, ...]:
        """Return the queries of the highest rank, best first: the hotspots of the session.

        They are ranked as they stood at an instant, now unless another one is named.
        """
        with self._lock:
            ranked = [
                (self._rank(node, at), node)
                for node in self._held.of_type(QUERY)
                if self._held.degree(node.id) >= min_degree
            ]
        # Among equals those that came first stay first.
        ranked.sort(key=lambda each: -each[0])
        return tuple(node for rank, node in ranked[:most] if rank >= min_rank)

    def stats(self) -> GraphStats:
        """Count what is in mind."""
        with self._lock:
            nodes = list(self._held.nodes.values())
            edges = len(self._held.edges)
        by_type = {type: sum(node.type == type for node in nodes) for type in NODE_TYPES}
        return GraphStats(len(nodes), edges, by_type, sum(node.pinned for node in nodes))

    @property
    def version(self) -> int:
        """Return a number that grows with every change."""
        return self._version

    def held(self) -> GraphState:
        """Return what is held at this moment; its parts never change."""
        with self._lock:
            degrees = {id: self._held.degree(id) for id in self._held.nodes}
            nodes, edges = self._held.nodes.values(), self._held.edges.values()
            return GraphState(tuple(nodes), tuple(edges), self.embedder, degrees)

    def to_snapshot(self) -> dict[str, Any]:
        """Return the whole graph as JSON-ready data, vectors as `[[i, v], …]`."""
        return snapshot(self.held(), self.settings, self._clock.now(), self._decayed_at)

    def _rank(self, node: Node, at: datetime | None = None) -> float:
        return node_rank(node, at or self._clock.now(), self.settings.half_life_minutes)

    def _embedded(self, words: str) -> Vector | None:
        """Return the vector of a text, or nothing while the embedder does not answer.

        Queries that came while it was away get theirs in the same breath. All vectors here are of
        one space: should the embedder have become another, the old ones are made anew.
        """
        with self._lock:
            late = self._held.without_vectors(_LATE)
        own = self.embedder
        texts = [each[:_EMBEDDED] for each in (words, *(node.text for node in late))]
        try:
            made, space = own.embed(texts, "document"), own.identity.key
        except EngineError:
            return None
        if len(made) != len(texts):
            return None
        with self._lock:
            if self._space and self._space != space:
                for node in self._held.of_type(QUERY):
                    self._held.put(replace(node, vector=None))
            self._space = space
            for node, vector in zip(late, made[1:], strict=True):
                if (now := self._held.nodes.get(node.id)) is not None:
                    self._held.put(replace(now, vector=vector))
        return made[0]


class OnPaper(Looking):
    """A graph that is written to files and taken up from them."""

    _recreate: Recreate
    _writing: threading.Lock
    _saved: tuple[Path, int, datetime] | None

    def from_snapshot(self, record: object, name: str = "The snapshot") -> None:
        """Put what a snapshot holds in the place of everything here, or change nothing.

        The embedder of the snapshot is made again if it can be; otherwise its texts are embedded
        anew, so that vectors of two spaces are never compared.
        """
        read = read_snapshot(record, name, self.embedder, self.settings, self._recreate)
        self.take(read, instant(float(read.record["decayedAt"])))

    def take(self, read: RestoredGraph, decayed_at: datetime | None = None) -> None:
        """Hold what was read from a file, within the bounds of this graph."""
        make_room(read.contents, self.settings, self._clock.now())
        with self._lock:
            self._held, self.embedder = read.contents, read.embedder
            self._space = ""
            self._decayed_at = decayed_at or self._clock.now()
            self._version += 1

    def save_to_file(
        self,
        path: Path | str,
        *,
        only_if_dirty: bool = True,
        at_most_every: timedelta | None = None,
    ) -> bool:
        """Write a snapshot, whole or not at all; say whether it was written.

        With `at_most_every`, changes in quick succession are written together: a call soon after
        the last write writes nothing, and a later one everything.
        """
        file = Path(path)
        with self._writing:
            saved = self._saved if self._saved and self._saved[0] == file else None
            version, now = self._version, self._clock.now()
            if saved is not None and file.exists():
                soon = at_most_every is not None and now - saved[2] < at_most_every
                if soon or (only_if_dirty and saved[1] == version):
                    return False
            write_whole(file, written(self.to_snapshot()))
            self._saved = (file, version, now)
            return True

    def load_from_file(self, path: Path | str) -> None:
        """Put what a snapshot file holds in the place of everything here, or change nothing."""
        file = Path(path)
        with self._writing:
            self.from_snapshot(read_json(file), str(file))
            self._saved = (file, self._version, self._clock.now())

    def absorb(self, read: RestoredGraph) -> None:
        """Take in what another process wrote of this session, beside what is here."""
        with self._lock:
            same = read.embedder.identity == self.embedder.identity
            for node in () if same else read.contents.of_type(QUERY):
                read.contents.put(replace(node, vector=None))
            self._held.absorb(read.contents)
            make_room(self._held, self.settings, self._clock.now())
            self._version += 1


def _within_reach(near: list[tuple[Node, float]], most: int) -> list[tuple[Node, float]]:
    """Return the nearest, and those that a higher rank could still lift among them."""
    akin = (
        near
        if len(near) <= most
        else takewhile(lambda each: each[1] >= least_score(near[most - 1][1]), near)
    )
    return [each for each in akin if each[1] > 0]


def checked_count(k: object) -> int:
    """Return how many are wanted, if that is a number that can be."""
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= _MOST:
        raise BadInput("session.k_cannot_be", k=k, most=_MOST)
    return k


# -- `SessionGraph`: what is in mind in one session, bounded

# 4,000 edges for 1,000 nodes leave four for each.
_MOST_SIMILAR = 4
_MOST_WEIGHT = 1e9
# A tie of no weight, or a negative one, is none.
_LEAST_WEIGHT = 1e-9


class SessionGraph(OnPaper):
    """Queries, answers, feedback and entities with their ties; one object serves all threads."""

    def __init__(
        self,
        embedder: Embedder,
        clock: Clock,
        settings: GraphSettings | None = None,
        *,
        recreate: Recreate = recreated,
    ) -> None:
        self.settings = settings or GraphSettings()
        self.embedder = embedder
        self._clock = clock
        self._recreate = recreate
        self._held = Contents(indexed=self.settings.inverted_index)
        self._space = ""
        self._decayed_at = clock.now()
        self._lock = threading.RLock()
        # One writer of files at a time, so that an older state never replaces a newer one.
        self._writing = threading.Lock()
        self._version = 0
        self._saved: tuple[Path, int, datetime] | None = None

    # -- what is said -----------------------------------------------------------------------------

    def upsert_query(self, text: str, *, embed: bool = True) -> str:
        """Take a question in; one that is here, or nearly, is asked again instead. Returns its id.

        While the embedder does not answer, or is not asked, only exact repetitions are seen; the
        vector is made with that of the next question.
        """
        words = admitted(text, "query")
        key = canonical_key(words)
        with self._lock:
            if (known := self._held.keyed(QUERY, key)) is not None:
                return self._again(known)
        own, vector = self.embedder, self._embedded(words) if embed else None
        with self._lock:
            # A snapshot of another space may have come in between; the vector is made anew then.
            vector = vector if own is self.embedder else None
            near = self._held.near(vector, words) if vector is not None else []
            known = self._held.keyed(QUERY, key) or self._twin(words, near)
            if known is not None:
                return self._again(known)
            at = self._clock.now()
            node = self._held.born(QUERY, words, key, at, vector=vector)
            like = [each for each in near if each[1] >= self.settings.tau_sim][:_MOST_SIMILAR]
            made = [self._tie(node.id, SIMILAR_TO, other.id, sim) for other, sim in like]
            return self._settled(node.id, fresh=[*made, *refer(self._held, node, at)])

    def record_answer(self, query_id: str, text: str) -> str:
        """Tie an answer to a question; the same answer is there once. Returns its id."""
        words = admitted(text, "answer")
        with self._lock:
            query = self._asked(query_id)
            node = self._held.once(ANSWER, words, canonical_key(words), self._clock.now())
            return self._settled(
                node.id, query.id, fresh=[self._tie(query.id, RESPONDED_WITH, node.id, 1.0)]
            )

    def record_feedback(
        self, query_id: str, label: str, note: str = "", *, repeats: bool = True
    ) -> str:
        """Learn from feedback (up, down, retry); it spreads along ties, fainter at each hop.

        Without `repeats`, a retry is counted as asked again by whoever takes its words in.
        """
        if not isinstance(label, str) or label not in LABELS:
            raise BadInput("session.no_feedback", label=label, known=", ".join(LABELS))
        words = admitted(note, "note") if note else ""
        with self._lock:
            query = self._asked(query_id)
            key = canonical_key(f"{query.id} {label} {words}")
            node = self._held.once(FEEDBACK, words, key, self._clock.now(), label=label)
            delta, again = LABELS[label]
            for id, share in spread(self._held, query.id).items():
                self._held.weigh(id, feedback=delta * share)
            self._held.weigh(query.id, repeat=again if repeats else 0.0)
            return self._settled(
                node.id, query.id, fresh=[self._tie(query.id, HAS_FEEDBACK, node.id, 1.0)]
            )

    def upsert_entity(self, name: str, aliases: Iterable[str] = ()) -> str:
        """Know someone or something by name and aliases; who is known by one of them is met again.

        Questions that name it from now on refer to it. Returns its id.
        """
        names = [admitted(each, "name") for each in (name, *aliases)]
        with self._lock:
            at = self._clock.now()
            known = next(filter(None, map(self._held.called, names)), None)
            if known is None:
                key = canonical_key(names[0])
                node = self._held.born(ENTITY, names[0], key, at, id=Entity(name=names[0]).key)
            else:
                node = self._held.touched(known, at)
            others = dict.fromkeys((*node.aliases, *names))
            aliases = tuple(each for each in others if each != node.text)
            self._held.put(replace(node, aliases=aliases))
            return self._settled(node.id)

    def link(self, source: str, target: str, type: str, weight: float = 1.0) -> str:
        """Tie two nodes, or strengthen their tie; returns its key `from::type::to`."""
        checked_number("weight", weight, low=_LEAST_WEIGHT, high=_MOST_WEIGHT)
        with self._lock:
            check_ends(type, self.node(source), self.node(target))
            key = self._tie(source, type, target, float(weight))
            self._settled(source, target, fresh=[key])
            return key

    # -- what it is worth -------------------------------------------------------------------------

    def adjust_weights(
        self, id: str, *, feedback_delta: float = 0.0, repeat_delta: float = 0.0
    ) -> None:
        """Add to the weights of a node, as when they are carried over from elsewhere."""
        for what, value in (("feedback_delta", feedback_delta), ("repeat_delta", repeat_delta)):
            checked_number(what, value, low=-_MOST_WEIGHT, high=_MOST_WEIGHT)
        with self._lock:
            self._held.weigh(self.node(id).id, feedback=feedback_delta, repeat=repeat_delta)
            self._version += 1

    def note(self, id: str, **about: str | bool) -> None:
        """Note of an overheard query where it is kept, whose words it is, or that it is chatter."""
        with self._lock:
            self._held.put(replace(self.node(id), **about))  # type: ignore[arg-type]
            self._version += 1

    def touch(self, id: str) -> None:
        """Put a query in mind again without counting it as asked again."""
        with self._lock:
            self._held.touched(self.node(id), self._clock.now())
            self._version += 1

    def carry(self, ids: Iterable[str]) -> None:
        """Note that the long memory has these nodes with the weights they have now."""
        with self._lock:
            for node in [self._held.nodes[id] for id in ids if id in self._held.nodes]:
                self._held.put(replace(node, carried=(node.repeat, node.feedback)))
            self._version += 1

    def pin(self, id: str) -> None:
        """Hold a node fast: it never makes room for others. At most half of the mind can be."""
        with self._lock:
            node = self.node(id)
            pinned = sum(each.pinned for each in self._held.nodes.values())
            if not node.pinned and pinned >= self.settings.most_pinned:
                raise Refused(
                    "session.nodes_are_pinned_more_cannot",
                    pinned=pinned,
                    most=self.settings.max_nodes,
                )
            self._held.put(replace(node, pinned=True))
            self._version += 1

    def unpin(self, id: str) -> None:
        """Let a node loose again."""
        with self._lock:
            self._held.put(replace(self.node(id), pinned=False))
            self._version += 1

    def decay(self, by: timedelta | None = None) -> float:
        """Lower every weight by the time since the last decay, or by so much; returns the factor.

        Rank fades by itself; this makes old habits fade too. Two calls in a row fade no more than
        one.
        """
        with self._lock:
            now = self._clock.now()
            age = (now - self._decayed_at if by is None else by).total_seconds()
            factor = recency(age, self.settings.half_life_minutes * 60)
            fade(self._held, factor)
            self._decayed_at = now
            self._version += 1
            return factor

    # -- inside -----------------------------------------------------------------------------------

    def _again(self, node: Node) -> str:
        """Count a question that was asked before, and whom it names by now."""
        at = self._clock.now()
        node = self._held.touched(node, at, again=1.0)
        return self._settled(node.id, fresh=refer(self._held, node, at))

    def _twin(self, words: str, near: Sequence[tuple[Node, float]]) -> Node | None:
        """Return the query that this one only says again, if there is one."""
        close = (node for node, sim in near if sim >= self.settings.tau_dup)
        return next((node for node in close if may_be_one(words, node.text)), None)

    def _asked(self, id: str) -> Node:
        node = self.node(id)
        if node.type != QUERY:
            raise not_in_mind(id)
        return self._held.touched(node, self._clock.now())

    def _tie(self, source: str, type: str, target: str, weight: float) -> str:
        return self._held.join(source, type, target, weight, self._clock.now()).key

    def _settled(self, id: str, *others: str, fresh: Sequence[str] = ()) -> str:
        """Make room after an act that must not cost what it was about; return the first id."""
        make_room(
            self._held, self.settings, self._clock.now(), spare={id, *others}, fresh=set(fresh)
        )
        self._version += 1
        return id


# -- A checkpoint: the main queries of a session and their ties

_UNUSABLE: Final = re.compile(r"[^\w-]+")
_READABLE: Final = 40


def file_of(folder: Path, scope: Scope, name: str) -> Path:
    """Return the file of a checkpoint: readable, and never that of another user or session."""
    owner = (scope.user, scope.agent, scope.project, checked_name("checkpoint", name))
    digest = hashlib.sha256("\x1f".join(owner).encode()).hexdigest()[:16]
    return folder / f"{_UNUSABLE.sub('-', name)[:_READABLE].strip('-')}-{digest}.json"


def checkpoint(
    graph: SessionGraph, *, agent: str, session: str, at: datetime, top: int
) -> dict[str, Any]:
    """Return the main queries of a graph, best first, with their edges, as JSON-ready data.

    An edge to an answer, a judgement or an entity carries that node; queries stand on their own.
    """
    best = [node.id for node in graph.best(top)]
    held = graph.held()
    nodes = {node.id: node for node in held.nodes}
    main = {id: nodes[id] for id in best if id in nodes}
    return {
        "version": VERSION,
        "agentId": agent,
        "sessionId": session,
        "createdAt": millis(at),
        "topQueries": [node_record(node, held.degrees[id]) for id, node in main.items()],
        "edges": [
            _edge(link, nodes[link.target], held.degrees[link.target])
            for link in held.edges
            if link.source in main and (link.type != SIMILAR_TO or link.target in main)
        ],
        "embedderState": embedder_record(main.values(), held.embedder),
        "canonicalMeta": dict(CANONICAL),
    }


def _edge(link: Link, target: Node, degree: int) -> dict[str, Any]:
    record = edge_record(link)
    return record if link.type == SIMILAR_TO else {**record, "node": node_record(target, degree)}


def read_checkpoint(
    record: object, name: str, embedder: Embedder, settings: GraphSettings, recreate: Recreate
) -> RestoredGraph:
    """Read what `checkpoint` returned; `name` is what to call it in an error."""
    held = checked_record(record, name, "agentId", "sessionId", "topQueries", "edges")
    if not isinstance(held["sessionId"], str) or not isinstance(held["agentId"], str):
        raise broken(name, Message("session.file_its_agentid_or_sessionid_not"))
    queries, edges = held["topQueries"], held["edges"]
    if not isinstance(queries, list) or not isinstance(edges, list):
        raise broken(name, Message("session.file_its_topqueries_and_edges_are"))
    beside: dict[str, Any] = {}
    for edge in edges:
        if isinstance(edge, Mapping) and isinstance(node := edge.get("node"), Mapping):
            beside.setdefault(str(node.get("id")), node)
    nodes = [*queries, *beside.values()]
    return restored(held, name, nodes, edges, embedder, settings, recreate)


class Checkpoints:
    """The checkpoints of one user and agent, in one folder."""

    def __init__(
        self,
        folder: Path,
        scope: Scope,
        embedder: Embedder,
        settings: SessionSettings,
        recreate: Recreate,
    ) -> None:
        self._folder = folder
        self._scope = scope
        self._embedder = embedder
        self._settings = settings
        self._recreate = recreate

    def file(self, name: str) -> Path:
        """Return where the checkpoint of this name lies, or would lie."""
        return file_of(self._folder, self._scope, name)

    def read(self, file: Path, session: str | None = None) -> RestoredGraph:
        """Read a checkpoint, of that session if one is named."""
        read = read_checkpoint(
            read_json(file), str(file), self._embedder, self._settings.graph, self._recreate
        )
        if session is not None and read.record["sessionId"] != session:
            raise broken(file, Message("session.file_checkpoint_another_session"))
        return read

    def write(self, graph: SessionGraph, session: str, name: str, at: datetime) -> Path:
        """Write a checkpoint, whole or not at all."""
        top, pretty = self._settings.checkpoint_top, self._settings.checkpoint_pretty
        file = self.file(name)
        record = checkpoint(graph, agent=self._scope.agent, session=session, at=at, top=top)
        write_whole(file, written(record, pretty=pretty))
        sweep(self._folder)
        return file
