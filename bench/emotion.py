"""What does a text feel like? Words of feeling, the heads, and both joined, beside a plain list.

    python bench/emotion.py --data FOLDER [--json out.json]

Feelings and sentiment: KOTE test and GoEmotions test, mapped by the table of training/heads.py;
macro-F1 over the labelled feelings and accuracy, times 100. Probe: our own sentences, written
before anything was fitted but by the same hand as the words (no blind test); right when exactly
the meant feelings are found, the sign right with 0.2 around nought. False alarms: how many
sentences of encyclopaedia (Korean) and of news and captions (English) read as felt; few of them
are. The floor is the word list of bench/heads.py; the heads are all that the file has, shipped or
not; joined is what a memory stores: neutral, or feelings, never both. The heads alone and the
floor may read both at once; `macro_f1 one or other` scores every reader as it would be stored.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from saegim.engines.brain.heads import SHIPPED as HEADS
from saegim.engines.brain.heads import Heads
from saegim.engines.brain.model import SHIPPED as MODEL
from saegim.engines.brain.model import Static
from saegim.language.feelings import feel
from saegim.memory.memory import Emotion, Feeling, SentenceReading

HERE = Path(__file__).parents[1]
PROBE = HERE / "tests" / "data" / "feelings_probe.jsonl"
LABELLED_SETS = {"ko": "kote_test", "en": "goemotions_test"}
PLAIN_SETS = {"ko": "korquad1_dev", "en": "korsts_stsb_dev"}
SENTENCE = re.compile(r"(?<=[.다])\.?\s+")
# Around nought a sign is neither good nor bad.
NOUGHT = 0.2

Scores = dict[str, float]
Reader = Callable[[str], SentenceReading]


def by_path(name: str, path: Path) -> ModuleType:
    """Return a script as a module under another name."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


# Two files are called heads.py; the one of bench/ takes its table of labels from the one here.
sys.path.insert(0, str(HERE / "training"))
by_path("heads", HERE / "training" / "heads.py")
plain_rules = by_path("plain_rules", HERE / "bench" / "heads.py")


def as_reading(emotion: Emotion) -> SentenceReading:
    """Return a stored emotion in the shape of what heads read."""
    felt = dict.fromkeys(emotion.feelings, 1.0)
    return SentenceReading(emotion.sentiment, emotion.intensity, felt, 0.0, None)


def chosen(reading: SentenceReading) -> set[Feeling]:
    """Return the feelings of a reading, none where neutral is the surest of all."""
    shares = dict(reading.feelings)
    plain = shares.pop(Feeling.NEUTRAL, 0.0)
    present = {each for each, share in shares.items() if share >= 0.5}
    return set() if plain > max(shares.values(), default=0.0) else present


def probe(read: Reader, language: str) -> Scores:
    """Return how many sentences of our own are read right."""
    lines = PROBE.read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["lang"] == language]
    feelings, signs = [], []
    for row in rows:
        reading = read(row["text"])
        feelings.append(chosen(reading) == set(row["feelings"]) - {Feeling.NEUTRAL})
        sign = (reading.sentiment > NOUGHT) - (reading.sentiment < -NOUGHT)
        signs.append(sign == row["sentiment"])
    kinds = {"negation": [], "neutral": []}
    for row, right in zip(rows, feelings, strict=True):
        kinds.get(row["kind"], []).append(right)
    return {
        "feelings": 100 * float(np.mean(feelings)),
        "sentiment": 100 * float(np.mean(signs)),
        **{kind: 100 * float(np.mean(each)) for kind, each in kinds.items()},
        "texts": len(rows),
    }


def plain_texts(folder: Path, language: str) -> list[str]:
    """Return sentences of which few feel anything."""
    rows = plain_rules.rows(folder / f"{PLAIN_SETS[language]}.jsonl.gz")
    if language == "en":
        return [row["en1"] for row in rows]
    return [each for row in rows for each in SENTENCE.split(row["context"]) if len(each) > 10]


