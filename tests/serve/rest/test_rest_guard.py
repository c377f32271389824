"""The guard turns away strangers before any data is touched, and bounds what friends may send."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from doorbell import PATIENCE, Front, front
from hypothesis import given
from hypothesis import strategies as st

from saegim.errors import BadInput, SettingsError
from saegim.serve import token
from saegim.serve.rest.listening import TimedConnection
from saegim.serve.rest.rate_limit import MOST_BYTES, MOST_DEPTH, Bucket, json_of
from saegim.serve.rest.security import (
    LOCAL,
    Guard,
    Security,
    is_loopback,
    named_host,
    refuse_open_bind,
)
from stand_ins import wait_until

LIST = "/v1/memories?limit=1"
# What an attacker sends: path, headers, and the status that answers it.
ATTACKS: dict[str, tuple[str, dict[str, str | None], int]] = {
    "rebound host": (LIST, {"Host": "evil.example"}, 403),
    "rebound host with port": (LIST, {"Host": "evil.example:8757"}, 403),
    "host that begins like ours": (LIST, {"Host": "localhost.evil.example"}, 403),
    "host that hides ours": (LIST, {"Host": "evil@127.0.0.1"}, 403),
    "empty host": (LIST, {"Host": ""}, 403),
    "our name at another port": (LIST, {"Host": "localhost:1"}, 403),
    "our name at the usual port": (LIST, {"Host": "localhost"}, 403),
    "our name at no port": (LIST, {"Host": "127.0.0.1:"}, 403),
    "our name at a port that is none": (LIST, {"Host": "[::1]:abc"}, 403),
    "our name at a port of odd digits": (LIST, {"Host": "localhost:\xb2"}, 403),
    "our name with more behind it": (LIST, {"Host": "[::1]evil:PORT"}, 403),
    "page of another site": (LIST, {"Origin": "https://evil.example"}, 403),
    "page without a site": (LIST, {"Origin": "null"}, 403),
    "page that begins like ours": (LIST, {"Origin": "http://localhost.evil.example"}, 403),
    "page at another port": (LIST, {"Origin": "http://localhost:3000"}, 403),
    "page at the usual port": (LIST, {"Origin": "http://127.0.0.1"}, 403),
    "page that is more than a site": (LIST, {"Origin": "http://127.0.0.1:PORT/"}, 403),
    "page that hides ours": (LIST, {"Origin": "http://localhost:PORT@evil.example"}, 403),
    "page of another site without an origin": (LIST, {"Sec_Fetch_Site": "cross-site"}, 403),
    "page of another port without an origin": (LIST, {"Sec_Fetch_Site": "same-site"}, 403),
    "page of an extension": (LIST, {"Origin": "chrome-extension://127.0.0.1"}, 403),
    "no token": (LIST, {"Authorization": None}, 401),
    "wrong token": (LIST, {"Authorization": "Bearer " + "A" * 43}, 401),
    "other scheme": (LIST, {"Authorization": "Basic bWU6bWU="}, 401),
    "empty token": (LIST, {"Authorization": "Bearer "}, 401),
    "token in the address": (f"{LIST}&token=TOKEN", {}, 400),
    "token in the address alone": (f"{LIST}&access_token=TOKEN", {"Authorization": None}, 400),
    "token under another name": (f"{LIST}&session=TOKEN", {}, 400),
}


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """The same server with nobody at the door."""
    with front(tmp_path_factory.mktemp("bare"), guarded=False) as served:
        yield served


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_turned_away_before_any_data_is_touched(attack: str, shared: Front) -> None:
    """U16.1: rebinding, other sites, no token, a token in the address: refused, nothing asked."""
    path, headers, status = ATTACKS[attack]
    before = shared.asked()
    port = str(shared.port)
    said = {name: value and value.replace("PORT", port) for name, value in headers.items()}
    heard = shared.ask("GET", path.replace("TOKEN", shared.token), **said)
    assert heard.status == status, heard
    assert heard.json["next_step"]
    assert shared.token not in heard.body.decode()
    assert shared.asked() == before
    assert not [name for name in heard.headers if name.startswith("access-control-")]


@pytest.mark.parametrize("attack", ["rebound host", "page of another site", "no token"])
def test_without_the_guard_an_attack_reaches_data(attack: str, bare: Front) -> None:
    """Control: the same requests are answered where nobody stands at the door."""
    path, headers, _ = ATTACKS[attack]
    before = bare.asked()
    assert bare.ask("GET", path, **headers).status == 200
    assert bare.asked() == before + 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "localhost:PORT"},
        {"Host": "LOCALHOST:PORT"},
        {"Host": "[::1]:PORT"},
        {"Origin": "http://127.0.0.1:PORT"},
        {"Origin": "http://localhost:PORT", "Sec_Fetch_Site": "same-origin"},
        {"Sec_Fetch_Site": "none"},
    ],
)
def test_our_own_names_are_let_in(headers: dict[str, str], shared: Front) -> None:
    """U16.1: the guard knows this machine by every name it has, at the port it listens on."""
    said = {name: value.replace("PORT", str(shared.port)) for name, value in headers.items()}
    assert shared.ask("GET", LIST, **said).status == 200


def test_a_browser_asking_for_leave_gets_none(shared: Front) -> None:
    """U16.1: a preflight is refused, and no answer of ours ever carries a CORS header."""
    ask = {"Origin": "https://evil.example", "Access_Control_Request_Method": "POST"}
    heard = shared.ask("OPTIONS", "/v1/memories", Authorization=None, **ask)
    assert heard.status == 403
    own = f"http://localhost:{shared.port}"
    local = {**ask, "Origin": own}
    assert shared.ask("OPTIONS", "/v1/memories", Authorization=None, **local).status == 401
    for one in (heard, shared.ask("GET", LIST, Origin=own)):
        assert not [name for name in one.headers if name.startswith("access-control-")]


@pytest.mark.parametrize("path", ["/mcp", "/v1/call/memory_stats", "/v1/export", "/openapi.json"])
def test_every_way_in_has_the_same_guard(path: str, shared: Front) -> None:
    """U16.1: MCP, calls by name, exports and the description are behind it too."""
    method = "POST" if path in ("/mcp", "/v1/call/memory_stats") else "GET"
    body: Any = {} if method == "POST" else None
    assert shared.ask(method, path, body, Authorization=None).status == 401
    assert shared.ask(method, path, body, Host="evil.example").status == 403
    assert shared.ask(method, path, body, Origin="https://evil.example").status == 403
    assert shared.ask(method, path, body).status not in (401, 403)


def test_every_answer_says_how_it_may_be_used(shared: Front) -> None:
    """M10: no framing, no sniffing, no referrer, no keeping; also on errors and on health."""
    for heard in (
        shared.ask("GET", LIST),
        shared.ask("GET", "/health"),
        shared.ask("GET", LIST, Authorization=None),
        shared.ask("GET", "/nowhere"),
    ):
        assert heard.headers["content-security-policy"] == (
            "default-src 'self'; frame-ancestors 'none'"
        )
        assert heard.headers["x-content-type-options"] == "nosniff"
        assert heard.headers["referrer-policy"] == "no-referrer"
        assert heard.headers["cache-control"] == "no-store"
        assert "server" not in heard.headers


def test_two_hosts_in_one_request_are_refused(shared: Front) -> None:
    """U16.1: what two readers could read differently is not let in."""
    with socket.create_connection(("127.0.0.1", shared.port), PATIENCE) as wire:
        wire.sendall(
            f"GET /v1/stats HTTP/1.1\r\nHost: 127.0.0.1:{shared.port}\r\n".encode()
            + b"Host: evil.example\r\n"
            + f"Authorization: Bearer {shared.token}\r\nConnection: close\r\n\r\n".encode()
        )
        assert b" 400 " in (first := wire.recv(65536)) or b" 403 " in first


def test_a_socket_that_is_no_http_is_closed() -> None:
    """A websocket is refused by the guard itself."""
    said: list[Any] = []

    async def send(message: Any) -> None:
        said.append(message)

    async def never() -> Any:
        raise AssertionError("nothing is read")

    async def app(*_: Any) -> None:
        raise AssertionError("it was let in")

    guard = Guard(app, Security("t" * 43))
    anyio.run(guard.__call__, {"type": "websocket"}, never, send)
    assert said == [{"type": "websocket.close", "code": 1008}]


# -- bounds ---------------------------------------------------------------------------------------


def test_a_body_is_json_and_no_larger_than_a_mebibyte(shared: Front) -> None:
    """M10: another type is 415, broken JSON 400, too much 413, also without a length."""
    save = "/v1/memories"
    before = shared.asked()
    form = shared.ask("POST", save, raw=b"text=x", Content_Type="text/plain")
    assert form.status == 415
    broken = shared.ask("POST", save, raw=b'{"text": ', Content_Type="application/json")
    assert (broken.status, broken.json["kind"]) == (400, "MalformedJson")
    infinite = shared.ask("POST", save, raw=b'{"text": NaN}', Content_Type="application/json")
    assert infinite.status == 400
    large = json.dumps({"text": "x" * MOST_BYTES}).encode()
    assert shared.ask("POST", save, raw=large, Content_Type="application/json").status == 413
    unmeasured = shared.ask(
        "POST", save, raw=iter([large[:700_000], large[700_000:]]), Content_Type="application/json"
    )
    assert unmeasured.status == 413
    listed = shared.ask("POST", save, raw=b"[1]", Content_Type="application/json")
    assert listed.status == 422
    assert shared.asked() == before
    long = shared.ask("POST", save, {"text": "x" * 32_769})
    assert (long.status, shared.asked()) == (422, before + 1)
    plain = json.dumps({"text": "It fits."}).encode()
    charset = "application/json; charset=utf-8"
    assert shared.ask("POST", save, raw=iter([plain]), Content_Type=charset).status == 200


def test_a_large_body_reaches_the_house_without_the_guard(bare: Front) -> None:
    """Control: it is the guard that counts, not the server under it."""
    large = json.dumps({"text": "x" * MOST_BYTES}).encode()
    heard = bare.ask("POST", "/mcp", raw=large, Content_Type="text/plain")
    assert heard.status != 415


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"[" * (MOST_DEPTH + 1) + b"]" * (MOST_DEPTH + 1), "deeper"),
        (b"[" * 500_000, "deeper"),
        (json.dumps({f"k{n}": 1 for n in range(257)}).encode(), "more than 256"),
        (b'{"a": 1, "a": 2}', "twice"),
    ],
)
def test_json_is_bounded_in_depth_and_width(body: bytes, words: str, shared: Front) -> None:
    """M10: 32 levels, 256 names in an object, each name once."""
    with pytest.raises(BadInput, match=words):
        json_of(body)
    before = shared.asked()
    heard = shared.ask("POST", "/v1/memories", raw=body, Content_Type="application/json")
    assert heard.status == 422
    assert shared.asked() == before


def test_json_within_its_bounds_is_read() -> None:
    """Control: exactly so deep and so wide is allowed."""
    deep = b"[" * MOST_DEPTH + b"]" * MOST_DEPTH
    wide = {f"k{n}": n for n in range(256)}
    assert json.loads(deep) == json_of(deep)
    assert json_of(json.dumps(wide).encode()) == wide


@given(st.binary(max_size=60))
def test_reading_json_fails_in_no_other_way(body: bytes) -> None:
    """Whatever comes, it is JSON, or ValueError; nothing else."""
    try:
        held = json_of(body)
    except ValueError:
        return
    assert json.loads(body) == held


def test_who_asks_too_often_is_told_when_to_come_back(tmp_path: Path) -> None:
    """M10: a bucket for each token; 429 says how long to wait, and health is still answered."""
    with front(tmp_path / "served", rate=0.001, burst=3) as served:
        codes = [served.ask("GET", LIST).status for _ in range(5)]
        assert codes == [200, 200, 200, 429, 429]
        assert int(served.ask("GET", LIST).headers["retry-after"]) > 0
        assert served.ask("GET", "/health").status == 200
        assert served.asked() == 3


def test_a_bucket_fills_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was taken comes back at the rate, and never more than the burst."""
    now = [100.0]
    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr("saegim.serve.rest.rate_limit.time", clock)
    bucket = Bucket(2.0, 2)
    assert [bucket.take() for _ in range(3)] == [0, 0, 1]
    now[0] += 0.5
    assert [bucket.take() for _ in range(2)] == [0, 1]
    now[0] += 3600
    assert [bucket.take() for _ in range(3)] == [0, 0, 1]


