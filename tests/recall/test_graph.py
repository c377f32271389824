"""Activation spreads along typed ties, fainter at each step, and never across users."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from saegim import FixedClock, Saegim, Scope
from saegim.memory.changes import Linked
from saegim.memory.entities import Link
from saegim.recall import gather
from saegim.recall.gather import spread
from saegim.store.commit import Batch
from saegim.store.rows import Where


def tie(memory: Saegim, *links: Link, user: str = "me") -> None:
    """Make ties as a verb would; a short key stands for an entity."""
    at = memory.mind.now()
    changes = [
        Linked(replace(each, source=key(each.source), target=key(each.target))) for each in links
    ]
    memory.mind.store.commit(Batch(user, changes, actor="test", at=at))


def key(name: str) -> str:
    """Return the key of a memory as it is, and of anything else as an entity."""
    return name if name.startswith(("mem_", "entity:")) else f"entity:{name}"


def walked(
    memory: Saegim, starts: dict[str, float], hops: int = 2, user: str = "me"
) -> dict[str, gather.Reached]:
    """Spread from these keys."""
    from_here = {key(name): holds for name, holds in starts.items()}
    where = Where(scope=Scope(user=user))
    reached = spread(from_here, where=where, store=memory.mind.store, hops=hops)
    return {name.removeprefix("entity:"): there for name, there in reached.items()}


def test_a_tied_memory_is_found_though_it_shares_no_word(memory: Saegim) -> None:
    """Seed E phase 2, source 3: graph expansion brings what words and vectors cannot."""
    start = memory.remember("파란 주전자에 물을 끓였다")
    other = memory.remember("zxq vbn")
    assert other.id not in {hit.memory.id for hit in memory.recall("파란 주전자").hits}
    tie(memory, Link(source=start.id, type="related", target=other.id))
    hits = {hit.memory.id: hit for hit in memory.recall("파란 주전자").hits}
    assert hits[other.id].paths == ("graph",)
    assert (hits[other.id].hops, hits[other.id].via) == (1, ("related",))


def test_whom_the_question_names_brings_what_is_tied_to_them(memory: Saegim) -> None:
    """Seed C: entity extraction starts the walk; particles do not hide the name."""
    kept = memory.remember("민수는 부산에 산다")
    other = memory.remember("zxq vbn")
    tie(memory, Link(source=other.id, type="refers_to", target="entity:민수"))
    hits = {hit.memory.id: hit for hit in memory.recall("민수한테 뭐라고 했지?").hits}
    assert {kept.id, other.id} <= set(hits)
    assert hits[other.id].graph > 0


def test_each_step_gives_on_less(memory: Saegim) -> None:
    """Spreading activation: one tie away is nearer than two, three are reached when asked for."""
    tie(
        memory,
        Link(source="a", type="related", target="b"),
        Link(source="b", type="related", target="c"),
        Link(source="c", type="related", target="d"),
    )
    reached = walked(memory, {"a": 1.0}, hops=3)
    assert reached["b"].activation > reached["c"].activation > reached["d"].activation > 0
    assert [reached[key].hops for key in "bcd"] == [1, 2, 3]
    assert "d" not in walked(memory, {"a": 1.0}, hops=2)


def test_the_weight_of_a_tie_is_its_relevance(memory: Saegim) -> None:
    """Seed E: edge weight as relevance; more than 1 counts as 1."""
    tie(
        memory,
        Link(source="a", type="related", target="near", weight=0.9),
        Link(source="a", type="related", target="far", weight=0.3),
        Link(source="a", type="related", target="heavy", weight=40.0),
    )
    reached = walked(memory, {"a": 1.0}, hops=1)
    assert reached["near"].activation == pytest.approx(3 * reached["far"].activation)
    assert reached["heavy"].activation == pytest.approx(reached["near"].activation / 0.9)


def test_nothing_comes_back_to_the_giver(memory: Saegim) -> None:
    """A hit with a friend of its own is not lifted by itself; two hits that share one are."""
    tie(memory, Link(source="a", type="refers_to", target="entity:x"))
    assert "a" not in walked(memory, {"a": 1.0})
    tie(memory, Link(source="b", type="refers_to", target="entity:x"))
    both = walked(memory, {"a": 1.0, "b": 1.0})
    assert both["a"].activation == pytest.approx(both["b"].activation)
    assert both["a"].activation > 0


def test_the_way_is_told_as_it_was_walked(memory: Saegim) -> None:
    """U32.2: two starts that are tied to each other do not lengthen each other's way."""
    tie(
        memory,
        Link(source="a", type="derived_from", target="b"),
        Link(source="b", type="related", target="c"),
    )
    reached = walked(memory, {"a": 1.0, "b": 1.0})
    assert (reached["b"].hops, reached["b"].via) == (1, ("derived_from",))
    assert (reached["a"].hops, reached["a"].via) == (1, ("derived_from",))
    assert (reached["c"].hops, reached["c"].via) == (1, ("related",))


