"""Ports that nobody takes between the asking and the listening.

A port that the system gives, closed again, may be given to the next who asks: to a client of
another worker, or once more to ourselves. Those below the range it gives from are taken by nobody
who did not name them, and each worker of a run names its own.
"""

from __future__ import annotations

import itertools
import os
import socket
from pathlib import Path

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_EACH = 500
_counted = itertools.count()


def free_port() -> int:
    """Return a port of this machine on which nobody listens, another one each time."""
    given = int(_RANGE.read_text().split()[0]) if _RANGE.exists() else 32768
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    last = given - 1 - worker % 8 * _EACH
    for number in itertools.islice(_counted, _EACH):
        # Another run beside this one begins elsewhere.
        port = last - (number + os.getpid()) % _EACH
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError(f"no port below {given} is free")
