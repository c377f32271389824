"""How an answer was taken: judgements of memories, spread along ties, fainter at each one.

A judgement moves weights, never words and never a state but sleep: what is wrong is offered for
correction, not deleted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from saegim.errors import BadInput, NotFound
from saegim.guard.guard import MaskTally, masked
from saegim.memory.changes import Change, Linked, Reweighed, Woken
from saegim.memory.clock import checked_id
from saegim.memory.entities import (
    DERIVED_FROM,
    HAS_FEEDBACK,
    RELATED,
    RESPONDED_WITH,
    SIMILAR_TO,
    Link,
)
from saegim.memory.memory import (
    FINDABLE,
    Kind,
    Memory,
    Origin,
    Scope,
    State,
    Tier,
    Worth,
    checked_text,
    clamp,
    importance,
)
from saegim.mind import Mind
from saegim.perceive.build import NewMemories, keep, kept_apart, placed, quarantined
from saegim.perceive.moment import moment_of
from saegim.recall.related import CHANGED_BEHAVIOUR, LABELLED
from saegim.store.commit import Batch, IdempotencyKey
from saegim.store.rows import Where

RATING: Final = "rating"
WRONG: Final = "wrong"
# Ties along which two memories say much the same, or one was said because of the other. What was
# replaced or contradicted is no neighbour: it deserves the opposite.
ALONG: Final = (SIMILAR_TO, RELATED, DERIVED_FROM, RESPONDED_WITH)
# Less than this says nothing any more.
FAINTEST: Final = 0.05
# Of a type and way at one memory, and memories at one hop: a judgement stays a small act.
_MOST_TIES: Final = 16
_MOST_NEIGHBOURS: Final = 64
# All praise together is worth one more reference (seed A: 0.05), and less than a star (0.06): no
# stream of clicks makes a trifle important. It levels off as it does in seed B's rank.
_JUDGED: Final = 0.05
_LEVELS_OFF: Final = 5.0
_MAX_NOTE: Final = 2000


@dataclass(frozen=True, slots=True)
class LabelEffect:
    """What a label does to the memory it is given to."""

    feedback: float = 0.0
    used: int = 0
    # What is left of the confidence in it.
    believed: float = 1.0
    # Whether it is proof of life: then a dormant memory wakes, as it does when it is rated.
    wakes: bool = False


EFFECTS: Final = {
    "up": LabelEffect(1.0, wakes=True),
    "down": LabelEffect(-1.0),
    # Asking again says that the answer did not do, not that it was false: half a "down".
    "retry": LabelEffect(-0.5),
    # Seed D counts references; being used is a milder praise than being praised.
    "used": LabelEffect(0.5, used=1, wakes=True),
    # Worse than unwelcome: twice a "down", and believed half as much.
    WRONG: LabelEffect(-2.0, believed=0.5),
    # Seed D §3: it changed what was done. The night finds these by their tie.
    CHANGED_BEHAVIOUR: LabelEffect(1.0, used=1, wakes=True),
    RATING: LabelEffect(wakes=True),
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judgement did: the memory as it is now, and how far the feedback of each moved."""

    memory: Memory
    label: str
    changed: dict[str, float]
    importance: float
    woken: bool = False
    # It was called wrong and can be corrected: `update` makes the new version.
    correctable: bool = False


def feedback(
    id: str,
    label: str,
    *,
    scope: Scope,
    mind: Mind,
    rating: int | None = None,
    note: str = "",
    origin: Origin = Origin.AGENT_INFERRED,
) -> Judgement:
    """Judge a memory; its weights and its neighbours' follow, in one commit or not at all.

    A `note` is kept as a short-lived memory of its own, no more trusted than its `origin`.
    """
    effect = _effect(label, rating)
    known = _held(id, scope, mind).id
    remark = _remark(note, label, scope, origin, mind) if note else None
    drawn = _Drawn()

    def changes() -> list[Change]:
        # Inside the transaction: of two who judge at the same instant neither loses a step.
        drawn.draw(_held(known, scope, mind), label, effect, rating, mind)
        return drawn.changes

    _commit(changes, remark, known, scope, mind)
    before = drawn.memory
    now = mind.store.memories.get(scope, known) or before
    correctable = label == WRONG and not before.life.immutable and before.life.state in FINDABLE
    return Judgement(now, label, drawn.changed, now.worth.importance, drawn.woken, correctable)


