"""How well does recall find? LoCoMo and Korean sets, always beside plain BM25, in one run.

    python bench/recall_quality.py --data FOLDER [--json out.json] [--only locomo,korquad]
                                   [--embedder static]

Retrieval only, no language model, default settings. Fractional recall over evidence ids; LoCoMo
without captions, one haystack per conversation; tuned on conversations 1-5, reported on 6-10 too.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import math
import random
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from saegim import Saegim

Task = Callable[[Path, Path, str | None], dict[str, Any]]

K = 10
QUERIES = 1000
STOP = frozenset(
    "a an the is are was were be been to of in on at for and or but with as by from that this it "
    "its i you he she they we his her their my your our me him them do does did have has had what "
    "when where who which how why not so if than then there here about into over after before out "
    "up".split()
)


class Bm25:
    """The baseline: plain BM25 (k1 1.5, b 0.75), lower-case words, stop words, Hangul bigrams."""

    def __init__(self, documents: Sequence[str]) -> None:
        self.tf = [Counter(self.words(each)) for each in documents]
        self.length = [sum(each.values()) for each in self.tf]
        self.mean = sum(self.length) / max(len(self.length), 1)
        self.df: Counter[str] = Counter(word for each in self.tf for word in each)
        self.holding: dict[str, list[int]] = defaultdict(list)
        for at, each in enumerate(self.tf):
            for word in each:
                self.holding[word].append(at)

    @staticmethod
    def words(text: str) -> list[str]:
        """Cut a text into words, Hangul into bigrams."""
        found = []
        for word in re.findall(r"[가-힣]+|[^\W_]+", text.lower()):
            if "가" <= word[0] <= "힣":
                found += [word[i : i + 2] for i in range(len(word) - 1)] or [word]
            elif word not in STOP:
                found.append(word)
        return found

    def ranked(self, question: str) -> list[int]:
        """Return the documents that share a word, best first."""
        scores = self.scores(question)
        return sorted(scores, key=lambda at: (-scores[at], at))

    def scores(self, question: str) -> dict[int, float]:
        """Return what BM25 says of each document that shares a word."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(self.words(question)):
            idf = math.log(1 + (len(self.tf) - self.df[word] + 0.5) / (self.df[word] + 0.5))
            for at in self.holding[word]:
                often = self.tf[at][word]
                norm = 1.5 * (0.25 + 0.75 * self.length[at] / self.mean)
                scores[at] += idf * often * 2.5 / (often + norm)
        return scores


def load(folder: Path, name: str) -> tuple[list[Any], str]:
    """Return the rows of a set and the hash of its file."""
    raw = (folder / f"{name}.jsonl.gz").read_bytes()
    rows = [json.loads(line) for line in gzip.decompress(raw).splitlines() if line.strip()]
    return rows, hashlib.sha256(raw).hexdigest()[:16]


def recall_at(ranked: Sequence[Any], evidence: set[Any], k: int = K) -> float:
    """Return the share of the evidence among the first k."""
    return len(evidence & set(ranked[:k])) / len(evidence)


def session_order(hits: Iterable[tuple[int, float]]) -> list[int]:
    """Rank sessions by their best turn, half of the second and a quarter of the third."""
    turns: dict[int, list[float]] = defaultdict(list)
    for session, score in hits:
        turns[session].append(score)
    worth = {
        session: sum(
            score * part
            for score, part in zip(sorted(all_, reverse=True), (1, 0.5, 0.25), strict=False)
        )
        for session, all_ in turns.items()
    }
    return sorted(worth, key=lambda session: -worth[session])


