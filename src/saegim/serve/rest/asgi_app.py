"""The application: every address, the guard in front, MCP beside them.

A client of the older MCP opens a session and should end it with DELETE; many just leave. The SDK
lets go of a session that was idle for long, and refuses new ones when it holds too many: then a
client that leaves every time would lock out all others. So whoever opens one too many takes the
place of the session that was idle the longest (`McpSessions`). Its client, if it comes back, gets
the protocol's 404 and opens a new one; a session with a request or a stream under way is never
touched.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saegim import __version__
from saegim.errors import Forbidden, SaegimError
from saegim.logs import logger
from saegim.serve.access import GRANT, OWN
from saegim.serve.backend import LocalBackend
from saegim.serve.mcp.direct_calls import DirectHttp
from saegim.serve.rest.caller import grant_of
from saegim.serve.rest.listening import MOST_THREADS
from saegim.serve.rest.openapi import completed
from saegim.serve.rest.people_routes import add_people_routes
from saegim.serve.rest.problems import Trouble, problem, speech_for
from saegim.serve.rest.rate_limit import MOST_BYTES
from saegim.serve.rest.routes import Desk, add_routes
from saegim.serve.rest.security import READ, Guard, Security, named_host
from saegim.serve.terminal import json_text
from saegim.serve.token import proof_of
from saegim.serve.web.door import ROOMS

# So many agents one person does not have at once; a session holds about 60 kB.
MOST_SESSIONS = 128
# The rest of the connections is for everybody else; a stream holds one as long as it lasts.
MOST_AT_ONCE = 256
# Who comes back after lunch still has theirs.
IDLE_SECONDS = 1800.0
_WAIT_SECONDS = 10
_ID = "mcp-session-id"
_GONE = {"code": -32600, "message": "Session not found"}


@dataclass(slots=True, eq=False)
class _Session:
    """One conversation: who opened it, and how many of its requests are under way."""

    owner: bytes
    busy: int = 0


class McpSessions:
    """An ASGI application around the SDK's own: it speaks to that only as a client could."""

    def __init__(self, app: ASGIApp, most: int = MOST_SESSIONS) -> None:
        self._app, self._most = app, most
        # Who was busy last stands last.
        self._held: OrderedDict[str, _Session] = OrderedDict()
        self._opening: list[_Session] = []
        self._busy = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, if it may use its session or there is room for a new one."""
        headers = Headers(scope=scope)
        id, owner = headers.get(_ID), _digest(headers)
        session = self._held.get(id or "")
        if session is not None and session.owner != owner:
            # It was opened with another token (FAULTS 51): as if it were not there.
            gone = json_text({"jsonrpc": "2.0", "id": None, "error": _GONE})
            await Response(gone, 404, media_type="application/json")(scope, receive, send)
        elif self._busy >= MOST_AT_ONCE:
            await _refused(scope, "server.too_many_streams")(scope, receive, send)
        elif session is not None and id is not None:
            await self._within(id, session, scope, receive, send)
        elif id is None and _opens(scope):
            await self._opened(owner, scope, receive, send)
        else:
            await self._passed(scope, receive, send)

    async def _opened(self, owner: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        if not await self._has_room(scope):
            await _refused(scope, "server.too_many_sessions")(scope, receive, send)
            return
        session = _Session(owner, busy=1)
        self._opening.append(session)

        def named(status: int, id: str) -> None:
            if id and status < 400:
                self._opening.remove(session)
                self._held[id] = session

        try:
            await self._passed(scope, receive, send, named)
        finally:
            session.busy -= 1
            if session in self._opening:
                self._opening.remove(session)

    async def _within(
        self, id: str, session: _Session, scope: Scope, receive: Receive, send: Send
    ) -> None:
        def told(status: int, _: str) -> None:
            if status == 404 or (scope["method"] == "DELETE" and status == 200):
                self._held.pop(id, None)

        session.busy += 1
        try:
            await self._passed(scope, receive, send, told)
        finally:
            session.busy -= 1
            if id in self._held:
                self._held.move_to_end(id)

    async def _has_room(self, scope: Scope) -> bool:
        """Make room for one more session; say whether there is."""
        while len(self._held) + len(self._opening) >= self._most:
            idle = (id for id, session in self._held.items() if not session.busy)
            if (oldest := next(idle, None)) is None:
                return False
            del self._held[oldest]
            await self._end(oldest, scope)
            _log.info("an MCP session that nobody used any more was let go of")
        return True

    async def _end(self, id: str, scope: Scope) -> None:
        """End a session as its own client would."""
        kept = [(name, value) for name, value in scope["headers"] if name == b"host"]
        farewell = {**scope, "method": "DELETE", "headers": [*kept, (_ID.encode(), id.encode())]}

        async def nothing() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def unheard(_: Message) -> None:
            """Need no answer: a session that is gone already is gone."""

        await self._app(farewell, nothing, unheard)

    async def _passed(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        told: Callable[[int, str], None] = lambda *_: None,
    ) -> None:
        """Let the SDK answer; tell the status and the session that it names."""

        async def heard(message: Message) -> None:
            if message["type"] == "http.response.start":
                told(message["status"], Headers(raw=message["headers"]).get(_ID, ""))
            await send(message)

        self._busy += 1
        try:
            await self._app(scope, receive, heard)
        finally:
            self._busy -= 1


class PlainCalls:
    """An ASGI application around that: what needs no SDK is answered before it."""

    def __init__(self, app: ASGIApp, direct: DirectHttp, limiter: anyio.CapacityLimiter) -> None:
        self._app, self._direct, self._limiter = app, direct, limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a plain call, or pass a request on."""
        headers = Headers(scope=scope)
        call = None
        if scope["method"] == "POST" and _ID not in headers:
            call = self._direct.call(headers, scope.get(READ))
        if call is None:
            await self._app(scope, receive, send)
            return
        answer = partial(self._direct.answer, call, headers, scope.get(GRANT, OWN))
        text = await anyio.to_thread.run_sync(answer, limiter=self._limiter)
        await Response(text, media_type="application/json")(scope, receive, send)


