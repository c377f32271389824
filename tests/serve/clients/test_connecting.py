"""Connecting and taking back: what was there before is there again, byte for byte (U34.1)."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from configs import CASES, REFUSED, WORDS, Setup, machine_at, matrix, set_up

from saegim.errors import BadInput, Refused, SaegimError
from saegim.serve.clients import flow
from saegim.serve.clients.flow import ClientPlace, InstallPlan
from saegim.serve.clients.roster import CLIENTS, named

NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)
OLD = ("/usr/bin/saegim",)


def installed(
    setup: Setup, home: Path, words: tuple[str, ...] = WORDS, *more: str, hook: bool = True
) -> InstallPlan:
    """Connect a client and return what was planned."""
    asked = ("mcp", *more)
    plan = flow.to_install(setup.client, ClientPlace(setup.machine), words, asked, hook=hook)
    flow.carry_out(plan, home, NOW, install=True)
    return plan


def uninstalled(setup: Setup, home: Path) -> InstallPlan:
    """Take the connection back and return what was planned."""
    plan = flow.to_uninstall(setup.client, ClientPlace(setup.machine), home)
    flow.carry_out(plan, home, NOW, install=False)
    return plan


def by_hand(setup: Setup) -> None:
    """Change our entry as a person does: a variable more, a longer time, another program."""
    for path in setup.files:
        text = path.read_text(encoding="utf-8")
        changed = text.replace("/usr/bin/saegim", "/home/me/saegim").replace(
            '"timeout": 10', '"timeout": 25'
        )
        if setup.client.toml:
            changed += '[mcp_servers.saegim.env]\nTZ = "Asia/Seoul" # mine\n'
        else:
            changed = changed.replace(
                '"saegim": {', '"saegim": {"env": {"TZ": "Asia/Seoul"}, // mine\n'
            )
        path.write_text(changed, encoding="utf-8", newline="")


def round_trip(setup: Setup, home: Path, case: str) -> None:
    """Connect twice and take back; assert that nothing was changed in the end."""
    before, whole = setup.bytes(), setup.everything()
    links = [each.is_symlink() for each in setup.files]
    if case == "changed_by_hand":
        installed(setup, home, OLD)
        by_hand(setup)
    assert installed(setup, home).changes
    held = setup.bytes()
    assert not installed(setup, home).changes, "a second time there is nothing to do"
    assert setup.bytes() == held != before
    assert uninstalled(setup, home).changes
    assert setup.bytes() == before
    assert setup.everything() == whole
    assert [each.is_symlink() for each in setup.files] == links
    assert not uninstalled(setup, home).changes


@pytest.mark.parametrize(("name", "case"), [each for each in matrix() if each[1] not in REFUSED])
def test_install_twice_and_uninstall_give_the_same_bytes(
    name: str, case: str, tmp_path: Path
) -> None:
    """U34.1: for every client and every way to write a configuration, nothing of it is lost."""
    setup = set_up(named(name), case, tmp_path)
    round_trip(setup, tmp_path / "sg", case)


@pytest.mark.parametrize(("name", "case"), [each for each in matrix() if each[1] in REFUSED])
def test_what_cannot_be_read_or_written_is_refused_whole(
    name: str, case: str, tmp_path: Path
) -> None:
    """U34.1: a read-only or broken file is named with what to do, and no file is changed."""
    setup = set_up(named(name), case, tmp_path)
    before = setup.everything()
    with pytest.raises(SaegimError) as told:
        installed(setup, tmp_path / "sg")
    assert str(setup.files[0]) in told.value.message
    assert "nothing was changed" in told.value.next_step
    if case == "unparsable":
        assert isinstance(told.value, BadInput)
        assert "line 3" in told.value.message or "line 1" in told.value.message
    assert setup.everything() == before
    assert not (tmp_path / "sg" / "clients.json").exists()


@pytest.mark.parametrize(
    "case", ["comments", "crlf", "bom", "tabs", "trailing_commas", "other_servers"]
)
def test_a_careless_rewrite_would_be_seen(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: an installer that loads and dumps JSON does not pass the same round trip."""

    def careless(change: Callable[[dict[str, object]], object]) -> Callable[..., str]:
        def rewritten(_client: object, text: str, *_rest: object) -> str:
            held = json.loads(text.removeprefix("\ufeff"))
            change(held.setdefault("mcpServers", {}))
            return json.dumps(held, indent=2)

        return rewritten

    entry = {"command": WORDS[0], "args": ["mcp"]}
    monkeypatch.setattr(flow, "_with_server", careless(lambda held: held.update(saegim=entry)))
    monkeypatch.setattr(flow, "_without_server", careless(lambda held: held.pop("saegim", None)))
    setup = set_up(named("cursor"), case, tmp_path)
    with pytest.raises((AssertionError, ValueError)):
        round_trip(setup, tmp_path / "sg", case)


