"""A server that runs for months holds no more memory and no more files than on its first day."""

from __future__ import annotations

import http.client
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from child_server import process, seen, set_to
from doorbell import PATIENCE, Front
from test_mcp_sessions import BOTH, FEW, HELLO, MOST, PING

from sleep.bedtime import rows
from stand_ins import rounds, wait_until

# Broken on purpose: it keeps something of every call.
HOARDING = """
import os
from saegim.serve.backend import LocalBackend
real, hoard = LocalBackend.call, []
def call(house, wish):
    hoard.append((b"x" * 200_000, os.dup(1)))
    return real(house, wish)
LocalBackend.call = call
"""
Ask = Callable[..., tuple[int, str]]


def asks(ask: Ask, number: int) -> None:
    """Ask for a list."""
    assert ask("GET", "/v1/memories")[0] == 200, number


def searches(ask: Ask, number: int) -> None:
    """Search for something else each time."""
    body = {"query": f"the lighthouse of {number} white towers"}
    assert ask("POST", "/v1/search", body)[0] == 200


def connects(ask: Ask, number: int) -> None:
    """Come over MCP and go; every second one leaves without a word."""
    status, id = ask("POST", "/mcp", HELLO)
    assert (status, ask("POST", "/mcp", PING, id)[0]) == (200, 200)
    if number % 2:
        assert ask("DELETE", "/mcp", None, id)[0] == 200


@contextmanager
def line(served: Front) -> Iterator[Ask]:
    """One connection for many requests."""
    asking = http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE)

    def ask(method: str, path: str, body: object = None, id: str = "") -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {served.token}", "Accept": BOTH}
        headers |= {"Mcp-Session-Id": id} if id else {}
        headers |= {"Content-Type": "application/json"} if body else {}
        asking.request(method, path, json.dumps(body) if body else None, headers)
        response = asking.getresponse()
        response.read()
        return response.status, response.getheader("mcp-session-id", "")

    try:
        yield ask
    finally:
        asking.close()


def grown(
    home: Path, act: Callable[[Ask, int], None], before: str, patience: float = PATIENCE
) -> tuple[int, int]:
    """Do something ten thousand times; return by how many bytes and files the server grew."""
    home = set_to(home, serve_rate=100_000.0, serve_burst=100_000)
    with process(home, before) as (started, told), line(seen(told)) as ask:
        served = seen(told)
        served.save("The lighthouse is white.")

        def memory() -> int:
            pages = Path(f"/proc/{started.pid}/statm").read_text(encoding="ascii").split()[1]
            return int(pages) * os.sysconf("SC_PAGE_SIZE")

        def files() -> int:
            return len(os.listdir(f"/proc/{started.pid}/fd"))

        # What is made once is made by now: caches are full, sessions as many as there may be.
        for number in range(rounds(1000, 60) + 3 * MOST):
            act(ask, number)
        # What is noted behind an answer is written by a thread that reads on a line of its own.
        searches(ask, 0)
        wait_until(lambda: rows(home / "saegim.db", "SELECT 1 FROM experience"), PATIENCE)
        held = memory(), files()
        for number in range(rounds(10_000, 100)):
            act(ask, number)
        with suppress(AssertionError):
            # A file that is open for a moment is none that is kept.
            wait_until(lambda: files() <= held[1], patience)
        return memory() - held[0], files() - held[1]


if sys.platform == "linux":

    @pytest.mark.parametrize("act", [asks, searches, connects])
    def test_nothing_is_left_of_a_call(act: Callable[[Ask, int], None], tmp_path: Path) -> None:
        """R-31: ten thousand calls, searches or MCP clients: less than 10 MiB more, no file."""
        memory, files = grown(tmp_path / "served", act, FEW)
        assert memory < 10 * 1024 * 1024
        assert files <= 0

    def test_a_server_that_keeps_something_of_each_call_is_seen(tmp_path: Path) -> None:
        """Control: 200 kB and a descriptor for each of a hundred calls are too many."""
        memory, files = grown(tmp_path / "served", searches, HOARDING, patience=0.0)
        assert memory > 10 * 1024 * 1024
        assert files >= 100
