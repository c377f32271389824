"""`Turn`: one thing said in a conversation, by someone to someone; and what became of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import Any, TypedDict

from saegim.errors import BadInput, hint
from saegim.guard.guard import MaskTally
from saegim.memory.clock import checked_id, instant_of
from saegim.memory.memory import (
    Memory,
    Origin,
    Rhythm,
    Scope,
    Source,
    Space,
    checked_name,
    checked_text,
    least_trusted,
)
from saegim.memory.record import checked_fields
from saegim.memory.text import plain_names
from saegim.perceive.decide_turn import Decision
from saegim.perceive.moment import Kept
from saegim.store.commit import IdempotencyKey

# Who speaks decides how far the words are trusted; nothing in the words can raise that.
ROLES: dict[str, tuple[Origin, Source]] = {
    "user": (Origin.USER_SAID, Source.CONVERSATION),
    "assistant": (Origin.AGENT_INFERRED, Source.CONVERSATION),
    "system": (Origin.AGENT_INFERRED, Source.OBSERVATION),
    "tool": (Origin.TOOL_OUTPUT, Source.OBSERVATION),
}
_MAX_NAME = 200
# A key names one turn; a longer one is a text passed in the wrong place.
_MAX_KEY = 500
# What a receipt says of a turn: not which memory it became, so that it outlives an erasure and
# what was erased is not heard again.
_HEARD = "heard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn of a conversation, as it was heard."""

    scope: Scope
    text: str
    role: str = "user"
    speaker: str = ""
    addressee: str = ""
    said_at: datetime | None = None
    sequence: int | None = None
    origin: Origin = Origin.USER_SAID
    source: Source = Source.CONVERSATION
    space: Space = field(default_factory=Space)
    # The memory that this turn follows from, by id, and seed A's BQI snapshot of it.
    parent: str | None = None
    rhythm: Rhythm = field(default_factory=Rhythm)
    # The caller's own name for this turn: heard twice under one key, it is judged once.
    key: str = ""
    # Said in a conversation that goes on, whenever it is told: the same words again are not
    # another event, as they are where an old conversation is replayed.
    live: bool = False

    @property
    def says_again(self) -> bool:
        """Say whether words that are here already make one more reason to keep them."""
        return self.live or self.said_at is None

    @property
    def receipt(self) -> IdempotencyKey | None:
        """Return what is written with whatever comes of this turn, if it has a key."""
        if not self.key:
            return None
        return IdempotencyKey(f"turn:{hashlib.sha256(self.key.encode()).hexdigest()}", _HEARD)

    @property
    def voice(self) -> str:
        """Return whom "I" means in this turn: nobody for the user, otherwise a name."""
        return "" if self.role == "user" and not self.speaker else self.speaker or self.role

    @property
    def session(self) -> tuple[str, ...]:
        """Return what names the conversation this turn belongs to."""
        return self.scope.user, self.scope.agent, self.scope.project, self.scope.session


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What became of a turn: the decision with its reason, and what was kept of it."""

    decision: Decision
    kept: tuple[Kept, ...] = ()
    facts: tuple[Kept, ...] = ()
    tally: MaskTally = field(default_factory=MaskTally)
    echoes: int = 0
    quarantined: str = ""
    # What was kept of words that the turn only quotes, and why some of it is kept apart.
    quoted: tuple[Kept, ...] = ()
    suspect: str = ""
    # What was put into the forgetting queue, or called back from it, because the turn asked for it.
    forgotten: tuple[Memory, ...] = ()
    restored: tuple[Memory, ...] = ()
    # What it may have meant, nearest first, where nothing was surely meant and nothing left.
    perhaps: tuple[Memory, ...] = ()
    # The memories that the turn uses: given back, named, said again.
    used: tuple[str, ...] = ()
    # How the turn takes the answer before it: up, down or neither, and what that is worth.
    feedback: str = ""
    reward: float = 0.0
    # How many parts of a long turn are kept and not read yet.
    unread: int = 0
    # The words as they were judged: without secrets and without our own.
    heard: str = field(default="", repr=False)
    # Of a session, what it is there: a query or an answer; or why nothing is in mind of it.
    query: str = ""
    unheard: str = ""

    @property
    def masked(self) -> int:
        """Return how many secrets and private numbers were replaced."""
        return self.tally.masked

    @property
    def needs_confirmation(self) -> int:
        """Return how many password-like words were held back until a person says more."""
        return self.tally.held


class TurnDetails(TypedDict, total=False):
    """What may be said about a turn; None says nothing. `content` is seed C's name for text."""

    content: str | None
    role: str | None
    speaker: str | None
    addressee: str | None
    domain: str | None
    files: Sequence[str] | None
    key: str | None
    live: bool | None
    said_at: datetime | str | None
    sequence: int | None
    origin: str | None
    agent: str | None
    project: str | None
    session: str | None
    parent: str | None
    snapshot: Mapping[str, Any] | None