def _opens(scope: Scope) -> bool:
    body = scope.get(READ)
    return isinstance(body, dict) and body.get("method") == "initialize"


def _digest(headers: Headers) -> bytes:
    token = headers.get("authorization", "").partition(" ")[2].strip()
    return hashlib.blake2b(token.encode(), digest_size=16).digest()


def _refused(scope: Scope, key: str) -> Response:
    speech = speech_for(Headers(scope=scope).get("accept-language", ""))
    said = SaegimError(key, wait=_WAIT_SECONDS)
    trouble = Trouble(429, "TooMany", said, {"Retry-After": str(_WAIT_SECONDS)})
    return problem(trouble, str(scope["path"]), speech)


_log = logger("serve")
_NONCE = re.compile(r"[0-9a-fA-F]{32,128}")
_NO_NONCE = Trouble(400, "BadNonce", SaegimError("server.bad_nonce"))
_HTTP = {404: "server.nothing_here", 405: "server.no_such_method"}


class Face(FastAPI):
    """FastAPI with the whole truth in its description."""

    def openapi(self) -> dict[str, Any]:
        """Return the description of every address."""
        if self.openapi_schema is None:
            self.openapi_schema = completed(super().openapi())
        return self.openapi_schema


def build(
    backend: LocalBackend,
    security: Security,
    *,
    mcp: MCPServer[Any] | None = None,
    direct: DirectHttp | None = None,
    threads: int = MOST_THREADS,
) -> FastAPI:
    """Return the application for a backend: REST under /v1, MCP under /mcp, the guard before."""

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        if mcp is None:
            yield
            return
        async with mcp.session_manager.run():
            yield

    # Its own pages of documentation would load scripts from elsewhere.
    app = Face(
        title="Saegim 새김",
        version=__version__,
        description="Long-term memory on this machine. Every function of the catalogue.",
        docs_url=None,
        redoc_url=None,
        lifespan=living,
    )
    desk = Desk(backend, security, anyio.CapacityLimiter(threads))
    add_routes(app, desk)
    add_people_routes(app, desk)
    _add_state(app, backend, security)
    _add_troubles(app, security)
    if mcp is not None:
        inner = mcp.streamable_http_app(
            streamable_http_path="/mcp",
            max_request_body_size=MOST_BYTES,
            session_idle_timeout=IDLE_SECONDS,
            # What is being opened while others are let go of is ours to count.
            max_sessions=2 * MOST_SESSIONS,
            transport_security=_same_as(security),
        )
        for route in inner.routes:
            assert isinstance(route, Route)
            # Before the others: each address is looked for in turn, and this one is asked all day.
            behind: ASGIApp = McpSessions(route.endpoint)
            if direct is not None:
                behind = PlainCalls(behind, direct, desk.limiter)
            app.router.routes.insert(0, Route(route.path, behind))
    pages = _Pages(backend, security, threads)
    for room in sorted(ROOMS):
        app.router.routes.append(Route(f"/{room}", pages))
        if room:
            app.router.routes.append(Route(f"/{room}/{{rest:path}}", pages))
    app.add_middleware(Guard, security=security, pages=pages)
    return app


class _Pages:
    """The pages, which nobody loads before the first of them is asked for."""

    def __init__(self, backend: LocalBackend, security: Security, threads: int) -> None:
        self._made: ASGIApp | None = None
        self._given = (backend, security, threads)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._made is None:
            # Templates are read and the memory is opened: others need not wait for that.
            self._made = await anyio.to_thread.run_sync(self._make)
        await self._made(scope, receive, send)

    def _make(self) -> ASGIApp:
        from saegim.serve.web.site import Site

        return Site(*self._given)


