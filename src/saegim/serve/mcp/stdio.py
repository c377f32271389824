"""`saegim mcp`: one client on standard input and output, which carry nothing but the protocol.

`attend` finds out who asks, from where, and who carries it out; as clients start it, no parser is
needed. Descriptor 1 is moved away before anything can print to it, so that a library, a C extension
or a crash writes to standard error instead (U28.1). The process ends when its client does (U11.1).
"""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from saegim.errors import SaegimError
from saegim.logs import begin, logger
from saegim.serve.backend import LocalBackend, ServerBackend
from saegim.serve.hooks import hook_main
from saegim.serve.mcp.client_info import PROFILES, ClientInfo
from saegim.serve.mcp.direct_calls import DirectCalls
from saegim.serve.mcp.handshake import OWN_ID, Handshake
from saegim.serve.speech import Speech
from saegim.serve.terminal import chosen_settings, complain, exit_code, speak_utf8, standing_in
from saegim.settings import STORE, data_directory

if TYPE_CHECKING:
    from types import FrameType

    import saegim
    from saegim.serve.backend import Backend


def knows(arguments: Sequence[str]) -> bool:
    """Say whether these are the usual words of `saegim mcp`, so that no parser is needed."""
    return tuple(arguments) in {("mcp",), *(("mcp", "--profile", each) for each in PROFILES)}


def leave(arguments: Sequence[str]) -> NoReturn:
    """Serve one client as it asked for with the usual words, and end the process."""
    speak_utf8()
    try:
        attend(arguments[2] if len(arguments) > 1 else "default")
    except SaegimError as error:
        speech = Speech.of(chosen_settings(data_directory()).language)
        complain(speech("error"), *speech.trouble(error))
        sys.exit(exit_code(error))


def attend(
    profile: str,
    *,
    store: Path | None = None,
    user: str | None = None,
    agent: str | None = None,
    project: str | None = None,
    alone: bool = False,
) -> NoReturn:
    """Serve one client on standard input and output until it leaves, and end the process."""
    home = data_directory().absolute() if store is None else store.parent
    own = LocalBackend(store, user=user, agent=agent, heartbeat=partial(_tend, home, store))
    settings = chosen_settings(home)
    begin(settings.log_level)
    person = settings.user if user is None else user
    backend = own if alone else ServerBackend(home, store or home / STORE, own, person)
    folder = os.environ.get("CLAUDE_PROJECT_DIR") or str(standing_in() or "")
    guest = ClientInfo(
        profile,
        project=project if project is not None else os.environ.get("SAEGIM_PROJECT"),
        folder=folder or None,
        agent=agent if agent is not None else os.environ.get("SAEGIM_AGENT"),
        session=f"mcp-{secrets.token_hex(8)}",
    )
    logger("serve").info("a client came over MCP, with the profile %s", profile)
    run(backend, guest, 60 * settings.rest_after_minutes)


def _tend(home: Path, store: Path | None, memory: saegim.Saegim) -> None:
    """Let a process in the background sleep what is due: a client may keep this one for a month."""
    # It loads the night, which a client's first question does without.
    from saegim.sleep import scheduler

    if scheduler.is_due(memory.mind):
        hook_main.tend_later(str(home), [f"--path={store}"] if store else [])


Json = dict[str, Any]
# How often we look whether our parent still lives; a client must not leave us behind.
_LOOK_SECONDS = 1.0
_FAREWELL_SECONDS = 3.5
# Escapes in JSON: a whole character of two halves, half of one (the only group), or another.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def run(backend: Backend, guest: ClientInfo, idle: float) -> NoReturn:
    """Serve one client until it leaves, and end the process.

    After so many seconds without a question, the backend may give back what it holds (U11.2).
    """
    leaving = ExitWatch(backend, idle)
    wire = StdioWire(leaving.begin)
    leaving.on_signals()
    leaving.with_parent()
    step = Handshake(guest.profile)
    direct = leaving.calls = DirectCalls(step, backend, guest, wire.send)
    pending = _met(wire, step, direct)
    if pending:
        import anyio

        anyio.run(partial(_served, wire, step, pending, backend, guest, direct))
    direct.end()
    # Whatever a thread is still doing, nobody waits for its answer.
    leaving.end()


def _met(wire: StdioWire, step: Handshake, direct: DirectCalls) -> bytes:
    """Answer on the doorstep; return the first line that is for the SDK, or nothing at the end."""
    while line := wire.line():
        message = _read(line)
        answer = step.answer(message)
        if answer is None and not direct.take(message):
            break
        if answer:
            wire.send(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))
    return line


def _read(line: bytes) -> object:
    """Return a message; nothing for one that the SDK must read."""
    try:
        text = line.decode("utf-8")
        # What holds half a character is mended on the way to the SDK.
        return None if _HALF.search(text) else json.loads(text)
    except (ValueError, RecursionError):
        return None


def whole(line: bytes) -> str:
    """Return a line as text in which no half of a character is left.

    Programs that cut texts by length cut emoji in two; the SDK would drop such a line unanswered.
    """
    text = line.decode("utf-8", "replace")
    if not _HALF.search(text):
        return text
    return _ESCAPE.sub(lambda found: "\\ufffd" if found[1] else found[0], text)


