"""Calls that are answered without the SDK: the same answers, and the rest is left to it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from stdio_client import ERAS, INITIALIZED, MODERN, Peer, Started, envelope, hello, request

from saegim.serve.mcp.handshake import DAILY, Handshake
from serve.rest.doorbell import BOTH, Front, front

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("memory_search", {"query": "배포하는 요일"}),
    ("memory_search", {"query": "nothing of the kind", "limit": 3}),
    ("memory_search", {"query": ""}),
    ("memory_save", {"text": "배포는 화요일에만 한다."}),
    ("memory_save", {"txt": "a misspelt argument"}),
    ("memory_get", {"id": "mem_20200101_000000_00000000"}),
    ("auto_search", {"query": "배포하는 요일이 언제지?"}),
    ("auto_search", {"query": '\u202e\x07 "quoted" \\ back'}),
]
# A trace is drawn anew, and what it costs with it.
DRAWN = re.compile(r"rec_\w+|tokens\W{1,5}\d+")


def alike(answer: Any) -> Any:
    """An answer without what is drawn anew for each."""
    return DRAWN.sub("", json.dumps(answer, sort_keys=True))


@pytest.mark.parametrize("era", ERAS)
def test_a_plain_call_over_stdio_is_answered_as_the_sdk_answers_it(
    started: Started, era: str
) -> None:
    """Who wants to hear of progress is answered by the SDK; both say the same."""
    peer: Peer = started()
    peer.open(era)
    peer.ask("tools/call", name="memory_save", arguments=CALLS[3][1])
    for name, arguments in CALLS:
        plain = peer.worded("tools/call", name=name, arguments=arguments)
        followed = peer.worded("tools/call", name=name, arguments=arguments)
        meta = {**followed["params"].get("_meta", {}), "progressToken": "p"}
        followed["params"] = {**followed["params"], "_meta": meta}
        direct, by_sdk = peer.answer_to(plain)["result"], peer.answer_to(followed)["result"]
        assert alike(direct) == alike(by_sdk), name


@pytest.fixture
def served(tmp_path: Path) -> Any:
    """A server over HTTP."""
    with front(tmp_path / "served") as door:
        door.save("배포는 화요일에만 한다.")
        yield door


def posted(door: Front, params: dict[str, Any], **more: str) -> Any:
    """Call a tool over HTTP; return the status and the answer."""
    said = {"Accept": BOTH, "Mcp_Method": "tools/call", "Mcp_Name": params["name"]}
    said["MCP_Protocol_Version"] = MODERN
    heard = door.ask("POST", "/mcp", request("tools/call", params, 7), **{**said, **more})
    return heard.status, heard.json if heard.body else None


def test_a_plain_call_over_http_is_answered_as_the_sdk_answers_it(served: Front) -> None:
    """Head and body say the same; the SDK hears of every other request."""
    posted(served, envelope(name="memory_save", arguments=CALLS[3][1]))
    for name, arguments in CALLS:
        plain = envelope(name=name, arguments=arguments)
        followed = {**plain, "_meta": {**plain["_meta"], "progressToken": "p"}}
        status, direct = posted(served, plain)
        again, by_sdk = posted(served, followed)
        assert (status, alike(direct)) == (again, alike(by_sdk)), name


def test_a_request_whose_head_says_something_else_is_refused_as_ever(served: Front) -> None:
    """Not one of the checks is passed by."""
    plain = envelope(name="memory_search", arguments={"query": "x"})
    assert posted(served, plain)[0] == 200
    assert posted(served, plain, Mcp_Name="memory_save")[0] == 400
    assert posted(served, plain, Mcp_Method="tools/list")[0] == 400
    assert posted(served, plain, Accept="text/html")[0] == 406
    assert posted(served, plain, Authorization="Bearer nobody")[0] == 401
    assert posted(served, plain, Host="elsewhere.example")[0] == 403


def test_only_plain_calls_of_all_day_are_taken_from_the_sdk() -> None:
    """Before the handshake has ended, of other tools, with more or less in them: the SDK's."""
    step = Handshake("core")
    call = request("tools/call", {"name": "memory_search", "arguments": {"query": "x"}})
    assert step.call(call) is None
    step.answer(hello())
    assert step.call(call) is None
    step.answer(INITIALIZED)
    assert step.call(call) is not None
    params = call["params"]
    for odd in (
        {**params, "name": "memory_delete"},
        {**params, "name": "no_such_tool"},
        {**params, "arguments": []},
        {**params, "more": 1},
        {**params, "_meta": {"progressToken": 1}},
        {**params, "_meta": []},
    ):
        assert step.call({**call, "params": odd}) is None, odd
    assert step.call({**call, "id": None}) is None
    assert step.call({**call, "id": True}) is None
    assert "memory_delete" not in DAILY
