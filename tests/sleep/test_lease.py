"""A night is held by one process: the lease is renewed, runs out, is taken, and fences off."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

from saegim import FixedClock, Saegim
from saegim.errors import TakenOver
from saegim.memory.changes import Reweighed
from saegim.memory.memory import Scope
from saegim.sleep import flow
from saegim.sleep.flow import NightLease, begun, chosen
from saegim.sleep.scheduler import Scheduler
from saegim.store.commit import Batch
from saegim.store.tables.night_table import LEASE, NightRow, NightTable, ScheduleState, Shift
from stand_ins import PATIENCE

OWNER = "me"
ME = Scope(OWNER)
SECOND = timedelta(seconds=1)


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Saegim]:
    """A memory with something in it, whose store does not wait long for others."""
    path = tmp_path / "memory.db"
    with Saegim.open(path, user=OWNER, clock=clock, durability="fast", busy_seconds=0.5) as found:
        found.remember("the kettle is red")
        yield found


@pytest.fixture
def desk(memory: Saegim) -> NightTable:
    """The book of nights."""
    return memory.mind.store.nights


def night(memory: Saegim, *stages: str) -> NightRow | None:
    """Begin a night of these stages now, or take one up."""
    return begun(ME, memory.mind, chosen(stages))


def held(memory: Saegim, *stages: str) -> NightRow:
    """Begin a night that nobody else holds."""
    row = night(memory, *stages)
    assert row is not None
    return row


def batch(memory: Saegim, row: NightRow, id: str) -> Batch:
    """Return a commit that a night could make."""
    now = memory.mind.now()
    shift = Shift(night=row.id, fence=row.fence, stage="importance", until=now + LEASE)
    change = Reweighed(memory=id, at=now, importance=0.9)
    return Batch(OWNER, [change], actor=row.id, at=now, shift=shift)


def until(condition: threading.Event) -> None:
    """Wait for something another thread does; a hang guard, not a measurement."""
    assert condition.wait(PATIENCE)


# -- taking it ------------------------------------------------------------------------------------


def test_one_night_of_an_owner_runs_at_a_time(memory: Saegim, clock: FixedClock) -> None:
    """R-24: while the lease lasts nobody else begins or takes it, whatever stages they want."""
    row = held(memory)
    assert (row.fence, row.done, row.leased_until) == (1, (), clock.at + LEASE)
    assert night(memory) is None
    assert night(memory, "merge") is None
    clock.at = row.leased_until - SECOND
    assert night(memory) is None


def test_no_more_nights_run_at_once_than_the_settings_say(
    tmp_path: Path, clock: FixedClock
) -> None:
    """While others hold as many as may, a look begins none; when one is over, it does."""
    path = tmp_path / "memory.db"
    with Saegim.open(path, user=OWNER, clock=clock, nights_at_once=1) as mine:
        mine.remember("the kettle is red")
        yours = mine.within(user="you")
        yours.remember("the cup is blue")
        Scheduler.once(mine.mind)
        clock.forward(days=2)
        other = begun(Scope("you"), mine.mind, chosen(()))
        assert other is not None
        look = Scheduler(mine.mind, keep=False)
        assert look.look() == 0
        assert mine.mind.store.nights.under_way(mine.mind.now()) == 1
        mine.mind.store.nights.end(other, mine.mind.now())
        assert look.look() > 0


def test_two_owners_sleep_side_by_side(memory: Saegim) -> None:
    """R-24: a night belongs to one owner; another's is not held up by it."""
    memory.within(user="you").remember("the kettle is blue")
    held(memory)
    assert begun(Scope("you"), memory.mind, chosen(())) is not None


def test_a_lease_that_is_over_is_taken_with_a_higher_fence(
    memory: Saegim, clock: FixedClock
) -> None:
    """R-24: the night goes on under its own name, its own instant and a new fence."""
    row = held(memory, "merge", "fade")
    clock.at = row.leased_until
    taken = held(memory)
    assert (taken.id, taken.at, taken.stages) == (row.id, row.at, row.stages)
    assert taken.fence == row.fence + 1
    assert taken.leased_until == clock.at + LEASE


