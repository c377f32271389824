"""Another program's SQLite file, read without leaving a trace: never written, never trusted.

Whatever it holds may be missing, empty or of another type than its name says; what could not be
decoded comes back as text with half characters, which no memory accepts.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import apsw

from saegim.errors import BadInput
from saegim.memory.memory import MAX_TEXT
from saegim.store.database import APPLICATION_ID, first

MAGIC = b"SQLite format 3\x00"
# Enough bytes to see that a text is too long, whatever its letters; a value is never held whole.
_MOST_BYTES = 4 * (MAX_TEXT + 1)
_LOGS = ("-wal", "-journal")
_CHUNK = 1 << 20


class Foreign:
    """A file of another program, open for reading; closing it leaves everything as it was."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        self._held: apsw.Connection | None = None
        with _translated(path):
            self._before = _stamp(path)
            try:
                self._held = self._open()
                self._encoding = str(first(self._connection, "PRAGMA encoding"))
                self.is_ours = first(self._connection, "PRAGMA application_id") == APPLICATION_ID
                self.tables = self._tables()
            except BaseException:
                self.close()
                raise

    @property
    def _connection(self) -> apsw.Connection:
        assert self._held is not None
        return self._held

    def _open(self) -> apsw.Connection:
        """Open the file itself where nothing else belongs to it; a copy where a log does.

        Immutable means: no lock, no log, no look at one. What a log holds would be missed, and
        reading it in place could change the files of the other program.
        """
        if any(_size(Path(f"{self.path}{log}")) for log in _LOGS):
            opened = apsw.Connection(str(self._copied()), flags=apsw.SQLITE_OPEN_READWRITE)
        else:
            name = f"{self.path.absolute().as_uri()}?mode=ro&immutable=1"
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            opened = apsw.Connection(name, flags=flags)
        # Its schema is a stranger's: no view or trigger of it runs what is not harmless.
        opened.execute("PRAGMA trusted_schema = OFF")
        opened.execute("PRAGMA cell_size_check = ON")
        opened.execute("PRAGMA query_only = ON")
        return opened

    def _copied(self) -> Path:
        self._copy = tempfile.TemporaryDirectory(prefix="saegim-foreign-")
        for log in ("", *_LOGS):
            if (part := Path(f"{self.path}{log}")).exists():
                shutil.copyfile(part, Path(self._copy.name, f"foreign.db{log}"))
        self._refuse_written()
        return Path(self._copy.name, "foreign.db")

    def _refuse_written(self) -> None:
        if self.changed:
            raise BadInput("store.being_written_by_another_program", path=self.path)

    @property
    def changed(self) -> bool:
        """Say whether the other program has written since we opened its file."""
        return _stamp(self.path) != self._before

    @property
    def digest(self) -> str:
        """Return the digest that names this very file, with its log if it has one."""
        made = hashlib.sha256()
        for log in ("", *_LOGS):
            if _size(part := Path(f"{self.path}{log}")):
                with part.open("rb") as file:
                    while chunk := file.read(_CHUNK):
                        made.update(chunk)
        return made.hexdigest()

    def _tables(self) -> Mapping[str, tuple[str, ...]]:
        """Return the real tables and their columns, by names in small letters."""
        named = self._connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' "
            "AND coalesce(sql, '') NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
        ).fetchall()
        return {
            str(name).lower(): tuple(
                str(column).lower()
                for (column,) in self._connection.execute(
                    "SELECT name FROM pragma_table_info(?)", (name,)
                ).fetchall()
            )
            for (name,) in named
        }

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield these columns of a table row by row: text, numbers or nothing, but no blobs."""
        if not columns:
            return
        wanted = ", ".join(map(_readable, columns))
        with _translated(self.path):
            for row in self._connection.execute(f"SELECT {wanted} FROM {_quoted(table)}"):
                values = (self._plain(value) for value in row)
                yield dict(zip(columns, values, strict=True))

    def _plain(self, value: Any) -> Any:
        if not isinstance(value, bytes):
            return value
        errors = "surrogateescape" if self._encoding == "UTF-8" else "replace"
        return value.decode(self._encoding, errors)

    def count(self, table: str, holding: str) -> int:
        """Count the rows of a table in which a column holds anything."""
        with _translated(self.path):
            sql = f"SELECT count({_quoted(holding)}) FROM {_quoted(table)}"
            return int(first(self._connection, sql))

    def close(self) -> None:
        """Let go of the file, and of the copy if there was one."""
        if self._held is not None:
            self._held.close(True)
        if self._copy is not None:
            self._copy.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _readable(column: str) -> str:
    """Return the column so that no value of it is held whole and none stops the reading."""
    name = _quoted(column)
    return (
        f"CASE typeof({name}) WHEN 'text' THEN substr(CAST({name} AS BLOB), 1, {_MOST_BYTES}) "
        f"WHEN 'blob' THEN NULL ELSE {name} END"
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _stamp(path: Path) -> tuple[tuple[int, int], ...]:
    """Return what changes when a file or one of its logs is written."""
    parts = [Path(f"{path}{log}") for log in ("", *_LOGS)]
    found = [part.stat() if part.is_file() else None for part in parts]
    return tuple((each.st_size, each.st_mtime_ns) if each else (0, 0) for each in found)


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except (apsw.Error, UnicodeDecodeError, OSError) as error:
        raise BadInput("store.cannot_be_read_as_sqlite", path=path, error=error) from error
