"""Spans of time: zones, clock changes, the ends of the calendar, odd texts, and the event."""

from __future__ import annotations

import json
import os
import re
import time
import unicodedata
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_english_dates import NAMED as ENGLISH
from test_korean_dates import NAMED as KOREAN
from told import AFTER_GAP, AFTER_OVERLAP, FIRST, GAP, LAST, NEW_YORK, OVERLAP, SEOUL, told

from saegim.errors import BadInput
from saegim.language.times import Span, event_of, spans
from stand_ins import rounds

LABELLED = Path(__file__).parents[1] / "data" / "time_words_tune.jsonl"
ZONES = ("UTC", "Asia/Seoul", "America/Los_Angeles")
SNIPPETS = st.sampled_from(
    [*KOREAN, *ENGLISH, "3", "월", " ", "~", "2024-", " to ", "부터 ", "까지", "５일", "👨‍👩‍👧"]
)
TEXTS = st.lists(SNIPPETS | st.text(max_size=8), max_size=5).map("".join)
ANCHORS = st.datetimes(
    timezones=st.sampled_from([UTC, NEW_YORK, ZoneInfo("Africa/Cairo"), FIRST.tzinfo, LAST.tzinfo])
)


@pytest.fixture
def machine_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Move the machine to another zone, and home again after the test."""

    def move(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()


def hours(text: str, anchor: datetime) -> float:
    """Return how many hours the one span of a text lasts."""
    (span,) = spans(text, anchor)
    return (span.end.astimezone(UTC) - span.start.astimezone(UTC)) / timedelta(hours=1)


def by_floor(text: str, anchor: datetime) -> list[tuple[datetime, datetime]]:
    """Know only six words and ISO dates: what any rule must beat."""
    words = {"오늘": 0, "today": 0, "어제": -1, "yesterday": -1, "내일": 1, "tomorrow": 1}
    days = [anchor.date() + timedelta(words[w]) for w in words if w in text.lower()]
    for found in re.findall(r"\d{4}-\d{2}-\d{2}", text):
        try:
            days.append(datetime.fromisoformat(found).date())
        except ValueError:
            continue
    starts = [datetime(day.year, day.month, day.day, tzinfo=anchor.tzinfo) for day in days]
    return [(start, start + timedelta(days=1)) for start in starts]


def labelled() -> list[dict[str, Any]]:
    """Read the labelled sentences that the rules may be tuned on."""
    return [json.loads(line) for line in LABELLED.read_text("utf-8").splitlines()]


def share_right(read: Callable[[str, datetime], list[tuple[datetime, datetime]]]) -> float:
    """Return the share of labelled sentences that are read exactly as labelled."""
    right = 0
    rows = labelled()
    for row in rows:
        anchor = datetime.fromisoformat(row["anchor"])
        if row["zone"]:
            anchor = anchor.astimezone(ZoneInfo(row["zone"]))
        wanted = [row["start"], row["end"]] if row["start"] else []
        ends = [datetime.fromisoformat(each) for each in wanted]
        ends = [each if each.tzinfo else each.replace(tzinfo=anchor.tzinfo) for each in ends]
        got = [each for pair in read(row["text"], anchor) for each in pair]
        right += [at.astimezone(UTC) for at in got] == [at.astimezone(UTC) for at in ends]
    return right / len(rows)


def test_labelled_sentences_are_read_as_their_writer_meant_them() -> None:
    """U20.2: at least 95 % of sentences labelled by someone else are exact; a simple rule fails."""
    assert len(labelled()) >= 150
    assert share_right(lambda t, a: [(s.start, s.end) for s in spans(t, a)]) >= 0.95
    assert share_right(by_floor) < 0.6


def test_the_table_is_large_enough() -> None:
    """U20.2: at least 150 Korean and English expressions with their anchors."""
    assert len(KOREAN) + len(ENGLISH) >= 200


def test_a_day_is_as_long_as_the_clock_made_it() -> None:
    """R-16: "yesterday" is 23 hours long after the gap in New York, 25 after the overlap."""
    assert hours("yesterday was odd", AFTER_GAP) == 23
    assert hours("어제 이상했어", AFTER_OVERLAP) == 25
    assert hours("어제 이상했어", SEOUL) == 24
    assert hours("last week was odd", AFTER_GAP + timedelta(days=7)) == 7 * 24
    assert hours("last week was odd", AFTER_GAP) == 7 * 24 - 1
    # The control: a day of 24 hours would begin an hour too early or too late.
    (span,) = spans("yesterday was odd", AFTER_GAP)
    assert span.start.astimezone(UTC) != span.end.astimezone(UTC) - timedelta(hours=24)


def test_an_hour_that_the_clock_jumped_over_is_nothing() -> None:
    """R-16: 02:30 of 8 March 2026 does not exist in New York, and the day alone is no answer."""
    assert told("The baby woke up today at 2:30 am.", GAP) == ""
    assert told("오늘 새벽 2시에 깼어", GAP) == ""
    assert told("오늘 새벽 3시에 깼어", GAP) == "2026-03-08T03"
    assert told("오늘 새벽 2시에 깼어", SEOUL) == "2026-03-04T02"


def test_an_hour_that_came_twice_is_both() -> None:
    """R-16: "1 am" of the overlap lasts from the first one to the end of the second."""
    assert hours("today at 1am I woke", OVERLAP) == 2
    assert hours("today at 3am I woke", OVERLAP) == 1


@pytest.mark.parametrize(
    ("anchor", "start"),
    [
        (datetime(2026, 11, 1, 1, 0, fold=1, tzinfo=NEW_YORK), "2026-11-01T01:00:00-04:00"),
        (datetime(2026, 3, 8, 3, 0, tzinfo=NEW_YORK), "2026-03-08T01:00:00-05:00"),
        (datetime(2026, 3, 4, 0, 20, tzinfo=NEW_YORK), "2026-03-03T23:00:00-05:00"),
    ],
)
def test_an_hour_ago_is_counted_in_real_time(anchor: datetime, start: str) -> None:
    """R-16: an hour ago across a clock change is sixty minutes ago, not one figure less."""
    (span,) = spans("I woke up an hour ago.", anchor)
    assert span.start.astimezone(UTC) == datetime.fromisoformat(start)
    assert hours("한 시간 전에 깼어", anchor) == 1


def test_midnight_may_not_exist() -> None:
    """R-16: where the clock jumps at midnight, the day begins when the clock goes on."""
    cairo = datetime(2026, 4, 25, 12, 0, tzinfo=ZoneInfo("Africa/Cairo"))
    (span,) = spans("어제 더웠어", cairo)
    assert span.start.isoformat() == "2026-04-24T01:00:00+03:00"
    assert hours("어제 더웠어", cairo) == 23


@pytest.mark.parametrize(
    "zone", [UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))]
)
@pytest.mark.parametrize("day", [(1, 1, 1), (9999, 12, 31), (2038, 1, 19), (1582, 10, 15)])
def test_the_ends_of_the_calendar_break_nothing(zone: timezone, day: tuple[int, int, int]) -> None:
    """R-16: in the years 1 and 9999 what lies outside the calendar is left out."""
    anchor = datetime(*day, 12, 0, tzinfo=zone)
    for text in (
        *KOREAN,
        *ENGLISH,
        "9999년 전에",
        "9999 years ago",
        "9999시간 전",
        "in 9999 years",
    ):
        for span in spans(text, anchor):
            assert span.start.astimezone(UTC) < span.end.astimezone(UTC)
    assert bool(spans("어제 갔어", anchor)) == (day[0] != 1)
    assert bool(spans("내일 보자", anchor)) == (day[0] != 9999)


def test_the_zone_of_the_machine_is_never_asked(machine_zone: Callable[[str], None]) -> None:
    """U20.1, U20.2: the same text and anchor give the same spans wherever the machine stands."""
    anchors = (SEOUL, GAP, AFTER_OVERLAP, FIRST, LAST)
    results, controls = [], []
    for zone in ZONES:
        machine_zone(zone)
        assert os.environ["TZ"] == zone
        controls.append(datetime(2026, 3, 4, 12).astimezone().utcoffset())
        results.append([spans(text, a) for a in anchors for text in (*KOREAN, *ENGLISH)])
    assert results[0] == results[1] == results[2]
    assert len(set(controls)) == 3


def test_spans_keep_the_zone_of_the_anchor() -> None:
    """Both ends are in the anchor's own zone, a fixed offset or a named one."""
    for anchor in (SEOUL, AFTER_GAP, LAST):
        (span,) = spans("2024-03-05T14:30:00Z", anchor)
        assert span.start.tzinfo is span.end.tzinfo is anchor.tzinfo
        assert span.start == datetime(2024, 3, 5, 14, 30, tzinfo=UTC)


