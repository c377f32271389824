"""What is kept of a conversation, what is masked, what is understood: beside a plain floor.

    python bench/capture.py [--data FOLDER] [--half held|tune|both] [--json out.json]

The labelled sets lie in tests/data and were written by hand before the rules, by someone who did
not know them; the rules were tuned on the `tune` half only. With --data (KOTE and GoEmotions test)
feelings are measured too. `observe` is timed in one run with an fsync of the same disk.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from rich.console import Console
from rich.table import Table

from saegim import Saegim
from saegim.guard.guard import screen
from saegim.guard.injection import suspicion
from saegim.language.claims import claims
from saegim.language.extract import extract
from saegim.language.times import Span, spans
from saegim.perceive.build import hear

DATA = Path(__file__).parents[1] / "tests" / "data"
Row = dict[str, Any]
Scores = dict[str, float]

# -- floors: what an hour of regular expressions would do -----------------------------------------

_FLOOR_SAVE = re.compile(
    r"기억해|내 이름|나는|저는|내가|좋아|싫어|살아|살고|remember|my name|\bi'?m\b|\bi am\b|i like|"
    r"i hate|i live|i work|i prefer|\bwe use\b",
    re.I,
)
_FLOOR_SECRET = re.compile(
    r"AKIA[0-9A-Z]{16}|sk-[\w-]{10,}|gh[pousr]_\w+|-----BEGIN|\d{6}-\d{7}|01\d-\d{4}-\d{4}|"
    r"(?:password|passwd|pwd|비밀번호|비번)\s*[:=]\s*\S+",
    re.I,
)
_FLOOR_ORDER = re.compile(
    r"ignore (?:all |the )?previous|system prompt|<system>|이전 지시|지시를? 무시", re.I
)
_FLOOR_DAYS = {"오늘": 0, "어제": -1, "내일": 1, "today": 0, "yesterday": -1, "tomorrow": 1}


def rows(name: str, half: str) -> list[Row]:
    """Return a half of a labelled set, or both halves."""
    halves = ("tune", "held") if half == "both" else (half,)
    lines = (
        line
        for each in halves
        for line in (DATA / f"{name}_{each}.jsonl").read_text(encoding="utf-8").splitlines()
    )
    return [json.loads(line) for line in lines]


def digest(half: str) -> str:
    """Return what the labelled sets of this half amount to."""
    found = hashlib.sha256()
    for path in sorted(DATA.glob("*.jsonl")):
        if half == "both" or path.stem.endswith(half):
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


def ratio(part: float, whole: float) -> float:
    """Return a share in per cent; of nothing, nothing."""
    return 100 * part / whole if whole else float("nan")


# -- save, skip, retrieve -------------------------------------------------------------------------


def decisions(data: list[Row]) -> list[tuple[str, float]]:
    """Return what observe decides about each turn, and its salience, on a store of one memory."""
    made = []
    with tempfile.TemporaryDirectory() as folder:
        for row in data:
            with Saegim.open(Path(folder) / f"{len(made)}.db", durability="fast") as memory:
                memory.remember("보리차는 냉장고 둘째 칸에 있다")
                seen = memory.observe(row["text"], role=row["role"])
                made.append((seen.decision.action.value, seen.decision.salience))
    return made


def kept(data: list[Row], said: list[str], language: str) -> Scores:
    """Return precision and recall of saving, and recall of retrieving and skipping."""
    pairs = [(row["label"], one) for row, one in zip(data, said, strict=True)
             if row["lang"] == language]  # fmt: skip
    saved = [(label, one) for label, one in pairs if one == "save"]
    right = sum(label == "save" for label, _ in saved)
    scores = {"save precision": ratio(right, len(saved))}
    for label in ("save", "skip", "retrieve"):
        of = [one for true, one in pairs if true == label]
        scores[f"{label} recall"] = ratio(sum(one == label for one in of), len(of))
    scores["turns"] = len(pairs)
    return scores


def capture(half: str) -> dict[str, dict[str, Scores]]:
    """Measure saving beside three floors, per language."""
    data = rows("capture", half)
    ours = decisions(data)
    ways: dict[str, list[str]] = {
        "save everything": ["save"] * len(data),
        "a list of words": [
            "save" if _FLOOR_SAVE.search(row["text"]) and "?" not in row["text"] else "skip"
            for row in data
        ],
        "salience from 0.35": ["save" if salience >= 0.35 else "skip" for _, salience in ours],
        "observe": [action for action, _ in ours],
    }
    return {
        way: {language: kept(data, said, language) for language in ("ko", "en")}
        for way, said in ways.items()
    }


# -- secrets and orders ---------------------------------------------------------------------------


def secrets(half: str) -> dict[str, dict[str, Scores]]:
    """Measure what share of secrets is gone, and of harmless texts is changed."""

    def floor(text: str) -> str:
        return _FLOOR_SECRET.sub("[masked]", text)

    return {
        "regular expressions": _masked(rows("secrets", half), floor),
        "guard": _masked(rows("secrets", half), lambda text: screen(text).text),
    }


def _masked(data: list[Row], mask: Callable[[str], str]) -> dict[str, Scores]:
    scores: dict[str, Scores] = {}
    for language in ("ko", "en"):
        found: dict[str, list[bool]] = {}
        for row in (each for each in data if each["lang"] == language):
            value = "".join(row["value"] or ())
            text = row["text"].replace("‹v›", value)
            shown = mask(text)
            gone = shown != text if row["tier"] == "none" else value not in shown
            found.setdefault(row["tier"], []).append(gone)
        scores[language] = {
            tier: ratio(sum(found.get(tier, [])), len(found.get(tier, [])))
            for tier in ("secret", "private", "held", "none")
        }
    return scores


def orders(half: str) -> dict[str, dict[str, Scores]]:
    """Measure what share of orders in strangers' texts is noticed, and of plain texts."""
    ways = {"regular expressions": _FLOOR_ORDER.search, "guard": suspicion}
    made: dict[str, dict[str, Scores]] = {}
    for way, look in ways.items():
        made[way] = {}
        for language in ("ko", "en"):
            data = [row for row in rows("injections", half) if row["lang"] == language]
            made[way][language] = {
                label: ratio(
                    sum(bool(look(row["text"])) for row in data if row["label"] == label),
                    sum(row["label"] == label for row in data),
                )
                for label in ("order", "plain")
            }
    return made


