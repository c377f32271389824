"""A recall from memory answers as one from the file: the same hits, numbers and reasons."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.memory.changes import Dozed, Pinned
from saegim.memory.memory import State
from saegim.recall.explain import numbers, reason
from saegim.store.commit import Batch
from saegim.store.search.resident_tables import ResidentTables
from stand_ins import Toy, rounds

NOW = datetime(2026, 5, 20, 9, 0, tzinfo=UTC)
WHO = ("민호", "지은", "Jane", "Tom", "엄마", "우리 팀")
WHAT = (
    "녹차를 좋아해", "제주도에 여행을 갔어", "회의를 금요일로 미뤘어", "커피를 끊었어",
    "likes green tea", "moved to Busan", "broke the build twice", "has two dogs", "이사를 했어",
    "생일은 3월 5일이야", "will meet us on June 3", "is allergic to peanuts", "서버를 껐어?",
)  # fmt: skip
ASKED = (
    "{} 뭐 좋아해?", "What does {} like?", "when did {} move?", "{} 생일이 언제야?",
    '"green tea" {}', "몇 마리 키워 {}?", "tell me about {}", "{} 알레르기", "지난주에 뭐 했지?",
    "how many dogs does {} have?", "네가 {}에 대해 뭐라고 했어?", "nothing at all zzz",
    "{} 요약해 줘", "what is on in June?", "회의 언제로 미뤘지?", "이번 달 일정 뭐 있어?",
)  # fmt: skip
FILTERS: tuple[dict[str, Any], ...] = (
    {}, {"limit": 3}, {"kind": "fact"}, {"tags": ["차"]}, {"tags": ["tea", "차"]},
    {"history": True}, {"as_of": "2026-05-01"}, {"during": ["2026-04-01", "2026-06-10"]},
    {"since": "2026-04-20"},
    {"until": "2026-05-01"}, {"author": "Jane"}, {"session": "s1"}, {"min_importance": 0.5},
    {"pinned": True}, {"state": ["active", "dormant"]}, {"everywhere": True}, {"origin": "import"},
    {"near_misses": True}, {"emotion": "joy"}, {"tier": "M90"},
)  # fmt: skip


def furnish(memory: Saegim, clock: FixedClock, seed: int, size: int) -> None:
    """Let someone live for three months: sessions, projects, corrections, farewells."""
    chance = Random(seed)
    clock.at = NOW - timedelta(days=90)
    kept = []
    for n in range(size):
        clock.at += timedelta(hours=chance.randint(1, 2000 * 90 // size // 80))
        who, what = chance.choice(WHO), chance.choice(WHAT)
        room = memory.within(
            session=chance.choice(["", "s1", "s2"]), project=chance.choice(["", "", "alpha"])
        )
        tags = chance.sample(["차", "tea", "work"], chance.randint(0, 2))
        more: dict[str, Any] = {"tags": tags}
        if chance.random() < 0.3:
            more["importance"] = chance.random()
        if chance.random() < 0.2:
            more |= {"author": who, "origin": "import"}
        kept.append(room.remember(f"{who} {what} {chance.choice(['', n])}".strip(), **more).id)
    kept = list(dict.fromkeys(kept))  # who says the same twice has one memory of it
    size = len(kept)
    store, user = memory.mind.store, memory.scope.user
    changes = [Pinned(id, True) for id in chance.sample(kept, size // 8)]
    store.commit(Batch(user, changes, user, NOW))
    chance.shuffle(kept)
    store.commit(Batch(user, [Dozed(id) for id in kept[: size // 9]], user, NOW))
    for id in kept[-size // 9 :]:
        if memory.get(id).life.state is not State.ACTIVE:
            continue  # what was corrected a moment ago has replaced it
        memory.update(id, text=f"{chance.choice(WHO)} {chance.choice(WHAT)} 이제는 {id[-3:]}")
    memory.forget(*kept[size // 9 : size // 5])
    memory.within(agent="bot").remember("우리 모두 녹차를 마셔", visibility="shared")
    clock.at = NOW


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[Saegim, Saegim, FixedClock]]:
    """One memory twice: asked from the file, and asked from memory."""
    clock, path = FixedClock(), tmp_path / "memory.db"
    given: dict[str, Any] = {
        "clock": clock, "embedder": Toy(32), "traces": False, "durability": "fast",
    }  # fmt: skip
    with (
        Saegim.open(path, resident_memories=0, **given) as file,
        Saegim.open(path, **given) as here,
    ):
        yield file, here, clock


def answer(memory: Saegim, question: str, filters: dict[str, Any]) -> Any:
    """Return everything that an answer says."""
    found = memory.recall(question, **filters)
    hits = [(hit.memory, hit.score, hit.number, numbers(hit), reason(hit)) for hit in found.hits]
    return hits, found.paths, found.candidates, found.below_floor, found.hidden


@pytest.mark.parametrize("seed", range(rounds(3, 1)))
def test_answers_are_the_same_from_memory_and_from_the_file(
    both: tuple[Saegim, Saegim, FixedClock], seed: int
) -> None:
    """Issue 20: hundreds of questions under every filter, byte for byte."""
    file, here, clock = both
    furnish(file, clock, seed, rounds(400, 90))
    chance = Random(seed)
    store = here.mind.store
    assert store.prepare(here.scope)
    for turn in range(rounds(700, 120)):
        question = chance.choice(ASKED).format(chance.choice(WHO))
        filters = chance.choice(FILTERS) if turn % 3 else {}
        project = {"project": "alpha"} if turn % 5 == 0 else {}
        one, two = (each.within(**project) if project else each for each in (file, here))
        assert answer(two, question, filters) == answer(one, question, filters), question
        if turn % 40 == 20:
            # What happens meanwhile, in another process, is part of the next answer.
            said = f"{chance.choice(WHO)} {chance.choice(WHAT)} {turn}"
            file.within(session="s1").remember(said)
    assert isinstance(store.at_hand(here.scope), ResidentTables)


def test_what_a_trace_counted_is_part_of_the_next_answer(memory: Saegim) -> None:
    """Being shown makes a memory more recent: the index follows that too."""
    kept = memory.remember("blue kettle")
    assert memory.mind.store.prepare(memory.scope)
    assert memory.recall("kettle").hits[0].memory.worth.recalled == 0
    assert memory.mind.traces is not None
    memory.mind.traces.flush()
    (hit,) = memory.recall("kettle").hits
    assert (hit.memory.id, hit.memory.worth.recalled) == (kept.id, 1)


def test_contradictions_are_told_from_memory_too(memory: Saegim) -> None:
    """Two that disagree are both marked, and each names the other."""
    one = memory.remember("Jane likes coffee")
    two = memory.remember("Jane hates coffee")
    store = memory.mind.store
    assert store.prepare(memory.scope)
    before = [hit.conflicts for hit in memory.recall("Jane coffee").hits]
    store._resident.forget()
    assert before == [hit.conflicts for hit in memory.recall("Jane coffee").hits]
    assert {one.id, two.id} == {hit.memory.id for hit in memory.recall("Jane coffee").hits}
