"""What a memory feels and which times it speaks of, so that recall can filter by both."""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from saegim.errors import BadInput
from saegim.memory.clock import micros, parse_instant
from saegim.memory.keys import normalise
from saegim.memory.memory import Memory


def put(connection: apsw.Connection, number: int, memory: Memory) -> None:
    """Index the feelings, the emotion words and the times of a memory."""
    owner, emotion = memory.scope.user, memory.emotion
    words = (*(each.value for each in emotion.feelings), *emotion.words, *memory.rhythm.words)
    for word in dict.fromkeys(filter(None, map(normalise, words))):
        connection.execute("INSERT INTO felt VALUES (?, ?, ?)", (owner, word, number))
    for starts, ends in dict.fromkeys(_mentioned(memory)):
        connection.execute("INSERT INTO mention VALUES (?, ?, ?, ?)", (owner, starts, ends, number))


def _mentioned(memory: Memory) -> Iterator[tuple[int, int]]:
    for interval in memory.time.mentions:
        starts, _, ends = interval.partition("/")
        try:
            yield micros(parse_instant(starts)), micros(parse_instant(ends))
        except BadInput:
            # Imported as someone else wrote it: it stays in the memory and is no filter.
            continue


def drop(connection: apsw.Connection, number: int) -> None:
    """Take them out of the index."""
    connection.execute("DELETE FROM felt WHERE number = ?", (number,))
    connection.execute("DELETE FROM mention WHERE number = ?", (number,))
