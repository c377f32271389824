"""Leaving: each reason on its day and not a day before, seven days in the queue, and a way back."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from sleep.stages.ageing import (
    findable,
    kept,
    lines,
    night,
    pin,
    recalled,
    stands,
    state,
    why,
)
from stand_ins import core_of

Opened = Callable[..., Saegim]
TIERS = [("M30", 30), ("M90", 90), ("M365", 365)]
WORDS = ("등대", "나침반", "돛대", "닻", "갑판", "선장")


# -- the time of a tier ---------------------------------------------------------------------------


@pytest.mark.parametrize(("tier", "days"), TIERS)
def test_a_memory_leaves_on_the_day_its_tier_ends(
    memory: Saegim, clock: FixedClock, tier: str, days: int
) -> None:
    """Seed D §1: 30, 90 and 365 days; the day before it stays."""
    id = kept(memory, "등대", tier=tier)
    clock.forward(days=days - 1)
    assert night(memory, "leave") == {}
    assert state(memory, id) == "active"
    clock.forward(days=1)
    assert night(memory, "leave") == {"expired": 1}
    assert (state(memory, id), why(memory, id)) == ("leaving", "expired")
    assert findable(memory, "등대") == set()


def test_what_happened_long_ago_is_young_if_it_was_told_today(
    memory: Saegim, clock: FixedClock
) -> None:
    """DESIGN 4b: time counts from recorded_at; a ten-year-old story lives its ninety days."""
    old = memory.remember("나는 대학에서 등대를 그렸다", happened_at="2016-01-01T00:00:00Z").id
    clock.forward(days=89)
    assert night(memory) == {"shrunk": 1}
    assert state(memory, old) == "active"
    clock.forward(days=1)
    night(memory)
    assert why(memory, old) == "expired"


def test_an_imported_old_chat_is_young(memory: Saegim, clock: FixedClock, tmp_path: Path) -> None:
    """DESIGN 4b: what seed A wrote in 2016 is not let go on the night after it was brought."""
    folder = tmp_path / "outputs" / "memory" / "sessions"
    folder.mkdir(parents=True)
    line = {
        "memory_id": "mem_20160101_093022_a4f3",
        "timestamp": "2016-01-01T09:30:22.123456Z",
        "time": {"session_id": "sess_20160101_090000", "sequence": 1},
        "content": {"type": "user_input", "response_full": "우리는 등대 그림을 골랐다"},
        "metadata": {"importance": 0.5, "tags": []},
    }
    (folder / "sess_20160101_090000.jsonl").write_text(json.dumps(line), encoding="utf-8")
    memory.import_from(tmp_path / "outputs")
    (brought,) = memory.recent().memories
    assert brought.time.happened_at.year == 2016
    clock.forward(days=1)
    night(memory)
    assert state(memory, brought.id) == "active"
    end = brought.life.expires_at
    assert end is not None
    clock.at = end - timedelta(days=1)
    night(memory, "leave")
    assert state(memory, brought.id) == "active"
    clock.at = end
    night(memory, "leave")
    assert why(memory, brought.id) == "expired"


# -- the queue ------------------------------------------------------------------------------------


def test_the_queue_says_how_long_there_is_left(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §6: entered when, why, and seven days that run down; what goes first first."""
    first = kept(memory, "등대", tier="M30")
    clock.forward(days=2)
    second = kept(memory, "나침반", tier="M30")
    clock.forward(days=28)
    night(memory, "leave")
    (queued,) = memory.forgetting.queue()
    assert (queued.memory.id, queued.reason, queued.since) == (first, "expired", clock.at)
    assert queued.left == timedelta(days=7)
    clock.forward(days=2)
    night(memory, "leave")
    queue = [(each.memory.id, each.left.days) for each in memory.forgetting.queue()]
    assert queue == [(first, 5), (second, 7)]


