"""The labelled lives: what must be noticed is noticed, it holds, and nothing is made up or counted.

All were written before the rules; half of them was looked at only when the rules were done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from reflect.living import COUNTED, LIVES, kind_of, lived, thought
from saegim import FixedClock, Saegim
from saegim.memory.memory import Memory
from saegim.sleep.reflect.insight import Insight


def _of(memory: Memory) -> tuple[str, str]:
    return memory.scope.project, memory.provenance.origin.value


def _noticed(insight: Insight, wanted: Mapping[str, Any]) -> bool:
    """Say whether an insight is the statement that was wanted."""
    named = wanted["about"].lower() in insight.about[0]
    beside = wanted.get("with", "") in insight.about[-1]
    when = wanted.get("when", "") in insight.text
    place = {_of(each) for each in insight.sources} == {(wanted["project"], wanted["origin"])}
    return (kind_of(insight), named, beside, when, place) == (wanted["type"], *[True] * 4)


def _tagged(life: Mapping[str, Any]) -> set[str]:
    labels = life["expect"]
    return {each["about"].lower() for each in labels} | {each.get("with", "") for each in labels}


def _count(kept: Sequence[Memory], insight: Insight) -> tuple[list[Memory], list[Memory]]:
    """Count by eye: the memories of that room and origin, and those that hold the word."""
    room = _of(insight.sources[0])
    window = [each for each in kept if _of(each) == room]
    word = insight.about[0].removeprefix("entity:")
    return window, [each for each in window if word in each.text.lower()]


@dataclass(frozen=True)
class Told:
    """A life, what is kept of it and what was noticed in that."""

    life: dict[str, Any]
    kept: Sequence[Memory]
    insights: Sequence[Insight]


@pytest.fixture(scope="module", params=LIVES, ids=[life["id"] for life in LIVES])
def told(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Told]:
    """Each life is lived once; the tests only read it."""
    clock, life = FixedClock(), request.param
    place = tmp_path_factory.mktemp("life") / "memory.db"
    with Saegim.open(place, clock=clock) as memory:
        kept = lived(life["memories"], memory, clock)
        yield Told(life, kept, thought(memory, kept).insights)


def test_what_must_be_noticed_is_noticed_and_nothing_else(told: Told) -> None:
    """Seed E phase 4: each labelled statement is found with its sources; no other subject is."""
    life, found = told.life, told.insights
    missed = [each for each in life["expect"] if not any(_noticed(one, each) for one in found)]
    assert missed == []
    subjects = {each.about[0].removeprefix("entity:") for each in found}
    assert subjects <= _tagged(life)
    assert not [word for word in life["never"] for each in found if word in each.text]


def test_what_is_said_holds_and_counts_nothing(told: Told) -> None:
    """U4.2: whoever counts by hand finds it so, from the sources; no number of times is told."""
    kept = told.kept
    for insight in told.insights:
        window, hits = _count(kept, insight)
        kind, ids = kind_of(insight), {each.id for each in insight.sources}
        assert not COUNTED.search(insight.text)
        assert not any(map(COUNTED.search, insight.tag.split()))
        assert ids <= {each.id for each in hits}
        assert len(ids) >= 3
        half = len(window) // 2
        first = sum(each in hits for each in window[:half])
        last = sum(each in hits for each in window[-half:])
        if kind in ("more", "less"):
            few, many = sorted((first, last))
            assert many >= max(few + 3, 2 * few)
            assert (last > first) is (kind == "more")
        elif kind in ("together", "weekday", "hours"):
            assert 2 * len(ids) >= len(hits), "most of what is told of it"
        elif kind in ("brighter", "darker"):
            side = len(hits) // 2
            means = [
                sum(each.emotion.sentiment for each in part) / side
                for part in (hits[:side], hits[-side:])
            ]
            assert abs(means[1] - means[0]) >= 0.4
            assert (means[1] > means[0]) is (kind == "brighter")
        else:
            assert kind == "interest"
            assert min(each.emotion.sentiment for each in hits) > -0.25
