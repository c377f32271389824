"""Carries a store, or one owner of it, from one database to another: file, server, both alike.

Ids, versions, undo images and the chain stay what they are; the heads of both are equal before the
old place is closed. A move follows the old place while others write there, and holds writers back
for the last moment alone; a backup is one moment, written in one transaction.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from saegim.errors import BadInput, StoreBusy, StoreCorrupt, StoreError
from saegim.store import tombstones
from saegim.store.database import (
    ARRIVING,
    FENCE,
    MOVED,
    Connection,
    Database,
    DriverError,
    closed_in,
    first,
    open_file,
    refuse_closed,
)
from saegim.store.migrate import migrate
from saegim.store.row_copy import (
    BATCH,
    Fence,
    RowCopy,
    heads_of,
    insert,
    parts_of,
    parts_of_owner,
    stream,
)
from saegim.store.search.bm25 import TABLES, on_server
from saegim.store.sidecar import LastLine

# A pass that writes no more rows than this is followed by the last; and so many passes at most.
_FEW: Final = 1_000
_PASSES: Final = 6


@dataclass(frozen=True, slots=True)
class Carried:
    """What was carried: rows by table, and the last line of every owner's ledger."""

    rows: dict[str, int]
    heads: dict[str, tuple[int, str]]


def carry(source: Connection, target: Connection) -> Carried:
    """Write everything that one database holds into another, in the place of what is there.

    The caller holds a moment of the source and a transaction of the target.
    """
    here, there = ({each.table: each for each in parts_of(held)} for held in (source, target))
    if lacking := sorted(set(here) - set(there)):
        raise StoreCorrupt("store.lacks_part_of_saegim_store", path="", error=lacking[0])
    counted: dict[str, int] = {}
    for table, part in there.items():
        part.remove(target, None, None)
        if table in here:
            columns = [each for each in here[table].columns if each in part.columns]
            where = f" WHERE {part.where}" if part.where else ""
            rows = stream(source, f"SELECT {', '.join(columns)} FROM {table}{where}")
            counted[table] = 0
            while some := list(islice(rows, BATCH)):
                counted[table] += len(some)
                insert(target, table, columns, some)
    if on_server(target):
        _settle_server(target)
    heads = heads_of(target)
    if heads != heads_of(source):
        raise StoreCorrupt("store.carried_heads_differ")
    for table in counted:
        sums = here[table].count(source, ()), there[table].count(target, ())
        if sums[0] != sums[1]:
            raise StoreCorrupt(
                "store.carried_rows_differ", table=table, here=sums[0], there=sums[1]
            )
    return Carried(counted, heads)


def _settle_server(target: Connection) -> None:
    """Let new numbers come after those that were carried, and void what is held in memory.

    The planner is told at once how much there is now; by itself it looks minutes later.
    """
    tables = [each.table for each in parts_of(target) if each.table not in TABLES.values()]
    for table in (*tables, *(f"{each}_content" for each in TABLES.values())):
        target.execute(f"ANALYZE {table}")
    for table, number in (("memory", "number"), ("embedder", "number"), ("link", "rowid")):
        target.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', '{number}'), "
            f"(SELECT coalesce(max({number}), 0) + 1 FROM {table}), false)"
        )
    _new_era(target)


def _new_era(target: Connection) -> None:
    target.execute(
        "UPDATE house SET value = CAST(CAST(value AS BIGINT) + 1 AS TEXT) WHERE name = 'era'"
    )


# -- a whole store ---------------------------------------------------------------------------------


def move(source: Database, target: Database, *, closes: bool = True) -> Carried:
    """Carry everything from one store into another that is empty, while others write.

    Interrupted, it goes on where it was. Writers of the old one wait for the last moment, and from
    then on it is read alone: it says where everything went. Without `closes` it stays as it was.
    """
    with _carrying(target):
        return _move(source, target, closes=closes)


