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


def on_a_terminal(
    *arguments: str, answer: str = "", columns: int = 80, after: str = "[y/N]"
) -> tuple[int, str]:
    """Run the command line on a terminal of its own, and answer the question it asks."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "saegim", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(theirs)
    seen = b""
    try:
        # The read fails once nobody holds the other end any more.
        while part := os.read(ours, 65536):
            seen += part
            if answer and after.encode() in seen:
                os.write(ours, answer.encode() + b"\n")
                answer = ""
    except OSError:
        pass
    os.close(ours)
    return process.wait(), seen.decode().replace("\r\n", "\n")


def plain(seen: str) -> str:
    """Return what a terminal shows without the colours that we sent ourselves."""
    return re.sub(r"\x1b\[[0-9;]*m", "", seen)
