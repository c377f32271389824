"""Strangers who come in thousands, or come and say nothing, end nothing and keep nobody out."""

from __future__ import annotations

import contextlib
import json
import logging
import resource
import signal
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from child_server import ended, few, head_of, log_of, process, seen, set_to
from doorbell import PATIENCE, Front

from saegim.logs import Seldom, logger
from saegim.serve.rest.listening import descriptors, most_connections, most_threads
from saegim.serve.server_file import ServerFile, read
from stand_ins import rounds, wait_until

# No other thread opens files meanwhile: descriptors are counted here.
ALONE = """
from saegim.serve.rest import run_server
run_server._warm_up_behind = lambda mind: None
"""
# Nobody is waited for long.
HASTY = f"""{ALONE}
from saegim.serve.rest import listening
listening.TimedConnection.head_seconds = 0.5
"""
# Everybody is let in, as the loop does by itself.
UNBOUNDED = """
import socket
from saegim.serve.rest import listening
listening.ListeningSocket.accept = socket.socket.accept
"""
# A log that reads files to draw a traceback, as the SDK of MCP sets one up where there is none.
DRAWN = """
import linecache
import logging
from rich.logging import RichHandler
from saegim.serve.rest import listening
listening.survive = None
class Drawn(RichHandler):
    def emit(self, record):
        # What a busy machine once let it read would be drawn from memory ever after.
        linecache.clearcache()
        super().emit(record)
logging.getLogger().addHandler(Drawn(rich_tracebacks=True))
"""


@contextmanager
def strangers(port: int, count: int) -> Iterator[list[socket.socket]]:
    """Hold many connections open; every second one begins a request and stops in its head."""
    with ExitStack() as stack:
        _need(count + 200)
        wires = []
        for number in range(count):
            wire = stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE))
            if number % 2:
                with suppress(OSError):
                    wire.sendall(b"GET /v1/stats HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
            wires.append(wire)
        yield wires


def _need(descriptors: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < descriptors:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, hard))


def left(wire: socket.socket) -> bool:
    """Wait until the other side has closed a connection."""
    try:
        return wire.recv(1) == b""
    except ConnectionError:
        return True


def answers(served: Front) -> bool:
    """Say whether the server is there, and its store with it."""
    try:
        return served.ask("POST", "/v1/search", {"query": "lighthouse"}).status == 200
    except OSError:
        return False


@pytest.mark.parametrize("before", ["", UNBOUNDED], ids=["bounded", "out of descriptors"])
def test_idle_connections_end_nothing(before: str, tmp_path: Path) -> None:
    """R-33: `ulimit -n 64` and a thousand who say nothing: they are closed, and it goes on.

    Also where descriptors do run out, the loop outlives it.
    """
    home = tmp_path / "served"
    with process(home, few(64) + HASTY + before) as (started, told):
        served = seen(told)
        wait_until(lambda: answers(served), PATIENCE)
        with strangers(served.port, rounds(1000, 70)) as wires:
            assert all(map(left, wires))
            wait_until(lambda: answers(served), PATIENCE)
        assert started.is_alive()
        log = log_of(home)
        assert ended(started, signal.SIGTERM) == 0
    assert log.count("no request began in 0.5 seconds") == 1
    assert log.count("connections were refused: 32 are open already") == (not before)
    assert log.count("connections wait: the system has no descriptor") == bool(before)
    assert len(log.splitlines()) == 2, log


def test_a_log_that_opens_files_ends_the_server(tmp_path: Path) -> None:
    """Control: without the bound, and with a log that reads files, the same strangers end it."""
    with process(tmp_path / "served", few(64) + ALONE + UNBOUNDED + DRAWN) as (started, told):
        for _ in range(6):
            # On a busy machine the first of them may find it with a descriptor to spare.
            with contextlib.suppress(OSError), strangers(told["port"], 100):
                started.join(PATIENCE / 6)
        assert started.exitcode == 1


