"""What stays in mind: rank, how praise and blame spread, and who makes room for whom."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from heapq import nsmallest
from typing import Final

from saegim.memory.links import HAS_FEEDBACK
from saegim.memory.weighing import rank, recency
from saegim.session.contents import Contents
from saegim.session.limits import GraphSettings
from saegim.session.node import ANSWER, FEEDBACK, Node

# What a label adds to (feedback, repeat). Who tries again was not helped, but means the question.
LABELS: Final[dict[str, tuple[float, float]]] = {
    "up": (1.0, 0.0),
    "down": (-1.0, 0.0),
    "retry": (-0.5, 1.0),
}
# Half as much at each hop, two hops far: a neighbour's neighbour hears a quarter of it.
_FAINTER: Final = 0.5
_HOPS: Final = 2
# Similarity leads; rank moves the score of a query by a quarter at most, so that among near ones
# the one that matters comes first and no stranger ever does.
_BY_RANK: Final = 0.2


def rank_of(
    *, last_access: datetime, repeat: float, feedback: float, now: datetime, half_life: float
) -> float:
    """Answer: does it stay in mind? (seed B §4.1; the half-life in minutes)"""
    age = (now - last_access).total_seconds()
    return rank(recency_score=recency(age, half_life * 60), repeat=repeat, feedback=feedback)


def node_rank(node: Node, now: datetime, half_life: float) -> float:
    """Return the rank of a node."""
    return rank_of(
        last_access=node.last_access,
        repeat=node.repeat,
        feedback=node.feedback,
        now=now,
        half_life=half_life,
    )


def score_of(sim: float, held_rank: float) -> float:
    """Return how well something answers: similarity, nudged by its rank."""
    return round(sim * (1 - _BY_RANK + _BY_RANK * held_rank), 6)


def least_score(sim: float) -> float:
    """Return the least similarity with which a better rank could still reach a score of `sim`."""
    return sim * (1 - 1.2 * _BY_RANK)


def spread(contents: Contents, start: str) -> dict[str, float]:
    """Return which share of a judgement reaches each node: all of it here, less at each hop."""
    shares = {start: 1.0}
    edge = [start]
    for _ in range(_HOPS):
        reached: dict[str, float] = {}
        for id in edge:
            for link, other in contents.ties(id):
                if link.type == HAS_FEEDBACK or other.id in shares:
                    continue
                share = shares[id] * _FAINTER * min(max(link.weight, 0.0), 1.0)
                reached[other.id] = max(share, reached.get(other.id, 0.0))
        shares |= reached
        edge = list(reached)
    return shares


def fade(contents: Contents, factor: float) -> None:
    """Lower every weight to a share of itself."""
    less = factor - 1.0
    for node in list(contents.nodes.values()):
        contents.weigh(node.id, repeat=node.repeat * less, feedback=node.feedback * less)
    for edge in list(contents.edges.values()):
        contents.reweigh(edge, edge.weight * factor)


# -- making room ----------------------------------------------------------------------------------


def make_room(
    contents: Contents,
    settings: GraphSettings,
    now: datetime,
    *,
    spare: Collection[str] = (),
    fresh: Collection[str] = (),
) -> list[str]:
    """Let nodes and edges go until the graph is within its bounds; return the nodes that went.

    Pinned nodes never go, nor those of `spare`, which were touched by this very act. The lowest
    rank goes first; what has many ties goes only when nothing else can, because a graph that
    protects everything would grow without end. `fresh` edges were made by this act and stay.
    """
    gone = _nodes_out(contents, settings, now, frozenset(spare))
    over = len(contents.edges) - settings.max_edges
    if over > 0:
        old = (link for key, link in contents.edges.items() if key not in fresh)
        for link in nsmallest(over, old, key=lambda each: (each.weight, each.touched_at or now)):
            contents.cut(link.key)
    return gone


def _nodes_out(
    contents: Contents, settings: GraphSettings, now: datetime, spare: Collection[str]
) -> list[str]:
    gone: list[str] = []
    if len(contents.nodes) <= settings.max_nodes:
        return gone
    order = sorted(
        (node for node in contents.nodes.values() if not node.pinned and node.id not in spare),
        key=lambda node: (node_rank(node, now, settings.half_life_minutes), node.last_access),
    )
    waiting = [node.id for node in order]
    while len(contents.nodes) > settings.max_nodes and waiting:
        free = (id for id in waiting if contents.degree(id) < settings.protect_min_degree)
        victim = next(free, waiting[0])
        out = [victim, *_orphans(contents, victim, spare)]
        for id in out:
            contents.drop(id)
            waiting.remove(id)
        gone += out
    return gone


def _orphans(contents: Contents, id: str, spare: Collection[str]) -> Iterable[str]:
    """Return the answers to, and the feedback on, a query alone: without it they say nothing."""
    return [
        other.id
        for _, other in contents.ties(id)
        if other.type in (ANSWER, FEEDBACK)
        and contents.degree(other.id) == 1
        and not other.pinned
        and other.id not in spare
    ]
