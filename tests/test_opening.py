"""Opening: never a silently empty store, and the parts the settings name."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from saegim import FixedClock, Saegim, Settings
from saegim.engines.brain.encoder import Contextual
from saegim.engines.brain.model import Static, think
from saegim.engines.hashed import Bag, Hashed
from saegim.engines.remote import OllamaEmbedder, OpenAIEmbedder
from saegim.errors import BadInput, SettingsError, StoreCorrupt, StoreMissing
from saegim.language.kiwi import Kiwi
from saegim.language.words import Basic
from saegim.mind import open_embedder, open_store
from stand_ins import PATIENCE, wait_until


def test_a_store_that_was_moved_away_is_not_made_anew(tmp_path: Path) -> None:
    """U25.2: the missing file is named, candidates are listed, and nothing is created."""
    path = tmp_path / "memory.db"
    with Saegim.open(path) as memory:
        memory.remember("tea")
        kept = memory.maintenance.backup()
    path.rename(tmp_path / "elsewhere.db")
    standing = sorted(tmp_path.rglob("*"))
    for _ in range(2):
        with pytest.raises(StoreMissing) as caught:
            Saegim.open(path)
        assert str(path) in caught.value.message
        assert str(kept.path) in caught.value.message
        assert "elsewhere.db" in caught.value.message
        assert "backup" in caught.value.next_step
    assert sorted(tmp_path.rglob("*")) == standing
    (tmp_path / "elsewhere.db").rename(path)
    with Saegim.open(path) as memory:
        assert memory.recent().total == 1


def test_without_a_backup_it_says_that_there_is_none(tmp_path: Path) -> None:
    """U25.2: the next step names the one file to delete for a new beginning."""
    path = tmp_path / "saegim.db"
    Saegim.open(path).close()
    path.unlink()
    with pytest.raises(StoreMissing, match="No backup") as caught:
        Saegim.open(path)
    mark = tmp_path / ".saegim.db.known"
    assert str(mark) in caught.value.next_step
    mark.unlink()
    Saegim.open(path).close()
    assert path.exists()


def test_a_folder_is_not_a_store(tmp_path: Path) -> None:
    """R-11: a folder in the place of the file is named, with what to give instead."""
    with pytest.raises(BadInput, match="folder") as caught:
        Saegim.open(tmp_path)
    assert "saegim.db" in caught.value.next_step


def test_an_empty_file_is_not_taken_for_a_new_store(tmp_path: Path) -> None:
    """R-11: a zero-length file may be what is left of a store."""
    path = tmp_path / "memory.db"
    path.write_bytes(b"")
    with pytest.raises(StoreCorrupt, match="empty"):
        Saegim.open(path)
    assert path.read_bytes() == b""


def test_the_file_belongs_to_its_owner_alone(tmp_path: Path) -> None:
    """U8.5: a new store and its folder cannot be read by others."""
    path = tmp_path / "new" / "folder" / "memory.db"
    Saegim.open(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) & 0o077 == 0 or sys.platform == "win32"


def test_durability_is_the_settings_choice(tmp_path: Path) -> None:
    """DESIGN 7: durable syncs every commit, fast does not."""
    for durability, level in (("durable", 2), ("fast", 1)):
        settings = Settings(durability=durability)
        store = open_store(tmp_path / f"{durability}.db", settings, FixedClock())
        assert store.database._writable().execute("PRAGMA synchronous").fetchall() == [(level,)]
        store.close()


def test_embedders_are_opened_by_name() -> None:
    """U3.5: the default knows both languages; a remote one is made without asking it anything."""
    assert open_embedder(Settings()).identity == Contextual().identity
    assert open_embedder(Settings(embedder="encoder:192")).identity == Contextual(192).identity
    assert open_embedder(Settings(embedder="static")).identity == Static().identity
    assert open_embedder(Settings(embedder="static:128")).identity == Static(128).identity
    assert isinstance(open_embedder(Settings(embedder="hashed")), Hashed)
    assert isinstance(open_embedder(Settings(embedder="bag")), Bag)
    assert isinstance(open_embedder(Settings(embedder="ollama:bge-m3")), OllamaEmbedder)
    named = Settings(embedder="openai:x", embedder_url="http://127.0.0.1:1/v1", embedder_key="k")
    assert isinstance(open_embedder(named), OpenAIEmbedder)


@pytest.mark.parametrize(
    ("embedder", "said"),
    [
        ("nonsense", "nonsense"),
        ("static:100", "static:100"),
        ("static:large", "static:large"),
        ("ollama", "needs a model"),
        ("openai:", "needs a model"),
        ("openai:x", "address"),
    ],
)
def test_an_embedder_that_cannot_be_opened_is_named(
    tmp_path: Path, embedder: str, said: str
) -> None:
    """Bad input: the error says what is missing, and no store is made."""
    with pytest.raises(SettingsError, match=said) as caught:
        Saegim.open(tmp_path / "memory.db", embedder=embedder)
    assert caught.value.next_step
    assert list(tmp_path.iterdir()) == []


def test_the_table_is_loaded_when_a_text_needs_it_and_not_before(tmp_path: Path) -> None:
    """U6.1: opening, listing, searching words and status leave the numbers of the model alone."""
    path = tmp_path / "memory.db"
    with Saegim.open(path) as memory:
        kept = memory.remember("보리차를 주전자에 끓였다")
    think.cache_clear()
    with Saegim.open(path) as memory:
        assert memory.get(kept.id).text
        assert memory.recent().total == 1
        assert memory.search("보리차")
        assert memory.history(kept.id).versions
        assert memory.status()["index"]["ready"] == 1
        memory.forget(kept.id)
        memory.restore(kept.id)
        assert think.cache_info().misses == 0
        assert memory.recall("barley tea").hits
        assert think.cache_info().misses == 1


def test_without_kiwi_the_built_in_analyser_answers_and_status_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U3.4: the extra is not installed; everything works, and what is missing is told."""
    monkeypatch.setitem(sys.modules, "kiwipiepy", None)
    with Saegim.open(tmp_path / "memory.db", words="kiwi") as memory:
        kept = memory.remember("보리차를 주전자에 끓였다")
        assert [hit.memory.id for hit in memory.recall("주전자").hits] == [kept.id]
        words = memory.status()["words"]
        assert (words["configured"], words["in_use"], words["as_configured"]) == (
            "kiwi",
            "basic-1",
            False,
        )
        assert "kiwi" in words["why"]


def test_kiwi_reads_what_was_written_without_it(tmp_path: Path) -> None:
    """U3.4: memories written before Kiwi was set, or while it loads, are read by it afterwards."""
    path = tmp_path / "memory.db"
    with Saegim.open(path) as memory:
        memory.remember("보리차를 주전자에 끓였다")
    with Saegim.open(path, words="kiwi") as memory:
        at_once = memory.remember("찻잔을 깼다")
        assert [each.id for each in memory.search("찻잔")] == [at_once.id]
        store = memory.mind.store
        basic, kiwi = store.analysers
        assert isinstance(basic, Basic)
        assert isinstance(kiwi, Kiwi)
        assert kiwi.wait(PATIENCE)
        wait_until(lambda: store.words.analyser().name == "kiwi-1")
        assert memory.status()["words"]["as_configured"]
        for question, found in (("주전자", 1), ("찻잔", 1), ("보리차", 1)):
            assert len(memory.search(question)) == found
