"""The report of a year has a reader (seed D §3, yearly): by number or the latest, in plain data."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound
from sleep.stages.ageing import kept, night, used


def lived(memory: Saegim, clock: FixedClock) -> None:
    """A year with a rise, a farewell, a restoring and a correction; then New Year's night."""
    clock.at = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)
    used(memory, kept(memory, "돛대가 부러졌다", tier="M30"), 3)
    gone = kept(memory, "우산을 두고 왔다", tier="M30")
    memory.forget(gone)
    memory.restore(gone)
    memory.forget(kept(memory, "The tent is in the cellar", tier="M90"))
    old = memory.remember("I work at Hanbit")
    memory.update(old.id, "I work at Saebyeok")
    clock.forward(days=7)
    memory.sleep("promote", "distil")
    clock.at = datetime(2027, 1, 1, 3, 30, tzinfo=UTC)
    night(memory, "year")


def test_a_year_is_read_by_its_own_number(memory: Saegim, clock: FixedClock) -> None:
    """What is written on New Year's morning is the report of the year before."""
    lived(memory, clock)
    year = memory.nights.year(2026)
    assert (year.name, year.since.year, year.until.year) == (2026, 2026, 2027)
    assert (
        memory.nights.year() == memory.nights.year("2026") == memory.nights.year("latest") == year
    )
    assert year.rose == {"M90": 1}
    assert (year.left, year.restored, year.replaced) == ({"manual": 2}, 1, 1)
    assert sum(year.kept.values()) == 6
    assert year.kept["M30"] == 2
    assert sum(year.now.values()) == 6
    assert year.now["leaving"] == 1


def test_years_are_listed_latest_first_and_each_once(memory: Saegim, clock: FixedClock) -> None:
    """A report that was asked for in autumn gives way to that of the whole year."""
    clock.at = datetime(2026, 10, 1, 9, 0, tzinfo=UTC)
    kept(memory, "등대", pinned=True)
    night(memory, "year")
    assert [each.name for each in memory.nights.years()] == [2026]
    for at in (datetime(2027, 1, 1, 3, 30, tzinfo=UTC), datetime(2028, 1, 1, 3, 30, tzinfo=UTC)):
        clock.at = at
        night(memory, "year")
    assert [each.name for each in memory.nights.years()] == [2027, 2026]
    assert memory.nights.year(2026).until.year == 2027


def test_a_night_of_the_first_day_sums_up_no_year(memory: Saegim, clock: FixedClock) -> None:
    """FIRST_HOUR D1: a store that is minutes old has no year; whoever asks for one has it."""
    kept(memory, "등대", pinned=True)
    night(memory)
    assert memory.nights.years() == []
    clock.forward(days=2)
    night(memory)
    assert len(memory.nights.years()) == 1


def test_a_year_without_a_report_is_named(memory: Saegim, clock: FixedClock) -> None:
    """Nothing yet, another year, and what is no year: each says what to do."""
    with pytest.raises(NotFound, match="No year has been summed up yet"):
        memory.nights.year()
    lived(memory, clock)
    with pytest.raises(NotFound, match="no report of 1999") as error:
        memory.nights.year(1999)
    assert "2026" in error.value.next_step
    for bad in ("soon", "-1", "20266", True):
        with pytest.raises(BadInput, match="is no year"):
            memory.nights.year(bad)
