"""Step 13: teach the model that finds secrets told in passing.

    python training/soft_secrets.py            (teach on all hands and write the file that ships)
    python training/soft_secrets.py --measure  (leave each hand out in turn, print what is found)

Learns from tests/data/soft_secrets_tune.jsonl (several hands), training/data/soft_secrets_hand7.jsonl
and, as talk that tells nothing, the turns of the person in training/turns. All of it is invented.
Plain numpy, one seed, the same bytes on every run of one machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np

from saegim.engines.brain.model import write
from saegim.guard.guard import screen
from saegim.guard.secret_spans import BORDER, FAMILY, SecretSpan, candidates, words_of
from saegim.guard.soft_secrets import ROWS, SHIPPED, features
from saegim.guard.visible_text import see

HERE: Final = Path(__file__).parents[1]
TUNED: Final = HERE / "tests" / "data" / "soft_secrets_tune.jsonl"
OWN: Final = HERE / "training" / "data" / "soft_secrets_hand7.jsonl"
RULED: Final = HERE / "tests" / "data" / "secrets_tune.jsonl"
TURNS: Final = HERE / "training" / "turns"
CARD: Final = HERE / "training" / "soft_secrets.json"
SEED: Final = 7
STEPS: Final = 150
PULL: Final = 0.05
RATE: Final = 0.045
# A told secret counts as three candidates that are none; plain talk counts half.
TOLD: Final = 3.0
PLAIN: Final = 0.5
# What the tests of the rules promise weighs more.
KNOWN: Final = 5.0
FAMILIES: Final = 1 + max(FAMILY.values())
# How many harmless lines in a hundred may be touched, measured on hands that were left out.
MOST_ALARMS: Final = 0.025
_SHIFTS: Final = (-0.3, 0.0, 0.3)
MASK: Final = "[held:password#1]"
_PARTLY: Final = ("number", "group", "spoken", "mixed", "blocks", "joined", "digit")

Row = Mapping[str, Any]


@dataclass(slots=True)
class Line:
    """A line as the model sees it, and what of it is a secret."""

    row: Row
    hand: str
    text: str
    values: list[tuple[int, int]]
    spans: list[SecretSpan]
    rows: list[np.ndarray]
    labels: list[int]
    weight: float = 1.0


def rows_in(path: Path) -> list[Row]:
    """Return the lines of a file."""
    return [json.loads(each) for each in path.read_text("utf-8").splitlines() if each.strip()]


def messages_of(row: Row) -> list[str]:
    """Return what was said, one message after the other."""
    return list(row["text"]) if isinstance(row["text"], list) else [row["text"]]


def values_of(row: Row) -> list[str]:
    """Return what of it is secret."""
    value = row["value"]
    return [] if value is None else list(value) if isinstance(value, list) else [value]


def joined(messages: Sequence[str]) -> str:
    """Return messages as one text with a border between them."""
    return f"\n{BORDER}\n".join(messages)


def line_of(row: Row, hand: str, weight: float = 1.0, *, sparing: bool = True) -> Line:
    """Read a line: its spans, their features, and which of them is the secret."""
    text = joined(messages_of(row))
    places, at = [], 0
    for value in values_of(row):
        start = text.find(value, at)
        start = text.find(value) if start < 0 else start
        if start < 0:
            raise ValueError(f"{value!r} is not in {text!r}")
        places.append((start, start + len(value)))
        at = start + len(value)
    seen = see(text)
    words = words_of(seen.low)
    spans = candidates(seen, words, sparing=sparing)
    numbers = [np.array(e.own + e.shared, np.int64) for e in features(seen, words, spans)]
    return Line(row, hand, text, places, spans, numbers, [label(e, places) for e in spans], weight)


def label(span: SecretSpan, values: Iterable[tuple[int, int]]) -> int:
    """Say whether a span is a secret (1), is none (0), or is better not learned from (-1)."""
    for start, end in values:
        common = min(end, span.end) - max(start, span.start)
        if common <= 0:
            continue
        size, length = end - start, span.end - span.start
        if common >= 0.6 * size and length <= 1.35 * size + 1:
            return 1
        if common == length:
            return 1 if span.kind in _PARTLY else -1
        return -1 if common == size and length <= 2 * size else 0
    return 0


def hands() -> dict[str, list[Line]]:
    """Return the lines of every hand; ours is called 7."""
    found: dict[str, list[Line]] = {}
    for row in rows_in(TUNED):
        found.setdefault(str(row["hand"]), []).append(line_of(row, str(row["hand"])))
    found["7"] = [line_of(row, "7") for row in rows_in(OWN)]
    return found


def known_lines() -> list[Line]:
    """Return what the tests of the rules hold: look-alikes, and tellings with values drawn anew."""
    sys.path.insert(0, str(HERE / "tests" / "guard"))
    from harmless import LOOK_ALIKES, TALK
    from tellings import CARD_CODES, CODES, ONE_TIME, PASSWORDS, code, password

    found = [{"text": each, "value": None} for each in (*LOOK_ALIKES, *TALK.strip().splitlines())]
    found += [{"text": e["text"], "value": None} for e in rows_in(RULED) if e["tier"] == "none"]
    drawn = random.Random(SEED)
    for tellings, length in ((PASSWORDS, 0), (CODES, 4), (ONE_TIME, 6), (CARD_CODES, 3)):
        for telling in tellings:
            value = code(drawn, length) if length else password(drawn)
            found.append({"text": telling.format(value), "value": value})
    return [line_of(row, "rules", KNOWN) for row in found]


def plain_turns() -> list[Line]:
    """Return turns of talk in which nothing was found so far."""
    found = []
    for path in sorted(TURNS.glob("*.jsonl")):
        for row in rows_in(path):
            if screen(row["text"], soft=False).findings:
                continue
            line = line_of({"text": row["text"], "value": None}, "turns", PLAIN, sparing=False)
            if line.spans:
                found.append(line)
    return found


def beside(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield lines behind another turn, and lines or first halves whose secret is masked already."""
    drawn = random.Random(SEED)
    harmless = [line.row["text"] for line in lines if not line.values]
    for line in lines:
        row, several = line.row, isinstance(line.row["text"], list)
        if not several and drawn.random() < 0.25:
            told = {**row, "text": [drawn.choice(harmless), row["text"]], "value": values_of(row)}
            yield line_of(told, line.hand, PLAIN)
        if not line.values:
            continue
        if several:
            # The later half is found by itself; the first is still to be found.
            last, *_ = reversed(values_of(row))
            rest = [each.replace(last, MASK, 1) for each in messages_of(row)]
            found = [each for each in values_of(row)[:-1] if any(each in m for m in rest)]
            if found:
                yield line_of({**row, "text": rest, "value": found}, line.hand, PLAIN)
        masked, left = [], values_of(row)
        for message in messages_of(row):
            if masked and several and left and left[0] in message:
                now = {**row, "text": [*masked, message], "value": left[:1]}
                yield line_of(now, line.hand, PLAIN)
            for value in values_of(row):
                if value in message:
                    message = message.replace(value, MASK, 1)
                    left = left[1:]
            masked.append(message)
        yield line_of(
            {**row, "text": masked if several else masked[0], "value": None}, line.hand, PLAIN
        )


