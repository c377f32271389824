"""`Slip`: the first thing a hook writes: which event came, and how far the transcript had got.

A slip is written before anything of the package is loaded, so that a hook that is killed or cut off
leaves a trace from which others catch up. No word of anybody stands in it: the client's own
transcript holds those already. Nothing but the lightest of the standard library is used here.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time

from saegim.serve.hooks.ask_server import is_alive

SESSION_START = "session-start"
PROMPT = "user-prompt-submit"
PRE_COMPACT = "pre-compact"
STOP = "stop"
SESSION_END = "session-end"
# Our names, and what Claude Code calls them in its answers.
EVENTS = {
    SESSION_START: "SessionStart",
    PROMPT: "UserPromptSubmit",
    PRE_COMPACT: "PreCompact",
    STOP: "Stop",
    SESSION_END: "SessionEnd",
}
# Milliseconds. A prompt waits for its hook (U10.3); Claude Code gives the end of a session a
# second and a half and everything else a minute or more.
HOOK_TIME_LIMITS_MS = {
    SESSION_START: 2000,
    PROMPT: 2000,
    PRE_COMPACT: 5000,
    STOP: 3000,
    SESSION_END: 1000,
}
TIME_LIMIT_VARIABLE = "SAEGIM_HOOK_MS"
MOST_MS = 600_000
# Where the project of a hook comes from, beside the folder it stands in.
NAMED = "SAEGIM_PROJECT"
STARTED_IN = "CLAUDE_PROJECT_DIR"
USER, AGENT = "SAEGIM_USER", "SAEGIM_AGENT"
FOLDER = "spool"
JOURNAL = "hooks.log"
# Some hundred lines; the half before them is kept beside it.
JOURNAL_BYTES = 64 * 1024
_TEXTS = ("session", "transcript", "folder", "source", "started_in", "project", "user", "agent")
_HEX, _NUMBER = frozenset("0123456789abcdefABCDEF"), frozenset("0123456789")
_UUID, _SHORT = (8, 4, 4, 4, 12), 12
# A number is given to another process one day; no hook lasts so long.
_LONGEST_SECONDS = 900.0
_MOST_BYTES = 64 * 1024


class EventNote:
    """One event that came: where its words stand, whose they are, and who attends it."""

    __slots__ = ("at", "event", "path", "pid", "position", "store", "taken", *_TEXTS)
    session: str
    transcript: str
    folder: str
    source: str
    started_in: str
    project: str
    user: str
    agent: str
    store: str

    def __init__(self, path: str, event: str, at: int, pid: int, *, taken: bool) -> None:
        self.path, self.event, self.at, self.pid, self.taken = path, event, at, pid, taken
        self.position = 0
        self.store = ""
        for name in _TEXTS:
            setattr(self, name, "")

    @property
    def name(self) -> str:
        """Return what its file is called."""
        return os.path.basename(self.path)

    def is_running(self) -> bool:
        """Say whether the hook that wrote it may still be at it."""
        return abs(time.time() - self.at / 1e6) < _LONGEST_SECONDS and is_alive(self.pid)


def home_of(environment: dict[str, str]) -> str:
    """Return where Saegim keeps its data, as `settings.data_directory` does."""
    own = os.path.join(os.path.expanduser("~"), "")
    if home := environment.get("SAEGIM_HOME"):
        found = os.path.expanduser(home)
        if found.startswith("~"):
            raise ValueError("there is no such home folder")
    elif sys.platform == "darwin":
        found = os.path.join(own, "Library", "Application Support", "saegim")
    elif sys.platform == "win32":
        local = environment.get("LOCALAPPDATA") or os.path.join(own, "AppData", "Local")
        found = os.path.join(local, "saegim")
    else:
        data = environment.get("XDG_DATA_HOME") or os.path.join(own, ".local", "share")
        found = os.path.join(data, "saegim")
    return os.path.abspath(found)


def time_limit_of(event: str, environment: dict[str, str]) -> float:
    """Return the time limit of a hook in seconds."""
    given = environment.get(TIME_LIMIT_VARIABLE, "")
    # Not isdigit: it takes digits of other scripts and superscripts for numbers.
    wanted = (
        int(given)
        if given.isdecimal() and len(given) < 7
        else HOOK_TIME_LIMITS_MS.get(event, MOST_MS)
    )
    return min(wanted, MOST_MS) / 1000


def is_trivial(prompt: str) -> bool:
    """Say whether there is nothing in a prompt to answer or to keep.

    A command of the client, such as /compact or !ls, is not said to its model.
    """
    text = prompt.lstrip()
    word = text[1:].split(None, 1)[0] if text[:1] == "/" and not text[1:2].isspace() else ""
    name = word.replace("-", "").replace(":", "").replace("_", "")
    called = word[:1].isalpha() and word[:1].isascii() and name.isalnum()
    return not text or text[0] == "!" or called


def is_plain(session: str) -> bool:
    """Say whether a name of a session can hold no secret; of others the guard is asked first."""
    if len(session) <= _SHORT:
        return session.isascii() and session.replace("-", "").replace("_", "x").isalnum()
    parts = session.split("-")
    return tuple(map(len, parts)) == _UUID and _HEX.issuperset("".join(parts))


def write(home: str, event: str, **told: str) -> str:
    """Write a slip down; return its path. Raises OSError where that cannot be."""
    folder = os.path.join(home, FOLDER)
    if not os.path.isdir(folder):
        os.makedirs(home, 0o700, exist_ok=True)
        os.makedirs(folder, 0o700, exist_ok=True)
    held: dict[str, object] = {name: value for name, value in told.items() if value}
    # Perhaps it is not there yet, or the client has none.
    with contextlib.suppress(OSError, ValueError):
        held["position"] = os.stat(told.get("transcript", "")).st_size
    data = json.dumps(held).encode("ascii")
    at, pid = time.time_ns() // 1000, os.getpid()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    while True:
        path = os.path.join(folder, f"{at:020d}-{event}-{pid}.slip")
        try:
            handle = os.open(path, flags, 0o600)
            break
        except FileExistsError:
            at += 1
    try:
        os.write(handle, data)
    finally:
        os.close(handle)
    return path


def slips(home: str) -> list[EventNote]:
    """Return the slips that lie there, the oldest first."""
    folder = os.path.join(home, FOLDER)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [made for name in names if (made := read(os.path.join(folder, name))) is not None]


def read(path: str) -> EventNote | None:
    """Read one slip; nothing if the file is none. One that was torn still tells its event."""
    if (slip := _named(path)) is None:
        return None
    try:
        with open(path, "rb") as file:
            held = json.loads(file.read(_MOST_BYTES))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return slip
    if isinstance(held, dict):
        for name in (*_TEXTS, "store"):
            value = held.get(name)
            setattr(slip, name, value if isinstance(value, str) else "")
        position = held.get("position")
        slip.position = position if isinstance(position, int) else 0
    return slip


def _named(path: str) -> EventNote | None:
    """Return what the name of a slip tells: the instant, the event, the process."""
    stem, dot, kind = os.path.basename(path).rpartition(".")
    at, _, rest = stem.partition("-")
    event, _, pid = rest.rpartition("-")
    numbers = len(at) == 20 and 0 < len(pid) < 12 and _NUMBER.issuperset(at + pid)
    if not dot or kind not in ("slip", "taken") or event not in EVENTS or not numbers:
        return None
    return EventNote(path, event, int(at), int(pid), taken=kind == "taken")


def take(home: str, name: str) -> None:
    """Note that a server has taken an event over: its hook may end."""
    path = os.path.join(home, FOLDER, name)
    if os.path.basename(path) == name and _named(path) is not None:
        # Perhaps someone was quicker.
        with contextlib.suppress(FileNotFoundError):
            os.replace(path, f"{path.removesuffix('.slip')}.taken")


def done(path: str) -> None:
    """Take away the slip of an event that was attended to the end."""
    for each in (path, f"{path.removesuffix('.slip')}.taken"):
        # Perhaps it was never written, or someone else was quicker.
        with contextlib.suppress(OSError):
            os.unlink(each)


def note(home: str, event: str, what: str) -> None:
    """Write one line into the journal; one that cannot be written is not worth an error."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{at} {event} {what}\n".encode("ascii", "backslashreplace")
    path = os.path.join(home, JOURNAL)
    with contextlib.suppress(OSError, ValueError):
        if not os.path.isdir(home):
            os.makedirs(home, 0o700, exist_ok=True)
        if os.path.exists(path) and os.stat(path).st_size + len(line) > JOURNAL_BYTES:
            os.replace(path, f"{path}.1")
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)
