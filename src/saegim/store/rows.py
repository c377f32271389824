"""A memory as a row, and back; what no query asks about travels as JSON in `details`."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

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

COLUMNS = (
    "owner id agent project session visibility canonical_key text kind origin source author "
    "domain persona rhythm_phase happened_at happened_offset recorded_at recorded_offset "
    "valid_from valid_to sequence sentiment intensity importance confidence rating repeated "
    "feedback recalled recalled_at used used_at tier state expires_at promoted_from pinned "
    "immutable island leaving_since leaving_until leaving_reason lifetime last_date details"
).split()
SELECT = "SELECT m.number, " + ", ".join(f"m.{name}" for name in COLUMNS) + " FROM memory m "
# The words as bytes, for a record in which a letter is spoilt on the disk.
SELECT_BYTES = re.sub(r"m\.(text|details)", r"CAST(m.\1 AS BLOB)", SELECT)
INSERT = (
    f"INSERT INTO memory ({', '.join(COLUMNS)}, salt, digest) "
    f"VALUES ({', '.join(':' + name for name in COLUMNS)}, :salt, :digest) RETURNING number"
)

Row = Sequence[Any]


def to_row(memory: Memory) -> dict[str, Any]:
    """Return the memory's values by column."""
    scope, time, worth, life = memory.scope, memory.time, memory.worth, memory.life
    return {
        "owner": scope.user,
        "id": memory.id,
        "agent": scope.agent,
        "project": scope.project,
        "session": scope.session,
        "visibility": memory.visibility,
        "canonical_key": memory.canonical_key,
        "text": memory.text,
        "kind": memory.kind.value,
        "origin": memory.provenance.origin.value,
        "source": memory.provenance.source.value,
        "author": memory.provenance.author,
        "domain": memory.space.domain or None,
        "persona": memory.agent.persona or None,
        "rhythm_phase": memory.rhythm.phase or None,
        "happened_at": micros(time.happened_at),
        "happened_offset": offset_minutes(time.happened_at),
        "recorded_at": micros(time.recorded_at),
        "recorded_offset": offset_minutes(time.recorded_at),
        "valid_from": instant(time.valid_from),
        "valid_to": instant(time.valid_to),
        "sequence": time.sequence,
        "sentiment": memory.emotion.sentiment,
        "intensity": memory.emotion.intensity,
        "importance": worth.importance,
        "confidence": worth.confidence,
        "rating": worth.rating,
        "repeated": worth.repeat,
        "feedback": worth.feedback,
        "recalled": worth.recalled,
        "recalled_at": instant(worth.recalled_at),
        "used": worth.used,
        "used_at": instant(worth.used_at),
        "tier": life.tier.value,
        "state": life.state.value,
        "expires_at": instant(life.expires_at),
        "promoted_from": life.promoted_from,
        "pinned": int(life.pinned),
        "immutable": int(life.immutable),
        "island": life.island,
        "leaving_since": instant(life.leaving_since),
        "leaving_until": instant(life.leaving_until),
        "leaving_reason": life.leaving_reason.value if life.leaving_reason else None,
        "lifetime": life.lifetime.value,
        "last_date": instant(life.last_date),
        "details": details(memory),
    }


