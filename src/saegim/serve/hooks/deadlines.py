"""How long a hook may take: an agent waits for it, and a person waits for the agent."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from saegim.serve.hooks.event_note import HOOK_TIME_LIMITS_MS, TIME_LIMIT_VARIABLE, time_limit_of

__all__ = ["HOOK_TIME_LIMITS_MS", "VARIABLE", "Deadline", "pace_of"]

VARIABLE: Final = TIME_LIMIT_VARIABLE
# Of what is left, so much may be waited for; the rest is for putting the answer together.
_SHARE: Final = 0.6


@dataclass(frozen=True, slots=True)
class Deadline:
    """An instant on the clock that only goes forward, by which everything must be done."""

    end: float

    @property
    def left(self) -> float:
        """Return how many seconds are left; none, never fewer."""
        return max(self.end - time.monotonic(), 0.0)

    @property
    def patience(self) -> float:
        """Return how long a part of the answer may be waited for."""
        return _SHARE * self.left


def pace_of(event: str, environment: Mapping[str, str], began: float) -> Deadline:
    """Return the pace of an event that began at this instant of the monotonic clock."""
    return Deadline(began + time_limit_of(event, dict(environment)))
