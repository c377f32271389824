"""Step 23: teach the reader that tells a question to a memory from any other request.

    python training/asked.py measure --work W   # leaves hands and sources out and prints how they are read
    python training/asked.py teach --work W     # on all of them; writes the file that ships

Learns from the questions of training/scenes (16 hands) against requests and talk of steps 1-2, the
turns that neither tell nor ask anything, and questions about the world (training/asked). Numpy alone; a minute. No life and no evaluation set is read.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Final

import numpy as np

from saegim.engines.brain.asked_reader import SHIPPED
from saegim.engines.brain.encoder import Contextual
from saegim.engines.brain.model import write

HERE: Final = Path(__file__).parent
SEED: Final = 11
EACH_HAND: Final = 220
OTHERS: Final = {
    "oasst1-en": 1800, "requests-en": 1200, "self-dialogue-en": 400, "chitchat-en": 400,
    "spoken-korean": 1500, "spoken-korean-wishes": 900, "korean-task-talk": 500,
    "question-pair-train": 500, "nsmc-raw": 300,
}  # fmt: skip
TURNS: Final = 900
# Questions that anybody could answer are few and count so much more.
WORLD: Final = 6
PULL: Final = 1e-4
# What the states add up to is fitted a twentieth as large, with less pull: chosen by leaving out.
LARGE: Final = 20.0
LESS: Final = 1e-5
LEFT_OUT: Final = (
    ("hand_3", "requests-en"), ("hand_15", "spoken-korean"), ("hand_16", "oasst1-en"),
    ("hand_9", "turns"), ("hand_12", "world"), ("hand_6", "korean-task-talk", "spoken-korean-wishes"),
)  # fmt: skip


def examples(work: Path) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return texts, whether each asks a memory, and where it comes from."""
    chance = random.Random(SEED)
    found: list[tuple[str, bool, str]] = []
    for path in sorted(HERE.glob("scenes/*.jsonl")):
        scenes = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for language in ("ko", "en"):
            asks = [ask for scene in scenes for ask in scene["asks"][language]]
            found += [
                (each, True, path.stem) for each in chance.sample(asks, min(EACH_HAND, len(asks)))
            ]
    held: dict[str, list[str]] = {name: [] for name in OTHERS}
    with (work / "texts.tsv").open(encoding="utf-8") as lines:
        for line in lines:
            _, source, text = line.rstrip("\n").split("\t", 2)
            if source in held and 10 <= len(text) <= 160:
                held[source].append(text)
    for name, most in OTHERS.items():
        some = chance.sample(held[name], min(most, len(held[name])))
        found += [(each, False, name) for each in some]
    for language in ("ko", "en"):
        turns = [json.loads(line) for path in sorted(HERE.glob(f"turns/{language}_*.jsonl"))
                 for line in path.read_text("utf-8").splitlines()]  # fmt: skip
        idle = [turn["text"] for turn in turns if turn["role"] == "user" and not turn.get("keep")
                and not turn.get("asks") and turn.get("act", "none") == "none"
                and len(turn["text"]) <= 160]  # fmt: skip
        found += [(each, False, "turns") for each in chance.sample(idle, min(TURNS, len(idle)))]
    world = [json.loads(line)["text"] for line in
             (HERE / "asked" / "world.jsonl").read_text("utf-8").splitlines()]  # fmt: skip
    found += [(each, False, "world") for each in world * WORLD]
    texts, asks, origins = zip(*found, strict=True)
    return list(texts), np.array(asks), np.array(origins)


def fitted(vectors: np.ndarray, asks: np.ndarray, force: float = PULL) -> np.ndarray:
    """Return the weights of a logistic regression, both kinds counting alike (Newton's steps)."""
    whole = np.c_[vectors, np.ones(len(vectors))].astype(np.float64)
    counts = np.where(asks, 0.5 / asks.mean(), 0.5 / (1 - asks.mean()))
    pull = np.full(whole.shape[1], force)
    pull[-1] = 0.0
    weights = np.zeros(whole.shape[1])
    for _ in range(12):
        share = 1 / (1 + np.exp(-whole @ weights))
        bend = (whole * (counts * share * (1 - share) + 1e-6)[:, None]).T @ whole / len(whole)
        slope = whole.T @ (counts * (share - asks)) / len(whole) + pull * weights
        weights -= np.linalg.solve(bend + np.diag(pull), slope)
    return weights


def above(scores: np.ndarray, asks: np.ndarray) -> float:
    """Return how often one that asks a memory is read above one that does not (AUROC)."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores)] = np.arange(len(scores))
    return float((ranks[asks].mean() - (asks.sum() - 1) / 2) / (~asks).sum())


def main() -> None:
    """Measure what it reads of hands and sources it never saw, or write the file that ships."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("act", choices=("measure", "teach"))
    parser.add_argument("--work", type=Path, required=True)
    asked = parser.parse_args()
    encoder = Contextual()
    texts, asks, origins = examples(asked.work)
    vectors = np.array([encoder.seen(each, "query") for each in texts]) / LARGE
    if asked.act == "teach":
        notes = {"model": "asked-ko-en-1", "licence": "Apache-2.0"}
        notes["embedder"] = encoder.identity.digest
        notes["dimension"] = str(encoder.identity.dimension)
        weights = fitted(vectors, asks, LESS).astype(np.float32)
        weights[:-1] /= LARGE
        write(SHIPPED, {"weights": weights}, notes)
        return
    for left in LEFT_OUT:
        out = np.isin(origins, left)
        weights = fitted(vectors[~out], asks[~out], LESS)
        scores = vectors[out] @ weights[:-1] + weights[-1]
        right, wrong = (scores[asks[out]] > 0).mean(), (scores[~asks[out]] > 0).mean()
        print(f"{', '.join(left)}: {above(scores, asks[out]):.3f}, "
              f"asked and read so {right:.2f}, not asked and read so {wrong:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
