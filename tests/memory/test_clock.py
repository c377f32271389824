"""Time and ids: instants come back as they were, ids sort by time and never meet."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.errors import BadInput
from saegim.memory.clock import (
    FixedClock,
    SystemClock,
    aware,
    checked_id,
    from_micros,
    iso,
    micros,
    new_id,
    offset_minutes,
    parse_instant,
)

OFFSETS = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
INSTANTS = st.datetimes(
    min_value=datetime(2, 1, 1), max_value=datetime(9998, 12, 31), timezones=OFFSETS
)
RECENT = st.datetimes(
    min_value=datetime(1970, 1, 1), max_value=datetime(9998, 12, 31), timezones=OFFSETS
)


@given(INSTANTS)
def test_an_instant_and_its_offset_survive_storage(at: datetime) -> None:
    """U20.1: UTC microseconds and the offset of origin give the same instant back."""
    back = from_micros(micros(at), offset_minutes(at))
    assert back == at
    assert back.utcoffset() == at.utcoffset()
    assert from_micros(micros(at)) == at


@given(INSTANTS)
def test_an_instant_survives_being_written_as_text(at: datetime) -> None:
    """U20.1: ISO 8601 carries instant and offset."""
    assert parse_instant(iso(at)) == at
    assert parse_instant(iso(at)).utcoffset() == at.utcoffset()


@given(RECENT, RECENT)
def test_ids_sort_by_time(one: datetime, other: datetime) -> None:
    """FAULTS 1.5: of two ids the one made earlier sorts first, whatever zone made it."""
    if micros(one) != micros(other):
        assert (new_id(one) < new_id(other)) == (one < other)


def test_a_hundred_thousand_ids_of_one_instant_do_not_collide() -> None:
    """Ids made in the same microsecond are told apart by 44 random bits."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    ids = {new_id(at) for _ in range(100_000)}
    assert len(ids) == 100_000
    assert all(checked_id(id) == id for id in ids)


def test_ids_of_one_second_keep_their_order() -> None:
    """The microsecond stands before the chance, so a burst sorts as it came."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    made = [new_id(start + timedelta(microseconds=step)) for step in range(0, 1_000_000, 997)]
    assert made == sorted(made)


@pytest.mark.parametrize("value", ["", " ", "mem 1", "../x", "a/b", "가", "x" * 129, 5, None, b"x"])
def test_what_is_no_id_is_refused(value: Any) -> None:
    """Bad input: the error shows the value and what ids look like."""
    with pytest.raises(BadInput, match="not a memory id") as caught:
        checked_id(value)
    assert "mem_" in caught.value.next_step


@pytest.mark.parametrize("value", [datetime(2026, 1, 1), date(2026, 1, 1), "2026-01-01", 5, None])
def test_an_instant_without_a_zone_is_refused(value: Any) -> None:
    """U20.1: naive datetimes, dates and anything else are refused by name."""
    with pytest.raises(BadInput, match="happened_at"):
        aware("happened_at", value)


@pytest.mark.parametrize("text", ["9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+09:00"])
def test_an_instant_outside_the_calendar_is_refused(text: str) -> None:
    """R-16: what could be written but never read again is not written."""
    with pytest.raises(BadInput, match="calendar"):
        aware("happened_at", parse_instant(text))


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-02-30", "2026-13-01", None, 7, "\x00"])
def test_what_is_no_date_is_refused(text: Any) -> None:
    """U20.2: unparseable is an error, never a guess."""
    with pytest.raises(BadInput, match="not a date"):
        parse_instant(text)


def test_a_written_date_without_a_zone_is_utc() -> None:
    """U20.1: the zone of the machine never leaks into what is stored."""
    assert parse_instant("2026-11-15") == datetime(2026, 11, 15, tzinfo=UTC)
    assert iso(datetime(2026, 11, 15, tzinfo=UTC)) == "2026-11-15T00:00:00Z"


@pytest.mark.parametrize("seconds", [86_399, -86_399, 30_472, 0])
def test_offsets_with_seconds_can_be_stored(seconds: int) -> None:
    """R-16: an offset of local mean time keeps its instant, and stays an offset."""
    at = datetime(2026, 1, 1, tzinfo=timezone(timedelta(seconds=seconds)))
    assert from_micros(micros(at), offset_minutes(at)) == at


def test_clocks_tell_aware_time() -> None:
    """The clock of the machine is aware; the fixed one moves when it is told to."""
    assert SystemClock().now().tzinfo is UTC
    clock = FixedClock()
    before = clock.now()
    assert clock.forward(days=-1) == clock.now() == before - timedelta(days=1)
