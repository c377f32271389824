"""M30, M90, M365, M0: how long each tier keeps a memory, and the states of its life."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum


class Tier(StrEnum):
    """How deep a memory has settled (seed D §1)."""

    M30 = "M30"
    M90 = "M90"
    M365 = "M365"
    M0 = "M0"


class State(StrEnum):
    """Where a memory stands in its life."""

    ACTIVE = "active"
    DORMANT = "dormant"
    LEAVING = "leaving"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"
    FORGOTTEN = "forgotten"


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


def expiry(tier: Tier, since: datetime) -> datetime | None:
    """Return when a memory that entered the tier at `since` is due to leave; M0 never is."""
    lifetime = LIFETIMES[tier]
    return None if lifetime is None else since + lifetime
