"""How a reply is taken, whichever process hears it: once, in the session's graph too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saegim import FixedClock, Saegim
from saegim.learn.evidence import WIDEST
from saegim.memory.memory import Origin
from saegim.perceive import learned
from saegim.perceive.turn import turn_of
from saegim.store.tables.experience_table import (
    REPLY,
    SHOWN,
    TURN,
    Experience,
    Noted,
    ReplyNote,
    Reward,
    with_embedder,
)

TOLD = "나는 땅콩 알레르기가 있어서 땅콩은 못 먹어."
ASKED = "내가 못 먹는 게 뭐였지?"
OWNER = "me"


class House:
    """A memory that another process opens for each turn, as hooks without a server do."""

    def __init__(self, path: Path, clock: FixedClock, **settings: Any) -> None:
        self.path, self.clock, self.settings = path, clock, settings

    def opened(self) -> Saegim:
        """Open it anew."""
        return Saegim.open(
            self.path, user=OWNER, clock=self.clock, background=False, **self.settings
        )

    def hear(self, text: str, role: str = "user", *, shows: bool = False) -> Any:
        """Say something a minute later, to a process of its own."""
        self.clock.forward(minutes=1)
        with self.opened() as memory:
            if shows:
                memory.within(session="s").context(text)
            return memory.observe(text, role=role, session="s")

    def rows(self, kind: str) -> list[Experience]:
        """Return what was noted."""
        with self.opened() as memory:
            return memory.mind.store.experience.latest(OWNER, kind, 100)

    def feedback_of(self, id: str) -> float:
        """Return how a memory was judged so far."""
        with self.opened() as memory:
            return memory.get(id, counts=False).worth.feedback


@pytest.fixture
def house(tmp_path: Path, clock: FixedClock) -> House:
    """A house that knows one thing, was asked for it and answered."""
    made = House(tmp_path / "house.db", clock)
    made.hear(TOLD)
    made.hear(ASKED, shows=True)
    return made


@pytest.mark.parametrize(
    ("said", "label"), [("맞아맞아 정확해 고마워", "up"), ("no, that's wrong", "down")]
)
def test_a_reply_is_judged_by_whichever_process_hears_the_word(
    house: House, said: str, label: str
) -> None:
    """Each turn in a process of its own: praise and blame find the answer all the same, once."""
    kept = house.rows(TURN)[-1].memory
    house.hear("땅콩 알레르기가 있으니 땅콩은 드시면 안 돼요.", "assistant")
    before = house.feedback_of(kept)
    seen = house.hear(said)
    assert seen.feedback == label
    after = house.feedback_of(kept)
    assert (after > before) is (label == "up")
    assert next(row.reward for row in house.rows(SHOWN)) == (1.0 if label == "up" else -1.0)
    # Judged once: the next word is about nothing.
    assert house.hear(said).feedback == ""
    assert house.feedback_of(kept) == after
    assert house.rows(REPLY) == []


def test_a_word_that_comes_too_late_or_in_another_session_judges_nothing(house: House) -> None:
    """A quarter of an hour later, or elsewhere, it is about something else."""
    house.hear("땅콩은 드시면 안 돼요.", "assistant")
    with house.opened() as memory:
        assert memory.observe("맞아 정확해", session="other").feedback == ""
        assert memory.within(project="p").observe("맞아 정확해", session="s").feedback == ""
    house.clock.forward(minutes=20)
    assert house.hear("맞아 정확해").feedback == ""


def test_turns_heard_late_are_judged_by_when_they_were_said(house: House) -> None:
    """A spool that is worked off hours later knows what followed what."""
    said = house.clock.now()
    house.clock.forward(hours=5)
    with house.opened() as memory:
        about: dict[str, Any] = {"session": "s", "live": True}
        memory.observe("땅콩이에요.", role="assistant", said_at=said, **about)
        late = memory.observe("맞아 정확해", said_at=said.replace(year=said.year + 1), **about)
        assert late.feedback == ""
        at_once = said.replace(second=30)
        assert memory.observe("맞아 정확해!", said_at=at_once, **about).feedback == "up"


def test_what_a_reply_leaned_on_is_erased_with_its_memory(house: House) -> None:
    """The note of a reply is ids without words, and goes with them."""
    kept = house.rows(TURN)[-1].memory
    house.hear("땅콩은 드시면 안 돼요.", "assistant")
    assert [row.memory for row in house.rows(REPLY)] == [kept]
    with house.opened() as memory:
        memory.forgetting.erase(kept, confirm=True)
    assert kept not in {row.memory for row in house.rows(REPLY)}


def test_a_newer_reply_takes_the_place_of_the_older_one(house: House) -> None:
    """There is one last reply for each session, however many there were."""
    for n in range(5):
        house.hear(f"{n}번째 답이에요.", "assistant")
    assert len({row.at for row in house.rows(REPLY)}) == 1
    with house.opened() as memory:
        notes: list[Noted] = [
            ReplyNote(owner=OWNER, room=f"r{n}", at=n + 1, ids=("a", "b")) for n in range(20)
        ]
        memory.mind.store.experience.write(notes, 10)
        assert len(memory.mind.store.experience.latest(OWNER, REPLY, 100)) == 10


def test_going_on_counts_once_for_one_reply(house: House) -> None:
    """Three lines in a row after one reply are one going on; blame after them is still heard."""
    house.hear("그렇군요.", "assistant")
    assert house.hear("내일 회식에서 뭘 시킬지 고민하고 있어").reward == pytest.approx(0.3)
    assert house.hear("아마 국물 요리를 시킬 것 같아").reward == 0.0
    assert house.hear("아니 그게 아니라, 틀렸어").feedback == "down"


def test_a_question_asked_again_earns_the_answer_nothing_good(
    tmp_path: Path, clock: FixedClock
) -> None:
    """Asking once more is no going on: it counts half a blame, as in the session's graph."""
    with Saegim.open(tmp_path / "again.db", user=OWNER, clock=clock, background=False) as memory:
        memory.observe(TOLD, session="s")
        for words in (ASKED, "그게 뭐였냐면요."):
            clock.forward(minutes=1)
            memory.observe(words, role="user" if words is ASKED else "assistant", session="s")
        clock.forward(minutes=1)
        seen = memory.observe(ASKED, session="s")
        assert (seen.feedback, seen.reward) == ("", -0.5)
        # Control: another question is a going on.
        memory.observe("땅콩이에요.", role="assistant", session="s")
        assert memory.observe("그럼 잣은 먹어도 될까?", session="s").reward > 0


