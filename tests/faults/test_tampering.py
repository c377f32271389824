"""A file changed from outside: `verify` and the doctor name it, column by column, line by line."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from faults.stores import OWNER, opened, tampered
from saegim.errors import LedgerBroken
from saegim.memory.changes import Archived, Pinned, Reweighed, Saved, Written
from saegim.memory.entities import Page
from saegim.perceive.build import placed
from saegim.perceive.moment import moment_of
from saegim.store import ledger
from saegim.store.commit import Batch
from saegim.store.seals import SealWriter

CANONICAL = ("memory", "link", "entity", "sentiment", "page", "archive", "ledger")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lived-in store with rows in every canonical table, closed."""
    path = tmp_path_factory.mktemp("sound") / "memory.db"
    with opened(path) as memory:
        memory.remember("민수는 한빛소프트에서 일하고 자바를 싫어한다")
        memory.remember("Minsu works at Hanbit Soft and dislikes Java", tags=["work"])
        first = memory.remember("the kettle in the kitchen is blue").memory.id
        memory.remember("the kettle in the kitchen is red now")
        gone = memory.remember("a note that is archived").memory.id
        mind = memory.mind
        page = Page(key="page:profile", kind="profile", title="A", body="B", derived_from=(first,))
        changes = [
            Archived(gone, mind.now()),
            Written(page),
            Pinned(first, True),
            Reweighed(memory=first, at=mind.now(), rating=4, used=1),
        ]
        mind.store.commit(Batch(OWNER, changes, actor=OWNER, at=mind.now()))
        memory.maintenance.verify()
    return path


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    """A copy of it, with the file beside it."""
    for name in ("memory.db", ".memory.db.head"):
        shutil.copyfile(sound.with_name(name), tmp_path / name)
    return tmp_path / "memory.db"


