"""Retrieve, save or skip: three phases, a seam for what is learned, a reason in both languages."""

from __future__ import annotations

import json
import math
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.language.features import Signs, read_signs
from saegim.language.feelings import feel
from saegim.language.words import Basic, sentences
from saegim.memory.memory import Emotion, Feeling
from saegim.messages import entries
from saegim.perceive.decide_turn import (
    Action,
    Decision,
    TurnFeatures,
    decide,
    judge_by_seed,
    salience_of,
    state_of,
)

BASIC = Basic()
TUNED = Path(__file__).parents[2] / "data" / "capture_tune.jsonl"
HANGUL = re.compile("[가-힣]")
NOTHING = Signs(
    personal=False,
    preference=False,
    technical=False,
    emotion=False,
    experience=False,
    plan=False,
    question=False,
    marker=False,
    wish=False,
    chatter=False,
    density=0.5,
    keywords=("보리차",),
)
EMPTY, FULL = TurnFeatures(), TurnFeatures(memory_count=30.0)
SIGNS = st.builds(
    Signs,
    **{
        each.name: st.booleans()
        for each in fields(Signs)
        if each.name not in ("density", "keywords")
    },
    density=st.floats(0.0, 1.0),
    keywords=st.lists(st.text(min_size=1), max_size=12).map(tuple),
)
STATES = st.builds(TurnFeatures, **{each.name: st.floats() for each in fields(TurnFeatures)})


class Stubborn:
    """A policy that has one answer, and remembers what it was asked about."""

    def __init__(self, answer: Action | None) -> None:
        self.answer = answer
        self.asked: list[tuple[TurnFeatures, float]] = []

    def choose(self, state: TurnFeatures, signs: Signs, salience: float) -> Action | None:
        """Answer what it always answers."""
        self.asked.append((state, salience))
        return self.answer


def bearing(*names: str, density: float = 0.5) -> Signs:
    """Return signs of which only these are there."""
    there: dict[str, Any] = dict.fromkeys(names, True)
    return replace(NOTHING, density=density, **there)


def read(text: str, emotion: Emotion = Emotion()) -> Signs:
    """Read the signs of a text, by words alone."""
    return read_signs(text, emotion=emotion, reading=None, analyser=BASIC)


# --- the state


def test_the_state_has_the_ten_features_of_the_seed_in_its_order() -> None:
    """Seed C: the vector of a policy trained on the seed's order means the same here."""
    names = """turn_position memory_count keyword_count is_question has_personal_info
    has_preference has_tech has_emotion recent_save_count recent_retrieve_count""".split()
    assert [each.name for each in fields(TurnFeatures)] == names
    for at, name in enumerate(names):
        vector = TurnFeatures(**{name: 1.0}).vector()
        assert len(vector) == 10
        assert [value > 0 for value in vector] == [each == at for each in range(10)]


def test_counts_are_scaled_to_shares() -> None:
    """Seed C: 10 turns are half of much, 12 keywords and 5 saves are all of it, memories bend."""
    state = TurnFeatures(
        turn_position=10, memory_count=100, keyword_count=12, is_question=1, recent_save_count=9
    )
    vector = state.vector()
    assert vector[0] == 0.5
    assert vector[1] == pytest.approx(math.tanh(1.0))
    assert (vector[2], vector[3], vector[8], vector[9]) == (1.0, 1.0, 1.0, 0.0)


@given(STATES)
def test_whatever_is_counted_the_vector_stays_between_0_and_1(state: TurnFeatures) -> None:
    """Seed C: no count, not even one that is no number, throws a policy off its scale."""
    assert all(0.0 <= value <= 1.0 for value in state.vector())


def test_the_state_of_a_sentence_is_taken_from_its_signs() -> None:
    """Seed C: what was read becomes features; where it stands in the talk is told."""
    found = state_of(
        bearing("personal", "question"), turn_position=3, memory_count=7, recent_saves=2
    )
    assert found == TurnFeatures(
        turn_position=3,
        memory_count=7,
        keyword_count=1,
        is_question=1,
        has_personal_info=1,
        recent_save_count=2,
    )


# --- the phases


@pytest.mark.parametrize(("sign", "code"), [("question", "question"), ("marker", "marker")])
def test_phase_0_looks_back_when_there_is_something_to_find(sign: str, code: str) -> None:
    """Seed C phase 0: a question or a marker meets stored memories."""
    made = decide(bearing(sign, "personal"), FULL)
    assert (made.action, made.phase, made.why, made.asks) == (Action.RETRIEVE, 0, (code,), True)
    assert decide(bearing("personal"), FULL).action is not Action.RETRIEVE
    assert decide(bearing(sign), EMPTY).action is Action.SKIP


