"""What the tests of imagination share: a memory on a person's own clock, with a life in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from saegim import FixedClock, Saegim

# Ten in the morning in Seoul.
NOW = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
KOREAN = (
    "나는 비 오는 날 카페에 가는 걸 좋아해",
    "요즘 야근이 잦아서 너무 힘들어",
    "오늘 비가 온다",
    "할머니가 처음으로 칭찬해 주셔서 정말 기뻤어",
)
ENGLISH = (
    "I love the little cafe by the river",
    "I am exhausted and sad because of all the overtime",
    "It is raining today",
    "I was so happy when my grandmother praised me",
)

Opened = Callable[..., Saegim]


@pytest.fixture
def clock() -> FixedClock:
    """A clock that stands at ten in the morning in Seoul."""
    return FixedClock(NOW)


@pytest.fixture
def opened(tmp_path: Path, clock: FixedClock) -> Iterator[Opened]:
    """Open the same memory as often as wanted; the first time a life is told to it."""
    held: list[Saegim] = []

    def open_(told: tuple[str, ...] = KOREAN, **settings: Any) -> Saegim:
        given = {"timezone": "Asia/Seoul", "durability": "fast", "background": False} | settings
        memory = Saegim.open(tmp_path / "memory.db", clock=clock, **given)
        held.append(memory)
        if not memory.recent(1).total:
            for text in told:
                memory.remember(text)
        return memory

    yield open_
    for each in held:
        each.close()


@pytest.fixture
def memory(opened: Opened) -> Saegim:
    """A memory with a life in Korean."""
    return opened()
