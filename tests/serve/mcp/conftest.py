"""What the tests of MCP share: servers that fork in a moment, and a loop for the SDK's client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from stdio_client import Peer
from warm_servers import Servers


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """A process that forks servers; one for each run of tests."""
    made = Servers()
    yield made
    made.close()


@pytest.fixture
def started(servers: Servers, tmp_path: Path) -> Iterator[Callable[..., Peer]]:
    """Start servers on the home of this test; they are gone when it ends."""
    peers: list[Peer] = []

    def start(*words: str, act: str = "", **environment: str) -> Peer:
        peers.append(servers.start(tmp_path / "home", *words, act=act, **environment))
        return peers[-1]

    yield start
    for peer in peers:
        peer.close()


@pytest.fixture
def anyio_backend() -> str:
    """The loop that the server runs on."""
    return "asyncio"
