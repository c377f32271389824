"""Everything derived from one memory's words, written and taken away together.

Claims say which memories state a value for which slot; coordinates say what a memory feels and
which times it speaks of, so that recall can filter by both; stated links tie entities as memories
state it, and go and come back with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from saegim.engines.embedder import Identity, Vector
from saegim.errors import BadInput, StoreCorrupt
from saegim.language.claims import claims, is_negative
from saegim.language.words import Analyser
from saegim.memory.clock import micros, parse_instant
from saegim.memory.entities import REFERS_TO
from saegim.memory.memory import FINDABLE, Memory
from saegim.memory.text import normalise
from saegim.store.database import Connection
from saegim.store.rows import SELECT, from_row
from saegim.store.search import bm25, embedding_index


def index_memory(
    connection: Connection,
    number: int,
    memory: Memory,
    *,
    analysers: Sequence[Analyser],
    vector: Vector | None,
    identity: Identity | None,
    at: int,
) -> None:
    """Index a memory just born, or called back."""
    owner = memory.scope.user
    for tag in dict.fromkeys(memory.content.tags):
        connection.execute("INSERT INTO tag VALUES (?, ?, ?)", (owner, tag, number))
    for analyser in analysers:
        bm25.add_next(connection, number, memory, analyser)
    if memory.content.triples:
        put_claims(connection, number, memory)
    put_coordinates(connection, number, memory)
    if vector is not None and identity is not None:
        embedding_index.check_fits(vector, identity)
        embedder = embedding_index.embedder_number(connection, identity, at)
        live = memory.life.state in FINDABLE
        embedding_index.put_next(
            connection, owner, embedder, number, embedding_index.pack(vector), live
        )


def unindex_memory(connection: Connection, owner: str, number: int) -> None:
    """Take everything derived from a memory's words out of the indexes."""
    bm25.remove(connection, number)
    embedding_index.drop(connection, owner, number)
    drop_claims(connection, number)
    drop_coordinates(connection, number)
    connection.execute("DELETE FROM tag WHERE number = ?", (number,))


def add_tags(
    connection: Connection,
    number: int,
    memory: Memory,
    tags: Sequence[str],
    analysers: Sequence[Analyser],
) -> None:
    """Index more tags of a memory, where its words are indexed."""
    for tag in tags:
        connection.execute("INSERT INTO tag VALUES (?, ?, ?)", (memory.scope.user, tag, number))
    for analyser in analysers:
        bm25.set_about(connection, number, memory, analyser)


def put_claims(connection: Connection, number: int, memory: Memory) -> None:
    """Index what a memory claims."""
    for claim in claims(memory.content.triples):
        connection.execute(
            "INSERT INTO claim VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (memory.scope.user, claim.slot, number, claim.value, int(claim.negative)),
        )


def drop_claims(connection: Connection, number: int) -> None:
    """Take the claims of a memory out of the index."""
    connection.execute("DELETE FROM claim WHERE number = ?", (number,))


def put_coordinates(connection: Connection, number: int, memory: Memory) -> None:
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


def drop_coordinates(connection: Connection, number: int) -> None:
    """Take them out of the index."""
    connection.execute("DELETE FROM felt WHERE number = ?", (number,))
    connection.execute("DELETE FROM mention WHERE number = ?", (number,))


# The person whose memories these are: what a sentence says of "me" is tied to this key.
_SELF = "entity:me"


def settle_stated_links(connection: Connection, number: int, lives: bool, at: int) -> None:
    """Weaken the ties a memory states when it leaves, and strengthen them when it comes back.

    A tie that several memories state stays until the last of them is gone (seed C: the graph is
    kept in step with what is saved and deleted).
    """
    rows = connection.execute(f"{SELECT} WHERE m.number = ?", (number,)).fetchall()
    with suppress(StoreCorrupt):
        # A spoilt record can be let go too; what it said cannot be known.
        memory = from_row(rows[0])
        if (memory.life.state in FINDABLE) is not lives:
            for source, type, target, negative in _stated(connection, memory):
                _move_link(
                    connection, (memory.scope.user, source, type, target), lives, negative, at
                )


def _stated(connection: Connection, memory: Memory) -> Iterator[tuple[str, str, str, bool]]:
    """Yield the ties between entities that the triples of a memory state."""
    if not memory.content.triples:
        return
    named = connection.execute(
        "SELECT a.name, a.entity FROM link l CROSS JOIN alias a ON a.owner = l.owner "
        "AND a.entity = l.target WHERE l.owner = ? AND l.source = ? AND l.type = ?",
        (memory.scope.user, memory.id, REFERS_TO),
    )
    keys = {str(name): str(entity) for name, entity in named}
    for subject, predicate, object in memory.content.triples:
        source = keys.get(normalise(subject), _SELF)
        target = keys.get(normalise(object), _SELF)
        type = normalise(predicate).replace(":", " ").strip()
        if source != target and type:
            yield source, type, target, is_negative(predicate)


def _move_link(
    connection: Connection,
    key: tuple[str, str, str, str],
    lives: bool,
    negative: bool,
    at: int,
) -> None:
    which = "owner = ? AND source = ? AND type = ? AND target = ?"
    if not lives:
        connection.execute(f"UPDATE link SET weight = weight - 1 WHERE {which}", key)
        connection.execute(f"DELETE FROM link WHERE {which} AND weight <= 0", key)
        return
    connection.execute(
        "INSERT INTO link VALUES (?, ?, ?, ?, 1, ?, ?, ?) "
        "ON CONFLICT (owner, source, type, target) DO UPDATE SET weight = link.weight + 1",
        (*key, int(negative), at, at),
    )
