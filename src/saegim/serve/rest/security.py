"""`Guard`: stands in front of everything that speaks HTTP, and turns away before any data is read.

It looks at the Host, then the Origin, then the token, then the rate, then the body. It sends no
CORS header: a page of another site has nothing here to borrow (U16.1). The addresses of our own
pages ask for no token, which any program could show, but for the cookie of a person (`web.door`).
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import parse_qsl, unquote

import anyio
import anyio.to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saegim.errors import BadInput, Forbidden, SaegimError, SettingsError
from saegim.serve.access import GRANT, OWN, Access, Grant, looks_like_token, names_in
from saegim.serve.rest.problems import Trouble, problem, speech_for, trouble_of
from saegim.serve.rest.rate_limit import MOST_BYTES, MOST_HEADERS, Bucket, json_of
from saegim.serve.server_file import refuse_shared_key
from saegim.serve.web.door import is_lost, is_page

OPEN = frozenset({"/health"})
READ = "saegim.json"
LOCAL = frozenset({"127.0.0.1", "localhost", "[::1]"})
_USUAL = {"http": 80, "https": 443}
# What a browser says of a page of this server, or of an address that a person typed.
_NEAR = frozenset({"none", "same-origin"})
# A body of this machine's own programs is here at once; a slow one must not hold its place.
BODY_SECONDS = 20.0
# So much of a body that is too large is read on and dropped, so that its sender hears why.
_DRAINED = 8 * MOST_BYTES
# Reading more JSON than this takes long enough for others to notice.
_AT_ONCE = 64 * 1024
_USERS = ("saegim-user", "x-saegim-user")
_TOKEN_NAMES = frozenset("token access_token auth authorization bearer api_key apikey".split())
_ANSWERED = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'"
)
_SHOWN = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Without a referrer at all, a browser would send our own forms from the origin "null".
    "Referrer-Policy": "same-origin",
}
_FORM, _JSON = "application/x-www-form-urlencoded", "application/json"


_NO_TOKEN = Trouble(
    401,
    "Unauthorized",
    SaegimError("server.no_token"),
    {"WWW-Authenticate": 'Bearer realm="saegim"'},
)
_NO_BODY = Trouble(413, "NoBody", SaegimError("server.no_body"))


@dataclass(frozen=True, slots=True)
class Security:
    """Who may call: the token, the names of this server, how often; and what is never told."""

    token: str = field(repr=False)
    # A name holds for the port at which we listen; one with a port of its own (NAME:PORT) for that.
    hosts: frozenset[str] = LOCAL
    # Where it is not known, any port is ours.
    port: int | None = None
    rate: float = 50.0
    burst: int = 200
    # So many wrong tokens are answered at once, and in each minute.
    wrong: int = 20
    hidden: tuple[str, ...] = ()
    # Says the token of this moment; whether to look at once.
    current: Callable[[bool], str] | None = field(default=None, repr=False)
    # Knows the people who share this machine, and their tokens.
    access: Access | None = field(default=None, repr=False)
    # Whose machine it is.
    user: str = ""

    def __post_init__(self) -> None:
        if len(self.token) < 32:
            raise SettingsError("server.server_without_token_is_open")

    def valid(self, at_once: bool = False) -> str:
        """Return the token that opens this server now; nothing if none does."""
        return self.token if self.current is None else self.current(at_once)

    def is_token(self, text: str, at_once: bool = False) -> bool:
        """Say whether this is the token, in a time that tells nothing about it."""
        held = self.valid(at_once)
        return hmac.compare_digest(text.encode("utf-8", "replace"), held.encode()) and bool(held)

    async def granted(self, authorization: Iterable[str]) -> Grant | None:
        """Return what the token opens that is shown as it should be; one just made counts."""
        given = [*authorization]
        scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        token = token.strip()
        if scheme.lower() != "bearer":
            return None
        if self.is_token(token) or self.is_token(token, True):
            return OWN
        if self.access is None or not looks_like_token(token):
            return None
        return await anyio.to_thread.run_sync(self.access.by_token, token)

    def is_called(self, host: str, scheme: str) -> bool:
        """Say whether a host, with its port or the usual one, is a name of this server."""
        name, port = split_host(host)
        number = int(port) if port else _USUAL.get(scheme)
        if name in self.hosts and self.port in (None, number):
            return True
        return f"{name}:{number}" in self.hosts


def is_loopback(host: str) -> bool:
    """Say whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def refuse_open_bind(host: str, certificate: str, key: str) -> None:
    """Refuse to listen to other machines without encryption (U16.2)."""
    if bool(certificate) != bool(key):
        missing = "--certificate" if key else "--key"
        raise SettingsError("server.certificate_and_key_belong_together", missing=missing)
    for each in filter(None, (certificate, key)):
        if not Path(each).expanduser().is_file():
            raise SettingsError("server.no_file", each=each)
    if key:
        refuse_shared_key(key)
    if not is_loopback(host) and not certificate:
        raise SettingsError("server.can_be_reached_by_other", host=host)


