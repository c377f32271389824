"""Other processes for fault tests: one that has loaded the library, and the children it forks.

Loading costs half a second; a fork of a process that has no threads and no connections costs a
millisecond, so a test can afford to kill a hundred of them.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

# A hang guard, not a measurement: nothing here takes longer than a second or two.
PATIENCE = 120.0
_TESTS = str(Path(__file__).parents[1])
_KEPT = ("SAEGIM_EMBEDDER", "SAEGIM_SEMANTIC_PATIENCE")
_ENTRANCE = "import sys; from faults.processes import stay; stay(int(sys.argv[1]))"


class Wire:
    """Lines between two processes."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._rest = b""

    def say(self, line: str) -> None:
        """Send one line; when this returns, it arrives even if the sender dies."""
        self._end.sendall(line.encode() + b"\n")

    def hear(self) -> str | None:
        """Return the next line, or nothing if the other side has ended."""
        while b"\n" not in self._rest:
            more = self._end.recv(65536)
            if not more:
                return None
            self._rest += more
        line, self._rest = self._rest.split(b"\n", 1)
        return line.decode()

    def close(self) -> None:
        """Hang up."""
        self._end.close()

    @property
    def ended(self) -> bool:
        """Say whether this side has hung up."""
        return self._end.fileno() < 0


class Child(Wire):
    """A process at work, as the test sees it."""

    def __init__(self, pid: int, end: socket.socket) -> None:
        super().__init__(end)
        end.settimeout(PATIENCE)
        self.pid = pid

    def hear(self) -> str | None:
        """Return the next line of the child; fail if it says that it failed."""
        line = super().hear()
        assert line is None or not line.startswith("!"), json.loads(line[1:])
        return line

    def told(self) -> Any:
        """Return the next line of the child as the value it stands for."""
        line = self.hear()
        assert line is not None, f"process {self.pid} ended without a word"
        return json.loads(line)

    def rest(self) -> list[Any]:
        """Return everything the child says until it ends."""
        said = []
        try:
            while (line := self.hear()) is not None:
                said.append(json.loads(line))
        finally:
            self.close()
        return said

    def kill(self) -> None:
        """Send SIGKILL, and return when the process is gone."""
        try:
            os.kill(self.pid, signal.SIGKILL)
            deadline = time.monotonic() + PATIENCE
            while time.monotonic() < deadline:
                os.kill(self.pid, 0)
                time.sleep(0.0005)
            raise AssertionError(f"process {self.pid} does not die")
        except ProcessLookupError:
            return


class Warm:
    """A process that has loaded everything and forks a child for each act of `writers`."""

    def __init__(self, under: Sequence[str] = ()) -> None:
        ours, theirs = socket.socketpair()
        environment = {
            name: value
            for name, value in os.environ.items()
            if name in _KEPT or not name.startswith("SAEGIM_")
        }
        path = os.pathsep.join(filter(None, [_TESTS, os.environ.get("PYTHONPATH", "")]))
        # One thread only, so that forking is safe.
        environment |= {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        # Where the calls of the kernel are counted, this process makes none of its own.
        ready = [] if under else ["ready"]
        self._process = subprocess.Popen(
            [*under, sys.executable, "-c", _ENTRANCE, str(theirs.fileno()), *ready],
            pass_fds=[theirs.fileno()],
            env=environment,
        )
        theirs.close()
        ours.settimeout(PATIENCE)
        self._wire = ours
        self._children: list[Child] = []

    def start(self, act: str, **given: Any) -> Child:
        """Start a child that does one act."""
        ours, theirs = socket.socketpair()
        socket.send_fds(self._wire, [json.dumps([act, given]).encode()], [theirs.fileno()])
        theirs.close()
        child = Child(int(self._wire.recv(32)), ours)
        self._children.append(child)
        return child

    def do(self, act: str, **given: Any) -> Any:
        """Let a child do one act to its end; return the last thing it said."""
        said = self.start(act, **given).rest()
        return said[-1] if said else None

    def close(self) -> None:
        """Send everyone home; a child that a failed test has left behind is killed."""
        for child in self._children:
            if not child.ended:
                child.kill()
                child.close()
        self._wire.close()
        self._process.wait(PATIENCE)


def stay(descriptor: int) -> None:
    """Be the warm process: fork a child for each request until the test hangs up."""
    from faults import writers

    if sys.argv[2:]:
        from warmth import warm

        warm()
    wire = socket.socket(fileno=descriptor)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        request, descriptors, _, _ = socket.recv_fds(wire, 65536, 1)
        if not request:
            return
        pid = os.fork()
        if pid == 0:
            wire.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            act, given = json.loads(request)
            _play(getattr(writers, act), Wire(socket.socket(fileno=descriptors[0])), given)
        os.close(descriptors[0])
        wire.sendall(str(pid).encode())


def _play(act: Any, wire: Wire, given: dict[str, Any]) -> NoReturn:
    try:
        act(wire, **given)
    except BaseException:  # noqa: BLE001 - a child has nobody above it: everything is told
        wire.say("!" + json.dumps(traceback.format_exc()))
        os._exit(1)
    os._exit(0)