@pytest.mark.parametrize(("tier", "days"), TIERS)
def test_called_back_on_the_sixth_day_it_begins_its_tier_anew(
    memory: Saegim, clock: FixedClock, tier: str, days: int
) -> None:
    """Seed D §6: "이건 살려줘" restores the tier it had, its time reset to the full length."""
    id = kept(memory, "등대", tier=tier)
    clock.forward(days=days)
    night(memory, "leave")
    clock.forward(days=6)
    night(memory, "forget")
    memory.restore(id)
    back = stands(memory, id)
    assert (back.life.tier.value, back.life.state.value) == (tier, "active")
    assert back.life.expires_at == clock.at + timedelta(days=days)
    assert memory.forgetting.queue() == []
    assert findable(memory, "등대") == {id}
    clock.forward(days=days - 1)
    night(memory, "leave")
    assert state(memory, id) == "active"
    clock.forward(days=1)
    night(memory, "leave")
    assert why(memory, id) == "expired"


def test_leaving_is_one_line_and_happens_once(memory: Saegim, clock: FixedClock) -> None:
    """U5.1: one Leaving line for a memory, however many nights look at it in the queue."""
    id = kept(memory, "등대", tier="M30")
    clock.forward(days=30)
    for _ in range(5):
        night(memory, "leave")
        clock.forward(days=1)
    assert [each.subject for each in lines(memory, "Leaving")] == [id]


# -- dormant too long -----------------------------------------------------------------------------


def test_what_has_dozed_for_thirty_days_leaves(memory: Saegim, clock: FixedClock) -> None:
    """Seed C layer 4: thirty days dormant, not twenty-nine; leaving, not deleted."""
    id = kept(memory, "등대", tier="M365")
    clock.forward(days=116)
    night(memory, "fade", "leave")
    assert state(memory, id) == "dormant"
    clock.forward(days=29)
    night(memory, "fade", "leave")
    assert state(memory, id) == "dormant"
    clock.forward(days=1)
    night(memory, "fade", "leave")
    assert why(memory, id) == "faded"
    assert stands(memory, id).text == "등대"


def test_waking_in_between_starts_the_count_again(memory: Saegim, clock: FixedClock) -> None:
    """The control: recalled on the twentieth day of sleep, it is not let go on the thirtieth."""
    id = kept(memory, "등대", tier="M365")
    clock.forward(days=116)
    night(memory, "fade", "leave")
    clock.forward(days=20)
    recalled(memory, id)
    clock.forward(days=10)
    night(memory, "fade", "leave")
    assert state(memory, id) == "active"


# -- never mattered -------------------------------------------------------------------------------


def pruned(memory: Saegim, clock: FixedClock, days: float = 61, **about: Any) -> str:
    """Keep something, let days go by, sleep; say what became of it."""
    shown = about.pop("shown", 0)
    id = kept(memory, "등대", tier="M365", **{"importance": 0.2, **about})
    recalled(memory, id, shown)
    clock.forward(days=days)
    night(memory, "leave")
    return why(memory, id)


def test_what_never_mattered_is_pruned(memory: Saegim, clock: FixedClock) -> None:
    """Seed E 4-1: importance ≤ 0.2, never recalled, older than sixty days."""
    assert pruned(memory, clock) == "pruned"


@pytest.mark.parametrize(
    "about",
    [{"days": 60}, {"importance": 0.21}, {"shown": 1}, {"pinned": True}, {"immutable": True}],
)
def test_anything_that_speaks_for_it_keeps_it(
    memory: Saegim, clock: FixedClock, about: dict[str, Any]
) -> None:
    """The controls: a day younger, a little more important, shown once, or made to stay."""
    assert pruned(memory, clock, **about) == "active"


def test_evolution_off_prunes_nothing(opened: Opened, clock: FixedClock) -> None:
    """Seed E evolution_enabled: a person who says no keeps what never mattered."""
    assert pruned(opened(evolution=False), clock) == "active"


# -- no room --------------------------------------------------------------------------------------


