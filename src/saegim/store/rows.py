"""A memory as a row and back; `Where`: what to look among, as a value and as SQL."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta, tzinfo
from enum import Enum, StrEnum
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, TypedDict

import msgspec

from saegim.errors import BadInput, StoreCorrupt, hint
from saegim.memory import clock
from saegim.memory.clock import from_micros, iso, micros, offset_minutes, parse_instant
from saegim.memory.memory import (
    BOOKKEEPING,
    Agent,
    Content,
    Emotion,
    Feeling,
    Kind,
    Life,
    Lifetime,
    Memory,
    Origin,
    Provenance,
    Reason,
    Rhythm,
    Scope,
    Source,
    Space,
    State,
    Tier,
    Time,
    Worth,
    checked_share,
    checked_tags,
)
from saegim.memory.record import checked_fields
from saegim.memory.text import ALIASES, normalise, plain_names
from saegim.store.database import Connection, Database

Params = dict[str, Any]

ALL_STATES = tuple(State)
_HOLDS = (State.ACTIVE, State.DORMANT, State.SUPERSEDED)
# A stretch of time longer than this ("in my life") says nothing about when.
LONGEST_MENTION = timedelta(days=400) // timedelta(microseconds=1)


# The rows by which adapters keep their books; they are few.
KEEPS_BOOKS = "SELECT number FROM tag WHERE owner = :owner AND tag = :bookkeeping"


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
    lifetimes: tuple[Lifetime, ...] = ()
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
    # Also the rows by which adapters keep their books: for exports, farewells and the adapters.
    bookkeeping: bool = False
    # Also what was only imagined, beside what holds: for exports and farewells. Others ask for it
    # by its kind, or look among what does not hold anyway.
    imagined: bool = False

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
        return bool(in_a_room) or _asked_for(self) != _UNASKED

    @property
    def only_true(self) -> bool:
        """Say whether what was imagined must not stand among what was said."""
        asked = self.imagined or bool(self.kinds)
        return not asked and any(state in _HOLDS for state in self.states)

    def sql(self) -> tuple[str, Params]:
        """Return the condition over `memory m` and its parameters."""
        params: Params = {"owner": self.scope.user}
        parts = ["m.owner = :owner", _among("m.state", "state", self.states, params)]
        if self.kinds:
            parts.append(_either("m.kind", self.kinds))
        elif self.only_true:
            parts.append(f"m.kind <> '{Kind.IMAGINED}'")
        if self.origins:
            parts.append(_among("m.origin", "origin", self.origins, params))
        if self.tiers:
            parts.append(_either("m.tier", self.tiers))
        if self.lifetimes:
            parts.append(_among("m.lifetime", "lifetime", self.lifetimes, params))
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
        if not self.bookkeeping:
            params["bookkeeping"] = BOOKKEEPING
            parts.append(f"m.number NOT IN ({KEEPS_BOOKS})")
        return " AND ".join(parts), params

    def _by_time(self, params: Params) -> list[str]:
        """Return the conditions of `during` and `as_of`."""
        parts = []
        if self.during is not None:
            start, end = self.during
            params |= {"start": micros(start), "end": micros(end)}
            params["reach"] = micros(start) - LONGEST_MENTION
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


_NARROWING: Final = [
    each
    for each in fields(Where)
    if each.name not in ("scope", "everywhere", "bookkeeping", "imagined")
]
_asked_for: Final = attrgetter(*(each.name for each in _NARROWING))
_UNASKED: Final = tuple(each.default for each in _NARROWING)


def _either(column: str, values: tuple[Kind, ...] | tuple[Tier, ...]) -> str:
    """Return the condition with our own words in it: no parameter finds an index of one word."""
    named = ", ".join(f"'{each.value}'" for each in values)
    return f"{column} = {named}" if len(values) == 1 else f"{column} IN ({named})"


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
    "lifetime": ("lifetimes", Lifetime),
    "lifetimes": ("lifetimes", Lifetime),
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
    lifetime: str | Sequence[str] | None
    lifetimes: str | Sequence[str] | None
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

    A time that says no zone is read in `zone`, the person's own (none: that of this machine). An
    `until` that is a day without an hour holds that whole day.

    `history` brings superseded versions too, and `as_of` those that were valid then. Seed A's
    `time_range`, `persona_id` and `bqi_filters` are understood; unknown names are refused.
    """
    if not filters:
        return _unfiltered(scope)
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
    plain = plain_names(filters)
    for name, value in plain.items():
        if value is None:
            continue
        if name in _MANY:
            field_name, kind = _MANY[name]
            held[field_name] = _enums(name, kind, value)
        elif name == "time_range":
            held["since"], held["until"] = _range(value, zone)
        elif name in ("since", "as_of"):
            held[name] = clock.instant_of(value, name, zone)
        elif name == "until":
            held[name] = clock.end_of(value, name, zone)
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
    since, until = held.get("since"), held.get("until")
    if since and until and since >= until:
        said = {"since": since, "until": until, **plain}
        raise BadInput("store.no_time_between", since=said["since"], until=said["until"])
    if (outdated or "as_of" in held) and "states" not in held:
        held["states"] = (State.ACTIVE, State.SUPERSEDED)
    return Where(scope=scope, **held)


