"""Work that waits: durable, leased to one process at a time, tried again, parked with a reason.

Kept turns are lent to a calling agent in the same way. Such a turn has a row only while it is lent;
what was handed in has a receipt.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from saegim.memory.clock import from_micros, micros
from saegim.memory.entities import DERIVED_FROM
from saegim.memory.memory import PERSON, Origin, Scope, Source
from saegim.store.database import Connection, Database
from saegim.store.rows import Where
from saegim.store.tables.queue import FREE, Queue

WAITING, PARKED = "waiting", "parked"
# Work that a calling agent has in hand: no worker takes it, and no person need see it.
LENT = "lent"
# Long enough for a slow local model to answer; after it, another process may take the work.
LEASE = timedelta(minutes=10)
_QUEUE = Queue("job", proof="leased_by", length=LEASE)
_LONGEST_REASON = 300
_JOB = (
    "SELECT owner, id, kind, subject, state, attempts, due_at, error, created_at, "
    "coalesce(leased_by, '') FROM job "
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work about one memory."""

    owner: str
    id: str
    kind: str
    subject: str
    state: str
    attempts: int
    due_at: datetime
    error: str
    created_at: datetime
    lease: str = ""

    @property
    def scope(self) -> Scope:
        """Return whose work this is."""
        return Scope(self.owner)


def wish(connection: Connection, owner: str, kind: str, subject: str, at: int) -> None:
    """Write down that this should be done; what waits already, or was parked, starts anew."""
    connection.execute(
        "INSERT INTO job VALUES (:owner, :id, :kind, :subject, 'waiting', 0, :at, NULL, NULL, '', "
        ":at) ON CONFLICT (owner, subject, kind) DO UPDATE SET state = 'waiting', attempts = 0, "
        "due_at = excluded.due_at, leased_by = NULL, leased_until = NULL, error = ''",
        {
            "owner": owner,
            "id": f"job_{secrets.token_hex(8)}",
            "kind": kind,
            "subject": subject,
            "at": at,
        },
    )


def drop_jobs(connection: Connection, owner: str, subject: str) -> None:
    """Forget all work about a memory whose words are gone."""
    connection.execute("DELETE FROM job WHERE owner = ? AND subject = ?", (owner, subject))


class JobTable:
    """The table on which work waits."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # Whose work this process did in the round that runs: the others come first.
        self._served: set[str] = set()

    def due(self, now: datetime) -> int:
        """Count what could be done now, without taking it; no write lock."""
        rows = self._database.rows(
            f"SELECT count(*) FROM job WHERE state = 'waiting' AND due_at <= :now AND {FREE}",
            {"now": micros(now)},
        )
        return int(rows[0][0])

    def take(self, now: datetime, kinds: Sequence[str]) -> Job | None:
        """Lease the piece of work that has waited longest; nobody else gets it meanwhile.

        Owners take turns: who has much to be done keeps nobody else waiting for the end of it.
        """
        if not self.due(now):
            return None
        marks = ", ".join(f":kind{at}" for at in range(len(kinds)))
        params: dict[str, Any] = {f"kind{at}": kind for at, kind in enumerate(kinds)}
        # On a server others take work at the same moment: what one has its hand on is passed by.
        passing = " FOR UPDATE SKIP LOCKED" if self._database.is_server else ""
        with self._database.writing(shared=True) as connection:
            taken = _QUEUE.take(
                connection,
                "(owner, id) = (SELECT owner, id FROM job WHERE state = 'waiting' "
                f"AND due_at <= :now AND {FREE} AND kind IN ({marks}) "
                "ORDER BY CASE WHEN owner IN (SELECT value FROM json_each(:served)) THEN 1 ELSE 0 "
                f"END, due_at, created_at, id LIMIT 1{passing})",
                "leased_by = :lease, attempts = attempts + 1",
                params | _QUEUE.lease(now) | {"served": json.dumps(sorted(self._served))},
            )
            if not taken:
                return None
            owner = str(taken[0][0])
            # Only those of this round had work: the next begins.
            self._served = {owner} if owner in self._served else self._served | {owner}
            rows = connection.execute(f"{_JOB} WHERE owner = ? AND id = ?", taken[0]).fetchall()
        return _job(rows[0])

    def finish(self, job: Job) -> None:
        """Take the work off the table, if it is still ours."""
        with self._database.writing(job.owner) as connection:
            finish_job(connection, job)

    def put_off(self, job: Job, until: datetime, why: str, *, counted: bool = True) -> None:
        """Let the work wait until later, and say why; an uncounted try does not wear it out."""
        self._set(
            job,
            "state = 'waiting', due_at = :until, error = :why, attempts = attempts - :free",
            until=micros(until),
            why=why[:_LONGEST_REASON],
            free=int(not counted),
        )

    def park(self, job: Job, why: str) -> None:
        """Stop trying; a person sees it with its reason and may ask for it again."""
        self._set(job, "state = 'parked', error = :why", why=why[:_LONGEST_REASON])

    def _set(self, job: Job, sets: str, **values: Any) -> None:
        with self._database.writing(job.owner) as connection:
            free = f"leased_by = NULL, leased_until = NULL, {sets}"
            _QUEUE.change(connection, job.owner, job.id, job.lease, free, **values)

    def all(self, scope: Scope) -> list[Job]:
        """Return this user's work, what is due first, the parked last."""
        rows = self._database.rows(
            f"{_JOB} WHERE owner = ? AND state <> ? ORDER BY state DESC, due_at, id",
            (scope.user, LENT),
        )
        return [_job(row) for row in rows]

    def get(self, scope: Scope, id: str) -> Job | None:
        """Return one piece of this user's work, if it is on the table."""
        rows = self._database.rows(f"{_JOB} WHERE owner = ? AND id = ?", (scope.user, id))
        return _job(rows[0]) if rows else None

    def again(self, scope: Scope, at: datetime) -> int:
        """Let everything that was parked be tried again; return how many."""
        with self._database.writing(scope.user) as connection:
            rows = connection.execute(
                "UPDATE job SET state = 'waiting', attempts = 0, due_at = ?, error = '' "
                "WHERE owner = ? AND state = 'parked' RETURNING id",
                (micros(at), scope.user),
            ).fetchall()
        return len(rows)


