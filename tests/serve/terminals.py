"""A real terminal for a test: the command line in a process of its own, with someone who types.

What is typed and shown is looked at here, not how a program is loaded: that takes longer than most
commands, so one process has loaded it and forks whoever sits down at a terminal.
"""

from __future__ import annotations

import atexit
import fcntl
import importlib
import json
import os
import pty
import re
import socket
import struct
import subprocess
import sys
import termios
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NoReturn

from saegim.serve.terminal import agent_here

_HERE = Path(__file__).parent
_ENTRANCE = "import sys; from terminals import stay; stay(int(sys.argv[1]))"

# Whoever runs the tests, an agent perhaps, is not who sits at this terminal; and their desktop is
# left alone.
_OURS = """
import itertools, os, sys
from saegim.serve import terminal
_above = terminal.above
terminal.above = lambda: itertools.takewhile(lambda each: each.pid != {outside}, _above())
terminal.NOTIFIERS = ()
{before}
sys.argv = ["saegim", *sys.argv[1:]]
from saegim.serve.main import main
main()
"""


def words(*arguments: str, before: str = "") -> list[str]:
    """Return the line that runs the command line, after some statements of a test."""
    return [sys.executable, "-c", _ours(before), *arguments]


def _ours(before: str) -> str:
    return _OURS.format(outside=os.getpid(), before=before)


def plain_environment() -> dict[str, str]:
    """Return the environment of this process without what would show an agent."""
    held = dict(os.environ)
    while (seen := agent_here(held)) in held:
        del held[seen]
    return held


def on_a_terminal(
    *arguments: str,
    answer: str | Callable[[], str] = "",
    columns: int = 80,
    after: str = "[y/N]",
    before: str = "",
    under: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> tuple[int, str]:
    """Run the command line on a terminal of its own, and answer the question it asks.

    `under` is what starts it, as a program of its own; `before` are statements that it begins with.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    around = {**plain_environment(), "TERM": "xterm-256color", **(environment or {})}
    if under:
        line = [*under, *words(*arguments, before=before)]
        wait = subprocess.Popen(
            line, stdin=theirs, stdout=theirs, stderr=theirs, env=around, start_new_session=True
        ).wait
    else:
        wait = _forked(_ours(before), list(arguments), around, theirs)
    os.close(theirs)
    seen = b""
    try:
        # The read fails once nobody holds the other end any more.
        while part := os.read(ours, 65536):
            seen += part
            if answer and after.encode() in seen:
                typed = answer if isinstance(answer, str) else answer()
                os.write(ours, typed.encode() + b"\n")
                answer = ""
    except OSError:
        pass
    os.close(ours)
    return wait(), seen.decode().replace("\r\n", "\n")


def plain(seen: str) -> str:
    """Return what a terminal shows without the colours that we sent ourselves."""
    return re.sub(r"\x1b\[[0-9;]*m", "", seen)


# -- the process that forks -----------------------------------------------------------------------


def _forked(
    code: str, arguments: list[str], environment: dict[str, str], descriptor: int
) -> Callable[[], int]:
    """Let a fork run statements at a terminal; return what waits for its exit code."""
    wish = [code, arguments, environment, str(Path.cwd())]
    socket.send_fds(_loaded(), [json.dumps(wish).encode()], [descriptor])
    return lambda: int(_loaded().recv(32))


@cache
def _loaded() -> socket.socket:
    """Start the process that has loaded the command line, and talk to it."""
    ours, theirs = socket.socketpair()
    held = {name: value for name, value in os.environ.items() if name[:7] != "SAEGIM_"}
    path = os.pathsep.join([str(_HERE), str(_HERE.parent), held.get("PYTHONPATH", "")])
    # One thread only, so that forking is safe.
    held |= {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", _ENTRANCE, str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        env=held,
        cwd=_HERE,
    )
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def stay(descriptor: int) -> None:
    """Be the process that has loaded everything: fork for each wish, tell how the fork ended."""
    for each in sorted(
        (Path(importlib.import_module("saegim.serve.cli").__path__[0])).glob("*.py")
    ):
        importlib.import_module(f"saegim.serve.cli.{each.stem}")
    importlib.import_module("warmth").warm()
    wire = socket.socket(fileno=descriptor)
    while True:
        wish, descriptors, _, _ = socket.recv_fds(wire, 1 << 20, 1)
        if not wish:
            return
        pid = os.fork()
        if pid == 0:
            wire.close()
            _sit_down(descriptors[0], *json.loads(wish))
        os.close(descriptors[0])
        _, status = os.waitpid(pid, 0)
        wire.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def _sit_down(
    descriptor: int, code: str, arguments: list[str], environment: dict[str, str], folder: str
) -> NoReturn:
    """Run statements as an interpreter that was started at this terminal would."""
    ended = 1
    try:
        os.setsid()
        for each in (0, 1, 2):
            os.dup2(descriptor, each)
        os.close(descriptor)
        sys.stdin = sys.__stdin__ = os.fdopen(0, closefd=False)  # type: ignore[misc]
        sys.stdout = sys.__stdout__ = os.fdopen(1, "w", 1, closefd=False)  # type: ignore[misc]
        sys.stderr = sys.__stderr__ = os.fdopen(2, "w", 1, closefd=False)  # type: ignore[misc]
        os.environ.clear()
        os.environ.update(environment)
        time.tzset()
        os.chdir(folder)
        sys.argv = ["-c", *arguments]
        exec(code, {"__name__": "__main__"})
    except SystemExit as left:
        ended = int(left.code or 0)
    except BaseException:  # noqa: BLE001 - a child has nobody above it
        traceback.print_exc()
    # As an interpreter that ends does: it waits for every thread that is no daemon.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(ended)
