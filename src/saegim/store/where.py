"""`Where`: what to look among, as a value and as SQL; without a scope there is none."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta, tzinfo
from enum import Enum
from typing import Any, TypedDict

from saegim.errors import BadInput, hint
from saegim.memory.aliases import ALIASES, plain_names
from saegim.memory.clock import instant_of, micros
from saegim.memory.coordinate import Kind, Origin
from saegim.memory.emotion import checked_share
from saegim.memory.keys import normalise
from saegim.memory.memory import checked_tags
from saegim.memory.record import checked_fields
from saegim.memory.scope import Scope
from saegim.memory.tiers import State, Tier

Params = dict[str, Any]

ALL_STATES = tuple(State)
# A stretch of time longer than this ("in my life") says nothing about when.
_LONGEST_MENTION = timedelta(days=400)


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Which memories count. `scope.user` is always part of it; the rest narrows.

    With a project in the scope, memories of that project and of no project count;
    `everywhere` lifts that. An agent narrows in the same way.
    """

    scope: Scope
    states: tuple[State, ...] = (State.ACTIVE,)
    kinds: tuple[Kind, ...] = ()
    origins: tuple[Origin, ...] = ()
    tiers: tuple[Tier, ...] = ()
    tags: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    # What happened, or is spoken of, from the first instant until just before the second.
    during: tuple[datetime, datetime] | None = None
    # What was valid at this instant, also if it no longer is (U20.3).
    as_of: datetime | None = None
    # Seed A's BQI coordinates: the phase, and any of these feelings or emotion words.
    rhythm_phase: str | None = None
    emotion: tuple[str, ...] = ()
    session: str | None = None
    persona: str | None = None
    domain: str | None = None
    author: str | None = None
    min_importance: float = 0.0
    pinned: bool | None = None
    # "shared": only what all users of an agent may see.
    visibility: str | None = None
    everywhere: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.scope, Scope):
            raise BadInput("store.search_needs_scope")
        if not self.states:
            raise BadInput("store.no_state_was_asked")
        checked_fields(self)
        checked_share("min_importance", self.min_importance)
        checked_tags(self.tags)

    @property
    def narrows(self) -> bool:
        """Say whether anything but the user and the active state is asked for."""
        in_a_room = not self.everywhere and (self.scope.project or self.scope.agent)
        return bool(in_a_room) or any(
            getattr(self, each.name) != each.default
            for each in fields(self)
            if each.name not in ("scope", "everywhere")
        )

    def sql(self) -> tuple[str, Params]:
        """Return the condition over `memory m` and its parameters."""
        params: Params = {"owner": self.scope.user}
        parts = ["m.owner = :owner", _among("m.state", "state", self.states, params)]
        if self.kinds:
            parts.append(_among("m.kind", "kind", self.kinds, params))
        if self.origins:
            parts.append(_among("m.origin", "origin", self.origins, params))
        if self.tiers:
            parts.append(_among("m.tier", "tier", self.tiers, params))
        if not self.everywhere:
            for what in ("project", "agent"):
                if value := getattr(self.scope, what):
                    params[what] = value
                    parts.append(f"m.{what} IN (:{what}, '')")
        for what in ("session", "persona", "domain", "author", "rhythm_phase", "visibility"):
            if (value := getattr(self, what)) is not None:
                params[f"in_{what}"] = value
                parts.append(f"m.{what} = :in_{what}")
        if self.since is not None:
            params["since"] = micros(self.since)
            parts.append("m.happened_at >= :since")
        if self.until is not None:
            params["until"] = micros(self.until)
            parts.append("m.happened_at < :until")
        parts += self._by_time(params)
        if self.emotion:
            held = _among("word", "felt", tuple(map(normalise, self.emotion)), params)
            parts.append(f"m.number IN (SELECT number FROM felt WHERE owner = :owner AND {held})")
        if self.min_importance > 0:
            params["min_importance"] = self.min_importance
            parts.append("m.importance >= :min_importance")
        if self.pinned is not None:
            params["pinned"] = int(self.pinned)
            parts.append("m.pinned = :pinned")
        for at, tag in enumerate(checked_tags(self.tags)):
            params[f"tag{at}"] = tag
            parts.append(
                f"m.number IN (SELECT number FROM tag WHERE owner = :owner AND tag = :tag{at})"
            )
        return " AND ".join(parts), params

    def _by_time(self, params: Params) -> list[str]:
        """Return the conditions of `during` and `as_of`."""
        parts = []
        if self.during is not None:
            start, end = self.during
            params |= {"start": micros(start), "end": micros(end)}
            params["reach"] = micros(start) - _LONGEST_MENTION // timedelta(microseconds=1)
            parts.append(
                "(m.happened_at >= :start AND m.happened_at < :end OR m.number IN (SELECT number "
                "FROM mention WHERE owner = :owner AND starts BETWEEN :reach AND :end - 1 "
                "AND ends > :start AND ends - starts <= :start - :reach))"
            )
        if self.as_of is not None:
            params["as_of"] = micros(self.as_of)
            parts.append("coalesce(m.valid_from, m.happened_at) <= :as_of")
            parts.append("(m.valid_to IS NULL OR m.valid_to > :as_of)")
        return parts


