"""When stages are due: cron text on the person's own clock, caught up once, never all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import SettingsError
from saegim.settings import Settings
from saegim.sleep import schedule
from saegim.sleep.flow import NIGHT, sleep_if_due

# A Thursday, at noon.
NOON = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)
CRONS = ("daily", "weekly", "monthly", "yearly", "evolver", "midnight")
Open = Callable[..., Saegim]


@pytest.fixture
def open_at(tmp_path: Path) -> Iterator[Open]:
    """Open one and the same store at an instant, with settings."""
    held: list[Saegim] = []

    def open_(at: datetime = NOON, **settings: Any) -> Saegim:
        for each in held:
            each.close()
        settings = {"timezone": "UTC", "durability": "fast"} | settings
        held.append(Saegim.open(tmp_path / "memory.db", clock=FixedClock(at), **settings))
        return held[-1]

    yield open_
    for each in held:
        each.close()


def looked(memory: Saegim, at: datetime) -> set[str]:
    """Look at the rota at an instant; return the stages that were slept, the report left out."""
    memory.mind.clock.at = at
    row = sleep_if_due(memory.scope, memory.mind)
    return set() if row is None else set(row.done) - {"report"}


def watched(memory: Saegim, since: datetime, until: datetime, every: timedelta) -> Counter[str]:
    """Look at the rota again and again; count how often each stage was slept."""
    slept: Counter[str] = Counter()
    at = since
    while at <= until:
        slept.update(looked(memory, at))
        at += every
    return slept


def of(cadence: str) -> set[str]:
    """Return the stages that run at the hours of a setting, the report left out.

    Sessions are closed by a setting of their own, which names the same hours as the evolver's.
    """
    held = Settings()
    hours = getattr(held, f"cron_{cadence}")
    return {each.name for each in NIGHT if getattr(held, each.cadence) == hours} - {"report"}


# -- the first day --------------------------------------------------------------------------------


def test_a_fresh_store_does_not_run_everything_at_once(open_at: Open) -> None:
    """R-15: the first look only plans; each stage then waits for its own hour."""
    memory = open_at()
    memory.remember("the kettle is red")
    assert looked(memory, NOON) == set()
    assert looked(memory, NOON + timedelta(seconds=30)) == set()
    due = memory.nights.due()
    assert set(due) == {each.name for each in NIGHT}
    assert due["merge"] == NOON.replace(hour=18)
    assert due["importance"] == NOON.replace(day=16, hour=0)
    assert due["fade"] == NOON.replace(day=16, hour=3, minute=30)
    assert due["distil"] == NOON.replace(day=18, hour=3, minute=30)
    assert due["propose"] == datetime(2026, 2, 1, 3, 30, tzinfo=UTC)
    assert due["year"] == datetime(2027, 1, 1, 3, 30, tzinfo=UTC)


def test_each_stage_runs_in_its_own_hour(open_at: Open) -> None:
    """Six-hourly, at midnight, daily, weekly, each once, at the first look after it."""
    memory = open_at()
    memory.remember("the kettle is red")
    looked(memory, NOON)
    assert looked(memory, NOON.replace(hour=17, minute=59)) == set()
    assert looked(memory, NOON.replace(hour=18)) == of("evolver")
    assert looked(memory, NOON.replace(hour=18, minute=1)) == set()
    assert looked(memory, NOON.replace(day=16, hour=0)) == of("evolver") | of("midnight")
    assert looked(memory, NOON.replace(day=16, hour=3, minute=30)) == of("daily")
    assert looked(memory, NOON.replace(day=18, hour=4)) == (
        of("evolver") | of("midnight") | of("daily") | of("weekly")
    )


def test_the_first_memory_can_be_kept_long_before_the_first_look(open_at: Open) -> None:
    """R-15: a store that was never watched is planned from now on, not from its first day."""
    memory = open_at()
    memory.remember("the kettle is red")
    assert looked(memory, NOON + timedelta(days=400)) == set()
    assert min(memory.nights.due().values()) > NOON + timedelta(days=400)


def test_nights_asked_for_by_hand_need_no_rota(open_at: Open) -> None:
    """Who sleeps by hand before the first look has slept everything, and it is planned on."""
    memory = open_at()
    memory.remember("the kettle is red")
    row = memory.sleep()
    assert row is not None
    assert set(row.done) == {each.name for each in NIGHT}
    assert looked(memory, NOON + timedelta(minutes=1)) == set()
    assert looked(memory, NOON.replace(hour=18)) == of("evolver")


# -- missed, paused, changed ----------------------------------------------------------------------


def test_two_weeks_off_are_caught_up_once(open_at: Open) -> None:
    """R-15: what was missed runs once at the next look, never twice, and never for each day."""
    memory = open_at()
    memory.remember("the kettle is red")
    looked(memory, NOON)
    back = NOON + timedelta(days=14)
    # From the fifteenth to the twenty-ninth there is no first of a month.
    missed = of("evolver") | of("midnight") | of("daily") | of("weekly")
    assert looked(memory, back) == missed
    assert looked(memory, back + timedelta(seconds=30)) == set()
    assert watched(memory, back, back + timedelta(hours=5), timedelta(hours=1)) == Counter()
    assert looked(memory, back + timedelta(hours=6)) == of("evolver")


def test_while_paused_nothing_runs_and_afterwards_it_is_caught_up_once(open_at: Open) -> None:
    """A person may say that nights happen only when asked for; then they do when asked for."""
    memory = open_at()
    memory.remember("the kettle is red")
    looked(memory, NOON)
    memory.nights.pause()
    assert memory.nights.paused
    assert looked(memory, NOON + timedelta(days=2)) == set()
    assert memory.sleep("merge") is not None
    assert memory.nights.paused, "a night asked for does not end the pause"
    memory.nights.resume()
    assert not memory.nights.paused
    later = looked(memory, NOON + timedelta(days=2, minutes=1))
    assert later == (of("evolver") | of("midnight") | of("daily")) - {"merge"}
    assert looked(memory, NOON + timedelta(days=2, minutes=2)) == set()


def test_a_pause_before_the_first_night_holds(open_at: Open) -> None:
    """A store can be paused before anything was ever slept, and again after it is opened anew."""
    memory = open_at()
    memory.remember("the kettle is red")
    memory.nights.pause()
    memory = open_at()
    assert memory.nights.paused
    looked(memory, NOON)
    assert looked(memory, NOON + timedelta(days=2)) == set()


@pytest.mark.parametrize(
    ("cron", "expected"),
    [
        ("0 20 * * *", NOON.replace(hour=20)),
        ("15 12 * * *", NOON.replace(hour=12, minute=15)),
        ("0 5 * * 6", datetime(2026, 1, 17, 5, 0, tzinfo=UTC)),
    ],
)
def test_a_changed_cadence_holds_from_the_next_look(
    cron: str, expected: datetime, open_at: Open
) -> None:
    """Settings may be argued with: a new cron text plans anew, sooner or later than the old."""
    memory = open_at()
    memory.remember("the kettle is red")
    looked(memory, NOON)
    memory = open_at(cron_daily=cron)
    due = memory.nights.due()
    assert {due[name] for name in of("daily")} == {expected}
    assert due["merge"] == NOON.replace(hour=18), "the others stay as they were"
    assert "fade" not in looked(memory, expected - timedelta(minutes=1))
    assert "fade" in looked(memory, expected)
    assert "fade" not in looked(memory, expected + timedelta(minutes=1))


def test_a_cadence_changed_just_after_a_night_does_not_run_it_twice(open_at: Open) -> None:
    """Slept at half past three, a daily stage moved to four o'clock waits for tomorrow."""
    night = NOON.replace(day=16, hour=3, minute=30)
    memory = open_at()
    memory.remember("the kettle is red")
    looked(memory, NOON)
    assert "fade" in looked(memory, night)
    memory = open_at(night + timedelta(minutes=1), cron_daily="0 3 * * *")
    assert "fade" not in looked(memory, night + timedelta(minutes=2))
    assert memory.nights.due()["fade"] == NOON.replace(day=17, hour=3)


