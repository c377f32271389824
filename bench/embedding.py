"""How close in meaning? Sentence embedders on Korean, English and across, with their cost.

    python bench/embedding.py --data FOLDER [--models FOLDER] [--json out.json]
                              [--only korsts,ko-en,speed] [--encoders static,use]

Similarity is Spearman x100 of the cosine with human scores; retrieval is hit@1 and hit@10 of any
right document, x100, by cosine alone. Embedders of other packages are measured when --models holds
them (see encoders.py) and are named as absent otherwise. Odd and even rows (the first is odd) are
kept apart in the JSON, to show how much chance there is in a set.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import random
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from encoders import ENCODERS, Absent, Encoder, Vectors, blocks, matrix, speed, weight
from recall_quality import Bm25, hits_at, load

K = 10
QUERIES = 1000
SHORT = 40
SINGLES = 1000
BATCH = 2000
LEXICAL = "bm25"
HARD = Path(__file__).parent / "data/hard_pairs.jsonl"

Pairs = tuple[Sequence[str], Sequence[str]]
Scores = dict[str, dict[str, float]]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Similar:
    """Sentence pairs with human scores; several lists of pairs share the scores and are averaged"""

    pairs: tuple[Pairs, ...]
    labels: Sequence[float]


@dataclass(frozen=True, slots=True)
class Haystack:
    """Documents, and questions with the places of the documents that are right."""

    documents: Sequence[str]
    questions: Sequence[tuple[str, set[int]]]


@dataclass(slots=True)
class Data:
    """The evaluation folder; remembers the hash of each file it has read."""

    folder: Path
    hashes: dict[str, str] = field(default_factory=dict)

    def rows(self, name: str) -> list[Any]:
        """Return the rows of a set."""
        found, self.hashes[name] = load(self.folder, name)
        return found


def some(questions: list[tuple[str, set[int]]]) -> list[tuple[str, set[int]]]:
    """Return at most as many questions as we ask, always the same."""
    return random.Random(0).sample(questions, min(QUERIES, len(questions)))


def klue_sts(data: Data) -> Similar:
    """Korean pairs, scored by seven readers each."""
    found = data.rows("klue_sts_dev")
    pairs = ([row["sentence1"] for row in found], [row["sentence2"] for row in found])
    return Similar((pairs,), [row["labels"]["real-label"] for row in found])


def stsb(*sides: tuple[str, str]) -> Callable[[Data], Similar]:
    """Return the task that reads these columns of the aligned Korean and English file."""

    def task(data: Data) -> Similar:
        found = data.rows("korsts_stsb_dev")
        pairs = tuple(
            ([row[first] for row in found], [row[second] for row in found])
            for first, second in sides
        )
        return Similar(pairs, [row["score"] for row in found])

    return task


def korean_to_english(data: Data) -> list[Haystack]:
    """News and examples: a Korean sentence finds its translation among all English ones."""
    found = data.rows("koen_parallel_eval")
    pairs = [row for row in found if row["src"].startswith(("jhe", "news"))]
    place = {text: at for at, text in enumerate(dict.fromkeys(row["en"] for row in pairs))}
    right: dict[str, set[int]] = {}
    for row in pairs:
        right.setdefault(row["ko"], set()).add(place[row["en"]])
    return [Haystack(list(place), some(list(right.items())))]


def english_to_korean(data: Data) -> list[Haystack]:
    """Everyday sentences: English finds Korean; a sentence that came before is left out."""
    seen: set[str] = set()
    documents: list[str] = []
    questions: list[tuple[str, set[int]]] = []
    for row in data.rows("koen_parallel_eval"):
        if row["src"] == "tatoeba" and not {row["ko"], row["en"]} & seen:
            seen |= {row["ko"], row["en"]}
            questions.append((row["en"], {len(documents)}))
            documents.append(row["ko"])
    return [Haystack(documents, some(questions))]


def parakqc(data: Data) -> list[Haystack]:
    """Korean paraphrases: the first of ten finds any of the other nine."""
    texts = [row["text"].strip() for row in data.rows("parakqc")]
    documents = [text for at, text in enumerate(texts) if at % 10]
    groups = range(len(texts) // 10)
    return [Haystack(documents, [(texts[g * 10], set(range(g * 9, g * 9 + 9))) for g in groups])]


def korquad(data: Data) -> list[Haystack]:
    """Korean question to paragraph."""
    found = data.rows("korquad1_dev")
    questions = [(qa["q"], {at}) for at, row in enumerate(found) for qa in row["qas"]]
    return [Haystack([row["context"] for row in found], some(questions))]


def locomo(data: Data) -> list[Haystack]:
    """English question to turn, one haystack per conversation, no captions, categories 1-4."""
    piles = []
    for talk in data.rows("locomo10"):
        turns = [turn for session in talk["sessions"] for turn in session["turns"]]
        place = {turn["dia_id"]: at for at, turn in enumerate(turns)}
        questions = []
        for qa in talk["qa"]:
            named = re.findall(r"D\d+:\d+", " ".join(qa.get("evidence", [])))
            right = {place[each] for each in named if each in place}
            if right and qa["category"] in (1, 2, 3, 4):
                questions.append((qa["question"], right))
        piles.append(Haystack([f"{turn['speaker']}: {turn['text']}" for turn in turns], questions))
    return piles


def hard(language: str) -> Callable[[Data], list[Haystack]]:
    """Same words with another meaning against other words with the same one: which is nearer?"""

    def task(data: Data) -> list[Haystack]:
        raw = HARD.read_bytes()
        data.hashes[HARD.stem] = hashlib.sha256(raw).hexdigest()[:16]
        found = [json.loads(line) for line in raw.decode().splitlines()]
        return [
            Haystack([row["same"], row["other"]], [(row["text"], {0})])
            for row in found
            if row["language"] == language
        ]

    return task


SIMILARITY: dict[str, Callable[[Data], Similar]] = {
    "klue-sts": klue_sts,
    "korsts": stsb(("ko1", "ko2")),
    "stsb": stsb(("en1", "en2")),
    "ko-en-sts": stsb(("ko1", "en2"), ("en1", "ko2")),
}
RETRIEVAL: dict[str, Callable[[Data], list[Haystack]]] = {
    "ko-en": korean_to_english,
    "en-ko": english_to_korean,
    "parakqc": parakqc,
    "korquad": korquad,
    "locomo": locomo,
    "hard-ko": hard("ko"),
    "hard-en": hard("en"),
}
SPEED = "speed"


def ranks(values: Numbers) -> Numbers:
    """Return the rank of each value; equal ones share the mean of their ranks."""
    _, which, count = np.unique(values, return_inverse=True, return_counts=True)
    found: Numbers = (np.cumsum(count) - (count - 1) / 2)[which]
    return found


def spearman(one: Numbers, other: Numbers) -> float:
    """Return the rank correlation x100; 0 where one side never differs."""
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return 0.0
    return 100 * float(np.corrcoef(ranks(one), ranks(other))[0, 1])


def halves(measure: Callable[[slice], dict[str, float]]) -> Scores:
    """Measure all rows, the odd ones and the even ones."""
    parts = {"all": slice(None), "odd": slice(0, None, 2), "even": slice(1, None, 2)}
    return {
        name: {what: round(value, 2) for what, value in measure(part).items()}
        for name, part in parts.items()
    }


def similarity(task: Similar, vectors: Vectors, width: int | None) -> Scores:
    """Return how well cosines follow human scores."""
    labels = np.array(task.labels, dtype=np.float64)
    cosines = []
    for first, second in task.pairs:
        sides = (blocks(vectors.of(side, "document"), width) for side in (first, second))
        each = [(a * b).sum(axis=1) for a, b in zip(*sides, strict=True)]
        cosines.append(np.concatenate(each).astype(np.float64))
    return halves(
        lambda part: {
            "spearman": statistics.fmean(spearman(each[part], labels[part]) for each in cosines)
        }
    )


def nearest(pile: Haystack, vectors: Vectors, width: int | None) -> list[list[int]]:
    """Return for each question the places of the closest documents."""
    asked = matrix(vectors.of([question for question, _ in pile.questions], "query"), width)
    held = blocks(vectors.of(pile.documents, "document"), width)
    close = np.concatenate([asked @ block.T for block in held], axis=1)
    found: list[list[int]] = np.argsort(-close, axis=1, kind="stable")[:, :K].tolist()
    return found


def by_words(pile: Haystack) -> list[list[int]]:
    """Return for each question what plain BM25 finds."""
    plain = Bm25(pile.documents)
    return [plain.ranked(question)[:K] for question, _ in pile.questions]


def retrieval(piles: list[Haystack], find: Callable[[Haystack], list[list[int]]]) -> Scores:
    """Return how often a right document is first, and among the first ten."""
    hits = np.array(
        [
            hits_at(order, right)
            for pile in piles
            for order, (_, right) in zip(find(pile), pile.questions, strict=True)
        ]
    )

    def shares(part: slice) -> dict[str, float]:
        first, among = 100 * hits[part].mean(axis=0)
        return {"hit@1": float(first), f"hit@{K}": float(among)}

    return halves(shares)


def short_and_many(data: Data) -> tuple[list[str], list[str]]:
    """Return short sentences, half Korean and half English, and a batch of others."""
    korean, english = [], []
    for row in data.rows("korsts_stsb_dev"):
        korean += [row["ko1"], row["ko2"]]
        english += [row["en1"], row["en2"]]
    chance = random.Random(0)
    short: list[str] = []
    for side in (korean, english):
        fits = list(dict.fromkeys(text for text in side if len(text) <= SHORT))
        short += chance.sample(fits, min(SINGLES // 2, len(fits)))
    chance.shuffle(short)
    found = data.rows("koen_parallel_eval")
    others = dict.fromkeys(text for row in found for text in (row["ko"], row["en"]))
    return short, chance.sample(list(others), min(BATCH, len(others)))


def quality(encoder: Encoder, name: str, tasks: dict[str, Any]) -> dict[str, dict[str, Scores]]:
    """Return the scores of an encoder and of its prefixes on each task."""
    vectors = Vectors(encoder)
    found: dict[str, dict[str, Scores]] = {}
    for width in (None, *encoder.prefixes):
        row = found.setdefault(name if width is None else f"{name}/{width}", {})
        for task, made in tasks.items():
            if isinstance(made, Similar):
                row[task] = similarity(made, vectors, width)
            else:
                row[task] = retrieval(made, partial(nearest, vectors=vectors, width=width))
    return found


def table(title: str, columns: Sequence[str], lines: dict[str, list[str]]) -> None:
    """Print rows of cells under their names."""
    if not columns or not lines:
        return
    wide = [
        max(len(name), *(len(line[at]) for line in lines.values()))
        for at, name in enumerate(columns)
    ]
    print(f"\n{title}")
    print(f"  {'':22}" + "  ".join(f"{name:>{w}}" for name, w in zip(columns, wide, strict=True)))
    for name, line in lines.items():
        print(f"  {name:22}" + "  ".join(f"{c:>{w}}" for c, w in zip(line, wide, strict=True)))


def number(value: float | None) -> str:
    """Return a number as a person reads it."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def tables(result: dict[str, Any]) -> None:
    """Print everything so that a person can read it."""
    print("data  " + "  ".join(f"{name} {digest}" for name, digest in result["data"].items()))
    scores, cost = result["quality"], result["cost"]
    for title, kind in (("Spearman x100", SIMILARITY), ("hit@1 / hit@10", RETRIEVAL)):
        names = [name for name in kind if name in result["tasks"]]
        lines = {
            row: [" / ".join(f"{v:.1f}" for v in found[name]["all"].values()) for name in names]
            for row, found in scores.items()
            if all(name in found for name in names)
        }
        table(title, names, lines)
    names = ["size_mb", "load_s", "p50_ms", "p50_cpu_ms", "p95_ms", "per_s", "memory_mb"]
    lines = {row: [number(found.get(name)) for name in names] for row, found in cost.items()}
    table("cost (one thread)", names, lines)
    for name, why in result["absent"].items():
        print(f"\nabsent: {name} ({why})")


