"""The terminal: what could steer it is shown, not obeyed; and who may be sitting there.

A program that runs as the same user can do whatever its person can. What is looked at here makes
it hard to answer for them by accident or by a prompt, not impossible.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from saegim.errors import BadInput, LedgerBroken, NotFound, SaegimError, SettingsError, StoreError
from saegim.settings import Settings, read_settings

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

# Control characters but tab and newline, the marks that turn the reading direction, the
# separators that some terminals break lines at, the byte-order mark, halves of characters.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


# How a process ends: something else, a wrong input, a store that does not open, and a server
# that is not started because one runs already.
OTHER, INPUT, STORE, RUNNING = 1, 2, 3, 4
# Without a terminal there is no width to fit, and a path must not be broken.
_PIPED_WIDTH = 10_000


class Seat:
    """Where a command is asked: this process, its streams, its folder and its environment."""

    # Columns and lines of a terminal that is not this process's own.
    size: tuple[int, int] | None = None

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the environment of who asks."""
        return os.environ

    @property
    def folder(self) -> Path | None:
        """Return the folder of who asks, if it is still there."""
        try:
            return Path.cwd()
        except OSError:
            return None

    @property
    def program(self) -> tuple[str, str]:
        """Return the script that was started, and the Python that runs it."""
        return sys.argv[0], sys.executable

    def stream(self, *, error: bool = False) -> TextIO:
        """Return where to write."""
        return sys.stderr if error else sys.stdout

    @property
    def is_typed_at(self) -> bool:
        """Say whether nothing is piped in: somebody types, or nobody is there."""
        return sys.stdin is None or sys.stdin.isatty()

    def piped(self) -> bytes:
        """Return what standard input holds."""
        return b"" if sys.stdin is None else sys.stdin.buffer.read()


# A server carries out commands that are asked elsewhere, several at a time (`serve.cli.guest`).
SEAT: ContextVar[Seat] = ContextVar("seat", default=Seat())  # noqa: B039


