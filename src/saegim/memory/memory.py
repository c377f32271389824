"""`Memory`: one remembered thing, its words verbatim, placed by its coordinates."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from saegim.errors import BadInput
from saegim.memory.clock import checked_id
from saegim.memory.coordinate import (
    Agent,
    Content,
    Kind,
    Life,
    Provenance,
    Rhythm,
    Space,
    Time,
    Worth,
)
from saegim.memory.emotion import Emotion
from saegim.memory.keys import canonical_key, normalise
from saegim.memory.record import checked_fields
from saegim.memory.scope import Scope

# Long enough for a chapter, short enough that one memory cannot fill a context or a log.
MAX_TEXT = 1_000_000
MAX_TAGS = 64
MAX_TAG = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One remembered thing. Its words never change: a correction is a new memory."""

    id: str
    scope: Scope
    text: str
    time: Time
    kind: Kind = Kind.FACT
    visibility: str = "private"
    provenance: Provenance = field(default_factory=Provenance)
    space: Space = field(default_factory=Space)
    agent: Agent = field(default_factory=Agent)
    emotion: Emotion = field(default_factory=Emotion)
    content: Content = field(default_factory=Content)
    worth: Worth = field(default_factory=Worth)
    life: Life = field(default_factory=Life)
    rhythm: Rhythm = field(default_factory=Rhythm)

    @property
    def canonical_key(self) -> str:
        """Return the versioned key that two spellings of the same text share."""
        return canonical_key(self.text)

    def evolve(self, **changes: Any) -> Memory:
        """Return a copy with these fields replaced."""
        return replace(self, **changes)


def checked_text(value: object, what: str = "text", limit: int = MAX_TEXT) -> str:
    """Return the text if it can be kept word for word; say exactly why not otherwise."""
    if not isinstance(value, str):
        raise BadInput("memory.must_be_string", what=what, type=type(value).__name__)
    if len(value) > limit:
        raise BadInput("memory.characters_most", what=what, count=len(value), limit=limit)
    if not normalise(value):
        raise BadInput("memory.text_empty" if what == "text" else "memory.empty", what=what)
    if "\x00" in value:
        raise BadInput(
            "memory.contains_nul_character_at_position", what=what, index=value.index(chr(0))
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput(
            "memory.contains_half_of_character_lone", what=what, start=error.start
        ) from error
    return value


def checked_tags(tags: object) -> tuple[str, ...]:
    """Return the tags, each once, in order; refuse what is not a list of short strings."""
    if isinstance(tags, str) or not isinstance(tags, list | tuple | set | frozenset):
        raise BadInput("memory.tags_must_be_list", tags=tags)
    if len(tags) > MAX_TAGS:
        raise BadInput("memory.tags_are_too_many", count=len(tags), most=MAX_TAGS)
    return tuple(dict.fromkeys(checked_text(tag, "tag", MAX_TAG).strip() for tag in tags))


def checked(memory: Memory) -> Memory:
    """Return the memory if every part of it can be stored; refuse it otherwise."""
    checked_id(memory.id)
    checked_text(memory.text)
    checked_fields(memory)
    checked_tags(memory.content.tags)
    if memory.visibility not in ("private", "shared"):
        raise BadInput("memory.visibility_cannot_be", visibility=memory.visibility)
    return memory
