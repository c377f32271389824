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
_ROOM = "Free some disk space and try again; what was stored is safe."
_RESCUE = "Run `saegim doctor`; `saegim restore-backup` brings back a backup."


def in_our_words(
    error: apsw.Error | UnicodeDecodeError, path: Path, busy_seconds: float
) -> StoreError | None:
    """Return our error for one of SQLite's; nothing for one that only a mistake of ours causes.

    Text that is not UTF-8 is a damage too: the library never writes any.
    """
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return StoreBusy(
                f"{path} is busy: another process has been writing for {busy_seconds:g} s.",
                next_step="Try again; `saegim doctor` shows who holds it.",
            )
        case apsw.FullError():
            return StoreFull(f"No room left for {path}; nothing was written.", next_step=_ROOM)
        case apsw.ReadOnlyError():
            return StoreReadOnly(
                f"{path} cannot be written.",
                next_step="Check the permissions of the file and its folder, or the mount.",
            )
        case apsw.CorruptError() | apsw.NotADBError() | UnicodeDecodeError():
            return StoreCorrupt(
                f"{path} is damaged or is not a Saegim store ({error}).", next_step=_RESCUE
            )
        case apsw.NoMemError():
            # A damaged index claims sizes that no machine has.
            return StoreCorrupt(
                f"{path} asks for more memory than there is; an index may be damaged.",
                next_step="Run `saegim rebuild`; if that does not help, `saegim doctor`.",
            )
        case apsw.SQLError() if str(error).startswith(_LACKING):
            return StoreCorrupt(
                f"{path} lacks a part of a Saegim store ({error}).", next_step=_RESCUE
            )
        case apsw.SQLError() if _HAS_ALREADY.search(str(error)):
            return StoreCorrupt(
                f"{path} holds more than its version says ({error}).", next_step=_RESCUE
            )
        case apsw.ConstraintError():
            return StoreCorrupt(
                f"An index of {path} disagrees with its memories ({error}).",
                next_step="Run `saegim rebuild`; nothing was changed.",
            )
        case apsw.CantOpenError():
            return StoreMissing(
                f"{path} cannot be opened ({error}).",
                next_step="Check that the folder exists and that the path is a file.",
            )
        case apsw.IOError() if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
            return StoreFull(
                f"No room left beside {path}: reading needs {_SHARED_KB} KB of it.",
                next_step=_ROOM,
            )
        case apsw.IOError():
            return StoreError(
                f"The disk under {path} failed ({error}); nothing was confirmed.",
                next_step="Check the disk, then try again; `saegim doctor` verifies the store.",
            )
        case _:
            return None
