"""How long a hook may take: an agent waits for it, and a person waits for the agent."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from saegim.serve.hooks.event import PRE_COMPACT, PROMPT, SESSION_END, SESSION_START, STOP

VARIABLE: Final = "SAEGIM_HOOK_MS"
# Milliseconds. A prompt waits for its hook (U10.3); Claude Code gives the end of a session a
# second and a half and everything else a minute or more.
LIMITS: Final[Mapping[str, int]] = {
    SESSION_START: 2000,
    PROMPT: 800,
    PRE_COMPACT: 5000,
    STOP: 3000,
    SESSION_END: 1000,
}
_MOST: Final = 600_000
# Of what is left, so much may be waited for; the rest is for putting the answer together.
_SHARE: Final = 0.6


@dataclass(frozen=True, slots=True)
class Pace:
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


def pace_of(event: str, environment: Mapping[str, str], began: float) -> Pace:
    """Return the pace of an event that began at this instant of the monotonic clock."""
    given = environment.get(VARIABLE, "")
    # Not isdigit: it takes digits of other scripts and superscripts for numbers.
    wanted = int(given) if given.isdecimal() and len(given) < 7 else LIMITS.get(event, _MOST)
    return Pace(began + min(wanted, _MOST) / 1000)
