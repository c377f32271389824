"""MCP over HTTP: sessions that nobody ended lock nobody out, and belong to whoever opened them."""

from __future__ import annotations

import http.client
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from child_server import process, seen, set_to
from doorbell import PATIENCE, Front, Heard

from saegim.serve import token
from stand_ins import rounds, wait_until

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "reader", "version": "1"},
    },
}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
BOTH = "application/json, text/event-stream"
# As many as a server has; by day it is given fewer, so that they are soon too many.
MOST = rounds(128, 6)
FEW = f"""
from saegim.serve.rest import asgi_app
from saegim.serve.rest.asgi_app import McpSessions
asgi_app.McpSessions = lambda app: McpSessions(app, {MOST})
"""
# Only the SDK counts: whoever comes too late waits until others end their sessions.
SDK_ALONE = f"""
from saegim.serve.rest import asgi_app
asgi_app.McpSessions = lambda app: app
asgi_app.MOST_SESSIONS = {MOST} / 2
"""


@contextmanager
def serving(home: Path, before: str = FEW) -> Iterator[Front]:
    """Serve a home as a process of its own, to whoever asks as often as a test does."""
    with process(set_to(home, serve_rate=100_000.0, serve_burst=100_000), before) as (_, told):
        yield seen(told)


def said(served: Front, body: object, id: str | None = None, **more: str) -> Heard:
    """Post one message."""
    named = {"Mcp_Session_Id": id} if id else {}
    return served.ask("POST", "/mcp", body, Accept=BOTH, **named, **more)


def opened(served: Front) -> str:
    """Open a session; return its id."""
    heard = said(served, HELLO)
    assert heard.status == 200, heard
    return heard.headers["mcp-session-id"]


def pinged(served: Front, id: str) -> int:
    """Use a session; return the status."""
    return said(served, PING, id).status


@contextmanager
def stream(served: Front, id: str) -> Iterator[int]:
    """Listen to a session; yield the status."""
    asking = http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE)
    try:
        headers = {"Authorization": f"Bearer {served.token}", "Accept": "text/event-stream"}
        asking.request("GET", "/mcp", headers={**headers, "Mcp-Session-Id": id})
        yield asking.getresponse().status
    finally:
        asking.close()


def test_who_leaves_without_a_word_makes_room_for_others(tmp_path: Path) -> None:
    """Of sessions that nobody ended, the one idle the longest goes; its client hears 404.

    Then it opens a new one, as the protocol says. Whoever is at work is not disturbed.
    """
    with serving(tmp_path / "served") as served:
        held = [opened(served) for _ in range(MOST)]
        assert pinged(served, held[0]) == 200
        with stream(served, held[1]) as listening:
            assert listening == 200
            held += [opened(served) for _ in range(3)]
            found = {number for number, id in enumerate(held) if pinged(served, id) == 404}
        assert found == {2, 3, 4}
        assert pinged(served, opened(served)) == 200


def test_the_sdk_alone_locks_newcomers_out(tmp_path: Path) -> None:
    """Control: where only the SDK counts, those who left keep their places."""
    with serving(tmp_path / "served", SDK_ALONE) as served:
        for _ in range(MOST):
            opened(served)
        assert said(served, HELLO).status == 503


def test_a_session_that_its_client_ended_takes_no_place(tmp_path: Path) -> None:
    """DELETE ends a session at once: more can be opened, and no other one goes for it."""
    with serving(tmp_path / "served") as served:
        first = opened(served)
        for _ in range(MOST * 2):
            gone = opened(served)
            assert served.ask("DELETE", "/mcp", Mcp_Session_Id=gone).status == 200
            assert pinged(served, gone) == 404
        assert pinged(served, first) == 200


def test_streams_without_end_are_bounded(tmp_path: Path) -> None:
    """FAULTS 70: who opens stream after stream hears 429; REST, and those who are in, go on."""
    with serving(tmp_path / "served") as served, ExitStack() as stack:
        found: Counter[int] = Counter()
        listened: list[str] = []
        for _ in range(MOST * 3):
            heard = said(served, HELLO, Accept_Language="ko")
            found[heard.status] += 1
            if heard.status == 200:
                listened.append(heard.headers["mcp-session-id"])
                assert stack.enter_context(stream(served, listened[-1])) == 200
        assert found == {200: MOST, 429: MOST * 2}
        assert heard.headers["retry-after"] == "10"
        assert "MCP 세션이 모두" in heard.json["detail"]
        assert {pinged(served, id) for id in listened} == {200}
        assert served.ask("GET", "/v1/stats").status == 200


def test_streams_leave_connections_to_others(tmp_path: Path) -> None:
    """FAULTS 70: of all connections, streams and calls of MCP take a part only."""
    two = FEW + "from saegim.serve.rest import asgi_app\nasgi_app.MOST_AT_ONCE = 2\n"
    with serving(tmp_path / "served", two) as served, ExitStack() as stack:
        held = [opened(served) for _ in range(3)]
        for id in held[:2]:
            assert stack.enter_context(stream(served, id)) == 200
        assert pinged(served, held[2]) == 429
        assert said(served, HELLO).status == 429
        assert served.ask("GET", "/v1/stats").status == 200
        stack.close()
        wait_until(lambda: pinged(served, held[2]) == 200, PATIENCE)


def test_an_idle_session_ends_by_itself(tmp_path: Path) -> None:
    """A session that nobody uses for half an hour is let go of, however few there are."""
    soon = "from saegim.serve.rest import asgi_app\nasgi_app.IDLE_SECONDS = 0.001\n"
    with serving(tmp_path / "served", soon) as served:
        id = opened(served)
        wait_until(lambda: pinged(served, id) == 404, PATIENCE)
        assert said(served, HELLO).status == 200


@pytest.mark.parametrize("bound", [True, False])
def test_a_session_belongs_to_the_token_that_opened_it(bound: bool, tmp_path: Path) -> None:
    """FAULTS 51: guessed, or reused with another token, a session is not there.

    Control: where nobody looks who opened it, a new token goes on with it.
    """
    anyone = "from saegim.serve.rest import asgi_app\nasgi_app._digest = lambda _: b''\n"
    with serving(tmp_path / "served", FEW if bound else FEW + anyone) as served:
        id = opened(served)
        for guess in (
            "0" * 32,
            id[:-1] + ("0" if id[-1] != "0" else "1"),
            "../x",
            id.upper() + "x",
        ):
            assert pinged(served, guess) == 404
            assert served.ask("DELETE", "/mcp", Mcp_Session_Id=guess).status == 404
            with stream(served, guess) as status:
                assert status == 404
        wrong = {"Authorization": "Bearer " + "x" * 43}
        assert said(served, PING, id, **wrong).status == 401
        assert pinged(served, id) == 200
        token.renewed(served.home)
        old, served.token = served.token, token.token_at(served.home)
        assert pinged(served, id) == (404 if bound else 200)
        assert said(served, PING, id, Authorization=f"Bearer {old}").status == 401
        assert pinged(served, opened(served)) == 200
