"""`RowCopy`: the rows of one database in another, following it while others go on writing there.

Rows are read in the order of their keys and cut into short stretches. Of each stretch a digest is
known: what differs is written again, what is gone goes. So a copy that was interrupted anywhere
goes on, and the last pass, while writers wait, writes only what came since the one before it.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

import msgspec

from saegim.errors import StoreCorrupt
from saegim.store.database import Connection, Database, first
from saegim.store.search.bm25 import TABLES, on_server, scope_token

# Rows of a stretch: of one that differs, so many are written again.
_STRETCH: Final = 200
# Rows that go to the other database together, and how many such are on their way at a time.
BATCH: Final = 2_000
_ON_THE_WAY: Final = 3
# What is a database's own: its version, what it is called, the key and the rows of its seals, who
# lies elsewhere, and whether it was left.
_OWN_NAMES: Final = ("schema", "writable", "application", "era", "seal_key", "closed")
_OWN_TABLES: Final = ("seal", "placement")
KEPT: Final = f"name NOT IN ({', '.join(repr(name) for name in _OWN_NAMES)})"
_WORDS: Final = ("rowid", "scope", "text", "about")
# What belongs to an installation and not to one of its people's memories.
_OF_HOUSE: Final = (
    *("house", "embedder", "person", "access_token", "page_visit", "person_use", "spending"),
)
# Tables whose rows have numbers of a store's own, and what else says which row it is.
_NUMBERED: Final = {"memory": ("number", "id"), "link": ("rowid", "source, type, target")}

Row = tuple[Any, ...]
# Refuses inside a transaction, where somebody else has begun or ended the same move.
Fence = Callable[[Connection], None]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows that follow each other, up to and with `last`."""

    last: Row
    digest: bytes


@dataclass(frozen=True, slots=True)
class TableRows:
    """Rows of one table that are carried together, in the order of their key."""

    table: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    # Which rows they are, and what that asks for here and there.
    where: str = ""
    here: Row = ()
    there: Row = ()
    # What a number here is called there, by the place of its column.
    numbers: Mapping[int, Mapping[int, int]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return what tells it from other parts."""
        return f"{self.table} {self.there}"

    def key_of(self, row: Row) -> Row:
        """Return the key of a row."""
        return tuple(row[self.columns.index(each)] for each in self.key)

    def read(self, connection: Connection, params: Row) -> Iterator[Row]:
        """Read its rows in the order of their key."""
        asked = f"SELECT {', '.join(self.columns)} FROM {self.table}"
        where = f" WHERE {self.where}" if self.where else ""
        return stream(connection, f"{asked}{where} ORDER BY {', '.join(self.key)}", params)

    def sent(self, here: Connection) -> Iterator[Row]:
        """Read its rows here, numbered as they are there."""
        rows = self.read(here, self.here)
        if not self.numbers:
            return rows
        # Of a memory that is gone something derived may be left: it stays where it is.
        named = (_renumbered(row, self.numbers) for row in rows)
        return (row for row in named if row is not None)

    def count(self, connection: Connection, params: Row) -> int:
        """Count its rows."""
        where = f" WHERE {self.where}" if self.where else ""
        return int(first(connection, f"SELECT count(*) FROM {self.table}{where}", params))

    def remove(self, there: Connection, above: Row | None, last: Row | None) -> None:
        """Delete its rows after one key and up to another."""
        key, marks = ", ".join(self.key), ", ".join("?" for _ in self.key)
        asked, params = [self.where] if self.where else [], list(self.there)
        for sign, bound in ((">", above), ("<=", last)):
            if bound is not None:
                asked.append(f"({key}) {sign} ({marks})")
                params += bound
        where = f" WHERE {' AND '.join(asked)}" if asked else ""
        there.execute(f"DELETE FROM {self.table}{where}", tuple(params))


_PLACEMENT: Final = TableRows("placement", ("owner", "store"), ("owner",))


def _renumbered(row: Row, numbers: Mapping[int, Mapping[int, int]]) -> Row | None:
    made = list(row)
    for at, known in numbers.items():
        if (number := known.get(row[at])) is None:
            return None
        made[at] = number
    return tuple(made)


def stream(source: Connection, sql: str, params: Row = ()) -> Iterator[Row]:
    """Read rows a part at a time."""
    if on_server(source):
        return source.stream(sql, BATCH, params)  # type: ignore[attr-defined, no-any-return]
    return iter(source.execute(sql, params))


def insert(target: Connection, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Write many rows at once."""
    if on_server(target):
        words = table in TABLES.values()
        place = f"{table}_content" if words else table
        target.copy_in(place, ["id", "c0", "c1", "c2"] if words else columns, rows)  # type: ignore[attr-defined]
    else:
        marks = ", ".join("?" for _ in columns)
        names = ", ".join(columns)
        target.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)


