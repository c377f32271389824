"""What the seeds and the users ask of recall, tried on the whole of it through the facade."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from saegim import FixedClock, Saegim, Settings, State
from saegim.engines.tokens import estimate
from saegim.errors import NotFound, Refused
from saegim.memory.memory import Memory
from saegim.recall.compose.card import Card
from saegim.recall.flow import Recollection
from saegim.recall.rank import Hit
from stand_ins import rounds, shelve

DATA = Path(__file__).parents[1] / "data"
# Minsu leads to Jihun, Jihun to his dog, and no word leads from the first to the last.
CIRCLE = {
    "en": ("Minsu works with Jihun", "Jihun has a dog called Bori", "What about Minsu?"),
    "ko": ("민수는 지훈이랑 일한다", "지훈이네 강아지 이름은 보리야", "민수 어때?"),
}


def texts(found: Recollection) -> list[str]:
    """Return what an answer says, best first."""
    return [hit.memory.text for hit in found.hits]


def hit_of(found: Recollection, text: str) -> Hit:
    """Return the hit with these words."""
    return next(hit for hit in found.hits if hit.memory.text == text)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Saegim]]:
    """Open the same store with one setting or another, and close it again."""
    held: list[Saegim] = []

    def again(**settings: Any) -> Saegim:
        clock = settings.pop("clock", None) or FixedClock()
        held.append(Saegim.open(tmp_path / "same.db", clock=clock, **settings))
        return held[-1]

    yield again
    for each in held:
        each.close()


# -- seed A: coordinates --------------------------------------------------------------------------


def test_what_is_stored_is_got_with_all_its_coordinates(opened: Callable[..., Saegim]) -> None:
    """Seed A §9.2, scenario 1: stored, got by its id, the same in another process's hands."""
    kept = opened().remember(
        "합의에 이르렀다",
        session="sess_20251012_090000",
        project="persona_orchestration",
        domain="AGI_prototype",
        persona="synthesis",
        phase="integration",
        words=["clarity"],
        tags=["AGI_design"],
        importance=0.7,
        happened_at="2025-10-12T09:30:22.123456Z",
    )
    assert kept.status == "stored"
    got = opened().get(kept.id)
    assert got == kept.memory
    assert (got.agent.persona, got.space.domain, got.rhythm.phase) == (
        "synthesis",
        "AGI_prototype",
        "integration",
    )
    with pytest.raises(NotFound):
        opened().get("mem_20251012_093022_a4f3")


def test_every_condition_holds_among_five_thousand(tmp_path: Path) -> None:
    """Seed A §9.2, scenario 2, with §5's bqi_filters, among the memories of §9.1, all by night."""
    each_day = rounds(500, 130)
    with Saegim.open(tmp_path / "m.db", clock=FixedClock(), durability="fast") as memory:
        for day in range(10):
            shelve(
                memory,
                [f"AGI memory note {day} {number}" for number in range(each_day)],
                domain=f"day{day}",
                persona=("thesis", "synthesis")[day % 2],
                importance=0.4 if day == 5 else 0.6,
                phase="integration" if day > 2 else "exploration",
                words=["doubt"] if day == 3 else ["clarity"],
                happened_at=f"2025-10-{10 + day}T09:00:00Z",
            )
        until = (datetime(2025, 10, 10, tzinfo=UTC), datetime(2025, 10, 18, tzinfo=UTC))
        coordinates = {"rhythm_phase": "integration", "emotion": "clarity"}
        wanted: dict[str, Any] = {
            "persona_id": "synthesis",
            "time_range": until,
            "min_importance": 0.5,
            "bqi_filters": coordinates,
        }
        assert len(memory.search("AGI memory", limit=3, **wanted)) == 3
        found = memory.search("AGI memory", limit=1000, **wanted)
        assert {each.space.domain for each in found} == {"day7"}
        assert len(found) == each_day
        best = memory.recall("AGI memory note 7 123", limit=3, **wanted).hits
        assert best[0].memory.text == "AGI memory note 7 123"
        assert {hit.memory.space.domain for hit in best} == {"day7"}
        # Each condition keeps something out: without it, more is found.
        less = [{key: wanted[key] for key in wanted if key != name} for name in wanted]
        less += [wanted | {"bqi_filters": {key: value}} for key, value in coordinates.items()]
        assert all(memory.recent(1, **each).total > each_day for each in less)


