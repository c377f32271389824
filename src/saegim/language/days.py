"""Days and hours: holidays by name, the pieces that time words fix, and the tense around them."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Final, NamedTuple, TypedDict, cast

from saegim.language.word_lists import read_lists
from saegim.memory.text import lazy_pattern

_LISTS: Final = read_lists("both/days")
_TENSES: Final = read_lists("both/tenses")

# ---- Holidays by name: on which day each of them falls in a year.

FIRST_LUNAR_YEAR: Final = 1990

# Month and day per year from 1990 on, counted in Korean time. Generated from the Dangi calendar of
# ICU 72; equal to `korean_lunar_calendar` 0.4.0 (tables of the Korea Astronomy and Space Science
# Institute) for every year it knows (to 2050) and to `holidays` 0.108 for all 71 years.
_LUNAR: Final = {name: _LISTS.row(name) for name in ("seollal", "chuseok", "buddha")}
_FIXED: Final = _LISTS.pairs("fixed")
# Month, weekday (Monday is 0) and which one of the month; the United States' reckoning.
_WEEKDAYS: Final = {
    "mothers": (5, 6, 2),
    "memorial_us": (5, 0, -1),
    "fathers": (6, 6, 3),
    "labor_us": (9, 0, 1),
    "thanksgiving": (11, 3, 4),
}

KOREAN: Final = _LISTS.pairs("korean")
ENGLISH: Final = _LISTS.pairs("english")


def holiday_on(name: str, year: int) -> date | None:
    """Return the day on which a holiday falls in a year, or None where it is not known."""
    if fixed := _FIXED.get(name):
        return date(year, int(fixed[:2]), int(fixed[2:]))
    if table := _LUNAR.get(name):
        at = year - FIRST_LUNAR_YEAR
        if not 0 <= at < len(table):
            return None
        return date(year, int(table[at][:2]), int(table[at][2:]))
    if rule := _WEEKDAYS.get(name):
        return nth_weekday(year, *rule)
    if name == "black_friday":
        return nth_weekday(year, *_WEEKDAYS["thanksgiving"]) + timedelta(days=1)
    if name == "easter":
        return _easter(year)
    if name == "good_friday":
        return _easter(year) - timedelta(days=2)
    return None


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> date:
    """Return the first, second … (or, with -1, last) such weekday of a month."""
    if nth < 0:
        following = date(year + month // 12, month % 12 + 1, 1)
        back = (following.weekday() - weekday - 1) % 7 + 1
        return following - timedelta(days=back)
    first = date(year, month, 1)
    day = 1 + (weekday - first.weekday()) % 7 + 7 * (nth - 1)
    return date(year, month, day)


def _easter(year: int) -> date:
    """Western Easter by the Gregorian computus (golden number, epact, Sunday)."""
    golden = year % 19
    century, rest = divmod(year, 100)
    leaps, odd = divmod(century, 4)
    lunar = (8 * century + 13) // 25
    epact = (19 * golden + century - leaps - lunar + 15) % 30
    quads, left = divmod(rest, 4)
    sunday = (32 + 2 * odd + 2 * quads - epact - left) % 7
    late = (golden + 11 * epact + 22 * sunday) // 451
    month, day = divmod(epact + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


# ---- Pieces of time: what time words fix, how they are found, and which of them belong together.

# The tense of a sentence.
PAST: Final = -1
OPEN: Final = 0
FUTURE: Final = 1


class Fixed(TypedDict, total=False):
    """What time words fix; years, months, weeks, days and seconds count from the anchor."""

    year: int
    short_year: int  # two digits
    years: int
    month: int
    months: int
    third: int  # of a month, a week or a year: 0, 1 or 2
    closing: bool  # the last day of it
    vague: bool  # a part without agreed borders: read only ahead
    weeks: int
    day: int
    last_day: int
    days: int
    weekday: int  # Monday is 0
    nth: int  # which weekday of the month; -1 is the last
    weekend: bool
    holiday: str
    turn: int  # -1 last, 0 this, 1 next
    doubtful: bool  # 다음 금요일 (of next week, or the first to come); 21:15 (an hour, or a score)
    step: int  # so many days after the day that is named
    lasts: int  # so many days from the day that is named
    back: bool  # the day that was named last: 그날, until then
    swapped: int  # 8/3 may be the 8th of March as well
    part: str  # dawn, morning, am, noon, pm, evening, night
    half: str  # am, pm or 24
    hour: int
    minute: int
    offset: int  # minutes from UTC, where a date in figures says so
    seconds: int
    exact: bool  # a count of years, months or weeks: the same day then, not all of it
    lost: bool  # a time word that says no time that can be known


class TimePiece(NamedTuple):
    """One time word: where it stands in the text, and what it fixes."""

    start: int
    end: int
    fixed: Fixed


LOST: Final = Fixed(lost=True)
Words = re.Match[str]


def small(text: str) -> str:
    """Return the text in small letters, each at its old place."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(map(_small_letter, text))


