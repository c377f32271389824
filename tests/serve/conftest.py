"""What the tests of the command line share: a way to say a command and to hear its answer."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from saying import Answer, Say

from saegim import FixedClock, Saegim
from saegim.memory.clock import SystemClock
from saegim.serve.cli.app import run


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> None:
    """The language of the person who runs the tests does not decide them."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "COLUMNS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does the folder they are run in: a command there would be in its project."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    # Nor which clients this person has, and how they are set up.
    monkeypatch.setenv("HOME", str(tmp_path / "person"))


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Carry out one command line in this process, as the entry point does."""

    def said(*arguments: str, stdin: bytes = b"") -> Answer:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = run(arguments)
        heard = capsys.readouterr()
        return Answer(code, heard.out, heard.err)

    return said


@pytest.fixture
def head(tmp_path: Path) -> Callable[[], tuple[int, str]]:
    """The length and the head of the ledger: the same as long as nothing was changed."""

    def read() -> tuple[int, str]:
        with Saegim.open(tmp_path / "home" / "saegim.db") as memory:
            return memory.maintenance.verify()

    return read


@pytest.fixture
def noon(monkeypatch: pytest.MonkeyPatch) -> datetime:
    """Let it be one noon for all who ask the machine: no day ends between two of them."""
    at = datetime(2026, 5, 15, 12, tzinfo=UTC)
    monkeypatch.setattr(SystemClock, "now", lambda _: at)
    return at


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Saegim]:
    """The store of the command line, opened so many days before now."""

    def at(*, days_ago: float = 0) -> Saegim:
        clock = FixedClock(datetime.now(UTC) - timedelta(days=days_ago))
        return Saegim.open(tmp_path / "home" / "saegim.db", clock=clock, background=False)

    return at
