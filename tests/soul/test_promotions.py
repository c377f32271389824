"""The notice of a promotion: what rose, from where to where and why; told to one session once."""

from __future__ import annotations

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput
from saegim.memory.memory import Tier
from saegim.serve.hooks.flow import greeting
from saegim.soul.promotions import APPROVED, KIND
from sleep.stages.ageing import kept, lines, report_page, used

pytestmark = pytest.mark.usefixtures("seed_clocks")
FELT = "삐돌이가 떠나기 전에 칭찬해줬다"


def test_the_seeds_own_orb_rises_because_it_is_felt(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §2 and §3: at 0.9 it rises from M30 to M90, and the notice says so (§9-6)."""
    said = memory.observe(FELT, role="user")
    assert said.kept is not None
    [born] = memory.recent().memories
    assert born.life.tier is Tier.M30
    assert born.emotion.intensity > 0.8
    clock.forward(days=7)
    row = memory.sleep()
    assert row is not None
    [told] = memory.nights.promotions()
    assert (told.source_tier, told.tier, told.why) == (Tier.M30, Tier.M90, "felt")
    assert (told.sources, told.night) == ((born.id,), row.id)
    assert memory.get(told.memory).life.promoted_from == born.id
    assert memory.nights.promotions(night=row.id) == [told]
    assert memory.nights.promotions(night="another") == []


def test_a_plain_statement_does_not_rise_by_feeling(memory: Saegim, clock: FixedClock) -> None:
    """The control: what is not felt is told of by no notice."""
    kept(memory, "회의는 목요일 오후 3시로 옮겼다", tier="M30")
    clock.forward(days=7)
    memory.sleep()
    assert memory.nights.promotions() == []


def test_every_rise_is_told_with_its_reason(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §3: used and many together; from M90 to M365; and by a person's yes to M0."""
    used(memory, kept(memory, "돛대가 부러졌다", tier="M30"), 3)
    used(memory, kept(memory, "등대는 항구 끝에 있다", tier="M90"), 5)
    core = kept(memory, "나는 바다에서 자랐다", tier="M365")
    clock.forward(days=7)
    memory.sleep()
    proposal = memory.proposals.propose(core)
    memory.proposals.accept(proposal.id, by="me")
    told = {(each.source_tier, each.tier, each.why) for each in memory.nights.promotions()}
    assert told == {
        (Tier.M30, Tier.M90, "used"),
        (Tier.M90, Tier.M365, "used"),
        (Tier.M365, Tier.M0, APPROVED),
    }
    assert len(memory.nights.promotions(1)) == 1
    for bad in (0, 1001, True, "3"):
        with pytest.raises(BadInput, match="n cannot be"):
            memory.nights.promotions(bad)  # type: ignore[arg-type]


def test_a_rise_that_was_taken_back_is_not_told(memory: Saegim, clock: FixedClock) -> None:
    """What is undone did not happen for whoever asks; nor what has left since."""
    used(memory, kept(memory, "돛대가 부러졌다", tier="M30"), 3)
    clock.forward(days=7)
    row = memory.sleep()
    assert row is not None
    assert len(memory.nights.promotions()) == 1
    memory.nights.undo(row.id)
    assert memory.nights.promotions() == []


def test_a_notice_holds_no_words(memory: Saegim, clock: FixedClock) -> None:
    """Pages and the ledger hold ids, tiers and reasons; the words are read when it is told."""
    used(memory, kept(memory, "돛대가 부러졌다", tier="M30"), 3)
    clock.forward(days=7)
    memory.sleep()
    told = "".join(str(dict(page)) for page in report_page(memory, KIND))
    told += "".join(str(each.facts) for each in lines(memory, "Written"))
    assert "M90" in told
    assert "돛대" not in told


# -- at the start of a session --------------------------------------------------------------------


def test_a_session_is_told_once_what_rose(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §9-6: the first session hears it, with from, to and why; the next one does not."""
    used(memory, kept(memory, "돛대가 부러졌다", tier="M30"), 3)
    clock.forward(days=7)
    before = greeting(memory, session="one")
    assert "promoted" not in before
    memory.sleep()
    first = greeting(memory, session="one")
    assert "promoted 2026-01-08 from=M30 to=M90 why=used memory=" in first
    assert "돛대가 부러졌다" in first
    assert greeting(memory, session="one") == first, "a session that begins anew gets the same"
    assert "promoted" not in greeting(memory, session="two")
    assert len(memory.nights.promotions()) == 1, "whoever asks is still told"


def test_a_session_is_told_of_each_new_core_memory_and_how_to_undo_it(
    memory: Saegim, clock: FixedClock
) -> None:
    """Whoever said yes, the next session hears of it: by whom, how, and the way back."""
    asked = memory.proposals.propose(kept(memory, "돛대가 부러졌다"))
    assert "core_memory_added" not in greeting(memory, session="zero")
    core = memory.proposals.accept(asked.id, by="지민")
    # However long nobody comes, it is still told.
    clock.forward(days=90)
    first = greeting(memory, session="one")
    assert f'core_memory_added 2026-01-01 by="지민" channel=program id={core.id} memory=' in first
    assert f'undo="saegim forget {core.id}"' in first
    assert greeting(memory, session="one") == first, "a session that begins anew gets the same"
    assert "core_memory_added" not in greeting(memory, session="two")
    memory.forget(core.id, by="지민")
    assert memory.proposals.open() == []


def test_many_new_core_memories_are_told_over_several_sessions(memory: Saegim) -> None:
    """None is lost: what found no room in one greeting stands in the next."""
    for number in range(7):
        asked = memory.proposals.propose(kept(memory, f"wish {number} of mine"))
        memory.proposals.accept(asked.id, by="me")
    counts = [greeting(memory, session=name).count("core_memory_added") for name in "abc"]
    assert counts == [5, 2, 0]


def test_nothing_is_written_where_nothing_is_new(memory: Saegim, clock: FixedClock) -> None:
    """U9.3: a start that has no news changes no store."""
    kept(memory, "돛대가 부러졌다")
    clock.forward(days=7)
    memory.sleep()
    length = len(lines(memory))
    assert greeting(memory, session="one") == greeting(memory, session="two")
    assert len(lines(memory)) == length


def test_old_news_is_no_news(memory: Saegim, clock: FixedClock) -> None:
    """Who comes back after two months is not met with all that rose meanwhile."""
    used(memory, kept(memory, "돛대가 부러졌다", tier="M30"), 3)
    clock.forward(days=7)
    memory.sleep()
    clock.forward(days=31)
    assert "promoted" not in greeting(memory, session="one")


def test_what_rose_in_another_project_waits_for_a_session_there(
    memory: Saegim, clock: FixedClock
) -> None:
    """A project's memory is told where it belongs, and is not used up elsewhere."""
    there = memory.within(project="kettle")
    used(there, kept(there, "주전자는 8080번 포트를 쓴다", tier="M30"), 3)
    clock.forward(days=7)
    memory.sleep()
    assert "promoted" not in greeting(memory.within(project="teapot"), session="one")
    assert "why=used" in greeting(there, session="two")


def test_many_rises_are_told_in_a_few_lines(memory: Saegim, clock: FixedClock) -> None:
    """Five are shown, the rest is counted; nobody is flooded."""
    for name in "돛대 등대 나침반 갑판 닻줄 키잡이 선장실".split():
        used(memory, kept(memory, f"{name}를 새로 칠했다", tier="M30"), 3)
    clock.forward(days=7)
    memory.sleep()
    told = greeting(memory, session="one").splitlines()
    assert sum(line.startswith("promoted 2026") for line in told) == 5
    assert "promoted_more=2" in told
