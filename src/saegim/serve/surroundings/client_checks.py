"""Check the clients and hooks of this machine: are our entries there, do they run?"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from saegim.doctor.findings import Finding
from saegim.memory.clock import parse_instant
from saegim.messages import HeardMessage
from saegim.serve import server_file
from saegim.serve.clients.flow import ClientPlace, ClientState, hooks_file
from saegim.serve.clients.roster import missing, named, program_of, running
from saegim.serve.hooks import event_note, journal
from saegim.serve.hooks.deadlines import VARIABLE
from saegim.serve.hooks.event import EVENTS
from saegim.serve.hooks.spool import Spool
from saegim.serve.surroundings.mcp_round_trip import ProcessEnd, ended, home_in, throwaway
from saegim.serve.surroundings.outcomes import found
from saegim.settings import STORE

_VERSION_SECONDS: Final = 20.0
# These may fetch what they run, which is not for a doctor to cause.
_FETCHING: Final = ("uvx",)


def examine_clients(
    states: Sequence[ClientState],
    where: ClientPlace,
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


def examine_here(states: Sequence[ClientState], where: ClientPlace) -> list[Finding]:
    """Say the same of what one folder configures for us; nothing that it names is started."""
    ours = [each for each in states if each.installed or each.hooks or _mentions_us(each, where)]
    return [each for state in ours for each in _client(state, where, (), "", start=False)]


def _client(
    state: ClientState, where: ClientPlace, program: Sequence[str], version: str, *, start: bool
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
        yield found(f"client.{case}", name=name, why=HeardMessage(state.problem), **blanks)
    elif state.found and not state.hooks:
        yield found("client.needless", name=name, **blanks)
    if state.hooks and state.problem.startswith("Hooks are turned off"):
        name += ":hooks"
        yield found("client.hooks_off", name=name, why=HeardMessage(state.problem), **blanks)


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


def _mentions_us(state: ClientState, where: ClientPlace) -> bool:
    """Say whether a configuration that cannot be understood speaks of us."""
    settings = hooks_file(named(state.name), where)
    for file in (state.config, *([] if settings is None else [settings])):
        with contextlib.suppress(OSError):
            if state.problem and b"saegim" in file.read_bytes():
                return True
    return False


# -- The hooks of this machine: each is really run once, with nothing to hear

# A hook is given more time than an agent gives it: here counts whether it works, and how long.
_SECONDS: Final = 20.0
_PACE: Final = {VARIABLE: "15000"}
_SHOWN: Final = 60
# What `saegim install` may write between the program and its hook.
_FRONT: Final = frozenset({"--path", "--user", "--agent", "--project"})
# A hook or a server works the spool off within a day of anyone's work.
STUCK_DAYS: Final = 2
LATELY_DAYS: Final = 7
# One prompt without an answer is a slow moment.
MOST_CUT_SHORT: Final = 3
_LINES: Final = 2000
_SHORT: Final = "cut short: nothing"


def examine_hooks(
    states: Sequence[ClientState], here: Sequence[ClientState], *, run: bool
) -> list[Finding]:
    """Run every hook that is installed; a program that one folder alone names is not run.

    Whoever looks into a folder must not run what somebody else has put there.
    """
    known = {running(), *(hook_of(words) for state in states for _, words in state.hooks)}
    told = []
    with throwaway() as folder:
        for state, suffix in (
            *((each, "") for each in states),
            *((each, ":here") for each in here),
        ):
            for _, words in state.hooks:
                client = state.name + (" --here" if suffix else "")
                name = f"hook:{words[-1]}{suffix}"
                trusted = not suffix or hook_of(words) in known
                told.append(_one(words, folder, name, client, run=run, trusted=trusted))
    return told


def hook_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return what a hook starts, without what is said to it; nothing if it is not as we write it.

    Only that is run: after the same program, other words could mean anything.
    """
    program = program_of(words)
    rest = list(words[len(program) :])
    while rest and rest[0].partition("=")[0] in _FRONT:
        del rest[: 1 if "=" in rest[0] else 2]
    return program if len(rest) == 2 and rest[0] == "hook" and rest[1] in EVENTS else ()


