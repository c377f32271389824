"""What only says when is taken off; a date that is the content stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.language.occasions import without_occasion
from saegim.memory.text import normalise

GOES = """2월 15일 삐돌이가 카페에 감 -> 삐돌이가 카페에 감
어제는 비를 맞았다 -> 비를 맞았다
삐돌이가 지난주 금요일에 울었다 -> 삐돌이가 울었다
2026년 3월 5일 저녁 7시에 민수를 만났다 -> 민수를 만났다
오늘 아침을 걸렀다 -> 아침을 걸렀다
이틀 전에 넘어졌어. 오늘은 괜찮아 -> 넘어졌어. 괜찮아
On Feb 15 Minsu cried -> Minsu cried
Jane called me last night, crying -> Jane called me, crying
I slept badly on Monday and yesterday I was tired -> I slept badly and I was tired
Two weeks ago, we lost the game -> We lost the game
The game was cancelled yesterday due to rain -> The game was cancelled due to rain""".splitlines()
STAYS = """내 생일은 2월 15일이야
어제가 결혼기념일이었다
2월 15일에 엄마 생신 잔치를 했다
월요일에는 항상 피곤했다
2019년부터 서울에 살았다
3일 동안 앓았다
매주 금요일마다 배드민턴을 쳤다
내일 10시에 면접이 있다
3월 2일에 출국한다
오늘 3시에 회의 있어
어제의 나를 이기고 싶다
2월 15일
Yesterday was the worst day
I have lived here since 2019
I spent last Friday alone
The Monday meeting was cancelled
We meet every Friday
We celebrated my birthday on May 3
I always felt tired on Monday
I leave on March 3
My passport expires in June 2027
I remember yesterday
Last week's dinner was great
yesterday""".splitlines()


@pytest.mark.parametrize("line", GOES)
def test_the_occasion_goes(line: str) -> None:
    """Seed D §3: 구체적 날짜나 상황은 버리고; what is left is a sentence."""
    text, _, kept = line.partition(" -> ")
    assert without_occasion(text, "ko" if "가" <= kept[0] <= "힣" else "en") == kept


@pytest.mark.parametrize("text", STAYS)
def test_a_date_that_is_the_content_stays(text: str) -> None:
    """Birthdays, deadlines, appointments, spans and habits lose nothing."""
    language = "ko" if any("가" <= letter <= "힣" for letter in text) else "en"
    assert without_occasion(text, language) == text


@given(st.text(max_size=200), st.sampled_from(("ko", "en")))
def test_any_text_is_left_with_something(text: str, language: str) -> None:
    """No text breaks it; one with words is never emptied, nor made longer."""
    kept = without_occasion(text, language)
    # Some signs of music are three characters once they are written in the normal form.
    assert len(kept) <= len(normalise(text)) + 1
    if any(letter.isalnum() for letter in kept) is False:
        assert not any(letter.isalnum() and letter.isascii() for letter in text)


@pytest.mark.parametrize("piece", ["2월 15일 ", "어제 ", "on Monday ", "yesterday ", "last "])
def test_a_text_of_nothing_but_occasions_is_read_in_time(piece: str) -> None:
    """A hostile memory of one word again and again is read, not waited for."""
    for language in ("ko", "en"):
        assert without_occasion(piece * 800, language)