# -- what is written ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [each.name for each in CLIENTS])
def test_an_entry_is_one_program_with_its_arguments(name: str, tmp_path: Path) -> None:
    """U15.2, U15.3: paths with spaces, Hangul and parentheses are whole words, without a shell."""
    setup = set_up(named(name), "missing", tmp_path)
    installed(setup, tmp_path / "sg", WORDS, "--profile", "full")
    told = flow.one(setup.client, ClientPlace(setup.machine))
    assert told.installed
    assert told.command == (*WORDS, "mcp", "--profile", "full")
    for event, words in told.hooks:
        assert words[0] == WORDS[0], event
        assert words[1] == "hook"
    text = setup.files[0].read_text(encoding="utf-8")
    assert "/opt/새김 (home)/saegim" in text


def test_hooks_stand_beside_those_of_others(tmp_path: Path) -> None:
    """U34.1: every event gets one hook with a time limit, and other hooks stay where they are."""
    setup = set_up(named("claude-code"), "other_hooks", tmp_path)
    settings = setup.files[1]
    before = json.loads(settings.read_text(encoding="utf-8"))["hooks"]
    installed(setup, tmp_path / "sg")
    after = json.loads(settings.read_text(encoding="utf-8"))["hooks"]
    assert set(after) == {*before, "SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"}
    assert after["PreToolUse"] == before["PreToolUse"]
    assert after["Stop"][:-1] == before["Stop"]
    (ours,) = after["Stop"][-1]["hooks"]
    assert ours == {
        "type": "command",
        "command": WORDS[0],
        "args": ["hook", "stop"],
        "timeout": 30,
    }


def test_no_hooks_leaves_the_settings_alone(tmp_path: Path) -> None:
    """A person who wants the server only gets no file of hooks."""
    setup = set_up(named("claude-code"), "missing", tmp_path)
    installed(setup, tmp_path / "sg", hook=False)
    assert setup.files[0].exists()
    assert not setup.files[1].exists()


def test_what_was_changed_by_hand_in_our_entry_stays(tmp_path: Path) -> None:
    """U34.1: an update changes the command alone; a variable or a time limit of one's own stays."""
    setup = set_up(named("claude-code"), "missing", tmp_path)
    installed(setup, tmp_path / "sg", OLD)
    by_hand(setup)
    installed(setup, tmp_path / "sg", WORDS, "--profile", "core")
    server, settings = (each.read_text(encoding="utf-8") for each in setup.files)
    assert '"env": {"TZ": "Asia/Seoul"}, // mine' in server
    assert "/home/me/saegim" not in server + settings
    assert '"timeout": 25' in settings
    told = flow.one(setup.client, ClientPlace(setup.machine))
    assert told.command == (*WORDS, "mcp", "--profile", "core")


def test_our_hooks_written_twice_become_one(tmp_path: Path) -> None:
    """Two hooks of ours at one event would hear everything twice; the second goes."""
    setup = set_up(named("claude-code"), "missing", tmp_path)
    settings = setup.files[1]
    settings.parent.mkdir()
    hook = {"type": "command", "command": '"/a b/saegim" hook stop'}
    other = {"type": "command", "command": "saegim-notes hook stop"}
    settings.write_text(
        json.dumps({"hooks": {"Stop": [{"hooks": [hook, other]}, {"hooks": [hook]}]}})
    )
    installed(setup, tmp_path / "sg")
    groups = json.loads(settings.read_text(encoding="utf-8"))["hooks"]["Stop"]
    (ours, kept) = groups[0]["hooks"]
    assert (len(groups), ours["args"], kept) == (1, ["hook", "stop"], other)
    uninstalled(setup, tmp_path / "sg")
    assert json.loads(settings.read_text(encoding="utf-8")) == {
        "hooks": {"Stop": [{"hooks": [other]}]}
    }


@pytest.mark.parametrize("program", [("python3", "-m", "saegim"), ("uvx", "saegim@0.0.9")])
def test_every_form_of_ours_is_brought_up_to_date_and_taken_out(
    program: tuple[str, ...], tmp_path: Path
) -> None:
    """U34.1: also what an older version wrote, or the plugin, is ours; it never stands twice."""
    setup = set_up(named("claude-code"), "other_hooks", tmp_path)
    before = setup.bytes()
    installed(setup, tmp_path / "sg", program)
    assert not installed(setup, tmp_path / "sg", program).changes
    words = ("python3", "-P", "-m", "saegim")
    installed(setup, tmp_path / "sg", words)
    told = flow.one(setup.client, ClientPlace(setup.machine))
    assert told.command == (*words, "mcp")
    assert sorted(each for _, each in told.hooks) == sorted(
        (*words, "hook", event) for _, event, _ in flow.hook_entries.EVENTS
    )
    uninstalled(setup, tmp_path / "sg")
    assert setup.bytes() == before


