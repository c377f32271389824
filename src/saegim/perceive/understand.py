"""A memory gains its coordinates: when it happened, what it feels like, what it says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from saegim.memory.clock import iso
from saegim.memory.coordinate import Kind
from saegim.memory.emotion import Emotion
from saegim.memory.memory import Memory
from saegim.memory.weighing import importance
from saegim.mind import Mind
from saegim.perceive.decide.signs import Signs, read_signs
from saegim.perceive.extract.extract import Extracted, extract
from saegim.perceive.feel.feel import feel
from saegim.perceive.place.when import event_of, spans

# A text longer than this is a document: its beginning says enough about feeling and kind.
_GLANCE = 4000
_MOST_MENTIONS = 16


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
    emotion = feel(glance, mind.heads if reading else None)
    signs = read_signs(glance, emotion=emotion, reading=reading, analyser=mind.store.analyser())
    return Heard(text, emotion, signs)


def placed_in_time(memory: Memory, said_at: datetime, *, fixed: bool) -> Memory:
    """Resolve time words against the moment they were said; what is unclear stays unknown."""
    found = spans(memory.text[:_GLANCE], said_at)[:_MOST_MENTIONS]
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
    said = extract(memory.text[:_GLANCE], analyser=analyser, signs=heard.signs, speaker=voice)
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


def weighed(memory: Memory, start: float) -> Memory:
    """Give a memory its importance by seed A's formula, from what is known at its birth."""
    worth = replace(
        memory.worth,
        importance=importance(
            start=start, rating=memory.worth.rating, sentiment=memory.emotion.sentiment
        ),
    )
    return memory.evolve(worth=worth)