def _among(column: str, name: str, values: tuple[Any, ...], params: Params) -> str:
    names = []
    for at, value in enumerate(values):
        params[f"{name}{at}"] = str(value)
        names.append(f":{name}{at}")
    return f"{column} = {names[0]}" if len(names) == 1 else f"{column} IN ({', '.join(names)})"


_MANY: dict[str, tuple[str, type]] = {
    "kind": ("kinds", Kind),
    "kinds": ("kinds", Kind),
    "origin": ("origins", Origin),
    "origins": ("origins", Origin),
    "tier": ("tiers", Tier),
    "tiers": ("tiers", Tier),
    "state": ("states", State),
    "states": ("states", State),
}


class Filters(TypedDict, total=False):
    """What may narrow a question; None says nothing.

    `category` and `keywords` are seed C's names for kind and tags; `time_range`, `persona_id` and
    `bqi_filters` are seed A's.
    """

    kind: str | Sequence[str] | None
    kinds: str | Sequence[str] | None
    tags: Sequence[str] | None
    category: str | Sequence[str] | None
    keywords: Sequence[str] | None
    origin: str | Sequence[str] | None
    origins: str | Sequence[str] | None
    tier: str | Sequence[str] | None
    tiers: str | Sequence[str] | None
    state: str | Sequence[str] | None
    states: str | Sequence[str] | None
    since: datetime | str | None
    until: datetime | str | None
    during: Sequence[datetime | str] | None
    as_of: datetime | str | None
    history: bool | None
    session: str | None
    persona: str | None
    domain: str | None
    author: str | None
    emotion: str | Sequence[str] | None
    rhythm_phase: str | None
    min_importance: float | None
    pinned: bool | None
    visibility: str | None
    everywhere: bool | None
    time_range: Sequence[datetime | str | None] | None
    persona_id: str | None
    bqi_filters: Mapping[str, Any] | None


_KNOWN = frozenset(Filters.__annotations__)
# What the verbs that ask take beside them: one of these may have been meant by a misspelt name.
_BESIDE = ("question", "query", "limit", "near_misses", "budget", "recipe", "cursor", "n")