def test_a_body_that_never_comes_does_not_hold_its_place() -> None:
    """R-33: who sends slower than anyone would is let go with 408."""
    said: list[Any] = []

    async def never() -> Any:
        await anyio.sleep_forever()

    async def send(message: Any) -> None:
        said.append(message)

    async def app(*_: Any) -> None:
        raise AssertionError("it was let in")

    scope = {
        "type": "http", "method": "POST", "path": "/v1/memories", "query_string": b"",
        "headers": [
            (b"host", b"127.0.0.1"), (b"authorization", b"Bearer " + b"t" * 43),
            (b"content-type", b"application/json"), (b"content-length", b"10"),
        ],
    }  # fmt: skip
    anyio.run(Guard(app, Security("t" * 43), body_seconds=0.01).__call__, scope, never, send)
    assert said[0]["status"] == 408


class Hasty(TimedConnection):
    """A connection that waits a moment only."""

    head_seconds = 0.05


class Endless(TimedConnection):
    """A connection that waits for ever, as uvicorn alone does."""

    def _give_up(self) -> None:
        """Never."""


def half_asked(port: int) -> socket.socket:
    """Begin a request and stop in the middle of its headers."""
    wire = socket.create_connection(("127.0.0.1", port), PATIENCE)
    wire.sendall(b"GET /v1/stats HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    return wire


def tries(act: Callable[[], bool]) -> bool:
    """Say whether something comes true, and not while its connection is closed."""
    try:
        return act()
    except OSError:
        return False


def asks_three_times(port: int) -> bool:
    """Ask again and again on one connection, each time later than a request may begin."""
    with contextlib.closing(
        http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    ) as asking:
        for _ in range(3):
            asking.request("GET", "/health")
            assert asking.getresponse().read()
            threading.Event().wait(1.2 * Hasty.head_seconds)
    return True


def test_slow_beginners_are_let_go_and_the_server_goes_on(tmp_path: Path) -> None:
    """R-33: connections that never ask are closed; silent ones too; others are answered."""
    with front(tmp_path / "served", patient=Hasty) as served:
        wires = [half_asked(served.port) for _ in range(40)]
        wires += [socket.create_connection(("127.0.0.1", served.port), PATIENCE) for _ in range(10)]
        # Who asks at once is answered; on a busy machine even that may come too late.
        wait_until(lambda: tries(lambda: served.ask("GET", LIST).status == 200))
        assert {wire.recv(1) for wire in wires} == {b""}
        for wire in wires:
            wire.close()
        # One that asks again on the same connection is not cut off by the first wait.
        wait_until(lambda: tries(lambda: asks_three_times(served.port)))


def test_without_an_end_slow_beginners_stay(tmp_path: Path) -> None:
    """Control: without the clock they hold their places."""
    with front(tmp_path / "served", patient=Endless) as served:
        wire = half_asked(served.port)
        wait_until(lambda: len(served.server.server_state.connections) == 1)
        wire.settimeout(0.3)
        with pytest.raises(TimeoutError):
            wire.recv(1)
        wire.close()


def test_headers_have_an_end(shared: Front) -> None:
    """M10: endless headers are refused by the server before anyone reads them."""
    before = shared.asked()
    assert shared.ask("GET", LIST, X_Long="x" * 70_000).status == 431
    assert shared.ask("GET", LIST, X_Long="x" * 20_000).status == 200
    with socket.create_connection(("127.0.0.1", shared.port), PATIENCE) as wire:
        wire.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Endless: " + b"x" * 600_000)
        assert wire.recv(100).startswith(b"HTTP/1.1 400 ")
    assert shared.asked() == before + 1


# -- the token and the address --------------------------------------------------------------------


def test_the_token_is_made_once_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    """U16.1: 256 bits, mode 0600; the same for everyone who comes at the same moment."""
    home = tmp_path / "new" / "home"
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(lambda _: token.token_at(home), range(16)))
    assert len(found) == 1
    assert len(found.pop()) >= 43
    assert stat.S_IMODE((home / token.FILE).stat().st_mode) == 0o600
    assert [each.name for each in home.iterdir()] == [token.FILE]
    before = token.token_at(home)
    token.renewed(home)
    assert token.token_at(home) != before
    assert stat.S_IMODE((home / token.FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602])
