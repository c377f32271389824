"""New memories meet what is known: people, ties, and what no longer holds."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from saegim import FixedClock, Saegim, State
from saegim.errors import NotFound
from saegim.language.claims import compared
from saegim.memory.entities import CONTRADICTS, REFERS_TO
from saegim.perceive.agent_extraction import hand_in, lend
from saegim.perceive.moment import Kept

DATA = Path(__file__).parents[1] / "data"
BEFORE, AFTER = "2026-01-10T09:00:00+09:00", "2026-03-10T09:00:00+09:00"

# The common changes, in both languages: an older sentence, and the newer one that ends it.
CHANGES = [
    ("나는 서울에 살아", "나 지난달에 부산으로 이사했어"),
    ("저는 대전에 살고 있어요", "저 이제 광주에 살아요"),
    ("나는 커피를 좋아해", "나 이제 커피 싫어해"),
    ("나는 네이버에서 일해", "나 카카오로 이직했어"),
    ("우리는 파이썬 3.11을 쓴다", "파이썬을 3.12로 올렸다"),
    ("주간 회의는 월요일 10시야", "주간 회의는 화요일 10시로 바뀌었어"),
    ("내가 제일 좋아하는 색은 파란색이야", "내가 제일 좋아하는 색은 초록색이야"),
    ("I live in Boston", "I moved to Denver last month"),
    ("I like coffee", "I don't like coffee anymore"),
    ("I work at Acme", "I work at Globex now"),
    ("We use Postgres 14", "We upgraded Postgres to 16"),
    ("My favourite colour is blue", "My favourite colour is green"),
    ("The standup is at 9am", "The standup moved to 10am"),
]
STAY = [
    ("나는 커피를 좋아해", "나는 홍차를 좋아해"),
    ("민수는 서울에 살아", "지은이는 부산에 살아"),
    ("I like coffee", "My sister hates coffee"),
    ("I live in Boston", "I lived in Denver as a child"),
    ("나는 서울에 살아", "만약 내가 부산에 산다면 매일 바다에 갈 텐데"),
]


@pytest.mark.parametrize(("old", "new"), CHANGES, ids=[new for _, new in CHANGES])
def test_the_newer_claim_ends_the_older_one(memory: Saegim, old: str, new: str) -> None:
    """U5.3 and U19.1: both are kept, only the newer is recalled, the older has an end."""
    first = memory.remember(old, happened_at=BEFORE)
    second = memory.remember(new, happened_at=AFTER)
    assert second.supersedes == (first.id,)
    assert [each.text for each in memory.recent(10).memories] == [new]
    ended = memory.get(first.id, exact=True)
    assert ended.life.state is State.SUPERSEDED
    assert ended.time.valid_to == second.memory.time.happened_at
    assert [each.text for each in memory.history(first.id).versions] == [old, new]
    assert memory.get(first.id).id == second.id


@pytest.mark.parametrize(("old", "new"), STAY, ids=[new for _, new in STAY])
def test_what_only_looks_like_a_change_stays(memory: Saegim, old: str, new: str) -> None:
    """U5.2: another person, another thing, an addition, a wish: nothing ends."""
    memory.remember(old, happened_at=BEFORE)
    second = memory.remember(new, happened_at=AFTER)
    assert (second.supersedes, second.contradicts) == ((), ())
    assert len(memory.recent(10).memories) == 2


def test_what_was_said_earlier_does_not_end_what_was_said_later(memory: Saegim) -> None:
    """U19.1: heard in the wrong order, the one said last still holds."""
    later = memory.remember("나는 부산에 살아", happened_at=AFTER)
    earlier = memory.remember("나는 서울에 살아", happened_at=BEFORE)
    assert earlier.memory.life.state is State.SUPERSEDED
    assert [each.id for each in memory.recent(10).memories] == [later.id]


def test_what_cannot_be_decided_is_shown_with_both_dates(memory: Saegim) -> None:
    """U19.2: a stranger's claim does not end mine; both are shown, marked, my own first."""
    mine = memory.remember("나는 서울에 살아", happened_at=BEFORE)
    page = memory.remember("나는 부산에 살아", happened_at=AFTER, origin="web")
    assert (page.supersedes, page.contradicts) == ((), (mine.id,))
    hits = memory.recall("나는 어디에 살아").hits
    assert [(hit.memory.id, hit.conflicts) for hit in hits] == [
        (mine.id, (page.id,)),
        (page.id, (mine.id,)),
    ]
    (link,) = memory.mind.store.links.of(memory.scope, [page.id], [CONTRADICTS])
    assert link.target == mine.id


