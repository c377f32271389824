"""Days that somebody tells of look forward: what is booked, fixed, due, or said without a verb."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim import Saegim
from saegim.language.times import Span, comes_back, last_named, spans

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


DENIED = {
    "회의는 목요일이 아니라 금요일이야": ["2026-07-17"],
    "다음 주 월요일이 아니고 금요일에 만나기로 했어": ["2026-07-24"],
    "수업은 목요일이 아니라 수요일이야": ["2026-07-22"],
    "치과 예약 18일이 아니라 20일이야": ["2026-07-20"],
    "면접은 금요일이지 목요일이 아니에요": ["2026-07-17"],
    "결혼식은 토요일 아냐, 일요일이야": ["2026-07-19"],
    "The dentist appointment is not on Friday but on Monday": ["2026-07-20"],
    "The review isn't on Thursday, it's on Friday": ["2026-07-17"],
    "We meet on Monday, not on Friday": ["2026-07-20"],
    "the party is on Saturday rather than Friday": ["2026-07-18"],
    "the lease ends on 31 August instead of 15 August": ["2026-08-31"],
}
NOT_DENIED = {
    "토요일 아니면 일요일에 보자": 2,
    "금요일뿐만 아니라 월요일에도 회의가 있어": 2,
    "회의 금요일 아니야?": 1,
    "if not Friday, then Monday works": 2,
    "why not Friday?": 1,
    "I won't be back until Friday": 1,
    "I can't come on Friday": 1,
}


@pytest.mark.parametrize(("text", "named"), DENIED.items())
def test_a_day_that_is_denied_is_not_named(text: str, named: list[str]) -> None:
    """Not on this day but on that: only that one is told, and of the week of the one denied."""
    assert days(text) == named


@pytest.mark.parametrize(("text", "count"), NOT_DENIED.items())
def test_what_leaves_a_day_open_names_it(text: str, count: int) -> None:
    """Control: or, if, also, until, and a question deny no day."""
    assert len(days(text)) == count


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


TUNE = Path(__file__).parents[1] / "data" / "days_tune.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in TUNE.read_text("utf-8").splitlines()]
# A date in figures with a point and without a weekday looks like any other number.
NOT_READ = {"6.3 투표하고 나서 바로 공항 간다"}


def read(row: dict[str, Any]) -> tuple[list[str], str]:
    """Return the days that a labelled turn names after the one before it, and when it was said."""
    zone = ZoneInfo("Asia/Seoul" if row["lang"] == "ko" else "Europe/London")
    at = datetime.fromisoformat(row["said_at"]).replace(tzinfo=zone)
    last = last_named(spans(row.get("before", ""), at, ahead=True), at)
    found = spans(row["text"], at, ahead=True, last=last)
    return [span.start.date().isoformat() for span in found], at.date().isoformat()


@pytest.mark.parametrize("row", [row for row in ROWS if row["day"]], ids=lambda row: row["text"])
def test_a_labelled_plan_has_its_day(row: dict[str, Any]) -> None:
    """In figures, in words, in parts of months, counted, or named by the turn before."""
    first, _, last = row["day"].partition("/")
    found, _ = read(row)
    right = any(first <= day <= (last or first) for day in found)
    assert right is (row["text"] not in NOT_READ), found


@pytest.mark.parametrize("row", [row for row in ROWS if not row["day"]], ids=lambda r: r["text"])
def test_what_is_no_plan_names_no_day_ahead(row: dict[str, Any]) -> None:
    """The control: what was, what is usual, versions, scores and prices."""
    found, today = read(row)
    assert [day for day in found if day > today] == []


def test_a_day_that_was_named_before_needs_to_be_known() -> None:
    """Without the talk before it, "that day" is no day; so it is where nothing lies ahead."""
    said = ["그날 저녁에 만나기로 했어", "I'll call you that day", "no wine until then"]
    assert [days(text) for text in said] == [[], [], []]
    gone = Span(SAID.replace(day=1), SAID.replace(day=2), words="", at=0)
    assert last_named([gone], SAID) is None


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("우리 딸 생일은 5월 11일이야", 12),
        ("My daughter's birthday is May 11", 12),
        ("월세는 매달 15일에 나가", 1),
        ("rent goes out on the 15th of every month", 1),
        ("생일 선물 사러 5월 3일에 백화점 가", 0),
        ("I'll buy her birthday present on May 3", 0),
    ],
)
def test_a_day_comes_back_or_does_not(text: str, months: int) -> None:
    """A birthday every year, the 15th of every month; what is done for a birthday only once."""
    assert comes_back(text) == months


@given(
    st.lists(st.sampled_from([*(row["text"] for row in ROWS), "9999", "그날 "]), max_size=3),
    st.datetimes(timezones=st.just(UTC)),
    st.datetimes(timezones=st.just(UTC)),
)
def test_nothing_that_is_told_ahead_fails(
    texts: list[str], said: datetime, named: datetime
) -> None:
    """At either end of the calendar too; a span ends after it starts."""
    last = Span(named, named, words="", at=0)
    assert all(s.start < s.end for s in spans(" ".join(texts), said, ahead=True, last=last))


# Said on Monday 2 March 2026.
MONDAY = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
BRITISH = {
    "the exam is Thursday fortnight": ["2026-03-19"],
    "my mot's booked for a fortnight on Thursday": ["2026-03-19"],
    "the match is Friday week": ["2026-03-13"],
    "exam's on Weds week": ["2026-03-11"],
    "the boiler man comes on sat week": ["2026-03-14"],
    "gran arrives Tues fortnight": ["2026-03-17"],
    "haircut friday gone was awful": ["2026-02-27"],
    "Ravi's do, Saturday just gone, went on till two": ["2026-02-28"],
    "I'm seeing the dentist on Friday": ["2026-03-06"],
    "I'll be home on Friday gone 5": ["2026-03-06"],
    "we signed a week ago yesterday": ["2026-02-22"],
    "they moved in a month ago tomorrow": ["2026-02-03"],
    "I met her a week ago. Yesterday I met him": ["2026-02-23", "2026-03-01"],
    "dinner at Carlo's on Friday the 13th": ["2026-03-13"],
    "dinner at Carlo's on Friday the 20th": ["2026-03-20"],
    "haircut friday gone at toni's was awful": ["2026-02-27"],
    "Friday gone and still no parcel": ["2026-02-27"],
    "see you Friday gone quarter past five": ["2026-03-06"],
    "On Thursday gone fishing with dad": ["2026-03-05"],
    "Dad's on Tuesday gone to Leeds": ["2026-03-03"],
    "essay due Fri week 6": ["2026-03-06"],
    "conference starts Tue week-long": ["2026-03-03"],
    "five minutes ago tomorrow's lecture was cancelled": ["2026-03-02", "2026-03-03"],
    "two days ago tomorrow's trip was called off": ["2026-02-28", "2026-03-03"],
    "I quit a week ago yesterday was my last day": ["2026-02-23", "2026-03-01"],
    "I need it by Friday the 13th": ["2026-03-13"],
    "rent is due Friday the 13th": ["2026-03-13"],
    "flights booked for Friday the 13th": ["2026-03-13"],
    "I bought a Jason Friday the 13th mask": [],
    "let's put on Friday the 13th tonight": [],
    "I wrote my essay on Friday the 13th": [],
    "I love Friday the 13th": [],
    "we sat week after week in the cold": [],
}


@pytest.mark.parametrize(("text", "named"), BRITISH.items())
def test_weekdays_are_read_as_they_are_said_in_britain(text: str, named: list[str]) -> None:
    """Thursday fortnight, Weds week, Friday gone, a week ago yesterday, on Friday the 13th."""
    found = [span.start.date().isoformat() for span in spans(text, MONDAY, ahead=True)]
    assert found == named


TRAILED = {
    "금요일에 치과 예약했어 2시": "2026-03-06",
    "금요일 2시에 치과 예약했어": "2026-03-06",
    "화요일에 미용실 잡았어 오후 3시로": "2026-03-03",
    "목요일에 요가 수업 신청했어요, 7시": "2026-03-05",
    "토요일에 고깃집 예약해 놨어 저녁 6시야": "2026-03-07",
    "금요일에 영화 예매했어 7시": "2026-03-06",
    "금요일에 영화 봤어 2시": "2026-02-27",
    "금요일에 집을 계약했어 2시에": "2026-02-27",
    "금요일에 통보받았어 2시쯤": "2026-02-27",
    "목요일에 담배 끊었어 3시쯤": "2026-02-26",
    "수요일에 물고기 잡았어 새벽 5시에": "2026-02-25",
    "수요일에 표 샀어 5시쯤": "2026-02-25",
    "금요일에 접수했는데 2시까지 답 준대": "2026-02-27",
    "금요일에 계약했고 2시에 잔금 치러야 해": "2026-02-27",
    "금요일에 접수했고 4시에 나왔어": "2026-02-27",
    "토요일에 갔고 4시에 왔어": "2026-02-28",
}


@pytest.mark.parametrize(("text", "day"), TRAILED.items())
def test_an_hour_that_trails_behind_a_booking_leaves_it_ahead(text: str, day: str) -> None:
    """Booked is booked, wherever its hour stands; what was done with its hour stays past."""
    found = spans(text, MONDAY, ahead=True)
    assert [span.start.date().isoformat() for span in found] == [day]


LASTING = {
    "모레부터 사흘간 부산 출장이야": ("2026-03-04", "2026-03-06"),
    "내일부터 이틀 동안 단수래": ("2026-03-03", "2026-03-04"),
    "3월 5일부터 2주 동안 휴가야": ("2026-03-05", "2026-03-18"),
    "다음 주 월요일부터 일주일간 연수 받아": ("2026-03-09", "2026-03-15"),
    "금요일부터 1박2일 워크숍 가": ("2026-03-06", "2026-03-07"),
    "3월 10일에 2박 3일로 제주도 가": ("2026-03-10", "2026-03-12"),
    "지난주 금요일부터 사흘간 아팠어": ("2026-02-27", "2026-03-01"),
    "3월 5일부터 8일까지 휴가야": ("2026-03-05", "2026-03-08"),
    "모레 부산 출장이야": ("2026-03-04", "2026-03-04"),
    "내일부터 이틀 간격으로 약 먹어": ("2026-03-03", "2026-03-03"),
    "내일부터 2주에 한 번 운동해": ("2026-03-03", "2026-03-03"),
    "금요일에 2박 3일 캠핑 가": ("2026-03-06", "2026-03-08"),
    "일요일에 1박2일 봤어": ("2026-03-01", "2026-03-01"),
    "어제 2박 3일 제주 여행에서 돌아왔어": ("2026-03-01", "2026-03-01"),
    "지난 금요일에 2박 3일 여행 갔다 왔어": ("2026-02-27", "2026-02-27"),
    "어제 2박 3일 여행 예약했어": ("2026-03-01", "2026-03-01"),
    "내일 2박 3일치 짐 싸야 해": ("2026-03-03", "2026-03-03"),
}


@pytest.mark.parametrize(("text", "ends"), LASTING.items())
def test_what_begins_on_a_day_lasts_as_long_as_is_said(text: str, ends: tuple[str, str]) -> None:
    """부터 사흘간, 2박 3일: the first day and the last; how often it comes again is no length."""
    [found] = spans(text, MONDAY, ahead=True)
    last = found.end - timedelta(microseconds=1)
    assert (found.start.date().isoformat(), last.date().isoformat()) == ends


def test_a_length_without_a_day_names_no_time() -> None:
    """The control: how long alone says nothing of when."""
    assert days("2박 3일 제주도 가고 싶다") == days("그때부터 사흘간 쉬었어") == []
    assert days("1박2일 6시에 해") == days("9시부터 2일간 접수받아") == []
