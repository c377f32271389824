"""No byte of an erased memory stays in any file; and each thing that keeps it so is needed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import apsw
import pytest

from faults.stores import OWNER, grown, opened
from saegim import Saegim
from saegim.memory.changes import Archived, Change, Linked, Met, Portrayed, Retold, Written
from saegim.memory.entities import DERIVED_FROM, REFERS_TO, Entity, Link, Page
from saegim.sleep import erase as erasing
from saegim.sleep.erase import EraseReceipt, erase
from saegim.store.commit import Batch
from saegim.store.search.bm25 import merge

TEXT = "quillfeather 은하수빛깔 whispers to Zephyrine about the lanternmoth"
# Where each word stands before it is erased.
WORDS = {
    "English text": "quillfeather",
    "Korean text": "은하수빛깔",
    "older version": "jaspertongue",
    "derived": "onyxthought",
    "tag": "vermiliontag",
    "brief": "cobaltbrief",
    "undone brief": "indigobrief",
    "author": "malachiteauthor",
    "topic": "siennatopic",
    "person": "zephyrine",
    "Korean person": "하늘빛나래",
    "alias": "zephyalias",
    "interest": "umberinterest",
    "summary": "ochreportrait",
    "older summary": "saffronportrait",
    "predicate": "adores topazly",
    "page": "celadonpage",
    "line": "carmineline",
    "answer": "ultramarineanswer",
}


def found(home: Path, words: Any = None) -> set[str]:
    """Return which of the words stand anywhere in the files of a folder, in either case."""
    raw = b"\n".join(each.read_bytes() for each in sorted(home.rglob("*")) if each.is_file())
    return {
        name
        for name, word in (words or WORDS).items()
        if word.encode() in raw or word.capitalize().encode() in raw
    }


def commit(memory: Saegim, *changes: Change, **more: Any) -> None:
    """Make Changes true."""
    batch = Batch(OWNER, list(changes), actor=OWNER, at=memory.mind.now(), **more)
    memory.mind.store.commit(batch)


def filled(memory: Saegim) -> str:
    """Keep a memory that leaves words in every place there is; return its id."""
    for text in ("the kettle is blue", "보리차를 마셨다"):
        memory.remember(text)
    old = memory.remember(
        f"{TEXT}, says the jaspertongue",
        tags=["vermiliontag"],
        author="malachiteauthor",
        session="teal-session",
        key="magentakey",
    )
    new = memory.update(old.id, f"{TEXT}, said 하늘빛나래").id
    insight = memory.remember("onyxthought: a lanternmoth is near").id
    friend = Entity(name="Zephyrine", aliases=("zephyalias",), interests=("umberinterest",))
    commit(
        memory,
        Linked(Link(source=insight, type=DERIVED_FROM, target=new)),
        Retold(new, "the indigobrief", (("Zephyrine", "adores topazly", "하늘빛나래"),)),
        Met(friend, new),
        Met(Entity(name="하늘빛나래"), new),
        *(Linked(Link(source=new, type=REFERS_TO, target=key)) for key in PEOPLE),
        Linked(Link(source=PEOPLE[0], type="adores topazly", target=PEOPLE[1])),
        Portrayed(friend.key, "a saffronportrait", ""),
        Written(Page(key="note:1", kind="note", body="celadonpage", derived_from=(new,))),
        Written(Page(key="resonance:20260101:000001", kind="resonance", data=line(new))),
    )
    until = memory.mind.now()
    triples = (("Zephyrine", "adores topazly", "하늘빛나래"),)
    commit(memory, Retold(new, "the cobaltbrief", triples), maker="night", until=until)
    commit(memory, Portrayed(friend.key, "an ochreportrait", ""), maker="night", until=until)
    in_mind(memory)
    return new


PEOPLE = ("entity:zephyrine", "entity:하늘빛나래")


def line(id: str) -> dict[str, Any]:
    """Return an imported line of seed A's ledger."""
    felt = {"affect": 0.5, "keywords": ["carmineline"]}
    return {"timestamp": "2026-01-01", "bqi_coordinate": {"emotion": felt}, "memory_refs": [id]}