async def _served(
    wire: StdioWire,
    step: Handshake,
    first: bytes,
    backend: Backend,
    guest: ClientInfo,
    direct: DirectCalls,
) -> None:
    from mcp.server.stdio import stdio_server

    # The SDK is loaded when a client says more than its first words.
    from saegim.serve.mcp import server as mcp_server

    server = mcp_server.build(backend, guest)
    opening = [json.dumps(each).encode() for each in step.replay]
    inward: Any = _Inward(wire, [*opening, first], direct)
    outward: Any = _Outward(wire, direct, replayed=bool(opening))
    async with stdio_server(inward, outward) as (read, write):
        kernel = server._lowlevel_server
        await kernel.run(read, write, kernel.create_initialization_options())


class StdioWire:
    """Standard input and output as the client knows them, out of everyone else's reach."""

    def __init__(self, lost: Callable[[], None]) -> None:
        self._lost = lost
        self.read: BinaryIO = os.fdopen(os.dup(0), "rb")
        self._write: BinaryIO = os.fdopen(os.dup(1), "wb", 0)
        self._lock = threading.Lock()
        for end in (self.read, self._write):
            os.set_blocking(end.fileno(), True)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        try:
            # What anyone prints goes where messages for people go.
            os.dup2(2, 1)
        except OSError:
            os.dup2(nothing, 1)
        os.close(nothing)

    def line(self) -> bytes:
        """Wait for the next line; an empty one means that the client is gone."""
        return self.read.readline()

    def send(self, text: str) -> None:
        """Write one message, whole; where nobody reads any more, it is time to leave."""
        data = text.encode("utf-8", "backslashreplace")
        left = memoryview(data if data.endswith(b"\n") else data + b"\n")
        try:
            with self._lock:
                while left:
                    left = left[self._write.write(left) :]
        except OSError:
            self._lost()


class _Inward:
    """Lines for the SDK: first what was held back for it, then what the client sends."""

    def __init__(self, wire: StdioWire, held: list[bytes], direct: DirectCalls) -> None:
        self._wire, self._held, self._direct = wire, held, direct

    async def __aiter__(self) -> AsyncIterator[str]:
        import anyio.to_thread

        for line in self._held:
            yield self._passed_on(line)
        while line := await anyio.to_thread.run_sync(self._wire.line, abandon_on_cancel=True):
            if not self._direct.take(_read(line)):
                yield self._passed_on(line)
        # The SDK drops what it has not answered as soon as it hears that its client is gone.
        await anyio.to_thread.run_sync(self._direct.end, abandon_on_cancel=True)

    def _passed_on(self, line: bytes) -> str:
        text = whole(line)
        self._direct.passed_on(text)
        return text


class _Outward:
    """Lines of the SDK to the client, without its answer to the opening, which was given."""

    def __init__(self, wire: StdioWire, direct: DirectCalls, *, replayed: bool) -> None:
        self._wire, self._direct, self._replayed = wire, direct, replayed

    async def write(self, text: str) -> None:
        if self._replayed and json.loads(text).get("id") == OWN_ID:
            self._replayed = False
            return
        self._wire.send(text)
        self._direct.told(text)

    async def flush(self) -> None:
        """Every line was sent whole."""


class ExitWatch:
    """Ends the process when it is told to, or when nobody is left to serve."""

    def __init__(self, backend: Backend, idle: float) -> None:
        self._backend, self._idle = backend, idle
        self._begun = threading.Event()
        self.calls: DirectCalls | None = None

    def on_signals(self) -> None:
        """End in good order when the system or a person says so."""
        for name in ("SIGTERM", "SIGINT", "SIGHUP"):
            if (number := getattr(signal, name, None)) is not None:
                signal.signal(number, self._signalled)

    def with_parent(self) -> None:
        """End when the process that started us is gone, whatever it left open."""
        looking = threading.Thread(
            target=self._look, args=(os.getppid(),), name="saegim-look", daemon=True
        )
        looking.start()

    def begin(self, code: int = 0) -> None:
        """Let go of the backend and end; never wait for it, whoever says so."""
        if self._begun.is_set():
            return
        self._begun.set()
        spent = self.calls.waited if self.calls is not None else 0.0
        closing = threading.Thread(target=self._close, daemon=True)
        closing.start()
        # A signal comes in the main thread, which may hold what closing needs.
        threading.Thread(target=_gone, args=(closing, code, spent), daemon=True).start()

    def end(self) -> NoReturn:
        """Let go of the backend and end, within a time of which the calls spent some."""
        self.begin()
        while True:
            time.sleep(_FAREWELL_SECONDS)

    def _close(self) -> None:
        if self.calls is not None:
            self.calls.end()
        self._backend.close()

    def _signalled(self, number: int, _: FrameType | None) -> None:
        self.begin(128 + number)

    def _look(self, parent: int) -> None:
        while os.getppid() == parent:
            if self._begun.wait(_LOOK_SECONDS):
                return
            self._backend.rest(self._idle)
        self.begin()


def _gone(closing: threading.Thread, code: int, spent: float) -> None:
    closing.join(_FAREWELL_SECONDS - min(spent, _FAREWELL_SECONDS / 2))
    sys.stderr.flush()
    os._exit(code)
