"""Step 21: teach the reader of feedback (praise, blame or neither) on lines written for it.

    python training/feedback.py measure   # leaves the open hands out in four groups and prints how they are read
    python training/feedback.py teach     # on all open hands; writes the file that ships
    python training/feedback.py held      # reads the frozen half, and counts that it was read

Learns from tests/data/feedback_tune.jsonl (hands 1 to 3 and 7 to 20), lines drawn from training/feedback/frames.txt, and,
as talk that judges nothing, the turns of training/turns that tell something. Numpy alone; a minute.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from saegim.engines.brain.encoder import Contextual
from saegim.engines.brain.feedback_reader import LABELS, SHIPPED, features, softmax
from saegim.engines.brain.model import write

HERE: Final = Path(__file__).parents[1]
OPEN: Final = HERE / "tests" / "data" / "feedback_tune.jsonl"
FROZEN: Final = HERE / "tests" / "data" / "feedback_held.jsonl"
READINGS: Final = Path(__file__).parent / "feedback" / "readings.txt"
FRAMES: Final = Path(__file__).parent / "feedback" / "frames.txt"
TURNS: Final = Path(__file__).parent / "turns"
SEED: Final = 7
DRAWN, TALK = 5400, 2500
# What a line by a hand, a drawn line and a line of talk count.
WEIGHTS: Final = {"hand": 10.0, "drawn": 1.0, "talk": 0.5}
EPOCHS, BATCH, RATE, PULL = 20, 256, 0.015, 2e-4

Row = dict[str, Any]


def rows_in(path: Path) -> list[Row]:
    """Return the lines of a file."""
    return [json.loads(each) for each in path.read_text("utf-8").splitlines() if each.strip()]


def drawn() -> list[Row]:
    """Draw lines from the frames."""
    words: dict[str, list[str]] = {}
    frames: dict[tuple[str, str], list[str]] = {}
    for line in FRAMES.read_text("utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if found := re.fullmatch(r"(\w+) = (.*)", line):
            words[found[1]] = [each.strip() for each in found[2].split("|")]
        else:
            lang, mark, frame = line.split(" ", 2)
            frames.setdefault((lang, mark), []).append(frame)
    chance = random.Random(SEED)
    labels = {"+": "positive", "-": "negative", "0": "none"}
    found_rows = []
    for (lang, mark), some in sorted(frames.items()):
        for _ in range(DRAWN // 6):
            frame = chance.choice(some)
            text = re.sub(r"\{(\w+)\}", lambda each: chance.choice(words[each[1]]), frame)
            text += chance.choice(("", "", ".", "!", "~", " ㅋㅋ" if lang == "ko" else " lol"))
            if chance.random() < 0.3:
                text = text[:1].upper() + text[1:]
            row = {"text": text, "lang": lang, "label": labels[mark], "from": "drawn"}
            found_rows.append(row)
    return found_rows


def talk() -> list[Row]:
    """Return turns that tell or ask something: neither praise nor blame."""
    rows = [
        {"text": row["text"], "lang": path.stem[:2], "label": "none", "from": "talk"}
        for path in sorted(TURNS.glob("*.jsonl"))
        for row in rows_in(path)
        if row["role"] == "user"
        and len(row["text"]) < 100
        and (row["keep"] >= 0.5 or row.get("asks"))
        and row.get("act", "none") in ("none", "wish")
    ]
    return random.Random(SEED).sample(rows, TALK)


def numbers(rows: Sequence[Row]) -> np.ndarray:
    """Return what the reader sees of each line."""
    encoder = Contextual()
    return np.stack([features(each["text"], encoder) for each in rows])


def fit(seen: np.ndarray, goal: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Fit a softmax with Adam; a row of weights for each feature, and a constant."""
    chance = np.random.default_rng(SEED)
    given = np.hstack([seen, np.ones((len(seen), 1), np.float32)])
    held = np.zeros((given.shape[1], len(LABELS)), np.float32)
    first, second, steps = np.zeros_like(held), np.zeros_like(held), 0
    wanted = np.eye(len(LABELS))[goal]
    for epoch in range(EPOCHS):
        rate = RATE * (1 - epoch / EPOCHS)
        order = chance.permutation(len(given))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            off = (softmax(given[chosen] @ held) - wanted[chosen]) * weight[chosen, None]
            slope = given[chosen].T @ off / weight[chosen].sum() + PULL * held
            steps += 1
            first = 0.9 * first + 0.1 * slope
            second = 0.999 * second + 0.001 * slope**2
            held -= (
                rate * (first / (1 - 0.9**steps)) / (np.sqrt(second / (1 - 0.999**steps)) + 1e-8)
            )
    return held


