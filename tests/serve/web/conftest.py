"""What the tests of the pages share: a server of their own, and someone who was let in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# The server that the tests of REST run is the one that serves the pages.
sys.path.append(str(Path(__file__).parents[1] / "rest"))

from doorbell import Front, front
from visitor import Visitor, let_in


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Front]:
    """A server with a store of its own."""
    with front(tmp_path / "served") as served:
        yield served


@pytest.fixture
def visitor(house: Front) -> Visitor:
    """A browser that came by a link."""
    return let_in(house)


@pytest.fixture(scope="module")
def shared_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """One server for tests that only look, or look only at what they put there."""
    with front(tmp_path_factory.mktemp("served")) as served:
        yield served


@pytest.fixture(scope="module")
def guest(shared_house: Front) -> Visitor:
    """A browser that was let into the shared server."""
    return let_in(shared_house)
