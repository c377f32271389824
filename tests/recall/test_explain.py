"""Why each memory came back."""

from __future__ import annotations

import json

from saegim import Saegim
from saegim.memory.weighing import score
from saegim.recall.explain import numbers, reason
from saegim.recall.score import Hit


def test_every_hit_explains_itself_in_words_and_numbers(memory: Saegim) -> None:
    """U32.2: matched words, the score of each path, recency and importance."""
    memory.remember("보리는 강아지 이름이다", session="s")
    memory.remember("그래서 매일 걷는다", session="s")
    hits = memory.recall("보리 강아지").hits
    told = numbers(hits[0])
    assert json.loads(json.dumps(told)) == told
    assert told["matched"] == ["보리", "강아지"]
    assert told["score"] == round(hits[0].score, 4)
    assert set(told["paths"]) >= {"words", "vector"}
    assert reason(hits[0]).startswith("shares 보리, 강아지; reads alike (")
    assert any("stands beside a hit" in reason(hit) for hit in hits)


def test_a_hit_with_nothing_to_show_is_called_weak(memory: Saegim) -> None:
    """U32.2: there is always a reason to read."""
    kept = memory.remember("tea").memory
    weighed = score(relevance=0, recency_score=0, importance_score=0)
    assert reason(Hit(kept, weighed, 0.0, 0.0, 0.0)) == "weak match"
