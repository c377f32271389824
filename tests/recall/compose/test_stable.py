"""The same store and the same question give the same bytes, in any process, at any time (U9.3)."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from recall.compose.blocks import context
from saegim import FixedClock, Saegim
from saegim.memory.changes import Reweighed
from saegim.store.commit import Batch

QUESTIONS = ("배포는 언제 해?", "who joined the team?", "커피와 차 중에 뭘 좋아해?")
ASK = """
import hashlib, sys
from datetime import UTC, datetime, timedelta
from saegim import FixedClock, Saegim
from saegim.recall.compose.compose import compose
from saegim.store.rows import Where
clock = FixedClock(datetime(2026, 1, 1, 9, 0, tzinfo=UTC) + timedelta(days=float(sys.argv[2])))
with Saegim.open(sys.argv[1], clock=clock) as memory:
    for question in sys.argv[3:]:
        made = compose(question, Where(scope=memory.scope), mind=memory.mind, budget=600)
        print(hashlib.sha256(made.text.encode()).hexdigest(), len(made.cards))
"""


def kept(memory: Saegim) -> list[str]:
    """Keep a few memories that three questions find."""
    texts = [
        "배포는 화요일에만 한다", "배포 전에는 백업을 확인한다", "금요일 배포는 두 번 실패했다",
        "Sujin joined the team in March", "The new team member is a designer",
        "나는 커피보다 차를 더 좋아해", "커피는 하루에 한 잔만 마신다", "차는 보리차를 마신다",
    ]  # fmt: skip
    return [memory.remember(each).id for each in texts]


def asked_elsewhere(path: Path, days: int, seed: str) -> str:
    """Ask in a process of its own, with a clock of its own and another hash seed."""
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(path), str(days), *QUESTIONS],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": seed, "SAEGIM_HOME": str(path.parent)},
    )
    return done.stdout


def test_two_processes_three_months_apart_write_the_same_bytes(tmp_path: Path) -> None:
    """U9.3: neither the process, the clock nor the traces of recall change a byte."""
    path = tmp_path / "memory.db"
    with Saegim.open(path, clock=FixedClock()) as memory:
        ids = kept(memory)
        here = [context(memory, each, 600) for each in QUESTIONS]
    assert all(each.cards for each in here)
    expected = "".join(
        f"{hashlib.sha256(each.text.encode()).hexdigest()} {len(each.cards)}\n" for each in here
    )
    assert asked_elsewhere(path, 0, "1") == expected
    with Saegim.open(path, clock=FixedClock()) as memory:
        # What recall leaves behind: counts and last times, of some more than of others.
        for question in QUESTIONS[1:]:
            memory.recall(question)
        mind = memory.mind
        shown = [
            Reweighed(memory=id, at=mind.now(), recalled=at + 1) for at, id in enumerate(ids[::2])
        ]
        mind.store.commit(Batch(memory.scope.user, shown, actor="test", at=mind.now()))
    assert asked_elsewhere(path, 90, "2") == expected


def test_what_matters_does_change_the_bytes(memory: Saegim) -> None:
    """U9.3, the control: a new memory about the question is not held back for stability."""
    kept(memory)
    before = context(memory, QUESTIONS[0], 600).text
    assert context(memory, QUESTIONS[0], 600).text == before
    memory.remember("배포는 이제 수요일에도 한다")
    assert context(memory, QUESTIONS[0], 600).text != before


def test_no_line_speaks_of_now(memory: Saegim, clock: FixedClock) -> None:
    """U9.3: dates of memories stand in a block, ages and the hour do not."""
    kept(memory)
    clock.forward(days=400, hours=5)
    text = context(memory, QUESTIONS[0], 600).text
    assert "2026-01-01" in text
    assert "2027" not in text
