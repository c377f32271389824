"""What the children of tests of the night do; each act takes the wire to its test first."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apsw
import pytest

from faults import processes
from faults.processes import Warm, Wire
from saegim.errors import SaegimError
from saegim.memory import clock
from saegim.sleep import flow
from saegim.sleep.flow import sleep_if_due
from saegim.sleep.night import Night, NightStep, Stage
from saegim.store.tables import night_table
from sleep.bedtime import made_ready, opened

# A process that knows these acts as well as those of `writers`.
_ENTRANCE = (
    "import sys; from faults import processes, sleepers, writers; "
    "vars(writers).update(sleepers.ACTS); sleepers.sleep_once(); "
    "processes.stay(int(sys.argv[1]))"
)


@pytest.fixture(scope="module")
def sleepers() -> Iterator[Warm]:
    """A process that has loaded the library and forks children that sleep."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "_ENTRANCE", _ENTRANCE)
        process = Warm()
    yield process
    process.close()


def sleep_once() -> None:
    """Sleep a night in the warm process, so that its children find every pattern compiled."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "memory.db")
        made_ready(path)
        with opened(path) as memory:
            memory.sleep()
    # A process with a second thread must not fork.
    assert threading.active_count() == 1


class Fuse:
    """Counts what SQLite does, and kills this process when it has done so much."""

    def __init__(self, wire: Wire, length: int) -> None:
        self.burnt = 0
        self.stage = ""
        self._wire = wire
        self._length = length
        apsw.connection_hooks.append(self._laid)

    def _laid(self, connection: apsw.Connection) -> None:
        def burn(what: str) -> bool:
            self.burnt += 1
            if self.burnt == self._length:
                self._wire.say(json.dumps([what, self.stage, connection.in_transaction]))
                os.kill(os.getpid(), signal.SIGKILL)
            return False

        connection.set_exec_trace(lambda *_: not burn("statement"))
        # Inside a statement, every few hundred steps of SQLite's own machine.
        connection.set_progress_handler(lambda: burn("within"), 300)
        # The last instant before a commit holds.
        connection.set_commit_hook(lambda: burn("commit"))

    def tell(self, stage: str, _: int) -> None:
        """Know which stage is at work."""
        self.stage = stage


def sleep_through(
    wire: Wire, path: str, at: str, fuse: int = 0, harsh: bool = False, broken: str = ""
) -> None:
    """Sleep a whole night, or until the fuse has burnt down; tell what the night told.

    `harsh` commits every step alone. `broken` breaks a rule on purpose, and dies by it once.
    """
    # Nights of copies of one store get one name, so that they make the same memories.
    clock.secrets = SimpleNamespace(randbits=lambda _: 7)
    flow._BREATH = 0.0
    if harsh:
        flow._MOST_CHANGES, flow._LONGEST_WAIT = 1, -1.0
    if broken:
        flow._write = _torn(flow._write, broken)
    burning = Fuse(wire, fuse)
    with opened(path, datetime.fromisoformat(at)) as memory:
        row = memory.sleep(tell=burning.tell)
        burnt = burning.burnt
        memory.maintenance.verify()
        found = memory.mind.store.check()
        wire.say(json.dumps(["slept", burnt, row is not None, found]))


def _torn(write: Callable[..., None], stage_name: str) -> Callable[..., None]:
    """Note the end of a stage in a commit of its own, and die between the two."""

    def torn(steps: Any, stage: Stage, *rest: Any, did: Any, **ends: Any) -> None:
        if not ends:
            write(steps, stage, *rest, did=did)
            return
        write(steps, stage, *rest, did=did)
        if stage.name == stage_name:
            os.kill(os.getpid(), signal.SIGKILL)
        write((), stage, *rest, did={}, **ends)

    return torn


def stop_after(wire: Wire, path: str, at: str, stage: str, steps: int) -> None:
    """Sleep, each step committed alone, and die when a stage has committed so many of them."""
    clock.secrets = SimpleNamespace(randbits=lambda _: 7)
    flow._MOST_CHANGES, flow._LONGEST_WAIT, flow._BREATH = 1, -1.0, 0.0

    def tell(name: str, taken: int) -> None:
        if (name, taken) == (stage, steps):
            os.kill(os.getpid(), signal.SIGKILL)

    with opened(path, datetime.fromisoformat(at)) as memory:
        memory.sleep(tell=tell)
    wire.say(json.dumps("slept"))


def look_at_rota(wire: Wire, path: str, at: str) -> None:
    """Be a scheduler: open, wait for the word, look once; tell what was slept."""
    with opened(path, datetime.fromisoformat(at)) as memory:
        sleep_if_due(memory.scope, memory.mind)  # plan
        wire.say(json.dumps("open"))
        while (word := wire.hear()) is not None:
            memory.mind.clock.at = datetime.fromisoformat(word)
            row = sleep_if_due(memory.scope, memory.mind)
            wire.say(json.dumps(None if row is None else [row.id, list(row.done)]))


def hold_still(wire: Wire, path: str, at: str, stage: str, fenced: bool = True) -> None:
    """Sleep up to a stage, think it out, and stand still before it is written until told the time.

    Then go on as if nothing had happened. Without `fenced`, be broken: do not look at the fence.
    """
    clock.secrets = SimpleNamespace(randbits=lambda _: 7)
    if not fenced:
        night_table.hold = lambda *_: None
    with opened(path, datetime.fromisoformat(at)) as memory:

        def note(night: Night, name: str, step: NightStep) -> None:
            if name == stage and not stood:
                stood.append(name)
                wire.say(json.dumps("still"))
                memory.mind.clock.at = datetime.fromisoformat(wire.hear() or at)
            _note(night, name, step)

        stood: list[str] = []
        _note, Night.note = Night.note, note
        try:
            row = memory.sleep()
            wire.say(json.dumps(["slept", list(row.done) if row else []]))
        except SaegimError as error:
            wire.say(json.dumps([type(error).__name__, error.message]))


ACTS = {each.__name__: each for each in (sleep_through, stop_after, look_at_rota, hold_still)}
