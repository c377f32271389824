"""Schemas: each step once, all of a step or nothing, and nobody else's file."""

from __future__ import annotations

import hashlib
import re
import threading
from pathlib import Path

import apsw
import pytest

from saegim.errors import SchemaMismatch, StoreCorrupt
from saegim.store.database import APPLICATION_ID, Database
from saegim.store.migrate import Migration, _writable, migrate, steps, version
from saegim.store.seals import broken_seals
from store.places import furnished, keep

HEAD = steps()[-1].number
NEXT = HEAD + 1
TWO = (*steps(), Migration(NEXT, "CREATE TABLE two (x INTEGER); INSERT INTO two VALUES (1);"))


def fingerprint(path: Path) -> str:
    """Return what the bytes of a file amount to."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_steps_are_numbered_without_a_gap() -> None:
    """U25.1: migrations come in order, each with its SQL."""
    numbers = sorted({step.number for name in ("sqlite", "postgres") for step in steps(name)})
    assert numbers == list(range(1, len(numbers) + 1))
    assert [step.number for step in steps()] == sorted(step.number for step in steps())
    assert "CREATE TABLE memory" in steps()[0].sql
    assert "fts5" in steps()[0].sql


def test_a_new_file_is_made_ours(tmp_path: Path) -> None:
    """U25.1: the file says whose it is and how far it has come."""
    database = furnished(tmp_path / "store.db")
    assert database.rows("PRAGMA application_id") == [(APPLICATION_ID,)]
    assert version(database._reader()) == steps()[-1].number
    assert migrate(database) == steps()[-1].number
    database.close()


def test_an_older_file_is_backed_up_and_then_brought_up_to_date(tmp_path: Path) -> None:
    """U25.1: the backup comes first, the memories stay, and it happens once."""
    database = furnished(tmp_path / "store.db")
    keep(database, "tea")
    made: list[int] = []

    def back_up() -> None:
        made.append(version(database._reader()))

    assert migrate(database, to=TWO, backup=back_up) == NEXT
    assert migrate(database, to=TWO, backup=back_up) == NEXT
    assert made == [HEAD]
    assert database.rows("SELECT text, x FROM memory, two") == [("tea", 1)]
    database.close()


def test_a_file_that_holds_more_than_its_version_says_is_called_damaged(tmp_path: Path) -> None:
    """R-04: pages of two moments are an error with a next step, and nothing is changed."""
    database = furnished(tmp_path / "store.db")
    keep(database, "tea")
    database.close()
    thief = apsw.Connection(str(tmp_path / "store.db"))
    thief.execute(f"PRAGMA user_version = {HEAD - 1}")
    thief.close()
    again = Database(tmp_path / "store.db")
    with pytest.raises(StoreCorrupt, match="holds more than its version says") as refused:
        migrate(again)
    assert refused.value.next_step
    assert again.rows("SELECT text FROM memory") == [("tea",)]
    again.close()


def test_a_store_of_the_first_schema_keeps_its_memories_and_names(tmp_path: Path) -> None:
    """U25.1: what was kept before is found after, and known names are recognised."""
    database = Database(tmp_path / "store.db")
    migrate(database, to=steps()[:1])
    with database.writing() as connection:
        connection.execute(
            "INSERT INTO entity VALUES ('me', 'entity:minsu', '', 'Minsu', 'person', 1, 1, 1, "
            "'neutral', 0.0, 0.5, '{}')"
        )
    assert migrate(database) == HEAD
    keep(database, "tea")
    assert database.rows("SELECT name, entity FROM alias") == [("minsu", "entity:minsu")]
    assert database.rows("SELECT text FROM memory") == [("tea",)]
    database.close()


def test_a_step_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    """U25.1 and R-17: half of a migration is never kept."""
    database = furnished(tmp_path / "store.db")
    keep(database, "tea")
    broken = (*steps(), Migration(NEXT, "CREATE TABLE two (x); INSERT INTO nowhere VALUES (1);"))
    with pytest.raises(StoreCorrupt, match="nowhere"):
        migrate(database, to=broken)
    assert version(database._reader()) == HEAD
    assert database.rows("SELECT count(*) FROM sqlite_schema WHERE name = 'two'") == [(0,)]
    assert migrate(database, to=TWO) == NEXT
    database.close()


def test_a_newer_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    """R-22: a future schema is refused, and not one byte changes."""
    path = tmp_path / "store.db"
    database = furnished(path)
    with database.writing() as connection:
        connection.execute(f"PRAGMA user_version = {NEXT}")
    database.close()
    before = fingerprint(path)
    again = Database(path)
    with pytest.raises(SchemaMismatch, match=f"schema {NEXT}"):
        migrate(again)
    again.close()
    assert fingerprint(path) == before


_EXTRA = "ALTER TABLE memory ADD COLUMN extra TEXT; CREATE TABLE two (x INTEGER);"


@pytest.mark.parametrize("says", [True, False])
def test_an_older_program_writes_on_beside_a_step_that_only_adds(
    says: bool, tmp_path: Path
) -> None:
    """Through one migration, open or started again, its rows sealed; the control does not say."""
    path = tmp_path / "store.db"
    old = furnished(path)
    keep(old, "tea")
    added = Migration(NEXT, _EXTRA, writable=HEAD if says else 0)
    new = Database(path)
    assert migrate(new, to=(*steps(), added)) == NEXT
    again = Database(path)
    if not says:
        with pytest.raises(SchemaMismatch):
            keep(old, "more tea")
        with pytest.raises(SchemaMismatch):
            migrate(again)
    else:
        keep(old, "more tea")
        assert migrate(again) == NEXT
        keep(again, "and started again")
        keep(new, "of the newer one")
        with new.reading() as connection:
            assert list(broken_seals(connection, "me")) == []
        beyond = Migration(NEXT + 1, "DROP TABLE two;", writable=NEXT)
        migrate(new, to=(*steps(), added, beyond))
        for each in (old, again):
            with pytest.raises(SchemaMismatch):
                keep(each, "too old")
        with pytest.raises(SchemaMismatch):
            migrate(Database(path))
    for each in (old, new, again):
        each.close()


# What only adds: a table, an index, a column with nothing in it or a value for all.
_ADDING = re.compile(
    r"(CREATE (TABLE|(UNIQUE )?INDEX|VIEW|POLICY)|ALTER TABLE \w+ (ADD COLUMN|ENABLE|FORCE))\b"
)


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_a_step_that_says_it_only_adds_does(database: str) -> None:
    """A law: a step is marked in its first line, and every statement of it adds."""
    for step in steps(database):
        if step.writable:
            assert step.writable == step.number - 1
            plain = re.sub(r"--[^\n]*", "", step.sql)
            for statement in filter(str.strip, plain.split(";")):
                assert _ADDING.match(statement.strip()), statement


def test_the_mark_of_a_step_is_read_from_every_text_of_it() -> None:
    """One file of a number that does not say it is enough to refuse."""
    said = "-- Adds only: programs of schema 12 write on.\nCREATE TABLE x (y INTEGER);"
    assert _writable([said]) == 12
    assert _writable([said, "DROP TABLE z;"]) == 0
    assert _writable([]) == 0


@pytest.mark.parametrize("make", ["CREATE TABLE t (x)", "PRAGMA user_version = 1"])
def test_the_database_of_another_program_is_refused(tmp_path: Path, make: str) -> None:
    """R-11: a foreign file is named and never touched."""
    path = tmp_path / "other.db"
    connection = apsw.Connection(str(path))
    connection.execute(make)
    connection.execute("VACUUM")
    connection.close()
    before = fingerprint(path)
    database = Database(path)
    with pytest.raises(StoreCorrupt, match="another program"):
        migrate(database)
    database.close()
    assert fingerprint(path) == before


def test_two_who_start_at_once_migrate_once(tmp_path: Path) -> None:
    """U25.1: whoever comes second finds the work done."""
    path = tmp_path / "store.db"
    furnished(path).close()
    several = [Database(path) for _ in range(4)]
    threads = [
        threading.Thread(target=migrate, args=(each,), kwargs={"to": TWO}) for each in several
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert several[0].rows("SELECT count(*) FROM two") == [(1,)]
    for each in several:
        each.close()


def test_a_file_that_cannot_be_written_is_read_as_it_is(tmp_path: Path) -> None:
    """R-10: an older read-only store is opened at its own schema."""
    database = furnished(tmp_path / "store.db")
    database.readonly = True
    assert migrate(database, to=TWO) == HEAD
    database.close()
