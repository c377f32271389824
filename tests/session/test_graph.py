"""The graph of a session: what is one, what is tied, and how it learns from what follows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from saegim import FixedClock
from saegim.engines.brain.model import Static
from saegim.engines.embedder import Embedder, cosine
from saegim.engines.hashed import Bag, Hashed
from saegim.errors import BadInput, NotFound, Refused
from saegim.memory.memory import rank, recency
from saegim.memory.text import canonical_key
from saegim.session.graph import SessionGraph
from saegim.session.nodes import (
    AGENT,
    QUERY,
    GraphSettings,
    Node,
    PackedVectors,
    SessionSettings,
    may_be_one,
    session_settings,
)
from saegim.settings import Settings
from session.minds import SECRET, graph, questions
from stand_ins import Blocks, Toy


def tied(made: SessionGraph, type: str) -> list[tuple[str, str, float]]:
    """Return the edges of a type: from, to, weight."""
    return [(e.source, e.target, e.weight) for e in made.edges() if e.type == type]


# -- what is one, what is tied --------------------------------------------------------------------


def test_the_defaults_are_those_of_seed_b() -> None:
    """Seed B, recommended settings: every number, in the house's settings as in the graph's own."""
    assert GraphSettings() == GraphSettings(
        max_nodes=1000,
        max_edges=4000,
        half_life_minutes=240.0,
        tau_dup=0.96,
        tau_sim=0.75,
        protect_min_degree=3,
        inverted_index=False,
    )
    agent = (AGENT.max_nodes, AGENT.max_edges, AGENT.half_life_minutes, AGENT.tau_dup)
    assert agent == (1000, 12_000, 1440.0, 0.96)
    assert (AGENT.tau_sim, AGENT.protect_min_degree, AGENT.inverted_index) == (0.78, 4, True)
    session = SessionSettings()
    assert (session.min_rank, session.max_promotions, session.min_degree) == (0.55, 20, 2)
    assert (session.checkpoint_top, session.checkpoint_pretty, session.bias) == (30, True, 0.05)
    assert session_settings(Settings()) == session


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_nodes": 2},
        {"max_edges": 0},
        {"half_life_minutes": 0.0},
        {"tau_dup": 0.5},
        {"tau_sim": 0.0},
        {"protect_min_degree": 0},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, float]) -> None:
    """A graph without room, or with thresholds the wrong way round, is not made."""
    with pytest.raises(BadInput):
        graph(**wrong)


def test_the_same_words_are_one_query_however_they_are_spaced() -> None:
    """D1: an exact duplicate by canonical key is asked again, not stored again."""
    clock = FixedClock()
    made = graph(clock)
    first = made.upsert_query("How do I deploy  the app?")
    clock.forward(minutes=5)
    assert made.upsert_query("how do i DEPLOY the app?") == first
    assert made.upsert_query("ｈｏｗ do I deploy the app?") == first
    node = made.node(first)
    assert (node.repeat, made.stats().nodes) == (2.0, 1)
    assert node.last_access == clock.now()
    assert node.canonical_key == canonical_key("how do i deploy the app?")


def test_tau_dup_joins_what_is_nearly_the_same() -> None:
    """D1: at or above tau_dup two questions are one; below it they are two."""
    made = graph(embedder=Static())
    first = made.upsert_query("서울 날씨 어때?")
    assert made.upsert_query("서울 날씨는 어때?") == first
    assert made.node(first).repeat == 1.0
    strict = graph(embedder=Static(), tau_dup=1.0)
    assert strict.upsert_query("서울 날씨 어때?") != strict.upsert_query("서울 날씨는 어때?")


def test_tau_sim_ties_what_is_alike() -> None:
    """D1: from tau_sim on a similar_to edge is made, with the cosine as its weight."""
    made = graph(embedder=Static())
    one = made.upsert_query("API 오류 원인이 뭐야?")
    two = made.upsert_query("민수가 맡은 API 오류는 어떻게 됐어?")
    far = made.upsert_query("점심 메뉴 추천해줘")
    vectors = [made.node(id).vector for id in (one, two)]
    ((source, target, weight),) = tied(made, "similar_to")
    assert (source, target) == (two, one)
    assert weight == pytest.approx(cosine(*vectors), abs=1e-5)
    assert weight >= made.settings.tau_sim
    assert made.degree(far) == 0
    assert tied(graph(embedder=Static(), tau_sim=0.95), "similar_to") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("송장 1042번 상태 알려줘", "송장 1043번 상태 알려줘"),
        ("회의는 3시에 시작해?", "회의는 4시에 시작해?"),
        ("내일 회의 있어?", "내일 회의 없어?"),
        ("민수가 지은이를 만났어?", "지은이가 민수를 만났어?"),
        ("Is invoice 12 paid?", "Is invoice 13 paid?"),
        ("Is the server running?", "Is the server not running?"),
        ("Did Alice email Bob?", "Did Bob email Alice?"),
    ],
)
def test_what_differs_in_a_number_a_no_or_a_role_is_never_joined(one: str, other: str) -> None:
    """U5.2: whatever their cosine, two questions that ask for different things stay two."""
    made = graph(embedder=Static(), tau_dup=0.5, tau_sim=0.5)
    assert made.upsert_query(one) != made.upsert_query(other)
    assert made.stats().edges == 1, "near enough to be joined, but for what they ask"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("송장 1042번 상태 알려줘", "1042번 송장 상태를 알려줘"),
        ("민수가 지은이를 만났어?", "민수가 지은이를 어제 만났어?"),
        ("Is invoice 12 paid?", "Is the invoice 12 paid yet?"),
    ],
)
def test_what_asks_for_the_same_may_be_joined(one: str, other: str) -> None:
    """Control: particles, order and small words do not keep two questions apart."""
    assert may_be_one(one, other)
    assert may_be_one(other, one)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("다음 주 제주도 여행 숙소를 예약해줘", "제주도여행 숙소 다음주에 예약해 줘"),
        ("회의는 언제 시작하나요?", "회의가 언제 시작되나요"),
        ("어제 고객이 신고한 서버 오류를 정리해줘", "고객이 어제 신고한 서버오류 정리해 줘"),
        ("세금 신고 기한이 언제까지인지 알려줘", "세금신고기한 언제까지야?"),
    ],
)
def test_korean_paraphrases_are_found_by_spelling_alone(said: str, asked: str) -> None:
    """D2: particles, spacing and order change; hashed n-grams still find the question first."""
    made = graph(embedder=Hashed())
    for other in questions(200):
        made.upsert_query(other)
    wanted = made.upsert_query(said)
    assert made.search_similar_queries(asked, 3)[0].id == wanted


# -- edges ----------------------------------------------------------------------------------------


def test_an_edge_is_there_once_and_grows() -> None:
    """D1: the key `from::type::to` names one edge; the same tie again adds to its weight."""
    made = graph()
    query, other = made.upsert_query("배포는 언제?"), made.upsert_query("점심 뭐 먹지?")
    answer = made.record_answer(query, "화요일입니다")
    assert made.record_answer(query, "화요일입니다") == answer
    assert made.record_answer(other, "화요일입니다") == answer
    edges = {edge.key: edge.weight for edge in made.edges()}
    assert edges == {
        f"{query}::responded_with::{answer}": 2.0,
        f"{other}::responded_with::{answer}": 1.0,
    }
    key = made.link(query, other, "similar_to", 0.4)
    assert key == f"{query}::similar_to::{other}"
    assert made.link(other, query, "similar_to", 0.25) == key, "similarity has no direction"
    assert {edge.key: edge.weight for edge in made.edges()}[key] == pytest.approx(0.65)
    assert made.degree(query) == 2


def test_a_tie_that_means_nothing_is_refused() -> None:
    """An edge ties what its type ties, with a weight that is one; else nothing changes."""
    made = graph()
    query = made.upsert_query("배포는 언제?")
    answer = made.record_answer(query, "화요일입니다")
    before = made.edges()
    for source, target, type in (
        (query, query, "similar_to"),
        (answer, query, "responded_with"),
        (query, answer, "similar_to"),
        (query, answer, "loves"),
    ):
        with pytest.raises(BadInput):
            made.link(source, target, type)
    for weight in (0.0, -1.0, float("nan"), float("inf"), True, "1"):
        with pytest.raises(BadInput):
            made.link(query, answer, "responded_with", weight)
    with pytest.raises(NotFound):
        made.link(query, "nobody", "similar_to")
    with pytest.raises(NotFound):
        made.record_answer(answer, "an answer has no answer")
    assert made.edges() == before


# -- feedback -------------------------------------------------------------------------------------


def test_feedback_spreads_along_ties_and_grows_fainter() -> None:
    """D1: the judged query learns all of it, its neighbours half, theirs a quarter, others none."""
    made = graph()
    one, two, three, four, alone = map(made.upsert_query, questions(5))
    for source, target in ((one, two), (two, three), (three, four)):
        made.link(source, target, "similar_to", 1.0)
    made.record_feedback(one, "up")
    assert [made.node(id).feedback for id in (one, two, three, four, alone)] == [1, 0.5, 0.25, 0, 0]
    made.record_feedback(one, "down", "틀렸어")
    assert [made.node(id).feedback for id in (one, two, three)] == [0, 0, 0]
    assert made.rank(one) == pytest.approx(made.rank(alone))


def test_a_weak_tie_carries_less() -> None:
    """D1: what spreads is weighed by the tie; a tie of many repetitions carries no more."""
    made = graph()
    one, weak, strong = map(made.upsert_query, questions(3))
    made.link(one, weak, "similar_to", 0.2)
    made.link(one, strong, "similar_to", 7.0)
    made.record_feedback(one, "up")
    assert made.node(weak).feedback == pytest.approx(0.1)
    assert made.node(strong).feedback == 0.5


def test_who_tries_again_was_not_helped_but_means_it() -> None:
    """D1: retry lowers the feedback and counts as asking again; up and down do not count."""
    made = graph()
    one = made.upsert_query("배포는 언제?")
    made.record_feedback(one, "retry")
    assert (made.node(one).feedback, made.node(one).repeat) == (-0.5, 1.0)
    made.record_feedback(one, "up")
    assert (made.node(one).feedback, made.node(one).repeat) == (0.5, 1.0)
    with pytest.raises(BadInput, match="sideways"):
        made.record_feedback(one, "sideways")


def test_the_same_judgement_is_one_node_and_a_note_is_kept() -> None:
    """D1: has_feedback accumulates; a judgement with words of its own is another one."""
    made = graph()
    one = made.upsert_query("배포는 언제?")
    up = made.record_feedback(one, "up")
    assert made.record_feedback(one, "up") == up
    noted = made.record_feedback(one, "up", "정확해요")
    assert noted != up
    assert made.node(noted).text == "정확해요"
    assert sorted(tied(made, "has_feedback")) == sorted([(one, up, 2.0), (one, noted, 1.0)])


def test_weights_can_be_carried_over() -> None:
    """D1 adjustWeights: both weights are added to; what is no number changes nothing."""
    made = graph()
    one = made.upsert_query("배포는 언제?")
    made.adjust_weights(one, feedback_delta=2.0, repeat_delta=3.0)
    made.adjust_weights(one, feedback_delta=-0.5)
    assert (made.node(one).repeat, made.node(one).feedback) == (3.0, 1.5)
    for wrong in (float("nan"), float("inf"), True):
        with pytest.raises(BadInput):
            made.adjust_weights(one, repeat_delta=wrong)
    with pytest.raises(NotFound):
        made.adjust_weights("nobody", repeat_delta=1.0)
    assert (made.node(one).repeat, made.node(one).feedback) == (3.0, 1.5)


def test_rank_is_the_formula_of_seed_b() -> None:
    """B §4.1: half of recency, three tenths of repeat, two tenths of feedback."""
    clock = FixedClock()
    made = graph(clock, half_life_minutes=60.0)
    one = made.upsert_query("배포는 언제?")
    made.adjust_weights(one, feedback_delta=2.0, repeat_delta=3.0)
    clock.forward(minutes=90)
    wanted = rank(recency_score=recency(90 * 60, 60 * 60), repeat=3.0, feedback=2.0)
    assert made.rank(one) == pytest.approx(wanted)


def test_decay_lowers_the_weights_themselves() -> None:
    """B §4.1 (T6): after one half-life every weight is half; called twice, it is still half."""
    clock = FixedClock()
    made = graph(clock, half_life_minutes=60.0)
    one = made.upsert_query("배포는 언제?")
    made.adjust_weights(one, feedback_delta=2.0, repeat_delta=4.0)
    made.record_answer(one, "화요일입니다")
    clock.forward(minutes=60)
    assert made.decay() == pytest.approx(0.5)
    assert made.decay() == 1.0
    node = made.node(one)
    assert (node.repeat, node.feedback) == (pytest.approx(2.0), pytest.approx(1.0))
    assert [edge.weight for edge in made.edges()] == [pytest.approx(0.5)]


# -- entities -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [
        "민수가 맡은 일은?",
        "민수에게 보낸 메일 찾아줘",
        "김민수 대리님 연락처",
        "어제 민수랑 뭐 했지?",
        "MINSU의 일정",
    ],
)
def test_a_new_query_refers_to_those_it_names(asked: str) -> None:
    """T6: names and aliases are found whatever particle they carry."""
    made = graph()
    who = made.upsert_entity("김민수", ["민수", "Minsu"])
    one = made.upsert_query(asked)
    assert tied(made, "refers_to_entity") == [(one, who, 1.0)]


@pytest.mark.parametrize("asked", ["민수기 용품 추천해줘", "minsus-team 채널", "점심 뭐 먹지?"])
def test_a_name_inside_another_word_is_no_name(asked: str) -> None:
    """T6: nobody is referred to by a part of a word."""
    made = graph()
    made.upsert_entity("민수", ["minsu"])
    made.upsert_query(asked)
    assert tied(made, "refers_to_entity") == []


def test_an_entity_is_met_again_under_any_of_its_names() -> None:
    """T6 upsertEntity: a known alias leads to the same entity, and new names join the old."""
    made = graph()
    who = made.upsert_entity("Alice Kim", ["앨리스"])
    assert made.upsert_entity("앨리스", ["Ali"]) == who
    assert made.node(who).aliases == ("앨리스", "Ali")
    one = made.upsert_query("What did alice kim say?")
    made.upsert_query("What did alice kim say?")
    assert tied(made, "refers_to_entity") == [(one, who, 2.0)]
    assert made.stats().by_type["entity"] == 1
    with pytest.raises(BadInput):
        made.upsert_entity("  ")


# -- looking --------------------------------------------------------------------------------------


def test_the_same_words_come_first_and_every_result_tells_its_numbers() -> None:
    """D1: id, score, sim, text and canonical key; the exact duplicate before the merely near."""
    made = graph(embedder=Static(), tau_dup=1.0)
    near, one = made.upsert_query("서울 날씨는 어때?"), made.upsert_query("서울 날씨 어때?")
    made.adjust_weights(near, repeat_delta=50.0, feedback_delta=50.0)
    made.adjust_weights(one, feedback_delta=-50.0)
    found = made.search_similar_queries("서울  날씨 어때?", 5)
    assert [each.id for each in found] == [one, near]
    assert found[0].score < found[1].score
    assert (found[0].sim, found[0].text) == (1.0, "서울 날씨 어때?")
    assert found[0].canonical_key == canonical_key("서울 날씨 어때?")
    assert 0 < found[1].score <= found[1].sim < 1
    assert made.search_similar_queries("   ", 5) == ()
    assert len(made.search_similar_queries("날씨", 1)) == 1
    for k in (0, -1, 1001, True, "5"):
        with pytest.raises(BadInput):
            made.search_similar_queries("배포", k)


def test_looking_changes_nothing() -> None:
    """A question asked of the mind is not a question in mind."""
    clock = FixedClock()
    made = graph(clock)
    made.upsert_query("배포는 언제?")
    before, version = made.to_snapshot(), made.version
    clock.forward(minutes=5)
    made.search_similar_queries("배포", 5)
    assert made.version == version
    assert made.to_snapshot()["nodes"] == before["nodes"]


def both_ways(embedder: Embedder) -> tuple[SessionGraph, SessionGraph]:
    """Return the same questions in a graph that is scanned and in one that is indexed."""
    scanned, indexed = (graph(embedder=embedder, inverted_index=each) for each in (False, True))
    for text in questions(150):
        scanned.upsert_query(text)
        indexed.upsert_query(text)
    return scanned, indexed


ASKED = [*questions(150)[::10], *questions(15, seed=2), "배포 예산 회의", "server budget"]


@pytest.mark.parametrize("embedder", [Hashed(), Bag()], ids=["hashed", "bag"])
def test_the_inverted_index_finds_exactly_what_the_scan_finds(embedder: Embedder) -> None:
    """D1 enableInvertedIndex: the same results in the same order, all of them."""
    scanned, indexed = both_ways(embedder)
    for asked in ASKED:
        wanted = [(m.text, m.sim, m.score) for m in scanned.search_similar_queries(asked, 10)]
        assert [
            (m.text, m.sim, m.score) for m in indexed.search_similar_queries(asked, 10)
        ] == wanted
        assert wanted


def test_the_inverted_index_over_meanings_keeps_the_best() -> None:
    """D1 enableInvertedIndex: dense vectors have no pieces; by their words the best is found."""
    scanned, indexed = both_ways(Static())
    for asked in ASKED:
        (wanted,) = scanned.search_similar_queries(asked, 1)
        (found,) = indexed.search_similar_queries(asked, 1)
        assert (found.text, found.sim) == (wanted.text, pytest.approx(wanted.sim, abs=1e-5))


def test_the_inverted_index_looks_at_fewer() -> None:
    """D1 enableInvertedIndex: what shares no piece with the question is not compared at all."""
    made = graph(inverted_index=True)
    for text in ("배포 일정", "점심 메뉴", "deploy plan"):
        made.upsert_query(text)
    (vector,) = Hashed().embed(["점심 먹자"], "document")
    likely = made._held.postings.candidates(vector, "점심 먹자")
    assert [made.node(id).text for id in likely] == ["점심 메뉴"]


# -- what may not be here -------------------------------------------------------------------------


def test_no_secret_enters_the_graph() -> None:
    """U22.1: words pass the guard before anything else sees them, in every kind of node."""
    made = graph()
    one = made.upsert_query(f"이 키로 접속해줘 {SECRET}")
    made.record_answer(one, f"접속했습니다: {SECRET}")
    made.record_feedback(one, "down", f"{SECRET} 라고 했잖아")
    made.upsert_entity("서버", [f"서버 {SECRET}"])
    assert "[secret:" in made.node(one).text
    assert SECRET not in str(made.to_snapshot())
    assert made.upsert_query(f"이 키로 접속해줘 {SECRET}") == one


@pytest.mark.parametrize("text", ["", "  ", "x" * 100_001, "half \ud800", "nul \x00", 7, None])
def test_what_cannot_be_kept_is_refused(text: object) -> None:
    """A query must be words, whole, and not a book; refused, it leaves no trace."""
    made = graph()
    with pytest.raises(BadInput):
        made.upsert_query(text)
    assert made.stats().nodes == 0


def test_pinning_is_bounded_so_that_the_mind_is() -> None:
    """D1: at most half of the nodes can be pinned; the next one is refused with what to do."""
    made = graph(max_nodes=8)
    ids = [made.upsert_query(text) for text in questions(8)]
    for id in ids[:4]:
        made.pin(id)
    made.pin(ids[0])
    with pytest.raises(Refused, match="pinned"):
        made.pin(ids[5])
    made.unpin(ids[0])
    made.pin(ids[5])
    assert made.stats().pinned == 4


# -- faults and threads ---------------------------------------------------------------------------


def test_an_embedder_that_is_away_costs_no_query() -> None:
    """Questions are kept by their words, and get their vectors when it is back."""
    toy = Toy()
    toy.fails = lambda call: call <= 3
    made = graph(embedder=toy)
    first = made.upsert_query("배포 일정 언제")
    assert made.upsert_query("배포 일정  언제") == first
    made.upsert_query("점심 메뉴 추천")
    assert made.search_similar_queries("배포 일정 언제", 3)[0].id == first, "by its words"
    assert made.node(first).vector is None
    (best, *_) = made.search_similar_queries("배포 일정", 3)
    assert best.id == first
    assert all(node.vector is not None for node in made.nodes("query"))


def test_an_embedder_that_becomes_another_is_never_compared_with_itself() -> None:
    """D2: when the space changes under way, the old vectors are made anew."""
    toy = Toy(model="before")
    made = graph(embedder=toy)
    made.upsert_query("배포 일정 언제")
    toy.model = "after"
    made.upsert_query("점심 메뉴 추천")
    made.search_similar_queries("배포 일정", 3)
    wanted = Toy(model="after")._vector("배포 일정 언제")
    assert made.nodes("query")[0].vector == pytest.approx(wanted)


def test_many_threads_share_one_mind() -> None:
    """D3 §4.5: nothing is stored twice, no count is lost, and the bounds hold throughout."""
    made = graph(max_nodes=64, max_edges=64)
    texts = questions(40)

    def live(number: int) -> None:
        for text in texts[number % 4 :] + texts:
            id = made.upsert_query(text)
            try:
                made.record_answer(id, f"answer to {text}")
                made.record_feedback(id, "up")
            except NotFound:
                continue  # another thread's words have taken its place
            made.search_similar_queries(text, 3)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(live, range(8)))
    stats = made.stats()
    assert stats.nodes <= 64
    assert stats.edges <= 64
    keys = [(node.type, node.canonical_key) for node in made.nodes()]
    assert len(keys) == len(set(keys))
    ids = {node.id for node in made.nodes()}
    assert all({edge.source, edge.target} <= ids for edge in made.edges())


def test_no_repetition_is_lost_between_threads() -> None:
    """D3 §4.5: eight threads ask the same question a hundred times; it was asked 800 times."""
    made = graph()
    with ThreadPoolExecutor(8) as threads:
        ids = set(threads.map(lambda _: made.upsert_query("배포는 언제?"), range(800)))
    assert [made.node(id).repeat for id in ids] == [799.0]


def test_time_comes_from_outside() -> None:
    """No part of the graph reads the hour by itself."""
    clock = FixedClock()
    clock.forward(days=-3650)
    made = graph(clock)
    one = made.upsert_query("배포는 언제?")
    assert made.node(one).created_at == clock.now()
    clock.forward(minutes=240)
    assert made.rank(one) == pytest.approx(0.25)
    assert clock.now() - made.node(one).last_access == timedelta(minutes=240)


def test_equal_questions_come_as_they_came_on_every_processor() -> None:
    """U21.2: where a last digit would round the other way, equals still stand in their order."""
    edge = np.float32(0.5000005)  # a little below: the next number is above
    row = np.array([edge, np.sqrt(1 - edge**2), 0, 0], dtype=np.float32)
    at = FixedClock().at
    about: dict[str, Any] = {"type": QUERY, "text": "tea", "canonical_key": "tea", "vector": row}
    packed = PackedVectors(
        Node(id=f"n{n}", created_at=at, last_access=at, **about) for n in range(1, 10)
    )
    asked = np.array([1, 0, 0, 0], dtype=np.float32).view(Blocks)
    # Control: the same question by blocks of rows rounds apart.
    assert len(set(np.round((packed._rows @ asked).astype(np.float64), 6).tolist())) == 2
    found = packed.nearest(asked)
    assert [id for id, _ in found] == [f"n{n}" for n in range(1, 10)]
    assert len({cosine for _, cosine in found}) == 1
