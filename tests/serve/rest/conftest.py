"""What the tests of the HTTP door share: a server that runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from doorbell import Front, front


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Front]:
    """A server with a store of its own."""
    with front(tmp_path / "served") as served:
        yield served


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """One server for tests that only look, or look only at what they put there."""
    with front(tmp_path_factory.mktemp("served")) as served:
        yield served