# -- time and change ------------------------------------------------------------------------------


def times(half: str) -> dict[str, dict[str, Scores]]:
    """Measure how many time expressions come out exactly, unknown ones included."""
    ways: dict[str, Callable[[str, datetime], list[Span]]] = {
        "six words and ISO dates": _floor_spans,
        "place": spans,
    }
    made: dict[str, dict[str, Scores]] = {}
    for way, look in ways.items():
        made[way] = {}
        for language in ("ko", "en"):
            data = [row for row in rows("time_words", half) if row["lang"] == language]
            right = sum(_right(row, look) for row in data)
            made[way][language] = {"exact": ratio(right, len(data)), "texts": len(data)}
    return made


def anchor_of(row: Row) -> datetime:
    """Return when a sentence was said, in its own zone."""
    at = datetime.fromisoformat(row["anchor"])
    return at.astimezone(ZoneInfo(row["zone"])) if row["zone"] else at


def _right(row: Row, look: Callable[[str, datetime], list[Span]]) -> bool:
    anchor = anchor_of(row)
    found = look(row["text"], anchor)
    if row["start"] is None:
        return not found
    if len(found) != 1:
        return False
    zone = anchor.tzinfo
    want = [
        at if at.tzinfo else at.replace(tzinfo=zone)
        for at in map(datetime.fromisoformat, (row["start"], row["end"]))
    ]
    if row.get("note", "").startswith("part of day"):
        # Evening or morning: any part of the day that was meant.
        return want[0] <= found[0].start < want[1]
    return [found[0].start, found[0].end] == want


def _floor_spans(text: str, anchor: datetime) -> list[Span]:
    midnight = anchor.replace(hour=0, minute=0, second=0, microsecond=0)
    for word, days in _FLOOR_DAYS.items():
        if word in text.lower():
            day = np.timedelta64(days, "D").astype("timedelta64[us]").item()
            one = np.timedelta64(1, "D").astype("timedelta64[us]").item()
            return [Span(midnight + day, midnight + day + one, word, 0)]
    if iso := re.search(r"\d{4}-\d{2}-\d{2}", text):
        try:
            start = datetime.fromisoformat(iso[0]).replace(tzinfo=anchor.tzinfo)
        except ValueError:
            return []
        one = np.timedelta64(1, "D").astype("timedelta64[us]").item()
        return [Span(start, start + one, iso[0], 0)]
    return []


def changes(half: str) -> dict[str, dict[str, Scores]]:
    """Measure which change stories end the old memory, and which harmless pairs do."""
    made: dict[str, dict[str, Scores]] = {"claims": {}, "observe": {}}
    for language in ("ko", "en"):
        data = [row for row in rows("changes", half) if row["lang"] == language]
        for way, look in (("claims", _claimed), ("observe", _superseded)):
            ended = [(row["type"], look(row)) for row in data]
            stories = [one for kind, one in ended if kind != "none"]
            others = [one for kind, one in ended if kind == "none"]
            made[way][language] = {
                "stories noticed": ratio(sum(stories), len(stories)),
                "false": ratio(sum(others), len(others)),
            }
    return made


