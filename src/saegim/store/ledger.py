"""The ledger: a hash chain per owner that remembers what happened, without a single word of it.

A chain shows tampering to anyone who holds an older head; someone who can rewrite the whole file
can also rewrite the chain. Keep a head elsewhere (every backup prints it) to close that gap.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import apsw

from saegim.errors import LedgerBroken
from saegim.memory.changes import Change, Facts, subject
from saegim.memory.clock import from_micros, micros
from saegim.store.database import Database

GENESIS = "0" * 64
# What a digest vouches for: everything about a memory that never changes after it is saved.
_SWORN = (
    "owner id text kind origin source author happened_at happened_offset recorded_at session "
    "sequence promoted_from"
).split()


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger."""

    seq: int
    at: datetime
    actor: str
    change: str
    subject: str
    facts: Facts
    digest: str
    hash: str


def new_salt() -> str:
    """Return a salt without which a digest says nothing about the words under it."""
    return secrets.token_hex(16)


def digest(salt: str, row: dict[str, Any]) -> str:
    """Return the salted digest of what a memory may never change."""
    sworn = json.dumps([row[name] for name in _SWORN], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(f"{salt}\x1f{sworn}".encode()).hexdigest()


def _hash(previous: str, line: tuple[Any, ...]) -> str:
    text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(f"{previous}\x1f{text}".encode()).hexdigest()


def head(connection: apsw.Connection, owner: str) -> tuple[int, str]:
    """Return the last number and hash of the owner's chain."""
    rows: list[Any] = connection.execute(
        "SELECT seq, hash FROM ledger WHERE owner = ? ORDER BY seq DESC LIMIT 1", (owner,)
    ).fetchall()
    return (rows[0][0], rows[0][1]) if rows else (0, GENESIS)


def birth(connection: apsw.Connection) -> str | None:
    """Return the hash of the very first line, which no other store has, if it is a whole one."""
    rows: list[Any] = connection.execute(
        "SELECT owner, seq, at, actor, change, subject, facts, digest, hash FROM ledger "
        "ORDER BY rowid LIMIT 1"
    ).fetchall()
    if not rows or rows[0][8] != _hash(GENESIS, tuple(rows[0][:8])):
        return None
    return str(rows[0][8])


def append(
    connection: apsw.Connection,
    owner: str,
    changes: list[tuple[Change, str]],
    *,
    actor: str,
    at: datetime,
) -> int:
    """Chain one line per Change, each with the digest of what it vouches for; return the last."""
    seq, previous = head(connection, owner)
    stamp = micros(at)
    for change, sworn in changes:
        seq += 1
        facts = json.dumps(change.facts(), separators=(",", ":"), sort_keys=True)
        line = (owner, seq, stamp, actor, type(change).__name__, subject(change), facts, sworn)
        previous = _hash(previous, line)
        connection.execute(
            "INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*line, previous)
        )
    return seq


def entries(
    database: Database, owner: str, *, since: int = 0, subject: str | None = None, page: int = 1000
) -> Iterator[Entry]:
    """Read the owner's lines after `since`, oldest first, a page at a time."""
    about = "" if subject is None else "AND subject = :subject"
    while True:
        rows = database.rows(
            "SELECT seq, at, actor, change, subject, facts, digest, hash FROM ledger "
            f"WHERE owner = :owner AND seq > :since {about} ORDER BY seq LIMIT :page",
            {"owner": owner, "since": since, "subject": subject, "page": page},
        )
        for seq, at, actor, change, about_key, facts, sworn, hashed in rows:
            since = seq
            yield Entry(
                seq, from_micros(at), actor, change, about_key, json.loads(facts), sworn, hashed
            )
        if len(rows) < page:
            return


def between(
    database: Database, owner: str, first: str, last: str, *, most: int = 200
) -> list[Entry]:
    """Return the lines whose subjects lie between two keys that sort by time, the last first."""
    rows = database.rows(
        "SELECT seq, at, actor, change, subject, facts, digest, hash FROM ledger "
        "WHERE owner = ? AND subject >= ? AND subject <= ? ORDER BY subject DESC LIMIT ?",
        (owner, first, last, most),
    )
    return [
        Entry(seq, from_micros(at), actor, change, about, json.loads(facts), sworn, hashed)
        for seq, at, actor, change, about, facts, sworn, hashed in rows
    ]


def verify(database: Database, owner: str) -> tuple[int, str]:
    """Walk the whole chain and every living memory's digest; return its length and head.

    Raises LedgerBroken naming the first line, or the first memory, that does not fit.
    """
    with database.one_moment():
        return _verify(database, owner)


def _verify(database: Database, owner: str) -> tuple[int, str]:
    previous, expected = GENESIS, 0
    sworn: dict[str, str] = {}
    rows = database.rows(
        "SELECT owner, seq, at, actor, change, subject, facts, digest, hash FROM ledger "
        "WHERE owner = ? ORDER BY seq",
        (owner,),
    )
    for row in rows:
        expected += 1
        previous = _hash(previous, tuple(row[:8]))
        if row[1] != expected or row[8] != previous:
            raise LedgerBroken("store.line_of_ledger_of_does", expected=expected, owner=owner)
        if row[4] == "Saved":
            sworn[row[5]] = row[7]
    columns = ", ".join(_SWORN)
    for salt, kept, *values in database.rows(
        f"SELECT salt, digest, {columns} FROM memory WHERE owner = ? AND salt IS NOT NULL", (owner,)
    ):
        row = dict(zip(_SWORN, values, strict=True))
        if row["text"] is None:
            continue
        if sworn.get(row["id"]) != kept or digest(salt, row) != kept:
            raise LedgerBroken("store.memory_is_not_what_ledger", id=row["id"])
    return expected, previous
