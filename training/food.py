"""Step 24: teach the reader that puts what somebody may not eat beside a request about food.

    python training/food.py measure   # leaves hands out and prints how they are read
    python training/food.py teach     # on all of them; writes the file that ships

`wanted` reads requests: three hands (training/asked/food_*.jsonl, half of the rest of their lines
hard look-alikes) against questions of the scenes, turns, and questions about the world. `limits`
reads what was told: turns of training/turns with a claim about a diet, or about health with an
allergy, against all other turns worth keeping. Numpy alone; three minutes.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from asked import LARGE, LESS, PULL, above, fitted
from saegim.engines.brain.asked_reader import FOOD
from saegim.engines.brain.encoder import Contextual
from saegim.engines.brain.model import write

HERE: Final = Path(__file__).parent
SEED: Final = 11
EACH_HAND, TURNS, LONGEST = 30, 500, 160
_ALLERGY: Final = re.compile(
    r"알레르기|알러지|두드러기|유당|allerg|intoleran|coeliac|celiac|lactose|hives", re.IGNORECASE
)

# A text, whether it is one, its language, whose hand.
Example = tuple[str, bool, str, str]


def lines(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a file of JSON."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def requests() -> Iterator[Example]:
    """Yield requests, and whether what one may eat matters to them."""
    chance = random.Random(SEED)
    for path in sorted((HERE / "asked").glob("food_*.jsonl")):
        for row in lines(path):
            yield row["text"], row["touches"] == "food", row["language"], path.stem
    for ask, language, _ in questions(chance, EACH_HAND):
        yield ask, False, language, "scenes"
    for row in lines(HERE / "asked" / "world.jsonl"):
        yield row["text"], False, "", "world"
    for text, language in short_turns(chance, TURNS):
        yield text, False, language, "turns"


def questions(chance: random.Random, each_hand: int) -> Iterator[tuple[str, str, str]]:
    """Yield questions of the scenes, so many of each hand and language, and whose they are."""
    for path in sorted((HERE / "scenes").glob("*.jsonl")):
        scenes = lines(path)
        for language in ("ko", "en"):
            asks = [ask for scene in scenes for ask in scene["asks"][language]]
            for ask in chance.sample(asks, min(each_hand, len(asks))):
                yield ask, language, path.stem


def short_turns(chance: random.Random, each_language: int) -> Iterator[tuple[str, str]]:
    """Yield what people said in a few words, so many of each language."""
    for language in ("ko", "en"):
        every = [row for path in sorted((HERE / "turns").glob(f"{language}_*.jsonl"))
                 for row in lines(path)]  # fmt: skip
        said = [row["text"] for row in every
                if row["role"] == "user" and len(row["text"]) <= LONGEST]  # fmt: skip
        for text in chance.sample(said, each_language):
            yield text, language


def told() -> Iterator[Example]:
    """Yield turns worth keeping, and whether they say what somebody may not or does not eat."""
    for path in sorted((HERE / "turns").glob("*.jsonl")):
        language, hand = path.stem.split("_")
        for row in lines(path):
            if row["role"] != "user" or not row.get("keep") or len(row["text"]) >= 400:
                continue
            slots = {claim["slot"] for claim in row.get("claims", ())}
            ill = "health" in slots and _ALLERGY.search(row["text"]) is not None
            yield row["text"], "diet" in slots or ill, language, hand


def measure(
    name: str, vectors: np.ndarray, found: list[Example], groups: list[set[str]], pull: float
) -> None:
    """Print how groups of hands are read that were left out."""
    _, is_one, languages, hands = (np.array(each) for each in zip(*found, strict=True))
    odds = np.full(len(found), np.nan)
    for group in groups:
        out = np.isin(hands, list(group))
        weights = fitted(vectors[~out], is_one[~out], pull)
        odds[out] = vectors[out] @ weights[:-1] + weights[-1]
    for language in ("ko", "en"):
        seen = (languages == language) & np.isfinite(odds)
        print(f"{name} {language}: {above(odds[seen], is_one[seen]):.3f}")
        for least in (0.0, 0.5, 1.0, 1.5, 2.0):
            right = (odds[seen & is_one] > least).mean()
            wrong = (odds[seen & ~is_one] > least).mean()
            print(f"  from {least}: {right:.2f} read so, {wrong:.3f} of the others")


def main() -> None:
    """Measure on hands it never saw, or write the file that ships."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("act", choices=("measure", "teach"))
    act = parser.parse_args().act
    encoder = Contextual()
    held: dict[str, np.ndarray] = {}
    for name, found, role in (
        ("wanted", list(requests()), "query"),
        ("limits", list(told()), "document"),
    ):
        texts, is_one = [each[0] for each in found], np.array([each[1] for each in found])
        asks = role == "query"
        pull = LESS if asks else PULL
        vectors = (
            np.array([encoder.seen(each, role) for each in texts]) / LARGE
            if asks
            else np.array(encoder.embed(texts, role), np.float64)
        )
        if act == "teach":
            held[name] = fitted(vectors, is_one, pull).astype(np.float32)
            held[name][:-1] /= LARGE if asks else 1.0
            continue
        hands = sorted({each[3] for each in found if any(map(str.isdigit, each[3]))})
        groups = [{hand} for hand in hands] if role == "query" else [
            set(hands[at::5]) for at in range(5)
        ]  # fmt: skip
        measure(name, vectors, found, groups, pull)
    if held:
        notes = {"model": "food-ko-en-1", "licence": "Apache-2.0"}
        notes["embedder"] = encoder.identity.digest
        notes["dimension"] = str(encoder.identity.dimension)
        write(FOOD, held, notes)


if __name__ == "__main__":
    main()