def test_an_anchor_without_a_zone_is_refused() -> None:
    """A local time of nowhere is an error of the caller, not a guess of ours."""
    with pytest.raises(BadInput):
        spans("어제", datetime(2026, 3, 4))


@pytest.mark.parametrize(
    "shape", [lambda t: unicodedata.normalize("NFD", t), lambda t: "\u200b" + t]
)
def test_the_words_are_found_in_the_text_as_it_was_written(shape: Callable[[str], str]) -> None:
    """Decomposed, full-width and zero-width characters neither hide a word nor shift its place."""
    for text in (*KOREAN, "２０２４년 ３월 ５일에 갔다"):
        written = shape("🎉 " + text)
        plain, odd = spans("🎉 " + text, SEOUL), spans(written, SEOUL)
        assert [(s.start, s.end) for s in odd] == [(s.start, s.end) for s in plain] != []
        for one, two in zip(plain, odd, strict=True):
            assert unicodedata.normalize("NFC", two.words).strip("\u200b") == one.words
            assert written.startswith(two.words, two.at)


@given(TEXTS, ANCHORS)
def test_any_text_at_any_time_has_orderly_spans(text: str, anchor: datetime) -> None:
    """Whatever is written and whenever: no error, spans in order, aware, not empty, in the text."""
    found = spans(text, anchor)
    assert [span.at for span in found] == sorted(span.at for span in found)
    for span in found:
        assert span.start.tzinfo is span.end.tzinfo is anchor.tzinfo
        assert span.start.astimezone(UTC) < span.end.astimezone(UTC)
        assert span.words
        assert text.startswith(span.words, span.at)
    assert event_of(found, anchor) in [None, *found]


