"""The commands of every day, asked of a running server: a process that loads next to nothing.

A server has the memory open, and the model in it; a process of its own loads both for one answer.
What it is asked is the command line itself, so both give the same answer. Where no server of this
store, this person and this version runs, or it declines, the command is carried out here.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

from saegim import __version__
from saegim.serve.hooks import ask_server, event_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

ADDRESS = "/v1/command"
# They need nothing of a process but its words, and never ask a person anything.
COMMANDS = frozenset({"remember", "recall", "search", "context", "get", "recent"})
# What of the environment changes an answer: language, terminal, project, the clock of the place.
ENVIRONMENT = frozenset(
    "LC_ALL LC_MESSAGES LANG TERM COLORTERM NO_COLOR FORCE_COLOR COLUMNS LINES TTY_COMPATIBLE "
    "PATH TZ HOME USERPROFILE TMPDIR TEMP TMP SAEGIM_PROJECT CLAUDE_PROJECT_DIR".split()
)
NEEDED = frozenset("words folder environment program terminals size input".split())
# Settings of one process: a server has its own.
_SET = ("SAEGIM_", "_SAEGIM_", "AIMEMORY_")
_ELSEWHERE = frozenset({"--user", "--agent", "--help", "--version"})
_STORES, _VALUED = frozenset({"--path", "--store"}), frozenset({"--language", "--project"})
_PROOF_SECONDS = 1.0
# No call lasts longer; what does is carried out here.
_ANSWER_SECONDS = 30.0
_DUMB = ("dumb", "unknown")


def answered(asked: list[str]) -> int | list[str]:
    """Let the server of this store answer; return the exit code, or what to carry out here."""
    given = understood(asked)
    told = _told(given[0]) if given is not None else None
    if given is None or told is None:
        return asked
    words, path, command = given
    key = [] if command != "remember" or _has_key(words) else ["--key", _once()]
    told["words"] = _with(words, key)
    try:
        home, store = event_note.home_of(dict(os.environ)), ""
        if path:
            store = os.path.abspath(os.path.expanduser(path))
            home = os.path.dirname(store)
        answer = _exchanged(home, store, told)
        if answer.get("wanted") == "input":
            told["input"] = sys.stdin.buffer.read().decode("latin-1")
            # Whoever carries it out here finds it where it was.
            sys.stdin = _AlreadyRead(told["input"].encode("latin-1"))
            answer = _exchanged(home, store, told)
    except ask_server.Unheard:
        # Perhaps it was done: by its key it is done once.
        return _with(asked, key)
    except ValueError:
        return asked
    code = answer.get("code")
    return _written(answer["written"], code) if isinstance(code, int) else asked


def understood(asked: Sequence[str]) -> tuple[list[str], str, str] | None:
    """Return a command line as a server takes it, the store it names, and its command."""
    ends = asked.index("--") if "--" in asked else len(asked)
    words, path, command = list[str](), "", ""
    rest = iter(asked[:ends])
    for each in rest:
        name, equals, value = each.partition("=")
        if name in _ELSEWHERE:
            return None
        if name in _STORES:
            path = value if equals else next(rest, "")
            if not path.strip() or "://" in path:
                return None
            continue
        words.append(each)
        if name in _VALUED and not equals:
            words.append(next(rest, ""))
        elif not each.startswith("-") and not command:
            command = each
    return ([*words, *asked[ends:]], path, command) if command in COMMANDS else None


def _has_key(words: list[str]) -> bool:
    return any(each.partition("=")[0] == "--key" for each in words)


def _once() -> str:
    return f"once:{os.urandom(8).hex()}"


def _with(words: list[str], more: list[str]) -> list[str]:
    ends = words.index("--") if "--" in words else len(words)
    return [*words[:ends], *more, *words[ends:]]


def _exchanged(home: str, store: str, told: dict[str, Any]) -> dict[str, Any]:
    found = ask_server.exchanged(
        ADDRESS, home, store, told, _PROOF_SECONDS, _ANSWER_SECONDS, __version__
    )
    return found or {}


def _told(words: list[str]) -> dict[str, Any] | None:
    """Return what a server must know of this process; nothing where that is not enough."""
    known = os.environ
    apart = (each for each in known if each.startswith(_SET) and each not in ENVIRONMENT)
    if any(each != "SAEGIM_HOME" for each in apart):
        return None
    try:
        folder = os.getcwd()
        terminals = [sys.stdin is None or sys.stdin.isatty()]
        terminals += [sys.stdout.isatty(), sys.stderr.isatty()]
        size = list(os.get_terminal_size(1)) if terminals[1] else None
        told = {name: known[name] for name in ENVIRONMENT if name in known}
        program = [os.path.abspath(sys.argv[0]), sys.executable]
        "".join([*words, folder, *told.values(), *program]).encode("utf-8")
    except (OSError, AttributeError, UnicodeEncodeError):
        # No folder, no streams, halves of characters: told where everything can be.
        return None
    if terminals[1] and known.get("TERM", "") in _DUMB:
        return None
    return {
        "words": words,
        "folder": folder,
        "environment": told,
        "program": program,
        "terminals": terminals,
        "size": size,
        "input": None,
    }


class _AlreadyRead:
    """Standard input after it was read: whoever reads it again reads the same."""

    def __init__(self, read: bytes) -> None:
        self.buffer = import_module("io").BytesIO(read)

    def isatty(self) -> bool:
        return False


def _written(parts: list[list[str]], code: int) -> int:
    """Write what the server wrote, each part where it belongs; return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        for name, text in parts:
            (sys.stderr if name == "err" else sys.stdout).write(text)
        sys.stdout.flush()
    except OSError as error:
        return int(import_module("saegim.serve.cli.talk").unwritten(error))
    return code