def in_sessions(memory: Saegim, clock: FixedClock, count: int, **about: Any) -> list[str]:
    """Keep one memory in each of so many sessions, an hour apart."""
    ids = []
    for number in range(count):
        ids.append(kept(memory, WORDS[number], session=f"sess_{number}", **about))
        clock.forward(hours=1)
    return ids


def test_no_limit_is_set_by_default(memory: Saegim, clock: FixedClock) -> None:
    """DESIGN 4b: seed A's limits are off; six sessions and their memories stay."""
    ids = in_sessions(memory, clock, 6)
    clock.forward(days=8)
    assert night(memory, "leave") == {}
    assert {state(memory, id) for id in ids} == {"active"}


def test_the_oldest_sessions_make_room(opened: Opened, clock: FixedClock) -> None:
    """Seed A §6.1: beyond max_sessions the oldest go, except what is worth more."""
    memory = opened(max_sessions=2)
    dear = kept(memory, "갑판", session="sess_0", importance=0.31)
    ids = in_sessions(memory, clock, 4)
    clock.forward(days=8)
    assert night(memory, "leave") == {"displaced": 2}
    assert [why(memory, id) for id in ids] == ["displaced", "displaced", "active", "active"]
    assert state(memory, dear) == "active"


def test_what_was_felt_a_trace_of_makes_room_too(opened: Opened, clock: FixedClock) -> None:
    """Seed A §9.1-3: a session of plain remembered words leaves; how they were read is no worth."""
    memory = opened(max_sessions=1)
    old = memory.remember("The meeting room has a blue door", session="sess_0").id
    clock.forward(hours=1)
    memory.remember("The printer stands beside the window", session="sess_1")
    clock.forward(days=8)
    night(memory, "leave")
    assert why(memory, old) == "displaced"


def test_a_full_session_lets_go_of_its_least(opened: Opened, clock: FixedClock) -> None:
    """Seed A §4.2, FAULTS 71: max_memories_per_session; the least important first."""
    memory = opened(max_memories_per_session=2)
    ids = [
        kept(memory, word, session="s", importance=importance)
        for word, importance in zip(WORDS, (0.5, 0.3, 0.4, 0.35), strict=False)
    ]
    elsewhere = kept(memory, "선장", importance=0.1)
    clock.forward(days=8)
    assert night(memory, "leave") == {"displaced": 2}
    assert [why(memory, id) for id in ids] == ["active", "displaced", "active", "displaced"]
    assert state(memory, elsewhere) == "active", "what is in no session fills none"


def test_a_full_session_is_emptied_past_what_may_not_go(opened: Opened, clock: FixedClock) -> None:
    """Seed A §4.2: where the least important is pinned, the next one makes the room."""
    memory = opened(max_memories_per_session=2)
    pinned = kept(memory, "등대", session="s", importance=0.05, pinned=True)
    ids = [
        kept(memory, word, session="s", importance=importance)
        for word, importance in zip(WORDS[1:], (0.1, 0.2, 0.3), strict=False)
    ]
    clock.forward(days=8)
    night(memory, "leave")
    assert state(memory, pinned) == "active"
    assert [why(memory, id) for id in ids] == ["displaced", "displaced", "active"]


def sized(memory: Saegim, importances: tuple[float, ...], **about: Any) -> list[str]:
    """Keep memories of a little over a thousand bytes each."""
    return [
        kept(memory, f"{WORDS[at]} " + f"word{at} " * 170, importance=importance, **about)
        for at, importance in enumerate(importances)
    ]


def test_what_has_no_room_in_all_leaves(opened: Opened, clock: FixedClock) -> None:
    """Seed A §6.1: beyond max_total_size_mb the least important go until the rest fits."""
    memory = opened(max_total_size_mb=0.0025)
    ids = sized(memory, (0.4, 0.3, 0.5, 0.35))
    clock.forward(days=8)
    assert night(memory, "leave") == {"displaced": 2}
    assert [why(memory, id) for id in ids] == ["active", "displaced", "active", "displaced"]
    clock.forward(days=1)
    assert night(memory, "leave") == {}, "the rest fits"


