"""The clients we can connect to: where each keeps its configuration and what an entry looks like.

Only places that the makers of a client document, or that its own command line writes to.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from saegim.errors import NotFound

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
    raise NotFound("client.no_client", name=name, known=", ".join(each.name for each in CLIENTS))
