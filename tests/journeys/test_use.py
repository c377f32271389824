"""Some weeks with an agent that answers from memory: what is used rises, what is not does not."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from saegim import FixedClock, Saegim
from saegim.memory.entities import PROMOTED_FROM
from saegim.memory.memory import Memory, Tier

BEGAN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
LIVES = {
    "ko": (
        "내 여동생 유나는 대전에서 빵집을 해.",
        "내 동료 태민은 울산에서 자전거를 타.",
        "여동생 유나가 하는 가게 말이야, 뭐였지?",
        "유나 님은 대전에서 빵집을 하세요.",
        "그건 제가 아는 바가 없네요.",
    ),
    "en": (
        "My sister Yuna runs a bakery in Daejeon.",
        "My colleague Tariq rides his bicycle in Ulsan.",
        "What does my sister Yuna do again?",
        "Yuna runs a bakery in Daejeon.",
        "I am afraid nobody has told me about that.",
    ),
}


def lived(folder: Path, language: str, *, answers: bool) -> tuple[Saegim, Memory, Memory]:
    """Live three weeks: overheard on the first day, asked about every third day, a night each."""
    said, aside, asked, reply, shrug = LIVES[language]
    clock = FixedClock(BEGAN)
    memory = Saegim.open(folder / "memory.db", clock=clock, timezone="UTC")
    (first,) = memory.observe(said, session="day-0").kept
    (other,) = memory.observe(aside, session="day-0").kept
    for day in range(1, 22):
        clock.forward(days=1)
        assert memory.sleep() is not None
        if day % 3:
            continue
        here = memory.within(session=f"day-{day}")
        here.observe(asked)
        made = here.context(asked)
        assert any(said.rstrip(".") in each.words for each in made.cards)
        clock.forward(seconds=30)
        here.observe(reply if answers else shrug, role="assistant")
        clock.forward(seconds=-30)
    store = memory.mind.store
    now = [store.memories.get(memory.scope, each.id) for each in (first, other)]
    assert now[0] is not None
    assert now[1] is not None
    return memory, now[0], now[1]


def risen(memory: Saegim, *ids: str) -> list[Memory]:
    """Return what was made of these in a higher tier."""
    store = memory.mind.store
    links = store.links.of(memory.scope, ids, [PROMOTED_FROM])
    found = (store.memories.get(memory.scope, each.source) for each in links if each.target in ids)
    return [each for each in found if each is not None]


def family(memory: Saegim, first: Memory) -> list[Memory]:
    """Return a turn and the facts that were read in it: either may be the card that is shown."""
    return [
        each
        for each in memory.recent(100, tiers=["M30"]).memories
        if each.id == first.id or each.provenance.turn == first.id
    ]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_what_replies_lean_on_rises_by_use(tmp_path: Path, language: str) -> None:
    """Seed D §3: used three times it rises to M90, and the person can read why."""
    memory, first, other = lived(tmp_path, language, answers=True)
    with memory:
        used = family(memory, first)
        assert max(each.worth.used for each in used) >= 3
        made = risen(memory, *(each.id for each in used))
        assert [each.life.tier for each in made] == [Tier.M90] * len(made)
        assert made
        best = max(used, key=lambda each: each.worth.used)
        uses = memory.history(best.id).uses
        assert {each.because for each in uses} == {"back"}
        assert all(each.words and each.trace for each in uses)
        assert {each.worth.used for each in family(memory, other)} == {0}


@pytest.mark.parametrize("language", ["ko", "en"])
def test_without_replies_that_lean_on_it_nothing_rises(tmp_path: Path, language: str) -> None:
    """The same weeks, the same showings, an agent that answers nothing of it."""
    memory, first, other = lived(tmp_path, language, answers=False)
    with memory:
        for each in (*family(memory, first), *family(memory, other)):
            assert each.worth.used == 0
            assert risen(memory, each.id) == []
        assert first.worth.recalled > 0