@pytest.mark.parametrize(("said", "moved"), [("맞아 정확해", 1.0), ("아니 틀렸어", -1.0)])
def test_the_session_s_graph_hears_praise_and_blame_and_promotion_carries_it(
    tmp_path: Path, clock: FixedClock, said: str, moved: float
) -> None:
    """What was asked before the judged answer is moved, and the memory of it at the end."""
    hot: dict[str, Any] = {"promote_min_rank": -1.0, "promote_min_degree": 0}
    with House(tmp_path / "graph.db", clock, **hot).opened() as memory:
        told = memory.observe("회사 워크숍 장소를 강릉으로 정했어", session="s")
        clock.forward(minutes=1)
        memory.observe("워크숍은 강릉에서 하시는군요.", role="assistant", session="s")
        clock.forward(minutes=1)
        memory.observe(said, session="s")
        graph = memory.working.act("s", lambda held: held.graph)
        assert graph.node(told.query).feedback == pytest.approx(moved)
        memory.working.finalize_session("s")
        carried = memory.get(told.kept[0].id, counts=False).worth.feedback
        assert np.sign(carried) == np.sign(moved)


def test_only_a_person_s_own_word_is_a_reward(house: House) -> None:
    """What an agent says a person said earns nothing."""
    house.hear("땅콩은 드시면 안 돼요.", "assistant")
    with house.opened() as memory:
        for origin in (Origin.AGENT_INFERRED, Origin.TOOL_OUTPUT):
            seen = memory.observe("맞아 정확해", session="s", origin=origin)
            assert (seen.feedback, seen.reward) == ("", 0.0)
    assert house.hear("맞아 정확해").feedback == "up"


# -- the large policy -----------------------------------------------------------------------------


def test_the_region_of_the_large_policy_outlives_nights_and_restarts(
    tmp_path: Path, clock: FixedClock
) -> None:
    """The last fifty rewards say how wide it is, not those since the last night of one process."""
    wide: dict[str, Any] = {"enhanced_policy": True, "policy": "learned", "embedder": "static"}
    house = House(tmp_path / "wide.db", clock, **wide)

    def unsure(memory: Saegim) -> float:
        judge = learned.judge_for(turn_of(memory.scope, "버스가 늦네", {}), memory.mind)
        assert judge is not None
        return judge.unsure(0.15)

    def praised(memory: Saegim, begin: int, reward: float) -> None:
        made: list[Noted] = []
        state = np.zeros(10, np.float32).tobytes()
        meaning = with_embedder([0.0] * 256, learned.identity(memory.mind))
        for n in range(begin, begin + 50):
            made += [
                Experience(owner=OWNER, id=f"exp_{n:05}", kind=TURN, at=n + 1, memory=f"m{n}",
                           action="save", ruled="save", phase=2, state=state, meaning=meaning),
                Reward(owner=OWNER, reward=reward, memories=(f"m{n}",)),
            ]  # fmt: skip
        memory.mind.store.experience.write(made, 5000)

    with house.opened() as memory:
        assert unsure(memory) == pytest.approx(0.15)
        praised(memory, 0, 1.0)
        assert unsure(memory) == pytest.approx(0.15 + WIDEST)
        memory.sleep("relearn")
        assert unsure(memory) == pytest.approx(0.15 + WIDEST)
    with house.opened() as memory:
        assert unsure(memory) == pytest.approx(0.15 + WIDEST)
        assert learned.standing(OWNER, memory.mind)["autonomy"] == 1.0
        praised(memory, 50, -1.0)
        assert unsure(memory) == pytest.approx(0.15)


def test_meanings_of_another_embedder_teach_the_large_policy_nothing(
    tmp_path: Path, clock: FixedClock
) -> None:
    """Numbers of the same length are no meaning to another embedder: it begins anew, with none."""
    settings: dict[str, Any] = {"enhanced_policy": True, "embedder": "static"}
    with House(tmp_path / "e.db", clock, **settings).opened() as memory:
        mind = memory.mind
        state = np.ones(10, np.float32).tobytes()
        mine, other = (
            Experience(owner=OWNER, id=f"exp_{n}", kind=TURN, at=1, action="save", state=state,
                       meaning=with_embedder([0.5] * 256, who))
            for n, who in enumerate((learned.identity(mind), "another of 256"))
        )  # fmt: skip
        policy = learned.fresh_policy(mind)
        seen = learned.state_for(policy, mine, mind)
        assert seen is not None
        assert seen.shape == (266,)
        assert seen[0] == 0.5
        assert learned.state_for(policy, other, mind) is None


def test_how_far_the_large_policy_may_move_is_the_setting_s(
    tmp_path: Path, clock: FixedClock
) -> None:
    """Twice the drift of the small one, whatever that is set to."""
    settings: dict[str, Any] = {"enhanced_policy": True, "policy_drift": 0.5}
    with House(tmp_path / "d.db", clock, **settings).opened() as memory:
        assert learned.fresh_policy(memory.mind).drift == 1.0