def test_no_more_leaves_than_is_needed(opened: Opened, clock: FixedClock) -> None:
    """Seed A §6.1: what old sessions gave back counts before the size of all is looked at."""
    memory = opened(max_sessions=1, max_total_size_mb=0.005)
    old = sized(memory, (0.1, 0.1, 0.1), session="sess_0")
    clock.forward(hours=1)
    new = sized(memory, (0.2, 0.21, 0.22), session="sess_1")
    clock.forward(days=8)
    night(memory, "leave")
    assert {why(memory, id) for id in old} == {"displaced"}
    assert [why(memory, id) for id in new] == ["active"] * 3


@pytest.mark.parametrize(
    "limit", [{"max_sessions": 1}, {"max_memories_per_session": 1}, {"max_total_size_mb": 0.00005}]
)
def test_the_last_seven_days_are_protected(
    opened: Opened, clock: FixedClock, limit: dict[str, Any]
) -> None:
    """Seed A §6.1: a limit takes nothing that is younger than a week; a moment later it does."""
    memory = opened(**limit)
    session = "max_memories_per_session" in limit
    ids = [
        kept(memory, word, session="s" if session else word, happened_at=clock.forward(minutes=1))
        for word in WORDS[:3]
    ]
    began = clock.at
    clock.at = began + timedelta(days=6, hours=23)
    assert night(memory, "leave") == {}
    clock.at = began + timedelta(days=7, hours=1)
    assert night(memory, "leave")["displaced"] >= 2
    assert "displaced" in {why(memory, id) for id in ids}


# -- what never leaves ----------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["pinned", "immutable"])
def test_what_was_made_to_stay_never_leaves(opened: Opened, clock: FixedClock, way: str) -> None:
    """U26.1 and DESIGN 4b: against time, fading, pruning and every limit at once."""
    memory = opened(max_sessions=1, max_memories_per_session=1, max_total_size_mb=0.0001)
    stays = [
        kept(memory, word, session="s", tier=tier, importance=0.0, **{way: True})
        for word, tier in zip(WORDS, ("M30", "M90", "M365"), strict=False)
    ]
    goes = kept(memory, "선장", session="s", tier="M30", importance=0.0)
    clock.forward(hours=1)
    kept(memory, "항구", session="t")
    for _ in range(8):
        clock.forward(days=75)
        night(memory)
    assert {state(memory, id) for id in stays} == {"active"}
    assert state(memory, goes) == "forgotten"
    assert not [each for each in lines(memory, "Leaving") if each.subject in stays]


def test_an_unpinned_memory_leaves_when_its_time_was_over(
    memory: Saegim, clock: FixedClock
) -> None:
    """U26.1: the pin, and nothing else, held it."""
    id = kept(memory, "등대", tier="M30", pinned=True)
    clock.forward(days=31)
    night(memory, "leave")
    assert state(memory, id) == "active"
    pin(memory, id, False)
    night(memory, "leave")
    assert why(memory, id) == "expired"


def test_a_core_memory_never_leaves(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §1: M0 has no end."""
    core = core_of(memory, "이름을 지어 주었다")
    assert core.life.expires_at is None
    for _ in range(6):
        clock.forward(days=600)
        night(memory)
    assert state(memory, core.id) == "active"
    assert core.id in findable(memory, "이름을 지어 주었다")


# -- a leaping clock ------------------------------------------------------------------------------


def test_after_a_leap_of_the_clock_nothing_leaves_for_a_week(
    opened: Opened, clock: FixedClock
) -> None:
    """R-15: ten years in one step let nothing go before a person had seven days to look."""
    memory = opened(away_days=45.0)
    clock.at = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)
    id = kept(memory, "등대", tier="M30")
    night(memory, "leave")
    clock.forward(days=3650)
    night(memory, "leave", "forget")
    assert state(memory, id) == "active"
    clock.forward(days=6)
    night(memory, "leave", "forget")
    assert state(memory, id) == "active"
    clock.forward(days=1)
    night(memory, "leave", "forget")
    assert why(memory, id) == "expired"
