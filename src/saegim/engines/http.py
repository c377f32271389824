"""One guarded way out: HTTP to the address a person configured, and to no other.

It follows no redirect, uses no proxy, checks where a name leads before it connects and connects
exactly there, and reads no more than it was told to. It does not retry.
"""

from __future__ import annotations

import ipaddress
import json
import re
import socket
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from saegim.errors import BadReply, EngineError, MissingExtra, SettingsError, Unavailable
from saegim.messages import Message

if TYPE_CHECKING:
    import httpx2

Resolve = Callable[[str, int], Sequence[str]]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# Where clouds keep the credentials of a machine, beside the link-local ranges.
_METADATA: Final = frozenset(
    map(ipaddress.ip_address, ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254"))
)
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_ODD: Final = re.compile(r"[\s\x00-\x20\x7f\\@%<>\"{}|^`]")
_BUSY: Final = frozenset((408, 425, 429, 500, 502, 503, 504, 529))


def _disguises(address: Address) -> Iterator[Address]:
    yield address
    if isinstance(address, ipaddress.IPv6Address):
        yield from (one for one in (address.ipv4_mapped, address.sixtofour) if one is not None)
        if address.teredo is not None:
            yield address.teredo[1]
        if address in _NAT64:
            yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)


def forbidden(address: str) -> bool:
    """Say whether an address belongs to no model server: link-local, metadata, multicast."""
    found = ipaddress.ip_address(address.partition("%")[0])
    return any(
        one.is_link_local or one.is_multicast or one in _METADATA for one in _disguises(found)
    )


def _literal(host: str) -> str | None:
    """Return the address that a host spells out, also as one number, in hex or in octal."""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return None


def loops_back(host: str) -> bool:
    """Say whether a host is this machine itself, by its name or its address."""
    literal = _literal(host)
    return host == "localhost" or (
        literal is not None and ipaddress.ip_address(literal).is_loopback
    )


def check_url(url: str) -> str:
    """Return the URL without a trailing slash, or refuse it before anything is sent."""
    wrong = ""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise SettingsError("engine.url_of_model_server_cannot") from None
    literal = _literal(host)
    if parts.scheme not in ("http", "https") or not host:
        wrong = "engine.url_no_http"
    elif "@" in parts.netloc:
        wrong = "engine.url_with_password"
    elif _ODD.search(url):
        wrong = "engine.url_odd_characters"
    elif parts.query or parts.fragment:
        wrong = "engine.url_with_query"
    elif literal is not None and forbidden(literal):
        wrong = "engine.url_forbidden"
    if wrong:
        # The URL itself is not repeated: what is wrong with it may be a password inside.
        raise SettingsError(wrong)
    return url.rstrip("/")


def addresses(host: str, port: int) -> list[str]:
    """Return where a host name leads, in the order in which to try."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _asked_to_wait(header: str) -> float | None:
    """Return the seconds that a Retry-After header names, as a number or as a date."""
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", header):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


class ApiKey:
    """An API key that shows itself to no one but the server, in the header the server reads."""

    __slots__ = ("_header", "_scheme", "_value")

    def __init__(self, value: str, header: str = "Authorization", scheme: str = "Bearer ") -> None:
        if value and not (value.isascii() and value.isprintable() and " " not in value):
            raise SettingsError("engine.api_key_holds_spaces_line")
        self._value, self._header, self._scheme = value, header, scheme

    def __repr__(self) -> str:
        return "Key(set)" if self._value else "Key(none)"

    def headers(self) -> dict[str, str]:
        """Return the header that shows the key to the server."""
        return {self._header: self._scheme + self._value} if self._value else {}

    def hide(self, text: str) -> str:
        """Return the text with the key taken out."""
        return text.replace(self._value, "[key]") if self._value else text


@dataclass(frozen=True, slots=True)
class WireSettings:
    """How long to wait and how much to read."""

    connect_seconds: float = 5.0
    # A local server may load a model of several gigabytes before its first answer.
    read_seconds: float = 120.0
    total_seconds: float = 300.0
    # 64 vectors of 4,096 numbers are about 6 MB of JSON.
    largest_reply: int = 16 * 1024 * 1024
    container_marks: tuple[str, ...] = ("/.dockerenv", "/run/.containerenv")


@dataclass(frozen=True, slots=True)
class Peer:
    """Who is asked, and what a person can do when it does not answer."""

    name: str
    url: str
    model: str
    start: str | Message
    missing: str | Message

    def __str__(self) -> str:
        return f"{self.name} at {self.url} (model {self.model})"


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What came back, unread."""

    status: int
    body: bytes
    headers: Mapping[str, str]


