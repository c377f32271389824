"""What every foreign form shares: whose memories they become, ids that stay, times and names.

The same thing read twice gets the same id, so a second import finds it here. The id is made from
the words as they will be kept: the digest of a secret would still tell of it.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from saegim.engines.tokens import estimate
from saegim.errors import BadInput
from saegim.guard.guard import screen
from saegim.importers.jsonl import JsonlRecord, Note, Problem
from saegim.language.claims import is_negative
from saegim.memory.clock import aware, parse_instant
from saegim.memory.entities import Entity, Link
from saegim.memory.memory import (
    MAX_TAG,
    MAX_TAGS,
    Agent,
    Content,
    Kind,
    Life,
    Memory,
    Origin,
    Provenance,
    Scope,
    Source,
    Space,
    State,
    Tier,
    Time,
    Worth,
    checked_text,
    expiry,
)
from saegim.memory.text import fold, normalise
from saegim.store.store import Store

Entries = Iterator[JsonlRecord | Problem | Note]

# Seed A §3.1: so much of a prompt is kept beside its answer.
MOST_PROMPT = 500
_LONGEST_NAME = 200
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_DATE = re.compile(r"(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?:[ T](\d{1,2}:\d{2}.*))?")
# Seconds since 1970 reach this in the year 5138; a larger number counts milliseconds.
_MILLISECONDS = 1e11
_TYPES = {"user": "user_input", "assistant": "persona_response"}


@dataclass(frozen=True, slots=True)
class ImportRun:
    """One import while it is read: the form, for whom, since when, and how old the file is."""

    form: str
    scope: Scope
    store: Store
    now: datetime
    written_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedItem:
    """One thing another system holds, before it is a memory of ours."""

    where: str
    # What names it in its source; with its words it makes the id.
    key: str
    text: Any
    at: datetime | None = None
    # When it was at the latest, if its source does not say when.
    by: datetime | None = None
    kind: Kind = Kind.FACT
    author: str = ""
    addressee: str = ""
    role: str = ""
    backend: str = ""
    session: str = ""
    sequence: int | None = None
    minutes: float | None = None
    prompt: str = ""
    tags: Iterable[Any] = ()
    keywords: Iterable[str] = ()
    space: Space = field(default_factory=Space)
    worth: Worth = field(default_factory=Worth)
    state: State = State.ACTIVE
    valid_to: datetime | None = None
    # (type, key of what it is tied to)
    ties: tuple[tuple[str, str], ...] = ()


def reading(path: Path, form: str, scope: Scope, store: Store, now: datetime) -> ImportRun:
    """Begin an import; what the source does not date was said when the file was written."""
    written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return ImportRun(form, Scope(scope.user, scope.agent, scope.project), store, now, written)


def found(told: ImportedItem, source: ImportRun) -> JsonlRecord:
    """Make the memory that something told becomes: young here, of origin import."""
    screened = screen(checked_text(told.text))
    prompt = screen(told.prompt).text[:MOST_PROMPT] if told.prompt else ""
    scope = replace(source.scope, session=told.session)
    memory = Memory(
        id=identified(source.form, told.key, screened.text, told.at),
        scope=scope,
        text=screened.text,
        kind=told.kind,
        time=Time(
            happened_at=told.at or told.by or source.written_at,
            recorded_at=source.now,
            valid_to=told.valid_to,
            sequence=told.sequence,
            minutes_into_session=told.minutes,
        ),
        provenance=Provenance(
            origin=Origin.IMPORT,
            source=Source.IMPORT,
            author=name(told.author),
            addressee=name(told.addressee),
        ),
        space=told.space,
        agent=Agent(role=told.role, backend=name(told.backend)),
        content=Content(
            type=_TYPES.get(told.role, "user_input" if not told.role else "system_event"),
            prompt_digest=prompt,
            tags=tags(told.tags),
            keywords=tags(told.keywords),
            token_count=estimate(screened.text),
        ),
        worth=told.worth,
        life=Life(tier=Tier.M90, state=told.state, expires_at=expiry(Tier.M90, source.now)),
    )
    links = tuple(Link(source=memory.id, type=type, target=key) for type, key in told.ties)
    return JsonlRecord(told.where, memory, links, masked=screened.masked + screened.held)


def kept(told: ImportedItem, source: ImportRun) -> JsonlRecord | Problem:
    """Return the memory that something told becomes, or why it can be none."""
    try:
        return found(told, source)
    except BadInput as error:
        return Problem(told.where, error.message)


def identified(form: str, key: str, text: str, at: datetime | None) -> str:
    """Return the id of a thing of this form, key and text; it begins with its time, if it has one.

    A time that the source does not state is no part of it: a copied file has another age.
    """
    said = "\0".join((form, key, text)).encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(said, digest_size=10).hexdigest()
    when = f"{at.astimezone(UTC):%Y%m%d_%H%M%S}" if at else "undated"
    return f"mem_{when}_{digest}"


def moment(value: Any) -> datetime | None:
    """Return the instant a foreign value means: ISO 8601, a date, seconds or milliseconds."""
    try:
        if isinstance(value, str):
            return _written(value.strip())
        if isinstance(value, int | float) and not isinstance(value, bool):
            if not math.isfinite(value) or value <= 0:
                return None
            seconds = value / 1000 if value >= _MILLISECONDS else value
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    except (BadInput, OverflowError, ValueError):
        pass
    return None


def _written(text: str) -> datetime | None:
    text = text.removesuffix(" UTC")
    if not text:
        return None
    if text.replace(".", "", 1).isdecimal() and len(text) >= 9:
        return moment(float(text))
    if date := _DATE.fullmatch(text):
        year, month, day, rest = date.groups()
        text = f"{year}-{int(month):02}-{int(day):02}"
        if rest:
            hour, _, more = rest.replace(" ", "").partition(":")
            text += f"T{int(hour):02}:{more}"
    return aware("time", parse_instant(text))


def first_moment(*values: Any) -> datetime | None:
    """Return the first of the values that means an instant."""
    return next(filter(None, map(moment, values)), None)


def name(value: Any) -> str:
    """Return a name in one spelling; what is none, or too long for one, is empty."""
    said = fold(value).strip() if isinstance(value, str) else ""
    return said if len(said) <= _LONGEST_NAME else ""


def tags(values: Iterable[Any]) -> tuple[str, ...]:
    """Return the values that can be tags, each once; nothing is cut, for half a secret is seen."""
    said = (each.strip() for each in values if isinstance(each, str) and len(each) <= MAX_TAG)
    return tuple(dict.fromkeys(each for each in said if normalise(each)))[:MAX_TAGS]


def session(form: str, value: Any) -> str:
    """Return the session another system's conversation becomes, a digest where the id is odd."""
    if not isinstance(value, str) or not value:
        return ""
    if _SESSION.fullmatch(value) and not screen(value).findings:
        return value
    digest = hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{form}-{digest}"


def entity_name(value: Any) -> str:
    """Return the name of an entity; refuse a secret before its key would hide what it was."""
    said = name(value)
    if not said:
        raise BadInput("import.entity_needs_name")
    if screen(said).findings:
        raise BadInput("import.name_of_entity_holds_what")
    return said


def relation(source: Any, predicate: Any, target: Any) -> Link:
    """Return the tie between two entities, marked if its predicate denies."""
    ends = [Entity(name=entity_name(each)).key for each in (source, target)]
    kind = normalise(name(predicate)).replace(":", " ").strip()
    if not kind:
        raise BadInput("import.relation_needs_type")
    return Link(source=ends[0], type=kind, target=ends[1], negative=is_negative(kind))
