"""The doorstep says what the SDK says, and leaves to it whatever is odd."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter
from stdio_client import CLIENT, INITIALIZED, LEGACY, MODERN, Peer, envelope, hello, notice, request
from warm_servers import Servers

import handshake
from saegim.serve.backend import LocalBackend
from saegim.serve.mcp.client_info import ClientInfo
from saegim.serve.mcp.handshake import OWN_ID, VERSION_KEY, Handshake
from saegim.serve.mcp.server import build
from saegim.serve.mcp.stdio import _read, whole
from stand_ins import rounds

Lines = list[Any]
_TURNS = 60
VERSIONS = json.loads(handshake.FILE.read_text(encoding="utf-8"))["handshake_versions"]


def opening(**instead: Any) -> dict[str, Any]:
    """An `initialize` of which some parameters are other than usual; None leaves one out."""
    made = hello()
    params = {**made["params"], **instead}
    made["params"] = {name: value for name, value in params.items() if value is not None}
    return made


def meta(**instead: Any) -> dict[str, Any]:
    """An envelope of which something is other than usual."""
    whole_of_it = envelope()
    whole_of_it["_meta"] |= instead
    return whole_of_it


LISTED = request("tools/list")
USUAL = [hello(), INITIALIZED, LISTED, request("ping", id=2)]
DISCOVERED = request("server/discover", envelope(), 1)
SCRIPTS: dict[str, Lines] = {
    **{f"version {each}": [hello(version=each), INITIALIZED, LISTED] for each in VERSIONS},
    "an unknown version": [hello(version="1999-01-01"), INITIALIZED, LISTED],
    "the modern version in a handshake": [hello(version=MODERN), INITIALIZED, LISTED],
    "the usual": [*USUAL, request("tools/list", {}, 3), request("prompts/list", id=4)],
    "what Claude Code says first": [
        request(
            "server/discover",
            envelope(
                {"roots": {"listChanged": True}, "elicitation": {"form": {}, "url": {}}},
            ),
        ),
        request("tools/list", envelope(), 2),
    ],
    "a client that tells more of itself": [
        opening(clientInfo={**CLIENT, "title": "T", "websiteUrl": "https://example.com"})
    ],
    "a client with icons": [opening(clientInfo={**CLIENT, "icons": [{"src": "a.png"}]})],
    "a client without a version": [opening(clientInfo={"name": "x"}), LISTED],
    "no client": [opening(clientInfo=None), LISTED],
    "no capabilities": [opening(capabilities=None), LISTED],
    "capabilities in a list": [opening(capabilities=[]), LISTED],
    "a capability that is a number": [opening(capabilities={"roots": 5}), LISTED],
    "a capability that is true": [opening(capabilities={"elicitation": True}), LISTED],
    "a flag that is no flag": [opening(capabilities={"roots": {"listChanged": {}}}), LISTED],
    "capabilities nobody knows": [opening(capabilities={"x": {"y": {}}}), LISTED],
    "a version that is a number": [opening(protocolVersion=5), LISTED],
    "more parameters": [opening(more=1), LISTED],
    "a handshake in an envelope": [opening(_meta=envelope()["_meta"]), LISTED],
    "params that are null": [{**hello(), "params": None}, {**LISTED, "params": None}],
    "params that are a list": [*USUAL, {**LISTED, "id": 5, "params": []}],
    "meta that is a number": [*USUAL, request("tools/list", {"_meta": 5}, 5)],
    "a token": [*USUAL, request("tools/list", {"_meta": {"progressToken": 7}}, 5)],
    "a token that is no token": [*USUAL, request("ping", {"_meta": {"progressToken": True}}, 5)],
    "a cursor": [*USUAL, request("tools/list", {"cursor": "x"}, 5)],
    "a cursor in an envelope": [request("tools/list", {**envelope(), "cursor": "x"})],
    "another envelope": [request("tools/list", meta(**{VERSION_KEY: "2030-01-01"}))],
    "an envelope with a number": [request("tools/list", meta(**{VERSION_KEY: 5}))],
    "half an envelope": [request("tools/list", {"_meta": {VERSION_KEY: MODERN}})],
    "an envelope with more": [request("tools/list", meta(traceparent="00-1-1-00", other=1))],
    "a handshake version in an envelope": [request("tools/list", meta(**{VERSION_KEY: LEGACY}))],
    "no envelope after one": [DISCOVERED, request("tools/list", id=2), request("ping", id=3)],
    "a handshake after an envelope": [DISCOVERED, hello(2), INITIALIZED, request("ping", id=3)],
    "an envelope after a handshake": [*USUAL, {**DISCOVERED, "id": 5}],
    "discovery in a handshake": [*USUAL, request("server/discover", {}, 5)],
    "two handshakes": [*USUAL, hello(5), hello(6, "2025-06-18"), request("ping", id=7)],
    "a question before the handshake": [LISTED, request("ping", id=2), hello(3)],
    "a call before the handshake": [request("tools/call", {"name": "memory_stats"}), hello(3)],
    "a notice first": [notice("notifications/cancelled", {"requestId": 1}), *USUAL],
    "the end of a handshake first": [INITIALIZED, LISTED, hello(3)],
    "the end of a handshake twice": [hello(), INITIALIZED, INITIALIZED, LISTED],
    "a batch": [[hello(), LISTED], *USUAL],
    "an answer to nothing": [{"jsonrpc": "2.0", "id": 9, "result": {}}, *USUAL],
    "another JSON-RPC": [{**hello(), "jsonrpc": "1.0"}, {"id": 1, "method": "ping"}, *USUAL],
    "an extra key": [{**hello(), "extra": 1}, LISTED],
    "odd ids": [
        *({**hello(), "id": each} for each in (None, True, 1.5, [], {})),
        *({**hello(), "id": each} for each in ("a", -1, 2**70)),
    ],
    "one id for all": [hello(1), {**LISTED, "id": 1}, request("prompts/list", id=1)],
    "no method": [{"jsonrpc": "2.0", "id": 1}, {**LISTED, "method": 5}, *USUAL],
    "garbage": [b"{", b"", b"   ", b"null", b"5", b'"x"', b"\xff\xfe\xfa", *USUAL],
    "a byte-order mark": [b"\xef\xbb\xbf" + json.dumps(hello()).encode(), LISTED],
    "another encoding": [json.dumps(hello()).encode("utf-16-le"), LISTED],
    "a key twice": [b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', *USUAL],
    "a deep line": [b"[" * 50_000, *USUAL],
    "a huge line of garbage": [b"x" * 3_000_000, *USUAL],
    "a huge name": [opening(clientInfo={**CLIENT, "name": "n" * 3_000_000}), LISTED],
    "half a character": [opening(clientInfo={**CLIENT, "name": "\ud83d"}), LISTED],
    "a whole character in halves": [opening(clientInfo={**CLIENT, "name": "\U0001f600"}), LISTED],
    "no number": [b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', *USUAL],
}


# Said to real servers, with and without a doorstep; the others to the same parts in this process.
OVER_PIPES = (
    "version 2024-11-05",
    "an unknown version",
    "the usual",
    "what Claude Code says first",
    "a capability that is a number",
    "a cursor",
    "another envelope",
    "a handshake after an envelope",
    "two handshakes",
    "a question before the handshake",
    "a notice first",
    "a batch",
    "garbage",
    "a huge name",
)


def transcripts(
    servers: Servers, home: Path, lines: Lines, *options: str, act: str = ""
) -> list[list[str]]:
    """Say the same to a server with a doorstep and to one without; return what each said."""
    peers = [servers.start(home, *options, act=each) for each in (act, "without_doorstep")]
    return [transcript(peer, lines) for peer in peers]


def transcript(peer: Peer, lines: Lines) -> list[str]:
    """Say the lines to a server; return all that it said, by id."""
    try:
        for line in lines:
            peer.send(line)
        # A last question, which only the SDK answers, in either era.
        peer.send(request("resources/list", id="end"))
        said: list[Any] = []
        while not said or said[-1].get("id") != "end":
            told = peer.line()
            assert told is not None, said
            said.append(told)
        peer.hang_up()
        return sorted(json.dumps(each, sort_keys=True) for each in [*said, *peer.rest()])
    finally:
        peer.close()


@pytest.mark.parametrize("name", OVER_PIPES)
def test_a_client_cannot_tell_the_doorstep_from_the_sdk(
    servers: Servers, tmp_path: Path, name: str
) -> None:
    """Whatever a client says first, over real pipes, it hears what the SDK alone would say."""
    past, alone = transcripts(servers, tmp_path / "home", SCRIPTS[name], "--profile", "core")
    assert past == alone


@pytest.mark.parametrize("name", sorted(set(SCRIPTS) - set(OVER_PIPES)))
def test_nor_can_a_client_with_odder_words(name: str) -> None:
    """The same holds for all that a confused client may say."""
    alone, past = anyio.run(both_ways, [as_line(each) for each in SCRIPTS[name]])
    assert past == alone


def test_a_doorstep_with_words_of_its_own_is_seen(servers: Servers, tmp_path: Path) -> None:
    """Control: a doorstep that answers otherwise than the SDK is told from it."""
    act = "with_a_doorstep_of_its_own"
    other, alone = transcripts(servers, tmp_path / "home", SCRIPTS["the usual"], act=act)
    assert other != alone


@pytest.mark.parametrize("profile", ["default", "full"])
def test_every_profile_is_listed_as_the_sdk_lists_it(
    servers: Servers, tmp_path: Path, profile: str
) -> None:
    """The tools of each profile are those of the SDK, word for word."""
    lines = [hello(), INITIALIZED, LISTED]
    past, alone = transcripts(servers, tmp_path / "home", lines, "--profile", profile)
    assert past == alone


def test_the_usual_first_questions_are_answered_on_the_doorstep() -> None:
    """U6.1: what every client asks first does not wait for the SDK."""
    step = Handshake("default")
    for message in (hello(), INITIALIZED, LISTED, request("tools/list", {}), request("ping")):
        assert step.answer(message) is not None
    step = Handshake("default")
    for message in (DISCOVERED, request("tools/list", envelope())):
        assert step.answer(message) is not None
    assert [each["id"] for each in step.replay] == [OWN_ID]


def test_what_is_written_down_is_what_the_sdk_says() -> None:
    """The file of the handshake is the SDK's own words about the catalogue of today."""
    assert handshake.FILE.read_text(encoding="utf-8") == handshake.text()


