"""Who and what a text names, and the other names they go by."""

from __future__ import annotations

import pytest
from reading_aloud import read

from saegim.language.claims import Named
from saegim.language.names import confirmed, is_given_name, korean_person

FOUND: dict[str, list[Named]] = {
    "김민수 대리랑 판교에서 점심 먹었어": [
        Named(name="김민수", type="person", aliases=("김 대리", "김민수 대리")),
        Named(name="판교", type="place"),
    ],
    "박 교수님이 오셨어": [Named(name="박 교수", type="person", aliases=("박 교수님",))],
    "민수 형은 부산 살아": [
        Named(name="민수", type="person", aliases=("민수 형",)),
        Named(name="부산", type="place"),
    ],
    "지민이는 고양이를 키운다": [Named(name="지민", type="person")],
    "우리 딸은 다섯 살이야": [Named(name="딸", type="person")],
    "나는 FastAPI랑 Python을 좋아해": [
        Named(name="FastAPI", type="thing"),
        Named(name="Python", type="thing"),
        Named(name="사용자", type="self"),
    ],
    "'어린 왕자' 다시 읽고 있어": [Named(name="어린 왕자", type="thing")],
    "저는 네이버 다녀요": [
        Named(name="네이버", type="organisation"),
        Named(name="사용자", type="self"),
    ],
    "My wife works at Acme Labs in Boston.": [
        Named(name="wife", type="person"),
        Named(name="Acme Labs", type="organisation"),
        Named(name="Boston", type="place"),
    ],
    "Dr. Kim told me to rest": [Named(name="Kim", type="person", aliases=("Dr. Kim",))],
    "I met Sarah Connor on Friday": [
        Named(name="Sarah Connor", type="person"),
        Named(name="user", type="self"),
    ],
}


@pytest.mark.parametrize("text", FOUND)
def test_a_text_names_people_places_and_things(text: str) -> None:
    """Particles and titles are taken off, titles become aliases, and kinship is a person."""
    assert list(read(text).named) == FOUND[text]


@pytest.mark.parametrize(
    "text", ["Whatever works for you", "Monday is fine", "수영은 오전이 좋대", "우유랑 정도껏 먹자"]
)
def test_common_words_are_no_names(text: str) -> None:
    """A capital at the start, a weekday and words that sound like names name nobody."""
    assert read(text).named == ()


def test_a_known_name_is_found_with_any_particle_and_by_its_given_part() -> None:
    """Whoever was met before is recognised again, not met anew (seed E)."""
    known = ("김민수", "모아노트", "Lantern")
    assert read("모아노트는 잘 있지", known=known).named == (Named(name="모아노트", type="topic"),)
    assert read("민수가 왔어", known=known).named == (
        Named(name="김민수", type="person", aliases=("민수",)),
    )
    assert read("we love lantern so much", known=known).named[0].name == "Lantern"
    assert "모아노트" not in {each.name for each in read("모아노트북을 샀어", known=known).named}


def test_names_are_told_from_nouns_that_sound_like_them() -> None:
    """Swimming and milk are no people; 혈액형 is nobody's elder brother."""
    assert is_given_name("민수")
    assert is_given_name("김서연")
    assert not any(map(is_given_name, ("수영", "우유", "수원", "두부", "지라")))
    assert korean_person("지훈이") == "지훈"
    assert korean_person("김민수 씨") == "김민수"
    assert korean_person("혈액형") == ""
    assert korean_person("고양이") == ""


MINSU = Named(name="민수", type="person", aliases=("민수 형",))


@pytest.mark.parametrize(
    ("text", "by_rule", "read_names", "left"),
    [
        # The reader knows what the rules do not: English names, and the right type.
        ("we flew to Leeds with Maya", [], [("Leeds", "place"), ("Maya", "person")],
         {("Leeds", "place"), ("Maya", "person")}),
        ("Biscuit barked", [Named(name="Biscuit", type="thing")], [("Biscuit", "pet")],
         {("Biscuit", "pet")}),
        # Whom only the rules saw is nobody, unless a relative, half read, or first.
        ("어제 정말 피곤했어", [Named(name="정말", type="person")], [], set()),
        ("우리 며느리 왔어", [Named(name="며느리", type="person")], [], {("며느리", "person")}),
        ("민지는 차를 마셔", [Named(name="민지", type="person")], [], {("민지", "person")}),
        ("어제 민지 왔어", [Named(name="민지", type="person")], [("민", "pet")],
         {("민지", "person")}),
        # A piece of a word is no name; a title behind one is no hindrance.
        ("빅뉴스가 있어", [], [("빅뉴", "place")], set()),
        ("민수형이 왔어", [MINSU], [("민수", "person")], {("민수", "person")}),
        # What lies in a name that is held is not another one.
        ("Dr. Han called", [Named(name="Han", type="person", aliases=("Dr. Han",))],
         [("Dr", "person"), ("Han", "person")], {("Han", "person")}),
    ],
)  # fmt: skip
def test_two_ways_of_finding_names_are_one(
    text: str, by_rule: list[Named], read_names: list[tuple[str, str]], left: set[tuple[str, str]]
) -> None:
    """Decision 0020: the reader confirms and adds; aliases of the rules stay."""
    found = confirmed(by_rule, read_names, text)
    assert {(each.name, each.type) for each in found} == left
    assert all(each.aliases for each in found if each.name == MINSU.name)