def parts_of(connection: Connection) -> list[TableRows]:
    """Return every table that holds what a store holds; words come last."""
    if on_server(connection):
        asked = (
            "SELECT c.relname, a.attname, array_position(i.indkey::int2[], a.attnum) "
            "FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 "
            "AND NOT a.attisdropped AND a.attidentity <> 'a' AND a.attgenerated = '' "
            "LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary "
            "WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' "
            "ORDER BY c.relname, a.attnum"
        )
    else:
        asked = (
            "SELECT s.name, i.name, nullif(i.pk, 0) FROM sqlite_schema s "
            "JOIN pragma_table_info(s.name) i "
            "WHERE s.type = 'table' AND s.sql LIKE 'CREATE TABLE%' ORDER BY s.name, i.cid"
        )
    found: dict[str, list[tuple[str, int | None]]] = {}
    rows: list[Any] = connection.execute(asked).fetchall()
    for table, column, at in rows:
        words = any(str(table).startswith(f"{each}_") for each in TABLES.values())
        if not words and table not in _OWN_TABLES and not str(table).startswith("sqlite_"):
            found.setdefault(str(table), []).append((str(column), at))
    parts = [TableRows(each, _WORDS, ("rowid",)) for each in TABLES.values()]
    return [*(_part(table, columns) for table, columns in found.items()), *parts]


def _part(table: str, columns: list[tuple[str, int | None]]) -> TableRows:
    names = tuple(name for name, _ in columns)
    keyed = sorted((at, name) for name, at in columns if at is not None)
    if table == "link":
        # Ties lie in the order in which they were made, and keep it.
        return TableRows(table, ("rowid", *names), ("rowid",))
    where = KEPT if table == "house" else ""
    return TableRows(table, names, tuple(name for _, name in keyed), where)


def of_owner(part: TableRows, owner: str) -> TableRows:
    """Return the rows of one owner in a table."""
    if part.table in TABLES.values():
        asked, given = "scope = ?", scope_token(owner)
    elif "owner" in part.columns:
        asked, given = "owner = ?", owner
    else:
        asked, given = "number IN (SELECT number FROM memory WHERE owner = ?)", owner
    return replace(part, where=asked, here=(given,), there=(given,))


def parts_of_owner(connection: Connection, owner: str) -> list[TableRows]:
    """Return what is one owner's in every table: what hangs on a memory before the memories."""
    held = [of_owner(each, owner) for each in parts_of(connection) if each.table not in _OF_HOUSE]
    return sorted(held, key=lambda each: not each.where.startswith("number"))


def heads_of(connection: Connection, owner: str = "") -> dict[str, tuple[int, str]]:
    """Return the last line of every owner's ledger, or of one."""
    whose, params = ("WHERE owner = ? ", (owner,)) if owner else ("", ())
    rows: list[Any] = connection.execute(
        "SELECT l.owner, l.seq, l.hash FROM ledger l JOIN (SELECT owner, max(seq) AS seq "
        f"FROM ledger {whose}GROUP BY owner) AS newest "
        "ON newest.owner = l.owner AND newest.seq = l.seq",
        params,
    ).fetchall()
    return {str(owner): (int(str(seq)), str(hashed)) for owner, seq, hashed in rows}


