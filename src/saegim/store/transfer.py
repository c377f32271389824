"""Carries a whole store from one database to another: file to server, server to file, both alike.

Every table is read at one moment and written in one transaction: all of it arrives, or nothing.
Ids, numbers, versions, undo images and the chain stay what they are; the heads of both are equal.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from saegim.errors import StoreCorrupt
from saegim.store import tombstones
from saegim.store.database import Connection, Database, first, open_file
from saegim.store.migrate import migrate
from saegim.store.search.bm25 import TABLES, on_server
from saegim.store.sidecar import LastLine

_CHUNK: Final = 2_000
# What is a database's own: its version, what it is called, the key and the rows of its seals.
_OWN_NAMES: Final = ("schema", "application", "era", "seal_key")
_OWN_TABLES: Final = ("seal",)
_KEPT: Final = ", ".join(f"'{name}'" for name in _OWN_NAMES)


@dataclass(frozen=True, slots=True)
class Carried:
    """What was carried: rows by table, and the last line of every owner's ledger."""

    rows: dict[str, int]
    heads: dict[str, tuple[int, str]]


def tables_of(connection: Connection) -> dict[str, list[str]]:
    """Return every table that holds what a store holds, and its columns; words come apart."""
    if on_server(connection):
        asked = (
            "SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a "
            "ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
            "AND a.attidentity <> 'a' AND a.attgenerated = '' "
            "WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' "
            "ORDER BY c.relname, a.attnum"
        )
    else:
        asked = (
            "SELECT s.name, i.name FROM sqlite_schema s JOIN pragma_table_info(s.name) i "
            "WHERE s.type = 'table' AND s.sql LIKE 'CREATE TABLE%' ORDER BY s.name, i.cid"
        )
    found: dict[str, list[str]] = {}
    for table, column in connection.execute(asked).fetchall():
        words = any(str(table).startswith(f"{each}_") for each in TABLES.values())
        if not words and table not in _OWN_TABLES and not str(table).startswith("sqlite_"):
            found.setdefault(str(table), []).append(str(column))
    return found


def heads_of(connection: Connection) -> dict[str, tuple[int, str]]:
    """Return the last line of every owner's ledger."""
    rows: list[Any] = connection.execute(
        "SELECT l.owner, l.seq, l.hash FROM ledger l JOIN (SELECT owner, max(seq) AS seq "
        "FROM ledger GROUP BY owner) AS newest ON newest.owner = l.owner AND newest.seq = l.seq"
    ).fetchall()
    return {str(owner): (int(str(seq)), str(hashed)) for owner, seq, hashed in rows}


def carry(source: Connection, target: Connection) -> Carried:
    """Write everything that one database holds into another, in the place of what is there.

    The caller holds a moment of the source and a transaction of the target.
    """
    here, there = tables_of(source), tables_of(target)
    if lacking := sorted(set(here) - set(there)):
        raise StoreCorrupt("store.lacks_part_of_saegim_store", path="", error=lacking[0])
    counted: dict[str, int] = {}
    for table in there:
        only = f" WHERE name NOT IN ({_KEPT})" if table == "house" else ""
        target.execute(f"DELETE FROM {table}{only}")
        if table in here:
            columns = [each for each in here[table] if each in there[table]]
            counted[table] = _carry_table(source, target, table, columns, only)
    for table in TABLES.values():
        target.execute(f"DELETE FROM {table}")
        columns = ["rowid", "scope", "text", "about"]
        counted[table] = _carry_table(source, target, table, columns, "")
    if on_server(target):
        _settle_server(target)
    heads = heads_of(target)
    if heads != heads_of(source):
        raise StoreCorrupt("store.carried_heads_differ")
    _compare(source, target, counted)
    return Carried(counted, heads)


def _carry_table(
    source: Connection, target: Connection, table: str, columns: list[str], only: str
) -> int:
    names = ", ".join(columns)
    # Ties lie in the order in which they were made, and keep it.
    order = " ORDER BY rowid" if table == "link" else ""
    rows = _stream(source, f"SELECT {names} FROM {table}{only}{order}")
    count = 0
    while some := list(islice(rows, _CHUNK)):
        count += len(some)
        if on_server(target):
            place = f"{table}_content" if table in TABLES.values() else table
            there = ["id", "c0", "c1", "c2"] if place != table else columns
            target.copy_in(place, there, some)  # type: ignore[attr-defined]
        else:
            marks = ", ".join("?" for _ in columns)
            target.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", some)
    return count


def _stream(source: Connection, sql: str) -> Iterator[Any]:
    if on_server(source):
        return source.stream(sql, _CHUNK)  # type: ignore[attr-defined, no-any-return]
    return iter(source.execute(sql))


def _settle_server(target: Connection) -> None:
    """Let new numbers come after those that were carried, and void what is held in memory.

    The planner is told at once how much there is now; by itself it looks minutes later.
    """
    for table in (*tables_of(target), *(f"{each}_content" for each in TABLES.values())):
        target.execute(f"ANALYZE {table}")
    for table in ("memory", "embedder"):
        target.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', 'number'), "
            f"(SELECT coalesce(max(number), 0) + 1 FROM {table}), false)"
        )
    target.execute(
        "UPDATE house SET value = CAST(CAST(value AS BIGINT) + 1 AS TEXT) WHERE name = 'era'"
    )


def _compare(source: Connection, target: Connection, counted: dict[str, int]) -> None:
    """Count both sides again: nothing may have been lost on the way."""
    for table in counted:
        only = f" WHERE name NOT IN ({_KEPT})" if table == "house" else ""
        sums: list[Any] = [
            each.execute(f"SELECT count(*) FROM {table}{only}").fetchall()[0][0]
            for each in (source, target)
        ]
        if len(set(map(str, sums))) > 1:
            raise StoreCorrupt(
                "store.carried_rows_differ", table=table, here=sums[0], there=sums[1]
            )


def move(source: Database, target: Database) -> Carried:
    """Carry everything from one store into another that is empty, while nobody writes.

    Writers of the old one wait; what it holds stays there as it was.
    """
    with source.writing() as here, target.writing() as there:
        if first(there, "SELECT count(*) FROM ledger") or first(
            there, "SELECT count(*) FROM memory"
        ):
            raise StoreCorrupt("store.server_is_not_empty", path=target.place)
        carried = carry(here, there)
    stones = tombstones.file_of(source.path)
    if stones.exists():
        # What was erased stays erased in the new place too.
        shutil.copyfile(stones, tombstones.file_of(target.path))
    target.sidecar.accept({owner: LastLine(*last) for owner, last in carried.heads.items()})
    return carried


def counted(database: Database) -> dict[str, int]:
    """Count what a move would carry, table by table."""
    with database.one_moment(), database.reading() as connection:
        tables = [*tables_of(connection), *TABLES.values()]
        return {table: int(first(connection, f"SELECT count(*) FROM {table}")) for table in tables}


def to_file(source: Connection, path: Path) -> Carried:
    """Write a store into a new file that can be carried anywhere: no log beside it."""
    database = Database(path, synchronous="OFF")
    try:
        migrate(database)
        with database.writing() as target:
            made = carry(source, target)
    finally:
        database.close()
    with closing(open_file(path, writable=True)) as plain:
        plain.execute("PRAGMA journal_mode = DELETE").fetchall()
    return made


def from_file(path: Path, target: Connection) -> Carried:
    """Put what a backup file holds in the place of what a database holds."""
    with closing(open_file(path)) as source:
        source.execute("BEGIN")
        return carry(source, target)
