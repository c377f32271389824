"""Step 25: learn which memories a person means who asks to forget something.

    python training/forget.py   # each hand left out in turn, then the weights of all

Reads training/forget/hand_*.jsonl: cases by hands who say what was meant. All cases of a hand and
language are told to one memory with a moved clock, each wish is read where it was said, and nothing
leaves; every other time something is named in its own words, too, and each wish is also read as if
what it means had not been told. What is seen of each memory (saegim.sleep.meant.WishSigns) is weighed by a softmax over all of
them and "none". Prints the numbers that stand in saegim/sleep/meant.py. A minute on one core.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np

from saegim import FixedClock, Saegim
from saegim.sleep import meant

HANDS: Final = Path(__file__).parent / "forget"
DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
NAMES: Final = tuple(each.name for each in fields(meant.WishSigns))
ROUNDS, RATE, PULL = 400, 0.05, 0.003
# What a wish counts whose matter was never told.
ABSENT = 0.5
PLAIN: Final = {"ko": "{} 얘기 잊어줘", "en": "forget what I said about {}"}
MONDAY: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Wish:
    """What was seen of all memories when somebody asked to forget, and which of them were meant."""

    hand: int
    lang: str
    drawn: bool
    signs: np.ndarray
    meant: np.ndarray


def told(cases: list[dict[str, Any]]) -> list[tuple[datetime, int, int]]:
    """Return when everything is said: what is told, and each wish (−1) behind it."""
    found = []
    for at, case in enumerate(cases):
        day = MONDAY + timedelta(days=2 * at)
        day += timedelta(days=(DAYS.index(case["weekday"][:3]) - day.weekday()) % 7)
        found.append((day, at, -1))
        for place, each in enumerate(case["told"]):
            early = timedelta(days=each["day"], minutes=5 * (len(case["told"]) - place))
            found.append((day - early, at, place))
    return sorted(found)


def wishes(hand: int, lang: str, cases: list[dict[str, Any]], home: Path) -> Iterator[Wish]:
    """Live one hand's cases; yield what is seen at each wish."""
    clock = FixedClock(MONDAY)
    whose: dict[str, tuple[int, int]] = {}
    with Saegim.open(home / "saegim.db", clock=clock, timezone="UTC", semantic_patience=60) as own:
        for moment, at, place in told(cases):
            clock.at, case = moment, cases[at]
            if place >= 0:
                said = case["told"][place]
                session = f"talk {at}" if said["day"] == 0 else f"talk {at}/{said['day']}"
                whose[own.remember(said["text"], session=session).id] = at, place
                continue
            scope = replace(own.scope, session=f"talk {at}")
            asked = [(case["ask"], set(case["means"]), False)]
            if at % 2:
                # Hands name a matter in other words; the plain way is drawn.
                place = at % len(case["told"])
                words = re.findall(r"[^\W\d_]{2,}", case["told"][place]["text"])
                named = " ".join(sorted(words, key=len)[-2:])
                asked.append((PLAIN[lang].format(named), {place}, True))
            for ask, means, drawn in asked:
                seen, _, _ = meant.seen_of(ask, scope=scope, mind=own.mind)
                right = {(at, each) for each in means}
                yield Wish(
                    hand,
                    lang,
                    drawn,
                    np.array([astuple(signs) for _, signs in seen]).reshape(-1, len(NAMES)),
                    np.array([whose.get(memory.id) in right for memory, _ in seen], bool),
                )


def everything() -> list[Wish]:
    """Return the wishes of all hands."""
    found: list[Wish] = []
    for path in sorted(HANDS.glob("hand_*.jsonl")):
        cases = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for lang in ("ko", "en"):
            with tempfile.TemporaryDirectory(prefix="saegim-forget-") as home:
                own = [case for case in cases if case["lang"] == lang]
                found += wishes(int(path.stem.split("_")[1]), lang, own, Path(home))
    return found


def shares(wish: Wish, weights: np.ndarray, none: float) -> np.ndarray:
    """Return how likely each memory is meant; the last is none."""
    worth = np.append(wish.signs @ weights if len(wish.signs) else [], none)
    raised = np.exp(worth - worth.max())
    return np.asarray(raised / raised.sum())


def with_absent(some: list[Wish]) -> list[Wish]:
    """Return each wish twice: as it was, and as if what is meant had never been told."""
    absent = [
        replace(each, signs=each.signs[~each.meant], meant=each.meant[~each.meant])
        for each in some
        if each.meant.any() and not each.meant.all()
    ]
    return [*some, *absent]


def learned(some: list[Wish]) -> tuple[np.ndarray, float]:
    """Return the weights under which what was meant is likeliest (Adam, by hand)."""
    all_of_them = with_absent(some)
    counts = [1.0] * len(some) + [ABSENT] * (len(all_of_them) - len(some))
    size = np.concatenate([each.signs for each in some]).std(0) + 1e-6
    theta = np.zeros(len(NAMES) + 1)
    first, second = np.zeros_like(theta), np.zeros_like(theta)
    for step in range(1, ROUNDS + 1):
        slope = np.append(PULL * theta[:-1], 0.0)
        for each, count in zip(all_of_them, counts, strict=True):
            share = shares(each, theta[:-1] / size, theta[-1])
            goal = np.append(each.meant, not each.meant.any()).astype(float) * share
            off = (share - goal / max(goal.sum(), 1e-12)) * count / sum(counts)
            slope[:-1] += off[:-1] @ (each.signs / size)
            slope[-1] += off[-1]
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        theta -= RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return theta[:-1] / size, float(theta[-1])


def show(name: str, some: list[Wish], weights: np.ndarray, none: float) -> None:
    """Print how often what is meant leaves, and stands among the first three."""
    counts = dict.fromkeys(
        ("meant", "first", "among three", "left", "wrong", "none", "none wrong"), 0
    )
    for each in some:
        share = shares(each, weights, none)[:-1]
        order = np.argsort(-share)
        sure = bool(len(order)) and share[order[0]] >= meant._SURE
        if each.meant.any():
            counts["meant"] += 1
            counts["first"] += bool(each.meant[order[:1]].any())
            counts["among three"] += bool(each.meant[order[:3]].any())
            counts["left"] += sure and bool(each.meant[order[0]])
            counts["wrong"] += sure and not each.meant[order[0]]
        else:
            counts["none"] += 1
            counts["none wrong"] += sure
    print(name, counts, flush=True)


def main() -> None:
    """Leave each hand out, then learn from all."""
    some = everything()
    for hand in sorted({each.hand for each in some}):
        weights, none = learned([each for each in some if each.hand != hand])
        for lang in ("ko", "en"):
            left = [each for each in some if each.hand == hand and each.lang == lang]
            own = [each for each in left if not each.drawn]
            show(f"hand {hand} left out, {lang}", own, weights, none)
            show("  what is meant was never told", with_absent(own)[len(own) :], weights, none)
            show("  named in its own words", [e for e in left if e.drawn], weights, none)
    weights, none = learned(some)
    print(", ".join(f"{name}={value:.2f}" for name, value in zip(NAMES, weights, strict=True)))
    print(f"none={none:.2f}")


if __name__ == "__main__":
    main()
