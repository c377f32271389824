"""Another program's SQLite file: read, never written, never trusted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from saegim.errors import BadInput
from saegim.store.tables.other_sqlite import OtherSqlite


@pytest.fixture
def other(tmp_path: Path) -> Iterator[apsw.Connection]:
    """The other program, with its file open."""
    connection = apsw.Connection(str(tmp_path / "other.db"))
    connection.execute("CREATE TABLE Things (id INTEGER, Words TEXT, b BLOB)")
    connection.execute("INSERT INTO things VALUES (1, '차', x'00ff'), (2, NULL, NULL)")
    yield connection
    connection.close()


def beside(tmp_path: Path) -> dict[str, bytes]:
    """Every file of the other program."""
    return {each.name: each.read_bytes() for each in tmp_path.glob("other.db*")}


def test_rows_are_read_and_nothing_is_written(other: apsw.Connection, tmp_path: Path) -> None:
    """The file, its time and its folder are as before; names are in small letters (seed E)."""
    other.close()
    before = beside(tmp_path), (tmp_path / "other.db").stat().st_mtime_ns
    with OtherSqlite(tmp_path / "other.db") as foreign:
        assert foreign.tables == {"things": ("id", "words", "b")}
        assert list(foreign.rows("things", ["words", "id", "b"])) == [
            {"words": "차", "id": 1, "b": None},
            {"words": None, "id": 2, "b": None},
        ]
        assert foreign.count("things", "b") == 1
        assert not foreign.is_ours
        assert len(foreign.digest) == 64
        with pytest.raises(apsw.ReadOnlyError):
            foreign._connection.execute("DELETE FROM things")
    assert (beside(tmp_path), (tmp_path / "other.db").stat().st_mtime_ns) == before


def test_what_is_still_in_the_log_is_read_too(other: apsw.Connection, tmp_path: Path) -> None:
    """A program that stopped left its last rows in its log; a copy shows them (seed E)."""
    other.execute("PRAGMA journal_mode = WAL")
    other.execute("INSERT INTO things VALUES (3, 'in the log', NULL)")
    before = beside(tmp_path)
    assert before["other.db-wal"]
    with OtherSqlite(tmp_path / "other.db") as foreign:
        assert [row["words"] for row in foreign.rows("things", ["words"])][-1] == "in the log"
        digest = foreign.digest
    assert beside(tmp_path) == before
    other.execute("INSERT INTO things VALUES (4, 'later', NULL)")
    with OtherSqlite(tmp_path / "other.db") as foreign:
        assert foreign.digest != digest


def test_an_unfinished_transaction_is_not_read(other: apsw.Connection, tmp_path: Path) -> None:
    """What a program was writing when it stopped is taken back in the copy (seed E)."""
    other.execute("PRAGMA cache_size = 1")
    other.execute("PRAGMA cache_spill = 1")
    other.execute("BEGIN IMMEDIATE")
    for number in range(200):
        other.execute("INSERT INTO things VALUES (?, ?, NULL)", (number, "half " * 500))
    assert (tmp_path / "other.db-journal").stat().st_size
    copy = tmp_path / "copy.db"
    for log in ("", "-journal"):
        Path(f"{copy}{log}").write_bytes(Path(f"{tmp_path}/other.db{log}").read_bytes())
    assert copy.stat().st_size > 100_000  # the half-written rows have reached the file
    with OtherSqlite(copy) as foreign:
        assert len(list(foreign.rows("things", ["id"]))) == 2
    other.execute("ROLLBACK")


def test_it_is_noticed_when_the_other_program_goes_on(
    other: apsw.Connection, tmp_path: Path
) -> None:
    """A file that changes while it is read is said to have changed (seed E)."""
    with OtherSqlite(tmp_path / "other.db") as foreign:
        assert not foreign.changed
        other.execute("INSERT INTO things VALUES (3, 'more', NULL)")
        assert foreign.changed


def test_views_and_virtual_tables_are_no_tables(other: apsw.Connection, tmp_path: Path) -> None:
    """Only rows that are there are read; nothing of a stranger's schema is run (attack 56)."""
    other.execute("CREATE VIEW bot_memory AS SELECT * FROM things")
    other.execute("CREATE VIRTUAL TABLE found USING fts5(words)")
    with OtherSqlite(tmp_path / "other.db") as foreign:
        assert "bot_memory" not in foreign.tables
        assert "found" not in foreign.tables


def test_names_are_quoted(other: apsw.Connection, tmp_path: Path) -> None:
    """A table or column called like SQL is only a name (attack 56)."""
    other.execute('CREATE TABLE "a""; DROP TABLE things; --" ("x"" y" TEXT)')
    other.execute('INSERT INTO "a""; DROP TABLE things; --" VALUES (1)')
    with OtherSqlite(tmp_path / "other.db") as foreign:
        name = 'a"; drop table things; --'
        assert foreign.tables[name] == ('x" y',)
        assert list(foreign.rows(name, ['x" y'])) == [{'x" y': "1"}]
        assert list(foreign.rows("things", [])) == []


def test_text_of_any_encoding_comes_out_or_is_marked(tmp_path: Path) -> None:
    """UTF-16 files are decoded; bytes that are no text become half characters (attack 67)."""
    connection = apsw.Connection(str(tmp_path / "wide.db"))
    connection.execute("PRAGMA encoding = 'UTF-16le'")
    connection.execute("CREATE TABLE things (words TEXT)")
    connection.execute("INSERT INTO things VALUES ('홍차')")
    connection.close()
    with OtherSqlite(tmp_path / "wide.db") as foreign:
        assert list(foreign.rows("things", ["words"])) == [{"words": "홍차"}]
    connection = apsw.Connection(str(tmp_path / "odd.db"))
    connection.execute("CREATE TABLE things (words TEXT)")
    connection.execute("INSERT INTO things VALUES (CAST(x'61ff' AS TEXT))")
    connection.close()
    with OtherSqlite(tmp_path / "odd.db") as foreign:
        assert list(foreign.rows("things", ["words"])) == [{"words": "a\udcff"}]


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\x00", b"not a database " * 100])
def test_what_is_no_sqlite_file_is_named(tmp_path: Path, content: bytes) -> None:
    """The file is named and the next step given, whatever is wrong with it (U8.4)."""
    path = tmp_path / "x.db"
    path.write_bytes(content)
    if content:
        with pytest.raises(BadInput, match=r"x\.db cannot be read"):
            OtherSqlite(path)
    else:
        with OtherSqlite(path) as foreign:
            assert foreign.tables == {}
    with pytest.raises(BadInput, match="cannot be read"):
        OtherSqlite(tmp_path / "nowhere.db")
