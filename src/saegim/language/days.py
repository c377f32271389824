"""Local days and hours: what time words fix, seen from the day of the speaker.

There is no zone here: a day is a day of the calendar and a week starts on Monday. What is
impossible or can be read in two ways is None.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from typing import Final

from saegim.language.days__holidays import holiday_on, nth_weekday
from saegim.language.days__pieces import CLOCK, FUTURE, MONTH, OPEN, PAST, YEAR, Fixed, is_clock

Days = tuple[date, date]
Hours = tuple[datetime, datetime]

_DAY: Final = timedelta(days=1)
# A two-digit year lies at most this far ahead of the anchor.
_AHEAD: Final = 20
# 29 February comes back within so many years.
_YEARS: Final = 9


def asks_tense(fixed: Fixed) -> bool:
    """Say whether the tense of the sentence can change what is meant."""
    if fixed.keys() & {"exact", "seconds", "hour"}:
        return True
    if fixed.keys() & {"month", "holiday"}:
        return not fixed.keys() & YEAR
    return "weekday" in fixed and not fixed.keys() & {"weeks", "days", "months"}


def local_span(fixed: Fixed, now: datetime, tense: int) -> Hours | None:
    """Return the local span that is meant, seen from the local time `now`; the end is exclusive."""
    if "lost" in fixed or (tense == PAST and _counts_ahead(fixed)):
        return None
    if "doubtful" in fixed and fixed.keys() <= CLOCK | {"doubtful"}:
        return None
    try:
        days = _days(fixed, now.date(), tense)
        if days is None:
            return None
        first, after = (datetime.combine(day, time()) for day in days)
        if not fixed.keys() & CLOCK:
            return first, after
        if after - first > _DAY:
            return None
        return _hours(fixed, first, now, tense)
    except (ValueError, OverflowError):  # 30 February, or a day outside the calendar
        return None


def _counts_ahead(fixed: Fixed) -> bool:
    """Say whether this is "three days later"; in a story it counts from somewhere else."""
    if "exact" not in fixed:
        return False
    counts = (fixed.get("years"), fixed.get("months"), fixed.get("weeks"), fixed.get("days"))
    return any(count is not None and count > 0 for count in counts)


def _days(fixed: Fixed, today: date, tense: int) -> Days | None:
    days = _named(fixed, today, tense)
    if days is None or not fixed.keys() & {"weekday", "step"}:
        return days
    first, after = days
    if after - first > _DAY or first.weekday() != fixed.get("weekday", first.weekday()):
        return None
    return _one(first + timedelta(days=fixed.get("step", 0)))


def _named(fixed: Fixed, today: date, tense: int) -> Days | None:
    if "holiday" in fixed:
        return _holiday(fixed, today, tense)
    if fixed.keys() & MONTH:
        return _month(fixed, today, tense)
    if "weeks" in fixed:
        return _week(fixed, today)
    if "days" in fixed:
        return _one(today + timedelta(days=fixed["days"]))
    if "weekday" in fixed:
        return None if fixed.keys() & YEAR else _weekday(fixed, today, tense)
    if fixed.keys() & YEAR:
        return _year(fixed, today)
    return _one(today) if "hour" in fixed else None


def _one(day: date) -> Days:
    return day, day + _DAY


def _known_year(fixed: Fixed, today: date) -> int | None:
    if "short_year" in fixed:
        latest = today.year + _AHEAD
        return latest - (latest - fixed["short_year"]) % 100
    return today.year + fixed["years"] if "years" in fixed else fixed.get("year")


def _year(fixed: Fixed, today: date) -> Days | None:
    year = _known_year(fixed, today)
    if year is None:
        return None
    if "exact" in fixed:
        return _one(_clamped(year, today.month, today.day))
    return date(year, 1, 1), date(year + 1, 1, 1)


def _clamped(year: int, month: int, day: int) -> date:
    return date(year, month, min(day, monthrange(year, month)[1]))


def _month(fixed: Fixed, today: date, tense: int) -> Days | None:
    if "months" in fixed:
        year, month = divmod(today.year * 12 + today.month - 1 + fixed["months"], 12)
        if "exact" in fixed and "day" not in fixed:
            return _one(_clamped(year, month + 1, today.day))
        return _in_month(fixed, year, month + 1)
    known = _known_year(fixed, today)
    if known is not None:
        return _in_month(fixed, known, fixed["month"])
    return _chosen(_in_years(fixed, _years(today, fixed, tense)), today, fixed, tense)


def _in_years(fixed: Fixed, years: Iterable[int]) -> Iterator[Days]:
    for year in years:
        try:
            yield _in_month(fixed, year, fixed["month"])
        except ValueError:  # 29 February is not in every year
            continue


def _in_month(fixed: Fixed, year: int, month: int) -> Days:
    if "nth" in fixed:
        return _one(nth_weekday(year, month, fixed["weekday"], fixed["nth"]))
    first = date(year, month, fixed.get("day", 1))
    if "day" in fixed:
        last = first.replace(day=fixed.get("last_day", first.day))
        if last < first:
            raise ValueError(f"{first} is not before {last}")
        return first, last + _DAY
    after = first + timedelta(days=monthrange(year, month)[1])
    if "third" not in fixed:
        return first, after
    borders = (first, first.replace(day=11), first.replace(day=21), after)
    return borders[fixed["third"]], borders[fixed["third"] + 1]


def _years(today: date, fixed: Fixed, tense: int) -> Iterable[int]:
    """Return the years to look at, the nearest first."""
    lean = fixed.get("turn") or tense
    return range(today.year, today.year + lean * _YEARS, lean) if lean else (today.year,)


def _chosen(found: Iterable[Days], today: date, fixed: Fixed, tense: int) -> Days | None:
    """Return the nearest days that "last", "this" and "next" or else the tense allow."""
    turn = fixed.get("turn")
    for first, after in found:
        if turn:
            fits = after <= today if turn < 0 else first > today
        elif turn is None and first <= today < after and after - first > _DAY:
            return None  # "in March", said in March: this one or the last
        elif tense == OPEN:
            fits = turn == 0
        else:
            fits = first <= today if tense == PAST else after > today
        if fits:
            return first, after
    return None


def _holiday(fixed: Fixed, today: date, tense: int) -> Days | None:
    known = _known_year(fixed, today)
    if known is not None:
        day = holiday_on(fixed["holiday"], known)
        return _one(day) if day else None
    found = (holiday_on(fixed["holiday"], year) for year in _years(today, fixed, tense))
    return _chosen((_one(day) for day in found if day), today, fixed, tense)


def _week(fixed: Fixed, today: date) -> Days:
    if "exact" in fixed and not fixed.keys() & {"weekday", "weekend"}:
        return _one(today + timedelta(weeks=fixed["weeks"]))
    monday = today + timedelta(weeks=fixed["weeks"], days=-today.weekday())
    if "weekend" in fixed:
        return monday + timedelta(days=5), monday + timedelta(days=7)
    if "weekday" in fixed:
        return _one(monday + timedelta(days=fixed["weekday"]))
    return monday, monday + timedelta(days=7)


def _weekday(fixed: Fixed, today: date, tense: int) -> Days | None:
    """Find the weekday of this week, or the nearest one strictly before or after the day."""
    away = fixed["weekday"] - today.weekday()
    turn = fixed.get("turn")
    if turn == 0:  # of this week, unless the tense says otherwise
        wrong = (away < 0 and tense == FUTURE) or (away > 0 and tense == PAST)
        return _one(today + timedelta(days=away + 7 * tense * wrong))
    lean = tense if turn is None else turn
    if lean == PAST:
        return _one(today + timedelta(days=away % 7 - 7))
    if lean == OPEN or ("doubtful" in fixed and away > 0):
        return None
    return _one(today + timedelta(days=away % 7 or 7))


def _hours(fixed: Fixed, day: datetime, now: datetime, tense: int) -> Hours | None:
    """Return the hour that is meant, or the whole day where only a part of it is known."""
    hour, minute = fixed.get("hour"), fixed.get("minute", 0)
    if hour is None:
        return day, day + _DAY
    if not (0 <= hour < 24 and 0 <= minute < 60) or _contradicts(hour, fixed):
        return None
    length = timedelta(minutes={0: 60, 30: 30}.get(minute, 1))
    known = _of_the_day(hour, fixed.get("half"), fixed.get("part"))
    if known is not None:
        start = day + timedelta(hours=known, minutes=minute)
        end = start + length
        return _nearest(start, end, now, tense) if is_clock(fixed) else (start, end)
    both = [day + timedelta(hours=each, minutes=minute) for each in (hour % 12, hour % 12 + 12)]
    if day.date() == now.date() and tense != OPEN:
        both = [start for start in both if (start <= now) == (tense == PAST)]
    if len(both) == 1:
        return both[0], both[0] + length
    return None if is_clock(fixed) else (day, day + _DAY)


def _contradicts(hour: int, fixed: Fixed) -> bool:
    """Say whether the clock has no such hour: 13 pm, 오전 15시."""
    before_noon = fixed.get("part") in ("am", "dawn", "morning")
    return hour > 12 and (fixed.get("half") in ("am", "pm") or before_noon)


def _of_the_day(hour: int, half: str | None, part: str | None) -> int | None:
    """Turn the hour of a clock face into one of the day; None where both halves are possible.

    What follows midnight belongs to the night before it.
    """
    if half == "24" or hour == 0 or hour > 12:
        return hour
    if part == "night" and half != "pm":
        return hour + 12 if 4 < hour < 12 and half is None else hour % 12 + 24
    reading = half or part
    if reading is None or (reading == "noon" and hour >= 10):
        return None if reading is None else hour
    return hour % 12 if reading in ("am", "dawn", "morning") else hour % 12 + 12


def _nearest(start: datetime, end: datetime, now: datetime, tense: int) -> Hours | None:
    """Move an hour without a day to the day that the tense points to."""
    if tense == PAST:
        return (start - _DAY, end - _DAY) if start > now else (start, end)
    if end > now:
        return start, end
    return (start + _DAY, end + _DAY) if tense == FUTURE else None
