"""Learning in a house: what is noted, credited, learned by night, undone, erased, and never."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saegim import FixedClock, Saegim
from saegim.learn.evidence import is_held_out
from saegim.learn.parts import IN_CHARGE, SHADOW
from saegim.learn.policy import ACTIONS
from saegim.memory.changes import Written, session_mark
from saegim.memory.clock import micros
from saegim.memory.entities import WEIGHTS, Page
from saegim.mind import POLICY_PAGE, RERANKER_PAGE
from saegim.perceive import learned
from saegim.perceive.decide_turn import Decision
from saegim.serve.catalogue.catalogue import CATALOGUE
from saegim.serve.catalogue.entry import CallContext, Door
from saegim.settings import read_settings
from saegim.store.commit import Batch
from saegim.store.tables.experience_table import SHOWN, TURN, Experience, Reward

TOLD = "나는 땅콩 알레르기가 있어서 땅콩은 못 먹어."
OWNER = "me"


@pytest.fixture
def house(tmp_path: Path, clock: FixedClock) -> Iterator[Saegim]:
    """A memory without a thread that writes while a test looks."""
    with Saegim.open(tmp_path / "house.db", user=OWNER, clock=clock, background=False) as opened:
        yield opened


def rows(house: Saegim, kind: str = TURN) -> list[Experience]:
    """What was noted, the oldest first."""
    assert house.mind.traces is not None
    house.mind.traces.flush()
    assert house.mind.traces.trouble == ""
    return house.mind.store.experience.latest(OWNER, kind, 100)[::-1]


def hear(house: Saegim, clock: FixedClock, text: str, role: str = "user") -> Any:
    """Say something a minute later."""
    clock.forward(minutes=1)
    return house.observe(text, role=role, session="s")


def lived(house: Saegim, count: int, *, reward: float = 1.0, action: str = "skip") -> None:
    """Write decisions that were rewarded: the rule saved, and that was right or wrong."""
    made: list[Experience | Reward] = []
    for n in range(count):
        state = np.full(10, (n % 7) / 7, np.float32)
        made.append(
            Experience(
                owner=OWNER, id=f"exp_{n:05}", kind=TURN, at=n + 1, memory=f"m{n}",
                action=action, ruled=action, phase=2, state=state.tobytes(),
            )
        )  # fmt: skip
        made.append(Reward(owner=OWNER, reward=reward, memories=(f"m{n}",)))
    house.mind.store.experience.write(made, 5000)


def test_a_decision_is_noted_with_its_state_and_without_a_word(
    house: Saegim, clock: FixedClock
) -> None:
    """What was decided, by whom, in which state: ten numbers, and the id of what was kept."""
    seen = hear(house, clock, TOLD)
    hear(house, clock, "ㅋㅋㅋ")
    first, second = rows(house)
    assert (first.action, first.memory, first.decided) == ("save", seen.kept[0].id, "rule")
    assert (second.action, second.memory) == ("skip", "")
    assert first.vector().shape == (10,)
    assert first.session == session_mark("s")


@pytest.mark.parametrize(
    "text",
    ["이건 꼭 기억해 줘: 회의는 3시야", "방금 한 말은 기억하지 마", "Remember that I like tea.",
     "내 비밀번호는 Kestrel-2931-moss 야"],
)  # fmt: skip
def test_wishes_refusals_and_secrets_are_no_policys_matter(
    tmp_path: Path, clock: FixedClock, text: str
) -> None:
    """A person's own word on keeping, and what is held back, never reach the policy."""
    with Saegim.open(
        tmp_path / "w.db", user=OWNER, clock=clock, background=False, policy="learned"
    ) as house:
        seen = house.observe(text, session="s")
        assert seen.decision.scores == ()
        assert seen.decision.decided == "rule"
        assert rows(house) == []


def unsure(house: Saegim) -> Decision:
    """Decide about a turn so near to the bar that the rules are unsure."""
    return house.observe("버스가 자주 늦네", session="s").decision


