"""Names of projects: always valid, near to what the folder is called."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from saegim.memory.memory import checked_name
from saegim.projects import NAMELESS, project_name
from saegim.store.tables.project_table import _free

CALLED = st.text(max_size=300) | st.text(
    alphabet=" .-/@:가힣\u0301한Ａa_🎉\udcff\x00", max_size=300
)


@given(CALLED)
@example("..")
@example("a..b")
@example("a- -b")
@example(".- .x")
@example("가" * 400)
@example("\u1112\u1161\u11ab")
def test_whatever_a_folder_is_called_its_project_has_a_valid_name(called: str) -> None:
    """U15.2: any name of a folder becomes one that a scope accepts, and stays itself then."""
    name = project_name(called)
    assert checked_name("project", name) == name
    assert project_name(name) == name


@given(CALLED, st.integers(min_value=1, max_value=30))
def test_the_next_of_the_same_name_has_a_valid_name_too(called: str, others: int) -> None:
    """U13.1: however many are called the same, each has a valid name of its own."""
    taken: set[str] = set()
    for _ in range(others):
        name = _free(project_name(called), taken)
        assert checked_name("project", name) == name
        assert name.casefold() not in taken
        taken.add(name.casefold())


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("saegim", "saegim"),
        ("홍 길동 (회사)", "홍 길동 (회사)"),
        ("my*app?", "my-app"),
        (".dotfiles", "dotfiles"),
        ("🎉", NAMELESS),
        ("", NAMELESS),
        ("node  modules", "node modules"),
    ],
)
def test_a_name_stays_as_near_as_it_can(called: str, name: str) -> None:
    """U13.1: a person recognises the folder in the name."""
    assert project_name(called) == name
