"""What SQLite says when it cannot go on, in our own words, with the file and the next step."""

from __future__ import annotations

import re
from pathlib import Path

import apsw

from saegim.errors import (
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreReadOnly,
)

# How SQLite says that a table, or what FTS5 keeps of one, is not what it was made as.
# Pages of two moments, as a disk that lies about its syncs leaves them.
_HAS_ALREADY = re.compile(r"^duplicate column name|already exists$")
_LACKING = (
    "no such table",
    "no such column",
    "no such fts5 table",
    "invalid fts5 file format",
    "vtable constructor failed",
)
# What SQLite needs on the disk before the first read, for the memory that processes share.
_SHARED_KB = 32


def in_our_words(
    error: apsw.Error | UnicodeDecodeError, path: Path, busy_seconds: float
) -> StoreError | None:
    """Return our error for one of SQLite's; nothing for one that only a mistake of ours causes.

    Text that is not UTF-8 is a damage too: the library never writes any.
    """
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return StoreBusy("store.busy_another_process_has_been", path=path, seconds=busy_seconds)
        case apsw.FullError():
            return StoreFull("store.no_room_left_for_nothing", path=path)
        case apsw.ReadOnlyError():
            return StoreReadOnly("store.cannot_be_written", path=path)
        case apsw.CorruptError() | apsw.NotADBError() | UnicodeDecodeError():
            return StoreCorrupt("store.damaged_or_is_not_saegim", path=path, error=error)
        case apsw.NoMemError():
            # A damaged index claims sizes that no machine has.
            return StoreCorrupt("store.asks_for_more_memory_than", path=path)
        case apsw.SQLError() if str(error).startswith(_LACKING):
            return StoreCorrupt("store.lacks_part_of_saegim_store", path=path, error=error)
        case apsw.SQLError() if _HAS_ALREADY.search(str(error)):
            return StoreCorrupt("store.holds_more_than_version_says", path=path, error=error)
        case apsw.ConstraintError():
            return StoreCorrupt("store.index_of_disagrees_with_memories", path=path, error=error)
        case apsw.CantOpenError():
            return StoreMissing("store.cannot_be_opened", path=path, error=error)
        case apsw.IOError() if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
            return StoreFull("store.no_room_left_beside_reading", path=path, kilobytes=_SHARED_KB)
        case apsw.IOError():
            return StoreError("store.disk_under_failed_nothing", path=path, error=error)
        case _:
            return None
