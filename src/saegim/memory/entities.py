"""`Entity`, `Link` and `Page`: whom memories speak about, how things are tied, what is derived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from saegim.errors import BadInput
from saegim.memory.memory import checked_number, checked_share
from saegim.memory.text import normalise


def _key_part(text: str) -> str:
    """Return a part of a key, its colons escaped so that no two keys can look the same."""
    return normalise(text).replace("%", "%25").replace(":", "%3a")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentimentPoint:
    """One point of the history of sentiment towards an entity."""

    at: datetime
    score: float
    label: str = "neutral"
    memory: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A person, place, thing or topic, unique by platform and name."""

    name: str
    platform: str = ""
    type: str = "person"
    display_name: str = ""
    aliases: tuple[str, ...] = ()
    summary: str = ""
    interests: tuple[str, ...] = ()
    personality_notes: str = ""
    first_seen_at: datetime | None = None
    last_seen_at: datetime | None = None
    interactions: int = 0
    sentiment: str = "neutral"
    sentiment_score: float = 0.0
    trust: float = 0.5

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not normalise(self.name):
            raise BadInput("memory.entity_needs_name")
        checked_number("sentiment_score", self.sentiment_score, low=-1.0, high=1.0)
        checked_share("trust", self.trust)

    @property
    def key(self) -> str:
        """Return `entity:platform:name`, or `entity:name`, normalised: the key that links use."""
        return ":".join(("entity", *filter(None, map(_key_part, (self.platform, self.name)))))

    @property
    def names(self) -> tuple[str, ...]:
        """Return every name it goes by, normalised, each once."""
        every = (self.name, self.display_name, *self.aliases)
        return tuple(dict.fromkeys(filter(None, map(normalise, every))))


# How much the latest meeting counts in how one feels about someone.
_LATEST = 0.3
# Beyond this, a sentiment has a direction.
_CLEAR = 0.2


def label_of(score: float) -> str:
    """Name a sentiment (seed E): positive, negative or neutral."""
    return "positive" if score > _CLEAR else "negative" if score < -_CLEAR else "neutral"


def met_again(known: Entity, now: Entity) -> Entity:
    """Return what is known after one more meeting: counted, dated, its names joined."""
    score = known.sentiment_score + _LATEST * (now.sentiment_score - known.sentiment_score)
    seen = [each for each in (known.last_seen_at, now.last_seen_at) if each]
    first = [each for each in (known.first_seen_at, now.first_seen_at) if each]
    others = (*known.aliases, *now.aliases, now.name)
    aliases = [each for each in dict.fromkeys(others) if each != known.name]
    return replace(
        known,
        type=now.type if known.type == "thing" else known.type,
        display_name=known.display_name or now.display_name,
        aliases=tuple(aliases),
        interests=tuple(dict.fromkeys((*known.interests, *now.interests))),
        first_seen_at=min(first, default=None),
        last_seen_at=max(seen, default=None),
        interactions=known.interactions + 1,
        sentiment_score=round(score, 6),
        sentiment=label_of(score),
    )


# -- `Link`: a typed, weighted, directed tie; the same tie is never stored twice

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
# Between memories that seemed to say the same or the contrary: a person looked, and both hold.
BOTH_HOLD = "both_hold"
# Between entities, as a person said: the first is the second under another name; the first was
# taken for the second.
SAME_AS = "same_as"
PARTED_FROM = "parted_from"

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


# -- `Page`: a versioned document derived from memories


# Pages that hold what was learned: nights write them, nothing brings them in from elsewhere.
WEIGHTS = "weights"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One version of a document: island, belief set, SOUL.md, policy weights, night report."""

    key: str
    kind: str
    title: str = ""
    body: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    derived_from: tuple[str, ...] = ()
    version: int = 0
    written_at: datetime | None = None

    def __post_init__(self) -> None:
        for what in ("key", "kind"):
            if not getattr(self, what):
                raise BadInput("memory.page_needs", what=what)
