"""The clock jumps, back a second or ahead ten years: nothing is lost by it, nothing runs twice."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from saegim import Saegim
from saegim.memory.memory import State
from saegim.sleep.flow import sleep_if_due
from saegim.store.tables.night_table import NightRow
from sleep.bedtime import NIGHT, made_ready, opened, rows

BACK = [timedelta(seconds=1), timedelta(hours=1), timedelta(days=365)]
TEN_YEARS = timedelta(days=3652)
EVENING = NIGHT - timedelta(hours=9)
DAY = timedelta(days=1)
# What no clock may take away: words that can be found, or called back.
GONE = (State.LEAVING.value, State.FORGOTTEN.value)


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with work for every stage, slept once as it should be."""
    folder = tmp_path_factory.mktemp("seed")
    made_ready(folder / "memory.db")
    with opened(folder / "memory.db", EVENING) as memory:
        sleep_if_due(memory.scope, memory.mind)
    return folder


@pytest.fixture
def memory(seed: Path, tmp_path: Path) -> Iterator[Saegim]:
    """A copy of it, in the evening before the night."""
    shutil.copytree(seed, tmp_path / "night")
    with opened(tmp_path / "night" / "memory.db", EVENING) as found:
        yield found


def looked(memory: Saegim, at: datetime) -> NightRow | None:
    """Look at the rota at an instant."""
    memory.mind.clock.at = at
    return sleep_if_due(memory.scope, memory.mind)


def done(row: NightRow | None) -> set[str]:
    """Return what a night has done, without the report that every night writes."""
    return set() if row is None else set(row.done) - {"report"}


def gone(memory: Saegim) -> set[str]:
    """Return what is on its way out, or away."""
    path = memory.mind.store.path
    held = rows(path, "SELECT id, state FROM memory")
    return {each["id"] for each in held if each["state"] in GONE}


def watched(memory: Saegim, since: datetime, days: float) -> Counter[str]:
    """Look every three hours for some days; count how often each stage was slept."""
    slept: Counter[str] = Counter()
    for step in range(int(days * 8) + 1):
        slept.update(done(looked(memory, since + step * DAY / 8)))
    return slept


# -- back -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("back", BACK)
def test_a_clock_set_back_runs_no_period_again(back: timedelta, memory: Saegim) -> None:
    """R-15: slept at half past three, the same night is not slept again an hour earlier."""
    first = done(looked(memory, NIGHT))
    assert {"merge", "fade", "leave", "distil", "propose"} <= first
    before = gone(memory)
    assert done(looked(memory, NIGHT - back)) == set()
    assert done(looked(memory, NIGHT - back + timedelta(seconds=30))) == set()
    assert gone(memory) == before
    memory.maintenance.verify()


@pytest.mark.parametrize("back", BACK[:2])
def test_a_clock_that_was_set_back_for_a_moment_lives_the_hour_once(
    back: timedelta, memory: Saegim
) -> None:
    """R-15: lived through a second time, half past three is not slept a second time."""
    assert "fade" in done(looked(memory, NIGHT + timedelta(seconds=1)))
    again = Counter[str]()
    for minutes in range(0, 120, 5):
        again.update(done(looked(memory, NIGHT - back + timedelta(minutes=minutes))))
    assert again == Counter()
    assert "fade" in done(looked(memory, NIGHT + DAY))


def test_set_back_by_a_year_the_rota_goes_on_and_comes_back(memory: Saegim) -> None:
    """R-15: nights go on by the wrong clock, once a day, and by the right one afterwards."""
    assert "fade" in done(looked(memory, NIGHT))
    wrong = NIGHT - timedelta(days=365)
    slept = watched(memory, wrong + timedelta(hours=1), 3)
    assert slept["fade"] == 3
    assert slept["merge"] == 12
    # What the wrong clock has covered is caught up once, as after a year off.
    right = watched(memory, NIGHT + timedelta(hours=6), 3)
    assert 3 <= right["fade"] <= 4
    assert 12 <= right["merge"] <= 13


def test_set_back_by_a_day_and_an_hour_no_night_is_slept_twice(memory: Saegim) -> None:
    """R-15: a period that was covered is not covered again, also if the clock lost a whole day."""
    assert "fade" in done(looked(memory, NIGHT))
    assert "fade" in done(looked(memory, NIGHT + DAY))
    slept = watched(memory, NIGHT + DAY - timedelta(hours=25), 1.1)
    assert slept["fade"] == 0
    assert "fade" in done(looked(memory, NIGHT + 2 * DAY))


@pytest.mark.parametrize("back", BACK)
def test_what_is_remembered_and_slept_on_a_clock_set_back_is_kept(
    back: timedelta, memory: Saegim
) -> None:
    """R-15: no exception, order by sequence unchanged, nothing leaves because of the jump."""
    memory.mind.clock.at = NIGHT
    one = memory.remember("The first words before the clock was set back", session="s").memory
    memory.mind.clock.at = NIGHT - back
    two = memory.remember("Other words after the clock was set back", session="s").memory
    assert memory.sleep() is not None
    assert [each.id for each in memory.by_session("s")] == [one.id, two.id]
    assert not {one.id, two.id} & gone(memory)
    memory.maintenance.verify()


# -- ahead ----------------------------------------------------------------------------------------


