"""Groups of memories with one theme: found by index, the strongest first, each memory once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from language.labelled import START, WORDS, memory
from saegim.memory.memory import Memory, Scope
from saegim.sleep.stages.promote import Theme, themes

BIDOL = ("entity:삐돌이",)
VISITS = ("삐돌이가 카페에서 라떼를 마심", "삐돌이가 카페에서 울었다", "삐돌이가 카페에 감")


def told(*texts: str, minutes: float = 600, **more: Any) -> list[Memory]:
    """Return memories that are so many minutes apart."""
    return [
        memory(text, at=START + timedelta(minutes=minutes * at), id=f"mem_{at:05d}", **more)
        for at, text in enumerate(texts)
    ]


def found(memories: list[Memory], about: tuple[str, ...] = (), *, least: int = 3) -> list[Theme]:
    """Return the themes of memories that all speak of the same entities."""
    return themes(
        memories,
        entities={each.id: about for each in memories},
        analyser=WORDS,
        least=least,
    )


def test_the_same_word_about_someone_three_times_is_a_theme() -> None:
    """Seed D §3, condition 1: the same topic three times or more, oldest first."""
    memories = told(*VISITS)
    (theme,) = found(memories[::-1], BIDOL)
    assert theme.key == "entity:삐돌이|카페"
    assert theme.shared[0] == "카페"
    assert theme.sources == tuple(memories)
    assert found(memories[:2], BIDOL) == [], "control: twice is no theme"


def test_the_person_themself_can_have_a_theme() -> None:
    """A habit of one's own needs no one else."""
    (theme,) = found(told("헬스장에 갔다", "헬스장에서 뛰었다", "오늘도 헬스장"))
    assert theme.key == "me|헬스장"


def test_a_name_alone_is_no_theme() -> None:
    """Three things about someone are three things, unless they share a word."""
    texts = ("삐돌이가 웃었다", "삐돌이의 자전거", "삐돌이가 서울에 산다")
    assert found(told(*texts), BIDOL) == []
    assert found(told(*VISITS), BIDOL), "control: with a shared word it is one"


def test_saying_it_again_at_once_does_not_count_twice() -> None:
    """Three times within a minute of one session is once."""
    scope = Scope(user="u", session="s1")
    assert found(told(*["카페에 감"] * 3, minutes=0.2, scope=scope)) == []
    assert len(found(told(*["카페에 감"] * 3, minutes=2, scope=scope))) == 1, "control"
    apart = [
        memory("카페에 감", id=f"mem_{at}", scope=Scope(user="u", session=f"s{at}"))
        for at in range(3)
    ]
    assert len(found(apart)) == 1, "control: in three sessions it is three times"


def test_times_fillers_and_greetings_are_no_theme() -> None:
    """What everything has in common says nothing."""
    texts = (
        "오늘 자전거를 고쳤다", "오늘 민수가 왔다", "오늘 비가 내렸다",
        "안녕 반가워", "안녕 잘 지냈어", "안녕 좋은 아침", "정말 고마워", "정말 좋다", "정말 그래",
        "Today I ran", "Today it rained", "Today we slept", "Thanks a lot", "Thanks",
        "Thanks again",
    )  # fmt: skip
    assert found(told(*texts)) == []


def test_a_word_that_is_everywhere_is_no_theme() -> None:
    """In a large set a word in more than a tenth of the memories tells nothing."""
    many = [f"프로젝트 {chr(0xAC00 + 28 * at)}{chr(0xB098 + at)}기능" for at in range(120)]
    assert [theme.key for theme in found(told(*many))] == []
    few = [*many[:6], *(f"무관한 {chr(0xAC00 + 28 * at)}{chr(0xB098 + at)}" for at in range(114))]
    assert "me|프로젝트" in [theme.key for theme in found(told(*few))], "control: seldom, it is"


def test_each_memory_belongs_to_one_theme_at_most() -> None:
    """The stronger theme takes what both could have."""
    texts = ("카페에서 책을 읽었다",) * 3 + ("카페에 갔다",) * 2 + ("책을 샀다",) * 2
    grouped = found(told(*texts))
    ids = [each.id for theme in grouped for each in theme.sources]
    assert len(ids) == len(set(ids))
    assert len(grouped[0].sources) == 5


def test_rooms_do_not_mix() -> None:
    """The wall: memories of two agents, projects or visibilities never make one theme."""
    scopes = (Scope(user="u", agent="a"), Scope(user="u", agent="b"), Scope(user="u", project="p"))
    memories = [
        memory("카페에 감", at=START + timedelta(days=at), id=f"mem_{at}", scope=scope)
        for at, scope in enumerate(scopes)
    ]
    assert found(memories) == []
    mixed = [
        memory(
            "카페에 감",
            at=START + timedelta(days=at),
            id=f"mem_{at}",
            visibility="shared" if at else "private",
        )
        for at in range(3)
    ]
    assert found(mixed) == []
    alike = [each.evolve(visibility="private") for each in mixed]
    assert len(found(alike)) == 1, "control: in one room they are a theme"


@given(st.permutations(range(9)))
def test_the_order_in_which_memories_come_does_not_matter(order: list[int]) -> None:
    """The same memories have the same themes, every night."""
    texts = (*VISITS, "헬스장에 갔다", "헬스장에서 뛰었다", "헬스장 등록", "비", "눈", "바람")
    memories = told(*texts)
    assert found([memories[at] for at in order], BIDOL) == found(memories, BIDOL)


def test_looking_for_themes_is_linear_work() -> None:
    """Near linear: every memory is analysed once, however many there are."""

    class Counting:
        name = "counting"
        asked = 0

        def index(self, text: str) -> list[str]:
            return WORDS.index(text)

        def query(self, text: str) -> Any:
            self.asked += 1
            return WORDS.query(text)

    counting = Counting()
    memories = told(*(f"{at}번째 {VISITS[at % 3]}" for at in range(300)))
    assert themes(memories, entities={}, analyser=counting)[:1] == []
    assert counting.asked == len(memories)
