"""What to look among: every filter as SQL, and everything that is no filter refused."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.errors import BadInput
from saegim.memory.memory import Kind, Scope, State, Tier
from saegim.store.rows import Cursor, Where, where_of

ME = Scope("me")
AT = datetime(2026, 1, 1, tzinfo=UTC)


def packed(text: str) -> str:
    """Write a text the way a cursor is written."""
    return base64.urlsafe_b64encode(text.encode()).decode()


def test_every_condition_begins_with_the_owner() -> None:
    """U21.1, M9: there is no search without a user, and the wall is part of the SQL."""
    sql, params = Where(scope=ME).sql()
    assert sql.startswith("m.owner = :owner AND ")
    assert params["owner"] == "me"
    with pytest.raises(BadInput, match="scope"):
        Where(scope=None)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Where()  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("filters", "field", "value"),
    [
        ({"kind": "fact"}, "kinds", (Kind.FACT,)),
        ({"kinds": ["fact", Kind.EMOTION]}, "kinds", (Kind.FACT, Kind.EMOTION)),
        ({"tier": "M0"}, "tiers", (Tier.M0,)),
        ({"state": "leaving"}, "states", (State.LEAVING,)),
        ({"states": {"dormant"}}, "states", (State.DORMANT,)),
        ({"tags": ["a", "a"]}, "tags", ("a",)),
        ({"since": "2026-01-01"}, "since", AT),
        ({"until": AT}, "until", AT),
        ({"time_range": (AT, None)}, "since", AT),
        ({"time_range": [None, "2026-01-01T09:00:00+09:00"]}, "until", AT),
        ({"persona_id": "synthesis"}, "persona", "synthesis"),
        ({"persona": "synthesis"}, "persona", "synthesis"),
        ({"pinned": True}, "pinned", True),
        ({"everywhere": True}, "everywhere", True),
        ({"min_importance": 1}, "min_importance", 1),
        ({"session": None}, "session", None),
    ],
)
def test_plain_words_become_filters(filters: dict[str, Any], field: str, value: Any) -> None:
    """Seed A §5.1: its names are understood beside ours."""
    assert getattr(where_of(ME, filters), field) == value


@pytest.mark.parametrize(
    ("filters", "named"),
    [
        ({"colour": "red"}, "colour"),
        ({"colour": None}, "colour"),
        ({"scope": Scope("you")}, "scope"),
        ({"owner": "you"}, "owner"),
        ({"kind": "nonsense"}, "kind"),
        ({"kind": 5}, "kind"),
        ({"tiers": [None]}, "tiers"),
        ({"states": []}, "state"),
        ({"tags": "tea"}, "tags"),
        ({"tags": [5]}, "tag"),
        ({"since": "yesterday"}, "since"),
        ({"since": 1767225600}, "since"),
        ({"until": 5}, "until"),
        ({"time_range": 5}, "time_range"),
        ({"time_range": (AT,)}, "time_range"),
        ({"time_range": (AT, AT, AT)}, "time_range"),
        ({"session": 5}, "session"),
        ({"persona": {}}, "persona"),
        ({"domain": "\ud800"}, "domain"),
        ({"author": "a\x00"}, "author"),
        ({"pinned": "yes"}, "pinned"),
        ({"everywhere": 1}, "everywhere"),
        ({"min_importance": "high"}, "min_importance"),
        ({"min_importance": float("nan")}, "min_importance"),
    ],
)
def test_what_is_no_filter_is_an_error_that_names_it(filters: dict[str, Any], named: str) -> None:
    """U30.1: unknown and unusable filters are errors, never silently ignored."""
    with pytest.raises(BadInput, match=named) as caught:
        where_of(ME, filters)
    assert caught.value.next_step


def test_every_filter_is_a_parameter() -> None:
    """U29.1, FAULTS 56: no value is ever part of the SQL text."""
    where = Where(
        scope=Scope("me", "agent", "project"),
        kinds=(Kind.FACT, Kind.EMOTION),
        tiers=(Tier.M0,),
        tags=("a' OR 1=1 --",),
        since=AT,
        until=AT,
        session="x' --",
        persona="p",
        domain="d",
        author="a",
        min_importance=0.5,
        pinned=False,
    )
    sql, params = where.sql()
    assert "OR 1" not in sql
    assert "x'" not in sql
    assert sql.count(":") == len([name for name in params if name]) + sql.count(":owner") - 1
    assert params["pinned"] == 0


def test_a_where_narrows_when_it_asks_for_more_than_a_user() -> None:
    """A search may skip its filters only where there are none but the wall between users."""
    assert not Where(scope=ME).narrows
    assert Where(scope=Scope("me", "a", "p")).narrows
    assert Where(scope=ME, tags=("a",)).narrows
    assert Where(scope=ME, states=(State.DORMANT,)).narrows


@given(st.integers(-(10**17), 10**17), st.integers(0, 10**17))
def test_a_cursor_survives_being_written(happened_at: int, number: int) -> None:
    """U30.1: an opaque word that leads back to its place."""
    place = Cursor(happened_at, number)
    assert Cursor.read(place.text()) == place


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "=",
        "한글",
        "\ud800",
        None,
        5,
        [],
        packed("[1]"),
        packed("[1,2,3]"),
        packed("[1e999,1]"),
        packed(f"[{10**30},1]"),
        packed("[" * 5000),
        packed('["a","b"]'),
        packed("[1,-1]"),
        packed("[１,２]"),
        base64.urlsafe_b64encode(b"\xff\xfe").decode(),
    ],
    ids=range(17),
)
def test_what_is_no_cursor_is_refused(text: Any) -> None:
    """U30.1: any other string, number or nothing is an error, never the first page."""
    with pytest.raises(BadInput, match="not a cursor"):
        Cursor.read(text)


@given(st.text(max_size=30))
def test_any_string_is_a_cursor_or_a_clear_error(text: str) -> None:
    """U29.1: nothing that is pasted as a cursor breaks anything."""
    try:
        Cursor.read(text)
    except BadInput:
        return
