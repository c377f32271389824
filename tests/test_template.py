"""The template of the tests is what the library makes, and nothing else is ever copied."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

import template
from saegim import Saegim
from saegim.store import migrate
from saegim.store.database import Database


def contents(path: Path) -> list[object]:
    """Return everything a store holds: its schema, every row, and what its header says."""
    connection = apsw.Connection(str(path))
    try:
        schema = connection.execute(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"
        ).fetchall()
        header = [
            connection.pragma(name)
            for name in "user_version application_id journal_mode page_size encoding".split()
        ]
        tables = [name for kind, name, _, sql in schema if kind == "table" and "VIRTUAL" not in sql]
        # Each store has a key of its own for its seals.
        connection.execute("UPDATE house SET value = '' WHERE name = 'seal_key'")
        rows = [connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in tables]
        return [schema, header, rows]
    finally:
        connection.close()


def test_a_copied_store_is_one_that_was_migrated(tmp_path: Path) -> None:
    """A store made in a test holds what one made by every migration holds, down to its header."""
    Saegim.open(tmp_path / "copied.db").close()
    with template.real():
        Saegim.open(tmp_path / "made.db").close()
    assert contents(tmp_path / "copied.db") == contents(tmp_path / "made.db")
    # Control: one that lacks the last step is seen.
    older = Database(tmp_path / "older.db")
    migrate.migrate(older, to=migrate.steps()[:-1])
    older.close()
    assert contents(tmp_path / "older.db") != contents(tmp_path / "made.db")


@pytest.mark.parametrize("real", [False, True])
def test_only_a_new_file_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, real: bool
) -> None:
    """No migration runs for a new store; without the template all of them do."""
    ran: list[int] = []
    apply = migrate._apply

    def noted(database: Database, step: migrate.Migration) -> None:
        ran.append(step.number)
        apply(database, step)

    monkeypatch.setattr(migrate, "_apply", noted)
    if real:
        with template.real():
            Saegim.open(tmp_path / "memory.db").close()
    else:
        Saegim.open(tmp_path / "memory.db").close()
    assert ran == ([step.number for step in migrate.steps()] if real else [])
