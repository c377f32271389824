"""The places of a day: never more than they are, whoever asks, and none lost for ever."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from imagine.conftest import NOW, Opened
from saegim import FixedClock, Saegim
from saegim.errors import Refused
from saegim.imagine import places
from saegim.imagine.flow import imagine
from saegim.settings import Settings

RACE = """
import sys
from datetime import datetime
from saegim import FixedClock, Saegim
from saegim.errors import Refused

clock = FixedClock(datetime.fromisoformat(sys.argv[2]))
with Saegim.open(sys.argv[1], clock=clock, timezone="Asia/Seoul", background=False) as memory:
    print("ready", flush=True)
    sys.stdin.readline()
    made = 0
    for _ in range(3):
        try:
            memory.imagination.make()
            made += 1
        except Refused:
            pass
    print(made, flush=True)
"""


def test_the_fourth_of_a_day_is_refused(memory: Saegim) -> None:
    """Seed D §7: three a day; the refusal says which day, how many, and what helps."""
    for left in (2, 1, 0):
        memory.imagination.make()
        assert memory.imagination.today().left == left
    with pytest.raises(Refused) as refused:
        memory.imagination.make()
    assert "2026-03-02" in refused.value.message
    assert "imagination_per_day" in refused.value.next_step
    assert "오늘(2026-03-02)은 이미 3번" in refused.value.told("ko")[0]
    assert len(memory.imagination.latest()) == 3
    assert Settings().imagination_per_day == 3


def test_a_restart_does_not_give_the_day_anew(opened: Opened) -> None:
    """The places stand in the store, not in the process."""
    first = opened()
    first.imagination.make()
    first.imagination.make()
    first.close()
    again = opened()
    assert again.imagination.today().left == 1
    again.imagination.make()
    with pytest.raises(Refused):
        again.imagination.make()


def test_the_day_is_the_persons_own(memory: Saegim, clock: FixedClock) -> None:
    """Midnight in Seoul is 15:00 UTC: an hour before it the day is full, after it there is room."""
    for _ in range(3):
        memory.imagination.make()
    clock.at = NOW.replace(hour=14, minute=59)
    with pytest.raises(Refused):
        memory.imagination.make()
    clock.at = NOW.replace(hour=15, minute=1)
    made = memory.imagination.make()
    today = memory.imagination.today()
    assert (today.day, today.left, [each.id for each in today.imaginations]) == (
        "2026-03-03",
        2,
        [made.id],
    )
    # A clock that is put back finds the day before as full as it was.
    clock.at = NOW.replace(hour=14, minute=30)
    with pytest.raises(Refused):
        memory.imagination.make()


def test_two_processes_share_the_places(opened: Opened, tmp_path: Path) -> None:
    """Each of two processes asks three times at once: three are made, and the ledger verifies."""
    memory = opened()
    running = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, str(tmp_path / "memory.db"), NOW.isoformat()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for each in running:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in running:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    made = [int(each.communicate()[0]) for each in running]
    assert sum(made) == 3
    assert len(memory.imagination.latest()) == 3
    memory.maintenance.verify()


def test_without_the_transaction_two_could_take_the_last(memory: Saegim) -> None:
    """The control: a place counted before the transaction would be given twice."""
    memory.imagination.make()
    memory.imagination.make()
    day = places.day_of(memory.mind.now(), memory.mind)
    counted = [len(places.places(day, memory.scope, memory.mind)) for _ in range(2)]
    assert counted == [2, 2]
    places.reserve("asked", scope=memory.scope, mind=memory.mind)
    with pytest.raises(Refused):
        places.reserve("asked", scope=memory.scope, mind=memory.mind)


def test_a_place_whose_maker_crashed_is_taken_over_and_the_late_one_writes_nothing(
    memory: Saegim, clock: FixedClock
) -> None:
    """For a quarter of an hour it counts as taken; then the next who asks has it."""
    scope, mind = memory.scope, memory.mind
    lost = places.reserve("asked", scope=scope, mind=mind)
    memory.imagination.make()
    memory.imagination.make()
    with pytest.raises(Refused):
        memory.imagination.make()
    clock.at += timedelta(minutes=16)
    memory.imagination.make()
    assert memory.imagination.today().left == 0
    with pytest.raises(Refused, match="went to another"):
        places.filled(lost, "mem_late", scope=scope, mind=mind)


def test_what_cannot_be_made_gives_its_place_back(
    memory: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault between taking the place and keeping what was made costs no place of the day."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the power failed")

    with monkeypatch.context() as patched:
        patched.setattr("saegim.imagine.flow.scene_by_rule", broken)
        with pytest.raises(RuntimeError):
            memory.imagination.make()
    assert memory.imagination.today().left == 3


def test_one_hour_is_served_once(memory: Saegim) -> None:
    """Two schedulers that find the same morning due make one imagination between them."""
    imagine("morning", scope=memory.scope, mind=memory.mind)
    with pytest.raises(Refused, match="already"):
        imagine(
            "morning",
            scope=memory.scope,
            mind=memory.mind,
            unless=lambda place: place.trigger == "morning",
        )
    assert memory.imagination.today().left == 2


def test_pages_hold_no_words(memory: Saegim) -> None:
    """The places and the patterns are ids and numbers: nothing there must be erased."""
    memory.imagination.make(context="화면에 편집기가 떠 있음")
    memory.imagination.feedback("liked")
    written = str([each.data for each in memory.mind.store.pages.of(memory.scope)])
    assert "imagination" in str([e.key for e in memory.mind.store.pages.of(memory.scope)])
    assert not any(word in written for word in ("카페", "야근", "편집기", "할머니"))
