"""`Post` and `Interaction`: what is said on a platform, read from a value or from an event."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime, tzinfo
from typing import Any, Final, TypeVar

from saegim.errors import BadInput
from saegim.guard.guard import screen
from saegim.memory.clock import instant_of
from saegim.memory.fields import checked_fields
from saegim.memory.memory import checked_text
from saegim.memory.scope import checked_name

# Ids and names of platforms are short; a longer one is a text passed in the wrong place.
MOST_ID: Final = 200
_LETTERS: Final = "abcdefghijklmnop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """Something published for everyone to read."""

    id: str
    author: str
    text: str
    title: str = ""
    at: datetime | None = None
    tags: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Return the title and the text as they are read."""
        return f"{self.title}\n\n{self.text}".strip() if self.title else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """Something one said to another: a comment, a reply, a notification, an answer.

    `post` is the id of the post it stands under, `asked` the words that it answers.
    """

    id: str
    author: str
    text: str = ""
    to: str = ""
    post: str = ""
    asked: str = ""
    kind: str = "comment"
    at: datetime | None = None


Said = TypeVar("Said", Post, Interaction)


def read(
    kind: type[Said], value: Said | Mapping[str, Any], zone: tzinfo | None = None, /, **given: str
) -> Said:
    """Return the value itself, or the one an event holds under the same names.

    `given` is what the event need not say. A name that is not known is refused, so that a misspelt
    one cannot vanish; None says nothing. A time without a zone is read in `zone`, the person's own.
    """
    if not isinstance(value, Mapping):
        if not isinstance(value, kind):
            raise BadInput(
                "social.is_of_another_kind",
                value=value,
                kind=kind.__name__.lower(),
                known=kind.__name__,
            )
        return _checked(value if value.at is None else _at(value, zone))
    known = {each.name for each in fields(kind)}
    held = {**given, **{name: each for name, each in value.items() if each is not None}}
    if unknown := sorted(set(held) - known, key=str):
        raise BadInput(
            "social.has_no_such_field",
            kind=kind.__name__.lower(),
            unknown=unknown[0],
            known=", ".join(sorted(known)),
        )
    if "at" in held:
        held["at"] = instant_of(held["at"], "at", zone)
    if isinstance(held.get("tags"), list):
        held["tags"] = tuple(held["tags"])
    if missing := sorted({"id", "author"} - set(held)):
        raise BadInput("social.lacks_field", kind=kind.__name__.lower(), missing=missing[0])
    return _checked(kind(**{"text": "", **held}))


def _at(said: Said, zone: tzinfo | None) -> Said:
    return replace(said, at=instant_of(said.at, "at", zone))


def _checked(said: Said) -> Said:
    checked_fields(said)
    checked_text(said.id, "id", MOST_ID)
    if said.author:
        checked_text(said.author, "author", MOST_ID)
    return said


def key_of(platform: str, kind: str, id: str) -> str:
    """Return the key under which an event is carried out once."""
    return json.dumps(["social", platform, kind, id], ensure_ascii=False)


def thread_of(place: str, post: str) -> str:
    """Return the session that holds a post and everything said under it.

    The id of the post is part of the name where it can be; ids with odd marks, and those that look
    like a card or a phone number, stand there as a digest.
    """
    name = f"{place}:{post}"
    try:
        if not screen(checked_name("session", name)).masked:
            return name
    except BadInput:
        pass
    digest = hashlib.blake2b(post.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{place}:{''.join(_LETTERS[int(each, 16)] for each in digest)}"
