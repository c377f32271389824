"""What to do with a turn where the rules are unsure: a bandit that learns from what followed.

The small one sees seed C's ten features (10 -> 64 -> 3); the large one, which a person must ask
for, also the meaning of the turn (embedding + 10 -> 256 -> 128 -> 3, dropout). Each output is the
reward that an action is expected to bring. Its weights are one flat vector with a shape and the
name of a feature schema: that, and nothing else of a house, can be carried elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from saegim.errors import BadInput
from saegim.learn.network import (
    Rows,
    Vector,
    checked_weights,
    count_weights,
    forward,
    gradient,
    starting_weights,
    stepped,
)

# Seed C's order of the actions; the outputs stand in it.
ACTIONS: Final = ("save", "skip", "retrieve")
# What a vector of weights must have been learned on: these features, in this order and scale.
FEATURE_SCHEMA: Final = "turn-10/1"
ENHANCED_SCHEMA: Final = "turn-meaning-10/1"
FEATURES: Final = (
    "turn_position",
    "memory_count",
    "keyword_count",
    "is_question",
    "has_personal_info",
    "has_preference",
    "has_tech",
    "has_emotion",
    "recent_save_count",
    "recent_retrieve_count",
)
SIZES: Final = (len(FEATURES), 64, len(ACTIONS))
# Seed C, layer 1: of ten decisions one explores.
EPSILON: Final = 0.1
# A step for one decision; small enough that a bad day is mended by the next good one.
RATE: Final = 0.05
# No reward counts for more than this, whoever gives it.
MOST_REWARD: Final = 1.0
# How far the weights may ever be from where they began (L2): a flood of one answer ends here.
DRIFT: Final = 3.0
DROPOUT: Final = 0.1


@dataclass(frozen=True, slots=True)
class PolicyChoice:
    """What a policy would do: the action, what it expects of each, and whether it explored."""

    action: str
    scores: tuple[float, ...]
    probabilities: tuple[float, ...]
    explored: bool = False

    @property
    def best(self) -> str:
        """Return the action that is expected to bring most."""
        return ACTIONS[int(np.argmax(self.scores))]


class Policy:
    """An epsilon-greedy bandit; `learn` moves its weights, everything else only reads them."""

    def __init__(
        self,
        vector: NDArray[np.float32] | None = None,
        *,
        sizes: Sequence[int] = SIZES,
        schema: str = FEATURE_SCHEMA,
        seed: int = 0,
        epsilon: float = EPSILON,
        rate: float = RATE,
        drift: float = DRIFT,
        dropout: float = 0.0,
        anchor: NDArray[np.float32] | None = None,
        updates: int = 0,
    ) -> None:
        self.sizes = tuple(sizes)
        self.schema = schema
        self.seed = seed
        self.epsilon = epsilon
        self.rate = rate
        self.drift = drift
        self.dropout = dropout
        self.updates = updates
        begin = starting_weights(self.sizes, seed) if vector is None else vector
        self._vector = checked_weights(begin, self.sizes)
        # Where it began: what it may never leave by more than `drift`.
        self._anchor = self._vector if anchor is None else checked_weights(anchor, self.sizes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the weights: one flat vector."""
        return (count_weights(self.sizes),)

    def weights(self) -> Vector:
        """Return the weights: one flat vector, layer by layer, each matrix before its bias."""
        return self._vector.copy()

    def with_weights(self, vector: NDArray[np.float32]) -> Policy:
        """Return the same policy with other weights; refuse what does not fit."""
        return Policy(
            vector,
            sizes=self.sizes,
            schema=self.schema,
            seed=self.seed,
            epsilon=self.epsilon,
            rate=self.rate,
            drift=self.drift,
            dropout=self.dropout,
            anchor=self._anchor,
            updates=self.updates,
        )

    def scores(self, state: Sequence[float] | NDArray[np.float32]) -> tuple[float, ...]:
        """Return what each action is expected to bring in a state."""
        row = self._row(state)
        return tuple(float(each) for each in forward(self._vector, self.sizes, row).out[0])

    def choose(self, state: Sequence[float] | NDArray[np.float32], draw: int = -1) -> PolicyChoice:
        """Choose an action: by the same seed and `draw` the same; a negative one never explores."""
        scores = self.scores(state)
        best = int(np.argmax(scores))
        share = self.epsilon / len(ACTIONS) if draw >= 0 else 0.0
        chances = [share] * len(ACTIONS)
        chances[best] += 1.0 - share * len(ACTIONS)
        taken, explored = best, False
        if draw >= 0:
            drawn = np.random.default_rng((self.seed, draw))
            if drawn.random() < self.epsilon:
                taken, explored = int(drawn.integers(len(ACTIONS))), True
        return PolicyChoice(ACTIONS[taken], scores, tuple(chances), explored)

    def learn(
        self, states: Rows, actions: Sequence[int], rewards: Sequence[float], *, draw: int = 0
    ) -> float:
        """Move towards the rewards that followed these actions; return the loss before the step."""
        rows = np.atleast_2d(np.asarray(states, dtype=np.float32))
        if rows.shape[1] != self.sizes[0] or len(rows) != len(actions) or not len(rows):
            raise BadInput("learn.wrong_shape", length=rows.shape[1], wanted=self.sizes[0])
        slope, loss = self.slope(rows, actions, rewards, draw=draw)
        self._vector = stepped(
            self._vector, slope, self.rate, around=self._anchor, drift=self.drift
        )
        self.updates += 1
        return loss

    def slope(
        self, rows: Rows, actions: Sequence[int], rewards: Sequence[float], *, draw: int = 0
    ) -> tuple[NDArray[np.float64], float]:
        """Return the gradient of the squared error by the weights, and the error."""
        drawn = np.random.default_rng((self.seed, draw)) if self.dropout else None
        made = forward(self._vector, self.sizes, rows, dropout=self.dropout, drawn=drawn)
        taken = np.asarray(actions, dtype=np.int64)
        wanted = np.clip(
            np.nan_to_num(np.asarray(rewards, dtype=np.float64)), -MOST_REWARD, MOST_REWARD
        )
        line = np.arange(len(taken))
        off = made.out[line, taken] - wanted
        back = np.zeros_like(made.out)
        back[line, taken] = 2.0 * off / len(taken)
        return gradient(self._vector, self.sizes, made, back), float((off**2).mean())

    def _row(self, state: Sequence[float] | NDArray[np.float32]) -> Rows:
        row = np.asarray(state, dtype=np.float32).reshape(1, -1)
        if row.shape[1] != self.sizes[0]:
            raise BadInput("learn.wrong_shape", length=row.shape[1], wanted=self.sizes[0])
        return np.nan_to_num(row)


def enhanced_policy(
    dimension: int, *, seed: int = 0, epsilon: float = EPSILON, drift: float = DRIFT
) -> Policy:
    """Return the large policy over an embedding of this dimension and the ten features."""
    return Policy(
        sizes=(dimension + len(FEATURES), 256, 128, len(ACTIONS)),
        schema=f"{ENHANCED_SCHEMA}:{dimension}",
        seed=seed,
        epsilon=epsilon,
        dropout=DROPOUT,
        # The larger network has some hundred times the weights; the same nudge is spread on more.
        drift=2.0 * drift,
    )


def accuracy(policy: Policy, states: Rows, wanted: Sequence[int]) -> float:
    """Return the share of states in which the policy's best action is the wanted one."""
    if not len(wanted):
        return 0.0
    out = forward(policy.weights(), policy.sizes, states).out
    return float((out.argmax(axis=1) == np.asarray(wanted)).mean())
