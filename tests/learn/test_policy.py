"""The bandit: which way it moves, how exactly, how far at most, and that it does it again."""

from __future__ import annotations

import numpy as np
import pytest

from saegim.errors import BadInput
from saegim.learn.network import count_weights, forward, gradient, starting_weights, stepped
from saegim.learn.policy import ACTIONS, DRIFT, FEATURES, Policy, accuracy, enhanced_policy

STATE = np.linspace(0.0, 1.0, len(FEATURES), dtype=np.float32)


@pytest.mark.parametrize("action", range(len(ACTIONS)))
@pytest.mark.parametrize(("reward", "rises"), [(1.0, True), (-1.0, False)])
def test_what_is_rewarded_is_expected_to_bring_more(
    action: int, reward: float, rises: bool
) -> None:
    """Praise raises the score of the action that was taken, blame lowers it."""
    policy = Policy(seed=3)
    before = policy.scores(STATE)[action]
    policy.learn(STATE[None], [action], [reward])
    assert (policy.scores(STATE)[action] > before) is rises


@pytest.mark.parametrize("action", range(len(ACTIONS)))
def test_what_is_rewarded_becomes_more_likely(action: int) -> None:
    """Enough praise makes an action the one that is taken; blame makes it the rare one."""
    policy = Policy(seed=3)
    for _ in range(60):
        policy.learn(STATE[None], [action], [1.0])
    assert policy.choose(STATE, 0).probabilities[action] == pytest.approx(0.9 + 0.1 / 3)
    for _ in range(120):
        policy.learn(STATE[None], [action], [-1.0])
    assert policy.choose(STATE, 0).probabilities[action] == pytest.approx(0.1 / 3)


@pytest.mark.parametrize("sizes", [(10, 64, 3), (14, 12, 8, 3), (11, 32, 1)])
def test_gradients_are_those_of_small_differences(sizes: tuple[int, ...]) -> None:
    """The gradient agrees with what a small change of each weight does to the loss."""
    drawn = np.random.default_rng(5)
    rows = drawn.normal(size=(7, sizes[0])).astype(np.float32)
    goal = drawn.normal(size=(7, sizes[-1]))
    vector = starting_weights(sizes, 5)

    def loss(weights: np.ndarray) -> float:
        return float(((forward(weights, sizes, rows).out - goal) ** 2).sum())

    made = forward(vector, sizes, rows)
    slope = gradient(vector, sizes, made, 2.0 * (made.out - goal))
    wide = vector.astype(np.float64)
    for at in drawn.integers(0, count_weights(sizes), 60):
        step = np.zeros_like(wide)
        step[at] = 1e-5
        measured = (loss(wide + step) - loss(wide - step)) / 2e-5
        assert slope[at] == pytest.approx(measured, rel=1e-4, abs=1e-5)


def test_the_gradient_of_a_policy_is_checked_with_dropout() -> None:
    """What was dropped on the way there is dropped on the way back."""
    policy = Policy(sizes=(10, 16, 8, 3), dropout=0.5, seed=2)
    rows, acts, rewards = np.tile(STATE, (4, 1)), [0, 1, 2, 1], [1.0, -1.0, 0.3, 0.2]
    slope, _ = policy.slope(rows, acts, rewards, draw=9)
    vector = policy.weights()
    for at in (0, 17, 170, 200, 300, policy.shape[0] - 1):
        up, down = vector.copy(), vector.copy()
        up[at] += 1e-2
        down[at] -= 1e-2
        over = policy.with_weights(up).slope(rows, acts, rewards, draw=9)[1]
        under = policy.with_weights(down).slope(rows, acts, rewards, draw=9)[1]
        width = float(up[at]) - float(down[at])
        assert slope[at] == pytest.approx((over - under) / width, rel=0.05, abs=1e-3)


