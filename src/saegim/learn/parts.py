"""What was learned from one person, as a process holds it: policy, reranker, who decides."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from saegim.learn.evidence import Comparison
from saegim.learn.network import Vector
from saegim.learn.policy import Policy
from saegim.learn.reranker import LearnedReranker

RULE, LEARNED = "rule", "learned"
SHADOW, IN_CHARGE, OFF = "shadow", "in charge", "off"


@dataclass(slots=True)
class LearnedPart:
    """How one learned part stands: shadow or in charge, why, and what it was compared by."""

    standing: str = SHADOW
    why: str = "unproven"
    compared: Comparison = field(default_factory=Comparison)
    # Which version of its page it began from, and up to which reward it has learned since.
    version: int = 0
    followed: int = 0
    # The weights of that version, where it could be taken.
    before: Vector | None = None
    # Why its last checkpoint was not taken, if it was not.
    trouble: str = ""

    @property
    def in_charge(self) -> bool:
        """True where it decides."""
        return self.standing == IN_CHARGE


@dataclass(slots=True)
class LearnedParts:
    """The learned parts of one person."""

    policy: Policy
    reranker: LearnedReranker
    policy_part: LearnedPart = field(default_factory=LearnedPart)
    reranker_part: LearnedPart = field(default_factory=LearnedPart)
    # How many decisions were drawn: what makes exploring reproducible.
    draws: int = 0


class LearnedCache:
    """The learned parts of every person this process has served; nothing is shared with others."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.parts: dict[str, LearnedParts] = {}

    def forget(self, owner: str) -> None:
        """Read anew the next time: a night has written, or was taken back."""
        with self.lock:
            self.parts.pop(owner, None)
