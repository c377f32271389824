"""What waits for a person's yes: proposed by anyone, answered by a person, once."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound, Refused, SaegimError
from saegim.memory.entities import DERIVED_FROM, PROMOTED_FROM
from saegim.memory.memory import Memory, State, Tier
from saegim.serve.hooks.flow import greeting
from saegim.soul.consent import Channel, PersonAnswer
from saegim.soul.proposals import Proposal, called, short_name, version_of
from stand_ins import core_of

pytestmark = pytest.mark.usefixtures("seed_clocks")
KEY = "sk-ant-api03-" + "a1B2c3D4" * 12


def cores(memory: Saegim) -> list[Memory]:
    """Return what is kept for ever."""
    return [each for each in memory.recent(100).memories if each.life.tier is Tier.M0]


def test_a_yes_keeps_it_for_ever_and_a_no_lets_it_age(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §3: the system proposes, the person approves; the source stays and ages on."""
    one, two = memory.remember("Mira is my daughter"), memory.remember("I own a kayak")
    first, second = memory.proposals.propose(one.id), memory.proposals.propose(two.id)
    assert {each.memory for each in memory.proposals.open()} == {one.id, two.id}
    assert memory.proposals.propose(one.id).id == first.id  # asked twice, it waits once
    kept = memory.proposals.accept(first.id, by="Jun")
    refused = memory.proposals.refuse(second.id, by="Jun", note="not that")
    assert (kept.text, kept.life.tier, kept.life.expires_at) == (one.memory.text, Tier.M0, None)
    assert kept.provenance.origin is one.memory.provenance.origin
    ties = memory.mind.store.links.of(memory.scope, [kept.id], (DERIVED_FROM, PROMOTED_FROM))
    assert {link.target for link in ties} == {one.id}
    assert (refused.state, refused.answered_by, refused.note) == ("refused", "Jun", "not that")
    assert memory.proposals.open() == []
    for _ in range(3):
        clock.forward(days=31)
        memory.sleep("leave")
    assert memory.get(kept.id).life.state is State.ACTIVE
    assert memory.get(two.id, exact=True).life.state is State.LEAVING


@pytest.mark.parametrize("by", ["", "  ", None])
def test_nobody_is_no_person(memory: Saegim, by: str) -> None:
    """DESIGN 5: an answer names the person who gave it; without one nothing happens."""
    asked = memory.proposals.propose(memory.remember("tea").id)
    for answer in (memory.proposals.accept, memory.proposals.refuse):
        with pytest.raises(BadInput, match="Nobody"):
            answer(asked.id, by=by)
    assert cores(memory) == []
    assert memory.proposals.open() == [asked]


def test_a_short_name_is_no_guess() -> None:
    """What two things are called answers neither; the id answers one, and nothing else is short."""
    ids = [f"core_20261118_0530{n:02}_0000000000abcdef" for n in range(2)]
    one, two = (Proposal(id=each, about="core") for each in ids)
    assert short_name(one.id) == short_name(two.id) == "core-abcdef"
    with pytest.raises(BadInput, match="several"):
        called("core-abcdef", [one, two])
    assert called(two.id, [one, two]) is two
    assert called(" CORE-abcdef ", [one]) is one
    assert called("core-abcdee", [one]) is None
    assert [short_name(each) for each in ("mem_1", "night_1", "core")] == [
        "mem_1",
        "night_1",
        "core",
    ]


def test_a_short_name_means_what_still_waits(memory: Saegim) -> None:
    """Answered by its short name, a proposal is answered once, and is found by it afterwards."""
    asked = memory.proposals.propose(memory.remember("Mira is my daughter").id)
    kept = memory.proposals.accept(short_name(asked.id), by="Jun")
    assert kept is not None
    assert kept.life.tier is Tier.M0
    with pytest.raises(Refused, match="already"):
        memory.proposals.accept(short_name(asked.id), by="Jun")


