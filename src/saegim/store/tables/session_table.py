"""Sessions that were held: when, on which platform, how many turns, and what they were about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from saegim.errors import NotFound
from saegim.memory.clock import from_micros, micros
from saegim.memory.memory import Scope
from saegim.store.database import Connection, Database

_SESSION = (
    "SELECT owner, id, agent, project, platform, started_at, ended_at, turns, topic, summary, runs "
    "FROM session "
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session of one user (seed E `memory_sessions`).

    `unfinished` is told by `start` alone: the session had been begun before and never ended.
    """

    owner: str
    id: str
    agent: str
    project: str
    platform: str
    started_at: datetime
    ended_at: datetime | None = None
    turns: int = 0
    topic: str = ""
    summary: str = ""
    runs: int = 1
    unfinished: bool = False


# Two agents, or two projects, may each have a session of the same name.
_THIS = "owner = :owner AND agent = :agent AND project = :project AND id = :id"


def _key(scope: Scope, id: str) -> dict[str, Any]:
    return {"owner": scope.user, "agent": scope.agent, "project": scope.project, "id": id}


class SessionTable:
    """The book in which sessions are written down; every page of it belongs to one user."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(self, scope: Scope, platform: str, at: datetime) -> Session:
        """Begin the session of this scope, or take it up again; say if it was never ended."""
        key = _key(scope, scope.session)
        with self._database.writing(scope.user) as connection:
            known = _one(connection, scope)
            if known is None:
                connection.execute(
                    "INSERT INTO session VALUES (:owner, :id, :agent, :project, :platform, :at, "
                    "NULL, 0, '', '', 1)",
                    key | {"platform": platform, "at": micros(at)},
                )
            elif known.ended_at is not None:
                connection.execute(
                    f"UPDATE session SET ended_at = NULL, runs = runs + 1 WHERE {_THIS}", key
                )
            (row,) = connection.execute(f"{_SESSION} WHERE {_THIS}", key).fetchall()
        unfinished = known is not None and known.ended_at is None
        return _session(row, unfinished=unfinished)

    def turn(self, scope: Scope, count: int) -> int:
        """Count more turns of the scope's session; return how many there are now."""
        with self._database.writing(scope.user) as connection:
            rows: list[Any] = connection.execute(
                f"UPDATE session SET turns = turns + :count WHERE {_THIS} RETURNING turns",
                _key(scope, scope.session) | {"count": count},
            ).fetchall()
        if not rows:
            raise unknown_session(scope.session)
        return int(rows[0][0])

    def end(self, scope: Scope, at: datetime, *, topic: str, summary: str) -> Session:
        """Write down that the scope's session is over, and what it was about.

        Nothing said leaves what is known; a session that was over already keeps its end.
        """
        with self._database.writing(scope.user) as connection:
            connection.execute(
                "UPDATE session SET ended_at = coalesce(ended_at, :at), "
                "topic = CASE WHEN :topic = '' THEN topic ELSE :topic END, "
                "summary = CASE WHEN :summary = '' THEN summary ELSE :summary END "
                f"WHERE {_THIS}",
                _key(scope, scope.session) | {"at": micros(at), "topic": topic, "summary": summary},
            )
            ended = _one(connection, scope)
        if ended is None:
            raise unknown_session(scope.session)
        return ended

    def get(self, scope: Scope, id: str) -> Session | None:
        """Return the session of that name if this user has held one."""
        rows = self._database.rows(f"{_SESSION} WHERE {_THIS}", _key(scope, id))
        return _session(rows[0]) if rows else None

    def recent(self, scope: Scope, limit: int, platform: str = "") -> list[Session]:
        """Return the sessions of this user, agent and project, the latest first.

        Who asks from no agent or no project sees those of all; a platform narrows.
        """
        held = {"agent": scope.agent, "project": scope.project, "platform": platform}
        only = "".join(f"AND {name} = :{name} " for name, value in held.items() if value)
        rows = self._database.rows(
            f"{_SESSION} WHERE owner = :owner {only}ORDER BY started_at DESC, id DESC LIMIT :limit",
            held | {"owner": scope.user, "limit": limit},
        )
        return [_session(row) for row in rows]

    def unended(self, scope: Scope) -> list[Session]:
        """Return the sessions of this user that nobody has ended, the oldest first."""
        unended = "WHERE owner = ? AND ended_at IS NULL ORDER BY started_at, id"
        rows = self._database.rows(f"{_SESSION} {unended}", (scope.user,))
        return [_session(row) for row in rows]

    def drop(self, scope: Scope, id: str) -> bool:
        """Forget that a session was held; say whether it was known."""
        with self._database.writing(scope.user) as connection:
            rows = connection.execute(
                f"DELETE FROM session WHERE {_THIS} RETURNING id", _key(scope, id)
            ).fetchall()
        return bool(rows)


def unsay_session(connection: Connection, owner: str, number: int) -> None:
    """Take back what a session was about: a memory of it is being erased, and its words with it."""
    connection.execute(
        "UPDATE session SET topic = '', summary = '' WHERE owner = ? AND id = "
        "(SELECT session FROM memory WHERE number = ?)",
        (owner, number),
    )


def unknown_session(id: str) -> NotFound:
    """Return the error for a session that this user has not held."""
    return NotFound("store.no_session", id=id)


def _one(connection: Connection, scope: Scope) -> Session | None:
    key = _key(scope, scope.session)
    rows = connection.execute(f"{_SESSION} WHERE {_THIS}", key).fetchall()
    return _session(rows[0]) if rows else None


def _session(row: Any, *, unfinished: bool = False) -> Session:
    owner, id, agent, project, platform, started, ended, turns, topic, summary, runs = row
    return Session(
        owner=owner,
        id=id,
        agent=agent,
        project=project,
        platform=platform,
        started_at=from_micros(started),
        ended_at=None if ended is None else from_micros(ended),
        turns=int(turns),
        topic=topic,
        summary=summary,
        runs=int(runs),
        unfinished=unfinished,
    )
