"""A SQLite that can corrupt a shared file is refused before it touches one."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from saegim.errors import UnsafeSqlite
from saegim.store.database import Database, gate, is_safe


@pytest.mark.parametrize("version", ["3.51.2", "3.51.0", "3.50.6", "3.49.1", "3.44.5", "3.7.17"])
def test_a_sqlite_with_the_wal_reset_race_is_refused(version: str) -> None:
    """R-01: each release up to 3.51.2 outside the repaired lines is refused by name."""
    assert not is_safe(version)
    with pytest.raises(UnsafeSqlite, match=version.replace(".", r"\.")):
        gate(version)


@pytest.mark.parametrize("version", ["3.51.3", "3.50.7", "3.44.6", "3.52.0", "3.54.0", "3.54.1"])
def test_a_repaired_sqlite_is_accepted(version: str) -> None:
    """R-01: the repaired release and the repaired lines are accepted."""
    gate(version)
    assert is_safe(version)


def test_the_sqlite_in_use_is_asked_at_every_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-01: the gate stands before the file: an unsafe SQLite does not even create it."""
    Database(tmp_path / "memory.db").close()
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.51.2")
    with pytest.raises(UnsafeSqlite, match=r"3\.51\.2"):
        Database(tmp_path / "memory.db")
    assert list(tmp_path.iterdir()) == []