def test_in_the_shadow_the_policy_is_asked_and_decides_nothing(
    tmp_path: Path, clock: FixedClock
) -> None:
    """It says what it would do; the rule does what it does. In charge, its choice counts."""
    options: dict[str, Any] = {"user": OWNER, "clock": clock, "background": False}
    wide: dict[str, Any] = {"keep_unsure": 1.0, "policy_epsilon": 0.0}
    with Saegim.open(tmp_path / "a.db", **options, **wide) as house:
        shadow = unsure(house)
        assert shadow.phase == 2
        assert len(shadow.scores) == 3
        assert shadow.decided == "rule"
        assert shadow.suggested in ACTIONS
    with Saegim.open(tmp_path / "b.db", **options, **wide, policy="learned") as house:
        charged = unsure(house)
        assert charged.decided == "learned"
        assert charged.keeps is (charged.suggested == "save")
        assert charged.ruled == ("save" if shadow.keeps else "skip")
    with Saegim.open(tmp_path / "c.db", **options, **wide, policy="rule") as house:
        assert unsure(house).scores == ()


def test_blame_and_praise_are_credited_to_the_answer_before(
    house: Saegim, clock: FixedClock
) -> None:
    """A person's word on an answer judges the memories it leaned on and the decisions behind it."""
    kept = house.remember(TOLD)
    clock.forward(minutes=1)
    hear(house, clock, "내가 못 먹는 게 뭐였지?")
    assert house.within(session="s").context("내가 못 먹는 게 뭐였지?").cards
    hear(house, clock, "땅콩 알레르기가 있으니 땅콩은 드시면 안 돼요.", "assistant")
    before = house.get(kept.id, counts=False).worth.feedback
    seen = hear(house, clock, "맞아맞아 정확해 고마워")
    assert (seen.feedback, seen.reward) == ("up", 1.0)
    assert house.get(kept.id, counts=False).worth.feedback > before
    asked = next(row for row in rows(house) if row.action == "retrieve")
    assert asked.reward == 1.0
    assert next(row.reward for row in rows(house, SHOWN)) == 1.0


def test_an_answer_is_judged_once_however_often_wrong_is_said(
    house: Saegim, clock: FixedClock
) -> None:
    """A flood of blame moves a memory as far as one word, and a decision no further than -1."""
    kept = house.remember(TOLD)
    hear(house, clock, "내가 못 먹는 게 뭐였지?")
    house.within(session="s").context("내가 못 먹는 게 뭐였지?")
    hear(house, clock, "복숭아는 드셔도 돼요.", "assistant")
    first = hear(house, clock, "아니 틀렸어")
    once = house.get(kept.id, counts=False).worth.feedback
    assert first.feedback == "down"
    assert once < 0
    for _ in range(20):
        assert hear(house, clock, "틀렸어! 틀렸다고!").feedback == ""
    assert house.get(kept.id, counts=False).worth.feedback == once
    assert min(row.reward or 0.0 for row in rows(house)) >= -1.0


def test_what_others_say_and_what_is_quoted_judges_nothing(
    house: Saegim, clock: FixedClock
) -> None:
    """Only the person's own words count: not the assistant's, not those in quotation marks."""
    hear(house, clock, TOLD)
    hear(house, clock, "그렇군요.", "assistant")
    assert hear(house, clock, "맞아 정확해", "assistant").feedback == ""
    assert hear(house, clock, '이 문장 번역해 줘: "아니야 틀렸어"').feedback == ""
    with_rewards = hear(house, clock, "응 맞아 정확해")
    assert with_rewards.feedback == "up"


def test_going_on_and_a_brief_word_are_learned_from_and_judge_no_memory(
    house: Saegim, clock: FixedClock
) -> None:
    """Seed C's implicit rewards move the policy alone."""
    hear(house, clock, TOLD)
    hear(house, clock, "그렇군요.", "assistant")
    went_on = hear(house, clock, "그래서 내일 회식 때 뭘 시킬지 고민하고 있어")
    assert (went_on.feedback, went_on.reward) == ("", pytest.approx(0.3))
    hear(house, clock, "국물 요리는 어떠세요?", "assistant")
    assert hear(house, clock, "음").reward == pytest.approx(-0.1)


def test_a_question_asked_again_after_its_answer_is_a_retry(
    house: Saegim, clock: FixedClock
) -> None:
    """Who asks once more was not answered: the session's graph knows it, and counts it once."""
    hear(house, clock, TOLD)
    first = hear(house, clock, "내가 못 먹는 음식이 뭐였지?")
    hear(house, clock, "잘 모르겠어요.", "assistant")
    hear(house, clock, "내가 못 먹는 음식이 뭐였지?")
    graph = house.working.act("s", lambda held: held.graph)
    asked = graph.node(first.query)
    assert (asked.feedback < 0, asked.repeat) == (True, 1.0)


