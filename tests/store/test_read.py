"""Reading: chunks, pages, versions in a circle, and the nearest under filters."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from saegim.memory.changes import Linked, Saved
from saegim.memory.entities import SUPERSEDES, Link
from saegim.memory.memory import Content, Kind, Scope
from saegim.store.database import Database
from saegim.store.rows import Where
from saegim.store.search.embedding_index import VectorSearch
from saegim.store.tables.memory_table import MemoryTable
from stand_ins import Toy
from store.places import ME, commit, furnished, keep, memory

HERE = Where(scope=ME)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    made = furnished(tmp_path / "store.db")
    yield made
    made.close()


def test_a_walk_meets_every_memory_once_in_the_order_of_writing(database: Database) -> None:
    """U24.2: an export goes through a store of any size, a chunk at a time."""
    kept = [keep(database, f"tea {n}").id for n in range(7)]
    for chunk in (1, 2, 3, 7, 500):
        assert [each.id for _, each in MemoryTable(database).walk(HERE, chunk=chunk)] == kept


def test_versions_in_a_circle_end_somewhere(database: Database) -> None:
    """R-20: ties that were damaged into a circle do not hang a look-up."""
    for source, target in (("a", "b"), ("b", "c"), ("c", "a")):
        commit(database, Linked(Link(source=source, type=SUPERSEDES, target=target)))
    assert MemoryTable(database).current(ME, "a") in {"a", "b", "c"}


def test_the_row_of_another_user_is_not_read(database: Database) -> None:
    """U21.1: a row number from somewhere else opens nothing."""
    keep(database, "theirs", scope=Scope("you"))
    assert MemoryTable(database).by_numbers(ME, [1]) == {}
    assert len(MemoryTable(database).by_numbers(Scope("you"), [1, 1, 99])) == 1


def test_a_filter_that_few_pass_finds_them_all_the_same(database: Database) -> None:
    """U21.2: what lies behind hundreds of nearer ones is found inside its filter."""
    toy, near = Toy(16), VectorSearch(database).near
    changes, vectors = [], {}
    for n in range(300):
        rare = n % 100 == 0
        made = memory(
            "far from everything here" if rare else "blue kettle",
            kind=Kind.EMOTION if rare else Kind.FACT,
            content=Content(tags=("rare",) if rare else ()),
        )
        changes.append(Saved(made))
        vectors[made.id] = toy.embed([made.text], "document")[0]
    commit(database, *changes, vectors=vectors, identity=toy.identity)
    (asked,) = toy.embed(["blue kettle"], "query")
    where = Where(scope=ME, kinds=(Kind.EMOTION,), tags=("rare",))
    hits = near(asked, toy.identity, where, limit=5)
    assert [hit.number for hit in hits] == [1, 101, 201]
    plain = near(asked, toy.identity, HERE, limit=5)
    assert len(plain) == 5
    assert all(hit.cosine == pytest.approx(1.0, abs=1e-3) for hit in plain)


def test_an_embedder_the_store_has_not_met_finds_nothing(database: Database) -> None:
    """U7.2: without vectors of this identity there is nothing to compare."""
    toy = Toy(16)
    keep(database)
    (asked,) = toy.embed(["tea"], "query")
    assert VectorSearch(database).near(asked, toy.identity, HERE, limit=5) == []
    assert VectorSearch(database).near(asked, toy.identity, HERE, limit=0, also=[1]) == []