def details(memory: Memory) -> str:
    """Return the fields that have no column of their own; what is empty is left out."""
    content, emotion, agent = memory.content, memory.emotion, memory.agent
    held: dict[str, Any] = {
        "turn": memory.provenance.turn,
        "addressee": memory.provenance.addressee,
        "said_in": memory.space.project,
        "files": memory.space.files,
        "depth": memory.space.depth,
        "minutes": memory.time.minutes_into_session,
        "said_at": iso(memory.time.said_at) if memory.time.said_at else None,
        "mentions": memory.time.mentions,
        "persona_name": agent.persona_name,
        "role": agent.role,
        "backend": agent.backend,
        "phase_injection": agent.phase_injection,
        "error_occurred": agent.error_occurred,
        "feelings": [feeling.value for feeling in emotion.feelings],
        "affect": emotion.affect,
        "feeling_confidence": emotion.confidence,
        "feeling_words": emotion.words,
        "type": content.type,
        "prompt_digest": content.prompt_digest,
        "brief": content.brief,
        "triples": content.triples,
        "language": content.language,
        "keywords": content.keywords,
        "tags": content.tags,
        "tokens": content.token_count,
        "rhythm_words": memory.rhythm.words,
        "rhythm": dict(memory.rhythm.snapshot),
    }
    # By identity for None and False: a depth of 0 or a sentiment of 0.0 is something, not nothing.
    kept = {
        name: value
        for name, value in held.items()
        if value is not None and value is not False and value not in ("", (), [], {})
    }
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


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
    plain = not sentiment and not intensity and more.keys() <= _PLAIN_KEYS
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
            minutes_into_session=more.get("minutes"),
            said_at=parse_instant(more["said_at"]) if "said_at" in more else None,
            mentions=tuple(more.get("mentions", ())),
        ),
        provenance=_provenance(
            origin, source, author, more.get("addressee", ""), more.get("turn", "")
        ),
        space=_NO_SPACE if plain and domain is None else space_of(domain, more),
        agent=_NO_AGENT if plain and persona is None else agent_of(persona, more),
        emotion=_NO_EMOTION if plain else emotion_of(sentiment, intensity, more),
        content=content_of(more),
        worth=worth_of(*numbers[:9]),
        life=life_of(*numbers[9:]),
        rhythm=_NO_RHYTHM if plain and rhythm_phase is None else rhythm_of(rhythm_phase, more),
    )


_KINDS = {kind.value: kind for kind in Kind}
_NO_SPACE, _NO_AGENT, _NO_EMOTION, _NO_RHYTHM = Space(), Agent(), Emotion(), Rhythm()
# Details that belong to the content or the time: with only these, the other parts are empty.
_PLAIN_KEYS = frozenset(
    "type prompt_digest brief triples language keywords tags tokens minutes said_at mentions "
    "turn addressee".split()
)


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


def space_of(domain: str | None, more: dict[str, Any]) -> Space:
    """Return the space coordinate."""
    return Space(
        project=more.get("said_in", ""),
        domain=domain or "",
        files=tuple(more.get("files", ())),
        depth=more.get("depth"),
    )


def emotion_of(sentiment: float, intensity: float, more: dict[str, Any]) -> Emotion:
    """Return the emotion coordinate."""
    return Emotion(
        feelings=tuple(Feeling(each) for each in more.get("feelings", ())),
        intensity=intensity,
        affect=more.get("affect"),
        sentiment=sentiment,
        confidence=more.get("feeling_confidence"),
        words=tuple(more.get("feeling_words", ())),
    )


def rhythm_of(phase: str | None, more: dict[str, Any]) -> Rhythm:
    """Return the rhythm of the moment."""
    return Rhythm(
        phase=phase or "",
        words=tuple(more.get("rhythm_words", ())),
        snapshot=more.get("rhythm", {}),
    )


def _more(packed: str | bytes | None) -> dict[str, Any]:
    """Return what `details` wrote; where it is spoilt, the words are still worth having."""
    try:
        held = json.loads(packed) if packed else {}
    except ValueError:
        return {}
    return held if isinstance(held, dict) else {}


def agent_of(persona: str | None, more: dict[str, Any]) -> Agent:
    """Return the agent coordinate."""
    return Agent(
        persona=persona or "",
        persona_name=more.get("persona_name", ""),
        role=more.get("role", ""),
        backend=more.get("backend", ""),
        phase_injection=more.get("phase_injection", False),
        error_occurred=more.get("error_occurred", False),
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


def content_of(more: dict[str, Any]) -> Content:
    """Return the content coordinate held in `details`."""
    return Content(
        type=more.get("type", ""),
        prompt_digest=more.get("prompt_digest", ""),
        brief=more.get("brief"),
        triples=tuple(tuple(each) for each in more.get("triples", ())),
        language=more.get("language", ""),
        keywords=tuple(more.get("keywords", ())),
        tags=tuple(more.get("tags", ())),
        token_count=more.get("tokens"),
    )


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
