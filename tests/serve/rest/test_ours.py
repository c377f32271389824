"""Who is let in and who is believed: ports, wrong tokens, the proof, and what only we may write."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from doorbell import Front, front
from saying import Say
from starlette.responses import Response

from saegim.errors import SettingsError
from saegim.serve import token
from saegim.serve.cli.agent_commands import _served
from saegim.serve.rest import rate_limit
from saegim.serve.rest.run_server import ServePlan, _called
from saegim.serve.rest.security import LOCAL, Guard, Security, refuse_open_bind
from saegim.serve.speech import Speech

TOKEN = "t" * 43


def passed(guard: Guard, path: str = "/v1/stats", **headers: str) -> list[Any]:
    """Send one request through a guard; its body is never there to be read."""
    said: list[Any] = []

    async def never() -> Any:
        raise AssertionError("it was read")

    async def send(message: Any) -> None:
        said.append(message)

    given = {"Host": "127.0.0.1", **headers}
    scope = {
        "type": "http", "method": "GET", "path": path, "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in given.items()],
    }  # fmt: skip
    anyio.run(guard.__call__, scope, never, send)
    return said


async def inside(scope: Any, receive: Any, send: Any) -> None:
    """Answer whoever was let in."""
    await Response("in")(scope, receive, send)


# -- at the guard ---------------------------------------------------------------------------------


def test_a_port_belongs_to_a_name() -> None:
    """U16.1: the usual port may be left out; a name that a person adds may have one of its own."""
    plain, coded = Security(TOKEN, port=80), Security(TOKEN, port=443)
    assert plain.is_called("localhost", "http")
    assert not plain.is_called("localhost", "https")
    assert coded.is_called("localhost", "https")
    assert not coded.is_called("localhost", "http")
    named = frozenset({*LOCAL, *_called("memory.example"), *_called("proxy.example:9443")})
    behind = Security(TOKEN, hosts=named, port=8757)
    for host in ("memory.example", "memory.example:8757", "proxy.example:9443", "localhost:8757"):
        assert behind.is_called(host, "http"), host
    for host in ("memory.example:1", "proxy.example", "proxy.example:8757", "localhost:9443", ""):
        assert not behind.is_called(host, "http"), host
    assert behind.is_called("memory.example", "https")
    assert Security(TOKEN).is_called("localhost:1", "http")
    assert _called("no:good") == ()


@pytest.mark.parametrize("allowed", [20, 100])
def test_wrong_tokens_have_an_end(allowed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """U16.1: after 20 in a minute who guesses is told to wait; who knows never is.

    Control: where a hundred are allowed, each is told only that it is wrong.
    """
    # All in one instant: every three seconds one more may guess.
    monkeypatch.setattr(rate_limit, "time", SimpleNamespace(monotonic=lambda: 100.0))
    guard = Guard(inside, Security(TOKEN) if allowed == 20 else Security(TOKEN, wrong=allowed))
    said = [passed(guard, Authorization="Bearer " + "x" * 43)[0] for _ in range(25)]
    said += [passed(guard, path="/mcp")[0]]
    counted = Counter(each["status"] for each in said)
    assert counted == ({401: 20, 429: 6} if allowed == 20 else {401: 26})
    waits = {value for each in said for name, value in each["headers"] if name == b"retry-after"}
    assert waits == ({b"3"} if allowed == 20 else set())
    assert passed(guard, Authorization=f"Bearer {TOKEN}")[0]["status"] == 200


@pytest.mark.parametrize("told", [{"Content-Length": "10"}, {"Transfer-Encoding": "chunked"}])
def test_who_needs_no_token_sends_no_body(told: dict[str, str]) -> None:
    """M10: a body for /health is refused without being read."""
    refused = passed(Guard(inside, Security(TOKEN)), "/health", **told)
    assert refused[0]["status"] == 413
    assert json.loads(refused[1]["body"])["kind"] == "NoBody"
    assert passed(Guard(inside, Security(TOKEN)), "/health")[0]["status"] == 200


def test_the_server_shows_that_it_knows_the_token(shared: Front) -> None:
    """M10: to a nonce it answers what only the token can make, at the address that was called."""
    nonce, end = "ab" * 32, f"127.0.0.1:{shared.port}"
    heard = shared.ask("GET", f"/health?nonce={nonce}", Authorization=None)
    assert heard.json["proof"] == token.proof_of(shared.token, nonce, end)
    assert shared.token not in heard.body.decode()
    others = [(TOKEN, nonce, end), (shared.token, "cd" * 32, end), (shared.token, nonce, "::1:1")]
    assert heard.json["proof"] not in {token.proof_of(*each) for each in others}
    plain = shared.ask("GET", "/health", Authorization=None).json
    assert set(plain) == {"status", "version", "ready"}
    for bad in ("nonce=", "nonce=ab", f"nonce={'g' * 64}", f"nonce={nonce}&nonce={nonce}"):
        heard = shared.ask("GET", f"/health?{bad}", Authorization=None, Accept_Language="ko")
        assert (heard.status, heard.json["kind"]) == (400, "BadNonce"), bad
        assert "16진수" in heard.json["detail"]


# -- the token, renewed ---------------------------------------------------------------------------


def test_a_token_that_was_renewed_opens_nothing_more(
    tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U16.1: the server that runs takes the new one at once, and the old one no longer."""
    monkeypatch.setattr(token, "LOOK_SECONDS", 0.0)
    with front(tmp_path / "home") as served:
        old = served.token
        assert served.ask("GET", "/v1/stats").status == 200
        assert say("token", "--new").code == 0
        assert served.ask("GET", "/v1/stats").status == 401
        served.token = token.token_at(served.home)
        assert served.ask("GET", "/v1/stats").status == 200
        heard = served.ask("GET", f"/v1/stats?q={served.token}")
        assert (served.token != old, heard.json["kind"]) == (True, "TokenInAddress")
        # One that others can read is none; nor is one that is not there.
        (served.home / "token").chmod(0o644)
        assert served.ask("GET", "/v1/stats").status == 401
        (served.home / "token").unlink()
        assert served.ask("GET", "/v1/stats", Authorization="Bearer ").status == 401
        assert served.ask("GET", "/v1/stats?q=").status == 401
        assert "proof" not in served.ask("GET", f"/health?nonce={'ab' * 32}").json


