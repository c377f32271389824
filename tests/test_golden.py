"""What programs and people are shown is what is recorded in `golden/`."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

import golden

RECORDED = sorted(each.name for each in golden.FOLDER.iterdir() if each.is_file())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The golden files as the code writes them now, in a process with a clock of its own.

    They take a dozen seconds: one worker makes them, the others wait and take them.
    """
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    folder, part = shared / "golden", tmp_path_factory.mktemp("golden")
    with (shared / "golden.lock").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not folder.exists():
            words = [sys.executable, golden.__file__, "--into", str(part)]
            paths = [str(Path(golden.saegim.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
            done = subprocess.run(words, env=environment, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr[-4000:]
            part.rename(folder)
    return folder


def test_every_command_has_a_recorded_answer() -> None:
    """A new command is asked for in `golden/asked/json.txt`, or it is one that only waits."""
    assert golden.unrecorded() == []


def test_what_is_made_is_what_is_recorded(made: Path) -> None:
    """No file is made that was not recorded, and none that was is no longer made."""
    assert sorted(each.name for each in made.iterdir()) == RECORDED


@pytest.fixture(scope="module")
def moved(made: Path) -> list[str]:
    """What differs from what is recorded, in all files."""
    return [line for line in golden.differences(made) if line]


@pytest.mark.parametrize("name", RECORDED)
def test_nothing_that_is_shown_has_moved(moved: list[str], name: str) -> None:
    """Where a golden file must change, `python tests/golden.py --write` records it anew."""
    mine = _of(moved, name)
    assert not mine, "\n".join(mine[:60])


def test_a_difference_of_one_word_is_told(made: Path, tmp_path: Path) -> None:
    """The comparing itself can fail: one word of one file is changed."""
    for name in RECORDED:
        (tmp_path / name).write_bytes((golden.FOLDER / name).read_bytes())
    file = tmp_path / "schema.sql"
    file.write_text(file.read_text(encoding="utf-8").replace("TEXT", "BLOB", 1), encoding="utf-8")
    told = list(golden.differences(tmp_path))
    assert told[:2] == ["--- recorded/schema.sql", "+++ now/schema.sql"]


def _of(lines: list[str], name: str) -> list[str]:
    """Return the part of a comparison that is about one file."""
    mine, within = [], False
    for line in lines:
        if line.startswith("--- recorded/"):
            within = line == f"--- recorded/{name}"
        if within:
            mine.append(line)
    return mine
