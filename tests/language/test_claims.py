"""Which triples claim a slot, and when two claims cannot both be true."""

from __future__ import annotations

import pytest

from saegim.language.claims import (
    PREDICATES,
    Claim,
    claims,
    facets,
    is_negative,
    is_purpose,
    is_tool,
    known_predicate,
    opposed,
    predicate,
)

Triple = tuple[str, str, str]

CLAIMED: dict[Triple, list[Claim]] = {
    ("사용자", "거주함", "서울시"): [Claim("lives_in:me", "서울", False)],
    ("user", "lives in", "Seoul"): [Claim("lives_in:me", "seoul", False)],
    ("나", "이사함", "부산"): [Claim("lives_in:me", "부산", False)],
    ("사용자", "근무함", "네이버"): [Claim("works_at:me", "네이버", False)],
    ("user", "left", "Google"): [Claim("works_at:me", "google", True)],
    ("user", "left", "work"): [Claim("works_at:me", "", True)],
    ("딸", "나이", "다섯 살"): [Claim("age:daughter", "다섯 살", False)],
    ("user", "likes", "tea"): [Claim("likes:me:tea", "", False)],
    ("사용자", "싫어함", "오이"): [Claim("likes:me:오이", "", True)],
    ("Python", "버전", "v3.12"): [Claim("version:python", "3.12", False)],
    ("회의", "일정", "매주 월요일 10시"): [
        Claim("schedule:회의", "day=mon time=10:00 rhythm=weekly", False)
    ],
    ("proposal", "deadline is", "on Friday"): [Claim("deadline:proposal", "day=fri", False)],
    ("user", "favourite colour", "blue"): [Claim("favourite:me:colour", "blue", False)],
    ("사용자", "신발 사이즈", "265"): [Claim("is:신발사이즈", "265", False)],
    ("월세", "임", "70만 원"): [Claim("is:월세", "70만원", False)],
    ("DB", "임", "MySQL"): [Claim("tool:me:database", "mysql", False)],
    ("user", "allergic to", "peanuts"): [Claim("allergic:me:peanut", "", False)],
    ("user", "relationship status", "married"): [Claim("status:me", "married", False)],
    ("사용자", "연애 상태", "유부남"): [Claim("status:me", "married", False)],
    ("사용자", "있음", "고양이 두 마리"): [Claim("has:me:고양이", "2", False)],
    ("user", "met", "Sarah"): [],
    ("Python", "is", "interpreted language"): [],
    ("user", "plots", "something"): [],
}
CLASH: list[tuple[Triple, Triple]] = [
    (("사용자", "거주함", "수원"), ("사용자", "이사함", "춘천")),
    (("user", "lives in", "Seoul"), ("user", "no longer lives in", "Seoul")),
    (("사용자", "좋아함", "커피"), ("사용자", "싫어함", "커피")),
    (("사용자", "좋아함", "커피"), ("사용자", "그만둠", "커피")),
    (("사용자", "있음", "차"), ("사용자", "처분함", "차")),
    (("사용자", "있음", "고양이 한 마리"), ("사용자", "있음", "고양이 두 마리")),
    (("user", "car", "Civic"), ("user", "got rid of", "car")),
    (("user", "uses", "Vim"), ("user", "switched to", "VS Code")),
    (("user", "uses", "Slack"), ("user", "stopped", "Slack")),
    (("user", "diet is", "vegetarian"), ("user", "eats", "meat")),
    (("회의", "일정", "월요일 10시"), ("회의", "일정 변경됨", "수요일")),
    (("회식", "일정", "목요일"), ("회식", "일정 변경됨", "다음 주")),
    (("보고서", "마감", "15일"), ("보고서", "일정 변경됨", "20일")),
    (
        ("flight to Malta", "scheduled for", "on Friday"),
        ("Malta flight", "rescheduled to", "Sunday"),
    ),
    (("user", "prefers", "long answers"), ("user", "prefers", "short answers")),
    (("사용자", "싫어함", "혼밥"), ("사용자", "선호함", "혼밥")),
    (("user", "likes", "window seats"), ("user", "prefers", "an aisle seat")),
    (("user", "job is", "teacher"), ("user", "former job", "teacher")),
    (("아빠", "근무함", "은행"), ("father", "left", "work")),
]
PEACE: list[tuple[Triple, Triple]] = [
    (("user", "likes", "coffee"), ("user", "likes", "tea")),
    (("user", "lives in", "Austin"), ("sister", "lives in", "Oslo")),
    (("사용자", "거주함", "서울"), ("사용자", "거주함", "서울 마포구")),
    (("user", "lives in", "Busan"), ("user", "no longer lives in", "Seoul")),
    (("회의", "일정", "월요일"), ("회의", "일정", "10시")),
    (("회의", "일정", "월요일"), ("워크숍", "일정", "화요일")),
    (("강아지", "이름", "콩"), ("친구네 강아지", "이름", "초코")),
    (("user", "uses", "Postgres"), ("user", "uses", "Redis")),
    (("user", "uses", "Slack"), ("family", "uses", "Signal")),
    (("user", "has", "cat"), ("user", "has", "two cats")),
    (("user", "got rid of", "old couch"), ("user", "has", "couch")),
    (("dev server", "is", "port 3000"), ("docs server", "is", "port 4000")),
    (("backend Python", "version is", "3.11"), ("scripts Python", "version is", "3.9")),
    (("user", "favourite colour", "red"), ("user", "favourite food", "sushi")),
]


