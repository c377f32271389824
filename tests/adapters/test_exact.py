"""Texts and JSON values go in and come out to the byte; only secrets do not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.adapters.documents import MARK, exact, json_text, screened, worded
from saegim.errors import BadInput
from saegim.guard.guard import screen
from saegim.memory.memory import checked_text

KEY = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
MASK = "[secret:anthropic_key#1]"
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS.filter(lambda each: each not in (float("inf"), float("-inf"))),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.text() | st.sampled_from(["", " \n", "\x00", "\ud800", MARK, MARK + '"x"']))
def test_any_text_comes_back(text: str) -> None:
    """U1.1: what a memory cannot hold as it is comes back to the letter all the same."""
    assert exact(worded(text)) == text
    if "\ud800" not in text:
        checked_text(worded(text))


@pytest.mark.parametrize("text", ["", " \r\n\t", "a\x00b", "half \ud800"])
def test_what_a_memory_refuses_is_held_behind_the_mark(text: str) -> None:
    """Control: these texts cannot be memories; behind the mark they can."""
    with pytest.raises(BadInput):
        checked_text(text)
    assert worded(text).startswith(MARK)
    checked_text(worded(text))


def test_a_mark_that_a_person_has_spoilt_is_text() -> None:
    """What someone writes over the marked text by hand is what they wrote."""
    assert exact(MARK + "not json") == MARK + "not json"


@given(VALUES)
def test_a_value_without_secrets_is_untouched(value: Any) -> None:
    """A JSON value comes back equal, or nothing is left in it that a guard would find."""
    found = screened(value)
    if found.masked == 0:
        assert found.value == json.loads(json_text(value))
    assert screen(json_text(found.value)).findings == () or "\\u" in json_text(found.value)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({"password": "hunter2secret"}, {"password": "[held:password#1]"}),
        ({"card": 4111111111111111, "n": 7}, {"card": "[private:card#1]", "n": 7}),
        ({"a": [{"note": f"use {KEY}"}, 1.0]}, {"a": [{"note": f"use {MASK}"}, 1.0]}),
        (
            {"010-1234-5678": 1, "010-1234-5679": 2},
            {"[private:phone#1]": 1, "[private:phone#1]#2": 2},
        ),
    ],
)
def test_a_secret_is_replaced_and_the_rest_is_the_same_json(value: Any, kept: Any) -> None:
    """U22.1: a placeholder never breaks the JSON around it, not even in the place of a number."""
    assert screened(value).value == kept
    # Control: masked as plain text, the number would no longer be JSON.
    if "card" in value:
        with pytest.raises(ValueError):
            json.loads(screen(json.dumps(value)).text)


def test_what_a_machine_has_sealed_is_spared() -> None:
    """A spared key keeps its value to the letter; the same value elsewhere is masked."""
    value = {"encrypted_content": KEY, "text": KEY}
    kept = screened(value, spared=frozenset({"encrypted_content"}))
    assert kept.value == {"encrypted_content": KEY, "text": MASK}
    assert kept.masked == 1


def test_what_json_cannot_hold_is_refused() -> None:
    """A value that would come back as something else is refused, not bent."""
    for value in ({"x": float("nan")}, {"x": {1, 2}}, {"x": object()}):
        with pytest.raises(BadInput, match="cannot be written as JSON"):
            screened(value)
