"""What is done to a server before it starts, so that a test sees what would happen without."""

from __future__ import annotations

import importlib
import os
import threading
from pathlib import Path
from typing import Any

from saegim.serve.backend import Call, LocalBackend
from saegim.serve.mcp.handshake import Handshake


def without_doorstep() -> None:
    """Leave every word to the SDK."""
    Handshake.answer = lambda self, message: None  # type: ignore[method-assign]


def with_a_doorstep_of_its_own() -> None:
    """Answer on the doorstep otherwise than the SDK would."""
    plain = Handshake.answer

    def answer(self: Handshake, message: object) -> Any:
        told = plain(self, message)
        if told and "capabilities" in told["result"]:
            told["result"] = {**told["result"], "capabilities": {}}
        return told

    Handshake.answer = answer  # type: ignore[method-assign]


def confirming_too_early() -> None:
    """Confirm a save before it is one."""
    plain = LocalBackend.call

    def call(self: LocalBackend, wish: Call) -> Any:
        if wish.name != "memory_save":
            return plain(self, wish)
        made = {"status": "stored", "id": f"early {wish.arguments['text']}"}
        # So much later that it is killed before, however late the killer comes.
        threading.Timer(600, plain, (self, wish)).start()
        return made

    LocalBackend.call = call  # type: ignore[method-assign]


def with_a_call_that_hangs() -> None:
    """Begin a call and never end it; a file says that it has begun."""

    def call(self: LocalBackend, wish: Call) -> Any:
        Path("hanging").touch()
        threading.Event().wait()

    LocalBackend.call = call  # type: ignore[method-assign]


def with_noise() -> None:
    """Let every call print, warn, draw, write to the descriptor, and sometimes crash."""
    import subprocess
    import sys
    import warnings

    plain = LocalBackend.call

    def call(self: LocalBackend, wish: Call) -> Any:
        print("a library says hello")
        sys.stdout.flush()
        os.write(1, b"a C extension writes {\n")
        warnings.warn("a warning", stacklevel=1)
        print("\r 50% |#####     |", end="", file=sys.stdout, flush=True)
        subprocess.run(["echo", "a child speaks"], check=True)
        assert sys.__stdout__ is not None
        sys.__stdout__.write("the first standard output\n")
        sys.__stdout__.flush()
        if wish.name == "memory_stats":
            raise RuntimeError("a secret of the inside\n{}")
        if wish.name == "policy_status":
            raise UnicodeError("half \ud800 of it")
        return plain(self, wish)

    LocalBackend.call = call  # type: ignore[method-assign]


def with_noise_on_the_wire() -> None:
    """Be as noisy, and leave descriptor 1 where everyone finds it."""
    stdio = importlib.import_module("saegim.serve.mcp.stdio")
    plain = stdio.StdioWire.__init__

    def made(self: Any, lost: Any) -> None:
        held = os.dup(1)
        plain(self, lost)
        os.dup2(held, 1)

    stdio.StdioWire.__init__ = made
    with_noise()


def with_little_patience() -> None:
    """Wait a moment only for long work."""
    plain = LocalBackend.__init__

    def made(self: LocalBackend, *given: Any, **more: Any) -> None:
        plain(self, *given, **more)
        self.long_calls._patience = float(os.environ["PATIENCE"])

    LocalBackend.__init__ = made  # type: ignore[method-assign]
