"""`Moment`: what was said, before it is a memory; and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime, tzinfo
from enum import StrEnum
from typing import Any, TypedDict

from saegim.errors import BadInput, hint
from saegim.memory.clock import checked_id, instant_of, parse_day
from saegim.memory.memory import (
    Agent,
    Content,
    Emotion,
    Feeling,
    Kind,
    Lifetime,
    Memory,
    Origin,
    Provenance,
    Rhythm,
    Scope,
    Source,
    Space,
    State,
    Tier,
    checked_name,
    checked_tags,
    checked_text,
)
from saegim.memory.record import checked_fields
from saegim.memory.text import ALIASES, plain_names

# A memory that belongs with more than these belongs with nothing in particular.
MOST_RELATED = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Something a person asked to keep, with what they said about it."""

    scope: Scope
    text: str
    # Nobody said: then the words themselves do.
    kind: Kind | None = None
    tier: Tier = Tier.M90
    # Nobody said: what a person asks to keep lasts, of anything else the words decide.
    lifetime: Lifetime | None = None
    # The last day of what is kept until a day.
    last_date: date | None = None
    happened_at: datetime | None = None
    valid_from: datetime | None = None
    sequence: int | None = None
    importance: float | None = None
    confidence: float = 0.7
    rating: int | None = None
    pinned: bool = False
    immutable: bool = False
    visibility: str = "private"
    provenance: Provenance = field(default_factory=Provenance)
    space: Space = field(default_factory=Space)
    agent: Agent = field(default_factory=Agent)
    emotion: Emotion = field(default_factory=Emotion)
    content: Content = field(default_factory=Content)
    rhythm: Rhythm = field(default_factory=Rhythm)
    # Whether the caller named the project; otherwise the words decide whose it is.
    project_named: bool = False
    # Memories this one belongs with, by id (seed C `memory_save`).
    related: tuple[str, ...] = ()
    # The memory that this one follows from (seed A §3.1 `parent_memory_id`).
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a moment: the memory, whether it was new, and how it is indexed.

    `status` is `stored`, `duplicate` (an identical text was here and was reinforced) or `repeated`
    (the same idempotency key had been carried out before).
    """

    memory: Memory
    status: str
    duplicate_of: str | None = None
    indexed: str = "ready"
    # `pending` while what it says is still to be read: its words are durable and can be found.
    understood: str = "ready"
    # Secrets and private numbers replaced, and password-like words held back until confirmed.
    masked: int = 0
    held: int = 0
    # Tags that were new, and that the memory which is here got.
    added_tags: tuple[str, ...] = ()
    # What this one made outdated, disagrees with, or nearly repeats.
    supersedes: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    similar_to: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Return the id under which it can be found."""
        return self.memory.id

    @property
    def needs_confirmation(self) -> bool:
        """Say whether something that looks like a password was held back."""
        return self.held > 0

    @property
    def quarantined(self) -> bool:
        """Say whether it is kept apart because it reads like an order from a stranger."""
        return self.memory.life.state is State.QUARANTINED


_ENUMS: dict[str, type[StrEnum]] = {
    "kind": Kind,
    "tier": Tier,
    "lifetime": Lifetime,
    "origin": Origin,
    "source": Source,
    "feelings": Feeling,
}
_ROOMS = ("agent", "project", "session")
_PARTS: dict[str, type] = {
    "provenance": Provenance,
    "space": Space,
    "agent": Agent,
    "emotion": Emotion,
    "content": Content,
    "rhythm": Rhythm,
}
# `agent` names a room of the scope; `words` are those of the emotion, which comes before rhythm.
_FLAT = {
    each.name: part
    for part, kind in reversed(_PARTS.items())
    for each in fields(kind)
    if each.name not in ("agent", "confidence", "project", "keywords")
}
_OWN = {each.name for each in fields(Moment)} - {"scope", "text", "agent", "project_named"}


class MomentDetails(TypedDict, total=False):
    """What may be said about a text that is kept; None says nothing.

    `content`, `category` and `keywords` are seed C's names for text, kind and tags.
    """

    agent: str | None
    project: str | None
    session: str | None
    kind: str | None
    tags: Sequence[str] | None
    content: Content | str | None
    category: str | None
    keywords: Sequence[str] | None
    tier: str | None
    lifetime: str | None
    last_date: date | str | None
    happened_at: datetime | str | None
    valid_from: datetime | str | None
    sequence: int | None
    importance: float | None
    confidence: float | None
    rating: int | None
    pinned: bool | None
    immutable: bool | None
    visibility: str | None
    related: Sequence[str] | None
    parent: str | None
    provenance: Provenance | None
    origin: str | None
    source: str | None
    author: str | None
    addressee: str | None
    turn: str | None
    space: Space | None
    domain: str | None
    files: Sequence[str] | None
    depth: int | None
    persona: str | None
    persona_name: str | None
    role: str | None
    backend: str | None
    phase_injection: bool | None
    error_occurred: bool | None
    emotion: Emotion | None
    feelings: Sequence[str] | str | None
    intensity: float | None
    affect: float | None
    sentiment: float | None
    words: Sequence[str] | None
    type: str | None
    prompt_digest: str | None
    brief: str | None
    triples: Sequence[Sequence[str]] | None
    language: str | None
    token_count: int | None
    rhythm: Rhythm | None
    phase: str | None
    snapshot: Mapping[str, Any] | None


