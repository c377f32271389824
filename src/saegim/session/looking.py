"""The halves of `SessionGraph` that change nothing in it: what it can be asked, and its files."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import Any

from saegim.engines.embedder import Embedder
from saegim.engines.vectors import Vector
from saegim.errors import BadInput, EngineError
from saegim.memory.clock import Clock
from saegim.memory.keys import canonical_key, normalise
from saegim.memory.links import RESPONDED_WITH, Link
from saegim.session.contents import Contents
from saegim.session.files import read_json, write_whole
from saegim.session.limits import GraphSettings
from saegim.session.node import NODE_TYPES, QUERY, Node, admitted, not_in_mind
from saegim.session.snapshot import Held, Restored, instant, read_snapshot, snapshot, written
from saegim.session.spaces import Recreate
from saegim.session.worth import least_score, make_room, node_rank, score_of

# Queries that were asked while the embedder was away and get their vector beside the next one.
_LATE = 16
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
class Stats:
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

    def latest(self) -> Node | None:
        """Return the query that was in mind last; nothing if none was asked yet."""
        with self._lock:
            queries = self._held.of_type(QUERY)
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

    def stats(self) -> Stats:
        """Count what is in mind."""
        with self._lock:
            nodes = list(self._held.nodes.values())
            edges = len(self._held.edges)
        by_type = {type: sum(node.type == type for node in nodes) for type in NODE_TYPES}
        return Stats(len(nodes), edges, by_type, sum(node.pinned for node in nodes))

    @property
    def version(self) -> int:
        """Return a number that grows with every change."""
        return self._version

    def held(self) -> Held:
        """Return what is held at this moment; its parts never change."""
        with self._lock:
            degrees = {id: self._held.degree(id) for id in self._held.nodes}
            nodes, edges = self._held.nodes.values(), self._held.edges.values()
            return Held(tuple(nodes), tuple(edges), self.embedder, degrees)

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
        own, texts = self.embedder, [words, *(node.text for node in late)]
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

    def take(self, read: Restored, decayed_at: datetime | None = None) -> None:
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

    def absorb(self, read: Restored) -> None:
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