def test_a_token_that_others_can_read_is_refused(mode: int, tmp_path: Path) -> None:
    """M10: a token that was shown is none; the same file, closed again, is used."""
    token.token_at(tmp_path)
    (tmp_path / token.FILE).chmod(mode)
    with pytest.raises(SettingsError, match="read by others") as caught:
        token.token_at(tmp_path)
    assert "saegim token --new" in caught.value.next_step
    (tmp_path / token.FILE).chmod(0o600)
    assert token.token_at(tmp_path)


@pytest.mark.parametrize("held", ["", "short", "A" * 20 + " " + "B" * 30, "한글" * 30])
def test_a_file_without_a_token_opens_nothing(held: str, tmp_path: Path) -> None:
    """An empty or broken token file does not become an empty password."""
    (tmp_path / token.FILE).write_text(held, encoding="utf-8")
    (tmp_path / token.FILE).chmod(0o600)
    with pytest.raises(SettingsError, match="no usable token"):
        token.token_at(tmp_path)


def test_a_link_is_not_followed_to_a_token(tmp_path: Path) -> None:
    """Somebody else's file cannot be put in the place of ours."""
    other = tmp_path / "other"
    other.write_text("A" * 43, encoding="ascii")
    other.chmod(0o600)
    home = tmp_path / "home"
    home.mkdir()
    os.symlink(other, home / token.FILE)
    with pytest.raises(Exception, match="cannot be used"):
        token.token_at(home)


