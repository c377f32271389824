"""Which memories claim a value for which slot: where someone lives, which version is in use."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

import apsw

from saegim.language.claims import claims
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.store.database import Database


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim, and the living memory that makes it."""

    slot: str
    value: str
    negative: bool
    memory: str
    number: int


def put(connection: apsw.Connection, number: int, memory: Memory) -> None:
    """Index what a memory claims."""
    for claim in claims(memory.content.triples):
        connection.execute(
            "INSERT INTO claim VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (memory.scope.user, claim.slot, number, claim.value, int(claim.negative)),
        )


def drop(connection: apsw.Connection, number: int) -> None:
    """Take the claims of a memory out of the index."""
    connection.execute("DELETE FROM claim WHERE number = ?", (number,))


def claimed(database: Database, scope: Scope, slots: Iterable[str]) -> list[Claimed]:
    """Return what this user's active memories claim for these slots, the newest first."""
    rows = database.rows(
        "SELECT c.slot, c.value, c.negative, m.id, m.number FROM json_each(:slots) j "
        "CROSS JOIN claim c ON c.owner = :owner AND c.slot = j.value "
        "JOIN memory m ON m.number = c.number AND m.state IN ('active', 'dormant') "
        "ORDER BY m.happened_at DESC, m.number DESC",
        {"owner": scope.user, "slots": json.dumps(list(slots))},
    )
    return [
        Claimed(slot, value, bool(negative), id, int(number))
        for slot, value, negative, id, number in rows
    ]
