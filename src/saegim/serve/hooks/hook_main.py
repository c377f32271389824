"""`saegim hook EVENT`, the part that every hook goes through: a slip, then the server next door.

Loads the lightest of the standard library and `slip`, nothing else of the package: with a server
running a hook costs hardly more than starting Python. Where none runs, the package is loaded, while
a thread watches the clock: whatever holds it up, there is an answer in time.
"""

from __future__ import annotations

import _thread
import contextlib
import json
import os
import sys
import time
from importlib import import_module

from saegim.serve.hooks import ask_server, event_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

NOTHING = b"{}\n"
# A prompt with a pasted file has some hundred thousand letters; this is no prompt any more.
MOST_BYTES = 16 << 20
TEND = "tend"
TENDING = ".tending"
ADDRESS = "/v1/hook"
_IN, _OUT, _ERR = 0, 1, 2
_OPTIONS = {"--path": "path", "--user": "user", "--agent": "agent", "--project": "project"}
# So long a process may take to end once its time is up.
_MOMENT = 1.0
_NAMES, _LONGEST_SIGN = ("새김: ", "Saegim: "), 300
# What a line tells a person to type.
_UNDO = "saegim forget "
_OPEN, _CLOSE = '<saegim-memory boundary="', "</saegim-memory "


class Given:
    """What the words of a hook say: the event, and which memory it is about."""

    __slots__ = ("agent", "event", "home", "path", "project", "user")

    def __init__(self, event: str, options: dict[str, str]) -> None:
        self.event = event
        self.path = options.get("path", "")
        self.user, self.agent = options.get("user"), options.get("agent")
        self.project = options.get("project")
        if self.path:
            self.path = os.path.abspath(_expanded(self.path))
            self.home = os.path.dirname(self.path)
        else:
            self.home = event_note.home_of(dict(os.environ))

    @property
    def words(self) -> list[str]:
        """Return the options again, for another process."""
        named = {"--path": self.path or None, "--user": self.user, "--agent": self.agent}
        return [f"{name}={value}" for name, value in named.items() if value is not None]


def _expanded(path: str) -> str:
    found = os.path.expanduser(path)
    if found.startswith("~"):
        raise ValueError("there is no such home folder")
    return found


def understood(asked: Sequence[str]) -> tuple[str, dict[str, str]] | None:
    """Return the event and the options of a hook, as `saegim install` writes them, or nothing."""
    rest, options = list(asked), dict[str, str]()
    while rest and (name := rest[0].partition("=")[0]) in _OPTIONS:
        if "=" in rest[0]:
            value = rest.pop(0).partition("=")[2]
        elif len(rest) > 1:
            value = rest[1]
            del rest[:2]
        else:
            return None
        if not value.strip() or _OPTIONS[name] in options:
            return None
        options[_OPTIONS[name]] = value
    if len(rest) != 2 or rest[0] != "hook" or rest[1] not in event_note.EVENTS:
        return None
    return rest[1], options


def leave(asked: tuple[str, dict[str, str]]) -> NoReturn:
    """Carry out a hook of this process and end it, without waiting for any thread."""
    # What it took to get here counts too: whoever waits has waited for that as well.
    began = time.monotonic() - time.process_time()
    out = Output(_kept_apart())
    # An agent that is interrupted ends its hooks; that is no error either.
    sys.excepthook = lambda *_: out.give_up()
    event, options = asked
    given = Given(event, options)

    def failed(kind: type[BaseException], *_: object) -> None:
        event_note.note(given.home, event, f"failed: {kind.__name__}")
        out.give_up()

    sys.excepthook = failed
    end = began + event_note.time_limit_of(event, dict(os.environ))
    watch = HookDeadline(given, out, end)
    data = everything()
    told = read_told(data)
    paper = _slip(given, told) if told is not None else ""
    watch.noted = True
    if told is not None:
        _try_next_door(given, told, paper, out, end)
    entry = import_module("saegim.serve.hooks.flow")
    watch.over = True
    entry.go_on(given, data, paper, out, end)
    os._exit(0)


