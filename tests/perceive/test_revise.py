"""A correction: a new memory in the place of the old one; both stay."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound, Refused
from saegim.memory.memory import State
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


@pytest.mark.parametrize(
    ("told", "corrected", "day"),
    [
        ("어제 치과에 다녀왔다", "어제 치과에서 사랑니를 뽑고 왔다", 4),
        ("어제 치과에 다녀왔다", "치과에 다녀왔다, 사랑니 때문에", 4),
        ("I went to the dentist yesterday", "I had a tooth pulled yesterday", 4),
        # A day that is new in the words is reckoned from the correction.
        ("어제 치과에 다녀왔다", "그저께 치과에 다녀왔다", 7),
        ("I went to the dentist yesterday", "I went to the dentist on 2 March 2026", 2),
    ],
)
def test_what_happened_stays_on_its_day(
    memory: Saegim, clock: FixedClock, told: str, corrected: str, day: int
) -> None:
    """A correction of the words moves no event to today; a day in the new words does move it."""
    clock.at = datetime(2026, 3, 5, 12, tzinfo=UTC)
    kept = memory.remember(told)
    assert memory.mind.here(kept.memory.time.happened_at).day == 4
    clock.forward(days=4)
    new = memory.update(kept.id, corrected).memory.time
    assert memory.mind.here(new.happened_at).day == day
    assert new.recorded_at == clock.now()


def test_a_given_day_stays_and_what_was_only_said_is_said_anew(
    memory: Saegim, clock: FixedClock
) -> None:
    """Control: words without a day of their own belong to the moment in which they were put so."""
    dinner = memory.remember("지수와 저녁을 먹었다", happened_at="2026-03-05")
    fact = memory.remember("나는 매운 음식을 좋아한다")
    clock.forward(days=9)
    assert memory.update(dinner.id, "지수와 북엇국을 먹었다").memory.time.happened_at == (
        dinner.memory.time.happened_at
    )
    new = memory.update(fact.id, "나는 아주 매운 음식을 좋아한다").memory
    assert new.time.happened_at == clock.now()


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
    before = memory.maintenance.verify()
    with pytest.raises(BadInput, match="text"):
        memory.update(kept.id, text)
    assert memory.maintenance.verify() == before
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
    """The new version is tied to what it speaks of, not to its older self as a twin."""
    kept = memory.remember("민수는 부산에 산다")
    new = memory.update(kept.id, "민수는 대구에 산다")
    links = memory.mind.store.links.of(memory.scope, [new.id])
    assert {link.target for link in links if link.type == "refers_to"} >= {"entity:민수"}
    assert [link.target for link in links if link.type == "supersedes"] == [kept.id]
    assert [link for link in links if link.type == "similar_to"] == []
    assert "entity:민수" in {each.key for each in memory.related(new.id)}


# -- tags -----------------------------------------------------------------------------------------


def test_new_tags_are_a_new_version_with_the_same_words(memory: Saegim, clock: FixedClock) -> None:
    """Seed C `memory_update`: keywords change, words and the time of the event do not."""
    old = memory.remember(
        "어제 민수를 부산에서 만났다", tags=["여행"], brief="만남", rating=4, pinned=True
    ).memory
    clock.forward(days=10)
    new = memory.update(old.id, tags=["사람", "사람", "부산"]).memory
    assert (new.text, new.content.tags) == (old.text, ("사람", "부산"))
    assert new.content == replace(old.content, tags=("사람", "부산"))
    assert (new.worth, new.emotion, new.kind) == (old.worth, old.emotion, old.kind)
    assert (new.time.happened_at, new.time.said_at) == (old.time.happened_at, old.time.said_at)
    assert (new.time.recorded_at, new.time.valid_from) == (clock.now(), clock.now())
    assert new.life.pinned
    assert memory.get(old.id).id == new.id
    assert [each.content.tags for each in memory.history(old.id).versions] == [
        ("여행",),
        ("사람", "부산"),
    ]
    assert [each.id for each in memory.search("민수", tags=["부산"])] == [new.id]
    assert memory.search("민수", tags=["여행"]) == []


def test_words_and_tags_change_together(memory: Saegim) -> None:
    """Seed C `memory_update`: both at once is one new version; no tags at all clears them."""
    old = memory.remember("at four", tags=["meeting"])
    new = memory.update(old.id, "at five", tags=["team"])
    assert (new.memory.text, new.memory.content.tags) == ("at five", ("team",))
    assert len(memory.history(old.id).versions) == 2
    assert memory.update(old.id, tags=[]).memory.content.tags == ()
    assert memory.get(old.id).text == "at five"


def test_a_correction_says_what_to_correct(memory: Saegim) -> None:
    """Bad input: neither words nor tags is no correction, and the old version holds on."""
    kept = memory.remember("tea", tags=["drink"])
    before = memory.maintenance.verify()
    with pytest.raises(BadInput, match="Neither a text nor tags"):
        memory.update(kept.id)
    for tags in ("drink", [""], ["a"] * 1000, [5], {"a": 1}):
        with pytest.raises(BadInput, match="tag"):
            memory.update(kept.id, tags=tags)  # type: ignore[arg-type]
    assert memory.maintenance.verify() == before
    assert memory.update(kept.id, tags=["hot"]).status == "stored"


def test_tags_obey_the_rules_of_a_correction(memory: Saegim) -> None:
    """DESIGN 4b: immutable, core and leaving memories keep their tags as they keep their words."""
    fixed = memory.remember("tea", immutable=True)
    leaving = memory.remember("coffee")
    memory.forget(leaving.id)
    core = core_of(memory, "I like tea")
    for id, why in ((fixed.id, "immutable"), (leaving.id, "leaving"), (core.id, "M0")):
        with pytest.raises(Refused, match=why):
            memory.update(id, tags=["x"])
    assert memory.update(core.id, tags=["x"], by="me").memory.content.tags == ("x",)
    with pytest.raises(NotFound, match="mem_none"):
        memory.update("mem_none", tags=["x"])


def test_private_words_stay_when_only_tags_change_and_no_tag_holds_a_secret(
    memory: Saegim,
) -> None:
    """M8: words that a person wanted kept are not touched by a tag; a key in a tag is masked."""
    said = "The wifi password is Kestrel-2931-moss."
    kept = memory.remember(said, keep_private=True)
    key = "AKIA" + "QWERTYUIOPASDFGH"
    done = memory.update(kept.id, tags=["wifi", key])
    assert (done.memory.text, done.masked) == (said, 1)
    assert key not in str(done.memory.content.tags)
    assert memory.update(kept.id, said).held == 1, "the words themselves are screened when given"


def test_a_tag_ends_nothing_and_counts_no_meeting(memory: Saegim, clock: FixedClock) -> None:
    """Seed E: whom a memory names is tied to its new version, met no more often than before."""
    kept = memory.remember("민수는 부산에 산다")
    clock.forward(days=1)
    other = memory.remember("민수는 대구에 산다", origin="web")
    assert other.contradicts == (kept.id,)
    (before,) = [each for each in memory.entities.all() if each.key == "entity:민수"]
    new = memory.update(kept.id, tags=["사람"])
    (after,) = [each for each in memory.entities.all() if each.key == "entity:민수"]
    assert after.interactions == before.interactions
    assert memory.get(other.id).life.state is State.ACTIVE
    links = memory.mind.store.links.of(memory.scope, [new.id])
    assert {"entity:민수"} <= {each.target for each in links if each.type == "refers_to"}
    assert memory.update(kept.id, "민수는 광주에 산다").id
    (told,) = [each for each in memory.entities.all() if each.key == "entity:민수"]
    assert told.interactions == before.interactions + 1, "new words are a meeting"


def test_the_ties_of_a_memory_hold_for_its_new_version(memory: Saegim) -> None:
    """Seed C: what was tied by hand stays tied; where words came from stays known for a tag."""
    seen = memory.observe("나는 땅콩 알레르기가 있다. 내 고양이 이름은 나비다. 나는 서울에 산다.")
    fact = seen.facts[0].id
    kept = memory.remember("봄에 병원에 갔다", related=[fact])
    store = memory.mind.store
    turn = memory.update(seen.kept[0].id, tags=["아침"]).memory
    assert turn.content == replace(seen.kept[0].memory.content, tags=("아침",))
    assert {fact} <= {each.source for each in store.links.of(memory.scope, [turn.id])}
    tagged = memory.update(fact, tags=["몸"]).id
    ties = {(each.type, each.target) for each in store.links.of(memory.scope, [tagged])}
    assert {("derived_from", seen.kept[0].id), ("related", tagged)} <= ties
    said = memory.update(kept.id, "봄에 큰 병원에 갔다").id
    assert tagged in {each.key for each in memory.related(said)}