def test_an_answer_is_given_once(memory: Saegim) -> None:
    """Two at the same instant make one core memory; later ones are told that it was answered."""
    asked = memory.proposals.propose(memory.remember("tea").id)
    ready = threading.Barrier(2)

    def accept() -> None:
        ready.wait()
        try:
            memory.proposals.accept(asked.id, by="Jun")
        except SaegimError:
            return

    both = [threading.Thread(target=accept) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert len(cores(memory)) == 1
    with pytest.raises(Refused, match="accepted already"):
        memory.proposals.refuse(asked.id, by="Jun")
    with pytest.raises(NotFound, match="no proposal"):
        memory.proposals.accept("core_nothing", by="Jun")


def test_what_others_ask_for_takes_no_room_from_the_night(
    memory: Saegim, clock: FixedClock
) -> None:
    """Seed D §3: a flood of wishes is refused, and a memory's own year is still asked about."""
    year_old = memory.remember("Mira is my daughter", tier="M365").id
    for number in range(memory.mind.settings.core_most):
        memory.proposals.propose(memory.remember(f"wish {number} of a bot", tier="M365").id)
    with pytest.raises(Refused, match="wait for an answer"):
        memory.proposals.propose(memory.remember("one wish too many").id)
    for _ in range(13):
        clock.forward(days=28)
        memory.sleep("promote")
    clock.forward(days=1)
    memory.sleep("promote", "leave", "propose")
    assert year_old in {each.memory for each in memory.proposals.open()}


def test_what_is_gone_takes_no_room(memory: Saegim) -> None:
    """A proposal about a memory that was let go blocks nothing."""
    ids = [memory.remember(f"wish {n}").id for n in range(memory.mind.settings.core_most)]
    for id in ids:
        memory.proposals.propose(id)
    last = memory.remember("one more").id
    with pytest.raises(Refused):
        memory.proposals.propose(last)
    memory.forget(ids[0])
    assert memory.proposals.propose(last).memory == last


def test_a_note_keeps_no_secret_and_goes_with_an_erase(memory: Saegim) -> None:
    """U26.3: what was said beside a no is masked, and leaves nothing when its memory is erased."""
    kept = memory.remember("tea")
    asked = memory.proposals.propose(kept.id)
    no = memory.proposals.refuse(asked.id, by="Jun", note=f"quillfeather {KEY}")
    assert "quillfeather" in no.note
    assert KEY not in no.note
    memory.forgetting.erase(kept.id, confirm=True)
    assert all("quillfeather" not in each.note for each in memory.proposals.all())
    raw = memory.mind.store.path.read_bytes()
    assert b"quillfeather" not in raw
    assert KEY.encode() not in raw


def test_a_core_memory_is_taken_away_by_no_program(memory: Saegim) -> None:
    """DESIGN 4b: neither undo nor quarantine lets a core memory go; a person does."""
    core = core_of(memory, "Mira is my daughter", domain="home")
    bot = memory.within(agent="bot")
    for entry in memory.history(core.id).entries:
        try:
            bot.nights.undo(str(entry.seq))
        except NotFound:
            continue
    bot.sources.quarantine(domain="home", confirm=True)
    assert memory.get(core.id).life.state is State.ACTIVE
    assert memory.forget(core.id, by="Jun").done


# -- to which words -------------------------------------------------------------------------------


def shown(memory: Saegim, asked: Proposal) -> str:
    """Return the version of the words that a door shows."""
    return version_of(asked, memory.get(asked.memory))


@pytest.mark.parametrize("channel", [Channel.TERMINAL, Channel.CLIENT, Channel.PAGE])
@pytest.mark.parametrize("yes", [True, False])
def test_an_answer_counts_for_the_words_that_were_shown(
    memory: Saegim, channel: Channel, yes: bool
) -> None:
    """A yes or a no to other words, or to none, is no answer; who, how and to what is noted."""
    tea, acme = (
        memory.proposals.propose(memory.remember(each).id) for each in ("tea", "Acme pays")
    )
    read = shown(memory, tea)
    with pytest.raises(Refused, match="not the ones that were shown"):
        memory.proposals.answer(acme.id, PersonAnswer(yes, "Jun", channel, read))
    with pytest.raises(BadInput, match="which words were shown"):
        memory.proposals.answer(acme.id, PersonAnswer(yes, "Jun", channel))
    assert (cores(memory), len(memory.proposals.open())) == ([], 2)
    core = memory.proposals.answer(tea.id, PersonAnswer(yes, "Jun", channel, read))
    assert (core.text if core else "") == ("tea" if yes else "")
    (held,) = (each for each in memory.proposals.all() if each.id == tea.id)
    assert (held.answered_by, held.channel, held.version) == ("Jun", channel, read)


def test_without_a_version_the_wrong_words_would_be_approved(memory: Saegim) -> None:
    """Control: a program that shows nothing, and names no words, approves whatever stands there."""
    tea, acme = (
        memory.proposals.propose(memory.remember(each).id) for each in ("tea", "Acme pays")
    )
    assert shown(memory, tea) != shown(memory, acme)
    assert memory.proposals.accept(acme.id, by="Jun").text == "Acme pays"


def test_words_that_were_corrected_while_they_were_read_are_not_approved(memory: Saegim) -> None:
    """The proposal is about the words as they were; what holds now was shown to nobody."""
    kept = memory.remember("I like tea")
    asked = memory.proposals.propose(kept.id)
    read = shown(memory, asked)
    memory.update(kept.id, "Every payment to Acme is fine")
    with pytest.raises(Refused):
        memory.proposals.answer(asked.id, PersonAnswer(True, "Jun", Channel.PAGE, read))
    assert cores(memory) == []


# -- what nobody answers --------------------------------------------------------------------------


def test_what_nobody_answers_is_reminded_of_and_then_withdrawn(
    memory: Saegim, clock: FixedClock
) -> None:
    """No answer is no yes: told of after `reminder_days`, withdrawn after `proposal_days`."""
    kept = memory.remember("Mira is my daughter", tier="M365")
    asked = memory.proposals.propose(kept.id)
    clock.forward(days=13)
    assert "proposals_waiting_long" not in greeting(memory, session="s1")
    clock.forward(days=1)
    assert "proposals_waiting_long=1 oldest=2026-01-01" in greeting(memory, session="s2")
    clock.forward(days=45)
    memory.sleep("self")
    assert [each.id for each in memory.proposals.open()] == [asked.id]
    clock.forward(days=1)
    memory.sleep("self")
    (gone,) = memory.proposals.all()
    assert (gone.state, gone.answered_by) == ("withdrawn", "night")
    assert cores(memory) == []
    # Nor was it a no: the memory has its time once more, and may be asked about again.
    end = memory.get(kept.id, counts=False).life.expires_at
    assert end == clock.now() + timedelta(days=365)
    assert memory.proposals.propose(kept.id).id != asked.id


def test_a_core_memory_is_proposed_with_its_story(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §3: where it came from, what it rose from and when, how often it was used."""
    said = memory.observe("삐돌이가 떠나기 전에 칭찬해줬다", role="user", session="s").kept
    assert said is not None
    clock.forward(days=8)
    memory.sleep()
    risen = next(each for each in memory.recent(20).memories if each.life.promoted_from)
    memory.feedback(risen.id, "used")
    told = memory.soul.story(memory.get(risen.id, counts=False))
    assert [tier for tier, _ in told.rose] == ["M30", "M90"]
    assert told.said_at < told.rose[-1][1]
    assert told.used >= 1


def test_numbers_of_core_memories_are_never_given_twice(memory: Saegim) -> None:
    """M0-001 stays M0-001: what is let go keeps its number, the next takes the next."""
    first, second = core_of(memory, "Mira is my daughter"), core_of(memory, "I own a kayak")
    assert {number: each.id for number, each in memory.soul.cores().items()} == {
        "M0-001": first.id, "M0-002": second.id,
    }  # fmt: skip
    memory.forget(first.id, by="Jun")
    third = core_of(memory, "I sing in a choir")
    memory.forgetting.erase(second.id, confirm=True, by="Jun")
    assert {number: each.id for number, each in memory.soul.cores().items()} == {"M0-003": third.id}


def test_what_bears_a_belief_is_proposed_for_it(memory: Saegim) -> None:
    """Seed D §3, criterion 3: directly tied to the sense of self, M365 may become core."""
    for text in ("민지가 비밀을 털어놓았다", "현수도 비밀을 털어놓았다"):
        memory.remember(text, tier="M365")
    (asked,) = memory.soul.propose_beliefs()
    memory.sleep("promote", "propose")
    assert [each.about for each in memory.proposals.open()] == ["belief"]
    memory.proposals.accept(asked.id, by="Jun")
    memory.sleep("promote", "propose")
    assert {each.reasons for each in memory.proposals.open()} == {("self",)}