def test_a_question_is_never_kept_as_a_fact() -> None:
    """Seed C phase 0, U4.2: without memories a question is passed over, however much it holds."""
    asked = bearing("question", "personal", "preference", "technical")
    made = decide(asked, EMPTY)
    assert (made.action, made.why) == (Action.SKIP, ("unanswered",))
    assert salience_of(asked) >= 0.7


def test_what_is_told_before_a_question_is_kept_and_the_question_is_told() -> None:
    """U1.4: 가는데 어디가 좋을까 is saved for the first half and looked up for the second."""
    made = decide(bearing("question", "plan", "tells"), FULL)
    assert (made.action, made.asks) == (Action.SAVE, True)


def test_salience_is_the_seeds_sum() -> None:
    """Seed C: 0.40, 0.35, 0.30, 0.20 and 0.15 of density; what happens to one is personal."""
    expected = {"personal": 0.40, "preference": 0.35, "technical": 0.30, "emotion": 0.20}
    for name, weight in expected.items():
        assert salience_of(bearing(name, density=0.0)) == pytest.approx(weight)
    for name in ("plan", "experience", "decision"):
        assert salience_of(bearing(name, density=0.0)) == pytest.approx(0.40)
    assert salience_of(bearing(density=1.0)) == pytest.approx(0.15)


def test_phase_1_keeps_what_is_surely_worth_it() -> None:
    """Seed C phase 1: from 0.7 on it is saved, and the border belongs to saving."""
    made = decide(bearing("personal", "technical", density=0.0), FULL)
    assert (made.action, made.phase) == (Action.SAVE, 1)
    assert made.salience == pytest.approx(0.7)
    assert decide(bearing("personal", density=0.0), FULL).phase == 2
    assert decide(bearing("personal", density=0.0), FULL, keep_from=0.4).phase == 1


def test_phase_1_skips_what_surely_is_not() -> None:
    """Seed C phase 1: up to 0.1 it is skipped, with the better reason if there is one."""
    made = decide(bearing(density=0.5), FULL)
    assert (made.action, made.phase, made.why) == (Action.SKIP, 1, ("little",))
    assert decide(bearing("chatter", density=0.5), FULL).why == ("chatter",)
    assert decide(bearing(density=0.5), FULL, skip_to=0.05).phase == 2


@pytest.mark.parametrize("sign", ["personal", "preference", "plan", "experience", "decision"])
def test_phase_2_keeps_one_sign_of_the_persons_own_life(sign: str) -> None:
    """Seed C phase 2: one sign never reaches 0.7, so the rule must know what it is worth."""
    made = decide(bearing(sign), FULL)
    assert (made.action, made.phase, made.why) == (Action.SAVE, 2, (sign,))
    assert decide(bearing(sign, "chatter"), FULL).action is Action.SKIP
    assert decide(replace(bearing(sign), keywords=()), FULL).action is Action.SKIP


def test_phase_2_keeps_a_technical_matter_only_if_it_is_of_ones_own_work() -> None:
    """Seed C phase 2: how a library works is in a book, why ours broke is not."""
    own = decide(bearing("technical", "finding"), FULL)
    assert (own.action, own.why) == (Action.SAVE, ("technical",))
    world = decide(bearing("technical"), FULL)
    assert (world.action, world.phase, world.why) == (Action.SKIP, 2, ("general",))


def test_phase_2_keeps_a_feeling_only_with_what_it_is_about() -> None:
    """Seed C phase 2: a sigh is not a memory; why one sighs is."""
    about = replace(bearing("emotion", "cause"), keywords=("면접", "최종", "탈락"))
    assert decide(about, FULL).action is Action.SAVE
    assert decide(replace(about, cause=False), FULL).why == ("unexplained",)
    assert decide(replace(about, keywords=("면접",)), FULL).action is Action.SKIP


# --- the person's own word


@pytest.mark.parametrize("state", [EMPTY, FULL])
@pytest.mark.parametrize("beside", [(), ("question",), ("marker", "chatter"), ("personal",)])
def test_a_wish_always_keeps_and_a_refusal_never_does(
    state: TurnFeatures, beside: tuple[str, ...]
) -> None:
    """Seed D rule 4: what a person says about keeping outranks every phase and every policy."""
    for answer in Action:
        policy = Stubborn(answer)
        wished = decide(bearing("wish", *beside), state, policy=policy)
        refused = decide(bearing("refusal", *beside), state, policy=policy)
        assert (wished.action, wished.why) == (Action.SAVE, ("wish",))
        assert (refused.action, refused.why) == (Action.SKIP, ("refusal",))
        assert policy.asked == []


