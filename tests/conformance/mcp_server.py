"""Serves the shipped HTTP application for suites that cannot send a token: it is added for them.

    python tests/conformance/mcp_server.py PORT [FIXTURES]

FIXTURES is a module that makes an `MCPServer` and gives it the tools a suite asks for by name; it
is handed ours instead, so that they stand beside the tools of the product. SUITE_STORE names a
server to keep memories on.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

from mcp.server import mcpserver

from saegim.serve.backend import LocalBackend
from saegim.serve.mcp.client_info import ClientInfo
from saegim.serve.mcp.server import build as mcp_server
from saegim.serve.rest.asgi_app import build
from saegim.serve.rest.listening import Listening, configured
from saegim.serve.rest.security import Security

TOKEN = "t" * 43


class Trusted:
    """Adds the token to every request, and changes nothing else."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on."""
        if scope["type"] == "http":
            given = [*scope["headers"], (b"authorization", f"Bearer {TOKEN}".encode())]
            scope = {**scope, "headers": given}
        await self._app(scope, receive, send)


def furnished(server: Any, path: Path) -> None:
    """Load a module of fixtures with our server in the place of the one it would make."""
    theirs = mcpserver.MCPServer
    mcpserver.MCPServer = lambda *_, **__: server  # type: ignore[assignment,misc]
    try:
        found = importlib.util.spec_from_file_location("fixtures", path)
        assert found is not None
        assert found.loader is not None
        found.loader.exec_module(importlib.util.module_from_spec(found))
    finally:
        mcpserver.MCPServer = theirs  # type: ignore[misc]


def main() -> None:
    """Serve until stopped."""
    port, *fixtures = sys.argv[1:]
    store = os.environ.get("SUITE_STORE") or Path(tempfile.mkdtemp()) / "saegim.db"
    house = LocalBackend(store)  # type: ignore[arg-type]
    server = mcp_server(house, ClientInfo("full"))
    for each in fixtures:
        furnished(server, Path(each))
    app = Trusted(build(house, Security(TOKEN, rate=1e6, burst=10**6), mcp=server))
    listening = Listening(configured(app), ready=lambda: None)
    with socket.create_server(("127.0.0.1", int(port))) as held:
        asyncio.run(listening.serve([held]))


if __name__ == "__main__":
    main()
