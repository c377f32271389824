"""Aggregation: against slow oracles written from the definitions, and against liars."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.errors import BadInput, Refused
from saegim.federation.aggregate import (
    RULES,
    aggregated,
    clipped,
    krum,
    least_members,
    median,
    mixed_trimmed_mean,
    multi_krum,
    nearest_mixed,
    stacked,
    trimmed_mean,
)
from stand_ins import rounds

Rows = np.ndarray


# -- oracles: one number at a time, as the papers say it ------------------------------------------


def slow_distance(a: Rows, b: Rows) -> float:
    """Return the squared distance by a plain sum."""
    return sum((float(x) - float(y)) ** 2 for x, y in zip(a, b, strict=True))


def slow_mean(rows: list[Rows]) -> list[float]:
    """Return the mean of each coordinate by a plain sum."""
    return [sum(float(row[at]) for row in rows) / len(rows) for at in range(len(rows[0]))]


def slow_median(rows: list[Rows], faulty: int) -> list[float]:
    """Return the middle number, or the mean of the two in the middle."""
    found = []
    for at in range(len(rows[0])):
        held = sorted(float(row[at]) for row in rows)
        middle = len(held) // 2
        found.append(held[middle] if len(held) % 2 else (held[middle - 1] + held[middle]) / 2)
    return found


def slow_trimmed(rows: list[Rows], faulty: int) -> list[float]:
    """Return the mean of what is left after the smallest and the largest went, one by one."""
    found = []
    for at in range(len(rows[0])):
        held = [float(row[at]) for row in rows]
        for _ in range(faulty):
            held.remove(min(held))
            held.remove(max(held))
        found.append(sum(held) / len(held))
    return found


def slow_scores(rows: list[Rows], faulty: int) -> list[float]:
    """Return Krum's score: the least sum of distances to n - f - 2 others, over all choices."""
    near = len(rows) - faulty - 2
    scores = []
    for i, row in enumerate(rows):
        away = [slow_distance(row, other) for j, other in enumerate(rows) if j != i]
        scores.append(min(sum(some) for some in itertools.combinations(away, near)))
    return scores


def slow_krum(rows: list[Rows], faulty: int) -> list[float]:
    """Return the row of the least score."""
    scores = slow_scores(rows, faulty)
    return [float(x) for x in rows[scores.index(min(scores))]]


def slow_multi_krum(rows: list[Rows], faulty: int) -> list[float]:
    """Return the mean of the n - f rows of the least scores."""
    scores = slow_scores(rows, faulty)
    best = sorted(range(len(rows)), key=lambda i: scores[i])[: len(rows) - faulty]
    return slow_mean([rows[i] for i in best])


def slow_mixed(rows: list[Rows], faulty: int) -> list[Rows]:
    """Return each row as the mean of its n - f nearest."""
    mixed = []
    for row in rows:
        nearest = sorted(rows, key=lambda other, row=row: slow_distance(row, other))  # type: ignore[misc]
        mixed.append(np.array(slow_mean(nearest[: len(rows) - faulty])))
    return mixed


def slow_mixed_trimmed(rows: list[Rows], faulty: int) -> list[float]:
    """Return the trimmed mean of the mixed rows."""
    return slow_trimmed(slow_mixed(rows, faulty), faulty)


PAIRS = [
    (median, slow_median),
    (trimmed_mean, slow_trimmed),
    (krum, slow_krum),
    (multi_krum, slow_multi_krum),
    (mixed_trimmed_mean, slow_mixed_trimmed),
]


def test_every_rule_equals_its_definition() -> None:
    """F-04: on random inputs no rule differs from its oracle by more than 1e-12."""
    drawn = np.random.default_rng(4)
    worst = 0.0
    for _ in range(rounds(1000, 60)):
        faulty = int(drawn.integers(0, 3))
        n = int(drawn.integers(least_members(faulty), least_members(faulty) + 4))
        rows = drawn.normal(size=(n, int(drawn.integers(1, 9))))
        for fast, slow in PAIRS:
            away = np.abs(fast(rows, faulty) - np.array(slow(list(rows), faulty))).max()
            worst = max(worst, float(away))
    assert worst <= 1e-12


def test_an_oracle_sees_a_wrong_rule() -> None:
    """Control: a rule that trims one number too few is seen at once."""
    rows = np.random.default_rng(5).normal(size=(7, 5))
    wrong = trimmed_mean(rows, 1)
    assert np.abs(wrong - np.array(slow_trimmed(list(rows), 2))).max() > 1e-6


