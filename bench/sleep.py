"""How long does a night take, how does that grow, and who has to wait for it?

    python bench/sleep.py [--sizes 10000,100000,1000000] [--keep FOLDER] [--out result.json]

Two nights without a language model: the first, to which everything is new, and the next one, with
one memory in a hundred new. On a copy of the store the first night is slept once more in company: a
thread of the same process that recalls, and another process that writes, both also without a night.
Every night is slept in a process of its own. How the stores are made: months.py and
copies.py beside this file.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import platform
import resource
import shutil
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from copies import grow
from months import BASE, FRESH, NEW, NIGHT, OPTIONS, Texts, Words, remember
from saegim import FixedClock, Saegim
from saegim.sleep.flow import NIGHT as STAGES

RECALL_EVERY, WRITE_EVERY = 0.05, 0.1
QUIET_SECONDS = 20.0
BASE_STORE = "base.db"
NEXT_NIGHT = NIGHT + timedelta(days=1)
# Shorter than this, a stage is start-up and noise: its growth says nothing.
_TELLING = 0.2
_AWAY = multiprocessing.get_context("spawn")


def opened(path: Path, at: datetime, **settings: Any) -> Saegim:
    return Saegim.open(path, clock=FixedClock(at), **{**OPTIONS, **settings})


# -- making ---------------------------------------------------------------------------------------


def made(path: Path, size: int, base: Path) -> dict[str, Any]:
    """Make a store of this size, as it is at bedtime."""
    began = time.perf_counter()
    words = Words()
    if not base.exists():
        with opened(base, NIGHT, durability="fast") as memory:
            digest = remember(memory, BASE, words)
        base.with_suffix(".sha256").write_text(digest, encoding="ascii")
    shutil.copy(base, path)
    grow(path, 0, size // BASE - 1, words)
    with opened(path, NIGHT) as memory:
        told = {"memories": memory.mind.store.memories.tally(memory.scope)}
    seconds = round(time.perf_counter() - began, 1)
    data = base.with_suffix(".sha256").read_text(encoding="ascii")
    return told | {"data": data, "made in s": seconds, "MB": round(path.stat().st_size / 1e6)}


def a_day_later(path: Path, size: int) -> None:
    """Remember what the next day brings: one memory in a hundred."""
    words = Words()
    with opened(path, NEXT_NIGHT, durability="fast") as memory:
        before = memory.mind.store.night_queries.newest(memory.scope.user)
        remember(memory, round(BASE * NEW), words, only=FRESH)
    grow(path, before, size // BASE - 1, words)


# -- one night ------------------------------------------------------------------------------------


class Watch:
    """Notes when each stage began, in seconds of the wall and of the processor."""

    def __init__(self) -> None:
        self.marks: list[tuple[str, float, float]] = []

    def tell(self, stage: str, steps: int) -> None:
        """Hear how a night goes on."""
        if not steps:
            self.note(stage)

    def note(self, name: str) -> None:
        """Note that something begins."""
        self.marks.append((name, time.monotonic(), time.process_time()))

    def spans(self) -> dict[str, tuple[float, float, float]]:
        """Return for each stage when it began, its seconds, and those of the processor."""
        pairs = zip(self.marks, self.marks[1:], strict=False)
        return {name: (one, two - one, cpu2 - cpu) for (name, one, cpu), (_, two, cpu2) in pairs}


def slept(memory: Saegim) -> tuple[dict[str, Any], Watch]:
    """Sleep one night and say what each stage cost and did."""
    watch, before = Watch(), _peak_mb()
    night = memory.sleep(tell=watch.tell)
    watch.note("end")
    assert night is not None
    spans = watch.spans()
    result = {
        "seconds": {name: round(span[1], 3) for name, span in spans.items()},
        "processor": {name: round(span[2], 3) for name, span in spans.items()},
        "total": round(sum(span[1] for span in spans.values()), 2),
        "total processor": round(sum(span[2] for span in spans.values()), 2),
        "MB before": before,
        "MB peak": _peak_mb(),
        "load": [round(each, 1) for each in os.getloadavg()],
        "did": {
            stage: {what: n for what, n in did.items() if not what.endswith(":ids")}
            for stage, did in night.told.items()
        },
    }
    return result, watch


def alone(path: Path, at: datetime) -> dict[str, Any]:
    """Sleep without anyone else."""
    with opened(path, at) as memory:
        return slept(memory)[0]


def _peak_mb() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def away(work: Any, *given: Any) -> Any:
    """Do something in a process of its own, so that its memory is its own too."""
    with _AWAY.Pool(1) as pool:
        return pool.apply(work, given)


# -- in company -----------------------------------------------------------------------------------


def in_company(path: Path) -> dict[str, Any]:
    """Sleep while a thread recalls and another process writes; both also when nobody sleeps."""
    ours, theirs = _AWAY.Pipe()
    writer = _AWAY.Process(target=_write, args=(path, theirs))
    writer.start()
    asked: list[tuple[float, float]] = []
    stop = threading.Event()
    with opened(path, NIGHT) as memory:
        ours.recv()
        memory.recall("커피 이야기")
        reader = threading.Thread(target=_ask, args=(memory, asked, stop))
        reader.start()
        time.sleep(QUIET_SECONDS)
        begun = time.monotonic()
        night, watch = slept(memory)
        ended = time.monotonic()
        stop.set()
        reader.join()
    ours.send("stop")
    wrote, failed = ours.recv()
    writer.join()
    return {
        "night": night,
        "recall": _compared(asked, begun, ended, watch),
        "write": _compared(wrote, begun, ended, watch) | {"failed": failed},
    }


def _ask(memory: Saegim, took: list[tuple[float, float]], stop: threading.Event) -> None:
    texts = Texts(Words(), seed=2)
    while not stop.wait(RECALL_EVERY):
        korean = texts.dice.random() < 0.5
        question = " ".join(texts.some(2, korean=korean)) + (" 언제였지?" if korean else " when?")
        start = time.monotonic()
        memory.recall(question)
        took.append((start, time.monotonic() - start))


def _write(path: Path, pipe: Connection) -> None:
    texts, took, failed = Texts(Words(), seed=3), [], []
    with opened(path, NIGHT) as memory:
        memory.remember("one before it counts")
        pipe.send("ready")
        while not pipe.poll(WRITE_EVERY):
            text = texts.make(texts.dice.choice(("fact", "chatter")), NIGHT)
            start = time.monotonic()
            try:
                memory.remember(text)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is counted and shown
                failed.append(repr(error)[:200])
            took.append((start, time.monotonic() - start))
    pipe.send((took, failed))


def _compared(
    took: Sequence[tuple[float, float]], begun: float, ended: float, watch: Watch
) -> dict[str, Any]:
    """Return percentiles in milliseconds without and with the night, and the worst by stage."""
    worst: dict[str, float] = {}
    for name, (start, seconds, _) in watch.spans().items():
        held = [s for at, s in took if at < start + seconds and at + s > start]
        worst[name] = round(max(held, default=0.0) * 1000, 1)
    quiet = _spread(s for at, s in took if at < begun)
    night = _spread(s for at, s in took if begun <= at < ended)
    ratio = round(night["p50"] / quiet["p50"], 2) if quiet and night else math.nan
    return {"quiet": quiet, "night": night, "ratio of p50": ratio, "worst by stage": worst}


def _spread(seconds: Iterable[float]) -> dict[str, float]:
    held = np.array(list(seconds)) * 1000
    if not len(held):
        return {}
    at = {f"p{n}": round(float(np.percentile(held, n)), 2) for n in (50, 99)}
    return at | {"max": round(float(held.max()), 1), "n": len(held)}


# -- showing --------------------------------------------------------------------------------------


def exponent(points: Sequence[tuple[int, float]]) -> str:
    """Return how seconds grow with N: the slope of their logarithms; 1 is linear."""
    told = [(size, seconds) for size, seconds in points if seconds >= _TELLING]
    if len(told) < 2:
        return ""
    sizes, seconds = zip(*told, strict=True)
    return f"{np.polyfit(np.log(sizes), np.log(seconds), 1)[0]:.2f}"


def table(title: str, results: dict[int, Any], which: str) -> None:
    """Print seconds by stage and size, and how they grow; in brackets those of the processor."""
    sizes = [size for size in results if which in results[size]]
    print(f"\n{title}: seconds (of the processor)\n")
    print("| stage | " + " | ".join(f"{size:,}" for size in sizes) + " | exponent |")
    print("|---|" + "--:|" * (len(sizes) + 1))
    for name in (*(stage.name for stage in STAGES), "total"):
        cells, points = [], []
        for size in sizes:
            night = results[size][which]
            whole = (night["total"], night["total processor"])
            wall, cpu = (
                whole if name == "total" else (night["seconds"][name], night["processor"][name])
            )
            cells.append(f"{wall:.1f} ({cpu:.1f})")
            points.append((size, cpu))
        print(f"| {name} | " + " | ".join(cells) + f" | {exponent(points)} |")
    peaks = [f"{results[size][which]['MB peak']:,.0f}" for size in sizes]
    print("| peak memory, MB | " + " | ".join(peaks) + " | |")


def waits(results: dict[int, Any]) -> None:
    """Print what the company felt."""
    print("\nIn company, first night: milliseconds, p50 / p99 / longest\n")
    print("| memories | who | without a night | during it | p50, times | longest in |")
    print("|--:|---|--:|--:|--:|---|")
    for size, result in results.items():
        for who in ("recall", "write"):
            if not (told := result.get("company", {}).get(who)):
                continue
            cells = [
                f"{told[when]['p50']:.1f} / {told[when]['p99']:.0f} / {told[when]['max']:.0f}"
                for when in ("quiet", "night")
            ]
            longest = max(told["worst by stage"], key=told["worst by stage"].__getitem__)
            print(
                f"| {size:,} | {who} | {' | '.join(cells)} | {told['ratio of p50']} | {longest} |"
            )


def deeds(results: dict[int, Any]) -> None:
    """Print what the nights did."""
    for size, result in results.items():
        for which in ("first", "next"):
            if which in result:
                did = result[which]["did"]
                told = "; ".join(
                    f"{stage} " + ", ".join(f"{what} {n}" for what, n in each.items())
                    for stage, each in did.items()
                    if each
                )
                print(f"\n{size:,}, {which} night: {told}")


def measure(size: int, work: Path, *, company: bool) -> dict[str, Any]:
    """Measure one size."""
    path = work / f"night-{size}" / "memory.db"
    shutil.rmtree(path.parent, ignore_errors=True)
    path.parent.mkdir(parents=True)
    result: dict[str, Any] = {"made": away(made, path, size, work / BASE_STORE)}
    print(f"\n{size:,}: {result['made']}", flush=True)
    beside = path.parent / "beside" / "memory.db"
    if company:
        beside.parent.mkdir()
        shutil.copy(path, beside)
    result["first"] = away(alone, path, NIGHT)
    away(a_day_later, path, size)
    result["next"] = away(alone, path, NEXT_NIGHT)
    result["MB after"] = round(path.stat().st_size / 1e6)
    if company:
        result["company"] = in_company(beside)
    return result


def main() -> None:
    """Measure each size; print tables and, if asked, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--keep", type=Path, help="keep the stores in this folder")
    parser.add_argument("--out", type=Path, help="write everything here as JSON")
    parser.add_argument("--alone", action="store_true", help="leave the night in company out")
    given = parser.parse_args()
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores")
    results: dict[int, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        work = given.keep or Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        # One that an older version has made may lack what this one needs.
        (work / BASE_STORE).unlink(missing_ok=True)
        for size in map(int, given.sizes.split(",")):
            results[size] = measure(size, work, company=not given.alone)
            if given.out:
                given.out.write_text(json.dumps(results, indent=1), encoding="utf-8")
            if not given.keep:
                shutil.rmtree(work / f"night-{size}")
    table("The first night", results, "first")
    table("The next night", results, "next")
    waits(results)
    deeds(results)


if __name__ == "__main__":
    main()
