"""`Clock` and ids that sort by time: the only place that reads the hour or rolls a die."""

from __future__ import annotations

import contextlib
import re
import secrets
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import Any, Protocol

from saegim.errors import BadInput

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:\-]{0,127}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Clock(Protocol):
    """Tells the time; tests bring their own."""

    def now(self) -> datetime:
        """Return the present instant, aware of its zone."""
        ...


class SystemClock:
    """The clock of this machine, in UTC."""

    def now(self) -> datetime:
        """Return the present instant in UTC."""
        return datetime.now(UTC)


@dataclass(slots=True)
class FixedClock:
    """A clock that moves only when it is told to."""

    at: datetime = field(default_factory=lambda: datetime(2026, 1, 1, 9, 0, tzinfo=UTC))

    def now(self) -> datetime:
        """Return the instant the clock was set to."""
        return self.at

    def forward(self, **step: float) -> datetime:
        """Move the clock by a step such as `days=1` (or back, with a negative one)."""
        self.at += timedelta(**step)
        return self.at


def new_id(at: datetime, prefix: str = "mem") -> str:
    """Make an id such as `mem_20251012_093022_1e240` + 11 random hex digits; ids sort by time.

    The microsecond comes first, so ids made in one second keep their order; 44 random bits beside
    it make two ids of the same microsecond collide once in about five million pairs of 2,000.
    """
    moment = at.astimezone(UTC)
    return f"{prefix}_{moment:%Y%m%d_%H%M%S}_{moment.microsecond:05x}{secrets.randbits(44):011x}"


def checked_id(value: object) -> str:
    """Return the id if it has the form of one; refuse it otherwise."""
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise BadInput("memory.not_memory_id", value=str(value)[:60])
    return value


def aware(what: str, value: datetime) -> datetime:
    """Return the instant if it knows its zone; refuse a naive one."""
    if not isinstance(value, datetime) or value.tzinfo is None or value.utcoffset() is None:
        raise BadInput("memory.no_time_zone", what=what, value=value)
    try:
        value.astimezone(UTC)
    except OverflowError as error:
        raise BadInput(
            "memory.lies_outside_calendar_in_utc", what=what, value=value.isoformat()
        ) from error
    return value


def micros(at: datetime) -> int:
    """Count the microseconds since 1970 (UTC), the form in which times are stored."""
    return (at - _EPOCH) // _MICROSECOND


def offset_minutes(at: datetime) -> int:
    """Return how far the origin of this instant is from UTC, in minutes."""
    offset = at.utcoffset()
    return 0 if offset is None else int(offset.total_seconds() / 60)


def from_micros(count: int, offset: int = 0) -> datetime:
    """Turn stored microseconds back into an instant of its origin's zone."""
    at = _EPOCH + timedelta(microseconds=count)
    return at if offset == 0 else at.astimezone(timezone(timedelta(minutes=offset)))


def parse_instant(text: str, what: str = "time") -> datetime:
    """Read an ISO 8601 instant as a file or a machine writes it; without a zone it is UTC."""
    at = _parsed(text, what)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _parsed(text: str, what: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError) as error:
        raise BadInput("memory.not_date_write_as", what=what, text=str(text)[:60]) from error


def instant_of(value: Any, what: str, zone: tzinfo | None) -> datetime:
    """Read an instant as a person gives it: a datetime, a date, or ISO 8601 text.

    What says no zone means the person's own: `zone`, or with none the clock of this machine.
    """
    if isinstance(value, str):
        value = _parsed(value, what)
    elif isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if isinstance(value, datetime) and value.utcoffset() is None:
        value = _on_the_clock_of(zone, value.replace(tzinfo=None), what)
    return aware(what, value)


def end_of(value: Any, what: str, zone: tzinfo | None) -> datetime:
    """Read where a stretch of time ends: a day without an hour ends it when the day is over."""
    day = value
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            day = date.fromisoformat(value)
    if isinstance(day, datetime) or not isinstance(day, date):
        return instant_of(value, what, zone)
    last = instant_of(datetime.combine(day, time.max), what, zone)
    return last if day == date.max else last + _MICROSECOND


def _on_the_clock_of(zone: tzinfo | None, naive: datetime, what: str) -> datetime:
    """Give a naive time the offset of its zone; of an hour that comes twice, the first."""
    try:
        offset = (naive.replace(tzinfo=zone) if zone else naive.astimezone()).utcoffset()
    except (OverflowError, OSError, ValueError) as error:
        raise BadInput(
            "memory.lies_outside_calendar_of_machine", what=what, naive=naive.isoformat()
        ) from error
    return naive.replace(tzinfo=timezone(offset or timedelta()))


def parse_day(value: object, what: str = "date") -> date:
    """Read a day: a date, an instant, or one of them as text; nothing is said about its zone."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = datetime.fromisoformat(value) if len(value) > 10 else date.fromisoformat(value)
    if not isinstance(value, date):
        raise BadInput("memory.not_date", what=what, value=str(value)[:60])
    if not 1900 <= value.year < 9000:
        raise BadInput("memory.too_far_away", what=what, value=value.isoformat())
    return value.date() if isinstance(value, datetime) and value.tzinfo is None else value


# So long before a midnight it is the same day in every zone that people live in, by UTC.
_EVENING = timedelta(hours=11)


def day_ended_by(at: datetime) -> date:
    """Return the day that ends at a midnight, whose zone may be another than this machine's."""
    here = at.astimezone()
    if (here.hour, here.minute, here.second) == (0, 0, 0):
        return (here - timedelta(hours=1)).date()
    return (at.astimezone(UTC) - _EVENING).date()


def iso(at: datetime) -> str:
    """Write an instant as ISO 8601, with `Z` for UTC."""
    return at.isoformat().replace("+00:00", "Z")