def _digest(rows: Sequence[Row]) -> bytes:
    return hashlib.blake2b(msgspec.msgpack.encode(rows), digest_size=16).digest()


def _cut(
    rows: Iterator[Row], part: TableRows, bounds: Sequence[Row] = ()
) -> Iterator[tuple[Row, list[Row]]]:
    """Cut rows as they were cut before; what comes after, evenly."""
    held: list[Row] = []
    for bound in bounds:
        some: list[Row] = []
        while held := held or list(islice(rows, BATCH)):
            end = bisect_right(held, bound, key=part.key_of)
            some, held = some + held[:end], held[end:]
            if held:
                break
        yield bound, some
    while held := held or list(islice(rows, BATCH)):
        some, held = held[:_STRETCH], held[_STRETCH:]
        yield part.key_of(some[-1]), some


class RowCopy:
    """The rows of a database, or of one owner there, in another one in which nobody else writes."""

    def __init__(self, target: Database, owner: str = "", *, fence: Fence) -> None:
        self._target, self._owner, self.fence = target, owner, fence
        self._known: dict[str, list[Stretch]] = {}
        # How many rows of each table the last pass found.
        self.rows: dict[str, int] = {}

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """Write to the copy, unless somebody else makes it now, or has made it."""
        with self._target.writing(shared=True) as there:
            self.fence(there)
            yield there

    def _parts(self, here: Connection) -> list[TableRows]:
        with self._writing() as there:
            if not self._owner:
                parts, known = parts_of(here), {each.table for each in parts_of(there)}
                if lacking := sorted({each.table for each in parts} - known):
                    raise StoreCorrupt(
                        "store.lacks_part_of_saegim_store", path="", error=lacking[0]
                    )
                # Who lies elsewhere does so after a move too; a file cannot say it.
                servers = on_server(here) and on_server(there)
                return [*parts, *([_PLACEMENT] if servers else [])]
            numbers = {table: self._drawn(here, there, table) for table in _NUMBERED}
            embedders = _embedders(here, there)
        return [
            made
            for part in parts_of_owner(here, self._owner)
            for made in _numbered(part, numbers, embedders)
        ]

    def _drawn(self, here: Connection, there: Connection, table: str) -> dict[int, int]:
        """Return what each number of an owner's rows is there, in the same order; draw new ones."""
        number, named = _NUMBERED[table]
        asked = f"SELECT {number}, {named} FROM {table} WHERE owner = ? ORDER BY {number}"
        given = (self._owner,)
        rows: list[Any] = here.execute(asked, given).fetchall()
        there_rows: list[Any] = there.execute(asked, given).fetchall()
        held = {tuple(row[1:]): int(row[0]) for row in there_rows}
        made: list[int] = []
        for row in rows:
            known = held.get(tuple(row[1:]))
            if known is None or (made and known <= made[-1]):
                break
            made.append(known)
        # From the first that is new there on, all are: so they stay in order.
        made += there.draw(table, number, len(rows) - len(made))  # type: ignore[attr-defined]
        return {int(row[0]): drawn for row, drawn in zip(rows, made, strict=True)}

    def look(self, here: Connection) -> None:
        """Read what the copy holds, so that only what differs is written."""
        parts = self._parts(here)
        with self._target.one_moment(), self._target.reading() as there:
            for part in parts:
                rows = part.read(there, part.there)
                cut = _cut(rows, part)
                self._known[part.name] = [Stretch(last, _digest(some)) for last, some in cut]

    def follow(self, here: Connection) -> int:
        """Write what differs from the source as it is now; return how many rows that were."""
        self.rows = {}
        # While some are read here, those before are written there: a server has cores of its own.
        with ThreadPoolExecutor(2 if self._target.is_server else 1) as carriers:
            return sum(self._follow(here, part, carriers) for part in self._parts(here))

    def _follow(self, here: Connection, part: TableRows, carriers: ThreadPoolExecutor) -> int:
        known = self._known.get(part.name, [])
        held: list[Stretch] = []
        stale: list[tuple[Row | None, Row, list[Row]]] = []
        fresh: list[Row] = []
        sent: deque[Future[int]] = deque()
        before: Row | None = None
        count = written = 0
        cut = _cut(part.sent(here), part, [each.last for each in known])
        for at, (last, rows) in enumerate(cut):
            made = Stretch(last, _digest(rows))
            count += len(rows)
            held += [made] if rows else []
            if at >= len(known):
                # What is gone goes first: one row may have the name of another that went.
                written += self._replace(part, stale)
                stale, fresh = [], fresh + rows
                if len(fresh) >= BATCH:
                    sent.append(carriers.submit(self._add, part, fresh))
                    written += sent.popleft().result() if len(sent) > _ON_THE_WAY else 0
                    fresh = []
            elif made.digest != known[at].digest:
                stale.append((before, last, rows))
            before = last
        written += self._replace(part, stale) + sum(each.result() for each in sent)
        written += self._add(part, fresh) if fresh else 0
        self._known[part.name] = held
        self.rows[part.table] = self.rows.get(part.table, 0) + count
        return written

    def _add(self, part: TableRows, rows: Sequence[Row]) -> int:
        with self._writing() as there:
            insert(there, part.table, part.columns, rows)
        return len(rows)

    def _replace(
        self, part: TableRows, stretches: Sequence[tuple[Row | None, Row, list[Row]]]
    ) -> int:
        if not stretches:
            return 0
        rows = [row for _, _, some in stretches for row in some]
        with self._writing() as there:
            for above, last, _ in stretches:
                part.remove(there, above, last)
            if rows:
                insert(there, part.table, part.columns, rows)
        return max(len(rows), 1)

    def compare(self, here: Connection) -> dict[str, tuple[int, str]]:
        """Return the last lines of the ledgers; refuse a copy that is not what it was made of."""
        parts = self._parts(here)
        with self._target.one_moment(), self._target.reading() as there:
            heads = heads_of(there, self._owner)
            if heads != heads_of(here, self._owner):
                raise StoreCorrupt("store.carried_heads_differ")
            for part in parts:
                sums = part.count(here, part.here), part.count(there, part.there)
                if sums[0] != sums[1]:
                    raise StoreCorrupt(
                        "store.carried_rows_differ", table=part.table, here=sums[0], there=sums[1]
                    )
        return heads


