"""The clients we can connect to: where each keeps its configuration and what an entry looks like.

Only places that the makers of a client document, or that its own command line writes to.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from saegim.errors import BadInput, NotFound, hint
from saegim.serve.terminal import is_whole

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Machine:
    """Whose machine this is: the home folder, the system and the environment."""

    home: Path
    system: str = sys.platform
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    @classmethod
    def here(cls) -> Machine:
        """Return the machine this process runs on."""
        return cls(Path.home())

    def of(self, variable: str, otherwise: Path) -> Path:
        """Return the folder that a variable names, or another if it is not set."""
        named = self.environment.get(variable)
        return Path(named).expanduser() if named else otherwise

    @property
    def settings(self) -> Path:
        """Return where programs with windows keep their settings."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        if self.system == "win32":
            return self.of("APPDATA", self.home / "AppData" / "Roaming")
        return self.of("XDG_CONFIG_HOME", self.home / ".config")

    @property
    def dotted(self) -> Path:
        """Return the folder `.config`, which some programs use on every system."""
        return self.of("XDG_CONFIG_HOME", self.home / ".config")


@dataclass(frozen=True, slots=True)
class Client:
    """One client: its name here, its name elsewhere, its programs, its files, its entries."""

    name: str
    title: str
    programs: tuple[str, ...]
    # The files it reads, the one to make if there is none first.
    files: Callable[[Machine], tuple[Path, ...]]
    # The same inside one project; empty where a client has nothing of the kind.
    here: tuple[str, ...]
    # The object that holds the servers, and what one of them looks like there.
    holder: tuple[str, ...]
    shape: Callable[[Words], dict[str, Any]]
    toml: bool = False
    # Where hooks belong, for a client that runs them from a file of their own.
    hooks: Callable[[Machine], Path] | None = None
    hooks_here: str = ""

    def found(self, machine: Machine) -> bool:
        """Say whether the client seems to be on this machine."""
        path = machine.environment.get("PATH")
        if any(shutil.which(each, path=path) for each in self.programs):
            return True
        files = self.files(machine)
        if self.hooks is not None:
            files += (self.hooks(machine),)
        # A folder of its own tells as much; the home folder, which everyone has, tells nothing.
        return any(
            file.exists() or (file.parent != machine.home and file.parent.is_dir())
            for file in files
        )


def _split(words: Words) -> dict[str, Any]:
    return {"command": words[0], "args": list(words[1:])}


def _typed(words: Words) -> dict[str, Any]:
    return {"type": "stdio", **_split(words)}


def _listed(words: Words) -> dict[str, Any]:
    return {"type": "local", "command": list(words)}


def _claude(machine: Machine) -> Path:
    return machine.of("CLAUDE_CONFIG_DIR", machine.home / ".claude")


def _claude_state(machine: Machine) -> tuple[Path, ...]:
    # Beside its folder unless the folder was named, then inside it.
    return (machine.of("CLAUDE_CONFIG_DIR", machine.home) / ".claude.json",)


def _zed(machine: Machine) -> tuple[Path, ...]:
    if machine.system == "win32":
        return (machine.settings / "Zed" / "settings.json",)
    folder = machine.home / ".config" if machine.system == "darwin" else machine.dotted
    return (folder / "zed" / "settings.json",)


CLIENTS: tuple[Client, ...] = (
    Client(
        "claude-code",
        "Claude Code",
        ("claude",),
        _claude_state,
        (".mcp.json",),
        ("mcpServers",),
        _typed,
        hooks=lambda machine: _claude(machine) / "settings.json",
        hooks_here=".claude/settings.json",
    ),
    Client(
        "claude-desktop",
        "Claude Desktop",
        (),
        lambda machine: (machine.settings / "Claude" / "claude_desktop_config.json",),
        (),
        ("mcpServers",),
        _split,
    ),
    Client(
        "codex",
        "Codex",
        ("codex",),
        lambda machine: (machine.of("CODEX_HOME", machine.home / ".codex") / "config.toml",),
        (),
        ("mcp_servers",),
        _split,
        toml=True,
    ),
    Client(
        "cursor",
        "Cursor",
        ("cursor", "cursor-agent"),
        lambda machine: (machine.home / ".cursor" / "mcp.json",),
        (".cursor/mcp.json",),
        ("mcpServers",),
        _split,
    ),
    Client(
        "vscode",
        "Visual Studio Code",
        ("code",),
        lambda machine: (machine.settings / "Code" / "User" / "mcp.json",),
        (".vscode/mcp.json",),
        ("servers",),
        _typed,
    ),
    Client(
        "windsurf",
        "Windsurf",
        ("windsurf",),
        lambda machine: (machine.home / ".codeium" / "windsurf" / "mcp_config.json",),
        (),
        ("mcpServers",),
        _split,
    ),
    Client(
        "gemini-cli",
        "Gemini CLI",
        ("gemini",),
        lambda machine: (machine.home / ".gemini" / "settings.json",),
        (".gemini/settings.json",),
        ("mcpServers",),
        _split,
    ),
    Client(
        "zed",
        "Zed",
        ("zed", "zeditor"),
        _zed,
        (".zed/settings.json",),
        ("context_servers",),
        _split,
    ),
    Client(
        "opencode",
        "OpenCode",
        ("opencode",),
        lambda machine: tuple(
            machine.dotted / "opencode" / name for name in ("opencode.json", "opencode.jsonc")
        ),
        ("opencode.json", "opencode.jsonc"),
        ("mcp",),
        _listed,
    ),
)