def visible(text: str) -> str:
    """Return the text with everything a terminal would obey written as an escape."""
    return _UNSAFE.sub(lambda found: _written(found[0]), text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Return the text on one line, its line breaks marked."""
    lines = (" ".join(line.split()) for line in visible(text).split("\n"))
    return " ⏎ ".join(line for line in lines if line)


def json_text(document: Any, *, indent: int | None = None) -> str:
    """Write one JSON document in UTF-8 that is safe to look at in a terminal."""
    written = json.dumps(document, ensure_ascii=False, indent=indent, default=str)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def is_whole(text: str) -> bool:
    """Say whether the text holds whole characters only, so that it can be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def console(*, error: bool = False) -> Console:
    """Return where to print: plain text when piped, and no markup read in anyone's words."""
    from rich.console import Console

    seat = SEAT.get()
    stream = seat.stream(error=error)
    width, height = seat.size or (None, None)
    if not stream.isatty():
        width, height = (None if seat.environment.get("COLUMNS") else _PIPED_WIDTH), None
    return Console(
        file=stream,
        width=width,
        height=height,
        markup=False,
        emoji=False,
        highlight=False,
        _environ=seat.environment,
    )


def has_width() -> bool:
    """Say whether what is printed has a width to fit: that of a terminal, or one that was named."""
    seat = SEAT.get()
    return seat.stream().isatty() or bool(seat.environment.get("COLUMNS"))


def put(part: RenderableType, *, error: bool = False) -> None:
    """Print one part; a sentence is made safe and left to the terminal to wrap."""
    stream = SEAT.get().stream(error=error)
    if isinstance(part, str):
        stream.write(f"{visible(part)}\n")
        return
    where = console(error=error)
    if where.is_terminal:
        where.print(part)
        return
    # A table fills its last column with spaces, which only a terminal does not show.
    with where.capture() as held:
        where.print(part)
    stream.write("".join(f"{line.rstrip()}\n" for line in held.get().splitlines()))


def complain(word: str, message: str, next_step: str) -> None:
    """Print what went wrong and what to do about it on standard error."""
    seat = SEAT.get()
    stream = seat.stream(error=True)
    coloured = stream.isatty() and not seat.environment.get("NO_COLOR")
    stream.write(f"\x1b[1;31m{word}\x1b[0m " if coloured else f"{word} ")
    put(message, error=True)
    if next_step:
        put(f"  → {next_step}", error=True)


def exit_code(error: SaegimError) -> int:
    """Return the exit code that tells a script what sort of error this is."""
    if isinstance(error, BadInput | NotFound):
        return INPUT
    if error.key.startswith("server.running_here"):
        return RUNNING
    # A broken chain is a finding: the store itself still answers.
    if isinstance(error, StoreError) and not isinstance(error, LedgerBroken):
        return STORE
    return OTHER


def speak_utf8() -> None:
    """Write and read UTF-8 whatever the locale says, and never fail on half a character."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")


def chosen_settings(home: Path) -> Settings:
    """Return the settings; broken ones are told of elsewhere, and count as none."""
    try:
        return read_settings(home)
    except (SettingsError, OSError):
        return Settings()


def standing_in() -> Path | None:
    """Return the folder that is stood in, if it is still there."""
    return SEAT.get().folder


# What `python -m saegim` runs.
_MODULE = Path(__file__).resolve().parents[1] / "__main__.py"
# The name of our command where a sentence begins to say how to call it.
_CALLED = re.compile(r"(?<![\w./-])saegim(?= [a-z-])")


def own_command() -> str:
    """Return this program as it can be typed where one stands: by its path where no shell knows it.

    In an environment that is not active, the bare name finds nothing, or another Saegim.
    """
    seat = SEAT.get()
    given, python = seat.program
    script = os.path.abspath(given)
    if os.path.realpath(script) == str(_MODULE):
        return f"{shlex.quote(python)} -m saegim"
    known = shutil.which("saegim", path=seat.environment.get("PATH"))
    is_known = known is not None and os.path.realpath(known) == os.path.realpath(script)
    if is_known or os.path.basename(script) != "saegim" or not os.path.isfile(script):
        return "saegim"
    folder = standing_in()
    near = os.path.relpath(script, folder) if folder else script
    # A name without a folder is looked for elsewhere than here.
    return shlex.quote(near if os.sep in near and not near.startswith(os.pardir) else script)


def pasteable(sentence: str) -> str:
    """Return a sentence in which every command of ours can be copied into the shell."""
    program = own_command()
    return sentence if program == "saegim" else _CALLED.sub(lambda _: program, sentence)


def _written(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


# -- who sits there -------------------------------------------------------------------------------

# What agents set for what they run.
_MARKS = re.compile(
    "CLAUDECODE|CLAUDE_CODE_(ENTRYPOINT|SESSION_ID|REMOTE)|CURSOR_.+|CODEX_.+|GEMINI_CLI.*"
    "|AIDER_.+|QWEN_CODE.*|OPENCODE.*|GOOSE_TERMINAL|CLINE_ACTIVE|AUGMENT_AGENT|COPILOT_AGENT.*"
    "|AI_AGENT"
)
# Settings of theirs that people export in every terminal they open.
_SETTINGS = re.compile(".+_(API_KEY|HOME|CONFIG|CONFIG_DIR|MODEL|BASE_URL|BIN_PATH)")
AGENTS = frozenset(
    "aider amp auggie claude claude-code cline codex copilot crush cursor cursor-agent droid "
    "gemini gemini-cli goose kilocode kimi kiro-cli opencode openhands plandex qwen qwen-code "
    "windsurf".split()
)
# They make a terminal for another program and type into it.
PLAYERS = frozenset("autoexpect expect script socat unbuffer".split())
_RUNS_OTHERS = re.compile(r"(python|pypy|node|nodejs|bun|deno|ruby|sh|bash|dash|zsh)[0-9.]*")
_PACKAGE = re.compile(r"(?:node_modules|site-packages)/(?:@[^/]+/)?([^/]+)")
_SUFFIX = re.compile(r"\.(exe|js|mjs|cjs|ts|py|sh)$")
# No terminal stands deeper than this.
_MOST_ABOVE = 64


class ProcessAbove(NamedTuple):
    """A process that this one was started by, near or far."""

    pid: int
    name: str
    words: tuple[str, ...]


def agent_here(environment: Mapping[str, str]) -> str:
    """Return by what an agent, or a made terminal, is seen around this process; "" if by nothing.

    Where the system shows no processes of others, only the environment is looked at.
    """
    for name in sorted(environment):
        if _MARKS.fullmatch(name) and not _SETTINGS.fullmatch(name):
            return name
    for each in above():
        if known := _names(each) & (AGENTS | PLAYERS):
            return f"{min(known)} ({each.pid})"
    return ""


def _names(process: ProcessAbove) -> set[str]:
    """Return what a process may be called: itself, and the program that it only carries out."""
    words = [each for each in process.words if each]
    called = [process.name, *words[:1]]
    if words and _RUNS_OTHERS.fullmatch(os.path.basename(words[0])):
        carried = next((each for each in words[1:] if not each.startswith("-")), "")
        called += [carried, *_PACKAGE.findall(carried)]
    return {_SUFFIX.sub("", os.path.basename(each).casefold()) for each in called}


def above() -> Iterator[ProcessAbove]:
    """Yield the processes that this one was started by, the nearest first."""
    read = _from_proc if os.path.isdir("/proc/self") else _from_ps()
    pid = os.getppid()
    for _ in range(_MOST_ABOVE):
        found = read(pid) if pid > 1 else None
        if found is None:
            return
        parent, process = found
        yield process
        pid = parent


def _from_proc(pid: int) -> tuple[int, ProcessAbove] | None:
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        line = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return None
    # A name may hold brackets and spaces.
    name, _, rest = told.partition("(")[2].rpartition(")")
    return int(rest.split()[1]), ProcessAbove(pid, name, tuple(line.split("\0")))


def _from_ps() -> Callable[[int], tuple[int, ProcessAbove] | None]:
    """Return a reader of what `ps` says, where there is one (macOS, BSD)."""
    import subprocess

    try:
        told = subprocess.run(
            ["/bin/ps", "-axo", "pid=,ppid=,command="],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=10,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return lambda _: None
    known: dict[int, tuple[int, ProcessAbove]] = {}
    for line in told.splitlines():
        number, parent, *words = line.split()
        first = os.path.basename(words[0]) if words else ""
        pid = int(number)
        known[pid] = int(parent), ProcessAbove(pid, first, tuple(words))
    return known.get


# -- the desktop ----------------------------------------------------------------------------------

# Not looked for in PATH: whoever types here may have set it.
NOTIFIERS = (
    "/usr/bin/notify-send",
    "/usr/local/bin/notify-send",
    "/run/current-system/sw/bin/notify-send",
    "/usr/bin/osascript",
)
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
_NOTICE_SECONDS = 10
_TELL = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"


def told_on_desktop(title: str, words: str, environment: Mapping[str, str]) -> bool:
    """Show a notice beside the terminal; say whether a desktop took it."""
    import subprocess
    from html import escape

    for each in NOTIFIERS:
        if not os.path.exists(each):
            continue
        if each.endswith("osascript"):
            line = [each, "-e", _TELL, "--", visible(title), visible(words)]
        elif any(environment.get(screen) for screen in _SCREENS):
            # A notice may be read as markup.
            line = [each, "-u", "critical", "-a", "Saegim", "--", visible(title)]
            line.append(escape(visible(words)))
        else:
            continue
        try:
            subprocess.run(line, capture_output=True, timeout=_NOTICE_SECONDS, check=True)  # noqa: S603
        except (OSError, subprocess.SubprocessError):
            continue
        return True
    return False
