"""Writes down what the SDK says to a client's first questions (serve/mcp/handshake.json).

`python tests/reference.py --write` writes it anew; a test holds it against the SDK.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

import saegim
from saegim.serve.backend import LocalBackend
from saegim.serve.mcp.client_info import PROFILES, ClientInfo
from saegim.serve.mcp.definitions import tools_of
from saegim.serve.mcp.handshake import VERSION_KEY
from saegim.serve.mcp.server import build

FILE = Path(saegim.__file__).parent / "serve" / "mcp" / "handshake.json"
CLIENT = {"name": "reader", "version": "1"}
LEGACY = ("initialize", "tools/list", "ping")
MODERN = ("server/discover", "tools/list")


def envelope() -> dict[str, Any]:
    """Return what every request of the current revision carries."""
    return {
        "_meta": {
            VERSION_KEY: LATEST_MODERN_VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": CLIENT,
        }
    }


def opening(method: str) -> dict[str, Any]:
    """Return the parameters of a request of the previous revision."""
    if method != "initialize":
        return {}
    newest = HANDSHAKE_PROTOCOL_VERSIONS[-1]
    return {"protocolVersion": newest, "capabilities": {}, "clientInfo": CLIENT}


async def said(profile: str, requests: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """Ask the SDK these questions in one connection; return its results by method."""
    kernel = build(LocalBackend(), ClientInfo(profile), tools_of(profile))._lowlevel_server
    into, inward = anyio.create_memory_object_stream[Any](len(requests) + 1)
    outward, out = anyio.create_memory_object_stream[Any](len(requests) + 1)
    told: dict[str, Any] = {}
    async with into, inward, outward, out, anyio.create_task_group() as group:
        options = kernel.create_initialization_options()
        group.start_soon(kernel.run, inward, outward, options)
        for id, (method, params) in enumerate(requests):
            message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
            await into.send(SessionMessage(jsonrpc_message_adapter.validate_python(message)))
            answer = (await out.receive()).message
            told[method] = answer.model_dump(by_alias=True, exclude_unset=True)["result"]
        group.cancel_scope.cancel()
    return told


async def recorded() -> dict[str, Any]:
    """Return everything that the doorstep may say; each tool is written down once."""
    tools: dict[str, Any] = {}
    whole: dict[str, Any] = {
        "handshake_versions": list(HANDSHAKE_PROTOCOL_VERSIONS),
        "modern_version": LATEST_MODERN_VERSION,
        "profiles": {},
        "tools": tools,
    }
    for profile in PROFILES:
        legacy = await said(profile, [(method, opening(method)) for method in LEGACY])
        modern = await said(profile, [(method, envelope()) for method in MODERN])
        for era, told in (("legacy", legacy), ("modern", modern)):
            listed = told["tools/list"].pop("tools")
            whole["profiles"][profile] = [each["name"] for each in listed]
            for each in listed:
                assert tools.setdefault(each["name"], each) == each
            assert whole.setdefault(era, told) == told
    return whole


def text() -> str:
    """Return the file as it should be."""
    return json.dumps(anyio.run(recorded), ensure_ascii=False, indent=1, sort_keys=True) + "\n"
