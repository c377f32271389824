"""What someone is known to like and dislike, and which memories say so.

A tie between entities does not say who made it, so each is asked back to a memory of the same room
that the person, the agent or an import vouches for; a web page cannot give anyone a taste.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from saegim.language.claims import claims
from saegim.memory.entities import Entity
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.reflect.groups import Group
from saegim.reflect.told import voice_of

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
    for claim in mind.store.claimed(scope, slots):
        if claim.slot in decided:
            continue
        memory = mind.store.memory(scope, claim.memory)
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
    ties = mind.store.touching(scope, [entity.key], most=_MOST_TIES)
    keys = [tie.target for tie in ties if tie.source == entity.key]
    for key in keys:
        things += [each.name for each in mind.store.entities(scope, key)]
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
