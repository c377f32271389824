"""The editor of JSON texts: what it adds it can take out, and nothing else moves (U34.1)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saegim.errors import BadInput
from saegim.serve.clients.entries import Was, brought_up, put_in, put_last, taken_out, value_at
from saegim.serve.clients.jsonc import parse, plain

ENTRY = {"command": "/a b/새김", "args": ["mcp"]}
KEYS = st.sampled_from(["mcpServers", "hooks", "a", "한글", 'q"t', "//", "/*", "\\", "saegim2"])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=6), st.floats(allow_nan=False)
).filter(lambda each: each not in (float("inf"), float("-inf")))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=10,
)
GAPS = st.lists(
    st.sampled_from([" ", "\n", "\t", "\r\n", "// note {\n", "/* , } */", "    "]), max_size=3
).map("".join)


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """Write a value with gaps and comments anywhere, and a comma at the end where there may be."""

    def gap() -> str:
        return draw(GAPS)

    def many(parts: list[str], opener: str, closer: str) -> str:
        comma = "," if parts and draw(st.booleans()) else ""
        return opener + gap() + ",".join(parts) + comma + gap() + closer

    def text(each: Any) -> str:
        if isinstance(each, dict):
            held = [
                f"{gap()}{json.dumps(key, ensure_ascii=draw(st.booleans()))}{gap()}:{gap()}"
                f"{text(inner)}{gap()}"
                for key, inner in each.items()
            ]
            return many(held, "{", "}")
        if isinstance(each, list):
            return many([f"{gap()}{text(inner)}{gap()}" for inner in each], "[", "]")
        return json.dumps(each, ensure_ascii=draw(st.booleans()))

    mark = draw(st.sampled_from(["", "\ufeff"]))
    return mark + gap() + text(value) + gap()


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Draw an object, where the holder may be there, and a way to write it."""
    value = draw(st.dictionaries(KEYS, VALUES, max_size=3))
    for key in ("mcpServers", "hooks"):
        if key in value:
            value[key] = draw(st.dictionaries(KEYS, VALUES, max_size=2))
    return draw(written(value)), value


@settings(max_examples=60)
@given(documents())
def test_what_is_put_in_can_be_taken_out(drawn: tuple[str, dict[str, Any]]) -> None:
    """U34.1: whatever a text looks like, a new member says what it should, and leaves no trace."""
    text, value = drawn
    was: Was = {}
    after = put_in(text, ("mcpServers",), "saegim", ENTRY, "x", was)
    root = parse(after, "x")
    assert root is not None
    assert plain(after, root) == {
        **value,
        "mcpServers": {**value.get("mcpServers", {}), "saegim": ENTRY},
    }
    holder = root.at("mcpServers")
    assert holder is not None
    assert taken_out(after, ("mcpServers",), len(holder.children) - 1, "x", was) == text


@settings(max_examples=60)
@given(documents())
def test_what_is_put_last_into_a_list_can_be_taken_out(drawn: tuple[str, dict[str, Any]]) -> None:
    """U34.1: the same holds for a list that is made, with the object around it."""
    text, value = drawn
    was: Was = {}
    after = put_last(text, ("hooks", "Stop"), ENTRY, "x", was)
    root = parse(after, "x")
    assert root is not None
    assert plain(after, root) == {**value, "hooks": {**value.get("hooks", {}), "Stop": [ENTRY]}}
    assert taken_out(after, ("hooks", "Stop"), 0, "x", was) == text


@settings(max_examples=60)
@given(documents(), st.lists(st.text(max_size=5), max_size=2))
def test_an_update_changes_only_the_value_it_is_about(
    drawn: tuple[str, dict[str, Any]], arguments: list[str]
) -> None:
    """U34.1: bringing an entry up to date there and back again gives the same bytes."""
    text, _ = drawn
    after = put_in(text, ("mcpServers",), "saegim", ENTRY, "x", {})
    other = {**ENTRY, "args": arguments}
    changed = brought_up(after, lambda root: root.at("mcpServers", "saegim"), other, "x")
    assert value_at(changed, ("mcpServers", "saegim"), "x") == other
    back = brought_up(changed, lambda root: root.at("mcpServers", "saegim"), ENTRY, "x")
    assert value_at(back, ("mcpServers", "saegim"), "x") == ENTRY
    begin, end = after.index('"saegim"'), len(after) - after.index('"saegim"')
    assert back[:begin] == after[:begin]
    assert "".join(back[begin:].split())[:60] == "".join(after[-end:].split())[:60]