def test_opencode_gets_its_entry_where_its_version_looks(tmp_path: Path) -> None:
    """The second version of OpenCode keeps servers one level deeper, which a file then shows."""
    setup = set_up(named("opencode"), "missing", tmp_path)
    folder = setup.files[0].parent
    folder.mkdir(parents=True)
    file = folder / "opencode.jsonc"
    before = '{\n  "mcp": {\n    "servers": {\n    }, // mine\n  },\n}'
    file.write_text(before, encoding="utf-8")
    installed(setup, tmp_path / "sg")
    assert '    "servers": {\n      "saegim": {\n        "type": "local",' in file.read_text(
        "utf-8"
    )
    assert not setup.files[0].exists()
    uninstalled(setup, tmp_path / "sg")
    assert file.read_text(encoding="utf-8") == before


# -- what others do meanwhile ---------------------------------------------------------------------


def test_what_others_wrote_in_between_stays(tmp_path: Path) -> None:
    """U34.1: a client that lays its file out anew after us keeps all it wrote, and we leave."""
    setup = set_up(named("claude-code"), "missing", tmp_path)
    installed(setup, tmp_path / "sg")
    held = json.loads(setup.files[0].read_text(encoding="utf-8"))
    held["numStartups"] = 7
    setup.files[0].write_text(json.dumps(held), encoding="utf-8")
    uninstalled(setup, tmp_path / "sg")
    assert json.loads(setup.files[0].read_text(encoding="utf-8")) == {"numStartups": 7}
    assert not setup.files[1].exists(), "the file that we made and nobody used is gone"


def test_without_a_note_only_our_entry_leaves(tmp_path: Path) -> None:
    """If our own folder is lost, what we made around our entry stays, empty and harmless."""
    setup = set_up(named("cursor"), "missing", tmp_path)
    installed(setup, tmp_path / "sg")
    uninstalled(setup, tmp_path / "another home")
    assert setup.files[0].read_text(encoding="utf-8") == '{\n  "mcpServers": {}\n}\n'


def test_a_file_that_changes_while_we_ask_is_not_overwritten(tmp_path: Path) -> None:
    """U34.1: between the question and the writing a client may write; then nothing is written."""
    setup = set_up(named("claude-code"), "comments", tmp_path)
    plan = flow.to_install(setup.client, ClientPlace(setup.machine), WORDS, ("mcp",), hook=True)
    first, settings = setup.files
    before = first.read_bytes()
    settings.write_text('{"theme": "light"}', encoding="utf-8")
    with pytest.raises(BadInput, match="changed by another program"):
        flow.carry_out(plan, tmp_path / "sg", NOW, install=True)
    assert first.read_bytes() == before, "the file that came first is given back"
    assert settings.read_text(encoding="utf-8") == '{"theme": "light"}'
    assert list(setup.machine.home.rglob("*before-saegim*")) == []
    assert not (tmp_path / "sg" / "clients.json").exists()


def test_a_copy_is_kept_beside_and_never_overwritten(tmp_path: Path) -> None:
    """U34.1: each change leaves a dated copy with the same bytes and rights, one per change."""
    setup = set_up(named("gemini-cli"), "comments", tmp_path)
    (path,) = setup.files
    before = path.read_bytes()
    installed(setup, tmp_path / "sg")
    installed(setup, tmp_path / "sg", OLD)
    copies = sorted(path.parent.glob("settings.json.before-saegim-20261116-093000*"))
    assert len(copies) == 2
    assert copies[0].read_bytes() == before
    assert stat.S_IMODE(copies[0].stat().st_mode) == stat.S_IMODE(path.stat().st_mode) == 0o640


# -- what is refused ------------------------------------------------------------------------------


def test_a_server_that_is_reached_by_an_address_is_kept(tmp_path: Path) -> None:
    """Who connected a running server by its address is not silently given another one."""
    setup = set_up(named("cursor"), "missing", tmp_path)
    setup.files[0].parent.mkdir()
    text = '{"mcpServers": {"saegim": {"url": "http://127.0.0.1:8757/mcp"}}}'
    setup.files[0].write_text(text, encoding="utf-8")
    with pytest.raises(Refused, match="by an address"):
        installed(setup, tmp_path / "sg")
    assert setup.files[0].read_text(encoding="utf-8") == text
    uninstalled(setup, tmp_path / "sg")
    assert setup.files[0].read_text(encoding="utf-8") == '{"mcpServers": {}}'


