"""What was erased stays erased, whichever backup is put in place, in whichever order."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from faults.stores import OWNER, opened
from saegim import Saegim
from saegim.errors import StoreError, StoreFull
from saegim.memory.changes import Linked, Saved
from saegim.memory.entities import DERIVED_FROM, Link
from saegim.memory.memory import Source, State
from saegim.perceive.build import placed
from saegim.perceive.moment import moment_of
from saegim.serve.cli.app import run
from saegim.store import tombstones
from saegim.store.commit import Batch
from saegim.store.database import Database

SECRET = "quillfeather 은하수빛깔 sleeps under the lanternmoth"
Order = Callable[[Path, Path], Path]


def without_log(path: Path) -> None:
    """Take a store away as a person does who copies another over it."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def restored(path: Path, *sources: Path) -> None:
    """Put backups in place, one after the other."""
    with opened(path) as memory:
        for each in sources:
            memory.maintenance.restore_backup(each)


def once(path: Path, before: Path) -> Path:
    """Restore the backup that was made before the erasure."""
    restored(path, before)
    return path


def twice(path: Path, before: Path) -> Path:
    """Restore it, and then again."""
    restored(path, before, before)
    return path


def in_a_new_place(path: Path, before: Path) -> Path:
    """Restore it where there was no store, with the file of the erased beside."""
    there = path.parent / "new" / path.name
    there.parent.mkdir()
    shutil.copy(tombstones.file_of(path), tombstones.file_of(there))
    restored(there, before)
    return there


def from_a_backup_of_a_restore(path: Path, before: Path) -> Path:
    """Restore, make a backup, go back to the first one and to the second one."""
    with opened(path) as memory:
        _, aside = memory.maintenance.restore_backup(before)
        second = memory.maintenance.backup(path.parent / "later")
        memory.maintenance.restore_backup(before)
        memory.maintenance.restore_backup(second.path)
        memory.maintenance.restore_backup(aside.path)
        memory.maintenance.restore_backup(before)
    return path


def by_the_command(path: Path, before: Path) -> Path:
    """Restore on the command line, into a store that opens."""
    assert run(("restore-backup", str(before), "--yes")) == 0
    return path


def by_the_command_after_a_damage(path: Path, before: Path) -> Path:
    """Restore on the command line, in the place of a store that does not open."""
    without_log(path)
    path.write_bytes(b"no store at all")
    return by_the_command(path, before)


def by_hand(path: Path, before: Path) -> Path:
    """Copy the backup over the store."""
    without_log(path)
    shutil.copy(before, path)
    with opened(path) as memory:
        memory.maintenance.accept_file()
    return path


def by_hand_and_then_restored(path: Path, before: Path) -> Path:
    """Copy the backup over the store, open it, and restore the same."""
    return once(by_hand(path, before), before)


ORDERS = (
    once,
    twice,
    in_a_new_place,
    from_a_backup_of_a_restore,
    by_the_command,
    by_the_command_after_a_damage,
    by_hand,
    by_hand_and_then_restored,
)


def erased_after_a_backup(path: Path) -> tuple[str, Path]:
    """Keep something, back it up, erase it; return its id and the backup."""
    with opened(path) as memory:
        memory.remember("the kettle is blue")
        id = memory.remember(SECRET).id
        before = memory.maintenance.backup(path.parent.parent / f"{path.parent.name}-safe").path
        memory.forgetting.erase(id, confirm=True)
    return id, before


def says(path: Path, id: str) -> bool:
    """Say whether the words are in the store, for its readers or in its bytes."""
    with opened(path) as memory:
        held = memory.mind.store.memories.get(memory.scope, id)
        assert held is not None
        assert memory.recent(9).total == 1 + bool(held.text)
        memory.maintenance.verify()
    raw = b"".join(each.read_bytes() for each in path.parent.glob(f"{path.name}*"))
    assert bool(held.text) == (b"quillfeather" in raw) == ("은하수빛깔".encode() in raw)
    return bool(held.text)