def f1(goal: np.ndarray, said: np.ndarray) -> tuple[float, float, float]:
    """Return F1 of praise, of blame, and their mean."""
    both = []
    for label in (0, 1):
        right = int(((goal == label) & (said == label)).sum())
        both.append(2 * right / max(int((goal == label).sum() + (said == label).sum()), 1))
    return both[0], both[1], sum(both) / 2


def judged(held: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return the label of each line."""
    return (seen @ held[:-1] + held[-1]).argmax(axis=1)


def show(name: str, rows: Sequence[Row], said: np.ndarray, goal: np.ndarray) -> None:
    """Print F1 in each language."""
    for lang in ("ko", "en"):
        at = np.array([each["lang"] == lang for each in rows])
        good, bad, mean = f1(goal[at], said[at])
        print(
            f"{name} {lang}: positive {good:.3f} negative {bad:.3f} mean {mean:.3f}"
            f" accuracy {(said[at] == goal[at]).mean():.3f} of {at.sum()}"
        )


def main() -> None:
    """Measure, teach, or read the frozen half."""
    what = sys.argv[1]
    hands = [{**each, "from": "hand"} for each in rows_in(OPEN)]
    if what == "held":
        from saegim.engines.brain.feedback_reader import FeedbackReader

        rows = rows_in(FROZEN)
        reader = FeedbackReader(Contextual())
        said = np.array([LABELS.index(reader.read(each["text"]).label) for each in rows])
        goal = np.array([LABELS.index(each["label"]) for each in rows])
        show("frozen", rows, said, goal)
        for hand in sorted({each["hand"] for each in rows}):
            at = np.array([each["hand"] == hand for each in rows])
            show(
                f"  hand {hand}",
                [r for r, a in zip(rows, at, strict=True) if a],
                said[at],
                goal[at],
            )
        with READINGS.open("a", encoding="utf-8") as file:
            file.write(f"{hashlib.sha256(SHIPPED.read_bytes()).hexdigest()[:16]} read\n")
        return
    rows = [*hands, *drawn(), *talk()]
    seen = numbers(rows)
    goal = np.array([LABELS.index(each["label"]) for each in rows])
    weight = np.array([WEIGHTS[each["from"]] for each in rows])
    if what == "measure":
        said = np.zeros(len(hands), np.int64)
        groups = ((1, 7, 10, 13, 17), (2, 8, 11, 14, 18), (3, 9, 12, 15, 19), (16, 20))
        for group in groups:
            out = np.array([each.get("hand") in group for each in rows])
            held = fit(seen[~out], goal[~out], weight[~out])
            said[out[: len(hands)]] = judged(held, seen[out])
        show("left out", hands, said, goal[: len(hands)])
        for row, one, other in zip(hands, said, goal, strict=False):
            if one != other and "-v" in sys.argv:
                print(" ", row["hand"], row["label"], "->", LABELS[one], "|", row["text"])
        return
    held = fit(seen, goal, weight)
    told = hashlib.sha256(OPEN.read_bytes() + FRAMES.read_bytes()).hexdigest()[:16]
    notes = {"name": SHIPPED.stem, "embedder": Contextual().identity.digest, "lines": told}
    write(SHIPPED, {"weights": held.astype(np.float16)}, notes)
    print(SHIPPED.name, SHIPPED.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
