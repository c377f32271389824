"""Where memory has nothing to say, it says nothing (U17.1)."""

from __future__ import annotations

import pytest

from recall.compose.blocks import context, rows
from saegim import Saegim
from saegim.settings import Settings
from stand_ins import shelve


def a_life() -> list[str]:
    """Return several hundred things people wished to be remembered."""
    texts = [each["text"] for each in rows("worth_keeping") if each["keep"]]
    for name in ("tune", "held"):
        texts += [each["text"] for each in rows(f"capture_{name}") if each["label"] == "save"]
        texts += [each[what] for each in rows(f"changes_{name}") for what in ("old", "new")]
    texts += [each[what] for each in rows("probe") for what in ("text", "near", "far")]
    return list(dict.fromkeys(texts))


def lived(memory: Saegim) -> None:
    """Let a memory as it comes hold a life, read to its end."""
    assert memory.mind.settings.embedder == Settings().embedder
    shelve(memory, a_life())
    for _ in memory.maintenance.index():
        pass
    assert memory.status()["index"]["pending"] == 0


@pytest.mark.usefixtures("default_embedder")
def test_questions_about_other_things_inject_nothing(memory: Saegim) -> None:
    """U17.1: of 100 off-topic questions, 50 Korean and 50 English, at most 5 inject anything."""
    lived(memory)
    assert memory.recent(1).total > 700
    asked = [each["text"] for name in ("ko", "en") for each in rows(f"offtopic_{name}")]
    assert len(asked) == 100
    spoken = [each for each in asked if context(memory, each).text]
    assert len(spoken) <= 5, spoken


@pytest.mark.usefixtures("default_embedder")
def test_questions_about_one_s_own_life_are_answered(memory: Saegim) -> None:
    """U17.1, the control: the same floor lets through what was asked for."""
    lived(memory)
    asked = [each["ask"] for name in ("tune", "held") for each in rows(f"changes_{name}")
             if "ask" in each]  # fmt: skip
    silent = [each for each in asked if not context(memory, each).text]
    assert len(silent) <= len(asked) // 5, silent


@pytest.mark.parametrize(
    "chatter", ["How are you today?", "what day is it today?", "이번 주 어때?", "오늘 뭐 하지?"]
)
def test_small_talk_about_today_injects_nothing(memory: Saegim, chatter: str) -> None:
    """U17.1: a time word alone asks for no memory; a time that is over does."""
    memory.remember("배포는 화요일에만 한다")
    memory.remember("Minho drinks barley tea")
    assert memory.context(chatter).text == ""
    memory.remember("수영을 배웠다", happened_at="2025-12-10T03:00:00+00:00")
    assert "수영" in memory.context("지난달에 뭐 했지?").text
