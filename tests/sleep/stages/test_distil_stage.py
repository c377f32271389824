"""Distilling by night: what was marked rises as an essence, its sources stay and age on."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.memory.changes import Linked, Saved
from saegim.memory.entities import CONTRADICTS, DERIVED_FROM, PROMOTED_FROM, Link
from saegim.memory.memory import STRANGERS, Memory, Origin
from saegim.sleep.flow import sleep_if_due
from saegim.store.commit import Batch
from sleep.stages.ageing import (
    counts,
    everything,
    findable,
    kept,
    lines,
    made_by_night,
    night,
    stands,
    state,
    ties,
    used,
)

VISITS = {
    "ko": [f"1월 {day}일 민수는 한강공원에 갔다" for day in (2, 5, 9)],
    "en": [f"On January {day} Minho went to the library" for day in (2, 5, 9)],
}
ESSENCE = {"ko": "민수는 한강공원에 자주 간다", "en": "Minho often goes to the library"}
DEEPER = {"ko": "민수: 한강공원에 자주 감", "en": "Minho: often at the library"}


def visited(memory: Saegim, clock: FixedClock, texts: list[str], **about: Any) -> list[str]:
    """Keep visits in M30, each on a day of its own."""
    ids = []
    for text in texts:
        ids.append(memory.remember(text, tier="M30", **about).id)
        clock.forward(days=1)
    return ids


def risen(memory: Saegim, tier: str = "M90") -> dict[str, int]:
    """Mark and distil; return what was done."""
    return night(memory, "promote", "distil" if tier == "M90" else "deepen")


# -- M30 to M90 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["ko", "en"])
def test_three_dated_visits_become_a_habit(
    memory: Saegim, clock: FixedClock, language: str
) -> None:
    """Seed D §3: the dates fall away, the pattern stays, ninety days from tonight."""
    ids = visited(memory, clock, VISITS[language])
    before = [stands(memory, id) for id in ids]
    assert risen(memory)["rose"] == 1
    (essence,) = made_by_night(memory, "M90")
    assert essence.text == ESSENCE[language]
    assert essence.life.expires_at == clock.at + timedelta(days=90)
    assert essence.life.promoted_from == ids[0]
    assert ties(memory, essence.id, DERIVED_FROM) == {(essence.id, DERIVED_FROM, id) for id in ids}
    assert ties(memory, essence.id, PROMOTED_FROM) == {
        (essence.id, PROMOTED_FROM, id) for id in ids
    }
    assert essence.id in findable(memory, ESSENCE[language])
    after = [stands(memory, id) for id in ids]
    assert [each.life for each in after] == [each.life for each in before], "the sources age on"


def test_two_visits_are_no_habit(memory: Saegim, clock: FixedClock) -> None:
    """The control: with two of the three nothing rises."""
    visited(memory, clock, VISITS["ko"][:2])
    assert risen(memory) == {}
    assert made_by_night(memory, "M90") == []


def test_what_left_meanwhile_does_not_count(memory: Saegim, clock: FixedClock) -> None:
    """Three were marked and one was let go before Sunday: two are no habit; called back, three."""
    ids = visited(memory, clock, VISITS["ko"])
    night(memory, "promote")
    memory.forget(ids[1])
    assert night(memory, "distil") == {}
    memory.restore(ids[1])
    assert night(memory, "distil") == {"rose": 1}


@pytest.mark.parametrize(
    ("about", "uses"), [({"intensity": 0.9, "feelings": ["joy"]}, 0), ({}, 3), ({"rating": 5}, 3)]
)
def test_a_single_memory_rises_in_its_own_words(
    memory: Saegim, about: dict[str, Any], uses: int
) -> None:
    """Seed D §3: used or felt alone, it is lifted, its feeling and its trust with it."""
    id = kept(memory, "The staging server is called Lighthouse", tier="M30", **about)
    used(memory, id, uses)
    assert risen(memory)["rose"] == 1
    (lifted,) = made_by_night(memory, "M90")
    source = stands(memory, id)
    assert lifted.text == source.text
    assert lifted.provenance.origin is Origin.USER_SAID
    assert lifted.emotion == source.emotion
    assert lifted.worth.importance == source.worth.importance
    assert (lifted.worth.recalled, lifted.worth.used) == (0, 0), "its own life begins"
    assert state(memory, id) == "active"


@pytest.mark.parametrize(
    ("wish", "left"),
    [
        ("여권은 둘째 서랍에 있다. 꼭 기억해줘", "여권은 둘째 서랍에 있다."),
        ("Remember this: the spare key is under the pot", "The spare key is under the pot"),
    ],
)
def test_the_wish_itself_is_not_remembered(memory: Saegim, wish: str, left: str) -> None:
    """Seed D §3, condition 4: what was asked to be kept rises without the asking."""
    kept(memory, wish, tier="M30")
    risen(memory)
    assert [each.text for each in made_by_night(memory, "M90")] == [left]


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("내일 10시에 면접이 있다", "2026년 1월 2일 10시에 면접이 있다"),
        ("I have an interview tomorrow at 10", "I have an interview on 2 January 2026 at 10"),
    ],
)
def test_a_plan_that_rises_names_its_day(
    memory: Saegim, clock: FixedClock, said: str, written: str
) -> None:
    """A week later "tomorrow" is another day: what rises keeps its date, and where it was meant."""
    id = kept(memory, said, tier="M30")
    used(memory, id, 3)
    clock.forward(days=7)
    risen(memory)
    (lifted,) = made_by_night(memory, "M90")
    assert lifted.text == written
    assert lifted.time.mentions == stands(memory, id).time.mentions
    assert lifted.time.happened_at == stands(memory, id).time.happened_at


@pytest.mark.parametrize(
    "text",
    [
        "금요일에 병원에 간다",
        "The meeting is on the 9th",
        "She never eats fish",
        "민지와 부산에서 서핑 강습을 받고 돼지국밥을 먹었다. " * 12,
    ],
)
def test_what_cannot_be_told_whole_and_true_rises_itself(memory: Saegim, text: str) -> None:
    """Never cut and never guessed: the memory goes deeper in its own words, and nothing is made."""
    id = kept(memory, text, tier="M30")
    used(memory, id, 3)
    row = memory.sleep("promote", "distil")
    assert row is not None
    assert (counts(row).get("lifted"), counts(row).get("rose")) == (1, None)
    assert made_by_night(memory, "M90") == []
    source = stands(memory, id)
    assert (source.text, source.life.tier.value) == (text, "M90")
    (told,) = memory.nights.promotions()
    assert (told.memory, told.tier.value, told.why) == (id, "M90", "used")
    memory.nights.undo(row.id)
    assert stands(memory, id).life.tier.value == "M30", "and a person can take that back"
    assert memory.nights.promotions() == [], "which is no news any more"


def test_what_is_disputed_does_not_rise(memory: Saegim, clock: FixedClock) -> None:
    """Something living speaks against it: until a person settles that, it stays where it is."""
    id = kept(memory, "The spare key is under the mat", tier="M30")
    other = kept(memory, "The spare key is with Ann")
    used(memory, id, 3)
    tie = Linked(Link(source=other, type=CONTRADICTS, target=id))
    memory.mind.store.commit(Batch(memory.scope.user, [tie], actor="test", at=clock.at))
    assert set(risen(memory)) <= {"marked"}
    memory.forget(other)
    assert risen(memory)["rose"] == 1, "control: nothing speaks against it any more"


def test_a_word_in_three_turns_makes_no_memory(memory: Saegim, clock: FixedClock) -> None:
    """No "X came up three times": a shared word is marked as a theme, and nothing comes of it."""
    for text in ("현우가 선물을 골라 줬다", "현우랑 영화를 보기로 했다", "현우와 사진을 정리했다"):
        memory.remember(text, tier="M30")
        clock.forward(days=1)
    assert risen(memory).get("rose") is None
    assert made_by_night(memory, "M90") == []


def test_a_turn_and_its_facts_are_one_happening(memory: Saegim, clock: FixedClock) -> None:
    """Two turns with a fact each are two visits, not four: no habit."""
    for text in VISITS["ko"][:2]:
        turn = memory.remember(text, tier="M30").memory
        fact = replace(
            turn,
            id=memory.mind.new_id(),
            text=f"{text}.",
            provenance=replace(turn.provenance, turn=turn.id),
        )
        memory.mind.store.commit(Batch(memory.scope.user, [Saved(fact)], actor="t", at=clock.at))
        clock.forward(days=1)
    risen(memory)
    assert made_by_night(memory, "M90") == []


# -- M90 to M365 ----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_habit_that_is_leant_on_becomes_part_of_a_portrait(
    memory: Saegim, clock: FixedClock, language: str
) -> None:
    """Seed D §3: the M90 essence, used five times, is a note of a year."""
    visited(memory, clock, VISITS[language])
    risen(memory)
    (habit,) = made_by_night(memory, "M90")
    used(memory, habit.id, 4)
    assert risen(memory, "M365") == {}
    used(memory, habit.id, 1)
    assert risen(memory, "M365")["rose"] == 1
    (portrait,) = made_by_night(memory, "M365")
    assert portrait.text == DEEPER[language]
    assert portrait.life.expires_at == clock.at + timedelta(days=365)
    assert portrait.life.promoted_from == habit.id
    assert stands(memory, habit.id).life == habit.life


def test_nothing_becomes_a_core_memory_by_itself(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §3: M365 → M0 never happens without a person, whatever a memory was worth."""
    id = kept(memory, "등대", tier="M365", island="island_home", intensity=1.0, rating=5)
    used(memory, id, 50)
    memory.feedback(id, "changed_behaviour")
    for _ in range(7):
        clock.forward(days=60)
        memory.feedback(id, "used")
        night(memory, "promote", "distil", "deepen", "fade", "leave", "propose")
    assert [each.id for each in everything(memory).values() if each.life.tier.value == "M0"] == []
    assert [each.memory for each in memory.proposals.open()] == [id]


