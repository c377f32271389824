"""A store that is replaced, moved or deleted while it is open: nothing acknowledged is lost."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from faults.processes import Warm
from faults.stores import OWNER, opened
from saegim import Saegim
from saegim.errors import LedgerBroken, SchemaMismatch, StoreMissing, StoreReplaced
from saegim.memory.changes import Saved
from saegim.perceive.build import placed
from saegim.perceive.moment import moment_of
from saegim.store.commit import Batch
from saegim.store.database import Database
from saegim.store.sidecar import Sidecar
from stand_ins import rounds


def texts(path: Path) -> set[str]:
    """Return the words that lie in a file, as any SQLite reads them."""
    with apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {str(row[0]) for row in raw.execute("SELECT text FROM memory")}


def everything(folder: Path) -> set[str]:
    """Return the words in the store and in every file that was set aside beside it."""
    files = [each for each in folder.iterdir() if each.name.startswith("memory.db")]
    whole = [each for each in files if "-wal" not in each.name and "-shm" not in each.name]
    return set[str]().union(*map(texts, whole))


def another(folder: Path) -> Path:
    """Make a store of its own, closed and whole, to be put in the place of the first."""
    with opened(folder / "other" / "memory.db") as memory:
        memory.remember("the other store speaks of lighthouses")
    return folder / "other" / "memory.db"


def renamed_over(path: Path, folder: Path) -> None:
    """Put another store there by renaming, as a careful program does."""
    os.replace(another(folder), path)


def moved_and_copied(path: Path, folder: Path) -> None:
    """Move the store away and copy another one there, as a person does."""
    path.rename(folder / "away.db")
    shutil.copyfile(another(folder), path)


def an_older_copy(path: Path, folder: Path) -> None:
    """Put back what was copied before, by renaming: the same store, younger."""
    os.replace(folder / "copy.db", path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with one memory, and a copy of it."""
    with opened(tmp_path / "memory.db") as memory:
        memory.remember("barley tea in the first hour")
    shutil.copyfile(tmp_path / "memory.db", tmp_path / "copy.db")
    return tmp_path / "memory.db"


@pytest.mark.parametrize("swap", [renamed_over, moved_and_copied, an_older_copy])
def test_a_store_replaced_while_open_loses_nothing_that_was_acknowledged(
    path: Path, tmp_path: Path, swap: Callable[[Path, Path], None]
) -> None:
    """FAULTS 1.2: the old words lie aside, what is said next is in the file that is there now."""
    with opened(path) as memory:
        memory.remember("acknowledged and only in the log")
        swap(path, tmp_path)
        kept = memory.remember("said after the swap").memory
        assert memory.get(kept.id).text == "said after the swap"
        assert any("replaced-" in each for each in memory.mind.store.warnings)
    held = everything(tmp_path)
    assert {"barley tea in the first hour", "acknowledged and only in the log"} <= held
    assert "said after the swap" in texts(path)
    with opened(path) as again:
        assert again.mind.store.check() == []
        # Whoever put the file there may say so; until then it is told.
        with pytest.raises(LedgerBroken, match="lacks line"):
            again.maintenance.verify()
        again.maintenance.accept_file()
        again.maintenance.verify()


def test_a_save_thought_out_on_the_old_file_is_refused(path: Path, tmp_path: Path) -> None:
    """FAULTS 1.2: what was read before the swap is not written after it; the error names both."""
    with opened(path) as memory:
        memory.remember("acknowledged and only in the log")
        store, born = memory.mind.store, placed(moment_of(memory.scope, "x", {}), memory.mind)
        batch = Batch(OWNER, [Saved(born)], actor=OWNER, at=memory.mind.now())
        renamed_over(path, tmp_path)
        with pytest.raises(StoreReplaced, match=r"memory\.db.*replaced-") as raised:
            store.commit(batch)
        assert all("memory.db" in each for each in raised.value.told("ko"))
        store.commit(batch)
        assert memory.get(born.id).text == "x"


def test_a_swap_in_the_middle_of_a_save_is_no_success(path: Path, tmp_path: Path) -> None:
    """FAULTS 1.2: committed into a file that lost its name is not acknowledged; it lies aside."""

    def save(database: Database) -> None:
        with database.writing() as connection:
            connection.execute("INSERT INTO house VALUES ('half', 'said')")
            renamed_over(path, tmp_path)

    with opened(path) as memory:
        memory.remember("acknowledged and only in the log")
        with pytest.raises(StoreReplaced):
            save(memory.mind.store.database)
    (aside,) = tmp_path.glob("memory.db.replaced-*")
    with apsw.Connection(str(aside)) as raw:
        assert raw.execute("SELECT 1 FROM house WHERE name = 'half'").fetchall() == [(1,)]


