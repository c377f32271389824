"""What was imagined is never a fact; how it is answered to, heard of, and erased; its doors."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from imagine.conftest import KOREAN, Opened
from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound
from saegim.imagine.flow import Imagination
from saegim.serve.catalogue.catalogue import CATALOGUE, shown_to
from saegim.serve.catalogue.entry import CallContext

WORDS = "떠오르는 대로 이어 본다"


def call(memory: Saegim, name: str, **given: object) -> dict[str, object]:
    """Call a function of the catalogue."""
    return CATALOGUE[name].call(CallContext(memory), **given)


# -- never a fact ---------------------------------------------------------------------------------


def test_no_way_of_asking_shows_it_as_a_fact(memory: Saegim) -> None:
    """Left out of recall, search, lists, prompts, ties and portraits unless asked for by kind."""
    made = memory.imagination.make()
    asked = made.scenario
    shown = {hit.memory.id for hit in memory.recall(asked, limit=50, near_misses=True).hits}
    shown |= {each.id for each in memory.search(WORDS)}
    shown |= {each.id for each in memory.recent(50).memories}
    shown |= {each.id for each in memory.recent(50, everywhere=True, history=True).memories}
    shown |= {card.id for card in memory.context(asked).cards}
    shown |= {each.key for each in memory.related(*made.memories_used, depth=2)}
    assert made.id not in shown
    assert set(made.memories_used) & shown
    assert WORDS not in memory.context(asked).text
    assert memory.recent(50).total == len(KOREAN)
    for name in ("auto_search", "memory_search"):
        assert made.id not in json.dumps(call(memory, name, query=asked), ensure_ascii=False)
    assert made.id not in json.dumps(call(memory, "memory_list"), ensure_ascii=False)
    # The control: by its kind it is there.
    assert [each.id for each in memory.search(WORDS, kind="imagined")] == [made.id]
    assert made.id in {hit.memory.id for hit in memory.recall(asked, kind="imagined").hits}
    assert [each.id for each in memory.recent(kind="imagined").memories] == [made.id]


def test_many_of_them_crowd_nothing_out(opened: Opened, clock: FixedClock) -> None:
    """The quick way through the word index leaves them out too: the one true answer is found."""
    memory = opened(imagination_per_day=40)
    for _ in range(25):
        clock.at += timedelta(minutes=1)
        memory.remember(f"야근 야근 야근 상상 {clock.at:%M}", kind="imagined")
    found = memory.recall("야근", limit=3)
    assert [hit.memory.text for hit in found.hits if "야근" in hit.memory.text] == [KOREAN[1]]


def test_what_a_person_imagined_states_nothing(memory: Saegim, clock: FixedClock) -> None:
    """A dream supersedes no fact, claims nothing, and the same words said in earnest are kept."""
    home = memory.remember("나는 서울에 살아")
    clock.at += timedelta(days=1)
    dream = memory.remember("나는 부산으로 이사했어", kind="imagined")
    assert (dream.supersedes, memory.get(home.id).life.state) == ((), "active")
    claims = "SELECT count(*) FROM claim c JOIN memory m ON m.number = c.number WHERE m.id = ?"
    assert memory.mind.store.database.rows(claims, (dream.id,)) == [(0,)]
    clock.at += timedelta(days=1)
    told = memory.remember("나는 부산으로 이사했어")
    assert (told.status, told.supersedes) == ("stored", (home.id,))
    assert memory.mind.store.database.rows(claims, (told.id,)) != [(0,)]


def test_the_night_builds_nothing_on_it(opened: Opened, clock: FixedClock) -> None:
    """It rises, merges and is reflected on no more than it is recalled, and lends no weight."""
    memory = opened()
    made = memory.imagination.make()
    before = {id: memory.get(id).worth.importance for id in made.memories_used}
    links = memory.mind.store.links
    assert not set(links.references(memory.scope.user)) & set(made.memories_used)
    clock.at += timedelta(days=8)
    memory.sleep()
    held = memory.get(made.id)
    assert (held.kind, held.life.tier) == ("imagined", "M30")
    assert {id: memory.get(id).worth.importance for id in made.memories_used} == before
    assert not list(links.of(memory.scope, [made.id], ["promoted_from", "merged_from"]))


def test_an_audit_does_not_call_it_unverified(memory: Saegim) -> None:
    """Nobody can verify what was imagined: it is no claim."""
    made = memory.imagination.make()
    found = memory.maintenance.audit(samples=50)
    assert made.id not in str(found)


def test_an_export_keeps_it_with_its_kind(memory: Saegim) -> None:
    """Our own form carries it; forms that know no kinds are not given it."""
    made = memory.imagination.make()
    place = memory.home / "out.jsonl"
    memory.export_to(place)
    assert made.id in place.read_text("utf-8")
    folder = memory.home / "orbs.json"
    memory.export_to(folder, form="orbs")
    assert made.id not in folder.read_text("utf-8")


# -- erasing --------------------------------------------------------------------------------------


def test_erasing_a_source_takes_the_words_of_the_imagination(memory: Saegim) -> None:
    """It quotes every source: with any one of them it goes, and no byte of it is left."""
    made = memory.imagination.make()
    memory.forgetting.erase(made.memories_used[0], confirm=True, by="me")
    with pytest.raises(NotFound):
        memory.get(made.id)
    assert memory.imagination.latest() == []
    assert memory.get(made.memories_used[1]).text
    # Its place of the day stays taken, and the ledger verifies.
    assert memory.imagination.today().left == 2
    memory.maintenance.verify()


def test_forgetting_a_source_lets_the_imagination_leave(memory: Saegim) -> None:
    """What stands on a memory leaves with it, into the same queue."""
    made = memory.imagination.make()
    memory.forget(made.memories_used[0])
    assert memory.get(made.id).life.state == "leaving"
    assert made.id in {each.memory.id for each in memory.forgetting.queue()}


# -- answering ------------------------------------------------------------------------------------


def test_liked_patterns_grow_ignored_shrink_and_refused_rest(
    memory: Saegim, clock: FixedClock
) -> None:
    """Seed D §7: the answer moves the pattern; one that was refused rests a fortnight."""
    made = memory.imagination.make()
    liked = memory.imagination.feedback("liked")
    assert (liked.key, liked.weight, liked.liked) == (made.pattern, 1.5, 1)
    # The same answer again counts once; another takes its place.
    assert memory.imagination.feedback("liked").weight == 1.5
    ignored = memory.imagination.feedback("ignored")
    assert (ignored.weight, ignored.liked, ignored.ignored) == (0.8, 0, 1)
    refused = memory.imagination.feedback("refused")
    assert (refused.weight, refused.rests(memory.mind.now())) == (0.5, True)
    other = memory.imagination.make()
    assert other.pattern != made.pattern
    clock.at += timedelta(days=15)
    assert not memory.imagination.patterns()[made.pattern].rests(memory.mind.now())


@pytest.mark.parametrize(
    ("words", "label"),
    [("좋았어", "liked"), ("that was nice", "liked"), ("별로야", "refused"), ("싫어", "refused")],
)
def test_words_right_after_one_count(memory: Saegim, words: str, label: str) -> None:
    """Seed D §7's "좋았어", and its English twin, are read; what says nothing is refused."""
    memory.imagination.make()
    pattern = memory.imagination.feedback(words)
    assert getattr(pattern, label) == 1
    with pytest.raises(BadInput, match="liked, ignored, refused"):
        memory.imagination.feedback("그래")


