"""The eleven features of seed C for each hit, and the order a trained reranker gives them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log1p
from typing import Final

import numpy as np

from saegim.language.words import Term
from saegim.learn.reranker import FEATURES, Reranker, Rows
from saegim.memory.coordinate import Kind
from saegim.memory.scope import Scope
from saegim.recall.score import Hit
from saegim.store.store import Store

# A memory that no tie leads to is farther away than the farthest walk.
NOT_REACHED: Final = 4
# More ties than this are not counted.
_MOST_TIES: Final = 32
# What a question is after, by its words; the first that fits.
_ASKS_FOR: Final = (
    (
        Kind.PREFERENCE,
        re.compile(
            r"(?i)좋아|싫어|선호|취향|즐겨|최애|favou?rite|prefer|\blikes?\b|\blove|\bhates?\b"
            r"|\benjoys?\b|dislike"
        ),
    ),
    (
        Kind.EMOTION,
        re.compile(
            r"(?i)기분|감정|느낌|느꼈|행복|슬[퍼프펐]|우울|화[났가]|불안|걱정|\bfe(?:el|lt)|\bmood\b"
            r"|happy|\bsad\b|angry|anxious|worried|afraid"
        ),
    ),
    (
        Kind.TECHNICAL,
        re.compile(
            r"(?i)버전|서버|배포|코드|에러|오류|설정|라이브러리|데이터베이스|version|server|deploy"
            r"|\bcode\b|error|config|librar|database|\bapi\b|framework"
        ),
    ),
    (
        Kind.EXPERIENCE,
        re.compile(
            r"(?i)갔|다녀|만났|언제|여행|했었|봤|\bwent\b|visit|\btrip\b|\bwhen\b|\bmet\b|\bdid\b"
        ),
    ),
)


def category_of(question: str) -> Kind:
    """Return which kind of memory a question is after; a fact, if nothing says otherwise."""
    return next((kind for kind, words in _ASKS_FOR if words.search(question)), Kind.FACT)


def features(
    hits: Sequence[Hit], question: str, terms: Sequence[Term], *, scope: Scope, store: Store
) -> Rows:
    """Return one row of eleven numbers for each hit, in the order of `FEATURES`."""
    rows = np.zeros((len(hits), len(FEATURES)), dtype=np.float32)
    ties = _ties(hits, scope, store)
    wanted = category_of(question)
    asked = {term.surface for term in terms}
    for row, hit in zip(rows, hits, strict=True):
        memory = hit.memory
        every, to_entities = ties.get(memory.id, (0, 0))
        row[:] = (
            hit.vector,
            _overlap(asked, set(hit.matched), memory.content.keywords),
            memory.kind is wanted,
            hit.weighed.recency,
            log1p(memory.worth.recalled),
            _length_ratio(len(question), len(memory.text)),
            every > 0,
            1 + (memory.content.brief is not None) + bool(memory.content.triples),
            to_entities,
            _distance(hit),
            hit.negative,
        )
    return rows


def reordered(hits: Sequence[Hit], rows: Rows, reranker: Reranker | None) -> tuple[Hit, ...]:
    """Return the hits in the reranker's order; in their own while there is none that has learned.

    Equal scores keep the order they had.
    """
    if reranker is None or not reranker.trained or len(hits) < 2:
        return tuple(hits)
    scores = reranker.scores(rows)
    return tuple(hits[at] for at in np.argsort(-scores, kind="stable").tolist())


def _ties(hits: Sequence[Hit], scope: Scope, store: Store) -> dict[str, tuple[int, int]]:
    """Return how many ties each hit has, and how many of them lead to an entity."""
    if not hits:
        return {}
    every: Counter[str] = Counter()
    to_entities: Counter[str] = Counter()
    for tie in store.ties(scope, [hit.memory.id for hit in hits], most=_MOST_TIES):
        every[tie.at] += 1
        to_entities[tie.at] += tie.to.startswith("entity:")
    return {id: (every[id], to_entities[id]) for id in every}


def _overlap(asked: set[str], shared: set[str], keywords: Sequence[str]) -> float:
    """Return how much of both sets of keywords is shared (Jaccard)."""
    union = len(asked | set(keywords) | shared)
    return len(shared) / union if union else 0.0


def _length_ratio(question: int, text: int) -> float:
    """Return the shorter length over the longer: 1 for equal ones, near 0 for strangers."""
    return min(question, text) / max(question, text, 1)


def _distance(hit: Hit) -> int:
    """Return how many ties away from the question a hit is; what it names itself is at 0."""
    if hit.words > 0 or hit.vector > 0:
        return 0
    return NOT_REACHED if hit.hops is None else hit.hops
