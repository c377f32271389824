"""What is each part of recall worth? Every part switched on in turn, beside BM25, in one run.

    python bench/ablation.py [--data FOLDER] [--split tune|held|all] [--json out.json]

Korean: our own set of `bench/data`. English: LoCoMo, if its folder is given (tune: conversations
1-5, held: 6-10). Each store is filled once and asked again with other settings: nothing else
differs. Recall is fractional over evidence turns; the last rows count the evidence that reaches a
prompt of 500 tokens, with and without variety (MMR).
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import korean_memory as korean
from recall_quality import Bm25, load, moment, recall_at
from saegim import FixedClock, Saegim

K = 10
ROOM = 500
OFF: dict[str, Any] = {
    "context_share": 0.0, "graph_share": 0.0, "graph_hops": 0, "time_share": 0.0, "fit_share": 0.0,
}  # fmt: skip
# Each row switches one more part on.
STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("words alone", OFF | {"words_share": 1.0}),
    ("vectors alone", OFF | {"words_share": 0.0}),
    ("words and vectors", OFF),
    (
        "+ turns beside a hit",
        {"graph_share": 0.0, "graph_hops": 0, "time_share": 0.0, "fit_share": 0.0},
    ),
    ("+ graph", {"time_share": 0.0, "fit_share": 0.0}),
    ("+ time", {"fit_share": 0.0}),
    ("+ shape of the answer", {}),
)
VARIETY = (("prompt, without variety", {"mmr_lambda": 1.0}), ("prompt, with variety (MMR)", {}))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, when it was asked, and the turns that answer it."""

    text: str
    at: datetime
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Haystack:
    """One filled store with its questions; `turns` names the turn behind each memory."""

    path: Path
    turns: Mapping[str, str]
    questions: tuple[Asked, ...]
    texts: tuple[tuple[str, str], ...]


def korean_haystacks(split: str, work: Path) -> Iterator[Haystack]:
    """Fill a store for each life of the Korean set."""
    for life in korean.read(split)[0]:
        path = work / f"{life['id']}.db"
        loaded = korean.load(life, path)
        loaded.memory.close()
        asked = (
            Asked(q["question"], datetime.fromisoformat(q["asked_at"]), frozenset(q["evidence"]))
            for q in life["questions"]
        )
        questions = tuple(each for each in asked if each.evidence)
        yield Haystack(path, dict(loaded.turns), questions, tuple(loaded.texts))


def locomo_haystacks(folder: Path, split: str, work: Path) -> Iterator[Haystack]:
    """Fill a store for each conversation of LoCoMo."""
    chosen = {"tune": slice(0, 5), "held": slice(5, 10), "all": slice(0, 10)}[split]
    for number, talk in enumerate(load(folder, "locomo10")[0][chosen]):
        path = work / f"locomo{number}.db"
        turns: dict[str, str] = {}
        texts = []
        with Saegim.open(path) as memory:
            for session in talk["sessions"]:
                start = moment(session["date"])
                for at, turn in enumerate(session["turns"]):
                    kept = memory.remember(
                        turn["text"] or "(nothing)",
                        session=f"s{session['n']}",
                        sequence=at,
                        author=turn["speaker"],
                        happened_at=start + timedelta(minutes=at),
                    )
                    turns[kept.id] = turn["dia_id"]
                    texts.append((turn["dia_id"], f"{turn['speaker']} {turn['text']}"))
        after = moment(talk["sessions"][-1]["date"]) + timedelta(days=1)
        known = set(turns.values())
        asked = (
            Asked(qa["question"], after, frozenset(_evidence(qa) & known)) for qa in talk["qa"]
        )
        yield Haystack(path, turns, tuple(a for a in asked if a.evidence), tuple(texts))


def _evidence(qa: Any) -> set[str]:
    return {found for each in qa.get("evidence", []) for found in re.findall(r"D\d+:\d+", each)}


def opened(haystack: Haystack, clock: FixedClock, settings: dict[str, Any]) -> Saegim:
    """Open a store as it was filled, with other settings; nothing asked leaves a trace."""
    return Saegim.open(haystack.path, clock=clock, timezone="Asia/Seoul", traces=False, **settings)


def found(haystack: Haystack, settings: dict[str, Any]) -> Iterator[float]:
    """Yield how much of the evidence is among the first ten."""
    clock = FixedClock()
    with opened(haystack, clock, settings) as memory:
        for asked in haystack.questions:
            clock.at = asked.at
            hits = memory.recall(asked.text, limit=K).hits
            order = [haystack.turns.get(hit.memory.id) for hit in hits]
            yield recall_at(order, set(asked.evidence), K)


def prompted(haystack: Haystack, settings: dict[str, Any]) -> Iterator[float]:
    """Yield how much of the evidence stands in the prompt; no floor, so that variety is all."""
    clock = FixedClock()
    with opened(haystack, clock, {"relevance_floor": 0.0} | settings) as memory:
        for asked in haystack.questions:
            clock.at = asked.at
            cards = memory.context(asked.text, budget=ROOM).cards
            shown = {haystack.turns.get(card.id) for card in cards}
            yield len(asked.evidence & shown) / len(asked.evidence)


def plain(haystack: Haystack) -> Iterator[float]:
    """Yield the same for plain BM25."""
    words = Bm25([text for _, text in haystack.texts])
    for asked in haystack.questions:
        order = [haystack.texts[at][0] for at in words.ranked(asked.text)]
        yield recall_at(order, set(asked.evidence), K)


def measured(haystacks: list[Haystack]) -> dict[str, float]:
    """Return the mean of every row."""
    rows = {"BM25": [value for each in haystacks for value in plain(each)]}
    for name, settings in STEPS:
        rows[name] = [value for each in haystacks for value in found(each, settings)]
    for name, settings in VARIETY:
        rows[name] = [value for each in haystacks for value in prompted(each, settings)]
    return {name: round(sum(values) / len(values), 4) for name, values in rows.items()}


def main() -> None:
    """Fill, ask, and print one table with a column for each language."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with locomo10.jsonl.gz")
    parser.add_argument("--split", choices=("tune", "held", "all"), default="all")
    parser.add_argument("--json", type=Path, help="also write the results here")
    given = parser.parse_args()
    columns: dict[str, dict[str, float]] = {}
    digests = {"korean": korean.read()[1]}
    with tempfile.TemporaryDirectory() as work:
        columns["korean"] = measured(list(korean_haystacks(given.split, Path(work))))
        if given.data:
            digests["locomo"] = load(given.data, "locomo10")[1]
            columns["locomo"] = measured(
                list(locomo_haystacks(given.data, given.split, Path(work)))
            )
    print(f"turn recall@{K}, {given.split}  (data {digests})")
    print(f"{'':28}" + "".join(f"{name:>10}" for name in columns))
    for row in next(iter(columns.values())):
        print(f"{row:28}" + "".join(f"{column[row]:10.3f}" for column in columns.values()))
    if given.json:
        told = {"data": digests, "split": given.split, "rows": columns}
        given.json.write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
