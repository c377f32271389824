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
from saegim.memory.fields import checked_fields
from saegim.memory.keys import canonical_key, normalise
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
        raise BadInput(
            f"The {what} must be a string, not {type(value).__name__}.",
            next_step=f"Pass the {what} as text.",
        )
    if len(value) > limit:
        raise BadInput(
            f"The {what} has {len(value):,} characters; the most is {limit:,}.",
            next_step="Split it into parts, or import it as a file.",
        )
    if not normalise(value):
        raise BadInput(f"The {what} is empty.", next_step=f"Give a {what} with at least one word.")
    if "\x00" in value:
        raise BadInput(
            f"The {what} contains a NUL character at position {value.index(chr(0))}.",
            next_step="Remove it; NUL ends strings in many programs and would cut the memory.",
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput(
            f"The {what} contains half of a character (a lone surrogate) at {error.start}.",
            next_step="Decode the input as UTF-8 with errors='replace' before passing it on.",
        ) from error
    return value


def checked_tags(tags: object) -> tuple[str, ...]:
    """Return the tags, each once, in order; refuse what is not a list of short strings."""
    if isinstance(tags, str) or not isinstance(tags, list | tuple | set | frozenset):
        raise BadInput(f"tags must be a list of strings, not {tags!r}.", next_step='Pass ["work"].')
    if len(tags) > MAX_TAGS:
        raise BadInput(f"{len(tags)} tags are too many.", next_step=f"Give at most {MAX_TAGS}.")
    return tuple(dict.fromkeys(checked_text(tag, "tag", MAX_TAG).strip() for tag in tags))


def checked(memory: Memory) -> Memory:
    """Return the memory if every part of it can be stored; refuse it otherwise."""
    checked_id(memory.id)
    checked_text(memory.text)
    checked_fields(memory)
    checked_tags(memory.content.tags)
    if memory.visibility not in ("private", "shared"):
        raise BadInput(
            f"visibility cannot be {memory.visibility!r}.", next_step="Use private or shared."
        )
    return memory
