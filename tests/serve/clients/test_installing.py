"""The commands `install` and `uninstall`: shown, asked, written, taken back (U34.1)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from saying import Say
from terminals import on_a_terminal, plain

from saegim.serve.clients.roster import CLIENTS
from saegim.serve.speech import Speech

BEFORE = '{\n  // mine\n  "mcpServers": {\n    "other": {"env": {"KEY": "sk-secret"}}\n  }\n}\n'


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of a person in Korea, where no client was ever started."""
    home = tmp_path / "홍 길동 (회사)"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def config(user: Path) -> Path:
    """A configuration of Cursor with a server of somebody else."""
    path = user / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(BEFORE, encoding="utf-8")
    return path


def test_install_shows_asks_and_can_be_taken_back(say: Say, config: Path, tmp_path: Path) -> None:
    """U34.1: the change is shown, written, said where the old file lies, and taken back whole."""
    told = say("install", "cursor", "--yes")
    assert told.code == 0
    assert '+    "saegim": {' in told.err
    assert "Cursor is connected." in told.out
    assert "saegim uninstall cursor" in told.out
    (copy,) = config.parent.glob("mcp.json.before-saegim-*")
    assert str(copy) in told.out
    assert copy.read_text(encoding="utf-8") == BEFORE
    again = say("install", "cursor", "--yes")
    assert (again.out, again.err) == ("Cursor is connected already; nothing to do.\n", "")
    back = say("uninstall", "cursor", "--yes")
    assert "Cursor is no longer connected." in back.out
    assert str(tmp_path / "home" / "saegim.db") in back.out
    assert config.read_text(encoding="utf-8") == BEFORE
    assert "not connected; nothing to do" in say("uninstall", "cursor", "--yes").out


def test_without_a_yes_nothing_is_written(say: Say, config: Path) -> None:
    """U34.1: where nobody can be asked, the change is shown and --yes is asked for."""
    told = say("install", "cursor")
    assert told.code == 2
    assert '+    "saegim": {' in told.err
    assert "Add --yes." in told.err
    assert config.read_text(encoding="utf-8") == BEFORE
    assert say("--json", "install", "cursor").json["error"]["next_step"] == "Add --yes."


def test_a_dry_run_writes_nothing(say: Say, config: Path, tmp_path: Path) -> None:
    """U34.1: --dry-run shows the change on standard output and leaves every file alone."""
    told = say("install", "cursor", "--dry-run")
    assert told.code == 0
    assert '+    "saegim": {' in told.out
    assert "Nothing was written." in told.out
    document = say("--json", "install", "cursor", "--dry-run", "--yes").json
    assert document["changed"] is False
    assert document["files"][0]["changes"] is True
    assert document["files"][0]["backup"] is None
    assert config.read_text(encoding="utf-8") == BEFORE
    assert list(config.parent.iterdir()) == [config]
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(("answer", "written"), [("y", True), ("n", False)])
def test_a_person_at_a_terminal_is_asked(answer: str, written: bool, config: Path) -> None:
    """U34.1: the change stands before the question, and only a clear yes counts."""
    code, seen = on_a_terminal("install", "cursor", answer=answer)
    shown = plain(seen)
    assert shown.index('+    "saegim": {') < shown.index("Write this? [y/N]")
    assert (code == 0) is written
    assert (config.read_text(encoding="utf-8") != BEFORE) is written


def test_secrets_further_away_are_not_shown(say: Say, config: Path) -> None:
    """A diff goes to terminals, logs and agents: keys of other servers do not belong there."""
    config.write_text(
        '{\n  "mcpServers": {\n    "other": {\n      "env": {\n        "KEY": "sk-secret"\n'
        "      }\n    }\n  }\n}\n",
        encoding="utf-8",
    )
    assert "sk-secret" not in say("--json", "install", "cursor", "--yes").out
    one_line = json.dumps({"mcpServers": {"o": {"env": {"KEY": "sk-secret", "x": "y" * 400}}}})
    config.write_text(one_line, encoding="utf-8")
    told = say("--json", "install", "cursor", "--yes").json["files"][0]["diff"]
    assert "sk-secret" not in told
    assert '"saegim"' in told


TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
NEIGHBOURS = {
    "a line before": ("codex", '[mcp_servers.gh.env]\nGITHUB_TOKEN = "TOKEN"\n'),
    "no line end": ("codex", "[mcp_servers.gh.env]\nGITHUB_TOKEN = 'TOKEN'"),
    "a line of its own": (
        "cursor",
        '{\n  "mcpServers": {\n    "gh": {\n'
        '      "env": { "GITHUB_TOKEN": "TOKEN" }\n    }\n  }\n}\n',
    ),
    "a comma behind": ("cursor", '{"mcpServers": {\n  "gh": {"env": {"K": "TOKEN"}}\n}}\n'),
    "a short one": ("cursor", '{"mcpServers": {"gh": {"env": {"K": "sk-secret", "PIN": 482913}}}}'),
    "a name": ("cursor", '{"mcpServers": {"gh": {}}, "seen": {"TOKEN": true}}'),
    "a comment": ("cursor", '{"mcpServers": {"gh": {} /* sk-secret it\'s "mine */}}'),
    "our own entry": (
        "cursor",
        '{"mcpServers": {"saegim": {"command": "x", "env": {"K": "sk-secret"}, "args": ["y"]}}}',
    ),
    "our own table": (
        "codex",
        '[mcp_servers.saegim]\ncommand = "x"\n[mcp_servers.saegim.env]\nK = "sk-secret" # 482913\n',
    ),
}


@pytest.mark.parametrize(("client", "text"), NEIGHBOURS.values(), ids=NEIGHBOURS)
def test_no_secret_of_a_neighbour_is_shown(say: Say, user: Path, client: str, text: str) -> None:
    """A diff goes to terminals, logs and agents: of what is not ours only names are shown."""
    file = user / {"codex": ".codex/config.toml", "cursor": ".cursor/mcp.json"}[client]
    file.parent.mkdir()
    file.write_text(re.sub(r"\bTOKEN", TOKEN, text), encoding="utf-8")
    shown = [
        say(*more, word, client, *rest)
        for word in ("install", "uninstall")
        for more in ((), ("--json",))
        for rest in (("--dry-run",), ("--yes",))
    ]
    told = "".join(each.out + each.err for each in shown)
    assert "saegim" in shown[0].out
    assert not [each for each in (TOKEN, "sk-secret", "482913") if each in told]


def test_a_diff_does_not_steer_the_terminal(say: Say, config: Path) -> None:
    """U34.1: what a file holds is shown and not obeyed, and starts no line of its own."""
    entry = '"saegim\u009b31m": 1, "a\u2028+b": 2 /* \x1b]0;x\x07 */'
    config.write_text(f'{{"mcpServers": {{{entry}}}}}', encoding="utf-8")
    told = say("--json", "install", "cursor", "--dry-run").json["files"][0]["diff"]
    assert [each[:1] for each in told.split("\n")] == ["-", "+", "@", "-", "+"]
    assert "\\x9b31m" in told
    assert not set(told) & {"\x1b", "\x07", "\u009b", "\u2028"}


def test_the_list_says_what_is_found_and_connected(say: Say, config: Path) -> None:
    """Without a client every client is listed, as a table and as JSON."""
    say("install", "cursor", "--yes")
    told = say("install").out
    assert told.splitlines()[0].split() == ["client", "found", "here", "connected", "configuration"]
    (line,) = [each for each in told.splitlines() if each.startswith("cursor ")]
    assert line.split()[1:3] == ["yes", "yes"]
    assert str(config) in line
    listed = say("--json", "install").json["clients"]
    assert [each["name"] for each in listed] == [each.name for each in CLIENTS]
    (cursor,) = [each for each in listed if each["name"] == "cursor"]
    assert cursor["command"][-1] == "mcp"
    config.write_text("{", encoding="utf-8")
    korean = say("--language", "ko", "install").out
    assert "1번째 줄" in korean


