"""Any string is a question; what is embedded is what it asks about."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.errors import BadInput
from saegim.memory.memory import Scope
from saegim.recall.understand import MAX_QUESTION, MOST, Query
from saegim.store.rows import Where

WHERE = Where(scope=Scope("me"))
ANY = st.text(st.characters(exclude_categories=()), max_size=60)


def query(text: str, **options: Any) -> Query:
    """Make a question of this text."""
    return Query(text=text, where=WHERE, **options)


@given(ANY)
def test_any_string_can_be_asked(text: str) -> None:
    """U29.1: what is searched with is whole, short, and free of NUL and half characters."""
    asked = query(text).asked
    asked.encode()
    assert "\x00" not in asked
    assert len(asked) <= MAX_QUESTION
    assert isinstance(query(text).meaning, str)


@given(st.text("가각힣한글abc WHAT how 09?", max_size=30))
def test_every_way_to_type_a_question_is_the_same_question(text: str) -> None:
    """U3.3: NFC, NFD and full-width ask the same and embed the same."""
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    for typed in (unicodedata.normalize("NFD", text), wide):
        assert query(typed).asked == query(text).asked
        assert query(typed).meaning == query(text).meaning


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("What is the name of my dog?", "the name of my dog"),
        ("When did we move to Seoul?", "we move to Seoul"),
        ("how many cups", "cups"),
        ("보리가 어디 있지？", "보리가 어디 있지"),
        ("What?", "What?"),
        ("  tea  ", "tea"),
        ("", ""),
        ("\u200b \ufeff", ""),
    ],
)
def test_the_words_that_only_ask_are_not_embedded(text: str, meaning: str) -> None:
    """EMBEDDINGS 3.2: the beginning of a question says that it asks, not what about."""
    assert query(text).meaning == meaning


def test_a_document_asked_as_a_question_is_read_at_both_ends() -> None:
    """FAULTS 57: 100 kB ask no more than their first words and their last; no word is halved."""
    asked = query("첫말 " + "가나 " * 40_000 + "끝말").asked
    assert MAX_QUESTION - 10 < len(asked) <= MAX_QUESTION
    assert asked.startswith("첫말 ")
    assert asked.endswith(" 끝말")
    assert set(asked.split()) == {"첫말", "가나", "끝말"}


@pytest.mark.parametrize("pasted", ["worker failed\n" * 900, "x" * 9_000 + "\n", " " * 9_000])
@pytest.mark.parametrize("asked", ["What is the name of my dog?", "우리 강아지 이름이 뭐였지?"])
def test_what_is_asked_behind_a_long_paste_is_read(pasted: str, asked: str) -> None:
    """FAULTS 57: who pastes a log first and asks below it is asked that, however it is typed."""
    for typed in (asked, unicodedata.normalize("NFD", asked)):
        found = query(f"{pasted}{typed}").asked
        assert found.endswith(asked)
        assert len(found) <= MAX_QUESTION


@pytest.mark.parametrize("limit", [0, -1, MOST + 1, True, 1.5, "5", None])
def test_a_limit_is_a_small_whole_number(limit: Any) -> None:
    """Bad input: the error names the limit and the range."""
    with pytest.raises(BadInput, match="limit"):
        query("tea", limit=limit)


@pytest.mark.parametrize("text", [None, 5, b"tea", ["tea"]])
def test_a_question_is_text(text: Any) -> None:
    """Bad input: anything but a string is refused by its type."""
    with pytest.raises(BadInput, match=type(text).__name__):
        query(text)