@contextmanager
def _carrying(database: Database) -> Iterator[None]:
    """Let this process write a store that is closed for everyone else."""
    database.moving = True
    try:
        yield
    finally:
        database.moving = False


def _move(source: Database, target: Database, *, closes: bool) -> Carried:
    mark = f"{ARRIVING}{source.place}{FENCE}{secrets.token_hex(8)}"
    copy = RowCopy(target, fence=_fence("house", "name", "closed", mark))
    if (others := source.elsewhere()) and not target.is_server:
        raise BadInput("store.is_divided", path=source.place, names=", ".join(sorted(others)[:5]))
    with source.reading() as here:
        left = closed_in(here)
    if left != f"{MOVED}{target.place}":
        refuse_closed(left, source.place)
        left = ""
        _expect(target, source.place, mark)
        _come_near(source, copy)
        with source.writing() as here:
            copy.follow(here)
            copy.compare(here)
            if closes:
                _close(here, f"{MOVED}{target.place}")
    with source.reading() as here, target.writing() as there:
        heads = heads_of(there)
        if known := closed_in(there):
            if not left and known != mark:
                raise StoreBusy("store.move_was_taken_over")
            if left and heads != heads_of(here):
                raise StoreCorrupt("store.carried_heads_differ")
            _open(source, target, there, heads)
        rows = copy.rows or {part.table: part.count(there, part.there) for part in parts_of(there)}
    return Carried(rows, heads)


def _open(
    source: Database, target: Database, there: Connection, heads: dict[str, tuple[int, str]]
) -> None:
    """Let everyone write what has arrived; what was erased stays erased there too."""
    stones = tombstones.file_of(source.path)
    if stones.exists():
        shutil.copyfile(stones, tombstones.file_of(target.path))
    target.sidecar.accept({owner: LastLine(*last) for owner, last in heads.items()})
    if on_server(there):
        _settle_server(there)
    there.execute("DELETE FROM house WHERE name = 'closed'")


def reopen(database: Database) -> bool:
    """Let a store that was moved be written again; say whether it was closed."""
    with _carrying(database), database.writing() as connection:
        was_closed = bool(closed_in(connection))
        connection.execute("DELETE FROM house WHERE name = 'closed'")
    return was_closed


def _fence(table: str, key: str, name: str, mark: str) -> Fence:
    """Return what refuses to write once a row no longer bears the mark of this very move.

    Whoever begins the same move later puts their own there; who ends it takes it away.
    """
    column = "value" if table == "house" else "store"

    def fence(there: Connection) -> None:
        held = " FOR SHARE" if on_server(there) else ""
        asked = f"SELECT {column} FROM {table} WHERE {key} = ?{held}"
        if first(there, asked, (name,)) != mark:
            raise StoreBusy("store.move_was_taken_over")

    return fence


def _expect(target: Database, place: str, mark: str) -> None:
    """Hold a place back for what arrives from another, until all is there; refuse one in use."""
    with target.writing() as there:
        known = closed_in(there)
        if known.partition(FENCE)[0] != f"{ARRIVING}{place}":
            refuse_closed(known, target.place)
            tables = ("ledger", "memory")
            if any(first(there, f"SELECT count(*) FROM {table}") for table in tables):
                raise StoreCorrupt("store.server_is_not_empty", path=target.place)
        _close(there, mark)


def is_arriving(path: Path, place: str) -> bool:
    """Say whether a file is one into which a store of that place was being moved."""
    try:
        with closing(open_file(path)) as held:
            return closed_in(held).partition(FENCE)[0] == f"{ARRIVING}{place}"
    except DriverError:
        return False


def _close(connection: Connection, why: str) -> None:
    connection.execute(
        "INSERT INTO house VALUES ('closed', ?) "
        "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (why,),
    )


def _come_near(source: Database, copy: RowCopy) -> None:
    """Follow the source, while others write there, until little is left for the last moment.

    After the first pass what arrived is read again: the next one compares it row by row.
    """
    for each in range(_PASSES):
        with source.one_moment(), source.reading() as here:
            if each < 2:
                copy.look(here)
            if copy.follow(here) <= _FEW and each:
                return


