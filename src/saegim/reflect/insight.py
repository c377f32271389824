"""`Insight` and `Portrait`: what was noticed, and the memories it was noticed in."""

from __future__ import annotations

from dataclasses import dataclass

import xxhash

from saegim.memory.entities import Entity
from saegim.memory.memory import Memory

# The tag by which a kept insight is known again.
TAG = "insight:"


@dataclass(frozen=True, slots=True)
class Insight:
    """One thing noticed; `about` are keys of entities or theme words, all sources of one room.

    `key` names what is said about whom, then a dot, then in which direction.
    """

    text: str
    language: str
    about: tuple[str, ...]
    sources: tuple[Memory, ...]
    key: str

    @property
    def tag(self) -> str:
        """Return the tag under which a kept insight carries its key."""
        return f"{TAG}{self.key}"


@dataclass(frozen=True, slots=True)
class Portrait:
    """An entity with its renewed summary, and the memories that say so."""

    entity: Entity
    sources: tuple[Memory, ...]


def insight_key(topic: str, tendency: str) -> str:
    """Return the key of a statement: its topic and its tendency, each as a digest."""
    return f"{_digest(topic)[:16]}.{_digest(tendency)[:8]}"


def _digest(words: str) -> str:
    return xxhash.xxh3_64_hexdigest(words.encode("utf-8", "surrogatepass"))
