"""Reflection as a whole: sources, rooms, voices, no repetition, and the same every time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reflect.living import COUNTED, LIVES, days, kept_as_memories, kind_of, lived, thought
from saegim import FixedClock, Saegim
from saegim.memory.changes import Leaving, Quarantined
from saegim.memory.memory import Memory, Reason, Scope
from saegim.sleep.reflect.flow import reflect
from saegim.sleep.reflect.insight import TAG
from saegim.store.commit import Batch

LIFE = {life["id"]: life["memories"] for life in LIVES}


def _again(memory: Saegim, kept: list[Memory]) -> list[Memory]:
    """Read the memories as they stand in the store now."""
    found = [memory.mind.store.memories.get(memory.scope, each.id) for each in kept]
    return [each for each in found if each is not None]


@pytest.mark.parametrize("id", ["ko01", "en01"])
def test_twenty_memories_become_an_insight_with_its_sources(
    id: str, memory: Saegim, clock: FixedClock
) -> None:
    """Seed E verification 6: after twenty memories there are insights, each with its sources."""
    kept = lived(LIFE[id][:20], memory, clock)
    found = thought(memory, kept)
    assert found.insights
    assert found.troubles == ()
    for each in found.insights:
        assert len(each.sources) >= 3
        assert {one.id for one in each.sources} <= {one.id for one in kept}
        assert each.language == id[:2]
        assert each.tag == f"{TAG}{each.key}"
        assert not COUNTED.search(each.text)


def test_nothing_is_written(memory: Saegim, clock: FixedClock) -> None:
    """A reflection commits nothing: the ledger is as long after it as before."""
    kept = lived(LIFE["ko01"], memory, clock)
    before = memory.mind.store.ledger.verify(memory.scope)
    thought(memory, kept)
    assert memory.mind.store.ledger.verify(memory.scope) == before


def test_the_same_memories_mean_the_same(memory: Saegim, clock: FixedClock) -> None:
    """The order in which memories are handed over changes nothing."""
    kept = lived(LIFE["en08"], memory, clock)
    assert thought(memory, kept) == thought(memory, reversed(kept)) == thought(memory, kept)


def test_what_was_said_is_not_said_again(memory: Saegim, clock: FixedClock) -> None:
    """With the first night's insights kept, the same days bring no insight a second time."""
    kept = lived(LIFE["ko03"], memory, clock)
    first = thought(memory, kept).insights
    assert len(first) > 1
    kept_as_memories(memory, first[:1])
    assert thought(memory, kept).insights == first[1:], "what was not kept is still news"
    kept_as_memories(memory, first[1:])
    assert thought(memory, kept).insights == ()


def test_a_turn_of_the_tide_is_news(memory: Saegim, clock: FixedClock) -> None:
    """A topic that grew, then shrank, then grew again is worth saying each time."""
    growing = lived(LIFE["ko02"], memory, clock)
    (more,) = [each for each in thought(memory, growing).insights if "늘었다" in each.text]
    kept_as_memories(memory, [more])
    assert not [each for each in thought(memory, growing).insights if "늘었다" in each.text]
    shrinking = [
        {**row, "day": 60 - row["day"], "text": row["text"] + " 다시"} for row in LIFE["ko02"]
    ]
    later = lived(reversed(shrinking), memory, clock)
    (less,) = [each for each in thought(memory, later).insights if "줄었다" in each.text]
    assert less.key.partition(".")[0] == more.key.partition(".")[0]
    kept_as_memories(memory, [less])
    assert [each for each in thought(memory, growing).insights if "늘었다" in each.text]


def test_a_season_later_it_may_be_said_again(memory: Saegim, clock: FixedClock) -> None:
    """What was said more than ninety days ago is news again; before that it is not."""
    kept = lived(LIFE["en01"], memory, clock)
    first = thought(memory, kept).insights
    kept_as_memories(memory, first)
    clock.forward(days=89)
    assert thought(memory, kept).insights == ()
    clock.forward(days=2)
    assert thought(memory, kept).insights == first


def test_an_insight_the_person_sent_away_stays_away(memory: Saegim, clock: FixedClock) -> None:
    """U7: forgetting an insight is an answer; one that merely expired may come back."""
    kept = lived(LIFE["en03"], memory, clock)
    first = thought(memory, kept).insights
    made = kept_as_memories(memory, first[:2])
    now = memory.mind.now()
    memory.mind.store.commit(
        Batch(
            memory.scope.user,
            [
                Leaving(made[0].id, Reason.MANUAL, since=now, until=now),
                Leaving(made[1].id, Reason.EXPIRED, since=now, until=now),
            ],
            actor="test",
            at=now,
        )
    )
    assert thought(memory, kept).insights == first[1:]


