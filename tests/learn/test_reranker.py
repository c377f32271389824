"""The reranker learns from pairs of one answer; an untrained one is noise and says so."""

from __future__ import annotations

import numpy as np
import pytest

from saegim.learn.reranker import (
    FROZEN,
    LearnedReranker,
    frozen,
    fused_order,
    reciprocal_rank,
)

DRAWN = np.random.default_rng(4)
ROWS = DRAWN.random((6, 11)).astype(np.float32)
WORTH = [0.0, 1.0, 0.0, 0.5, -1.0, 0.0]


def test_the_pairwise_gradient_is_that_of_small_differences() -> None:
    """The gradient agrees with what a small change of each weight does to the loss."""
    reranker = LearnedReranker(seed=3)
    slope, _ = reranker.slope(ROWS, WORTH)
    assert slope is not None
    vector = reranker.weights()
    for at in (0, 40, 200, 351, 352, 380, 416):
        up, down = vector.copy(), vector.copy()
        up[at] += 1e-2
        down[at] -= 1e-2
        over, under = (LearnedReranker(each).slope(ROWS, WORTH)[1] for each in (up, down))
        measured = (over - under) / (float(up[at]) - float(down[at]))
        assert slope[at] == pytest.approx(measured, rel=0.05, abs=2e-4)


def test_what_was_taken_up_rises_above_what_was_passed_over() -> None:
    """Praise of one hit moves it up, blame of another down."""
    reranker = LearnedReranker(seed=3)
    for _ in range(300):
        reranker.learn(ROWS, WORTH)
    order = np.argsort(-reranker.scores(ROWS), kind="stable").tolist()
    assert order[0] == 1
    assert order[-1] == 4
    assert order.index(3) < order.index(0)


def test_without_a_pair_nothing_is_learned() -> None:
    """An answer whose hits were all taken alike says nothing about their order."""
    reranker = LearnedReranker(seed=3)
    before = reranker.weights()
    assert reranker.learn(ROWS, [0.5] * 6) == 0.0
    assert not reranker.trained
    assert (reranker.weights() == before).all()


def test_a_flood_of_one_judgement_ends_at_a_bound() -> None:
    """However often one order is praised, the weights stay near where they began."""
    reranker = LearnedReranker(seed=3)
    before = reranker.weights()
    for at in range(3000):
        reranker.learn(np.roll(ROWS, at, axis=1), WORTH)
    assert np.linalg.norm(reranker.weights() - before) <= 6.0 + 1e-3


def test_a_prompt_is_ordered_without_what_changes_by_being_asked() -> None:
    """Recency and how often something was recalled have no say in a prompt."""
    later = ROWS.copy()
    later[:, list(FROZEN)] += 0.7
    reranker = LearnedReranker(seed=3)
    assert (frozen(ROWS) == frozen(later)).all()
    assert (reranker.scores(frozen(ROWS)) == reranker.scores(frozen(later))).all()
    # The control: with them it would change.
    assert (reranker.scores(ROWS) != reranker.scores(later)).any()


def test_a_fresh_one_nearly_keeps_the_fused_order() -> None:
    """What has learned nothing leaves the first place where it was."""
    assert (np.diff(fused_order(8)) < 0).all()
    assert reciprocal_rank([2, 0, 1], [1.0, 0.0, 0.0]) == 0.5
    assert reciprocal_rank([0, 1], [0.0, 0.0]) == 0.0
