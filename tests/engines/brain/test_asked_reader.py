"""A question for a memory is told from any other request, and needs less to be answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from saegim import Saegim
from saegim.engines.brain.asked_reader import (
    SHIPPED,
    YOURS,
    AskedReader,
    FoodReader,
    YoursReader,
)
from saegim.engines.brain.encoder import Contextual
from saegim.engines.brain.model import read, write
from saegim.errors import EngineError

ASKED = (
    "what did I call the hedgehog in the end?",
    "which day does my lease run out",
    "where did we leave the spare key for the shed",
    "내가 고슴도치 이름 뭐라고 지었지",
    "월세 계약 언제 끝나더라",
    "저번에 추천해준 책 제목 좀",
)
OTHER = (
    "what is the capital of Mongolia",
    "translate this paragraph into French",
    "explain how a heat pump works",
    "파이썬으로 피보나치 함수 짜줘",
    "내일 서울 날씨 알려줘",
    "양자역학을 쉽게 설명해줘",
)


FOOD = (
    "where should we go for dinner?",
    "any good brunch places around?",
    "snack ideas",
    "맛집 추천해줘",
    "뭐 시켜 먹지",
    "추천 레시피 알려줘",
)
NO_FOOD = (
    "write a function that parses a cooking timer",
    "내가 못 먹는 게 뭐였지",
    "book me a train to Busan",
    "회의록 요약해줘",
)
# What the agent said or made, and what somebody else did in nearly the same words.
OF_THE_AGENT = (
    "that haircut name, the one suggested for my face shape",
    "remind me how the tax form was explained last week",
    "the second draft of the letter to the landlord again",
    "how many minutes per side was it for the steak",
    "지난주에 짜준 여행 동선 다시 보여줘",
    "그 엑셀 수식 뭐라고 알려줬었지",
    "면접 답변 다듬어 주신 것 좀 다시 볼 수 있을까요",
    "강아지 이름 후보 뽑아준 거 뭐뭐 있었지",
)
OF_OTHERS = (
    "what did my landlord say about the letter",
    "which haircut did my sister get",
    "when did I file the tax form",
    "what time does my flight leave",
    "엄마가 알려준 잡채 레시피 어디 적어놨더라",
    "내가 정한 여행 출발 날짜가 언제였지",
    "선생님이 짜 주신 시간표가 어떻게 되지요",
    "우리 강아지 몇 살이지",
)


@pytest.fixture(scope="module")
def reader() -> AskedReader:
    """Return the reader that ships, on the encoder that ships."""
    return AskedReader(Contextual())


@pytest.mark.parametrize("text", ASKED)
def test_a_question_for_what_was_said_is_read_so(reader: AskedReader, text: str) -> None:
    """Sentences that nobody taught it, in both languages, with and without a question mark."""
    assert reader.asks(text)


@pytest.mark.parametrize("text", OTHER)
def test_another_request_is_not(reader: AskedReader, text: str) -> None:
    """What anybody could answer asks no memory."""
    assert not reader.asks(text)


def test_it_knows_one_encoder_only() -> None:
    """Weights for one kind of vector say nothing of another."""
    with pytest.raises(EngineError, match=r"asked-ko-en-1"):
        AskedReader(Contextual(192))


def test_a_file_of_another_shape_is_damage(tmp_path: Path) -> None:
    """A weight too few would weigh the wrong numbers."""
    held, spoilt = read(SHIPPED), tmp_path / "asked.safetensors"
    write(spoilt, {"weights": held.arrays()["weights"][:-1]}, dict(held.notes))
    with pytest.raises(EngineError):
        AskedReader(Contextual(), spoilt).asks(ASKED[0])


@pytest.mark.parametrize(
    ("question", "asked_floor", "shown"),
    [
        ("which instrument did my uncle leave me", 0.1, True),
        ("which instrument did my uncle leave me", 1.0, False),
        ("write a poem about an uncle and a filter", 0.1, False),
    ],
)
def test_only_such_a_question_needs_less(
    tmp_path: Path, question: str, asked_floor: float, shown: bool
) -> None:
    """What stands below the floor is shown to who asks for it, and to nobody else."""
    with Saegim.open(
        tmp_path / "s.db", embedder="encoder", relevance_floor=1.0, asked_floor=asked_floor
    ) as memory:
        memory.remember("been comparing the filter against the juno-60 uncle staszek left me")
        assert bool(memory.context(question).cards) is shown


@pytest.mark.parametrize("text", FOOD)
def test_a_request_about_food_is_read_so(reader: AskedReader, text: str) -> None:
    """Sentences that nobody taught it; what one may eat matters to each."""
    assert FoodReader(Contextual()).is_wanted(text, reader)


@pytest.mark.parametrize("text", [*NO_FOOD, *OTHER])
def test_what_only_names_food_or_asks_a_memory_is_not(reader: AskedReader, text: str) -> None:
    """A timer for the kitchen is code; what one cannot eat is asked of a memory."""
    assert not FoodReader(Contextual()).is_wanted(text, reader)


@pytest.mark.parametrize("asked", ["recommend a restaurant", "맛집 추천해줘"])
def test_what_one_may_not_eat_stands_beside_a_request_about_food(
    tmp_path: Path, asked: str
) -> None:
    """It shares no word with the request; other requests get nothing, nor is a page believed."""
    with Saegim.open(tmp_path / "saegim.db", embedder="encoder", background=False) as memory:
        memory.remember("나는 갑각류 알레르기가 있어")
        memory.remember("My bicycle is in the cellar")
        memory.remember("The cook is allergic to peanuts", origin="web")
        assert [each.words for each in memory.context(asked).cards] == [
            "나는 갑각류 알레르기가 있어"
        ]
        assert memory.context("파이썬으로 피보나치 함수 짜줘").cards == ()


@pytest.fixture(scope="module")
def yours() -> YoursReader:
    """Return the reader of questions for the agent's words."""
    return YoursReader(Contextual())


@pytest.mark.parametrize("text", OF_THE_AGENT)
def test_a_question_for_the_agents_words_is_read_so(yours: YoursReader, text: str) -> None:
    """Sentences that nobody taught it, most of which name nobody."""
    assert yours.asks(text)


@pytest.mark.parametrize("text", OF_OTHERS)
def test_a_question_for_anybody_elses_words_is_not(yours: YoursReader, text: str) -> None:
    """Who gave it makes the difference, not what it is."""
    assert not yours.asks(text)


def test_a_file_with_fewer_words_is_damage(tmp_path: Path) -> None:
    """What is learned of words has one place for each."""
    held, spoilt = read(YOURS), tmp_path / "yours.safetensors"
    arrays = held.arrays()
    write(spoilt, {**arrays, "rows": arrays["rows"][:-1]}, dict(held.notes))
    with pytest.raises(EngineError):
        YoursReader(Contextual(), spoilt).asks(OF_THE_AGENT[0])


def test_with_another_embedder_the_rule_answers(tmp_path: Path) -> None:
    """The reader knows one encoder; who has another is not left without an answer."""
    with Saegim.open(tmp_path / "s.db", embedder="static") as memory:
        assert memory.mind.asks_agent("네가 추천한 책 뭐였지")
        assert not memory.mind.asks_agent(OF_THE_AGENT[1])
    with Saegim.open(tmp_path / "e.db", embedder="encoder") as memory:
        assert memory.mind.asks_agent(OF_THE_AGENT[1])
        assert not memory.mind.asks_agent(OF_THE_AGENT[1], is_read=False)
