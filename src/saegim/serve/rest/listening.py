"""How the server listens: how many it lets in, how long it waits for them, and what it survives.

A stranger without a token can open connections and say nothing. Each takes a descriptor, and a
process without one can open neither its store nor a page of its own code.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from saegim.errors import BadInput
from saegim.logs import Seldom, logger
from saegim.serve.rest.problems import MEDIA_TYPE, Trouble, problem
from saegim.serve.speech import Speech

if sys.platform != "win32":
    import resource

# A program of this machine sends its headers at once.
HEAD_SECONDS = 10.0
# So many agents, hooks and pages one person does not have at once.
MOST_CONNECTIONS = 512
# What the store, its readers and the log need beside the connections; most of it at all times.
_KEPT_FREE = 32
_KEPT_ALWAYS = 24
# Reads and writes wait in threads of their own; one slow caller holds one of them (U10.4).
MOST_THREADS = 64
# All connections, and two files for the reader of each thread; some systems begin with 256.
_WANTED = 4096
# So many are refused before those who are in have their turn.
_REFUSED_AT_ONCE = 128
_HEAD_BYTES = 32 * 1024
_IDLE_SECONDS = 30
# The whole end has five seconds; the rest of them belongs to the store.
_FAREWELL_SECONDS = 2
_PAUSE_SECONDS = 0.5
_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_log = logger("serve")
_full = Seldom(_log, "connections were refused: %d are open already")
_silent = Seldom(_log, "connections were closed: no request began in %g seconds")
_short = Seldom(_log, "connections wait: the system has no descriptor or memory for them")


def descriptors() -> int:
    """Return how many files this process may hold open, once it has asked for enough of them."""
    if sys.platform == "win32":
        return _WANTED
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED if hard == resource.RLIM_INFINITY else min(hard, _WANTED)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return _WANTED if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        return soft
    return wanted


def most_connections(limit: int) -> int:
    """Return how many connections a process with so many descriptors can have."""
    return max(1, min(MOST_CONNECTIONS, limit - _KEPT_FREE))


def most_threads(limit: int) -> int:
    """Return how many threads each of REST and MCP may have: a thread that reads holds two files.

    A reader that finds no descriptor would take the store for missing.
    """
    return max(1, min(MOST_THREADS, (limit - most_connections(limit) - _KEPT_ALWAYS) // 4))


class ListeningSocket(socket.socket):
    """A socket that lets so many in at once; above that, who comes is let go at once.

    They are counted where they are accepted: one that is still shaking hands for TLS, or that the
    loop has not heard of yet, holds a descriptor too.
    """

    def __init__(self, family: int, kind: int, protocol: int, most: int) -> None:
        super().__init__(family, kind, protocol)
        self.most = most
        self._pause = 0.0
        self._accepted: weakref.WeakSet[socket.socket] = weakref.WeakSet()

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection if there is room for it."""
        for _ in range(_REFUSED_AT_ONCE):
            wire, address = self._next()
            if self.held() < self.most:
                self._accepted.add(wire)
                return wire, address
            wire.close()
            _full(self.most)
        # As if the last one had gone by itself: the loop goes on with others first.
        raise ConnectionAbortedError(errno.ECONNABORTED, "refused")

    def _next(self) -> tuple[socket.socket, Any]:
        if time.monotonic() < self._pause:
            raise BlockingIOError(errno.EAGAIN, "paused")
        try:
            return super().accept()
        except OSError as error:
            if error.errno in _NO_ROOM:
                # The loop waits for a second now, but first goes on asking many times.
                self._pause = time.monotonic() + _PAUSE_SECONDS
            raise

    def held(self) -> int:
        """Return how many connections are open."""
        return sum(wire.fileno() >= 0 for wire in self._accepted)


def survive(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Write down what went wrong in the loop, without opening a file: there may be none left."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        _short()
    else:
        _log.error("the loop met an error: %s", type(error).__name__, exc_info=error)


class TimedConnection(H11Protocol):
    """A connection that is closed if its request does not begin in time (R-33)."""

    head_seconds = HEAD_SECONDS
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request; its head must be whole before the time is over."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._wait_no_more()
        elif self._waiting is None:
            self._wait()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        """Answer what is no HTTP with a problem document too, as every other mistake."""
        said = BadInput("server.request_is_malformed")
        body = bytes(problem(Trouble(400, "BadRequest", said), "", Speech("en")).body)
        headers = [(b"content-type", MEDIA_TYPE.encode()), (b"connection", b"close")]
        answer = h11.Response(status_code=400, headers=headers, reason=b"Bad Request")
        for event in (answer, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(self.head_seconds, self._give_up)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        # A request that was answered meanwhile has its own time to be idle.
        if self.timeout_keep_alive_task is None and self.conn.their_state is h11.IDLE:
            _silent(self.head_seconds)
            self.transport.close()


class Listening(uvicorn.Server):
    """A server that tells when it answers; signals are heard by who runs it."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: Any = None) -> None:
        """Begin to listen, and say so."""
        asyncio.get_running_loop().set_exception_handler(survive)
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone: uvicorn would raise them again before the store is closed."""
        yield


def configured(
    app: Any,
    certificate: str = "",
    key: str = "",
    protocol: type[H11Protocol] = TimedConnection,
) -> uvicorn.Config:
    """Return how uvicorn is to run: quiet, bounded, without what is not used."""
    return uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        # What is no HTTP is told to who sent it; the terminal need not hear of it.
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        # Reached only where the loop accepts by itself, as on Windows.
        limit_concurrency=MOST_CONNECTIONS + 1,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_FAREWELL_SECONDS,
        h11_max_incomplete_event_size=_HEAD_BYTES,
        ssl_certfile=certificate or None,
        ssl_keyfile=key or None,
    )