@given(VALUES.flatmap(lambda value: st.tuples(st.just(value), written(value))))
def test_every_way_to_write_a_value_is_read_as_that_value(drawn: tuple[Any, str]) -> None:
    """Comments, gaps and commas at the end say nothing; keys that look like comments do."""
    value, text = drawn
    root = parse(text, "x")
    assert root is not None
    assert plain(text, root) == value


@given(VALUES.map(lambda value: json.dumps(value)), st.data())
def test_broken_json_is_refused_and_never_crashes(text: str, data: st.DataObject) -> None:
    """U34.1: with any one character left out a text is read as JSON reads it, or refused."""
    at = data.draw(st.integers(0, max(len(text) - 1, 0)))
    cut = text[:at] + text[at + 1 :]
    try:
        expected = json.loads(cut)
    except ValueError:
        # What JSON does not know and we do: a comma at the end, and a text that says nothing.
        if re.search(r",\s*[]}]", cut) is None and cut.strip():
            with pytest.raises(BadInput, match="line 1"):
                parse(cut, "x")
        return
    root = parse(cut, "x")
    assert root is not None
    assert plain(cut, root) == expected


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ('{"a": 1 "b": 2}', "line 1, column 9", "a comma is missing"),
        ('{\n"a" 1}', "line 2, column 5", "a colon is missing"),
        ("{\n\n  a: 1}", "line 3, column 3", "a name in double quotes"),
        ('{"a": [1, 2}', "line 1, column 12", "a comma is missing"),
        ('{"a": {', "line 1, column 7", "has no end"),
        ("{} {}", "line 1, column 4", "nothing may follow"),
        ('{"a": tru}', "line 1, column 7", "what begins here is no JSON"),
        ('{"key": "s3cr\\x"}', "line 1, column 9", "what begins here is no JSON"),
        ('{"key": s3cret}', "line 1, column 9", "what begins here is no JSON"),
        ('{"a": "\n"}', "line 1, column 7", "is no JSON"),
        ("{} /* open", "line 1, column 4", "is no JSON"),
        ('{"a": "\\x"}', "line 1, column 7", "is no JSON"),
        ("{,}", "line 1, column 2", "a name in double quotes"),
    ],
)
def test_an_error_names_line_and_column(text: str, where: str, what: str) -> None:
    """U34.1: who has to correct a file is told where."""
    with pytest.raises(BadInput) as told:
        parse(text, "mcp.json")
    assert told.value.message.startswith(f"mcp.json cannot be read: {where}: ")
    assert what in told.value.message
    assert "s3cr" not in told.value.message
    assert "nothing was changed" in told.value.next_step


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{}", '{\n  "s": {\n    "k": 1\n  }\n}'),
        ('{"a":1}', '{"a":1, "s": {"k": 1}}'),
        ('{"a":1,"s":{}}\n', '{"a":1,"s":{"k": 1}}\n'),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"s": {\n\t\t"k": 1\n\t}\n}'),
        ('{\r\n    "a": 1\r\n}', '{\r\n    "a": 1,\r\n    "s": {\r\n        "k": 1\r\n    }\r\n}'),
        ('{\n  "a": 1, // c\n}', '{\n  "a": 1, // c\n  "s": {\n    "k": 1\n  },\n}'),
        ('{\n  "a": 1 // c\n}', '{\n  "a": 1, // c\n  "s": {\n    "k": 1\n  }\n}'),
        ("// only this\n", '// only this\n{\n  "s": {\n    "k": 1\n  }\n}\n'),
        ("\ufeff", '\ufeff{\n  "s": {\n    "k": 1\n  }\n}\n'),
    ],
)
def test_a_new_member_looks_like_its_neighbours(text: str, wanted: str) -> None:
    """U34.1: indentation, line ends, commas and comments are those of the file."""
    was: Was = {}
    after = put_in(text, ("s",), "k", 1, "x", was)
    assert after == wanted
    assert taken_out(after, ("s",), 0, "x", was) == text


def test_where_a_name_stands_twice_the_last_counts() -> None:
    """Programs that read JSON take the last of two members with one name."""
    text = '{"s": {"old": 1}, "s": {"k": 2}}'
    assert value_at(text, ("s",), "x") == {"k": 2}
    assert put_in(text, ("s",), "n", 3, "x", {}) == '{"s": {"old": 1}, "s": {"k": 2, "n": 3}}'
