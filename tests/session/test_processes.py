"""Several processes and one session: promoted once, checkpoints whole, and what a kill costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from saegim import Saegim
from saegim.session.snapshot import read_json
from session.children import SAID
from session.minds import working

TESTS = str(Path(__file__).parents[1])
# A hang guard, not a measurement.
PATIENCE = 120.0


@contextmanager
def child(act: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    """Start another process that has held a session when this returns."""
    found = os.pathsep.join(filter(None, [TESTS, os.environ.get("PYTHONPATH", "")]))
    environment = os.environ | {"PYTHONPATH": found}
    with subprocess.Popen(
        [sys.executable, "-m", "session.children", act, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            assert process.stdout is not None
            assert json.loads(process.stdout.readline()) == "talked"
            yield process
        finally:
            process.kill()
            process.wait(PATIENCE)


def go(process: subprocess.Popen[str]) -> None:
    """Let a process go on."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def test_two_processes_that_end_the_same_session_promote_it_once(tmp_path: Path) -> None:
    """§4.5, U2.4: both hold the same questions and end at once; each is one memory, once."""
    path = tmp_path / "memory.db"
    with child("finalize", path) as one, child("finalize", path) as two:
        for each in (one, two):
            go(each)
        said = [json.loads(each.communicate(timeout=PATIENCE)[0]) for each in (one, two)]
    with Saegim.open(path) as memory:
        kept = {each.id: each for each in memory.recent(50).memories}
        assert sorted(each.text for each in kept.values()) == sorted(SAID)
        for first, second in zip(*map(sorted, said), strict=True):
            assert first[0] == second[0]
            assert {first[1], second[1]} == {"stored", "repeated"}
        assert {each.worth.repeat for each in kept.values()} == {2.0}, "carried over by one alone"
        mind = working(memory, tmp_path / "sessions")
        assert mind.open("talk").resumed
        memory.maintenance.verify()


def test_a_killed_process_loses_what_was_not_written_down_and_says_so(tmp_path: Path) -> None:
    """U8.2: kill -9 with an open session: the checkpoint is there, the rest is told to be lost."""
    path = tmp_path / "memory.db"
    with child("be_killed", path) as process:
        process.kill()
        process.wait(PATIENCE)
    with Saegim.open(path) as memory:
        mind = working(memory, tmp_path / "sessions")
        opened = mind.open("talk")
        assert (opened.lost, opened.resumed) == (True, True)
        assert opened.since is not None
        assert "talk" in opened.words("en")
        assert "남아 있지 않습니다" in opened.words("ko")
        held = {node.text for node in mind.graph("talk").nodes("query")}
        assert held == set(SAID), "all that was checkpointed, and not what came after"
        mind.finalize_session("talk")
        assert sorted(each.text for each in memory.recent(9).memories) == sorted(SAID)
        assert not mind.open("talk").lost, "told once"


def test_a_process_that_ends_well_loses_nothing(tmp_path: Path) -> None:
    """U8.2 control: the same session put down in good order is not said to be lost."""
    path = tmp_path / "memory.db"
    with child("end_well", path) as process:
        go(process)
        process.communicate(timeout=PATIENCE)
    with Saegim.open(path) as memory:
        opened = working(memory, tmp_path / "sessions").open("talk")
        assert (opened.lost, opened.resumed, opened.words()) == (False, True, "")


@pytest.mark.parametrize("turn", range(3))
def test_a_checkpoint_is_never_seen_half_written(tmp_path: Path, turn: int) -> None:
    """R-11: read while another process writes it again and again, and after that one is killed."""
    path, folder = tmp_path / "memory.db", tmp_path / "sessions"
    with child("write_on", path) as process:
        go(process)
        deadline = time.monotonic() + PATIENCE
        seen = set()
        while len(seen) < 5 + turn and time.monotonic() < deadline:
            for file in folder.glob("*.json"):
                record = read_json(file)
                assert len(record["topQueries"]) == len(SAID)
                seen.add(record["createdAt"])
        process.kill()
        process.wait(PATIENCE)
    assert len(seen) >= 5
    (file,) = folder.glob("*.json")
    assert len(read_json(file)["topQueries"]) == len(SAID)


def test_a_file_written_in_place_is_seen_half_written(tmp_path: Path) -> None:
    """R-11 control: half of the same bytes is refused, so the test above would see it."""
    path = tmp_path / "memory.db"
    with Saegim.open(path) as memory:
        mind = working(memory, tmp_path / "sessions")
        mind.upsert_query("talk", SAID[0])
        file = mind.checkpoint("talk")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="JSON"):
        read_json(file)
