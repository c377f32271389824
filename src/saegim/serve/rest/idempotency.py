"""`Replays`: the same request under the same key is carried out once, and answered as before.

What may change something is written down in the store before it is carried out, and its answer
before it is given, so that a key outlives the server that took it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.to_thread
from starlette.responses import Response

from saegim.errors import BadInput, Refused, StoreError
from saegim.serve.backend import LocalBackend
from saegim.store.tables.replay_table import KeptAnswer

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
_MOST_KEY = 200
_MOST_HELD = 1000
_MOST_BYTES = 32 * 1024 * 1024
_KEPT_SECONDS = 24 * 3600.0
# Of an answer that was too long to be kept, or that said what was erased since.
_NO_BODY = '{"repeated": true}'


def checked_key(key: str) -> str:
    """Return the key if it can name a request."""
    if not 0 < len(key) <= _MOST_KEY or not key.isprintable() or key != key.strip():
        raise BadInput("server.cannot_be", header=HEADER, key=key, most=_MOST_KEY)
    return key


def print_of(key: str, *parts: Any) -> bytes:
    """Return by what a request is known again; without its key nobody can guess what it said."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str)
    secret = _digest(key, b"request")
    return hashlib.blake2b(text.encode("ascii"), key=secret, digest_size=32).digest()


def _digest(key: str, use: bytes) -> bytes:
    return hashlib.blake2b(key.encode("utf-8", "replace"), person=use, digest_size=32).digest()


@dataclass(frozen=True, slots=True)
class DurableReplays:
    """The answers of the last day, in the store of a backend; it may wait, so in a thread."""

    backend: LocalBackend
    # Whether what was begun and cut off may be carried out again: the store does it once.
    safe: bool = False
    # The person whose key it is; nobody: whose machine it is.
    user: str = ""

    @property
    def _owner(self) -> str:
        return self.user or self.backend.memory.scope.user

    def begin(self, key: str, known_by: bytes) -> Response | None:
        """Note a request that is carried out now; answer one that was carried out before."""
        memory = self.backend.memory
        owner, now = self._owner, memory.mind.now()
        held = memory.mind.store.replays.begin(owner, _name(key), known_by.hex(), now)
        if held is not None and held.known_by != known_by.hex():
            raise BadInput("server.used_for_another_request", header=HEADER, key=key)
        if held is None or (self.safe and not held.status):
            return None
        if not held.status:
            raise Refused("server.outcome_unknown", header=HEADER, key=key)
        body = held.body or _NO_BODY
        return Response(body.encode(), held.status, headers={**held.headers, REPLAYED: "true"})

    def end(self, key: str, known_by: bytes, held: _Held) -> None:
        """Write the answer down, or forget a request that came to no lasting end."""
        memory = self.backend.memory
        body = held.body.decode("utf-8", "replace")
        answer = KeptAnswer(known_by.hex(), held.status, held.headers, body)
        owner, now = self._owner, memory.mind.now()
        # Carried out it was, and it is answered: after a restart its outcome is then unknown.
        with contextlib.suppress(StoreError):
            memory.mind.store.replays.end(owner, _name(key), answer, now)


def _name(key: str) -> str:
    return _digest(key, b"name").hex()


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
        self._held: OrderedDict[tuple[str, str], _Held] = OrderedDict()

    async def once(
        self,
        key: str,
        known_by: bytes,
        carry: Callable[[], Awaitable[Response]],
        durable: DurableReplays | None = None,
        user: str = "",
    ) -> Response:
        """Carry out a request, or wait for the one that is already under way and answer as it.

        With `durable`, one that an earlier process carried out is answered as it answered.
        What another `user` sent under the same key is another request.
        """
        self._forget()
        name = (user, key)
        while (held := self._held.get(name)) is not None:
            if held.known_by != known_by:
                raise BadInput("server.used_for_another_request", header=HEADER, key=key)
            await held.over.wait()
            if held.status:
                return held.response()
        held = self._held[name] = _Held(known_by, time.monotonic())
        try:
            response = None
            if durable is not None:
                response = await anyio.to_thread.run_sync(durable.begin, key, known_by)
            if response is None:
                try:
                    response = await carry()
                    self._keep(held, response)
                finally:
                    if durable is not None:
                        # Not given up where the caller hangs up: the request was carried out.
                        with anyio.CancelScope(shield=True):
                            await anyio.to_thread.run_sync(durable.end, key, known_by, held)
            else:
                self._keep(held, response)
            return response
        finally:
            if not held.status and self._held.get(name) is held:
                # It did not come to an end that would come again: the next one tries anew.
                del self._held[name]
            held.over.set()

    def _keep(self, held: _Held, response: Response) -> None:
        body = bytes(response.body)
        if response.status_code >= 500 or response.status_code == 429:
            return
        held.status, held.body = response.status_code, body
        held.headers = {
            name: value
            for name, value in response.headers.items()
            if name not in ("content-length", REPLAYED.lower())
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
