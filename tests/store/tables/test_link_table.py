"""The ties of a key are bounded, however many it has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from saegim.memory.changes import Linked
from saegim.memory.entities import DERIVED_FROM, REFERS_TO, SIMILAR_TO, Link
from saegim.memory.memory import Scope
from saegim.store.database import Database
from saegim.store.tables.entity_table import MOST_TYPES, LinkTable
from store.places import ME, commit, furnished

HUB = "entity:hub"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    made = furnished(tmp_path / "store.db")
    yield made
    made.close()


def tied(source: str, type: str, target: str, **more: float) -> Linked:
    """Return the making of a tie."""
    return Linked(Link(source=source, type=type, target=target, **more))


def keys(found: list[Link]) -> list[str]:
    """Return the ties by their keys, in one order."""
    return sorted(link.key for link in found)


def test_ties_are_read_both_ways_and_each_once(database: Database) -> None:
    """A tie between two of the asked keys is one tie; types can be chosen or left out."""
    commit(
        database,
        tied("mem_a", SIMILAR_TO, "mem_b", weight=0.9),
        tied("mem_c", DERIVED_FROM, "mem_a"),
        tied("mem_a", REFERS_TO, HUB),
        tied("mem_x", REFERS_TO, "entity:other"),
    )
    found = LinkTable(database).touching(ME, ["mem_a", "mem_b"])
    assert keys(found) == [
        "mem_a::refers_to::entity:hub",
        "mem_a::similar_to::mem_b",
        "mem_c::derived_from::mem_a",
    ]
    (near,) = LinkTable(database).touching(ME, ["mem_a"], only=[SIMILAR_TO])
    assert (near.weight, near.negative, near.touched_at is not None) == (0.9, False, True)
    left = LinkTable(database).touching(ME, ["mem_a"], without=[SIMILAR_TO, REFERS_TO])
    assert keys(left) == ["mem_c::derived_from::mem_a"]
    assert LinkTable(database).touching(ME, []) == []


def test_ties_of_another_user_are_not_there(database: Database) -> None:
    """U13: the same key has other ties under another user."""
    commit(database, tied("mem_a", REFERS_TO, HUB), owner="jimin")
    assert LinkTable(database).touching(ME, ["mem_a", HUB]) == []
    commit(database, tied("mem_b", REFERS_TO, HUB))
    assert keys(LinkTable(database).touching(ME, [HUB])) == ["mem_b::refers_to::entity:hub"]
    theirs = LinkTable(database).touching(Scope("jimin"), [HUB], only=[REFERS_TO])
    assert keys(theirs) == ["mem_a::refers_to::entity:hub"]


def steps(database: Database, key: str) -> tuple[int, list[Link]]:
    """Return how much work SQLite did to read the ties of a key, and the ties."""
    counted: list[int] = []
    reader = database._reader()
    reader.trace_v2(
        apsw.SQLITE_TRACE_PROFILE,
        lambda event: counted.append(event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]),
    )
    try:
        found = LinkTable(database).touching(ME, [key], most=64)
    finally:
        reader.trace_v2(0, None)
    return sum(counted), found


def test_a_hub_costs_no_more_than_its_bound(database: Database) -> None:
    """Named in 5,000 memories, it is read in as many steps as one named in 200; newest first."""
    work = {}
    for hub, count in (("entity:small", 200), ("entity:large", 5000)):
        commit(database, *(tied(f"mem_{n:05}", REFERS_TO, hub) for n in range(count)))
        work[hub], found = steps(database, hub)
        assert sorted(link.source for link in found) == [
            f"mem_{n:05}" for n in range(count - 64, count)
        ]
    # One step more or less is the shape of a B-tree, not the length of a list.
    assert work["entity:large"] <= work["entity:small"] + 10


def test_one_type_does_not_crowd_out_another(database: Database) -> None:
    """Of each type the newest come; a key with more types than anyone needs is cut too."""
    commit(
        database,
        *(tied(f"mem_{n:05}", REFERS_TO, HUB) for n in range(100)),
        tied("entity:me", "좋아함", HUB),
        *(tied(HUB, f"predicate {n:03}", "entity:thing") for n in range(100)),
    )
    found = LinkTable(database).touching(ME, [HUB], most=5)
    kinds = [link.type for link in found]
    assert (kinds.count(REFERS_TO), kinds.count("좋아함")) == (5, 1)
    assert sum(kind.startswith("predicate") for kind in kinds) == MOST_TYPES
