"""What the seeds ask of the night and this house keeps: their numbers, hours and scenarios."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from saegim import FixedClock, Saegim, Settings, State
from saegim.memory.tiers import Reason

Opened = Callable[..., Saegim]


@pytest.fixture
def opened(tmp_path: Path, clock: FixedClock) -> Iterator[Opened]:
    """Open stores whose clock may leap as far as a test wants, each a file of its own."""
    held: list[Saegim] = []

    def another(**settings: Any) -> Saegim:
        about: dict[str, Any] = {
            "timezone": "UTC",
            "durability": "fast",
            "away_days": 10_000.0,
            **settings,
        }
        held.append(Saegim.open(tmp_path / f"{len(held)}.db", clock=clock, **about))
        return held[-1]

    yield another
    for each in held:
        each.close()


def leaving(memory: Saegim) -> dict[str, str]:
    """Return what is in the forgetting queue, and why."""
    return {each.memory.id: each.reason for each in memory.forgetting.queue()}


# -- numbers and hours ----------------------------------------------------------------------------


def test_the_numbers_of_the_night_are_the_seeds_or_say_why() -> None:
    """docs/seeds.md names these defaults; the seeds' own where it gives no reason."""
    defaults = {
        "max_sessions": 0,
        "max_memories_per_session": 0,
        "max_total_size_mb": 0,
        "displace_importance": 0.3,
        "protected_days": 7,
        "forgetting_days": 7,
        "archive": True,
        "archive_days": 180,
        "merge_from": 0.92,
        "similar_from": 0.85,
        "fade_rate": 0.02,
        "fade_boost": 0.05,
        "shrink_below": 0.3,
        "doze_below": 0.1,
        "dormant_days": 30,
        "theme_least": 3,
        "rise_used": 3,
        "rise_intensity": 0.7,
        "deepen_used": 5,
        "deepen_intensity": 0.8,
        "core_used": 10,
        "evolution": True,
        "prune_importance": 0.2,
        "prune_days": 60,
        "reflection": True,
        "reflection_threshold": 20,
    }
    assert {name: getattr(Settings(), name) for name in defaults} == defaults


def test_the_workers_keep_the_hours_of_the_seeds(opened: Opened, clock: FixedClock) -> None:
    """Daily, weekly, monthly and yearly as in seed D, every six hours as in E, midnight as in A."""
    clock.at = datetime(2026, 3, 1, 3, 31, tzinfo=UTC)  # a Sunday, just after its hour
    due = opened().nights.due()
    hours = {
        datetime(2026, 3, 1, 6, tzinfo=UTC): {"merge", "leave", "reflect"},
        datetime(2026, 3, 2, 0, tzinfo=UTC): {"importance"},
        datetime(2026, 3, 2, 3, 30, tzinfo=UTC): {
            *("renew", "promote", "fade", "forget", "relearn", "checkpoint", "backup", "report")
        },
        datetime(2026, 3, 8, 3, 30, tzinfo=UTC): {"distil"},
        datetime(2026, 4, 1, 3, 30, tzinfo=UTC): {"deepen", "propose"},
        datetime(2027, 1, 1, 3, 30, tzinfo=UTC): {"year"},
    }
    assert {name: at for at, names in hours.items() for name in names} == due


# -- seed A: limits -------------------------------------------------------------------------------


@pytest.mark.parametrize(("most", "held"), [(5, 6), (3, 5)])
def test_a_session_too_many_lets_the_oldest_go(
    opened: Opened, clock: FixedClock, most: int, held: int
) -> None:
    """Seed A §9.1-3 and §9.2 scenario 3: as many sessions are left as the limit says."""
    limited, free = opened(max_sessions=most), opened()
    for number in range(held):
        for turn in range(10):
            for memory in (limited, free):
                memory.remember(f"{turn} of {number}", session=f"s{number}", importance=0.3)
        clock.forward(days=8)
    for memory in (limited, free):
        memory.nights.apply_retention_policy()
    assert limited.sessions.ids() == [f"s{n}" for n in reversed(range(held - most, held))]
    assert set(leaving(limited).values()) == {Reason.DISPLACED.value}
    assert len(leaving(limited)) == 10 * (held - most), "into the queue, not deleted"
    assert len(free.sessions.ids()) == held, "without a limit nothing is displaced"


def test_the_archive_is_compressed(opened: Opened, clock: FixedClock) -> None:
    """Seed A §6.1: what is archived takes a fraction of its room, and nothing of it is searched."""
    memory = opened()
    text = "빙봉은 노래하는 수레를 탔다." * 40
    id = memory.remember(text).id
    memory.forget(id)
    clock.forward(days=8)
    memory.sleep("forget")
    assert [each.text for each in memory.forgetting.archive()] == [text]
    assert not memory.recall("빙봉", states=list(State)).hits
    assert 0 < _packed(memory, id) < len(text.encode()) / 4


def _packed(memory: Saegim, id: str) -> int:
    """Return how many bytes of the file an archived memory takes."""
    connection = apsw.Connection(str(memory._mind.store.path), flags=apsw.SQLITE_OPEN_READONLY)
    (packed,) = next(connection.execute("SELECT packed FROM archive WHERE id = ?", (id,)))
    connection.close()
    assert "빙봉" in zlib.decompress(packed).decode()
    return len(packed)