def test_the_command_carries_what_was_named(say: Say, user: Path, tmp_path: Path) -> None:
    """Which store, whose memory and which project are said to the client, hooks included."""
    store = tmp_path / "내 기억" / "m.db"
    words = ("--path", str(store), "--user", "jo", "install", "claude-code")
    told = say("--json", *words, "--project", "집", "--profile", "core", "--yes").json
    front = ["--path", str(store), "--user", "jo", "--project", "집"]
    assert told["command"][1:] == [*front, "mcp", "--profile", "core"]
    settings = json.loads((user / ".claude" / "settings.json").read_text(encoding="utf-8"))
    assert settings["hooks"]["Stop"][0]["hooks"][0]["args"] == [*front, "hook", "stop"]


def test_here_writes_into_this_folder(
    say: Say, user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--here is about the project: server and hooks in its files, none in the person's."""
    project = tmp_path / "일 (work)"
    project.mkdir()
    monkeypatch.chdir(project)
    say("install", "claude-code", "--here", "--yes")
    assert {each.name for each in project.iterdir()} == {".mcp.json", ".claude"}
    assert list(user.iterdir()) == []
    listed = say("--json", "install", "--here").json["clients"]
    assert {each["name"] for each in listed if each["installed"]} == {"claude-code"}
    say("uninstall", "claude-code", "--here", "--yes")
    assert list(project.iterdir()) == []
    assert say("install", "codex", "--here").code == 2


def test_a_file_elsewhere_can_be_named(say: Say, tmp_path: Path) -> None:
    """A portable or second edition of a client keeps its file elsewhere; --config names it."""
    file = tmp_path / "Code - Insiders" / "mcp.json"
    assert say("install", "vscode", "--config", str(file), "--yes").code == 0
    assert json.loads(file.read_text(encoding="utf-8"))["servers"]["saegim"]["type"] == "stdio"
    assert say("uninstall", "vscode", "--config", str(file), "--yes").code == 0
    assert not file.parent.exists()
    assert say("install", "claude-code", "--config", str(file)).code == 2


def test_memories_are_never_deleted(say: Say, tmp_path: Path) -> None:
    """U34.1: uninstalling leaves the store as it is and says where it lies."""
    say("remember", "tea at noon")
    store = tmp_path / "home" / "saegim.db"
    say("install", "windsurf", "--yes")
    told = say("--language", "ko", "uninstall", "windsurf", "--yes")
    assert f"기억은 그대로 있습니다: {store}" in told.out
    assert "tea at noon" in say("recent").out


def test_wrong_words_are_answered_with_the_right_ones(say: Say) -> None:
    """A client or a profile that does not exist is told with those that do, in both languages."""
    assert "claude-code" in say("install", "emacs").err
    assert "emacs" in say("--language", "ko", "install", "emacs").err
    assert "core, default, full" in say("install", "cursor", "--profile", "huge").err
    assert say("uninstall").code == 2


def test_every_complaint_is_known_in_korean() -> None:
    """What an installer complains of is said in Korean too."""
    speech = Speech("ko")
    for said in (
        "x.json cannot be read: line 3, column 2: a comma is missing.",
        "x.json is read-only.",
        "x.json was changed by another program in the meantime.",
        "x.json has something else where an object belongs: mcpServers, line 2.",
        "x.json reaches a server named saegim by an address.",
        "/a/saegim is not there any more.",
        "Hooks are turned off in x.json.",
        "The plugin saegim@s is turned on in x.json and does the same.",
        "x.toml writes mcp_servers.saegim in a way that is not changed from here.",
        "No file was changed: this needs a yes.",
    ):
        assert speech.translated(said) != said