def named(name: str) -> Client:
    """Return the client of that name."""
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    for each in CLIENTS:
        if each.name == wanted:
            return each
    names = [each.name for each in CLIENTS]
    raise NotFound("client.no_client", name=name, hint=hint(wanted, names), known=", ".join(names))


# uvx unpacks what it runs into its cache, from where it may be swept away.
_CACHED = re.compile(r"archive-v\d+")
# A version may be named, an address may not: whatever lies there would be run.
_PACKAGE = re.compile(r"saegim(?:(?:@|==)(?:latest|\d[\w.+!-]*))?")
_PYTHON = re.compile(r"py(?:thon[\d.]*)?w?")
# -P, or the folder one stands in comes first: its own `saegim` would be run, whoever wrote it.
_MODULE = ("-P", "-m", "saegim")


def running(
    program: str | None = None,
    environment: Mapping[str, str] | None = None,
    python: str | None = None,
) -> tuple[str, ...]:
    """Return the words that start this very Saegim again from anywhere."""
    python = python or sys.executable
    env = os.environ if environment is None else environment
    if any(_CACHED.fullmatch(part) for part in Path(python).parts):
        words: tuple[str, ...] = (_uvx(env), "saegim")
    else:
        words = _installed(Path(os.path.abspath(program or sys.argv[0])), Path(python))
    if not all(is_whole(word) for word in words):
        raise BadInput("client.path_of_program")
    return words


def _installed(program: Path, python: Path) -> tuple[str, ...]:
    # A link such as ~/.local/bin/saegim outlives what it points to, so it is not followed.
    beside = [python.with_name("saegim.exe"), python.with_name("saegim")]
    candidates = [program, *beside] if program.stem.lower() == "saegim" else beside
    for each in candidates:
        if each.is_file() and os.access(each, os.X_OK):
            return (str(each),)
    return (str(python), *_MODULE)


def _uvx(environment: Mapping[str, str]) -> str:
    """Return the uvx beside the uv that started us, or the first one on the path."""
    if uv := environment.get("UV"):
        beside = Path(uv).with_name("uvx" + Path(uv).suffix)
        if beside.is_file():
            return str(beside)
    return shutil.which("uvx", path=environment.get("PATH")) or "uvx"


def words_of(entry: Mapping[str, object]) -> tuple[str, ...]:
    """Return the command line that an entry of a client's configuration runs, as words."""
    command, arguments = entry.get("command"), entry.get("args")
    head = command if isinstance(command, list) else [command] if isinstance(command, str) else []
    rest = arguments if isinstance(arguments, list) else []
    words = [each for each in (*head, *rest) if isinstance(each, str)]
    if len(words) == 1 and not os.path.isfile(words[0]):
        try:
            # Not as a POSIX shell does it: backslashes are part of a path of Windows.
            return tuple(each.strip("\"'") for each in shlex.split(words[0], posix=False))
        except ValueError:
            return tuple(words)
    return tuple(words)


def program_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words that start Saegim, without what is asked of it; none if they do not.

    Only what we write ourselves counts: any other word in between could run anything.
    """
    stem = re.split(r"[\\/]", words[0])[-1].lower().removesuffix(".exe") if words else ""
    if stem == "saegim":
        return tuple(words[:1])
    if stem == "uvx" and len(words) > 1 and _PACKAGE.fullmatch(words[1]):
        return tuple(words[:2])
    if _PYTHON.fullmatch(stem):
        # Without -P as we wrote it once, so that it is brought up to date and taken out.
        for form in (_MODULE, _MODULE[1:]):
            if tuple(words[1 : len(form) + 1]) == form:
                return tuple(words[: len(form) + 1])
    return ()


def is_ours(words: Sequence[str]) -> bool:
    """Say whether these words run Saegim, whatever they ask of it."""
    return bool(program_of(words))


def missing(words: Sequence[str]) -> bool:
    """Say whether the program that these words begin with is not on this machine."""
    return not words or shutil.which(words[0]) is None
