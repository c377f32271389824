"""`McpSessions`: MCP conversations over HTTP that nobody ended are let go of, the oldest first.

A client of the older protocol opens a session and should end it with DELETE; many just leave. The
SDK lets go of a session that was idle for long, and refuses new ones when it holds too many: then a
client that leaves every time would lock out all others. So whoever opens one too many takes the
place of the session that was idle the longest. Its client, if it comes back, gets the protocol's
404 and opens a new one; a session with a request or a stream under way is never touched.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saegim.errors import SaegimError
from saegim.logs import logger
from saegim.serve.rest.problems import Trouble, problem, speech_for
from saegim.serve.rest.security import READ
from saegim.serve.terminal import json_text

# So many agents one person does not have at once; a session holds about 60 kB.
MOST_SESSIONS = 128
# The rest of the connections is for everybody else; a stream holds one as long as it lasts.
MOST_AT_ONCE = 256
# Who comes back after lunch still has theirs.
IDLE_SECONDS = 1800.0
_WAIT_SECONDS = 10
_ID = "mcp-session-id"
_GONE = {"code": -32600, "message": "Session not found"}
_log = logger("serve")


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