@pytest.mark.parametrize("order", ORDERS)
def test_no_order_of_restores_brings_an_erased_word_back(tmp_path: Path, order: Order) -> None:
    """FAULTS 33: the tombstones are applied after every restore, to the last byte."""
    id, before = erased_after_a_backup(tmp_path / "home" / "saegim.db")
    assert not says(order(tmp_path / "home" / "saegim.db", before), id)


@pytest.mark.parametrize("order", ORDERS)
def test_without_tombstones_every_order_brings_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: Order
) -> None:
    """FAULTS 33 control: the same restores bring the words back where nothing is applied."""
    id, before = erased_after_a_backup(tmp_path / "home" / "saegim.db")
    monkeypatch.setattr(tombstones, "reapply", lambda *_: 0)
    assert says(order(tmp_path / "home" / "saegim.db", before), id)


class _PowerCut(BaseException):
    """Ends a process in the middle."""


def test_a_restore_that_is_cut_off_is_made_good_when_the_store_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FAULTS 33: between the copy and the second erasure the power may go."""
    path = tmp_path / "memory.db"
    id, before = erased_after_a_backup(path)

    def cut(*_: object) -> int:
        raise _PowerCut

    with opened(path) as memory, monkeypatch.context() as patch:
        patch.setattr(tombstones, "reapply", cut)
        with pytest.raises(_PowerCut):
            memory.maintenance.restore_backup(before)
        held = memory.mind.store.memories.get(memory.scope, id)
        assert held is not None
        assert held.text == SECRET
    assert not says(path, id)


def test_the_file_holds_ids_and_digests_and_no_word(tmp_path: Path) -> None:
    """U26.3: only its owner may read it, each line is an id with its salted digest."""
    path = tmp_path / "memory.db"
    id, _ = erased_after_a_backup(path)
    file = tombstones.file_of(path)
    assert file.stat().st_mode & 0o777 == 0o600
    (line,) = [json.loads(each) for each in file.read_text("ascii").split("\n") if each]
    with apsw.Connection(str(path)) as raw:
        rows = raw.execute("SELECT owner, id, digest FROM memory WHERE id = ?", (id,)).fetchall()
    assert [tuple(line[:3])] == rows


def test_an_erasure_is_on_the_disk_before_it_is_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U26.3: the line is synced before the transaction ends; where it cannot be, nothing goes."""
    with opened(tmp_path / "memory.db") as memory:
        id = memory.remember(SECRET).id
        file = tombstones.file_of(memory.mind.store.path)
        file.symlink_to(tmp_path / "elsewhere")
        with pytest.raises(StoreError, match="cannot be used"):
            memory.forgetting.erase(id, confirm=True)
        assert memory.get(id).text == SECRET
        file.unlink()
        synced: list[str] = []
        sync = os.fsync

        def noted(handle: int) -> None:
            with apsw.Connection(str(memory.mind.store.path)) as raw:
                (held,) = raw.execute("SELECT text FROM memory WHERE id = ?", (id,)).fetchall()
            synced.append(str(held[0]))
            sync(handle)

        monkeypatch.setattr(os, "fsync", noted)
        memory.forgetting.erase(id, confirm=True)
        assert synced[0] == SECRET
        assert not (tmp_path / "elsewhere").exists()


def test_what_could_not_be_erased_is_not_erased_by_the_next_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transaction that fails at its end takes its tombstones back; a second try erases."""
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        id = memory.remember(SECRET).id
        with monkeypatch.context() as patch:
            fails_at_its_end(patch)
            with pytest.raises(StoreFull):
                memory.forgetting.erase(id, confirm=True)
        assert tombstones.file_of(path).stat().st_size
    with opened(path) as memory:
        assert memory.get(id).text == SECRET
        memory.forgetting.erase(id, confirm=True)
        assert [each.id for each in tombstones._stones(path)] == [id]


def test_a_tombstone_that_is_not_taken_back_is_carried_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: without the withdrawal the next opening erases, as after a power cut."""
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        id = memory.remember(SECRET).id
        with monkeypatch.context() as patch:
            fails_at_its_end(patch)
            patch.setattr(tombstones, "withdraw", lambda *_: None)
            with pytest.raises(StoreFull):
                memory.forgetting.erase(id, confirm=True)
    with opened(path) as memory:
        assert memory.recent().total == 0


