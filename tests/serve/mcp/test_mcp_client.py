"""The official client of the SDK, in the same process: it checks what a raw client does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.types import ElicitResult

from saegim.serve.backend import LocalBackend
from saegim.serve.mcp.client_info import ClientInfo
from saegim.serve.mcp.server import build

MODES = ["legacy", "auto"]


async def yes(_: Any, params: Any) -> ElicitResult:
    """What a user answers who wants to keep it."""
    assert "보리차" in params.message
    return ElicitResult(action="accept", content={"yes": True})


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_is_served(tmp_path: Path, mode: str) -> None:
    """Both eras: the SDK's client lists, calls, asks its user, hears errors and reads resources."""
    house = LocalBackend(tmp_path / "saegim.db")

    async def talk() -> None:
        server = build(house, ClientInfo("full"))
        async with Client(server, mode=mode, elicitation_callback=yes) as client:
            tools = {each.name: each for each in (await client.list_tools()).tools}
            assert tools["memory_delete"].annotations is not None
            kept = await client.call_tool("memory_save", {"text": "보리차를 좋아해"})
            id = (kept.structured_content or {})["id"]
            laid = (await client.call_tool("proposal_ask", {"id": id})).structured_content or {}
            asked = await client.call_tool("proposal_ask", {"id": laid["proposal"]["id"]})
            assert (asked.structured_content or {})["status"] == "accepted"
            failed = await client.call_tool("memory_save", {"text": " "})
            assert failed.is_error
            soul = await client.read_resource("saegim://SOUL.md")
            assert "보리차를 좋아해" in str(soul.contents[0])
            found = await client.call_tool("auto_search", {"query": "보리차"})
            assert "보리차" in str(found.content[0])

    anyio.run(talk)
    house.close()


@pytest.mark.parametrize("mode", MODES)
def test_one_server_for_many_connections_keeps_no_guest_of_the_last(
    tmp_path: Path, mode: str
) -> None:
    """U13.2: what a guest stands for is said when the server is built, not by a connection."""
    house = LocalBackend(tmp_path / "saegim.db")

    async def project_of(guest: ClientInfo) -> str:
        async with Client(build(house, guest), mode=mode) as client:
            told = (await client.call_tool("memory_stats", {})).structured_content or {}
            return str(told["scope"]["project"])

    assert anyio.run(project_of, ClientInfo(project="river")) == "river"
    assert anyio.run(project_of, ClientInfo(project="lake")) == "lake"
    assert anyio.run(project_of, ClientInfo()) == ""
    house.close()
