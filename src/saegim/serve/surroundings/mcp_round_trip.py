"""Check a round trip over MCP: `saegim mcp` is started in a throw-away home.

Nothing of the person's is in its reach: no setting, no store, no project.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from saegim.doctor.findings import Finding
from saegim.doctor.store_checks import TRIAL
from saegim.serve.surroundings.outcomes import found

_HOME: Final = "home"
# More of what a program says is not looked at.
_MOST_BYTES: Final = 64 * 1024
_WORDS: Final = 200


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a program ended: its code, or none if its time was up or it could not be started."""

    code: int | None
    out: str
    said: str
    seconds: float
    why: str = ""


@contextmanager
def throwaway() -> Iterator[Path]:
    """Yield a folder that is gone afterwards, whatever a program left in it."""
    prefix = "saegim-doctor-"
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def home_in(folder: Path) -> Path:
    """Return the home that a program has there."""
    return folder / _HOME


def alone(folder: Path, **more: str) -> dict[str, str]:
    """Return the environment without anything that is about this person's memory."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if "SAEGIM" not in name.upper() and name != "CLAUDE_PROJECT_DIR"
    }
    return {**kept, "SAEGIM_HOME": str(home_in(folder)), **more}


def started(words: Sequence[str], folder: Path, **more: Any) -> subprocess.Popen[bytes]:
    """Start a program in the folder, in a group of its own, so that it can be ended whole."""
    # Only what a person's own configuration, or we ourselves, run.
    return subprocess.Popen(list(words), cwd=folder, start_new_session=True, **more)  # noqa: S603


def put_an_end(process: subprocess.Popen[bytes]) -> None:
    """End a program that still runs, with whatever it has started."""
    if process.poll() is None:
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()


def ended(
    words: Sequence[str], folder: Path, given: bytes, seconds: float, **environment: str
) -> ProcessEnd:
    """Run a program to its end, or put an end to it when the time is up."""
    began = time.monotonic()
    # Files, not pipes: what a program leaves running keeps nobody waiting.
    with (
        tempfile.TemporaryFile(dir=folder) as inward,
        tempfile.TemporaryFile(dir=folder) as outward,
        tempfile.TemporaryFile(dir=folder) as errors,
    ):
        inward.write(given)
        inward.seek(0)
        streams = {"stdin": inward, "stdout": outward, "stderr": errors}
        try:
            process = started(words, folder, env=alone(folder, **environment), **streams)
        except (OSError, ValueError) as error:
            return ProcessEnd(None, "", "", 0.0, str(error))
        try:
            code: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            put_an_end(process)
        return ProcessEnd(code, _text(outward), last_words(_text(errors)), time.monotonic() - began)


def last_words(text: str) -> str:
    """Return the last line that says something, cut to a length that a person reads."""
    lines = [each.strip() for each in text.splitlines() if each.strip()]
    return lines[-1][:_WORDS] if lines else ""


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(_MOST_BYTES).decode("utf-8", "replace")


# -- A round trip over MCP

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
