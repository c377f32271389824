"""How well does recall find in Korean conversations over months? Always beside plain BM25.

    python bench/korean_memory.py [--split tune|held|all] [--embedder static] [--json out.json]

The set is our own (`bench/data/`, its card says how it is made): 32 lives, each a haystack of its
own, every question asked at the instant it names. Fractional recall over evidence turns; an
abstention counts as right when `context` puts nothing into the prompt.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from recall_quality import Bm25, recall_at
from saegim import FixedClock, Saegim

SET = Path(__file__).parent / "data" / "korean_memory.jsonl"
TYPES = ("single", "update", "time", "multi", "preference", "abstain")
KS = (5, 10)


def read(split: str = "all") -> tuple[list[Any], str]:
    """Return the lives of one half, or all, and the hash of the file."""
    raw = SET.read_bytes()
    lives = [json.loads(line) for line in raw.decode("utf-8").splitlines()]
    chosen = [life for life in lives if split in ("all", life["split"])]
    return chosen, hashlib.sha256(raw).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Loaded:
    """One life in a memory of its own."""

    life: Any
    memory: Saegim
    clock: FixedClock
    turns: Mapping[str, str]
    texts: list[tuple[str, str]]


def load(life: Any, path: Path, **settings: Any) -> Loaded:
    """Tell a memory one life, turn by turn, as a chat would."""
    clock = FixedClock(datetime.fromisoformat(life["sessions"][0]["started_at"]))
    memory = Saegim.open(path, clock=clock, timezone="Asia/Seoul", **settings)
    turns: dict[str, str] = {}
    texts = []
    for session in life["sessions"]:
        start = datetime.fromisoformat(session["started_at"])
        for at, turn in enumerate(session["turns"]):
            clock.at = start + timedelta(minutes=at)
            own = turn["speaker"] == "user"
            kept = memory.remember(
                turn["text"],
                session=session["id"],
                sequence=at,
                author=life["user"] if own else life["agent"],
                role=turn["speaker"],
                origin="user_said" if own else "agent_inferred",
                happened_at=clock.at,
            )
            turns[kept.id] = turn["id"]
            texts.append((turn["id"], turn["text"]))
    return Loaded(life, memory, clock, turns, texts)


def ask(loaded: Loaded) -> Iterator[dict[str, Any]]:
    """Ask every question of a life; yield what was found."""
    plain = Bm25([text for _, text in loaded.texts])
    for question in loaded.life["questions"]:
        loaded.clock.at = datetime.fromisoformat(question["asked_at"])
        evidence = set(question["evidence"])
        row: dict[str, Any] = {"type": question["type"], "id": question["id"]}
        if evidence:
            hits = loaded.memory.recall(question["question"], limit=max(KS)).hits
            ours = [loaded.turns[hit.memory.id] for hit in hits if hit.memory.id in loaded.turns]
            theirs = [loaded.texts[at][0] for at in plain.ranked(question["question"])]
            for k in KS:
                row[f"recall@{k}"] = recall_at(ours, evidence, k)
                row[f"bm25@{k}"] = recall_at(theirs, evidence, k)
        row["injected"] = bool(loaded.memory.context(question["question"]).text)
        yield row


def mean(rows: list[dict[str, Any]], what: str) -> float:
    """Return the mean of a column, to four places."""
    values = [row[what] for row in rows if what in row]
    return round(sum(values) / len(values), 4) if values else 0.0


def measured(split: str, **settings: Any) -> dict[str, Any]:
    """Return the table of one half: by type of question, and all that have an answer."""
    lives, digest = read(split)
    by_type: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as work:
        for life in lives:
            loaded = load(life, Path(work) / f"{life['id']}.db", **settings)
            with loaded.memory:
                for row in ask(loaded):
                    by_type[row["type"]].append(row)
    result: dict[str, Any] = {"data": digest, "split": split, "lives": len(lives)}
    answerable = [row for kind in TYPES[:-1] for row in by_type[kind]]
    columns = [f"{name}@{k}" for k in KS for name in ("recall", "bm25")]
    for name, rows in (*((kind, by_type[kind]) for kind in TYPES[:-1]), ("all", answerable)):
        result[name] = {"questions": len(rows), **{each: mean(rows, each) for each in columns}}
    result["context"] = {
        "answerable, something injected": mean(answerable, "injected"),
        "abstain, nothing injected": round(1 - mean(by_type["abstain"], "injected"), 4),
    }
    return result


def main() -> None:
    """Measure and print a table and, if asked, JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", choices=("tune", "held", "all"), default="all")
    parser.add_argument("--embedder", help="an embedder as the setting names it; else the default")
    parser.add_argument("--json", type=Path, help="also write the results here")
    given = parser.parse_args()
    result = measured(given.split, embedder=given.embedder)
    print(f"korean memory, {given.split}  (data {result['data']}, {result['lives']} lives)")
    for name, value in result.items():
        if isinstance(value, dict):
            print(f"  {name:12}", "  ".join(f"{inner} {number}" for inner, number in value.items()))
    if given.json:
        given.json.write_text(json.dumps(result, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