KNOWN = frozenset(MomentDetails.__annotations__)
# What `remember` takes beside them: one of these may have been meant by a misspelt name.
_BESIDE = ("text", "key", "keep_private", "wait")


def moment_of(
    scope: Scope,
    text: str | None,
    about: Mapping[str, Any],
    id_of: Callable[[str], str] = checked_id,
    zone: tzinfo | None = None,
) -> Moment:
    """Build a Moment from plain words about it: kind="preference", tags=["tea"], author="Minho".

    A name that is not known is refused, so that a misspelt one cannot vanish; None says nothing.
    `id_of` reads what another memory is called; a time without a zone is read in `zone`.
    """
    if unknown := sorted(set(about) - KNOWN):
        known = KNOWN.difference(_PARTS, ALIASES) | {"agent"}
        raise BadInput(
            "perceive.memory_has_no",
            unknown=unknown[0],
            hint=hint(unknown[0], {*known, *_BESIDE}),
            known=", ".join(sorted(known)),
        )
    about = _in_plain_names(text, about)
    text = about.pop("text", None)
    rooms: dict[str, str] = {}
    own: dict[str, Any] = {}
    parts: dict[str, dict[str, Any]] = {}
    for name, value in about.items():
        if value is None:
            continue
        if name in _ROOMS:
            rooms[name] = _room(name, value)
        elif name == "related":
            own[name] = _related(value, id_of)
        elif name == "parent":
            own[name] = id_of(value)
        elif name in _OWN:
            own[name] = _read(name, value, zone)
        else:
            parts.setdefault(_FLAT[name], {})[name] = _read(name, value, zone)
    for part, values in parts.items():
        own[part] = replace(own.get(part) or _PARTS[part](), **values)
    own["project_named"] = "project" in about
    if isinstance(rhythm := own.get("rhythm"), Rhythm) and isinstance(rhythm.snapshot, Mapping):
        own["rhythm"] = rhythm.filled()
    moment = Moment(scope=replace(scope, **rooms), text=checked_text(text), **own)
    checked_fields(moment)
    if moment.provenance.origin is Origin.USER_CONFIRMED:
        raise BadInput("perceive.user_confirmed_is_no_origin")
    if moment.tier is Tier.M0:
        raise BadInput("perceive.m0_is_no_tier_caller")
    if moment.last_date is not None and moment.lifetime not in (None, Lifetime.UNTIL):
        raise BadInput("perceive.memory_has_no_last_date", lifetime=moment.lifetime)
    return moment


def _in_plain_names(text: str | None, about: Mapping[str, Any]) -> dict[str, Any]:
    """Read the seed's names; content that is no text is what stands around the words."""
    part = about.get("content")
    if not isinstance(part, Content):
        return plain_names({**about, "text": text})
    return plain_names({**about, "text": text, "content": None}) | {"content": part}


def _room(name: str, value: Any) -> str:
    """Read the name of a room; an empty one means that the memory belongs to all of them."""
    return "" if value == "" else checked_name(name, value)


def _related(value: Any, id_of: Callable[[str], str]) -> tuple[str, ...]:
    """Read the memories that this one belongs with."""
    if not isinstance(value, list | tuple | set | frozenset):
        raise BadInput("perceive.related_cannot_be", value=value)
    if len(value) > MOST_RELATED:
        raise BadInput(
            "perceive.related_memories_are_too_many", count=len(value), most=MOST_RELATED
        )
    return tuple(id_of(each) for each in value)


def _read(name: str, value: Any, zone: tzinfo | None) -> Any:
    """Read one value: names of enumerations, dates as text, lists where tuples are kept."""
    if name in _ENUMS and isinstance(value, str):
        return _named(name, value)
    if name == "last_date":
        return parse_day(value, name)
    if name in ("happened_at", "valid_from"):
        return instant_of(value, name, zone)
    if name == "feelings" and isinstance(value, list | tuple | set | frozenset):
        return tuple(_named(name, each) for each in value)
    if name == "tags":
        return checked_tags(value)
    if name in _PARTS and not isinstance(value, _PARTS[name]):
        kind = _PARTS[name].__name__
        raise BadInput("perceive.cannot_be", name=name, value=value, kind=kind)
    if isinstance(value, list):
        return tuple(tuple(each) if isinstance(each, list) else each for each in value)
    return value


def _named(name: str, value: Any) -> Any:
    try:
        return _ENUMS[name](value)
    except ValueError as error:
        raise BadInput(
            "perceive.no_such_value",
            name=name,
            value=value,
            hint=hint(str(value), [each.value for each in _ENUMS[name]]),
            known=", ".join(each.value for each in _ENUMS[name]),
        ) from error
