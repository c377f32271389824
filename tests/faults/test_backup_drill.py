"""The drill: back up while others write, restore elsewhere and in place, and compare everything."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from faults.processes import Warm
from faults.stores import (
    OWNER,
    answers,
    digests,
    grown,
    opened,
    questions,
    sentences,
    steady,
    tampered,
)
from saegim import Saegim
from saegim.errors import NotFound, SaegimError, SchemaMismatch, StoreCorrupt
from saegim.memory.changes import Erased
from saegim.store.backup import verify
from saegim.store.commit import Batch
from saegim.store.migrate import steps
from saegim.store.rows import Where

ASKED = questions(60)
ROWS = 120


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with memories."""
    with steady(tmp_path / "memory.db") as memory:
        grown(memory, sentences(ROWS))
    return tmp_path / "memory.db"


def erase(memory: Saegim, *ids: str) -> None:
    """Erase memories for good."""
    gone = [Erased(id) for id in ids]
    memory.mind.store.commit(Batch(OWNER, gone, actor=OWNER, at=memory.mind.now()))


def test_a_backup_under_load_is_one_true_moment(warm: Warm, path: Path, tmp_path: Path) -> None:
    """R-21, U24.1: made while a process writes, restored elsewhere: heads, counts and text fit."""
    child = warm.start("live", path=str(path), name="load")
    assert child.told() == "open"
    with opened(path) as memory:
        made = []
        for _ in range(5):
            said = child.told()
            made.append((said, memory.maintenance.backup(tmp_path / "safe")))
    child.kill()
    child.rest()
    assert len({backup.heads[OWNER] for _, backup in made}) > 1
    for at, ((_, id, _), backup) in enumerate(made):
        (tmp_path / f"elsewhere{at}").mkdir()
        place = Path(shutil.copy(backup.path, tmp_path / f"elsewhere{at}" / "memory.db"))
        with opened(place) as restored:
            assert restored.maintenance.verify()[1] == backup.heads[OWNER]
            # Confirmed before the backup began, so it must be in it.
            assert restored.get(id)
            assert restored.mind.store.check() == []
            assert restored.mind.store.survey.memories() == backup.memories
            assert restored.mind.store.survey.unfindable("basic-1", all_read=True) == 0


def test_a_restored_store_gives_the_same_answers(path: Path, tmp_path: Path) -> None:
    """R-21, U24.1: restored into a fresh place: same digests, same head, same top ten."""
    with steady(path) as memory:
        before, head = answers(memory, ASKED), memory.maintenance.verify()
        backup = memory.maintenance.backup(tmp_path / "safe")
    with steady(tmp_path / "new" / "memory.db") as fresh:
        fresh.maintenance.restore_backup(backup.path)
        assert fresh.maintenance.verify() == head
        assert answers(fresh, ASKED) == before
        assert fresh.mind.store.check() == []
    assert digests(tmp_path / "new" / "memory.db") == digests(path)


def test_a_store_is_restored_in_place_while_it_is_open(
    warm: Warm, path: Path, tmp_path: Path
) -> None:
    """R-21: what was written since is set aside, other processes go on with what was restored."""
    with steady(path) as memory:
        before, head = answers(memory, ASKED), memory.maintenance.verify()
        backup = memory.maintenance.backup(tmp_path / "safe")
        later = grown(memory, sentences(40, seed=9))
        child = warm.start("add", path=str(path), name="other", count=2)
        assert child.told() == "open"
        restored, aside = memory.maintenance.restore_backup(backup.path)
        assert (restored.memories, aside.memories) == (ROWS, ROWS + 40)
        assert memory.maintenance.verify() == head
        assert answers(memory, ASKED) == before
        with pytest.raises(NotFound):
            memory.get(later[0])
        # A process that had the store open all the time writes into the restored one.
        child.say("go")
        (ids,) = child.rest()
        assert all(memory.get(id) for id in ids)
        assert memory.recent(1).total == ROWS + 2
        assert memory.mind.store.check() == []
        memory.maintenance.verify()
        memory.maintenance.restore_backup(aside.path)
        assert memory.get(later[0])


def test_another_process_follows_a_restored_store(path: Path, tmp_path: Path) -> None:
    """R-21: who has the vectors of a later time in memory finds what is written after a restore."""
    with steady(path) as memory, steady(path) as other:
        backup = memory.maintenance.backup(tmp_path / "safe")
        grown(memory, sentences(40, seed=9))
        assert other.recall(sentences(40, seed=9)[0]).hits
        memory.maintenance.restore_backup(backup.path)
        new = memory.remember("a lighthouse on a cliff").memory.id
        mind = other.mind
        (vector,) = mind.embedder.embed(["a lighthouse on a cliff"], "query")
        near = mind.store.vectors.near(
            vector, mind.embedder.identity, Where(scope=other.scope), limit=5
        )
        found = mind.store.memories.by_numbers(other.scope, [hit.number for hit in near])
        assert new in {each.id for each in found.values()}