def split_host(header: str) -> tuple[str, str]:
    """Return the name and the port of a Host header; nothing of one that is not well formed."""
    host = header.strip().lower()
    inside, closed, rest = host.partition("]") if host.startswith("[") else ("", "", host)
    name, colon, port = rest.partition(":")
    well = port.isascii() and port.isdecimal() and len(port) <= 5 if colon else True
    if not well or (inside and (name or not closed)):
        return "", ""
    return inside + closed or name, port


def named_host(header: str) -> str:
    """Return the host of a Host header without its port, as the list of hosts writes it."""
    return split_host(header)[0]


class Guard:
    """An ASGI application around another: nothing reaches it that was not let in."""

    def __init__(
        self,
        app: ASGIApp,
        security: Security,
        body_seconds: float = BODY_SECONDS,
        pages: ASGIApp | None = None,
    ) -> None:
        self._app, self._security, self._pages = app, security, pages
        self._patience = body_seconds
        # One for each person, so that nobody waits for another.
        self._buckets: dict[str, Bucket] = {}
        self._wrong = Bucket(security.wrong / 60, security.wrong)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        lost = self._is_lost(scope, headers)
        trouble = _wordy(scope) or self._stranger(scope, headers)
        trouble = trouble or await self._caller(scope, headers)
        body: bytes | None = b""
        if trouble is None and _has_body(headers):
            body, trouble = await self._body(scope, headers, receive)
            if body is None and trouble is None:
                return
        trouble = trouble or await self._misnamed(scope, headers)
        telling = partial(_tell, send, lost or is_page(str(scope["path"])))
        if trouble is not None:
            speech = speech_for(headers.get("accept-language", ""))
            response = problem(trouble, str(scope["path"]), speech, self._security.hidden)
            # What is left of the request is not waited for.
            response.headers["Connection"] = "close"
            await response(scope, receive, telling)
            return
        # Who shows no token comes no further than the pages, whatever is at that address.
        app = self._pages if lost and self._pages else self._app
        await app(scope, _Again(body, receive) if body else receive, telling)
        grant = scope.get(GRANT, OWN)
        if grant.token and self._security.access is not None:
            # Behind the answer, which is out.
            await anyio.to_thread.run_sync(self._security.access.note, grant)

    def _stranger(self, scope: Scope, headers: Headers) -> Trouble | None:
        """Turn away who calls us by another name, or comes from a page of another site."""
        hosts, scheme = headers.getlist("host"), str(scope.get("scheme", "http"))
        if len(hosts) != 1 or not self._security.is_called(hosts[0], scheme):
            return Trouble(403, "ForeignHost", SaegimError("server.foreign_host"))
        near = all(each.strip().lower() in _NEAR for each in headers.getlist("sec-fetch-site"))
        if not near or not all(map(self._known_origin, headers.getlist("origin"))):
            return Trouble(403, "ForeignOrigin", SaegimError("server.foreign_origin"))
        return None

    def _known_origin(self, origin: str) -> bool:
        scheme, _, host = origin.lower().partition("://")
        return scheme in _USUAL and self._security.is_called(host, scheme)

    async def _caller(self, scope: Scope, headers: Headers) -> Trouble | None:
        """Turn away who has no token, shows it where others read it, or asks too often."""
        if scope["path"] in OPEN:
            return _NO_BODY if _has_body(headers) else None
        if self._in_address(scope):
            return Trouble(400, "TokenInAddress", SaegimError("server.token_in_address"))
        if self._is_lost(scope, headers) or is_page(str(scope["path"])):
            return _too_many("server.too_many_requests", self._bucket("").take())
        try:
            grant = await self._security.granted(headers.getlist("authorization"))
        except SaegimError as error:
            return trouble_of(error)
        if grant is None:
            # Who has the right one is never kept waiting for others who have not.
            wait = self._wrong.take()
            return _too_many("server.too_many_strangers", wait) or _NO_TOKEN
        scope[GRANT] = grant
        return _too_many("server.too_many_requests", self._bucket(grant.user).take())

    def _is_lost(self, scope: Scope, headers: Headers) -> bool:
        found = is_lost(str(scope["method"]), str(scope["path"]), headers)
        return found and self._pages is not None

    def _bucket(self, user: str) -> Bucket:
        held = self._buckets.get(user)
        if held is None:
            held = self._buckets[user] = Bucket(self._security.rate, self._security.burst)
        return held

    async def _misnamed(self, scope: Scope, headers: Headers) -> Trouble | None:
        """Turn away who shows the token of one and names another."""
        grant = scope.get(GRANT)
        if grant is None or self._security.access is None:
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        said = [_utf8(each) for name in _USERS for each in headers.getlist(name)]
        named = names_in(said, query, scope.get(READ))
        if not named - {grant.user or self._security.user}:
            return None
        # Where nobody else is, a name is refused or not heard, as it always was.
        shared = bool(grant.token) or await anyio.to_thread.run_sync(
            self._security.access.is_shared
        )
        return trouble_of(Forbidden("people.token_of_another")) if shared else None

    def _in_address(self, scope: Scope) -> bool:
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        said = [*(value for _, value in query), *unquote(str(scope["path"])).split("/")]
        held = [self._security.is_token(each) or looks_like_token(each) for each in said]
        return any(held) or any(name.lower() in _TOKEN_NAMES for name, _ in query)

    async def _body(
        self, scope: Scope, headers: Headers, receive: Receive
    ) -> tuple[bytes | None, Trouble | None]:
        """Return the body, read and checked, or why it is not taken; neither if nobody waits."""
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        taken = _FORM if is_page(str(scope["path"])) else _JSON
        if kind != taken:
            return None, Trouble(415, "NotJson", SaegimError("server.not_json"))
        body, size = None, 0
        with anyio.move_on_after(self._patience) as patience:
            body, size = await _received(receive)
        if patience.cancelled_caught:
            return None, Trouble(408, "TooSlow", SaegimError("server.body_too_slow"))
        if size > MOST_BYTES:
            return None, Trouble(
                413, "TooLarge", SaegimError("server.body_too_large", most=MOST_BYTES)
            )
        return body, await _understood(scope, body) if body and taken == _JSON else None


