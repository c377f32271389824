"""A question for a memory is told from any other request, and needs less to be answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from saegim import Saegim
from saegim.engines.brain.asked_reader import SHIPPED, AskedReader, FoodReader
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
        memory.remember("uncle staszek left me his old juno-60, been comparing its filter")
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
        memory.remember("He is allergic to peanuts", origin="web")
        assert [each.words for each in memory.context(asked).cards] == [
            "나는 갑각류 알레르기가 있어"
        ]
        assert memory.context("파이썬으로 피보나치 함수 짜줘").cards == ()
