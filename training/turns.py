"""Step 12: teach the reader of turns (keep, asks, how long, whose) on turns written for it.

    python training/turns.py [--into FILE]

Reads `training/turns/*.jsonl`, a file for each hand that wrote and labelled it; nothing else. First
every hand is left out in turn and read by what the others taught, which is what the printed table
tells; then all of them teach the file that ships. No life of `bench/data/lives` is learned from.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from saegim.engines.brain.static import Static
from saegim.engines.brain.tensors import write
from saegim.engines.brain.turns import HEADS, ROWS, SHIPPED, dense, glance, rows_of, shape

FOLDER: Final = Path(__file__).parent / "turns"
NAME: Final = "turns-ko-en-1"
LIFETIMES: Final = ("lasting", "until", "passing")
ACTS: Final = ("forget", "refuse", "wish", "correct", "paste")
# How far each part is stretched before all are pulled to nought alike: chosen by leaving hands out.
STRETCH: Final = {"rows": 3.0, "vector": 3.0, "plain": 0.5}
PULL: Final = 3e-3
STEPS, RATE = 400, 0.03


@dataclass(slots=True)
class Taught:
    """What was learned: one column for each head, from the three parts of a turn."""

    rows: np.ndarray
    vector: np.ndarray
    plain: np.ndarray


def wanted(turn: dict[str, Any]) -> dict[str, float]:
    """Return what each head should say of a turn; what is not labelled is not taught."""
    keep = float(turn["keep"])
    if turn["role"] == "assistant":
        return {"result": keep}
    said = {"keep": keep, "asks": float(turn.get("asks", 0))}
    if keep >= 0.5 and turn.get("lifetime") in LIFETIMES:
        said |= {each: float(turn["lifetime"] == each) for each in LIFETIMES}
        said["project"] = float(turn.get("whose") == "project")
    act = turn.get("act", "none")
    said |= {each: float(act == each) for each in ACTS}
    if "act" not in turn and turn.get("pasted"):
        said["paste"] = 1.0
    return said


def read() -> tuple[list[dict[str, Any]], str]:
    """Return every labelled turn with its hand, and the hash of all files."""
    turns, digest = [], hashlib.sha256()
    for path in sorted(FOLDER.glob("*.jsonl")):
        raw = path.read_bytes()
        digest.update(raw)
        for line in raw.decode("utf-8").splitlines():
            if line.strip():
                turns.append({**json.loads(line), "hand": path.stem})
    return turns, digest.hexdigest()[:16]


def numbered(turns: list[dict[str, Any]], static: Static) -> tuple[np.ndarray, np.ndarray]:
    """Return the turns as numbers, and what is wanted of them (not a number: nothing)."""
    given = np.zeros((len(turns), ROWS + 256 + len(shape(""))), np.float32)
    goal = np.full((len(turns), len(HEADS)), np.nan, np.float32)
    for at, turn in enumerate(turns):
        text = glance(turn["text"])
        rows = rows_of(text)
        given[at, rows] = STRETCH["rows"] * max(len(rows), 1) ** -0.5
        given[at, ROWS : ROWS + 256] = STRETCH["vector"] * dense(static, text)
        given[at, ROWS + 256 :] = STRETCH["plain"] * shape(text)
        for name, share in wanted(turn).items():
            goal[at, HEADS.index(name)] = share
    return given, goal


def taught(given: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Fit all heads at once: logistic loss, pulled to nought, Adam over everything."""
    weights = np.zeros((given.shape[1], goal.shape[1]), np.float32)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    known = ~np.isnan(goal)
    share = known / np.maximum(known.sum(axis=0), 1)
    target = np.nan_to_num(goal)
    for step in range(1, STEPS + 1):
        said = 1.0 / (1.0 + np.exp(-np.clip(given @ weights, -30, 30)))
        slope = given.T @ ((said - target) * share).astype(np.float32) + PULL * weights
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        moved = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        weights -= (RATE * moved).astype(np.float32)
    return weights


def area(said: np.ndarray, goal: np.ndarray) -> float:
    """Return how often a yes stands above a no (ROC)."""
    yes, no = said[goal > 0.5], said[goal < 0.5]
    if not len(yes) or not len(no):
        return float("nan")
    return float((yes[:, None] > no[None, :]).mean() + 0.5 * (yes[:, None] == no[None, :]).mean())


def cross(turns: list[dict[str, Any]], given: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Read every hand by what the other hands taught."""
    said = np.full_like(goal, np.nan)
    hands = np.array([each["hand"] for each in turns])
    for hand in sorted(set(hands)):
        there = hands == hand
        said[there] = given[there] @ taught(given[~there], goal[~there])
    return said


def report(turns: list[dict[str, Any]], said: np.ndarray, goal: np.ndarray) -> None:
    """Print for each hand, left out, how well it is read."""
    hands = np.array([each["hand"] for each in turns])
    for hand in [*sorted(set(hands)), "all"]:
        there = (hands == hand) | (hand == "all")
        line = [f"{name} {area(said[there, at], goal[there, at]):.3f}" for at, name in enumerate(HEADS)]
        keep = goal[there, 0]
        sure = said[there, 0]
        for bar in (0.3, 0.4, 0.5):
            over = sure >= np.log(bar / (1 - bar))
            kept, junk = over[keep == 1].mean(), over[keep == 0].mean()
            line.append(f"@{bar}: kept {kept:.3f} junk {junk:.3f}")
        life = goal[there][:, 3:6]
        told = ~np.isnan(life[:, 0])
        if told.any():
            right = said[there][told][:, 3:6].argmax(axis=1) == life[told].argmax(axis=1)
            line.append(f"lifetime {right.mean():.3f}")
        print(f"{hand:6} {' '.join(line)}")


def main() -> None:
    """Leave each hand out, then teach on all and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=SHIPPED)
    parser.add_argument("--only-check", action="store_true")
    options = parser.parse_args()
    static = Static()
    turns, digest = read()
    given, goal = numbered(turns, static)
    print(f"{len(turns)} turns of {len({each['hand'] for each in turns})} hands, sha256 {digest}")
    report(turns, cross(turns, given, goal), goal)
    if options.only_check:
        return
    weights = taught(given, goal)
    rows = weights[:ROWS] * STRETCH["rows"]
    steps = np.maximum(np.abs(rows).max(axis=0), 1e-6) / 127
    arrays = {
        "scores": np.round(rows / steps).astype(np.int8),
        "steps": steps.astype(np.float32),
        "vector": (weights[ROWS : ROWS + 256] * STRETCH["vector"]).astype(np.float16),
        "plain": (weights[ROWS + 256 :] * STRETCH["plain"]).astype(np.float16),
    }
    notes = {"model": NAME, "licence": "Apache-2.0", "embedder": static.identity.digest,
             "columns": " ".join(HEADS), "turns": str(len(turns)), "data": digest}  # fmt: skip
    write(options.into, arrays, notes)
    print(f"{options.into.name}: {options.into.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
