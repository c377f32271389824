"""Proposing core memories: a few at a time, spared while they wait, and only a person says yes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, Refused
from saegim.memory.entities import DERIVED_FROM, PROMOTED_FROM
from saegim.sleep.flow import sleep_if_due
from sleep.stages.ageing import (
    everything,
    findable,
    kept,
    lines,
    night,
    stands,
    state,
    ties,
    used,
    why,
)

Opened = Callable[..., Saegim]
WORDS = ("삐돌이가 이름을 지어 주었다", "바다를 처음 보았다", "첫 책을 다 읽었다", "The first snow")


def candidates(memory: Saegim, count: int) -> list[str]:
    """Keep so many M365 memories that were used often enough, the first the most."""
    ids = [kept(memory, text, tier="M365") for text in WORDS[:count]]
    for at, id in enumerate(ids):
        used(memory, id, 13 - at)
    return ids


def laid(memory: Saegim) -> list[str]:
    """Mark and propose; return what waits for an answer."""
    night(memory, "promote", "propose")
    return sorted(each.memory for each in memory.proposals.open())


# -- asking ---------------------------------------------------------------------------------------


def test_a_candidate_is_proposed_and_nothing_else_happens(memory: Saegim) -> None:
    """Seed D §3: M365 → M0 is a recommendation; tier, state and end stay as they were."""
    (id,) = candidates(memory, 1)
    before = stands(memory, id)
    assert laid(memory) == [id]
    (proposal,) = memory.proposals.open()
    assert (proposal.about, proposal.reasons, proposal.state) == ("core", ("often_used",), "open")
    assert stands(memory, id) == before
    assert [each.life.tier.value for each in everything(memory).values()] == ["M365"]


def test_no_more_wait_at_once_than_can_be_read(opened: Opened) -> None:
    """core_most: with room for two, the third comes when one of the first was answered."""
    memory = opened(core_most=2)
    ids = candidates(memory, 3)
    assert laid(memory) == sorted(ids[:2])
    assert laid(memory) == sorted(ids[:2]), "asked again, nothing more"
    (first,) = [each for each in memory.proposals.open() if each.memory == ids[0]]
    memory.proposals.refuse(first.id, by="지민")
    assert laid(memory) == sorted(ids[1:])


def test_core_most_zero_proposes_nothing(opened: Opened) -> None:
    """The control: a person who wants no proposals gets none."""
    memory = opened(core_most=0)
    candidates(memory, 2)
    assert laid(memory) == []


def test_it_is_asked_once_a_month(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §3, monthly workers: on the first of the month, not on the days before."""
    clock.at = datetime(2026, 3, 10, 9, 0, tzinfo=UTC)
    (id,) = candidates(memory, 1)
    sleep_if_due(memory.scope, memory.mind)
    while clock.at < datetime(2026, 3, 31, 9, 0, tzinfo=UTC):
        clock.forward(days=1)
        sleep_if_due(memory.scope, memory.mind)
    assert memory.proposals.open() == []
    clock.forward(days=1)
    sleep_if_due(memory.scope, memory.mind)
    assert [each.memory for each in memory.proposals.open()] == [id]


# -- waiting --------------------------------------------------------------------------------------


def test_what_waits_for_an_answer_neither_fades_nor_leaves(
    opened: Opened, clock: FixedClock
) -> None:
    """DESIGN 4b, exempt: two years without an answer, and it is still there to be answered."""
    memory = opened(proposal_days=1000)
    (id,) = candidates(memory, 1)
    other = kept(memory, "나침반", tier="M365")
    laid(memory)
    for _ in range(12):
        clock.forward(days=60)
        night(memory)
    assert (state(memory, id), state(memory, other)) == ("active", "forgotten")
    assert [each.memory for each in memory.proposals.open()] == [id]


# -- yes ------------------------------------------------------------------------------------------


