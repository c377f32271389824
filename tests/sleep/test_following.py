"""What nights make of memories stands and falls with them: corrected, let go, called back."""

from __future__ import annotations

import pytest

from saegim import FixedClock, Saegim
from saegim.memory.changes import Linked, Portrayed, Saved
from saegim.memory.entities import DERIVED_FROM, Link
from saegim.memory.memory import Kind, Memory, Provenance, Source, State, Tier, Time
from saegim.perceive import build, revise
from saegim.sleep import forget as farewell
from saegim.store.commit import Batch
from sleep.stages.ageing import everything, made_by_night, night, used

VISITS = {
    "ko": [f"1월 {day}일 민수는 한강공원에 갔다" for day in (2, 5, 9, 12)],
    "en": [f"On January {day} Minho went to the library" for day in (2, 5, 9, 12)],
}
HABIT = {"ko": "민수는 한강공원에 자주 간다", "en": "Minho often goes to the library"}
ELSEWHERE = {"ko": "1월 5일 민수는 남산에 갔다", "en": "On January 5 Minho went to the zoo"}
both = pytest.mark.parametrize("language", ["ko", "en"])


def visited(memory: Saegim, clock: FixedClock, texts: list[str]) -> list[str]:
    """Keep visits in M30, each on a day of its own."""
    ids = []
    for text in texts:
        ids.append(memory.remember(text, tier="M30").id)
        clock.forward(days=1)
    return ids


def habit(memory: Saegim, clock: FixedClock, language: str, most: int = 4) -> tuple[list[str], str]:
    """Let visits become a habit; return the visits and what was made of them."""
    ids = visited(memory, clock, VISITS[language][:most])
    night(memory, "promote", "distil")
    (made,) = made_by_night(memory, "M90")
    assert made.text == HABIT[language]
    return ids, made.id


def living(memory: Saegim, tier: str = "M90") -> list[Memory]:
    """Return what nights made and recall may show."""
    return [each for each in made_by_night(memory, tier) if each.life.state is State.ACTIVE]


def state(memory: Saegim, id: str) -> State:
    """Return where exactly this memory stands."""
    return memory.get(id, exact=True).life.state


def thought(memory: Saegim, *sources: str) -> str:
    """Keep an insight of these sources, as a night does; return its id."""
    now = memory.mind.now()
    made = Memory(
        id=memory.mind.new_id(),
        scope=memory.scope,
        text="A thought about them",
        kind=Kind.INSIGHT,
        time=Time(happened_at=now, recorded_at=now),
        provenance=Provenance(source=Source.REFLECTION),
    )
    ties = [Linked(Link(source=made.id, type=DERIVED_FROM, target=id)) for id in sources]
    batch = Batch(memory.scope.user, [Saved(made), *ties], actor="test", at=now)
    memory.mind.store.commit(batch)
    return made.id


# -- corrected ------------------------------------------------------------------------------------


@both
def test_a_habit_ends_when_a_visit_is_corrected(
    memory: Saegim, clock: FixedClock, language: str
) -> None:
    """DESIGN §4b: of three visits one was elsewhere: the habit gives way to the correction."""
    ids, made = habit(memory, clock, language, most=3)
    kept = memory.update(ids[1], ELSEWHERE[language])
    assert state(memory, made) is State.SUPERSEDED
    assert memory.get(made).id == kept.id, "the old id leads to what holds now"
    assert made not in {hit.memory.id for hit in memory.recall(HABIT[language]).hits}
    night(memory, "promote", "distil")
    assert living(memory) == [], "two visits are no habit"


@both
def test_the_habit_is_drawn_anew_from_what_is_left(
    memory: Saegim, clock: FixedClock, language: str
) -> None:
    """Of four visits one was elsewhere: the next night makes the habit of the other three."""
    ids, made = habit(memory, clock, language)
    memory.update(ids[1], ELSEWHERE[language])
    assert living(memory) == []
    night(memory, "promote", "distil")
    (again,) = living(memory)
    assert again.id != made
    assert again.text in (HABIT[language], "Minho mostly goes to the library")


def test_a_habit_that_a_person_corrects_is_not_made_again(
    memory: Saegim, clock: FixedClock
) -> None:
    """Whoever corrects the habit itself has the last word; the visits stay as they were told."""
    ids, made = habit(memory, clock, "en")
    memory.update(made, "Minho sometimes goes to the library")
    assert {state(memory, id) for id in ids} == {State.ACTIVE}
    clock.forward(days=7)
    night(memory, "promote", "distil")
    told = [each.text for each in everything(memory).values() if each.life.state is State.ACTIVE]
    assert HABIT["en"] not in told