def test_the_file_of_the_token_is_looked_at_once_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U16.1: the right token costs no look at the disk for each request."""
    now = [100.0]
    monkeypatch.setattr(token, "time", SimpleNamespace(monotonic=lambda: now[0]))
    current = token.Current(tmp_path)
    old = current()
    token.renewed(tmp_path)
    assert current() == old
    now[0] += 1.0
    assert current() == token.token_at(tmp_path) != old
    token.renewed(tmp_path)
    assert current(True) == token.token_at(tmp_path)


def test_a_pipe_in_the_place_of_a_token_holds_nobody_up(tmp_path: Path) -> None:
    """M10: what is no ordinary file is refused at once, and nobody waits at its end."""
    os.mkfifo(tmp_path / token.FILE, 0o600)
    with pytest.raises(SettingsError, match="no ordinary file"):
        token.token_at(tmp_path)
    assert token.held_at(tmp_path) == ""


# -- folders and keys -----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o720])
def test_a_home_into_which_others_write_is_not_served(mode: int, tmp_path: Path, say: Say) -> None:
    """M10: where others can put a token or such a file, nothing is served, and nothing is made."""
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(mode)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        # Who would serve all the same ends here, and not never.
        words = ("serve", "--port", str(taken.getsockname()[1]))
        heard, korean = say(*words), say("--language", "ko", *words)
    assert heard.code == 1
    assert f"Others can write into {home}" in heard.err
    assert f"chmod go-w {home}" in heard.err
    assert "다른 사용자도 쓸 수 있는 폴더" in korean.err
    assert [*home.iterdir()] == []
    home.chmod(0o755)
    assert ServePlan(user="me", home=home, store=home / "saegim.db").security().token


def test_a_home_of_somebody_else_is_not_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M10, attack 64: a folder that another user made is none of ours, however its mode looks."""
    plan = ServePlan(user="me", home=tmp_path, store=tmp_path / "saegim.db")
    assert plan.security().token
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(SettingsError, match="belongs to somebody else") as caught:
        plan.security()
    assert "SAEGIM_HOME" in caught.value.next_step
    assert token.held_at(tmp_path) == ""


@pytest.mark.parametrize("linked", [False, True])
def test_a_home_of_somebody_else_is_not_opened(
    linked: bool, tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Attack 64: no command keeps words where another user could read them, nor behind a link."""
    real = tmp_path / "theirs"
    real.mkdir()
    if linked:
        (tmp_path / "home").symlink_to(real)
    else:
        real.rename(tmp_path / "home")
    with monkeypatch.context() as other:
        other.setattr(os, "geteuid", lambda: os.getuid() + 1)
        for words in (("remember", "tea at noon"), ("recent",)):
            heard = say(*words)
            assert (heard.code, "belongs to somebody else" in heard.err) == (1, True)
    assert [*(tmp_path / "home").iterdir()] == []
    # Control: the same folder, once it is one's own.
    assert say("remember", "tea at noon").code == 0


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
def test_a_key_that_others_can_read_is_refused(
    mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U16.2, attack 63: a key is as secret as the token; root alone may share it."""
    pem, key = tmp_path / "any.pem", tmp_path / "a key.pem"
    for each in (pem, key):
        each.write_text("x", encoding="ascii")
    key.chmod(mode)
    with pytest.raises(SettingsError, match="read by others") as caught:
        refuse_open_bind("127.0.0.1", str(pem), str(key))
    assert caught.value.next_step == f"chmod 600 '{key}'"
    key.chmod(0o600)
    refuse_open_bind("127.0.0.1", str(pem), str(key))
    key.chmod(0o640)
    monkeypatch.setattr(os, "geteuid", lambda: 1000 + os.getuid())
    if os.getuid() == 0:
        # As it is where a group of the system holds the keys.
        refuse_open_bind("127.0.0.1", str(pem), str(key))
    else:
        with pytest.raises(SettingsError, match="somebody else"):
            refuse_open_bind("127.0.0.1", str(pem), str(key))


@pytest.mark.parametrize("folder", ["home", "ho me;touch x", "it's $(touch x)"])
def test_the_line_to_try_it_is_safe_to_paste(folder: str, tmp_path: Path) -> None:
    """U16.1: a shell reads the path as it is, and no list of processes shows the token."""
    home = tmp_path / folder
    home.mkdir()
    (home / "token").write_text(f"{TOKEN}\n", encoding="ascii")
    curl = tmp_path / "bin" / "curl"
    curl.parent.mkdir()
    curl.write_text('#!/bin/sh\nprintf "%s " "$@"\ncat\n', encoding="ascii")
    curl.chmod(0o755)
    url = "http://127.0.0.1:8757"
    told = {"url": url, "mcp": f"{url}/mcp", "token_file": str(home / "token")}
    line = next(each for each in _served(told, "", Speech("en")) if "curl" in each)
    asked = subprocess.run(
        ["sh", "-c", line.partition(":")[2]],
        cwd=tmp_path,
        env={"PATH": f"{curl.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert asked.stdout == f"-H @- {url}/v1/stats Authorization: Bearer {TOKEN}"
    assert not (tmp_path / "x").exists()
