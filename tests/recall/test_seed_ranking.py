"""`ranking = "seed"`: seed E's formula to the letter, over three sources and three factors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim import FixedClock, Saegim, Settings
from saegim.engines.embedder import cosine
from saegim.errors import SettingsError
from saegim.memory.memory import FusionWeights, fused
from saegim.recall.explain import numbers, reason, signs
from saegim.recall.rank import Hit
from saegim.serve.cli import render_recall
from saegim.serve.speech import Speech

# What seed E says, written down once more: the code's own constants prove nothing.
SOURCES = {"vector": 0.5, "words": 0.3, "graph": 0.2}
FACTORS = {"relevance": 0.5, "recency": 0.3, "importance": 0.2}
HALF_LIFE_DAYS = 30.0
CIRCLE = (
    ("Minsu works with Jihun at the harbour", 0.2, "fact"),
    ("Jihun has a dog called Bori", 0.9, "preference"),
    ("The dog barks at the harbour at night", 0.5, "episode"),
    ("Bori likes the long walk along the harbour", 0.7, "experience"),
    ("민수는 항구에서 개와 산책한다", 0.4, "emotion"),
    ("A dog needs a walk every day", 0.1, "principle"),
)
QUESTIONS = ("Whose dog is at the harbour?", "What about Minsu?", "민수의 개", "a long walk")
SHARE = st.floats(0, 1)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Saegim]]:
    """Open the same store under one setting or another, at the same time of the same clock."""
    held: list[Saegim] = []
    clock = FixedClock()

    def again(**settings: Any) -> Saegim:
        held.append(Saegim.open(tmp_path / "same.db", clock=clock, traces=False, **settings))
        return held[-1]

    with Saegim.open(tmp_path / "same.db", clock=clock) as memory:
        for text, importance, kind in CIRCLE:
            memory.remember(text, importance=importance, kind=kind)
            clock.forward(days=17)
    yield again
    for each in held:
        each.close()


def by_hand(hit: Hit, memory: Saegim) -> float:
    """Compute seed E's score from what stands in the store and what each source said."""
    said = {name: getattr(hit, name) for name in SOURCES if getattr(hit, name) > 0}
    whole = sum(SOURCES[name] for name in said)
    relevance = sum(SOURCES[name] * value for name, value in said.items()) / whole
    age = (memory.mind.now() - hit.memory.time.recorded_at) / timedelta(days=1)
    recency = 0.5 ** (age / HALF_LIFE_DAYS)
    factors = {
        "relevance": relevance,
        "recency": recency,
        "importance": hit.memory.worth.importance,
    }
    return sum(FACTORS[name] * value for name, value in factors.items())


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_score_is_the_formula_and_the_order_is_the_score(
    opened: Callable[..., Saegim], question: str
) -> None:
    """Seed E: each source's relevance averaged by its weight, then three factors by theirs."""
    memory = opened(ranking="seed")
    hits = memory.recall(question, near_misses=True).hits
    assert len(hits) >= 2
    assert [hit.score for hit in hits] == [pytest.approx(by_hand(hit, memory)) for hit in hits]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    asked = memory.mind.embedder.embed([question], "query")[0]
    for hit in hits:
        if hit.vector > 0:
            text = memory.mind.embedder.embed([hit.memory.text], "document")[0]
            assert hit.vector == pytest.approx(cosine(asked, text), abs=0.01)


def test_all_three_sources_are_at_work(opened: Callable[..., Saegim]) -> None:
    """One memory is found by all of them, one by ties alone; the average counts only finders."""
    hits = opened(ranking="seed").recall("What about Minsu?", near_misses=True).hits
    finders = {hit.memory.text: set(hit.paths) for hit in hits}
    assert finders[CIRCLE[0][0]] == {"vector", "words", "graph"}
    tied = next(hit for hit in hits if hit.paths == ("graph",))
    assert tied.weighed.relevance == pytest.approx(tied.graph)


def test_the_default_is_another_formula(opened: Callable[..., Saegim]) -> None:
    """Control: under the measured weights the same hits do not have the seeds' scores."""
    memory = opened()
    assert memory.mind.settings.ranking == Settings().ranking == "measured"
    hits = memory.recall(QUESTIONS[0]).hits
    assert all(hit.score != pytest.approx(by_hand(hit, memory), abs=0.01) for hit in hits)
    assert all("weights" not in numbers(hit) for hit in hits)
    assert all("averages" not in reason(hit) for hit in hits)


def test_a_prompt_is_ranked_by_the_same_formula(opened: Callable[..., Saegim]) -> None:
    """Recency counts there too: the measured ranking leaves it out, the seeds do not."""
    memory = opened(ranking="seed", mmr_lambda=1.0, relevance_floor=0.0)
    ranked = [hit.memory.text for hit in memory.recall(QUESTIONS[0]).hits]
    shown = memory.context(QUESTIONS[0]).text
    places = [shown.find(text) for text in ranked]
    assert places == sorted(places)
    assert places[0] > 0


