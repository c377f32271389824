"""Days written out: what was true on the day it was said is true on any day, or is not told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.language.occasions import DatedText, dated, speaks_of_now

# A Monday afternoon in Seoul.
SAID = datetime(2026, 1, 5, 14, tzinfo=timezone(timedelta(hours=9)))
WRITTEN = """어제는 비를 맞았다 -> 2026년 1월 4일은 비를 맞았다
오늘이 내 첫 출근이다 -> 2026년 1월 5일이 내 첫 출근이다
내일 10시에 면접이 있다 -> 2026년 1월 6일 10시에 면접이 있다
모레까지 보고서를 낸다 -> 2026년 1월 7일까지 보고서를 낸다
치과 예약은 다음 주 화요일 오후 3시 -> 치과 예약은 2026년 1월 13일 화요일 오후 3시
담주 토욜에 민재 만나기로 했어 -> 2026년 1월 17일 토요일에 민재 만나기로 했어
어젯밤에 서버가 내려갔다 -> 2026년 1월 4일 밤에 서버가 내려갔다
지난주에 팀을 옮겼다 -> 2025년 12월 29일 주에 팀을 옮겼다
지난달에 이사했다 -> 2025년 12월에 이사했다
작년에 결혼했다 -> 2025년에 결혼했다
3년 전에 서울로 왔다 -> 2023년에 서울로 왔다
2주 전에 넘어졌다 -> 2025년 12월 22일쯤에 넘어졌다
이사는 30일 금요일로 잡음 -> 이사는 2026년 1월 30일 금요일로 잡음
12월 20일에 고기를 먹었다 -> 2025년 12월 20일에 고기를 먹었다
내일부터 모레까지 휴가야 -> 2026년 1월 6일부터 2026년 1월 7일까지 휴가야
Yesterday I biked to work -> On 4 January 2026 I biked to work
I have an interview tomorrow at 10 -> I have an interview on 6 January 2026 at 10
I need the papers by tomorrow -> I need the papers by 6 January 2026
The server went down last night -> The server went down on the night of 4 January 2026
Last week Tom moved out -> In the week of 29 December 2025 Tom moved out
We fly to Rome next month -> We fly to Rome in February 2026
I quit smoking two years ago -> I quit smoking in 2024
A week ago the cat ran away -> Around 29 December 2025 the cat ran away
The talk is on Friday the 9th -> The talk is on Friday 9 January 2026
I met Ann on December 3 -> I met Ann on December 3, 2025
The move is Tuesday of next week -> The move is on Tuesday 13 January 2026
Yesterday was awful -> 4 January 2026 was awful""".splitlines()
STAYS = """내 생일은 5월 3일이야
매달 9일에 월세를 낸다
매주 금요일마다 배드민턴을 친다
금요일 오후에는 절대 배포하지 않는다
2024년 1월부터 파이썬 3.12를 쓴다
3일 동안 앓았다
8월 1일에 고기를 먹었다
설에 떡국을 먹었다
나는 땅콩 알레르기가 있다
My birthday is May 3
I play badminton every Friday
Never deploy on a Friday afternoon
I have lived here since 2019
I lived in Leeds for three years
I am allergic to peanuts
Green Bay is May 17, the full marathon
We ship by Labor Day
My sister says she hates mint""".splitlines()
NOT_TOLD = """며칠 전에 할머니 댁에 다녀왔다
작년 여름에 서핑을 배웠다
아까 지갑을 잃어버렸다
요즘 야근이 잦다
9일에 만났다
30일 토욜로 잡음
수욜 4시로 박아버림
월요일 수요일 오후 두시로 옮겨졌다
논문은 심사 2주 전까지 드린다
면접은 일주일 뒤로 미뤄졌다
전날 밤 열 시 뒤로는 굶어라
오늘 만난 친구랑 밥 먹고 커피 마시고 저녁 7시에 헤어졌다
금요일에 봐
걔는 재즈를 좋아해
그 사람이 나한테 사과했다
The other day I visited Grandma
I will do it soon
I am at the clinic a week on Tuesday
It is tomorrow week
Lunch is on Friday
The talk is on the 9th
I met Ann on the 9th
I never liked Tom, see you Friday
It is a week today
Dinner is at 5pm sharp
Moved to thursday of next week, same time
Dentist next Tuesday at 3pm
Yesterday's dinner was bad
He loves jazz
She called again""".splitlines()


@pytest.mark.parametrize("line", WRITTEN)
def test_a_day_is_written_out(line: str) -> None:
    """A fact that rises keeps its date, resolved: no "내일", no "on the 9th" without its month."""
    text, _, kept = line.partition(" -> ")
    assert dated(text, DatedText(SAID)) == kept


@pytest.mark.parametrize("line", WRITTEN)
def test_what_is_written_out_needs_nothing_more(line: str) -> None:
    """Told again a year later, the sentence is the same: nothing in it moves."""
    kept = line.partition(" -> ")[2]
    assert dated(kept, DatedText(SAID + timedelta(days=400))) == kept


@pytest.mark.parametrize("text", STAYS)
def test_what_is_true_on_any_day_stays_as_it_is(text: str) -> None:
    """Birthdays, habits, spans and rules have no day to be written out."""
    assert dated(text, DatedText(SAID)) == text


@pytest.mark.parametrize("text", NOT_TOLD)
def test_what_would_be_untrue_another_day_is_not_told(text: str) -> None:
    """Vague days, days that may be two, people whom only the conversation knew: nothing."""
    assert dated(text, DatedText(SAID)) is None


def test_a_weekday_of_a_taste_is_every_one() -> None:
    """Whoever hates Mondays hates all of them; whoever goes on Monday goes once."""
    assert dated("나는 월요일이 싫다", DatedText(SAID)) is None
    assert dated("나는 월요일이 싫다", DatedText(SAID, recurs=True)) == "나는 월요일이 싫다"


def test_the_day_is_the_day_of_the_one_who_speaks() -> None:
    """At one in the morning in Seoul it is still yesterday in London."""
    night = datetime(2026, 1, 6, 1, tzinfo=timezone(timedelta(hours=9)))
    assert dated("내일 떠난다", DatedText(night)) == "2026년 1월 7일 떠난다"
    assert dated("내일 떠난다", DatedText(night.astimezone(UTC))) == "2026년 1월 6일 떠난다"


DAYS = st.sampled_from(
    "어제 오늘 내일 모레 지난주 지난달 작년 이번주말 yesterday today tomorrow".split()
)


@given(st.text(max_size=60), DAYS, st.text(max_size=60))
def test_whatever_is_told_speaks_of_no_moving_day(before: str, day: str, after: str) -> None:
    """No text breaks it, and what comes back names no day that moves."""
    told = dated(f"{before} {day} {after}", DatedText(SAID))
    assert told is None or not speaks_of_now(told)


@given(st.text(max_size=200), st.booleans())
def test_any_words_can_be_given(text: str, recurs: bool) -> None:
    """Nothing breaks it, and asked twice it says the same."""
    told = dated(text, DatedText(SAID, recurs=recurs))
    assert told == dated(text, DatedText(SAID, recurs=recurs))