def _small_letter(letter: str) -> str:
    lowered = letter.lower()
    return lowered if len(lowered) == 1 else letter


def either(words: Iterable[str]) -> str:
    """Write a pattern that matches any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def starts(words: Iterable[str], length: int = 1) -> list[str]:
    """Return the beginnings of the words, each of at most `length` characters."""
    return list(dict.fromkeys(f"{word} "[:length] for word in words))


class TimeRule:
    """A pattern of time words, what it can begin with, and how to read what it found.

    In a pattern `~` stands for a space that people write or leave out. It is compiled when a text
    first needs it, which keeps the import cheap. What has no reading names no known time.
    """

    def __init__(
        self, first: Iterable[str], pattern: str, read: Callable[[Words], Fixed] | None = None
    ) -> None:
        self.first = tuple(first)
        self.pattern = pattern.replace("~", "[ \\u00a0]{0,2}")
        self.read = read or (lambda _: LOST)

    @cached_property
    def match(self) -> Callable[[str, int], Words | None]:
        """The compiled pattern, to be tried at one place of a text."""
        return re.compile(self.pattern).match


class Reader:
    """Finds the time words of one language by its rules; at one place the first rule wins."""

    def __init__(self, *rules: TimeRule, before: str = "") -> None:
        self.rules = rules
        self._before = before
        self._by_beginning: dict[str, list[TimeRule]] = {}
        for beginning in sorted({first for rule in rules for first in rule.first}):
            fitting = [rule for rule in rules if beginning.startswith(rule.first)]
            self._by_beginning[beginning] = fitting

    @cached_property
    def _place(self) -> re.Pattern[str]:
        return re.compile(f"{self._before}(?:{either(self._by_beginning)})")

    def pieces(self, text: str) -> Iterator[TimePiece]:
        """Give the time words of a text in the order in which they stand there."""
        at = 0
        for place in self._place.finditer(text):
            start = place.start()
            if start < at:
                continue
            for rule in self._by_beginning[place[0]]:
                if words := rule.match(text, start):
                    at = words.end()
                    yield TimePiece(start, at, rule.read(words))
                    break


YEAR: Final = frozenset(("year", "short_year", "years"))
MONTH: Final = frozenset(("month", "months"))
CLOCK: Final = frozenset(("part", "half", "hour", "minute"))
_FAR: Final = frozenset(("years", "months", "weeks"))
_LONE_DAY: Final = frozenset(("day", "last_day"))
# A time word on the left is not part of one expression with those on the right.
_APART: Final = {
    "days": YEAR | MONTH | {"day", "weeks", "holiday", "weekend", "third"},
    "holiday": MONTH | {"day", "weeks", "weekend", "third"},
    "weeks": YEAR | MONTH | {"day", "turn"},
    "back": YEAR | MONTH | {"day", "days", "weeks", "holiday", "third", "turn"},
    "weekend": YEAR | MONTH | CLOCK | {"day", "third", "weekday"},
    "third": CLOCK | {"day", "weekday"},
    "seconds": YEAR | MONTH | CLOCK | {"day", "days", "weeks", "weekday", "holiday", "third"},
}


def joined(one: Fixed, other: Fixed) -> Fixed | None:
    """Return what two neighbouring time words fix together, or None where they do not belong."""
    here, there = one.keys(), other.keys()
    if "lost" in here or "lost" in there:
        return LOST
    if "lasts" in there and here <= CLOCK:
        return one  # 9시부터 2일간 names no day that it could lengthen
    if "lasts" in here and there <= CLOCK:
        return None
    for day, far in ((one, other), (other, one)):
        if day == {"days": 0} and far.keys() - {"exact"} <= _FAR and "exact" not in day:
            return far | Fixed(exact=True)  # a year ago today
    if here & there or (here & YEAR and there & YEAR) or (here & MONTH and there & MONTH):
        return None
    if here <= _LONE_DAY and there - CLOCK != {"weekday"}:
        return None
    if there <= _LONE_DAY and not here & MONTH and here != {"weekday"}:
        return None
    for key, foes in _APART.items():
        if (key in here and there & foes) or (key in there and here & foes):
            return None
    return one | other


def is_clock(fixed: Fixed) -> bool:
    """Say whether an hour or a part of the day is all that is fixed, and no day."""
    return fixed.keys() <= CLOCK


def is_day(fixed: Fixed) -> bool:
    """Say whether one day is named, with or without an hour."""
    if fixed.keys() & {"day", "days", "weekday", "holiday"}:
        return True
    return "exact" in fixed and "month" not in fixed


def only(fixed: Fixed, keys: Collection[str]) -> Fixed:
    """Return the part of what is fixed that has these keys."""
    return cast(Fixed, {key: value for key, value in fixed.items() if key in keys})


def without_clock(fixed: Fixed) -> Fixed:
    """Return what is fixed beside the hour and the part of the day."""
    return only(fixed, fixed.keys() - CLOCK)


# ---- Local days and hours: what time words fix, seen from the day of the speaker.

Days = tuple[date, date]
Hours = tuple[datetime, datetime]

_DAY: Final = timedelta(days=1)
# A two-digit year lies at most this far ahead of the anchor.
_AHEAD: Final = 20
# 29 February comes back within so many years.
_YEARS: Final = 9
# No day of a month is farther away than this: a 31st after February.
_MONTHS: Final = 4


def is_lone_day(fixed: Fixed) -> bool:
    """Say whether only the day of some month is named: the 20th, 20일."""
    return "day" in fixed and not fixed.keys() & (MONTH | YEAR)


def asks_tense(fixed: Fixed) -> bool:
    """Say whether the tense of the sentence can change what is meant."""
    if fixed.keys() & {"exact", "seconds", "hour", "vague"}:
        return True
    if fixed.keys() & {"month", "holiday"}:
        return not fixed.keys() & YEAR
    if is_lone_day(fixed):
        return True
    return "weekday" in fixed and not fixed.keys() & {"weeks", "days", "months"}


def local_span(fixed: Fixed, now: datetime, tense: int) -> Hours | None:
    """Return the local span that is meant, seen from the local time `now`; the end is exclusive."""
    if fixed.keys() & {"lost", "back"} or (tense == PAST and _counts_ahead(fixed)):
        return None
    if "doubtful" in fixed and fixed.keys() <= CLOCK | {"doubtful"}:
        return None
    try:
        days = _days(fixed, now.date(), tense)
        if days is None:
            return None
        first, after = (datetime.combine(day, time()) for day in days)
        if not fixed.keys() & CLOCK:
            return first, max(after, first + fixed.get("lasts", 1) * _DAY)
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
    if days and "closing" in fixed:
        days = _one(days[1] - _DAY)
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
    if is_lone_day(fixed):
        return _day_of_month(fixed, today, tense)
    if "weekday" in fixed:
        return None if fixed.keys() & YEAR else _weekday(fixed, today, tense)
    if fixed.keys() & YEAR:
        return _year(fixed, today)
    return _one(today) if "hour" in fixed else None


def _day_of_month(fixed: Fixed, today: date, tense: int) -> Days | None:
    """Find the nearest such day of a month, today among them, before or after the day."""
    year, month = today.year, today.month
    for _ in range(_MONTHS if tense != OPEN else 0):
        try:
            first, after = _in_month(fixed, year, month)
            fits = first.weekday() == fixed.get("weekday", first.weekday())
            if fits and (first <= today if tense == PAST else after > today):
                return first, after
        except ValueError:  # not every month has a 31st
            pass
        year, month = divmod(year * 12 + month - 1 + tense, 12)
        month += 1
    return None


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
    if "third" in fixed:
        return _in_month(Fixed(), year, (1, 6, 12)[fixed["third"]])
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
        elif turn is None and first <= today < after and after - first > _DAY and tense != FUTURE:
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
    first, after = ((0, 2), (2, 4), (4, 7), (0, 7))[fixed.get("third", 3)]
    return monday + timedelta(days=first), monday + timedelta(days=after)


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


# ---- Verbs around a time word: which tense they show, and what makes a count start elsewhere.

# Every syllable that closes with ㅆ marks the past, except 있 and 겠.
_PAST: Final = "왓햇됏졋봣냇렷켯쳣" + "".join(  # as people type them, and as they are written
    chr(code) for code in range(0xAC00 + 20, 0xD7A4, 28) if chr(code) not in "있겠"
)
_WILL: Final = "".join(chr(code) for code in range(0xAC00 + 8, 0xD7A4, 28))  # closes with ㄹ
_NN: Final = "".join(chr(code) for code in range(0xAC00 + 4, 0xD7A4, 28))  # closes with ㄴ
_BB: Final = "".join(chr(code) for code in range(0xAC00 + 17, 0xD7A4, 28))  # closes with ㅂ
# Past forms that the ending does not show.
_PASTS: Final = either(_TENSES.row("pasts_unmarked"))
# What looks ahead knows also what closes a clause without a past: the verbs beyond are another's.
_KOREAN: Final = _TENSES.pattern("korean", past=_PAST, will=_WILL)
_ENGLISH: Final = _TENSES.pattern("english", pasts=_PASTS)
_VERBS: Final = {
    ("ko", False): lazy_pattern(_KOREAN),
    ("ko", True): lazy_pattern(_TENSES.pattern("korean_present", nn=_NN, bb=_BB) + _KOREAN),
    ("en", False): lazy_pattern(_ENGLISH),
    ("en", True): lazy_pattern(_ENGLISH + _TENSES.pattern("english_present", pasts=_PASTS)),
}
_SHOWN: Final = dict.fromkeys(("past", "perfect", "done"), PAST) | dict.fromkeys(
    ("open", "adjective", "present"), OPEN
)
# Moved to Tuesday: the verb tells when it was moved, not when it will be.
_KOREAN_MOVED: Final = lazy_pattern(_TENSES.pattern("korean_moved"))
_ENGLISH_MOVED: Final = lazy_pattern(_TENSES.pattern("english_moved"))
# Booked, fixed, put off: the verb tells when it was arranged, not when it will be.
_KOREAN_ARRANGED: Final = lazy_pattern(_TENSES.pattern("korean_arranged", past=_PAST))
_KOREAN_TRAILED: Final = lazy_pattern(_TENSES.pattern("korean_trailed"))
_ENGLISH_ARRANGED: Final = lazy_pattern(_TENSES.pattern("english_arranged"))


def tenses(sentence: str, language: str, *, ahead: bool = False) -> list[tuple[int, int]]:
    """Return where the verbs of a sentence show their tense, and which it is."""
    found = _VERBS[language, ahead].finditer(sentence)
    return [(verb.start(), _SHOWN.get(verb.lastgroup or "", FUTURE)) for verb in found]


def korean_moved(sentence: str, at: int) -> bool:
    """Say whether the words from a place on tell that something was moved to or from it."""
    return _KOREAN_MOVED.match(sentence, at) is not None


def korean_arranged(sentence: str, at: int) -> bool:
    """Say whether the words from a place on tell that something was arranged for it."""
    return _KOREAN_ARRANGED.match(sentence, at) is not None


def korean_trailed(sentence: str, at: int) -> bool:
    """Say whether a booking from a place on ends in its hour: 금요일에 치과 예약했어 2시."""
    return _KOREAN_TRAILED.match(sentence, at) is not None


_AND_THEN: Final = lazy_pattern(r"(?<!그리)고[ \u00a0]{1,2}$")
# A count before or after an event counts from that event, not from the one who tells it.
_EVENT: Final = lazy_pattern(_TENSES.pattern("event"))


def counted_from_event(text: str, at: int, *, ahead: bool) -> bool:
    """Say whether the words before a count ("시험 | 3일 전") make it count from an event."""
    begin = max(0, at - 8)
    if ahead and _AND_THEN.search(text, begin, at):
        return True
    return _EVENT.search(text, begin, at) is not None


def english_arranged(sentence: str, at: int) -> bool:
    """Say whether the words before a place tell that something was arranged for it."""
    return _ENGLISH_ARRANGED.search(sentence, max(0, at - 90), at) is not None


def english_moved(sentence: str, at: int) -> bool:
    """Say whether the words before a place tell that something was moved to or from it."""
    return _ENGLISH_MOVED.search(sentence, max(0, at - 60), at) is not None
