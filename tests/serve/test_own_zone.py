"""A time that says no zone means the person's own, at every door (A3)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from saying import Say

from saegim import FixedClock, Saegim
from saegim.errors import BadInput
from saegim.memory.clock import instant_of, iso
from saegim.memory.memory import Memory
from saegim.serve.catalogue.catalogue import CATALOGUE
from saegim.serve.catalogue.entry import CallContext, Door
from saegim.social.bot import Post, Social

SEOUL = timezone(timedelta(hours=9))
# One in the morning in Seoul is still the day before in London.
NIGHT = datetime(2026, 3, 2, 1, 0)


@pytest.fixture
def seoul(tmp_path: Path, clock: FixedClock) -> Iterator[Saegim]:
    """The memory of someone who lives in Seoul, wherever the machine stands."""
    with Saegim.open(tmp_path / "m.db", clock=clock, timezone="Asia/Seoul") as memory:
        yield memory


def happened(memory: Memory) -> datetime:
    """When a memory happened."""
    return memory.time.happened_at


@pytest.mark.parametrize("given", [NIGHT, "2026-03-02T01:00:00", "2026-03-02 01:00"])
def test_what_happened_is_dated_on_the_persons_own_clock(given: Any, seoul: Saegim) -> None:
    """`remember` and `observe` in Python; an instant that says its zone stays what it says."""
    wanted = NIGHT.replace(tzinfo=SEOUL)
    kept = seoul.remember("고양이가 창문으로 나갔다", happened_at=given, valid_from=given)
    assert (happened(kept.memory), kept.memory.time.valid_from) == (wanted, wanted)
    seen = seoul.observe("나는 오늘 부산으로 이사했어", said_at=given)
    assert seen.kept[0].memory.time.happened_at.astimezone(SEOUL).date() == date(2026, 3, 2)
    said = seoul.remember("said", happened_at="2026-03-02T01:00:00Z")
    assert happened(said.memory) == NIGHT.replace(tzinfo=UTC)


def test_every_filter_reads_the_persons_own_clock(seoul: Saegim) -> None:
    """since, until, time_range, during and as_of, as datetime, as date and as text."""
    seoul.remember("주전자를 샀다", happened_at=NIGHT)
    day, later = datetime(2026, 3, 2), datetime(2026, 3, 2, 2)
    for filters in (
        {"since": day, "until": later},
        {"since": date(2026, 3, 2), "until": "2026-03-02T02:00"},
        {"time_range": (day, later)},
        {"time_range": ("2026-03-02", None)},
        {"during": (day, later)},
        {"as_of": later},
    ):
        assert len(seoul.search("주전자", **filters)) == 1, filters
        assert len(seoul.recall("주전자", **filters).hits) == 1, filters
    # The control: read as UTC, the same hours lie nine later.
    for filters in (
        {"since": day.replace(tzinfo=UTC)},
        {"until": NIGHT},
        {"as_of": datetime(2026, 3, 2, 0)},
    ):
        assert seoul.search("주전자", **filters) == [], filters


@pytest.mark.parametrize("day", [date(2026, 3, 2), "2026-03-02", "20260302"])
def test_a_day_without_an_hour_belongs_to_what_it_ends(day: Any, seoul: Saegim) -> None:
    """Until the second of March is until it is over, on the person's own clock; not a moment more.

    A midnight that is an instant stays that instant; the last day there is can be named too.
    """
    last = datetime(2026, 3, 2, 23, 59, 59, 999_999)
    seoul.remember("주전자 하나", happened_at=NIGHT)
    seoul.remember("주전자 둘", happened_at=last)
    seoul.remember("주전자 셋", happened_at=datetime(2026, 3, 3))
    for filters in (
        {"until": day},
        {"since": day, "until": day},
        {"time_range": (day, day)},
        {"until": datetime(2026, 3, 3)},
        {"until": "2026-03-03T00:00"},
    ):
        assert seoul.recent(**filters).total == 2, filters
        assert len(seoul.search("주전자", **filters)) == 2, filters
    assert seoul.recent(until=datetime(2026, 3, 2)).total == 0
    assert seoul.recent(until="9999-12-31").total == seoul.recent(until=date.max).total == 3
    for backwards in (
        {"since": "2026-03-03", "until": day},
        {"time_range": (date(2026, 3, 3), day)},
    ):
        with pytest.raises(BadInput, match="No time lies between") as caught:
            seoul.recent(**backwards)
        assert caught.value.next_step


def test_a_source_is_taken_back_from_the_persons_own_hour_on(seoul: Saegim) -> None:
    """`revert` and the preview of letting go read it the same way."""
    seoul.remember("쪽지", author="page", happened_at=NIGHT)
    # Recorded at 18:00 in Seoul, 09:00 in UTC.
    assert len(seoul.sources.revert(author="page", since=datetime(2026, 1, 1, 17)).memories) == 1
    assert seoul.sources.revert(author="page", since="2026-01-01T19:00").memories == ()
    gone = seoul.forgetting.matching("쪽지", since=datetime(2026, 3, 2))
    assert len(gone.memories) == 1


def test_a_post_is_dated_on_the_persons_own_clock(seoul: Saegim) -> None:
    """The facade for social agents is a door as well."""
    social = Social(seoul, me="나리")
    wanted = NIGHT.replace(tzinfo=SEOUL)
    one = social.remember_post(Post(id="1", author="민호", text="새 자전거를 샀다", at=NIGHT))
    other = social.remember_post(
        {"id": "2", "author": "민호", "text": "비가 온다", "at": "2026-03-02T01:00"}
    )
    assert (happened(one.memory), happened(other.memory)) == (wanted, wanted)


@pytest.mark.parametrize("door", list(Door))
def test_the_catalogue_reads_the_persons_own_clock(door: Door, seoul: Saegim) -> None:
    """MCP and REST: what is saved and what is asked between two dates."""
    at = CallContext(seoul, door)
    told = CATALOGUE["memory_save"].call(at, text="주전자", happened_at="2026-03-02T01:00:00")
    assert happened(seoul.get(told["id"])) == NIGHT.replace(tzinfo=SEOUL)
    ask = CATALOGUE["timeline"]
    assert len(ask.call(at, since="2026-03-02", until="2026-03-03")["memories"]) == 1
    assert ask.call(at, since="2026-03-02T00:00:00Z")["memories"] == []
    search = CATALOGUE["memory_search"]
    assert len(search.call(at, query="주전자", since="2026-03-02")["hits"]) == 1
    assert search.call(at, query="주전자", until="2026-03-01")["hits"] == []
    for call in (partial(search.call, query="주전자"), ask.call, CATALOGUE["memory_browse"].call):
        told = call(at, since="2026-03-02", until="2026-03-02")
        assert len(told.get("hits", told.get("memories", told.get("items")))) == 1
        with pytest.raises(BadInput, match=r"since \(2026-03-02\) and until \(2026-03-01\)"):
            call(at, since="2026-03-02", until="2026-03-01")


def test_the_command_line_reads_the_persons_own_clock(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The setting goes before the zone of the machine."""
    monkeypatch.setenv("SAEGIM_TIMEZONE", "Asia/Seoul")
    kept = say("--json", "remember", "주전자", "--when", "2026-03-02T01:00").json
    assert kept["memory"]["happened_at"] == iso(NIGHT.replace(tzinfo=SEOUL))
    assert len(say("--json", "search", "주전자", "--since", "2026-03-02").json["memories"]) == 1
    assert len(say("--json", "search", "주전자", "--until", "2026-03-02").json["memories"]) == 1
    assert say("--json", "search", "주전자", "--until", "2026-03-01").json["memories"] == []
    that_day = ("--since", "March 2, 2026", "--until", "March 2, 2026")
    assert len(say("--json", "search", "주전자", *that_day).json["memories"]) == 1
    assert say("--json", "search", "주전자", "--until", "March 1, 2026").json["memories"] == []
    wrong = say("search", "주전자", "--since", "soon")
    assert (wrong.code, "names no day" in wrong.err) == (2, True)


