"""Links, entities and pages as rows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from saegim.memory.changes import Linked, Met, Unlinked, Written
from saegim.memory.entities import Entity, Link, Page
from saegim.memory.memory import Scope
from saegim.store import rows
from saegim.store.database import Database
from saegim.store.tables.entity_table import EntityTable, LinkTable, PageTable
from store.places import AT, ME, commit, furnished, keep


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    made = furnished(tmp_path / "store.db")
    yield made
    made.close()


def test_a_memory_is_read_as_its_transaction_sees_it(database: Database) -> None:
    """Inside a commit, the row just written is a memory already."""
    kept = keep(database, "tea")
    with database.writing() as connection:
        connection.execute("UPDATE memory SET pinned = 1")
        assert rows.memory_in(connection, 1).life.pinned
        assert rows.memory_in(connection, 1).id == kept.id


def test_a_tie_keeps_when_it_was_made_and_when_it_was_touched(database: Database) -> None:
    """Seed B: a tie that is made again keeps its birth and renews its touch."""
    later = AT + timedelta(days=1)
    tie = Link(source="a", type="likes", target="b", created_at=AT, touched_at=AT)
    commit(database, Linked(tie))
    commit(database, Linked(Link(source="a", type="likes", target="b", touched_at=later)))
    (held,) = LinkTable(database).all(ME)
    assert (held.created_at, held.touched_at, held.weight) == (AT, later, 2.0)
    commit(database, Unlinked(held), Unlinked(held))
    assert LinkTable(database).of(ME, ["a", "b"]) == []


def test_the_sentiment_of_one_instant_is_one_point(database: Database) -> None:
    """Met twice at the same moment, the later word counts."""
    for score, label in ((0.1, "neutral"), (0.9, "positive")):
        met = Entity(name="tea", last_seen_at=AT, sentiment_score=score, sentiment=label)
        commit(database, Met(met))
    (point,) = EntityTable(database).sentiment_history(ME, "entity:tea")
    assert (point.score, point.label) == (0.9, "positive")
    assert [each.name for each in EntityTable(database).of(ME, "entity:none")] == []


def test_entities_come_the_most_met_first(database: Database) -> None:
    """A list of acquaintances begins with the closest."""
    for name, often in (("a", 1), ("b", 5), ("c", 5)):
        commit(database, Met(Entity(name=name, interactions=often)))
    assert [each.name for each in EntityTable(database).of(ME)] == ["b", "c", "a"]
    assert EntityTable(database).of(ME)[0].last_seen_at == AT


def test_pages_are_found_by_key_and_kind_together(database: Database) -> None:
    """Versions count up for each key and owner."""
    for key, kind in (("a", "island"), ("a", "island"), ("b", "soul")):
        commit(database, Written(Page(key=key, kind=kind)))
    commit(database, Written(Page(key="a", kind="island", written_at=AT)), owner="you")
    assert [page.version for page in PageTable(database).of(ME, key="a", kind="island")] == [1, 2]
    assert PageTable(database).of(ME, key="b", kind="island") == []
    assert [page.version for page in PageTable(database).of(Scope("you"))] == [1]
