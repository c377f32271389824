"""What the seeds ask of the night and docs/seeds.md names: its numbers and its hours."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from saegim import FixedClock, Saegim, Settings


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
        "forgetting": "gentle",
        "dormant_keep_days": 180,
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


def test_the_workers_keep_the_hours_of_the_seeds(tmp_path: Path) -> None:
    """Daily, weekly, monthly and yearly as in seed D, every six hours as in E, midnight as in A.

    Sessions that nobody closed (seed B) are looked for as often as the evolver works.
    """
    clock = FixedClock(datetime(2026, 3, 1, 3, 31, tzinfo=UTC))  # a Sunday, just after its hour
    with Saegim.open(tmp_path / "memory.db", clock=clock, timezone="UTC") as memory:
        due = memory.nights.due()
    daily = "renew fade forget self relearn checkpoint backup report"
    hours = {
        datetime(2026, 3, 1, 6, tzinfo=UTC): {"sessions", "merge", "promote", "leave", "reflect"},
        datetime(2026, 3, 2, 0, tzinfo=UTC): {"importance"},
        datetime(2026, 3, 2, 3, 30, tzinfo=UTC): set(daily.split()),
        datetime(2026, 3, 8, 3, 30, tzinfo=UTC): {"distil"},
        datetime(2026, 4, 1, 3, 30, tzinfo=UTC): {"deepen", "propose", "believe"},
        datetime(2027, 1, 1, 3, 30, tzinfo=UTC): {"year", "ledgers"},
    }
    assert {name: at for at, names in hours.items() for name in names} == due
