"""What a memory is tied to: breadth first along its ties, each relation with the way to it.

A memory that another names the same person as is two ties away: memory, entity, memory. What no
longer holds, is kept apart or is leaving is neither shown nor walked through.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from saegim.errors import BadInput, NotFound
from saegim.memory.clock import checked_id, micros
from saegim.memory.entities import Entity, Link
from saegim.memory.memory import FINDABLE, Memory, Scope
from saegim.memory.record import storable
from saegim.mind import Mind
from saegim.recall.understand import MOST
from saegim.store.rows import Where
from saegim.store.store import Store

DEEPEST: Final = 3
# Someone who is named in thousands of memories leads to the newest of them only.
MOST_TIES: Final = 64
# Keys from which a walk goes on at each hop, the weightiest first.
MOST_KEYS: Final = 64
MOST_STARTS: Final = 64
# How a memory was judged ties it to such a key, and to everything judged alike: no kinship.
LABELLED: Final = "feedback:"
CHANGED_BEHAVIOUR: Final = "changed_behaviour"

Step = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Relation:
    """A memory or an entity, how many ties away it is, along which, and how much they carry."""

    key: str
    hops: int
    path: tuple[Step, ...]
    weight: float
    negative: bool
    memory: Memory | None = None
    entity: Entity | None = None


@dataclass(frozen=True, slots=True)
class _Reached:
    """A key the walk has come to, and the best of the shortest ways to it."""

    key: str
    path: tuple[Step, ...] = ()
    weight: float = 1.0
    negative: bool = False

    @property
    def order(self) -> tuple[int, float, str, tuple[Step, ...]]:
        return len(self.path), -self.weight, self.key, self.path


def related(
    id: str, *, scope: Scope, mind: Mind, depth: int = 1, limit: int = 50
) -> list[Relation]:
    """Return what lies within 1 to 3 ties of a memory or entity, the nearest first (seed C)."""
    return connected([id], scope=scope, mind=mind, hops=depth, limit=limit)


def neighbours(id: str, *, scope: Scope, mind: Mind, limit: int = 50) -> list[Relation]:
    """Return what a memory or entity is tied to directly (seed E `get_neighbors`)."""
    return connected([id], scope=scope, mind=mind, hops=1, limit=limit)


def connected(
    ids: Iterable[str], *, scope: Scope, mind: Mind, hops: int = 2, limit: int = 50
) -> list[Relation]:
    """Return what lies within reach of any of these (seed E `get_connected_nodes`)."""
    _number("depth", hops, DEEPEST)
    _number("limit", limit, MOST)
    starts = [_start(each, scope, mind.store) for each in dict.fromkeys(ids)]
    _number("number of ids", len(starts), MOST_STARTS)
    reached = _walked(starts, hops, scope, mind.store)
    return _shown(reached, limit, scope, mind.store)


def _number(what: str, value: object, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise BadInput("recall.cannot_be", what=what, value=value, most=most)


def is_entity(key: str) -> bool:
    """Say whether a key names someone or something rather than a memory."""
    return isinstance(key, str) and key.startswith("entity:") and storable(key)


def _start(key: str, scope: Scope, store: Store) -> str:
    """Return the key to begin from: a known entity, or what holds now for a memory."""
    if isinstance(key, str) and is_entity(key):
        if not store.entities.of(scope, key):
            raise NotFound("recall.no_such_key", key=key[:80])
        return key
    id = store.memories.current(scope, checked_id(key))
    found = store.memories.get(scope, id)
    if found is None or not found.text:
        raise NotFound("recall.no_memory_3", key=key)
    return id


def _walked(starts: Sequence[str], hops: int, scope: Scope, store: Store) -> list[_Reached]:
    """Walk breadth first; return every key that was reached, the starts left out."""
    reached = {key: _Reached(key) for key in starts}
    standing = list(reached.values())
    for hop in range(1, hops + 1):
        around = _around([each.key for each in standing], scope, store)
        found: dict[str, _Reached] = {}
        for here in standing:
            for there in _next(here, around.get(here.key, ()), first=hop == 1):
                best = found.get(there.key)
                if there.key not in reached and (best is None or there.order < best.order):
                    found[there.key] = there
        living = _living(found, scope, store)
        reached |= living
        standing = sorted(living.values(), key=lambda each: each.order)[:MOST_KEYS]
        if not standing:
            break
    return [each for each in reached.values() if each.path]


def _around(keys: Sequence[str], scope: Scope, store: Store) -> dict[str, list[Link]]:
    """Return the newest ties of each key, whichever way they point."""
    around: dict[str, list[Link]] = {key: [] for key in keys}
    for link in store.links.touching(scope, keys, most=MOST_TIES):
        if not link.target.startswith(LABELLED):
            for end in {link.source, link.target} & around.keys():
                around[end].append(link)
    for links in around.values():
        links.sort(key=lambda each: (-micros(each.touched_at) if each.touched_at else 0, each.key))
        del links[MOST_TIES:]
    return around


def carried(weight: float) -> float:
    """Return what a tie of this weight passes on: more for a stronger one, never everything."""
    return 1.0 - math.exp(-max(weight, 0.0))


def _next(here: _Reached, links: Sequence[Link], *, first: bool) -> Iterable[_Reached]:
    """Return where the ties of a key lead; the more it has, the less each of them says."""
    # The tie it was reached by is not one of those that share.
    shared = 1.0 if first else math.sqrt(max(len(links) - 1, 1))
    for link in links:
        weight = here.weight * carried(link.weight) / shared
        if weight > 0.0:
            yield _Reached(
                link.target if link.source == here.key else link.source,
                (*here.path, (link.source, link.type, link.target)),
                weight,
                here.negative or link.negative,
            )


def _living(found: Mapping[str, _Reached], scope: Scope, store: Store) -> dict[str, _Reached]:
    """Leave out the memories that may not be shown here, and keys of neither kind."""
    where = Where(scope=scope, states=FINDABLE)
    rows = store.memories.rows_of(where, (key for key in found if not is_entity(key)))
    return {key: each for key, each in found.items() if is_entity(key) or key in rows}


def _shown(reached: Sequence[_Reached], limit: int, scope: Scope, store: Store) -> list[Relation]:
    """Give the nearest their memory or entity, in an order that does not depend on chance."""
    nearest = sorted(reached, key=lambda each: each.order)[:limit]
    where = Where(scope=scope, states=FINDABLE)
    rows = store.memories.rows_of(where, (each.key for each in nearest if not is_entity(each.key)))
    memories = store.memories.by_numbers(scope, rows.values()) if rows else {}
    relations = []
    for each in nearest:
        entity = (
            next(iter(store.entities.of(scope, each.key)), None) if is_entity(each.key) else None
        )
        memory = memories.get(rows.get(each.key, 0))
        if entity or memory:
            relations.append(
                Relation(
                    each.key, len(each.path), each.path, each.weight, each.negative, memory, entity
                )
            )
    return relations
