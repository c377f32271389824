"""Who is about to rise: marked daily, distilled weekly or monthly, spared until then."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from saegim.memory.memory import Tier

# Why a memory rises (seed D §3).
THEME, USED, FELT, WISHED, REPEATED = "theme", "used", "felt", "wished", "repeated"
BEHAVIOUR, DEEPLY_FELT, ISLAND = "behaviour", "deeply_felt", "island"
# Why a memory is proposed as a core memory.
A_YEAR, OFTEN_USED, OF_THE_SELF = "a_year", "often_used", "self"


@dataclass(frozen=True, slots=True)
class RisingCandidate:
    """Memories that rise together, and why."""

    to: Tier
    why: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """Everything that is about to rise, and what could become a core memory: id and reasons."""

    rising: tuple[RisingCandidate, ...] = ()
    core: tuple[tuple[str, tuple[str, ...]], ...] = ()


def written(marked: Marked) -> str:
    """Return the marks as text; ids and reasons, no words."""
    rising = [[each.to.value, each.why, list(each.sources)] for each in marked.rising]
    core = [[id, list(reasons)] for id, reasons in marked.core]
    return json.dumps({"rising": rising, "core": core}, separators=(",", ":"))


def read(text: str) -> Marked:
    """Read the marks that the last look wrote."""
    if not text:
        return Marked()
    held: dict[str, Any] = json.loads(text)
    return Marked(
        tuple(RisingCandidate(Tier(to), why, tuple(ids)) for to, why, ids in held["rising"]),
        tuple((id, tuple(reasons)) for id, reasons in held["core"]),
    )
