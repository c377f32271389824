"""What can be kept word for word, and what is refused, with the reason."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.errors import BadInput
from saegim.memory.memory import (
    MAX_TEXT,
    Content,
    Life,
    Memory,
    Rhythm,
    Scope,
    Space,
    Time,
    checked,
    checked_tags,
    checked_text,
)
from saegim.memory.record import storable
from saegim.memory.text import normalise

AT = datetime(2026, 1, 1, tzinfo=UTC)


def memory(**given_parts: Any) -> Memory:
    """Make a memory, its parts as given."""
    parts = {"id": "mem_1", "text": "보리차", "time": Time(happened_at=AT, recorded_at=AT)}
    return Memory(scope=Scope("me"), **{**parts, **given_parts})


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("\u3000", "empty"),
        ("\u200b\ufeff", "empty"),
        ("\u3164", "empty"),
        (" \uffa0\u3164\u115f\u1160 \u2800", "empty"),
        ("a\x00b", "NUL character at position 1"),
        ("ab\ud800", "lone surrogate"),
        ("x" * (MAX_TEXT + 1), "1,000,001 characters"),
        (None, "not NoneType"),
        (5, "not int"),
        (b"x", "not bytes"),
        (["x"], "not list"),
    ],
    ids=range(13),
)
def test_a_text_that_cannot_be_kept_is_refused_with_the_reason(value: Any, said: str) -> None:
    """U1.3 and bad input: the error names what is wrong, where, and what to do."""
    with pytest.raises(BadInput, match=said) as caught:
        checked_text(value)
    assert caught.value.next_step


@given(st.text(max_size=50))
def test_any_other_text_is_kept_byte_for_byte(text: str) -> None:
    """U3.3: the original is never normalised, trimmed or repaired."""
    if normalise(text) and "\x00" not in text:
        assert checked_text(text) is text
        nfd = unicodedata.normalize("NFD", text)
        assert checked_text(nfd) is nfd


@pytest.mark.parametrize("tags", ["tea", None, 5, {"a": 1}, [""], [5], ["\x00"], ["x" * 201]])
def test_tags_that_are_no_list_of_words_are_refused(tags: Any) -> None:
    """Bad input: one string is not a list of letters."""
    with pytest.raises(BadInput):
        checked_tags(tags)


def test_tags_are_kept_once_in_order_and_trimmed() -> None:
    """The same tag twice is one tag; too many are refused."""
    assert checked_tags([" tea ", "차", "tea"]) == ("tea", "차")
    # U3.1: taken apart or composed, it is one tag.
    assert checked_tags([unicodedata.normalize("NFD", "회의"), "회의"]) == ("회의",)
    with pytest.raises(BadInput, match="65 tags"):
        checked_tags([str(number) for number in range(65)])


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": "mem 1"},
        {"text": ""},
        {"visibility": "public"},
        {"content": Content(tags=("",))},
        {"content": Content(brief=5)},  # type: ignore[arg-type]
        {"content": Content(triples=(("a", "b"),))},  # type: ignore[arg-type]
        {"content": Content(keywords=("\ud800",))},
        {"content": Content(token_count=2**63)},
        {"content": "x"},
        {"space": Space(files="a.py")},  # type: ignore[arg-type]
        {"space": Space(depth="deep")},  # type: ignore[arg-type]
        {"space": Space(depth=True)},
        {"rhythm": Rhythm(snapshot={"a": object()})},
        {"rhythm": Rhythm(snapshot={"a": float("nan")})},
        {"rhythm": Rhythm(snapshot=[1])},  # type: ignore[arg-type]
        {"life": Life(tier="M90")},  # type: ignore[arg-type]
        {"life": Life(pinned=1)},  # type: ignore[arg-type]
        {"life": Life(expires_at=datetime(2026, 1, 1))},
        {"time": Time(happened_at=datetime(2026, 1, 1), recorded_at=AT)},
        {"time": Time(happened_at=AT, recorded_at=AT, valid_to=datetime(2026, 1, 1))},
        {"time": Time(happened_at=AT, recorded_at=AT, minutes_into_session=float("inf"))},
        {"kind": "fact"},
    ],
    ids=range(22),
)
def test_a_memory_whose_parts_could_not_be_stored_is_refused(wrong: dict[str, Any]) -> None:
    """Bad input: every field, at any depth, is what it promises before a row is written."""
    checked(memory())
    with pytest.raises(BadInput) as caught:
        checked(memory(**wrong))
    assert caught.value.next_step


def test_a_copy_with_other_fields_leaves_the_original_alone() -> None:
    """A memory is a value."""
    one = memory()
    assert one.evolve(text="홍차").text == "홍차"
    assert one.text == "보리차"
    assert one.canonical_key != one.evolve(text="홍차").canonical_key
    assert one.canonical_key == one.evolve(text=" 보리차\u200b").canonical_key


@given(st.text(st.characters(exclude_categories=()), max_size=20))
def test_a_string_is_storable_exactly_if_it_is_whole(text: str) -> None:
    """Bad input: NUL and half characters are what a database or a file would choke on."""
    whole = "\x00" not in text and not any(0xD800 <= ord(char) < 0xE000 for char in text)
    assert storable(text) is whole
