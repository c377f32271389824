"""One bad record: the others are recalled, listed and rebuilt; the bad one is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.stores import grown, opened, sentences, tampered
from saegim import Saegim
from saegim.errors import BadInput, SaegimError, StoreCorrupt

ROWS = 40
BAD = 7
# How a record is spoilt, and whether the words of the memory can still be read.
RECORDS = {
    "details that end in the middle": ("details = '{\"tags\": ['", True),
    "details that are a list": ("details = '[1, 2]'", True),
    "details that are a number": ("details = 5", True),
    "details of bytes": ("details = x'ff00fe'", True),
    "details of wrong shapes": ('details = \'{"tags": 5, "feelings": ["no such"]}\'', False),
    "a kind that is none": ("kind = 'no such kind'", False),
    "a time beyond time": ("happened_at = 9223372036854775807", False),
    "text that is not UTF-8": ("text = CAST(x'ff' || substr(text, 2) AS TEXT)", True),
}
VECTORS = {
    "no vector": "data = NULL",
    "an empty vector": "data = x''",
    "noise": "data = randomblob(401)",
    "noise of the sparse form": "data = CAST(x'53' || randomblob(400) AS BLOB)",
    "noise of the dense form": "data = CAST(x'44' || randomblob(512) AS BLOB)",
    "a word": "data = 'vector'",
    "a torn vector": "data = substr(data, 1, 10)",
    "another space": "data = x'44' || zeroblob(64)",
}


def spoilt(path: Path, table: str, change: str, **settings: str) -> list[str]:
    """Fill a store and spoil one record in it; return the ids in order."""
    with opened(path, **settings) as memory:
        ids = grown(memory, sentences(ROWS))
    tampered(path, f"UPDATE {table} SET {change} WHERE number = {BAD + 1}")
    return ids


@pytest.mark.parametrize("how", RECORDS)
def test_a_spoilt_record_hides_only_itself(tmp_path: Path, how: str) -> None:
    """U8.4: recall, search and rebuild go on with all others, however one record is spoilt."""
    change, readable = RECORDS[how]
    path = tmp_path / "memory.db"
    ids = spoilt(path, "memory", change)
    texts = sentences(ROWS)
    with opened(path) as memory:
        for number in (0, BAD - 1, BAD + 1, ROWS - 1):
            assert memory.recall(texts[number]).hits[0].memory.id == ids[number]
            assert [each.id for each in memory.search(f"mark1n{number}end")] == [ids[number]]
            assert memory.get(ids[number]).text == texts[number]
        assert memory.recall("barley kettle").hits
        if readable:
            assert memory.get(ids[BAD]).text[1:] == texts[BAD][1:]
            assert len(memory.recent(ROWS).memories) == ROWS
        else:
            with pytest.raises(StoreCorrupt):
                memory.get(ids[BAD])
        memory.remember("new words beside a spoilt record")
        for _ in memory.maintenance.rebuild():
            pass
        assert memory.recall(texts[0]).hits[0].memory.id == ids[0]


@pytest.mark.parametrize("embedder", ["static", "hashed"])
@pytest.mark.parametrize("how", VECTORS)
def test_a_spoilt_vector_hides_not_even_its_memory(tmp_path: Path, how: str, embedder: str) -> None:
    """U8.4: with one vector spoilt, every memory is found, that one by its words."""
    path = tmp_path / "memory.db"
    ids = spoilt(path, "vector", VECTORS[how], embedder=embedder)
    texts = sentences(ROWS)
    with opened(path, embedder=embedder) as memory:
        for number in (0, BAD - 1, BAD, BAD + 1, ROWS - 1):
            found = memory.recall(texts[number])
            assert found.hits[0].memory.id == ids[number]
            assert (found.hits[0].vector > 0) is (number != BAD)
            assert {each.name for each in found.paths if each.ran} >= {"words", "vector"}
        assert faulty_vectors(memory) == 1
        for _ in memory.maintenance.rebuild():
            pass
        assert faulty_vectors(memory) == 0


def faulty_vectors(memory: Saegim) -> int:
    """Count the vectors that a doctor would complain about."""
    survey, identity = memory.mind.store.survey, memory.mind.embedder.identity
    return survey.unusable(identity) + survey.gaps(identity)


def test_the_doctor_names_what_is_spoilt_and_does_not_fall_over(tmp_path: Path) -> None:
    """U8.4: with a record and a vector spoilt, the doctor sees both and tries everything else."""
    path = tmp_path / "memory.db"
    spoilt(path, "memory", RECORDS["a kind that is none"][0])
    tampered(path, f"UPDATE vector SET {VECTORS['noise']} WHERE number = {BAD + 3}")
    with opened(path) as memory:
        found = {each.name: each.ok for each in memory.doctor()}
        assert not found["ledger"]
        assert not found["vectors"]
        assert found["file"]
        assert found["integrity"]


def test_a_sound_store_has_no_bad_records(tmp_path: Path) -> None:
    """U8.4 control: an update that changes nothing is not taken for damage."""
    path = tmp_path / "memory.db"
    ids = spoilt(path, "memory", "details = details")
    with opened(path) as memory:
        assert memory.get(ids[BAD]).text == sentences(ROWS)[BAD]
        assert [each.name for each in memory.doctor() if not each.ok] == []


def test_text_that_cannot_be_kept_is_refused_before_it_is_written(tmp_path: Path) -> None:
    """U8.4: lone surrogates are refused, five million letters are kept whole or refused."""
    with opened(tmp_path / "memory.db") as memory:
        with pytest.raises(BadInput):
            memory.remember("half a letter: \ud800")
        long = "가나다 " * 1_250_000
        try:
            assert memory.get(memory.remember(long).memory.id).text == long
        except SaegimError as error:
            assert error.next_step  # noqa: PT017 - either answer is a good one
        memory.remember("short words after it all")
        assert memory.recall("short words").hits
        assert memory.mind.store.check() == []
