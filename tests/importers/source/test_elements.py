"""Large JSON, one element at a time."""

from __future__ import annotations

import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere import as_array, mem0
from saegim.errors import BadInput
from saegim.importers.source import archive as module
from saegim.importers.source.archive import elements, glimpse

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


class Drip(io.BytesIO):
    """A file that gives a few bytes at a time, as a pipe may."""

    def read(self, size: int | None = -1) -> bytes:
        """Return at most three bytes."""
        return super().read(min(3, size or 3))


def read(text: str | bytes, *within: str) -> list[tuple[str, Any]]:
    """Read a JSON text through a window that sees little of it at once."""
    raw = text.encode() if isinstance(text, str) else text
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK", 7)
        return list(elements(Drip(raw), within))


def values(text: str | bytes, *within: str) -> list[Any]:
    """The values alone; an error as its message."""
    found = (value for _, value in read(text, *within))
    return [value.message if isinstance(value, BadInput) else value for value in found]


@given(st.lists(anything, max_size=6), st.sampled_from([None, 2]), st.booleans())
def test_an_array_is_what_json_says_it_is(
    written: list[Any], indent: int | None, ascii_only: bool
) -> None:
    """Wherever the window cuts, the elements are those of the standard reader (U24.3)."""
    text = json.dumps(written, indent=indent, ensure_ascii=ascii_only)
    assert values(text) == written
    assert values(json.dumps({"a": written, "b": written}), "b") == written


def test_where_an_element_stands_is_said() -> None:
    """A problem can be found in the file again (U8.4)."""
    assert [where for where, _ in read('[1, "a", {}]')] == ["item 1", "item 2", "item 3"]
    text = '{"count": 2, "skipped": [9], "results": [1, 2], "next": null, "history": [3]}'
    assert read(text, "results", "history") == [
        ("results 1", 1),
        ("results 2", 2),
        ("history 1", 3),
    ]


def test_a_broken_element_is_named_and_the_rest_is_read() -> None:
    """One bad conversation does not cost the others (U24.3)."""
    for bad in ('{"a" 1}', "nope", "[1 2]", '{"a": "line\nbreak"}', '"\\x"', ""):
        found = values(f'[1, {bad}, {{"b": "]}}\\""}}, 2]')
        assert found[0] == 1, bad
        assert found[1].startswith("It is not JSON: "), bad
        assert found[2:] == [{"b": ']}"'}, 2], bad
    deep = "[" * 5000 + "]" * 5000
    assert values(f"[1, {deep}, 2]") == [1, "It is not JSON: it is nested too deeply.", 2]
    digits = values(f"[1, {'9' * 5000}, 2]")
    assert (digits[0], digits[2]) == (1, 2)
    assert digits[1].startswith("It is not JSON: Exceeds the limit")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[1, 2", "the file ends where ','"),
        ('[1, {"a": ', "the file ends in the middle"),
        ('[1, "abc', "the file ends in the middle"),
        ("[1 2]", "'2' stands where ','"),
        ('[1, {"a": [2}, 3]', "the file ends where ','"),
        ("[1] [2]", "Something follows"),
        ("", "not a JSON array or object"),
        ("12", "not a JSON array or object"),
        ("{1: 2}", "has no name"),
    ],
)
def test_a_file_that_breaks_off_says_so(text: str, reason: str) -> None:
    """What could be read before is given; then comes the reason, and no more (U8.4)."""
    where, error = read(text, "results")[-1]
    assert where == "the rest of the file"
    assert reason in error.message


def test_a_byte_that_is_no_utf8_spoils_one_text_only() -> None:
    """The text around it cannot be kept, all others can (U8.4)."""
    found = values(b'\xef\xbb\xbf["\xed\x95\x9c", "a\xffb", "c"]')
    assert found == ["한", "a\udcffb", "c"]


def test_an_element_too_long_to_be_held_ends_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """The window never grows beyond its bound (attack 65)."""
    monkeypatch.setattr(module, "MAX_ELEMENT", 1000)
    found = values(f'[1, "{"x" * 5000}", 2]')
    assert found == [1, "An element is longer than 1,000 characters."]
    assert values(f'["{"x" * 900}"]') == ["x" * 900]


def test_twenty_thousand_elements_take_the_memory_of_two_thousand(tmp_path: Path) -> None:
    """What has been read is let go, however long the file is (U24.2, U24.3)."""

    def peak(count: int) -> int:
        path = as_array(tmp_path / "x.json", (mem0(n, f"fact number {n}") for n in range(count)))
        with path.open("rb") as file:
            tracemalloc.start()
            assert sum(value["id"] != "" for _, value in elements(file)) == count
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return most

    # A thread that an earlier test left behind is counted too, for a moment: the least of three.
    few, many = (min(peak(count) for _ in range(3)) for count in (2_000, 20_000))
    assert many < 1.5 * few


def test_a_glimpse_reads_no_more_than_the_first_element() -> None:
    """A form is recognised without reading the file (U24.3)."""
    file = io.BytesIO(json.dumps([{"mapping": {}}] + [{"x": "y" * 1000}] * 5000).encode())
    assert glimpse(file).first == {"mapping": {}}
    assert file.tell() < 300_000
    assert glimpse(io.BytesIO(b'{"type":"entity","name":"a"}\n{"type":')).fields == {
        "type": "entity",
        "name": "a",
    }
    assert glimpse(io.BytesIO(b'{"count":1,"results":[{"id":1}]}'), ("results",)).first == {"id": 1}
    empty = glimpse(io.BytesIO(b"[]"))
    assert (empty.first, empty.is_array) == (None, True)
    for nothing in (b"", b"id,text\n1,hi\n", b"\x00\x01", b"[" * 100_000):
        assert glimpse(io.BytesIO(nothing)).first is None