@pytest.mark.parametrize("how", ["moved", "deleted"])
def test_a_store_that_is_gone_refuses_to_write_and_keeps_its_words(
    path: Path, tmp_path: Path, how: str
) -> None:
    """FAULTS 1.2: no empty store takes its place, and what was saved lies beside it."""
    with opened(path) as memory:
        memory.remember("acknowledged and only in the log")
        path.rename(tmp_path / "away.db") if how == "moved" else path.unlink()
        for _ in range(2):
            with pytest.raises(StoreMissing, match=r"memory\.db"):
                memory.remember("said into the void")
        assert not path.exists()
    assert "acknowledged and only in the log" in everything(tmp_path)


def test_a_reader_follows_the_file_that_has_the_name_now(path: Path, tmp_path: Path) -> None:
    """FAULTS 1.2: after a swap the new store answers, not the old one out of a lost file."""
    with opened(path) as memory:
        assert memory.recall("barley tea").hits
        renamed_over(path, tmp_path)
        assert memory.recent(5).total == 1
        assert [hit.memory.text for hit in memory.recall("lighthouses").hits] == [
            "the other store speaks of lighthouses"
        ]


def test_without_the_look_at_the_file_two_stores_mix(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: the log of the lost file runs over the other one, whose words are gone."""
    monkeypatch.setattr(Database, "_is_replaced", lambda self: False)
    with opened(path) as memory:
        memory.remember("acknowledged and only in the log")
        renamed_over(path, tmp_path)
        memory.remember("said after the swap")
    assert "the other store speaks of lighthouses" not in everything(tmp_path)


def _crashed(path: Path, warm: Warm) -> None:
    """Let a process save something into the log and die."""
    child = warm.start("live", path=str(path), name="dead")
    assert child.told() == "open"
    child.told()
    child.kill()
    child.rest()
    assert Path(f"{path}-wal").stat().st_size


def test_a_log_left_by_the_file_that_lay_here_before_is_set_aside(
    path: Path, tmp_path: Path, warm: Warm
) -> None:
    """FAULTS 1.2: a younger copy and the log of the store it replaced are never read together."""
    _crashed(path, warm)
    an_older_copy(path, tmp_path)
    with opened(path) as memory:
        assert any("-wal.foreign-" in each for each in memory.mind.store.warnings)
        assert memory.recent(5).total == 1
        memory.remember("written into the older copy")
        assert memory.mind.store.check() == []
    assert list(tmp_path.glob("memory.db-wal.foreign-*"))


def test_a_log_of_the_same_file_is_read(path: Path, warm: Warm) -> None:
    """Control: after a mere crash the log belongs to the file, and nothing is set aside."""
    _crashed(path, warm)
    with opened(path) as memory:
        assert memory.recent(5).total >= 2
        assert not any("foreign" in each for each in memory.mind.store.warnings)


def test_a_store_carried_elsewhere_with_its_log_is_whole(
    path: Path, tmp_path: Path, warm: Warm
) -> None:
    """Control: file and log moved together belong together, though both have other numbers."""
    _crashed(path, warm)
    (tmp_path / "new").mkdir()
    for name in ("memory.db", "memory.db-wal", ".memory.db.head"):
        shutil.copyfile(tmp_path / name, tmp_path / "new" / name)
    with opened(tmp_path / "new" / "memory.db") as memory:
        assert memory.recent(5).total >= 2


def test_what_others_save_during_a_restore_is_in_one_of_the_two_files(
    path: Path, tmp_path: Path, warm: Warm
) -> None:
    """R-21: every acknowledged save is in the store or in the copy set aside."""
    lost = _lost_in_restores(path, tmp_path, warm)
    assert lost == []


def test_without_one_lock_a_restore_loses_what_others_save(
    path: Path, tmp_path: Path, warm: Warm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: set aside first and overwritten afterwards, something falls between the two."""
    from saegim.store import backup as module

    def apart(database: Database, source: apsw.Connection, folder: Path, at: object) -> object:
        aside = module.back_up(database, folder, at, keep=5)  # type: ignore[arg-type]
        child.told(), child.told()
        with apsw.Connection(str(database.path)) as target:
            target.set_busy_timeout(10_000)
            with target.backup("main", source, "main") as running:
                running.step(-1)
        return aside

    monkeypatch.setattr(module, "_exchanged", apart)
    with opened(path) as memory:
        made = memory.maintenance.backup(tmp_path / "safe")
        child = warm.start("live", path=str(path), name="busy")
        assert child.told() == "open"
        _, aside = memory.maintenance.restore_backup(made.path)
        said = [child.told() for _ in range(2)]
        child.kill()
        rest = child.rest()
        told = _kept([*said, *rest])
    # The two that the child told between the copies were heard inside `apart`: they are in neither.
    assert told
    assert len(texts(path) | texts(aside.path)) < 1 + len(told) + 2


def _lost_in_restores(path: Path, folder: Path, warm: Warm) -> list[str]:
    lost = []
    with opened(path) as memory:
        made = memory.maintenance.backup(folder / "safe")
        for turn in range(rounds(20)):
            child = warm.start("live", path=str(path), name=f"busy{turn}")
            assert child.told() == "open"
            said = [child.told() for _ in range(2)]
            _, aside = memory.maintenance.restore_backup(made.path)
            said.append(child.told())
            child.kill()
            said += child.rest()
            words = " ".join(texts(path) | texts(aside.path))
            lost += [mark for mark in _kept(said) if mark not in words]
    return lost


def _kept(said: list[object]) -> list[str]:
    """Return the marks of what a child was told is kept."""
    return [each[2] for each in said if isinstance(each, list) and each[0] == "kept"]


def test_an_older_process_writes_nothing_into_a_newer_schema(path: Path) -> None:
    """R-22: another version migrated meanwhile; the save is refused inside its transaction."""
    with opened(path) as memory:
        memory.remember("before the newer version came")
        with apsw.Connection(str(path)) as newer:
            ((held,),) = newer.execute("PRAGMA user_version").fetchall()
            newer.execute(f"PRAGMA user_version = {held + 1}")
        with pytest.raises(SchemaMismatch, match=f"schema {held + 1}"):
            memory.remember("in the old way")
        assert "in the old way" not in texts(path)
        with apsw.Connection(str(path)) as newer:
            newer.execute(f"PRAGMA user_version = {held}")
        memory.remember("control: at the same schema it is written")


def test_without_the_look_at_the_schema_an_older_process_writes_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: where nobody reads the version inside the transaction, the old way is written."""
    with opened(path) as memory:
        memory.remember("before the newer version came")
        with apsw.Connection(str(path)) as newer:
            ((held,),) = newer.execute("PRAGMA user_version").fetchall()
            newer.execute(f"PRAGMA user_version = {held + 1}")
        monkeypatch.setattr("saegim.store.database._refuse_other_schema", lambda *_, **__: None)
        memory.remember("in the old way")
        assert "in the old way" in texts(path)


def _sidecar(memory: Saegim) -> Sidecar:
    return memory.mind.store.database.sidecar


def test_the_file_beside_the_store_names_nobody(path: Path) -> None:
    """U26.3: heads and numbers of files, no words, no owner; only its owner may read it."""
    with opened(path) as memory:
        memory.remember("acknowledged")
        beside = _sidecar(memory).path
        said = json.loads(beside.read_text())
        assert set(said) == {"store", "log", "heads"}
        assert OWNER not in beside.read_text()
        assert beside.stat().st_mode & 0o777 == 0o600
        assert _sidecar(memory).is_alone()
        with opened(path):
            assert not _sidecar(memory).is_alone()


def test_a_torn_file_beside_the_store_harms_nothing(path: Path) -> None:
    """U8.1: what cannot be read is written anew with the next save."""
    beside = path.with_name(".memory.db.head")
    for torn in (b"", b'{"heads": {', b"\xff\xfe", b"[]"):
        beside.write_bytes(torn)
        with opened(path) as memory:
            assert memory.mind.store.warnings == []
            memory.remember(f"after {torn!r}")
        assert json.loads(beside.read_text())["heads"]


def test_a_link_in_its_place_is_not_followed(path: Path, tmp_path: Path) -> None:
    """FAULTS 60: nobody can make the store overwrite another file through a link."""
    beside, victim = path.with_name(".memory.db.head"), tmp_path / "victim"
    beside.unlink()
    victim.write_text("precious")
    beside.symlink_to(victim)
    with opened(path) as memory:
        memory.remember("still works")
    assert victim.read_text() == "precious"