def test_a_long_text_of_time_words_is_read_to_its_end() -> None:
    """Sixty thousand characters of time words are one long list, not a work for hours."""
    assert len(spans("어제 갔다. " * 9000, SEOUL)) == 9000
    assert spans("3월 " * 20000, SEOUL) == []
    for word in ("3월 ", "화요일에 갔고 ", "the day after ", "in May, "):
        assert len(spans(word * rounds(20_000), SEOUL, ahead=True)) <= 1


def found_in(text: str) -> Span | None:
    """Return the event of a text that was said in Seoul."""
    return event_of(spans(text, SEOUL), SEOUL)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("어제 약을 받았고 내일 병원에 가", "어제"),
        ("오늘 만났어", "오늘"),
        ("작년에 입사했고, 2025년 5월 3일에 승진했어", "2025년 5월 3일"),
        ("We met last year. It was on 3 May 2025.", "3 May 2025"),
        ("오늘 아침 9시에 회의했어", "오늘 아침 9시"),
        ("올해 이사했어", "올해"),
    ],
)
def test_the_one_past_span_is_the_event(text: str, words: str) -> None:
    """U20.2: what has begun, and no other past span disputes, says when it happened."""
    event = found_in(text)
    assert event is not None
    assert event.words == words


@pytest.mark.parametrize(
    "text",
    [
        "내일 보자",
        "오늘 오후 3시에 만나자",
        "어제 갔고 지난주에도 갔어",
        "작년 3월과 올해 2월에 갔어",
        "커피를 좋아해",
        "2월 30일에 갔어",
    ],
)
def test_no_event_without_one_clear_past_span(text: str) -> None:
    """U20.2: the future is no event, and of two that disagree none is chosen."""
    assert found_in(text) is None