def _utf8(header: str) -> str:
    return header.encode("latin-1").decode("utf-8", "replace")


async def _received(receive: Receive) -> tuple[bytes | None, int]:
    """Return the body and its size, counted as it comes; nothing if its sender went away.

    Of a body that is too large nothing is kept.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None, 0
        size += len(message.get("body", b""))
        if size <= MOST_BYTES:
            parts.append(message.get("body", b""))
        if not message.get("more_body", False) or size > _DRAINED:
            return b"".join(parts), size


async def _understood(scope: Scope, body: bytes) -> Trouble | None:
    """Read the body as JSON and leave what it says in the scope."""
    try:
        if len(body) > _AT_ONCE:
            scope[READ] = await anyio.to_thread.run_sync(json_of, body)
        else:
            scope[READ] = json_of(body)
    except BadInput as error:
        return trouble_of(error)
    except ValueError:
        return Trouble(400, "MalformedJson", SaegimError("server.malformed_json"))
    return None


def _wordy(scope: Scope) -> Trouble | None:
    """Turn away who says more about a request than anyone needs."""
    size = len(scope["query_string"]) + len(scope["path"])
    if size + sum(len(name) + len(value) for name, value in scope["headers"]) <= MOST_HEADERS:
        return None
    return Trouble(431, "TooManyHeaders", SaegimError("server.headers_too_long", most=MOST_HEADERS))


def _too_many(key: str, wait: int) -> Trouble | None:
    if not wait:
        return None
    return Trouble(429, "TooMany", SaegimError(key, wait=wait), {"Retry-After": str(wait)})


def _has_body(headers: Headers) -> bool:
    return headers.get("content-length", "0").strip() != "0" or "transfer-encoding" in headers


async def _tell(send: Send, shown: bool, message: Message) -> None:
    """Send an answer on, with what every answer says about itself."""
    if message["type"] == "http.response.start":
        headers = MutableHeaders(scope=message)
        for name, value in (_SHOWN if shown else _ANSWERED).items():
            headers[name] = value
        # Only files whose address names their content may be kept.
        headers.setdefault("Cache-Control", "no-store")
    await send(message)


class _Again:
    """Gives the body that was read to who asks for it next, and then what really comes."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._message: Message | None = {
            "type": "http.request",
            "body": body,
            "more_body": False,
        }
        self._receive = receive

    async def __call__(self) -> Message:
        message, self._message = self._message, None
        return message if message is not None else await self._receive()
