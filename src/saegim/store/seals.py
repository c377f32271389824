"""Seals: a keyed digest of every row of the canonical tables, written in the row's transaction.

They show what was changed, added or taken away from outside, down to the column that no line of
the ledger speaks of. The key lies in the same file: who knows Saegim's code and can write the file
can also write seals, as they can write the whole chain anew. A head kept elsewhere closes that gap.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

# The driver's connection: only `database` names the driver.
Connection = Any

# Each table, and where in its rows the owner and the rest of the key stand.
_KEYS: Final = {
    "memory": (1, 2),
    "link": (0, 1, 2, 3),
    "entity": (0, 1),
    "sentiment": (0, 1, 2),
    "page": (0, 1, 2),
    "archive": (0, 1),
}
_PARTS: Final = {table: number for number, table in enumerate(_KEYS, 1)}
# Up to here a number with a point and one without are the same number.
_EXACT: Final = 2**53
FIRST_SEALED_SCHEMA: Final = 7
_PUT: Final = (
    "INSERT INTO seal VALUES (?, ?, ?, ?) "
    "ON CONFLICT (owner, part, key) DO UPDATE SET value = excluded.value"
)
_DROP: Final = "DELETE FROM seal WHERE owner = ? AND part = ? AND key = ?"

Place = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class BrokenSeal:
    """A row that is not as the last commit left it: which table, and its key without names."""

    table: str
    name: str


def _plain(value: Any) -> Any:
    """Return a value as it is read back: a column of numbers may hand out 1 for 1.0."""
    if value.__class__ is float and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return value


def _digest(values: Sequence[Any], key: bytes) -> int:
    packed = msgspec.msgpack.encode([_plain(each) for each in values])
    made = hashlib.blake2b(packed, digest_size=8, key=key).digest()
    return int.from_bytes(made, signed=True)


def _place(table: str, row: Sequence[Any]) -> Place:
    """Return where the seal of a row stands."""
    keys = _KEYS[table]
    part = _PARTS[table]
    return str(row[keys[0]]), part, _digest((part, *(row[at] for at in keys)), b"")


def _key(connection: Connection) -> bytes:
    rows = connection.execute("SELECT value FROM house WHERE name = 'seal_key'").fetchall()
    return str(rows[0][0]).encode() if rows else b""


class SealWriter:
    """Notes the rows that a transaction changes, and seals them before it is committed."""

    def __init__(self) -> None:
        self._rows: dict[Place, Sequence[Any] | None] = {}
        self.active = False

    def attach(self, connection: Connection) -> None:
        """Hear of every row that this connection writes."""
        connection.preupdate_hook(self._note)

    def begin(self, schema: int | None) -> None:
        """Start a transaction with nothing noted; an older schema has no seals."""
        self._rows.clear()
        self.active = schema is not None and schema >= FIRST_SEALED_SCHEMA

    def _note(self, update: Any) -> None:
        table = update.table_name
        if not self.active or table not in _KEYS:
            return
        if update.old is not None:
            self._rows[_place(table, update.old)] = None
        if (row := update.new) is not None:
            self._rows[_place(table, row)] = row

    def seal(self, connection: Connection) -> None:
        """Write the seals of what was noted, inside the transaction."""
        if not self._rows:
            return
        key = _key(connection)
        gone = [place for place, row in self._rows.items() if row is None]
        kept = [(*at, _digest(row, key)) for at, row in self._rows.items() if row is not None]
        connection.executemany(_DROP, gone)
        connection.executemany(_PUT, kept)
        self._rows.clear()


def seal_all(connection: Connection) -> None:
    """Seal every row as it is: a store that had no seals, or whose tables have changed."""
    connection.execute("DELETE FROM seal")
    key = _key(connection)
    for table in _KEYS:
        rows = connection.execute(f"SELECT * FROM {table}")
        connection.executemany(_PUT, ((*_place(table, row), _digest(row, key)) for row in rows))


def broken_seals(connection: Connection, owner: str) -> Iterator[BrokenSeal]:
    """Compare every row of an owner with its seal; name those that do not fit."""
    key = _key(connection)
    for table, part in _PARTS.items():
        held: dict[int, int] = dict(
            connection.execute(
                "SELECT key, value FROM seal WHERE owner = ? AND part = ?", (owner, part)
            ).fetchall()
        )
        for row in connection.execute(f"SELECT * FROM {table} WHERE owner = ?", (owner,)):
            if held.pop(_place(table, row)[2], None) != _digest(row, key):
                yield BrokenSeal(table, _name(table, row))
        if held:
            yield BrokenSeal(table, "")


def _name(table: str, row: Sequence[Any]) -> str:
    """Name a row without saying a word that someone said: entities and ties hold names."""
    return str(row[_KEYS[table][1]]) if table in ("memory", "page", "archive") else ""
