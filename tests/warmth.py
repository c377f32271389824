"""What a process of the tests makes ready before it forks others: patterns, word lists, readers.

Each of hundreds of children would compile the same patterns for its first text, a quarter of a
second every time.
"""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

from saegim.saegim import Saegim
from saegim.serve.warm_up import warm_up


def warm() -> None:
    """Keep, hear, ask and sleep once, in a store that nobody sees; no thread is left behind."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "saegim.db"
        with Saegim.open(place, embedder="static", background=False) as memory:
            warm_up(memory.mind)
            memory.remember("산에서 마신 차 and a kettle")
            memory.observe("I like tea, and tomorrow we go to the sea.", session="warm")
            memory.recall("차 kettle")
            memory.context("차 kettle")
            memory.sleep()
    assert threading.active_count() == 1, threading.enumerate()
