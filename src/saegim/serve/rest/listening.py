"""How connections are held: by uvicorn, with an end for those that never ask anything."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

# A program of this machine sends its headers at once.
HEAD_SECONDS = 10.0
_HEAD_BYTES = 32 * 1024
_MOST_CONNECTIONS = 512
_IDLE_SECONDS = 30
# The whole end has five seconds; the rest of them belongs to the store.
_FAREWELL_SECONDS = 2


class Patient(H11Protocol):
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
            self.transport.close()


class Listening(uvicorn.Server):
    """A server that tells when it answers; signals are heard by who runs it."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: Any = None) -> None:
        """Begin to listen, and say so."""
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
    protocol: type[H11Protocol] = Patient,
) -> uvicorn.Config:
    """Return how uvicorn is to run: quiet, bounded, without what is not used."""
    return uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_FAREWELL_SECONDS,
        h11_max_incomplete_event_size=_HEAD_BYTES,
        ssl_certfile=certificate or None,
        ssl_keyfile=key or None,
    )
