"""A client that speaks MCP over pipes, line by line, as written in the protocol and no more."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]
LEGACY, MODERN = "2025-11-25", "2026-07-28"
ERAS = (LEGACY, MODERN)
CLIENT = {"name": "reader", "version": "1"}
# A hang guard, not a measurement.
PATIENCE = 120.0
_META = "io.modelcontextprotocol/"
ENTRANCE = "from saegim.serve.main import main; main()"


def envelope(capabilities: Json | None = None, **more: Any) -> Json:
    """What every request of the current revision carries."""
    meta = {
        f"{_META}protocolVersion": MODERN,
        f"{_META}clientCapabilities": capabilities or {},
        f"{_META}clientInfo": CLIENT,
    }
    return {**more, "_meta": meta}


def hello(id: int | str = 0, version: str = LEGACY, capabilities: Json | None = None) -> Json:
    """The first request of the previous revision."""
    params = {
        "protocolVersion": version,
        "capabilities": capabilities or {},
        "clientInfo": CLIENT,
    }
    return request("initialize", params, id)


def request(method: str, params: Json | None = None, id: int | str = 1) -> Json:
    """One request."""
    message: Json = {"jsonrpc": "2.0", "id": id, "method": method}
    return message if params is None else {**message, "params": params}


def notice(method: str, params: Json | None = None) -> Json:
    """One notification."""
    message: Json = {"jsonrpc": "2.0", "method": method}
    return message if params is None else {**message, "params": params}


INITIALIZED = notice("notifications/initialized")


class Peer:
    """One server process as its client sees it: two pipes and nothing else."""

    def __init__(self, pid: int, into: int, out: int) -> None:
        self.pid = pid
        self._into, self._out = into, out
        self._rest = b""
        self._next = 100
        self.era = LEGACY
        self.capabilities: Json = {}
        self.notices: list[Json] = []
        # What the user of this client says when the server asks them.
        self.asked: Callable[[Json], Json] = lambda _: {"action": "cancel"}

    # -- lines ------------------------------------------------------------------------------------

    def send(self, message: Json | list[Any] | bytes) -> None:
        """Write one line."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        data = data if data.endswith(b"\n") else data + b"\n"
        while data:
            data = data[os.write(self._into, data) :]

    def line(self, patience: float = PATIENCE) -> Json | None:
        """Return the next line as the JSON-RPC message it must be, or nothing at the end."""
        end = time.monotonic() + patience
        while b"\n" not in self._rest:
            left = end - time.monotonic()
            assert left > 0, f"nothing came in {patience} seconds; held {self._rest!r}"
            if not select.select([self._out], [], [], left)[0]:
                continue
            more = os.read(self._out, 1 << 16)
            if not more:
                assert not self._rest, f"half a line at the end: {self._rest!r}"
                return None
            self._rest += more
        line, self._rest = self._rest.split(b"\n", 1)
        told = json.loads(line.decode("utf-8"))
        assert isinstance(told, dict), line
        assert told["jsonrpc"] == "2.0", line
        return told

    def rest(self) -> Iterator[Json]:
        """Everything that is still said until the server ends."""
        while (told := self.line()) is not None:
            yield told

    # -- requests ---------------------------------------------------------------------------------

    def open(self, era: str = LEGACY, capabilities: Json | None = None) -> Json:
        """Begin as a client of this era does; return what the server says of itself."""
        self.era, self.capabilities = era, capabilities or {}
        if era == MODERN:
            return self.ask("server/discover")
        told = self.answer_to(hello("hello", era, self.capabilities))["result"]
        self.send(INITIALIZED)
        return dict(told)

    def ask(self, method: str, /, **params: Any) -> Json:
        """Ask and return the result; fail if it is an error of the protocol."""
        told = self.answer_to(self.worded(method, **params))
        assert "result" in told, told
        return dict(told["result"])

    def worded(self, method: str, /, **params: Any) -> Json:
        """Return a request of the era, with an id of its own."""
        self._next += 1
        whole = envelope(self.capabilities, **params) if self.era == MODERN else params
        return request(method, whole, self._next)

    def answer_to(self, message: Json) -> Json:
        """Send a request and wait for its answer, letting the user answer what comes between."""
        self.send(message)
        return self.answer(message["id"])

    def answer(self, id: int | str) -> Json:
        """Wait for the answer of that id."""
        while True:
            told = self.line()
            assert told is not None, f"process {self.pid} ended without an answer"
            if "method" in told and "id" in told:
                self.send({"jsonrpc": "2.0", "id": told["id"], "result": self.asked(told)})
            elif "method" in told:
                self.notices.append(told)
            else:
                assert told["id"] == id, told
                return told

    def call(self, tool: str, /, **arguments: Any) -> Json:
        """Call a tool and return its whole result, asking the user where the server wants it."""
        told = self.ask("tools/call", name=tool, arguments=arguments)
        while told.get("resultType") == "input_required":
            said = {key: self.asked(each) for key, each in told["inputRequests"].items()}
            more = {"inputResponses": said}
            if "requestState" in told:
                more["requestState"] = told["requestState"]
            told = self.ask("tools/call", name=tool, arguments=arguments, **more)
        return told

    def told(self, tool: str, /, **arguments: Any) -> Json:
        """Call a tool and return its data; fail if it failed."""
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result
        return dict(result["structuredContent"])

    def trouble(self, tool: str, /, **arguments: Any) -> Json:
        """Call a tool that must fail; return what it says about that."""
        result = self.call(tool, **arguments)
        assert result.get("isError"), result
        return dict(json.loads(result["content"][0]["text"])["error"])

    # -- ends -------------------------------------------------------------------------------------

    def said(self) -> bytes:
        """Everything that a command which is no server says until it ends."""
        parts = [self._rest]
        while part := os.read(self._out, 1 << 16):
            parts.append(part)
        return b"".join(parts)

    def hang_up(self) -> None:
        """Close standard input of the server."""
        if self._into >= 0:
            os.close(self._into)
            self._into = -1

    @property
    def lives(self) -> bool:
        """Say whether the process is there, zombies not counted."""
        return is_alive(self.pid)

    def signal(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def gone(self, seconds: float = PATIENCE) -> bool:
        """Wait until the process is gone; say whether it was in time."""
        end = time.monotonic() + seconds
        while self.lives:
            if time.monotonic() > end:
                return False
            time.sleep(0.005)
        return True

    def close(self) -> None:
        """Hang up, and end what is left."""
        self.hang_up()
        if self._out >= 0:
            os.close(self._out)
            self._out = -1
        if not self.gone():
            os.kill(self.pid, signal.SIGKILL)
            raise AssertionError(f"process {self.pid} did not end when its client hung up")


class Started(Peer):
    """A server in a process of its own, started as a client starts it."""

    def __init__(
        self,
        home: Path,
        *words: str,
        cwd: Path | None = None,
        entrance: str = ENTRANCE,
        errors: Path | None = None,
        **environment: str,
    ) -> None:
        held = {name: value for name, value in os.environ.items() if name != "CLAUDE_PROJECT_DIR"}
        with open(errors or os.devnull, "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", entrance, *command(words)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**held, "SAEGIM_HOME": str(home), **environment},
                cwd=cwd or home.parent,
                bufsize=0,
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        into, out = os.dup(self.process.stdin.fileno()), os.dup(self.process.stdout.fileno())
        self.process.stdin.close()
        self.process.stdout.close()
        super().__init__(self.process.pid, into, out)

    @property
    def lives(self) -> bool:
        """Say whether the process runs."""
        return self.process.poll() is None


def command(words: tuple[str, ...]) -> list[str]:
    """The words of a command line: of `saegim mcp` where only options are given."""
    named = any(not each.startswith("-") for each in words[:1]) or "mcp" in words
    return [*words] if named else ["mcp", *words]


def is_alive(pid: int) -> bool:
    """Say whether a process is there and no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return not Path("/proc/self").exists()
    return state.rpartition(")")[2].split()[0] != "Z"
