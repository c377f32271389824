"""Pieces of time: what time words fix, how they are found, and which of them belong together."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from typing import Final, NamedTuple, TypedDict, cast

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
    third: int  # of a month: 0, 1 or 2
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
    part: str  # dawn, morning, am, noon, pm, evening, night
    half: str  # am, pm or 24
    hour: int
    minute: int
    offset: int  # minutes from UTC, where a date in figures says so
    seconds: int
    exact: bool  # a count of years, months or weeks: the same day then, not all of it
    lost: bool  # a time word that says no time that can be known


class Piece(NamedTuple):
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


class Rule:
    """A pattern of time words, what it can begin with, and how to read what it found.

    In a pattern `~` stands for a space that people write or leave out. It is compiled when a text
    first needs it, which keeps the import cheap.
    """

    def __init__(self, first: Iterable[str], pattern: str, read: Callable[[Words], Fixed]) -> None:
        self.first = tuple(first)
        self.pattern = pattern.replace("~", "[ \\u00a0]{0,2}")
        self.read = read

    @cached_property
    def match(self) -> Callable[[str, int], Words | None]:
        """The compiled pattern, to be tried at one place of a text."""
        return re.compile(self.pattern).match


class Reader:
    """Finds the time words of one language by its rules; at one place the first rule wins."""

    def __init__(self, *rules: Rule, before: str = "") -> None:
        self.rules = rules
        self._before = before
        self._by_beginning: dict[str, list[Rule]] = {}
        for beginning in sorted({first for rule in rules for first in rule.first}):
            fitting = [rule for rule in rules if beginning.startswith(rule.first)]
            self._by_beginning[beginning] = fitting

    @cached_property
    def _place(self) -> re.Pattern[str]:
        return re.compile(f"{self._before}(?:{either(self._by_beginning)})")

    def pieces(self, text: str) -> Iterator[Piece]:
        """Give the time words of a text in the order in which they stand there."""
        at = 0
        for place in self._place.finditer(text):
            start = place.start()
            if start < at:
                continue
            for rule in self._by_beginning[place[0]]:
                if words := rule.match(text, start):
                    at = words.end()
                    yield Piece(start, at, rule.read(words))
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
    "weeks": YEAR | MONTH | {"day", "third", "turn"},
    "weekend": YEAR | MONTH | CLOCK | {"day", "third", "weekday"},
    "third": CLOCK | {"day", "weekday"},
    "seconds": YEAR | MONTH | CLOCK | {"day", "days", "weeks", "weekday", "holiday", "third"},
}


def joined(one: Fixed, other: Fixed) -> Fixed | None:
    """Return what two neighbouring time words fix together, or None where they do not belong."""
    here, there = one.keys(), other.keys()
    if "lost" in here or "lost" in there:
        return LOST
    for day, far in ((one, other), (other, one)):
        if day == {"days": 0} and far.keys() - {"exact"} <= _FAR and "exact" not in day:
            return far | Fixed(exact=True)  # a year ago today
    if here & there or (here & YEAR and there & YEAR) or (here & MONTH and there & MONTH):
        return None
    if here <= _LONE_DAY or (there <= _LONE_DAY and not here & MONTH):
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