# -- one owner -------------------------------------------------------------------------------------


def move_owner(
    source: Database,
    target: Database,
    owner: str,
    *,
    here: str,
    there: str,
    opened: Callable[[], None] = lambda: None,
) -> Carried:
    """Carry one owner to another store of the same installation, while they write.

    `here` and `there` are what the two are called in the settings. The old place says from the last
    moment on where the owner lies, and the new one takes nothing before that: never do both.
    `opened` is called once the new place is written, before the old one is cleared.
    """
    mark = f"{here}{FENCE}{secrets.token_hex(8)}"
    copy = RowCopy(target, owner, fence=_fence("placement", "owner", owner, mark))
    if not (is_left := source.elsewhere(owner).get(owner) == there):
        _expect_owner(target, owner, mark)
        _come_near(source, copy)
        with source.writing(owner) as held:
            copy.follow(held)
            copy.compare(held)
            _place(held, owner, there)
    with target.writing(shared=True) as arrived:
        if not is_left:
            copy.fence(arrived)
        heads = heads_of(arrived, owner)
        rows = copy.rows or {
            part.table: part.count(arrived, part.there) for part in parts_of_owner(arrived, owner)
        }
        _look_again(arrived, owner)
        _new_era(arrived)
        _place(arrived, owner, "")
    tombstones.hand_over(source.path, target.path, owner)
    opened()
    remove_owner(source, owner)
    for name, last in heads.items():
        target.sidecar.note_line(name, *last)
    return Carried(rows, heads)


def _expect_owner(target: Database, owner: str, mark: str) -> None:
    """Let a store take nothing of an owner who arrives, until all is there."""
    with target.writing(shared=True) as there:
        known = first(there, "SELECT store FROM placement WHERE owner = ?", (owner,))
        if known is None and first(there, "SELECT count(*) FROM ledger WHERE owner = ?", (owner,)):
            raise BadInput("store.owner_is_there", owner=owner, path=target.place)
        _place(there, owner, mark)


def remove_owner(database: Database, owner: str) -> None:
    """Delete what a store holds of an owner who lies elsewhere; dead rows are swept at once."""
    with database.writing(shared=True) as held:
        _remove(held, owner)
    with suppress(StoreError):
        # On a large store this may take longer than a statement may; then the server does it.
        database.shrink()


def _remove(connection: Connection, owner: str) -> None:
    for part in parts_of_owner(connection, owner):
        part.remove(connection, None, None)


def place_owner(database: Database, owner: str, store: str) -> None:
    """Let a store say where an owner lies; nowhere else, if nothing is named."""
    with database.writing(shared=True) as held:
        _place(held, owner, store)


def _place(connection: Connection, owner: str, store: str) -> None:
    connection.execute("DELETE FROM placement WHERE owner = ?", (owner,))
    if store:
        connection.execute("INSERT INTO placement VALUES (?, ?)", (owner, store))


def _look_again(there: Connection, owner: str) -> None:
    """Let upkeep look for missing words and vectors from the first that arrived on."""
    lowest = first(there, "SELECT min(number) FROM memory WHERE owner = ?", (owner,))
    if lowest is not None:
        there.execute(
            "UPDATE house SET value = ? WHERE (name LIKE 'covered:%' OR name LIKE 'read:%') "
            "AND CAST(value AS INTEGER) >= ?",
            (str(int(lowest) - 1), lowest),
        )


def counted(database: Database) -> dict[str, int]:
    """Count what a move would carry, table by table."""
    with database.one_moment(), database.reading() as connection:
        return {each.table: each.count(connection, ()) for each in parts_of(connection)}


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
        made = carry(source, target)
    if on_server(target):
        # Who was moved since lies in another store, and nothing of theirs here.
        for row in target.execute("SELECT owner FROM placement").fetchall():
            _remove(target, str(row[0]))
    return made