def taught(lines: Sequence[Line], steps: int = STEPS) -> tuple[np.ndarray, float]:
    """Fit the scores of all rows and the bias: logistic regression with a pull towards nought."""
    rows, wanted, weights = [], [], []
    for line in lines:
        told = max(1, line.labels.count(1)) ** 0.5
        for numbers, is_secret in zip(line.rows, line.labels, strict=True):
            if is_secret >= 0:
                rows.append(numbers)
                wanted.append(is_secret)
                weights.append(line.weight * (TOLD / told if is_secret else 1.0))
    sizes = np.array([len(each) for each in rows])
    flat = np.concatenate(rows)
    begins = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    owner = np.repeat(np.arange(len(sizes)), sizes)
    wish, count = np.array(wanted, float), np.array(weights)
    share = 1000.0 / count.sum()
    scores, mean, spread = np.zeros(ROWS), np.zeros(ROWS), np.zeros(ROWS)
    bias, bias_mean, bias_spread = -3.0, 0.0, 0.0
    for step in range(1, steps + 1):
        said = np.add.reduceat(scores[flat], begins) + bias
        lost = (1.0 / (1.0 + np.exp(-np.clip(said, -30, 30))) - wish) * count
        slope = np.bincount(flat, weights=lost[owner], minlength=ROWS) * share + PULL * scores
        rate = RATE * (1 - 0.9 * step / steps)
        one, two = 1 - 0.9**step, 1 - 0.99**step
        mean, spread = 0.9 * mean + 0.1 * slope, 0.99 * spread + 0.01 * slope**2
        scores -= rate * (mean / one) / (np.sqrt(spread / two) + 1e-3)
        tilt = lost.sum() * share
        bias_mean, bias_spread = 0.9 * bias_mean + 0.1 * tilt, 0.99 * bias_spread + 0.01 * tilt**2
        bias -= rate * (bias_mean / one) / (np.sqrt(bias_spread / two) + 1e-3)
    return scores, bias