def test_what_is_found_outdated_takes_its_essence_along(memory: Saegim, clock: FixedClock) -> None:
    """U19.1: a newer claim supersedes the fact and what a night had made of it."""
    old = memory.remember("나는 서울에 산다", tier="M30").id
    used(memory, old, 3)
    night(memory, "promote", "distil")
    (made,) = made_by_night(memory, "M90")
    clock.forward(days=1)
    new = memory.remember("나는 부산에 산다").memory
    assert state(memory, old) is State.SUPERSEDED
    assert state(memory, made.id) is State.SUPERSEDED
    assert memory.get(made.id).id == new.id


def test_the_correction_settles_as_deep_as_what_it_replaces(memory: Saegim) -> None:
    """Seed D §3: a fact that had risen does not fall back to thirty days by being put right."""
    source = memory.remember("Lena is allergic to walnuts", tier="M30").id
    used(memory, source, 3)
    night(memory, "promote", "distil")
    kept = memory.update(source, "Lena is allergic to hazelnuts")
    assert kept.memory.life.tier is Tier.M90


def test_other_tags_end_nothing(memory: Saegim, clock: FixedClock) -> None:
    """Control: the same words under another tag are no correction of what was said."""
    ids, made = habit(memory, clock, "en")
    new = memory.update(ids[1], tags=["walks"])
    assert state(memory, made) is State.ACTIVE
    links = memory.mind.store.links.of(memory.scope, [made], (DERIVED_FROM,))
    assert new.id in {link.target for link in links}, "and the new version bears it, too"