# -- trust ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("worst", [each for each in Origin if each is not Origin.USER_CONFIRMED])
def test_a_rise_is_no_promotion_of_trust(memory: Saegim, clock: FixedClock, worst: Origin) -> None:
    """M1: an essence is no more trusted than its sources, nor than an inference.

    What nobody vouches for does not rise by repeating itself.
    """
    ids = []
    for text in VISITS["ko"]:
        ids.append(memory.remember(text, tier="M30", origin=worst.value).id)
        clock.forward(days=1)
    risen(memory)
    if worst in STRANGERS:
        assert made_by_night(memory, "M90") == []
        return
    (essence,) = made_by_night(memory, "M90")
    sources = [stands(memory, id).provenance.trust for id in ids]
    assert essence.provenance.trust == min(*sources, 0.6)
    assert essence.provenance.source.value == "distillation"


def test_what_others_say_does_not_make_the_persons_own_words_less_trusted(
    memory: Saegim, clock: FixedClock
) -> None:
    """M1: one page among three own visits neither joins their theme nor lowers its trust."""
    for text, origin in (*((each, "user_said") for each in VISITS["ko"]), (VISITS["ko"][0], "web")):
        memory.remember(text, tier="M30", origin=origin)
        clock.forward(days=1)
    risen(memory)
    (essence,) = made_by_night(memory, "M90")
    assert essence.provenance.origin is Origin.AGENT_INFERRED


