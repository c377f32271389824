"""A file that is torn, foreign or from the future: a clear error, and not a byte of it changes."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from faults.stores import fingerprint, grown, opened, sentences, tampered
from saegim.errors import BadInput, SaegimError, SchemaMismatch, StoreCorrupt, StoreMissing
from saegim.store.migrate import steps
from saegim.store.store import Store


def whole(path: Path, count: int = 40, seed: int = 1) -> bytes:
    """Make a store with memories; return its bytes."""
    with opened(path) as memory:
        grown(memory, sentences(count, seed))
    return path.read_bytes()


def with_log(path: Path, *, checkpointed: bool) -> bytes:
    """Make a store that still has its log, and return the log.

    With `checkpointed`, most of the store lies in the file and the log holds only the last words.
    """
    if checkpointed:
        whole(path, seed=5)
    with opened(path) as memory:
        grown(memory, sentences(30, seed=6))
        return Path(f"{path}-wal").read_bytes()


def cut_in_half(path: Path) -> None:
    """Lose the second half."""
    content = whole(path)
    path.write_bytes(content[: len(content) // 2])


def cut_inside_the_header(path: Path) -> None:
    """Lose everything but a bit of the beginning."""
    path.write_bytes(whole(path)[:50])


def zeros(path: Path) -> None:
    """Be nothing but zeros, as after a crash of the whole machine."""
    path.write_bytes(bytes(8192))


def noise(path: Path) -> None:
    """Be noise."""
    path.write_bytes(random.Random(1).randbytes(20_000))


def a_text(path: Path) -> None:
    """Be a text that someone has put there."""
    path.write_text("오늘의 할 일: 차를 사기\n" * 100, encoding="utf-8")


def another_program(path: Path) -> None:
    """Be the database of another program."""
    raw = sqlite3.connect(path)
    raw.execute("CREATE TABLE note (words TEXT)")
    raw.execute("INSERT INTO note VALUES ('not ours')")
    raw.commit()
    raw.close()


def another_program_with_a_log(path: Path) -> None:
    """Be the database of another program that was killed."""
    beside = path.with_name("other.sqlite")
    raw = sqlite3.connect(beside)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.execute("CREATE TABLE note (words TEXT)")
    raw.execute("INSERT INTO note VALUES ('not ours')")
    raw.commit()
    shutil.copy(beside, path)
    shutil.copy(f"{beside}-wal", f"{path}-wal")
    raw.close()
    beside.unlink()


def nothing(path: Path) -> None:
    """Be empty."""
    path.touch()


def a_link_to_itself(path: Path) -> None:
    """Be a link that leads nowhere."""
    path.symlink_to(path)


@pytest.mark.parametrize(
    "spoil",
    [
        cut_in_half,
        cut_inside_the_header,
        zeros,
        noise,
        a_text,
        another_program,
        another_program_with_a_log,
        nothing,
        a_link_to_itself,
    ],
    ids=lambda each: each.__name__,
)
def test_a_file_that_is_no_store_is_refused_and_left_alone(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    """R-11: the error names the file, is one of ours, and nothing is overwritten."""
    path = tmp_path / "memory.db"
    spoil(path)
    # That damage was seen is written beside the store, where the next start reads it.
    (tmp_path / ".memory.db.head").unlink(missing_ok=True)
    before = fingerprint(tmp_path)
    with pytest.raises((StoreCorrupt, StoreMissing), match=r"memory\.db") as raised:
        opened(path)
    assert raised.value.next_step
    after = {name: held for name, held in fingerprint(tmp_path).items() if name in before}
    assert after == before
    assert not [each for each in os.listdir(tmp_path) if each.endswith(".new")]


def test_a_whole_store_opens(tmp_path: Path) -> None:
    """R-11 control: the same store, not spoilt, opens and holds its memories."""
    whole(tmp_path / "memory.db")
    with opened(tmp_path / "memory.db") as memory:
        assert memory.recent(1).total == 40


def test_a_store_that_lost_part_of_its_last_page_is_noticed(tmp_path: Path) -> None:
    """R-11: a tear too small to stop the start is found by the check, which changes nothing."""
    path = tmp_path / "memory.db"
    path.write_bytes(torn := whole(path)[:-2000])
    with opened(path) as memory:
        assert memory.mind.store.check()
    assert path.read_bytes() == torn


def test_a_folder_is_not_a_store(tmp_path: Path) -> None:
    """R-11: the path of a folder is refused by name, through the door and through the store."""
    (tmp_path / "memory.db").mkdir()
    with pytest.raises(BadInput, match=r"memory\.db"):
        opened(tmp_path / "memory.db")
    with pytest.raises(SaegimError, match=r"memory\.db"):
        Store(tmp_path / "memory.db")
    assert list((tmp_path / "memory.db").iterdir()) == []


def test_the_log_of_another_store_is_refused_before_it_is_read_in(tmp_path: Path) -> None:
    """R-11: a whole store must not turn into another one because of a log of the same name."""
    path = tmp_path / "memory.db"
    whole(path)
    (tmp_path / "other").mkdir()
    log = with_log(tmp_path / "other" / "memory.db", checkpointed=False)
    Path(f"{path}-wal").write_bytes(log)
    before = fingerprint(tmp_path)
    with pytest.raises(StoreCorrupt, match=r"memory\.db-wal"):
        opened(path)
    after = fingerprint(tmp_path)
    assert {name: after[name] for name in before} == before
    Path(f"{path}-wal").unlink()
    with opened(path) as memory:
        assert memory.recent(1).total == 40
        assert memory.mind.store.check() == []


def test_without_the_gate_the_other_log_would_be_read_in(tmp_path: Path) -> None:
    """R-11 control: SQLite alone takes the other log for its own and shows the other store."""
    path = tmp_path / "memory.db"
    whole(path)
    (tmp_path / "other").mkdir()
    log = with_log(tmp_path / "other" / "memory.db", checkpointed=False)
    Path(f"{path}-wal").write_bytes(log)
    with apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY) as raw:
        assert raw.execute("SELECT count(*) FROM memory").fetchall() == [(30,)]


def noticed(path: Path) -> bool:
    """Say whether a damage stops the start, by name, or is found by the check."""
    try:
        with opened(path) as memory:
            return memory.mind.store.check() != []
    except StoreCorrupt as error:
        return path.name in str(error)


def test_the_last_words_of_another_store_are_noticed(tmp_path: Path) -> None:
    """R-11: a log that fits nowhere is noticed at once or by the check; the file stays whole."""
    path = tmp_path / "memory.db"
    before = whole(path, count=10)
    (tmp_path / "other").mkdir()
    Path(f"{path}-wal").write_bytes(with_log(tmp_path / "other" / "memory.db", checkpointed=True))
    assert noticed(path)
    assert path.read_bytes() == before


def test_the_own_log_of_a_store_is_read_in(tmp_path: Path) -> None:
    """R-11 control: the log that belongs to the store is welcome."""
    (tmp_path / "first").mkdir()
    with opened(tmp_path / "first" / "memory.db") as memory:
        grown(memory, sentences(10))
        memory.mind.store.database.checkpoint("TRUNCATE")
        grown(memory, sentences(10, seed=2))
        shutil.copytree(tmp_path / "first", tmp_path / "second")
    assert (tmp_path / "second" / "memory.db-wal").stat().st_size > 0
    with opened(tmp_path / "second" / "memory.db") as memory:
        assert memory.recent(1).total == 20
        assert memory.mind.store.check() == []


def test_a_log_without_its_store_is_not_read_into_a_new_one(tmp_path: Path) -> None:
    """R-11: a new store is not made beside the log of a lost one."""
    path = tmp_path / "memory.db"
    Path(f"{path}-wal").write_bytes(with_log(tmp_path / "other.db", checkpointed=True))
    before = fingerprint(tmp_path)
    with pytest.raises(StoreMissing, match=r"memory\.db-wal"):
        opened(path)
    assert fingerprint(tmp_path) == before
    assert not path.exists()


def test_a_log_of_noise_is_not_taken_for_words(tmp_path: Path) -> None:
    """R-11: bytes beside the store that are no log at all change nothing of what it holds."""
    path = tmp_path / "memory.db"
    whole(path)
    Path(f"{path}-wal").write_bytes(random.Random(2).randbytes(9000))
    with opened(path) as memory:
        assert memory.recent(1).total == 40
        assert memory.mind.store.check() == []


def test_a_store_of_the_future_is_refused_unchanged(tmp_path: Path) -> None:
    """R-22, U25.1: a newer schema is refused with what to do, and the file keeps its bytes."""
    path = tmp_path / "memory.db"
    whole(path)
    newer = steps()[-1].number + 1
    tampered(path, f"PRAGMA user_version = {newer}")
    before = path.read_bytes()
    with pytest.raises(SchemaMismatch, match=rf"memory\.db.* {newer}") as raised:
        opened(path)
    assert "pgrade" in raised.value.next_step
    assert path.read_bytes() == before


def test_a_store_of_today_is_not_refused(tmp_path: Path) -> None:
    """R-22 control: the same store with the schema of today opens."""
    path = tmp_path / "memory.db"
    whole(path)
    tampered(path, f"PRAGMA user_version = {steps()[-1].number}")
    opened(path).close()
