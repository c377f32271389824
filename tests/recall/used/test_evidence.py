"""A memory comes back in a reply by what tells it apart, and not by what everybody says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from saegim.engines.brain.heads import Heads
from saegim.engines.brain.model import Static
from saegim.recall.usage import came_back, surfaces, words_of

DATA = Path(__file__).parents[2] / "data"
SURPRISE = Heads(Static()).surprise


def measured(half: str, language: str = "") -> tuple[float, float]:
    """Return the precision and the recall on one half of the labelled pairs."""
    right = found = wanted = 0
    for line in (DATA / f"use_{half}.jsonl").read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        if language not in ("", pair["language"]):
            continue
        told = came_back(pair["memory"], pair["prompt"], pair["reply"], SURPRISE) is not None
        found += told
        wanted += pair["used"]
        right += told and pair["used"]
    return right / found, right / wanted


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("half", ["tune", "held"])
def test_the_labelled_pairs_are_told_apart(half: str, language: str) -> None:
    """Written before the rule: tune 1.00 / 1.00; held 0.91 precision, 0.95 recall together."""
    precision, recall = measured(half, language)
    assert precision >= 0.85
    assert recall >= 0.9


def test_the_held_half_is_told_apart_as_it_was_measured() -> None:
    """The number that is written down is the number that holds."""
    precision, recall = measured("held")
    assert (round(precision, 2), round(recall, 2)) == (0.91, 0.95)


@pytest.mark.parametrize(
    ("memory", "prompt", "reply"),
    [
        ("My sister Jane lives in Boston.", "", "Jane is in Boston, so fly there."),
        ("누나 수민이는 대구에서 꽃집을 해.", "", "수민이 누나 꽃집이 대구에 있잖아요."),
    ],
)
def test_what_the_prompt_said_itself_is_no_memory(memory: str, prompt: str, reply: str) -> None:
    """The same reply counts after another prompt, and not after one that said it all."""
    assert came_back(memory, prompt, reply, SURPRISE) is not None
    assert came_back(memory, memory, reply, SURPRISE) is None


def test_words_a_page_apart_are_a_coincidence() -> None:
    """Two rare words come back together or not at all."""
    memory = "Tom broke his ankle skiing at Whistler."
    near = "He hurt his ankle skiing at Whistler."
    between = " ".join(f"Sentence number {n} is about other things." for n in range(9))
    far = f"An ankle has three bones. {between} Many people go skiing."
    assert came_back(memory, "How is Tom?", near, SURPRISE) is not None
    assert came_back(memory, "What is new?", far, SURPRISE) is None


def test_a_verdict_names_words_by_their_places() -> None:
    """What is kept are numbers; with the memory beside them they are words again."""
    memory = "우리 팀장님 이름은 박서준이야."
    told = came_back(memory, "팀장님 이름이 뭐였지?", "박서준 팀장님이에요.", SURPRISE)
    assert told is not None
    assert surfaces(memory, told.places) == ["박서준"]
    assert surfaces("짧아", told.places) == []


def test_an_empty_text_gives_nothing_back() -> None:
    """Nothing said, nothing used."""
    assert words_of("", SURPRISE) == []
    assert came_back("", "", "", SURPRISE) is None
    assert came_back("I live in Ghent.", "", "", SURPRISE) is None