def test_the_same_seed_and_the_same_days_give_the_same_weights() -> None:
    """Learning is reproducible to the last bit, exploring included."""

    def lived() -> tuple[bytes, list[str]]:
        policy = Policy(seed=11)
        drawn = np.random.default_rng(1)
        taken = []
        for at in range(50):
            state = drawn.random(10).astype(np.float32)
            choice = policy.choose(state, at)
            taken.append(choice.action)
            policy.learn(state[None], [ACTIONS.index(choice.action)], [drawn.uniform(-1, 1)])
        return policy.weights().tobytes(), taken

    assert lived() == lived()
    assert len(set(lived()[1])) == 3


def test_one_decision_in_ten_explores_and_a_dry_look_never_does() -> None:
    """Epsilon is the share of decisions that are drawn; without a draw there is none."""
    policy = Policy(seed=4)
    explored = [policy.choose(STATE, at).explored for at in range(2000)]
    assert 0.07 < np.mean(explored) < 0.13
    assert not any(policy.choose(STATE).explored for _ in range(50))


def test_a_flood_of_blame_ends_at_a_bound() -> None:
    """However often and however loudly "wrong!" is said, the weights stay within the drift."""
    policy = Policy(seed=6, rate=0.5)
    began = policy.weights()
    for _ in range(3000):
        policy.learn(STATE[None], [0], [-1e9])
    assert np.linalg.norm(policy.weights() - began) <= DRIFT + 1e-4
    # The control: the same flood moves a policy that has no such bound as far as it likes.
    near, far = (Policy(seed=6, rate=0.5, drift=drift) for drift in (0.2, 100.0))
    for policy in (near, far):
        for at in range(200):
            policy.learn(np.roll(STATE, at)[None], [at % 3], [(-1.0) ** at])
    assert np.linalg.norm(near.weights() - began) <= 0.2 + 1e-4
    assert np.linalg.norm(far.weights() - began) > 0.2


def test_weights_travel_as_one_flat_vector() -> None:
    """What another house learned is a vector of a known shape; anything else is refused."""
    one, other = Policy(seed=1), Policy(seed=2)
    assert one.weights().shape == one.shape == (count_weights((10, 64, 3)),)
    assert one.weights().dtype == np.float32
    assert other.with_weights(one.weights()).scores(STATE) == one.scores(STATE)
    with pytest.raises(BadInput):
        one.with_weights(one.weights()[:-1])
    broken = one.weights()
    broken[3] = np.nan
    with pytest.raises(BadInput):
        one.with_weights(broken)
    one.weights()[:] = 0.0
    assert one.scores(STATE) != (0.0, 0.0, 0.0)


def test_the_large_policy_has_the_embedders_true_dimension() -> None:
    """Embedding and ten features in, 256 and 128 inside, three out; its schema names the size."""
    policy = enhanced_policy(256, seed=1)
    assert policy.sizes == (266, 256, 128, 3)
    assert policy.schema.endswith(":256")
    with pytest.raises(BadInput):
        policy.scores(STATE)


def test_a_bandit_learns_which_states_want_which_action() -> None:
    """From rewards alone it finds what to do in states it never saw."""
    drawn = np.random.default_rng(0)
    states = drawn.random((600, 10)).astype(np.float32)
    wanted = np.where(states[:, 3] > 0.5, 2, np.where(states[:, 4] > 0.5, 0, 1))
    policy = Policy(seed=1, epsilon=0.2, rate=0.1, drift=30.0)
    for at in range(4):
        for place, (state, right) in enumerate(zip(states[:400], wanted, strict=False)):
            act = ACTIONS.index(policy.choose(state, at * 400 + place).action)
            policy.learn(state[None], [act], [1.0 if act == right else -1.0])
    assert accuracy(policy, states[400:], wanted[400:].tolist()) > 0.8


def test_a_gradient_that_is_no_number_moves_nothing() -> None:
    """A poisoned example leaves the weights as they were."""
    vector = starting_weights((2, 2), 0)
    assert (stepped(vector, np.full(6, np.nan), 0.1) == vector).all()
