"""The editor of TOML texts: our table comes and goes, everything else stays (U34.1)."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from saegim.errors import BadInput, Refused
from saegim.serve.clients import toml_table

PATH = ("mcp_servers", "saegim")
ENTRY: dict[str, Any] = {"command": '/a "b"/새김\\x\x7f', "args": ["mcp", "--profile", "core"]}
LINES = st.lists(
    st.sampled_from(
        [
            "",
            "  ",
            "# a note [mcp_servers.saegim]",
            "[table]",
            "[table.'sub ]']",
            "[[many]]",
            '[mcp_servers.other]\ncommand = "x" # last',
            "key{n} = 1",
            "key{n}.dotted = {{ a = 1, b = [1, 2] }}",
            'key{n} = """\n[mcp_servers.saegim]\ncommand = "no"\n"""',
            "key{n} = '''\n''' # ''",
            "key{n} = [ # [\n  'a', \"]\", # ]\n]",
            'key{n} = "# no comment" # one',
            "\tkey{n} = 1979-05-27 07:32:00",
        ]
    ),
    max_size=8,
)
ENDS = st.sampled_from(["", "\n", "\n\n"])


@given(LINES, ENDS, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\ufeff"]))
def test_what_is_put_in_can_be_taken_out(lines: list[str], end: str, eol: str, mark: str) -> None:
    """U34.1: whatever a TOML file looks like, our table is read, and leaves no trace."""
    text = "\n".join(line.format(n=at) for at, line in enumerate(lines)) + end
    text = mark + text.replace("\n", eol)
    try:
        before = toml_table.read(text, "x")
    except BadInput:
        assume(False)
    after = toml_table.put_in(text, PATH, ENTRY, "x")
    held = tomllib.loads(after.removeprefix("\ufeff"))
    assert held["mcp_servers"].pop("saegim") == ENTRY
    assert {k: v for k, v in held.items() if k != "mcp_servers" or v} == before
    assert toml_table.taken_out(after, PATH, "x") == text


@given(LINES)
def test_every_statement_is_found_where_it_is(lines: list[str]) -> None:
    """The places of statements, put together again, say what the text says."""
    text = "\n".join(line.format(n=at) for at, line in enumerate(lines))
    try:
        whole = toml_table.read(text, "x")
    except BadInput:
        assume(False)
    found = toml_table.statements(text)
    assert tomllib.loads("\n".join(text[each.start : each.end] for each in found)) == whole


def test_an_update_leaves_the_rest_of_our_table_alone() -> None:
    """U34.1: keys, comments and sub-tables that a person added to our table stay."""
    text = (
        "[mcp_servers.saegim] # mine\n"
        'command = "old" # here\n'
        "startup_timeout_sec = 20\n"
        "args = [\n  'mcp', # serve\n]\n"
        "[mcp_servers.saegim.env]\nTZ = 'Asia/Seoul'\n"
        "[other]\nx = 1\n"
    )
    after = toml_table.brought_up(text, PATH, {"command": "/n", "args": ["mcp"]}, "x")
    assert after == text.replace('"old"', '"/n"')
    after = toml_table.brought_up(after, PATH, {"args": ["mcp", "--profile", "full"]}, "x")
    assert 'args = ["mcp", "--profile", "full"]\n[mcp_servers.saegim.env]' in after
    after = toml_table.brought_up(after, PATH, {"tool_timeout_sec": 60}, "x")
    assert tomllib.loads(after)["mcp_servers"]["saegim"]["tool_timeout_sec"] == 60
    assert toml_table.taken_out(after, PATH, "x") == "[other]\nx = 1\n"


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\ufeff"]))
def test_an_update_changes_our_values_and_no_other_byte(
    lines: list[str], eol: str, mark: str
) -> None:
    """U34.1: around our table everything stays, also what the library that writes would move."""
    before = "\n".join(line.format(n=at) for at, line in enumerate(lines)) + "\n"
    after = "\n# theirs\n[last]\nx = 1\n"
    before, after = mark + before.replace("\n", eol), after.replace("\n", eol)
    try:
        toml_table.read(before, "x")
    except BadInput:
        assume(False)
    text = toml_table.put_in(before, PATH, ENTRY, "x") + after
    new: dict[str, Any] = {**ENTRY, "command": "/other", "args": ["mcp"]}
    told = toml_table.brought_up(text, PATH, new, "x")
    assert told == toml_table.put_in(before, PATH, new, "x") + after


def test_a_new_key_stands_with_ours_and_not_below_what_follows() -> None:
    """A comment before the next table belongs to that one."""
    text = "[mcp_servers.saegim]\r\ncommand = 'x' # mine\r\n\r\n# theirs\r\n[other]\r\n"
    after = toml_table.brought_up(text, PATH, {"timeout": 60}, "x")
    assert after == text.replace("# mine\r\n", "# mine\r\ntimeout = 60\r\n")


def test_the_library_is_loaded_only_where_toml_is_written() -> None:
    """Who connects no client with a TOML file does not wait for it."""
    code = (
        "import sys; from saegim.serve.clients import flow, toml_table as tables;"
        "tables.read('a = 1', 'x');"
        "print('tomlkit' in sys.modules); tables.put_in('', ('a', 'b'), {'c': 1}, 'x');"
        "print('tomlkit' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_a_table_between_others_is_taken_out_clean() -> None:
    """U34.1: what others wrote after us stays as it is, with one empty line between."""
    text = "a = 1\n"
    after = toml_table.put_in(text, PATH, ENTRY, "x") + "\n# theirs\n[other]\nx = 1\n"
    assert toml_table.taken_out(after, PATH, "x") == "a = 1\n\n# theirs\n[other]\nx = 1\n"


@pytest.mark.parametrize(
    "text",
    [
        "[mcp_servers]\nsaegim.command = 'x'\nother.command = 'y'\nsaegim.args = []\n",
        "mcp_servers.saegim.command = 'x'\nz = 1\n[t]\n",
        '[mcp_servers."saegim"]\ncommand = "x"\n[mcp_servers . other]\ncommand = "y"\n',
    ],
)
def test_other_ways_to_write_our_entry_are_taken_out_too(text: str) -> None:
    """A person may write the same table differently; only what says `saegim` leaves."""
    after = toml_table.taken_out(text, PATH, "x")
    held, wanted = tomllib.loads(after), tomllib.loads(text)
    del wanted["mcp_servers"]["saegim"]
    if not wanted["mcp_servers"]:
        del wanted["mcp_servers"]
    assert held == wanted


def test_a_table_on_one_line_is_left_to_the_person() -> None:
    """What cannot be taken out without laying a line out anew is refused and stays."""
    text = "mcp_servers = { saegim = { command = 'x' }, other = { command = 'y' } }\n"
    with pytest.raises(Refused, match="nothing was changed"):
        toml_table.taken_out(text, PATH, "x")


def test_broken_toml_is_named_with_its_line() -> None:
    """U34.1: who has to correct a file is told where."""
    with pytest.raises(BadInput, match=r"x cannot be read: .*line 2") as told:
        toml_table.read("a = 1\nb = \n", "x")
    assert "nothing was changed" in told.value.next_step