@pytest.mark.parametrize("rule", RULES)
def test_too_few_updates_are_refused(rule: str) -> None:
    """F-03: below n = 2f + 3 nothing is made of them, and the error says how many are needed."""
    for faulty in range(5):
        n = least_members(faulty)
        rows = list(np.random.default_rng(faulty).normal(size=(n, 4)))
        assert aggregated(rows, rule, faulty, 1.0).shape == (4,)
        with pytest.raises(Refused, match=str(n)):
            aggregated(rows[:-1], rule, faulty, 1.0)
    with pytest.raises(Refused):
        aggregated([], rule, 0, 1.0)


def test_what_is_no_number_never_counts() -> None:
    """NaN, infinity and what overflows are left out, and then too few may be left."""
    good = [np.full(3, 0.1) for _ in range(5)]
    bad = [np.array([np.nan, 0, 0]), np.array([np.inf, 0, 0]), np.full(3, 1e200)]
    made = aggregated([*good, *bad], "median", 1, 1.0)
    assert np.allclose(made, 0.1)
    with pytest.raises(Refused):
        aggregated([*good[:4], *bad], "median", 1, 1.0)
    # Control: the plain mean of the same is no number.
    assert not np.isfinite(np.mean([*good, bad[0]], axis=0)).all()


def test_a_rule_or_a_length_that_is_none_is_refused() -> None:
    """A misspelt rule and rows of two lengths are the caller's error."""
    with pytest.raises(BadInput, match="nnm"):
        aggregated([np.zeros(2)] * 3, "mean", 0, 1.0)
    with pytest.raises(BadInput):
        stacked([np.zeros(2), np.zeros(3)])


@given(
    st.integers(0, 2).flatmap(
        lambda f: st.tuples(
            st.just(f),
            st.lists(
                st.lists(st.floats(-10, 10), min_size=4, max_size=4),
                min_size=2 * f + 3,
                max_size=2 * f + 6,
            ),
            st.randoms(use_true_random=False),
        )
    )
)
def test_order_counts_for_nothing_and_nothing_is_longer_than_the_clip(drawn: tuple) -> None:
    """F-05: rows in another order give the same; a result is never longer than what was allowed."""
    faulty, held, chance = drawn
    rows = [np.array(each) for each in held]
    shuffled = rows[:]
    chance.shuffle(shuffled)
    for rule in ("median", "trimmed_mean"):
        one, other = (aggregated(each, rule, faulty, 1.0) for each in (rows, shuffled))
        assert np.allclose(one, other, atol=1e-12)
    for rule in ("krum", "multi_krum"):
        assert np.linalg.norm(aggregated(rows, rule, faulty, 1.0)) <= 1.0 + 1e-9


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.floats(0.01, 100))
def test_clipping_keeps_the_direction(held: list[float], most: float) -> None:
    """A clipped update is no longer than allowed, and short ones are left as they are."""
    update = np.array(held)
    made = clipped(update, most)
    assert np.linalg.norm(made) <= most * (1 + 1e-9)
    if np.linalg.norm(update) <= most:
        assert np.array_equal(made, update)


def test_nearest_mixing_pulls_a_lone_liar_back() -> None:
    """NNM: what stands alone becomes the mean of the others and itself, the others hardly move."""
    rows = np.array([[0.0], [0.1], [0.2], [0.3], [9.0]])
    mixed = nearest_mixed(rows, 1)
    assert mixed[0] == pytest.approx(0.15)
    assert mixed[4] < 3.0


# -- a task with liars ----------------------------------------------------------------------------

CLASSES, FEATURES = 4, 16
Attack = Callable[[Rows, np.random.Generator], Rows]


def sign_flip(honest: Rows, drawn: np.random.Generator) -> Rows:
    """Send the opposite of what all learned, many times as large."""
    return -50.0 * honest.mean(axis=0)


def scaled(honest: Rows, drawn: np.random.Generator) -> Rows:
    """Send noise that drowns everything."""
    return drawn.normal(size=honest.shape[1]) * 500.0


def no_number(honest: Rows, drawn: np.random.Generator) -> Rows:
    """Send what is no number."""
    return np.full(honest.shape[1], np.nan)


