"""What every test shares: a fresh memory, a clock that stands still, and strictness."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import ahead
import read_once
import template
from saegim import FixedClock, Saegim
from saegim.store import recall_traces
from sleep.bedtime import made_ready
from stand_ins import NIGHTLY, rounds

# Hypothesis finds, it does not time: a slow machine must not fail a true property. By day it looks
# at the same examples every time, so that a change is refused for what it changed; what nobody has
# thought of is looked for by night.
settings.register_profile(
    "house",
    deadline=None,
    derandomize=not NIGHTLY,
    max_examples=rounds(300, 25),
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("house")

STRICT = os.environ.get("STRICT") == "1"
MEMORY_DISK = "/dev/shm"
ROOM = 4 << 30


def files_in_memory() -> None:
    """Put the folders of tests where a sync costs nothing, if this machine has such a place.

    A store syncs every commit, and on a disk the suite waits for that a third of its time. What a
    sync is worth is shown by `faults/power.py`, on any disk. TMPDIR=/tmp keeps to the disk.
    """
    if "TMPDIR" in os.environ or not os.access(MEMORY_DISK, os.W_OK | os.X_OK):
        return
    no_programs = os.statvfs(MEMORY_DISK).f_flag & os.ST_NOEXEC
    if not no_programs and shutil.disk_usage(MEMORY_DISK).free > ROOM:
        os.environ["TMPDIR"] = MEMORY_DISK
        tempfile.tempdir = None


def byte_code_once() -> None:
    """Let workers and child processes find compiled what one of them has compiled.

    Where none may be written, each of some hundred children compiles 290 modules anew, half a
    second every time. It lies where it always does: a folder of its own would hide what came
    compiled with the packages.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def signals_as_they_come() -> None:
    """Let Ctrl-C and a closed terminal mean to child processes what they mean to a person's.

    A shell that starts this run behind it has them ignored, and every process inherits that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for each in (signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(each) is signal.SIG_IGN:
            signal.signal(each, signal.SIG_DFL)


# Before the first folder is made and the first worker is started: they inherit all of it.
files_in_memory()
signals_as_they_come()
byte_code_once()
# What a test does not say is not about meaning, and the table reads in a fiftieth of the time. The
# default is taken where `default_embedder` is asked for, and in `engines/brain`.
os.environ["SAEGIM_EMBEDDER"] = "static"
# A question waits 0.4 s for meaning, then words answer alone: on a busy machine the first question
# of any process would be answered so, and by chance.
os.environ["SAEGIM_SEMANTIC_PATIENCE"] = "60"
read_once.in_use()
# A second after an answer its trace is written: between two looks at a ledger or behind both,
# as the machine is busy. In this process it is written when the memory is told to, sleeps or
# closes; who looks at that second itself takes `traces_come_by_themselves`.
A_SECOND, recall_traces.GATHER_SECONDS = recall_traces.GATHER_SECONDS, 3600.0
KEPT = ("SAEGIM_HOME", "SAEGIM_NIGHTLY", "SAEGIM_EMBEDDER", "SAEGIM_SEMANTIC_PATIENCE")


@pytest.fixture
def default_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this test meet the memory as it comes."""
    monkeypatch.delenv("SAEGIM_EMBEDDER")


@pytest.fixture
def traces_come_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let memories opened from now on write what was shown a second later, as they do."""
    monkeypatch.setattr(recall_traces, "GATHER_SECONDS", A_SECOND)


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the memory of the person who runs it."""
    monkeypatch.setenv("SAEGIM_HOME", str(tmp_path / "home"))
    for name in list(os.environ):
        if name.startswith("SAEGIM_") and name not in KEPT:
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True, scope="session")
def _stores_from_a_template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A new store is a copy of one that was migrated once; see `template`."""
    with template.in_use(tmp_path_factory.mktemp("template") / "saegim.db"):
        yield


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


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect eleven thousand tests without looking for rubbish in between: they all stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        # Nor are they looked through each time a test leaves something behind.
        gc.freeze()


def pytest_xdist_auto_num_workers() -> int:
    """Start half as many workers again as there are cores: a third of the time they wait.

    For a child that ends, a server that listens, a page that is drawn. `-n` says otherwise.
    """
    return max(1, _cores() * 3 // 2)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile once what every worker would compile; a run without workers needs no more."""
    if session.config.pluginmanager.has_plugin("dsession"):
        ahead.compile_all(_cores())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the long tests to the night; a folder of that name is not what is meant."""
    if not NIGHTLY:
        items[:] = [item for item in items if item.get_closest_marker("nightly") is None]


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name a failure when it happens: a run that is cut off later has said what it knew.

    Workers of xdist report to the one process that prints; the others stay silent.
    """
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        print(
            f"\n{report.nodeid} failed in {report.when}: {_first_error(report)}",
            file=sys.__stderr__,
        )


def _first_error(report: pytest.TestReport) -> str:
    lines = [line for line in report.longreprtext.splitlines() if line.startswith("E  ")]
    return lines[0][1:].strip() if lines else report.longreprtext[-200:]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """End the servers that tests started; in strict mode a skipped test is a failure."""
    if (servers := sys.modules.get("servers")) is not None:
        servers.stop_all()
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if STRICT and exitstatus == 0 and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
