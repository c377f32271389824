"""One transaction: what is written beside the memory, and what is left when it goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from saegim.errors import BadInput, NotFound, Refused, WrongIdentity
from saegim.memory.changes import Archived, Erased, Leaving, Restored, Saved
from saegim.memory.memory import (
    Agent,
    Content,
    Life,
    Provenance,
    Reason,
    Rhythm,
    Scope,
    Space,
    State,
)
from saegim.store.database import Database
from saegim.store.search.embedding_index import VectorSearch
from stand_ins import Toy
from store.places import AT, ME, commit, furnished, keep, memory


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    made = furnished(tmp_path / "store.db")
    yield made
    made.close()


def count(database: Database, table: str) -> int:
    """Count the rows of a table."""
    return int(database.rows(f"SELECT count(*) FROM {table}")[0][0])


def test_a_memory_its_words_its_tags_and_its_vector_are_one_transaction(
    database: Database,
) -> None:
    """U1.1: everything that makes a memory findable is written with it, or nothing is."""
    toy = Toy(8)
    made = memory("blue kettle", content=Content(tags=("kitchen", "blue")))
    vector = {made.id: toy.embed([made.text], "document")[0]}
    commit(database, Saved(made), vectors=vector, identity=toy.identity)
    counts = {"memory": 1, "tag": 2, "vector": 1, "words_basic": 1, "analysed": 1, "ledger": 1}
    assert {table: count(database, table) for table in counts} == counts
    other = memory("red kettle")
    torn = {other.id: vector[made.id][:3]}
    with pytest.raises(WrongIdentity):
        commit(database, Saved(other), vectors=torn, identity=toy.identity)
    assert {table: count(database, table) for table in counts} == counts


def test_a_memory_without_a_vector_is_kept_and_waits(database: Database) -> None:
    """U1.2: vectors of ids that are not in the batch, or none at all, lose nothing."""
    toy = Toy(8)
    made = memory("tea")
    stray = {"mem_other": toy.embed(["x"], "document")[0]}
    commit(database, Saved(made), vectors=stray, identity=toy.identity)
    commit(database, Saved(memory("more")), vectors={made.id: toy.embed(["x"], "query")[0]})
    assert count(database, "vector") == 0
    assert VectorSearch(database).waiting(toy.identity) == 2


def test_a_memory_born_hidden_has_no_living_vector(database: Database) -> None:
    """FAULTS M: what is born in quarantine is not near to anything."""
    toy = Toy(8)
    made = memory("tea", life=Life(state=State.QUARANTINED))
    vector = {made.id: toy.embed([made.text], "document")[0]}
    commit(database, Saved(made), vectors=vector, identity=toy.identity)
    assert database.rows("SELECT live FROM vector") == [(0,)]


def test_an_erased_row_keeps_nothing_a_person_said(database: Database) -> None:
    """U26.3: words, author, rooms, tags, place and persona are gone from every table."""
    made = memory(
        "zqxv text",
        scope=Scope("me", "zqxv-agent", "zqxv-project", "zqxv-session"),
        provenance=Provenance(author="zqxv author", turn="zqxv turn"),
        space=Space(domain="zqxv", files=("zqxv.py",)),
        agent=Agent(persona="zqxv", role="zqxv"),
        content=Content(tags=("zqxv",), brief="zqxv", keywords=("zqxv",)),
        rhythm=Rhythm(phase="zqxv"),
        life=Life(island="zqxv"),
    )
    commit(database, Saved(made))
    before = [repr(database.rows(f"SELECT * FROM {table}")) for table in TABLES]
    assert sum("zqxv" in each for each in before) >= 3
    commit(database, Erased(made.id))
    for table in TABLES:
        assert "zqxv" not in repr(database.rows(f"SELECT * FROM {table}")), table


TABLES = ("memory", "tag", "link", "archive", "ledger", "words_basic", "receipt")


def test_an_archive_holds_the_words_packed(database: Database) -> None:
    """DESIGN 4b: in the archive no word is readable, and a second archiving is refused."""
    made = keep(database, "canary canary canary")
    commit(database, Archived(made.id, AT))
    assert "canary" not in repr(database.rows("SELECT * FROM archive, memory"))
    with pytest.raises(NotFound, match="words"):
        commit(database, Archived(made.id, AT))
    commit(database, Restored(made.id, None))
    assert count(database, "archive") == 0
    assert database.rows("SELECT text FROM memory") == [(made.text,)]


def test_a_memory_that_is_not_whole_is_refused_before_anything_is_written(
    database: Database,
) -> None:
    """Bad input: the store checks for itself, whoever calls it."""
    for wrong in (memory(""), memory("x", visibility="all"), memory("x", id="a b")):
        with pytest.raises(BadInput):
            commit(database, Saved(wrong))
    with pytest.raises(Refused):
        commit(database, Saved(memory("x", scope=Scope("you"))))
    assert count(database, "memory") == count(database, "ledger") == 0


def test_the_watermarks_move_with_each_memory_that_is_complete(database: Database) -> None:
    """U7.3: a store in which nothing is missing knows it without counting."""
    toy = Toy(8)

    def marks() -> dict[str, str]:
        rows = database.rows(
            "SELECT name, value FROM house WHERE name NOT IN ('read:kiwi-1', 'seal_key')"
        )
        return dict(rows)

    for n in range(3):
        made = memory(f"tea {n}")
        vector = {made.id: toy.embed([made.text], "document")[0]}
        commit(database, Saved(made), vectors=vector, identity=toy.identity)
    assert marks() == {"read:basic-1": "3", "covered:1": "3"}
    keep(database, "no vector")
    made = memory("after a gap")
    vector = {made.id: toy.embed([made.text], "document")[0]}
    commit(database, Saved(made), vectors=vector, identity=toy.identity)
    assert marks() == {"read:basic-1": "5", "covered:1": "3"}


def test_a_state_without_vectors_is_moved_all_the_same(database: Database) -> None:
    """A memory that waits for its vector can leave and come back."""
    made = keep(database)
    commit(database, Leaving(made.id, Reason.MANUAL, AT, AT))
    commit(database, Restored(made.id, None))
    assert database.rows("SELECT state FROM memory") == [("active",)]
    assert made.scope == ME