def test_the_newer_of_two_leads_even_where_it_ranks_lower(memory: Saegim) -> None:
    """U19.2, control: without the mark the older one would stand first."""
    mine = memory.remember("나는 서울에 살아", happened_at=AFTER)
    page = memory.remember("나는 부산에 살아", happened_at=BEFORE, origin="web")
    assert page.contradicts == (mine.id,)
    assert [hit.memory.id for hit in memory.recall("부산에 살아").hits] == [mine.id, page.id]


def test_an_immutable_memory_is_contradicted_not_ended(memory: Saegim) -> None:
    """DESIGN 4b: what was made to stay stays."""
    fixed = memory.remember("나는 서울에 살아", happened_at=BEFORE, immutable=True)
    new = memory.remember("나는 부산에 살아", happened_at=AFTER)
    assert (new.supersedes, new.contradicts) == ((), (fixed.id,))


def test_versions_hold_inside_their_project(memory: Saegim) -> None:
    """U13.2: another project's database is another thing; where someone lives is not."""
    one, other = memory.within(project="shop"), memory.within(project="blog")
    one.remember("We use Postgres 14", happened_at=BEFORE)
    assert other.remember("We use Postgres 16", happened_at=AFTER).supersedes == ()
    home = one.remember("나는 서울에 살아", happened_at=BEFORE)
    assert other.remember("나는 부산에 살아", happened_at=AFTER).supersedes == (home.id,)


def test_a_turn_that_only_said_what_is_outdated_is_outdated_too(memory: Saegim) -> None:
    """U19.1: the source of a superseded fact does not come back as current."""
    said = memory.observe("안녕! 나는 서울에 살아.", session="s", said_at=BEFORE)
    assert said.facts
    memory.remember("나는 부산에 살아", happened_at=AFTER)
    assert [each.text for each in memory.recent(10).memories] == ["나는 부산에 살아"]


def test_a_turn_that_said_more_stays(memory: Saegim) -> None:
    """U19.1, control: one outdated sentence does not hide the others."""
    text = "나는 서울에 살아. 그리고 고양이 두 마리를 키우고 있어."
    memory.observe(text, session="s", said_at=BEFORE)
    memory.remember("나는 부산에 살아", happened_at=AFTER)
    assert text in [each.text for each in memory.recent(10).memories]


def test_a_sentence_that_says_two_things_is_not_ended_by_one(memory: Saegim) -> None:
    """U5.1: what still holds must not vanish with what does not; the two are shown as they are."""
    both = memory.remember(
        "우리 프로젝트는 PostgreSQL 15를 쓰고 배포는 매주 화요일에 해", happened_at=BEFORE
    )
    new = memory.remember("PostgreSQL을 16으로 올렸어", happened_at=AFTER)
    assert (new.supersedes, new.contradicts) == ((), (both.id,))
    assert len(memory.recent(10).memories) == 2


def test_a_text_that_says_more_than_it_claims_is_not_ended(memory: Saegim) -> None:
    """U5.1: the sentences that nobody understood must not vanish with the one that is outdated."""
    long = memory.remember(
        "나는 서울에 살아. 골목 끝 빵집이 문을 닫아서 아쉬워.", happened_at=BEFORE
    )
    new = memory.remember("나는 부산에 살아", happened_at=AFTER)
    assert (new.supersedes, new.contradicts) == ((), (long.id,))


