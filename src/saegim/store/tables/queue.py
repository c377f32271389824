"""The queue: work is leased to one holder at a time, and taken over when its lease ends."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from saegim.memory.clock import micros
from saegim.store.database import Connection

# What nobody holds now.
FREE: Final = "coalesce(leased_until, 0) <= :now"


@dataclass(frozen=True, slots=True)
class Queue:
    """A table of work with leases.

    `proof` is the column that tells holders apart: who names another value than the row has lost
    the work to someone else, and changes nothing.
    """

    table: str
    proof: str
    length: timedelta

    def lease(self, now: datetime) -> dict[str, Any]:
        """Return what a new lease writes down: from when, until when, and its own name."""
        until = micros(now + self.length)
        return {"now": micros(now), "until": until, "lease": secrets.token_hex(8)}

    def take(
        self, connection: Connection, which: str, sets: str, params: dict[str, Any]
    ) -> list[Any]:
        """Lease what is asked for; return the keys of what was taken."""
        return connection.execute(
            f"UPDATE {self.table} SET leased_until = :until, {sets} WHERE {which} "
            "RETURNING owner, id",
            params,
        ).fetchall()

    def change(
        self,
        connection: Connection,
        owner: str,
        id: str,
        proof: object,
        sets: str,
        *,
        only: str = "true",
        **values: Any,
    ) -> bool:
        """Change a piece of work, if it is still held; say whether it was."""
        held = f"owner = :owner AND id = :id AND {self.proof} = :proof AND {only}"
        rows = connection.execute(
            f"UPDATE {self.table} SET {sets} WHERE {held} RETURNING id",
            {"owner": owner, "id": id, "proof": proof, **values},
        ).fetchall()
        return bool(rows)
