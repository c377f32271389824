"""A task of the small policy: what to do with a turn, learned from few rewards, unevenly spread.

Behind the ten features stand hidden habits: which turns are worth keeping, which ask for a memory,
which are neither. Every house meets mostly turns of one sort, and few of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from saegim.learn.policy import ACTIONS, FEATURES, Policy, accuracy

SORTS = 3


@dataclass(frozen=True)
class Habits:
    """What the right action is, by a rule no house is told."""

    seed: int = 0

    def turns(
        self, count: int, drawn: np.random.Generator, sort: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return turns and their right actions; mostly of one sort, if one is named."""
        states = np.zeros((count, len(FEATURES)), dtype=np.float32)
        states[:, :3] = drawn.random((count, 3))
        states[:, 8:] = drawn.random((count, 2))
        sorts = drawn.integers(0, SORTS, count)
        if sort is not None:
            sorts = np.where(drawn.random(count) < 0.85, sort, sorts)
        # Questions, personal and technical turns look different and are judged differently.
        states[:, 3] = (sorts == 0) & (drawn.random(count) < 0.9)
        states[:, 4] = (sorts == 1) & (drawn.random(count) < 0.8)
        states[:, 5] = (sorts == 1) & (drawn.random(count) < 0.5)
        states[:, 6] = (sorts == 2) & (drawn.random(count) < 0.9)
        states[:, 7] = drawn.random(count) < 0.3
        return states, self.right(states, sorts)

    def right(self, states: np.ndarray, sorts: np.ndarray) -> np.ndarray:
        """Return the action that would be praised."""
        save, skip, retrieve = range(len(ACTIONS))
        asks = np.where(states[:, 1] > 0.35, retrieve, skip)
        tells = np.where((states[:, 5] + states[:, 7] > 0) | (states[:, 2] > 0.5), save, skip)
        works = np.where(states[:, 2] + states[:, 0] > 0.9, save, skip)
        return np.choose(sorts, [asks, tells, works])


@dataclass
class Learner:
    """One house: few turns, what was done there by chance, and what it was told for it."""

    states: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    held_states: np.ndarray
    held_right: np.ndarray

    @classmethod
    def new(cls, habits: Habits, seed: int, count: int = 60) -> Learner:
        """Return a house whose turns are mostly of one sort."""
        drawn = np.random.default_rng((habits.seed, seed))
        states, right = habits.turns(count, drawn, seed % SORTS)
        actions = drawn.integers(0, len(ACTIONS), count)
        # What it will meet later is more mixed than what it has met so far.
        held_states, held_right = habits.turns(200, drawn)
        return cls(states, actions, np.where(actions == right, 1.0, -1.0), held_states, held_right)

    def trained(self, vector: np.ndarray, steps: int, seed: int = 0) -> np.ndarray:
        """Return weights after some steps on this house's own rewards."""
        policy = Policy(np.asarray(vector, dtype=np.float32), rate=0.3, drift=1e9)
        drawn = np.random.default_rng(seed)
        for _ in range(steps):
            some = drawn.choice(len(self.actions), size=16)
            policy.learn(self.states[some], list(self.actions[some]), list(self.rewards[some]))
        return policy.weights()

    def score(self, vector: np.ndarray) -> float:
        """Return how often weights choose rightly on what this house holds out."""
        policy = Policy(np.asarray(vector, dtype=np.float32), drift=1e9)
        return accuracy(policy, self.held_states, list(self.held_right))


def start() -> np.ndarray:
    """Return the weights that all begin with."""
    return Policy(seed=1).weights()