def test_without_following_the_habit_would_stay(
    memory: Saegim, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: if nobody asks what was made of it, a correction leaves the habit in the answer."""
    ids, made = habit(memory, clock, "en", most=3)
    monkeypatch.setattr(revise, "followers", lambda *_, **__: [])
    memory.update(ids[1], ELSEWHERE["en"])
    assert state(memory, made) is State.ACTIVE


# -- let go and called back -----------------------------------------------------------------------


@both
def test_a_habit_leaves_and_returns_with_a_visit(
    memory: Saegim, clock: FixedClock, language: str
) -> None:
    """U26.2: what was made of what a person lets go goes along, and comes back with it."""
    ids, made = habit(memory, clock, language)
    gone = memory.forget(ids[0])
    assert {each.id for each in gone.memories} == {ids[0], made}
    assert {state(memory, id) for id in ids[1:]} == {State.ACTIVE}
    back = memory.restore(ids[0])
    assert {each.id for each in back} == {ids[0], made}
    assert state(memory, made) is State.ACTIVE


def test_letting_go_of_the_habit_keeps_the_visits(memory: Saegim, clock: FixedClock) -> None:
    """The visits happened: that they are no habit says nothing against any of them."""
    ids, made = habit(memory, clock, "ko")
    gone = memory.forget(made)
    assert [each.id for each in gone.memories] == [made]
    assert {state(memory, id) for id in ids} == {State.ACTIVE}
    clock.forward(days=7)
    night(memory, "promote", "distil")
    assert living(memory) == [], "what a person sent away is not made again"


def test_what_left_on_another_day_does_not_come_back_by_the_way(
    memory: Saegim, clock: FixedClock
) -> None:
    """A habit that was sent away first stays away when a visit comes and goes later."""
    ids, made = habit(memory, clock, "ko")
    memory.forget(made)
    clock.forward(hours=1)
    memory.forget(ids[0])
    memory.restore(ids[0])
    assert state(memory, made) is State.LEAVING


def test_what_was_made_of_the_habit_goes_along(memory: Saegim, clock: FixedClock) -> None:
    """At any distance: the note of a year, and a thought about both, leave with a visit."""
    ids, made = habit(memory, clock, "en")
    used(memory, made, 5)
    night(memory, "promote", "deepen")
    (note,) = made_by_night(memory, "M365")
    insight = thought(memory, ids[0], made)
    gone = {each.id for each in memory.forget(ids[0]).memories}
    assert gone == {ids[0], made, note.id, insight}
    assert {each.id for each in memory.restore(ids[0])} == gone


def test_an_insight_follows_the_correction_of_what_it_was_seen_in(memory: Saegim) -> None:
    """A thought about something that was not so is no longer a thought worth telling."""
    ids = [memory.remember(f"Ada read {book}").id for book in ("Emma", "Ulysses", "Dune")]
    insight = thought(memory, *ids)
    memory.update(ids[0], "Ada sold Emma")
    assert state(memory, insight) is State.SUPERSEDED


def test_what_was_merged_still_bears_what_was_made_of_it(memory: Saegim, clock: FixedClock) -> None:
    """A twin that took a visit in is corrected: what was made of the visit ends, too."""
    ids, made = habit(memory, clock, "en", most=3)
    twin = memory.remember("On January 2 Minho went to the library again").id
    mind = memory.mind
    links = [
        build.Linked(Link(source=twin, type="merged_from", target=ids[0])),
        build.Linked(Link(source=twin, type="supersedes", target=ids[0])),
        build.Superseded(ids[0], by=twin, at=mind.now()),
    ]
    mind.store.commit(Batch(memory.scope.user, links, actor="test", at=mind.now()))
    assert state(memory, made) is State.ACTIVE, "merging is no correction"
    memory.update(twin, ELSEWHERE["en"])
    assert state(memory, made) is State.SUPERSEDED


@pytest.mark.parametrize("again", [0, 1])
def test_what_left_with_a_visit_returns_with_it_however_often_it_was_let_go(
    memory: Saegim, clock: FixedClock, again: int
) -> None:
    """The control: what left with another visit stays gone with that one."""
    ids, made = habit(memory, clock, "en")
    memory.forget(ids[0])
    clock.forward(days=3)
    memory.forget(ids[again])
    memory.restore(ids[again])
    assert state(memory, ids[again]) is State.ACTIVE
    assert state(memory, made) is (State.LEAVING if again else State.ACTIVE)


def test_what_was_made_to_stay_stays(memory: Saegim, clock: FixedClock) -> None:
    """A core memory that a person approved is not sent away by the way."""
    ids, made = habit(memory, clock, "ko")
    proposal = memory.proposals.propose(made)
    core = memory.proposals.accept(proposal.id, by="민수")
    memory.forget(ids[0])
    assert state(memory, made) is State.LEAVING
    assert memory.get(core.id, exact=True).life.state is State.ACTIVE


def test_without_following_forgetting_would_be_told_on(
    memory: Saegim, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: if nobody asks what was made of it, the habit is still told."""
    ids, made = habit(memory, clock, "ko")
    monkeypatch.setattr(farewell, "followers", lambda *_, **__: [])
    memory.forget(ids[0])
    assert state(memory, made) is State.ACTIVE


# -- erased ---------------------------------------------------------------------------------------


def test_erased_with_all_its_sources_and_leaving_with_some(
    memory: Saegim, clock: FixedClock
) -> None:
    """U26.3: made of erased memories alone, nothing is left of it; of others too, it leaves."""
    ids, made = habit(memory, clock, "en")
    told = memory.forgetting.erase(ids[0], confirm=False)
    assert (told.ids, told.leaving) == ((ids[0],), (made,))
    assert state(memory, made) is State.ACTIVE, "a preview changes nothing"
    memory.forgetting.erase(ids[0], confirm=True)
    assert state(memory, made) is State.LEAVING
    receipt = memory.forgetting.erase(*ids[1:], confirm=True)
    assert set(receipt.derived) == {made}
    assert receipt.leaving == ()


# -- portraits ------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["corrected", "let go"])
def test_a_portrait_is_emptied_with_what_it_was_drawn_from(memory: Saegim, how: str) -> None:
    """Seed E profiles: what someone is said to be like does not outlast the words that said so."""
    id = memory.remember("Emma likes coffee").id
    other = memory.remember("It rained all day").id
    (emma,) = memory.entities.named("Emma")
    now = memory.mind.now()
    drawn = Portrayed(emma.key, "Emma likes coffee.", "")
    memory.mind.store.commit(Batch(memory.scope.user, [drawn], actor="test", at=now))
    memory.forget(other)
    assert memory.entities.named("Emma")[0].summary, "control: what does not speak of her"
    if how == "corrected":
        memory.update(id, "Emma likes tea")
    else:
        memory.forget(id)
    assert memory.entities.named("Emma")[0].summary == ""