def _growing(word: str, start: int = 0, **about: str) -> list[dict[str, Any]]:
    """Return twenty days in whose second half a word comes up five times."""
    texts = [row["text"] for row in LIFE["en05"][:20]]
    for at in range(11, 20, 2):
        texts[at] = f"{word} brought number {at}"
    return days(*texts, start=start, **about)


def test_two_projects_are_never_mixed(memory: Saegim, clock: FixedClock) -> None:
    """U12: what grows in one project says nothing about another, and no sources are mixed."""
    rows = _growing("Emma", project="album") + _growing("Oliver", start=1, project="garden")
    found = thought(memory, lived(rows, memory, clock))
    rooms = {
        each.about[0].removeprefix("entity:"): {one.scope.project for one in each.sources}
        for each in found.insights
    }
    assert rooms == {"emma": {"album"}, "oliver": {"garden"}}
    halves = [
        dict(row, project="album" if at % 2 else "garden") for at, row in enumerate(rows[:20])
    ]
    assert thought(memory, lived(halves, memory, clock)).insights == (), "five of ten, twice"


def test_two_agents_are_never_mixed(memory: Saegim, clock: FixedClock) -> None:
    """U12: three memories of each of two agents are no six."""
    rows = [
        {**row, "agent": "home" if at % 2 else "work"} for at, row in enumerate(LIFE["en07"][:14])
    ]
    for each in thought(memory, lived(rows, memory, clock)).insights:
        assert len({one.scope.agent for one in each.sources}) == 1


def test_a_page_does_not_speak_for_the_person(memory: Saegim, clock: FixedClock) -> None:
    """M1: what the web says is seen apart, says that it is the web, and draws no profile."""
    rows = _growing("Emma", origin="web") + _growing("Oliver", start=1)
    found = thought(memory, lived(rows, memory, clock))
    assert len(found.insights) == 2
    for each in found.insights:
        origins = {one.provenance.origin.value for one in each.sources}
        assert len(origins) == 1
        assert ("from the web" in each.text) == (origins == {"web"})


def test_the_web_alone_draws_no_profile(memory: Saegim, clock: FixedClock) -> None:
    """M1: pages about someone make no portrait of them; the same words of a person do."""
    own, pages = LIFE["en01"], [{**row, "origin": "web"} for row in LIFE["en01"]]
    assert thought(memory, lived(pages, memory, clock)).portraits == ()
    assert thought(memory, lived(own, memory, clock)).portraits != ()


def test_what_is_kept_apart_is_not_counted(memory: Saegim, clock: FixedClock) -> None:
    """M4: a memory in quarantine is no source of anything."""
    kept = lived(LIFE["ko01"], memory, clock)
    apart = next(each for each in kept if "배낭" in each.text)
    now = memory.mind.now()
    memory.mind.store.commit(
        Batch(memory.scope.user, [Quarantined(apart.id)], actor="test", at=now)
    )
    found = thought(memory, _again(memory, kept)).insights
    assert found
    assert apart.id not in {one.id for each in found for one in each.sources}


def test_another_persons_memories_are_not_reflected_on(memory: Saegim, clock: FixedClock) -> None:
    """U12: the wall between people stands also where a caller hands over the wrong memories."""
    kept = lived(LIFE["ko01"], memory, clock)
    mind = memory.mind
    other = reflect(kept, scope=Scope("someone-else"), mind=mind, at=mind.now())
    assert (other.insights, other.portraits) == ((), ())


def test_a_turn_and_its_facts_count_once(memory: Saegim, clock: FixedClock) -> None:
    """U4.2: facts that were read from a turn do not make it eight tellings instead of four."""
    kept = lived(LIFE["en07"], memory, clock)
    facts = [
        replace(each, id=f"{each.id}.fact", provenance=replace(each.provenance, turn=each.id))
        for each in kept
    ]
    assert thought(memory, [*facts, *kept]) == thought(memory, kept)