def test_rewards_can_be_turned_off(tmp_path: Path, clock: FixedClock) -> None:
    """Who wants none of it is not listened to."""
    with Saegim.open(tmp_path / "o.db", user=OWNER, clock=clock, rewards=False) as house:
        hear(house, clock, TOLD)
        hear(house, clock, "그렇군요.", "assistant")
        assert hear(house, clock, "맞아 정확해").feedback == ""


def test_experience_is_bounded_and_counts_outlive_it_and_a_restart(
    tmp_path: Path, clock: FixedClock
) -> None:
    """The oldest rows go; how often each action was decided stays, also in the next process."""
    with Saegim.open(
        tmp_path / "b.db", user=OWNER, clock=clock, background=False, experience_rows=5
    ) as house:
        for n in range(9):
            hear(house, clock, f"ㅋㅋㅋ {n}")
        assert len(rows(house)) == 5
    with Saegim.open(tmp_path / "b.db", user=OWNER, clock=clock) as house:
        stands = CATALOGUE["policy_status"].call(CallContext(house, Door.MCP))
        assert stands["actions"]["skip"] == 9


def test_erase_takes_the_experience_with_the_memory(house: Saegim, clock: FixedClock) -> None:
    """Nothing of a decision about an erased memory stays, nor of where it was shown."""
    seen = hear(house, clock, TOLD)
    other = hear(house, clock, "저는 부산에 살아요.")
    house.recall("땅콩 알레르기")
    assert {row.memory for row in rows(house)} == {seen.kept[0].id, other.kept[0].id}
    house.forgetting.erase(seen.kept[0].id, confirm=True)
    assert {row.memory for row in rows(house)} == {other.kept[0].id}
    assert seen.kept[0].id not in {row.memory for row in rows(house, SHOWN)}


def test_experience_of_one_user_is_not_anothers(house: Saegim, clock: FixedClock) -> None:
    """The wall between people stands here too."""
    hear(house, clock, TOLD)
    house.within(user="other").observe(TOLD, session="s")
    assert len(rows(house)) == 1
    assert len(house.mind.store.experience.latest("other", TURN, 10)) == 1


def test_a_night_learns_writes_a_page_and_undo_goes_back(house: Saegim) -> None:
    """Weights are pages with versions; taking a night back restores those before."""
    lived(house, 200, reward=-1.0)
    before = learned.learned_parts(OWNER, house.mind).policy.weights()
    night = house.sleep("relearn")
    assert night is not None
    assert "trained" in night.told["relearn"]
    pages = house.mind.store.pages.of(house.scope, key=POLICY_PAGE)
    assert [each.version for each in pages] == [1]
    parts = learned.learned_parts(OWNER, house.mind)
    assert parts.policy_part.version == 1
    assert parts.policy_part.compared.learned > parts.policy_part.compared.rule
    assert parts.policy_part.standing == SHADOW
    assert (parts.policy.weights() != before).any()
    house.nights.undo(night.id)
    assert (learned.learned_parts(OWNER, house.mind).policy.weights() == before).all()
    assert house.maintenance.verify()[0] > 0


def test_only_the_newest_checkpoints_are_kept(tmp_path: Path, clock: FixedClock) -> None:
    """So many versions can be gone back to; older numbers are dropped, and the ledger verifies."""
    with Saegim.open(
        tmp_path / "k.db", user=OWNER, clock=clock, background=False, checkpoints_kept=2
    ) as house:
        for n in range(4):
            clock.forward(days=1)
            lived(house, 20 * (n + 1))
            house.sleep("relearn")
        versions = [p.version for p in house.mind.store.pages.of(house.scope, key=POLICY_PAGE)]
        assert versions == [3, 4]
        assert house.maintenance.verify()[0] > 0


def test_what_beats_the_rule_on_held_out_rewards_is_put_in_charge(
    tmp_path: Path, clock: FixedClock
) -> None:
    """Where the rule is blamed again and again, the learned policy earns its place."""
    with Saegim.open(
        tmp_path / "p.db", user=OWNER, clock=clock, background=False, policy_drift=30.0
    ) as house:
        lived(house, 600, reward=-1.0)
        house.sleep("relearn")
        part = learned.learned_parts(OWNER, house.mind).policy_part
        assert part.compared.count >= 60
        assert part.standing == IN_CHARGE
        assert part.why == "better"
        stands = CATALOGUE["policy_status"].call(CallContext(house, Door.MCP))
        assert (stands["policy"], stands["learned"]) == ("bandit", True)
        assert stands["learning"]["reward"]["recent"] < 0


