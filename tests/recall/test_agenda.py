"""What lies ahead is listed in the order of its days, in both languages; days that recur recur."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from saegim import Saegim
from saegim.memory.clock import FixedClock

SEOUL = ZoneInfo("Asia/Seoul")
# A Wednesday.
ASKED = datetime(2026, 4, 15, 10, tzinfo=SEOUL)
TOLD = {
    "ko": [
        "5월 23일에 사촌 결혼식 있어",
        "5월 8일에 부모님이랑 저녁 먹기로 했어",
        "우리 딸 생일은 5월 11일이야",
        "월세는 매달 15일에 나가",
        "4월 23일에 건강검진 받아",
        "20일 월요일에 회식 있어",
        "어제 부산에서 회 먹었어",
    ],
    "en": [
        "My cousin's wedding is on May 23",
        "I'm having dinner with my parents on May 8",
        "My daughter's birthday is May 11",
        "My rent goes out on the 15th of every month",
        "I have a health check on April 23",
        "Team dinner is on Monday the 20th",
        "We ate raw fish in Busan yesterday",
    ],
}
IN_MAY = {
    "ko": ["8일에 부모님", "딸 생일", "월세", "결혼식"],
    "en": ["dinner with my parents", "birthday", "rent", "wedding"],
}
NEXT_WEEK = {"ko": ["회식", "건강검진"], "en": ["Team dinner", "health check"]}


def told(path: Path, language: str) -> tuple[Saegim, FixedClock]:
    """Return a memory that was told what is ahead, some days before it is asked."""
    clock = FixedClock(ASKED.replace(day=10))
    memory = Saegim.open(path / "ahead.db", clock=clock, timezone="Asia/Seoul")
    for each in TOLD[language]:
        memory.remember(each)
    clock.at = ASKED
    return memory, clock


def stands(texts: list[str], parts: list[str]) -> bool:
    """Say whether each text holds its part, in this order, and no other text is there."""
    if len(texts) != len(parts):
        return False
    return all(part in text for text, part in zip(texts, parts, strict=True))


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("ko", "5월에 뭐 있지?"),
        ("ko", "5월에 무슨 일정 있어?"),
        ("en", "What is coming up in May?"),
        ("en", "What do I have in May?"),
    ],
)
def test_a_month_ahead_is_listed_by_day(tmp_path: Path, language: str, question: str) -> None:
    """In the order of the days, not of the telling; in an answer and in a prompt."""
    memory, _ = told(tmp_path, language)
    with memory:
        found = [hit.memory.text for hit in memory.recall(question).hits]
        assert stands(found, IN_MAY[language]), found
        shown = memory.context(question, budget=600).text.splitlines()[2:-1]
        assert stands(shown, IN_MAY[language]), shown


@pytest.mark.parametrize(
    ("language", "question"),
    [("ko", "다음 주에 나 뭐 있어?"), ("en", "What do I have next week?")],
)
def test_a_week_ahead_is_listed_by_day(tmp_path: Path, language: str, question: str) -> None:
    """Only that week, the earlier day first."""
    memory, _ = told(tmp_path, language)
    with memory:
        found = [hit.memory.text for hit in memory.recall(question).hits]
    assert stands(found, NEXT_WEEK[language]), found


@pytest.mark.parametrize(
    ("language", "question", "recurs"),
    [
        ("ko", "5월에 뭐 있지?", ["딸 생일", "월세"]),
        ("en", "What is coming up in May?", ["birthday", "rent"]),
    ],
)
def test_a_day_that_recurs_is_there_next_year_too(
    tmp_path: Path, language: str, question: str, recurs: list[str]
) -> None:
    """A birthday and every 15th come back; a wedding does not."""
    memory, clock = told(tmp_path, language)
    with memory:
        clock.at = ASKED.replace(year=2027)
        found = [hit.memory.text for hit in memory.recall(question).hits]
    assert stands(found, recurs), found


def test_what_was_is_not_what_is_ahead(tmp_path: Path) -> None:
    """The control: whoever asks what happened is not answered by plans, nor in their order."""
    memory, _ = told(tmp_path, "ko")
    with memory:
        found = memory.recall("4월 9일에 뭐 했지?")
    assert not found.understood.agenda
    assert stands([hit.memory.text for hit in found.hits], ["부산"])


# Said on a Monday; what is asked, and the day whose plan it is for.
SHORT = {
    "anything on today?": "today",
    "anything tomorrow?": "tomorrow",
    "anything else on Friday?": "friday",
    "what's on this weekend?": "weekend",
    "what's on friday?": "friday",
    "whats on tomorrow": "tomorrow",
    "What am I doing tomorrow?": "tomorrow",
    "Where are we going on Saturday?": "weekend",
    "내일 뭐 해?": "tomorrow",
    "오늘 나 뭐해?": "today",
    "이번 주말에 나 어디 가더라?": "weekend",
    "3월 6일에 나 뭐 해?": "friday",
    "금요일에 뭐 하더라?": "friday",
    "토요일에 우리 어디 가기로 했지?": "weekend",
    "are we up to anything on Saturday?": "weekend",
    "anything on at the weekend?": "weekend",
    "plans for Saturday?": "weekend",
    "내일 누구 만나?": "tomorrow",
    "내일 바빠?": "tomorrow",
    "금욜에 뭐 해?": "friday",
}
PLANNED = {
    "today": "Choir practice today at eight",
    "tomorrow": "내일 세 시에 정비소 가",
    "friday": "3월 6일에 이사 견적 받아",
    "weekend": "We're driving to the lake on Saturday",
}
# Asks for something in particular, or for what was.
OTHER = [
    "anything new today?",
    "what's today?",
    "anything about tomorrow's exam?",
    "anything on yesterday?",
    "내일 뭐 해 먹지?",
    "내일 어디 가면 좋을까?",
    "이번 주 어때?",
    "어제 뭐 했지?",
    "어제 누구 만났어?",
    "내일 엄마 바빠?",
    "what plans failed on Saturday?",
]


@pytest.mark.parametrize(("question", "day"), SHORT.items())
def test_a_short_question_for_a_day_ahead_gets_its_plan(
    tmp_path: Path, question: str, day: str
) -> None:
    """A day that is named, and little else: its plan and nothing beside it, in a prompt too."""
    clock = FixedClock(datetime(2026, 3, 2, 9, tzinfo=SEOUL))
    with Saegim.open(tmp_path / "short.db", clock=clock, timezone="Asia/Seoul") as memory:
        memory.remember("I like plum jam; 나는 자두잼을 좋아해")
        assert memory.context(question).text == "", "nothing is planned"
        for each in PLANNED.values():
            memory.remember(each)
        clock.forward(hours=1)
        assert [hit.memory.text for hit in memory.recall(question).hits] == [PLANNED[day]]
        shown = memory.context(question).text.splitlines()[2:-1]
        assert stands(shown, [PLANNED[day]]), shown


@pytest.mark.parametrize("question", OTHER)
def test_what_asks_for_more_than_a_day_is_no_agenda(tmp_path: Path, question: str) -> None:
    """The control: what is left beside the day, or a day that is over."""
    clock = FixedClock(datetime(2026, 3, 2, 9, tzinfo=SEOUL))
    with Saegim.open(tmp_path / "short.db", clock=clock, timezone="Asia/Seoul") as memory:
        assert not memory.recall(question).understood.agenda


# Told at nine on a Monday and asked at ten: what may yet come today, and what was only said.
OPEN = {
    "3시에 회의 있어": "today",
    "오후에 치과 가야 해": "today",
    "저녁에 영수 만나": "today",
    "이따 장 보러 가야 해": "today",
    "I need to pick up the kids after work": "today",
    "매일 아침 7시에 약 먹어": "today",
    "매주 월요일 저녁에 탁구 쳐": "today",
    "매주 화요일 저녁에 탁구 쳐": "week",
    "나는 자두잼을 좋아해": "",
    "점심에 김밥 먹었어": "",
    "금요일 3시에 치과 가야 해": "week",
}


@pytest.mark.parametrize(("told", "stands_in"), OPEN.items())
def test_what_is_told_today_for_today_is_of_today(
    tmp_path: Path, told: str, stands_in: str
) -> None:
    """An hour, a part of the day or a must without a day, and what recurs; not what was done."""
    clock = FixedClock(datetime(2026, 3, 2, 9, tzinfo=SEOUL))
    with Saegim.open(tmp_path / "today.db", clock=clock, timezone="Asia/Seoul") as memory:
        memory.remember(told)
        clock.forward(hours=1)
        asked = {"오늘 뭐 있어?": ("today",), "anything today?": ("today",)}
        asked |= {"오늘 일정": ("today",), "이번 주에 뭐 있어?": ("today", "week")}
        for question, spans in asked.items():
            found = [hit.memory.text for hit in memory.recall(question).hits]
            assert found == ([told] if stands_in in spans else []), question
        memory.remember("오늘 저녁 8시에 합창 연습이 있어")
        found = [hit.memory.text for hit in memory.recall("오늘 뭐 있어?").hits]
        assert (told in found) is (stands_in == "today"), found
        clock.forward(days=1)
        found = [hit.memory.text for hit in memory.recall("이번 주에 뭐 있어?").hits]
        ahead = any(word in told for word in ("매일", "화요일", "금요일"))
        assert (told in found) is ahead, found


@pytest.mark.parametrize(("days", "left"), [(7, 1), (1, 2)])
def test_next_week_is_this_week_a_week_later(tmp_path: Path, days: int, left: int) -> None:
    """What was told of next week is moved by what is told of this week then, and not before."""
    clock = FixedClock(datetime(2026, 3, 2, 9, tzinfo=SEOUL))
    with Saegim.open(tmp_path / "weeks.db", clock=clock, timezone="Asia/Seoul") as memory:
        memory.remember("다음 주 회의는 화요일이야")
        clock.forward(days=days)
        memory.remember("이번 주 회의는 수요일로 바뀌었어")
        assert len(memory.recall("회의 언제야?").hits) == left
