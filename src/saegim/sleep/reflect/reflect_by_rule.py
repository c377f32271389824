"""Insights that can be counted: an interest, with what, more or less, how it feels, when.

It counts to be sure and tells no count: that something came up so many times is nothing to
remember. Nothing is said about character or causes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from saegim.language.claims import claims
from saegim.language.wording import PARTS, WEEKDAYS, day_of, said
from saegim.memory.entities import Entity
from saegim.memory.memory import Memory, Scope
from saegim.memory.text import normalise
from saegim.mind import Mind
from saegim.sleep.reflect.insight import (
    CountedMemory,
    Group,
    GroupSubject,
    Insight,
    insight_key,
    voice_of,
)

# An interest: a theme of three days or more that is liked, told of gladly twice, and never badly.
_INTEREST_DAYS: Final = 3
_INTEREST_SIGNS: Final = 2
_GLAD: Final = 0.25
# A trend: at least three more, and at least twice as many, in halves of eight or more and over a
# week at least; what is told on fewer than three days is an occasion.
_CLEAR_STEP: Final = 3
_CLEAR_TIMES: Final = 2
_SMALLEST_HALF: Final = 8
_TREND_SPAN: Final = timedelta(days=7)
_TOLD_DAYS: Final = 3
_SHORTEST: Final = timedelta(days=1)
# A change of tone, of a scale from -1 to 1, with at least so many memories on each side.
_TONE: Final = 0.4
_TONE_SIDE: Final = 3
# A habit: at least four times, three in four, on three days, and half as often in all the rest.
_HABIT_LEAST: Final = 4
_HABIT_SHARE: Final = 0.75
_HABIT_DAYS: Final = 3
_HABIT_REST: Final = 0.5

Before = Callable[[Group], Sequence[Memory]]


def insights_by_rule(group: Group, *, before: Before) -> list[Insight]:
    """Return what can honestly be counted in a group; `before` gives older memories of it."""
    every = (_interest, _together, _trend, _weekday, _hours)
    found = [each for rule in every for each in rule(group)]
    return [*found, *_tone(group, before)]


def topic_of(group: Group, kind: str) -> str:
    """Return what names a kind of statement about a subject in its room and voice."""
    agent, project = group.window.room
    return "\x1f".join((agent, project, group.window.voice, group.subject.key, kind))


def _insight(
    group: Group,
    kind: str,
    sources: Sequence[Memory],
    *,
    topic: str = "",
    tendency: str = "",
    other: GroupSubject | None = None,
    since: datetime | None = None,
    **values: object,
) -> Insight:
    language = "ko" if group.language == "ko" else "en"
    beside = other.name if other else ""
    day = day_of(since, language) if since else ""
    return Insight(
        text=said(
            kind,
            language=language,
            voice=group.window.voice,
            name=group.subject.name,
            other=beside,
            day=day,
            **values,
        ),
        language=language,
        about=tuple(each.about for each in (group.subject, other) if each),
        sources=tuple(sources),
        key=insight_key(topic_of(group, topic or kind), tendency or kind),
    )


def _days(told: Iterable[CountedMemory]) -> int:
    return len({each.at.date() for each in told})


def _interest(group: Group) -> Iterator[Insight]:
    """Find what the person comes back to and likes; only their own words can say so."""
    entity = group.subject.entity
    if not group.window.own or (entity is not None and entity.type not in ("topic", "thing")):
        return
    glad = [each for each in group.told if _is_liked(each, group.subject)]
    sorry = any(each.sentiment <= -_GLAD for each in group.told)
    if len(glad) >= _INTEREST_SIGNS and not sorry and _days(group.told) >= _INTEREST_DAYS:
        yield _insight(group, "interest", group.sources)


def _is_liked(told: CountedMemory, subject: GroupSubject) -> bool:
    """Say whether a memory speaks gladly of a subject, or says that it is liked."""
    liked = any(
        claim.slot.startswith("likes:") and not claim.negative and normalise(subject.name) in object
        for triple in told.memory.content.triples
        for object in (normalise(triple[2]),)
        for claim in claims([triple])
    )
    return liked or told.sentiment >= _GLAD


def _together(group: Group) -> Iterator[Insight]:
    if group.beside is not None and _days(group.beside.told) >= _TOLD_DAYS:
        both = [each.memory for each in group.beside.told]
        yield _insight(
            group,
            "together",
            both,
            tendency=group.beside.subject.key,
            other=group.beside.subject,
        )


def _trend(group: Group) -> Iterator[Insight]:
    """Compare the first half of the window with the last; one in the middle counts for neither."""
    told = group.window.told
    half = len(told) // 2
    if half < _SMALLEST_HALF or told[-1].at - told[0].at < _TREND_SPAN:
        return
    if told[half - 1].at == told[-half].at or _days(group.told) < _TOLD_DAYS:
        return
    mine = {each.memory.id for each in group.told}
    first = sum(each.memory.id in mine for each in told[:half])
    last = sum(each.memory.id in mine for each in told[-half:])
    few, many = sorted((first, last))
    if many - few >= _CLEAR_STEP and many >= _CLEAR_TIMES * few:
        kind = "more" if last > first else "less"
        yield _insight(group, kind, group.sources, topic="trend", since=told[-half].at)


def _tone(group: Group, before: Before) -> Iterator[Insight]:
    """Compare how it felt earlier and later: inside the window, or before it and in it."""
    told, half = group.told, len(group.told) // 2
    if told[-1].at - told[0].at >= _SHORTEST:
        inside = [each.memory for each in told]
        if made := _changed(group, inside[:half], inside[-half:], told[-half].at):
            yield made
            return
    if made := _changed(group, before(group), group.sources, told[0].at):
        yield made


def _changed(
    group: Group, first: Sequence[Memory], last: Sequence[Memory], since: datetime
) -> Insight | None:
    if min(len(first), len(last)) < _TONE_SIDE:
        return None
    was, now = _mean(first), _mean(last)
    if abs(now - was) < _TONE:
        return None
    kind = "brighter" if now > was else "darker"
    return _insight(group, kind, (*first, *last), topic="tone", since=since)


def _mean(memories: Sequence[Memory]) -> float:
    return sum(each.emotion.sentiment for each in memories) / len(memories)


def _weekday(group: Group) -> Iterator[Insight]:
    """Find the day of the week on which it mostly happens."""
    if found := _habit(group.told, group.window.told, lambda each: each.happened.weekday()):
        day, kept = found
        names = WEEKDAYS["ko" if group.language == "ko" else "en"]
        yield _insight(
            group,
            "weekday",
            kept,
            tendency=str(day),
            weekday=names[day],
        )


def _hours(group: Group) -> Iterator[Insight]:
    """Find the part of the day in which it is mostly told; midnight sharp stands for no hour."""
    told = [each for each in group.told if _has_hour(each)]
    everyone = [each for each in group.window.told if _has_hour(each)]
    if len(told) == len(group.told) and (found := _habit(told, everyone, _part)):
        at, kept = found
        start, end, korean, english = PARTS[at]
        yield _insight(
            group,
            "hours",
            kept,
            tendency=str(at),
            part=korean if group.language == "ko" else english,
            start=start,
            end=end,
        )


def _has_hour(each: CountedMemory) -> bool:
    return (each.at.hour, each.at.minute, each.at.second) != (0, 0, 0)


def _part(each: CountedMemory) -> int:
    return next(at for at, (start, end, *_) in enumerate(PARTS) if start <= each.at.hour < end)


def _habit(
    told: Sequence[CountedMemory],
    everyone: Sequence[CountedMemory],
    of: Callable[[CountedMemory], int],
) -> tuple[int, list[Memory]] | None:
    """Return the most common time of a group, if it is clear and the group's own."""
    if not told:
        return None
    often = Counter(map(of, told))
    best = min(often, key=lambda each: (-often[each], each))
    kept = [each for each in told if of(each) == best]
    mine = {each.memory.id for each in told}
    rest = [each for each in everyone if each.memory.id not in mine]
    share = len(kept) / len(told)
    elsewhere = sum(of(each) == best for each in rest) / len(rest) if rest else 1.0
    days = {each.happened.date() for each in kept}
    if (
        len(kept) < _HABIT_LEAST
        or share < _HABIT_SHARE
        or len(days) < _HABIT_DAYS
        or elsewhere > _HABIT_REST * share
    ):
        return None
    return best, [each.memory for each in kept]