def _embedders(here: Connection, there: Connection) -> dict[int, int]:
    """Return what the number of each embedder is there; one that was never met gets one."""
    columns = "key, provider, model, digest, dimension, policy, created_at"
    rows: list[Any] = here.execute(f"SELECT number, {columns} FROM embedder").fetchall()
    made = {}
    for number, *identity in rows:
        known = first(there, "SELECT number FROM embedder WHERE key = ?", (identity[0],))
        if known is None:
            marks = ", ".join("?" for _ in identity)
            asked = f"INSERT INTO embedder ({columns}) VALUES ({marks}) RETURNING number"
            known = first(there, asked, tuple(identity))
            there.execute("INSERT INTO house VALUES (?, '0')", (f"covered:{known}",))
        made[int(number)] = int(known)
    return made


def _numbered(
    part: TableRows, numbers: Mapping[str, Mapping[int, int]], embedders: Mapping[int, int]
) -> Iterator[TableRows]:
    """Name the numbers in a part as they are there; vectors of each embedder are a part."""
    table = "link" if part.table == "link" else "memory"
    places = [at for at, name in enumerate(part.columns) if name in ("number", "rowid")]
    known: dict[int, Mapping[int, int]] = dict.fromkeys(places, numbers[table])
    if part.table != "vector":
        yield replace(part, numbers=known)
        return
    for here, there in embedders.items():
        yield replace(
            part,
            where=f"{part.where} AND embedder = ?",
            here=(*part.here, here),
            there=(*part.there, there),
            numbers={**known, part.columns.index("embedder"): embedders},
        )