@lru_cache(maxsize=1024)
def _unfiltered(scope: Scope) -> Where:
    return Where(scope=scope)


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
        known = [str(each) for each in kind]
        wrong = next(each for each in (value if many else (value,)) if each not in known)
        near = hint(str(wrong), known)
        raise BadInput(
            "store.cannot_be", name=name, value=wrong, hint=near, kind=", ".join(known)
        ) from error


def _range(value: Any, zone: tzinfo | None) -> tuple[datetime | None, datetime | None]:
    """Read a pair of instants, or of days that both belong to it; either may be open."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise BadInput("store.time_range_cannot_be", value=value)
    since, until = value
    start = None if since is None else clock.instant_of(since, "time_range", zone)
    return start, None if until is None else clock.end_of(until, "time_range", zone)


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


# -- A memory as a row, and back; what no query asks about travels as JSON in `details`

# Each column and where the memory holds its value.
_PATHS = dict(
    pair.split("=")
    for pair in (
        "owner=scope.user id=id agent=scope.agent project=scope.project session=scope.session "
        "visibility=visibility canonical_key=canonical_key text=text kind=kind "
        "origin=provenance.origin source=provenance.source author=provenance.author "
        "domain=space.domain persona=agent.persona rhythm_phase=rhythm.phase "
        "happened_at=time.happened_at happened_offset=time.happened_at "
        "recorded_at=time.recorded_at recorded_offset=time.recorded_at "
        "valid_from=time.valid_from valid_to=time.valid_to sequence=time.sequence "
        "sentiment=emotion.sentiment intensity=emotion.intensity importance=worth.importance "
        "confidence=worth.confidence rating=worth.rating repeated=worth.repeat "
        "feedback=worth.feedback recalled=worth.recalled recalled_at=worth.recalled_at "
        "used=worth.used used_at=worth.used_at tier=life.tier state=life.state "
        "expires_at=life.expires_at promoted_from=life.promoted_from pinned=life.pinned "
        "immutable=life.immutable island=life.island leaving_since=life.leaving_since "
        "leaving_until=life.leaving_until leaving_reason=life.leaving_reason "
        "lifetime=life.lifetime last_date=life.last_date"
    ).split()
)
_VALUES = attrgetter(*_PATHS.values())
# Columns in which nothing said is nothing at all, so that an index can leave them out.
_SPARSE = ("domain", "persona", "rhythm_phase")
COLUMNS = (*_PATHS, "details")
# Where a row of `SELECT` says when it happened; the number of the memory comes before the columns.
HAPPENED_AT = 1 + COLUMNS.index("happened_at")
SELECT = "SELECT m.number, " + ", ".join(f"m.{name}" for name in COLUMNS) + " FROM memory m "
# The words as bytes, for a record in which a letter is spoilt on the disk.
SELECT_BYTES = re.sub(r"m\.(text|details)", r"CAST(m.\1 AS BLOB)", SELECT)
INSERT = (
    f"INSERT INTO memory ({', '.join(COLUMNS)}, salt, digest) "
    f"VALUES ({', '.join(':' + name for name in COLUMNS)}, :salt, :digest) "
    "ON CONFLICT (owner, id) DO NOTHING RETURNING number"
)

# Under a number that was drawn before: one that is here already is an error.
INSERT_AT = (
    f"INSERT INTO memory (number, {', '.join(COLUMNS)}, salt, digest) "
    f"VALUES (:number, {', '.join(':' + name for name in COLUMNS)}, :salt, :digest)"
)

# The columns of what is read in the words, for a memory that is kept before it is read.
READ_COLUMNS = ("kind sentiment intensity importance lifetime last_date expires_at details").split()

Row = Sequence[Any]


class Details(msgspec.Struct, omit_defaults=True):
    """The fields of a memory that have no column of their own; what is empty is left out."""

    turn: str = ""
    addressee: str = ""
    said_in: str = ""
    files: tuple[str, ...] = ()
    depth: int | None = None
    minutes: int | float | None = None
    said_at: str | None = None
    mentions: tuple[str, ...] = ()
    persona_name: str = ""
    role: str = ""
    backend: str = ""
    phase_injection: bool = False
    error_occurred: bool = False
    feelings: tuple[Feeling, ...] = ()
    affect: int | float | None = None
    feeling_confidence: int | float | None = None
    feeling_words: tuple[str, ...] = ()
    type: str = ""
    prompt_digest: str = ""
    brief: str | None = None
    triples: tuple[tuple[str, str, str], ...] = ()
    language: str = ""
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    tokens: int | None = None
    rhythm_words: tuple[str, ...] = ()
    rhythm: dict[str, Any] = {}


_DETAILS = msgspec.json.Decoder(Details)
_NO_DETAILS = Details()


def to_row(memory: Memory) -> dict[str, Any]:
    """Return the memory's values by column."""
    row = dict(zip(_PATHS, map(_stored, _VALUES(memory)), strict=True))
    for name in _SPARSE:
        row[name] = row[name] or None
    row["happened_offset"] = offset_minutes(memory.time.happened_at)
    row["recorded_offset"] = offset_minutes(memory.time.recorded_at)
    row["details"] = details(memory)
    return row