def test_ten_years_ahead_nothing_leaves(memory: Saegim) -> None:
    """R-15: no mass expiry: after such a leap nothing leaves and nothing is forgotten."""
    before = gone(memory)
    row = looked(memory, NIGHT + TEN_YEARS)
    assert row is not None
    assert not row.lets_go
    assert row.told["leave"] == {"quiet": 1}
    assert row.told["forget"] == {"quiet": 1}
    assert gone(memory) == before


def test_nothing_leaves_for_as_long_as_a_person_has_to_look(memory: Saegim) -> None:
    """R-15: seven days after the leap are quiet; what left before them can be called back."""
    before = gone(memory)
    leapt = NIGHT + TEN_YEARS
    for days in (0, 1, 3, 6.9):
        row = looked(memory, leapt + timedelta(days=days))
        assert row is not None
        assert not row.lets_go
    assert gone(memory) == before
    assert memory.restore("mem_queue")[0].life.state is State.ACTIVE
    row = looked(memory, leapt + timedelta(days=7, hours=6))
    assert row is not None
    assert row.lets_go


def test_without_the_quiet_time_a_leap_is_seen_to_empty_the_store(
    memory: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-15 control: a night that trusts any clock lets nearly everything go at once."""
    monkeypatch.setattr("saegim.sleep.schedule.watched", lambda vigil, *_: vigil)
    before = gone(memory)
    row = looked(memory, NIGHT + TEN_YEARS)
    assert row is not None
    assert row.lets_go
    assert len(gone(memory) - before) > 30


def test_what_is_slept_by_hand_after_a_leap_is_as_careful(memory: Saegim) -> None:
    """R-15: the quiet time holds for every way to sleep, and a rehearsal says the same."""
    before = gone(memory)
    memory.mind.clock.at = NIGHT + TEN_YEARS
    whys = {(stage.name, step.why) for stage, step in memory.nights.rehearse("leave", "forget")}
    assert whys == {("leave", "quiet"), ("forget", "quiet")}
    memory.sleep()
    memory.nights.apply_retention_policy()
    assert gone(memory) == before


def test_a_gap_that_is_a_holiday_is_no_leap(memory: Saegim) -> None:
    """R-15: after away_days nights are quiet; until then the machine was only off."""
    assert looked(memory, NIGHT) is not None
    row = looked(memory, NIGHT + timedelta(days=44))
    assert row is not None
    assert row.lets_go
    row = looked(memory, NIGHT + timedelta(days=44 + 46))
    assert row is not None
    assert not row.lets_go


def test_a_leap_does_not_put_everything_to_sleep(memory: Saegim) -> None:
    """R-15: a clock that was wrong for one night does not hide what was recalled the day before."""
    shown = {each.id for each in memory.search("민수", limit=50)}
    assert len(shown) > 10
    looked(memory, NIGHT + TEN_YEARS)
    looked(memory, NIGHT + timedelta(hours=9))
    assert shown <= {each.id for each in memory.search("민수", limit=50)}


def test_when_the_clock_is_right_again_the_rota_goes_on(memory: Saegim) -> None:
    """R-15: ten years ahead for a night, then right: the next night comes tonight, not in 2036."""
    assert "fade" in done(looked(memory, NIGHT + TEN_YEARS))
    back = NIGHT + timedelta(hours=9)
    assert "year" not in done(looked(memory, back))
    slept = watched(memory, back, 3)
    assert slept["fade"] == 3
    assert slept["importance"] == 3
    assert 12 <= slept["merge"] <= 13
    # A week later there is a Sunday, a month later a first.
    assert "distil" in done(looked(memory, NIGHT + timedelta(days=7)))
    assert "propose" in done(looked(memory, datetime(2026, 4, 1, 3, 30, tzinfo=NIGHT.tzinfo)))
    year = looked(memory, datetime(2027, 1, 1, 3, 30, tzinfo=NIGHT.tzinfo))
    assert "year" in done(year)


def test_the_quiet_time_of_a_wrong_clock_ends_soon_after_it_is_right(memory: Saegim) -> None:
    """R-15: set right, the store lets go again after days, not after ten years."""
    assert looked(memory, NIGHT + TEN_YEARS) is not None
    assert looked(memory, NIGHT + timedelta(hours=9)) is None, "planned anew"
    assert looked(memory, NIGHT + DAY) is not None
    row = looked(memory, NIGHT + timedelta(days=9))
    assert row is not None
    assert row.lets_go


def test_a_night_that_was_left_ten_years_ahead_is_finished_with_care(
    memory: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-15, R-24: taken up when the clock is right, it lets nothing go that is not due today."""
    before = gone(memory)
    memory.mind.clock.at = NIGHT + TEN_YEARS

    def dies(name: str, _: int) -> None:
        if name == "leave":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.sleep(tell=dies)
    row = looked(memory, NIGHT)
    assert row is not None
    assert not row.lets_go
    assert gone(memory) == before


def test_jumps_without_end_break_nothing(memory: Saegim) -> None:
    """R-15: back and ahead again and again; every look ends, and the ledger verifies."""
    jumps = [0, -1, 3600, -3600, 86400 * 365, -86400 * 365, 86400 * 3652, 5, 86400]
    said = []
    for seconds in jumps:
        looked(memory, NIGHT + timedelta(seconds=seconds))
        said.append(memory.remember(f"Words that were said {seconds} seconds from then").memory.id)
    memory.maintenance.verify()
    assert memory.mind.store.check() == []
    assert not gone(memory) & set(said)
    assert len({memory.get(id).text for id in said}) == len(jumps)
