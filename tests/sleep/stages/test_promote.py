"""Who is marked to rise: seed D's conditions at their very edges, and what waits is spared."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.sleep import candidates
from saegim.sleep.flow import sleep_if_due
from sleep.stages.ageing import counts, kept, night, recalled, state, used, why

Opened = Callable[..., Saegim]
VISITS = {
    "ko": [f"1월 {day}일 민수는 한강공원에 갔다" for day in (2, 5, 9)],
    "en": [f"On January {day} Minho went to the library" for day in (2, 5, 9)],
}


def marked(memory: Saegim) -> dict[str, tuple[str, str]]:
    """Look who rises; return why and whereto, by id."""
    night(memory, "promote")
    place = memory.mind.store.nights.turns(memory.scope.user)["promote"].place
    return {
        id: (each.why, each.to.value)
        for each in candidates.read(place).rising
        for id in each.sources
    }


def proposed(memory: Saegim) -> dict[str, tuple[str, ...]]:
    """Look what could become a core memory; return the reasons, by id."""
    night(memory, "promote")
    place = memory.mind.store.nights.turns(memory.scope.user)["promote"].place
    return dict(candidates.read(place).core)


def visits(memory: Saegim, clock: FixedClock, texts: list[str], **about: Any) -> list[str]:
    """Keep a few visits, each on a day of its own."""
    ids = []
    for text in texts:
        ids.append(memory.remember(text, tier="M30", **about).id)
        clock.forward(days=1)
    return ids


# -- M30 to M90 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_theme_of_three_rises_and_one_of_two_does_not(
    memory: Saegim, clock: FixedClock, language: str
) -> None:
    """Seed D §3: the same subject three times in M30."""
    ids = visits(memory, clock, VISITS[language][:2])
    assert marked(memory) == {}
    ids += visits(memory, clock, VISITS[language][2:])
    assert marked(memory) == dict.fromkeys(ids, ("theme", "M90"))


def test_three_times_in_one_breath_is_once(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §3 asks for what comes back: one moment told in three sentences does not."""
    for text in VISITS["ko"]:
        memory.remember(text, tier="M30", session="s", happened_at=clock.at)
    assert marked(memory) == {}


def test_used_three_times_rises(memory: Saegim) -> None:
    """Seed D §3: referenceCount ≥ 3; being shown is not being used."""
    three, two, shown = (kept(memory, text, tier="M30") for text in ("등대", "나침반", "돛대"))
    used(memory, three, 3)
    used(memory, two, 2)
    recalled(memory, shown, 9)
    assert marked(memory) == {three: ("used", "M90")}


def test_felt_more_strongly_than_seven_tenths_rises(memory: Saegim) -> None:
    """Seed D §3: intensity > 0.7, not 0.7 itself."""
    strong = kept(memory, "등대", tier="M30", intensity=0.71)
    kept(memory, "나침반", tier="M30", intensity=0.7)
    assert marked(memory) == {strong: ("felt", "M90")}


@pytest.mark.parametrize(
    ("wish", "plain"),
    [
        ("여권은 둘째 서랍에 있어. 꼭 기억해", "여권은 둘째 서랍에 있어. 기억에 없네"),
        ("Remember this: the spare key is under the pot", "The spare key is under the pot"),
    ],
)
def test_what_a_person_asks_to_keep_rises(memory: Saegim, wish: str, plain: str) -> None:
    """Seed D §3: "기억해" from the person; nobody else's wish counts, nor a mere mention."""
    asked = kept(memory, wish, tier="M30")
    kept(memory, plain, tier="M30")
    kept(memory, wish, tier="M30", origin="agent_inferred")
    kept(memory, wish, tier="M30", origin="web", author="page")
    assert marked(memory) == {asked: ("wished", "M90")}


@pytest.mark.parametrize("turn", ["내 여권은 서랍에 있어. 기억해", "Remember this: I work nights"])
def test_an_observed_wish_is_kept_as_if_it_had_been_remembered(memory: Saegim, turn: str) -> None:
    """DESIGN 4b: a person's explicit wish in a turn settles in M90; a turn without one in M30."""
    seen = memory.observe(turn)
    assert {each.memory.life.tier.value for each in seen.kept} == {"M90"}
    plain = memory.observe("나는 매운 음식을 정말 좋아해")
    assert {each.memory.life.tier.value for each in plain.kept} == {"M30"}


def test_what_was_imagined_does_not_rise(memory: Saegim) -> None:
    """DESIGN §5: what was only imagined stays short-lived; the same told as a fact rises."""
    kept(memory, "등대", tier="M30", intensity=0.9, kind="imagined")
    fact = kept(memory, "나침반", tier="M30", intensity=0.9)
    assert set(marked(memory)) == {fact}


def test_the_thresholds_are_settings(opened: Opened) -> None:
    """Seed D §3: each number can be argued with."""
    memory = opened(rise_used=2, rise_intensity=0.5, deepen_used=3, theme_least=9)
    two = kept(memory, "등대", tier="M30")
    felt = kept(memory, "나침반", tier="M30", intensity=0.6)
    three = kept(memory, "돛대")
    used(memory, two, 2)
    used(memory, three, 3)
    assert marked(memory) == {
        two: ("used", "M90"),
        felt: ("felt", "M90"),
        three: ("used", "M365"),
    }


# -- M90 to M365 ----------------------------------------------------------------------------------