# -- wrong text -----------------------------------------------------------------------------------

WRONG = ["", "every night", "61 3 * * *", "30 3 * *", "30 3 * * 9", "0 0 31 2 *", "* * * * * * *"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("cron_daily", text) for text in WRONG] + [(f"cron_{each}", "every night") for each in CRONS],
)
def test_wrong_cron_text_is_told_by_the_name_of_its_setting(
    name: str, text: str, open_at: Open
) -> None:
    """What is wrong, in which setting, and how it is written; never a night that never comes."""

    def watch() -> None:
        memory = open_at(**{name: text})
        memory.remember("the kettle is red")
        sleep_if_due(memory.scope, memory.mind)

    with pytest.raises(SettingsError) as told:
        watch()
    assert name in told.value.message
    assert repr(text) in told.value.message
    assert "30 3 * * *" in told.value.next_step


# -- zones ----------------------------------------------------------------------------------------


def slept_at(
    memory: Saegim, since: datetime, until: datetime, stage: str, minutes: int
) -> list[str]:
    """Look every so many minutes; return at which local times a stage was slept."""
    mind, found = memory.mind, []
    at = since
    while at <= until:
        mind.clock.at = at
        ready = {each.name for each in schedule.due(memory.scope.user, NIGHT, mind)}
        if stage in ready:
            assert memory.sleep(stage) is not None
            found.append(f"{mind.here(at):%m-%d %H:%M}")
        at += timedelta(minutes=minutes)
    return found