def moment(text: str) -> datetime:
    """Read LoCoMo's dates: `1:56 pm on 8 May, 2023`."""
    return datetime.strptime(text.strip(), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def locomo_one(talk: Any, path: Path, embedder: str | None) -> list[dict[str, Any]]:
    """Load one conversation and ask its questions; return a row per question."""
    ids: dict[str, tuple[str, int]] = {}
    turns, texts = [], defaultdict(list)
    with Saegim.open(path, embedder=embedder) as memory:
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
                ids[kept.id] = (turn["dia_id"], session["n"])
                turns.append((turn["dia_id"], f"{turn['speaker']} {turn['text']}"))
                texts[session["n"]].append(f"{turn['speaker']} {turn['text']}")
        plain = Bm25([text for _, text in turns])
        whole = Bm25([" ".join(each) for each in texts.values()])
        numbers = list(texts)
        rows = []
        for qa in talk["qa"]:
            evidence = {e for each in qa.get("evidence", []) for e in re.findall(r"D\d+:\d+", each)}
            evidence &= {dia for dia, _ in turns}
            if not evidence:
                continue
            sessions = {int(dia[1:].split(":")[0]) for dia in evidence}
            found = memory.recall(qa["question"], limit=50).hits
            hits = [(ids[hit.memory.id], hit.score) for hit in found]
            rows.append(
                {
                    "category": qa.get("category"),
                    "turn": recall_at([dia for (dia, _), _ in hits], evidence),
                    "session": recall_at(
                        session_order((session, score) for (_, session), score in hits), sessions
                    ),
                    "turn_bm25": recall_at(
                        [turns[i][0] for i in plain.ranked(qa["question"])], evidence
                    ),
                    "session_bm25": recall_at(
                        [numbers[i] for i in whole.ranked(qa["question"])], sessions
                    ),
                }
            )
    return rows


def locomo(folder: Path, work: Path, embedder: str | None) -> dict[str, Any]:
    """Session- and turn-level recall@10 on LoCoMo."""
    talks, digest = load(folder, "locomo10")
    by_talk = [locomo_one(talk, work / f"locomo{at}.db", embedder) for at, talk in enumerate(talks)]
    result: dict[str, Any] = {"data": digest, "k": K, "captions": False}
    for name, part in (("1-5", by_talk[:5]), ("6-10", by_talk[5:]), ("all", by_talk)):
        for which, kept in (("all categories", (1, 2, 3, 4, 5)), ("categories 1-4", (1, 2, 3, 4))):
            rows = [row for talk in part for row in talk if row["category"] in kept]
            result[f"{name}, {which}"] = {
                "questions": len(rows),
                **{
                    what: round(sum(row[what] for row in rows) / len(rows), 4)
                    for what in ("turn", "turn_bm25", "session", "session_bm25")
                },
            }
    return result


def hits_at(order: Sequence[int], right: set[int]) -> tuple[bool, bool]:
    """Say whether a right document is first, and whether one is among the first ten."""
    return bool(order) and order[0] in right, bool(right & set(order[:K]))


@dataclass(frozen=True, slots=True)
class Pile:
    """Documents, and questions with the places of the documents that are right."""

    documents: Sequence[str]
    questions: Sequence[tuple[str, set[int]]]
    digest: str


def haystack(read: Callable[[Path], Pile]) -> Task:
    """Return the task that asks a pile's questions: hit@1 and hit@10, ours and plain BM25."""

    def task(folder: Path, work: Path, embedder: str | None) -> dict[str, Any]:
        pile = read(folder)
        plain = Bm25(pile.documents)
        place: dict[str, int] = {}
        tally: Counter[str] = Counter()
        with Saegim.open(work / "pile.db", embedder=embedder) as memory:
            for at, text in enumerate(pile.documents):
                # An explicit time keeps equal texts apart: each is a document of its own here.
                kept = memory.remember(text, happened_at=datetime(2026, 1, 1, tzinfo=UTC))
                place[kept.id] = at
            for question, right in pile.questions:
                ours = [place[hit.memory.id] for hit in memory.recall(question).hits]
                for name, order in (("ours", ours), ("bm25", plain.ranked(question))):
                    first, among = hits_at(order, right)
                    tally[f"{name} hit@1"] += first
                    tally[f"{name} hit@10"] += among
        asked = len(pile.questions)
        size = {"data": pile.digest, "documents": len(pile.documents), "questions": asked}
        return size | {name: round(count / asked, 4) for name, count in sorted(tally.items())}

    return task


def some(questions: list[tuple[str, set[int]]]) -> list[tuple[str, set[int]]]:
    """Return at most as many questions as we ask, always the same."""
    random.Random(0).shuffle(questions)
    return questions[:QUERIES]


def korquad(folder: Path) -> Pile:
    """Korean question to paragraph."""
    rows, digest = load(folder, "korquad1_dev")
    questions = [(qa["q"], {at}) for at, row in enumerate(rows) for qa in row["qas"]]
    return Pile([row["context"] for row in rows], some(questions), digest)


def parakqc(folder: Path) -> Pile:
    """Korean paraphrases: the first of ten finds the other nine."""
    rows, digest = load(folder, "parakqc")
    texts = [row["text"].strip() for row in rows]
    documents = [text for at, text in enumerate(texts) if at % 10]
    groups = range(len(texts) // 10)
    questions = [(texts[each * 10], set(range(each * 9, each * 9 + 9))) for each in groups]
    return Pile(documents, questions, digest)


def korean_to_english(folder: Path) -> Pile:
    """Korean sentence to its English translation: what words alone cannot do."""
    rows, digest = load(folder, "koen_parallel_eval")
    pairs = [row for row in rows if row["src"] != "tatoeba" and row["ko"] and row["en"]]
    english = list(dict.fromkeys(row["en"] for row in pairs))
    at = {text: place for place, text in enumerate(english)}
    return Pile(english, some([(row["ko"], {at[row["en"]]}) for row in pairs]), digest)


def english_to_korean(folder: Path) -> Pile:
    """Everyday English sentence to its Korean translation; one that came before is left out."""
    rows, digest = load(folder, "koen_parallel_eval")
    seen: set[str] = set()
    korean: list[str] = []
    questions: list[tuple[str, set[int]]] = []
    for row in rows:
        if row["src"] == "tatoeba" and not {row["ko"], row["en"]} & seen:
            seen |= {row["ko"], row["en"]}
            questions.append((row["en"], {len(korean)}))
            korean.append(row["ko"])
    return Pile(korean, some(questions), digest)


PILES = {
    "korquad": korquad,
    "parakqc": parakqc,
    "ko-en": korean_to_english,
    "en-ko": english_to_korean,
}
TASKS: dict[str, Task] = {"locomo": locomo} | {name: haystack(read) for name, read in PILES.items()}


def table(name: str, result: dict[str, Any]) -> None:
    """Print one result so that a person can read it."""
    print(f"\n{name}  (data {result['data']})")
    for key, value in result.items():
        if isinstance(value, dict):
            cells = "  ".join(f"{inner} {number}" for inner, number in value.items())
            print(f"  {key:24} {cells}")
        elif key != "data":
            print(f"  {key:24} {value}")


def main() -> None:
    """Run the chosen tasks and print tables and, if asked, JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the *.jsonl.gz sets")
    parser.add_argument("--json", type=Path, help="also write the results here")
    parser.add_argument("--only", default=",".join(TASKS), help="comma-separated tasks")
    parser.add_argument("--embedder", help="an embedder as the setting names it; else the default")
    given = parser.parse_args()
    results = {}
    for name in given.only.split(","):
        started = time.perf_counter()
        with tempfile.TemporaryDirectory() as work:
            results[name] = TASKS[name](given.data, Path(work), given.embedder)
        table(name, results[name])
        print(f"  ({time.perf_counter() - started:.0f} s)", file=sys.stderr)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