def columns(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield every column of every canonical table, with its declared type."""
    with apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY) as raw:
        for table in CANONICAL:
            for row in raw.execute("SELECT name, type FROM pragma_table_info(?)", (table,)):
                yield table, str(row[0]), str(row[1])


def faults(path: Path) -> list[LedgerBroken]:
    """Return everything that a verification names."""
    with opened(path) as memory:
        return list(memory.mind.store.ledger.faults(memory.scope))


def other(column: str, kind: str) -> str:
    """Return an expression for another value of the same kind."""
    if kind == "TEXT":
        return f"coalesce({column}, '') || 'x'"
    return "X'00'" if kind == "BLOB" else f"coalesce({column}, 0) + 1"


def test_every_column_of_every_canonical_table_is_vouched_for(path: Path) -> None:
    """FAULTS 80: one changed value is named, whichever table and column it stands in."""
    unseen = []
    whole = path.read_bytes()
    for table, column, kind in columns(path):
        path.write_bytes(whole)
        row = f"SELECT rowid FROM {table} WHERE owner = '{OWNER}' ORDER BY rowid DESC LIMIT 1"
        tampered(path, f"UPDATE {table} SET {column} = {other(column, kind)} WHERE rowid = ({row})")
        if not faults(path):
            unseen.append((table, column))
    assert unseen == []


@pytest.mark.parametrize("table", CANONICAL)
def test_a_row_that_is_taken_away_is_missed(path: Path, table: str) -> None:
    """FAULTS 80: one row less is told, in whichever table."""
    tampered(path, f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})")
    assert faults(path)


@pytest.mark.parametrize("table", CANONICAL)
def test_a_row_that_is_slipped_in_is_named(path: Path, table: str) -> None:
    """FAULTS 80: one row more is told, though all it says is a copy of another."""
    with apsw.Connection(str(path)) as raw:
        names = [str(row[1]) for row in raw.execute(f"PRAGMA table_info({table})")]
        key = {"memory": "id", "link": "target", "ledger": "seq", "sentiment": "at"}
        changed = {"page": "version", "archive": "id"} | key
        new = {changed.get(table, "key"): None, "number": "NULL"}
        values = []
        for name in names:
            if name == "number":
                values.append("NULL")
            elif name in new and name in ("seq", "at", "version"):
                values.append(f"{name} + 1")
            else:
                values.append(f"{name} || 'x'" if name in new else name)
        raw.execute(
            f"INSERT INTO {table} SELECT {', '.join(values)} FROM {table} "
            f"WHERE rowid = (SELECT max(rowid) FROM {table})"
        )
    assert faults(path)


@pytest.mark.parametrize(
    "statements",
    [
        ("DELETE FROM ledger WHERE seq > (SELECT max(seq) - 3 FROM ledger)",),
        (
            "UPDATE ledger SET seq = -1 WHERE seq = 2",
            "UPDATE ledger SET seq = 2 WHERE seq = 3",
            "UPDATE ledger SET seq = 3 WHERE seq = -1",
        ),
        ("DELETE FROM ledger",),
        ("DELETE FROM ledger WHERE seq = 1",),
        ("DELETE FROM memory", "DELETE FROM ledger", "DELETE FROM seal"),
    ],
    ids=["cut", "reordered", "emptied", "first line", "everything"],
)
def test_a_ledger_that_is_cut_or_reordered_is_named(
    path: Path, statements: tuple[str, ...]
) -> None:
    """FAULTS 80: removing, swapping and truncating lines is seen."""
    tampered(path, *statements)
    assert faults(path)


def rolled_back(sound: Path, path: Path) -> None:
    """Live on for a while, then put the older file in place."""
    with opened(path) as memory:
        memory.remember("said after the copy was made")
    shutil.copyfile(sound, path)


def test_an_older_file_put_in_place_is_told_at_the_next_start(sound: Path, path: Path) -> None:
    """FAULTS 81: the head kept beside the store disagrees, and later saves do not hide it."""
    rolled_back(sound, path)
    for turn in range(3):
        with opened(path) as memory:
            assert any("lacks line" in each for each in memory.mind.store.warnings)
            with pytest.raises(LedgerBroken, match="lacks line"):
                memory.maintenance.verify()
            found = {each.name: each for each in memory.doctor()}
            assert not found["ledger"].ok
            assert "restore-backup" in found["ledger"].fix
            memory.remember(f"said later, {turn}")


def test_a_person_can_take_an_older_file_for_the_truth(sound: Path, path: Path) -> None:
    """FAULTS 81: put there on purpose, it is accepted by a word, and the chain goes on."""
    rolled_back(sound, path)
    with opened(path) as memory:
        memory.maintenance.accept_file()
        memory.maintenance.verify()
        memory.remember("life goes on")
    with opened(path) as memory:
        assert memory.mind.store.warnings == []
        memory.maintenance.verify()


def test_a_restored_backup_is_no_tampering(path: Path, tmp_path: Path) -> None:
    """Control: going back by our own hand is told by no one."""
    with opened(path) as memory:
        backup = memory.maintenance.backup(tmp_path / "safe")
        memory.remember("said after the backup")
        memory.maintenance.restore_backup(backup.path)
        memory.maintenance.verify()
    with opened(path) as memory:
        assert memory.mind.store.warnings == []
        assert all(each.ok for each in memory.doctor() if each.name in ("ledger", "memories"))


def test_a_lost_end_of_the_log_is_told(path: Path) -> None:
    """FAULTS 81: acknowledged words that vanished with the log are not passed over in silence."""
    memory = opened(path)
    memory.remember("acknowledged, and only in the log")
    held = {name: path.with_name(name).read_bytes() for name in ("memory.db", ".memory.db.head")}
    memory.close()
    for name, content in held.items():
        path.with_name(name).write_bytes(content)
    with opened(path) as memory, pytest.raises(LedgerBroken, match="lacks line"):
        memory.maintenance.verify()


@pytest.mark.parametrize(
    ("off", "unseen"),
    [
        (lambda patch: patch.setattr(ledger, "broken_seals", lambda *_: iter(())), "importance"),
        (lambda patch: patch.setattr(ledger.LedgerTable, "_misfits", lambda *_: iter(())), None),
    ],
    ids=["without seals", "without the replay"],
)
def test_without_seals_a_changed_number_would_pass(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    off: Callable[[pytest.MonkeyPatch], None],
    unseen: str | None,
) -> None:
    """Control: what only seals vouch for is unseen without them; a state is vouched for twice."""
    tampered(path, "UPDATE memory SET importance = 0.123 WHERE text IS NOT NULL")
    off(monkeypatch)
    assert bool(faults(path)) is (unseen is None)


def test_a_state_that_is_sealed_anew_still_contradicts_the_ledger(path: Path) -> None:
    """FAULTS 80: who writes seals too is contradicted by the lines that moved the memory."""
    for sets in ("state = 'superseded'", "tier = 'M0'", "pinned = 1 - pinned", "project = 'x'"):
        with opened(path) as memory:
            database = memory.mind.store.database
            with database.writing() as connection:
                connection.execute(
                    f"UPDATE memory SET {sets} WHERE number = (SELECT min(number) FROM memory)"
                )
            (fault, *_) = memory.mind.store.ledger.faults(memory.scope)
            assert "mem_" in fault.message


def test_what_is_taken_back_leaves_no_seal(path: Path) -> None:
    """Control: a rehearsal and a failed save change no seal."""
    with opened(path) as memory:
        born = placed(moment_of(memory.scope, "never kept", {}), memory.mind)
        batch = Batch(OWNER, [Saved(born)], actor=OWNER, at=memory.mind.now())
        memory.mind.store.rehearse((batch, lambda: None))
        memory.maintenance.verify()


def test_a_store_without_seals_gets_them_when_it_is_opened(path: Path) -> None:
    """U8.1: a store of the schema before is sealed as it is, and vouched for from then on."""
    tampered(
        path,
        "DROP TABLE seal",
        "DROP TABLE profile",
        "DROP TABLE profile_read",
        "DROP TABLE experience",
        "DROP TABLE decision_count",
        "DROP TABLE person",
        "DROP TABLE access_token",
        "DROP TABLE page_visit",
        "DROP TABLE person_use",
        "DROP INDEX spending_by_day",
        "DELETE FROM house WHERE name = 'seal_key'",
        "PRAGMA user_version = 6",
    )
    assert faults(path) == []
    tampered(path, "UPDATE link SET weight = weight + 1")
    assert faults(path)


def test_the_writer_of_seals_is_what_makes_it_so(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: where no seal is written, our own save looks like a stranger's."""
    monkeypatch.setattr(SealWriter, "seal", lambda self, connection: None)
    with opened(path) as memory:
        memory.remember("kept without a seal")
    assert faults(path)
