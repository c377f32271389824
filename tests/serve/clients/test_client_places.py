"""Where clients keep their configuration, and which command they are given (U15.2, U15.3)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from saegim.errors import BadInput, NotFound
from saegim.serve.clients import flow, roster
from saegim.serve.clients.flow import ClientPlace
from saegim.serve.clients.roster import CLIENTS, Client, Machine, named

HOME = Path("/홍 길동 (회사)")
LINUX, MAC, WINDOWS = "linux", "darwin", "win32"
ROAMING = {"APPDATA": "/홍 길동 (회사)/AppData/Roaming"}


@pytest.mark.parametrize(
    ("name", "system", "environment", "file"),
    [
        ("claude-code", LINUX, {}, ".claude.json"),
        ("claude-code", WINDOWS, ROAMING, ".claude.json"),
        ("claude-code", LINUX, {"CLAUDE_CONFIG_DIR": "/c d"}, "/c d/.claude.json"),
        (
            "claude-desktop",
            MAC,
            {},
            "Library/Application Support/Claude/claude_desktop_config.json",
        ),
        ("claude-desktop", WINDOWS, ROAMING, "AppData/Roaming/Claude/claude_desktop_config.json"),
        ("claude-desktop", LINUX, {}, ".config/Claude/claude_desktop_config.json"),
        ("codex", MAC, {}, ".codex/config.toml"),
        ("codex", LINUX, {"CODEX_HOME": "/x"}, "/x/config.toml"),
        ("cursor", WINDOWS, ROAMING, ".cursor/mcp.json"),
        ("vscode", MAC, {}, "Library/Application Support/Code/User/mcp.json"),
        ("vscode", WINDOWS, ROAMING, "AppData/Roaming/Code/User/mcp.json"),
        ("vscode", LINUX, {}, ".config/Code/User/mcp.json"),
        ("windsurf", LINUX, {}, ".codeium/windsurf/mcp_config.json"),
        ("gemini-cli", MAC, {}, ".gemini/settings.json"),
        ("zed", MAC, {}, ".config/zed/settings.json"),
        ("zed", WINDOWS, ROAMING, "AppData/Roaming/Zed/settings.json"),
        ("zed", LINUX, {"XDG_CONFIG_HOME": "/x"}, "/x/zed/settings.json"),
        ("opencode", WINDOWS, ROAMING, ".config/opencode/opencode.json"),
        ("opencode", LINUX, {"XDG_CONFIG_HOME": "/x"}, "/x/opencode/opencode.json"),
    ],
)
def test_each_client_is_looked_for_where_it_keeps_its_files(
    name: str, system: str, environment: dict[str, str], file: str
) -> None:
    """U15.2: the places of Linux, macOS and Windows, and the variables that move them."""
    machine = Machine(HOME, system, environment)
    assert named(name).files(machine)[0] == HOME / file


@pytest.mark.parametrize(
    ("environment", "file"),
    [({}, ".claude/settings.json"), ({"CLAUDE_CONFIG_DIR": "/c"}, "/c/settings.json")],
)
def test_hooks_lie_where_claude_code_reads_them(environment: dict[str, str], file: str) -> None:
    """The settings follow CLAUDE_CONFIG_DIR, as the server does."""
    hooks = named("claude-code").hooks
    assert hooks is not None
    assert hooks(Machine(HOME, LINUX, environment)) == HOME / file


@pytest.mark.parametrize("client", CLIENTS, ids=lambda each: each.name)
def test_a_project_has_its_own_file_or_is_refused(client: Client, tmp_path: Path) -> None:
    """--here writes into the folder of the project, and never into the person's own files."""
    where = ClientPlace(Machine(HOME, LINUX, {}), tmp_path)
    if client.here:
        assert flow.server_file(client, where).parent.is_relative_to(tmp_path)
        assert flow.hooks_file(client, where) in (None, tmp_path / ".claude" / "settings.json")
    else:
        with pytest.raises(BadInput, match="no configuration for one project"):
            flow.server_file(client, where)


def test_an_unknown_client_is_told_which_there_are() -> None:
    """A slip of the pen is answered with the names that can be used."""
    assert named("Claude_Code").name == "claude-code"
    with pytest.raises(NotFound, match="'emacs'") as told:
        named("emacs")
    assert all(each.name in told.value.next_step for each in CLIENTS)


# -- the command ----------------------------------------------------------------------------------


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    """Make an executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_running_program_is_named_by_its_whole_path(tmp_path: Path) -> None:
    """U15.2: a link in the person's folder is kept, since it outlives what it points to."""
    real = program(tmp_path / "tools" / "saegim")
    link = tmp_path / "홍 길동 (회사)" / "saegim"
    link.parent.mkdir()
    link.symlink_to(real)
    assert roster.running(str(link), {}, "/usr/bin/python3") == (str(link),)


def test_a_program_started_as_a_module_is_named_by_its_script_or_by_python(tmp_path: Path) -> None:
    """`python -m saegim` is written as the script beside that Python, or else by that Python."""
    python = program(tmp_path / "bin" / "python3")
    module = str(tmp_path / "saegim" / "__main__.py")
    assert roster.running(module, {}, str(python)) == (str(python), "-P", "-m", "saegim")
    script = program(tmp_path / "bin" / "saegim")
    assert roster.running(module, {}, str(python)) == (str(script),)


