"""What stays in mind and what makes room: bounded always, by worth, and never what is pinned."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from saegim import FixedClock
from saegim.engines.hashed import Hashed
from saegim.session.graph import SessionGraph
from session.minds import graph, questions
from stand_ins import Toy, rounds

TEXTS = questions(60)
ACTS = st.lists(
    st.tuples(
        st.sampled_from(["ask", "answer", "up", "down", "retry", "pin", "unpin", "link", "wait"]),
        st.integers(0, 59),
        st.integers(0, 59),
    ),
    max_size=120,
)


def live(made: SessionGraph, clock: FixedClock, acts: list[tuple[str, int, int]]) -> None:
    """Do what a person might do, on whatever is still in mind, and look after each act."""
    for act, one, two in acts:
        queries = made.nodes("query")
        node = queries[one % len(queries)] if queries else None
        other = queries[two % len(queries)] if queries else None
        if act == "ask" or node is None or other is None:
            made.upsert_query(TEXTS[one])
        elif act == "answer":
            made.record_answer(node.id, TEXTS[two])
        elif act == "wait":
            clock.forward(minutes=one)
        elif act == "pin" and made.stats().pinned < made.settings.most_pinned:
            made.pin(node.id)
        elif act == "unpin":
            made.unpin(node.id)
        elif act == "link" and node.id != other.id:
            made.link(node.id, other.id, "similar_to", 1 + two)
        elif act in ("up", "down", "retry"):
            made.record_feedback(node.id, act, TEXTS[two] if two % 2 else "")
        sound(made)


def sound(made: SessionGraph) -> None:
    """The graph is within its bounds, and every index says what the nodes and edges say."""
    nodes = {node.id: node for node in made.nodes()}
    edges = made.edges()
    assert len(nodes) <= made.settings.max_nodes
    assert len(edges) <= made.settings.max_edges
    for edge in edges:
        assert {edge.source, edge.target} <= set(nodes)
    for id, node in nodes.items():
        assert made.degree(id) == sum(id in (edge.source, edge.target) for edge in edges)
        held = made._held.keyed(node.type, node.canonical_key)
        assert held is not None
        assert held.id == id


@given(ACTS)
def test_whatever_happens_the_graph_is_bounded_and_whole(acts: list[tuple[str, int, int]]) -> None:
    """D1: nodes, edges, degrees and keys fit together after every act, however full it is."""
    clock = FixedClock()
    live(graph(clock, Toy(), max_nodes=12, max_edges=32, tau_sim=0.6), clock, acts)


@given(ACTS, st.sets(st.integers(0, 59), min_size=1, max_size=5))
def test_what_is_pinned_never_goes(acts: list[tuple[str, int, int]], pinned: set[int]) -> None:
    """D1: whatever comes after, a pinned query is in mind."""
    clock = FixedClock()
    made = graph(clock, Toy(), max_nodes=12, max_edges=32, tau_sim=0.6)
    held = []
    for number in pinned:
        held.append(made.upsert_query(TEXTS[number]))
        made.pin(held[-1])
    live(made, clock, [act for act in acts if act[0] not in ("pin", "unpin")])
    assert set(held) <= {node.id for node in made.nodes()}


@given(ACTS)
def test_the_lowest_rank_goes_first(acts: list[tuple[str, int, int]]) -> None:
    """D1: of what may go, nothing of a lower rank is left behind; many ties protect."""
    clock = FixedClock()
    made = graph(clock, Toy(), max_nodes=12, max_edges=64, tau_sim=1.0, tau_dup=1.0)
    live(made, clock, acts)
    while made.stats().nodes < made.settings.max_nodes:
        clock.forward(minutes=1)
        made.upsert_query(f"filling {made.stats().nodes} {clock.now()}")
    clock.forward(minutes=1)
    before = {node.id: node for node in made.nodes()}
    ranks = {id: made.rank(id) for id in before}
    degrees = {id: made.degree(id) for id in before}
    may_go = {id for id, node in before.items() if not node.pinned}
    free = {id for id in may_go if degrees[id] < made.settings.protect_min_degree}
    new = made.upsert_query("something that nobody has said before")
    after = {node.id for node in made.nodes()}
    assert new in after
    gone = set(before) - after
    lowest = min(free or may_go, key=lambda id: ranks[id])
    assert ranks[lowest] in {ranks[id] for id in gone & (free or may_go)}
    # With a query go the answers and the feedback that only it had, and nothing else.
    assert sum(before[id].type == "query" for id in gone) <= 1
    assert len(gone) == 1 or all(degrees[id] == 1 for id in gone if before[id].type != "query")
    assert gone <= may_go


def test_what_is_worth_more_stays() -> None:
    """D1: value before age: an old question that was praised outlives a newer idle one."""
    clock = FixedClock()
    made = graph(clock, max_nodes=8)
    praised, idle = made.upsert_query(TEXTS[0]), made.upsert_query(TEXTS[1])
    made.adjust_weights(praised, repeat_delta=10.0, feedback_delta=5.0)
    for text in TEXTS[2:12]:
        clock.forward(minutes=30)
        made.upsert_query(text)
    held = {node.id for node in made.nodes()}
    assert praised in held
    assert idle not in held


def test_many_ties_protect_and_few_do_not() -> None:
    """D1 protectMinDegree: of two equally old questions the well-connected one stays."""
    clock = FixedClock()
    made = graph(clock, max_nodes=10, protect_min_degree=3)
    tied, loose = made.upsert_query(TEXTS[0]), made.upsert_query(TEXTS[1])
    clock.forward(minutes=1)
    for text in TEXTS[2:5]:
        made.link(tied, made.upsert_query(text), "similar_to")
    for text in TEXTS[5:11]:
        clock.forward(minutes=10)
        made.upsert_query(text)
    held = {node.id for node in made.nodes()}
    assert tied in held
    assert loose not in held


def test_where_everything_is_protected_the_lowest_still_makes_room() -> None:
    """D1: a graph in which all have many ties stays bounded; pinned ones stay even then."""
    clock = FixedClock()
    made = graph(clock, max_nodes=8, max_edges=400, protect_min_degree=3)
    ids = []
    for text in TEXTS[:8]:
        clock.forward(minutes=1)
        ids.append(made.upsert_query(text))
        for other in ids[:-1]:
            made.link(ids[-1], other, "similar_to")
    assert all(made.degree(id) == 7 for id in ids)
    made.pin(ids[0])
    new = made.upsert_query(TEXTS[20])
    assert {node.id for node in made.nodes()} == {ids[0], *ids[2:], new}


def test_edges_go_by_weight_and_then_by_age() -> None:
    """D1: the weakest tie goes first, among equals the one untouched for longest; new ones stay."""
    clock = FixedClock()
    made = graph(clock, max_nodes=100, max_edges=32)
    ids = [made.upsert_query(text) for text in TEXTS[:34]]
    for other in ids[2:33]:
        clock.forward(minutes=1)
        made.link(ids[0], other, "similar_to", 1.0)
    clock.forward(minutes=1)
    made.link(ids[0], ids[1], "similar_to", 0.5)
    assert made.stats().edges == 32
    made.link(ids[0], ids[33], "similar_to", 0.1)
    keys = {edge.key for edge in made.edges()}
    assert f"{ids[0]}::similar_to::{ids[1]}" not in keys, "the weakest of those that were there"
    assert f"{ids[0]}::similar_to::{ids[33]}" in keys, "the one that was just made"
    made.link(ids[0], ids[33], "similar_to", 0.9)
    made.link(ids[1], ids[33], "similar_to", 1.0)
    assert f"{ids[0]}::similar_to::{ids[2]}" not in {edge.key for edge in made.edges()}


def test_a_query_takes_its_own_answers_and_feedback_with_it() -> None:
    """D1: what hangs on a question alone goes with it; an answer that another one has stays."""
    clock = FixedClock()
    made = graph(clock, max_nodes=9)
    first, second = made.upsert_query(TEXTS[0]), made.upsert_query(TEXTS[1])
    own, shared = made.record_answer(first, "only here"), made.record_answer(first, "both")
    clock.forward(minutes=1)
    made.record_answer(second, "both")
    judged = made.record_feedback(second, "up")
    made.adjust_weights(first, feedback_delta=-9.0)
    clock.forward(minutes=600)
    for text in TEXTS[2:7]:
        made.upsert_query(text)
    held = {node.id for node in made.nodes()}
    assert held.isdisjoint({first, own})
    assert {second, shared, judged} <= held


def test_a_thousand_nodes_and_four_thousand_edges_are_steady() -> None:
    """D1: at the scale of the seed the bounds hold, searches answer, and memory stays small."""
    clock = FixedClock()
    wide = graph(clock, Hashed()).settings
    assert (wide.max_nodes, wide.max_edges) == (1000, 4000)
    most, ties = rounds(wide.max_nodes), rounds(wide.max_edges)
    made = graph(clock, Hashed(), max_nodes=most, max_edges=ties)
    ids: list[str] = []
    for text in questions(most, seed=3):
        clock.forward(seconds=20)
        ids.append(made.upsert_query(text))
        for other in ids[-6:-1]:
            made.link(ids[-1], other, "similar_to", 0.8)
    assert (made.stats().nodes, made.stats().edges) == (most, ties)
    full = len(pickle.dumps(made._held))
    more = questions(max(most * 3 // 20, 50), seed=4)
    for text in more:
        clock.forward(seconds=20)
        made.upsert_query(text)
    assert made.stats().nodes == most
    assert made.stats().edges <= ties
    held = made._held
    assert len(held._ties) == len(held._keys) == most, "nothing is left of what went"
    assert len(pickle.dumps(held)) < min(full * 1.1, 16 * 2**20)
    assert made.search_similar_queries(more[-1], 5)[0].text == more[-1]
