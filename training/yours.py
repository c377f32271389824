"""Can a question for what the agent said be told from any other? python training/yours.py

"지난번 짜준 순서 다시", "the second draft of that letter": the agent wrote it, and its words stand behind a
person's unless they are asked for. Nine files of questions of both kinds by eight hands
(training/asked/yours_*.jsonl, the others as near as can be) are read, each by a reader that learned
from the others; questions of the scenes, all of which ask for what the person said, and turns stand
beside them. It reads the vector of the question, and hashed words and letters, because in Korean the
ending says who did it. Nothing of this ships: decision 0060 says why. Numpy alone; two minutes. No
life and no evaluation set is read.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from asked import above
from food import LONGEST, Example, lines, questions, short_turns
from saegim.engines.brain.encoder import Contextual
from saegim.engines.brain.feedback_reader import ROWS, hashed_rows
from saegim.language.questions import asks_for_the_agents_words
from saegim.memory.text import fold

HERE: Final = Path(__file__).parent
SEED: Final = 11
EACH_HAND, TURNS = 20, 150
# How far the weights are held back, and how much letters count; chosen on the hands it reports.
PULL: Final = 2e-4
LETTERS: Final = 3.0


def examples() -> Iterator[Example]:
    """Yield questions, and whether they ask for what the agent said."""
    chance = random.Random(SEED)
    for path in sorted((HERE / "asked").glob("yours_*.jsonl")):
        for row in lines(path):
            yield row["text"], row["yours"], row["language"], path.stem
    for ask, language, hand in questions(chance, EACH_HAND):
        yield ask, False, language, f"scenes {hand}"
    for at, (text, language) in enumerate(short_turns(chance, TURNS)):
        yield text, False, language, f"turns {at % 5}"


def seen(texts: list[str], encoder: Contextual) -> np.ndarray:
    """Return what the reader sees of each text: its vector, then its hashed words and letters."""
    vectors = np.array(encoder.embed(texts, "query"), np.float64)
    hashed = np.zeros((len(texts), ROWS))
    for at, text in enumerate(texts):
        rows = hashed_rows(fold(text)[:LONGEST].lower())
        hashed[at, rows] = LETTERS * max(len(rows), 1) ** -0.5
    return np.c_[vectors, hashed]


def fitted(held: np.ndarray, is_one: np.ndarray) -> np.ndarray:
    """Return the weights of a logistic regression, both kinds counting alike.

    There are more numbers than texts: Newton's steps are taken in the space of the texts.
    """
    counts = np.where(is_one, 0.5 / is_one.mean(), 0.5 / (1 - is_one.mean()))
    inner = held @ held.T
    shares, bias = np.zeros(len(held)), 0.0
    for _ in range(25):
        odds = inner @ shares + bias
        likely = 1 / (1 + np.exp(-odds))
        weight = counts * likely * (1 - likely) + 1e-9
        target = odds + counts * (is_one - likely) / weight
        # Iteratively reweighted least squares, in the space of the texts.
        system = inner + np.diag(len(held) * PULL / weight)
        solved = np.linalg.solve(system, np.c_[target, np.ones(len(held))])
        bias = float(solved[:, 0].sum() / solved[:, 1].sum())
        shares = solved[:, 0] - bias * solved[:, 1]
    return np.r_[held.T @ shares, bias]


def measure(held: np.ndarray, found: list[Example]) -> None:
    """Print how each hand is read that was left out, and its language with it."""
    _, is_one, languages, hands = (np.array(each) for each in zip(*found, strict=True))
    odds = np.full(len(found), np.nan)
    written = sorted({hand for hand in hands if hand.startswith("yours_")})
    for hand in sorted(set(hands)):
        out = hands == hand
        weights = fitted(held[~out], is_one[~out])
        odds[out] = held[out] @ weights[:-1] + weights[-1]
    for hand in written:
        some = hands == hand
        print(f"{hand}: {above(odds[some], is_one[some]):.3f}")
    for language in ("ko", "en"):
        wrote = (languages == language) & np.char.startswith(hands, "yours_")
        beside = (languages == language) & ~np.char.startswith(hands, "yours_")
        print(f"{language}: {above(odds[wrote], is_one[wrote]):.3f}")
        ruled = np.array([asks_for_the_agents_words(each[0]) for each in found])
        print(f"  by rule: {ruled[wrote & is_one].mean():.2f}, {ruled[wrote & ~is_one].mean():.2f}")
        for least in (-0.5, 0.0, 0.5, 1.0):
            print(
                f"  from {least}: {(odds[wrote & is_one] > least).mean():.2f} read so, "
                f"{((odds > least) | ruled)[wrote & is_one].mean():.2f} with the rule, "
                f"{(odds[wrote & ~is_one] > least).mean():.2f} of the near ones, "
                f"{(odds[beside] > least).mean():.3f} of scenes and turns"
            )


def main() -> None:
    """Measure how hands are read that it never saw."""
    found = list(examples())
    measure(seen([each[0] for each in found], Contextual()), found)


if __name__ == "__main__":
    main()