def test_a_small_limit_is_raised_and_what_it_allows_is_shared_out() -> None:
    """The soft limit of some systems is 256; threads that read and connections fit together."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        found = descriptors()
        assert found == resource.getrlimit(resource.RLIMIT_NOFILE)[0] == _allowed(hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    for limit, connections, threads in [(10, 1, 1), (64, 32, 2), (256, 224, 2), (1024, 512, 64)]:
        assert (most_connections(limit), most_threads(limit)) == (connections, threads)


def _allowed(hard: int) -> int:
    return 4096 if hard == resource.RLIM_INFINITY else min(4096, hard)


def test_few_descriptors_make_no_store_look_missing(tmp_path: Path) -> None:
    """R-33: with 64 descriptors and 30 who search at once, each search is answered."""
    home = set_to(tmp_path / "served", serve_rate=10_000.0, serve_burst=10_000)
    with process(home, few(64)) as (_, told):
        assert searched(seen(told), 30) == {200: 30}


def test_with_a_thread_for_everyone_stores_look_missing(tmp_path: Path) -> None:
    """Control: where each may have its own reader, some find no descriptor for it."""
    home = set_to(tmp_path / "served", serve_rate=10_000.0, serve_burst=10_000)
    many = "from saegim.serve.rest import run_server\nrun_server.most_threads = lambda _: 64\n"
    with process(home, few(64) + many) as (_, told):
        found = searched(seen(told), 30)
    assert found[200] < 30
    assert found.keys() & {500, 503}


# What the first search loads, once: the encoder, what runs it, and the readers on it.
READERS = 120 * 1024 * 1024


def searched(served: Front, count: int) -> Counter[int]:
    """Search many times at once; return the answers by status, 0 where it was not let in."""
    body = json.dumps({"query": "a white lighthouse"}).encode()
    asked = head_of(served, "POST", "/v1/search", len(body)) + body
    found: Counter[int] = Counter()
    with ExitStack() as stack:
        _need(count + 200)
        at = ("127.0.0.1", served.port)
        wires = [stack.enter_context(socket.create_connection(at, PATIENCE)) for _ in range(count)]
        for wire in wires:
            with suppress(OSError):
                wire.sendall(asked)
        for wire in wires:
            try:
                found[int(wire.recv(12)[9:] or 0)] += 1
            except ConnectionError:
                found[0] += 1
    return found


def resident(served: Front) -> int:
    """Return how many bytes of memory the server holds."""
    lines = served.ask("GET", "/metrics").body.decode().splitlines()
    name = "process_resident_memory_bytes"
    return next((int(each.split()[1]) for each in lines if each.startswith(f"{name} ")), 0)


def test_a_thousand_searches_at_once_are_bounded(tmp_path: Path) -> None:
    """FAULTS 70: who asks too much at once hears 429 or is not let in; it holds no more for it."""
    count = rounds(1000)
    home = set_to(tmp_path / "served", serve_rate=2.0, serve_burst=count // 10)
    with process(home) as (_, told):
        served = seen(told)
        before = resident(served)
        found = searched(served, count)
        assert found.keys() <= {0, 200, 429}
        assert found[200] >= count // 20
        assert found[429] >= count // 4
        assert (found[0] > 0) == (count > 512)
        after: list[int] = []
        # The bucket fills again.
        wait_until(lambda: after.append(resident(served)) or bool(after[-1]), PATIENCE)
    assert after[-1] - before < READERS + 64 * 1024 * 1024


def test_without_a_bucket_every_search_is_carried_out(tmp_path: Path) -> None:
    """Control: where anyone may ask as often as they like, nobody hears 429."""
    home = set_to(tmp_path / "served", serve_rate=10_000.0, serve_burst=10_000)
    with process(home) as (_, told):
        assert searched(seen(told), 60) == {200: 60}


# -- who guesses -----------------------------------------------------------------------------------


def guessed(served: Front, count: int) -> Counter[int]:
    """Try wrong tokens, each once; return the answers by status."""
    return Counter(
        served.ask("GET", "/v1/stats", Authorization=f"Bearer {number:043d}").status
        for number in range(count)
    )


def test_ten_thousand_guesses_are_told_to_wait(tmp_path: Path) -> None:
    """FAULTS 55: after twenty in a minute a guess is not even looked at; who knows is answered."""
    with process(tmp_path / "served") as (_, told):
        served, count = seen(told), rounds(10_000, 200)
        found = guessed(served, count)
        assert served.ask("GET", "/v1/stats").status == 200
    assert found.keys() == {401, 429}
    assert found[429] > count * 0.8


def test_a_door_that_counts_no_guesses_answers_each(tmp_path: Path) -> None:
    """Control: without the count every guess is compared with the token."""
    never = "from saegim.serve.rest import security\nsecurity.Bucket.take = lambda _: 0\n"
    with process(tmp_path / "served", never) as (_, told):
        assert guessed(seen(told), 60) == {401: 60}


# -- the end of the loop ---------------------------------------------------------------------------

# A library that leaves the process from inside the loop, as if all were well.
LEAVING = """
import asyncio, sys
from saegim.serve.rest import listening, run_server
real = listening.Listening.startup
async def startup(self, sockets=None):
    await real(self, sockets)
    asyncio.get_running_loop().call_later(0.05, sys.exit, 0)
