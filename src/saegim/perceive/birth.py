"""A memory is born: the coordinates that are given, before anything is read in its words."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from saegim.engines.tokens import estimate
from saegim.guard.instructions import suspicion
from saegim.memory.coordinate import (
    PERSON,
    Agent,
    Content,
    Kind,
    Life,
    Origin,
    Provenance,
    Source,
    Time,
    Worth,
)
from saegim.memory.memory import Memory, checked_tags, checked_text
from saegim.memory.scope import Scope
from saegim.memory.tiers import State, Tier, expiry
from saegim.memory.weighing import EXPLICIT_START, importance
from saegim.mind import Mind
from saegim.perceive.moment import Moment
from saegim.perceive.turn import Turn

# Seed A's content types, by who speaks.
_TYPES = {"user": "user_input", "assistant": "persona_response"}


def placed(moment: Moment, mind: Mind) -> Memory:
    """Give a moment its coordinates; refuse what cannot be kept word for word."""
    text = checked_text(moment.text)
    now = mind.now()
    content = moment.content
    return Memory(
        id=mind.new_id(),
        scope=moment.scope,
        text=text,
        kind=moment.kind or Kind.FACT,
        visibility=moment.visibility,
        time=when(moment.scope, moment.happened_at or now, now, moment.sequence, mind),
        provenance=moment.provenance,
        space=moment.space,
        agent=moment.agent,
        emotion=moment.emotion,
        content=replace(
            content,
            tags=checked_tags(content.tags),
            token_count=estimate(text) if content.token_count is None else content.token_count,
        ),
        worth=Worth(
            importance=importance(
                start=EXPLICIT_START, rating=moment.rating, sentiment=moment.emotion.sentiment
            )
            if moment.importance is None
            else moment.importance,
            confidence=moment.confidence,
            rating=moment.rating,
        ),
        life=Life(
            tier=moment.tier,
            expires_at=expiry(moment.tier, now),
            pinned=moment.pinned,
            immutable=moment.immutable,
        ),
        rhythm=moment.rhythm,
    )


def overheard(turn: Turn, text: str, time: Time, mind: Mind) -> Memory:
    """Give part of a turn its coordinates: who spoke, to whom, in which conversation."""
    return Memory(
        id=mind.new_id(),
        scope=turn.scope,
        text=text,
        time=time,
        provenance=Provenance(
            origin=turn.origin,
            source=turn.source,
            author=turn.speaker,
            addressee=turn.addressee,
        ),
        space=turn.space,
        agent=Agent(role=turn.role),
        content=Content(type=_TYPES.get(turn.role, "system_event"), token_count=estimate(text)),
        life=Life(tier=Tier.M30, expires_at=expiry(Tier.M30, time.recorded_at)),
        rhythm=turn.rhythm,
    )


def when(scope: Scope, said_at: datetime, now: datetime, sequence: int | None, mind: Mind) -> Time:
    """Place a moment in time; in a session, number it and count the minutes since the first."""
    minutes = None
    if scope.session:
        last, began = mind.store.session_so_far(scope)
        sequence = last + 1 if sequence is None else sequence
        minutes = round((said_at - (began or said_at)).total_seconds() / 60, 3)
    return Time(
        happened_at=said_at, recorded_at=now, sequence=sequence, minutes_into_session=minutes
    )


def quarantined(memory: Memory) -> str:
    """Say why a memory must be kept apart, if it must: an order that no person gave."""
    return "" if memory.provenance.origin in PERSON else suspicion(memory.text)


def asked_by_its_own(memory: Memory) -> bool:
    """Say whether the prompt beside the words was the agent's own, as in a folder of seed A.

    A prompt gives orders by its nature: what the agent told its own voices is no order in disguise.
    """
    provenance = memory.provenance
    return provenance.origin is Origin.IMPORT and provenance.source is Source.CONVERSATION


def reads_like_an_order(memory: Memory) -> bool:
    """Say whether a memory reads like an order, in its words or in what stands around them."""
    content = memory.content
    around = (
        "" if asked_by_its_own(memory) else content.prompt_digest,
        content.brief or "",
        *content.tags,
        *content.keywords,
        memory.provenance.author,
        memory.space.domain,
    )
    return bool(quarantined(memory) or suspicion("\n".join(filter(None, around))))


def kept_apart(memory: Memory) -> Memory:
    """Return the memory in quarantine, where recall will not show it."""
    return memory.evolve(life=replace(memory.life, state=State.QUARANTINED))
