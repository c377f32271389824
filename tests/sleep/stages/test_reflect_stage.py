"""Reflecting by night: at the twentieth new memory and not before, with sources, never twice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from reflect.living import COUNTED, LIVES, lived
from saegim import FixedClock, Saegim
from saegim.memory.entities import DERIVED_FROM
from saegim.memory.memory import Kind, Memory, Origin, Source
from sleep.stages.ageing import everything, findable, kept, lines, night, stands, ties

Opened = Callable[..., Saegim]
LIFE: dict[str, list[dict[str, Any]]] = {life["id"]: life["memories"] for life in LIVES}
ABOUT = {"ko01": "민수", "en01": "Emma"}
both = pytest.mark.parametrize("id", ["ko01", "en01"])


def insights(memory: Saegim) -> list[Memory]:
    """Return the insights there are, the oldest first."""
    found = (each for each in everything(memory).values() if each.kind is Kind.INSIGHT)
    return sorted(found, key=lambda each: each.time.recorded_at)


@both
def test_the_twentieth_memory_makes_one_think(memory: Saegim, clock: FixedClock, id: str) -> None:
    """Seed E verification 6: nothing at nineteen, insights at twenty, tied to what bears them."""
    ids = [each.id for each in lived(LIFE[id][:19], memory, clock)]
    assert night(memory, "reflect") == {}
    assert insights(memory) == []
    ids += [each.id for each in lived(LIFE[id][19:20], memory, clock)]
    told = night(memory, "reflect")
    found = insights(memory)
    assert told["insight"] == len(found) > 0
    for each in found:
        assert each.provenance.source is Source.REFLECTION
        assert each.provenance.origin is Origin.AGENT_INFERRED
        assert each.life.expires_at == clock.at + timedelta(days=90)
        sources = {target for _, _, target in ties(memory, each.id, DERIVED_FROM)}
        assert len(sources) >= 3
        assert sources <= set(ids)
    assert found[0].id in findable(memory, found[0].text)


@both
def test_the_profile_of_whom_they_speak_is_renewed(
    memory: Saegim, clock: FixedClock, id: str
) -> None:
    """Seed E 4-2: the summary of the entity is written anew; before the night there is none."""
    lived(LIFE[id][:20], memory, clock)
    (before,) = memory.entities.named(ABOUT[id])
    assert before.summary == ""
    assert night(memory, "reflect")["portrayed"] >= 1
    (after,) = memory.entities.named(ABOUT[id])
    assert ABOUT[id] in after.summary
    assert not COUNTED.search(after.summary), "that they came up seven times is no profile"
    assert after.interactions == before.interactions, "nobody was met by being thought about"


@both
def test_the_next_night_has_nothing_to_add(memory: Saegim, clock: FixedClock, id: str) -> None:
    """Seed E 4-2: run again, or after a few more memories, no insight is said a second time."""
    lived(LIFE[id][:20], memory, clock)
    night(memory, "reflect")
    first = insights(memory)
    made = len(lines(memory, "Saved"))
    clock.forward(days=1)
    assert night(memory, "reflect") == {}
    lived(LIFE[id][20:], memory, clock)
    assert night(memory, "reflect") == {}, "four are not twenty"
    assert insights(memory) == first
    assert len(lines(memory, "Saved")) == made + 4


@both
def test_the_same_again_is_not_thought_again(memory: Saegim, clock: FixedClock, id: str) -> None:
    """Seed E 4-2: twenty more of the same bring no second insight of the same name."""
    lived(LIFE[id][:20], memory, clock)
    night(memory, "reflect")
    first = [each.content.tags for each in insights(memory)]
    again = [{**row, "day": row["day"] + 21, "text": f"{row['text']}."} for row in LIFE[id][:20]]
    kept_again = lived(again, memory, clock)
    assert len({each.id for each in kept_again}) == 20
    night(memory, "reflect")
    tags = [each.content.tags for each in insights(memory)]
    assert len(tags) == len(set(tags))
    assert set(first) <= set(tags)


def test_what_was_counted_before_leaves(memory: Saegim, clock: FixedClock) -> None:
    """No "X came up N times" as a memory: what an earlier version made of that goes its way."""
    about = {"origin": "agent_inferred"}
    old = [
        kept(memory, "민수 이야기가 최근 기억 24개 중 8개에 나왔다.", kind="insight",
             source="reflection", **about),
        kept(memory, "The back came up three times", source="distillation", **about),
    ]  # fmt: skip
    others = [
        kept(memory, "Minho often goes to the library", source="distillation", **about),
        kept(memory, "The bill came up three times", **about),
    ]
    lived(LIFE["ko01"][:20], memory, clock)
    assert night(memory, "reflect")["pruned"] == 2
    assert {stands(memory, id).life.state.value for id in old} == {"leaving"}
    assert {stands(memory, id).life.state.value for id in others} == {"active"}


def test_reflection_can_be_turned_off(opened: Opened, clock: FixedClock) -> None:
    """Seed E reflection_enabled: with no, twenty-four memories are not thought about."""
    memory = opened(reflection=False)
    lived(LIFE["ko01"], memory, clock)
    assert night(memory, "reflect") == {}
    assert insights(memory) == []


def test_the_threshold_is_a_setting(opened: Opened, clock: FixedClock) -> None:
    """Seed E reflection_threshold: twelve, if a person says so."""
    memory = opened(reflection_threshold=12)
    lived(LIFE["ko01"][:11], memory, clock)
    assert night(memory, "reflect") == {}
    lived(LIFE["ko01"][11:12], memory, clock)
    row = memory.sleep("reflect")
    assert row is not None
    assert row.told["reflect"]["reflected"] == 1


def test_the_nights_own_thoughts_are_no_news(memory: Saegim, clock: FixedClock) -> None:
    """U7: nineteen told memories and twenty that the night made are nineteen."""
    lived(LIFE["ko01"][:19], memory, clock)
    for number in range(10):
        kept(memory, f"민수 이야기 {number}", kind="insight", source="reflection")
        kept(memory, f"민수는 산에 자주 간다 {number}", source="distillation")
        kept(memory, f"민수와 달에 간다 {number}", kind="imagined")
    assert night(memory, "reflect") == {}


def test_an_insight_from_a_page_is_no_more_than_the_page(memory: Saegim, clock: FixedClock) -> None:
    """M1: what is noticed in the words of the web keeps the trust of the web."""
    rows = [{**row, "origin": "web"} for row in LIFE["en01"]]
    lived(rows, memory, clock)
    night(memory, "reflect")
    for each in insights(memory):
        sources = [target for _, _, target in ties(memory, each.id, DERIVED_FROM)]
        assert each.provenance.trust <= min(stands(memory, id).provenance.trust for id in sources)
        assert each.provenance.origin is Origin.WEB
    (emma,) = memory.entities.named("Emma")
    assert emma.summary == "", "and draws nobody's portrait"
