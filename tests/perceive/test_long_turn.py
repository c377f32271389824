"""A long turn is kept and found at once; what its rest says is read afterwards, exactly once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.memory.entities import DERIVED_FROM
from saegim.memory.memory import Memory
from saegim.perceive import flow, keep_turn
from saegim.perceive.keep_turn import MOST_FACTS, READ, at_both_ends, read_rest
from saegim.settings import Settings
from saegim.store.rows import Where
from stand_ins import wait_until

FILLER = {
    "en": "Rain, rain and again rain over the old wall, for hours and hours, {n} times. ",
    "ko": "비, 비, 또 비, 낡은 담장 위로 {n}시간 내내. ",
}
FIRST = {"en": "I moved to Busan in May. ", "ko": "나는 5월에 부산으로 이사했어. "}
INSIDE = {
    "en": "I am allergic to walnuts. ",
    "ko": "내 동생 민서는 호두 알레르기가 있어. ",
}
WORD = {"en": "walnuts", "ko": "호두"}
USUAL = Settings()
QUARTER: dict[str, Any] = {
    "read_at_once": USUAL.read_at_once // 4,
    "turn_limit": USUAL.turn_limit // 4,
}


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Saegim]:
    """A memory in which nothing is read before a test says so; a quarter of the usual is much."""
    with Saegim.open(tmp_path / "quiet.db", clock=clock, background=False, **QUARTER) as opened:
        yield opened


def long_turn(spoken: str, letters: int = 3_500) -> str:
    """Return a turn that says something at its beginning, and something deep inside."""
    count = letters // len(FILLER[spoken])
    lines = [FILLER[spoken].format(n=n) for n in range(count)]
    lines[0], lines[count // 2] = FIRST[spoken], INSIDE[spoken]
    return "".join(lines)


def jobs(memory: Saegim) -> list[str]:
    """Return the parts that wait to be read."""
    return [each.subject for each in memory.mind.store.jobs.all(memory.scope) if each.kind == READ]


def facts(memory: Saegim) -> list[Memory]:
    """Return what was read in turns."""
    where = Where(scope=memory.scope, everywhere=True)
    kept = [each for _, each in memory.mind.store.memories.walk(where)]
    return [each for each in kept if each.provenance.turn]


@pytest.mark.parametrize("spoken", ["en", "ko"])
def test_a_long_turn_is_found_at_once_and_read_afterwards(memory: Saegim, spoken: str) -> None:
    """Every word is durable and findable when observe returns; the facts of the rest follow."""
    text = long_turn(spoken)
    seen = memory.observe(text, session="talk")
    assert "".join("".join(each.memory.text for each in seen.kept).split()) == "".join(text.split())
    assert seen.unread == len(jobs(memory)) > 3
    (found,) = memory.search(WORD[spoken])
    assert found.id in jobs(memory)
    assert memory.recall(WORD[spoken]).hits[0].memory.id == found.id
    assert not any(WORD[spoken] in each.text for each in facts(memory))
    assert found.content.brief is None
    list(memory.maintenance.work())
    assert jobs(memory) == []
    (fact,) = [each for each in facts(memory) if WORD[spoken] in each.text]
    ties = memory.mind.store.links.of(memory.scope, [fact.id], [DERIVED_FROM])
    assert [each.target for each in ties] == [found.id]
    assert memory.get(found.id).content.brief
    # What was shown and opened is written behind the answer; it is none of the night's lines.
    assert memory.mind.traces is not None
    memory.mind.traces.flush()
    before = memory.maintenance.verify()
    list(memory.maintenance.work())
    memory.sleep("renew")
    assert len(facts(memory)) == len({each.canonical_key for each in facts(memory)})
    assert memory.maintenance.verify()[0] - before[0] <= 1
    assert len(facts(memory)) <= MOST_FACTS


@pytest.mark.parametrize("spoken", ["en", "ko"])
def test_what_is_read_at_once_does_not_grow_with_the_turn(
    memory: Saegim, monkeypatch: pytest.MonkeyPatch, spoken: str
) -> None:
    """However long the turn, so many letters are read before observe returns, and no more."""
    read: list[int] = []
    real = flow.hear

    def counted(text: str, mind: object) -> object:
        read.append(len(text))
        return real(text, mind)  # type: ignore[arg-type]

    for module in (flow, keep_turn):
        monkeypatch.setattr(module, "hear", counted)
    most = memory.mind.settings.read_at_once
    taken = {}
    for letters in (2_000, 4_000, 6_000):
        read.clear()
        memory.observe(long_turn(spoken, letters), session=f"s{letters}")
        taken[letters] = sum(read)
    # Once by sentences for the judgement, once by parts for what is kept.
    assert max(taken.values()) <= 2 * most + memory.mind.settings.turn_limit


def test_without_the_bound_everything_is_read_before_anyone_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: what was read grows with the turn where nothing is put off."""
    read: list[int] = []
    real = flow.hear

    def counted(text: str, mind: object) -> object:
        read.append(len(text))
        return real(text, mind)  # type: ignore[arg-type]

    monkeypatch.setattr(flow, "hear", counted)
    path = tmp_path / "all.db"
    with Saegim.open(path, background=False, read_at_once=1_000_000) as memory:
        seen = memory.observe(long_turn("en"), session="talk")
        assert seen.unread == 0
        assert jobs(memory) == []
    assert sum(read) > 3_000


