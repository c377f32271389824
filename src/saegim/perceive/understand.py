"""A memory gains its coordinates: when it happened, what it feels like, what it says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from saegim.errors import Refused
from saegim.language import language
from saegim.language.times import event_of
from saegim.memory.clock import iso, parse_instant
from saegim.memory.coordinate import Kind
from saegim.memory.emotion import Emotion
from saegim.memory.memory import Memory
from saegim.memory.tiers import Lifetime, expiry
from saegim.memory.weighing import importance
from saegim.mind import Mind

if TYPE_CHECKING:
    from saegim.language.extract import Extracted
    from saegim.language.features import Signs

# A text longer than this is a document: its beginning says enough about feeling and kind.
_GLANCE = 4000
_MOST_MENTIONS = 16
# What is over within the day it was said is no plan; beyond two years a date is a misreading.
_SOON, _FAR = timedelta(hours=24), timedelta(days=731)


@dataclass(frozen=True, slots=True)
class Heard:
    """One sentence, or one short text, with what was read in it."""

    text: str
    emotion: Emotion
    signs: Signs


def hear(text: str, mind: Mind) -> Heard:
    """Read the feeling and the signs of one text."""
    glance = text[:_GLANCE]
    reading = mind.read(glance)
    emotion = language.feelings(glance, mind.heads if reading else None)
    signs = language.features(
        glance, emotion=emotion, reading=reading, analyser=mind.store.analyser()
    )
    return Heard(text, emotion, signs)


def placed_in_time(memory: Memory, said_at: datetime, *, fixed: bool) -> Memory:
    """Resolve time words against the moment they were said; what is unclear stays unknown."""
    found = language.times(memory.text[:_GLANCE], said_at)[:_MOST_MENTIONS]
    if not found:
        return memory
    event = None if fixed else event_of(found, said_at)
    return memory.evolve(
        time=replace(
            memory.time,
            happened_at=event.start if event else memory.time.happened_at,
            said_at=said_at if event else None,
            mentions=tuple(f"{iso(each.start)}/{iso(each.end)}" for each in found),
        )
    )


def understood(
    memory: Memory, heard: Heard, mind: Mind, *, kind: Kind | None, voice: str = ""
) -> tuple[Memory, Extracted]:
    """Fill in what nobody said: kind, feeling, ties, keywords, the short form, the language."""
    analyser = mind.store.analyser()
    said = language.facts(
        memory.text[:_GLANCE], analyser=analyser, signs=heard.signs, speaker=voice
    )
    content = memory.content
    emotion = heard.emotion if memory.emotion == Emotion() else memory.emotion
    return memory.evolve(
        kind=kind or said.kind,
        emotion=emotion,
        content=replace(
            content,
            brief=content.brief or said.brief,
            triples=content.triples or said.triples,
            keywords=content.keywords or said.keywords,
            language=content.language or said.language,
        ),
    ), said


def kept_for(memory: Memory, lifetime: Lifetime, said_at: datetime, mind: Mind) -> Memory:
    """Give a memory its lifetime; what speaks of a day ahead is kept at least until that day.

    A plan without a day that can be told has no end that could have come: it lasts. The seeds know
    no lifetimes: under their law everything passes in its tier's time.
    """
    if not mind.settings.is_gentle:
        return memory
    ahead = last_day_ahead(memory, said_at)
    if lifetime is Lifetime.PASSING and ahead is not None:
        lifetime = Lifetime.UNTIL
    elif lifetime is Lifetime.UNTIL and ahead is None:
        lifetime = Lifetime.LASTING
    return living_for(memory, lifetime, ahead if lifetime is Lifetime.UNTIL else None)


def living_for(memory: Memory, lifetime: Lifetime, last_date: datetime | None) -> Memory:
    """Return a memory with just this lifetime, and the end of its time that follows from it."""
    end = expiry(memory.life.tier, memory.time.recorded_at, last_date)
    life = replace(memory.life, lifetime=lifetime, last_date=last_date, expires_at=end)
    return memory.evolve(life=life)


def no_lifetimes() -> Refused:
    """Return the refusal to keep anything for longer where the bare clocks of the seeds hold."""
    return Refused("perceive.forgetting_is_seed_every_memory")


def last_day_ahead(memory: Memory, said_at: datetime) -> datetime | None:
    """Return the end of the last day the words speak of, if it was still to come when said."""
    ends = [parse_instant(each.partition("/")[2]) for each in memory.time.mentions]
    later = [end for end in ends if said_at + _SOON < end < said_at + _FAR]
    if not later:
        return None
    # Its hours may be over at noon; the day is over at midnight.
    day = (max(later) - timedelta(microseconds=1)).replace(hour=0, minute=0, second=0)
    return day.replace(microsecond=0) + timedelta(days=1)


def weighed(memory: Memory, start: float) -> Memory:
    """Give a memory its importance by seed A's formula, from what is known at its birth."""
    worth = replace(
        memory.worth,
        importance=importance(
            start=start, rating=memory.worth.rating, sentiment=memory.emotion.sentiment
        ),
    )
    return memory.evolve(worth=worth)
