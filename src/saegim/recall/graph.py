"""From the best hits, and from whom the question names, along typed ties to other memories.

Activation spreads: each step gives on a part of what it received, less the more ties there are to
share it among, so that a rare common friend says much and a city everyone lives in says little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from saegim.memory.links import CONTRADICTS, HAS_FEEDBACK, MERGED_FROM, SIMILAR_TO, SUPERSEDES
from saegim.memory.scope import Scope
from saegim.recall.gather import Gathered, Path
from saegim.recall.query import Query
from saegim.store.store import Store
from saegim.store.tables.links import Tie
from saegim.store.where import Where

# From how many of the best candidates the walk begins.
FROM: Final = 8
# How much of what a key holds goes on along one tie.
GIVES_ON: Final = 0.5
# Ties followed from one key each way; who has more than this is named everywhere and says little.
MOST_TIES: Final = 24
# Who was met in more memories than this is no way to any of them; the name finds them all anyway.
CROWD: Final = 32
ENTITY: Final = "entity:"
# Keys a walk stands on at once; those with the least are left behind.
MOST_KEYS: Final = 32
# What the question names outright gives as much as a perfect hit.
NAMED: Final = 1.0
# Ties that say what no longer holds, or how a memory was judged, are no way to an answer; and near
# twins would only lift each other: whatever finds the one finds the other.
_NO_WAY: Final = (SUPERSEDES, CONTRADICTS, MERGED_FROM, HAS_FEEDBACK, SIMILAR_TO)


@dataclass(slots=True)
class Reached:
    """A key the walk has come to: what it received, by how many ties, along which."""

    activation: float = 0.0
    hops: int = 0
    via: tuple[str, ...] = ()
    negative: bool = False
    # Its row, if it is a memory.
    number: int | None = None


@dataclass(slots=True)
class _Standing:
    """A key the walk stands on: what it has to give, and how it was reached."""

    holds: float
    via: tuple[str, ...] = ()
    negative: bool = False
    # What each neighbour gave: none of it goes back to the giver.
    givers: dict[str, float] = field(default_factory=dict)


def spread(
    starts: Mapping[str, float], *, where: Where, store: Store, hops: int
) -> dict[str, Reached]:
    """Return every key within reach of the starts, with the activation that came to it.

    Memories that the filters leave out are neither reached nor walked through.
    """
    reached: dict[str, Reached] = {}
    standing = {key: _Standing(holds) for key, holds in starts.items()}
    for hop in range(1, hops + 1):
        standing = _without_crowds(standing, where.scope, store)
        if not standing:
            break
        came = _step(
            store.links.ties(where.scope, standing, without=_NO_WAY, most=MOST_TIES), standing
        )
        memories = [key for key in came if not key.startswith(ENTITY)]
        rows = store.memories.rows_of(where, memories) if memories else {}
        allowed = (key for key in came if key in rows or key.startswith(ENTITY))
        best = sorted(allowed, key=lambda key: (-came[key].holds, key))[:MOST_KEYS]
        standing = {key: came[key] for key in best}
        for key, here in standing.items():
            there = reached.setdefault(key, Reached(0.0, hop, here.via, here.negative))
            there.activation += here.holds
            there.negative = there.negative or here.negative
            there.number = rows.get(key)
    return reached


def _without_crowds(
    standing: dict[str, _Standing], scope: Scope, store: Store
) -> dict[str, _Standing]:
    """Leave those whom everyone knows: that two memories name them says nothing."""
    entities = [key for key in standing if key.startswith(ENTITY)]
    crowds = store.entities.met_often(scope, entities, more_than=CROWD) if entities else set()
    return {key: here for key, here in standing.items() if key not in crowds}


def _step(step: Sequence[Tie], standing: Mapping[str, _Standing]) -> dict[str, _Standing]:
    """Let every key give to its neighbours; return what came to each of them."""
    degree = Counter(tie.at for tie in step)
    came: dict[str, _Standing] = {}
    for tie in step:
        here = standing[tie.at]
        holds = here.holds - here.givers.get(tie.to, 0.0)
        gives = GIVES_ON * holds * min(abs(tie.weight), 1.0) / degree[tie.at] ** 0.5
        if gives <= 0.0:
            continue
        there = came.get(tie.to)
        if there is None:
            there = came[tie.to] = _Standing(0.0, (*here.via, tie.type))
        there.holds += gives
        # A dislike on any way to it is worth knowing, also where a neutral tie came first.
        there.negative = there.negative or here.negative or tie.negative
        there.givers[tie.at] = there.givers.get(tie.at, 0.0) + gives
    return came


def by_ties(
    query: Query,
    gathered: Gathered,
    *,
    own: Mapping[int, float],
    named: Iterable[str],
    store: Store,
    hops: int,
) -> None:
    """Let the best candidates and whom the question names lift what is tied to them."""
    best = sorted(own, key=lambda number: (-own[number], number))[:FROM]
    ids = store.memories.ids_of(query.where.scope, best)
    starts = {ids[number]: own[number] for number in best if number in ids}
    starts |= dict.fromkeys(named, NAMED)
    reached = spread(starts, where=query.where, store=store, hops=hops) if hops else {}
    rows = {there.number: there for there in reached.values() if there.number is not None}
    for number, there in rows.items():
        found = gathered.at(number)
        found.graph = min(there.activation, 1.0)
        found.hops, found.via, found.negative = there.hops, there.via, there.negative
    why = "" if rows else "nothing is tied to what was found" if hops else "turned off"
    gathered.paths.append(Path("graph", bool(starts) and hops > 0, len(rows), why))
