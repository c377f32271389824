"""Holidays: the days that move are the days the moon and the calendar give."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from saegim.language.days import ENGLISH, FIRST_LUNAR_YEAR, KOREAN, holiday_on, nth_weekday

YEARS = range(FIRST_LUNAR_YEAR, 2061)
KOREA = timezone(timedelta(hours=9))
# The true new moon differs from the mean one by these sines (Meeus, Astronomical Algorithms,
# chapter 49, the largest terms): days, and multiples of the sun's and moon's anomaly and latitude.
TERMS = (
    (-0.40720, 0, 1, 0), (0.17241, 1, 0, 0), (0.01608, 0, 2, 0), (0.01039, 0, 0, 2),
    (0.00739, -1, 1, 0), (-0.00514, 1, 1, 0), (0.00208, 2, 0, 0), (-0.00111, 0, 1, -2),
    (-0.00057, 0, 1, 2), (0.00056, 1, 2, 0), (-0.00042, 0, 3, 0), (0.00042, 1, 0, 2),
)  # fmt: skip
MIDNIGHT = timedelta(minutes=20)


def new_moon_near(day: date) -> datetime:
    """Return the new moon nearest to a day, in Korean time, to a few minutes."""
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=KOREA)
    epoch = datetime(2000, 1, 6, 14, 20, 37, tzinfo=UTC)  # JDE 2451550.09766
    count = round((noon - epoch) / timedelta(days=29.530588861))
    sun = math.radians(2.5534 + 29.10535670 * count)
    moon = math.radians(201.5643 + 385.81693528 * count)
    node = math.radians(160.7108 + 390.67050284 * count)
    true = sum(size * math.sin(a * sun + b * moon + c * node) for size, a, b, c in TERMS)
    return (epoch + timedelta(days=29.530588861 * count + true)).astimezone(KOREA)


def is_new_moon(day: date) -> bool:
    """Say whether the moon was new on a Korean day; a few minutes at midnight are forgiven."""
    moon = new_moon_near(day)
    return day in {(moon - MIDNIGHT).date(), (moon + MIDNIGHT).date()}


def lunar(name: str, year: int) -> date:
    """Return a day that the table knows."""
    day = holiday_on(name, year)
    assert day is not None
    return day


@pytest.mark.parametrize(
    ("name", "year", "day"),
    [
        ("seollal", 1997, (2, 8)),  # a day later than in China
        ("seollal", 2023, (1, 22)),
        ("seollal", 2025, (1, 29)),
        ("seollal", 2028, (1, 27)),
        ("chuseok", 2020, (10, 1)),
        ("chuseok", 2024, (9, 17)),
        ("chuseok", 2025, (10, 6)),
        ("buddha", 2024, (5, 15)),
        ("easter", 2024, (3, 31)),
        ("good_friday", 2025, (4, 18)),
        ("thanksgiving", 2023, (11, 23)),
        ("black_friday", 2024, (11, 29)),
        ("memorial_us", 2024, (5, 27)),
        ("labor_us", 2025, (9, 1)),
        ("mothers", 2026, (5, 10)),
        ("hangul", 1446, (10, 9)),
    ],
)
def test_a_holiday_falls_on_its_day(name: str, year: int, day: tuple[int, int]) -> None:
    """U20.2: 설날, 추석 and the others are the days that people kept."""
    assert holiday_on(name, year) == date(year, *day)


@pytest.mark.parametrize("year", YEARS)
def test_the_moon_agrees_with_the_table(year: int) -> None:
    """설날 is a new moon, 추석 fourteen days and 부처님 오신 날 seven days after one."""
    first, harvest, buddha = (lunar(name, year) for name in ("seollal", "chuseok", "buddha"))
    assert is_new_moon(first)
    assert is_new_moon(harvest - timedelta(days=14))
    assert is_new_moon(buddha - timedelta(days=7))
    assert date(year, 1, 21) <= first <= date(year, 2, 21)
    assert date(year, 9, 7) <= harvest <= date(year, 10, 8)


def test_lunar_years_are_twelve_or_thirteen_moons_long() -> None:
    """From one 설날 to the next it is 353 to 355 or 383 to 385 days."""
    for year in YEARS[:-1]:
        length = (lunar("seollal", year + 1) - lunar("seollal", year)).days
        assert 353 <= length <= 355 or 383 <= length <= 385


def test_outside_the_table_nothing_is_said() -> None:
    """U20.2: an unknown year or name is None, never a guess."""
    assert holiday_on("seollal", 1989) is holiday_on("chuseok", 2061) is None
    assert holiday_on("birthday", 2026) is None


def test_every_written_name_has_a_day() -> None:
    """No name in either language leads nowhere."""
    for name in {*KOREAN.values(), *ENGLISH.values()}:
        assert holiday_on(name, 2026) is not None, name


def test_the_last_weekday_of_a_month_is_in_it() -> None:
    """The last Monday of a month is a Monday, in the month, and none comes after it."""
    for year in (2023, 2024):
        for month in range(1, 13):
            for weekday in range(7):
                day = nth_weekday(year, month, weekday, -1)
                assert (day.month, day.weekday()) == (month, weekday)
                assert (day + timedelta(days=7)).month != month