def finish_job(connection: Connection, job: Job) -> bool:
    """Take a job off the table inside the caller's transaction; False if it was not ours."""
    return bool(
        connection.execute(
            "DELETE FROM job WHERE owner = ? AND id = ? AND leased_by = ? RETURNING id",
            (job.owner, job.id, job.lease),
        ).fetchall()
    )


def _job(row: Any) -> Job:
    owner, id, kind, subject, state, attempts, due_at, error, created_at, lease = row
    return Job(
        owner=owner,
        id=id,
        kind=kind,
        subject=subject,
        state=state,
        attempts=int(attempts),
        due_at=from_micros(due_at),
        error=error,
        created_at=from_micros(created_at),
        lease=lease,
    )


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


class AgentJobTable:
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
            {**params, **_agent_words(now), "limit": limit},
        )
        return [int(row[0]) for row in rows]

    def _take(self, numbers: list[int], where: Where, now: datetime) -> list[int]:
        """Lease what is still open of these; others may have been quicker."""
        sql, params = where.sql()
        with self._database.writing(where.scope.user) as connection:
            rows = connection.execute(
                "INSERT INTO job SELECT m.owner, 'lent_' || m.number, :lent, m.id, :lent, 1, :now, "
                ":lease, :until, '', :now FROM json_each(:numbers) n "
                "CROSS JOIN memory m ON m.number = n.value "
                f"WHERE {sql} AND {_OPEN} ON CONFLICT (owner, subject, kind) DO UPDATE SET "
                "attempts = job.attempts + 1, leased_by = excluded.leased_by, "
                "leased_until = excluded.leased_until RETURNING id",
                {
                    **params,
                    **_agent_words(now),
                    **_QUEUE.lease(now),
                    "numbers": json.dumps(numbers),
                },
            ).fetchall()
        got = {str(row[0]) for row in rows}
        return [number for number in numbers if job_of(number) in got]


def _agent_words(now: datetime) -> dict[str, Any]:
    return {
        "now": micros(now),
        "most": MOST_LENT,
        "lent": LENT,
        "derived": DERIVED_FROM,
        "conversation": Source.CONVERSATION.value,
        "observation": Source.OBSERVATION.value,
        "inferred": Origin.AGENT_INFERRED.value,
    }
