"""A time word alone brings nothing into a prompt: on the first day everything is "today"."""

from __future__ import annotations

from datetime import timedelta

import pytest

from saegim import Saegim

SAID_TODAY = (
    "우리 강아지 이름은 보리다",
    "나는 재택근무를 선호한다",
    "The user's cat is called Nabi and she is three.",
    "스테이징 서버 이름은 등대다.",
    "Minho gave up coffee and drinks barley tea now",
    "배포는 금요일 오후에는 하지 않기로 했다",
    "오늘 점심에 김치찌개를 먹었다",
    "3월부터 네이버에서 일해",
)


@pytest.fixture
def first_day(memory: Saegim) -> Saegim:
    """A memory that was begun today."""
    for text in SAID_TODAY:
        memory.remember(text)
    return memory


@pytest.mark.parametrize(
    "asked",
    [
        "오늘 날씨 어때?",
        "오늘 야구 누가 이겼어?",
        "write a haiku for today",
        "what's the weather today?",
        "이번 주 뉴스 알려줘",
        "today's date?",
        "내일 서울 날씨 알려줘",
    ],
)
def test_a_prompt_that_only_shares_the_day_is_given_nothing(first_day: Saegim, asked: str) -> None:
    """FIRST_HOUR C2: what lies in the time of a question is not thereby its answer."""
    assert first_day.context(asked, budget=500).text == ""
    assert all(hit.weak for hit in first_day.recall(asked).hits)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("오늘 배포해도 돼?", "배포는 금요일 오후에는 하지 않기로 했다"),
        ("오늘 점심에 뭐 먹었지?", "오늘 점심에 김치찌개를 먹었다"),
        ("may the cat Nabi come along today?", "The user's cat is called Nabi and she is three."),
    ],
)
def test_what_the_rest_of_the_question_asks_for_is_still_told(
    first_day: Saegim, asked: str, answer: str
) -> None:
    """The control: the same day with a question about something; the day drags nothing along."""
    told = [first_day.get(card.id).text for card in first_day.context(asked, budget=500).cards]
    assert told[0] == answer
    assert "우리 강아지 이름은 보리다" not in told


def test_a_time_asked_for_alone_is_answered_by_what_lies_in_it(first_day: Saegim) -> None:
    """Who asks for nothing but a day that is over is shown that day; today is not over."""
    assert first_day.context("how are you today?", budget=500).text == ""
    yesterday = first_day.mind.now() - timedelta(days=1)
    first_day.remember("민수랑 북악산에 올랐다", happened_at=yesterday)
    assert "북악산" in first_day.context("어제 뭐 했지?", budget=500).text
