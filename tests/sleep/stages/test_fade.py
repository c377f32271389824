"""Fading: what is not leant on shrinks, then dozes, on the day the formula says; words stay."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from saegim import FixedClock, Saegim
from saegim.memory.entities import RELATED, SIMILAR_TO
from saegim.memory.memory import Scope, strength
from saegim.sleep.night import Night
from saegim.sleep.stages.reweigh import strength_of, wakes
from sleep.stages.ageing import (
    findable,
    kept,
    lines,
    night,
    pin,
    recalled,
    shrunk,
    stands,
    state,
    tie,
)
from stand_ins import core_of

Opened = Callable[..., Saegim]
LONG = (
    "The staging server is called Lighthouse. It stands in the second rack from the door, has two "
    "power supplies, and is restarted every first Monday by whoever makes the coffee that morning."
)


# -- the formula ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recalled", "days", "links", "intensity", "expected"),
    [
        # Worked out by hand: (1 + n)·e^(−0.02·days/(1 + intensity)) + 0.05·links.
        (0, 0, 0, 0.0, 1.000000),
        (0, 50, 0, 0.0, 0.367879),
        (2, 50, 3, 0.0, 1.253638),
        (0, 100, 0, 1.0, 0.367879),
        (1, 30, 1, 0.5, 1.390640),
        (0, 115, 0, 0.0, 0.100259),
        (0, 116, 0, 0.0, 0.098274),
        (4, 365, 0, 0.25, 0.014544),
    ],
)
def test_strength_is_what_seed_c_computes(
    recalled: int, days: int, links: int, intensity: float, expected: float
) -> None:
    """Seed C layer 4, with DESIGN §4's feeling: six digits."""
    found = strength(recalled=recalled, idle_days=days, links=links, intensity=intensity)
    assert found == pytest.approx(expected, abs=5e-7)


def test_the_night_feeds_the_formula_what_it_should(memory: Saegim, clock: FixedClock) -> None:
    """Seed C layer 4 in a store: days since the last recall, recalls, ties to living memories."""
    id = kept(memory, "등대", tier="M365", intensity=0.5)
    other, gone = kept(memory, "나침반"), kept(memory, "돛대")
    tie(memory, other, RELATED, id)
    tie(memory, gone, RELATED, id)
    tie(memory, other, SIMILAR_TO, id)
    clock.forward(days=10)
    recalled(memory, id)
    memory.forget(gone)
    clock.forward(days=30)
    queries = memory.mind.store.night_queries
    (standing,) = [each for each in queries.standings("me", ("active",)) if each.id == id]
    tonight = Night(scope=Scope("me"), mind=memory.mind, id="night_x", at=clock.at)
    found = strength_of(standing, memory.mind.store.links.counts("me")[id], tonight)
    assert found == pytest.approx(1.390640, abs=5e-7)


def test_the_numbers_of_the_formula_are_settings(opened: Opened, clock: FixedClock) -> None:
    """Seed C ForgettingConfig: a faster decay shrinks sooner, a larger boost holds."""
    fast, held = opened(fade_rate=0.2), opened(fade_rate=0.2, fade_boost=0.5)
    ids = {each: kept(each, LONG) for each in (fast, held)}
    for each in (fast, held):
        tie(each, kept(each, "나침반"), RELATED, ids[each])
    clock.forward(days=9)
    for each in (fast, held):
        night(each, "fade")
    assert shrunk(fast, ids[fast])
    assert not shrunk(held, ids[held])


# -- shrinking ------------------------------------------------------------------------------------


def test_below_three_tenths_a_memory_shrinks(memory: Saegim, clock: FixedClock) -> None:
    """Seed C layer 4: e^(−0.02·days) is below 0.3 after 60.2 days: on day 61 and not on day 60."""
    id = kept(memory, LONG)
    clock.forward(days=60)
    assert night(memory, "fade") == {}
    assert not shrunk(memory, id)
    clock.forward(days=1)
    assert night(memory, "fade") == {"shrunk": 1}
    assert shrunk(memory, id)
    assert stands(memory, id).text == LONG, "the words stay stored"
    assert id in findable(memory, "staging server Lighthouse"), "and it is still found"
    assert night(memory, "fade") == {}, "once"


