"""A portrait: what holds, what held, and what ends what, folded from claims that are given."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from saegim.memory.memory import Memory, Scope, Time
from saegim.profile.portrait import SURE, PersonProfile, Trait, traits_of
from saegim.store.tables.profile_table import ProfileClaim

START = datetime(2026, 3, 1, tzinfo=UTC)


def said(day: int, text: str, slot: str, value: str, **more: object) -> tuple[Memory, ProfileClaim]:
    """Return a claim of the person, said on a day."""
    at = START + timedelta(days=day)
    memory = Memory(
        id=f"mem_{day}", scope=Scope(user="me"), text=text,
        time=Time(happened_at=at, recorded_at=at),
    )  # fmt: skip
    plain: dict[str, object] = {
        "denied": False,
        "unsure": False,
        "changes": 0.0,
        "sure": 0.9,
        "outdated": False,
    }
    plain["place"] = max(text.find(value), 0)
    claim = ProfileClaim(
        subject="me:", slot=slot, value=value, memory=memory.id, number=day,
        **(plain | more),  # type: ignore[arg-type]
    )  # fmt: skip
    return memory, claim


def holding(*told: tuple[Memory, ProfileClaim]) -> tuple[list[str], list[str]]:
    """Return the values that hold and those that held."""
    made = traits_of(told)
    return (
        [each.value for each in made if each.until is None],
        [each.value for each in made if each.until is not None],
    )


def test_of_what_has_one_value_the_last_holds() -> None:
    """A home, an age, an employer: what was said before is kept as what was."""
    old = said(1, "부산에 살아", "home", "부산")
    new = said(9, "대구로 이사했어", "home", "대구", changes=0.9)
    assert holding(old, new) == (["대구"], ["부산"])
    [before, _] = traits_of([old, new])
    assert before.until == START + timedelta(days=9)
    assert before.ended_by == "mem_9"


def test_what_does_not_read_like_a_change_ends_nothing() -> None:
    """A second home may be a second home: both stand until something says otherwise."""
    old, new = said(1, "부산에 살아", "home", "부산"), said(9, "대구 집에 왔어", "home", "대구")
    assert holding(old, new) == (["부산", "대구"], [])


def test_of_what_has_many_values_each_stands() -> None:
    """A second pet takes no place; only a denial of the same one ends it."""
    first, second = said(1, "고양이 호지", "pet", "호지"), said(2, "강아지 보리", "pet", "보리")
    gone = said(5, "호지가 무지개다리를 건넜어", "pet", "호지", denied=True)
    assert holding(first, second) == (["호지", "보리"], [])
    assert holding(first, second, gone) == (["보리"], ["호지"])


def test_two_homes_in_one_breath_stand_together() -> None:
    """One sentence does not end itself."""
    memory, one = said(1, "주중엔 서울, 주말엔 강릉에 살아", "home", "서울")
    _, two = said(1, "", "home", "강릉")
    assert holding((memory, one), (memory, two)) == (["서울", "강릉"], [])


@pytest.mark.parametrize("doubt", [{"unsure": True}, {"sure": SURE - 0.01}])
def test_doubt_ends_nothing(doubt: dict[str, object]) -> None:
    """Perhaps they move: both stand, or the doubtful reading is left out."""
    home = said(1, "I live in Leeds", "home", "Leeds")
    maybe = said(3, "we may move to York", "home", "York", **({"changes": 0.9} | doubt))
    held, past = holding(home, maybe)
    assert "Leeds" in held
    assert past == []


def test_what_is_denied_can_be_a_trait() -> None:
    """Who does not eat pork is told of by it; who starts to is told of otherwise."""
    never = said(1, "I don't eat pork", "diet", "pork", denied=True)
    now = said(9, "I eat pork again", "diet", "pork")
    [trait] = traits_of([never])
    assert trait.denied
    assert trait.until is None
    last = traits_of([never, now])
    assert [(each.denied, each.until is None) for each in last] == [(True, False), (False, True)]


def test_a_denial_of_what_was_never_said_tells_nothing() -> None:
    """Who left what they never said they had tells of no employer."""
    assert traits_of([said(1, "I left Northwind", "work", "Northwind", denied=True)]) == []


def test_what_is_said_again_stands_once_since_the_first_time() -> None:
    """The same value, longer or shorter, is one trait."""
    told = [said(1, "부천 살아", "home", "부천"), said(4, "부천 중동 살아", "home", "부천 중동")]
    [trait] = traits_of(told)
    assert trait.since == START + timedelta(days=1)


def test_what_a_correction_took_the_place_of_is_past() -> None:
    """A memory that is superseded says what was, not what is."""
    assert holding(said(1, "dentist on 3 May", "plan", "dentist", outdated=True)) == (
        [],
        ["dentist"],
    )


def test_a_correction_ends_nothing_once_it_is_corrected_itself() -> None:
    """A move that was taken back moved nobody."""
    home = said(1, "I live in Oslo", "home", "Oslo")
    moved = said(5, "I moved to Bergen", "home", "Bergen", changes=0.9, outdated=True)
    assert holding(home, moved) == (["Oslo"], ["Bergen"])


def test_of_two_sentences_with_the_value_the_right_one_is_shown() -> None:
    """The value stands where it was read, not where its letters come first."""
    text = "I turned 7 pages. My son is 7."
    told = said(1, text, "age", "7", place=text.rindex("7"))
    [trait] = traits_of([told])
    assert trait.text == "My son is 7."


def test_the_words_around_a_value_fit_on_a_line() -> None:
    """Of a long sentence, the part with the value, and signs where it goes on."""
    long = f"{'아주 ' * 80}부산에 {'오래 ' * 80}살았어"
    [trait] = traits_of([said(1, long, "home", "부산")])
    assert "부산" in trait.text
    assert len(trait.text) <= 162
    assert trait.text.startswith("…")
    assert trait.text.endswith("…")


def test_slots_come_in_order_and_the_latest_words_first() -> None:
    """Name before home before plans, whatever was said first."""
    told = [said(1, "dentist", "plan", "dentist"), said(2, "Leeds", "home", "Leeds"),
            said(3, "vet", "plan", "vet"), said(4, "I'm Jo", "name", "Jo")]  # fmt: skip
    profile = PersonProfile("Jo", True, (), tuple(traits_of(told)))
    assert list(profile.current) == ["name", "home", "plan"]
    assert [each.value for each in profile.current["plan"]] == ["vet", "dentist"]
    assert all(isinstance(each, Trait) for each in profile.traits)


def plans(day: int, *texts: str) -> list[tuple[str, str | None]]:
    """Return the state and the last day of plans for the dentist, as they stand on a day."""
    told = [said(1, each, "plan", "치과" if "치과" in each else "dentist") for each in texts]
    return [
        ("past" if each.until else "ahead", each.last_date and each.last_date.isoformat())
        for each in traits_of(told, now=START + timedelta(days=day))
    ]


@pytest.mark.parametrize(
    "text",
    ["금요일에 치과 예약 있어", "I'm going to the dentist on Friday", "6일에 치과 가기로 했어"],
)
def test_a_plan_is_past_once_its_day_is_over(text: str) -> None:
    """On its day it is still ahead; the day that its words name stands beside it."""
    assert plans(5, text) == [("ahead", "2026-03-06")]
    assert plans(6, text) == [("past", "2026-03-06")]


@pytest.mark.parametrize("text", ["언젠가 치과에 가야 해", "I mean to see a dentist some day"])
def test_a_plan_without_a_day_stays_ahead(text: str) -> None:
    """Control: nothing says that it is over."""
    assert plans(400, text) == [("ahead", None)]


def test_the_same_plan_on_another_day_is_another_plan() -> None:
    """The appointment of last week does not stand for the next one."""
    again = plans(8, "6일에 치과 예약 있어", "20일에 치과 예약 있어")
    assert again == [("past", "2026-03-06"), ("ahead", "2026-03-20")]


def test_each_plan_of_one_turn_has_its_own_day() -> None:
    """Of two sentences in one memory each names its day."""
    text = "금요일에 치과 예약 있어. 20일에 부산 출장 가."
    memory, dentist = said(1, text, "plan", "치과 예약")
    _, trip = said(1, text, "plan", "부산 출장")
    days = [each.last_date for each in traits_of([(memory, dentist), (memory, trip)])]
    assert [str(each) for each in days] == ["2026-03-06", "2026-03-20"]


def test_what_merely_happened_is_no_trait() -> None:
    """Events are memories; a portrait says who someone is."""
    assert traits_of([said(1, "fell off the bike", "event", "fell off the bike")]) == []