def where_of(scope: Scope, filters: Mapping[str, Any], zone: tzinfo | None = None) -> Where:
    """Build a Where from plain words: kind="fact", tags=["tea"], since="2026-01-01".

    A time that says no zone is read in `zone`, the person's own (none: that of this machine).

    `history` brings superseded versions too, and `as_of` those that were valid then. Seed A's
    `time_range`, `persona_id` and `bqi_filters` are understood; unknown names are refused.
    """
    if unknown := sorted(set(filters) - _KNOWN):
        known = _KNOWN.difference(ALIASES)
        raise BadInput(
            "store.no_filter",
            unknown=unknown[0],
            hint=hint(unknown[0], {*known, *_BESIDE}),
            known=", ".join(sorted(known)),
        )
    held: dict[str, Any] = {}
    outdated = False
    for name, value in plain_names(filters).items():
        if value is None:
            continue
        if name in _MANY:
            field_name, kind = _MANY[name]
            held[field_name] = _enums(name, kind, value)
        elif name == "time_range":
            held["since"], held["until"] = _range(value, zone)
        elif name in ("since", "until", "as_of"):
            held[name] = _when(name, value, zone)
        elif name == "during":
            held[name] = _stretch(value, zone)
        elif name == "bqi_filters":
            held |= _bqi(value)
        elif name == "emotion":
            held[name] = _words(value)
        elif name == "history":
            outdated = bool(value)
        elif name == "persona_id":
            held["persona"] = value
        elif name == "tags":
            held[name] = checked_tags(value)
        else:
            held[name] = value
    if (outdated or "as_of" in held) and "states" not in held:
        held["states"] = (State.ACTIVE, State.SUPERSEDED)
    return Where(scope=scope, **held)


def _bqi(value: Any) -> dict[str, Any]:
    """Read seed A's coordinates: {"rhythm_phase": "integration", "emotion": ["clarity"]}."""
    if not isinstance(value, Mapping) or set(value) - {"rhythm_phase", "emotion"}:
        raise BadInput("store.bqi_filters_cannot_be", value=value)
    held = {"rhythm_phase": value.get("rhythm_phase"), "emotion": value.get("emotion")}
    if held["emotion"] is not None:
        held["emotion"] = _words(held["emotion"])
    return {name: each for name, each in held.items() if each is not None}


def _words(value: Any) -> tuple[str, ...]:
    """Read one emotion word or several."""
    words = (value,) if isinstance(value, str) else value
    if not isinstance(words, list | tuple) or not all(isinstance(each, str) for each in words):
        raise BadInput("store.emotion_cannot_be", value=value)
    return tuple(str(each) for each in words)


def _stretch(value: Any, zone: tzinfo | None) -> tuple[datetime, datetime]:
    """Read a stretch of time with both its ends."""
    start, end = _range(value, zone)
    if start is None or end is None or end <= start:
        raise BadInput("store.during_cannot_be", value=value)
    return start, end


def _enums(name: str, kind: type[Enum], value: Any) -> tuple[Any, ...]:
    many = isinstance(value, list | tuple | set | frozenset)
    try:
        return tuple(kind(each) for each in (value if many else (value,)))
    except ValueError as error:
        raise BadInput(
            "store.cannot_be", name=name, value=value, kind=", ".join(str(each) for each in kind)
        ) from error


def _range(value: Any, zone: tzinfo | None) -> tuple[datetime | None, datetime | None]:
    """Read a pair of instants; either may be open."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise BadInput("store.time_range_cannot_be", value=value)
    return _when("time_range", value[0], zone), _when("time_range", value[1], zone)


def _when(name: str, value: Any, zone: tzinfo | None) -> datetime | None:
    return None if value is None else instant_of(value, name, zone)


# At most eighteen digits: more than any row or microsecond has, and still a number SQLite knows.
_PLACE = re.compile(r"\[(-?\d{1,18}),(\d{1,18})\]", re.ASCII)


def _no_cursor(text: object) -> BadInput:
    return BadInput("store.not_cursor", text=str(text)[:40])


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a list, newest first, that stays where it is while the list grows."""

    happened_at: int
    number: int

    def text(self) -> str:
        """Write the cursor as an opaque word."""
        return base64.urlsafe_b64encode(f"[{self.happened_at},{self.number}]".encode()).decode()

    @classmethod
    def read(cls, text: str) -> Cursor:
        """Read a cursor that `text` wrote; refuse anything else."""
        try:
            found = _PLACE.fullmatch(base64.urlsafe_b64decode(text).decode())
        except (ValueError, TypeError) as error:
            raise _no_cursor(text) from error
        if found is None:
            raise _no_cursor(text)
        return cls(int(found[1]), int(found[2]))
