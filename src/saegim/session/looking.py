"""What a graph can be asked; the reading half of `SessionGraph`. Looking changes nothing."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import Any

from saegim.engines.embedder import Embedder
from saegim.engines.vectors import Vector
from saegim.errors import BadInput, EngineError
from saegim.memory.clock import Clock
from saegim.memory.keys import canonical_key, normalise
from saegim.memory.links import Link
from saegim.session.contents import Contents
from saegim.session.limits import GraphSettings
from saegim.session.node import NODE_TYPES, QUERY, Node, admitted, not_in_mind
from saegim.session.snapshot import Held, snapshot
from saegim.session.worth import least_score, node_rank, score_of

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

    def best(self, most: int, *, min_rank: float = -1.0, min_degree: int = 0) -> tuple[Node, ...]:
        """Return the queries of the highest rank, best first: the hotspots of the session."""
        with self._lock:
            ranked = [
                (self._rank(node), node)
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

    def _rank(self, node: Node) -> float:
        return node_rank(node, self._clock.now(), self.settings.half_life_minutes)

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
        raise BadInput(f"k cannot be {k!r:.40}.", next_step=f"Give 1 to {_MOST}.")
    return k
