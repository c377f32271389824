"""The clients of this machine: is our entry in their configuration, and does it start anything?"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from saegim.examination.findings import Finding
from saegim.messages import Heard
from saegim.serve.clients.command import missing, program_of
from saegim.serve.clients.flow import Where, hooks_file
from saegim.serve.clients.roster import named
from saegim.serve.clients.state import ClientState
from saegim.serve.surroundings.sentences import found
from saegim.serve.surroundings.trial import ended, throwaway

_VERSION_SECONDS: Final = 20.0
# These may fetch what they run, which is not for a doctor to cause.
_FETCHING: Final = ("uvx",)


def examine(
    states: Sequence[ClientState],
    where: Where,
    program: Sequence[str],
    version: str,
    *,
    start: bool,
) -> list[Finding]:
    """Say of every client that is here how it is connected.

    With `start`, a program other than our own is asked for its version.
    """
    told = [
        each for state in states for each in _client(state, where, program, version, start=start)
    ]
    return told or [found("clients.needless")]


def examine_here(states: Sequence[ClientState], where: Where) -> list[Finding]:
    """Say the same of what one folder configures for us; nothing that it names is started."""
    ours = [each for each in states if each.installed or each.hooks or _mentions_us(each, where)]
    return [each for state in ours for each in _client(state, where, (), "", start=False)]


def _client(
    state: ClientState, where: Where, program: Sequence[str], version: str, *, start: bool
) -> Iterator[Finding]:
    here = where.project is not None
    name = f"client:{state.name}" + ":here" * here
    blanks = {"client": state.name, "title": named(state.name).title, "file": str(state.config)}
    if here:
        blanks["client"] += " --here"
    words = state.command
    if state.installed and words:
        case, more = _entry(words, program, version, start=start)
        blanks |= {"command": " ".join(words), "program": words[0], **more}
        yield found(f"client.{case}", name=name, **blanks)
    elif state.installed:
        yield found("client.address", name=name, **blanks)
    elif state.problem and not state.hooks:
        case = "unreadable" if _mentions_us(state, where) else "foreign"
        yield found(f"client.{case}", name=name, why=Heard(state.problem), **blanks)
    elif state.found and not state.hooks:
        yield found("client.needless", name=name, **blanks)
    if state.hooks and state.problem.startswith("Hooks are turned off"):
        name += ":hooks"
        yield found("client.hooks_off", name=name, why=Heard(state.problem), **blanks)


def _entry(
    words: Sequence[str], program: Sequence[str], version: str, *, start: bool
) -> tuple[str, dict[str, str]]:
    """Return what is to be said of the command of an entry, and with which blanks."""
    if missing(words):
        return ("forbidden" if os.path.isfile(words[0]) else "missing"), {}
    started = program_of(words)
    if not started:
        return "other", {}
    if not start or started == tuple(program) or Path(words[0]).stem.lower() in _FETCHING:
        return "ok", {}
    other, why = _version_of(started)
    if not other:
        return "broken", {"why": why}
    return ("ok" if other == version else "version"), {"other": other, "version": version}


def _version_of(program: Sequence[str]) -> tuple[str, str]:
    """Ask a program for its version; return that, or why it does not say."""
    with throwaway() as folder:
        told = ended([*program, "--json", "--version"], folder, b"", _VERSION_SECONDS)
    with contextlib.suppress(ValueError, KeyError, TypeError):
        return str(json.loads(told.out)["version"]), ""
    return "", told.why or told.said or f"it ended with {told.code}"


def _mentions_us(state: ClientState, where: Where) -> bool:
    """Say whether a configuration that cannot be understood speaks of us."""
    settings = hooks_file(named(state.name), where)
    for file in (state.config, *([] if settings is None else [settings])):
        with contextlib.suppress(OSError):
            if state.problem and b"saegim" in file.read_bytes():
                return True
    return False