# -- any message at all ---------------------------------------------------------------------------

PIECES = [hello(), INITIALIZED, LISTED, request("ping"), DISCOVERED,
          request("tools/list", envelope())]  # fmt: skip
VALUES = some.sampled_from(
    [
        None,
        True,
        0,
        1.5,
        "",
        "x",
        MODERN,
        LEGACY,
        [],
        {},
        [{}],
        {"x": 1},
        {"listChanged": 1},
        CLIENT,
    ]
)


@some.composite
def messages(draw: Any) -> Any:
    """A usual message, or one in which something was put, taken away or exchanged."""
    made = deepcopy(draw(some.sampled_from(PIECES)))
    for _ in range(draw(some.integers(0, 2))):
        inner = made
        while isinstance(inner, dict) and inner:
            name = draw(some.sampled_from([*inner, "_meta", "listChanged", "extra"]))
            if isinstance(inner.get(name), dict) and draw(some.booleans()):
                inner = inner[name]
                continue
            if draw(some.booleans()):
                inner.pop(name, None)
            else:
                inner[name] = deepcopy(draw(VALUES))
            break
    return made


def as_line(message: Any) -> bytes:
    """A message as a client writes it."""
    return message if isinstance(message, bytes) else json.dumps(message).encode()


@cache
def sdk() -> Any:
    """The server of the SDK; each connection to it begins anew."""
    return build(LocalBackend(), ClientInfo("core"))._lowlevel_server


