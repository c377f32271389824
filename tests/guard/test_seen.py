"""The text as the eye sees it, and the way back to the original."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.guard.visible_text import FILLER, see

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
ODD_TEXT = st.text(
    "a1가각ㅋé\u200b\u200d\u0301\uff11\u1112\u1161\u11ab\u3000 -–\U0001d7d9", max_size=30
)


@given(ANY_TEXT | ODD_TEXT)
def test_every_seen_character_knows_where_it_came_from(text: str) -> None:
    """FAULTS 13: ranges of the seen text lead to ranges of the original, in order and inside it."""
    seen = see(text)
    last = 0
    for at in range(len(seen.text)):
        start, end = seen.origin(at, at + 1)
        assert last <= end <= len(text)
        assert start < end
        last = start


def test_the_way_back_leads_around_what_is_unseen_or_joined() -> None:
    """FAULTS 13: a hidden character shifts the range, joined jamo share theirs."""
    assert see("a\u200bb").origin(1, 2) == (2, 3)
    assert see("\u1112\u1161\u11abx").origin(0, 1) == (0, 3)
    assert see("\u1112\u1161\u11abx").origin(1, 2) == (3, 4)


@given(ODD_TEXT)
def test_a_whole_seen_text_comes_from_the_whole_visible_original(text: str) -> None:
    """FAULTS 13: what lies outside the range of the whole seen text is invisible."""
    seen = see(text)
    if seen.text:
        start, end = seen.origin(0, len(seen.text))
        outside = text[:start] + text[end:]
        assert set(outside) <= {"\u200b", "\u200d"}


@given(ANY_TEXT)
def test_lower_case_keeps_every_place(text: str) -> None:
    """FAULTS 13: the lower-case copy has a character for each of the seen text."""
    seen = see(text)
    assert len(seen.low) == len(seen.text)


@pytest.mark.parametrize(
    ("written", "looks"),
    [
        ("０１０－１２３４", "010-1234"),
        ("a\u200bb\u2060c\ufeff", "abc"),
        (unicodedata.normalize("NFD", "비밀번호"), "비밀번호"),
        ("𝟏𝟐𝟑 ①②", "123 12"),
        ("1–2—3−4", "1-2-3-4"),
        ("“x” ‘y’ 「z」", '"x" \'y\' "z"'),
        ("ㅋㅋ ㅠㅠ", "ㅋㅋ ㅠㅠ"),
    ],
)
def test_disguised_characters_are_read_as_plain_ones(written: str, looks: str) -> None:
    """FAULTS 24: full-width, zero-width, decomposed and styled letters hide nothing."""
    assert see(written).text == looks


def test_a_placeholder_is_not_read() -> None:
    """U22.1: what we wrote in place of a value is blank to every detector."""
    assert see("a [held:password#12] b").text == "a " + FILLER * 18 + " b"