def _stored(value: Any) -> Any:
    """Return a value as a column holds it."""
    if isinstance(value, datetime):
        return micros(value)
    if isinstance(value, StrEnum):
        return value.value
    return int(value) if isinstance(value, bool) else value


def details(memory: Memory) -> str:
    """Return the fields that have no column of their own, as JSON."""
    content, emotion, agent, time = memory.content, memory.emotion, memory.agent, memory.time
    held = Details(
        turn=memory.provenance.turn,
        addressee=memory.provenance.addressee,
        said_in=memory.space.project,
        files=memory.space.files,
        depth=memory.space.depth,
        minutes=time.minutes_into_session,
        said_at=iso(time.said_at) if time.said_at else None,
        mentions=time.mentions,
        persona_name=agent.persona_name,
        role=agent.role,
        backend=agent.backend,
        phase_injection=agent.phase_injection,
        error_occurred=agent.error_occurred,
        feelings=emotion.feelings,
        affect=emotion.affect,
        feeling_confidence=emotion.confidence,
        feeling_words=emotion.words,
        type=content.type,
        prompt_digest=content.prompt_digest,
        brief=content.brief or None,
        triples=content.triples,
        language=content.language,
        keywords=content.keywords,
        tags=content.tags,
        tokens=content.token_count,
        rhythm_words=memory.rhythm.words,
        rhythm=dict(memory.rhythm.snapshot),
    )
    # Not by msgspec: it writes 1e-05 as 1e-5, and a store that exists must not change its bytes.
    return json.dumps(msgspec.to_builtins(held), ensure_ascii=False, separators=(",", ":"))


