"""What the tests of the stages share: stores that are quick, in UTC, and never fear a leap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from saegim import FixedClock, Saegim
from sleep.stages.ageing import open_at


@pytest.fixture
def opened(tmp_path: Path, clock: FixedClock) -> Iterator[Callable[..., Saegim]]:
    """Open stores with one setting or another, each a file of its own; close them at the end."""
    held: list[Saegim] = []

    def another(**settings: object) -> Saegim:
        held.append(open_at(tmp_path / f"{len(held)}.db", clock, **settings))
        return held[-1]

    yield another
    for each in held:
        each.close()


@pytest.fixture
def memory(opened: Callable[..., Saegim]) -> Saegim:
    """A fresh memory of its own."""
    return opened()