async def heard(lines: list[bytes]) -> list[str]:
    """Say lines to the SDK alone, each after it has dealt with the one before."""
    kernel = sdk()
    into, inward = anyio.create_memory_object_stream[Any](100)
    outward, out = anyio.create_memory_object_stream[Any](100)
    said: list[str] = []
    async with into, inward, outward, out, anyio.create_task_group() as group:
        group.start_soon(kernel.run, inward, outward, kernel.create_initialization_options())
        for line in lines:
            try:
                text = whole(line)
                message = jsonrpc_message_adapter.validate_json(text, by_name=False)
                await into.send(SessionMessage(message))
            except ValueError as error:
                await into.send(error)
            # Nothing that is asked here waits for anything but its turn.
            for _ in range(_TURNS):
                await anyio.lowlevel.checkpoint()
        while out.statistics().current_buffer_used:
            told = (await out.receive()).message.model_dump(by_alias=True, exclude_unset=True)
            said.append(json.dumps(told, sort_keys=True))
        group.cancel_scope.cancel()
    return said


async def heard_past_the_doorstep(lines: list[bytes]) -> list[str]:
    """Say lines as `saegim mcp` hears them: to the doorstep, then to the SDK."""
    step, said = Handshake("core"), []
    held = list(lines)
    while held and (told := step.answer(_read(held[0]))) is not None:
        held.pop(0)
        said += [json.dumps(told, sort_keys=True)] if told else []
    replay = [json.dumps(each).encode() for each in step.replay]
    after = await heard([*replay, *held]) if held else []
    return said + [each for each in after if json.loads(each).get("id") != OWN_ID]


async def both_ways(lines: list[bytes]) -> tuple[list[str], list[str]]:
    """What the SDK alone says, and what is said past the doorstep."""
    lines = [*lines, as_line(request("resources/list", id="end"))]
    return await heard(lines), await heard_past_the_doorstep(lines)


@settings(max_examples=rounds(2000, 50))
@given(some.lists(messages(), min_size=1, max_size=4))
def test_no_message_makes_the_doorstep_say_what_the_sdk_would_not(script: list[Any]) -> None:
    """Any sequence of nearly usual messages is answered as by the SDK alone."""
    kept = [{**each, "id": at} if "id" in each else each for at, each in enumerate(script)]
    alone, past = anyio.run(both_ways, [as_line(each) for each in kept])
    assert alone == past
