"""Several processes on one file: nothing lost, nothing counted twice, nobody turned away."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from faults.processes import PATIENCE, Child, Warm
from faults.stores import OWNER, opened
from saegim import Saegim
from stand_ins import rounds

WRITERS = 8


def together(children: list[Child]) -> list[list]:
    """Let all children begin at once; return what each said."""
    for child in children:
        assert child.told() == "open"
    for child in children:
        child.say("go")
    return [child.rest() for child in children]


def on_the_command_line(path: Path, count: int) -> list[str]:
    """Remember through the command line, a new process for each text; return the ids."""
    environment = {**os.environ, "SAEGIM_HOME": str(path.parent / "home")}
    command = [sys.executable, "-m", "saegim"]
    ids = []
    for number in range(count):
        typed = f"markcli{number}end typed by hand"
        done = subprocess.run(
            [*command, "--path", str(path), "--user", OWNER, "--json", "remember", typed],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        )
        ids.append(json.loads(done.stdout)["memory"]["id"])
    return ids


def crowded(warm: Warm, path: Path, each: int, typed: int) -> None:
    """Eight processes add, two ask, one types; everything arrives, in order, exactly once."""
    with opened(path) as memory:
        memory.remember("the very first words")
    writers = [
        warm.start("add", path=str(path), name=f"w{number}", count=each)
        for number in range(WRITERS)
    ]
    readers = [warm.start("ask", path=str(path), count=each // 2) for _ in range(2)]
    by_hand: list[str] = []
    typist = threading.Thread(target=lambda: by_hand.extend(on_the_command_line(path, typed)))
    typist.start()
    said = together([*writers, *readers])
    typist.join()
    ids = [id for lines in said[:WRITERS] for id in lines[0]] + by_hand
    assert len(by_hand) == typed
    assert len(set(ids)) == WRITERS * each + typed
    # A reader never sees the memory shrink: each look is at one true moment.
    assert all(lines[0] == sorted(lines[0]) for lines in said[WRITERS:])
    with opened(path) as memory:
        assert_exactly(memory, ids)


def assert_exactly(memory: Saegim, ids: list[str]) -> None:
    """These memories are there, the first words beside them, and nothing else."""
    assert memory.recent(1).total == len(ids) + 1
    assert all(memory.get(id) for id in ids)
    memory.maintenance.verify()
    store = memory.mind.store
    saved = [
        entry.subject for entry in store.ledger.entries(memory.scope) if entry.change == "Saved"
    ]
    assert sorted(saved[1:]) == sorted(ids)
    assert store.check() == []
    assert store.survey.unfindable("basic-1", all_read=True) == 0
    assert store.vectors.coverage(memory.mind.embedder.identity).complete


def test_many_processes_share_one_file(warm: Warm, tmp_path: Path) -> None:
    """R-12, U2.1: 8 add beside readers and the command line: exact count, no one is turned away."""
    crowded(warm, tmp_path / "memory.db", each=rounds(60, 25), typed=2)


@pytest.mark.nightly
def test_many_processes_share_one_file_for_long(warm: Warm, tmp_path: Path) -> None:
    """R-12, U2.1: the same with 8 x 250 adds."""
    crowded(warm, tmp_path / "memory.db", each=250, typed=20)


def counted(warm: Warm, path: Path, act: str, each: int) -> float:
    """Let six processes count up the same memory; return where it stands."""
    with opened(path) as memory:
        id = memory.remember("words that are said again and again").memory.id
    children = [warm.start(act, path=str(path), id=id, count=each) for _ in range(6)]
    assert together(children) == [["done"]] * 6
    with opened(path) as memory:
        if act == "reinforce":
            memory.maintenance.verify()
        return memory.get(id).worth.repeat


def test_counting_together_is_exact(warm: Warm, tmp_path: Path) -> None:
    """R-12: six processes add to one number a hundred times each; the sum is 600."""
    assert counted(warm, tmp_path / "memory.db", "reinforce", 100) == 600


def test_counting_without_a_transaction_is_seen_to_lose(warm: Warm, tmp_path: Path) -> None:
    """R-12 control: reading first and writing later loses some of the same 600."""
    assert counted(warm, tmp_path / "memory.db", "careless", 100) < 600


def test_processes_and_threads_that_make_one_store_together_share_it(
    warm: Warm, tmp_path: Path
) -> None:
    """R-12, U25.1: whoever comes first makes the store; all others find it and write into it."""
    path = tmp_path / "memory.db"
    children = [
        warm.start("add", path=str(path), name=f"w{number}", count=3) for number in range(4)
    ]
    failures: list[BaseException] = []
    gate = threading.Barrier(4)

    def one(number: int) -> None:
        try:
            gate.wait()
            with opened(path) as memory:
                memory.remember(f"words of thread {number}")
        except BaseException as error:  # noqa: BLE001 - told to the test, which fails by it
            failures.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    together(children)
    for thread in threads:
        thread.join()
    assert failures == []
    with opened(path) as memory:
        assert memory.recent(1).total == 4 * 3 + 4
        assert memory.mind.store.check() == []
    assert not [each for each in os.listdir(path.parent) if ".new" in each]