class HttpClient:
    """Asks one server and turns every way in which that fails into an error that helps."""

    def __init__(
        self,
        peer: Peer,
        key: ApiKey,
        settings: WireSettings | None = None,
        resolve: Resolve = addresses,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        if find_spec("httpx2") is None:
            raise MissingExtra("engine.cannot_be_asked_http_client", peer=peer)
        self.peer = peer
        self._key = key
        self._settings = settings or WireSettings()
        self._resolve = resolve
        self._headers = {"User-Agent": "saegim", **(headers or {})}
        self._client: httpx2.Client | None = None

    def close(self) -> None:
        """Close the connections that are kept open."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def send(self, method: str, path: str, payload: Mapping[str, Any] | None = None) -> HttpReply:
        """Return the server's reply, whatever its status, or raise what kept it from coming."""
        import httpx2

        try:
            return self._first_that_connects(method, path, payload)
        except httpx2.ConnectError as error:
            raise self._unreachable(str(error)) from error
        except httpx2.TimeoutException as error:
            raise Unavailable("engine.did_not_answer_in_time", peer=self.peer) from error
        except httpx2.TransportError as error:
            raise Unavailable("engine.broke_connection", peer=self.peer) from error

    def _first_that_connects(
        self, method: str, path: str, payload: Mapping[str, Any] | None
    ) -> HttpReply:
        import httpx2

        *others, last = self._checked_addresses()
        for address in others:
            try:
                return self._exchange(method, path, payload, address)
            except httpx2.ConnectError:
                continue
        return self._exchange(method, path, payload, last)

    def _checked_addresses(self) -> Sequence[str]:
        parts = urlsplit(self.peer.url)
        host = parts.hostname or ""
        try:
            found = self._resolve(host, parts.port or (443 if parts.scheme == "https" else 80))
        except OSError as error:
            raise Unavailable(
                "engine.cannot_be_found_name_leads", peer=self.peer, host=host
            ) from error
        if not found or any(map(forbidden, found)):
            raise EngineError("engine.leads_to_address_no_model", peer=self.peer)
        return found

    def _exchange(
        self, method: str, path: str, payload: Mapping[str, Any] | None, address: str
    ) -> HttpReply:
        """Ask the checked address itself, so that a name cannot change its mind in between."""
        parts = urlsplit(self.peer.url)
        port = f":{parts.port}" if parts.port else ""
        there = f"[{address}]" if ":" in address else address
        client = self._connected()
        request = client.build_request(
            method,
            f"{parts.scheme}://{there}{port}{parts.path}{path}",
            headers={"Host": parts.netloc, "Accept-Encoding": "identity"},
            json=payload,
            extensions={"sni_hostname": parts.hostname or address},
        )
        deadline = time.monotonic() + self._settings.total_seconds
        response = client.send(request, stream=True)
        try:
            body = self._read(response.iter_raw(), deadline)
        finally:
            response.close()
        return HttpReply(response.status_code, body, response.headers)

    def _connected(self) -> httpx2.Client:
        import httpx2

        if self._client is None:
            wait = self._settings
            self._client = httpx2.Client(
                headers={**self._headers, **self._key.headers()},
                timeout=httpx2.Timeout(wait.read_seconds, connect=wait.connect_seconds),
                # Reading the certificates of the system takes 40 ms; plain HTTP needs none.
                verify=urlsplit(self.peer.url).scheme != "http",
                follow_redirects=False,
                trust_env=False,
            )
            # Who forgets to close leaves no connection behind.
            weakref.finalize(self, self._client.close)
        return self._client

    def _read(self, chunks: Iterator[bytes], deadline: float) -> bytes:
        body = bytearray()
        for chunk in chunks:
            body += chunk
            if len(body) > self._settings.largest_reply:
                raise BadReply(
                    "engine.sent_more_than_bytes", peer=self.peer, most=self._settings.largest_reply
                )
            if time.monotonic() > deadline:
                raise Unavailable("engine.did_not_finish_answer", peer=self.peer)
        return bytes(body)

    def _unreachable(self, why: str) -> Unavailable:
        parts = urlsplit(self.peer.url)
        if "CERTIFICATE" in why:
            return Unavailable("engine.shows_certificate_machine_does", peer=self.peer)
        if "SSL" in why or "TLS" in why:
            return Unavailable("engine.no_tls", peer=self.peer)
        if not loops_back(parts.hostname or ""):
            return Unavailable("engine.not_reachable", peer=self.peer, start=self.peer.start)
        port = f":{parts.port}" if parts.port else ""
        outside = f"{parts.scheme}://host.docker.internal{port}{parts.path}"
        if any(Path(mark).exists() for mark in self._settings.container_marks):
            return Unavailable(
                "engine.not_reachable_inside_container",
                peer=self.peer,
                hostname=parts.hostname,
                outside=outside,
            )
        return Unavailable(
            "engine.not_running", peer=self.peer, start=self.peer.start, outside=outside
        )

    def detail(self, reply: HttpReply) -> str:
        """Return what the server itself says, short, in one line and without the key."""
        text = reply.body[:4000].decode("utf-8", "replace")
        try:
            said: Any = json.loads(reply.body)
        except (ValueError, RecursionError):
            said = "" if "<" in text else text
        for name in ("error", "message", "detail"):
            if isinstance(said, dict):
                said = said.get(name, said)
        line = " ".join(self._key.hide(said if isinstance(said, str) else "").split())
        return "".join(c for c in line if c.isprintable())[:200]

    def json(self, reply: HttpReply) -> Any:
        """Return the body as JSON, or say what it is instead."""
        try:
            return json.loads(reply.body)
        except (ValueError, RecursionError) as error:
            page = reply.body.lstrip()[:1] == b"<"
            key = "engine.answered_with_page" if page else "engine.answered_with_broken_json"
            raise BadReply(key, peer=self.peer) from error

    def complaint(self, reply: HttpReply) -> EngineError:
        """Return the error that a reply which is no success stands for."""
        said = self.detail(reply)
        why = f": {said}" if said else ""
        if 300 <= reply.status < 400:
            return BadReply("engine.sends_us_elsewhere_status", peer=self.peer, status=reply.status)
        if reply.status in (401, 403):
            return EngineError("engine.refused_key_status", peer=self.peer, status=reply.status)
        if reply.status == 404:
            return EngineError(
                "engine.no_such_model", peer=self.peer, why=why, missing=self.peer.missing
            )
        if reply.status in _BUSY:
            wait = _asked_to_wait(reply.headers.get("retry-after", ""))
            return Unavailable(
                "engine.server_busy" if wait is None else "engine.server_busy_for",
                retry_after=wait,
                peer=self.peer,
                status=reply.status,
                why=why,
                wait=wait,
            )
        return BadReply(
            "engine.refused_request_status", peer=self.peer, status=reply.status, why=why
        )
