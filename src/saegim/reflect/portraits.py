"""Profiles renewed from new memories: what it is, how often it came up, with what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from saegim.memory.coordinate import Origin
from saegim.memory.entities import Entity, label_of
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.perceive.place.sentences import sentences
from saegim.reflect.by_model import Asking
from saegim.reflect.earlier import met_before
from saegim.reflect.grammar import listed, with_particle
from saegim.reflect.grounded import LONGEST, cited, tidy, ungrounded
from saegim.reflect.groups import Group
from saegim.reflect.insight import Portrait
from saegim.reflect.likings import Likings, likings
from saegim.reflect.question import profile_request
from saegim.reflect.told import OWN

# Whose words may say what someone is like, the most trusted first; a page, a tool or a stranger
# never draws a profile.
_VOICES: Final = (OWN, Origin.AGENT_INFERRED.value, Origin.IMPORT.value)
_MOST_SENTENCES: Final = 2
_LONGEST_NAME: Final = 60
# So many older memories are counted; a profile says "at least".
_MOST_BEFORE: Final = 200
_TYPES: Final = {
    "person": ("사람", "a person who"),
    "bot": ("봇", "a bot that"),
    "place": ("곳", "a place that"),
    "organisation": ("단체", "an organisation that"),
    "topic": ("주제", "a topic that"),
    "thing": ("것", "something that"),
}
_TONES: Final = {
    "positive": ("밝은", "bright"),
    "negative": ("어두운", "dark"),
}


def portraits(
    groups: Iterable[Group], asking: Asking, *, scope: Scope, mind: Mind
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


def _portrait(group: Group, asking: Asking, scope: Scope, mind: Mind) -> Portrait | None:
    entity = group.subject.entity
    assert entity is not None
    drawn = by_model(group, asking)
    if drawn is None:
        before = met_before(group, scope=scope, mind=mind, most=_MOST_BEFORE)
        drawn = by_rule(group, likings(group, scope=scope, mind=mind), before, mind)
    same = (drawn.entity.summary, drawn.entity.personality_notes) == (
        entity.summary,
        entity.personality_notes,
    )
    return None if same else drawn


# -- read by a model ------------------------------------------------------------------------------


def by_model(group: Group, asking: Asking) -> Portrait | None:
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
        if _speaks_of(text, entity, sources):
            manner = tidy(item.get("manner"))
            notes = manner if _speaks_of(manner, entity, sources) else entity.personality_notes
            renewed = replace(entity, summary=text, personality_notes=notes)
            return Portrait(renewed, tuple(sources))
    return None


def _speaks_of(text: str, entity: Entity, sources: Sequence[Memory]) -> bool:
    short = len(sentences(text)) <= _MOST_SENTENCES
    return short and not ungrounded(text, sources, known=entity.names)


# -- counted by rule ------------------------------------------------------------------------------


def by_rule(group: Group, known: Likings, before: Sequence[Memory], mind: Mind) -> Portrait:
    """Return the profile that can be counted: what it is, since when, how often, with what.

    `before` are older memories of the same room and voice: what a page says of someone is not
    counted among what the person said.
    """
    entity = group.subject.entity
    assert entity is not None
    happened = [*(each.time.happened_at for each in before), *(e.happened for e in group.told)]
    since = mind.here(min(happened))
    say = _korean if group.language == "ko" else _english
    name = group.subject.name[:_LONGEST_NAME]
    summary = " ".join(
        (say(name, entity.type, len(happened), since, known), _lately(group))
    ).strip()
    sources = {each.id: each for each in (*group.sources, *known.sources)}
    return Portrait(replace(entity, summary=summary[:LONGEST]), tuple(sources.values()))


def _korean(name: str, type: str, times: int, since: datetime, known: Likings) -> str:
    what = _TYPES.get(type, _TYPES["thing"])[0]
    day = f"{since.year}년 {since.month}월 {since.day}일"
    begins = f"{with_particle(name, '은/는')} {day}부터 기억에 적어도 {times}번 나온 "
    if not known.liked and not known.disliked:
        return f"{begins}{with_particle(what, '이다/다')}."
    tastes = []
    if known.liked:
        ending = "좋아하고" if known.disliked else "좋아한다"
        tastes.append(f"{with_particle(listed(known.liked, 'ko'), '을/를')} {ending}")
    if known.disliked:
        tastes.append(f"{with_particle(listed(known.disliked, 'ko'), '을/를')} 싫어한다")
    return f"{begins}{with_particle(what, '으로/로')}, {' '.join(tastes)}."


def _english(name: str, type: str, times: int, since: datetime, known: Likings) -> str:
    what = _TYPES.get(type, _TYPES["thing"])[1]
    parts = [f"has come up at least {times} times since {since.day} {since:%B} {since.year}"]
    if known.liked:
        parts.append(f"likes {listed(known.liked, 'en')}")
    if known.disliked:
        parts.append(f"dislikes {listed(known.disliked, 'en')}")
    return f"{name[:1].upper()}{name[1:]} is {what} {listed(parts, 'en')}."


def _lately(group: Group) -> str:
    """Say what the new memories have in common, if anything: company and tone."""
    korean = group.language == "ko"
    felt = Counter(label_of(each.sentiment) for each in group.told)
    # One outburst is no tone: most of the memories must feel alike.
    clear = [label for label in _TONES if 2 * felt[label] > len(group.told)]
    tone = _TONES[clear[0]][0 if korean else 1] if clear else ""
    other = group.beside.subject.name[:_LONGEST_NAME] if group.beside else ""
    if not other and not tone:
        return ""
    if korean:
        if not other:
            return f"최근 기억의 분위기는 {tone} 편이다."
        rest = f"나왔고, 분위기는 {tone} 편이다." if tone else "나왔다."
        return f"최근에는 주로 {other} 이야기와 함께 {rest}"
    if not other:
        return f"The tone of recent memories is {tone}."
    rest = f", in a {tone} tone" if tone else ""
    return f"Lately mostly together with {other}{rest}."
