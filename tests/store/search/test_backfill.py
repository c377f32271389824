"""Filling in what is missing: stopped anywhere, taken up by anyone, spoiled by nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from saegim import FixedClock
from saegim.engines.embedder import Identity
from saegim.language.words import Basic
from saegim.memory.changes import Erased, Leaving
from saegim.memory.memory import Reason
from saegim.store.database import Database
from saegim.store.search import bm25
from saegim.store.search.embedding_index import Coverage, VectorSearch, embedder_number
from saegim.store.search.index_memory import BATCH, fill_vectors, fill_words
from stand_ins import Odd, Toy
from store.places import AT, commit, furnished, keep


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    made = furnished(tmp_path / "store.db")
    yield made
    made.close()


def coverage(database: Database, identity: Identity) -> Coverage:
    """Count what is indexed and what is not yet."""
    return VectorSearch(database).coverage(identity)


def waiting(database: Database, identity: Identity) -> int:
    """Count how many memories lack their vector."""
    return VectorSearch(database).waiting(identity)


def test_an_empty_store_lacks_nothing(database: Database) -> None:
    """U1.2: no memories, nothing pending."""
    toy = Toy(8)
    assert waiting(database, toy.identity) == 0
    assert coverage(database, toy.identity).complete
    assert list(fill_vectors(database, toy, lambda: AT)) == []
    assert bm25.words_complete(database, Basic.name)


def test_filling_stops_after_any_batch_and_goes_on_where_it_was(database: Database) -> None:
    """U7.3: interrupted at any batch, the next one, in any process, finishes the work."""
    toy = Toy(8)
    for n in range(3 * BATCH + 5):
        keep(database, f"tea {n}")
    assert next(fill_vectors(database, toy, lambda: AT)) == BATCH
    held = coverage(database, toy.identity)
    assert (held.ready, held.pending, held.failed) == (BATCH, 2 * BATCH + 5, 0)
    assert waiting(database, toy.identity) == 2 * BATCH + 5
    other = Database(database.path)
    assert sum(fill_vectors(other, Toy(8), lambda: AT)) == 2 * BATCH + 5
    other.close()
    assert coverage(database, toy.identity).complete
    assert waiting(database, toy.identity) == 0
    assert list(fill_vectors(database, toy, lambda: AT)) == []


def test_one_bad_text_spoils_only_itself_and_is_tried_again_later(database: Database) -> None:
    """U1.2: failures wait longer each time, say why, and clear when they succeed."""
    clock, toy = FixedClock(), Toy(8, local=False)
    for n in range(5):
        keep(database, f"tea {n}")
    toy.fails = lambda call: call in (1, 3)
    assert list(fill_vectors(database, toy, clock.now)) == [4]
    held = coverage(database, toy.identity)
    assert (held.ready, held.pending, held.failed) == (4, 0, 1)
    assert "out for call 3" in held.error
    assert waiting(database, toy.identity) == 1
    toy.fails = lambda _: True
    for expected in (5, 20, 80, 320, 1280, 3600, 3600):
        assert list(fill_vectors(database, toy, clock.now)) == []
        clock.forward(seconds=expected - 1)
        assert list(fill_vectors(database, toy, clock.now)) == []
        clock.forward(seconds=1)
        if expected == 3600:
            toy.fails = lambda _: False
        assert list(fill_vectors(database, toy, clock.now)) in ([0], [1])
        if coverage(database, toy.identity).complete:
            break
    assert coverage(database, toy.identity).error == ""


@pytest.mark.parametrize(
    "answer",
    [
        lambda made: made[:-1],
        lambda made: [each * np.nan for each in made],
        lambda made: [each[:4] for each in made],
        lambda made: [each * 0 for each in made],
        lambda made: [],
    ],
    ids=["too few", "nan", "short", "zero", "none"],
)
def test_an_embedder_that_answers_nonsense_is_a_failure_with_a_reason(
    database: Database, answer: object
) -> None:
    """U1.2: nothing wrong is written, the memory stays, and the rest is not held up."""
    odd = Odd(answer)  # type: ignore[arg-type]
    keep(database, "tea")
    assert list(fill_vectors(database, odd, lambda: AT)) == [0]
    held = coverage(database, odd.identity)
    assert (held.failed, held.ready) == (1, 0)
    assert held.error
    assert database.rows("SELECT data FROM vector") == [(None,)]


def test_a_memory_that_leaves_meanwhile_is_not_written_back(database: Database) -> None:
    """U26.3: what was erased while its text was with the embedder stays without a vector."""
    kept = [keep(database, f"tea {n}") for n in range(3)]

    def meanwhile(made: list[object]) -> list[object]:
        commit(database, Erased(kept[0].id), Leaving(kept[1].id, Reason.MANUAL, AT, AT))
        return made

    odd = Odd(meanwhile, local=False)  # type: ignore[arg-type]
    list(fill_vectors(database, odd, lambda: AT))
    rows = database.rows("SELECT number, live FROM vector WHERE data IS NOT NULL ORDER BY number")
    assert rows == [(2, 0), (3, 1)]
    assert waiting(database, odd.identity) == 0


def test_a_sweep_in_the_middle_of_a_fill_hides_nothing(database: Database) -> None:
    """U8.1: a rebuild that sweeps the vectors away while a batch is made leaves none missing."""
    for n in range(BATCH + 5):
        keep(database, f"tea {n}")
    calls = []

    def swept(made: list[object]) -> list[object]:
        calls.append(len(made))
        if len(calls) == 2:
            with database.writing() as connection:
                connection.execute("DELETE FROM vector")
                connection.execute("DELETE FROM embedder")
                connection.execute("DELETE FROM house WHERE name LIKE 'covered:%'")
                embedder_number(connection, Toy(8, model="first").identity, 1)
        return made

    odd = Odd(swept, local=False)  # type: ignore[arg-type]
    assert sum(fill_vectors(database, odd, lambda: AT)) == 2 * BATCH + 5
    assert coverage(database, odd.identity).complete
    assert waiting(database, odd.identity) == 0
    assert not coverage(database, Toy(8, model="first").identity).ready


def test_a_batch_is_bounded_by_the_length_of_its_texts(database: Database) -> None:
    """U7.3: long texts are kept a few at a time, and one that is longer than a batch by itself."""
    toy = Toy(8)
    for n, length in enumerate((1_500, 1_500, 7_500, 1, 1)):
        keep(database, "tea " * length + str(n))
    assert list(fill_vectors(database, toy, lambda: AT)) == [1, 1, 1, 2]
    assert coverage(database, toy.identity).complete


def test_an_embedder_in_this_process_is_stopped_between_two_texts(database: Database) -> None:
    """U7.3: what it made until then is kept; the rest is made by whoever comes next."""
    toy = Toy(8)
    for n in range(5):
        keep(database, f"tea {n}")
    stopped = fill_vectors(database, toy, lambda: AT, lambda: len(toy.calls) >= 2)
    assert list(stopped) == [2]
    assert len(toy.calls) == 2
    assert waiting(database, toy.identity) == 3
    assert list(fill_vectors(database, toy, lambda: AT, lambda: True)) == []
    assert list(fill_vectors(database, toy, lambda: AT)) == [3]
    assert coverage(database, toy.identity).complete


def test_two_embedders_are_covered_each_for_itself(database: Database) -> None:
    """U7.2: the vectors of one say nothing about the other."""
    one, other = Toy(8, model="one"), Toy(8, model="other")
    keep(database, "tea")
    list(fill_vectors(database, one, lambda: AT))
    assert coverage(database, one.identity).complete
    assert not coverage(database, other.identity).complete
    assert waiting(database, other.identity) == 1


def test_words_are_filled_in_where_they_are_missing(database: Database) -> None:
    """U8.1: an interrupted rebuild is taken up again, and nothing is indexed twice."""
    for n in range(BATCH + 10):
        keep(database, f"tea {n}")
    with database.writing() as connection:
        bm25.rebuild(connection)
        connection.execute("UPDATE house SET value = '0' WHERE name LIKE 'read:%'")
    assert not bm25.words_complete(database, Basic.name)
    assert next(fill_words(database, Basic())) == BATCH
    assert not bm25.words_complete(database, Basic.name)
    keep(database, "written meanwhile")
    assert list(fill_words(database, Basic())) == [10]
    assert bm25.words_complete(database, Basic.name)
    assert list(fill_words(database, Basic())) == []
    assert database.rows("SELECT count(*) FROM words_basic") == [(BATCH + 11,)]
    assert database.rows("SELECT value FROM house WHERE name = 'read:basic-1'") == [
        (str(BATCH + 11),)
    ]


def test_a_second_filler_does_not_index_twice(database: Database) -> None:
    """U2.1: two processes that fill at once write each memory once."""
    keep(database, "tea")
    with database.writing() as connection:
        bm25.rebuild(connection)
        connection.execute("UPDATE house SET value = '0' WHERE name LIKE 'read:%'")
    slow = fill_words(database, Basic())
    list(fill_words(database, Basic()))
    list(slow)
    assert database.rows("SELECT count(*) FROM words_basic") == [(1,)]