def answer_of(event: str, text: str, sign: str = "") -> bytes:
    """Write the answer as one JSON document, in plain ASCII whatever the locale is.

    `text` is for the agent, `sign` is the one line that the person sees.
    """
    told: dict[str, object] = {"systemMessage": _as_typed(sign)} if sign else {}
    if text:
        name = event_note.EVENTS[event]
        told["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": text}
    return json.dumps(told).encode("ascii") + b"\n" if told else NOTHING


def _as_typed(sign: str) -> str:
    """Return a line in which our command can be typed: by its path, where no shell knows its name.

    Here and not where the line was made: a server has another PATH than who reads it.
    """
    script = os.path.abspath(sys.argv[0])
    if _UNDO not in sign or os.path.basename(script) != "saegim":
        return sign
    for each in os.environ.get("PATH", "").split(os.pathsep):
        known = os.path.join(each, "saegim")
        if each and os.access(known, os.X_OK):
            if os.path.realpath(known) == os.path.realpath(script):
                return sign
            break
    from shlex import quote

    return sign.replace(_UNDO, f"{quote(script)} forget ", 1)


# -- the time -------------------------------------------------------------------------------------


class HookDeadline:
    """A thread that answers with nothing when the time is up before the work could begin.

    Once the work has begun, it answers in time by itself; whatever may hold it up all the same, the
    process does not outlive its time by more than a moment. The slip has that moment too: without
    it nobody knows of which session to catch up.
    """

    def __init__(self, given: Given, out: Output, end: float) -> None:
        self.over = False
        self.noted = False
        self._given, self._out, self._end = given, out, end
        _thread.start_new_thread(self._run, ())

    def _run(self) -> None:
        time.sleep(max(self._end - time.monotonic(), 0.0))
        if self.over:
            time.sleep(_MOMENT)
        self._out.write(NOTHING)
        what = "cut short: nothing could be told in time"
        event_note.note(self._given.home, self._given.event, what)
        late = time.monotonic() + _MOMENT
        while not self.noted and time.monotonic() < late:
            time.sleep(0.005)
        tend_later(self._given.home, self._given.words)
        os._exit(0)


