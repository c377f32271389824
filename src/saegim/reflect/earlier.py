"""What was noticed before, so that no night only repeats the last; and who was met before."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from saegim.memory.coordinate import Kind
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.memory.tiers import FINDABLE, Reason, State
from saegim.mind import Mind
from saegim.recall.compose.likeness import Pieces, overlap
from saegim.recall.compose.likeness import said as pieces_of
from saegim.reflect.groups import Group
from saegim.reflect.insight import TAG, Insight
from saegim.reflect.told import voice_of
from saegim.store.where import Where

# A season later it is news again that something is still so.
_STALE: Final = timedelta(days=90)
# From this share of common words on, two sentences of a model say the same.
_SAME: Final = 0.6
# An insight the person sent away stays away; one that expired, or ended with a correction of what
# it was seen in, may be noticed again.
_STATES: Final = tuple(state for state in State if state not in (State.FORGOTTEN, State.SUPERSEDED))
# So many points of a long acquaintance say how it felt before.
_MOST_POINTS: Final = 20


@dataclass(slots=True)
class Earlier:
    """The statements of earlier nights: the last tendency of each topic, and their words."""

    tendencies: dict[str, str] = field(default_factory=dict)
    texts: dict[tuple[str, str], list[Pieces]] = field(default_factory=dict)

    def note(self, key: str, room: tuple[str, str], words: Memory) -> None:
        """Take in one statement; a later one about the same topic takes its place."""
        topic, _, tendency = key.partition(".")
        self.tendencies[topic] = tendency
        self.texts.setdefault(room, []).append(pieces_of(words).pieces)

    def repeats(self, insight: Insight) -> bool:
        """Say whether the last statement about this topic had the same tendency."""
        topic, _, tendency = insight.key.partition(".")
        return self.tendencies.get(topic) == tendency

    def resembles(self, text: str, group: Group) -> bool:
        """Say whether nearly the same words were said about this room before."""
        like = pieces_of(group.told[0].memory.evolve(text=text)).pieces
        return any(overlap(like, each) >= _SAME for each in self.texts.get(group.window.room, ()))


def said_before(scope: Scope, mind: Mind, at: datetime) -> Earlier:
    """Return what earlier nights noticed and still holds as said."""
    earlier = Earlier()
    where = Where(scope=Scope(scope.user), states=_STATES, kinds=(Kind.INSIGHT,), everywhere=True)
    for _, memory in mind.store.memories.walk(where):
        if at - memory.time.recorded_at >= _STALE or _expired(memory):
            continue
        for tag in memory.content.tags:
            if tag.startswith(TAG):
                room = (memory.scope.agent, memory.scope.project)
                earlier.note(tag.removeprefix(TAG), room, memory)
    return earlier


def _expired(memory: Memory) -> bool:
    return memory.life.state is State.LEAVING and memory.life.leaving_reason is not Reason.MANUAL


def met_before(group: Group, *, scope: Scope, mind: Mind, most: int = _MOST_POINTS) -> list[Memory]:
    """Return older memories of the same room and voice that met this entity, oldest first."""
    entity = group.subject.entity
    if entity is None:
        return []
    first = group.told[0].memory.time.happened_at
    new = {each.memory.id for each in group.window.told}
    found: list[Memory] = []
    for point in reversed(mind.store.entities.sentiment_history(scope, entity.key)):
        if not point.memory or point.memory in new or point.at >= first:
            continue
        memory = mind.store.memories.get(scope, point.memory)
        if memory is not None and _alike(memory, group):
            found.append(memory)
        if len(found) == most:
            break
    return found[::-1]


def _alike(memory: Memory, group: Group) -> bool:
    """Say whether an older memory belongs to the same room and voice, and may be looked at."""
    room = (memory.scope.agent, memory.scope.project)
    return (
        memory.life.state in FINDABLE
        and room == group.window.room
        and voice_of(memory) == group.window.voice
    )