def in_mind(memory: Saegim) -> None:
    """Hold a session about it, ended and written down."""
    working = memory.working
    for text in (TEXT, f"{TEXT}, said 하늘빛나래"):
        query = working.upsert_query("teal-session", text)
        working.record_answer("teal-session", query, "ultramarineanswer")
    query = working.upsert_query("teal-session", "how is the weather")
    working.record_answer("teal-session", query, "sunny")
    working.finalize_session("teal-session", promote=False)
    memory.sessions.start("teal-session")
    memory.sessions.end("teal-session", topic="siennatopic", summary="of quillfeather")


def erased(memory: Saegim, *ids: str, **more: Any) -> EraseReceipt:
    """Erase for good."""
    mind = memory.mind
    return erase(
        ids, scope=memory.scope, mind=mind, confirm=True, home=memory.home, by="Ada", **more
    )


def test_no_byte_of_an_erased_memory_stays_in_any_file(tmp_path: Path) -> None:
    """U26.3, FAULTS M14: every word, in both languages, from every place, is in no file."""
    with opened(tmp_path / "memory.db") as memory:
        id = filled(memory)
        assert found(tmp_path) == set(WORDS)
        receipt = erased(memory, id)
        assert found(tmp_path) == set()
        assert receipt.log_emptied
        assert {"words": 3, "vectors": 3, "archive": 0}.items() <= receipt.counts.items()
        assert receipt.counts["entities"] >= 2
        assert [each.how for each in receipt.files] == ["rewritten"]
        assert not any(word in repr(receipt).lower() for word in WORDS.values())
        memory.maintenance.verify()
        assert memory.mind.store.check() == []
        assert {each.text for each in memory.recent().memories} == {
            "the kettle is blue",
            "보리차를 마셨다",
        }
        graph = memory.working.graph("teal-session")
        assert {node.text for node in graph.held().nodes} == {"how is the weather", "sunny"}
    assert found(tmp_path, {"text": "quillfeather"}) == set()


def log_left(memory: Saegim, patch: pytest.MonkeyPatch) -> None:
    """Leave the log as it is."""
    patch.setattr(erasing, "_emptied", lambda mind: False)


def pages_left(memory: Saegim, patch: pytest.MonkeyPatch) -> None:
    """Let SQLite leave what is deleted where it was."""
    writer = memory.mind.store.database._writable()
    writer.execute("PRAGMA secure_delete = OFF").fetchall()


def index_left(memory: Saegim, patch: pytest.MonkeyPatch) -> None:
    """Let FTS5 only note that something is deleted."""
    with memory.mind.store.database.writing() as connection:
        connection.execute(
            "INSERT INTO words_basic (words_basic, rank) VALUES ('secure-delete', 0)"
        )


@pytest.mark.parametrize("spoil", [log_left, pages_left, index_left])
def test_without_any_one_of_its_means_words_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[..., None]
) -> None:
    """M14 control: the same search finds words where one means is switched off."""
    with opened(tmp_path / "memory.db") as memory:
        id = filled(memory)
        spoil(memory, monkeypatch)
        erased(memory, id)
        assert found(tmp_path)


def crowded(memory: Saegim) -> tuple[list[str], dict[str, str]]:
    """Keep many memories of words nobody else has; return ids to erase, and their words."""
    dice = random.Random(7)
    # Near neighbours: a page of the index is then marked by the whole of its first word.
    ends = ["".join(each) for each in product("bdfgkmnpt", "aou", "bdfgkmnpt", "aou", "bdfgkmpt")]
    words = [f"lanternmoth{each}" for each in dice.sample(ends, 24 * 120)]
    texts = [" ".join(words[at : at + 120]) for at in range(0, len(words), 120)]
    ids = grown(memory, texts)
    with memory.mind.store.database.writing() as connection:
        merge(connection)
    chosen = dice.sample(range(24), 12)
    return [ids[at] for at in chosen], {each: each for at in chosen for each in texts[at].split()}


