"""Whether what was learned is better than its rule, on what it never learned from.

One reward in five is held out by the name of what it followed, for good: no learner sees it. Only
what was done earned a reward, so a learned choice is reckoned by what is known: where it agrees it
earns the same, where it would have done otherwise the opposite.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

_FIFTH: Final = 5
# One-sided: only better, and so sure that one in twenty such claims would be chance.
_SURE: Final = 1.645
# How many of the last rewards say how things stand, and what of the band they may add at most.
RECENT: Final = 50
WIDEST: Final = 0.2


def is_held_out(id: str) -> bool:
    """Say whether what followed this decision or answer is never learned from."""
    return hashlib.blake2b(id.encode(), digest_size=4).digest()[0] % _FIFTH == 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the rule earned on held-out decisions, what the learned part would have, how surely."""

    count: int = 0
    rule: float = 0.0
    learned: float = 0.0
    # The least that the difference surely is.
    low: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return {name: round(value, 4) for name, value in asdict(self).items()}


def compare(rule: Sequence[float], learned: Sequence[float]) -> Comparison:
    """Compare what two earned on the same occasions."""
    if not rule:
        return Comparison()
    one, other = np.asarray(rule, dtype=np.float64), np.asarray(learned, dtype=np.float64)
    apart = other - one
    spread = float(apart.std(ddof=1)) if len(apart) > 1 else math.inf
    low = float(apart.mean()) - _SURE * spread / math.sqrt(len(apart))
    low = low if math.isfinite(low) else -1.0
    return Comparison(len(one), float(one.mean()), float(other.mean()), low)


def earned(taken: str, chosen: str, reward: float) -> float:
    """Return what a choice is reckoned to earn where another may have been taken."""
    return reward if taken == chosen else -reward


def autonomy(rewards: Sequence[float]) -> float:
    """Return how far the learned region widens, from 0 to 1: with praise, and back with blame."""
    last = np.asarray(rewards[-RECENT:], dtype=np.float64)
    if not len(last):
        return 0.0
    share = min(1.0, len(last) / RECENT)
    return float(np.clip(last.mean(), 0.0, 1.0) * share)


def trend(rewards: Sequence[float]) -> dict[str, float]:
    """Return the mean reward lately, and before that, so that one sees where it goes."""
    last, before = rewards[-RECENT:], rewards[-2 * RECENT : -RECENT]
    return {
        "recent": round(float(np.mean(last)), 4) if last else 0.0,
        "before": round(float(np.mean(before)), 4) if before else 0.0,
        "count": float(len(rewards)),
    }


def implicit_reward(
    *, continued: float = 0.0, reused: float = 0.0, brief: float = 0.0, most: float = 1.0
) -> float:
    """Return what the flow of talk says of an answer: seed C's three signs, each as weighed."""
    return float(np.clip(continued + reused + brief, -most, most))
