"""A real terminal for a test: the command line in a process of its own, with someone who types."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping, Sequence

from saegim.serve.terminal import agent_here

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
    ours = _OURS.format(outside=os.getpid(), before=before)
    return [sys.executable, "-c", ours, *arguments]


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

    `under` is what starts it; `before` are statements that it begins with.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [*under, *words(*arguments, before=before)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**plain_environment(), "TERM": "xterm-256color", **(environment or {})},
        start_new_session=True,
    )
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
    return process.wait(), seen.decode().replace("\r\n", "\n")


def plain(seen: str) -> str:
    """Return what a terminal shows without the colours that we sent ourselves."""
    return re.sub(r"\x1b\[[0-9;]*m", "", seen)
