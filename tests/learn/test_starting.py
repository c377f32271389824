"""What a fresh house starts from: weights by simulated people, and a reader of praise and blame."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from saegim import Saegim
from saegim.engines.brain import model
from saegim.engines.brain.encoder import Contextual
from saegim.engines.brain.feedback_reader import SHIPPED, FeedbackReader
from saegim.errors import EngineError
from saegim.learn.policy import FEATURE_SCHEMA, FEATURES, SIZES, Policy
from saegim.learn.reranker import RERANKER_SCHEMA
from saegim.perceive.learned import STARTING, starting_vectors

OPEN = Path(__file__).parents[1] / "data" / "feedback_tune.jsonl"
CARD = Path(__file__).parents[2] / "docs" / "feedback-card.md"


def state(**features: float) -> np.ndarray:
    """Return a state in the middle of a talk with these features."""
    held = {"turn_position": 0.3, "memory_count": 0.3, "keyword_count": 0.2, **features}
    return np.array([held.get(name, 0.0) for name in FEATURES], np.float32)


def test_the_file_is_plain_small_checksummed_and_says_what_it_fits() -> None:
    """No pickle: a header of JSON and numbers, bound to the feature schemas by name."""
    notes = model.read(STARTING).notes
    assert (notes["policy"], notes["reranker"]) == (FEATURE_SCHEMA, RERANKER_SCHEMA)
    assert STARTING.stat().st_size < 20_000
    assert SHIPPED.stat().st_size < 4_000_000
    assert {name: each.shape for name, each in starting_vectors().items()} == {
        "policy": (899,),
        "reranker": (417,),
    }


def test_a_touched_file_is_refused(tmp_path: Path) -> None:
    """One byte that differs is found before a number is used."""
    raw = bytearray(STARTING.read_bytes())
    raw[-1] ^= 1
    spoilt = tmp_path / "spoilt.safetensors"
    spoilt.write_bytes(raw)
    with pytest.raises(EngineError, match="checksum"):
        model.read(spoilt).arrays()


def test_it_begins_better_than_noise() -> None:
    """What tells is saved, what asks is looked up, what says nothing is let pass."""
    policy = Policy(starting_vectors()["policy"], sizes=SIZES)
    assert policy.choose(state(has_personal_info=1.0)).best == "save"
    assert policy.choose(state(has_preference=1.0)).best == "save"
    assert policy.choose(state(is_question=1.0, has_personal_info=1.0)).best == "retrieve"
    assert policy.choose(state(keyword_count=0.0)).best == "skip"


def test_the_card_names_the_reader_of_feedback_that_ships() -> None:
    """The card's size and checksum are those of the file."""
    raw, card = SHIPPED.read_bytes(), CARD.read_text("utf-8")
    assert hashlib.sha256(raw).hexdigest() in card
    assert f"{len(raw):,} bytes" in card


def test_the_reader_knows_the_lines_it_was_taught_on() -> None:
    """Of the open lines, each twentieth: nine in ten as they are labelled, in both languages."""
    reader = FeedbackReader(Contextual())
    lines = [json.loads(each) for each in OPEN.read_text("utf-8").splitlines()]
    for language in ("ko", "en"):
        some = [each for each in lines if each["lang"] == language][::20]
        right = [reader.read(each["text"]).label == each["label"] for each in some]
        assert sum(right) / len(right) >= 0.9


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("아니 그게 아니라", "negative"),
        ("맞아맞아", "positive"),
        ("not wrong", "positive"),
        ("참 잘했다 아주", "negative"),
        ("no problem", "none"),
        ("좋아하는 음식은 떡볶이야", "none"),
        ("I got up on the wrong side of the bed", "none"),
        ("exactly", "positive"),
        ("틀렸어", "negative"),
        ("wow, so helpful, not", "negative"),
        ("thanks for nothing", "negative"),
        ("you're not wrong", "positive"),
        ("nothing wrong with that", "positive"),
        ("틀린 말은 아니네", "positive"),
        ("인정하기 싫지만 맞는 말이다", "positive"),
        ("퍽이나", "negative"),
        ("my sister is allergic to walnuts", "none"),
    ],
)
def test_negation_sarcasm_and_look_alikes_are_told_apart(text: str, label: str) -> None:
    """Seed C's words, and what only looks like them."""
    assert FeedbackReader(Contextual()).read(text).label == label


@pytest.mark.parametrize(
    ("praise", "blame"),
    [
        ("that's right", "that's not right"),
        ("that is helpful", "that is not helpful"),
        ("you remembered", "you forgot"),
        ("맞아요", "안 맞아요"),
        ("도움이 됐어", "도움이 안 됐어"),
        ("마음에 들어", "마음에 안 들어"),
        ("정확해요", "정확하지 않아요"),
    ],
)
def test_a_negation_turns_praise_into_blame(praise: str, blame: str) -> None:
    """The denied sentence is less of a praise and more of a blame than the plain one."""
    reader = FeedbackReader(Contextual())
    plain, denied = reader.read(praise), reader.read(blame)
    assert plain.positive > denied.positive
    assert plain.negative < denied.negative
    assert (plain.label, denied.label) == ("positive", "negative")


def test_a_reader_taught_on_another_encoder_is_refused(tmp_path: Path) -> None:
    """Numbers that mean something else are not used."""
    tensors = model.read(SHIPPED)
    other = tmp_path / "other.safetensors"
    model.write(other, tensors.arrays(), {"embedder": "another"})
    with pytest.raises(EngineError):
        FeedbackReader(Contextual(), other)
    model.write(other, tensors.arrays(), {"embedder": Contextual().identity.digest})
    assert FeedbackReader(Contextual(), other).read("맞아맞아").label == "positive"


def test_a_file_that_lacks_a_part_is_refused(tmp_path: Path) -> None:
    """A part that is missing is said, and nothing is guessed in its place."""
    arrays = dict(model.read(SHIPPED).arrays())
    del arrays["look"]
    other = tmp_path / "part.safetensors"
    model.write(other, arrays, {"embedder": Contextual().identity.digest})
    with pytest.raises(EngineError, match=r"part\.safetensors"):
        FeedbackReader(Contextual(), other).read("맞아")


def test_an_undamaged_house_opens_without_reading_any_of_it(tmp_path: Path) -> None:
    """Opening and remembering load neither the weights nor the reader."""
    starting_vectors.cache_clear()
    with Saegim.open(tmp_path / "quiet.db", background=False) as memory:
        memory.remember("조용한 하루")
    assert starting_vectors.cache_info().currsize == 0
