"""Insights that can be counted: how often, with what, more or less, how it feels, when.

Every number is true of the sources. Nothing is said about character or causes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Final

from saegim.memory.memory import Memory
from saegim.reflect.groups import Group, Subject
from saegim.reflect.insight import Insight, insight_key
from saegim.reflect.told import Told
from saegim.reflect.wording import PARTS, WEEKDAYS, said

# One in eight: three of the twenty-four memories that reflection waits for, and not fewer of more.
_OFTEN: Final = 1 / 8
# A trend: at least three more, and at least twice as many. Within a day there is no trend.
_CLEAR_STEP: Final = 3
_CLEAR_TIMES: Final = 2
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
    every = (_often, _together, _trend, _weekday, _hours)
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
    other: Subject | None = None,
    **values: object,
) -> Insight:
    language = "ko" if group.language == "ko" else "en"
    beside = other.name if other else ""
    return Insight(
        text=said(
            kind,
            language=language,
            voice=group.window.voice,
            name=group.subject.name,
            other=beside,
            **values,
        ),
        language=language,
        about=tuple(each.about for each in (group.subject, other) if each),
        sources=tuple(sources),
        key=insight_key(topic_of(group, topic or kind), tendency or kind),
    )


def _often(group: Group) -> Iterator[Insight]:
    count, total = len(group.told), len(group.window.told)
    if count >= _OFTEN * total:
        yield _insight(group, "often", group.sources, count=count, total=total)


def _together(group: Group) -> Iterator[Insight]:
    if group.beside is not None:
        both = [each.memory for each in group.beside.told]
        yield _insight(
            group,
            "together",
            both,
            tendency=group.beside.subject.key,
            other=group.beside.subject,
            count=len(both),
            total=len(group.told),
        )


def _trend(group: Group) -> Iterator[Insight]:
    """Compare the first half of the window with the last; one in the middle counts for neither."""
    told = group.window.told
    half = len(told) // 2
    if told[-1].at - told[0].at < _SHORTEST or told[half - 1].at == told[-half].at:
        return
    mine = {each.memory.id for each in group.told}
    first = sum(each.memory.id in mine for each in told[:half])
    last = sum(each.memory.id in mine for each in told[-half:])
    few, many = sorted((first, last))
    if many - few >= _CLEAR_STEP and many >= _CLEAR_TIMES * few:
        kind = "more" if last > first else "less"
        yield _insight(
            group, kind, group.sources, topic="trend", half=half, before=first, after=last
        )


def _tone(group: Group, before: Before) -> Iterator[Insight]:
    """Compare how it felt earlier and later: inside the window, or before it and in it."""
    told, half = group.told, len(group.told) // 2
    if told[-1].at - told[0].at >= _SHORTEST:
        inside = [each.memory for each in told]
        if made := _changed(group, inside[:half], inside[-half:]):
            yield made
            return
    if made := _changed(group, before(group), group.sources):
        yield made


def _changed(group: Group, first: Sequence[Memory], last: Sequence[Memory]) -> Insight | None:
    if min(len(first), len(last)) < _TONE_SIDE:
        return None
    was, now = _mean(first), _mean(last)
    if abs(now - was) < _TONE:
        return None
    kind = "brighter" if now > was else "darker"
    return _insight(
        group, kind, (*first, *last), topic="tone",
        first=len(first), last=len(last), before=was, after=now,
    )  # fmt: skip


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
            day=names[day],
            count=len(kept),
            total=len(group.told),
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
            count=len(kept),
            total=len(told),
        )


def _has_hour(each: Told) -> bool:
    return (each.at.hour, each.at.minute, each.at.second) != (0, 0, 0)


def _part(each: Told) -> int:
    return next(at for at, (start, end, *_) in enumerate(PARTS) if start <= each.at.hour < end)


def _habit(
    told: Sequence[Told], everyone: Sequence[Told], of: Callable[[Told], int]
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
