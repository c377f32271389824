"""A migration that is killed leaves exactly the old store or exactly the new one."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from pathlib import Path

import apsw
import pytest

from faults.processes import Warm
from faults.stores import OWNER, digests, grown, opened, sentences
from saegim.memory.memory import Scope
from saegim.store.backup import verify as verify_backup
from saegim.store.database import Database
from saegim.store.ledger import LedgerTable
from saegim.store.migrate import Migration, migrate, steps
from stand_ins import rounds

ROWS = 1200
NEXT = steps()[-1].number + 1
# What a real migration may have to do: a new column, every row rewritten, every index made anew.
REBUILD = [
    "CREATE TABLE memory_new AS SELECT m.*, length(m.text) AS letters FROM memory m;",
    "DROP TABLE memory;",
    "ALTER TABLE memory_new RENAME TO memory;",
    "CREATE UNIQUE INDEX memory_by_id ON memory (owner, id);",
    "CREATE UNIQUE INDEX memory_by_number ON memory (number);",
    "CREATE INDEX memory_by_time ON memory (owner, state, happened_at, number);",
    "CREATE INDEX memory_by_words ON memory (owner, canonical_key);",
    "CREATE INDEX memory_by_session ON memory (owner, session, sequence, number);",
    "CREATE INDEX memory_by_letters ON memory (letters);",
]


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the old schema with many memories; tests take copies of it."""
    path = tmp_path_factory.mktemp("old") / "memory.db"
    with opened(path) as memory:
        grown(memory, sentences(ROWS))
    return path


def schema_of(path: Path) -> str:
    """Say which schema the file has: exactly the old, exactly the new, or something between."""
    raw = apsw.Connection(str(path))
    try:
        number = raw.pragma("user_version")
        columns = {row[1] for row in raw.execute("PRAGMA table_info(memory)")}
        indexes = {row[0] for row in raw.execute("SELECT name FROM sqlite_schema")}
        count = raw.execute("SELECT count(*) FROM memory").fetchall()[0][0] if columns else 0
        whole = raw.pragma("integrity_check") == "ok" and count == ROWS
    finally:
        raw.close()
    news = {"letters" in columns, "memory_by_letters" in indexes, "memory_by_domain" not in indexes}
    if whole and news == {number == NEXT} and "memory_new" not in indexes:
        return "new" if number == NEXT else "old"
    return "half"


def killed_at(warm: Warm, path: Path, after: float, *, together: bool = True) -> str:
    """Kill a migration some time after it has begun; say what it left."""
    child = warm.start(
        "migrating",
        path=str(path),
        sql=REBUILD,
        together=together,
        backups=str(path.parent / "backups"),
    )
    assert child.told() == "begin"
    time.sleep(after)
    child.kill()
    child.rest()
    return schema_of(path)


def duration(warm: Warm, path: Path) -> float:
    """Measure one migration, so that the kills fall into it and not behind it."""
    child = warm.start(
        "migrating", path=str(path), sql=REBUILD, together=True, backups=str(path.parent / "b")
    )
    assert child.told() == "begin"
    began = time.monotonic()
    assert child.rest() == ["done"]
    return time.monotonic() - began


def finish(path: Path) -> None:
    """Start again: the migration completes, and everything is as it was before."""
    database = Database(path)
    assert migrate(database, to=[*steps(), Migration(NEXT, "\n".join(REBUILD))]) == NEXT
    assert database.rows("SELECT count(*), min(letters) > 0 FROM memory") == [(ROWS, 1)]
    database.close()


def interrupted(warm: Warm, old: Path, folder: Path, kills: int, seed: int) -> Counter[str]:
    """Kill migrations of copies at random instants; check and finish each, count what was left."""
    dice = random.Random(seed)
    sworn = digests(old)
    before = Database(old)
    head = LedgerTable(before).verify(Scope(OWNER))
    before.close()
    (folder / "first").mkdir()
    long = duration(warm, Path(shutil.copy(old, folder / "first" / "memory.db")))
    left: Counter[str] = Counter()
    # On a busy machine every kill may come too late: then some more come at once.
    for kill in range(kills + 50):
        if kill >= kills and left["old"]:
            break
        place = folder / f"kill{kill}"
        place.mkdir()
        path = Path(shutil.copy(old, place / "memory.db"))
        left[killed_at(warm, path, dice.uniform(0.0, long if kill < kills else 0.0))] += 1
        finish(path)
        after = Database(path)
        assert LedgerTable(after).verify(Scope(OWNER)) == head
        after.close()
        assert digests(path) == sworn
        shutil.rmtree(place)
    return left


def test_a_killed_migration_leaves_the_old_or_the_new(
    warm: Warm, old: Path, tmp_path: Path
) -> None:
    """R-17, U25.1: killed at random instants; the second start completes, nothing is lost."""
    left = interrupted(warm, old, tmp_path, rounds(20, 8), seed=1)
    assert left["half"] == 0
    assert left["old"] > 0


@pytest.mark.nightly
def test_a_migration_killed_a_hundred_times(warm: Warm, old: Path, tmp_path: Path) -> None:
    """R-17: the same with 100 kills."""
    assert interrupted(warm, old, tmp_path, 100, seed=2)["half"] == 0


def test_a_migration_without_a_transaction_is_seen_to_leave_a_half(
    warm: Warm, old: Path, tmp_path: Path
) -> None:
    """R-17 control: the same statements one by one leave a half state, and this test sees it."""
    dice = random.Random(3)
    left: Counter[str] = Counter()
    for kill in range(60):
        path = Path(shutil.copy(old, tmp_path / f"memory{kill}.db"))
        left[killed_at(warm, path, dice.uniform(0.0, 0.05), together=False)] += 1
        if left["half"]:
            break
    assert left["half"] > 0


def test_two_that_start_at_once_migrate_once(warm: Warm, old: Path, tmp_path: Path) -> None:
    """R-17, U25.1: four processes find the old schema together; the result is one new store."""
    path = Path(shutil.copy(old, tmp_path / "memory.db"))
    children = [
        warm.start(
            "migrating",
            path=str(path),
            sql=REBUILD,
            together=True,
            backups=str(tmp_path / f"backups{number}"),
        )
        for number in range(4)
    ]
    assert [child.rest() for child in children] == [["begin", "done"]] * 4
    assert schema_of(path) == "new"
    assert digests(path) == digests(old)


def test_a_verified_backup_comes_before_a_migration(warm: Warm, old: Path, tmp_path: Path) -> None:
    """R-17, U25.1: before anything changes there is a backup, and it holds the old store."""
    path = Path(shutil.copy(old, tmp_path / "memory.db"))
    duration(warm, path)
    (made,) = (tmp_path / "b").glob("saegim-*.db")
    kept = verify_backup(made)
    assert kept.memories == ROWS
    assert schema_of(made) == "old"
    database = Database(path)
    assert kept.heads == {OWNER: LedgerTable(database).verify(Scope(OWNER))[1]}
    database.close()


def test_a_migration_that_fails_changes_nothing(old: Path, tmp_path: Path) -> None:
    """R-17: an error in the last statement takes all the others back."""
    path = Path(shutil.copy(old, tmp_path / "memory.db"))
    database = Database(path)
    broken = "\n".join([*REBUILD, "INSERT INTO no_such_table VALUES (1);"])
    with pytest.raises(Exception, match="no_such_table"):
        migrate(database, to=[*steps(), Migration(NEXT, broken)])
    database.close()
    assert schema_of(path) == "old"
    assert digests(path) == digests(old)
