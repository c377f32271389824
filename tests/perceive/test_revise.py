"""A correction: a new memory in the place of the old one; both stay."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound, Refused
from saegim.memory.tiers import State
from stand_ins import core_of


def test_a_correction_keeps_the_coordinates_and_starts_a_life_of_its_own(
    memory: Saegim, clock: FixedClock
) -> None:
    """U5.3: place, tags, worth and tier stay; words, times and short forms are new."""
    old = memory.remember(
        "at four",
        tags=["meeting"],
        project="alpha",
        rating=4,
        pinned=True,
        tier="M365",
        brief="4",
        author="민호",
    ).memory
    clock.forward(days=10)
    new = memory.update(old.id, "at five").memory
    assert (new.content.tags, new.scope, new.provenance) == (
        old.content.tags,
        old.scope,
        old.provenance,
    )
    assert (new.worth.rating, new.life.pinned, new.life.tier) == (4, True, old.life.tier)
    assert new.content.brief is None
    assert new.life.expires_at == clock.now() + timedelta(days=365)
    assert new.time.valid_from == clock.now()
    held = memory.get(old.id, exact=True)
    assert (held.life.state, held.time.valid_to, held.text) == (
        State.SUPERSEDED,
        clock.now(),
        "at four",
    )
    assert memory.get(old.id).id == new.id


def test_correcting_an_old_id_corrects_what_holds_now(memory: Saegim) -> None:
    """DESIGN 4b: the old id resolves to the new version, for every verb."""
    first = memory.remember("at four")
    second = memory.update(first.id, "at five")
    third = memory.update(first.id, "at six")
    assert memory.get(second.id).id == memory.get(first.id).id == third.id
    assert [each.text for each in memory.recent().memories] == ["at six"]


@pytest.mark.parametrize("text", ["", "  ", "a\x00b", "\ud800", 5, None, "x" * 1_000_001])
def test_a_correction_must_be_a_text(memory: Saegim, text: Any) -> None:
    """Bad input: the reason is given and the old version holds on."""
    kept = memory.remember("tea")
    before = memory.care.verify()
    with pytest.raises(BadInput, match="text"):
        memory.update(kept.id, text)
    assert memory.care.verify() == before
    assert memory.get(kept.id).text == "tea"


def test_what_was_made_to_stay_is_not_corrected(memory: Saegim) -> None:
    """DESIGN 4b: an update of an immutable memory is refused with a reason."""
    kept = memory.remember("tea", immutable=True)
    with pytest.raises(Refused, match="immutable") as caught:
        memory.update(kept.id, "coffee")
    assert caught.value.next_step
    assert memory.get(kept.id).text == "tea"


def test_a_pinned_and_a_core_memory_can_be_corrected_and_stay_what_they_are(
    memory: Saegim,
) -> None:
    """DESIGN 4b: pinned and M0 are exempt from what happens by itself, not from a person."""
    pinned = memory.remember("tea", pinned=True)
    core = core_of(memory, "I like tea")
    assert memory.update(pinned.id, "green tea").memory.life.pinned
    with pytest.raises(Refused, match="M0"):
        memory.update(core.id, "I like green tea")
    assert memory.get(core.id).text == "I like tea"
    assert memory.update(core.id, "I like green tea", by="me").memory.life.expires_at is None


def test_what_is_leaving_must_be_restored_first(memory: Saegim) -> None:
    """DESIGN 4b: one does not correct what was let go; the next step says how."""
    kept = memory.remember("tea")
    memory.forget(kept.id)
    with pytest.raises(Refused, match="leaving") as caught:
        memory.update(kept.id, "coffee")
    assert kept.id in caught.value.next_step
    with pytest.raises(NotFound, match="mem_none"):
        memory.update("mem_none", "coffee")
    with pytest.raises(NotFound):
        memory.within(user="you").update(kept.id, "coffee")


def test_of_corrections_at_the_same_time_one_holds(memory: Saegim) -> None:
    """U19.1: eight threads correct one memory; one version holds and every text is kept."""
    kept = memory.remember("version 0")
    refused: list[Refused] = []

    def correct(number: int) -> None:
        try:
            memory.update(kept.id, f"version {number}")
        except Refused as error:
            refused.append(error)

    threads = [threading.Thread(target=correct, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.recent().total == 1
    assert len(memory.history(kept.id).versions) == 9 - len(refused)
    assert memory.get(kept.id).id == memory.recent().memories[0].id


def test_a_correction_knows_whom_it_names(memory: Saegim) -> None:
    """Issue 5: the new version is tied to what it speaks of, not to its older self as a twin."""
    kept = memory.remember("민수는 부산에 산다")
    new = memory.update(kept.id, "민수는 대구에 산다")
    links = memory._mind.store.links(memory.scope, [new.id])
    assert {link.target for link in links if link.type == "refers_to"} >= {"entity:민수"}
    assert [link.target for link in links if link.type == "supersedes"] == [kept.id]
    assert [link for link in links if link.type == "similar_to"] == []
    assert "entity:민수" in {each.key for each in memory.related(new.id)}
