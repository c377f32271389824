"""The JSON shapes of the seeds, written and read without loss.

`to_coordinate` / `from_coordinate`: seed A §3.1 (MemoryCoordinate).
`to_orb` / `from_orb`: seed D §1 (the memory entry of the tiers).
`to_entry` / `from_entry`: seed D §6 (the ForgettingEntry of the queue).
Keys that a seed does not name are refused: a misspelt field must not vanish.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar

from saegim.errors import BadInput, hint
from saegim.memory.clock import from_micros, iso, micros, parse_instant
from saegim.memory.entities import PARENT, RELATED, Link
from saegim.memory.memory import (
    Agent,
    Content,
    Emotion,
    Feeling,
    Life,
    Lifetime,
    Memory,
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
    expiry,
)

Json = dict[str, Any]

_COORDINATE: dict[str, frozenset[str]] = {
    "time": frozenset({"session_id", "sequence", "relative_time_minutes"}),
    "space": frozenset({"project", "domain", "file_context", "depth_index"}),
    "agent": frozenset({"persona_id", "persona_name", "role", "backend"}),
    "emotion": frozenset({"affect_amplitude", "sentiment_score", "confidence", "keywords"}),
    "content": frozenset(
        {"type", "prompt_digest", "response_full", "response_summary", "token_count"}
    ),
    "metadata": frozenset(
        {
            "importance",
            "tags",
            "user_rating",
            "phase_injection_applied",
            "error_occurred",
            "bqi_snapshot",
        }
    ),
    "relations": frozenset({"parent_memory_id", "child_memory_ids", "related_memory_ids"}),
}


def to_coordinate(memory: Memory, links: Iterable[Link] = ()) -> Json:
    """Write a memory and its ties as seed A's MemoryCoordinate."""
    ties = list(links)
    metadata: Json = {
        "importance": memory.worth.importance,
        "tags": list(memory.content.tags),
        "user_rating": memory.worth.rating,
        "phase_injection_applied": memory.agent.phase_injection,
        "error_occurred": memory.agent.error_occurred,
    }
    if memory.rhythm.snapshot:
        metadata["bqi_snapshot"] = dict(memory.rhythm.snapshot)
    return {
        "memory_id": memory.id,
        "timestamp": iso(memory.time.happened_at),
        "time": {
            "session_id": memory.scope.session,
            "sequence": memory.time.sequence,
            "relative_time_minutes": memory.time.minutes_into_session,
        },
        "space": {
            "project": memory.scope.project,
            "domain": memory.space.domain,
            "file_context": list(memory.space.files),
            "depth_index": memory.space.depth,
        },
        "agent": {
            "persona_id": memory.agent.persona,
            "persona_name": memory.agent.persona_name,
            "role": memory.agent.role,
            "backend": memory.agent.backend,
        },
        "emotion": {
            "affect_amplitude": memory.emotion.affect,
            "sentiment_score": memory.emotion.sentiment,
            "confidence": memory.emotion.confidence,
            "keywords": list(memory.emotion.words),
        },
        "content": {
            "type": memory.content.type,
            "prompt_digest": memory.content.prompt_digest,
            "response_full": memory.text,
            "response_summary": memory.content.brief,
            "token_count": memory.content.token_count,
        },
        "metadata": metadata,
        "relations": {
            "parent_memory_id": next(
                (t.target for t in ties if t.type == PARENT and t.source == memory.id), None
            ),
            "child_memory_ids": [
                t.source for t in ties if t.type == PARENT and t.target == memory.id
            ],
            "related_memory_ids": [
                t.target for t in ties if t.type == RELATED and t.source == memory.id
            ],
        },
    }


