"""A round trip over MCP: `saegim mcp` is started in a throw-away home and used as a client does."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Final

from saegim.doctor.findings import Finding
from saegim.doctor.store import TRIAL
from saegim.serve.surroundings.sentences import found
from saegim.serve.surroundings.trial import alone, last_words, put_an_end, started, throwaway

Json = dict[str, Any]
# For all of it; loading everything for the first time can take long on a small machine.
_SECONDS: Final = 60.0
_FAREWELL_SECONDS: Final = 5.0
_PROTOCOL: Final = "2025-06-18"
_NEEDED: Final = {"memory_save", "memory_search", "memory_delete"}
_QUESTION: Final = "보리 산책 kettle"
_ERRORS: Final = "errors"


class _Broken(Exception):
    """What a server should not have done."""


def examine(program: Sequence[str]) -> Finding:
    """Say hello, look at the tools, save, find, let go, and find no more."""
    words = [*program, "mcp", "--alone"]
    began = time.monotonic()
    step, why, count = "start", "", 0
    with throwaway() as folder:
        try:
            client = _Client(words, folder)
        except OSError as error:
            return _failed(step, str(error), words)
        try:
            for name, carry_out in _STEPS:
                step = name
                count = carry_out(client) or count
        except _Broken as broken:
            why = str(broken)
        finally:
            client.close()
        if why:
            return _failed(step, why, words, folder)
    return found("mcp.ok", count=count, seconds=f"{time.monotonic() - began:.1f}")


def _failed(step: str, why: str, words: list[str], folder: Path | None = None) -> Finding:
    if folder is not None:
        said = (folder / _ERRORS).read_text(encoding="utf-8", errors="replace")
        why = "; ".join(filter(None, (why, last_words(said))))
    return found("mcp.failed", step=step, why=why, command=" ".join(words))


class _Client:
    """One server process, asked one thing after the other."""

    def __init__(self, words: Sequence[str], folder: Path) -> None:
        self._end = time.monotonic() + _SECONDS
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._asked = 0
        self.id = ""
        with (folder / _ERRORS).open("wb") as errors:
            self._process = started(
                words,
                folder,
                env=alone(folder),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        assert self._process.stdout is not None
        reading = threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        reading.start()

    def _read(self, out: IO[bytes]) -> None:
        with out:
            for line in out:
                self._lines.put(line)
        self._lines.put(b"")

    def tell(self, method: str, **more: Any) -> None:
        """Send one message."""
        assert self._process.stdin is not None
        message = {"jsonrpc": "2.0", "method": method, **more}
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise _Broken(f"it is gone ({error})") from error

    def ask(self, method: str, params: Json | None = None) -> Json:
        """Send a request and return its result."""
        self._asked += 1
        self.tell(method, id=self._asked, **({} if params is None else {"params": params}))
        while True:
            told = self._next()
            if told.get("id") == self._asked:
                break
        if not isinstance(told.get("result"), dict):
            raise _Broken(str(told.get("error", told))[:200])
        result: Json = told["result"]
        return result

    def call(self, name: str, **arguments: Any) -> Json:
        """Call a tool and return its answer as data."""
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        told = result.get("structuredContent")
        if result.get("isError") or not isinstance(told, dict):
            raise _Broken(str(result.get("content"))[:200])
        return told

    def finds(self) -> bool:
        """Say whether what was saved is found."""
        hits = self.call("memory_search", query=_QUESTION).get("hits", [])
        return any(each.get("id") == self.id for each in hits)

    def close(self) -> None:
        """Leave, and see to it that the server does."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
            self._process.wait(_FAREWELL_SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            pass
        finally:
            put_an_end(self._process)

    def _next(self) -> Json:
        try:
            line = self._lines.get(timeout=max(self._end - time.monotonic(), 0.0))
        except queue.Empty:
            raise _Broken(f"no answer within {_SECONDS:.0f} s") from None
        if not line:
            raise _Broken("it ended")
        try:
            told = json.loads(line)
        except ValueError as error:
            raise _Broken(f"not JSON: {line[:60]!r}") from error
        return told if isinstance(told, dict) else {}


def _hello(client: _Client) -> int:
    who = {"name": "saegim-doctor", "version": "1"}
    client.ask("initialize", {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": who})
    client.tell("notifications/initialized")
    return 0


def _tools(client: _Client) -> int:
    names = {str(each.get("name")) for each in client.ask("tools/list").get("tools", [])}
    if absent := _NEEDED - names:
        raise _Broken(f"there is no {', '.join(sorted(absent))}")
    return len(names)


def _save(client: _Client) -> int:
    client.id = str(client.call("memory_save", text=TRIAL).get("id", ""))
    return 0


def _search(client: _Client) -> int:
    if not client.finds():
        raise _Broken("what was saved is not found")
    return 0


def _delete(client: _Client) -> int:
    client.call("memory_delete", ids=[client.id])
    if client.finds():
        raise _Broken("what was let go is still found")
    return 0


# Each returns how many tools it saw, if that is what it is about.
_STEPS: Final = (
    ("initialize", _hello),
    ("tools/list", _tools),
    ("memory_save", _save),
    ("memory_search", _search),
    ("memory_delete", _delete),
)