def test_wish_and_refusal_are_heard_in_both_languages() -> None:
    """Seed D rule 4: the words of the person, not a flag of the caller, decide."""
    for text in ("내 사번은 4821이야 기억해 줘", "Remember that I park on level 3"):
        assert decide(read(text), FULL).why == ("wish",)
    for text in ("이건 기억하지 마, 나 사표 냈어", "off the record, I quit my job"):
        assert decide(read(text), FULL).why == ("refusal",)


# --- the seam


def test_a_policy_that_always_skips_changes_only_the_middle() -> None:
    """Seed C phase 2: phases 0 and 1 never ask the policy, the middle always does."""
    policy = Stubborn(Action.SKIP)
    clear = [
        bearing("question"),
        bearing("marker"),
        bearing("personal", "preference"),
        bearing(density=0.1),
        bearing("wish"),
        bearing("refusal"),
    ]
    for signs in clear:
        assert decide(signs, FULL, policy=policy) == decide(signs, FULL)
    assert policy.asked == []
    made = decide(bearing("personal"), FULL, policy=policy)
    assert (made.action, made.phase, made.why) == (Action.SKIP, 2, ("policy:skip",))
    assert policy.asked == [(FULL, made.salience)]
    assert decide(bearing("personal"), FULL).action is Action.SAVE


def test_a_policy_without_an_opinion_leaves_it_to_the_rule() -> None:
    """Seed C phase 2: None is no opinion."""
    policy = Stubborn(None)
    signs = bearing("preference")
    assert decide(signs, FULL, policy=policy) == decide(signs, FULL)
    assert len(policy.asked) == 1


# --- who speaks


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_of_other_voices_only_what_was_decided_is_kept(role: str) -> None:
    """U4.3: an assistant's words are not the user's facts, wishes or questions."""
    for signs in (bearing("personal", "preference"), bearing("wish"), bearing("question")):
        made = decide(signs, FULL, role=role)
        assert (made.action, made.why, made.asks) == (Action.SKIP, ("other",), False)
        assert decide(signs, FULL).action is not Action.SKIP
    assert decide(bearing("decision"), FULL, role=role).action is Action.SAVE
    assert decide(bearing("decision", "question"), FULL, role=role).action is Action.SKIP


# --- the turn


def test_a_turn_is_what_its_best_sentence_is() -> None:
    """Seed C: save before retrieve before skip, with the reasons of the winners."""
    chat, asked = (bearing("chatter"), FULL), (bearing("question"), FULL)
    told, liked = (bearing("plan"), FULL), (bearing("preference", density=0.1), FULL)
    assert judge_by_seed([chat, asked]).action is Action.RETRIEVE
    assert judge_by_seed([chat]).action is Action.SKIP
    made = judge_by_seed([chat, asked, told, liked])
    assert (made.action, made.asks) == (Action.SAVE, True)
    assert set(made.why) == {"plan", "preference"}
    assert made.salience == decide(told[0], FULL).salience
    assert not judge_by_seed([chat, told]).asks


def test_a_refusal_is_meant_for_the_whole_turn() -> None:
    """Seed D rule 4: "don't keep this. I quit today" keeps neither sentence."""
    told, refused = (bearing("personal", "preference"), FULL), (bearing("refusal"), FULL)
    assert judge_by_seed([told]).action is Action.SAVE
    for turn in ([refused, told], [told, refused]):
        made = judge_by_seed(turn)
        assert (made.action, made.why) == (Action.SKIP, ("refusal",))


def test_a_turn_without_sentences_is_skipped() -> None:
    """U4.6: nothing said, nothing kept, nothing raised."""
    assert judge_by_seed([]).action is Action.SKIP


def test_the_settings_reach_every_sentence() -> None:
    """DESIGN 4: the thresholds and the policy are the caller's."""
    found = [(bearing("personal"), FULL)]
    assert judge_by_seed(found, keep_from=0.4).phase == 1
    assert judge_by_seed(found, policy=Stubborn(Action.SKIP)).action is Action.SKIP
    assert judge_by_seed(found, role="tool").action is Action.SKIP
    assert judge_by_seed([(bearing(density=0.9), FULL)], skip_to=0.2).phase == 1


# --- the reason in words

REASONS = [
    (("personal", "preference"), "개인 정보와 취향이 담겨 있어 기억합니다.",
     "Kept: it says who you are and what you like."),
    (("plan",), "계획이 담겨 있어 기억합니다.", "Kept: it says what you plan."),
    (("experience",), "겪은 일이 담겨 있어 기억합니다.", "Kept: it says what happened."),
    (("decision", "technical"), "결정과 기술 정보가 담겨 있어 기억합니다.",
     "Kept: it says what was decided and how things are built."),
    # Of many, the two that say most.
    (("personal", "plan", "emotion"), "계획과 감정이 담겨 있어 기억합니다.",
     "Kept: it says what you plan and how you feel."),
    (("personal", "preference", "plan", "experience", "decision", "technical"),
     "계획과 결정이 담겨 있어 기억합니다.", "Kept: it says what you plan and what was decided."),
]  # fmt: skip
CODES = """question marker wish refusal other echo unanswered chatter unexplained general little
policy:retrieve policy:save policy:skip""".split()


