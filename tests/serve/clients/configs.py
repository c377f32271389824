"""Configurations as people have them, for every client: what the installer must give back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from saegim.serve.clients.roster import CLIENTS, Client, Machine

# What each of the fifteen is about (U34.1).
CASES = (
    "comments other_hooks other_servers crlf bom read_only symlink tabs trailing_commas empty "
    "missing deep changed_by_hand unparsable korean_home"
).split()
REFUSED = ("read_only", "unparsable")
WORDS = ("/opt/새김 (home)/saegim",)


@dataclass(frozen=True)
class Setup:
    """A home folder with one client's files in it."""

    client: Client
    machine: Machine
    files: tuple[Path, ...]

    def bytes(self) -> dict[Path, bytes | None]:
        """Return what is in each file now."""
        return {each: each.read_bytes() if each.exists() else None for each in self.files}

    def everything(self) -> dict[str, bytes]:
        """Return every file below the home folder but the copies that were kept aside."""
        found = [each for each in self.machine.home.rglob("*") if each.is_file()]
        kept = [each for each in found if ".before-saegim-" not in each.name]
        return {str(each.relative_to(self.machine.home)): each.read_bytes() for each in kept}


def machine_at(home: Path) -> Machine:
    """Return a Linux machine whose home folder this is, with no program on its path."""
    return Machine(home, "linux", {"PATH": ""})


def matrix() -> Iterator[tuple[str, str]]:
    """Yield every client with every case."""
    for client in CLIENTS:
        for case in CASES:
            yield client.name, case


def set_up(client: Client, case: str, folder: Path) -> Setup:
    """Lay the files of a case into a new home folder."""
    home = folder / ("홍 길동 (회사)" if case == "korean_home" else "user")
    home.mkdir()
    machine = machine_at(home)
    files = [client.files(machine)[0]]
    if client.hooks is not None:
        files.append(client.hooks(machine))
    for at, path in enumerate(files):
        if case == "missing":
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        text = toml_text(case) if client.toml else json_text(client, case, hooks=at == 1)
        _lay(path, text, case)
    return Setup(client, machine, tuple(files))


def _lay(path: Path, text: str, case: str) -> None:
    real = path
    if case == "symlink":
        real = path.with_name(f"dotfiles-{path.name}")
        path.symlink_to(real.name)
    real.write_bytes(text.encode())
    real.chmod(0o444 if case == "read_only" else 0o640)


# -- JSON -----------------------------------------------------------------------------------------


def json_text(client: Client, case: str, *, hooks: bool) -> str:
    """Return the JSON of a case; the settings of hooks hold those of others."""
    holder = client.holder[0]
    other = json.dumps(client.shape(("npx", "-y", "other")))
    servers = f'"{holder}": {{\n    "other": {other}\n  }}'
    notify = '{ "hooks": [ { "type": "command", "command": "notify \\"끝\\"" } ] }'
    stop = f'"Stop": [\n      {notify}\n    ]'
    mine = f'"hooks": {{\n    {stop}\n  }}' if hooks else servers
    plain = f'{{\n  "theme": "dark",\n  {mine}\n}}\n'
    match case:
        case "comments":
            theme = '/* look */ "theme": "dark", // 밤'
            return f"// 내 설정\n{{\n  {theme}\n  {mine} // last\n  // end\n}}"
        case "other_hooks":
            pre = '"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "http", "url": "x"}]}]'
            return f'{{\n  "hooks": {{\n    {pre},\n    {stop}\n  }},\n  "theme": "dark"\n}}\n'
        case "other_servers":
            return f'{{"{holder}": {{"a": {other}, "b": {other}}}, "hooks": {{"Stop": []}}}}'
        case "crlf":
            return plain.replace("\n", "\r\n")
        case "bom":
            return "\ufeff" + plain
        case "tabs":
            return plain.replace("  ", "\t")
        case "trailing_commas":
            return f'{{\n    "theme": "dark",\n    {mine},\n}}\n\n'
        case "empty":
            return ""
        case "deep":
            return f'{{"deep": {"[" * 1200}{"]" * 1200}, {mine}, "x": {{"{holder}": {{}}}}}}\n'
        case "unparsable":
            return plain.replace('"dark",', '"dark"')
        case _:
            return plain


# -- TOML -----------------------------------------------------------------------------------------


def toml_text(case: str) -> str:
    """Return the TOML of a case."""
    plain = (
        'model = "m"\nnotify = ["say", "끝"]\n\n[mcp_servers.other]\n'
        'command = "npx"\nargs = ["-y", "other"]\n'
    )
    match case:
        case "comments":
            return f"# 내 설정\n{plain}  # [mcp_servers.saegim]\n# end"
        case "other_hooks":
            return (
                f'{plain}\n[[hooks.Stop]]\nrun = """\n[mcp_servers.saegim]\ncommand = 1\n"""\n\n\n'
            )
        case "other_servers":
            return f"{plain}[mcp_servers.saegim-notes]\ncommand = 'saegim'\n[profiles.a]\nx = 1"
        case "crlf":
            return plain.replace("\n", "\r\n")
        case "bom":
            return "\ufeff" + plain
        case "tabs":
            return plain.replace("command", "\tcommand").replace("args", "\t\targs")
        case "trailing_commas":
            return plain.replace('"other"]', '\n  "other", # ]\n]')
        case "empty":
            return ""
        case "deep":
            lists = "[" * 80 + "]" * 80
            return f"{plain}[a.b.'c d'.\"e\".f]\ng = {lists}\nh.i.j = {{ k = {{ l = 1 }} }}\n"
        case "unparsable":
            return plain.replace('"m"', "m")
        case _:
            return plain