_MACHINE = """
import sys
from datetime import datetime
from saegim import Saegim
with Saegim.open(sys.argv[1]) as memory:
    kept = memory.remember("kettle", happened_at=datetime(2026, 7, 2, 1)).memory
    print(kept.time.happened_at.isoformat())
    print(len(memory.search("kettle", since="2026-07-02", until="2026-07-02T02:00")))
"""


@pytest.mark.parametrize(
    ("zone", "wanted"),
    [("Asia/Seoul", "+09:00"), ("America/New_York", "-04:00"), ("UTC", "+00:00")],
)
def test_without_a_setting_the_machine_says_which_zone(
    zone: str, wanted: str, tmp_path: Path
) -> None:
    """A3: settings.timezone, or else the clock of this machine, with its summer time."""
    done = subprocess.run(
        [sys.executable, "-c", _MACHINE, str(tmp_path / "m.db")],
        env={**os.environ, "TZ": zone}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == [f"2026-07-02T01:00:00{wanted}", "1"]


@pytest.mark.parametrize("value", [5, None, timedelta(1), b"2026-01-01", "", "tomorrow"])
def test_what_is_no_time_is_refused_by_name(value: Any) -> None:
    """U20.2: never a guess."""
    with pytest.raises(BadInput, match="since"):
        instant_of(value, "since", SEOUL)


@pytest.mark.parametrize("value", [datetime.min, datetime.max])
def test_a_time_that_the_zone_carries_out_of_the_calendar_is_refused(value: datetime) -> None:
    """R-16: what could be written but never read again is not written."""
    for hours in (14, -12):
        zone = timezone(timedelta(hours=hours))
        out = value.year == (1 if hours > 0 else 9999)
        if out:
            with pytest.raises(BadInput, match="calendar"):
                instant_of(value, "since", zone)
        else:
            assert instant_of(value, "since", zone).utcoffset() == timedelta(hours=hours)


def test_an_hour_that_comes_twice_is_the_first() -> None:
    """The clock is set back: one of the two is meant, and always the same one."""
    from zoneinfo import ZoneInfo

    twice = instant_of("2026-11-01T01:30:00", "since", ZoneInfo("America/New_York"))
    assert iso(twice) == "2026-11-01T01:30:00-04:00"
    assert twice.tzinfo == timezone(timedelta(hours=-4))