def test_what_a_kind_is_called_in_a_reason_is_what_it_is_called_elsewhere() -> None:
    """Whoever reads the word in a reason may write it behind `--kind`."""
    made = Decision(action=Action.SAVE, phase=2, salience=0.5, why=("preference",), state=EMPTY)
    assert entries("word", "ko")["kind preference"].message in made.words("ko")


@pytest.mark.parametrize(("why", "korean", "english"), REASONS)
def test_what_is_kept_says_what_it_holds(why: tuple[str, ...], korean: str, english: str) -> None:
    """U32.2: the reason is a sentence with the right particles, not a list of codes."""
    made = Decision(action=Action.SAVE, phase=2, salience=0.5, why=why, state=EMPTY)
    assert made.words("ko") == korean
    assert made.words("en") == english


def test_every_other_reason_is_a_sentence_of_its_own_in_both_languages() -> None:
    """U32.2: no reason is shared, missing, or in the wrong language."""
    told = [Decision(action=Action.SKIP, phase=1, salience=0.0, why=(code,), state=EMPTY)
            for code in CODES]  # fmt: skip
    korean, english = [each.words("ko") for each in told], [each.words("en") for each in told]
    assert len(set(korean)) == len(set(english)) == len(CODES)
    assert all(HANGUL.search(each) and each.endswith(".") for each in korean)
    assert not any(HANGUL.search(each) for each in english)


def test_a_wish_is_the_reason_whatever_else_the_turn_holds() -> None:
    """U32.2: who asked to keep it is told so, also when another sentence weighs more."""
    made = judge_by_seed([(bearing("personal", "preference"), FULL), (bearing("wish"), FULL)])
    assert made.words("en") == "Kept: you asked to keep it."


def test_an_unknown_reason_still_has_words() -> None:
    """U32.2: a reason given by a newer part of the house does not break an older one."""
    made = Decision(action=Action.SKIP, phase=1, salience=0.0, why=("later",), state=EMPTY)
    assert made.words("ko")
    assert made.words("en")


@given(SIGNS, STATES, st.sampled_from([None, *Action]), st.sampled_from(["user", "assistant"]))
def test_decide_never_raises_and_always_has_a_reason(
    signs: Signs, state: TurnFeatures, answer: Action | None, role: str
) -> None:
    """U4.6: whatever was read and counted, there is a decision, a phase and words for it."""
    made = decide(signs, state, policy=Stubborn(answer), role=role)
    assert made.phase in (0, 1, 2)
    assert made.why
    assert made.words("ko")
    assert made.words("en")


# --- together


def test_the_seeds_own_examples_are_kept() -> None:
    """Seed C layer 1: the rows of its table that speak of a person are saved; the book is not."""
    tired = Emotion(feelings=(Feeling.ENNUI,), intensity=0.55)
    for text, emotion in (
        ("내 이름은 서윤이야", Emotion()),
        ("나는 서울에 살아", Emotion()),
        ("나는 Python을 좋아해", Emotion()),
        ("요즘 번아웃이 심해", tired),
    ):
        assert decide(read(text, emotion), FULL).action is Action.SAVE, text
    book = decide(read("React 18에서 Suspense는 서버 렌더링을 지원한다"), FULL)
    assert (book.action, book.phase) == (Action.SKIP, 2)
    for text in ("안녕하세요", "ㅇㅋ"):
        assert decide(read(text), FULL).action is Action.SKIP


def _decided(row: dict[str, str]) -> Action:
    found = [read(each, feel(each, None)) for each in sentences(row["text"])]
    return judge_by_seed([(each, FULL) for each in found], role=row["role"]).action


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_labelled_turns_are_decided_as_labelled(language: str) -> None:
    """On the tuned half, words alone reach 0.9 where saving everything has 0.5."""
    rows = [json.loads(line) for line in TUNED.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["lang"] == language]
    made = [(row["label"], _decided(row)) for row in rows]
    saved = [label for label, action in made if action is Action.SAVE]
    wanted = [action for label, action in made if label == "save"]
    asked = [action for label, action in made if label == "retrieve"]
    assert saved.count("save") / len(saved) >= 0.9
    assert wanted.count(Action.SAVE) / len(wanted) >= 0.9
    assert asked.count(Action.RETRIEVE) / len(asked) >= 0.9
    assert [label for label, _ in made].count("save") / len(made) < 0.5
