"""MCP servers that start in a millisecond: one process has loaded everything and forks them.

Each child runs the command line as a client starts it, on pipes of its own; only the loading is
shared. So a test can afford to kill fifty of them, or to ask the same odd question twice.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from typing import Any, NoReturn

from stdio_client import PATIENCE, Peer, command

_HERE = Path(__file__).parent
_ENTRANCE = "import sys; from warm_servers import stay; stay(int(sys.argv[1]))"
# As an ordinary server loads them when its first tool is called.
_LOADED = (
    "anyio.to_thread mcp.server.stdio saegim.serve.cli.app saegim.serve.cli.agent_commands "
    "saegim.serve.mcp.stdio saegim.serve.mcp.server saegim.serve.backend "
    "saegim.serve.mcp.client_info saegim.serve.catalogue.catalogue saegim.saegim "
    "saegim.recall.flow saegim.perceive.flow saegim.language.extract"
).split()


class Servers:
    """A process that forks servers."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        held = {name: value for name, value in os.environ.items() if name[:7] != "SAEGIM_"}
        # No question is answered without meaning because the machine was busy.
        held["SAEGIM_SEMANTIC_PATIENCE"] = "60"
        # As in the process of the tests, which opens what the servers wrote.
        held["SAEGIM_EMBEDDER"] = "static"
        path = os.pathsep.join([str(_HERE), str(_HERE.parents[1]), held.get("PYTHONPATH", "")])
        # One thread only, so that forking is safe.
        held |= {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _ENTRANCE, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env=held,
        )
        theirs.close()
        ours.settimeout(PATIENCE)
        self._wire = ours
        self._peers: list[Peer] = []

    def start(self, home: Path, *words: str, act: str = "", **environment: str) -> Peer:
        """Start `saegim mcp`, or another command, for a home.

        `act` names a function of `odd_servers` to be called first.
        """
        home.parent.mkdir(parents=True, exist_ok=True)
        wish = {
            "words": command(words),
            "environment": {"SAEGIM_HOME": str(home), **environment},
            "folder": str(home.parent),
            "act": act,
        }
        inward, into = os.pipe()
        out, outward = os.pipe()
        socket.send_fds(self._wire, [json.dumps(wish).encode()], [inward, outward])
        os.close(inward)
        os.close(outward)
        peer = Peer(int(self._wire.recv(32)), into, out)
        self._peers.append(peer)
        return peer

    def close(self) -> None:
        """Send everyone home."""
        for peer in self._peers:
            if peer.lives:
                os.kill(peer.pid, signal.SIGKILL)
        self._wire.close()
        self._process.wait(PATIENCE)


def stay(descriptor: int) -> None:
    """Be the process that has loaded everything: fork a server for each request."""
    for name in _LOADED:
        importlib.import_module(name)
    _warm()
    wire = socket.socket(fileno=descriptor)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        wish, descriptors, _, _ = socket.recv_fds(wire, 65536, 2)
        if not wish:
            return
        pid = os.fork()
        if pid == 0:
            wire.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _serve(json.loads(wish), *descriptors)
        for each in descriptors:
            os.close(each)
        wire.sendall(str(pid).encode())


def _warm() -> None:
    """Read the model, compile the patterns and build the wire models that first words would."""
    import anyio

    import handshake
    from faults import writers
    from saegim.serve.backend import Call, LocalBackend
    from warmth import warm

    assert writers.BRAIN
    anyio.run(handshake.said, "core", [("initialize", handshake.opening("initialize"))])
    anyio.run(handshake.said, "core", [("tools/list", handshake.envelope())])
    with tempfile.TemporaryDirectory() as folder:
        house = LocalBackend(Path(folder) / "saegim.db", background=False)
        house.call(Call(name="memory_save", arguments={"text": "산에서 마신 차 and a kettle"}))
        house.call(Call(name="memory_search", arguments={"query": "차 kettle"}))
        house.close()
    warm()


def _serve(wish: dict[str, Any], inward: int, outward: int) -> NoReturn:
    from saegim.serve.main import main

    with contextlib.suppress(BrokenPipeError):
        try:
            os.dup2(inward, 0)
            os.dup2(outward, 1)
            os.close(inward)
            os.close(outward)
            sys.stdin = os.fdopen(0, closefd=False)
            sys.stdout = sys.__stdout__ = os.fdopen(1, "w", closefd=False)  # type: ignore[misc]
            os.environ.update(wish["environment"])
            os.chdir(wish["folder"])
            if wish["act"]:
                getattr(importlib.import_module("odd_servers"), wish["act"])()
            sys.argv = ["saegim", *wish["words"]]
            main()
        except SystemExit as ended:
            sys.stdout.flush()
            # As an interpreter that ends does: it waits for every thread that is no daemon.
            threading._shutdown()  # type: ignore[attr-defined]
            os._exit(int(ended.code or 0))
        except BaseException:  # noqa: BLE001 - a child has nobody above it
            traceback.print_exc()
    os._exit(1)