def judge_together(
    ids: Sequence[str], label: str, *, scope: Scope, mind: Mind, once: str
) -> tuple[str, ...]:
    """Judge the memories that one answer leaned on, in one commit and once; return which.

    What was let go or replaced meanwhile is not judged, and nothing fails for it.
    """
    effect = EFFECTS[label]
    judged_ids: list[str] = []

    def changes() -> list[Change]:
        found = (mind.store.memories.get(scope, id) for id in dict.fromkeys(ids))
        made: dict[str, Change] = {}
        judged_ids.clear()
        for memory in found:
            if memory is None or not memory.text or memory.life.state not in FINDABLE:
                continue
            drawn = _Drawn()
            drawn.draw(memory, label, effect, None, mind)
            judged_ids.append(memory.id)
            for each in drawn.changes:
                # Neighbours of two judged memories are moved once.
                made.setdefault(f"{type(each).__name__} {_of(each)}", each)
        return list(made.values())

    actor = scope.agent or scope.user
    done = mind.store.commit(
        lambda: Batch(scope.user, changes(), actor=actor, at=mind.now()),
        receipt=IdempotencyKey(once, label),
    )
    return () if done.repeated else tuple(judged_ids)


def _of(change: Change) -> str:
    return change.link.key if isinstance(change, Linked) else getattr(change, "memory", "")


@dataclass(slots=True)
class _Drawn:
    """What a judgement comes to, for a memory as it stands."""

    memory: Memory = field(init=False)
    changes: list[Change] = field(default_factory=list)
    changed: dict[str, float] = field(default_factory=dict)
    woken: bool = False

    def draw(
        self, memory: Memory, label: str, effect: LabelEffect, rating: int | None, mind: Mind
    ) -> None:
        """Work out every Change, for the memory and for its neighbours."""
        delta = effect.feedback + _stars(rating, memory.worth.rating)
        at = mind.now()
        self.memory, self.changed = memory, {memory.id: delta}
        self.woken = memory.life.state is State.DORMANT and (effect.wakes or rating is not None)
        self.changes = [
            _own(memory, effect, delta, rating, at),
            _tie(memory.id, f"{LABELLED}{label}", negative=effect.feedback < 0),
        ]
        if self.woken:
            self.changes.append(Woken(memory.id))
        for neighbour, share in _neighbours(memory, delta, mind):
            self.changed[neighbour.id] = share
            after = weighed(neighbour, share)
            self.changes.append(
                Reweighed(memory=neighbour.id, at=at, feedback=share, importance=after)
            )


def liked(label: str, rating: int | None) -> str:
    """Return the label that a rating comes to: four stars and more praise, two and less do not."""
    if label != RATING or rating is None:
        return label
    return "up" if rating > 3 else "down" if rating < 3 else "retry"


def judged(total: float) -> float:
    """Return what all feedback together adds to importance: bounded, and levelling off."""
    return _JUDGED * math.tanh(total / _LEVELS_OFF)


def weighed(memory: Memory, delta: float, rating: int | None = None) -> float:
    """Return the importance after a judgement: only what the judgement changed is moved.

    What a memory was born with (a person's wish, how salient a turn was) is not kept apart, so the
    formula's difference is added to it; references are counted by night.
    """
    worth: Worth = memory.worth
    sentiment = memory.emotion.sentiment
    before = importance(start=0.0, rating=worth.rating, sentiment=sentiment)
    after = importance(start=0.0, rating=rating or worth.rating, sentiment=sentiment)
    praise = judged(worth.feedback + delta) - judged(worth.feedback)
    return clamp(worth.importance + (after - before) + praise)