def test_a_single_one_from_the_web_rises_as_what_it_is(memory: Saegim) -> None:
    """M1: lifted alone, the words of a page stay the words of a page, in every tier."""
    id = kept(memory, "The venue seats two hundred people", tier="M30", origin="web")
    used(memory, id, 3)
    risen(memory)
    (lifted,) = made_by_night(memory, "M90")
    used(memory, lifted.id, 5)
    risen(memory, "M365")
    (deeper,) = made_by_night(memory, "M365")
    assert {each.provenance.origin for each in (lifted, deeper)} == {Origin.WEB}


# -- once -----------------------------------------------------------------------------------------


def test_what_has_risen_does_not_rise_again(memory: Saegim, clock: FixedClock) -> None:
    """Run every day, the same visits bring one essence; no night makes it younger again."""
    visited(memory, clock, VISITS["ko"])
    risen(memory)
    (first,) = made_by_night(memory, "M90")
    for _ in range(10):
        clock.forward(days=1)
        assert night(memory, "promote", "distil", "deepen") == {}
    assert made_by_night(memory, "M90") == [first]
    saved = [each for each in lines(memory, "Saved") if each.actor.startswith("night_")]
    assert len(saved) == 1


def test_more_of_the_same_strengthens_the_same_essence(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §3: three more visits do not make a second habit; the first begins its time anew."""
    visited(memory, clock, VISITS["ko"])
    risen(memory)
    (first,) = made_by_night(memory, "M90")
    clock.forward(days=20)
    more = visited(memory, clock, [f"1월 {day}일 민수는 한강공원에 갔다" for day in (21, 24, 27)])
    assert risen(memory)["rose_again"] == 1
    (again,) = made_by_night(memory, "M90")
    assert again.id == first.id
    assert again.worth.repeat == 1.0
    assert again.life.expires_at == clock.at + timedelta(days=90)
    assert {target for _, _, target in ties(memory, first.id, PROMOTED_FROM)} >= set(more)


def test_a_habit_of_another_room_is_another_habit(memory: Saegim, clock: FixedClock) -> None:
    """U13: visits told to different agents are not added up across the wall between them."""
    for text, agent in zip(VISITS["ko"], ("one", "two", "one"), strict=True):
        visited(memory, clock, [text], agent=agent)
    assert risen(memory) == {}


# -- cadence --------------------------------------------------------------------------------------


def test_weekly_and_monthly_are_kept_apart(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §3, workers: M30 rises on Sundays, M90 on the first of a month."""
    clock.at = datetime(2026, 3, 6, 9, 0, tzinfo=UTC)  # a Friday
    short = kept(memory, "등대는 항구 끝에 있다", tier="M30")
    middle = kept(memory, "나침반은 북쪽을 가리킨다")
    used(memory, short, 3)
    used(memory, middle, 5)
    sleep_if_due(memory.scope, memory.mind)
    rose: dict[int, list[Memory]] = {}
    for _ in range(27):
        clock.forward(days=1)
        row = sleep_if_due(memory.scope, memory.mind)
        assert row is not None
        if counts(row).get("rose"):
            made = [each for each in everything(memory).values() if each.time.recorded_at == row.at]
            rose[(clock.at - datetime(2026, 3, 1, tzinfo=UTC)).days + 1] = made
    assert sorted(rose) == [8, 32], "Sunday the 8th of March, and the 1st of April"
    assert [each.life.tier.value for each in rose[8]] == ["M90"]
    assert [each.life.tier.value for each in rose[32]] == ["M365"]
