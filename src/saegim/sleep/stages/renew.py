"""Shorter forms anew (seed C, layer 4): the briefs and ties that a memory came without."""

from __future__ import annotations

from collections.abc import Iterator

from saegim.memory.changes import Retold
from saegim.memory.memory import Memory
from saegim.perceive.understand import hear, understood
from saegim.sleep.night import Night, Step

# Raised when the rules that write shorter forms have become better: then all are looked at again.
_READING = "1"
# Seed C, level 1: a text this short needs no brief.
_SHORT = 100
# Reading takes milliseconds each; after a large import the rest waits for the next nights.
_MOST = 2000
_AT_ONCE = 500


def renew(night: Night) -> Iterator[Step]:
    """Write the brief and the triples of what was kept without them since last time."""
    queries = night.mind.store.night_queries
    reading, _, place = night.places.get("renew", "").partition(":")
    last = int(place) if reading == _READING else 0
    read = 0
    while read < _MOST and (numbers := queries.since(night.owner, last, most=_AT_ONCE)):
        for _, memory in night.memories(numbers):
            if _lacks(memory) and not memory.life.immutable and memory.id not in night.gone:
                read += 1
                yield from _retold(memory, night)
        last = numbers[-1]
    yield Step(why="looked", place=f"{_READING}:{last}")


def _lacks(memory: Memory) -> bool:
    """Say whether nothing was ever read in a memory, or its short form is missing."""
    content = memory.content
    return not content.language or (content.brief is None and len(memory.text) > _SHORT)


def _retold(memory: Memory, night: Night) -> Iterator[Step]:
    read, _ = understood(memory, hear(memory.text, night.mind), night.mind, kind=memory.kind)
    brief, triples = read.content.brief, read.content.triples
    if (brief, triples) != (memory.content.brief, memory.content.triples):
        change = Retold(memory.id, brief, triples)
        yield Step(changes=(change,), why="retold", about=(memory.id,))
