"""The Korean long-term-memory set is whole, consistent and frozen."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent.parent / "bench" / "data"
RAW = (FOLDER / "korean_memory.jsonl").read_bytes()
LIVES: list[Any] = [json.loads(line) for line in RAW.decode("utf-8").splitlines()]
TYPES = {"single", "update", "time", "multi", "preference", "abstain"}


def test_the_set_is_the_one_that_was_frozen() -> None:
    """Whoever changes a letter must say so in the card, and measure anew."""
    assert hashlib.sha256(RAW).hexdigest() in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_it_is_as_large_as_its_card_says() -> None:
    """At least 30 lives and 200 questions of every type, half of them held out."""
    questions = [(life["split"], each) for life in LIVES for each in life["questions"]]
    kinds = Counter(each["type"] for _, each in questions)
    assert len(LIVES) == 32
    assert len(questions) == 256
    assert set(kinds) == TYPES
    assert min(kinds.values()) >= 32
    assert Counter(split for split, _ in questions) == {"tune": 128, "held": 128}


@pytest.mark.parametrize("life", LIVES, ids=[life["id"] for life in LIVES])
def test_every_life_is_consistent(life: Any) -> None:
    """Ids are unique, time goes forward, evidence exists, and abstentions have none."""
    starts = [datetime.fromisoformat(each["started_at"]) for each in life["sessions"]]
    turns = [turn for session in life["sessions"] for turn in session["turns"]]
    ids = {turn["id"] for turn in turns}
    where = {turn["id"]: each["id"] for each in life["sessions"] for turn in each["turns"]}
    assert starts == sorted(starts)
    assert all(each.utcoffset() == timedelta(hours=9) for each in starts)
    assert starts[-1] - starts[0] >= timedelta(days=90)
    assert len(ids) == len(turns) == len({turn["text"] for turn in turns})
    assert 60 <= len(turns) <= 80
    assert {turn["speaker"] for turn in turns} == {"user", "agent"}
    assert len(life["questions"]) == 8
    for question in life["questions"]:
        assert datetime.fromisoformat(question["asked_at"]) > starts[-1]
        assert set(question["evidence"]) <= ids
        assert bool(question["evidence"]) is (question["type"] != "abstain")
        assert question["question"].strip()
        assert question["answer"].strip()
        if question["type"] == "multi":
            assert len({where[each] for each in question["evidence"]}) >= 2