def _one(
    words: tuple[str, ...], folder: Path, name: str, client: str, *, run: bool, trusted: bool
) -> Finding:
    if missing(words) or not program_of(words):
        return found("hook.missing", name=name, program=words[0], client=client)
    if not hook_of(words):
        return found("hook.words", name=name, command=" ".join(words), client=client)
    if not trusted:
        return found("hook.untried", name=name, program=words[0])
    if not run:
        return found("hook.unasked", name=name)
    told = ended(_elsewhere(words, folder), folder, _input(words[-1], folder), _SECONDS, **_PACE)
    return _judged(told, words, folder, name, client)


def _elsewhere(words: Sequence[str], folder: Path) -> list[str]:
    """Return the words with the throw-away store in the place of the one they name."""
    store = str(home_in(folder) / STORE)
    moved = [f"--path={store}" if each.startswith("--path=") else each for each in words]
    for at, each in enumerate(moved[:-1]):
        if each == "--path":
            moved[at + 1] = store
    return moved


def _input(event: str, folder: Path) -> bytes:
    """Return an event in which nothing was said, of a session that nobody knows."""
    told = {
        "session_id": "saegim-doctor",
        "hook_event_name": EVENTS.get(event, event),
        "transcript_path": "",
        "cwd": str(folder),
        "prompt": "",
    }
    return json.dumps(told).encode()


def _judged(
    told: ProcessEnd, words: Sequence[str], folder: Path, name: str, client: str
) -> Finding:
    answer = told.out.strip()
    mine = f" {words[-1]} failed: "
    noted = [line for line in journal.last(home_in(folder), _LINES) if mine in line]
    if told.code is None and not told.why:
        command = " ".join(words)
        return found("hook.slow", name=name, seconds=round(_SECONDS), command=command)
    if told.code != 0 or noted:
        why = told.why or (noted[-1] if noted else told.said) or f"it ended with {told.code}"
        return found("hook.failed", name=name, why=why, client=client)
    if not _is_answer(answer):
        return found("hook.answer", name=name, answer=answer[:_SHOWN] or "-", client=client)
    return found("hook.ok", name=name, seconds=f"{told.seconds:.1f}", answer=answer[:_SHOWN])


def _is_answer(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


# -- what the hooks have left behind ---------------------------------------------------------------


def spool(home: Path, now: datetime) -> Finding:
    """Say whether what hooks have heard or left behind waits too long, or could not be read."""
    held = Spool(home)
    waiting, apart = held.waiting(), held.apart()
    if apart:
        return found("spool.apart", count=len(apart), file=str(apart[0]))
    cut = [each.at / 1e6 for each in event_note.slips(str(home)) if not each.is_running()]
    if not waiting and not cut:
        return found("spool.ok")
    since = min(*cut, *(each.stat().st_mtime for each in waiting), now.timestamp())
    days = int((now.timestamp() - since) // 86_400)
    case = "stuck" if days >= STUCK_DAYS else "waiting"
    return found(f"spool.{case}", count=len(waiting), cut=len(cut), days=days)


def noted(home: Path, now: datetime) -> Finding:
    """Say what the journal of the hooks has noted lately."""
    since = now - timedelta(days=LATELY_DAYS)
    lines = [line for line in journal.last(home, _LINES) if _at(line, now) >= since]
    failed = [line for line in lines if " failed: " in line]
    if failed:
        return found("journal.failed", count=len(failed), days=LATELY_DAYS, line=failed[-1])
    short = sum(_SHORT in line for line in lines)
    if short < MOST_CUT_SHORT:
        return found("journal.ok")
    # Where a server runs, it is of no use to be told to start one.
    case = "overloaded" if server_file.believed(home) else "cut_short"
    return found(f"journal.{case}", count=short, days=LATELY_DAYS, variable=VARIABLE)


def _at(line: str, otherwise: datetime) -> datetime:
    try:
        return parse_instant(line.partition(" ")[0])
    except ValueError:
        return otherwise
