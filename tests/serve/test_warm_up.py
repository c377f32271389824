"""After warming up, the first texts of a process compile next to nothing, and nothing is kept."""

from __future__ import annotations

import subprocess
import sys

_COUNTING = """
import re, sys, tempfile
from re import _compiler
from saegim import Saegim
from saegim.serve.warm_up import warm_up

counted, compile = [], _compiler.compile
def counting(*given):
    counted.append(given)
    return compile(*given)

with Saegim.open(tempfile.mkdtemp() + "/a.db", background=False, embedder="static") as memory:
    if sys.argv[1] == "warm":
        warm_up(memory.mind)
    assert memory.maintenance.verify()[0] == 0, "nothing is written"
    re._compiler.compile = counting
    memory.remember("We shipped the parser on Friday with Anna.")
    memory.remember("지은이는 5월에 강아지를 샀다.")
    memory.observe("I am allergic to peanuts, so please never suggest them.", session="s")
    memory.recall("강아지를 언제 샀지?")
    print(len(counted))
"""


def _compiled(how: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", _COUNTING, how], check=True, capture_output=True, text=True
    )
    return int(done.stdout)


def test_the_first_text_waits_for_no_pattern() -> None:
    """Issue 20: what a cold process compiles for its first texts is there before they come."""
    cold, warm = _compiled("cold"), _compiled("warm")
    assert cold > 300
    assert warm < cold / 10