@pytest.mark.parametrize(
    ("cron", "day", "expected"),
    [
        # On 29 March 2026 there is no half past two; on 25 October there are two.
        ("30 2 * * *", (2026, 3, 28), ["03-28 02:30", "03-29 03:00", "03-30 02:30"]),
        ("30 2 * * *", (2026, 10, 24), ["10-24 02:30", "10-25 02:30", "10-26 02:30"]),
        ("30 3 * * *", (2026, 3, 28), ["03-28 03:30", "03-29 03:30", "03-30 03:30"]),
        ("30 3 * * *", (2026, 10, 24), ["10-24 03:30", "10-25 03:30", "10-26 03:30"]),
    ],
)
def test_once_a_day_stays_once_a_day_when_the_clocks_are_changed(
    cron: str, day: tuple[int, int, int], expected: list[str], open_at: Open
) -> None:
    """R-15: in Berlin the night of the change is slept once, neither left out nor twice."""
    zone = ZoneInfo("Europe/Berlin")
    since = datetime(*day, tzinfo=zone).astimezone(UTC)
    memory = open_at(since, timezone="Europe/Berlin", cron_daily=cron)
    memory.remember("the kettle is red")
    assert slept_at(memory, since, since + timedelta(days=3), "fade", 30) == expected


@pytest.mark.parametrize("day", [(2026, 3, 29), (2026, 10, 25)])
def test_the_six_hours_stay_apart_when_the_clocks_are_changed(
    day: tuple[int, int, int], open_at: Open
) -> None:
    """R-15: what runs every six hours runs four times on the long day and on the short one."""
    zone = ZoneInfo("Europe/Berlin")
    since = datetime(*day, 0, 10, tzinfo=zone).astimezone(UTC)
    until = (datetime(*day, 0, 5, tzinfo=zone) + timedelta(days=1)).astimezone(UTC)
    memory = open_at(since, timezone="Europe/Berlin")
    memory.remember("the kettle is red")
    hours = [at[-5:] for at in slept_at(memory, since, until, "leave", 10)]
    assert hours == ["06:00", "12:00", "18:00", "00:00"]


def test_half_past_three_in_seoul_is_half_past_three_in_seoul(open_at: Open) -> None:
    """R-15: cron text is read on the person's own clock, wherever the server stands."""
    memory = open_at(timezone="Asia/Seoul")
    memory.remember("주전자는 빨갛다")
    due = memory.nights.due()
    seoul = ZoneInfo("Asia/Seoul")
    assert due["fade"].astimezone(seoul) == datetime(2026, 1, 16, 3, 30, tzinfo=seoul)
    assert due["fade"].utcoffset() == timedelta(0)
    assert due["importance"] == datetime(2026, 1, 15, 15, 0, tzinfo=UTC)
    assert due["propose"].astimezone(seoul) == datetime(2026, 2, 1, 3, 30, tzinfo=seoul)


def test_moving_to_another_zone_does_not_sleep_a_night_twice(open_at: Open) -> None:
    """R-15: who flies from Seoul to Berlin sleeps the next night there, once."""
    seoul, berlin = ZoneInfo("Asia/Seoul"), ZoneInfo("Europe/Berlin")
    memory = open_at(timezone="Asia/Seoul")
    memory.remember("주전자는 빨갛다")
    looked(memory, NOON)
    night = datetime(2026, 1, 16, 3, 30, tzinfo=seoul).astimezone(UTC)
    assert "fade" in looked(memory, night)
    memory = open_at(night + timedelta(hours=1), timezone="Europe/Berlin")
    assert "fade" not in looked(memory, night + timedelta(hours=1))
    due = memory.nights.due()["fade"].astimezone(berlin)
    assert f"{due:%H:%M}" == "03:30"
    assert night < due <= night + timedelta(days=1, hours=8)
