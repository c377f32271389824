"""An answer that is counted once holds the same cards as one that is counted card by card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from saegim import Saegim
from saegim.recall.flow import Recollection
from saegim.serve.catalogue import memory_functions

SAID = [
    f"{number}번 상자에는 {number * 7 % 97}월의 영수증이 들어 있다."
    if number % 2
    else f"Box number {number} holds the receipts of project {number * 7 % 97}. " * (number % 5 + 1)
    for number in range(24)
]


def _filled(found: Recollection, budget: int) -> Any:
    told: Any = {"hits": [], "left_out": len(found.hits), "tokens": 0, "budget": budget}
    memory_functions._fill(told, found.hits)
    return told


def test_an_answer_is_the_same_however_it_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 20: at every budget the same cards, the same count, the same tokens."""
    with Saegim.open(tmp_path / "memory.db", embedder="static") as memory:
        for text in SAID:
            memory.remember(text)
        found = [memory.recall(text, limit=20) for text in SAID[::3]]
    asked = [(each, budget) for each in found for budget in range(100, 3000, 7)]
    quick = [_filled(*each) for each in asked]
    monkeypatch.setattr(memory_functions, "_ROUNDED_UP", 10**6)
    slow = [_filled(*each) for each in asked]
    assert quick == slow
    assert {bool(each["left_out"]) for each in quick} == {True, False}
    assert all(each["tokens"] <= each["budget"] for each in quick)