def test_what_is_recent_and_important_is_weighed_however_many_are_nearer(tmp_path: Path) -> None:
    """No candidate is cut off before it is weighed; the measured ranking keeps the nearest."""
    clock = FixedClock()
    far = "once, between two other errands on a grey morning, somebody had mentioned the harbour"
    with Saegim.open(tmp_path / "m.db", clock=clock, durability="fast") as memory:
        for number in range(60):
            memory.remember(f"harbour {number}", importance=0.0)
        clock.forward(days=400)
        memory.remember(far, importance=1.0)
    found = {}
    for ranking in ("seed", "measured"):
        with Saegim.open(tmp_path / "m.db", clock=clock, ranking=ranking, traces=False) as memory:
            found[ranking] = [hit.memory.text for hit in memory.recall("harbour", limit=3).hits]
    assert found["seed"][0] == far
    assert far not in found["measured"]


def test_only_the_three_sources_bring_candidates(tmp_path: Path) -> None:
    """A turn beside a hit, and what merely lies in the time asked for, are not the seeds' finds."""
    clock = FixedClock()
    found = {}
    with Saegim.open(tmp_path / "m.db", clock=clock) as memory:
        memory.remember("보리는 강아지 이름이다", session="s")
        memory.remember("그래서 매일 걷는다", session="s")
    for ranking in ("seed", "measured"):
        with Saegim.open(tmp_path / "m.db", clock=clock, ranking=ranking, traces=False) as memory:
            hits = memory.recall("오늘 보리 강아지").hits
            found[ranking] = {hit.memory.text for hit in hits}
            if ranking == "seed":
                assert all(set(hit.paths) & SOURCES.keys() for hit in hits)
                # A question that names nothing but a time is answered all the same.
                assert len(memory.recall("오늘 뭐라고 했지?").hits) == 2
    assert found["seed"] == {"보리는 강아지 이름이다"}
    assert found["measured"] == found["seed"] | {"그래서 매일 걷는다"}


def test_one_clock_for_every_kind_and_tier(opened: Callable[..., Saegim]) -> None:
    """Seed E's half-life is the same for a mood and a principle; it can be set."""
    half = opened(ranking="seed", recency_half_life_days=60.0)
    for hit in half.recall(QUESTIONS[0], near_misses=True).hits:
        age = (half.mind.now() - hit.memory.time.recorded_at) / timedelta(days=1)
        assert hit.weighed.recency == pytest.approx(0.5 ** (age / 60.0))


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_card_explains_the_formula(opened: Callable[..., Saegim], question: str) -> None:
    """Whoever reads the reason can compute the score again from it, and so can a program."""
    number = r"([\d.]+)"
    for hit in opened(ranking="seed").recall(question).hits:
        said = reason(hit)
        factors = [rf"{number} × {name} {number}" for name in FACTORS]
        read = re.search(" \\+ ".join(factors), said)
        assert read is not None
        values = [float(each) for each in read.groups()]
        assert values[::2] == list(FACTORS.values())
        assert sum(a * b for a, b in zip(values[::2], values[1::2], strict=True)) == (
            pytest.approx(hit.score, abs=0.011)
        )
        told = {
            name: (float(value), float(weight))
            for name, value, weight in re.findall(
                rf"(\w+) {number} × {number}", said.split("averages ")[1]
            )
        }
        assert {name: weight for name, (_, weight) in told.items()} == {
            name: SOURCES[name] for name in SOURCES if name in hit.paths
        }
        whole = sum(weight for _, weight in told.values())
        averaged = sum(value * weight for value, weight in told.values()) / whole
        assert averaged == pytest.approx(hit.weighed.relevance, abs=0.011)
        assert numbers(hit)["weights"] == FACTORS | {"sources": SOURCES}
        assert not {"seed", "sources"} & {name for name, _ in signs(hit, short=True)}


@pytest.mark.parametrize(
    ("language", "named"),
    [("en", ("relevance averages vector", "recency")), ("ko", ("관련성은 벡터", "최신도"))],
)
def test_the_table_says_it_in_both_languages(
    opened: Callable[..., Saegim], language: str, named: tuple[str, ...]
) -> None:
    """`saegim recall --explain` shows the formula under each memory."""
    found = opened(ranking="seed").recall(QUESTIONS[0])
    speech = Speech(language)
    told = [render_recall._signs(hit, speech, {}, short=False) for hit in found.hits]
    assert all(all(part in " ".join(said) for part in named) for said in told)


@given(SHARE, SHARE, SHARE)
def test_an_average_lies_between_what_its_sources_say(
    vector: float, words: float, graph: float
) -> None:
    """No source that found nothing lowers it, and nothing lifts it above the best of them."""
    made = fused(FusionWeights(), vector=vector, words=words, graph=graph)
    said = [each for each in (vector, words, graph) if each > 0]
    assert min(said, default=0.0) - 1e-9 <= made <= max(said, default=0.0) + 1e-9


def test_a_ranking_nobody_knows_is_refused() -> None:
    """Like its siblings, the setting names its choices."""
    with pytest.raises(SettingsError, match="measured"):
        Settings(ranking="best")
