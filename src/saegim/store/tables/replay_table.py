"""Requests that were carried out under a key of the caller, and how they were answered.

They lie among the receipts under names of their own, for a day. The key itself is not kept, and an
answer is emptied when anything of its owner is erased: it may have said those words.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from saegim.memory.clock import micros
from saegim.store.database import Connection, Database

_NAMES = ("replay:", "replay;")
_KEPT = timedelta(days=1)
_MOST = 1000
# A longer answer is not kept; that it was given is.
_LONGEST = 64 * 1024


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """One request: by what it is known again, and its answer; a status of 0 has none yet."""

    known_by: str
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""

    def text(self) -> str:
        """Write it as the table holds it."""
        body = self.body if len(self.body) <= _LONGEST else ""
        return json.dumps([self.known_by, self.status, self.headers, body])


class ReplayTable:
    """The answers of the last day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, owner: str, name: str, known_by: str, at: datetime) -> KeptAnswer | None:
        """Note that a request is carried out now; return the one that was before, if there is."""
        with self._database.writing(owner) as connection:
            _forget(connection, owner, at)
            rows: list[Any] = connection.execute(
                "SELECT outcome FROM receipt WHERE owner = ? AND key = ?", (owner, _key(name))
            ).fetchall()
            if rows:
                return KeptAnswer(*json.loads(rows[0][0]))
            _put(connection, owner, name, KeptAnswer(known_by), at)
        return None

    def end(self, owner: str, name: str, answer: KeptAnswer, at: datetime) -> None:
        """Keep the answer, or forget the request where none came that would come again."""
        with self._database.writing(owner) as connection:
            if answer.status:
                _put(connection, owner, name, answer, at)
            else:
                connection.execute(
                    "DELETE FROM receipt WHERE owner = ? AND key = ?", (owner, _key(name))
                )


def empty_replays(connection: Connection, owner: str) -> None:
    """Let no answer say what was erased; that its request was carried out stays known."""
    rows: list[Any] = connection.execute(
        "SELECT key, outcome FROM receipt WHERE owner = ? AND key >= ? AND key < ?",
        (owner, *_NAMES),
    ).fetchall()
    for key, outcome in rows:
        told = replace(KeptAnswer(*json.loads(outcome)), body="")
        connection.execute(
            "UPDATE receipt SET outcome = ? WHERE owner = ? AND key = ?", (told.text(), owner, key)
        )


def _key(name: str) -> str:
    return f"{_NAMES[0]}{name}"


def _put(connection: Connection, owner: str, name: str, answer: KeptAnswer, at: datetime) -> None:
    connection.execute(
        "INSERT INTO receipt VALUES (?, ?, ?, ?) "
        "ON CONFLICT (owner, key) DO UPDATE SET outcome = excluded.outcome, at = excluded.at",
        (owner, _key(name), micros(at), answer.text()),
    )


def _forget(connection: Connection, owner: str, at: datetime) -> None:
    """Let go of what is older than a day, and of the oldest if there are too many."""
    params: dict[str, Any] = {"owner": owner, "since": micros(at - _KEPT), "most": _MOST}
    among = f"owner = :owner AND key >= '{_NAMES[0]}' AND key < '{_NAMES[1]}'"
    connection.execute(
        f"DELETE FROM receipt WHERE {among} AND (at < :since OR key IN (SELECT key FROM receipt "
        f"WHERE {among} ORDER BY at DESC, key LIMIT -1 OFFSET :most))",
        params,
    )
