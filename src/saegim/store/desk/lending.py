"""Kept turns that are lent to a calling agent to read: which are open, who has which, until when.

A turn has a row on the desk only while it is lent; what was handed in has a receipt.
"""

from __future__ import annotations

import json
import secrets
from datetime import datetime
from typing import Any, Final

from saegim.memory.clock import micros
from saegim.memory.coordinate import PERSON, Origin, Source
from saegim.memory.links import DERIVED_FROM
from saegim.store.database import Database
from saegim.store.desk.jobs import LEASE, LENT
from saegim.store.where import Where

# Lent so often without an answer, a turn is left alone: whoever asks wants no thinking.
MOST_LENT: Final = 5
# Others may take what was just seen; then the next are looked for.
_TRIES: Final = 8
_PERSON: Final = ", ".join(f"'{each.value}'" for each in PERSON)
# What a model read in a person's words is inferred, and no other fact of such a turn is. In the
# words of others it cannot be told apart: those are read once more, and nothing is kept twice.
_OPEN: Final = (
    "m.source = :conversation AND m.text IS NOT NULL "
    "AND NOT EXISTS (SELECT 1 FROM receipt r WHERE r.owner = m.owner "
    "AND r.key = 'lent:' || m.number) "
    "AND NOT EXISTS (SELECT 1 FROM job j WHERE j.owner = m.owner AND j.subject = m.id "
    "AND j.kind = :lent AND (j.leased_until > :now OR j.attempts >= :most)) "
    f"AND (m.origin NOT IN ({_PERSON}) "
    # By name: left to itself SQLite reads all ties of the owner for each turn.
    "OR NOT EXISTS (SELECT 1 FROM link l INDEXED BY link_by_target "
    "CROSS JOIN memory f ON f.owner = l.owner AND f.id = l.source "
    "WHERE l.owner = m.owner AND l.target = m.id AND l.type = :derived "
    "AND f.origin = :inferred AND f.source = :observation))"
)


def job_of(number: int) -> str:
    """Return the name of the work on the turn in this row."""
    return f"{LENT}_{number}"


def receipt_of(number: int) -> str:
    """Return the key under which it stands that the turn in this row was read."""
    return f"{LENT}:{number}"


class Lending:
    """The part of the desk that a calling agent takes work from."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def lend(self, where: Where, now: datetime, *, limit: int) -> list[int]:
        """Lease turns that nobody has read, the newest first; nobody else gets them meanwhile."""
        taken: list[int] = []
        for _ in range(_TRIES):
            if len(taken) == limit or not (seen := self._open(where, now, limit - len(taken))):
                break
            taken += self._take(seen, where, now)
        return taken

    def _open(self, where: Where, now: datetime, limit: int) -> list[int]:
        """Look without the write lock: where everything was read, that is every turn."""
        sql, params = where.sql()
        rows = self._database.rows(
            f"SELECT m.number FROM memory m WHERE {sql} AND {_OPEN} "
            "ORDER BY m.happened_at DESC, m.number DESC LIMIT :limit",
            {**params, **_words(now), "limit": limit},
        )
        return [int(row[0]) for row in rows]

    def _take(self, numbers: list[int], where: Where, now: datetime) -> list[int]:
        """Lease what is still open of these; others may have been quicker."""
        sql, params = where.sql()
        with self._database.writing() as connection:
            rows = connection.execute(
                "INSERT INTO job SELECT m.owner, 'lent_' || m.number, :lent, m.id, :lent, 1, :now, "
                ":lease, :until, '', :now FROM json_each(:numbers) n "
                "CROSS JOIN memory m ON m.number = n.value "
                f"WHERE {sql} AND {_OPEN} ON CONFLICT (owner, subject, kind) DO UPDATE SET "
                "attempts = job.attempts + 1, leased_by = excluded.leased_by, "
                "leased_until = excluded.leased_until RETURNING id",
                {
                    **params,
                    **_words(now),
                    "numbers": json.dumps(numbers),
                    "lease": secrets.token_hex(8),
                    "until": micros(now + LEASE),
                },
            ).fetchall()
        got = {str(row[0]) for row in rows}
        return [number for number in numbers if job_of(number) in got]


def _words(now: datetime) -> dict[str, Any]:
    return {
        "now": micros(now),
        "most": MOST_LENT,
        "lent": LENT,
        "derived": DERIVED_FROM,
        "conversation": Source.CONVERSATION.value,
        "observation": Source.OBSERVATION.value,
        "inferred": Origin.AGENT_INFERRED.value,
    }