@pytest.mark.parametrize(
    ("label", "rating", "counted"),
    [
        ("up", None, "liked"),
        ("retry", None, "ignored"),
        ("down", None, "refused"),
        ("rating", 5, "liked"),
        ("rating", 1, "refused"),
    ],
)
def test_the_feedback_verb_counts(
    memory: Saegim, label: str, rating: int | None, counted: str
) -> None:
    """Judging the memory of an imagination answers to it, and moves no source of it."""
    made = memory.imagination.make()
    before = [memory.get(id).worth for id in made.memories_used]
    done = memory.feedback(made.id, label, rating=rating)
    assert set(done.changed) == {made.id}
    assert getattr(memory.imagination.patterns()[made.pattern], counted) == 1
    assert [memory.get(id).worth.feedback for id in made.memories_used] == [
        each.feedback for each in before
    ]


def test_only_an_imagination_can_be_answered_to(memory: Saegim) -> None:
    """A fact is judged by feedback, and where nothing was imagined there is nothing to answer."""
    with pytest.raises(NotFound):
        memory.imagination.feedback("liked")
    fact = memory.recent(1).memories[0]
    with pytest.raises(BadInput, match="it is a memory"):
        memory.imagination.feedback("liked", fact.id)
    memory.feedback(fact.id, "up")
    assert memory.imagination.patterns() == {}


# -- listening ------------------------------------------------------------------------------------


def test_a_program_hears_of_each_after_it_is_recorded(memory: Saegim) -> None:
    """`subscribe` tells what was imagined, with its sources, and of nothing else or other users."""
    heard: list[Imagination] = []
    with memory.imagination.subscribe(heard.append) as subscription:
        memory.remember("산책을 했다")
        made = memory.imagination.make()
        assert subscription.wait()
    memory.imagination.make()
    assert [each.id for each in heard] == [made.id]
    assert set(heard[0].memories_used) == set(made.memories_used)
    assert (heard[0].scenario, heard[0].action) == (made.scenario, made.action)


# -- doors ----------------------------------------------------------------------------------------


def test_the_doors_offer_it_to_those_who_ask_for_everything(memory: Saegim) -> None:
    """Four functions of the full profile: the default list of tools does not grow."""
    names = {"imagine", "imagination_list", "imagination_feedback", "mood"}
    assert names <= {each.name for each in shown_to("full")}
    assert not names & {each.name for each in shown_to("default")}
    made = call(memory, "imagine", context="비가 온다")
    assert made["left"] == 2
    assert made["imagination"]["trigger"] == "context"
    listed = call(memory, "imagination_list")
    assert (listed["left"], listed["most"], listed["day"]) == (2, 3, "2026-03-02")
    told = call(memory, "imagination_feedback", label="liked")
    assert (told["weight"], told["rests_until"]) == (1.5, None)
    assert call(memory, "mood")["mood"]["feeling"]  # type: ignore[index]
