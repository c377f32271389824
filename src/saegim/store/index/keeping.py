"""Everything derived from one memory's words, written and taken away together."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from saegim.engines.embedder import Identity
from saegim.engines.vectors import Vector
from saegim.language.words import Analyser
from saegim.memory.memory import Memory
from saegim.memory.tiers import FINDABLE
from saegim.store.index import claims, coordinates, fulltext, vectors


def keep(
    connection: apsw.Connection,
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
        fulltext.add_next(connection, number, memory, analyser)
    if memory.content.triples:
        claims.put(connection, number, memory)
    coordinates.put(connection, number, memory)
    if vector is not None and identity is not None:
        vectors.check_fits(vector, identity)
        embedder = vectors.embedder_number(connection, identity, at)
        live = memory.life.state in FINDABLE
        vectors.put_next(connection, owner, embedder, number, vectors.pack(vector), live)


def drop(connection: apsw.Connection, owner: str, number: int) -> None:
    """Take everything derived from a memory's words out of the indexes."""
    fulltext.remove(connection, number)
    vectors.drop(connection, owner, number)
    claims.drop(connection, number)
    coordinates.drop(connection, number)
    connection.execute("DELETE FROM tag WHERE number = ?", (number,))
