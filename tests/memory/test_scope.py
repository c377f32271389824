"""Whose memory: names that can be used, and names that cannot."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.errors import BadInput
from saegim.memory.memory import Scope, checked_name

GOOD = [
    "me",
    "민호",
    "홍 길동 (회사)",
    "a@b.kr",
    "team/project#3",
    "x" * 200,
    "2026-11-15T09:00:00+09:00",
    "日本語",
]
BAD = [
    "",
    " me",
    "me ",
    "a\nb",
    "a\x00b",
    "\ud800",
    "../up",
    "a..b",
    "*",
    "%",
    "a'b",
    'a"b',
    "a;b",
    "😀",
    "x" * 201,
    "\u200bme",
    None,
    5,
    b"me",
    ["me"],
]


@pytest.mark.parametrize("name", GOOD)
def test_names_that_people_have_can_be_used(name: str) -> None:
    """Users, agents, projects and sessions are named in any script."""
    assert Scope(name, name, name, name).user == name


@pytest.mark.parametrize("name", BAD, ids=repr)
@pytest.mark.parametrize("room", ["user", "agent", "project", "session"])
def test_names_that_could_be_mistaken_are_refused(room: str, name: Any) -> None:
    """U21.1, FAULTS 37: no scope without a user; no wildcard, path or control in any name."""
    if name == "" and room != "user":
        assert Scope("me", **{room: ""}).user == "me"
        return
    with pytest.raises(BadInput, match=room) as caught:
        Scope(**{"user": "me", room: name})
    assert caught.value.next_step


def test_syllables_taken_apart_name_the_same_project_and_no_other_user() -> None:
    """U3.1: another keyboard is in the same project; a user is never taken for another."""
    apart = unicodedata.normalize("NFD", "다락방")
    assert Scope("me", project=apart, session=apart) == Scope("me", "", "다락방", "다락방")
    for what in ("user", "agent"):
        with pytest.raises(BadInput, match=what):
            Scope(**{"user": "me", what: apart})


@given(st.text(max_size=30))
def test_a_name_is_kept_as_it_is_or_refused(name: str) -> None:
    """A name never changes on the way in: two users can never become one."""
    try:
        assert checked_name("user", name) == name
    except BadInput:
        return
    assert name == unicodedata.normalize("NFC", name).strip()
    assert "\n" not in name