def test_a_negative_tie_marks_everything_behind_it(memory: Saegim) -> None:
    """Seed C: 싫어함 is seen; the control without the mark is not."""
    tie(
        memory,
        Link(source="a", type="싫어하다", target="b", negative=True),
        Link(source="b", type="related", target="c"),
        Link(source="a", type="좋아하다", target="d"),
    )
    reached = walked(memory, {"a": 1.0})
    assert reached["b"].negative
    assert reached["c"].negative
    assert not reached["d"].negative


@pytest.mark.parametrize(
    "type", ["supersedes", "contradicts", "merged_from", "has_feedback", "similar_to"]
)
def test_what_no_longer_holds_is_no_way(memory: Saegim, type: str) -> None:
    """U19: the walk does not go back to what was corrected; near twins do not lift each other."""
    tie(memory, Link(source="a", type=type, target="b"))
    assert walked(memory, {"a": 1.0}) == {}
    tie(memory, Link(source="a", type="related", target="b"))
    assert "b" in walked(memory, {"a": 1.0})


def test_one_who_is_named_everywhere_costs_no_more_than_a_friend(memory: Saegim) -> None:
    """A hub of 5,000 ties is read up to a bound, its newest first."""
    tie(
        memory,
        *(Link(source=f"m{at}", type="refers_to", target="entity:all") for at in range(5000)),
    )
    store = memory.mind.store
    found = store.links.ties(memory.scope, ["entity:all"], most=gather.MOST_TIES)
    assert len(found) == gather.MOST_TIES
    newest = {f"entity:m{at}" for at in range(5000 - len(found), 5000)}
    assert {each.to for each in found} == newest
    assert len(store.links.ties(memory.scope, ["entity:all"], most=6000)) == 5000


def test_ties_of_another_user_do_not_exist(tmp_path: Path) -> None:
    """U21.1: the walk stays inside the wall."""
    with Saegim.open(tmp_path / "m.db", clock=FixedClock()) as memory:
        tie(memory, Link(source="a", type="related", target="b"), user="you")
        assert walked(memory, {"a": 1.0}) == {}
        assert walked(memory, {"a": 1.0}, hops=1, user="you")["b"].hops == 1


def test_filters_hold_for_what_the_walk_brings(memory: Saegim) -> None:
    """U21.2: a tied memory that the filters leave out stays out."""
    start = memory.remember("파란 주전자에 물을 끓였다", tags=["tea"])
    other = memory.remember("zxq vbn")
    tie(memory, Link(source=start.id, type="related", target=other.id))
    found = memory.recall("파란 주전자", tags=["tea"]).hits
    assert [hit.memory.id for hit in found] == [start.id]
    assert len(memory.recall("파란 주전자").hits) == 2


def test_the_walk_can_be_turned_off_and_says_so(tmp_path: Path) -> None:
    """Seed C: graceful degradation; without the graph the rest answers as before."""
    with Saegim.open(tmp_path / "m.db", clock=FixedClock(), graph_hops=0) as memory:
        start = memory.remember("파란 주전자에 물을 끓였다")
        other = memory.remember("zxq vbn")
        tie(memory, Link(source=start.id, type="related", target=other.id))
        found = memory.recall("파란 주전자")
        assert [hit.memory.id for hit in found.hits] == [start.id]
        way = next(path for path in found.paths if path.name == "graph")
        assert (way.ran, way.why) == (False, "turned off")


def test_memories_of_other_projects_do_not_stand_in_the_way(tmp_path: Path) -> None:
    """DESIGN 1: filtered before the cut; what is left out is not walked through either."""
    with Saegim.open(tmp_path / "m.db", clock=FixedClock(), project="one") as memory:
        start = memory.remember("파란 주전자에 물을 끓였다").id
        other = memory.within(project="two")
        aside = [other.remember(f"zxq {at}").id for at in range(gather.MOST_KEYS)]
        here = memory.remember("vbn qqq").id
        behind = memory.remember("wwp rrt").id
        tie(
            memory,
            *(Link(source=start, type="related", target=each, weight=1.0) for each in aside[:20]),
            Link(source=start, type="related", target=here, weight=0.5),
            Link(source=aside[0], type="related", target=behind),
        )
        found = {hit.memory.id for hit in memory.recall("파란 주전자").hits}
        assert here in found
        assert behind not in found
        everywhere = memory.recall("파란 주전자", everywhere=True, limit=100).hits
        assert behind in {hit.memory.id for hit in everywhere}