def test_a_part_whose_reader_was_overtaken_is_read_once(memory: Saegim, clock: FixedClock) -> None:
    """Two processes with one part in hand: who lost the lease writes nothing."""
    memory.observe(long_turn("ko"), session="talk")
    desk, held = memory.mind.store.jobs, []
    while job := desk.take(clock.now(), (READ,)):
        held.append(job)
    clock.forward(minutes=11)
    assert sum(1 for _ in read_rest(memory.mind)) == len(held)
    before = memory.maintenance.verify(), len(facts(memory))
    assert [keep_turn._read_part(job, memory.mind) for job in held] == [0] * len(held)
    assert (memory.maintenance.verify(), len(facts(memory))) == before


def test_a_part_over_which_readers_keep_dying_is_parked(memory: Saegim, clock: FixedClock) -> None:
    """What cannot be read is not tried for ever; its words are there, and it is said why."""
    memory.observe(long_turn("en", 2_000), session="talk")
    count = len(jobs(memory))
    for _ in range(5):
        while memory.mind.store.jobs.take(clock.now(), (READ,)):
            pass
        clock.forward(minutes=11)
    list(memory.maintenance.work())
    parked = memory.mind.store.jobs.all(memory.scope)
    assert [each.state for each in parked] == ["parked"] * count
    list(memory.maintenance.work(parked=True))
    assert jobs(memory) == []


def test_a_part_that_is_gone_is_not_read(memory: Saegim) -> None:
    """Erased or let go before its turn came, it leaves no work and no fact behind."""
    memory.observe(long_turn("en"), session="talk")
    (found,) = memory.search(WORD["en"])
    other = next(id for id in jobs(memory) if id != found.id)
    memory.forgetting.erase(found.id, confirm=True)
    memory.forget(other)
    list(memory.maintenance.work())
    assert jobs(memory) == []
    assert not any(WORD["en"] in each.text for each in facts(memory))


def test_a_night_reads_what_nobody_else_has(memory: Saegim, clock: FixedClock) -> None:
    """Without a server the rest waits for the next night, and no longer."""
    memory.observe(long_turn("en"), session="talk")
    clock.forward(hours=1)
    memory.sleep("renew")
    assert jobs(memory) == []
    assert any(WORD["en"] in each.text for each in facts(memory))


def test_the_rest_is_read_behind_the_verbs_also_after_a_restart(tmp_path: Path) -> None:
    """An open memory reads on in the background; so does the one that is opened next."""
    path = tmp_path / "memory.db"
    with Saegim.open(path, background=False, **QUARTER) as memory:
        memory.observe(long_turn("en"), session="talk")
        assert jobs(memory)
    with Saegim.open(path, **QUARTER) as memory:
        wait_until(lambda: not jobs(memory))
        assert any(WORD["en"] in each.text for each in facts(memory))
        memory.observe(long_turn("ko"), session="other")
        wait_until(lambda: not jobs(memory))
        assert any(WORD["ko"] in each.text for each in facts(memory))


def test_what_would_be_let_pass_is_judged_to_its_end(memory: Saegim) -> None:
    """A wish in the middle of a long reply is heard: what is not kept cannot be read later."""
    reply = "하하 그렇군요. " * 100
    text = f"{reply}꼭 기억해줘: 내 사물함은 파란 문 옆에 있어. {reply}"
    assert memory.observe(text, session="talk").kept
    assert memory.search("사물함")


def test_the_beginning_and_the_end_are_read_first() -> None:
    """A short turn is read whole; of a long one both ends, in order, each sentence once."""
    said = [f"{n:03d}{'x' * 97}" for n in range(100)]
    assert at_both_ends(said[:10], 4000) == said[:10]
    near = at_both_ends(said, 4000)
    assert near == [*said[:30], *said[-10:]]
    huge = ["a" * 10_000, "b" * 10_000]
    assert at_both_ends(huge, 4000) == huge
