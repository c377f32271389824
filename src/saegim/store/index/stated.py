"""How entities are tied, as memories state it: such a tie goes and comes back with its memories."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import apsw

from saegim.errors import StoreCorrupt
from saegim.language.claims import is_negative
from saegim.memory.keys import normalise
from saegim.memory.links import REFERS_TO
from saegim.memory.memory import Memory
from saegim.memory.tiers import FINDABLE
from saegim.store.rows import SELECT, from_row

# The person whose memories these are: what a sentence says of "me" is tied to this key.
_SELF = "entity:me"


def settle(connection: apsw.Connection, number: int, lives: bool, at: int) -> None:
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
                _move(connection, (memory.scope.user, source, type, target), lives, negative, at)


def _stated(connection: apsw.Connection, memory: Memory) -> Iterator[tuple[str, str, str, bool]]:
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


def _move(
    connection: apsw.Connection,
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