def test_a_prompt_gets_the_short_form_of_what_has_shrunk(opened: Opened, clock: FixedClock) -> None:
    """DESIGN 4b: the composer offers the brief; before the night it offered the words."""
    memory = opened(traces=False)
    id = memory.remember(LONG).id
    question = "What is the staging server called?"
    (before,) = memory.context(question).cards
    assert (before.id, before.form, before.words) == (id, "text", LONG)
    clock.forward(days=61)
    night(memory, "fade")
    (after,) = memory.context(question).cards
    assert (after.id, after.form) == (id, "brief")
    assert after.words == stands(memory, id).content.brief
    assert len(after.words) <= 100


@pytest.mark.parametrize("way", ["recall", "rating"])
def test_what_is_leant_on_again_is_offered_whole(
    memory: Saegim, clock: FixedClock, way: str
) -> None:
    """DESIGN 4b: shrunk is undone by a recall or a rating; by nothing else, day after day."""
    id, other = kept(memory, LONG), kept(memory, "나침반", tier="M365")
    clock.forward(days=61)
    night(memory, "fade")
    clock.forward(days=1)
    night(memory, "fade")
    assert shrunk(memory, id)
    if way == "recall":
        assert id in findable(memory, "staging server Lighthouse")
        assert memory.mind.traces is not None
        memory.mind.traces.flush()
    else:
        memory.feedback(id, "rating", rating=4)
    night(memory, "fade")
    assert not shrunk(memory, id)
    assert shrunk(memory, other), "nobody leant on this one"


def test_feeling_slows_the_decay(memory: Saegim, clock: FixedClock) -> None:
    """DESIGN §4: intensity 1 halves the rate, so that 61 days count as 30."""
    strong = kept(memory, LONG, intensity=1.0, tier="M365")
    plain = kept(memory, "나침반", tier="M365")
    clock.forward(days=61)
    night(memory, "fade")
    assert (shrunk(memory, strong), shrunk(memory, plain)) == (False, True)
    clock.forward(days=60)
    night(memory, "fade")
    assert shrunk(memory, strong)


# -- dozing ---------------------------------------------------------------------------------------


def test_below_a_tenth_a_memory_dozes(memory: Saegim, clock: FixedClock) -> None:
    """Seed C layer 4: on day 116, not on day 115; then default recall leaves it out."""
    id = kept(memory, LONG, tier="M365")
    clock.forward(days=115)
    night(memory, "fade")
    assert state(memory, id) == "active"
    assert id in _found_quietly(memory)
    clock.forward(days=1)
    night(memory, "fade")
    assert state(memory, id) == "dormant"
    assert findable(memory, "staging server Lighthouse") == set()
    assert memory.context("What is the staging server called?").cards == ()
    assert memory.get(id).text == LONG, "by its id it is there"


def _found_quietly(memory: Saegim) -> set[str]:
    """Search without leaving a trace that the night would count."""
    return {each.id for each in memory.search("Lighthouse")}


@pytest.mark.parametrize("way", ["recalled", "rated", "used", "restored"])
def test_what_dozes_wakes_when_it_is_asked_for(memory: Saegim, clock: FixedClock, way: str) -> None:
    """DESIGN 4b: dormant is undone by recall, rating and restore, and stays so the next night."""
    id, other = kept(memory, LONG, tier="M365"), kept(memory, "나침반", tier="M365")
    clock.forward(days=116)
    night(memory, "fade")
    if way == "recalled":
        assert findable(memory, "staging server Lighthouse", state="dormant") == {id}
        assert memory.mind.traces is not None
        memory.mind.traces.flush()
    elif way == "rated":
        memory.feedback(id, "rating", rating=3)
    elif way == "used":
        memory.feedback(id, "used")
    else:
        memory.restore(id)
    assert state(memory, id) == "active"
    assert id in findable(memory, "staging server Lighthouse")
    clock.forward(days=1)
    night(memory, "fade")
    assert (state(memory, id), state(memory, other)) == ("active", "dormant")


