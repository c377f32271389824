"""`Replays`: the same request under the same key is carried out once, and answered as before."""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import anyio
from starlette.responses import Response

from saegim.errors import BadInput

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
_MOST_KEY = 200
_MOST_HELD = 1000
_MOST_BYTES = 32 * 1024 * 1024
_KEPT_SECONDS = 24 * 3600.0


def checked_key(key: str) -> str:
    """Return the key if it can name a request."""
    if not 0 < len(key) <= _MOST_KEY or not key.isprintable() or key != key.strip():
        raise BadInput("server.cannot_be", header=HEADER, key=key, most=_MOST_KEY)
    return key


def print_of(*parts: Any) -> bytes:
    """Return by what a request is known again."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.blake2b(text.encode("ascii"), digest_size=32).digest()


@dataclass(slots=True)
class _Held:
    """One request under its key, and its answer once there is one."""

    known_by: bytes
    at: float
    over: anyio.Event = field(default_factory=anyio.Event)
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    def response(self) -> Response:
        """Return the answer once more."""
        return Response(self.body, self.status, headers={**self.headers, REPLAYED: "true"})


class Replays:
    """The answers of the last day, in this process; belongs to one event loop."""

    def __init__(self, most: int = _MOST_HELD, most_bytes: int = _MOST_BYTES) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._held: OrderedDict[str, _Held] = OrderedDict()

    async def once(
        self, key: str, known_by: bytes, carry: Callable[[], Awaitable[Response]]
    ) -> Response:
        """Carry out a request, or wait for the one that is already under way and answer as it."""
        self._forget()
        while (held := self._held.get(key)) is not None:
            if held.known_by != known_by:
                raise BadInput("server.used_for_another_request", header=HEADER, key=key)
            await held.over.wait()
            if held.status:
                return held.response()
        held = self._held[key] = _Held(known_by, time.monotonic())
        try:
            response = await carry()
            self._keep(held, response)
            return response
        finally:
            if not held.status and self._held.get(key) is held:
                # It did not come to an end that would come again: the next one tries anew.
                del self._held[key]
            held.over.set()

    def _keep(self, held: _Held, response: Response) -> None:
        body = bytes(response.body)
        if response.status_code >= 500 or response.status_code == 429:
            return
        held.status, held.body = response.status_code, body
        held.headers = {
            name: value for name, value in response.headers.items() if name != "content-length"
        }

    def _forget(self) -> None:
        """Let go of what is older than a day, and of the oldest if there is too much."""
        since = time.monotonic() - _KEPT_SECONDS
        size = sum(len(each.body) for each in self._held.values())
        for key, held in list(self._held.items()):
            crowded = len(self._held) >= self._most or size > self._most_bytes
            if held.at >= since and not crowded:
                break
            if held.over.is_set():
                del self._held[key]
                size -= len(held.body)
