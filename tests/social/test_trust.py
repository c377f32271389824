"""Trust moves with how what someone said has held (seed E): slowly, bounded, and explained."""

from __future__ import annotations

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import NotFound
from saegim.memory.changes import Met
from saegim.memory.entities import Entity
from saegim.memory.memory import trust
from saegim.social import Social
from saegim.social.bot import Post
from saegim.store.commit import Batch


@pytest.fixture
def social(memory: Saegim) -> Social:
    """Return the memory of a bot on one platform."""
    return Social(memory, me="bara", platform="agora")


def said(social: Social, author: str, *texts: str) -> list[str]:
    """Let someone say things; return the ids of what was kept."""
    return [
        social.remember_post(Post(id=f"{author}-{text}", author=author, text=text)).id
        for text in texts
    ]


def night(memory: Saegim, clock: FixedClock, times: int = 1) -> None:
    """Let nights go by in which everything is weighed anew."""
    for _ in range(times):
        clock.forward(days=1)
        memory.sleep("importance")


def trusted(memory: Saegim, name: str) -> float:
    """Return how far someone is trusted."""
    return memory.entities.named(name)[0].trust


def test_trust_is_slow_bounded_and_loses_faster_than_it_gains() -> None:
    """The formula: a word says little, a hundred do not make a saint, a lie weighs twice."""
    assert trust(start=0.5, confirmed=0) == 0.5
    once, twice = trust(start=0.5, confirmed=1), trust(start=0.5, confirmed=2)
    assert 0.5 < once < twice < 0.6
    assert trust(start=0.5, confirmed=10_000) == 0.95
    assert trust(start=0.5, confirmed=0, wrong=10_000) == 0.1
    assert 0.5 - trust(start=0.5, confirmed=0, wrong=1) > once - 0.5
    assert trust(start=0.5, confirmed=0, wrong=1) < trust(start=0.5, confirmed=0, contradicted=1)


def test_what_the_person_says_as_well_raises_and_what_they_deny_lowers(
    social: Social, memory: Saegim, clock: FixedClock
) -> None:
    """Two say where Minji lives; the person says it too: one of them was right."""
    said(social, "haru", "민지는 부산에 산다.")
    said(social, "mina", "민지는 대구에 산다.")
    said(social, "yuna", "오늘 하늘이 맑다.")
    memory.remember("민지는 부산에 산다.")
    night(memory, clock)
    assert trusted(memory, "haru") > 0.5 > trusted(memory, "mina")
    assert trusted(memory, "yuna") == 0.5, "the control: nothing she said was tried"


def test_judgements_move_trust_in_whoever_said_it(
    social: Social, memory: Saegim, clock: FixedClock
) -> None:
    """Praise confirms, "wrong" lowers; being used confirms nothing."""
    (good,) = said(social, "haru", "The ferry to Jeju leaves at nine.")
    (bad,) = said(social, "mina", "The ferry to Jeju leaves at noon.")
    (used,) = said(social, "yuna", "The ferry to Jeju has a cafe.")
    memory.feedback(good, "up")
    memory.feedback(bad, "wrong")
    memory.feedback(used, "used")
    night(memory, clock)
    assert trusted(memory, "haru") > 0.5 > trusted(memory, "mina")
    assert trusted(memory, "yuna") == 0.5


def test_called_wrong_it_is_not_confirmed_as_well(
    social: Social, memory: Saegim, clock: FixedClock
) -> None:
    """Whoever is praised and then called wrong for the same words has said something wrong."""
    (one,) = said(social, "haru", "The ferry to Jeju leaves at nine.")
    memory.feedback(one, "up")
    memory.feedback(one, "wrong")
    held = memory.entities.standing("haru")
    assert (len(held.confirmed), len(held.wrong)) == (0, 1)


def test_one_night_moves_it_a_little_and_the_same_evidence_moves_it_once(
    social: Social, memory: Saegim, clock: FixedClock
) -> None:
    """Ten lies of one day cost 0.05 that night; where the evidence leads, it stays."""
    texts = [f"The ferry number {n} leaves at noon." for n in range(10)]
    for id in said(social, "mina", *texts):
        memory.feedback(id, "wrong")
    night(memory, clock)
    assert trusted(memory, "mina") == pytest.approx(0.45)
    night(memory, clock, times=10)
    settled = trusted(memory, "mina")
    assert settled == pytest.approx(trust(start=0.5, confirmed=0, wrong=10), abs=0.005)
    before = len(list(memory.mind.store.ledger.entries(memory.scope)))
    night(memory, clock, times=3)
    assert trusted(memory, "mina") == settled
    lines = list(memory.mind.store.ledger.entries(memory.scope))[before:]
    assert not [each for each in lines if each.change == "Trusted"]


def test_trust_is_explained_by_the_memories_it_rests_on(
    social: Social, memory: Saegim, clock: FixedClock
) -> None:
    """Which words held and which did not is told by id; the page of it holds no words."""
    (good,) = said(social, "haru", "민지는 부산에 산다.")
    (bad,) = said(social, "haru", "The ferry to Jeju leaves at noon.")
    memory.remember("민지는 부산에 산다.")
    memory.feedback(bad, "wrong")
    night(memory, clock)
    held = memory.entities.standing("haru")
    assert (set(held.confirmed.values()), set(held.wrong.values())) == ({good}, {bad})
    [page] = memory.mind.store.pages.of(memory.scope, kind="trust")
    assert (page.data["confirmed"], page.data["wrong"]) == ([good], [bad])
    assert page.data["start"] == 0.5
    assert page.data["trust"] == trusted(memory, "haru")
    assert "haru" not in f"{page.key}{dict(page.data)}"
    assert "부산" not in f"{page.key}{dict(page.data)}"
    with pytest.raises(NotFound, match="Nobody is known"):
        memory.entities.standing("nobody")


def test_meeting_again_keeps_the_trust_and_a_given_one_is_where_it_starts(
    social: Social, memory: Saegim, clock: FixedClock
) -> None:
    """Seed E brings its own trust_level along: 0.8 is where that acquaintance began."""
    given = Entity(name="sora", platform="agora", type="bot", trust=0.8)
    mind = memory.mind
    mind.store.commit(Batch(memory.scope.user, [Met(given)], "import", mind.now()))
    (bad,) = said(social, "sora", "The ferry to Jeju leaves at noon.")
    memory.feedback(bad, "wrong")
    night(memory, clock, times=4)
    settled = trusted(memory, "sora")
    assert settled == pytest.approx(trust(start=0.8, confirmed=0, wrong=1), abs=0.005)
    said(social, "sora", "It rains on Jeju.")
    assert trusted(memory, "sora") == settled


def test_a_night_that_is_taken_back_takes_its_trust_back(
    social: Social, memory: Saegim, clock: FixedClock
) -> None:
    """U5.1: what a night moved can be undone, and the next night respects it."""
    (bad,) = said(social, "mina", "The ferry to Jeju leaves at noon.")
    memory.feedback(bad, "wrong")
    clock.forward(days=1)
    row = memory.sleep("importance")
    assert row is not None
    assert row.told["importance"]["trusted"] == 1
    assert trusted(memory, "mina") < 0.5
    memory.nights.undo(row.id)
    assert trusted(memory, "mina") == 0.5


def test_words_of_the_person_move_nobody(memory: Saegim, clock: FixedClock) -> None:
    """The person is not their own acquaintance: correcting oneself costs no trust."""
    memory.remember("나는 서울에 산다.")
    memory.remember("나는 부산에 산다.")
    night(memory, clock)
    assert {each.trust for each in memory.entities.all()} <= {0.5}
