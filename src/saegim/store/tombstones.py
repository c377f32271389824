"""What was erased stays erased: a file beside the store that no restore replaces.

Each line names whose memory it was, its id, its salted digest and the instant; none holds a word.
The digest tells the very memory that was erased from one of the same id that came in anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from saegim.errors import StoreError
from saegim.language.words import Analyser
from saegim.memory.changes import Change, Erased, Leaving
from saegim.memory.memory import FINDABLE, Reason
from saegim.store.commit import Batch, Writing, written
from saegim.store.database import Connection, Database, first, size

_SUFFIX = ".erased"
# Under this name the store notes how much of the file it has seen.
_SEEN = "tombstones"
_ACTOR = "restore"
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """One memory that is gone, or with `leaves` (microseconds) one that goes with the erased."""

    owner: str
    id: str
    digest: str
    at: int
    leaves: int = 0

    @property
    def fields(self) -> tuple[str | int, ...]:
        """Return it as the file holds it."""
        return self.owner, self.id, self.digest, self.at, self.leaves


def file_of(store: Path) -> Path:
    """Return where the tombstones of a store lie."""
    return store.with_name(f"{store.name}{_SUFFIX}")


def lay(store: Path, writing: Writing) -> tuple[Tombstone, ...]:
    """Write down what a transaction erases, on the disk before the transaction ends.

    A crash in between is made good when the store is opened: what was asked for is carried out.
    """
    ids = {each.memory: 0 for each in writing.batch.changes if isinstance(each, Erased)}
    if not ids:
        return ()
    for each in writing.batch.changes:
        if isinstance(each, Leaving):
            ids[each.memory] = (each.until - each.since) // timedelta(microseconds=1)
    rows = writing.execute(
        "SELECT m.id, m.digest FROM json_each(?) j CROSS JOIN memory m ON m.owner = ? "
        "AND m.id = j.value",
        (json.dumps(list(ids)), writing.owner),
    )
    laid = tuple(Tombstone(writing.owner, id, digest, writing.at, ids[id]) for id, digest in rows)
    # A store that erased before there was such a file, or came here without it, notes that too.
    past = [] if file_of(store).exists() else _past(writing.connection)
    held = {each.id for each in laid}
    _mark(writing.connection, _append(store, [*(p for p in past if p.id not in held), *laid]))
    return laid


def withdraw(database: Database, laid: Sequence[Tombstone]) -> None:
    """Take back what was written down for a transaction that did not come true.

    Where that cannot be told or written, it stands: then the erasure is carried out at the next
    opening, as it was asked for.
    """
    if laid:
        with contextlib.suppress(StoreError), database.reading() as connection:
            lines = [(*each.fields, _WITHDRAWN) for each in _brought_back(connection, laid)]
            if lines:
                _append_lines(database.path, lines)


def note_past(database: Database) -> None:
    """Write down what the ledger says was erased and the file does not, before it is replaced."""
    known = {(each.owner, each.id) for each in _stones(database.path)}
    with database.reading() as connection:
        lacking = [each for each in _past(connection) if (each.owner, each.id) not in known]
    if lacking:
        _append(database.path, lacking)


def reapply(database: Database, analysers: Sequence[Analyser], at: datetime) -> int:
    """Erase again what a restored or copied file brought back; return how much that was.

    Nothing is read but a number where this store has seen the whole file.
    """
    length = size(file_of(database.path))
    if not length or database.readonly or _seen(database) == length:
        return 0
    stones = list(_stones(database.path))
    with database.writing() as connection:
        held = _brought_back(connection, stones)
        for owner in sorted({each.owner for each in held}):
            again = [_change(each, at) for each in held if each.owner == owner]
            written(connection, Batch(owner, again, _ACTOR, at), analysers)
        _mark(connection, length)
    if held:
        database.empty_log()
    return sum(not each.leaves for each in held)


def hand_over(store: Path, to: Path, owner: str) -> None:
    """Write down in another place what was erased of an owner who goes there."""
    known = {each.fields for each in _stones(to)}
    lacking = [each for each in _stones(store) if each.owner == owner and each.fields not in known]
    if lacking:
        _append(to, lacking)


def _change(stone: Tombstone, at: datetime) -> Change:
    if not stone.leaves:
        return Erased(stone.id)
    return Leaving(stone.id, Reason.MANUAL, at, at + timedelta(microseconds=stone.leaves))


def _brought_back(connection: Connection, stones: Sequence[Tombstone]) -> list[Tombstone]:
    """Return which of these memories have words; of what only leaves, which is not leaving."""
    rows: list[Any] = connection.execute(
        "SELECT j.key, m.state FROM json_each(?) j CROSS JOIN memory m "
        "ON m.owner = j.value ->> 0 AND m.id = j.value ->> 1 AND m.digest = j.value ->> 2 "
        "WHERE m.text IS NOT NULL OR EXISTS "
        "(SELECT 1 FROM archive a WHERE a.owner = m.owner AND a.id = m.id) ORDER BY j.key",
        (json.dumps([each.fields for each in stones]),),
    ).fetchall()
    findable = {each.value for each in FINDABLE}
    found = {int(key): state for key, state in rows}
    gone = {(each.owner, each.id) for each in stones if not each.leaves}
    return [
        each
        for number, each in enumerate(stones)
        if number in found
        and (not each.leaves or (found[number] in findable and (each.owner, each.id) not in gone))
    ]


def _past(connection: Connection) -> list[Tombstone]:
    rows: list[Any] = connection.execute(
        "SELECT l.owner, l.subject, max(m.digest), max(l.at) FROM ledger l CROSS JOIN memory m "
        "ON m.owner = l.owner AND m.id = l.subject WHERE l.change = 'Erased' GROUP BY 1, 2"
    ).fetchall()
    return [Tombstone(str(owner), str(id), str(digest), int(at)) for owner, id, digest, at in rows]


# -- the file -------------------------------------------------------------------------------------


def _stones(store: Path) -> Iterator[Tombstone]:
    """Read what holds, each once, in its order.

    A line that cannot be read was cut off while it was written: nobody was told that it held.
    """
    with _named(store):
        try:
            handle = os.open(file_of(store), os.O_RDONLY | _NO_FOLLOW)
        except FileNotFoundError:
            return
        with os.fdopen(handle, "rb") as file:
            lines = file.read().split(b"\n")
    held: dict[tuple[str, str, str], Tombstone] = {}
    for line in lines:
        try:
            owner, id, digest, at, leaves, *withdrawn = json.loads(line)
            stone = Tombstone(str(owner), str(id), str(digest), int(at), int(leaves))
        except (ValueError, TypeError):
            continue
        key = (stone.owner, stone.id, stone.digest)
        if withdrawn:
            held.pop(key, None)
        elif stone.leaves == 0 or key not in held:
            held[key] = stone
    yield from held.values()


def _append(store: Path, stones: Sequence[Tombstone]) -> int:
    return _append_lines(store, [each.fields for each in stones])


def _append_lines(store: Path, lines: Sequence[Sequence[str | int]]) -> int:
    """Add lines, durably; return how long the file is. Each begins anew: one may be cut off."""
    raw = b"".join(b"\n" + json.dumps(each).encode("ascii") for each in lines) + b"\n"
    file = file_of(store)
    with _named(store):
        new = not file.exists()
        handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_FOLLOW, 0o600)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError("not a file")
            if os.write(handle, raw) != len(raw):
                raise OSError("no room left")
            os.fsync(handle)
            length = os.fstat(handle).st_size
        finally:
            os.close(handle)
        if new:
            _sync_folder(file.parent)
    return length


def _sync_folder(folder: Path) -> None:
    """Let the name of a new file be as durable as the file, where a folder can be opened."""
    with contextlib.suppress(PermissionError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def _named(store: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            "store.erased_file_failed", file=file_of(store), error=error.strerror or error
        ) from error


def _seen(database: Database) -> int:
    with database.reading() as connection:
        return int(first(connection, "SELECT value FROM house WHERE name = ?", (_SEEN,)) or 0)


def _mark(connection: Connection, length: int) -> None:
    connection.execute(
        "INSERT INTO house VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (_SEEN, str(length)),
    )
