"""What tests of the voices share: a server that speaks for them, and a memory that asks it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from personas.speakers import Speakers, opened
from saegim import FixedClock, Saegim


@pytest.fixture
def server() -> Iterator[Speakers]:
    """A model server on the loopback."""
    with Speakers() as running:
        yield running


@pytest.fixture
def voices(tmp_path: Path, clock: FixedClock, server: Speakers) -> Iterator[Saegim]:
    """A fresh memory whose model is that server."""
    with opened(tmp_path, clock, server) as memory:
        yield memory