def test_what_was_erased_does_not_come_back(path: Path, tmp_path: Path) -> None:
    """R-21: a memory erased after the backup is not in the store that was restored from it."""
    with steady(path) as memory:
        victims = [each.id for each in memory.recent(3).memories]
        backup = memory.maintenance.backup(tmp_path / "safe")
        erase(memory, *victims)
        memory.maintenance.restore_backup(backup.path)
        assert memory.recent(1).total == ROWS - 3
        for id in victims:
            with pytest.raises(NotFound):
                memory.get(id)
        assert not {hit for ids in answers(memory, ASKED) for hit in ids} & set(victims)
        memory.maintenance.verify()


def test_what_was_not_erased_does_come_back(path: Path, tmp_path: Path) -> None:
    """R-21 control: a memory that only left since the backup is there again."""
    with steady(path) as memory:
        victim = memory.recent(1).memories[0].id
        backup = memory.maintenance.backup(tmp_path / "safe")
        memory.forget(victim)
        memory.maintenance.restore_backup(backup.path)
        assert memory.recent(1).total == ROWS


def spoilt(backup: Path, how: str) -> Path:
    """Return a spoilt copy of a backup."""
    content = bytearray(backup.read_bytes())
    if how == "cut":
        del content[len(content) // 2 :]
    elif how == "zeroed":
        middle = len(content) // 2 // 4096 * 4096
        content[middle : middle + 3 * 4096] = bytes(3 * 4096)
    elif how == "noise":
        content[:] = b"noise" * 2000
    elif how == "empty":
        content.clear()
    copy = backup.with_name(f"{how}.db")
    copy.write_bytes(content)
    return copy


@pytest.mark.parametrize("how", ["cut", "zeroed", "noise", "empty"])
def test_a_spoilt_backup_is_refused_and_the_store_stays(
    path: Path, tmp_path: Path, how: str
) -> None:
    """R-21: restoring from a damaged file is an error that names it and changes nothing."""
    with steady(path) as memory:
        head = memory.maintenance.verify()
        bad = spoilt(memory.maintenance.backup(tmp_path / "safe").path, how)
        with pytest.raises(StoreCorrupt, match=bad.name):
            memory.maintenance.restore_backup(bad)
        assert memory.maintenance.verify() == head
        assert memory.recent(1).total == ROWS


def test_a_backup_of_another_program_or_of_the_future_is_refused(
    path: Path, tmp_path: Path
) -> None:
    """R-21, R-22: a foreign database, a newer one or none at all is never restored."""
    with steady(path) as memory:
        newer = memory.maintenance.backup(tmp_path / "safe").path
        tampered(newer, f"PRAGMA user_version = {steps()[-1].number + 1}")
        foreign = tmp_path / "foreign.db"
        tampered(foreign, "CREATE TABLE note (words TEXT)")
        for bad, error in (
            (newer, SchemaMismatch),
            (foreign, StoreCorrupt),
            (tmp_path / "no.db", NotFound),
        ):
            with pytest.raises(error, match=bad.name):
                memory.maintenance.restore_backup(bad)
        assert memory.recent(1).total == ROWS


def test_backups_rotate(path: Path, tmp_path: Path) -> None:
    """R-21, U24.1: only the newest few are kept, each of them whole."""
    with opened(path, backups_kept=3) as memory:
        made = [memory.maintenance.backup(tmp_path / "safe") for _ in range(6)]
    kept = sorted((tmp_path / "safe").iterdir())
    assert kept == [each.path for each in made[-3:]]
    assert all(verify(each).memories == ROWS for each in kept)


def test_a_backup_that_cannot_be_written_says_so(path: Path, tmp_path: Path) -> None:
    """R-21: a folder that is a file is an error of ours that names the backup."""
    (tmp_path / "safe").write_text("not a folder")
    with steady(path) as memory:
        with pytest.raises(SaegimError, match="safe"):
            memory.maintenance.backup(tmp_path / "safe")
        assert memory.recent(1).total == ROWS


def test_backups_of_one_instant_do_not_overwrite_each_other(path: Path, tmp_path: Path) -> None:
    """R-21: a clock that stands still gives each backup a name of its own all the same."""
    with steady(path) as memory:
        first = memory.maintenance.backup(tmp_path / "safe")
        memory.remember("words between two backups")
        second = memory.maintenance.backup(tmp_path / "safe")
    assert verify(first.path).memories == ROWS
    assert verify(second.path).memories == ROWS + 1


def test_the_oldest_store_set_aside_can_be_restored(path: Path) -> None:
    """R-21: setting the store aside once more does not take away what is being restored."""
    with steady(path) as memory:
        backup = memory.maintenance.backup()
        oldest = memory.maintenance.restore_backup(backup.path)[1]
        memory.remember("words since the oldest")
        for _ in range(4):
            memory.maintenance.restore_backup(backup.path)
        assert memory.maintenance.restore_backup(oldest.path)[0].heads == oldest.heads
        assert memory.recent(1).total == ROWS
