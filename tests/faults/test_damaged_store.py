"""A store whose pages are broken: it says so, writes nothing more, and gives out what it can."""

from __future__ import annotations

import json
import random
from pathlib import Path

import apsw
import pytest

from faults.processes import Warm
from faults.stores import grown, opened, sentences
from saegim.errors import StoreCorrupt
from saegim.store.database import Database

ROWS = 200


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with memories, closed."""
    with opened(tmp_path / "memory.db") as memory:
        grown(memory, sentences(ROWS))
    return tmp_path / "memory.db"


def pages(path: Path, table: str) -> list[int]:
    """Return the leaf pages on which the rows of a table lie."""
    with apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY) as raw:
        sql = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno"
        return [int(row[0]) for row in raw.execute(sql, (table,))]


def spoil(path: Path, page: int) -> None:
    """Write noise over one page."""
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(random.Random(page).randbytes(4096))


def test_damage_that_was_met_stops_all_writing_until_it_is_mended(
    path: Path, tmp_path: Path
) -> None:
    """R-20: the first broken page latches; reads go on, saves are refused with the reason."""
    with opened(path) as memory:
        backup = memory.maintenance.backup(tmp_path / "safe").path
    spoil(path, pages(path, "memory")[3])
    with opened(path) as memory:
        with pytest.raises(StoreCorrupt):
            list(memory.mind.store.memories.walk(_all(memory)))
        assert memory.mind.store.damage
        assert any("damaged" in each for each in memory.mind.store.warnings)
        for _ in range(2):
            with pytest.raises(StoreCorrupt, match="nothing is written"):
                memory.remember("on broken ground")
    # The next process knows it before it reads a page, and so does one in another language.
    with opened(path) as memory:
        assert memory.mind.store.damage
        with pytest.raises(StoreCorrupt) as raised:
            memory.remember("on broken ground")
        assert "손상" in raised.value.told("ko")[0]
    (tmp_path / "memory.db").write_bytes(backup.read_bytes())
    with opened(path) as memory:
        assert memory.mind.store.damage == ""
        assert memory.remember("on whole ground again").memory


def _all(memory: object) -> object:
    from saegim.store.rows import Where

    return Where(scope=memory.scope, everywhere=True)  # type: ignore[attr-defined]


def test_without_the_latch_a_damaged_store_goes_on_writing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: where nothing latches, the next save is stored beside broken pages."""
    monkeypatch.setattr(Database, "latch", lambda self, damage: None)
    spoil(path, pages(path, "memory")[0])
    with opened(path) as memory:
        with pytest.raises(StoreCorrupt):
            list(memory.mind.store.memories.walk(_all(memory)))
        assert memory.remember("on broken ground").memory


def test_an_export_of_a_damaged_store_holds_what_can_be_read_and_counts_the_rest(
    path: Path, tmp_path: Path
) -> None:
    """R-20: broken pages hide only what lies on them, and the export says how much that is."""
    for page in pages(path, "memory")[2:5]:
        spoil(path, page)
    with opened(path) as memory:
        made = memory.export_to(tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    texts = {line["memory"]["text"] for line in lines if "memory" in line}
    assert 0 < made.unreadable < ROWS
    assert made == len(texts) == ROWS - made.unreadable
    assert texts < set(sentences(ROWS))


def test_an_export_of_a_sound_store_lacks_nothing(path: Path, tmp_path: Path) -> None:
    """Control: nothing is unreadable where nothing is broken."""
    with opened(path) as memory:
        made = memory.export_to(tmp_path / "out.jsonl")
    assert (made, made.unreadable) == (ROWS, 0)


@pytest.mark.parametrize("table", ["memory", "words_basic_data"])
def test_a_search_on_a_damaged_store_never_says_that_there_is_nothing(
    path: Path, table: str
) -> None:
    """R-20: the first question meets broken pages and is told; a sound store may find nothing."""
    with opened(path, embedder="hashed") as memory:
        assert memory.recall("zeppelin").hits == ()
    for page in pages(path, table):
        spoil(path, page)
    with opened(path, embedder="hashed") as memory, pytest.raises(StoreCorrupt):
        memory.recall("zeppelin")


def test_a_file_cut_inside_a_page_is_checked_when_it_is_opened(path: Path) -> None:
    """R-20: a length that is no multiple of a page is damage, though the store still opens."""
    whole = path.read_bytes()
    path.write_bytes(whole[:-2000])
    with opened(path) as memory:
        assert memory.mind.store.damage
        with pytest.raises(StoreCorrupt):
            memory.remember("onto a torn page")
    path.write_bytes(whole)
    with opened(path) as memory:
        assert memory.mind.store.damage == ""


def test_a_store_left_in_a_crash_is_checked_when_it_is_opened(path: Path, warm: Warm) -> None:
    """R-20: after a crash every page is looked at once; one that is broken is known at once."""
    child = warm.start("live", path=str(path), name="dead")
    assert child.told() == "open"
    child.told()
    child.kill()
    child.rest()
    spoil(path, pages(path, "vector")[0])
    with opened(path) as memory:
        assert memory.mind.store.damage


def test_a_store_that_was_closed_is_not_checked_again(path: Path) -> None:
    """Control: after a clean end nothing is looked at, so opening stays quick."""
    spoil(path, pages(path, "vector")[0])
    with opened(path) as memory:
        assert memory.mind.store.damage == ""


def test_a_mark_that_is_no_number_any_more_is_read_as_none(path: Path) -> None:
    """R-20: how far the words were read is only a shortcut; spoilt, all is looked at again."""
    with apsw.Connection(str(path)) as raw:
        raw.execute("UPDATE house SET value = 'ace93927' WHERE name LIKE 'read:%'")
        assert raw.changes() > 0
    word = next(iter(sentences(1)))
    with opened(path) as memory:
        assert any(hit.memory.text == word for hit in memory.recall(word).hits)
