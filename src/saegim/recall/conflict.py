"""Memories that disagree and were not settled: each is marked, and the newer one comes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from saegim.memory.links import CONTRADICTS
from saegim.memory.scope import Scope
from saegim.memory.tiers import State
from saegim.recall.score import Hit
from saegim.store.store import Store


def marked(hits: Sequence[Hit], scope: Scope, store: Store) -> tuple[Hit, ...]:
    """Tell each hit which living memories contradict it; of two in the answer, the newer leads."""
    ids = [hit.memory.id for hit in hits]
    links = store.links.of(scope, ids, [CONTRADICTS]) if ids else []
    if not links:
        return tuple(hits)
    against: dict[str, list[str]] = {}
    for link in links:
        against.setdefault(link.source, []).append(link.target)
        against.setdefault(link.target, []).append(link.source)
    told = [replace(hit, conflicts=_living(against.get(hit.memory.id, ()), scope, store))
            for hit in hits]  # fmt: skip
    return tuple(_newer_first(told))


def _living(ids: Sequence[str], scope: Scope, store: Store) -> tuple[str, ...]:
    found = ((id, store.memories.get(scope, id)) for id in dict.fromkeys(ids))
    return tuple(id for id, each in found if each and each.life.state is State.ACTIVE)


def _newer_first(hits: list[Hit]) -> list[Hit]:
    """Let two that disagree change places where the older one stands first."""
    place = {hit.memory.id: at for at, hit in enumerate(hits)}
    for at, hit in enumerate(hits):
        for other in hit.conflicts:
            to = place.get(other, -1)
            if to > at and hits[to].memory.time.happened_at > hit.memory.time.happened_at:
                hits[at], hits[to] = hits[to], hits[at]
                place[hits[at].memory.id], place[hits[to].memory.id] = at, to
                break
    return hits