listening.Listening.startup = startup
"""
HANGING = """
import threading
from saegim.serve.backend import LocalBackend
LocalBackend.close = lambda _: threading.Event().wait()
run_server.END_SECONDS = 0.2
"""
STUBBORN = """
async def stays():
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            pass
async def startup_with_one_that_stays(self, sockets=None):
    self.stays = asyncio.create_task(stays())
    await startup(self, sockets)
listening.Listening.startup = startup_with_one_that_stays
run_server.END_SECONDS = 0.2
"""
TRUSTING = "run_server._run = lambda server, door, server_file: server.run([door])\n"


@pytest.mark.parametrize("before", ["", HANGING, STUBBORN], ids=["plain", "store", "task"])
def test_a_server_whose_loop_ends_says_so(before: str, tmp_path: Path) -> None:
    """A server that answers nobody is none: it ends with 1, its server file and its lock are gone.

    It does so also where the store does not close, or a task does not end.
    """
    home = tmp_path / "served"
    with process(home, LEAVING + before) as (started, _):
        started.join(PATIENCE)
        assert started.exitcode == 1
    assert read(home) == {}
    with ServerFile(home):
        pass
    if not before:
        assert "saegim.serve: the server ended by itself: SystemExit" in log_of(home)
        assert "nobody ended it (SystemExit)" in log_of(home)


def test_a_loop_that_ends_unseen_looks_like_a_good_end(tmp_path: Path) -> None:
    """Control: where nobody looks why the loop ended, the process ends with 0."""
    with process(tmp_path / "served", LEAVING + TRUSTING) as (started, _):
        started.join(PATIENCE)
        assert started.exitcode == 0


def test_a_reason_is_written_once() -> None:
    """Ten thousand refusals are one line, and an hour later another that counts them."""
    log, now = logger("test_seldom"), [100.0]
    said: list[str] = []
    log.addHandler(_Listed(said))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("saegim.logs.time", SimpleNamespace(monotonic=lambda: now[0]))
        warn = Seldom(log, "refused: %d")
        for _ in range(10):
            warn(32)
        now[0] += 3600
        warn(32)
    assert said == ["refused: 32 (1 times)", "refused: 32 (10 times)"]


class _Listed(logging.Handler):
    def __init__(self, said: list[str]) -> None:
        super().__init__()
        self._said = said

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the words."""
        self._said.append(record.getMessage())