@dataclass(slots=True)
class Judged:
    """A line of a hand that was left out, and what the others made of its spans."""

    line: Line
    said: list[float]


def left_out(
    all_hands: Mapping[str, list[Line]], plain: Sequence[Line], which: Sequence[str] = ()
) -> dict[str, list[Judged]]:
    """Teach without each hand in turn and read its lines."""
    found = {}
    for hand in which or [each for each in all_hands if each != "7"]:
        others = [line for name, lines in all_hands.items() if name != hand for line in lines]
        scores, bias = taught([*others, *beside(others), *plain])
        found[hand] = [
            Judged(line, [float(scores[rows].sum() + bias) for rows in line.rows])
            for line in all_hands[hand]
        ]
    return found


def held(judged: Judged, least: Sequence[float]) -> bool:
    """Say whether every value of a line is touched, by the rules or by the model."""
    spans = [*_ruled(judged.line), *_told(judged, least)]
    return all(any(a < end and start < b for a, b in spans) for start, end in judged.line.values)


def alarmed(judged: Judged, least: Sequence[float]) -> bool:
    """Say whether anything at all is touched."""
    return bool(_ruled(judged.line) or _told(judged, least))


def _told(judged: Judged, least: Sequence[float]) -> list[tuple[int, int]]:
    pairs = zip(judged.line.spans, judged.said, strict=True)
    return [(span.start, span.end) for span, said in pairs if said > least[FAMILY[span.kind]]]


_RULED: dict[str, list[tuple[int, int]]] = {}


def _ruled(line: Line) -> list[tuple[int, int]]:
    """Return what is found without the model."""
    if line.text not in _RULED:
        found = screen(line.text, soft=False).findings
        _RULED[line.text] = [(each.start, each.end) for each in found]
    return _RULED[line.text]


