"""A fresh memory whose days are told in UTC, so that a weekday is the same everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from saegim import FixedClock, Saegim


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Saegim]:
    """A fresh memory in a folder of its own."""
    path = tmp_path / "memory.db"
    with Saegim.open(path, clock=clock, timezone="UTC", durability="fast") as opened:
        yield opened