def test_our_plugin_and_our_hooks_do_not_stand_side_by_side(tmp_path: Path) -> None:
    """Every moment would be heard twice, so one of the two must be chosen."""
    setup = set_up(named("claude-code"), "missing", tmp_path)
    setup.files[1].parent.mkdir()
    setup.files[1].write_text('{"enabledPlugins": {"saegim@saegim": true}}', encoding="utf-8")
    with pytest.raises(Refused, match="plugin saegim@saegim"):
        installed(setup, tmp_path / "sg")
    assert not setup.files[0].exists()


@pytest.mark.parametrize(
    "text",
    ['{"mcpServers": []}', '{"mcpServers": {"saegim": null}}', "[]", '{"mcpServers": "x"}'],
)
def test_an_entry_of_another_shape_is_not_overwritten(text: str, tmp_path: Path) -> None:
    """What is not an object is somebody's mistake or meaning: it is named, not replaced."""
    setup = set_up(named("cursor"), "missing", tmp_path)
    setup.files[0].parent.mkdir()
    setup.files[0].write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match="line 1"):
        installed(setup, tmp_path / "sg")
    assert setup.files[0].read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "text",
    ['mcp_servers = { a = { command = "x" } }\n', "[mcp_servers]\nsaegim = { command = 'x' }\n"],
)
def test_toml_that_cannot_be_added_to_is_refused(text: str, tmp_path: Path) -> None:
    """A table written on one line cannot get another; it is left as it is."""
    setup = set_up(named("codex"), "missing", tmp_path)
    setup.files[0].parent.mkdir()
    setup.files[0].write_text(text, encoding="utf-8")
    with pytest.raises(Refused, match=r"mcp_servers\.saegim"):
        installed(setup, tmp_path / "sg")
    assert setup.files[0].read_text(encoding="utf-8") == text


def test_a_file_that_is_not_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    """U15.1: a file in CP949 is refused with its line, not read as something else."""
    setup = set_up(named("cursor"), "missing", tmp_path)
    setup.files[0].parent.mkdir()
    setup.files[0].write_bytes('{\n "이름": 1}'.encode("cp949"))
    with pytest.raises(BadInput, match="line 2 is not UTF-8"):
        installed(setup, tmp_path / "sg")


# -- how things stand -----------------------------------------------------------------------------


def test_the_state_of_every_client_can_be_asked(tmp_path: Path) -> None:
    """The list says what is on the machine, what is connected, and what is wrong with it."""
    machine = machine_at(tmp_path)
    told = {each.name: each for each in flow.state_of(machine)}
    assert [each.name for each in CLIENTS] == list(told)
    assert not any(each.found or each.installed or each.problem for each in told.values())
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text("{")
    (tmp_path / ".gemini").mkdir()
    gone = {"mcpServers": {"saegim": {"command": str(tmp_path / "saegim"), "args": ["mcp"]}}}
    (tmp_path / ".gemini" / "settings.json").write_text(json.dumps(gone))
    told = {each.name: each for each in flow.state_of(machine)}
    assert {name for name, each in told.items() if each.found} == {"codex", "cursor", "gemini-cli"}
    assert "line 1" in told["cursor"].problem
    assert told["gemini-cli"].installed
    assert told["gemini-cli"].problem == f"{tmp_path / 'saegim'} is not there any more."


def test_the_state_tells_of_hooks_that_are_switched_off(tmp_path: Path) -> None:
    """U34.1: we never turn on what a person turned off; the state says that it is off."""
    setup = set_up(named("claude-code"), "missing", tmp_path)
    setup.files[1].parent.mkdir()
    setup.files[1].write_text('{"disableAllHooks": true}', encoding="utf-8")
    program = tmp_path / "saegim"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    installed(setup, tmp_path / "sg", (str(program),))
    assert '"disableAllHooks": true' in setup.files[1].read_text(encoding="utf-8")
    told = flow.one(setup.client, ClientPlace(setup.machine))
    assert told.problem == f"Hooks are turned off in {setup.files[1]}."
    assert [event for event, _ in told.hooks] == [
        "SessionStart",
        "UserPromptSubmit",
        "PreCompact",
        "Stop",
        "SessionEnd",
    ]


def test_there_are_fifteen_cases() -> None:
    """U34.1 asks for fifteen configurations."""
    assert len(CASES) == len(set(CASES)) == 15
