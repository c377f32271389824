"""Hotspots of a session become long memories: once, whoever and however often ends the session."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from saegim.memory.changes import Reweighed
from saegim.memory.coordinate import Source
from saegim.memory.scope import Scope
from saegim.memory.tiers import Tier
from saegim.mind import Mind
from saegim.perceive.flow import remember
from saegim.perceive.moment import moment_of
from saegim.session.node import Node
from saegim.store.commit import Batch
from saegim.store.store import Receipt


@dataclass(frozen=True, slots=True)
class Promoted:
    """A query that outlives its session: `status` is stored, duplicate or repeated."""

    node: str
    memory: str
    status: str


def fresh(nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes of which the long memory does not know everything yet."""
    return [node for node in nodes if node.carried != (node.repeat, node.feedback)]


def promote(nodes: Iterable[Node], *, run: int, scope: Scope, mind: Mind) -> Iterator[Promoted]:
    """Keep each query as a memory of the session, and carry its weights over.

    The keys name session, run and words, so that two processes that end the same session, or one
    that died half-way and tries again, promote nothing twice.
    """
    for node in nodes:
        # What was said in the session is known to this user alone, and fades unless it is used.
        about = {"tier": Tier.M30, "source": Source.CONVERSATION, "role": "user"}
        moment = moment_of(scope, node.text, about)
        kept = remember(moment, mind=mind, key=_key("promoted", scope, run, node))
        _carry_over(kept.id, node, run=run, scope=scope, mind=mind)
        yield Promoted(node.id, kept.id, kept.status)


def _carry_over(memory: str, node: Node, *, run: int, scope: Scope, mind: Mind) -> None:
    """Add to the memory the weights that it does not have of this node yet (seed B §4.4)."""
    known = node.carried or (0.0, 0.0)
    repeat, feedback = node.repeat - known[0], node.feedback - known[1]
    if not repeat and not feedback:
        return
    at = mind.now()
    change = Reweighed(memory=memory, at=at, repeat=repeat, feedback=feedback)
    batch = Batch(scope.user, [change], actor=scope.agent or scope.user, at=at)
    mind.store.commit(batch, receipt=Receipt(_key("weights", scope, run, node), memory))


def _key(what: str, scope: Scope, run: int, node: Node) -> str:
    """Name one act; the rooms are digested, because four names of 200 letters make no key."""
    rooms = "\x1f".join((scope.agent, scope.project, scope.session))
    digest = hashlib.sha256(rooms.encode()).hexdigest()[:24]
    return f"session:{what}:{digest}:{run}:{node.canonical_key}"
