"""What an answer feels like, and the mood that what was heard and recalled lately leaves behind.

Seed D §2: recalling a memory brings its feeling back. Both are worked out when they are read, from
memories and traces; nothing here writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from saegim.memory.memory import (
    BLENDS,
    BY_NIGHT,
    STRANGERS,
    Emotion,
    Feeling,
    Memory,
    Origin,
    Scope,
    recency,
)
from saegim.mind import Mind
from saegim.recall.rank import Hit
from saegim.recall.usage import FIRST
from saegim.store.rows import Where

# After so many half-lives a feeling counts one sixty-fourth: it is over.
_REACH: Final = 6
# What is looked at: an afternoon of talk, and the latest answers.
_MOST_HEARD: Final = 64
_MOST_ANSWERS: Final = 32
# Remembering is fainter than living through it.
_RECALLED: Final = 0.5
# A mood fainter than this is none.
_FAINTEST: Final = 0.05
# Two feelings blend where the lesser has at least a third of the two.
_BLENDS_FROM: Final = 1 / 3


@dataclass(frozen=True, slots=True)
class Mood:
    """Feelings by their share, the strongest first, and how strong they are together."""

    feelings: Mapping[Feeling, float]
    intensity: float

    @property
    def feeling(self) -> Feeling:
        """Return the one feeling that these amount to; joy beside sadness is nostalgia."""
        for pair, blended in BLENDS.items():
            held = [self.feelings.get(each, 0.0) for each in pair]
            strongest = set(list(self.feelings)[: len(held)])
            if pair <= strongest and min(held) >= _BLENDS_FROM * sum(held):
                return blended
        return next(iter(self.feelings), Feeling.NEUTRAL)

    def as_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return {
            "feeling": self.feeling.value,
            "intensity": round(self.intensity, 4),
            "feelings": {each.value: round(share, 4) for each, share in self.feelings.items()},
        }

    def likes(self, emotion: Emotion) -> float:
        """Return how far a memory feels as this mood does, from 0 to 1."""
        held = [each for each in emotion.feelings if each is not Feeling.NEUTRAL]
        if not held:
            return 0.0
        shared = sum(self.feelings.get(each, 0.0) for each in held) / len(held)
        return shared * emotion.intensity * self.intensity


def blended(felt: Iterable[tuple[Emotion, float]], *, rest: float = 0.0) -> Mood | None:
    """Return what weighted emotions come to; `rest` is the weight of feeling nothing."""
    sums: dict[Feeling, float] = {}
    strength, weights = 0.0, rest
    for emotion, weight in felt:
        weights += weight
        held = [each for each in emotion.feelings if each is not Feeling.NEUTRAL]
        for each in held:
            share = weight * emotion.intensity / len(held)
            sums[each] = sums.get(each, 0.0) + share
            strength += share
    if strength <= 0.0:
        return None
    order = sorted(sums, key=lambda each: (-sums[each], each.value))
    return Mood({each: sums[each] / strength for each in order}, min(1.0, strength / weights))


def feelings_of(memories: Iterable[Memory]) -> Mood | None:
    """Return the feelings that an answer brings back: by rank, and by how strong each is."""
    return blended((each.emotion, 1.0 / rank) for rank, each in enumerate(memories, 1))


def mood(scope: Scope, mind: Mind) -> Mood | None:
    """Return the mood of now, if there is one: what was heard and recalled lately, fading."""
    now, half_life = mind.now(), mind.settings.mood_half_life_minutes * 60
    since = now - timedelta(seconds=_REACH * half_life)
    felt = [
        (emotion, weight * recency((now - at).total_seconds(), half_life))
        for emotion, weight, at in (*_heard(scope, mind, since), *_recalled(scope, mind, since))
    ]
    made = blended(felt, rest=1.0)
    return made if made is not None and made.intensity >= _FAINTEST else None


def _heard(scope: Scope, mind: Mind, since: datetime) -> Iterator[tuple[Emotion, float, datetime]]:
    """Yield the feelings of what was said lately; strangers and the night set no mood."""
    vouched = tuple(each for each in Origin if each not in STRANGERS)
    where = Where(scope=scope, origins=vouched, since=since)
    numbers = mind.store.memories.latest(where, limit=_MOST_HEARD)
    for memory in mind.store.memories.by_numbers(scope, numbers).values():
        at = memory.time.said_by(mind.now())
        if memory.provenance.source not in BY_NIGHT and at >= since:
            yield memory.emotion, 1.0, at


def _recalled(
    scope: Scope, mind: Mind, since: datetime
) -> Iterator[tuple[Emotion, float, datetime]]:
    """Yield the feelings of what the latest answers showed first."""
    shown = mind.store.traces.lately(scope, mind.traces, since=since, until=mind.now())
    # Asked for once: an answer after an answer would be a question after a question.
    ids = dict.fromkeys(id for each in shown[:_MOST_ANSWERS] for id in each.ids[:FIRST])
    rows = mind.store.memories.rows_of(Where(scope=scope), ids) if ids else {}
    found = mind.store.memories.by_numbers(scope, rows.values()) if rows else {}
    for each in shown[:_MOST_ANSWERS]:
        at = _instant(each.trace)
        for rank, id in enumerate(each.ids[:FIRST], 1):
            if (memory := found.get(rows.get(id, 0))) is not None:
                yield memory.emotion, _RECALLED / rank, at


def _instant(trace: str) -> datetime:
    """Return when an answer was given: its id begins with the second."""
    return datetime.strptime(trace[4:19], "%Y%m%d_%H%M%S").replace(tzinfo=UTC)


def congruent(hits: Sequence[Hit], now: Mood | None, share: float) -> tuple[Hit, ...]:
    """Return the hits with those that feel like the mood a little further up."""
    if now is None:
        return tuple(hits)
    return tuple(sorted(hits, key=lambda hit: -hit.score - share * now.likes(hit.memory.emotion)))
