"""Applies `schema/*.sql` in order, once, each in one transaction after a verified backup."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from saegim.errors import SchemaMismatch, StoreCorrupt, StoreMissing
from saegim.store import ledger
from saegim.store.database import (
    APPLICATION_ID,
    Connection,
    Database,
    DriverError,
    can_write,
    first,
    log_of,
    open_file,
    size,
    writable_in,
)
from saegim.store.databases.dialect import schema_for_postgres
from saegim.store.seals import FIRST_SEALED_SCHEMA, seal_all

_NAME = re.compile(r"(\d{4})_\w+?(?:\.(sqlite|postgres))?\.sql")
# What says, in a database that programs share, that its tables are ours.
_OURS = "saegim"


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered migration: the text for every database, then what one of them adds."""

    number: int
    sql: str
    # The oldest schema whose programs may go on writing beside it; nought: only those that know it.
    writable: int = 0


# How a step says that it only adds, in its first line.
_ADDS = re.compile(r"-- Adds only: programs of schema (\d+) write on\.")


def _writable(texts: Sequence[str]) -> int:
    """Return from which schema on a step lets others write: all of its texts must say so."""
    said = [_ADDS.match(each) for each in texts]
    return max((int(each[1]) for each in said if each), default=0) if all(said) else 0


@cache
def steps(database: str = "sqlite") -> tuple[Migration, ...]:
    """Return the migrations that came with this version, in order."""
    texts: dict[int, list[str]] = {}
    folder = resources.files("saegim.store") / "schema"
    # What is shared comes before what one database adds to it.
    for file in sorted(folder.iterdir(), key=lambda each: each.name.replace(".postgres", ".sqlp")):
        match = _NAME.fullmatch(file.name)
        if match and match[2] in (None, database):
            text = file.read_text(encoding="utf-8")
            if database == "postgres" and match[2] is None:
                text = schema_for_postgres(text)
            texts.setdefault(int(match[1]), []).append(text)
    return tuple(
        Migration(number, "\n".join(sql), _writable(sql)) for number, sql in sorted(texts.items())
    )


def newest_schema(database: str = "sqlite") -> int:
    """Return the schema this version of Saegim writes."""
    return steps(database)[-1].number


def version(connection: Connection) -> int:
    """Return how many migrations the file has seen; refuse a file that is not ours."""
    if getattr(connection, "is_server", False):
        return _server_version(connection)
    found: int = first(connection, "PRAGMA user_version")
    owner = first(connection, "PRAGMA application_id")
    tables = first(connection, "SELECT count(*) FROM sqlite_schema")
    if owner != APPLICATION_ID and (tables or found):
        raise StoreCorrupt("store.database_of_another_program", filename=connection.filename)
    return found


def _server_version(connection: Connection) -> int:
    """Return how many migrations a database on a server has seen; refuse one of another program."""
    rows: list[Any] = connection.execute(
        "SELECT c.relname, (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid "
        "AND a.attname IN ('name', 'value')) FROM pg_class c WHERE c.relnamespace = "
        "current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v')"
    ).fetchall()
    tables = dict(rows)
    if not tables:
        return 0
    place = str(first(connection, "SELECT current_database()"))
    asked = "SELECT value FROM house WHERE name = ?"
    # A house of somebody else's has other columns.
    if tables.get("house") != 2 or first(connection, asked, ("application",)) != _OURS:
        raise StoreCorrupt("store.database_of_another_program", filename=place)
    found = str(first(connection, asked, ("schema",)))
    if not (found.isascii() and found.isdigit()):
        raise StoreCorrupt("store.lacks_part_of_saegim_store", path=place, error="schema")
    return int(found)


def refuse_newer(
    path: Path | str, found: int, head: int | None = None, said: str | None = None
) -> None:
    """Refuse a file of a newer version of Saegim, unless that only added to what this one knows."""
    known = newest_schema() if head is None else head
    if found > known and not can_write(known, found, said):
        raise SchemaMismatch("store.schema_saegim_knows_up", path=path, found=found, known=known)


def migrate(
    database: Database,
    *,
    to: Sequence[Migration] | None = None,
    backup: Callable[[], object] | None = None,
) -> int:
    """Bring the file to the newest schema; do nothing, and take no lock, if it is there already."""
    if database.is_server:
        return _migrate_server(database, to)
    wanted = steps() if to is None else tuple(to)
    head = wanted[-1].number
    if database.path.exists() and database.path.stat().st_size:
        with database.reading() as connection:
            found = version(connection)
            said = writable_in(connection) if found > head else None
        refuse_newer(database.path, found, head, said)
        if found:
            refuse_foreign_log(database)
        if found >= head or database.readonly:
            database.schema = min(found, head)
            return found
        if found and backup is not None:
            backup()
    database.schema = None
    for step in wanted:
        _apply(database, step)
    database.schema = head
    return head


def _apply(database: Database, step: Migration) -> None:
    """Run one migration, unless another process has done it while we waited for the lock."""
    with database.writing() as connection:
        if version(connection) >= step.number:
            return
        connection.execute(step.sql)
        if step.number >= FIRST_SEALED_SCHEMA:
            # Tables that were changed have other rows now.
            seal_all(connection)
        _note_writable(connection, step)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {step.number}")


def _note_writable(connection: Connection, step: Migration) -> None:
    """Write down whose programs may go on writing; it holds for this one step."""
    connection.execute("DELETE FROM house WHERE name = 'writable'")
    if step.writable:
        said = f"{step.number}:{step.writable}"
        connection.execute("INSERT INTO house VALUES ('writable', ?)", (said,))


def _migrate_server(database: Database, to: Sequence[Migration] | None) -> int:
    """Bring a database on a server to the newest schema, each step under the lock of everyone."""
    wanted = steps("postgres") if to is None else tuple(to)
    head = wanted[-1].number
    with database.reading() as connection:
        found = version(connection)
        said = writable_in(connection) if found > head else None
    refuse_newer(database.place, found, head, said)
    if found >= head or database.readonly:
        if not found:
            raise StoreMissing("store.server_is_standby", path=database.place)
        database.schema = min(found, head)
        return found
    database.schema = None
    for step in wanted:
        with database.writing() as connection:
            if version(connection) >= step.number:
                continue
            connection.run(step.sql)  # type: ignore[attr-defined]
            if step.number == wanted[0].number:
                connection.execute("INSERT INTO house VALUES ('application', ?)", (_OURS,))
            _note_writable(connection, step)
            connection.execute(
                "INSERT INTO house VALUES ('schema', ?) "
                "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (str(step.number),),
            )
    database.schema = head
    return head


def refuse_foreign_log(database: Database) -> None:
    """Refuse a log of another store: it would hide, and then overwrite, what the file holds."""
    if not size(log_of(database.path)):
        return
    alone = _born(database.path)
    if alone is None:
        return
    with database.reading() as connection:
        together = ledger.birth(connection)
    if together != alone:
        raise StoreCorrupt("store.log_of_another_store_nothing", log=log_of(database.path))


def _born(path: Path) -> str | None:
    """Return the first line of the ledger as the file has it without its log, if it can be read."""
    try:
        with contextlib.closing(open_file(path, immutable=True)) as alone:
            return ledger.birth(alone)
    except (DriverError, UnicodeDecodeError):
        # Without its log a file may be half of itself; then it cannot say whose it is.
        return None