def test_the_rule_stays_where_it_is_praised(house: Saegim) -> None:
    """The control: a rule that is right is not replaced."""
    lived(house, 600, reward=1.0)
    house.sleep("relearn")
    part = learned.learned_parts(OWNER, house.mind).policy_part
    assert part.standing == SHADOW
    assert part.why == "not_better"


def test_a_night_that_learned_worse_keeps_the_older_weights(house: Saegim) -> None:
    """Rolled back when held-out reward falls: what is held out says the opposite of the rest."""
    lived(house, 100, reward=1.0)
    house.sleep("relearn")
    kept = learned.learned_parts(OWNER, house.mind).policy.weights()
    turned: list[Experience | Reward] = []
    for n in range(1000, 1400):
        state = np.full(10, (n % 7) / 7, np.float32).tobytes()
        held = is_held_out(f"exp_{n:05}")
        turned += [
            Experience(owner=OWNER, id=f"exp_{n:05}", kind=TURN, at=n, memory=f"m{n}",
                       action="skip", ruled="skip", phase=2, state=state),
            Reward(owner=OWNER, reward=1.0 if held else -1.0, memories=(f"m{n}",)),
        ]  # fmt: skip
    house.mind.store.experience.write(turned, 5000)
    night = house.sleep("relearn")
    assert night is not None
    assert "rolled_back" in night.told["relearn"]
    assert (learned.learned_parts(OWNER, house.mind).policy.weights() == kept).all()


def test_a_rehearsal_trains_nothing(house: Saegim) -> None:
    """What a night would do is shown without learning, and nothing is written."""
    lived(house, 100, reward=-1.0)
    before = learned.learned_parts(OWNER, house.mind).policy.weights()
    list(house.nights.rehearse("relearn"))
    assert house.mind.store.pages.of(house.scope, key=POLICY_PAGE) == []
    assert (learned.learned_parts(OWNER, house.mind).policy.weights() == before).all()


def test_a_touched_checkpoint_is_refused_and_said_so(house: Saegim) -> None:
    """The starting weights stand in for what cannot be trusted, and the status says why."""
    lived(house, 100)
    house.sleep("relearn")
    (page,) = house.mind.store.pages.of(house.scope, key=POLICY_PAGE)
    spoilt = replace(page, data={**page.data, "sha256": "0" * 64}, version=0)
    at = house.mind.now()
    house.mind.store.commit(Batch(OWNER, [Written(spoilt)], actor="test", at=at))
    parts = learned.learned_parts(OWNER, house.mind)
    assert "digest" in parts.policy_part.trouble
    fresh = learned.fresh_policy(house.mind)
    assert parts.policy.sizes == fresh.sizes
    assert parts.policy_part.standing == SHADOW


def test_weights_are_neither_exported_nor_taken_from_an_import(
    house: Saegim, tmp_path: Path, clock: FixedClock
) -> None:
    """What was learned from a person stays here, and nobody's weights come in with memories."""
    house.remember(TOLD)
    lived(house, 100)
    house.sleep("relearn")
    file = tmp_path / "out.jsonl"
    house.export_to(file)
    assert WEIGHTS not in file.read_text("utf-8")
    page = '{"page":{"key":"weights:policy","kind":"other","version":1,"data":{"x":1}}}\n'
    file.write_text(file.read_text("utf-8") + page, "utf-8")
    with Saegim.open(tmp_path / "in.db", user=OWNER, clock=clock) as other:
        told = other.import_from(file)
        assert any("learned elsewhere" in each for each in told.problems)
        assert other.mind.store.pages.of(other.scope, key=POLICY_PAGE) == []


def test_two_processes_learn_the_same_from_the_same_rewards(
    house: Saegim, tmp_path: Path, clock: FixedClock
) -> None:
    """The checkpoint and the rewards after it are the truth: whoever reads them has the weights."""
    with Saegim.open(tmp_path / "house.db", user=OWNER, clock=clock, background=False) as other:
        lived(house, 30)
        one = learned.learned_parts(OWNER, house.mind).policy.weights()
        assert (learned.learned_parts(OWNER, other.mind).policy.weights() == one).all()
        lived(other, 60)
        two = learned.learned_parts(OWNER, other.mind).policy.weights()
        assert (learned.learned_parts(OWNER, house.mind).policy.weights() == two).all()
        house.sleep("relearn")
        three = learned.learned_parts(OWNER, house.mind).policy.weights()
        assert (learned.learned_parts(OWNER, other.mind).policy.weights() == three).all()


