"""The calls of all day, answered without the SDK: in its own words, and at a tenth of its cost.

A search takes a millisecond or two, and passing it through the SDK takes as much again; loading the
SDK takes forty megabytes, which a client that only searches and saves need not be charged with.
Only a call that is written plainly is answered here (`Handshake.call`); a test holds the answers
against those of the SDK.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, TypeGuard

from saegim import __version__
from saegim.errors import SaegimError
from saegim.serve.backend import Backend, Call
from saegim.serve.mcp.client_info import ClientInfo
from saegim.serve.mcp.handshake import Handshake, PlainCall
from saegim.serve.mcp.results import carried_out, words_of

if TYPE_CHECKING:
    from starlette.datastructures import Headers

    from saegim.serve.access import Grant

Json = dict[str, Any]
# As many calls as one client makes at once; others wait their turn.
_AT_ONCE = 16
# The first save of a process may take seconds on a busy machine, and is not to be lost; with all
# that an end does besides, nobody stays for five.
FAREWELL_SECONDS = 2.5
_SERVER = {"name": "saegim", "title": "Saegim 새김", "version": __version__}
_META = json.dumps({"io.modelcontextprotocol/serverInfo": _SERVER}, ensure_ascii=False)
_MODERN = f', "resultType": "complete", "_meta": {_META}'


def is_traced() -> bool:
    """Say whether someone follows calls through the SDK, which tells of each."""
    return "opentelemetry.sdk.trace" in sys.modules


def answered(backend: Backend, call: PlainCall, wish: Call) -> str:
    """Carry out a call and return the whole answer as a client of MCP receives it."""

    async def calling() -> Json:
        return backend.call(wish)

    text, written = words_of(_ended(carried_out(call.name, calling())))
    content = f'"content": [{{"type": "text", "text": {json.dumps(text, ensure_ascii=False)}}}]'
    data = ', "isError": true'
    if written is not None:
        data = f', "structuredContent": {written}, "isError": false'
    modern = _MODERN if call.is_modern else ""
    id = json.dumps(call.id, ensure_ascii=False)
    return f'{{"jsonrpc": "2.0", "id": {id}, "result": {{{content}{data}{modern}}}}}'


def _ended(work: Coroutine[Any, Any, Json | SaegimError]) -> Json | SaegimError:
    """Return what work comes to that waits for nothing."""
    try:
        work.send(None)
    except StopIteration as end:
        told: Json | SaegimError = end.value
        return told
    raise RuntimeError("it waits")


class DirectCalls:
    """The plain calls of one client on a wire, each carried out in a thread.

    Whoever ends waits for them, and for the calls that are passed on to the SDK.
    """

    def __init__(
        self, step: Handshake, backend: Backend, guest: ClientInfo, send: Callable[[str], None]
    ) -> None:
        self._step, self._backend, self._guest, self._send = step, backend, guest, send
        self._threads = ThreadPoolExecutor(_AT_ONCE, "saegim-call")
        self._under_way: set[Future[None]] = set()
        self._passed: dict[str, Future[None]] = {}
        self._end_begun: float | None = None
        self._lock = threading.Lock()

    def take(self, message: object) -> bool:
        """Begin a call if it is one of ours; say whether it was."""
        call = None if is_traced() else self._step.call(message)
        if call is None:
            return False
        self._count(self._threads.submit(self._answer, call))
        return True

    def passed_on(self, text: str) -> None:
        """Count a call that the SDK is given until it is answered, or the client gives it up."""
        said = _message(text)
        if said.get("method") == "tools/call" and "id" in said:
            self._settle(said["id"])
            begun = self._passed[json.dumps(said["id"])] = Future()
            self._count(begun)
        elif said.get("method") == "notifications/cancelled" and _has_params(said):
            self._settle(said["params"].get("requestId"))

    def told(self, text: str) -> None:
        """Note that the SDK answers: what was asked is done."""
        said = _message(text)
        if "method" not in said and "id" in said:
            self._settle(said["id"])

    @property
    def waited(self) -> float:
        """How many seconds have gone since the end was first waited for."""
        return 0.0 if self._end_begun is None else time.monotonic() - self._end_begun

    def end(self) -> None:
        """Wait for what is under way: its client has gone, and may still read.

        Whoever waits again has what is left of the same time.
        """
        with self._lock:
            waited = set(self._under_way)
            if self._end_begun is None:
                self._end_begun = time.monotonic()
        wait(waited, max(0.0, FAREWELL_SECONDS - self.waited))

    def _count(self, begun: Future[None]) -> None:
        with self._lock:
            self._under_way.add(begun)
        begun.add_done_callback(self._ended)

    def _settle(self, id: object) -> None:
        if (begun := self._passed.pop(json.dumps(id), None)) is not None:
            begun.set_result(None)

    def _answer(self, call: PlainCall) -> None:
        self._send(answered(self._backend, call, self._guest.wish(call.name, call.arguments)))

    def _ended(self, begun: Future[None]) -> None:
        with self._lock:
            self._under_way.discard(begun)


class DirectHttp:
    """The plain calls over HTTP, of clients that speak the current revision without a session."""

    def __init__(self, backend: Backend, guest: ClientInfo) -> None:
        self._backend, self._guest = backend, guest
        self._step = Handshake(guest.profile)

    def call(self, headers: Headers, body: object) -> PlainCall | None:
        """Return the call that a request is, if its head says the same as its body."""
        name = body["params"].get("name") if _has_params(body) else None
        said = {"mcp-protocol-version": self._step.modern, "mcp-method": "tools/call"}
        said["mcp-name"] = str(name)
        alike = all(headers.getlist(each) == [value] for each, value in said.items())
        accepts = headers.get("accept", "")
        plain = "application/json" in accepts and "text/event-stream" in accepts
        if not alike or not plain or any(each.startswith("mcp-param-") for each in headers):
            return None
        return None if is_traced() else self._step.called_at_once(body)

    def answer(self, call: PlainCall, headers: Headers, by: Grant) -> str:
        """Carry out a call for the client that a request describes."""
        guest = self._guest.seen(headers, by)
        return answered(self._backend, call, guest.wish(call.name, call.arguments))


def _message(text: str) -> Json:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _has_params(body: object) -> TypeGuard[Json]:
    return isinstance(body, dict) and isinstance(body.get("params"), dict)
