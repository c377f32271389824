"""The eleven features of seed C, and an order that only a trained reranker may change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log1p

import numpy as np
import pytest
from numpy.typing import NDArray

from saegim import Saegim
from saegim.memory.entities import Link
from saegim.memory.memory import Kind
from saegim.mind import FEATURES, Rows
from saegim.recall.rank import NOT_REACHED, Hit, category_of, features, reordered

from .test_graph import tie


class Backwards:
    """A reranker that likes the last best."""

    def __init__(self, *, trained: bool) -> None:
        self.trained = trained
        self.seen: list[Rows] = []

    def scores(self, features: Rows) -> NDArray[np.float32]:
        """Return the place of each row."""
        self.seen.append(features)
        return np.arange(len(features), dtype=np.float32)


def rows_of(memory: Saegim, hits: Sequence[Hit], question: str) -> list[dict[str, float]]:
    """Return the features of each hit by name."""
    store = memory.mind.store
    terms = store.words.analyser().query(question)
    rows = features(hits, question, terms, scope=memory.scope, store=store)
    return [dict(zip(FEATURES, row.tolist(), strict=True)) for row in rows]


def test_there_are_eleven_by_the_names_of_the_seed(memory: Saegim) -> None:
    """Seed C, layer 2: exactly these, in this order, all of them finite."""
    assert len(FEATURES) == 11
    memory.remember("보리는 우리 강아지")
    hits = memory.recall("보리가 누구야?").hits
    (row,) = rows_of(memory, hits, "보리가 누구야?")
    assert list(row) == list(FEATURES)
    assert np.isfinite(list(row.values())).all()


def test_each_feature_says_what_its_name_promises(memory: Saegim) -> None:
    """Seed C: similarity, overlap, category, recency, access, length, ties, forms, hops."""
    kept = memory.remember("나는 녹차를 좋아해", kind="preference")
    other = memory.remember("zxq vbn")
    tie(memory, Link(source=kept.id, type="related", target=other.id))
    question = "내가 좋아하는 녹차"
    hits = memory.recall(question).hits
    by_id = {hit.memory.id: row for hit, row in zip(hits, rows_of(memory, hits, question))}  # noqa: B905
    hit = next(each for each in hits if each.memory.id == kept.id)
    row = by_id[kept.id]
    assert row["chroma_similarity"] == pytest.approx(hit.vector, abs=1e-6)
    assert 0 < row["keyword_overlap"] <= 1
    assert row["category_match"] == 1.0
    assert row["recency"] == pytest.approx(hit.weighed.recency)
    assert row["access_frequency"] == pytest.approx(log1p(hit.memory.worth.recalled))
    assert row["content_length_ratio"] == pytest.approx(10 / 10)
    assert row["has_related"] == 1.0
    assert 1 <= row["resolution_available"] <= 3
    assert row["graph_connection_count"] >= 1
    assert row["graph_hop_distance"] == 0.0
    assert by_id[other.id]["graph_hop_distance"] == 1.0
    assert by_id[other.id]["graph_connection_count"] == 0.0


def test_a_negative_way_and_no_way_are_told(memory: Saegim) -> None:
    """Seed C features 9 and 10."""
    memory.remember("녹차")
    hit = memory.recall("녹차").hits[0]
    far = replace(hit, words=0.0, vector=0.0, hops=None, negative=True)
    (row,) = rows_of(memory, [far], "녹차")
    assert row["graph_hop_distance"] == NOT_REACHED
    assert row["has_negative_relation"] == 1.0


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("내가 제일 좋아하는 차가 뭐지?", Kind.PREFERENCE),
        ("What is my favourite tea?", Kind.PREFERENCE),
        ("그날 기분이 어땠지?", Kind.EMOTION),
        ("How did I feel about it?", Kind.EMOTION),
        ("서버 버전이 뭐야?", Kind.TECHNICAL),
        ("Which database do we use?", Kind.TECHNICAL),
        ("언제 부산에 갔지?", Kind.EXPERIENCE),
        ("Where did we go in May?", Kind.EXPERIENCE),
        ("내 동생 이름이 뭐야?", Kind.FACT),
    ],
)
def test_a_question_is_after_a_kind_of_memory(question: str, kind: Kind) -> None:
    """Seed C feature 2: the category is inferred from the question, in both languages."""
    assert category_of(question) is kind


def test_until_it_is_trained_nothing_is_reordered(memory: Saegim) -> None:
    """The untrained one is not even asked; the control, trained, turns all around."""
    for text in ("green tea", "green tea and cake", "a green garden with tea"):
        memory.remember(text)
    hits = memory.recall("green tea").hits
    rows = np.zeros((len(hits), 11), dtype=np.float32)
    untrained = Backwards(trained=False)
    assert reordered(hits, rows, None) == hits
    assert reordered(hits, rows, untrained) == hits
    assert untrained.seen == []
    assert reordered(hits, rows, Backwards(trained=True)) == hits[::-1]


def test_the_flow_asks_a_trained_one_with_all_its_features(memory: Saegim) -> None:
    """The seam is real: a Mind with a trained reranker answers in its order."""
    for text in ("green tea", "green tea and cake", "a green garden with tea"):
        memory.remember(text)
    plain = [hit.memory.id for hit in memory.recall("green tea").hits]
    backwards = Backwards(trained=True)
    learned = Saegim(replace(memory.mind, reranker=backwards), memory.scope, memory.home)
    assert [hit.memory.id for hit in learned.recall("green tea").hits] == plain[::-1]
    assert backwards.seen[0].shape == (3, 11)
