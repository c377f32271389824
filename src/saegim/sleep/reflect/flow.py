"""New memories in; what they mean out: insights with their sources, and renewed profiles.

Tell, part, group, notice, portray. It commits nothing and it only says what its sources bear out.
A profile says what someone likes, with what they come up, how it feels; how often someone came up
is none: where nothing else can be said, nothing is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from saegim.korean_particles import with_particle
from saegim.language.wording import listed
from saegim.language.words import sentences
from saegim.memory.entities import Entity, label_of
from saegim.memory.memory import Memory, Origin, Scope
from saegim.mind import Mind
from saegim.sleep.reflect.insight import (
    OWN,
    Earlier,
    Group,
    Insight,
    Portrait,
    groups,
    met_before,
    said_before,
    told_by,
    windows,
)
from saegim.sleep.reflect.reflect_by_model import (
    LONGEST,
    ModelQuestioner,
    cited,
    insights_by_model,
    profile_request,
    tidy,
)
from saegim.sleep.reflect.reflect_by_rule import Likings, insights_by_rule, likings


@dataclass(frozen=True, slots=True)
class Reflection:
    """What a reflection noticed, whom it knows better now, and what went wrong meanwhile."""

    insights: tuple[Insight, ...]
    portraits: tuple[Portrait, ...]
    troubles: tuple[str, ...]


def reflect(new: Sequence[Memory], *, scope: Scope, mind: Mind, at: datetime) -> Reflection:
    """Return what the new memories mean that was not said before."""
    known = mind.store.entities.of(scope)
    parts = windows(told_by(new, scope=scope, mind=mind))
    found = [group for window in parts for group in groups(window, known)]
    # What the person said and what recurs most comes first: a model is asked only so often.
    found.sort(key=lambda group: (not group.window.own, -len(group.told)))
    earlier, reading, portraying = (
        said_before(scope, mind, at),
        ModelQuestioner(mind, scope.user),
        ModelQuestioner(mind, scope.user),
    )
    insights = [
        each
        for group in found
        for each in _noticed(group, reading, earlier, scope, mind)
        if not earlier.repeats(each)
    ]
    renewed = portraits(found, portraying, scope=scope, mind=mind)
    troubles = dict.fromkeys((*reading.troubles, *portraying.troubles))
    return Reflection(tuple(insights), tuple(renewed), tuple(troubles))


def _noticed(
    group: Group, asking: ModelQuestioner, earlier: Earlier, scope: Scope, mind: Mind
) -> list[Insight]:
    """Return what a model reads in a group, or what can be counted in it."""
    read = insights_by_model(group, asking, earlier)
    if read is not None:
        return read
    return insights_by_rule(group, before=lambda one: met_before(one, scope=scope, mind=mind))


# -- What someone is like

# Whose words may say what someone is like, the most trusted first; a page, a tool or a stranger
# never draws a profile.
_VOICES: Final = (OWN, Origin.AGENT_INFERRED.value, Origin.IMPORT.value)
_MOST_SENTENCES: Final = 2
_LONGEST_NAME: Final = 60
# What earlier versions wrote down of whom they knew nothing.
_COUNTED: Final = re.compile(r"기억에 적어도 \d+번 나온|has come up at least \d+ times")
_TONES: Final = {
    "positive": ("밝은", "bright"),
    "negative": ("어두운", "dark"),
}


def portraits(
    groups: Iterable[Group], asking: ModelQuestioner, *, scope: Scope, mind: Mind
) -> list[Portrait]:
    """Return the profiles that the groups change, each from one room and one voice."""
    best: dict[str, Group] = {}
    for group in groups:
        if group.subject.entity is None or group.window.voice not in _VOICES:
            continue
        held = best.get(group.subject.key)
        if held is None or _order(group) < _order(held):
            best[group.subject.key] = group
    made = [_portrait(each, asking, scope, mind) for each in best.values()]
    return [each for each in made if each is not None]


def _order(group: Group) -> tuple[int, int, tuple[str, str]]:
    return _VOICES.index(group.window.voice), -len(group.told), group.window.room


def _portrait(group: Group, asking: ModelQuestioner, scope: Scope, mind: Mind) -> Portrait | None:
    entity = group.subject.entity
    assert entity is not None
    drawn = by_model(group, asking)
    if drawn is None:
        drawn = by_rule(group, likings(group, scope=scope, mind=mind))
    if drawn is None:
        # What is there stays, unless it only counts.
        return _emptied(group) if _COUNTED.search(entity.summary) else None
    same = (drawn.entity.summary, drawn.entity.personality_notes) == (
        entity.summary,
        entity.personality_notes,
    )
    return None if same else drawn


# -- read by a model ------------------------------------------------------------------------------


def by_model(group: Group, asking: ModelQuestioner) -> Portrait | None:
    """Return the profile a model writes, if its sources bear it out; None where none does."""
    entity = group.subject.entity
    assert entity is not None
    if not asking.able:
        return None
    request, shown = profile_request(
        group.subject.name, group.sources, language=group.language, max_tokens=asking.max_tokens
    )
    for item in (asking.items(request, many="profiles") or ())[:1]:
        text, sources = tidy(item["content"]), cited(item.get("sources"), shown)
        if _speaks_of(text, entity, sources, asking):
            manner = tidy(item.get("manner"))
            told = manner and _speaks_of(manner, entity, sources, asking)
            notes = manner if told else entity.personality_notes
            renewed = replace(entity, summary=text, personality_notes=notes)
            return Portrait(renewed, tuple(sources))
    return None


def _speaks_of(
    text: str, entity: Entity, sources: Sequence[Memory], asking: ModelQuestioner
) -> bool:
    short = len(sentences(text)) <= _MOST_SENTENCES
    return short and asking.takes(text, sources, entity.names)


# -- told by rule ---------------------------------------------------------------------------------


def by_rule(group: Group, known: Likings) -> Portrait | None:
    """Return the profile that can be told without a model: likings, company and tone."""
    entity = group.subject.entity
    assert entity is not None
    name = group.subject.name[:_LONGEST_NAME]
    tastes = (_korean if group.language == "ko" else _english)(name, known)
    summary = " ".join(filter(None, (tastes, _lately(group, name))))
    if not summary:
        return None
    sources = {each.id: each for each in (*group.sources, *known.sources)}
    return Portrait(replace(entity, summary=summary[:LONGEST]), tuple(sources.values()))


def _emptied(group: Group) -> Portrait:
    assert group.subject.entity is not None
    return Portrait(replace(group.subject.entity, summary=""), group.sources)


def _korean(name: str, known: Likings) -> str:
    tastes = []
    if known.liked:
        ending = "좋아하고" if known.disliked else "좋아한다"
        tastes.append(f"{with_particle(listed(known.liked, 'ko'), '을/를')} {ending}")
    if known.disliked:
        tastes.append(f"{with_particle(listed(known.disliked, 'ko'), '을/를')} 싫어한다")
    return f"{with_particle(name, '은/는')} {' '.join(tastes)}." if tastes else ""


def _english(name: str, known: Likings) -> str:
    parts = []
    if known.liked:
        parts.append(f"likes {listed(known.liked, 'en')}")
    if known.disliked:
        parts.append(f"dislikes {listed(known.disliked, 'en')}")
    return f"{name[:1].upper()}{name[1:]} {listed(parts, 'en')}." if parts else ""


def _lately(group: Group, name: str) -> str:
    """Say what the new memories have in common, if anything: company and tone, and in which month.

    One outburst is no tone: most of the memories must feel alike.
    """
    korean = group.language == "ko"
    felt = Counter(label_of(each.sentiment) for each in group.told)
    clear = [label for label in _TONES if 2 * felt[label] > len(group.told)]
    tone = _TONES[clear[0]][0 if korean else 1] if clear else ""
    other = group.beside.subject.name[:_LONGEST_NAME] if group.beside else ""
    at = group.told[-1].at
    if not other and not tone:
        return ""
    if korean:
        month = f"{at.year}년 {at.month}월"
        if not other:
            return f"{month} {name} 이야기의 분위기는 {tone} 편이었다."
        rest = f"나왔고, 분위기는 {tone} 편이었다." if tone else "나왔다."
        return f"{month} {name} 이야기는 주로 {other} 이야기와 함께 {rest}"
    month = f"In {at:%B} {at.year}"
    if not other:
        return f"{month} the tone around {name} was {tone}."
    rest = f", in a {tone} tone" if tone else ""
    return f"{month} {name} came up mostly together with {other}{rest}."