def test_phase_and_feeling_narrow_every_way_of_asking(memory: Saegim) -> None:
    """Seed A §5.2, step 5: bqi_filters hold for search, recall and what goes into a prompt."""
    there = memory.remember("배포 회의에서 합의했다", phase="integration", words=["clarity"])
    memory.remember("배포 회의가 길어졌다", phase="exploration", words=["doubt"])
    same: dict[str, Any] = {
        "bqi_filters": {"rhythm_phase": "integration", "emotion": ["clarity", "joy"]}
    }
    assert len(memory.recall("배포 회의").hits) == 2
    assert [each.id for each in memory.search("배포 회의", **same)] == [there.id]
    assert [hit.memory.id for hit in memory.recall("배포 회의", **same).hits] == [there.id]
    assert [card.id for card in memory.context("배포 회의", **same).cards] == [there.id]


# -- seeds C and E: words, vectors and ties -------------------------------------------------------


@pytest.mark.parametrize("language", CIRCLE)
def test_the_graph_brings_what_words_and_vectors_do_not_know(
    opened: Callable[..., Saegim], language: str
) -> None:
    """Seed C, layer 2, and seed E, verification 3: three sources, one answer; without ties, two."""
    near, far, question = CIRCLE[language]
    memory = opened()
    memory.remember(near)
    memory.remember(far)
    found = memory.recall(question)
    assert {path.name for path in found.paths if path.ran} >= {"words", "vector", "graph"}
    assert set(hit_of(found, near).paths) >= {"words", "vector", "graph"}
    assert hit_of(found, far).paths == ("graph",)
    assert hit_of(found, far).hops == 2
    assert texts(opened(graph_hops=0).recall(question)) == [near]


def test_what_ties_lend_is_added_by_its_share(opened: Callable[..., Saegim]) -> None:
    """Seed E, phase 2: found by several sources, a memory gets a weighted part of each."""
    near, far, question = CIRCLE["en"]
    for text in (near, far):
        opened().remember(text)
    with_ties = hit_of(opened().recall(question), far)
    without = hit_of(opened(graph_share=0.0).recall(question), far)
    lent = with_ties.weighed.relevance - without.weighed.relevance
    assert lent == pytest.approx(Settings().graph_share * with_ties.graph)
    assert lent > 0
    meaning, both, words = (
        hit_of(opened(graph_share=0.0, words_share=share).recall("a dog in the park"), far)
        for share in (0.0, 0.5, 1.0)
    )
    between = (meaning.weighed.relevance + words.weighed.relevance) / 2
    assert both.weighed.relevance == pytest.approx(between)
    assert meaning.weighed.relevance != pytest.approx(words.weighed.relevance)


@pytest.mark.parametrize("language", CIRCLE)
def test_relations_are_followed_one_two_and_three_ties_far(memory: Saegim, language: str) -> None:
    """Seed C, memory_get_related: depth 1 names, depth 2 reaches, depth 3 reaches behind that."""
    near, far, _ = CIRCLE[language]
    start = memory.remember(near).id
    far_id = memory.remember(far).id
    reached = [{each.key: each for each in memory.related(start, depth=n)} for n in (1, 2, 3)]
    assert all(key.startswith("entity:") for key in reached[0])
    assert far_id not in reached[0]
    assert far_id in reached[1]
    assert reached[0].keys() < reached[1].keys() < reached[2].keys()
    way = reached[1][far_id]
    assert (way.hops, len(way.path)) == (2, 2)
    assert start in way.path[0]
    assert far_id in way.path[1]


@pytest.mark.parametrize(
    ("hates", "likes", "about", "who", "what"),
    [
        ("민수는 자바를 싫어해", "서연은 자바를 좋아해", "자바는 섬이다", ("민수", "서연"), "자바"),
        ("Minsu dislikes Java", "Dana likes Java", "Java runs on the server",
         ("minsu", "dana"), "java"),
    ],
)  # fmt: skip
def test_a_negative_relation_is_marked(
    memory: Saegim, hates: str, likes: str, about: str, who: tuple[str, str], what: str
) -> None:
    """Seed C, layer 3: 싫어함 and dislikes are seen as such, and 좋아함 is not."""
    for text in (hates, likes, about):
        memory.remember(text)
    marks = []
    for name in who:
        near = {each.key: each for each in memory.related(f"entity:{name}", depth=1)}
        marks.append(near[f"entity:{what}"].negative)
    assert marks == [True, False]


