"""Dates and hours in figures: 2024-03-05, 2024.3.5, 3/25/2024, 14:30; the same in every language.

03/04/2024 is left out, because day and month can be swapped.
"""

from __future__ import annotations

from typing import Final

from saegim.language.days__pieces import LOST, Fixed, Reader, Rule, Words
from saegim.memory.late import late

# "PyCharm 2024.3.5" and "v 2024.3.5" are versions, "on 2024.3.5" is a date.
_VERSION: Final = late(
    r"(?i:(?<!on)(?<!since)(?<!by)(?<!from)(?<!until)(?<!dated)(?<!is)(?<!was)(?<=[a-z])|버전) $"
)
_DAY: Final = 24 * 60
_AT: Final = late(r"(?i)\b(?:at|by|until|till|around|about|from|to|since|before|after) $")


def _date(m: Words) -> Fixed:
    if "." in m["sep"] and _VERSION.search(m.string, max(0, m.start() - 16), m.start()):
        return LOST
    fixed = Fixed(year=int(m["year"]), month=int(m["month"]), day=int(m["day"]))
    if m["hour"]:
        fixed["hour"], fixed["minute"], fixed["half"] = int(m["hour"]), int(m["minute"]), "24"
    if m["zone"]:
        hours, _, minutes = m["zone"][1:].partition(":")
        offset = int(hours or 0) * 60 + int(minutes or 0)
        if offset >= _DAY:
            return LOST
        fixed["offset"] = -offset if m["zone"][0] == "-" else offset
    return fixed


def _slashes(m: Words) -> Fixed:
    one, two, year = int(m["one"]), int(m["two"]), int(m["year"])
    if one == two or two > 12:
        return Fixed(year=year, month=one, day=two)
    return Fixed(year=year, month=two, day=one) if one > 12 else LOST


def _clock(m: Words) -> Fixed:
    """Read 14:30; without a day beside it only "at 14:30" is an hour, "won 21:15" is a score."""
    fixed = Fixed(hour=int(m["hour"]), minute=int(m["minute"]))
    if m["hour"].startswith("0"):
        fixed["half"] = "24"
    if m["sure"] is None and not _AT.search(m.string, max(0, m.start() - 8), m.start()):
        fixed["doubtful"] = True
    return fixed


READER: Final = Reader(
    Rule(
        "0123456789",
        r"(?a)(?<![\d/.-])(?P<year>(?:19|20|21)\d\d)(?P<sep>[-/]|\. ?)(?P<month>\d{1,2})(?P=sep)"
        r"(?P<day>\d{1,2})(?:[Tt ](?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)"
        r"(?::[0-5]\d(?:\.\d+)?)?(?P<zone>[Zz]|[+-]\d\d:\d\d)?)?(?![\w/-]|\.\d)",
        _date,
    ),
    Rule(
        "0123456789",
        r"(?a)(?<![\d/.-])(?P<one>\d{1,2})(?P<sep>[/.-])(?P<two>\d{1,2})(?P=sep)"
        r"(?P<year>(?:19|20)\d\d)(?![\w/-]|\.\d)",
        _slashes,
    ),
    Rule(
        "0123456789",
        r"(?a)(?<![\d:.,/-])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?![\d:/])"
        r"(?P<sure>(?= ?(?:에|까지|부터|쯤|경)))?",
        _clock,
    ),
    before="(?<![A-Za-z0-9_])",
)
