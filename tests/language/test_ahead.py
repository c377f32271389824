"""Days that somebody tells of look forward: what is booked, fixed, due, or said without a verb."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from saegim import Saegim
from saegim.language.times import spans

# A Wednesday.
SAID = datetime(2026, 7, 15, 21, 0, tzinfo=UTC)

COMING = {
    "치과 20일 오후 3시로 예약했어": "2026-07-20",
    "학원 8월 3일 개강이고 월수 저녁반": "2026-08-03",
    "이사는 9월 13일로 잡아놨어요": "2026-09-13",
    "낭독회는 태풍 때문에 9월 5일로 연기했습니다": "2026-09-05",
    "실기 시험이 10월 31일로 공고되었습니다": "2026-10-31",
    "토욜 2시에 부동산 약속 잡음": "2026-07-18",
    "10월 17일에 내장산 다녀오자고 달랬어요": "2026-10-17",
    "an X-ray has been arranged for 25 August at the clinic": "2026-08-25",
    "olly's getting married 20 september in whitby": "2026-09-20",
    "nat got the council job, starts 1 september": "2026-09-01",
    "lease is up August 31 and I can't pay it alone": "2026-08-31",
    "nate is home the 16th": "2026-07-16",
    "we got the house, moving in 21 february": "2027-02-21",
}
GONE = {
    "5월 3일에 수술했어": "2026-05-03",
    "월요일에 엄마 만났어": "2026-07-13",
    "10일에 계약이 끝났다": "2026-07-10",
    "we went to Busan on June 2": "2026-06-02",
    "I met her on Monday": "2026-07-13",
    "작년 10월 17일에 다녀왔어": "2025-10-17",
}
NO_DAY = [
    "20일 동안 아팠어",
    "5일치 약을 받았다",
    "3일 전에 끝난 시험",
    "for 25 days in a row",
    "매달 월급날마다",
]


def days(text: str, *, ahead: bool = True) -> list[str]:
    """Return the days that a text names."""
    return [span.start.date().isoformat() for span in spans(text, SAID, ahead=ahead)]


@pytest.mark.parametrize(("text", "day"), COMING.items())
def test_what_is_arranged_or_bare_is_still_to_come(text: str, day: str) -> None:
    """The verb tells when it was booked, not when it is."""
    assert day in days(text)


@pytest.mark.parametrize(("text", "day"), GONE.items())
def test_what_is_told_as_past_is_past(text: str, day: str) -> None:
    """The control: a verb that tells of the past keeps its day there."""
    assert days(text) == [day]


@pytest.mark.parametrize("text", NO_DAY)
def test_a_count_of_days_is_no_day(text: str) -> None:
    """A length, a dose and what counts from an event name no day of a month."""
    assert all(day not in days(text) for day in ("2026-07-20", "2026-08-05", "2026-08-03"))
    assert "2026-07-25" not in days(text)


@pytest.mark.parametrize("text", ["치과 20일 3시", "9월 13일 이사", "exam friday", "the 25th"])
def test_a_question_is_not_told_which(text: str) -> None:
    """Whoever asks looks back as often as ahead: there a bare day stays open."""
    assert days(text, ahead=False) == []
    assert len(days(text)) == 1


def test_a_booked_day_is_among_what_a_memory_speaks_of(memory: Saegim) -> None:
    """So that it is found by its day, and kept until it is over."""
    month = memory.mind.now().month % 12 + 1
    kept = memory.remember(f"치과는 {month}월 20일 오후 3시로 예약했어").memory
    [mention] = kept.time.mentions
    assert f"-{month:02}-20" in mention
    assert mention > memory.mind.now().isoformat()