def test_the_graph_keeps_step_with_saving_and_forgetting(memory: Saegim) -> None:
    """Seed C, layer 3: a memory is in the graph with its saving, and out of it with its leaving."""
    near, far, question = CIRCLE["en"]
    memory.remember(near)
    leaves = memory.remember(far).id

    def in_graph() -> tuple[bool, bool]:
        around = {each.key for each in memory.related("entity:jihun", depth=1)}
        return leaves in around, far in texts(memory.recall(question))

    assert in_graph() == (True, True)
    memory.forget(leaves)
    assert in_graph() == (False, False)
    memory.restore(leaves)
    assert in_graph() == (True, True)


# -- seed C: the composer -------------------------------------------------------------------------

LONG = (
    "민수는 부산에 산다. 우리 팀 서버는 부산에 있다. 장애가 나면 먼저 지훈에게 알리고, 그다음 "
    "게시판에 적고, 마지막으로 고객에게 메일을 보낸다. 밤에는 당직이 혼자 판단하지 않고 두 사람이 "
    "함께 확인한 뒤에 다시 켠다. 켠 뒤에는 한 시간 동안 지켜본다."
)
GARDEN = (
    "민수는 봄마다 옥상에 상추와 고추를 심는다. 흙은 지난해 것을 체로 걸러 다시 쓰고, 물은 해가 "
    "지고 나서 준다. 벌레가 생기면 약을 치지 않고 손으로 잡으며, 남는 것은 아래층 이웃과 나눈다. "
    "가을에는 빈 화분을 씻어 말려 두고, 씨앗은 봉투에 이름과 날짜를 적어 서랍에 넣는다."
)
RUMOUR = (
    "민수는 주말에 강가를 달린다고 한다. 다리 밑에서 몸을 풀고, 두 번째 다리까지 갔다가 돌아오며, "
    "비가 오면 체육관에서 걷는다. 신발은 반년마다 바꾸고, 기록은 공책에 적는데 누구에게도 보여 "
    "주지 않는다. 올해는 가까운 대회에 한 번 나가 볼까 생각하는 모양이다."
)
ALL_THREE = "민수: 서버 장애, 옥상 상추와 고추, 주말 강가 달리기"


def test_a_smaller_budget_takes_a_shorter_form(memory: Saegim) -> None:
    """Seed C, layer 2: the text, then at most 100 characters, then triples, then nothing."""
    memory.remember(LONG)
    forms: list[str] = []
    for budget in range(700, 20, -10):
        made = memory.context("민수는 어디 살아?", budget=budget)
        assert estimate(made.text) <= made.tokens <= budget
        (form, words), *more = [(card.form, card.words) for card in made.cards] or [("none", "")]
        assert not more
        assert form != "text" or words == LONG
        assert form != "brief" or 0 < len(words) <= 100
        assert form != "triples" or words.startswith("민수 거주함 부산")
        forms.append(form)
        assert (made.text == "") == (form == "none")
    assert list(dict.fromkeys(forms)) == ["text", "brief", "triples", "none"]
    assert forms == sorted(forms, key=["text", "brief", "triples", "none"].index)


def fixed(memory: Memory) -> tuple[object, ...]:
    """Return what nobody but a person may change."""
    return memory.text, memory.life, memory.content, memory.time, memory.kind


def test_what_is_held_fast_is_not_moved_by_recall_or_feedback(
    memory: Saegim, clock: FixedClock
) -> None:
    """Seed C: pinned and immutable words, state and tier stay, and are shown whole after weeks.

    Only what passes fades (decision 0012), so the control is told to be passing.
    """
    held = [
        memory.remember(LONG, pinned=True).memory,
        memory.remember(GARDEN, immutable=True).memory,
    ]
    faded = memory.remember(RUMOUR, lifetime="passing").memory
    for _ in range(2):
        clock.forward(days=42)
        memory.sleep("fade")
    for _ in range(3):
        memory.recall(ALL_THREE)
        made = memory.context(ALL_THREE, budget=8000, recipe="prompt")
        forms = {card.id: card.form for card in made.cards}
        assert [forms[each.id] for each in held] == ["text", "text"]
        assert forms[faded.id] == "brief"
        for each in held:
            for label in ("down", "wrong", "retry"):
                memory.feedback(each.id, label)
    memory.mind.traces.flush()  # type: ignore[union-attr]
    for each in held:
        now = memory.get(each.id)
        assert fixed(now) == fixed(each)
        assert now.worth.recalled >= 3
        assert now.worth.feedback < 0
    with pytest.raises(Refused):
        memory.update(held[1].id, "다른 말")