def _effect(label: object, rating: object) -> LabelEffect:
    """Return what the label does; refuse one that is not known, and a rating that is none."""
    if not isinstance(label, str) or label not in EFFECTS:
        raise BadInput("recall.no_feedback", label=str(label)[:60], known=", ".join(EFFECTS))
    unrated = rating is None and label != RATING
    whole = isinstance(rating, int) and not isinstance(rating, bool)
    if not unrated and not (whole and 1 <= rating <= 5):  # type: ignore[operator]
        raise BadInput("recall.rating_cannot_be", rating=rating)
    return EFFECTS[label]


def _stars(rating: int | None, before: int | None) -> float:
    """Return a rating as feedback, from -1 to 1; a second one takes the place of the first."""
    return 0.0 if rating is None else (rating - 3) / 2 - ((before or 3) - 3) / 2


def _held(id: str, scope: Scope, mind: Mind) -> Memory:
    """Return the memory that was judged: these very words, even if others hold by now."""
    found = mind.store.memories.get(scope, checked_id(id))
    if found is None or not found.text:
        raise NotFound("recall.no_memory", id=id)
    return found


def _own(
    memory: Memory, effect: LabelEffect, delta: float, rating: int | None, at: datetime
) -> Reweighed:
    """Return what the judgement does to the memory itself."""
    believed = memory.worth.confidence * effect.believed
    return Reweighed(
        memory=memory.id,
        at=at,
        used=effect.used,
        feedback=delta,
        importance=weighed(memory, delta, rating),
        confidence=believed if effect.believed < 1.0 else None,
        rating=rating,
    )


def _tie(source: str, target: str, *, negative: bool = False) -> Linked:
    """Return the tie that shows how a memory was judged; its weight counts how often."""
    return Linked(Link(source=source, type=HAS_FEEDBACK, target=target, negative=negative))


def _neighbours(memory: Memory, delta: float, mind: Mind) -> list[tuple[Memory, float]]:
    """Return who shares in a judgement, each once, by the shortest way, and what it gets."""
    if memory.life.state not in FINDABLE or memory.kind is Kind.IMAGINED:
        # What was imagined of them says nothing about them.
        return []
    where = Where(scope=memory.scope, states=FINDABLE)
    reached, standing, share = {memory.id}, [memory.id], delta
    sharing: list[tuple[Memory, float]] = []
    for _ in range(mind.settings.feedback_hops):
        share *= mind.settings.feedback_spread
        if abs(share) < FAINTEST or not standing:
            break
        rows = mind.store.memories.rows_of(where, _beside(standing, reached, memory.scope, mind))
        found = mind.store.memories.by_numbers(memory.scope, rows.values()) if rows else {}
        standing = sorted(each.id for each in found.values())
        reached.update(standing)
        sharing += sorted(((each, share) for each in found.values()), key=lambda pair: pair[0].id)
    return sharing


def _beside(standing: Sequence[str], reached: set[str], scope: Scope, mind: Mind) -> list[str]:
    """Return what is tied to these and was not reached yet, the closest first, not too many."""
    close: dict[str, float] = {}
    for link in mind.store.links.touching(scope, standing, only=ALONG, most=_MOST_TIES):
        for end in {link.source, link.target} - reached:
            if not link.negative and link.weight > 0:
                close[end] = max(close.get(end, 0.0), link.weight)
    return sorted(close, key=lambda key: (-close[key], key))[:_MOST_NEIGHBOURS]


def _remark(note: str, label: str, scope: Scope, origin: Origin, mind: Mind) -> Memory:
    """Return what was said about a memory as a memory, its secrets masked."""
    about = {"tags": ["feedback", label], "tier": Tier.M30, "origin": origin}
    text = checked_text(note, "note", _MAX_NOTE)
    memory = placed(masked(moment_of(scope, text, about), MaskTally()), mind)
    return kept_apart(memory) if quarantined(memory) else memory


def _commit(
    changes: Callable[[], list[Change]], remark: Memory | None, id: str, scope: Scope, mind: Mind
) -> None:
    if remark is not None:
        keep(NewMemories([remark], ties=lambda: [*changes(), _tie(id, remark.id)]), mind=mind)
        return
    actor = scope.agent or scope.user
    mind.store.commit(
        lambda: Batch(scope.user, changes(), actor=actor, at=mind.now()), owner=scope.user
    )