@pytest.mark.parametrize("archived", [False, True])
def test_no_word_stays_as_a_mark_of_the_index(tmp_path: Path, archived: bool) -> None:
    """M14: of 1,440 words none is left, also where a page of the index began with it."""
    with opened(tmp_path / "memory.db") as memory:
        ids, words = crowded(memory)
        assert found(tmp_path, words) == set(words)
        if archived:
            commit(memory, *(Archived(id, memory.mind.now()) for id in ids))
            memory.mind.store.database.empty_log()
            assert found(tmp_path, words)
        erased(memory, *ids)
        assert found(tmp_path, words) == set()
        assert memory.mind.store.check() == []
        assert memory.mind.store.survey.unfindable("basic-1", all_read=True) == 0
        for kept in memory.recent(12).memories:
            assert [each.id for each in memory.search(kept.text.split()[0])] == [kept.id]


def test_marks_of_the_index_keep_words_if_nobody_moves_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M14 control: FTS5's secure-delete alone leaves words by which it finds its pages."""
    monkeypatch.setattr("saegim.store.erase_rows.drop_page_marks", lambda connection, words: None)
    with opened(tmp_path / "memory.db") as memory:
        ids, words = crowded(memory)
        erased(memory, *ids)
        assert found(tmp_path, words)


def test_archived_words_are_erased_too(tmp_path: Path) -> None:
    """U26.3: what lies in the archive is no less erased, nor is what a session holds of it."""
    with opened(tmp_path / "memory.db") as memory:
        id = filled(memory)
        commit(memory, Archived(id, memory.mind.now()))
        memories = memory.mind.store.memories
        assert "quillfeather" in memories.archive(memory.scope, limit=1)[0][2]
        assert "English text" in found(tmp_path)
        receipt = erased(memory, id)
        assert receipt.counts["archive"] == 1
        assert memories.archive(memory.scope, limit=1) == []
        assert found(tmp_path) == set()


def test_a_reader_who_holds_the_log_is_told_of_and_harms_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U26.3: the receipt says that the log could not be emptied; later it is, with every word."""
    monkeypatch.setattr(erasing, "_TRIES", 3)
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        id = filled(memory)
        reader = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memory").fetchall()
        receipt = erased(memory, id)
        assert receipt.done
        assert not receipt.log_emptied
        assert found(tmp_path)
        reader.close()
        memory.mind.store.database.empty_log()
        assert found(tmp_path) == set()


def test_a_file_that_cannot_be_read_is_removed_if_it_holds_the_words(tmp_path: Path) -> None:
    """U26.3: half a checkpoint of a killed process keeps no words; another is left alone."""
    with opened(tmp_path / "memory.db") as memory:
        id = memory.remember(TEXT).id
        folder = tmp_path / "sessions" / "memory"
        folder.mkdir(parents=True)
        (folder / ".saegim-torn.new").write_text(f'{{"version": 1, "nodes": ["{TEXT}', "utf-8")
        (folder / "other.json").write_text('{"version": 1, "nodes": ["tea', "utf-8")
        receipt = erased(memory, id)
        assert [(each.name, each.how) for each in receipt.files] == [
            (".saegim-torn.new", "removed")
        ]
        assert [each.name for each in folder.iterdir()] == ["other.json"]


def test_what_was_erased_stays_erased_in_a_restored_backup(tmp_path: Path) -> None:
    """FAULTS 33: the ledger's list is applied again, to the words and to whom they named."""
    with opened(tmp_path / "memory.db") as memory:
        id = filled(memory)
        backup = memory.maintenance.backup(tmp_path.parent / "elsewhere")
        erased(memory, id)
        memory.maintenance.restore_backup(backup.path)
        people = {each.key for each in memory.entities.all()}
        assert not people & set(PEOPLE)
        assert memory.recent(50).total == 2
        memory.maintenance.verify()


def test_what_was_archived_in_a_backup_is_erased_again_to_the_last_byte(tmp_path: Path) -> None:
    """FAULTS 33: a restored backup brings back neither live nor archived words, nor their bytes."""
    with opened(tmp_path / "memory.db") as memory:
        id = filled(memory)
        commit(memory, Archived(id, memory.mind.now()))
        backup = memory.maintenance.backup(tmp_path.parent / "elsewhere")
        erased(memory, id)
        memory.maintenance.restore_backup(backup.path)
        assert memory.mind.store.memories.archive(memory.scope, limit=5) == []
        shutil.rmtree(tmp_path / "backups")  # what was set aside is out of reach, and said to be
        assert found(tmp_path) == set()
