"""The commands of imagination and mood, as a person types them, in both languages."""

from __future__ import annotations

import json

import pytest
from saying import Say

TOLD = ("나는 비 오는 날 카페에 가는 걸 좋아해", "요즘 야근이 잦아서 너무 힘들어")


@pytest.fixture
def lived(say: Say) -> Say:
    """A person who has told two things."""
    for text in TOLD:
        assert say("remember", text).code == 0
    return say


def test_imagine_list_and_answer(lived: Say) -> None:
    """One is made and counted, listed, answered to; the fourth is refused and says what helps."""
    made = lived("imagine", "--context", "비가 온다")
    assert made.code == 0
    assert "Left today: 2" in made.out
    assert "비가 온다" in made.out
    assert "context:" in lived("imagine", "liked").out
    assert "1.5" in lived("imagine", "liked", "--json").out
    listed = json.loads(lived("imagine", "list", "--json").out)
    assert (len(listed["imaginations"]), listed["left"]) == (1, 2)
    lived("imagine")
    lived("imagine")
    full = lived("imagine", "--language", "ko")
    assert full.code != 0
    assert "이미 3번 상상했습니다" in full.err
    assert "imagination_per_day" in full.err
    assert "오늘 남은 횟수: 0" in lived("imagine", "list", "--language", "ko").out


def test_nothing_to_imagine_and_nothing_felt_is_said_plainly(say: Say) -> None:
    """An empty memory has no scene and no mood, and says so in both languages."""
    say("remember", "우산은 현관에 있다")
    assert "too little" in say("imagine").err
    assert "이어 볼 만한 기억이 부족합니다" in say("imagine", "--language", "ko").err
    assert "no particular mood" in say("mood").out
    assert "특별한 기분은 없습니다" in say("mood", "--language", "ko").out
    assert "오늘은 상상한 것이 없습니다" in say("imagine", "list", "--language", "ko").out
    assert "liked, ignored, refused" in say("imagine", "maybe").err


def test_mood_and_the_feelings_of_an_answer(say: Say) -> None:
    """`mood` names the feeling; `recall --json` says which feelings the answer brings back."""
    say("remember", "할머니가 처음으로 칭찬해 주셔서 정말 기뻤어")
    assert "Mood: joy" in say("mood").out
    assert "기분: 기쁨" in say("mood", "--language", "ko").out
    assert json.loads(say("mood", "--json").out)["mood"]["feeling"] == "joy"
    told = json.loads(say("recall", "할머니 칭찬", "--json").out)
    assert told["feelings"]["feeling"] == "joy"


def test_a_hard_day_is_not_called_boring(lived: Say) -> None:
    """Weariness and boredom are one of the seed's ten feelings: its Korean word names both."""
    assert "기분: 지침·따분함" in lived("mood", "--language", "ko").out
    assert "지루함" not in lived("mood", "--language", "ko").out