# -- What someone is known to like and dislike, and which memories say so

_LIKES: Final = "likes"
# A profile names a few things; the newest ties say enough.
_MOST: Final = 3
_MOST_TIES: Final = 32
_LONGEST: Final = 24
# What is liked has a name: not "him,", not "results:".
_THING: Final = re.compile(r"[^\W_][\w '’-]*")
_SOMEONE: Final = frozenset("me you him her it us them this that these those one".split())


@dataclass(frozen=True, slots=True)
class Likings:
    """What is liked, what is disliked, and the memories behind both."""

    liked: tuple[str, ...]
    disliked: tuple[str, ...]
    sources: tuple[Memory, ...]


def likings(group: Group, *, scope: Scope, mind: Mind) -> Likings:
    """Return what the group's entity likes, as memories of the group's room and voice say it."""
    entity = group.subject.entity
    assert entity is not None
    slots = _slots(entity, scope, mind)
    good: list[str] = []
    bad: list[str] = []
    sources: dict[str, Memory] = {}
    decided: set[str] = set()
    # The newest claim comes first and decides.
    for claim in mind.store.memories.claimed(scope, slots):
        if claim.slot in decided:
            continue
        memory = mind.store.memories.get(scope, claim.memory)
        if memory is None or not _same(memory, group):
            continue
        decided.add(claim.slot)
        side = bad if claim.negative else good
        if len(side) < _MOST and slots[claim.slot] not in (*good, *bad):
            side.append(slots[claim.slot])
            sources[memory.id] = memory
    return Likings(tuple(good), tuple(bad), tuple(sources.values()))


def _slots(entity: Entity, scope: Scope, mind: Mind) -> dict[str, str]:
    """Return the slots in which a liking of this entity may be claimed, and the thing of each."""
    things = list(entity.interests)
    ties = mind.store.links.touching(scope, [entity.key], most=_MOST_TIES)
    keys = [tie.target for tie in ties if tie.source == entity.key]
    for key in keys:
        things += [each.name for each in mind.store.entities.of(scope, key)]
    made: dict[str, str] = {}
    for thing in filter(_is_thing, dict.fromkeys(things)):
        for name in (entity.name, *entity.aliases):
            for claim in claims([(name, _LIKES, thing)]):
                made.setdefault(claim.slot, thing)
    return made


def _is_thing(thing: str) -> bool:
    named = _THING.fullmatch(thing) is not None and thing.lower() not in _SOMEONE
    return named and len(thing) <= _LONGEST


def _same(memory: Memory, group: Group) -> bool:
    room = (memory.scope.agent, memory.scope.project)
    return room == group.window.room and voice_of(memory) == group.window.voice
