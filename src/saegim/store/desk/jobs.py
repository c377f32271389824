"""Work that waits: durable, leased to one process at a time, tried again, parked with a reason."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import apsw

from saegim.memory.clock import from_micros, micros
from saegim.memory.scope import Scope
from saegim.store.database import Database

WAITING, PARKED = "waiting", "parked"
# Work that a calling agent has in hand: no worker takes it, and no person need see it.
LENT = "lent"
# Long enough for a slow local model to answer; after it, another process may take the work.
LEASE = timedelta(minutes=10)
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


def wish(connection: apsw.Connection, owner: str, kind: str, subject: str, at: int) -> None:
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


def drop(connection: apsw.Connection, owner: str, subject: str) -> None:
    """Forget all work about a memory whose words are gone."""
    connection.execute("DELETE FROM job WHERE owner = ? AND subject = ?", (owner, subject))


class Desk:
    """The table on which work waits."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def due(self, now: datetime) -> int:
        """Count what could be done now, without taking it; no write lock."""
        rows = self._database.rows(
            "SELECT count(*) FROM job WHERE state = 'waiting' AND due_at <= :now "
            "AND coalesce(leased_until, 0) <= :now",
            {"now": micros(now)},
        )
        return int(rows[0][0])

    def take(self, now: datetime, kinds: Sequence[str]) -> Job | None:
        """Lease the piece of work that has waited longest; nobody else gets it meanwhile."""
        if not self.due(now):
            return None
        marks = ", ".join(f":kind{at}" for at in range(len(kinds)))
        params: dict[str, Any] = {f"kind{at}": kind for at, kind in enumerate(kinds)}
        params |= {
            "now": micros(now),
            "until": micros(now + LEASE),
            "lease": secrets.token_hex(8),
        }
        with self._database.writing() as connection:
            taken = connection.execute(
                "UPDATE job SET leased_by = :lease, leased_until = :until, "
                "attempts = attempts + 1 WHERE (owner, id) = (SELECT owner, id FROM job "
                "WHERE state = 'waiting' AND due_at <= :now "
                f"AND coalesce(leased_until, 0) <= :now AND kind IN ({marks}) "
                "ORDER BY due_at, created_at, id LIMIT 1) RETURNING owner, id",
                params,
            ).fetchall()
            if not taken:
                return None
            rows = connection.execute(f"{_JOB} WHERE owner = ? AND id = ?", taken[0]).fetchall()
        return _job(rows[0])

    def finish(self, job: Job) -> None:
        """Take the work off the table, if it is still ours."""
        with self._database.writing() as connection:
            finish(connection, job)

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
        with self._database.writing() as connection:
            connection.execute(
                f"UPDATE job SET leased_by = NULL, leased_until = NULL, {sets} "
                "WHERE owner = :owner AND id = :id AND leased_by = :lease",
                {"owner": job.owner, "id": job.id, "lease": job.lease, **values},
            )

    def jobs(self, scope: Scope) -> list[Job]:
        """Return this user's work, what is due first, the parked last."""
        rows = self._database.rows(
            f"{_JOB} WHERE owner = ? AND state <> ? ORDER BY state DESC, due_at, id",
            (scope.user, LENT),
        )
        return [_job(row) for row in rows]

    def one(self, scope: Scope, id: str) -> Job | None:
        """Return one piece of this user's work, if it is on the table."""
        rows = self._database.rows(f"{_JOB} WHERE owner = ? AND id = ?", (scope.user, id))
        return _job(rows[0]) if rows else None

    def again(self, scope: Scope, at: datetime) -> int:
        """Let everything that was parked be tried again; return how many."""
        with self._database.writing() as connection:
            rows = connection.execute(
                "UPDATE job SET state = 'waiting', attempts = 0, due_at = ?, error = '' "
                "WHERE owner = ? AND state = 'parked' RETURNING id",
                (micros(at), scope.user),
            ).fetchall()
        return len(rows)


def finish(connection: apsw.Connection, job: Job) -> bool:
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