@pytest.mark.parametrize("days", [1, 3652])
def test_a_lease_of_the_far_future_was_given_by_a_wrong_clock(
    days: int, memory: Saegim, clock: FixedClock
) -> None:
    """R-24, R-15: nobody waits ten years for a night that a wrong clock has begun."""
    right = clock.at
    clock.forward(days=days)
    row = held(memory)
    clock.at = right
    again = held(memory)
    # Taken up, or, begun so long ago or ahead that its instant means nothing, begun anew.
    assert (again.id, again.fence) == (row.id, row.fence + 1) if days == 1 else again.id != row.id


def test_a_clock_a_little_ahead_is_waited_for(memory: Saegim, clock: FixedClock) -> None:
    """R-24: two machines' clocks differ by seconds; that alone takes nobody's night away."""
    held(memory)
    clock.at -= LEASE - SECOND
    assert night(memory) is None


def test_two_that_take_at_the_same_instant_take_it_once(memory: Saegim, clock: FixedClock) -> None:
    """R-24: the lease that is over is given to one of those who come for it."""
    row = held(memory)
    clock.at = row.leased_until
    path = memory.mind.store.path
    with Saegim.open(path, user=OWNER, clock=clock, durability="fast") as other:
        gate = threading.Barrier(2)
        found: list[NightRow | None] = []

        def take(one: Saegim) -> None:
            gate.wait(PATIENCE)
            found.append(night(one))

        threads = [threading.Thread(target=take, args=(one,)) for one in (memory, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
    assert sorted(each is None for each in found) == [False, True]


# -- the fence ------------------------------------------------------------------------------------


def test_who_was_taken_over_writes_nothing(memory: Saegim, clock: FixedClock) -> None:
    """R-24: the commit is refused whole; memory, ledger, progress and lease stay as they are."""
    id = memory.remember("the lamp is green").memory.id
    row = held(memory)
    clock.at = row.leased_until
    taken = held(memory)
    store = memory.mind.store
    before = store.ledger.verify(ME)
    with pytest.raises(TakenOver) as told:
        store.commit(batch(memory, row, id))
    assert row.id in told.value.message
    assert store.ledger.verify(ME) == before
    assert memory.get(id).worth.importance < 0.9
    assert store.nights.get(ME, row.id) == taken
    store.commit(batch(memory, taken, id))
    assert memory.get(id).worth.importance == 0.9


def test_who_was_taken_over_neither_renews_nor_ends(
    memory: Saegim, desk: NightTable, clock: FixedClock
) -> None:
    """R-24: the old holder cannot lengthen the lease of the new one, nor close its night."""
    row = held(memory)
    clock.at = row.leased_until
    taken = held(memory)
    late = Shift(night=row.id, fence=row.fence, stage="", until=clock.at + 2 * LEASE)
    assert desk.renew(OWNER, late) is False
    desk.end(row, clock.at)
    assert desk.get(ME, row.id) == taken


def test_a_night_that_has_ended_is_written_to_by_nobody(
    memory: Saegim, desk: NightTable, clock: FixedClock
) -> None:
    """R-24: after its end also its last holder is too late."""
    id = memory.remember("the lamp is green").memory.id
    row = held(memory)
    desk.end(row, clock.at)
    with pytest.raises(TakenOver):
        memory.mind.store.commit(batch(memory, row, id))
    fresh = held(memory)
    assert fresh.id != row.id


def test_a_commit_moves_the_lease_on(memory: Saegim, desk: NightTable, clock: FixedClock) -> None:
    """R-24: who works needs no beat: each commit renews the lease."""
    id = memory.remember("the lamp is green").memory.id
    row = held(memory)
    clock.at = row.leased_until - SECOND
    memory.mind.store.commit(batch(memory, row, id))
    clock.forward(seconds=60)
    assert night(memory) is None
    found = desk.get(ME, row.id)
    assert found is not None
    assert found.leased_until == row.leased_until - SECOND + LEASE


# -- the beat -------------------------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beat every few milliseconds instead of every half minute."""
    monkeypatch.setattr(flow, "_BEATS", LEASE.total_seconds() / 0.005)


@pytest.mark.usefixtures("quick")
def test_while_a_stage_thinks_the_lease_is_renewed(
    memory: Saegim, desk: NightTable, clock: FixedClock
) -> None:
    """R-24: a model that answers after minutes does not cost its process the night."""
    row = held(memory)
    with NightLease(row, memory.mind):
        for _ in range(3):
            clock.forward(seconds=100)
            renewed_to(desk, row, clock)
            assert night(memory) is None
    clock.forward(seconds=LEASE.total_seconds())
    assert held(memory).fence == row.fence + 1


def renewed_to(desk: NightTable, row: NightRow, clock: FixedClock) -> None:
    """Wait until the lease counts from the present instant."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = desk.get(ME, row.id)
        if found is not None and found.leased_until == clock.at + LEASE:
            return
        time.sleep(0.002)
    raise AssertionError("the lease was not renewed")


@pytest.mark.usefixtures("quick")
def test_a_busy_store_costs_a_beat_and_not_the_night(
    memory: Saegim, desk: NightTable, clock: FixedClock
) -> None:
    """R-24: while someone else writes for long the beat fails; afterwards it goes on."""
    row = held(memory)
    raw = apsw.Connection(str(memory.mind.store.path))
    # A beat may hold the lock at that instant.
    raw.set_busy_timeout(int(1000 * PATIENCE))
    tried = threading.Event()
    renew = desk.renew

    def watched(owner: str, shift: Shift) -> bool:
        try:
            return renew(owner, shift)
        finally:
            tried.set()

    desk.renew = watched  # type: ignore[method-assign]
    try:
        with NightLease(row, memory.mind) as holding:
            raw.execute("BEGIN IMMEDIATE")
            tried.clear()
            clock.forward(seconds=30)
            until(tried)
            raw.execute("ROLLBACK")
            assert holding._thread.is_alive()
            renewed_to(desk, row, clock)
    finally:
        raw.close()


@pytest.mark.usefixtures("quick")
def test_the_beat_ends_with_the_night_however_it_ends(memory: Saegim) -> None:
    """No thread outlives the night it was renewing, also when a stage breaks."""
    row = held(memory)
    with pytest.raises(ZeroDivisionError), NightLease(row, memory.mind) as holding:
        raise ZeroDivisionError
    assert not holding._thread.is_alive()


@pytest.mark.usefixtures("quick")
def test_the_beat_of_one_who_was_taken_over_disturbs_nobody(
    memory: Saegim, desk: NightTable, clock: FixedClock
) -> None:
    """R-24: a late holder's beat goes on and renews nothing."""
    row = held(memory)
    with NightLease(row, memory.mind):
        vigil = ScheduleState(None, clock.at, False)
        clock.forward(days=-1)
        taken = desk.begin(ME, "night_other", ["merge"], clock.at, vigil=vigil)
        assert taken is not None
        beaten = threading.Event()
        renew = desk.renew

        def watched(owner: str, shift: Shift) -> bool:
            ours = renew(owner, shift)
            if not ours:
                beaten.set()
            return ours

        desk.renew = watched  # type: ignore[method-assign]
        until(beaten)
        found = desk.get(ME, row.id)
    assert found == taken


def left_for_weeks(memory: Saegim, desk: NightTable, clock: FixedClock) -> tuple[bool, bool]:
    """Leave a night, come back 20 days later; say if it is a fresh one and what left can return."""
    kept = memory.remember("blue kettle", tier="M30").id
    clock.forward(days=31)
    vigil = desk.vigil("me")
    left = desk.begin(memory.scope, "night_left", ["leave"], clock.now(), vigil=vigil)
    assert left is not None
    clock.forward(days=20)
    row = memory.sleep("leave")
    until = memory.get(kept, exact=True).life.leaving_until
    assert row is not None
    assert until is not None
    return row.id != left.id, until > clock.now()


def test_a_night_that_was_left_for_weeks_is_begun_anew(
    memory: Saegim, desk: NightTable, clock: FixedClock
) -> None:
    """DESIGN 4b: what leaves can be called back for seven days, also after an interrupted night."""
    assert left_for_weeks(memory, desk, clock) == (True, True)


def test_taken_up_after_weeks_its_way_back_would_be_over(
    memory: Saegim, desk: NightTable, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: with the old night taken up, what it lets go could not be called back in time."""
    monkeypatch.setattr("saegim.store.tables.night_table._STALE", timedelta(days=10_000))
    assert left_for_weeks(memory, desk, clock) == (False, False)
