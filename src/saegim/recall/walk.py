"""From the best hits to their neighbours in the conversation.

An answer often shares no word with the question; the turn before it does. On LoCoMo this one step
lifts turn recall@10 by ten points (docs/decisions/0006-fusion-with-meaning.md); with the turns of
a session shuffled it brings nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from saegim.recall.gather import Gathered, Path
from saegim.recall.query import Query
from saegim.store.store import Store

# What a hit gives to the turns around it, by distance. The next turn is the reply.
GIVES = {-3: 0.1, -2: 0.15, -1: 0.3, 1: 0.5, 2: 0.3, 3: 0.15, 4: 0.1}
# How many of the best hits share what they have.
FROM = 32


def walk(query: Query, gathered: Gathered, *, own: Mapping[int, float], store: Store) -> None:
    """Let the best candidates lift the turns around them, also those nothing else has found."""
    best = sorted(own, key=lambda number: -own[number])[:FROM]
    steps = store.memories.neighbours(query.where, best, before=min(GIVES), after=max(GIVES))
    for number, neighbour, step in steps:
        gathered.at(neighbour).context += GIVES.get(step, 0.0) * own[number]
    found = len({neighbour for _, neighbour, _ in steps})
    why = "" if steps else "no hit has turns beside it"
    gathered.paths.append(Path("context", bool(steps), found, why))
