"""What says the same in two tiers is one memory to whoever reads it."""

from __future__ import annotations

import pytest

from saegim import Saegim
from saegim.memory.memory import State, Tier
from saegim.perceive import revise
from saegim.sleep import forget as farewell

ALLERGY = "Lena is allergic to walnuts"


def risen(memory: Saegim) -> tuple[str, str]:
    """Keep a memory that is used three times, and let it rise; return both ids."""
    source = memory.remember(ALLERGY, tier="M30").id
    for _ in range(3):
        memory.feedback(source, "used")
    memory.sleep("promote", "distil")
    (essence,) = [
        each.id
        for each in memory.recent(10).memories
        if each.life.tier is Tier.M90 and each.text == ALLERGY
    ]
    return source, essence


def told(memory: Saegim) -> list[str]:
    """Return what an answer about the allergy shows."""
    return [hit.memory.text for hit in memory.recall("What is Lena allergic to?").hits]


def test_an_answer_shows_one_of_the_two(memory: Saegim) -> None:
    """Seed D §3: the source stays and ages on, and is not told twice."""
    risen(memory)
    assert told(memory) == [ALLERGY]


@pytest.mark.parametrize("which", [0, 1])
def test_a_correction_reaches_both(memory: Saegim, which: int) -> None:
    """U19.1: whichever of the two was shown and corrected, the old words are told no more."""
    ids = risen(memory)
    memory.update(ids[which], "Lena is allergic to hazelnuts")
    assert told(memory) == ["Lena is allergic to hazelnuts"]


@pytest.mark.parametrize("which", [0, 1])
def test_letting_go_reaches_both(memory: Saegim, which: int) -> None:
    """U26.2: forgotten is forgotten in every tier; both can be called back."""
    ids = risen(memory)
    gone = memory.forget(ids[which])
    assert {each.id for each in gone.memories} == set(ids)
    assert told(memory) == []
    memory.restore(*ids)
    assert memory.get(ids[0]).life.state is State.ACTIVE


def test_without_it_the_old_words_come_back(
    memory: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: if echoes are not looked for, a correction leaves the old words in the answer."""
    ids = risen(memory)
    monkeypatch.setattr(revise, "followers", lambda *_, **__: [])
    monkeypatch.setattr(farewell, "followers", lambda *_, **__: [])
    memory.update(ids[1], "Lena is allergic to hazelnuts")
    assert ALLERGY in told(memory)