def fails_at_its_end(patch: pytest.MonkeyPatch) -> None:
    """Let every transaction fail when it is about to be committed."""
    real = Database.writing

    @contextmanager
    def writing(self: Database, *args: Any, **more: Any) -> Iterator[Any]:
        with real(self, *args, **more) as connection:
            yield connection
            raise StoreFull("store.no_room_left_for_nothing", path=self.path)

    patch.setattr(Database, "writing", writing)


def test_a_line_that_was_cut_off_spoils_neither_itself_nor_the_next(tmp_path: Path) -> None:
    """A process may be killed while it writes: the next line still holds."""
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        id = memory.remember(SECRET).id
        before = memory.maintenance.backup(tmp_path.parent / f"{tmp_path.name}-safe").path
        tombstones.file_of(path).write_bytes(b'\n["owner", "mem_half')
        memory.forgetting.erase(id, confirm=True)
    once(path, before)
    with opened(path) as memory:
        assert memory.recent().total == 0


def test_a_store_that_erased_before_there_was_such_a_file_notes_it(tmp_path: Path) -> None:
    """The ledger of an older store says what was erased: the first restore or erasure notes it."""
    path = tmp_path / "memory.db"
    id, before = erased_after_a_backup(path)
    tombstones.file_of(path).unlink()
    once(path, before)
    assert not says(path, id)
    tombstones.file_of(path).unlink()
    with opened(path) as memory:
        other = memory.remember("green tea").id
        memory.forgetting.erase(other, confirm=True)
    assert {each.id for each in tombstones._stones(path)} == {id, other}


def test_the_same_id_that_somebody_brings_in_anew_is_not_taken(tmp_path: Path) -> None:
    """The digest names the very memory that was erased: an export that is read in elsewhere stays.

    There it was saved anew, under another salt.
    """
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        id = memory.remember(SECRET).id
        memory.export_to(tmp_path / "mine.jsonl")
        memory.forgetting.erase(id, confirm=True)
    there = tmp_path / "new" / "memory.db"
    with opened(there) as memory:
        memory.import_from(tmp_path / "mine.jsonl")
        made = memory.maintenance.backup(tmp_path / "safe").path
    shutil.copy(tombstones.file_of(path), tombstones.file_of(there))
    once(there, made)
    with opened(there) as memory:
        assert memory.get(id).text == SECRET


def test_what_was_made_of_an_erased_memory_and_of_others_leaves_again(tmp_path: Path) -> None:
    """U26.3: a night's sentence about several memories is on its way out in a restored one too."""
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        first, second = (memory.remember(text).id for text in (SECRET, "tea at noon"))
        mind = memory.mind
        made = placed(moment_of(memory.scope, "someone sleeps at noon", {}), mind)
        made = made.evolve(provenance=replace(made.provenance, source=Source.REFLECTION))
        ties = [
            Linked(Link(source=made.id, type=DERIVED_FROM, target=each)) for each in (first, second)
        ]
        mind.store.commit(Batch(OWNER, [Saved(made), *ties], OWNER, mind.now()))
        before = memory.maintenance.backup(tmp_path / "safe").path
        assert memory.forgetting.erase(first, confirm=True).leaving == (made.id,)
        memory.maintenance.restore_backup(before)
        assert state(memory, made.id) is State.LEAVING
        memory.restore(made.id)
        assert state(memory, made.id) is State.ACTIVE


def state(memory: Saegim, id: str) -> State:
    """Return where a memory stands."""
    held = memory.mind.store.memories.get(memory.scope, id)
    assert held is not None
    return held.life.state


def test_a_store_that_has_seen_the_file_reads_none_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening stays cheap: the length alone says that there is nothing to do."""
    path = tmp_path / "memory.db"
    erased_after_a_backup(path)
    monkeypatch.setattr(tombstones, "_stones", lambda _: pytest.fail("the file was read"))
    with opened(path) as memory:
        assert memory.recent().total == 1
