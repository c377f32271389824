"""Step 8: what the student has learned, on sets it never saw, and on the probe that ships.

    python training/evaluate.py --model FILE --evaluation FOLDER --probe FILE --into FILE.json

Odd and even rows are reported beside the whole, to show how much chance there is in a set.
bench/embedding.py is the full run, beside other embedders.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from probe import probed
from saegim.engines.brain.model import Static

Embed = Callable[[list[str], bool], np.ndarray]


def load(folder: Path, name: str) -> list[Any]:
    """Return the rows of a set."""
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def ranks(values: np.ndarray) -> np.ndarray:
    """Return ranks, ties sharing their mean."""
    order = np.argsort(values, kind="stable")
    place = np.empty(len(values))
    place[order] = np.arange(len(values))
    _, same, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.bincount(same, place) / count)[same]


def spearman(a: np.ndarray, b: np.ndarray) -> float:
    """Return the rank correlation, times 100."""
    return 100 * float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def similarity(embed: Embed, folder: Path) -> dict[str, list[float]]:
    """Return Spearman (all, odd, even) for Korean, English and across."""
    klue, both = load(folder, "klue_sts_dev"), load(folder, "korsts_stsb_dev")
    score = [row["score"] for row in both]
    sides = {key: embed([row[key] for row in both], False) for key in ("ko1", "ko2", "en1", "en2")}
    one = embed([row["sentence1"] for row in klue], False)
    two = embed([row["sentence2"] for row in klue], False)
    found = {}
    for name, a, b, gold in (
        ("KLUE-STS", one, two, [row["labels"]["real-label"] for row in klue]),
        ("KorSTS", sides["ko1"], sides["ko2"], score),
        ("STS-B", sides["en1"], sides["en2"], score),
        ("ko-en STS", sides["ko1"], sides["en2"], score),
    ):
        cosine, truth = (a * b).sum(1), np.array(gold)
        halves = [slice(None), slice(1, None, 2), slice(0, None, 2)]
        found[name] = [round(spearman(cosine[each], truth[each]), 1) for each in halves]
    return found


def hits(asked: np.ndarray, told: np.ndarray, right: list[set[int]]) -> list[float]:
    """Return hit@1 and hit@10 in per cent."""
    near = np.argsort(-(asked @ told.T), axis=1, kind="stable")[:, :10]
    counts = [[bool(want & set(row[:k].tolist())) for k in (1, 10)]
              for want, row in zip(right, near, strict=True)]  # fmt: skip
    return [round(100 * float(each), 1) for each in np.mean(counts, axis=0)]


def retrieval(embed: Embed, folder: Path) -> dict[str, list[float]]:
    """Return hit@1 and hit@10 across the languages and within them."""
    chance = random.Random(0)
    found = {}
    pairs = load(folder, "koen_parallel_eval")
    news = [r for r in pairs if r["src"] != "tatoeba" and r["ko"] and r["en"]]
    english = [r["en"] for r in news]
    rows = chance.sample(range(len(news)), min(1000, len(news)))
    same = {text: {at for at, other in enumerate(english) if other == text} for text in english}
    found["ko>en"] = hits(
        embed([news[at]["ko"] for at in rows], False),
        embed(english, False),
        [same[english[at]] for at in rows],
    )
    by_korean = {r["ko"]: r for r in pairs if r["src"] == "tatoeba"}
    short = list({r["en"]: r for r in by_korean.values()}.values())
    rows = chance.sample(range(len(short)), min(1000, len(short)))
    found["en>ko"] = hits(
        embed([short[at]["en"] for at in rows], False),
        embed([r["ko"] for r in short], False),
        [{at} for at in rows],
    )
    para = [r["text"].strip() for r in load(folder, "parakqc")]
    rest = [text for at, text in enumerate(para) if at % 10]
    found["ParaKQC"] = hits(
        embed(para[::10], False),
        embed(rest, False),
        [set(range(g * 9, g * 9 + 9)) for g in range(len(para) // 10)],
    )
    quad = load(folder, "korquad1_dev")
    asked = [(q["q"], at) for at, page in enumerate(quad) for q in page["qas"]]
    asked = chance.sample(asked, 1000)
    told = embed([page["context"] for page in quad], False)
    for name, asks in (("KorQuAD", True), ("KorQuAD plain", False)):
        found[name] = hits(embed([q for q, _ in asked], asks), told, [{at} for _, at in asked])
    found |= conversations(embed, folder)
    return found


def conversations(embed: Embed, folder: Path) -> dict[str, list[float]]:
    """Return hit@1 and hit@10 of questions to the turns of their own conversation."""
    sums: dict[str, list[list[float]]] = {"LoCoMo": [], "LoCoMo plain": []}
    weights = []
    for talk in load(folder, "locomo10"):
        said = [turn for session in talk["sessions"] for turn in session["turns"]]
        turns = [(turn["dia_id"], f"{turn['speaker']}: {turn['text']}") for turn in said]
        at = {name: n for n, (name, _) in enumerate(turns)}
        asked, right = [], []
        for qa in talk["qa"]:
            named = re.findall(r"D\d+:\d+", " ".join(qa.get("evidence", [])))
            marks = {at[name] for name in named if name in at}
            if marks and qa["category"] != 5:
                asked.append(qa["question"])
                right.append(marks)
        told = embed([text for _, text in turns], False)
        sums["LoCoMo"].append(hits(embed(asked, True), told, right))
        sums["LoCoMo plain"].append(hits(embed(asked, False), told, right))
        weights.append(len(asked))
    return {
        name: [round(float(x), 1) for x in np.average(each, axis=0, weights=weights)]
        for name, each in sums.items()
    }


def report(embed: Embed, folder: Path) -> dict[str, list[float]]:
    """Return every figure."""
    return {**similarity(embed, folder), **retrieval(embed, folder)}


def main() -> None:
    """Measure a model file and write the figures down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--evaluation", type=Path, required=True)
    parser.add_argument("--probe", type=Path, default=Path("tests/data/probe.jsonl"))
    parser.add_argument("--into", type=Path, required=True)
    asked = parser.parse_args()
    brain = Static(path=asked.model)

    def embed(texts: list[str], asks: bool) -> np.ndarray:
        return np.stack(brain.embed(texts, "query" if asks else "document"))  # type: ignore[arg-type]

    found = {"sets": report(embed, asked.evaluation), "probe": probed(brain, asked.probe)}
    asked.into.write_text(json.dumps(found, indent=1, ensure_ascii=False))
    print(json.dumps(found, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