def _same_as(security: Security) -> TransportSecuritySettings:
    """Return our list of hosts as the SDK of MCP writes it."""
    names = sorted({named_host(each) for each in security.hosts})
    # Which port belongs to which name, the guard has looked at already.
    named = [each for name in names for each in (name, f"{name}:*")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=named,
        allowed_origins=[f"{scheme}://{each}" for scheme in ("http", "https") for each in named],
    )


def _add_state(app: FastAPI, backend: LocalBackend, security: Security) -> None:
    """Add what others ask about the server itself."""

    async def health(request: Request) -> Response:
        said = {"status": "ok", "version": __version__, "ready": backend.is_open}
        if damaged := bool(backend.damage):
            # Why it is damaged names a path: only who has the token is told, by status and doctor.
            said |= {"status": "damaged", "ready": False}
        away = not damaged and not await run_in_threadpool(backend.is_there)
        if away:
            # The store is on a server that does not answer: questions are refused, hooks spool.
            said |= {"status": "degraded", "ready": False}
        if nonces := request.query_params.getlist("nonce"):
            if len(nonces) > 1 or not _NONCE.fullmatch(nonces[0]):
                speech = speech_for(request.headers.get("accept-language", ""))
                return problem(_NO_NONCE, request.url.path, speech)
            said |= _proven(security, nonces[0], request)
        status = 503 if damaged or away else 200
        return Response(json_text(said), status_code=status, media_type="application/json")

    async def counted(request: Request) -> Response:
        if grant_of(request).user:
            # How often others ask is not theirs to know.
            said = Forbidden("people.only_of_the_machine")
            speech = speech_for(request.headers.get("accept-language", ""))
            return problem(said, request.url.path, speech)
        return Response(metrics(backend), headers={"Content-Type": MEDIA_TYPE})

    app.add_api_route("/health", health, methods=["GET"], include_in_schema=False)
    app.add_api_route("/metrics", counted, methods=["GET"], include_in_schema=False)


def _proven(security: Security, nonce: str, request: Request) -> dict[str, str]:
    """Show a caller who knows the token that we know it too, before it is sent to anyone."""
    # A token that was renewed this second is the one the caller knows.
    token = security.valid(at_once=True)
    host, port = request.scope.get("server") or ("", 0)
    return {"proof": proof_of(token, nonce, f"{host}:{port}")} if token else {}


def _methods(app: FastAPI, request: Request) -> set[str]:
    """Return every method that an address has."""
    found: set[str] = set()
    for route in app.routes:
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE:
            found |= route.methods or set()
    return found


def _add_troubles(app: FastAPI, security: Security) -> None:
    """Let everything that goes wrong be told in one form."""

    def told(request: Request, trouble: Trouble) -> Response:
        speech = speech_for(request.headers.get("accept-language", ""))
        return problem(trouble, request.url.path, speech, security.hidden)

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        status, headers = error.status_code, dict(error.headers or {})
        if status == 405:
            headers["Allow"] = ", ".join(sorted(_methods(app, request)))
        said = SaegimError(_HTTP.get(status, "server.request_not_taken"))
        return told(request, Trouble(status, "Http", said, headers))

    async def invalid(request: Request, _: Exception) -> Response:
        said = SaegimError("server.request_not_understood")
        return told(request, Trouble(422, "BadInput", said))

    async def fault(request: Request, error: Exception) -> Response:
        _log.error("a request broke off: %s", type(error).__name__, exc_info=error)
        return told(request, Trouble(500, "Fault", SaegimError("server.fault")))

    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(Exception, fault)


MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics(backend: LocalBackend) -> str:
    """Return every count of the backend."""
    return "".join(f"{line}\n" for line in _lines(backend))


def _lines(backend: LocalBackend) -> Iterator[str]:
    tally = backend.tally
    yield from _head("saegim_info", "gauge", "The version that is running.")
    yield f'saegim_info{{version="{__version__}"}} 1'
    yield from _head("saegim_calls_total", "counter", "Calls by function.")
    for name, count in sorted(tally.calls.copy().items()):
        yield f'saegim_calls_total{{function="{name}"}} {count}'
    yield from _head("saegim_failures_total", "counter", "Failed calls by function and kind.")
    for (name, kind), count in sorted(tally.failures.copy().items()):
        yield f'saegim_failures_total{{function="{name}",kind="{kind}"}} {count}'
    yield from _head("saegim_call_seconds_total", "counter", "Seconds spent in calls.")
    for name, seconds in sorted(tally.seconds.copy().items()):
        yield f'saegim_call_seconds_total{{function="{name}"}} {seconds:.6f}'
    yield from _head("saegim_memory_open", "gauge", "Whether the memory is open.")
    yield f"saegim_memory_open {int(backend.is_open)}"
    if resident := _resident():
        yield from _head("process_resident_memory_bytes", "gauge", "Memory held by the process.")
        yield f"process_resident_memory_bytes {resident}"


def _head(name: str, kind: str, words: str) -> tuple[str, str]:
    return f"# HELP {name} {words}", f"# TYPE {name} {kind}"


def _resident() -> int:
    """Return how much memory this process holds, or 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
