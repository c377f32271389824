"""What every test shares: a fresh memory, a clock that stands still, and strictness."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from saegim import FixedClock, Saegim
from sleep.bedtime import made_ready

# Hypothesis finds, it does not time: a slow machine must not fail a true property.
settings.register_profile(
    "house", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("house")

NIGHTLY = os.environ.get("SAEGIM_NIGHTLY") == "1"
STRICT = os.environ.get("STRICT") == "1"


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the memory of the person who runs it."""
    monkeypatch.setenv("SAEGIM_HOME", str(tmp_path / "home"))
    for name in list(os.environ):
        if name.startswith("SAEGIM_") and name not in ("SAEGIM_HOME", "SAEGIM_NIGHTLY"):
            monkeypatch.delenv(name)


@pytest.fixture
def clock() -> FixedClock:
    """A clock that moves only when the test says so."""
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Saegim]:
    """A fresh memory in a folder of its own."""
    with Saegim.open(tmp_path / "memory.db", clock=clock) as opened:
        yield opened


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store that has work for every stage of a night; tests take a copy of it."""
    folder = tmp_path_factory.mktemp("seed")
    made_ready(folder / "memory.db")
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the long tests to the night."""
    if not NIGHTLY:
        items[:] = [item for item in items if "nightly" not in item.keywords]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In strict mode a skipped test is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if STRICT and exitstatus == 0 and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
