"""`Link`: a typed, weighted, directed tie; the same tie is never stored twice."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from saegim.errors import BadInput
from saegim.memory.emotion import checked_number

PARENT = "parent"
RELATED = "related"
SIMILAR_TO = "similar_to"
RESPONDED_WITH = "responded_with"
HAS_FEEDBACK = "has_feedback"
REFERS_TO = "refers_to"
DERIVED_FROM = "derived_from"
MERGED_FROM = "merged_from"
SUPERSEDES = "supersedes"
CONTRADICTS = "contradicts"
PROMOTED_FROM = "promoted_from"

# Ties between memories. A tie between entities carries the predicate of its triple instead.
TYPES = (
    PARENT,
    RELATED,
    SIMILAR_TO,
    RESPONDED_WITH,
    HAS_FEEDBACK,
    REFERS_TO,
    DERIVED_FROM,
    MERGED_FROM,
    SUPERSEDES,
    CONTRADICTS,
    PROMOTED_FROM,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A tie from one key to another (memory, entity or session)."""

    source: str
    type: str
    target: str
    weight: float = 1.0
    negative: bool = False
    created_at: datetime | None = None
    touched_at: datetime | None = None

    def __post_init__(self) -> None:
        for what in ("source", "type", "target"):
            value = getattr(self, what)
            # A colon at either end would run together with the '::' of the key.
            if not isinstance(value, str) or not value or "::" in f":{value}:":
                raise BadInput("memory.link_cannot_be", what=what, value=value)
        checked_number("weight", self.weight, low=-1e9, high=1e9)

    @property
    def key(self) -> str:
        """Return `from::type::to`, which names this tie and no other."""
        return f"{self.source}::{self.type}::{self.target}"
