"""What lies on a machine on the first day: notes, rules and memories that other programs kept.

Only places that the makers of the programs document are looked at, and nothing is opened here but
the settings in which the reference MCP server of memories is told where it keeps them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

# What a client reads at the start of every session: its person's own, and those of a project.
_OWN_NOTES: Final = {
    "claude-code": (".claude/CLAUDE.md",),
    "codex": (".codex/AGENTS.md",),
    "gemini-cli": (".gemini/GEMINI.md",),
    "opencode": (".config/opencode/AGENTS.md",),
}
_PROJECT_NOTES: Final = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md")
# The form of a note is known by its name.
_NOTE, _SERVER_MEMORY = "auto", "server-memory"
# Where clients write which MCP servers they start.
_SERVERS: Final = (
    ".claude.json",
    ".cursor/mcp.json",
    ".gemini/settings.json",
    ".codeium/windsurf/mcp_config.json",
    ".config/Claude/claude_desktop_config.json",
    "Library/Application Support/Claude/claude_desktop_config.json",
)
_SERVER: Final = "server-memory"
# Where the server keeps its file if nobody names one: beside itself, in npm's cache.
_IN_CACHE: Final = ".npm/_npx/*/node_modules/@modelcontextprotocol/server-memory/dist/memory.json*"
_MOST_BYTES: Final = 16 << 20


@dataclass(frozen=True, slots=True)
class FirstDaySource:
    """A file that could be read in, as what, and whether it belongs to the project at hand."""

    path: Path
    form: str
    of_project: bool = False


def around_client(client: str, home: Path, folder: Path | None) -> list[FirstDaySource]:
    """Return what could be read in when a client is connected, each file once."""
    found: dict[Path, FirstDaySource] = {}
    for each in (*_notes(client, home, folder), *_kept_by_server(home)):
        if each.path.is_file() and 0 < each.path.stat().st_size <= _MOST_BYTES:
            found.setdefault(each.path.resolve(), each)
    return list(found.values())


def _notes(client: str, home: Path, folder: Path | None) -> Iterator[FirstDaySource]:
    for name in _OWN_NOTES.get(client, ()):
        yield FirstDaySource(home / name, _NOTE)
    if folder is not None and folder != home:
        for name in _PROJECT_NOTES:
            yield FirstDaySource(folder / name, _NOTE, of_project=True)


def _kept_by_server(home: Path) -> Iterator[FirstDaySource]:
    """Yield the files of the reference server of memories, wherever a client was told of them."""
    for name in _SERVERS:
        for named in _named_in(home / name):
            yield FirstDaySource(Path(named).expanduser(), _SERVER_MEMORY)
    for file in sorted(home.glob(_IN_CACHE)):
        yield FirstDaySource(file, _SERVER_MEMORY)


def _named_in(settings: Path) -> list[str]:
    """Return the files that the settings of a client name for the reference server."""
    try:
        if settings.stat().st_size > _MOST_BYTES:
            return []
        held = json.loads(settings.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return []  # there is none, or it is not plain JSON: nothing is offered from it
    return [named for each in _servers(held) if (named := _file_of(each))]


def _servers(held: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the servers of a client, also those that it keeps for each project."""
    if isinstance(held, dict):
        for servers in (held.get("mcpServers"), held.get("servers")):
            if isinstance(servers, dict):
                yield from (each for each in servers.values() if isinstance(each, dict))
        projects = held.get("projects")
        for each in projects.values() if isinstance(projects, dict) else ():
            yield from _servers(each)


def _file_of(server: Mapping[str, Any]) -> str:
    words = [str(server.get("command", "")), *map(str, server.get("args") or ())]
    environment = server.get("env")
    named = environment.get("MEMORY_FILE_PATH") if isinstance(environment, dict) else None
    return str(named) if named and any(_SERVER in each for each in words) else ""
