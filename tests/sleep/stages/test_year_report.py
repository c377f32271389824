"""The reports of nights and years: their counts are those of the ledger, and they hold no words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from reflect.living import LIVES, lived
from saegim import FixedClock, Saegim
from saegim.sleep.flow import sleep_if_due
from saegim.store.tables.night_table import NightRow
from sleep.stages.ageing import (
    everything,
    kept,
    lines,
    night,
    open_at,
    recounted,
    report_page,
    said,
    stands,
    used,
    without_settings,
)
from stand_ins import shelve

LIFE = {life["id"]: life["memories"] for life in LIVES}


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Saegim, list[NightRow]]]:
    """A year in which everything happens: the store at its end, and its nights."""
    clock = FixedClock()
    with pytest.MonkeyPatch.context() as patch:
        without_settings(patch)
        with open_at(tmp_path_factory.mktemp("year") / "year.db", clock) as memory:
            yield memory, lively(memory, clock)


def lively(memory: Saegim, clock: FixedClock) -> list[NightRow]:
    """Live eleven months, with whole nights; return them."""
    lived(LIFE["ko01"], memory, clock)
    lived([{**row, "day": row["day"] + 20} for row in LIFE["en01"]], memory, clock)
    for text in ("민지는 오후에 보리차를 마신다", "민지는 오후에 보리차를 마신다."):
        kept(memory, text)
    kept(memory, "아무도 찾지 않는 쪽지", tier="M365", importance=0.1)
    kept(memory, "The neglected corner shelf", tier="M365")
    used(memory, kept(memory, "등대는 항구 끝에 있다", tier="M365"), 10)
    used(memory, kept(memory, "돛대가 부러졌다", tier="M30"), 3)
    shelve(memory, ["지난주에는 사무실을 옮겼다. " * 8])
    nights = []
    for _ in range(34):
        clock.forward(days=9)
        row = memory.sleep()
        assert row is not None
        nights.append(row)
    return nights


# -- the nights -----------------------------------------------------------------------------------


def test_the_reports_count_what_the_ledger_saw(year: tuple[Saegim, list[NightRow]]) -> None:
    """Seed C's report and U5.1: for every night, each count is that many lines of that night."""
    memory, nights = year
    whole: Counter[str] = Counter()
    for row in nights:
        counted = recounted(lines(memory, actor=row.id))
        assert said(row.told) == counted, row.at
        whole.update(counted)
    happened = {"expired", "faded", "pruned", "merged", "shrunk", "dozed", "archived", "erased"}
    happened |= {"insight", "portrayed", "rose", "proposed", "reweighed", "retold"}
    assert happened <= set(whole), "a year in which all of it happened"


def test_a_group_of_three_twins_counts_as_two_that_went(memory: Saegim) -> None:
    """The report says how many memories were merged, not how many heaps they lay in."""
    for end in ("", ".", "!"):
        kept(memory, f"민지는 오후에 보리차를 마신다{end}")
    row = memory.sleep("merge")
    assert row is not None
    assert len(lines(memory, "Superseded", actor=row.id)) == 2
    assert row.told["merge"]["merged"] == 2


def test_each_night_that_did_something_has_its_page(memory: Saegim, clock: FixedClock) -> None:
    """DESIGN §5: a page for each night that changed anything, with what the night itself tells."""
    kept(memory, "등대", tier="M30")
    quiet = memory.sleep()
    clock.forward(days=30)
    loud = memory.sleep()
    assert quiet is not None
    assert loud is not None
    pages = {page["night"]: page["told"] for page in report_page(memory, "night_report")}
    assert loud.id in pages
    assert pages[loud.id]["leave"] == loud.told["leave"]
    assert pages[loud.id]["leave"]["expired"] == 1
    assert memory.nights.one(loud.id) == loud