def from_coordinate(shape: Mapping[str, Any], user: str) -> tuple[Memory, list[Link]]:
    """Read seed A's MemoryCoordinate as a memory of this user and its ties."""
    _known(shape, {"memory_id", "timestamp", *_COORDINATE}, "MemoryCoordinate")
    part = {name: _part(shape, name, keys) for name, keys in _COORDINATE.items()}
    at = parse_instant(_needed(shape, "timestamp"), "timestamp")
    snapshot: Mapping[str, Any] = part["metadata"].get("bqi_snapshot") or {}
    memory = Memory(
        id=_needed(shape, "memory_id"),
        scope=Scope(
            user=user,
            project=part["space"].get("project") or "",
            session=part["time"].get("session_id") or "",
        ),
        text=_needed(part["content"], "response_full"),
        time=Time(
            happened_at=at,
            recorded_at=at,
            sequence=part["time"].get("sequence"),
            minutes_into_session=part["time"].get("relative_time_minutes"),
        ),
        provenance=Provenance(source=Source.CONVERSATION),
        space=Space(
            domain=part["space"].get("domain") or "",
            files=_list(part["space"], "file_context"),
            depth=part["space"].get("depth_index"),
        ),
        agent=Agent(
            persona=part["agent"].get("persona_id") or "",
            persona_name=part["agent"].get("persona_name") or "",
            role=part["agent"].get("role") or "",
            backend=part["agent"].get("backend") or "",
            phase_injection=bool(part["metadata"].get("phase_injection_applied")),
            error_occurred=bool(part["metadata"].get("error_occurred")),
        ),
        emotion=Emotion(
            affect=part["emotion"].get("affect_amplitude"),
            sentiment=part["emotion"].get("sentiment_score") or 0.0,
            confidence=part["emotion"].get("confidence"),
            words=_list(part["emotion"], "keywords"),
        ),
        content=Content(
            type=part["content"].get("type") or "user_input",
            prompt_digest=part["content"].get("prompt_digest") or "",
            brief=part["content"].get("response_summary"),
            tags=_list(part["metadata"], "tags"),
            token_count=part["content"].get("token_count"),
        ),
        worth=Worth(
            importance=part["metadata"].get("importance", 0.3),
            rating=part["metadata"].get("user_rating"),
        ),
        life=Life(tier=Tier.M90),
        rhythm=Rhythm(snapshot=snapshot).filled(),
    )
    return memory, _ties(memory.id, part["relations"])


def _ties(id: str, relations: Mapping[str, Any]) -> list[Link]:
    """Read the relations of a coordinate as links; a child's tie points at its parent."""
    ties = []
    if parent := relations.get("parent_memory_id"):
        ties.append(Link(source=id, type=PARENT, target=parent))
    for child in _list(relations, "child_memory_ids"):
        ties.append(Link(source=child, type=PARENT, target=id))
    for other in _list(relations, "related_memory_ids"):
        ties.append(Link(source=id, type=RELATED, target=other))
    return ties


_ORB = frozenset(
    {
        "id",
        "content",
        "tier",
        "emotions",
        "intensity",
        "createdAt",
        "expiresAt",
        "promotedFrom",
        "referenceCount",
        "lastReferencedAt",
        "personalityIsland",
        "source",
    }
)


_ENTRY = frozenset({"memory", "enteredAt", "expiresAt", "reason"})


def to_orb(memory: Memory) -> Json:
    """Write a memory as seed D's entry: one orb with its tier and its colours.

    What lasts has no end, in whatever tier it stands.
    """
    ends = None if memory.life.lifetime is Lifetime.LASTING else memory.life.expires_at
    return {
        "id": memory.id,
        "content": memory.text,
        "tier": memory.life.tier.value,
        "emotions": [feeling.value for feeling in memory.emotion.feelings],
        "intensity": memory.emotion.intensity,
        "createdAt": _millis(memory.time.recorded_at),
        "expiresAt": _millis(ends),
        "promotedFrom": memory.life.promoted_from,
        "referenceCount": memory.worth.used,
        "lastReferencedAt": _millis(memory.worth.used_at),
        "personalityIsland": memory.life.island,
        "source": memory.provenance.source.value,
    }


