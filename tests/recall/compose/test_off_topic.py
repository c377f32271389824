"""Where memory has nothing to say, it says nothing (U17.1)."""

from __future__ import annotations

from recall.compose.blocks import context, rows
from saegim import Saegim
from stand_ins import shelve


def a_life() -> list[str]:
    """Return several hundred things people wished to be remembered."""
    texts = [each["text"] for each in rows("worth_keeping") if each["keep"]]
    for name in ("tune", "held"):
        texts += [each["text"] for each in rows(f"capture_{name}") if each["label"] == "save"]
        texts += [each[what] for each in rows(f"changes_{name}") for what in ("old", "new")]
    texts += [each[what] for each in rows("probe") for what in ("text", "near", "far")]
    return list(dict.fromkeys(texts))


def test_questions_about_other_things_inject_nothing(memory: Saegim) -> None:
    """U17.1: of 100 off-topic questions, 50 Korean and 50 English, at most 5 inject anything."""
    shelve(memory, a_life())
    assert memory.recent(1).total > 700
    asked = [each["text"] for name in ("ko", "en") for each in rows(f"offtopic_{name}")]
    assert len(asked) == 100
    spoken = [each for each in asked if context(memory, each).text]
    assert len(spoken) <= 5, spoken


def test_questions_about_one_s_own_life_are_answered(memory: Saegim) -> None:
    """U17.1, the control: the same floor lets through what was asked for."""
    shelve(memory, a_life())
    asked = [each["ask"] for name in ("tune", "held") for each in rows(f"changes_{name}")
             if "ask" in each]  # fmt: skip
    silent = [each for each in asked if not context(memory, each).text]
    assert len(silent) <= len(asked) // 5, silent
