"""How well does recall find in Korean conversations over months? Always beside plain BM25.

    python bench/korean_memory.py [--split tune|held|all] [--embedder static] [--json out.json]
                                  [--raw outputs.jsonl]
    python bench/korean_memory.py --score outputs.jsonl

The set is our own (`bench/data/`, its card says how it is made): 32 lives, each a haystack of its
own, every question asked at the instant it names. Fractional recall over evidence turns; an
abstention counts as right when `context` puts nothing into the prompt. `--raw` also writes what
was found for every question, and `--score` makes the same table of it again, without a memory;
`bench/data/outputs/` has that of the table in docs/benchmarks.md.
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
    # A busy machine must not answer by words alone while its embedder is still being read.
    settings = {"timezone": "Asia/Seoul", "semantic_patience": 60.0} | settings
    memory = Saegim.open(path, clock=clock, **settings)
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
    """Ask every question of a life; yield what was found, word by word and by meaning."""
    plain = Bm25([text for _, text in loaded.texts])
    for question in loaded.life["questions"]:
        loaded.clock.at = datetime.fromisoformat(question["asked_at"])
        row: dict[str, Any] = {"id": question["id"], "split": loaded.life["split"]}
        row |= {"type": question["type"], "evidence": sorted(question["evidence"])}
        if row["evidence"]:
            hits = loaded.memory.recall(question["question"], limit=max(KS)).hits
            held = (loaded.turns.get(hit.memory.id) for hit in hits)
            theirs = plain.ranked(question["question"])[: max(KS)]
            row["recall"] = [each for each in held if each is not None]
            row["bm25"] = [loaded.texts[at][0] for at in theirs]
        row["injected"] = bool(loaded.memory.context(question["question"]).text)
        yield row


def mean(values: list[float]) -> float:
    """Return a mean to four places."""
    return round(sum(values) / len(values), 4) if values else 0.0


def scored(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the table: by type of question, and all that have an answer."""
    by_type: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_type[row["type"]].append(row)
    answerable = [row for kind in TYPES[:-1] for row in by_type[kind]]
    result: dict[str, Any] = {}
    for name, some in (*((kind, by_type[kind]) for kind in TYPES[:-1]), ("all", answerable)):
        result[name] = {"questions": len(some)} | {
            f"{each}@{k}": mean([recall_at(row[each], set(row["evidence"]), k) for row in some])
            for k in KS
            for each in ("recall", "bm25")
        }
    result["context"] = {
        "answerable, something injected": mean([row["injected"] for row in answerable]),
        "abstain, nothing injected": mean([not row["injected"] for row in by_type["abstain"]]),
    }
    return result


def asked(split: str, **settings: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Ask a half; return what the figures hang on, and what was found for every question."""
    lives, digest = read(split)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as work:
        for life in lives:
            loaded = load(life, Path(work) / f"{life['id']}.db", **settings)
            with loaded.memory:
                rows += ask(loaded)
                embedder = str(loaded.memory.mind.embedder.identity)
    about = {"command": f"python bench/korean_memory.py --split {split}", "data": digest}
    about |= {"split": split, "lives": len(lives), "k": list(KS), "embedder": embedder}
    # No language model takes part: nothing is judged, and nothing is paid for.
    return about | {"model": None, "judge": None, "cost": 0}, rows


def measured(split: str, **settings: Any) -> dict[str, Any]:
    """Return the table of one half with what it hangs on."""
    about, rows = asked(split, **settings)
    return about | scored(rows)


def stored(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return stored outputs: what they hang on, and a row for each question."""
    about, *rows = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    return about, rows


def main() -> None:
    """Measure and print a table and, if asked, JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", choices=("tune", "held", "all"), default="all")
    parser.add_argument("--embedder", help="an embedder as the setting names it; else the default")
    parser.add_argument("--json", type=Path, help="also write the results here")
    parser.add_argument("--raw", type=Path, help="also write what was found for every question")
    parser.add_argument("--score", type=Path, help="score stored outputs; nothing is asked")
    given = parser.parse_args()
    if given.score:
        about, rows = stored(given.score)
    else:
        about, rows = asked(given.split, embedder=given.embedder)
    if given.raw:
        lines = (json.dumps(each, ensure_ascii=False) for each in (about, *rows))
        given.raw.write_text("\n".join(lines) + "\n", "utf-8")
    some = [row for row in rows if given.split in ("all", row["split"])]
    result = about | {"split": given.split} | scored(some)
    print(f"korean memory, {given.split}  (data {result['data']}, {result['lives']} lives)")
    for name, value in result.items():
        if isinstance(value, dict):
            print(f"  {name:12}", "  ".join(f"{inner} {number}" for inner, number in value.items()))
    if given.json:
        given.json.write_text(json.dumps(result, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