def measure(chosen: list[str], tasks: dict[str, Any], data: Data, given: Any) -> dict[str, Any]:
    """Measure each chosen encoder and return everything."""
    result: dict[str, Any] = {"tasks": list(tasks), "quality": {}, "cost": {}, "absent": {}}
    texts = short_and_many(data) if SPEED in given.only else None
    for name in chosen:
        started = time.perf_counter()
        if name == LEXICAL:
            piles = {task: made for task, made in tasks.items() if task in RETRIEVAL}
            result["quality"][name] = {t: retrieval(made, by_words) for t, made in piles.items()}
            continue
        try:
            encoder = ENCODERS[name](given.models)
        except Absent as why:
            result["absent"][name] = str(why)
            continue
        result["quality"] |= quality(encoder, name, tasks)
        result["cost"][name] = weight(encoder)
        if texts:
            result["cost"][name] |= speed(name, given.models, *texts)
        print(f"  ({name}: {time.perf_counter() - started:.0f} s)", file=sys.stderr)
    return result


def main() -> None:
    """Run the chosen tasks on the chosen encoders and print tables and, if asked, JSON."""
    kinds: dict[str, Any] = SIMILARITY | RETRIEVAL
    every = ([*kinds, SPEED], [LEXICAL, *ENCODERS])
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the *.jsonl.gz sets")
    parser.add_argument("--models", type=Path, help="folder with the unpacked packages")
    parser.add_argument("--json", type=Path, help="also write the results here")
    parser.add_argument("--only", default=",".join(every[0]), help="comma-separated tasks")
    parser.add_argument("--encoders", default=",".join(every[1]), help="comma-separated encoders")
    given = parser.parse_args()
    given.only, chosen = given.only.split(","), given.encoders.split(",")
    if unknown := set(given.only) - set(every[0]) | set(chosen) - set(every[1]):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {every[0]} {every[1]}")
    data = Data(given.data)
    tasks = {name: task(data) for name, task in kinds.items() if name in given.only}
    about = {"python": platform.python_version(), "numpy": np.__version__}
    result = measure(chosen, tasks, data, given)
    result = {"data": data.hashes, "on": about | {"machine": platform.machine()}} | result
    tables(result)
    if given.json:
        given.json.write_text(json.dumps(result, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
