"""What fault tests share: a process that has loaded the library and forks children."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from faults.processes import Warm


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm]:
    """A process that forks children in a millisecond; one for each run of tests."""
    process = Warm()
    yield process
    process.close()
