"""`Entity`: someone or something memories speak about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from saegim.errors import BadInput
from saegim.memory.emotion import checked_number, checked_share
from saegim.memory.keys import normalise


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
            raise BadInput("An entity needs a name.", next_step="Give the name memories use.")
        checked_number("sentiment_score", self.sentiment_score, low=-1.0, high=1.0)
        checked_share("trust", self.trust)

    @property
    def key(self) -> str:
        """Return `entity:platform:name`, or `entity:name`, normalised: the key that links use."""
        return ":".join(("entity", *filter(None, map(_key_part, (self.platform, self.name)))))