def test_what_uvx_runs_is_named_by_uvx(tmp_path: Path) -> None:
    """The cache of uv may be swept away, so the entry names uvx and not a file in there."""
    python = tmp_path / "cache" / "archive-v0" / "a1" / "bin" / "python"
    inside = program(python.with_name("saegim"))
    uvx = program(tmp_path / "uvx")
    env = {"UV": str(tmp_path / "uv"), "PATH": ""}
    assert roster.running(str(inside), env, str(python)) == (str(uvx), "saegim")
    uvx.unlink()
    assert roster.running(str(inside), env, str(python)) == ("uvx", "saegim")


def test_a_path_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """JSON and TOML hold text: a path in another encoding cannot be written into them."""
    odd = program(tmp_path / os.fsdecode(b"\xb0\xa1") / "saegim")
    with pytest.raises(BadInput, match="not UTF-8"):
        roster.running(str(odd), {}, "/usr/bin/python3")


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ({"command": "/opt/a b/saegim", "args": ["hook", "stop"]}, True),
        ({"command": "C:\\Users\\홍 길동\\Scripts\\saegim.exe", "args": ["mcp"]}, True),
        ({"command": '"C:\\Program Files\\saegim.exe" hook stop'}, True),
        ({"command": "C:\\tools\\saegim.exe hook stop"}, True),
        ({"command": "uvx", "args": ["saegim", "mcp"]}, True),
        ({"command": "uvx", "args": ["saegim@0.1.0", "mcp"]}, True),
        ({"command": "/v/bin/python3.11", "args": ["-m", "saegim", "mcp"]}, True),
        ({"command": "/v/bin/python3.11", "args": ["-P", "-m", "saegim", "mcp"]}, True),
        ({"command": "C:\\v\\python.exe", "args": ["-P", "-m", "saegim", "mcp"]}, True),
        ({"command": ["saegim", "mcp"]}, True),
        ({"command": "saegim-notes", "args": ["hook", "stop"]}, False),
        ({"command": "echo saegim hook stop"}, False),
        ({"command": "/home/saegim/run.sh", "args": ["hook"]}, False),
        ({"command": "uvx", "args": ["other", "saegim.txt"]}, False),
        ({"command": "uvx", "args": ["--from", "https://e.example/x", "saegim", "mcp"]}, False),
        ({"command": "uvx", "args": ["--from", "saegim==0.1.0", "saegim", "mcp"]}, False),
        ({"command": "uvx", "args": ["--with", "saegim", "evil"]}, False),
        ({"command": "uvx", "args": ["saegim@https://e.example/x.zip", "mcp"]}, False),
        ({"command": "uvx", "args": ["saegim@git+ssh://e.example/x", "mcp"]}, False),
        ({"command": "uvx"}, False),
        ({"command": "uv", "args": ["run", "saegim", "mcp"]}, False),
        ({"command": "python3", "args": ["-c", "import x", "-m", "saegim", "mcp"]}, False),
        ({"command": "python3 -c 'import x' -m saegim hook stop"}, False),
        ({"command": "python3", "args": ["evil.py", "-m", "saegim", "mcp"]}, False),
        ({"command": "python3", "args": ["-P", "-i", "-m", "saegim", "mcp"]}, False),
        ({"command": "python3", "args": ["-m", "saegim.evil", "mcp"]}, False),
        ({"command": "it's broken"}, False),
        ({"type": "http", "url": "http://saegim"}, False),
    ],
)
def test_only_what_runs_saegim_is_ours(entry: dict[str, object], ours: bool) -> None:
    """U34.1: a program of a similar name, or one that mentions us, belongs to someone else."""
    assert roster.is_ours(roster.words_of(entry)) is ours


def test_a_repository_does_not_run_its_own_saegim(tmp_path: Path) -> None:
    """U15.3: hooks and servers start in the folder one works in, whoever wrote what lies there."""
    hostile = tmp_path / "saegim"
    hostile.mkdir()
    (hostile / "__init__.py").touch()
    (hostile / "__main__.py").write_text("print('owned')\n", encoding="utf-8")
    # No script lies beside this one.
    words = roster.running(str(hostile / "__main__.py"), {}, str(tmp_path / "python3"))

    def said(*words: str) -> str:
        line = (sys.executable, *words[1:], "--version")
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout

    assert "owned" not in said(*words)
    # Control: without the word that keeps the folder out it would be run.
    assert said(*(each for each in words if each != "-P")) == "owned\n"


@pytest.mark.parametrize("name", ["a b", "홍 길동 (회사)", "$HOME 'x' \"y\" `z` & | ;"])
def test_a_hook_runs_without_a_shell(name: str, tmp_path: Path) -> None:
    """U15.3: the words of an entry, started as they are, reach the program whole."""
    script = f"#!{sys.executable}\nimport sys\nprint(sys.argv[1:])\n"
    path = program(tmp_path / name / "saegim", script)
    client = named("claude-code")
    machine = Machine(tmp_path / "home", LINUX, {"PATH": ""})
    plan = flow.to_install(client, ClientPlace(machine), (str(path),), ("mcp",), hook=True)
    after = plan.edits[1].after
    assert after is not None
    for _, words in flow.hook_entries.found(after.decode(), "x"):
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        assert done.stdout == f"{list(words[1:])}\n"