def test_a_persons_yes_makes_a_core_memory_without_end(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §3: accepted by a named person, it never expires; its source ages on and leaves."""
    (id,) = candidates(memory, 1)
    laid(memory)
    core = memory.proposals.accept(memory.proposals.open()[0].id, by="지민")
    assert (core.life.tier.value, core.life.expires_at) == ("M0", None)
    assert core.text == stands(memory, id).text
    assert ties(memory, core.id, DERIVED_FROM, PROMOTED_FROM) == {
        (core.id, DERIVED_FROM, id),
        (core.id, PROMOTED_FROM, id),
    }
    assert stands(memory, id).life.tier.value == "M365"
    (proposal,) = memory.proposals.all()
    assert (proposal.state, proposal.answered_by) == ("accepted", "지민")
    for _ in range(12):
        clock.forward(days=130)
        night(memory)
    assert state(memory, core.id) == "active"
    assert core.id in findable(memory, WORDS[0])
    assert state(memory, id) == "forgotten", "what it was made of went its way"


@pytest.mark.parametrize("nobody", ["", "   ", None])
def test_nobody_cannot_say_yes_or_no(memory: Saegim, nobody: str | None) -> None:
    """Seed D §3: without a name there is no answer, and the proposal stays open."""
    candidates(memory, 1)
    laid(memory)
    (proposal,) = memory.proposals.open()
    before = memory.maintenance.verify()
    for answer in (memory.proposals.accept, memory.proposals.refuse):
        with pytest.raises(BadInput, match="Nobody"):
            answer(proposal.id, by=nobody)  # type: ignore[arg-type]
    assert memory.maintenance.verify() == before
    assert memory.proposals.open() == [proposal]


# -- no -------------------------------------------------------------------------------------------


def test_a_refused_memory_goes_on_ageing_and_leaves(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §3: a no changes nothing else; its year runs out, and it is not asked about again."""
    (id,) = candidates(memory, 1)
    end = stands(memory, id).life.expires_at
    laid(memory)
    memory.proposals.refuse(memory.proposals.open()[0].id, by="지민", note="not that one")
    assert stands(memory, id).life.expires_at == end
    for _ in range(12):
        clock.forward(days=30)
        memory.feedback(id, "used")
        night(memory)
    assert (state(memory, id), memory.proposals.open()) == ("active", [])
    clock.forward(days=5)
    night(memory)
    assert why(memory, id) == "expired"


def test_an_answer_is_given_once(memory: Saegim) -> None:
    """What was answered cannot be answered again, neither way."""
    candidates(memory, 2)
    laid(memory)
    first, second = memory.proposals.open()
    memory.proposals.accept(first.id, by="지민")
    memory.proposals.refuse(second.id, by="지민")
    for answer in (memory.proposals.accept, memory.proposals.refuse):
        for proposal in (first, second):
            with pytest.raises(Refused):
                answer(proposal.id, by="지민")
    core = [each for each in everything(memory).values() if each.life.tier.value == "M0"]
    assert [each.life.promoted_from for each in core] == [first.memory]


def test_a_proposal_holds_ids_and_reasons_and_no_words(memory: Saegim) -> None:
    """Words of memories enter neither pages nor the ledger."""
    candidates(memory, 3)
    laid(memory)
    pages = memory.mind.store.pages.of(memory.scope, kind="proposal")
    told = "".join(f"{page.title}{page.body}{dict(page.data)}" for page in pages)
    told += "".join(f"{each.subject}{each.facts}" for each in lines(memory))
    assert len(pages) == 3
    for words in WORDS[:3]:
        assert not [word for word in words.split() if word in told]


def test_a_proposal_whose_memory_is_let_go_is_not_a_yes(memory: Saegim, clock: FixedClock) -> None:
    """What a person forgot meanwhile cannot be made a core memory; restored, it can."""
    (id,) = candidates(memory, 1)
    laid(memory)
    (proposal,) = memory.proposals.open()
    memory.forget(id)
    with pytest.raises(Refused, match="not here"):
        memory.proposals.accept(proposal.id, by="지민")
    clock.forward(days=1)
    memory.restore(id)
    core = memory.proposals.accept(proposal.id, by="지민")
    assert core.life.tier.value == "M0"
    assert core.time.recorded_at - stands(memory, id).time.recorded_at == timedelta(days=1)
