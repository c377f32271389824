"""The databases under test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.store_parts import STORES, Make
from saegim.store.store import Store


@pytest.fixture(params=STORES, ids=lambda make: make.__name__)
def make(request: pytest.FixtureRequest) -> Make:
    """Return how the store under test is opened."""
    made: Make = request.param
    return made


@pytest.fixture
def store(make: Make, tmp_path: Path) -> Iterator[Store]:
    """Return a fresh store."""
    opened = make(tmp_path)
    yield opened
    opened.close()