def alarms(read: Reader, texts: list[str]) -> Scores:
    """Return how many texts read as felt, and as strongly felt."""
    readings = [read(text) for text in texts]
    return {
        "felt": 100 * float(np.mean([bool(chosen(each)) for each in readings])),
        "intensity over 0.3": 100 * float(np.mean([each.intensity > 0.3 for each in readings])),
        "intensity over 0.7": 100 * float(np.mean([each.intensity > 0.7 for each in readings])),
        "texts": len(texts),
    }


def stored(read: Reader) -> Reader:
    """Return a reader that says neutral or feelings, never both."""

    def either(text: str) -> SentenceReading:
        reading = read(text)
        felt = chosen(reading)
        plain = reading.feelings.get(Feeling.NEUTRAL, 0.0) >= 0.5 and not felt
        present = dict.fromkeys(felt, 1.0) | ({Feeling.NEUTRAL: 1.0} if plain else {})
        return SentenceReading(reading.sentiment, reading.intensity, present, 0.0, None)

    return either


def measure(folder: Path, read: Reader) -> dict[str, Scores]:
    """Return every score of one reader."""
    found = {}
    for language, name in LABELLED_SETS.items():
        data = plain_rules.rows(folder / f"{name}.jsonl.gz")
        scores = plain_rules.feelings(data, language, read)
        one = plain_rules.feelings(data, language, stored(read))["macro_f1"]
        found[f"feelings {language}"] = {"macro_f1": 0.0, "macro_f1 one or other": one} | scores
        found[f"sentiment {language}"] = plain_rules.sentiment(data, language, read)
        found[f"probe {language}"] = probe(read, language)
        found[f"false alarms {language}"] = alarms(read, plain_texts(folder, language))
    return found


def speed(heads: Heads | None) -> float:
    """Return the microseconds that one sentence of the probe takes, at the median."""
    texts = [json.loads(line)["text"] for line in PROBE.read_text(encoding="utf-8").splitlines()]
    took = []
    for text in texts * 3:
        began = time.perf_counter_ns()
        feel(text, heads)
        took.append(time.perf_counter_ns() - began)
    return float(np.median(took[len(texts) :])) / 1000


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of everything that was read."""
    names = [*LABELLED_SETS.values(), *PLAIN_SETS.values()]
    paths = [*(folder / f"{name}.jsonl.gz" for name in names), PROBE, HEADS, MODEL]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def shown(found: dict[str, dict[str, Scores]]) -> Table:
    """Return the results as a table."""
    table = Table("measure", "score", *found)
    for name, scores in found["joined"].items():
        for score in scores:
            values = [f"{found[reader][name].get(score, 0.0):.1f}" for reader in found]
            table.add_row(name, score, *values)
    return table


def main() -> None:
    """Measure the four readers and print them side by side."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the *.jsonl.gz sets")
    parser.add_argument("--json", type=Path, help="also write the results here")
    given = parser.parse_args()
    heads = Heads(Static())
    readers: dict[str, Reader] = {
        "floor": plain_rules.rule,
        "words": lambda text: as_reading(feel(text, None)),
        "heads": plain_rules.fully(heads),
        "joined": lambda text: as_reading(feel(text, heads)),
    }
    found = {name: measure(given.data, read) for name, read in readers.items()}
    hashes = digests(given.data)
    took = {"words": speed(None), "joined": speed(heads)}
    console = Console()
    console.print(shown(found))
    for name, digest in hashes.items():
        console.print(f"{digest}  {name}", highlight=False, soft_wrap=True)
    console.print(f"one sentence: {took['words']:.0f} µs by words, {took['joined']:.0f} µs joined")
    if given.json:
        result: dict[str, Any] = {**found, "sha256": hashes, "microseconds": took}
        given.json.write_text(json.dumps(result, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