def thresholds(judged: Iterable[Judged]) -> tuple[float, ...]:
    """Return from which score on each family is held: most secrets at few enough alarms."""
    lines = list(judged)
    harmless = [each for each in lines if not each.line.values and not _ruled(each.line)]
    told = [each for each in lines if each.line.values]
    ruled = sum(not each.line.values for each in lines) - len(harmless)
    room = max(0, int(MOST_ALARMS * (len(harmless) + ruled)) - ruled)
    tops = []
    for family in range(FAMILIES):
        best = [
            max((s for span, s in zip(e.line.spans, e.said, strict=True) if FAMILY[span.kind] == family),
                default=-99.0)
            for e in harmless
        ]  # fmt: skip
        tops.append(sorted(best, reverse=True))
    chosen: tuple[tuple[float, float], tuple[float, ...]] | None = None
    for counts in product(range(room + 1), repeat=FAMILIES):
        if sum(counts) > room + 1:
            continue
        # Between two harmless lines: the higher one is let in, the lower one is not.
        least = tuple((tops[f][n] + tops[f][n - 1]) / 2 if n else tops[f][0] + 0.1
                      for f, n in enumerate(counts))  # fmt: skip
        # A little higher and a little lower must do as well: a single count is luck.
        near = [tuple(each + shift for each in least) for shift in _SHIFTS]
        alarms = sum(alarmed(each, some) for each in harmless for some in near) / len(near)
        if alarms > room or sum(alarmed(each, least) for each in harmless) > room:
            continue
        share = sum(held(each, some) for each in told for some in near) / len(near) / len(told)
        if chosen is None or (share, -alarms) > chosen[0]:
            chosen = ((share, -alarms), least)
    if chosen is None:
        raise ValueError("no thresholds keep the alarms low enough")
    return chosen[1]


def digest(*paths: Path) -> str:
    """Return one digest of some files."""
    whole = hashlib.sha256()
    for path in paths:
        whole.update(path.read_bytes())
    return whole.hexdigest()


def pack(into: Path, scores: np.ndarray, bias: float, least: Sequence[float]) -> None:
    """Write the file: scores in 127 steps, and what is needed to read them."""
    # One loud row must not coarsen all others.
    highest = float(np.quantile(np.abs(scores[scores != 0]), 0.999))
    step = highest / 127
    whole = np.clip(np.round(scores / step), -127, 127).astype(np.int8)
    notes = {
        "model": "soft-secrets-ko-en-1",
        "licence": "Apache-2.0",
        "step": repr(step),
        "bias": repr(float(bias)),
        "least": " ".join(f"{each:.4f}" for each in least),
        "data": digest(TUNED, OWN),
    }
    write(into, {"scores": whole}, notes)


def _by_class(said: Iterable[Judged], told: Iterable[bool]) -> dict[str, list[int]]:
    """Count what is held of each class of secrets."""
    found: dict[str, list[int]] = {}
    for each, is_held in zip((e for e in said if e.line.values), told, strict=True):
        of = found.setdefault(str(each.line.row["class"]), [0, 0])
        of[0] += is_held
        of[1] += 1
    return dict(sorted(found.items()))


def main() -> None:
    """Measure by leaving hands out, find the thresholds, teach on everything, write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--into", type=Path, default=SHIPPED)
    asked = parser.parse_args()
    every, plain = hands(), [*known_lines(), *plain_turns()]
    judged = left_out(every, plain)
    least = thresholds(each for lines in judged.values() for each in lines)
    for hand, lines in judged.items():
        told = [held(each, least) for each in lines if each.line.values]
        calm = [alarmed(each, least) for each in lines if not each.line.values]
        print(f"hand {hand}: {sum(told)} of {len(told)} held, {sum(calm)} of {len(calm)} alarms")
    print("least", [round(each, 2) for each in least])
    if asked.measure:
        return
    lines = [line for each in every.values() for line in each]
    scores, bias = taught([*lines, *beside(lines), *plain])
    pack(asked.into, scores, bias, least)
    raw = asked.into.read_bytes()
    said = [each for hand in judged.values() for each in hand]
    told = [held(each, least) for each in said if each.line.values]
    calm = [alarmed(each, least) for each in said if not each.line.values]
    card = {
        "model": asked.into.name,
        "sha256": digest(asked.into),
        "data": digest(TUNED, OWN),
        "left_out": {"held": [sum(told), len(told)], "alarms": [sum(calm), len(calm)]},
        "classes": _by_class(said, told),
    }
    CARD.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    print(f"{len(lines)} lines, {len(raw):,} bytes, sha256 {card['sha256']}")


if __name__ == "__main__":
    main()