_KNOWN = frozenset(TurnDetails.__annotations__)


def turn_of(
    scope: Scope,
    text: str | None,
    about: Mapping[str, Any],
    id_of: Callable[[str], str] = checked_id,
    zone: tzinfo | None = None,
) -> Turn:
    """Build a Turn from plain words about it: role="assistant", session="chat-7".

    `id_of` reads what the memory before it is called; a time without a zone is read in `zone`.
    """
    if unknown := sorted(set(about) - _KNOWN):
        known = _KNOWN - {"content"}
        raise BadInput(
            "perceive.turn_has_no",
            unknown=unknown[0],
            hint=hint(unknown[0], {*known, "text"}),
            known=", ".join(sorted(known)),
        )
    about = plain_names({**about, "text": text})
    held = {name: value for name, value in about.items() if value is not None}
    role = held.get("role", "user")
    if role not in ROLES:
        raise BadInput("perceive.no_role", role=role, known=", ".join(ROLES))
    origin, source = ROLES[role]
    rooms = {
        name: checked_name(name, held[name]) if held[name] else ""
        for name in ("agent", "project", "session")
        if name in held
    }
    return Turn(
        scope=replace(scope, **rooms),
        text=checked_text(held.get("text")),
        role=role,
        speaker=_name(held, "speaker"),
        addressee=_name(held, "addressee"),
        said_at=instant_of(held["said_at"], "said_at", zone) if "said_at" in held else None,
        sequence=_sequence(held.get("sequence")),
        # A caller may say that the words come from further away, never from nearer.
        origin=least_trusted(origin, _origin(held["origin"])) if "origin" in held else origin,
        source=source,
        space=Space(domain=_name(held, "domain"), files=_files(held.get("files", ()))),
        parent=id_of(held["parent"]) if "parent" in held else None,
        rhythm=_rhythm(held.get("snapshot", {})),
        key=checked_text(held["key"], "key", _MAX_KEY) if "key" in held else "",
        live=_yes_or_no(held.get("live", False)),
    )


def _name(held: Mapping[str, Any], what: str) -> str:
    value = held.get(what, "")
    return checked_text(value, what, _MAX_NAME).strip() if value != "" else ""


def _files(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise BadInput("perceive.files_cannot_be", value=value)
    return tuple(checked_text(each, "file name", 4096) for each in value)


def _rhythm(snapshot: Any) -> Rhythm:
    if not isinstance(snapshot, Mapping):
        raise BadInput("perceive.snapshot_cannot_be", snapshot=snapshot)
    rhythm = Rhythm(snapshot=snapshot).filled()
    checked_fields(rhythm)
    return rhythm


def _sequence(value: Any) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise BadInput("perceive.sequence_cannot_be", value=value)
    return value


def _yes_or_no(value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadInput("perceive.live_cannot_be", value=value)
    return value


def _origin(value: Any) -> Origin:
    try:
        return Origin(value)
    except ValueError as error:
        raise BadInput("perceive.no_origin", value=value, origin=", ".join(Origin)) from error
