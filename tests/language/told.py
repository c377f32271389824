"""How the tests of this folder write a span down: `2026-03-03`, `2026-03-01..2026-04-01`, …T15."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from saegim.language.times import spans

SEOUL = datetime(2026, 3, 4, 10, 0, tzinfo=ZoneInfo("Asia/Seoul"))  # a Wednesday
SUNDAY = datetime(2026, 5, 3, 8, 0, tzinfo=timezone(timedelta(hours=9)))
NEW_YORK = ZoneInfo("America/New_York")
GAP = datetime(2026, 3, 8, 12, 0, tzinfo=NEW_YORK)  # 02:00 to 03:00 does not exist on this day
AFTER_GAP = datetime(2026, 3, 9, 9, 0, tzinfo=NEW_YORK)
OVERLAP = datetime(2026, 11, 1, 20, 0, tzinfo=NEW_YORK)  # 01:00 to 02:00 exists twice
AFTER_OVERLAP = datetime(2026, 11, 2, 8, 0, tzinfo=NEW_YORK)
FIRST = datetime(2026, 1, 1, 0, 30, tzinfo=ZoneInfo("Pacific/Kiritimati"))  # UTC+14
LAST = datetime(2025, 12, 31, 23, 45, tzinfo=timezone(timedelta(hours=-12)))
LEAP = datetime(2024, 2, 29, 12, 0, tzinfo=ZoneInfo("Asia/Seoul"))


def told(text: str, anchor: datetime) -> str:
    """Write the spans of a text in local time; one that is a whole day as that day alone."""
    return "; ".join(_told(span.start, span.end) for span in spans(text, anchor))


def _told(start: datetime, end: datetime) -> str:
    one, two = _moment(start), _moment(end)
    if "T" not in one + two and end.date() - start.date() == timedelta(days=1):
        return one
    hour = end.astimezone(UTC) - start.astimezone(UTC) == timedelta(hours=1)
    return one if hour and "T" in one else f"{one}..{two}"


def _moment(at: datetime) -> str:
    if (at.hour, at.minute) == (0, 0):
        return f"{at:%Y-%m-%d}"
    return f"{at:%Y-%m-%dT%H}" if at.minute == 0 else f"{at:%Y-%m-%dT%H:%M}"
