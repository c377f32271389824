"""A memory as a row, and back; what no query asks about travels as JSON in `details`."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from operator import attrgetter
from typing import Any

import msgspec

from saegim.errors import StoreCorrupt
from saegim.memory.clock import from_micros, iso, micros, offset_minutes, parse_instant
from saegim.memory.coordinate import (
    Agent,
    Content,
    Kind,
    Life,
    Origin,
    Provenance,
    Rhythm,
    Source,
    Space,
    Time,
    Worth,
)
from saegim.memory.emotion import Emotion, Feeling
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.memory.tiers import Lifetime, Reason, State, Tier
from saegim.store.database import Connection, Database
from saegim.store.where import Where

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
        tier=Tier(tier),
        state=State(state),
        expires_at=moment(expires_at),
        promoted_from=promoted_from,
        pinned=bool(pinned),
        immutable=bool(immutable),
        island=island,
        leaving_since=moment(leaving_since),
        leaving_until=moment(leaving_until),
        leaving_reason=Reason(leaving_reason) if leaving_reason else None,
        lifetime=Lifetime(lifetime),
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
