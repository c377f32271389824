"""The file is SQLite's own: no extension is loaded, and no index of another package is in it."""

from __future__ import annotations

import math
import re
import sqlite3
import struct
from pathlib import Path

import apsw
import pytest

from saegim import Saegim

# The module behind a virtual table.
_USING = re.compile(r"(?i)^CREATE VIRTUAL TABLE \S+ USING (\w+)")
TEXT = "우리 강아지 이름은 보리다"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A store that was written and closed."""
    place = tmp_path / "plain.db"
    with Saegim.open(place, background=False) as memory:
        memory.remember(TEXT)
    return place


def test_no_extension_of_sqlite_is_ever_loaded(file: Path) -> None:
    """U15.4: where SQLite cannot load extensions, everything works; our connections refuse it."""
    with Saegim.open(file, background=False) as memory:
        with pytest.raises(apsw.SQLError, match="not authorized"):
            memory.mind.store.database.rows("SELECT load_extension('anything')")
        assert memory.recall("강아지 이름").hits[0].memory.text == TEXT
    # The control: a connection that may load extensions fails for another reason.
    free = apsw.Connection(":memory:")
    free.enable_load_extension(True)
    with pytest.raises(apsw.SQLError, match=r"(?i)cannot open|no such file|not found"):
        free.execute("SELECT load_extension('anything-that-is-not-there')")


def test_a_plain_reader_of_sqlite_sees_every_word_and_vector(file: Path) -> None:
    """U25.3: rows are in tables of SQLite alone; vectors are numbers, not another's index."""
    plain = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    tables = dict(plain.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
    modules = {
        name: found[1] for name, sql in tables.items() if (found := _USING.search(sql or ""))
    }
    assert set(modules.values()) <= {"fts5", "fts5vocab"}, "modules that SQLite itself brings"
    assert modules, "the control: a table of a module is seen"
    held = {
        value
        for name in tables.keys() - modules.keys()
        for row in plain.execute(f'SELECT * FROM "{name}"')
        for value in row
        if isinstance(value, str)
    }
    vectors = [data for (data,) in plain.execute("SELECT data FROM vector")]
    plain.close()
    assert any(TEXT in each for each in held)
    assert [length(each) for each in vectors] == [pytest.approx(1, abs=0.01)]
    assert length(vectors[0][:100]) < 0.9, "the control: half of a vector has another length"


def length(data: bytes) -> float:
    """Return the length of a stored vector, read with nothing but the standard library."""
    assert data[:1] == b"D"
    count = (len(data) - 1) // 2
    return math.hypot(*struct.unpack_from(f"<{count}e", data, 1))