def from_orb(shape: Mapping[str, Any], user: str) -> Memory:
    """Read seed D's entry as a memory of this user; without an end it lasts."""
    _known(shape, _ORB, "memory entry")
    at = _instant(_needed(shape, "createdAt"))
    assert at is not None
    tier, ends = _one_of(Tier, _needed(shape, "tier")), _instant(shape.get("expiresAt"))
    endless = ends is None and tier is not Tier.M0
    return Memory(
        id=_needed(shape, "id"),
        scope=Scope(user=user),
        text=_needed(shape, "content"),
        time=Time(happened_at=at, recorded_at=at),
        provenance=Provenance(source=_one_of(Source, shape.get("source", "conversation"))),
        emotion=Emotion(
            feelings=tuple(_one_of(Feeling, each) for each in _list(shape, "emotions")),
            intensity=shape.get("intensity", 0.0),
        ),
        worth=Worth(
            used=shape.get("referenceCount", 0), used_at=_instant(shape.get("lastReferencedAt"))
        ),
        life=Life(
            tier=tier,
            expires_at=expiry(tier, at) if endless else ends,
            promoted_from=shape.get("promotedFrom"),
            island=shape.get("personalityIsland"),
            lifetime=Lifetime.LASTING if endless else Lifetime.PASSING,
        ),
    )


def to_entry(memory: Memory) -> Json:
    """Write a memory that is leaving as seed D's ForgettingEntry."""
    life = memory.life
    if life.state is not State.LEAVING or life.leaving_since is None or life.leaving_until is None:
        raise BadInput("memory.not_leaving", id=memory.id)
    return {
        "memory": to_orb(memory),
        "enteredAt": _millis(life.leaving_since),
        "expiresAt": _millis(life.leaving_until),
        "reason": (life.leaving_reason or Reason.EXPIRED).value,
    }


def from_entry(shape: Mapping[str, Any], user: str) -> Memory:
    """Read seed D's ForgettingEntry as a memory of this user that is leaving."""
    _known(shape, _ENTRY, "ForgettingEntry")
    held = _needed(shape, "memory")
    if not isinstance(held, Mapping):
        raise BadInput("memory.memory_must_be_object")
    memory = from_orb(held, user)
    since, until = _instant(_needed(shape, "enteredAt")), _instant(_needed(shape, "expiresAt"))
    life = replace(
        memory.life,
        state=State.LEAVING,
        leaving_since=since,
        leaving_until=until,
        leaving_reason=_one_of(Reason, shape.get("reason", Reason.EXPIRED.value)),
    )
    return memory.evolve(life=life)


def _needed(shape: Mapping[str, Any], name: str) -> Any:
    """Return a field without which there is no memory."""
    if shape.get(name) is None:
        raise BadInput("memory.missing_see_docs", name=name)
    return shape[name]


def _list(shape: Mapping[str, Any], name: str) -> tuple[Any, ...]:
    """Return a list field; a text is not a list of its letters."""
    held = shape.get(name) or ()
    if not isinstance(held, list | tuple):
        raise BadInput("memory.must_be_list", name=name, held=held)
    return tuple(held)


Named = TypeVar("Named", bound=StrEnum)


def _one_of(kind: type[Named], value: Any) -> Named:
    """Return the member of that name; say which there are otherwise."""
    try:
        return kind(value)
    except ValueError as error:
        name, near = kind.__name__.lower(), hint(str(value), kind)
        raise BadInput(
            "memory.no_such_value", kind=name, value=value, hint=near, known=", ".join(kind)
        ) from error


def _millis(at: datetime | None) -> int | None:
    return None if at is None else micros(at) // 1000


def _instant(millis: int | None) -> datetime | None:
    """Return the instant of a Unix time in milliseconds; refuse what is none."""
    if millis is None:
        return None
    if isinstance(millis, bool) or not isinstance(millis, int | float):
        raise BadInput("memory.no_time", millis=millis)
    try:
        return from_micros(0) + timedelta(milliseconds=millis)
    except (OverflowError, ValueError) as error:
        raise BadInput("memory.no_time", millis=millis) from error


def _part(shape: Mapping[str, Any], name: str, keys: frozenset[str]) -> Mapping[str, Any]:
    part = shape.get(name) or {}
    if not isinstance(part, Mapping):
        raise BadInput("memory.must_be_object_see_docs", name=name)
    _known(part, keys, name)
    return part


def _known(shape: Mapping[str, Any], keys: Iterable[str], what: str) -> None:
    if unknown := sorted(set(shape) - set(keys)):
        raise BadInput("memory.unknown_field_remove_or", unknown=unknown[0], what=what)