def test_people_are_recognised_by_name_and_alias(memory: Saegim, clock: FixedClock) -> None:
    """Seed E: one profile per name, particles stripped, met again and again, the feeling moves."""
    memory.remember("민수는 정말 고마운 친구다. 민수 덕분에 행복하다!")
    clock.forward(days=1)
    last = memory.remember("오늘 민수가 약속을 또 어겨서 너무 화가 난다")
    (minsu,) = memory.entities.named("민수")
    assert (minsu.type, minsu.interactions) == ("person", 2)
    points = memory.entities.trajectory("민수")
    assert points[0].score > 0 > points[-1].score
    assert points[-1].memory == last.id
    assert minsu.first_seen_at is not None
    assert minsu.first_seen_at < (minsu.last_seen_at or minsu.first_seen_at)
    (link,) = memory.mind.store.links.of(memory.scope, [last.id], [REFERS_TO])
    assert link.target == minsu.key
    assert [each.name for each in memory.entities.frequent(5)] == ["민수"]


def test_what_someone_likes_is_an_interest_of_theirs(memory: Saegim) -> None:
    """Seed E: interests gather over meetings; what is disliked is none."""
    memory.remember("지민이는 등산을 좋아한다")
    memory.remember("지민이는 낚시를 좋아한다")
    memory.remember("지민이는 오이를 싫어한다")
    (jimin,) = memory.entities.named("지민")
    assert (jimin.interests, jimin.interactions) == (("등산", "낚시"), 3)


@pytest.mark.parametrize("called", ["하린이", "하린아", "하린 씨"])
def test_who_is_asked_for_as_they_are_called_is_found(memory: Saegim, called: str) -> None:
    """하린 is 하린이 to her family; who is not known by any such name is still nobody."""
    memory.remember("우리 딸 하린이는 땅콩 알레르기가 있어")
    assert [each.name for each in memory.entities.named(called)] == ["하린"]
    assert memory.entities.about(called).name == "하린"
    with pytest.raises(NotFound):
        memory.entities.about(called.replace("하린", "도윤"))


def test_triples_become_ties_between_entities(memory: Saegim) -> None:
    """Seed C: who likes what is a tie of the graph, dislike is marked negative."""
    memory.remember("나는 고수를 싫어해")
    ties = memory.mind.store.links.of(memory.scope, ["entity:me"])
    assert [(tie.target, tie.negative) for tie in ties] == [("entity:고수", True)]
    memory.remember("나는 수박을 좋아해")
    ties = memory.mind.store.links.of(memory.scope, ["entity:me"])
    assert {tie.target: tie.negative for tie in ties}["entity:수박"] is False


def test_i_is_whoever_said_it(memory: Saegim) -> None:
    """U4.3: what one author says of himself does not end what another said of herself."""
    memory.remember("I live in Boston", author="Caroline", happened_at=BEFORE)
    other = memory.remember("I live in Denver", author="Melanie", happened_at=AFTER)
    assert (other.supersedes, other.contradicts) == ((), ())
    assert other.memory.content.triples[0][0] == "Melanie"
    again = memory.remember("I moved to Austin", author="Caroline", happened_at=AFTER)
    assert len(again.supersedes) == 1


def test_another_users_people_stay_theirs(memory: Saegim) -> None:
    """U21.1: names, claims and ties never cross the wall."""
    you = memory.within(user="you")
    memory.remember("민수는 좋은 친구다")
    memory.remember("나는 서울에 살아", happened_at=BEFORE)
    assert you.entities.named("민수") == []
    assert you.remember("나는 부산에 살아", happened_at=AFTER).supersedes == ()


def test_the_change_stories_of_the_tuning_half_mostly_end(memory: Saegim) -> None:
    """U5.3: of the hand-written stories most are noticed, of the look-alikes almost none."""
    lines = (DATA / "changes_tune.jsonl").read_text(encoding="utf-8").splitlines()
    noticed, false, stories, others = 0, 0, 0, 0
    for n, row in enumerate(map(json.loads, lines)):
        room = memory.within(user=f"user{n}")
        room.remember(row["old"], happened_at=BEFORE)
        ended = bool(room.remember(row["new"], happened_at=AFTER).supersedes)
        stories += row["type"] != "none"
        others += row["type"] == "none"
        noticed += ended and row["type"] != "none"
        false += ended and row["type"] == "none"
    assert noticed >= 0.7 * stories
    assert false <= 0.1 * others