def test_a_night_that_goes_on_wakes_nothing_it_put_to_sleep(
    memory: Saegim, clock: FixedClock
) -> None:
    """R-24: a night that was killed goes on under its old hour, and what dozed since stays so."""
    kept(memory, LONG, tier="M365")
    clock.forward(days=116)
    night(memory, "fade")
    (held,) = memory.mind.store.night_queries.standings("me", ("dormant",))
    began = clock.at - timedelta(hours=1)
    goes_on = Night(scope=memory.scope, mind=memory.mind, id="night_test", at=began)
    assert not wakes(held, goes_on)
    # Control: if the clock itself was ahead when it dozed, it wakes.
    clock.at = began
    assert wakes(held, goes_on)


def test_judging_it_poor_does_not_wake_it(memory: Saegim, clock: FixedClock) -> None:
    """The control: a "down" is no proof of life."""
    id = kept(memory, LONG, tier="M365")
    clock.forward(days=116)
    night(memory, "fade")
    memory.feedback(id, "down")
    assert state(memory, id) == "dormant"


# -- exempt ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["pinned", "immutable"])
def test_what_was_made_to_stay_neither_shrinks_nor_dozes(
    memory: Saegim, clock: FixedClock, way: str
) -> None:
    """U26.1 and DESIGN 4b: pinned and immutable memories are never hidden, in any night."""
    id = kept(memory, LONG, tier="M365", **{way: True})
    other = kept(memory, "나침반", tier="M365")
    for days in (61, 60, 400):
        clock.forward(days=days)
        night(memory, "fade")
    assert (state(memory, id), shrunk(memory, id)) == ("active", False)
    assert state(memory, other) == "dormant"
    assert id in findable(memory, "staging server Lighthouse")


def test_a_core_memory_neither_shrinks_nor_dozes(memory: Saegim, clock: FixedClock) -> None:
    """DESIGN 4b: M0 does not fade."""
    core = core_of(memory, LONG)
    clock.forward(days=3000)
    night(memory, "fade")
    assert (state(memory, core.id), shrunk(memory, core.id)) == ("active", False)


def test_a_pin_holds_only_while_it_is_there(memory: Saegim, clock: FixedClock) -> None:
    """U26.1: unpinned, a memory fades as others do."""
    id = kept(memory, LONG, tier="M365", pinned=True)
    clock.forward(days=120)
    night(memory, "fade")
    assert state(memory, id) == "active"
    pin(memory, id, False)
    night(memory, "fade")
    assert state(memory, id) == "dormant"


def test_what_dozed_and_is_pinned_is_not_hidden(memory: Saegim, clock: FixedClock) -> None:
    """U26.1: a person who pins a dozing memory finds it again, at the latest after a night."""
    id = kept(memory, LONG, tier="M365")
    clock.forward(days=116)
    night(memory, "fade")
    assert state(memory, id) == "dormant"
    pin(memory, id)
    night(memory, "fade")
    assert id in findable(memory, "staging server Lighthouse")


def test_fading_can_be_turned_off(opened: Opened, clock: FixedClock) -> None:
    """The control: with both thresholds at zero nothing shrinks and nothing dozes."""
    memory = opened(shrink_below=0.0, doze_below=0.0)
    kept(memory, LONG, tier="M365")
    clock.forward(days=1000)
    assert night(memory, "fade") == {}


def test_decay_deletes_nothing(memory: Saegim, clock: FixedClock) -> None:
    """U26.1: a hundred nights of fading hide and shorten; every word is there, nothing leaves."""
    ids = {kept(memory, f"{LONG} {number}", tier="M365"): number for number in range(5)}
    for _ in range(100):
        clock.forward(days=5)
        night(memory, "fade")
    assert {state(memory, id) for id in ids} == {"dormant"}
    assert all(stands(memory, id).text == f"{LONG} {number}" for id, number in ids.items())
    assert lines(memory, "Leaving", "Archived", "Erased") == []
    assert len(lines(memory, "Dozed")) == len(ids), "one event for each"
