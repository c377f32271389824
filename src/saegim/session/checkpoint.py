"""A checkpoint: the main queries of a session and their ties, exactly the fields of seed B §4.4."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from saegim.engines.embedder import Embedder
from saegim.memory.links import SIMILAR_TO, Link
from saegim.memory.scope import Scope, checked_name
from saegim.messages import Message
from saegim.session.files import broken, read_json, sweep, write_whole
from saegim.session.graph import SessionGraph
from saegim.session.limits import GraphSettings, SessionSettings
from saegim.session.node import Node
from saegim.session.snapshot import (
    VERSION,
    Restored,
    checked_record,
    edge_record,
    embedder_record,
    millis,
    node_record,
    restored,
    written,
)
from saegim.session.spaces import CANONICAL, Recreate

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
) -> Restored:
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

    def read(self, file: Path, session: str | None = None) -> Restored:
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
