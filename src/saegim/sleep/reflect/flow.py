"""New memories in; what they mean out: insights with their sources, and renewed profiles.

Tell, part, group, notice, portray. It commits nothing and it only says what its sources bear out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from saegim.memory.memory import Memory, Scope
from saegim.mind import Mind
from saegim.sleep.reflect.insight import (
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
from saegim.sleep.reflect.profiles import portraits
from saegim.sleep.reflect.reflect_by_model import ModelQuestioner, insights_by_model
from saegim.sleep.reflect.reflect_by_rule import insights_by_rule


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
        ModelQuestioner(mind),
        ModelQuestioner(mind),
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