# The same thing said in the other language, and another thing said in it.
RETOLD = [
    ("I live in Seoul.", "나는 서울에 살아.", "나는 부산에 살아."),
    ("나는 부산에 살아.", "I live in Busan.", "I live in Seoul."),
    ("I work as a nurse.", "나는 간호사로 일해.", "나는 개발자로 일해."),
    ("나는 교사로 일해.", "I work as a teacher.", "I work as a developer."),
    ("I work at Samsung.", "나는 삼성에서 일해.", "나는 카카오에서 일해."),
    ("I work at Hyundai.", "나는 현대에서 일해.", "나는 삼성에서 일해."),
    ("내 이름은 김민수야.", "My name is Minsu Kim.", "My name is Jihoon Park."),
]


@pytest.mark.parametrize("heard", ["remember", "observe"])
@pytest.mark.parametrize(("old", "same", "other"), RETOLD, ids=[same for _, same, _ in RETOLD])
def test_the_same_in_another_language_ends_nothing(
    memory: Saegim, clock: FixedClock, old: str, same: str, other: str, heard: str
) -> None:
    """U5.2: values are compared across languages; the other value still ends the first."""

    def told(text: str) -> Kept:
        clock.forward(days=1)
        if heard == "remember":
            return memory.remember(text)
        (kept,) = memory.observe(text).kept
        return kept

    first, again = told(old), told(same)
    assert (again.supersedes, again.contradicts) == ((), ())
    assert {each.text for each in memory.recent(10).memories} == {old, same}
    if heard == "remember":
        changed = told(other)
        assert set(changed.supersedes) == {first.id, again.id}, "the control: another value"


@pytest.mark.parametrize(
    ("old", "new"),
    [("I live in Tokyo.", "나는 대구에 살아."), ("I work at Naver.", "나는 네이버에서 일해.")],
)
def test_where_two_languages_leave_doubt_both_stand(memory: Saegim, old: str, new: str) -> None:
    """U5.2: what sounds or means nearly the same is not ended; that they differ is marked."""
    first = memory.remember(old, happened_at=BEFORE)
    second = memory.remember(new, happened_at=AFTER)
    assert (second.supersedes, second.contradicts) == ((), (first.id,))
    assert len(memory.recent(10).memories) == 2


def test_an_embedder_that_compares_spelling_leaves_languages_open(tmp_path: Path) -> None:
    """U5.2: without meaning only the sound can say that two values are one; the rest stands."""
    with Saegim.open(tmp_path / "words.db", embedder="hashed") as memory:
        first = memory.remember("I work as a nurse.", happened_at=BEFORE)
        second = memory.remember("나는 간호사로 일해.", happened_at=AFTER)
        assert (second.supersedes, second.contradicts) == ((), (first.id,))
        memory.remember("I live in Busan.", happened_at=BEFORE)
        heard = memory.remember("나는 부산에 살아.", happened_at=AFTER)
        assert (heard.supersedes, heard.contradicts) == ((), ())


COMPOUND = [
    (
        "I work as a nurse in Daegu and live with my sister.",
        "I now work as a teacher.",
        "I work as a nurse in Daegu.",
    ),
    (
        "나는 서울에 살고 주말마다 한강에서 달려.",
        "나는 부산으로 이사했어.",
        "나는 서울에 살아.",
    ),
]


@pytest.mark.parametrize(("compound", "new", "simple"), COMPOUND)
def test_a_sentence_that_tells_more_does_not_leave_whole(
    memory: Saegim, compound: str, new: str, simple: str
) -> None:
    """U19.1: one of its claims ended; the rest is still so and found, and the end is marked."""
    first = memory.remember(compound, happened_at=BEFORE)
    alone = memory.remember(simple, happened_at=BEFORE)
    second = memory.remember(new, happened_at=AFTER)
    assert memory.get(first.id).life.state is State.ACTIVE
    assert first.id in second.contradicts
    assert second.supersedes == (alone.id,), "the control: what says nothing else is ended"


