"""The shape of an answer: a day where a day is asked for, a number where a number is."""

from __future__ import annotations

import pytest

from recall.test_score import facts
from saegim import Saegim
from saegim.recall import rank as fitting
from saegim.recall.rank import fit, wanted
from saegim.store.rows import ends_asking

WHEN = ["언제 이사했지?", "계약한 날이 며칠이었더라", "When did we move?", "몇 시에 만나기로 했지?"]
MANY = ["몇 명이 왔지?", "얼마였어?", "How many people came?", "how much was the rent?"]
NEITHER = ["보리는 누구야?", "What is my dog called?", "어디 살아?"]


@pytest.mark.parametrize("question", WHEN)
def test_a_question_for_a_day_wants_words_that_name_one(question: str) -> None:
    """Dated words fit a question for a date; the control has none and gains nothing."""
    assert fit(wanted(question), facts(mentions=True)) == fitting.NAMES_A_DAY
    assert fit(wanted(question), facts(mentions=False)) == 0.0


@pytest.mark.parametrize("question", MANY)
@pytest.mark.parametrize("text", ["방은 세 개였다", "3,000원", "there were twelve of us", "두 명"])
def test_a_question_for_a_number_wants_words_that_hold_one(question: str, text: str) -> None:
    """Numbers in digits and in words, in both languages."""
    assert fit(wanted(question), facts(beginning=text)) == fitting.HOLDS_A_NUMBER
    assert fit(wanted(question), facts(beginning="방이 넓었다")) == 0.0


@pytest.mark.parametrize("question", NEITHER)
def test_other_questions_want_neither(question: str) -> None:
    """A question for a name gains nothing from dates and numbers."""
    assert fit(wanted(question), facts(mentions=True, beginning="3 개")) == 0.0


@pytest.mark.parametrize("ending", ["갔어?", "really? ㅋㅋ", "어땠어？", 'he said "why?"'])
def test_a_question_is_seldom_the_answer_to_another(ending: str) -> None:
    """What only asks stands behind what tells."""
    assert (
        fit(wanted("보리는 누구야"), facts(asks=ends_asking(ending.encode()))) == fitting.ONLY_ASKS
    )
    assert fit(wanted("보리는 누구야"), facts(asks=ends_asking("갔다.".encode()))) == 0.0


def test_whom_the_question_names_speaks_for_himself() -> None:
    """A question about someone is answered by what that one said; a longer name is another."""
    asked = wanted("What did Caroline say?")
    assert fit(asked, facts(author="Caroline")) == fitting.SAID_BY_THE_NAMED
    assert fit(asked, facts(author="Melanie")) == 0.0
    assert fit(wanted("민수가 뭐랬지"), facts(author="민수")) == fitting.SAID_BY_THE_NAMED
    assert fit(asked, facts(author="")) == 0.0


def test_what_the_person_told_stands_before_what_the_agent_replied(memory: Saegim) -> None:
    """Of two that say the same, the person's own words come first."""
    said = "강릉 포남동 관사에서 지내요"
    theirs = memory.remember(f"{said} 라고 들었습니다", origin="agent_inferred")
    own = memory.remember(f"{said} 라고 하더군요", origin="user_said")
    hits = memory.recall("강릉 어디에서 지내지").hits
    assert [hit.memory.id for hit in hits[:2]] == [own.id, theirs.id]
    assert hits[1].fit == pytest.approx(fitting.SAID_BY_THE_AGENT)


def test_with_its_share_at_nothing_the_shape_says_nothing(memory: Saegim) -> None:
    """The ablation turns it off: the control of every test above."""
    memory.remember("어제 치과에 갔다")
    assert memory.recall("언제 치과에 갔지?").hits[0].fit > 0
    path = memory.mind.store.path
    with Saegim.open(path, fit_share=0.0) as plain:
        assert plain.recall("언제 치과에 갔지?").hits[0].fit == 0.0


def test_who_quotes_wants_those_words(memory: Saegim) -> None:
    """A quoted phrase comes first, also where the rest of the question leads away."""
    quoted = memory.remember("회의록 제목은 느린 강물이다")
    for at in range(12):
        memory.remember(f"우리 소설의 강물 장면에서 느린 물살이 언제 나오는지 적은 글 {at}")
    question = '우리 소설 장면에서 "느린 강물" 이 언제 나오지?'
    assert memory.recall(question).hits[0].memory.id == quoted.id
    plain = memory.recall(question.replace('"', "")).hits[0].memory.id
    assert plain != quoted.id


def test_what_was_called_wrong_stands_behind_and_is_marked(memory: Saegim) -> None:
    """Issue 5, feedback: "wrong" is believed half as much, and a prompt says that it is doubted."""
    doubted = memory.remember("배포는 화요일에만 한다는 규칙")
    sure = memory.remember("배포는 화요일에만 한다는 우리 규칙")
    memory.feedback(doubted.id, "wrong")
    hits = memory.recall("배포는 화요일에만 한다는 규칙").hits
    assert [hit.memory.id for hit in hits] == [sure.id, doubted.id]
    assert hits[1].fit == pytest.approx(fitting.DOUBTED)
    other = memory.within(user="other")
    kept = other.remember("배포는 화요일에만 한다는 규칙")
    assert other.context("배포는 화요일에만").cards[0].marks == ()
    other.feedback(kept.id, "wrong")
    assert other.context("배포는 화요일에만").cards[0].marks == ("doubted",)
