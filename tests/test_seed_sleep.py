"""What the seeds ask of the night, as their own criteria say it, through the facade alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from reflect.living import LIVES, lived
from saegim import FixedClock, Kind, Saegim
from saegim.errors import NotFound
from saegim.memory.memory import Memory
from saegim.sleep.flow import NIGHT
from sleep.stages.ageing import (
    everything,
    findable,
    kept,
    lines,
    made_by_night,
    night,
    open_at,
    recalled,
    shrunk,
    stands,
    state,
    tie,
    used,
    why,
)
from stand_ins import shelve

Opened = Callable[..., Saegim]
LIFE = {life["id"]: life["memories"] for life in LIVES}
TWINS = ("민지는 오후에 보리차를 마신다", "민지는 오후에 보리차를 마신다.")


@pytest.fixture
def opened(tmp_path: Path, clock: FixedClock) -> Iterator[Opened]:
    """Open stores with one setting or another, each a file of its own."""
    held: list[Saegim] = []

    def another(**settings: Any) -> Saegim:
        held.append(open_at(tmp_path / f"{len(held)}.db", clock, **settings))
        return held[-1]

    yield another
    for each in held:
        each.close()


@pytest.fixture
def memory(opened: Opened) -> Saegim:
    """A fresh memory of its own."""
    return opened()


# -- seed A ---------------------------------------------------------------------------------------


def hold_sessions(memory: Saegim, clock: FixedClock, names: list[str], each: int = 10) -> None:
    """Hold sessions, a day apart, with plain things said in them."""
    for name in names:
        for number in range(each):
            memory.remember(f"memory {number} of part {name}", session=name)
        clock.forward(days=1)


def test_scenario_three_the_oldest_sessions_are_let_go(opened: Opened, clock: FixedClock) -> None:
    """Seed A §9.2, scenario 3: five sessions of ten, max_sessions 3, three at most remain."""
    memory = opened(max_sessions=3)
    names = [f"sess_test_{number}" for number in range(5)]
    hold_sessions(memory, clock, names)
    clock.forward(days=8)
    memory.nights.apply_retention_policy()
    assert len(memory.sessions.ids()) <= 3
    assert set(memory.sessions.ids()) == set(names[2:]), "and it is the newest that do"
    assert len(memory.forgetting.queue()) == 20, "into the queue, not away"


def test_scenario_three_without_a_limit_keeps_all(memory: Saegim, clock: FixedClock) -> None:
    """The control of scenario 3: with no limit set, the same policy lets nothing go."""
    names = [f"sess_test_{number}" for number in range(5)]
    hold_sessions(memory, clock, names, each=2)
    clock.forward(days=8)
    memory.nights.apply_retention_policy()
    assert set(memory.sessions.ids()) == set(names)


def test_the_sixth_session_lets_the_oldest_go(opened: Opened, clock: FixedClock) -> None:
    """Seed A §9.1-3: with max_sessions 5, five stay, and when a sixth begins the oldest goes."""
    memory = opened(max_sessions=5)
    hold_sessions(memory, clock, [f"sess_{number}" for number in range(5)], each=3)
    clock.forward(days=8)
    night(memory)
    assert len(memory.sessions.ids()) == 5
    memory.remember("the sixth begins", session="sess_5")
    night(memory)
    assert set(memory.sessions.ids()) == {f"sess_{number}" for number in range(1, 6)}


def test_too_much_in_all_lets_the_least_important_go(opened: Opened, clock: FixedClock) -> None:
    """Seed A §6.1, rule 2: by importance, the last seven days protected."""
    memory = opened(max_total_size_mb=0.003)
    filler = " ".join(["word"] * 200)
    ids = {
        importance: kept(memory, f"{importance} {filler}", importance=importance)
        for importance in (0.6, 0.3, 0.4, 0.5)
    }
    clock.forward(days=6)
    young = kept(memory, f"young {filler}", importance=0.1)
    night(memory, "leave")
    assert {state(memory, id) for id in (*ids.values(), young)} == {"active"}
    clock.forward(days=2)
    night(memory, "leave")
    assert state(memory, young) == "active", "two days old"
    assert [why(memory, ids[each]) for each in (0.3, 0.4, 0.5, 0.6)] == [
        *["displaced"] * 3,
        "active",
    ]


def test_what_is_over_is_compressed_and_given_back(memory: Saegim, clock: FixedClock) -> None:
    """Seed A §6.1, rule 3, and delete_after_days: archived small, restorable, gone after 180."""
    text = "같은 말을 여러 번 되풀이한 긴 메모. " * 40
    first = kept(memory, text, tier="M30")
    second = kept(memory, "The same long note over and over. " * 40, tier="M30")
    clock.forward(days=30)
    night(memory)
    clock.forward(days=7)
    night(memory)
    rows = memory.mind.store.database.rows("SELECT length(packed) FROM archive")
    assert [size < len(text.encode()) / 5 for (size,) in rows] == [True, True]
    memory.restore(first)
    assert memory.get(first).text == text
    clock.forward(days=181)
    night(memory)
    with pytest.raises(NotFound):
        memory.restore(second)
    memory.maintenance.verify()


def test_importance_is_computed_anew_at_midnight(memory: Saegim, clock: FixedClock) -> None:
    """Seed A §6.2 and §10.2: rating, references and feeling, clamped to one."""
    id = kept(memory, "합의에 이르렀다", rating=5, sentiment=-0.8)
    for number in range(7):
        tie(memory, kept(memory, f"{number}번째 쪽지"), "related", id)
    night(memory, "importance")
    assert stands(memory, id).worth.importance == pytest.approx(0.3 + 0.3 + 0.2 + 0.16)
    best = kept(memory, "만장일치", rating=5, sentiment=1.0, importance=0.99)
    tie(memory, id, "related", best)
    night(memory, "importance")
    assert stands(memory, best).worth.importance == 1.0


# -- seed C ---------------------------------------------------------------------------------------


def test_one_sleep_cycle_does_all_four_parts(memory: Saegim, clock: FixedClock) -> None:
    """Seed C layer 4: consolidation, regeneration, forgetting and checkpoint in one night."""
    weak, gone = kept(memory, "희미한 쪽지", tier="M365"), kept(memory, "낡은 쪽지", tier="M365")
    pinned = kept(memory, "고정한 쪽지", tier="M365", pinned=True)
    clock.forward(days=40)
    recalled(memory, weak)
    clock.forward(days=99)
    ids = [kept(memory, text) for text in TWINS]
    recalled(memory, ids[1])
    (plain,) = shelve(memory, ["지난주에는 사무실을 옮기느라 모두 바빴다. " * 6])
    row = memory.sleep()
    assert row is not None
    assert set(row.done) == {stage.name for stage in NIGHT}
    assert [state(memory, id) for id in ids] == ["superseded", "active"]
    assert stands(memory, plain).content.brief
    assert (state(memory, weak), shrunk(memory, weak)) == ("active", True)
    assert state(memory, gone) == "dormant"
    assert (state(memory, pinned), shrunk(memory, pinned)) == ("active", False)
    clock.forward(days=30)
    night(memory)
    assert why(memory, gone) == "faded"
    assert [each.change for each in lines(memory) if each.subject == gone][-1] == "Leaving"


# -- seed D ---------------------------------------------------------------------------------------


def test_phase_one_time_runs_out_into_a_queue_with_a_way_back(
    memory: Saegim, clock: FixedClock
) -> None:
    """Seed D §9, phase 1: expiry, seven days, rescue with the time reset, and the end."""
    ids = {tier: kept(memory, f"{tier} 쪽지", tier=tier) for tier in ("M30", "M90", "M365")}
    for days, tier in ((30, "M30"), (90, "M90"), (365, "M365")):
        clock.at = stands(memory, ids[tier]).time.recorded_at + timedelta(days=days)
        night(memory, "leave", "forget")
        (queued,) = memory.forgetting.queue()
        assert (queued.memory.id, queued.left) == (ids[tier], timedelta(days=7))
        clock.forward(days=6)
        (back,) = memory.restore(ids[tier])
        assert back.life.expires_at == clock.at + timedelta(days=days)
        memory.forget(ids[tier])
        clock.forward(days=7)
        night(memory, "leave", "forget")
        assert state(memory, ids[tier]) == "forgotten"


@pytest.mark.parametrize(
    ("visits", "habit", "portrait"),
    [
        (
            [f"2월 {day}일 삐돌이가 카페에 갔다" for day in (15, 18, 22)],
            "삐돌이는 카페에 자주 간다",
            "삐돌이: 카페에 자주 감",
        ),
        (
            [f"On February {day} Ppidol went to the cafe" for day in (15, 18, 22)],
            "Ppidol often goes to the cafe",
            "Ppidol: often at the cafe",
        ),
    ],
)
def test_phase_two_what_recurs_is_distilled_and_what_is_used_goes_deeper(
    memory: Saegim, clock: FixedClock, visits: list[str], habit: str, portrait: str
) -> None:
    """Seed D §9, phase 2, with the cafés of §3: M30 → M90 → M365 without a language model."""
    for text in visits:
        memory.remember(text, tier="M30")
        clock.forward(days=3)
    night(memory)
    (first,) = made_by_night(memory, "M90")
    assert first.text == habit
    used(memory, first.id, 5)
    clock.forward(days=1)
    night(memory)
    (second,) = made_by_night(memory, "M365")
    assert second.text == portrait
    clock.forward(days=30)
    night(memory)
    assert {each.life.tier.value for each in everything(memory).values()} <= {"M30", "M90", "M365"}


# -- seed E ---------------------------------------------------------------------------------------


def test_verification_five_the_alike_merge_and_the_stale_are_pruned(
    memory: Saegim, clock: FixedClock
) -> None:
    """Seed E verification 5: similar nodes merge, stale ones leave, and neither loses its words."""
    stale = kept(memory, "아무도 찾지 않은 쪽지", tier="M365", importance=0.2)
    clock.forward(days=61)
    ids = [kept(memory, text) for text in TWINS]
    night(memory)
    assert sorted(state(memory, id) for id in ids) == ["active", "superseded"]
    assert why(memory, stale) == "pruned"
    assert {stands(memory, id).text for id in (*ids, stale)} == {*TWINS, "아무도 찾지 않은 쪽지"}


@pytest.mark.parametrize("id", ["ko01", "en01"])
def test_verification_six_twenty_nodes_bring_an_insight(
    memory: Saegim, clock: FixedClock, id: str
) -> None:
    """Seed E verification 6: none after nineteen, and after twenty one that can be recalled."""
    lived(LIFE[id][:19], memory, clock)
    night(memory)
    assert memory.recent(50, kind=Kind.INSIGHT).total == 0
    lived(LIFE[id][19:20], memory, clock)
    night(memory)
    found = memory.recent(50, kind=Kind.INSIGHT).memories
    assert found
    assert found[0].id in findable(memory, found[0].text, kind=Kind.INSIGHT)


# -- what users were promised ---------------------------------------------------------------------

# What each Change may move of a memory.
MOVES = {
    "Superseded": "state",
    "Dozed": "state",
    "Leaving": "state",
    "Archived": "state",
    "Reweighed": "worth",
    "Retold": "words",
    "Shrunk": "shrunk",
    "Tiered": "tier",
}
# What is told of ties, people and pages, not of one memory.
BESIDE = ("Linked", "Portrayed", "Written")


def seeded(memory: Saegim) -> dict[str, str]:
    """Fill a store with memories of every sort; return their words by id."""
    ids = [each.id for each in lived_plainly(memory)]
    ids += [kept(memory, text) for text in TWINS]
    ids += [kept(memory, f"1월 {day}일 민수는 한강공원에 갔다", tier="M30") for day in (2, 5, 9)]
    ids += [
        kept(memory, "아무도 찾지 않는 쪽지", tier="M365", importance=0.1),
        kept(memory, "The neglected corner shelf", tier="M365"),
        kept(memory, "고정한 쪽지", tier="M30", pinned=True),
        kept(memory, "변하지 않는 쪽지", tier="M30", immutable=True),
        kept(memory, "강한 기억", tier="M30", intensity=0.9),
    ]
    used(memory, ids[-4], 10)
    ids += shelve(memory, ["지난주에는 사무실을 옮기느라 모두 바빴다. " * 6])
    return {id: stands(memory, id).text for id in ids}


def lived_plainly(memory: Saegim) -> list[Memory]:
    """Remember the little life of one person, today."""
    return [memory.remember(row["text"]).memory for row in LIFE["en01"]]


def snapshot(memory: Saegim) -> dict[str, dict[str, Any]]:
    """Return how every memory stands, in the parts that a Change may move."""
    here = everything(memory)
    faded = memory.mind.store.memories.shrunk(memory.scope, list(here))
    return {
        id: {
            "state": each.life.state,
            "tier": (each.life.tier, each.life.expires_at),
            "worth": each.worth,
            "words": (each.content.brief, each.content.triples) if each.text else None,
            "shrunk": id in faded,
        }
        for id, each in here.items()
    }


def moved(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    """Return which parts of a memory are not what they were."""
    parts = {part for part in before if before[part] != after[part]}
    # With its words, a memory takes along what was derived from them.
    return parts - {"words"} if after["words"] is None else parts


def test_a_hundred_nights_lose_nothing_and_write_everything_down(
    memory: Saegim, clock: FixedClock
) -> None:
    """U5.1: every stage a hundred times; each change has its one event, each text its way back."""
    texts = seeded(memory)
    done: Counter[str] = Counter()
    before, read = snapshot(memory), 0
    for _ in range(100):
        clock.forward(days=1)
        row = memory.sleep()
        assert row is not None
        done.update(row.done)
        after = snapshot(memory)
        events: dict[str, list[str]] = defaultdict(list)
        for entry in lines(memory, since=read):
            read = entry.seq
            if entry.actor == row.id and entry.change not in BESIDE:
                events[entry.subject].append(entry.change)
        for id in after:
            if id not in before:
                assert events.pop(id) == ["Saved"]
                continue
            found = events.pop(id, [])
            assert len(found) == len(set(found)), (row.at, id, found)
            assert {MOVES[each] for each in found} == moved(before[id], after[id]), (row.at, id)
        assert events == {}, "an event of nothing"
        before = after
    assert done == {stage.name: 100 for stage in NIGHT}
    assert lines(memory, "Erased") == [], "nothing automatic deletes"
    gone = [id for id in texts if state(memory, id) in ("leaving", "forgotten")]
    assert len(gone) > 20
    memory.restore(*gone)
    assert {id: memory.get(id, exact=True).text for id in texts} == texts
    memory.maintenance.verify()


def test_a_pin_is_never_hidden_and_decay_deletes_nothing(memory: Saegim, clock: FixedClock) -> None:
    """U26.1: ten months by the clock; the pinned is found every month, the faded comes back."""
    pinned = kept(memory, "금고 열쇠는 서랍에 있다", tier="M30", pinned=True)
    plain = kept(memory, "우산은 현관에 있다", tier="M365")
    for month in range(10):
        for _ in range(3):
            clock.forward(days=10)
            night(memory)
        assert {each.id for each in memory.search("금고 열쇠")} == {pinned}, month
    assert state(memory, plain) == "forgotten"
    told = lines(memory, "Shrunk", "Dozed", "Leaving", "Archived", "Erased")
    assert [each.change for each in told] == ["Shrunk", "Dozed", "Leaving", "Archived"]
    assert {each.subject for each in told} == {plain}
    memory.restore(plain)
    assert memory.get(plain).text == "우산은 현관에 있다"
