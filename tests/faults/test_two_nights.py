"""Two schedulers on one file: each stage once, whoever dies, stalls or has the wrong time."""

from __future__ import annotations

import json
import shutil
import threading
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from faults.processes import Child, Warm
from faults.sleepers import sleepers
from saegim import Saegim
from saegim.errors import TakenOver
from saegim.memory.memory import Scope
from saegim.sleep import schedule
from saegim.sleep.flow import NIGHT as STAGES
from saegim.sleep.flow import sleep_if_due
from saegim.sleep.night import Night, NightStep
from saegim.store.tables.night_table import LEASE
from sleep.bedtime import NIGHT, OWNER, differing, opened, rows, state_of

__all__ = ["sleepers"]

MIDNIGHT = NIGHT.replace(hour=0, minute=0)
# When two people would look at the rota of a day: just after everything that is due.
LOOKS = [
    timedelta(days=day, hours=hour, minutes=40) for day in (0, 1) for hour in (0, 3, 6, 12, 18)
]
# Besides the report, which every night writes that has something to tell.
EVERY_NIGHT = "report"


@pytest.fixture
def path(seed: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(seed, tmp_path / "night")
    return tmp_path / "night" / "memory.db"


def often(path: Path) -> Counter[str]:
    """Count how often each stage was ended, by whichever night."""
    done = [
        stage for row in rows(path, "SELECT done FROM night") for stage in json.loads(row["done"])
    ]
    return Counter(stage for stage in done if stage != EVERY_NIGHT)


def in_two_days() -> Counter[str]:
    """Return how often each stage is due in two days that begin on the first, a Sunday."""
    times = {"cron_evolver": 8, "cron_sessions": 8, "cron_daily": 2, "cron_midnight": 2}
    times |= {"cron_weekly": 1, "cron_monthly": 1}
    due = {stage.name: times.get(stage.cadence, 0) for stage in STAGES}
    return Counter({name: count for name, count in due.items() if count and name != EVERY_NIGHT})


def scheduler(warm: Warm, path: Path) -> Child:
    """Start a process that looks at the rota when it is told the time."""
    child = warm.start(
        "look_at_rota", path=str(path), at=(MIDNIGHT - timedelta(hours=1)).isoformat()
    )
    assert child.told() == "open"
    return child


def test_two_processes_that_watch_sleep_each_stage_once(sleepers: Warm, path: Path) -> None:
    """R-24: two schedulers look at the same instants of two days; each stage runs once a period."""
    watching = [scheduler(sleepers, path) for _ in range(2)]
    for look in LOOKS:
        for child in watching:
            child.say((MIDNIGHT + look).isoformat())
        for child in watching:
            child.told()
    for child in watching:
        child.close()
    assert often(path) == in_two_days()
    with opened(path) as memory:
        memory.maintenance.verify()


def test_two_threads_that_watch_sleep_each_stage_once(path: Path) -> None:
    """R-24: the same with two Saegim objects in one process."""
    with opened(path, MIDNIGHT - timedelta(hours=1)) as one, opened(path, one.mind.now()) as other:
        both = (one, other)
        for each in both:
            sleep_if_due(each.scope, each.mind)
        gate = threading.Barrier(2)
        failures: list[BaseException] = []

        def watch(memory: Saegim) -> None:
            try:
                for look in LOOKS:
                    gate.wait()
                    memory.mind.clock.at = MIDNIGHT + look
                    sleep_if_due(memory.scope, memory.mind)
            except BaseException as error:  # noqa: BLE001 - told to the test, which fails by it
                failures.append(error)
                gate.abort()

        threads = [threading.Thread(target=watch, args=(each,)) for each in both]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
    assert often(path) == in_two_days()


def test_who_looked_before_another_slept_does_not_sleep_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-24: between looking at the rota and beginning a night, a process may stall for long."""
    with opened(path, MIDNIGHT - timedelta(hours=1)) as slow, opened(path) as quick:
        sleep_if_due(slow.scope, slow.mind)
        slow.mind.clock.at = NIGHT
        looked = schedule.due

        def stalled(owner: str, stages: Any, mind: Any) -> Any:
            found = looked(owner, stages, mind)
            if mind is slow.mind:
                assert sleep_if_due(quick.scope, quick.mind) is not None
            return found

        monkeypatch.setattr(schedule, "due", stalled)
        sleep_if_due(slow.scope, slow.mind)
    assert max(often(path).values()) == 1


# -- the holder dies ------------------------------------------------------------------------------


def standing_still(warm: Warm, path: Path, stage: str = "leave", **given: Any) -> Child:
    """Start a process that sleeps up to a stage, thinks it out, and stands still."""
    child = warm.start("hold_still", path=str(path), at=NIGHT.isoformat(), stage=stage, **given)
    assert child.told() == "still"
    return child


def slept(path: Path, at: datetime) -> list[str] | None:
    """Look at the rota at an instant; return what the night has done, if one was slept."""
    with opened(path, at) as memory:
        row = sleep_if_due(memory.scope, memory.mind)
        return None if row is None else list(row.done)


def test_when_the_holder_dies_another_goes_on_after_the_lease(sleepers: Warm, path: Path) -> None:
    """R-24: until the lease is over nobody disturbs; then the night is finished where it stood."""
    standing_still(sleepers, path).kill()
    assert slept(path, NIGHT + timedelta(seconds=1)) is None
    assert slept(path, NIGHT + LEASE - timedelta(seconds=1)) is None
    done = slept(path, NIGHT + LEASE)
    assert done == [stage.name for stage in STAGES]
    assert set(often(path).values()) == {1}


def test_a_lease_of_a_clock_that_was_ahead_does_not_hold_the_night(
    sleepers: Warm, path: Path
) -> None:
    """R-24, R-15: a dead holder whose clock was an hour ahead is not waited for an hour."""
    standing_still(sleepers, path).kill()
    waited = NIGHT - timedelta(hours=1)
    assert slept(path, waited) is not None


@pytest.mark.parametrize("back", [1, 60, 150])
def test_takeover_never_takes_longer_than_two_leases(back: int, sleepers: Warm, path: Path) -> None:
    """R-24: also where the clock was set back after the holder died."""
    standing_still(sleepers, path).kill()
    began = NIGHT - timedelta(seconds=back)
    waits = [began + step * LEASE / 4 for step in range(9)]
    assert any(slept(path, at) is not None for at in waits)
    assert set(often(path).values()) == {1}


# -- the holder wakes up --------------------------------------------------------------------------


def after_waking(
    warm: Warm, path: Path, stage: str, over: datetime, wakes: datetime, **given: Any
) -> tuple[Any, dict[str, Any]]:
    """Let another finish the night of a stalled holder; return what the holder says and changes."""
    child = standing_still(warm, path, stage, **given)
    with opened(path, over) as memory:
        assert memory.sleep() is not None
    before = state_of(path) | {"night": rows(path, "SELECT * FROM night")}
    child.say(wakes.isoformat())
    said = child.told()
    child.close()
    return said, differing(before, state_of(path) | {"night": rows(path, "SELECT * FROM night")})


@pytest.mark.parametrize("stage", ["merge", "distil", "leave", "reflect", "report"])
def test_a_holder_that_wakes_up_too_late_writes_nothing(
    stage: str, sleepers: Warm, path: Path
) -> None:
    """R-24: the other has finished the night; what the first had thought out is not written."""
    over = NIGHT + timedelta(minutes=3)
    said, changed = after_waking(sleepers, path, stage, over, over + timedelta(minutes=1))
    assert said[0] == TakenOver.__name__
    assert changed == {}
    assert set(often(path).values()) == {1}


@pytest.mark.parametrize("hours", [-1, 24 * 365 * 10])
def test_a_holder_that_wakes_up_writes_nothing_whatever_the_clock_says(
    hours: int, sleepers: Warm, path: Path
) -> None:
    """R-24, R-15: a fence is a number, not an instant: no jump of the clock opens it."""
    jumped = NIGHT + timedelta(hours=hours)
    said, changed = after_waking(sleepers, path, "leave", jumped, NIGHT + timedelta(seconds=1))
    assert said[0] == TakenOver.__name__
    assert changed == {}


def test_without_the_fence_the_late_holder_is_seen_to_write(sleepers: Warm, path: Path) -> None:
    """R-24 control: who does not look at the fence does what another has done already."""
    over = NIGHT + timedelta(minutes=3)
    _, changed = after_waking(sleepers, path, "leave", over, over, fenced=False)
    assert changed
    assert max(often(path).values()) == 2


def test_a_holder_whose_lease_ran_out_unnoticed_goes_on(sleepers: Warm, path: Path) -> None:
    """R-24: a laptop that was closed for an hour finishes its night if nobody else has."""
    child = standing_still(sleepers, path)
    child.say((NIGHT + timedelta(hours=1)).isoformat())
    assert child.told() == ["slept", [stage.name for stage in STAGES]]
    child.close()


# -- what was left --------------------------------------------------------------------------------


def test_a_whole_night_is_slept_where_a_small_one_was_left(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks for a night gets all of it, also if someone died in a small one."""
    later = NIGHT + timedelta(minutes=3)

    def dies(_: Night, __: str, ___: NightStep) -> None:
        raise KeyboardInterrupt

    with opened(path) as memory:
        with monkeypatch.context() as patch:
            patch.setattr(Night, "note", dies)
            with pytest.raises(KeyboardInterrupt):
                memory.nights.apply_retention_policy()
        memory.mind.clock.at = later
        memory.sleep()
    assert {stage.name for stage in STAGES} - set(often(path)) == {EVERY_NIGHT}
    assert set(often(path).values()) == {1}


def test_a_night_that_only_had_to_be_closed_is_closed(path: Path) -> None:
    """R-24: killed between its last stage and its end, a night does not stand open for ever."""
    with opened(path) as memory:
        mind = memory.mind
        end = mind.store.nights.end
        mind.store.nights.end = lambda night, now: night
        memory.sleep()
        mind.store.nights.end = end
        mind.clock.at = NIGHT + timedelta(minutes=3)
        assert mind.store.nights.running(Scope(OWNER)) is not None
        sleep_if_due(memory.scope, mind)
        assert mind.store.nights.running(Scope(OWNER)) is None
    assert set(often(path).values()) == {1}
