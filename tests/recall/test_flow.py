"""A question in, memories out: in order, in scope, without changing anything."""

from __future__ import annotations

from datetime import timedelta

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput


def test_the_best_comes_first_and_no_more_than_asked_for(memory: Saegim) -> None:
    """Seed E: ranked by score, cut at the limit, the limit from the settings if none is given."""
    for n in range(30):
        memory.remember(f"kettle number {n}")
    best = memory.remember("the blue kettle in the kitchen")
    found = memory.recall("blue kettle kitchen", limit=3)
    assert found.hits[0].memory.id == best.id
    assert len(found.hits) == 3
    assert [hit.score for hit in found.hits] == sorted((h.score for h in found.hits), reverse=True)
    assert len(memory.recall("kettle").hits) == 10
    assert found.candidates >= 3


def test_recall_writes_nothing(memory: Saegim) -> None:
    """U2.2: a recall leaves the ledger and every memory as they were."""
    kept = memory.remember("blue kettle")
    before = memory.maintenance.verify(), memory.get(kept.id)
    for _ in range(3):
        memory.recall("kettle")
    assert (memory.maintenance.verify(), memory.get(kept.id)) == before


def test_of_two_equal_answers_the_newer_and_the_weightier_win(
    memory: Saegim, clock: FixedClock
) -> None:
    """Seed E: recency and importance break ties, and are far weaker than relevance."""
    old = memory.remember("kettle red", importance=0.3, happened_at="2020-01-01T00:00:00+00:00")
    clock.at += timedelta(days=400)
    new = memory.remember("kettle red", importance=0.3, happened_at="2020-01-02T00:00:00+00:00")
    heavy = memory.remember("kettle red", importance=1.0, happened_at="2020-01-03T00:00:00+00:00")
    other = memory.remember("kettle blue", importance=1.0)
    order = [hit.memory.id for hit in memory.recall("kettle red").hits]
    assert order == [heavy.id, new.id, old.id, other.id]


def test_the_scope_that_was_searched_is_part_of_the_answer(memory: Saegim) -> None:
    """U13.1: every response shows the scope it used."""
    room = memory.within(project="alpha", agent="claude")
    assert room.recall("tea").scope == room.scope
    memory.remember("tea of beta", project="beta")
    assert room.recall("tea").hits == ()
    assert len(room.recall("tea", everywhere=True).hits) == 1


@pytest.mark.parametrize("filters", [{"colour": "red"}, {"kind": "x"}, {"since": "soon"}])
def test_a_filter_that_is_none_is_an_error(memory: Saegim, filters: dict[str, str]) -> None:
    """U30.1: a misspelt filter never means "no filter"."""
    with pytest.raises(BadInput):
        memory.recall("tea", **filters)


def test_only_the_version_that_holds_comes_back(memory: Saegim) -> None:
    """U19.1: after a correction the old value is not recalled, unless history is asked for."""
    old = memory.remember("the meeting is at four")
    new = memory.update(old.id, "the meeting is at five")
    assert [hit.memory.id for hit in memory.recall("meeting").hits] == [new.id]
    both = memory.recall("meeting", states=["active", "superseded"])
    assert {hit.memory.id for hit in both.hits} == {old.id, new.id}
