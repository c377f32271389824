"""Which words can be a theme of memories, and which stand in every day."""

from __future__ import annotations

import pytest

from reflect.living import LIVES, days, lived, thought
from saegim import FixedClock, Saegim
from saegim.language.wording import is_theme

LIFE = {life["id"]: life["memories"] for life in LIVES}


@pytest.mark.parametrize("word", "등산 기타 게임 러닝 climbing pottery choir Python 도자기".split())
def test_things_are_themes(word: str) -> None:
    """What one does, plays or makes can be what memories are about."""
    assert is_theme(word)


@pytest.mark.parametrize(
    "word",
    (
        "오늘 시간 사람 생각 토요일 토욜 저녁 확인 새 하나 출처 3시 "
        "today thing people bought asked up coming put thats its four word ME"
    ).split(),
)
def test_times_verbs_and_pale_words_are_none(word: str) -> None:
    """What stands in every day is no theme of any."""
    assert not is_theme(word)


def test_a_feeling_is_no_theme() -> None:
    """How one feels is told as a tone, not as a subject."""
    assert not is_theme("행복", ("행복한",))
    assert is_theme("행복", ())


def test_a_life_full_of_pale_words_has_no_theme(memory: Saegim, clock: FixedClock) -> None:
    """U4.2: buying five things and meeting five people is not about "bought" or "people"."""
    bought = [f"Bought {thing}" for thing in ("a kettle", "two forks", "ink", "rope", "a hat")]
    people = [f"사람이 {verb}" for verb in ("많았다", "왔다", "없었다", "모였다", "줄었다")]
    rest = [row["text"] for row in LIFE["en05"][:10]]
    assert thought(memory, lived(days(*bought, *people, *rest), memory, clock)).insights == ()