class Output:
    """The way to whoever waits for the answer: one document, and no second."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._open = True
        self._lock = _thread.allocate_lock()

    def write(self, data: bytes) -> None:
        """Send the document, if someone listens and none was sent."""
        with self._lock:
            if not self._open:
                return
            self._open = False
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(self._descriptor, data) :]
            os.close(self._descriptor)

    def give_up(self) -> None:
        """End this process well, where not even the work could begin."""
        self.write(NOTHING)
        os._exit(0)


def _kept_apart() -> int:
    """Return a way to standard output that nobody else in this process has."""
    try:
        ours = os.dup(_OUT)
        os.dup2(_ERR, _OUT)
    except OSError:
        return -1  # nobody listens there
    return ours


# -- what came in ---------------------------------------------------------------------------------


def everything() -> bytes:
    """Read standard input to its end, or as far as makes sense."""
    parts, size = [], 0
    while size <= MOST_BYTES:
        try:
            part = os.read(_IN, 1 << 16)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def read_told(data: bytes) -> dict[str, str] | None:
    """Return the texts of an event; nothing where it is none, which is told elsewhere."""
    if len(data) > MOST_BYTES:
        return None
    try:
        told = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict):
        return None
    names = ("session_id", "transcript_path", "cwd", "source", "prompt")
    texts = {name: told[name] for name in names if isinstance(told.get(name), str)}
    # Halves of characters and zero bytes are mended where the package is loaded.
    broken = any("\x00" in each or not _is_whole(each) for each in texts.values())
    return None if broken else texts


def _is_whole(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _slip(given: Given, told: dict[str, str]) -> str:
    """Write the slip of an event that has something to hear; return its path, or nothing."""
    session = told.get("session_id", "").strip()
    idle = given.event == event_note.PROMPT and event_note.is_trivial(told.get("prompt", ""))
    if idle or not event_note.is_plain(session):
        return ""
    env = os.environ
    project = given.project if given.project is not None else env.get(event_note.NAMED, "")
    try:
        return event_note.write(
            given.home,
            given.event,
            session=session,
            transcript=told.get("transcript_path", ""),
            folder=told.get("cwd", ""),
            source=told.get("source", ""),
            started_in=env.get(event_note.STARTED_IN, ""),
            project=project,
            user=given.user or env.get(event_note.USER, ""),
            agent=given.agent or env.get(event_note.AGENT, ""),
            store=given.path,
        )
    except (OSError, ValueError) as error:
        event_note.note(given.home, given.event, f"failed: {type(error).__name__} (no slip)")
        return ""


# -- the server next door -------------------------------------------------------------------------


def _try_next_door(given: Given, told: dict[str, str], paper: str, out: Output, end: float) -> None:
    """Let the server of this home attend the event, if one runs, and end this process well."""
    prompt = told.get("prompt", "")
    if given.event == event_note.PROMPT and event_note.is_trivial(prompt):
        out.give_up()
    if (
        given.user
        or given.agent
        or os.environ.get(event_note.USER)
        or os.environ.get(event_note.AGENT)
    ):
        # A server knows whose memories it serves; who is someone else here does not ask it.
        return
    body = {
        "event": given.event,
        "told": told,
        "slip": os.path.basename(paper),
        "project": given.project if given.project is not None else os.environ.get(event_note.NAMED),
        "started_in": os.environ.get(event_note.STARTED_IN),
    }
    try:
        told_us = ask_server.asked(ADDRESS, given.home, given.path, body, end)
    except ask_server.Unheard:
        # It has the words; should it not have heard them, the slip stays for who comes next.
        event_note.note(given.home, given.event, "cut short: nothing could be told in time")
        out.give_up()
        return
    if told_us is None:
        return
    answer, sign = told_us
    if answer and not is_block(answer):
        # Whoever listens there: what stands in no fence of ours is not put into a prompt.
        what = "failed: the server told no block of ours; dropped"
        event_note.note(given.home, given.event, what)
        return
    out.write(answer_of(given.event, answer, sign if is_sign(sign) else ""))
    os._exit(0)


def is_sign(text: str) -> bool:
    """Say whether a text is one of our lines for a person: short, printable and with our name."""
    return text.startswith(_NAMES) and len(text) <= _LONGEST_SIGN and text.isprintable()


def is_block(text: str) -> bool:
    """Say whether a text is one fenced block: opened, closed, and nothing in it that could be."""
    first, _, rest = text.partition("\n")
    boundary = first.removeprefix(_OPEN).removesuffix('">')
    if first != f'{_OPEN}{boundary}">' or not (boundary.isalpha() and boundary.isascii()):
        return False
    ends = rest.endswith(f"\n{_CLOSE}{boundary}>")
    return ends and boundary.islower() and text.count(boundary) == 2 and text.count("<") == 2


# -- in the background ----------------------------------------------------------------------------


def tend_later(home: str, words: Sequence[str] = ()) -> bool:
    """Start a process that catches up and sleeps what is due; say whether one was started.

    It belongs to nobody: neither a client that ends nor one that waits for its children knows it.
    One at a time is enough, and where a server runs, none.
    """
    with contextlib.suppress(OSError):
        if ask_server.is_held(os.path.join(home, event_note.FOLDER, TENDING)):
            return False
    with contextlib.suppress(OSError):
        if ask_server.is_held(os.path.join(home, "server.lock")):
            return False
    command = [sys.executable, "-P", "-m", "saegim", *words, "hook", TEND]
    try:
        if hasattr(os, "posix_spawn"):
            _spawned(command)
        else:
            _detached(command)
    except (OSError, NotImplementedError):
        return False
    return True


def _spawned(command: list[str]) -> None:
    nowhere = [(os.POSIX_SPAWN_OPEN, each, os.devnull, os.O_RDWR, 0) for each in (_IN, _OUT, _ERR)]
    environment = dict(os.environ)
    try:
        os.posix_spawn(sys.executable, command, environment, file_actions=nowhere, setsid=True)
    except NotImplementedError:
        # This system cannot part it from the terminal here; it parts itself when it runs.
        os.posix_spawn(sys.executable, command, environment, file_actions=nowhere)


def _detached(command: list[str]) -> None:
    subprocess = import_module("subprocess")
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    apart = getattr(subprocess, "DETACHED_PROCESS", 0)
    subprocess.Popen(command, creationflags=apart, close_fds=True, **quiet)
