"""`Contents`: the nodes and edges of a graph with the indexes over them; no rule, no lock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from saegim.engines.vectors import Vector
from saegim.memory.clock import new_id
from saegim.memory.keys import normalise
from saegim.memory.links import SIMILAR_TO, Link
from saegim.session.near import Packed, Postings
from saegim.session.node import ANSWER, ENTITY, FEEDBACK, QUERY, Node

_PREFIXES: Final = {QUERY: "qry", ANSWER: "ans", FEEDBACK: "fbk", ENTITY: "ent"}


class Contents:
    """What a graph holds. An edge is a `Link`: its key `from::type::to` is there once."""

    def __init__(self, *, indexed: bool = False) -> None:
        self.nodes: dict[str, Node] = {}
        self.edges: dict[str, Link] = {}
        self._ties: dict[str, dict[str, None]] = {}
        self._keys: dict[tuple[str, str], str] = {}
        self._names: dict[str, str] = {}
        self.postings = Postings() if indexed else None
        # Made when it is first needed, dropped when a vector comes or goes.
        self._packed: Packed | None = None

    # -- nodes ------------------------------------------------------------------------------------

    def put(self, node: Node) -> Node:
        """Add a node, or put a new form of one in its place."""
        known = self.nodes.get(node.id)
        self.nodes[node.id] = node
        self._ties.setdefault(node.id, {})
        if known is None or known.canonical_key != node.canonical_key:
            self._keys[node.type, node.canonical_key] = node.id
        if node.type == ENTITY and (known is None or known.aliases != node.aliases):
            for name in (node.text, *node.aliases):
                self._names.setdefault(normalise(name), node.id)
        if node.type == QUERY and (known is None or known.vector is not node.vector):
            self._packed = None
            if self.postings is not None:
                self.postings.put(node)
        return node

    def drop(self, id: str) -> None:
        """Take a node out, and every edge that touches it."""
        node = self.nodes.pop(id)
        for key in list(self._ties[id]):
            self.cut(key)
        del self._ties[id]
        if self._keys.get((node.type, node.canonical_key)) == id:
            del self._keys[node.type, node.canonical_key]
        if node.type == ENTITY:
            self._names = {name: of for name, of in self._names.items() if of != id}
        if node.type == QUERY:
            self._packed = None
            if self.postings is not None:
                self.postings.drop(id)

    def born(self, type: str, text: str, key: str, at: datetime, **more: Any) -> Node:
        """Add a new node of these words."""
        id = more.pop("id", None) or new_id(at, _PREFIXES[type])
        return self.put(
            Node(
                id=id,
                type=type,
                text=text,
                canonical_key=key,
                created_at=at,
                last_access=at,
                **more,
            )
        )

    def once(self, type: str, text: str, key: str, at: datetime, **more: Any) -> Node:
        """Return the node of these words, in mind again, or a new one."""
        known = self.keyed(type, key)
        return self.born(type, text, key, at, **more) if known is None else self.touched(known, at)

    def touched(self, node: Node, at: datetime, *, again: float = 0.0) -> Node:
        """Put a node in mind again; what is asked again is also counted."""
        return self.put(replace(node, last_access=at, repeat=node.repeat + again))

    def weigh(self, id: str, *, feedback: float = 0.0, repeat: float = 0.0) -> None:
        """Add to the weights of a node."""
        node = self.nodes[id]
        self.put(replace(node, feedback=node.feedback + feedback, repeat=node.repeat + repeat))

    def keyed(self, type: str, canonical_key: str) -> Node | None:
        """Return the node of this type whose words have that key."""
        id = self._keys.get((type, canonical_key))
        return None if id is None else self.nodes[id]

    def of_type(self, type: str) -> list[Node]:
        """Return the nodes of a type, in the order in which they came."""
        return [node for node in self.nodes.values() if node.type == type]

    def called(self, name: str) -> Node | None:
        """Return the entity that goes by a name."""
        id = self._names.get(normalise(name))
        return None if id is None else self.nodes[id]

    @property
    def names(self) -> list[str]:
        """Return every name of every entity, normalised."""
        return list(self._names)

    # -- edges ------------------------------------------------------------------------------------

    def join(self, source: str, type: str, target: str, weight: float, at: datetime) -> Link:
        """Tie two nodes; a tie that is there grows by the weight. Similarity has no direction."""
        link = Link(
            source=source, type=type, target=target, weight=weight, created_at=at, touched_at=at
        )
        known = self.edges.get(link.key)
        if known is None and type == SIMILAR_TO:
            known = self.edges.get(f"{target}::{type}::{source}")
        if known is not None:
            link = replace(known, weight=known.weight + weight, touched_at=at)
        self.edges[link.key] = link
        self._ties[link.source][link.key] = None
        self._ties[link.target][link.key] = None
        return link

    def reweigh(self, link: Link, weight: float) -> None:
        """Give an edge another weight."""
        self.edges[link.key] = replace(link, weight=weight)

    def cut(self, key: str) -> None:
        """Take an edge away."""
        link = self.edges.pop(key)
        self._ties[link.source].pop(key, None)
        self._ties[link.target].pop(key, None)

    def degree(self, id: str) -> int:
        """Count the edges of a node."""
        return len(self._ties[id])

    def ties(self, id: str) -> Iterator[tuple[Link, Node]]:
        """Yield each edge of a node with the node at its other end."""
        for key in list(self._ties[id]):
            link = self.edges[key]
            yield link, self.nodes[link.target if link.source == id else link.source]

    # -- queries ----------------------------------------------------------------------------------

    def near(self, vector: Vector, text: str) -> list[tuple[Node, float]]:
        """Return the queries with their cosine to a text, the nearest first."""
        if self.postings is not None:
            likely = set(self.postings.candidates(vector, text))
            packed = Packed(node for id, node in self.nodes.items() if id in likely)
        else:
            packed = self._packed = self._packed or Packed(self.of_type(QUERY))
        return [(self.nodes[id], sim) for id, sim in packed.nearest(vector)]

    def without_vectors(self, most: int) -> list[Node]:
        """Return queries that still lack their vector, at most so many."""
        lacking = (
            node for node in self.nodes.values() if node.type == QUERY and node.vector is None
        )
        return [node for node, _ in zip(lacking, range(most), strict=False)]

    def absorb(self, other: Contents) -> None:
        """Take in what another holds of the same session; of what both have, the more counts.

        Vectors of another space are left to be made anew.
        """
        moved: dict[str, str] = {}
        for node in other.nodes.values():
            known = self.keyed(node.type, node.canonical_key)
            moved[node.id] = known.id if known else node.id
            if known is None:
                self.put(node)
                continue
            carried = max(filter(None, (known.carried, node.carried)), default=None)
            self.put(
                replace(
                    known,
                    repeat=max(known.repeat, node.repeat),
                    feedback=max(known.feedback, node.feedback, key=abs),
                    last_access=max(known.last_access, node.last_access),
                    carried=carried,
                    memory=known.memory or node.memory,
                )
            )
        for link in other.edges.values():
            source, target = moved[link.source], moved[link.target]
            there = f"{source}::{link.type}::{target}" in self.edges
            if link.type == SIMILAR_TO:
                there = there or f"{target}::{link.type}::{source}" in self.edges
            if source != target and not there:
                at = link.touched_at or self.nodes[source].last_access
                self.join(source, link.type, target, link.weight, at)