def test_used_five_times_in_its_ninety_days_rises(memory: Saegim) -> None:
    """Seed D §3: referenceCount ≥ 5 for M90; four are not enough."""
    five, four = kept(memory, "등대"), kept(memory, "나침반")
    used(memory, five, 5)
    used(memory, four, 4)
    assert marked(memory) == {five: ("used", "M365")}


def test_what_changed_behaviour_rises(memory: Saegim) -> None:
    """Seed D §3: a record that something was done differently; praise alone is none."""
    changed, praised = kept(memory, "등대"), kept(memory, "나침반")
    memory.feedback(changed, "changed_behaviour")
    memory.feedback(praised, "up")
    assert marked(memory) == {changed: ("behaviour", "M365")}


def test_the_deeply_felt_rises_only_if_it_is_felt_in_several_ways(memory: Saegim) -> None:
    """Seed D §3: intensity > 0.8 and more than one feeling."""
    deep = kept(memory, "등대", intensity=0.81, feelings=["joy", "sadness"])
    kept(memory, "나침반", intensity=0.81, feelings=["joy"])
    kept(memory, "돛대", intensity=0.8, feelings=["joy", "sadness"])
    assert marked(memory) == {deep: ("deeply_felt", "M365")}


def test_what_an_island_stands_on_rises(memory: Saegim) -> None:
    """Seed D §3: a tie to an island of personality."""
    founding = kept(memory, "등대", island="island_home")
    kept(memory, "나침반")
    assert marked(memory) == {founding: ("island", "M365")}


# -- M365 to M0: candidates only ------------------------------------------------------------------


def test_a_year_in_the_tier_makes_a_candidate(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §3: a year survived in M365; a day less is not a year."""
    id = kept(memory, "등대", tier="M365")
    clock.forward(days=364)
    assert proposed(memory) == {}
    clock.forward(days=1)
    assert proposed(memory) == {id: ("a_year",)}


def test_a_rating_does_not_make_a_memory_younger(memory: Saegim, clock: FixedClock) -> None:
    """DESIGN 4b: times are counted from recorded_at, promotion or restore; a star is neither."""
    id = kept(memory, "등대", tier="M365")
    clock.forward(days=200)
    memory.feedback(id, "rating", rating=5)
    clock.forward(days=165)
    assert proposed(memory) == {id: ("a_year",)}


def test_ten_uses_or_an_island_make_a_candidate(memory: Saegim) -> None:
    """Seed D §3: referenceCount ≥ 10, or the ground of an island; nine uses are neither."""
    often, nine = kept(memory, "등대", tier="M365"), kept(memory, "나침반", tier="M365")
    founding = kept(memory, "돛대", tier="M365", island="island_home")
    used(memory, often, 10)
    used(memory, nine, 9)
    assert proposed(memory) == {often: ("often_used",), founding: ("island",)}


def test_no_more_candidates_wait_than_can_be_laid_before_a_person(opened: Opened) -> None:
    """Seed D §3 with core_most: the most used first, and none beyond the number."""
    memory = opened(core_most=2)
    ids = [kept(memory, text, tier="M365") for text in ("등대", "나침반", "돛대", "닻")]
    for extra, id in enumerate(ids):
        used(memory, id, 10 + extra)
    assert list(proposed(memory)) == [ids[3], ids[2]]


def test_marking_changes_no_tier(memory: Saegim) -> None:
    """Seed D §3: candidates are marked daily and lifted weekly; the mark itself moves nothing."""
    for tier in ("M30", "M90", "M365"):
        used(memory, kept(memory, f"등대 {tier}", tier=tier), 12)
    before = memory.maintenance.verify()
    night(memory, "promote")
    assert memory.maintenance.verify() == before


# -- waiting --------------------------------------------------------------------------------------


def test_what_waits_for_its_week_is_spared_that_long(memory: Saegim, clock: FixedClock) -> None:
    """DESIGN 4b: what is marked outlives its tier until the next distillation, and no longer."""
    id = kept(memory, "등대", tier="M30")
    other = kept(memory, "나침반", tier="M30")
    used(memory, id, 3)
    clock.forward(days=30)
    night(memory, "promote", "leave")
    assert (why(memory, other), state(memory, id)) == ("expired", "active")
    clock.forward(days=7)
    night(memory, "promote", "leave")
    assert state(memory, id) == "active"
    clock.forward(days=1)
    night(memory, "promote", "leave")
    assert why(memory, id) == "expired", "a mark is not a way to live for ever"


def test_a_year_old_memory_is_proposed_before_it_leaves(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §3: a watch that looks every hour lets no year-old M365 leave unasked."""
    clock.at = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)
    id = kept(memory, "등대", tier="M365")
    for _ in range(12):
        clock.forward(days=30)
        recalled(memory, id)
    sleep_if_due(memory.scope, memory.mind)
    while clock.at < datetime(2027, 1, 3, 9, 0, tzinfo=UTC):
        clock.forward(hours=1)
        sleep_if_due(memory.scope, memory.mind)
    assert why(memory, id) == "active"
    assert list(proposed(memory)) == [id]


def test_the_mark_is_daily_and_the_rise_weekly(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §3, workers: marked at dawn, distilled on Sunday, and not on the days between."""
    clock.at = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)  # a Monday
    id = kept(memory, "등대", tier="M30")
    used(memory, id, 3)
    sleep_if_due(memory.scope, memory.mind)
    told = []
    for _ in range(6):
        clock.forward(days=1)
        row = sleep_if_due(memory.scope, memory.mind)
        assert row is not None
        told.append(counts(row))
    assert [each.get("marked", 0) for each in told] == [1] * 6
    assert [each.get("rose", 0) for each in told] == [0] * 5 + [1]