# -- users: what holds, what held, what is weak ---------------------------------------------------


def stories() -> list[dict[str, str]]:
    """Return the stories of change that ask something afterwards."""
    lines = [
        line
        for name in ("changes_tune", "changes_held")
        for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    return [story for story in map(json.loads, lines) if "ask" in story]


def told(room: Saegim, story: dict[str, str]) -> bool:
    """Tell a story of change; say whether it was read as one (perceive measures how many are)."""
    room.observe(story["old"], session="s", said_at="2025-01-05T09:00:00+09:00")
    seen = room.observe(story["new"], session="s", said_at="2025-06-05T09:00:00+09:00")
    return any(each.supersedes for each in (*seen.kept, *seen.facts))


def test_the_old_value_is_never_put_into_a_prompt_as_current(memory: Saegim) -> None:
    """U19.1: stories of change in both languages; in a prompt for history it stands marked."""
    read = history = 0
    for at, story in enumerate(stories()):
        room = memory.within(user=f"person{at}")
        if not told(room, story):
            continue
        read += 1

        def old(story: dict[str, str] = story, room: Saegim = room, **filters: Any) -> list[Card]:
            cards = room.context(story["ask"], **filters).cards
            return [card for card in cards if card.date < "2025-06-01"]

        assert [card for card in old() if not card.marks] == [], story
        assert all(hit.memory.life.state is State.ACTIVE for hit in room.recall(story["ask"]).hits)
        history += bool(old(history=True))
    assert read >= 30
    # Control: the old value is there, and would be seen if it came.
    assert history >= 20


@pytest.mark.parametrize(
    ("sentence", "question", "values"),
    [
        ("나는 {}에 산다", "나 어디 살아?", ("부산", "대구", "서울")),
        ("The server runs version {}", "server version", ("14", "15", "16")),
        ("팀장은 {}이다", "팀장이 누구야?", ("민수", "서연", "지훈")),
    ],
)
def test_a_prompt_can_be_made_as_of_another_time(
    memory: Saegim, clock: FixedClock, sentence: str, question: str, values: tuple[str, ...]
) -> None:
    """U20.3: what goes into a prompt for a month is the value of that month, and no other."""
    start = clock.at
    kept = memory.remember(sentence.format(values[0]))
    for value in values[1:]:
        clock.forward(days=30)
        kept = memory.update(kept.id, sentence.format(value))
    for month, value in enumerate(values):
        then = memory.context(question, as_of=start + timedelta(days=30 * month + 10))
        assert [card.words for card in then.cards] == [sentence.format(value)]
    assert memory.context(question, as_of=start - timedelta(days=1)).text == ""
    assert [card.words for card in memory.context(question).cards] == [sentence.format(values[-1])]


NOTES = (
    "배포는 매주 화요일 오후에 한다",
    "고양이 나비는 참치를 좋아한다",
    "치과 예약은 다음 달 3일이다",
    "서연은 첼로를 배운다",
    "We moved the standup to ten",
    "파란 주전자는 할머니가 주셨다",
)


@pytest.mark.parametrize("embedder", ["static", "hashed"])
def test_what_is_weak_is_counted_and_never_hidden(
    opened: Callable[..., Saegim], embedder: str
) -> None:
    """U17.2: search gives the same memories whatever the floor; a prompt takes only the strong."""
    for text in NOTES:
        opened(embedder=embedder).remember(text)
    strict = opened(embedder=embedder, relevance_floor=0.9)
    open_handed = opened(embedder=embedder, relevance_floor=0.0)
    vague, exact = "매주 수영을 다닌다던데", NOTES[0]
    found = strict.recall(vague)
    assert found.hits
    assert len(found.hits) == sum(hit.weak for hit in found.hits)
    assert found.below_floor == len(found.hits) + found.hidden
    assert texts(found) == texts(open_handed.recall(vague))
    assert not any(hit.weak for hit in open_handed.recall(vague).hits)
    nothing = strict.context(vague)
    assert (nothing.text, nothing.cards, nothing.below_floor) == ("", (), found.below_floor)
    assert open_handed.context(vague).cards
    assert not hit_of(strict.recall(exact), exact).weak
    assert [card.words for card in strict.context(exact).cards][:1] == [exact]


# -- users: what was shown, and by which name -----------------------------------------------------


def test_a_trace_gives_back_the_ids_of_its_answer(opened: Callable[..., Saegim]) -> None:
    """U32.2: recall and prompt are each replayed by their trace, in order; off means no trace."""
    memory = opened()
    for text in ("파란 주전자는 부엌에 있다", "빨간 주전자는 창고에 있다", "주전자를 닦았다"):
        memory.remember(text)
    found, made = memory.recall("주전자 어디 있지?"), memory.context("주전자 어디 있지?")
    ids = tuple(hit.memory.id for hit in found.hits)
    cards = tuple(card.id for card in made.cards)
    assert len(ids) == 3
    assert cards
    assert found.trace != made.trace
    memory.close()
    later = opened(traces=False)
    store = later.mind.store
    assert store.traces.shown(later.scope, found.trace) == ids
    assert store.traces.shown(later.scope, made.trace) == cards
    assert later.get(ids[0]).worth.recalled == 2
    assert (later.recall("주전자").trace, later.context("주전자").trace) == ("", "")
    with pytest.raises(NotFound):
        store.traces.shown(later.within(user="someone").scope, found.trace)


def test_the_handle_on_a_card_is_taken_by_every_verb(memory: Saegim) -> None:
    """U32.3: what stands in the prompt is enough to look up, judge, correct and forget."""
    memory.remember("배포는 화요일에만 한다")
    (card,) = memory.context("배포는 언제 하지?").cards
    handle = card.handle
    assert f"{handle} " in memory.context("배포는 언제 하지?").text
    assert memory.get(handle).id == card.id
    assert memory.feedback(handle, "used").memory.id == card.id
    assert memory.related(handle, depth=2) == memory.related(card.id, depth=2)
    assert memory.history(handle).versions[0].id == card.id
    new = memory.update(handle, "배포는 수요일에만 한다")
    assert new.supersedes == (card.id,)
    assert memory.get(handle).id == new.id
    assert memory.get(handle, exact=True).id == card.id
    (card,) = memory.context("배포는 언제 하지?").cards
    assert [each.id for each in memory.forget(card.handle).memories] == [new.id]
    assert memory.context("배포는 언제 하지?").text == ""
    assert [each.id for each in memory.restore(card.handle)] == [new.id]
    with pytest.raises(NotFound):
        memory.within(user="someone").get(card.handle)


# -- the numbers, and the mind as one opens it ----------------------------------------------------


def test_the_numbers_in_the_tables_are_the_defaults(memory: Saegim) -> None:
    """U9.1 and docs/seeds.md: what the tables say of recall is what an open memory does."""
    used = memory.mind.settings
    assert memory.context("무엇이든").budget == used.context_budget == 1500
    assert (used.graph_hops, used.graph_share, used.words_share) == (2, 0.15, 0.4)
    assert (used.context_pool, used.mmr_lambda, used.most_per_source) == (32, 0.85, 3)
    assert used.prompt_budget == 4096
    shares = [getattr(used, f"share_{part}") for part in ("system", "profile", "memories")]
    shares += [getattr(used, f"share_{part}") for part in ("few_shot", "user", "reserve")]
    assert shares == [0.15, 0.10, 0.20, 0.05, 0.40, 0.10]


def test_a_session_is_held_through_the_facade(memory: Saegim) -> None:
    """Seed B, D3 and D4's sample: ask, judge, search, end; memories and a file are left behind."""
    mind, question = memory.working, "배포 서버 오류는 누가 보나요?"
    asked = mind.upsert_query("talk", question)
    assert mind.upsert_query("talk", f"  {question} ") == asked
    mind.record_answer("talk", asked, "지은이 봅니다")
    mind.record_feedback("talk", asked, "up")
    assert [(each.id, each.source) for each in mind.search("talk", question)] == [
        (asked, "session")
    ]
    assert memory.recent(1).total == 0
    left = mind.finalize_session("talk")
    assert left.checkpoint is not None
    assert left.checkpoint.parent.parent == memory.home / "sessions"
    (kept,) = memory.recent().memories
    assert (kept.text, kept.scope.session) == (question, "talk")
    assert (kept.worth.repeat, kept.worth.feedback > 0) == (1.0, True)
    assert [each.source for each in mind.search("other", question)] == ["agent"]
    assert memory.sessions.ids() == ["talk"]
    assert memory.sessions.one("talk").turns == 2