def _opposed(old: Triple, new: Triple) -> bool:
    return any(opposed(one, other) for one in claims([old]) for other in claims([new]))


@pytest.mark.parametrize("triple", CLAIMED)
def test_a_triple_claims_its_slot_in_either_language(triple: Triple) -> None:
    """Korean and English predicates name one slot; what has no single answer claims none."""
    assert claims([triple]) == CLAIMED[triple]


@pytest.mark.parametrize(("old", "new"), CLASH)
def test_what_cannot_both_be_true_clashes(old: Triple, new: Triple) -> None:
    """A later claim on the same slot ends the earlier one, in any order (U5.3, U19.1)."""
    assert _opposed(old, new)
    assert _opposed(new, old)


@pytest.mark.parametrize(("one", "other"), PEACE)
def test_what_can_both_be_true_does_not_clash(one: Triple, other: Triple) -> None:
    """Another person, thing, time or an addition ends nothing (U5.3)."""
    assert not _opposed(one, other)
    assert not _opposed(other, one)


def test_a_slot_is_claimed_once_and_by_what_is_so() -> None:
    """Leaving one employer for another claims the new one."""
    told = [("user", "left", "Google"), ("user", "works at", "Stripe")]
    assert claims(told) == [Claim("works_at:me", "stripe", False)]
    assert claims(reversed(told)) == [Claim("works_at:me", "stripe", False)]


@pytest.mark.parametrize(
    "word",
    ["싫어함", "dislikes", "does not use", "처분함", "hates", "좋아하지 않는다", "never eats"],
)
def test_denials_are_negative_relations(word: str) -> None:
    """A tie that says no is marked, also in words that are in no table (seed C)."""
    assert is_negative(word)


@pytest.mark.parametrize("word", ["좋아함", "likes", "uses", "거주함", "knows", "관련"])
def test_other_words_are_no_negative_relations(word: str) -> None:
    """A tie that says yes is not marked."""
    assert not is_negative(word)


def test_every_predicate_is_written_in_both_languages_and_read_back() -> None:
    """The table is closed under writing and reading: no word of it is read as another row."""
    for name, row in PREDICATES.items():
        for language in ("ko", "en"):
            for denied in (False, True):
                known = known_predicate(predicate(name, language, denied=denied))
                assert known is not None
                assert known[0].name == name
                assert known[1] is (denied is not row.denies)


def test_tools_and_purposes_are_known_by_any_of_their_names() -> None:
    """파이썬 is no rival of anything; 빔 is Vim, and 디비 is what MySQL is for."""
    assert is_tool("빔")
    assert is_tool("VS Code")
    assert not is_tool("파이썬")
    assert is_purpose("디비")
    assert not is_purpose("MySQL")


TIMES = {
    "매주 월요일 오전 10시": {"day": "mon", "time": "10:00", "half": "am", "rhythm": "weekly"},
    "금요일 저녁 7시 반": {"day": "fri", "time": "7:30", "half": "pm"},
    "3월 15일": {"month": "3", "date": "15"},
    "두 시 반": {"time": "2:30"},
    "월수금": {"day": "mon,wed,fri"},
    "다음 주 화요일": {"day": "tue", "week": "다음주"},
    "March 15th": {"month": "3", "date": "15"},
    "Tuesday at three": {"day": "tue", "time": "3:00"},
    "every other Monday": {"day": "mon", "rhythm": "biweekly"},
    "2026-11-15": {"year": "2026", "month": "11", "date": "15"},
    "3:30 p.m.": {"time": "3:30", "half": "pm"},
    "the ninth of March": {"month": "3", "date": "9"},
    "Market Square": {},
    "서울": {},
    "30일 동안": {},
}


@pytest.mark.parametrize("text", TIMES)
def test_a_time_is_read_by_its_parts(text: str) -> None:
    """Two times can be compared part by part, without a calendar, in both languages."""
    assert dict(facets(text)) == TIMES[text]
