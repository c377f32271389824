"""The budget is never exceeded, in any script, at any size (U9.1)."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall.compose.blocks import context, rows, words_in
from saegim import FixedClock, Saegim
from saegim.engines.tokens import estimate
from saegim.memory.entities import CONTRADICTS
from saegim.memory.memory import Memory, score
from saegim.perceive.build import placed
from saegim.perceive.moment import moment_of
from saegim.recall.compose.choose import Choice
from saegim.recall.compose.compose import RECIPES, fitted
from saegim.recall.rank import Hit
from stand_ins import rounds, shelve

THINGS = (
    "김치찌개 자전거 월세 회의 강아지 여권 운동화 정원 배포 kettle budget deploy parser".split()
)
PLACES = "서울 부산 종로 회사 부엌 창고 Berlin Lisbon office basement".split()


def varied(count: int) -> list[str]:
    """Return many texts: short and long, Korean, English, mixed, code, emoji, decomposed jamo."""
    dice = random.Random(7)
    real = [each["text"] for each in rows("worth_keeping")]
    made = []
    for n in range(count):
        thing, place = dice.choice(THINGS), dice.choice(PLACES)
        text = (
            f"{thing} 이야기 {n}: {place}에서 {n % 12 + 1}월에 있었던 일이다",
            f"The {thing} in {place} was moved {n} times, says note {n * 31}",
            unicodedata.normalize("NFD", f"{place}의 {thing} {n}번은 아직 그대로 있다"),
            f"{thing}_{n} = load('{place}/{n:08x}')  # 🔧 {thing}",
            " ".join(dice.choice(real) for _ in range(dice.randint(2, 40))) + f" {thing} {n}",
            f"{thing} ❤️ 👩‍💻 {'ㅋ' * dice.randint(1, 30)} {place} {n} 年東京",
        )[n % 6]
        made.append(text)
    return made


def questions(count: int) -> list[str]:
    """Return questions in two languages about what the texts speak of."""
    dice = random.Random(11)
    forms = (
        "{}에서 {} 어떻게 됐어?",
        "What happened to the {1} in {0}?",
        "{1} {0}",
        "{} {} 이야기",
    )
    return [forms[n % 4].format(dice.choice(PLACES), dice.choice(THINGS)) for n in range(count)]


def nothing_over(memory: Saegim, count: int) -> int:
    """Ask many questions with many budgets; return how many blocks there were."""
    dice = random.Random(13)
    blocks = 0
    for at, question in enumerate(questions(count)):
        budget = 1500 if at % 2 else dice.randint(0, 1500)
        made = context(memory, question, budget)
        assert estimate(made.text) <= made.tokens <= budget, question
        if made.text:
            blocks += 1
            assert words_in(made.text) == [each.words for each in made.cards]
    return blocks


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Saegim]:
    """A store of two thousand memories; by day of five hundred."""
    place = tmp_path_factory.mktemp("full") / "memory.db"
    with Saegim.open(place, clock=FixedClock()) as memory:
        shelve(memory, varied(rounds(2000, 500)))
        yield memory


def test_two_hundred_questions_never_exceed_the_budget(full: Saegim) -> None:
    """U9.1: 2,000 memories, 200 questions in Korean and English, 0 over budget."""
    many = rounds(200, 40)
    assert nothing_over(full, many) > many / 2


@pytest.mark.nightly
def test_ten_thousand_memories_never_exceed_the_budget(tmp_path: Path) -> None:
    """U9.1: 10,000 memories, 200 questions in Korean and English, 0 over budget."""
    with Saegim.open(tmp_path / "memory.db", clock=FixedClock()) as memory:
        shelve(memory, varied(10_000))
        assert nothing_over(memory, 200) > 100


@pytest.mark.parametrize("recipe", list(RECIPES))
def test_a_budget_too_small_for_a_card_gives_nothing(full: Saegim, recipe: str) -> None:
    """U9.1: rather nothing than half a block; the first block appears when a card fits."""
    sizes = [bool(context(full, "김치찌개 이야기", size, recipe=recipe).text) for size in range(60)]
    assert not any(sizes[:30])


ANY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1)
KOREAN = st.text("가나다라마바사 각힣\u1100\u1161\u11a8ㅋ뷁\n", min_size=1)
WORDS = st.one_of(ANY, KOREAN, st.text('abc ABC 123 <>"\\', min_size=1)).filter(
    lambda text: bool(text.strip()) and len(text) < 4000
)


@pytest.fixture(scope="module")
def seedling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Saegim]:
    """An empty store, whose mind gives memories their coordinates."""
    with Saegim.open(tmp_path_factory.mktemp("seed") / "memory.db", clock=FixedClock()) as memory:
        yield memory


def hit(memory: Memory, number: int, conflicts: tuple[str, ...]) -> Hit:
    """Return a memory as if it had come back."""
    weighed = score(relevance=1.0, recency_score=0.0, importance_score=0.0)
    return Hit(memory, weighed, 1.0, 1.0, 0.0, conflicts=conflicts, number=number)


@settings(max_examples=rounds(150, 25))
@given(
    st.lists(st.tuples(WORDS, WORDS | st.just(""), WORDS | st.none()), min_size=1, max_size=6),
    st.integers(0, 900),
    st.sampled_from(list(RECIPES)),
)
def test_no_words_and_no_budget_break_the_bound(
    seedling: Saegim, texts: list[tuple[str, str, str | None]], budget: int, recipe: str
) -> None:
    """U9.1: whatever words, authors and briefs hold, a block costs at most its budget."""
    hits = []
    for number, (text, author, brief) in enumerate(texts, 1):
        try:
            about = {"author": author, "brief": brief, "triples": [[text, "is", author or "x"]]}
            moment = moment_of(seedling.scope, text, about)
        except ValueError:
            continue
        memory = placed(moment, seedling.mind)
        hits.append(hit(memory, number * 1000, (CONTRADICTS,) if number % 2 else ()))
    header = RECIPES[recipe].header(texts[0][0])
    made = fitted(Choice(hits), hits, RECIPES[recipe], header=header, room=budget)
    assert estimate(made.text) <= made.tokens <= budget