def from_row(row: Row) -> Memory:
    """Return the memory that stands in a row of `SELECT`; refuse a record that is spoilt."""
    try:
        return _from_row(row)
    except (LookupError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise StoreCorrupt("store.record_of_memory_is_spoilt", id=row[2], error=error) from error


def _from_row(row: Row) -> Memory:
    # Unpacked by position, and equal parts shared: this runs for every hit of every recall.
    (
        _, owner, id, agent, project, session, visibility, _, text, kind, origin, source, author,
        domain, persona, rhythm_phase, happened_at, happened_offset, recorded_at, recorded_offset,
        valid_from, valid_to, sequence, sentiment, intensity, *numbers, packed,
    ) = row  # fmt: skip
    more = _more(packed)
    return Memory(
        id=id,
        scope=_scope(owner, agent, project, session),
        text=text.decode("utf-8", "replace") if isinstance(text, bytes) else text or "",
        kind=_KINDS[kind],
        visibility=visibility,
        time=Time(
            happened_at=from_micros(happened_at, happened_offset),
            recorded_at=from_micros(recorded_at, recorded_offset),
            valid_from=moment(valid_from),
            valid_to=moment(valid_to),
            sequence=sequence,
            minutes_into_session=more.minutes,
            said_at=parse_instant(more.said_at) if more.said_at else None,
            mentions=more.mentions,
        ),
        provenance=_provenance(origin, source, author, more.addressee, more.turn),
        space=_space(more.said_in, domain or "", more.files, more.depth),
        agent=_agent(
            persona or "",
            more.persona_name,
            more.role,
            more.backend,
            more.phase_injection,
            more.error_occurred,
        ),
        emotion=_emotion(
            more.feelings,
            intensity,
            more.affect,
            sentiment,
            more.feeling_confidence,
            more.feeling_words,
        ),
        content=Content(
            type=more.type,
            prompt_digest=more.prompt_digest,
            brief=more.brief,
            triples=more.triples,
            language=more.language,
            keywords=more.keywords,
            tags=more.tags,
            token_count=more.tokens,
        ),
        worth=worth_of(*numbers[:9]),
        life=life_of(*numbers[9:]),
        rhythm=Rhythm(phase=rhythm_phase or "", words=more.rhythm_words, snapshot=more.rhythm)
        if rhythm_phase or more.rhythm_words or more.rhythm
        else _NO_RHYTHM,
    )


def _more(packed: str | bytes | None) -> Details:
    """Return what `details` wrote; where it is spoilt, the words are still worth having."""
    if not packed:
        return _NO_DETAILS
    try:
        return _DETAILS.decode(packed)
    except msgspec.ValidationError as error:
        # Of an object, the path to the field that does not fit is named.
        if " - at `$" in str(error):
            raise ValueError(str(error)) from error
        return _NO_DETAILS
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _NO_DETAILS


_KINDS = {kind.value: kind for kind in Kind}
_TIERS = {tier.value: tier for tier in Tier}
_STATES = {state.value: state for state in State}
_LIFETIMES = {lifetime.value: lifetime for lifetime in Lifetime}
_NO_RHYTHM = Rhythm()


@lru_cache(maxsize=4096)
def _scope(owner: str, agent: str, project: str, session: str) -> Scope:
    return Scope(owner, agent, project, session)


@lru_cache(maxsize=1024)
def _provenance(origin: str, source: str, author: str, addressee: str, turn: str) -> Provenance:
    return Provenance(
        origin=Origin(origin),
        source=Source(source),
        author=author,
        addressee=addressee,
        turn=turn,
    )


# Equal parts are shared: most memories of a store have the same few.
@lru_cache(maxsize=1024)
def _space(project: str, domain: str, files: tuple[str, ...], depth: int | None) -> Space:
    return Space(project=project, domain=domain, files=files, depth=depth)


@lru_cache(maxsize=1024)
def _agent(persona: str, name: str, role: str, backend: str, injected: bool, failed: bool) -> Agent:
    return Agent(
        persona=persona,
        persona_name=name,
        role=role,
        backend=backend,
        phase_injection=injected,
        error_occurred=failed,
    )


@lru_cache(maxsize=1024)
def _emotion(
    feelings: tuple[Feeling, ...],
    intensity: float,
    affect: float | None,
    sentiment: float,
    confidence: float | None,
    words: tuple[str, ...],
) -> Emotion:
    return Emotion(
        feelings=feelings,
        intensity=intensity,
        affect=affect,
        sentiment=sentiment,
        confidence=confidence,
        words=words,
    )


@lru_cache(maxsize=1024)
def worth_of(
    importance: float,
    confidence: float,
    rating: int | None,
    repeated: float,
    feedback: float,
    recalled: int,
    recalled_at: int | None,
    used: int,
    used_at: int | None,
) -> Worth:
    """Return the worth held in these columns."""
    return Worth(
        importance=importance,
        confidence=confidence,
        rating=rating,
        repeat=repeated,
        feedback=feedback,
        recalled=recalled,
        recalled_at=moment(recalled_at),
        used=used,
        used_at=moment(used_at),
    )


def life_of(
    tier: str,
    state: str,
    expires_at: int | None,
    promoted_from: str | None,
    pinned: int,
    immutable: int,
    island: str | None,
    leaving_since: int | None,
    leaving_until: int | None,
    leaving_reason: str | None,
    lifetime: str,
    last_date: int | None,
) -> Life:
    """Return the life held in these columns."""
    return Life(
        tier=_TIERS[tier],
        state=_STATES[state],
        expires_at=moment(expires_at),
        promoted_from=promoted_from,
        pinned=bool(pinned),
        immutable=bool(immutable),
        island=island,
        leaving_since=moment(leaving_since),
        leaving_until=moment(leaving_until),
        leaving_reason=Reason(leaving_reason) if leaving_reason else None,
        lifetime=_LIFETIMES[lifetime],
        last_date=moment(last_date),
    )


def memory_in(connection: Connection, number: int) -> Memory:
    """Return the memory in a row, as the transaction sees it."""
    return from_row(connection.execute(f"{SELECT} WHERE m.number = ?", (number,)).fetchall()[0])


def newest_numbers(database: Database, where: Where, *, limit: int) -> list[int]:
    """Return the rows of the newest memories that `where` allows."""
    sql, params = where.sql()
    rows = database.rows(
        f"SELECT m.number FROM memory m WHERE {sql} "
        "ORDER BY m.happened_at DESC, m.number DESC LIMIT :limit",
        {**params, "limit": limit},
    )
    return [int(row[0]) for row in rows]


def unpacked(packed: bytes) -> tuple[str, str | None, str] | None:
    """Return text, details and author out of the archive; None where the bytes are spoilt."""
    try:
        text, details, author = json.loads(zlib.decompress(packed))
    except (zlib.error, ValueError, TypeError):
        return None
    return text, details, author


def instant(at: datetime | None) -> int | None:
    """Return microseconds, or nothing for nothing."""
    return None if at is None else micros(at)


def moment(count: int | None) -> datetime | None:
    """Return the instant in UTC, or nothing for nothing."""
    return None if count is None else from_micros(count)


# A question mark, or the full-width one, in UTF-8.
_MAY_ASK = re.compile(rb"\?|\xef\xbc\x9f")
_ASKS = re.compile(r"[?？][\s~^ㅋㅎㅠㅜ.!)\"'”’]*$")


def ends_asking(ending: bytes | None) -> bool:
    """Say whether the end of a text, in UTF-8, is that of a question."""
    if not ending or _MAY_ASK.search(ending) is None:
        return False
    return _ASKS.search(str(ending, "utf-8", "replace")) is not None
