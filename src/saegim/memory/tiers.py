"""M30, M90, M365, M0: how long each tier keeps a memory, what for, and the states of its life."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum


class Tier(StrEnum):
    """How deep a memory has settled (seed D §1)."""

    M30 = "M30"
    M90 = "M90"
    M365 = "M365"
    M0 = "M0"


# The shallowest first.
DEPTH = (Tier.M30, Tier.M90, Tier.M365, Tier.M0)


class State(StrEnum):
    """Where a memory stands in its life."""

    ACTIVE = "active"
    DORMANT = "dormant"
    LEAVING = "leaving"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"
    FORGOTTEN = "forgotten"


class Lifetime(StrEnum):
    """What a memory is kept for, whatever its tier (decision 0012)."""

    # Who someone is, health, people, preferences, wishes, decisions: no end by age.
    LASTING = "lasting"
    # Plans, appointments, deadlines: not before their last date and a month.
    UNTIL = "until"
    # Happenings, moods, states of the day: the tier's own time.
    PASSING = "passing"


Span = tuple[Lifetime, datetime | None]
_OUTLASTS = (Lifetime.PASSING, Lifetime.UNTIL, Lifetime.LASTING)


def longer(one: Span, other: Span) -> Span:
    """Return the longer of two lifetimes, each with its last date; the first of equal ones."""

    def length(span: Span) -> tuple[int, float]:
        lifetime, last = span
        return _OUTLASTS.index(lifetime), last.timestamp() if last else 0.0

    return max(one, other, key=length)


# What recall may find; a dormant memory only when it is asked for.
FINDABLE = (State.ACTIVE, State.DORMANT)


class Reason(StrEnum):
    """Why a memory is leaving."""

    EXPIRED = "expired"
    FADED = "faded"
    PRUNED = "pruned"
    DISPLACED = "displaced"
    MANUAL = "manual"


LIFETIMES: dict[Tier, timedelta | None] = {
    Tier.M30: timedelta(days=30),
    Tier.M90: timedelta(days=90),
    Tier.M365: timedelta(days=365),
    Tier.M0: None,
}


# So long after its last date a plan may still be asked about.
GRACE = timedelta(days=30)


def expiry(tier: Tier, since: datetime, last_date: datetime | None = None) -> datetime | None:
    """Return when the time of a memory that entered the tier at `since` is over; never in M0.

    `last_date` is the last day a plan speaks of: its time is not over before that and a month.
    """
    lifetime = LIFETIMES[tier]
    if lifetime is None:
        return None
    end = since + lifetime
    return end if last_date is None else max(end, last_date + GRACE)