def test_the_large_policy_is_asked_with_what_a_turn_means(
    tmp_path: Path, clock: FixedClock
) -> None:
    """Opt-in: the embedder's true dimension and ten; another embedder begins anew."""
    options: dict[str, Any] = {"user": OWNER, "clock": clock, "background": False}
    wide: dict[str, Any] = {"keep_unsure": 1.0, "enhanced_policy": True, "policy": "learned"}
    with Saegim.open(tmp_path / "e.db", **options, **wide, embedder="static") as house:
        made = unsure(house)
        assert len(made.scores) == 3
        (row,) = rows(house)
        whole = row.whole(learned.identity(house.mind))
        assert whole is not None
        assert whole.shape == (256 + 10,)
        at = micros(house.mind.now()) + 1
        given = Reward(owner=OWNER, reward=1.0, session=session_mark("s"), before=at)
        house.mind.store.experience.write([given], 5000)
        house.sleep("relearn")
        assert house.mind.store.pages.newest(OWNER, POLICY_PAGE) == 1
    with Saegim.open(tmp_path / "e.db", **options, **wide, embedder="static:128") as house:
        parts = learned.learned_parts(OWNER, house.mind)
        assert parts.policy_part.trouble
        assert parts.policy.sizes[0] == 128 + 10


def test_the_seeds_own_variable_turns_the_large_policy_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AIMEMORY_ENHANCED_POLICY=1 is understood; the name of our own setting wins over it."""
    monkeypatch.setenv("AIMEMORY_ENHANCED_POLICY", "1")
    assert read_settings(tmp_path).enhanced_policy
    monkeypatch.setenv("SAEGIM_ENHANCED_POLICY", "false")
    assert not read_settings(tmp_path).enhanced_policy


def test_the_learned_order_answers_within_its_time_or_not_at_all(
    tmp_path: Path, clock: FixedClock
) -> None:
    """In charge by setting it orders answers and prompts; too slow, the fused order stands."""
    options: dict[str, Any] = {"user": OWNER, "clock": clock, "background": False}
    with Saegim.open(tmp_path / "r.db", **options, reranker="fused") as house:
        for each in ("부산에 산다", "부산 여행을 갔다", "부산 친구가 왔다", "부산은 비가 온다"):
            house.remember(each)
        fused = [hit.memory.id for hit in house.recall("부산에 누가 왔지?").hits]
        text = house.context("부산에 누가 왔지?").text
    with Saegim.open(
        tmp_path / "r.db", **options, reranker="learned", reranker_milliseconds=0.0
    ) as house:
        assert [hit.memory.id for hit in house.recall("부산에 누가 왔지?").hits] == fused
        assert house.context("부산에 누가 왔지?").text == text
    with Saegim.open(
        tmp_path / "r.db", **options, reranker="learned", reranker_milliseconds=10_000.0
    ) as house:
        first = house.context("부산에 누가 왔지?").text
        for _ in range(3):
            house.recall("부산에 누가 왔지?")
            clock.forward(days=20)
        assert house.context("부산에 누가 왔지?").text == first
        assert {hit.memory.id for hit in house.recall("부산에 누가 왔지?").hits} == set(fused)


def test_the_reranker_learns_by_night_from_what_was_taken_up(house: Saegim) -> None:
    """Answers whose third hit was used teach that order, and the page says how it compared."""
    made: list[Experience | Reward] = []
    drawn = np.random.default_rng(3)
    for n in range(200):
        for place in range(4):
            state = drawn.random(11).astype(np.float32)
            state[1] = 1.0 if place == 2 else 0.0
            made.append(
                Experience(owner=OWNER, id=f"rec_{n:04}:{place:02}", kind=SHOWN, at=n + 1,
                           memory=f"m{place}", action="shown", state=state.tobytes())
            )  # fmt: skip
        made.append(Reward(owner=OWNER, reward=0.5, trace=f"rec_{n:04}", memories=("m2",)))
    house.mind.store.experience.write(made, 5000)
    house.sleep("relearn")
    assert house.mind.store.pages.newest(OWNER, RERANKER_PAGE) == 1
    part = learned.learned_parts(OWNER, house.mind).reranker_part
    assert part.compared.learned > part.compared.rule
    assert isinstance(Page(key="k", kind=WEIGHTS), Page)