def _claimed(row: Row) -> bool:
    with tempfile.TemporaryDirectory() as folder, Saegim.open(Path(folder) / "s.db") as memory:
        mind, said = memory.mind, []
        for text in (row["old"], row["new"]):
            signs = hear(text, mind).signs
            said.append(extract(text, analyser=mind.store.words.analyser(), signs=signs).triples)
    old = {claim.slot: claim for claim in claims(said[0])}
    return any(one.slot in old and one != old[one.slot] for one in claims(said[1]))


def _superseded(row: Row) -> bool:
    """Say whether remembering both sentences a month apart ends the first."""
    with tempfile.TemporaryDirectory() as folder, Saegim.open(Path(folder) / "s.db") as memory:
        memory.remember(row["old"], happened_at="2026-01-05T09:00:00+09:00")
        new = memory.remember(row["new"], happened_at="2026-03-05T09:00:00+09:00")
        return bool(new.supersedes)


# -- speed ----------------------------------------------------------------------------------------


def speed(half: str, size: int) -> Scores:
    """Time observe on a store of this size, and one fsync on the same disk, in one run."""
    texts = [row["text"] for row in rows("capture", half)]
    with tempfile.TemporaryDirectory() as folder:
        fsyncs = list(_fsyncs(Path(folder) / "plain"))
        with Saegim.open(Path(folder) / "s.db") as memory:
            _filled(memory, size)
            memory.observe(texts[0])
            took = []
            for at, text in enumerate(texts):
                began = time.perf_counter()
                memory.observe(text, session=f"s{at // 20}")
                took.append(1000 * (time.perf_counter() - began))
    base = float(np.median(fsyncs))
    return {
        "memories": size,
        "fsync ms": base,
        "p50 ms": float(np.percentile(took, 50)),
        "p95 ms": float(np.percentile(took, 95)),
        "p95 beyond one fsync ms": float(np.percentile(took, 95)) - base,
    }


def _filled(memory: Saegim, size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "many.jsonl"
        with file.open("w", encoding="utf-8") as lines:
            lines.write(json.dumps({"saegim": "export", "version": 1}) + "\n")
            for n in range(size):
                at = f"2025-{1 + n % 12:02}-{1 + n % 28:02}T09:00:00Z"
                record = {
                    "id": f"mem_filler_{n:07}",
                    "scope": {"user": memory.scope.user},
                    "text": f"{n}번 창고의 {n % 97}번 선반에는 상자가 {n * 7 % 1001}개 있다",
                    "time": {"happened_at": at, "recorded_at": at},
                }
                lines.write(json.dumps({"memory": record}, ensure_ascii=False) + "\n")
        if size:
            memory.import_from(file, form="jsonl")


def _fsyncs(path: Path) -> Iterator[float]:
    with path.open("wb") as file:
        for _ in range(50):
            file.write(b"x" * 4096)
            began = time.perf_counter()
            file.flush()
            os.fsync(file.fileno())
            yield 1000 * (time.perf_counter() - began)


# -- told -----------------------------------------------------------------------------------------


def told(title: str, ways: dict[str, dict[str, Scores]], console: Console) -> None:
    """Print one measurement: a row per way and language."""
    columns = list(next(iter(next(iter(ways.values())).values())))
    table = Table(title=title, title_justify="left", box=None)
    table.add_column("way")
    table.add_column("language")
    for column in columns:
        table.add_column(column, justify="right")
    for way, languages in ways.items():
        for language, scores in languages.items():
            table.add_row(way, language, *(f"{scores[column]:.1f}" for column in columns))
    console.print(table)
    console.print()


def main() -> None:
    """Measure everything once and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", default="held", choices=("held", "tune", "both"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sizes", default="0,5000")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    console = Console(width=120)
    console.print(f"labelled sets ({asked.half}): {digest(asked.half)}")
    found: dict[str, Any] = {"data": digest(asked.half)}
    for title, measure in (
        ("save, skip, retrieve (%)", capture),
        ("secrets masked, and harmless texts changed (none) (%)", secrets),
        ("orders noticed, and plain texts suspected (%)", orders),
        ("time words exact (%)", times),
        ("change stories (%)", changes),
    ):
        found[title] = measure(asked.half)
        told(title, found[title], console)
    found["speed"] = [speed("both", int(size)) for size in asked.sizes.split(",")]
    for each in found["speed"]:
        console.print({name: round(value, 2) for name, value in each.items()})
    if asked.data:
        console.print(f"Feelings: python bench/emotion.py --data {asked.data}")
    if asked.json:
        asked.json.write_text(json.dumps(found, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
