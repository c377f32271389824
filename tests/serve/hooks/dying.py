"""Processes that attend an event and are killed on the way, at any step that touches the disk."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from attending import BEGAN, user, written

from faults import processes
from faults.processes import Warm, Wire
from saegim.saegim import Saegim
from saegim.serve.hooks import capture, drain, flow, hook_main
from saegim.serve.hooks.deadlines import Deadline
from saegim.serve.hooks.event import read_event
from saegim.serve.hooks.memory_access import HookCall
from saegim.serve.hooks.transcript import read_on
from saegim.serve.hooks.transcript_position import Marks

FACTS = (
    "I live in Busan.",
    "나는 땅콩 알레르기가 있다.",
    "My sister Mina works as a nurse.",
    "Yesterday I adopted a cat called Nabi.",
)
# A process that knows this act as well as those of `writers`.
_ENTRANCE = (
    f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); "
    "import dying; from faults import processes, writers; "
    "writers.attend = dying.attend; writers.hook = dying.hook; "
    "dying.attend_once(); processes.stay(int(sys.argv[1]))"
)


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    """A process that has loaded the library and forks children that attend events."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "_ENTRANCE", _ENTRANCE)
        process = Warm()
    yield process
    process.close()


def attend_once() -> None:
    """Attend an event in the warm process, so that its children find every pattern compiled."""
    with tempfile.TemporaryDirectory() as folder:
        _attend(Path(folder), "stop", written(Path(folder, "t.jsonl"), user(FACTS[1])))
    # A process with a second thread must not fork.
    assert threading.active_count() == 1


def attend(
    wire: Wire, home: str, name: str, transcript: str, fuse: int = 0, broken: str = ""
) -> None:
    """Attend an event, or die when the fuse has burnt down; tell how far it burnt."""
    if broken == "no spool":
        capture.hear_on = _at_once
    if broken == "no look":
        drain._is_kept = lambda *_: False
        # Neither a key nor the words themselves tell that a turn was heard.
        really, told = Saegim.observe, {"key": None, "live": False}
        Saegim.observe = lambda *given, **about: really(*given, **(about | told))
    burning = Fuse(fuse)
    _attend(Path(home), name, Path(transcript))
    wire.say(json.dumps(burning.burnt))


def hook(wire: Wire, home: str, name: str, told: dict[str, str], broken: str = "") -> None:
    """Do what the executable does once Python has started: the slip first, then the work."""
    if broken == "no slip":
        flow._slip = lambda *_: ""
    given = hook_main.Given(name, {"path": str(Path(home, "saegim.db")), "project": "kettle"})
    wire.say(json.dumps("begun"))
    paper = hook_main._slip(given, told) if broken != "no slip" else ""
    event = read_event(name, json.dumps(told).encode())
    made = HookCall(home=Path(home), file=Path(given.path), project=given.project)
    pace = Deadline(time.monotonic() + processes.PATIENCE)
    flow.attend(event, made, pace, flow.HookReply(), paper)
    wire.say(json.dumps("done"))


class Fuse:
    """Counts every step that touches the disk, and kills this process at the n-th."""

    def __init__(self, length: int) -> None:
        self.burnt = 0
        self._length = length
        for where, name in ((os, "replace"), (os, "fsync"), (os, "unlink"), (Path, "unlink")):
            setattr(where, name, self._around(getattr(where, name)))
        apsw.connection_hooks.append(self._laid)

    def _burn(self) -> bool:
        self.burnt += 1
        if self.burnt == self._length:
            os.kill(os.getpid(), signal.SIGKILL)
        return False

    def _around(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def taken(*given: Any, **more: Any) -> Any:
            self._burn()
            done = step(*given, **more)
            self._burn()
            return done

        return taken

    def _laid(self, connection: apsw.Connection) -> None:
        # The last instant before a commit holds, and the first after it.
        connection.set_commit_hook(self._burn)
        connection.set_wal_hook(lambda *_: int(self._burn()))


def _attend(home: Path, name: str, transcript: Path) -> None:
    told = {"session_id": "s", "cwd": str(home), "transcript_path": str(transcript)}
    data = json.dumps(told).encode()
    given = HookCall(home=home, file=home / "saegim.db", project="kettle")
    pace = Deadline(time.monotonic() + processes.PATIENCE)
    flow.attend(read_event(name, data), given, pace, flow.HookReply())


def _at_once(mark: Any, home: Path, now: Any) -> tuple[Any, bool]:
    """Hear without a spool: move the mark, then keep what was said."""
    found = read_on(mark.transcript, mark.offset, now)
    moved = type(mark)(**{name: getattr(mark, name) for name in mark.__slots__})
    object.__setattr__(moved, "offset", found.offset)
    Marks(home).keep(moved)
    with Saegim.open(home / "saegim.db", background=False) as memory:
        for each in found.said:
            memory.within(project="kettle").observe(
                each.text, role=each.role, session="s", said_at=each.at or BEGAN
            )
    return moved, False