# A plan, and a correction of its day or hour alone.
PLANS = [
    ("토요일 저녁 6시에 이태원 몽로에서 생일 파티 있어", "생일 파티 일요일로 바뀌었어"),
    ("금요일에 지수랑 저녁 약속 있어", "저녁 약속 목요일로 미뤄졌어"),
    ("회의는 수요일 3시야", "회의가 목요일로 옮겨졌어"),
    ("We have a dinner with Sam at Mirabel on Saturday", "The dinner was moved to Sunday"),
    ("The standup is on Monday at 9am", "The standup moved to 10am"),
    ("The picnic is on Sunday for 8 people", "The picnic was moved to Saturday"),
]
# A correction that leaves nothing out.
WHOLE = [
    ("회의는 수요일 3시야", "회의가 목요일 4시로 옮겨졌어"),
    ("금요일에 독서 모임 있어", "독서 모임 토요일로 바뀌었어"),
    ("Book club is on Friday", "Book club moved to Saturday"),
]


@pytest.mark.parametrize(("plan", "moved"), PLANS, ids=[moved for _, moved in PLANS])
def test_another_day_does_not_hide_the_hour_place_and_people(
    memory: Saegim, clock: FixedClock, plan: str, moved: str
) -> None:
    """U19.1: what a correction leaves out still holds and is found; the newer of the two leads."""
    first = memory.remember(plan)
    clock.forward(hours=1)
    second = memory.remember(moved)
    assert (second.supersedes, second.contradicts) == ((), (first.id,))
    assert [hit.memory.id for hit in memory.recall(moved).hits][:2] == [second.id, first.id]


@pytest.mark.parametrize(("plan", "moved"), WHOLE, ids=[moved for _, moved in WHOLE])
def test_a_correction_that_leaves_nothing_out_ends_the_plan(
    memory: Saegim, clock: FixedClock, plan: str, moved: str
) -> None:
    """U19.1, control: nothing but the outdated day or hour stood there."""
    first = memory.remember(plan)
    clock.forward(hours=1)
    assert memory.remember(moved).supersedes == (first.id,)


@pytest.mark.parametrize(("turn", "state"), [
    ("나 수원 살고 요즘 수영 배워", State.ACTIVE),
    ("아 나 수원 살아 ㅎㅎ", State.SUPERSEDED),
])  # fmt: skip
def test_a_turn_that_tells_more_than_its_fact_stays(
    memory: Saegim, clock: FixedClock, turn: str, state: State
) -> None:
    """U19.1: what ends a fact ends the turn it was read in only if that said nothing else."""
    (kept,) = memory.observe(turn, session="s").kept
    (lent,) = lend(memory.scope, memory.mind)
    fact = {"fact": "사용자는 수원에 산다", "importance": 1, "confidence": 1}
    (read,) = hand_in(memory.scope, memory.mind, lent.job, [fact]).kept
    clock.forward(days=1)
    memory.remember("나는 춘천으로 이사했어")
    assert memory.get(read, exact=True).life.state is State.SUPERSEDED
    assert memory.get(kept.id, exact=True).life.state is state


PAIRS = [
    json.loads(line)
    for line in (DATA / "value_pairs.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("embedder", ["static", "default", "none"])
def test_values_of_two_languages_are_compared_as_far_as_they_are_known(
    request: pytest.FixtureRequest, tmp_path: Path, embedder: str
) -> None:
    """U5.2: of forty equal pairs most are known, none is taken for two; of 35 unequal none for one.

    Without an embedder the sound alone decides, and nothing is sure to be another value.
    """
    if embedder == "default":
        request.getfixturevalue("default_embedder")
    with Saegim.open(tmp_path / "values.db") as memory:
        found = {same: Counter[str]() for same in (True, False)}
        for each in PAIRS:
            found[each["same"]][compared(each["en"].lower(), each["ko"], memory.mind.alike)] += 1
    assert found[True].total() == 40
    assert found[False].total() == 35
    assert found[True]["other"] == 0
    assert found[False]["same"] == 0
    assert found[True]["same"] >= (15 if embedder == "none" else 31)
    assert found[False]["other"] >= (0 if embedder == "none" else 33)
