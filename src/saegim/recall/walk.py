"""From the best hits to their neighbours in the conversation.

An answer often shares no word with the question; the turn before it does. On LoCoMo this one step
brings turn recall@10 from 0.64 to 0.73 (docs/decisions/0005-fusion.md); with the neighbours
shuffled it brings nothing.
"""

from __future__ import annotations

from saegim.recall.gather import Gathered, Path
from saegim.recall.query import Query
from saegim.store.store import Store

# What a hit gives to the turns around it, by distance. The next turn is the reply.
GIVES = {-1: 0.25, 1: 0.5, 2: 0.25}
# How many of the best hits share what they have.
FROM = 64


def walk(query: Query, gathered: Gathered, *, store: Store, words_share: float) -> None:
    """Let the best candidates lift the turns around them, also those nothing else has found."""
    relevance = {
        each.number: words_share * each.words + (1 - words_share) * each.vector
        for each in gathered.found.values()
    }
    best = sorted(relevance, key=lambda number: -relevance[number])[:FROM]
    steps = store.neighbours(query.where, best, before=min(GIVES), after=max(GIVES))
    for number, neighbour, step in steps:
        gathered.at(neighbour).context += GIVES.get(step, 0.0) * relevance[number]
    found = len({neighbour for _, neighbour, _ in steps})
    why = "" if steps else "no hit has turns beside it"
    gathered.paths.append(Path("context", bool(steps), found, why))