def test_memories_of_one_moment_have_no_trend(memory: Saegim, clock: FixedClock) -> None:
    """What was written in one hour has no before and after, and no habit."""
    rows = [{**row, "day": 0, "hour": 10 + at / 60} for at, row in enumerate(LIFE["ko02"])]
    assert thought(memory, lived(rows, memory, clock)).insights == ()


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (0, 3, "more"),
        (1, 4, "more"),
        (1, 3, ""),
        (3, 5, ""),
        (4, 7, ""),
        (4, 8, "more"),
        (5, 2, "less"),
    ],
)
def test_a_small_difference_is_no_trend(
    before: int, after: int, kind: str, memory: Saegim, clock: FixedClock
) -> None:
    """Only three more and twice as many is more; three and five may be chance."""
    plain = [row["text"] for row in LIFE["en05"][:20]]
    for at in (*range(before), *range(10, 10 + after)):
        plain[at] = f"Emma brought number {at}"
    found = thought(memory, lived(days(*plain), memory, clock)).insights
    kinds = {kind_of(each) for each in found}
    assert kinds & {"more", "less"} == ({kind} if kind else set())


@pytest.mark.parametrize(("others", "told"), [(13, True), (21, False)])
def test_a_habit_is_the_subjects_own(
    others: int, told: bool, memory: Saegim, clock: FixedClock
) -> None:
    """Who writes at nine in the evening about everything has no habit of chess at nine."""
    rows = [{"day": at, "hour": 21, "text": f"Chess lesson {at}"} for at in range(5)]
    plain = [row["text"] for row in LIFE["en05"][:15]]
    rows += [{"day": 5 + at, "hour": others, "text": text} for at, text in enumerate(plain)]
    found = thought(memory, lived(rows, memory, clock)).insights
    assert ("hours" in {kind_of(each) for each in found}) is told


def test_a_feeling_that_changed_since_long_ago_is_noticed(
    memory: Saegim, clock: FixedClock
) -> None:
    """Seed E sentiment_history: older memories of someone count as the time before."""
    texts = [row["text"] for row in LIFE["en04"] if "Oliver" in row["text"]]
    old = lived(days(*texts[:4]), memory, clock)
    new = lived(LIFE["en05"][:15], memory, clock)
    new += lived(days(
        "Oliver apologised and I was so happy", "Had a wonderful, joyful evening with Oliver",
        "So grateful and glad for Oliver", start=30), memory, clock)  # fmt: skip
    (tone,) = [each for each in thought(memory, new).insights if "tone" in each.text]
    assert {each.id for each in old} < {each.id for each in tone.sources}
    assert kind_of(tone) == "brighter"


def test_older_memories_of_another_project_do_not_count(memory: Saegim, clock: FixedClock) -> None:
    """U12: how someone felt in another project is no part of how they feel in this one."""
    texts = [row["text"] for row in LIFE["en04"] if "Oliver" in row["text"]]
    lived(days(*texts[:4], project="elsewhere"), memory, clock)
    new = lived(LIFE["en05"][:15], memory, clock) + lived(days(*texts[4:], start=30), memory, clock)
    assert not [each for each in thought(memory, new).insights if "tone" in each.text]


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        ("teeth", ("The dog gets two teeth pulled", "The vet never did the teeth",
                   "The dog is two teeth lighter", "His teeth are in a jar")),
        ("수술", ("아빠 수술 날짜가 나왔다", "수술은 전주에서 한다", "수술 동의서를 썼다",
                  "수술이 끝났다")),
    ],
)  # fmt: skip
def test_what_only_comes_up_is_no_interest(
    word: str, texts: tuple[str, ...], memory: Saegim, clock: FixedClock
) -> None:
    """A count is nothing to say: what is told of four times and not gladly makes no insight."""
    filler = [row["text"] for row in LIFE["ko05" if word == "수술" else "en05"][:16]]
    spread = [text for at, one in enumerate(texts) for text in (*filler[at * 4 : at * 4 + 4], one)]
    found = thought(memory, lived(days(*spread), memory, clock))
    assert [each.text for each in found.insights if kind_of(each) == "interest"] == []
    assert not [each for each in found.insights if COUNTED.search(each.text)]


def test_how_an_assistant_answers_is_nobodys_trend(memory: Saegim, clock: FixedClock) -> None:
    """Answers that all end in the same word say nothing about the person who is answered."""
    kept = lived(LIFE["en02"], memory, clock)
    answers = [each.evolve(agent=replace(each.agent, role="assistant")) for each in kept]
    assert thought(memory, answers).insights == ()
    assert thought(memory, kept).insights != (), "control: told by the person it is a trend"


def test_few_memories_mean_nothing_yet(memory: Saegim, clock: FixedClock) -> None:
    """Three of five is no pattern, and no memories at all are no trouble."""
    assert thought(memory, []).insights == ()
    few = [row for row in LIFE["ko01"] if "민수" in row["text"]][:5]
    assert thought(memory, lived(few, memory, clock)).insights == ()