def little_is_enough(honest: Rows, drawn: np.random.Generator) -> Rows:
    """Collude just inside the spread of the honest (ALIE)."""
    return honest.mean(axis=0) - 0.7 * honest.std(axis=0)


def inner_product(honest: Rows, drawn: np.random.Generator) -> Rows:
    """Collude against the direction of the honest (IPM)."""
    return -10.0 * honest.mean(axis=0)


def half_inner_product(honest: Rows, drawn: np.random.Generator) -> Rows:
    """Collude against the direction of the honest, by half."""
    return -0.5 * honest.mean(axis=0)


def free_ride(honest: Rows, drawn: np.random.Generator) -> Rows:
    """Give nothing and take everything."""
    return np.zeros(honest.shape[1])


def mimic(honest: Rows, drawn: np.random.Generator) -> Rows:
    """Say what one honest peer says, again."""
    return honest[0]


def constant(honest: Rows, drawn: np.random.Generator) -> Rows:
    """Always say the same."""
    return np.full(honest.shape[1], 1.0)


ATTACKS = [
    sign_flip,
    scaled,
    no_number,
    little_is_enough,
    inner_product,
    half_inner_product,
    free_ride,
    mimic,
    constant,
]


def learned(
    rule: str | None, attack: Attack | None, *, honest: int, liars: int, even: bool, seed: int = 0
) -> float:
    """Let peers learn one softmax over rounds; return its accuracy on what nobody saw."""
    drawn = np.random.default_rng(seed)
    truth = drawn.normal(size=(FEATURES, CLASSES))

    def data(count: int, only: int | None = None) -> tuple[Rows, Rows]:
        x = drawn.normal(size=(count * (1 if only is None else 3), FEATURES))
        y = (x @ truth).argmax(axis=1)
        if only is not None:
            keep = np.flatnonzero((y == only) | (drawn.random(len(y)) < 0.35))[:count]
            x, y = x[keep], y[keep]
        return x, y

    peers = [data(60, None if even else at % CLASSES) for at in range(honest)]
    test_x, test_y = data(1500)
    model = np.zeros((FEATURES, CLASSES))
    for _ in range(20):
        updates = []
        for x, y in peers:
            local = model.copy()
            for _ in range(5):
                p = np.exp(x @ local - (x @ local).max(axis=1, keepdims=True))
                p /= p.sum(axis=1, keepdims=True)
                p[np.arange(len(y)), y] -= 1.0
                local -= 0.5 * x.T @ p / len(y)
            updates.append((local - model).reshape(-1))
        good = np.stack(updates)
        told = [*good, *([attack(good, drawn)] * liars if attack else [])]
        if rule is None:
            step = np.mean(told, axis=0)
        else:
            step = aggregated(told, rule, 2 if liars else 0, 1.0)
        model = model + step.reshape(model.shape)
    return float(((test_x @ model).argmax(axis=1) == test_y).mean())


@pytest.mark.parametrize("attack", ATTACKS)
def test_two_liars_of_ten_cost_little(attack: Attack) -> None:
    """F-01: with the default rule two colluding peers of ten cost at most four points."""
    for even in (True, False):
        alone = learned(None, None, honest=8, liars=0, even=even)
        among = learned("nnm+trimmed_mean", attack, honest=8, liars=2, even=even)
        assert among >= alone - 0.04


@pytest.mark.parametrize("attack", [sign_flip, scaled, no_number, inner_product])
def test_a_plain_mean_falls_to_the_same_liars(attack: Attack) -> None:
    """Control: without a rule the same two peers spoil the model."""
    with np.errstate(all="ignore"):
        spoiled = learned(None, attack, honest=8, liars=2, even=False)
    assert spoiled < 0.6


def test_the_rule_costs_nothing_where_nobody_lies() -> None:
    """F-02: without a liar the default rule is within one point of the mean."""
    plain = learned(None, None, honest=10, liars=0, even=False)
    robust = learned("nnm+trimmed_mean", None, honest=10, liars=0, even=False)
    assert abs(plain - robust) <= 0.01


def test_three_liars_of_ten_are_borne() -> None:
    """F-03: up to three of ten the model stays within five points of the honest alone."""
    alone = learned(None, None, honest=8, liars=0, even=False)
    for liars in range(1, 4):
        among = learned(
            "nnm+trimmed_mean", inner_product, honest=10 - liars, liars=liars, even=False
        )
        assert among >= alone - 0.05
