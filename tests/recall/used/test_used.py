"""Use is counted without being asked, once, and everyone can see why."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from saegim import FixedClock, Saegim
from saegim.memory.changes import Change, Dozed, Leaving
from saegim.memory.entities import HAS_FEEDBACK
from saegim.memory.memory import Reason, State
from saegim.recall.explain import replayed
from saegim.recall.handle import handle_of
from saegim.recall.usage import FIRST
from saegim.store.commit import Batch
from saegim.store.rows import Where

SAID = {"ko": "나는 복숭아 알레르기가 있어.", "en": "I'm allergic to peanuts."}
ASKED = {
    "ko": "알레르기 있는데 다과로 뭐 사 갈까?",
    "en": "Which snack, with my allergic reaction?",
}
REPLY = {
    "ko": "복숭아만 피하면 되니 포도가 좋겠어요.",
    "en": "Anything without peanuts: bring pretzels.",
}
OTHER = {"ko": "쿠키가 무난해요. 넉넉히 사세요.", "en": "Cookies always work. Bring plenty."}
both = pytest.mark.parametrize("language", ["ko", "en"])


def used(memory: Saegim, id: str) -> int:
    """Return how often a memory counts as used."""
    return memory.get(id, exact=True, counts=False).worth.used


def why(memory: Saegim, id: str) -> list[str]:
    """Return why a memory counts as used."""
    return [each.because for each in memory.history(id).uses]


def handle(memory: Saegim, id: str) -> str:
    """Return the short name of a memory."""
    rows = memory.mind.store.memories.rows_of(Where(scope=memory.scope), [id])
    return handle_of(rows[id], id)


def shown(memory: Saegim, language: str, id: str) -> str:
    """Ask, so that the memory is among the first cards; return the trace."""
    made = memory.context(ASKED[language])
    assert id in [each.id for each in made.cards[:FIRST]]
    return made.trace


# -- what comes back in a reply -------------------------------------------------------------------


@both
def test_what_comes_back_in_a_reply_counts_once(
    memory: Saegim, clock: FixedClock, language: str
) -> None:
    """Heard twice, as by a hook that was told twice, it is one use; another reply is none."""
    id = memory.remember(SAID[language]).id
    shown(memory, language, id)
    clock.forward(seconds=20)
    assert memory.observe(REPLY[language], role="assistant").used == (id,)
    assert memory.observe(REPLY[language], role="assistant").used == ()
    assert used(memory, id) == 1
    assert why(memory, id) == ["back"]


@both
def test_a_reply_that_does_not_lean_on_it_counts_nothing(
    memory: Saegim, clock: FixedClock, language: str
) -> None:
    """Being shown is not being used; and what nobody was shown cannot come back."""
    id = memory.remember(SAID[language]).id
    assert memory.observe(REPLY[language], role="assistant").used == ()
    shown(memory, language, id)
    clock.forward(seconds=20)
    assert memory.observe(OTHER[language], role="assistant").used == ()
    assert memory.observe(REPLY[language], role="tool").used == ()
    assert used(memory, id) == 0


@both
def test_what_the_person_said_in_the_prompt_is_not_credited(
    memory: Saegim, clock: FixedClock, language: str
) -> None:
    """The reply repeats the prompt, which is kept in mind and written nowhere."""
    id = memory.remember(SAID[language]).id
    made = memory.context(f"{SAID[language]} {ASKED[language]}")
    assert id in [each.id for each in made.cards]
    clock.forward(seconds=20)
    assert memory.observe(REPLY[language], role="assistant").used == ()
    assert used(memory, id) == 0


def test_a_turn_after_the_reply_begins_anew(memory: Saegim, clock: FixedClock) -> None:
    """What was in an earlier prompt may come back from memory in a later turn."""
    id = memory.remember(SAID["en"]).id
    memory.context("Are peanuts nuts, and what does allergic mean?")
    memory.observe("Peanuts are legumes.", role="assistant")
    clock.forward(minutes=2)
    shown(memory, "en", id)
    clock.forward(seconds=20)
    assert memory.observe(REPLY["en"], role="assistant").used == (id,)


def test_the_same_showing_is_used_once_however_long_the_reply(
    memory: Saegim, clock: FixedClock
) -> None:
    """An agent that speaks in several pieces leans on one showing; a second asking is a second."""
    id = memory.remember(SAID["en"]).id
    shown(memory, "en", id)
    clock.forward(seconds=20)
    memory.observe(REPLY["en"], role="assistant")
    memory.observe("No peanuts in it, I checked.", role="assistant")
    assert used(memory, id) == 1
    clock.forward(hours=2)
    shown(memory, "en", id)
    clock.forward(seconds=20)
    memory.observe(REPLY["en"], role="assistant")
    assert used(memory, id) == 2


def test_a_reply_leans_on_its_own_session(memory: Saegim, clock: FixedClock) -> None:
    """Shown in one session, it is not used by another; in its own, also hours later."""
    id = memory.remember(SAID["en"]).id
    memory.within(session="one").context(ASKED["en"])
    memory.mind.traces.flush()  # type: ignore[union-attr]
    clock.forward(seconds=20)
    assert memory.observe(REPLY["en"], role="assistant", session="two").used == ()
    clock.forward(hours=3)
    assert memory.observe(REPLY["en"], role="assistant", session="one").used == (id,)


def test_without_a_session_only_the_last_minutes_count(memory: Saegim, clock: FixedClock) -> None:
    """Nobody knows to whom an old showing belongs."""
    id = memory.remember(SAID["en"]).id
    shown(memory, "en", id)
    clock.forward(minutes=16)
    assert memory.observe(REPLY["en"], role="assistant").used == ()
    then = clock.at - timedelta(minutes=14)
    assert memory.observe(REPLY["en"], role="assistant", said_at=then).used == (id,)


def test_a_card_further_down_is_not_credited(memory: Saegim, clock: FixedClock) -> None:
    """The first three cards are what a reply leans on."""
    names = ("Ana", "Bo", "Cleo", "Dirk", "Elif")
    for name in names:
        memory.remember(f"{name} brings the salad to the garden party.")
    asked = "Who brings the salad to the garden party?"
    hits = memory.recall(asked).hits
    memory.observe(asked)
    assert len(hits) > FIRST
    clock.forward(seconds=20)
    seen = memory.observe(f"{', '.join(names)} do.", role="assistant")
    assert set(seen.used) == {hit.memory.id for hit in hits[:FIRST]}


def test_the_trace_may_be_written_or_not_yet(tmp_path: Path) -> None:
    """Another process hears the reply: it reads the trace from the ledger, by its mark alone."""
    clock = FixedClock()
    with Saegim.open(tmp_path / "memory.db", clock=clock) as asks:
        id = asks.remember(SAID["en"]).id
        trace = asks.within(session="chat").context(ASKED["en"]).trace
        asks.mind.traces.flush()  # type: ignore[union-attr]
        entry = next(iter(asks.mind.store.ledger.entries(asks.scope, subject=trace)))
        assert "chat" not in str(entry.facts)
        clock.forward(seconds=20)
        with Saegim.open(tmp_path / "memory.db", clock=clock) as hears:
            hears.observe(ASKED["en"], session="chat")
            clock.forward(seconds=5)
            seen = hears.observe(REPLY["en"], role="assistant", session="chat")
            assert seen.used == (id,)
            assert hears.observe(REPLY["en"], role="assistant", session="chat").used == ()


def test_what_was_let_go_is_not_used_and_what_sleeps_wakes(
    memory: Saegim, clock: FixedClock
) -> None:
    """A use is proof of life, but no way back from the forgetting queue."""
    asleep = memory.remember(SAID["en"]).id
    gone = memory.remember("Peanuts make my brother Theo ill, allergic too.").id
    made = memory.context(ASKED["en"])
    assert {asleep, gone} <= {each.id for each in made.cards}
    memory.mind.traces.flush()  # type: ignore[union-attr]
    until = clock.at + timedelta(days=7)
    changes: list[Change] = [Dozed(asleep), Leaving(gone, Reason.MANUAL, clock.at, until)]
    memory.mind.store.commit(Batch(memory.scope.user, changes, actor="test", at=clock.at))
    clock.forward(seconds=20)
    assert memory.observe("No peanuts then, for Theo too.", role="assistant").used == (asleep,)
    assert memory.get(asleep, counts=False).life.state is State.ACTIVE
    assert memory.get(gone, exact=True, counts=False).life.state is State.LEAVING


# -- opened, named, said again --------------------------------------------------------------------


def test_opening_counts_once_a_day(memory: Saegim, clock: FixedClock) -> None:
    """A person who opens it ten times today has used it once; lists and dry runs open nothing."""
    id = memory.remember(SAID["ko"]).id
    for _ in range(3):
        memory.get(id)
    memory.recent()
    memory.search("복숭아")
    memory.mind.traces.flush()  # type: ignore[union-attr]
    memory.get(id)
    memory.mind.traces.flush()  # type: ignore[union-attr]
    assert used(memory, id) == 1
    clock.forward(days=1)
    memory.get(id)
    memory.mind.traces.flush()  # type: ignore[union-attr]
    assert why(memory, id) == ["opened", "opened"]


def test_opening_takes_no_write_lock(memory: Saegim) -> None:
    """Someone else is writing: the words come at once, the count waits."""
    id = memory.remember(SAID["en"]).id
    store = memory.mind.store
    with store.database.writing():
        assert memory.get(id).text == SAID["en"]
        assert used(memory, id) == 0
    memory.mind.traces.flush()  # type: ignore[union-attr]
    assert used(memory, id) == 1


def test_without_traces_nothing_shown_or_opened_is_counted(tmp_path: Path) -> None:
    """Whoever wants no traces has none; what is said again or named still counts."""
    with Saegim.open(tmp_path / "memory.db", clock=FixedClock(), traces=False) as memory:
        id = memory.remember(SAID["en"]).id
        memory.context(ASKED["en"])
        assert memory.observe(REPLY["en"], role="assistant").used == ()
        memory.get(id)
        assert used(memory, id) == 0
        assert memory.observe(f"See {handle(memory, id)}.", role="assistant").used == (id,)


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_memory_called_by_its_handle_counts(memory: Saegim, clock: FixedClock, role: str) -> None:
    """By handle or by id, in a prompt or a reply; a name that only looks like one counts not."""
    id = memory.remember(SAID["en"]).id
    other = memory.remember("My dentist is Dr. Alvarez.").id
    name = handle(memory, id)
    assert memory.observe(f"[{name}] is what I mean", role=role).used == (id,)
    assert memory.observe(f"[{name}] is what I mean", role=role).used == ()
    assert memory.observe(f"And {other}?", role=role).used == (other,)
    wrong = f"{name[:-1]}{'0' if name[-1] != '0' else '1'}"
    assert memory.observe(f"[{wrong}] is another, mango", role=role).used == ()
    assert why(memory, id) == ["named"]


@both
def test_saying_it_again_counts_once_a_day(
    memory: Saegim, clock: FixedClock, language: str
) -> None:
    """The same words; on another day again, and with the time of saying as hooks give it."""
    said = "내 여동생 유나는 대전에 살아." if language == "ko" else "My sister Yuna lives here."
    id = memory.observe(said, said_at=clock.at).kept[0].id
    assert memory.observe(said, said_at=clock.at).used == ()
    clock.forward(days=1)
    assert id in memory.observe(said, said_at=clock.at).used
    clock.forward(hours=1)
    assert id not in memory.observe(said, said_at=clock.at).used
    assert why(memory, id) == ["again"]


def test_a_key_that_comes_again_is_no_second_telling(memory: Saegim) -> None:
    """A caller who tries again says nothing again; one who remembers again does."""
    id = memory.remember(SAID["en"], key="try").id
    memory.remember(SAID["en"], key="try")
    assert used(memory, id) == 0
    memory.remember(SAID["en"])
    assert why(memory, id) == ["again"]


@pytest.mark.parametrize(
    ("said", "differs", "again"),
    [
        ("Our wifi router sits behind the bookshelf in the hall.",
         "Our wifi router sits behind the sofa in the hall.",
         "The wifi router sits behind the bookshelf in our hall."),
        ("할머니는 텃밭에서 상추를 키우셔.", "할머니는 텃밭에서 고추를 키우셔.",
         "할머니가 텃밭에서 상추를 키우셔"),
    ],
)  # fmt: skip
def test_a_near_twin_says_it_again_and_another_thing_does_not(
    memory: Saegim, clock: FixedClock, said: str, differs: str, again: str
) -> None:
    """Both are close in meaning; only the one that says nothing else counts."""
    id = memory.remember(said).id
    clock.forward(days=1)
    assert id in memory.remember(differs).similar_to
    assert used(memory, id) == 0
    clock.forward(days=1)
    assert id in memory.remember(again).similar_to
    assert why(memory, id) == ["again"]


# -- wishes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wish", "asked", "follows", "ignores"),
    [
        ("Always answer my recipe questions in three points.", "Answer my recipe question: soup?",
         "1. Onions\n2. Stock\n3. Cream", "Onions, stock, cream."),
        ("요리 질문에는 항상 세 가지로 답해 줘", "요리 질문인데 스프 어떻게 해?",
         "- 양파\n- 육수\n- 크림", "양파와 육수, 크림을 넣으세요."),
    ],
)  # fmt: skip
def test_a_reply_that_follows_a_wish_changed_behaviour(
    memory: Saegim, clock: FixedClock, wish: str, asked: str, follows: str, ignores: str
) -> None:
    """The night finds it by its tie (seed D §3); a reply that does otherwise leaves none."""
    id = memory.remember(wish).id
    for reply, wanted in ((ignores, 0), (follows, 1), (follows, 1)):
        clock.forward(hours=2)
        assert id in [each.id for each in memory.context(asked).cards]
        clock.forward(seconds=10)
        memory.observe(reply, role="assistant")
        ties = memory.mind.store.links.of(memory.scope, [id], [HAS_FEEDBACK])
        assert [tie.target for tie in ties] == ["feedback:changed_behaviour"] * wanted
    assert why(memory, id) == ["followed"]


# -- why ------------------------------------------------------------------------------------------


@both
def test_a_trace_knows_what_was_used_after_it(
    memory: Saegim, clock: FixedClock, language: str
) -> None:
    """By which reply, by its digest; which words, as long as they live; and never in the ledger."""
    id = memory.remember(SAID[language]).id
    trace = shown(memory, language, id)
    clock.forward(seconds=20)
    memory.observe(REPLY[language], role="assistant")
    memory.mind.traces.flush()  # type: ignore[union-attr]
    store = memory.mind.store
    (use,) = replayed(trace, scope=memory.scope, store=store).used
    assert (use.memory, use.because, use.trace) == (id, "back", trace)
    assert use.words == ({"ko": "복숭아", "en": "peanuts"}[language],)
    assert use.reply
    ledger = str([each.facts for each in store.ledger.entries(memory.scope)])
    assert use.words[0] not in ledger
    assert memory.history(id).uses == (use,)


def test_of_what_is_forgotten_no_word_is_told(memory: Saegim, clock: FixedClock) -> None:
    """The lines stay, the places in them mean nothing any more."""
    id = memory.remember(SAID["en"]).id
    shown(memory, "en", id)
    clock.forward(seconds=20)
    memory.observe(REPLY["en"], role="assistant")
    memory.forgetting.erase(id, confirm=True)
    (use,) = memory.history(id).uses
    assert (use.because, use.words) == ("back", ())


def test_the_ledger_still_verifies(memory: Saegim, clock: FixedClock) -> None:
    """Uses are lines like all others."""
    id = memory.remember(SAID["en"]).id
    shown(memory, "en", id)
    clock.forward(seconds=20)
    memory.observe(REPLY["en"], role="assistant")
    assert memory.mind.store.ledger.verify(memory.scope)[0] > 0
    assert used(memory, id) == 1
