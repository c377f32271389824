"""`Scope`: whose memory this is; the wall between people and the rooms inside it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from saegim.errors import BadInput

# Letters and digits of any script, inner spaces, and the marks that names of people, agents,
# folders and sessions really carry. No wildcards, no quotes, no control characters.
_NAME = re.compile(r"[\w][\w .@:+\-/#()]{0,199}")


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory: `user` is the wall, the others are rooms inside it.

    An empty `agent` or `project` means the memory belongs to all of them.
    """

    user: str
    agent: str = ""
    project: str = ""
    session: str = ""

    def __post_init__(self) -> None:
        checked_name("user", self.user)
        for what in ("agent", "project", "session"):
            if (value := getattr(self, what)) != "":
                checked_name(what, value)


def checked_name(what: str, value: object) -> str:
    """Return the name if it can be a user, agent, project or session; refuse it otherwise."""
    if not isinstance(value, str) or not value:
        raise BadInput("memory.missing", what=what, value=value)
    if (
        not _NAME.fullmatch(value)
        or ".." in value
        or value != value.strip()
        or value != unicodedata.normalize("NFC", value)
    ):
        raise BadInput("memory.cannot_be_used_as_name", what=what, value=value[:60])
    return value


# What is shared by all users of an agent has an owner of its own, named after the agent.
SHARED_BY = "agent:"
_LONGEST = 200


def shared_scope(scope: Scope) -> Scope | None:
    """Return the scope of what the users of this agent share; there is none without an agent.

    It is read beside one's own; what a user keeps stays behind the user's wall.
    """
    if not scope.agent:
        return None
    owner = f"{SHARED_BY}{scope.agent}"
    if len(owner) > _LONGEST:
        owner = f"{SHARED_BY}{hashlib.sha256(scope.agent.encode()).hexdigest()}"
    return None if owner == scope.user else Scope(owner, scope.agent, scope.project)


def narrowed(scope: Scope, rooms: Mapping[str, str]) -> Scope:
    """Return the scope with other rooms; refuse a room that there is not."""
    if unknown := sorted(set(rooms) - {each.name for each in fields(Scope)}):
        raise BadInput("memory.scope_has_no", unknown=unknown[0])
    return replace(scope, **rooms)