def test_a_night_in_which_nothing_happened_writes_no_page(
    memory: Saegim, clock: FixedClock
) -> None:
    """The control: an empty house has quiet nights, and no report of them."""
    for _ in range(3):
        clock.forward(days=1)
        sleep_if_due(memory.scope, memory.mind)
    assert report_page(memory, "night_report") == []


# -- the year -------------------------------------------------------------------------------------


def test_the_report_of_the_year_is_the_ledger_of_the_year(
    year: tuple[Saegim, list[NightRow]],
) -> None:
    """Seed D §3, yearly: every change counted by its kind, and what there is now by its state."""
    memory, _ = year
    page = report_page(memory, "year_report")[-1]
    (*_, written) = [e for e in lines(memory, "Written") if e.facts["kind"] == "year_report"]
    before = [entry for entry in lines(memory) if entry.seq < written.seq]
    counted: Counter[str] = Counter()
    for entry in before:
        detail = {"Leaving": "reason", "Saved": "tier"}.get(entry.change)
        counted[f"{entry.change}:{entry.facts[detail]}" if detail else entry.change] += 1
    assert page["happened"] == dict(counted)
    assert sum(page["happened"].values()) == len(before)
    born = [entry.subject for entry in before if entry.change == "Saved"]
    states = Counter(stands(memory, id).life.state.value for id in born)
    assert page["now"]["state"] == dict(states)
    alive = [each for each in everything(memory).values() if each.life.state.value == "active"]
    assert page["now"]["tier"] == dict(Counter(each.life.tier.value for each in alive))


def test_the_report_of_the_year_is_due_on_new_years_morning(
    memory: Saegim, clock: FixedClock
) -> None:
    """Seed D §3: once a year, and not on the last day of the old one."""
    clock.at = datetime(2026, 12, 29, 9, 0, tzinfo=UTC)
    kept(memory, "등대")
    for day, pages in ((29, 0), (30, 0), (31, 0), (32, 1), (33, 1)):
        clock.at = datetime(2026, 12, 28, 9, 0, tzinfo=UTC)
        clock.forward(days=day - 28)
        sleep_if_due(memory.scope, memory.mind)
        assert len(report_page(memory, "year_report")) == pages, day


def test_two_years_together_count_everything_once(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §3: what happened on New Year's night belongs to one year, not to both."""
    clock.at = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)
    kept(memory, "등대", pinned=True)
    clock.at = datetime(2027, 1, 1, 2, 0, tzinfo=UTC)
    kept(memory, "나침반", pinned=True)
    clock.at = datetime(2027, 1, 1, 3, 30, tzinfo=UTC)
    night(memory, "year")
    clock.at = datetime(2027, 7, 1, 9, 0, tzinfo=UTC)
    kept(memory, "돛대", pinned=True)
    clock.at = datetime(2028, 1, 1, 3, 30, tzinfo=UTC)
    night(memory, "year")
    counted = [page["happened"].get("Saved:M90", 0) for page in report_page(memory, "year_report")]
    assert counted == [2, 1]


@pytest.mark.parametrize("kind", ["night_report", "year_report"])
def test_no_report_holds_the_words_of_a_memory(
    year: tuple[Saegim, list[NightRow]], kind: str
) -> None:
    """Pages and the ledger hold ids and numbers; the words are made when a person reads them."""
    memory, _ = year
    told = "".join(
        f"{page.title}{page.body}{dict(page.data)}"
        for page in memory.mind.store.pages.of(memory.scope, kind=kind)
    )
    told += "".join(f"{each.subject}{each.facts}" for each in lines(memory))
    assert told
    texts = [row["text"] for row in (*LIFE["ko01"], *LIFE["en01"])]
    texts += ["보리차를 마신다", "찾지 않는 쪽지", "The neglected corner shelf", "돛대가 부러졌다"]
    texts += [each.text for each in everything(memory).values()]
    # Short English words stand in the names of Changes too.
    words = {word for text in texts for word in text.split() if len(word) > 5 or not word.isascii()}
    assert len(words) > 80
    assert {word for word in words if word in told} == set()
