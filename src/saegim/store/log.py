"""Whether the log beside a store is its own: SQLite would read any log of that name."""

from __future__ import annotations

import contextlib
from pathlib import Path
from urllib.parse import quote

import apsw

from saegim.errors import StoreCorrupt
from saegim.store import ledger
from saegim.store.database import Database


def log_of(path: Path) -> Path:
    """Return where the log of a store lies."""
    return Path(f"{path}-wal")


def size(path: Path) -> int:
    """Return how many bytes a file holds; one that is not there holds none."""
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 0


def refuse_foreign_log(database: Database) -> None:
    """Refuse a log of another store: it would hide, and then overwrite, what the file holds."""
    if not size(log_of(database.path)):
        return
    alone = _born(database.path)
    if alone is None:
        return
    with database.translated():
        together = ledger.birth(database.reader())
    if together != alone:
        raise StoreCorrupt("store.log_of_another_store_nothing", log=log_of(database.path))


def _born(path: Path) -> str | None:
    """Return the first line of the ledger as the file has it without its log, if it can be read."""
    address = f"file:{quote(str(path))}?immutable=1"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        with contextlib.closing(apsw.Connection(address, flags=flags)) as alone:
            return ledger.birth(alone)
    except (apsw.Error, UnicodeDecodeError):
        # Without its log a file may be half of itself; then it cannot say whose it is.
        return None
