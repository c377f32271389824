"""Importance by night: seed A's formula with what other memories lean on, moved at midnight."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from saegim import FixedClock, Saegim
from saegim.memory.entities import (
    DERIVED_FROM,
    HAS_FEEDBACK,
    MERGED_FROM,
    PARENT,
    RELATED,
    SIMILAR_TO,
    SUPERSEDES,
)
from saegim.sleep.flow import sleep_if_due
from sleep.stages.ageing import counts, kept, lines, night, stands, tie

NOTES = ("사과", "강물", "바위", "구름", "등불", "파도")


def leaning(memory: Saegim, on: str, count: int, type: str = RELATED) -> list[str]:
    """Keep so many memories that are tied to one; return them."""
    made = [kept(memory, f"{NOTES[at]} 이야기") for at in range(count)]
    for each in made:
        tie(memory, each, type, on)
    return made


def worth(memory: Saegim, id: str) -> float:
    """Return the importance of a memory as it stands."""
    return stands(memory, id).worth.importance


@pytest.mark.parametrize(
    ("references", "share"), [(0, 0.0), (1, 0.05), (3, 0.15), (4, 0.2), (6, 0.2)]
)
def test_the_night_computes_what_seed_a_computes(
    memory: Saegim, references: int, share: float
) -> None:
    """Seed A §6.2: 0.3 + rating/5·0.3 + min(0.05·references, 0.2) + 0.2·|sentiment|."""
    id = kept(memory, "합의에 이르렀다", rating=4, sentiment=-0.5)
    leaning(memory, id, references)
    assert worth(memory, id) == pytest.approx(0.3 + 0.24 + 0.1, abs=1e-12), "before the night"
    night(memory, "importance")
    assert worth(memory, id) == pytest.approx(0.3 + 0.24 + share + 0.1, abs=1e-12)


@pytest.mark.parametrize("type", [PARENT, RELATED, DERIVED_FROM])
def test_being_named_by_others_counts(memory: Saegim, type: str) -> None:
    """Seed A §6.2: a parent, a relation or a source is leant on by who names it."""
    id = kept(memory, "합의에 이르렀다")
    leaning(memory, id, 2, type)
    night(memory, "importance")
    assert worth(memory, id) == pytest.approx(0.4)


@pytest.mark.parametrize("type", [SIMILAR_TO, HAS_FEEDBACK, SUPERSEDES, MERGED_FROM])
def test_twins_clicks_and_older_versions_do_not_count(memory: Saegim, type: str) -> None:
    """The control: ties that say nothing about being leant on leave importance where it is."""
    id = kept(memory, "합의에 이르렀다")
    leaning(memory, id, 3, type)
    assert night(memory, "importance") == {}
    assert worth(memory, id) == pytest.approx(0.3)


def test_what_is_not_here_any_more_leans_on_nothing(memory: Saegim, clock: FixedClock) -> None:
    """Seed A §6.2 counts memories that live: when two of three leave, so does their share."""
    id = kept(memory, "합의에 이르렀다")
    others = leaning(memory, id, 3)
    night(memory, "importance")
    assert worth(memory, id) == pytest.approx(0.45)
    memory.forget(*others[:2])
    clock.forward(days=1)
    night(memory, "importance")
    assert worth(memory, id) == pytest.approx(0.35)
    memory.restore(*others[:2])
    night(memory, "importance")
    assert worth(memory, id) == pytest.approx(0.45), "and comes back with them"


def test_importance_moved_to_its_bound_comes_back_from_it(
    memory: Saegim, clock: FixedClock
) -> None:
    """Seed A §6.2: what is clamped to one is the formula's own value again without references."""
    id = kept(memory, "합의에 이르렀다", importance=0.95)
    others = leaning(memory, id, 4)
    night(memory, "importance")
    assert worth(memory, id) == 1.0
    memory.forget(*others)
    clock.forward(days=1)
    night(memory, "importance")
    assert worth(memory, id) == pytest.approx(0.95)


def test_a_persons_judgement_stays_beside_the_references(memory: Saegim) -> None:
    """Seed A §6.2: a rating that comes later moves its own share and no other."""
    id = kept(memory, "합의에 이르렀다")
    leaning(memory, id, 2)
    memory.feedback(id, "rating", rating=5)
    praised = worth(memory, id)
    assert praised > 0.6
    night(memory, "importance")
    assert worth(memory, id) == pytest.approx(praised + 0.1)


def test_nothing_is_moved_twice(memory: Saegim, clock: FixedClock) -> None:
    """U5.1: one line for each memory that moved, and none in a night that finds the same."""
    id = kept(memory, "합의에 이르렀다")
    leaning(memory, id, 2)
    row = memory.sleep("importance")
    assert row is not None
    assert [each.subject for each in lines(memory, "Reweighed", actor=row.id)] == [id]
    clock.forward(days=1)
    assert night(memory, "importance") == {}


def test_the_hour_is_midnight(memory: Saegim, clock: FixedClock) -> None:
    """Seed A §10.2, option B: recomputed at midnight on the person's clock, not a minute before."""
    clock.at = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)
    id = kept(memory, "합의에 이르렀다")
    leaning(memory, id, 2)
    sleep_if_due(memory.scope, memory.mind)
    clock.at = datetime(2026, 3, 3, 23, 59, tzinfo=UTC)
    sleep_if_due(memory.scope, memory.mind)
    assert worth(memory, id) == pytest.approx(0.3)
    clock.at = datetime(2026, 3, 4, 0, 0, tzinfo=UTC)
    row = sleep_if_due(memory.scope, memory.mind)
    assert row is not None
    assert counts(row)["reweighed"] == 1
    assert worth(memory, id) == pytest.approx(0.4)
