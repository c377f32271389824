"""How far one call walks: the files a warm `remember` and `recall` enter, what a cold one loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

import saegim
from saegim import Saegim

HOUSE = str(Path(saegim.__file__).parent)
# Each tells a fact, names someone and says when.
TOLD = {
    "ko": "지민이가 내일 오후 세 시에 부산으로 이사 간대.",
    "en": "Jamie is moving to Boston tomorrow at three in the afternoon.",
}
ASKED = {"ko": "지민이는 어디로 이사 가?", "en": "Where is Jamie moving to?"}
# The first calls load dictionaries and fill caches; those are not what a call walks through.
EARLIER = {
    "ko": ("수아는 어제 대전에서 커피를 마셨어.", "수아는 어디에 있었어?"),
    "en": ("Sarah had coffee in Dayton yesterday.", "Where was Sarah?"),
}


def walked(act: Callable[[], object]) -> tuple[set[str], set[tuple[str, int]]]:
    """Return the files of ours that a call enters, and the functions."""
    files, functions = set(), set()

    def seen(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(HOUSE):
            files.add(code.co_filename[len(HOUSE) + 1 :])
            functions.add((code.co_filename, code.co_firstlineno))

    sys.setprofile(seen)
    try:
        act()
    finally:
        sys.setprofile(None)
    return files, functions


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_warm_call_enters_few_files(memory: Saegim, language: str) -> None:
    """A reader can follow what one call does: few files for a write, fewer for a read."""
    told, asked = EARLIER[language]
    for _ in range(2):
        memory.remember(told)
        memory.recall(asked)
    kept: list[saegim.Kept] = []
    found: list[saegim.Recollection] = []
    writes, _ = walked(lambda: kept.append(memory.remember(TOLD[language])))
    reads, _ = walked(lambda: found.append(memory.recall(ASKED[language])))
    assert kept[0].memory.time.mentions
    assert memory.related(kept[0].id)
    assert found[0].hits[0].memory.id == kept[0].id
    assert len(writes) <= 60, sorted(writes)
    assert len(reads) <= 30, sorted(reads)


def test_a_cold_recall_loads_few_modules(tmp_path: Path) -> None:
    """A question on the command line does not load the house."""
    with Saegim.open() as memory:
        memory.remember(TOLD["en"])
    script = (
        "import sys, json, atexit\n"
        "sys.argv = ['saegim', 'recall', 'Where is Jamie moving to?']\n"
        "from saegim.serve.main import main\n"
        "atexit.register(lambda: sys.stderr.write(json.dumps("
        "[m for m in sys.modules if m.split('.')[0] == 'saegim'])))\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "SAEGIM_PROJECT": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Boston" in done.stdout, done.stderr
    loaded = json.loads(done.stderr[done.stderr.index('["') :])
    assert len(loaded) <= 150, len(loaded)
