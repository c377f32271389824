"""A database with the newest schema, and a memory to put into it."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import apsw

from saegim.language.words import Basic
from saegim.memory.changes import Change, Saved
from saegim.memory.memory import Memory, Scope, Time
from saegim.store.commit import Batch, write
from saegim.store.database import Database
from template import migrated

AT = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)
ME = Scope("me")
_numbers = count(1)


def furnished(path: Path, **options: Any) -> Database:
    """Return a database in this file, its schema made."""
    database = Database(path, **options)
    migrated(database)
    return database


def memory(text: str = "tea", scope: Scope = ME, at: datetime = AT, **parts: Any) -> Memory:
    """Make a memory with an id of its own."""
    id = parts.pop("id", f"mem_{next(_numbers):06}")
    time = parts.pop("time", None) or Time(happened_at=at, recorded_at=at)
    return Memory(id=id, scope=scope, text=text, time=time, **parts)


def commit(database: Database, *changes: Change, owner: str = "me", **options: Any) -> Any:
    """Commit Changes with the built-in analyser."""
    with database.writing() as connection:
        return write(connection, Batch(owner, changes, owner, AT, **options), [Basic()])


def keep(database: Database, text: str = "tea", **parts: Any) -> Memory:
    """Save a new memory and return it."""
    made = memory(text, **parts)
    commit(database, Saved(made), owner=made.scope.user)
    return made


def tamper(path: Path, sql: str, *params: Any) -> None:
    """Change the file behind everyone's back."""
    connection = apsw.Connection(str(path))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.execute(sql, params)
    connection.close()