def test_a_server_without_a_token_is_not_made() -> None:
    """U16.2: there is no way to serve without one."""
    with pytest.raises(SettingsError, match="token"):
        Security("")
    assert "t" * 43 not in repr(Security("t" * 43))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "saegim.example"])
def test_an_open_address_needs_a_certificate(host: str, tmp_path: Path) -> None:
    """U16.2: it says what to set; with a certificate, or on this machine only, it is allowed."""
    with pytest.raises(SettingsError, match="other machines") as caught:
        refuse_open_bind(host, "", "")
    for word in ("--certificate", "--key", "--host"):
        assert word in caught.value.next_step
    pem = tmp_path / "any.pem"
    pem.write_text("x", encoding="ascii")
    pem.chmod(0o600)
    refuse_open_bind(host, str(pem), str(pem))
    for local in ("127.0.0.1", "::1", "localhost", "127.0.0.9"):
        assert is_loopback(local)
        refuse_open_bind(local, "", "")
    with pytest.raises(SettingsError, match="belong together"):
        refuse_open_bind(host, str(pem), "")
    with pytest.raises(SettingsError, match="no file"):
        refuse_open_bind(host, str(tmp_path / "none.pem"), str(pem))


@given(st.text(max_size=30))
def test_no_text_is_taken_for_our_host_by_accident(text: str) -> None:
    """U16.1: a Host is ours only if it is one of our names, with or without a port."""
    if named_host(text) in LOCAL:
        name, _, port = text.strip().lower().removeprefix("[::1]").partition(":")
        assert name in (*LOCAL, "")
        assert not port or port.isdigit()
