"""Every row of the table of goals of a server, by one command: python bench/server.py all.

    python bench/server.py all                     every part; nights of 100 owners of 1,000
    python bench/server.py all 1000 1000           the same with a thousand nights
    python bench/server.py all 2 100 --small       everything small: whether it runs at all

Each part is a process of its own, one after the other. What it measured is printed whole, then the
table: what was reached beside what was meant, and how long each part took.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, str(Path(__file__).with_name("server.py")))
FULL: dict[str, tuple[str, ...]] = {
    "plain": ("4000",),
    "owners": ("owners",),
    "client": ("client",),
    "rivals": ("rivals",),
    "million": ("million",),
}
SMALL: dict[str, tuple[str, ...]] = {
    "plain": ("700",),
    "owners": ("owners", "100", "200", "300"),
    "client": ("client", "2"),
    "rivals": ("rivals", "300", "100", "2"),
    "million": ("million", "30", "50"),
}
Row = tuple[str, str, str, bool | None]


def part(words: tuple[str, ...]) -> tuple[dict[str, Any], float]:
    """Measure one part in a process of its own; return what it told, and its seconds."""
    begun = time.perf_counter()
    ended = subprocess.run([*COMMAND, *words], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(ended.stdout), time.perf_counter() - begun


def _at_most(what: str, found: float, goal: float, unit: str = "") -> Row:
    return (what, f"≤ {goal:,}{unit}", f"{found:,.2f}{unit}", found <= goal)


def _at_least(what: str, found: float, goal: float, unit: str = "") -> Row:
    return (what, f"≥ {goal:,}{unit}", f"{found:,.0f}{unit}", found >= goal)


def _of_owners(told: dict[str, Any]) -> Iterator[Row]:
    sizes = [size for size in told if size.isdigit()]
    for size in sizes:
        file, server = (told[size]["resident"][name] for name in ("file", "server"))
        ratio = server["wall_ms"] / file["wall_ms"]
        yield _at_most(f"recall, resident, {size}: wall beside the file's", ratio, 1.5, "×")
        yield _at_most(f"recall, resident, {size}: server CPU", server["server_cpu_ms"], 0.5, " ms")
    for size, goal in zip(sizes, (10, 80), strict=False):
        first = told[size]["first"]["server"]["wall_ms"]
        yield _at_most(f"first recall, not resident, {size}", first, goal, " ms")
    yield _at_least("bulk move, file to server, verified", told["move_per_s"], 3_000, "/s")


def _of_plain(told: dict[str, Any]) -> Iterator[Row]:
    for clients in (8, 32):
        one, two = (told["recalls"][f"{n} replicas, {clients} clients"] for n in (1, 2))
        cpu = [each["cpu_ms"] + each["server_cpu_ms"] for each in (one, two)]
        name = f"two replicas, {clients} clients"
        yield _at_most(f"{name}: CPU of a recall beside one's", cpu[1] / cpu[0], 1.25, "×")
        yield _at_most(f"{name}: p99 beside p50", two["p99_ms"] / two["p50_ms"], 5, "×")
        yield _at_most(f"{name}: waits for a lock seen", two["lock_waits"], 0)
        yield (f"{name}: recalls", "shown", f"{two['per_s']}/s, one {one['per_s']}/s", None)
    file, server = told["file"]["remember"], told["server"]["remember"]
    above = server["wall_ms"] - file["wall_ms"]
    yield _at_most("remember, one client, above the file", above, 2, " ms")
    yield _at_most("remember, one client: server CPU", server["server_cpu_ms"], 1.5, " ms")
    many, one = (told["server"][f"writes_per_s_{n}"] for n in ("32_owners", "1_owner_of_32"))
    yield _at_least("writes, 32 clients, different owners", many, 400, "/s")
    yield _at_least("writes, 32 clients, one owner", one, 600, "/s")
    for act, on in told["wall"]["on"].items():
        off = told["wall"]["off"][act]
        ratio = (on["cpu_ms"] + on["server_cpu_ms"]) / (off["cpu_ms"] + off["server_cpu_ms"])
        yield _at_most(f"row-level security, {act}: CPU on beside off", ratio, 1.15, "×")
    seen = told["visible_in_the_other_replica"]
    found = seen["found_with_the_next_question"]
    yield _at_least("seen in the other replica with the next question", found, seen["asked"])
    yield _at_most("bytes for a memory", told["server"]["bytes_per_memory"], 4_000)


def _of_nights(told: dict[str, Any]) -> Iterator[Row]:
    name = f"nights, {told['owners']} owners of {told['memories_each']}, two replicas"
    yield _at_most(f"{name}: nights of one owner", told["nights_of_one_owner_at_most"], 1)
    yield _at_least(f"{name}: owners that slept", told["owners_that_slept"], told["owners"])
    yield _at_most(f"{name}: the last is done after", told["seconds"], 3_600, " s")
    ratio = told["beside_nights"]["p99_ms"] / told["alone"]["p99_ms"]
    yield _at_most(f"{name}: others' recall p99 beside alone", ratio, 2, "×")


def _of_million(told: dict[str, Any]) -> Iterator[Row]:
    for size, held in told["grew"].items():
        cpu = [held[act]["server_cpu_ms"] for act in ("resident", "first", "remember")]
        shown = f"recall {cpu[0]}, first {cpu[1]}, write {cpu[2]} ms of server CPU"
        yield (f"{int(size):,} memories", "shown", shown, None)
    yield _at_most("bytes for a memory at the largest", held["bytes_per_memory"], 4_000)


def table(told: dict[str, Any]) -> list[Row]:
    """Return each row: what, the goal, what was reached, and whether that is enough."""
    c_client = _at_least("the same writes by a C client", told["client"]["c_client_per_s"], 900)
    return [
        *_of_owners(told["owners"]),
        *_of_plain(told["plain"]),
        c_client,
        *_of_nights(told["nights"]),
        *_of_million(told["million"]),
    ]


def run(*given: str) -> None:
    """Measure everything, and print it."""
    small = "--small" in given
    sizes = [each for each in given if each != "--small"] or ["100", "1000"]
    parts = {**(SMALL if small else FULL), "nights": ("nights", *sizes)}
    told: dict[str, Any] = {}
    took: dict[str, float] = {}
    for name, words in parts.items():
        told[name], took[name] = part(words)
        print(f"{name}: {took[name]:.0f} s", file=sys.stderr, flush=True)
    print(json.dumps(told, indent=2, ensure_ascii=False))
    print("\n| work | goal | reached | |\n|---|--:|--:|---|")
    for what, goal, found, enough in table(told):
        print(
            f"| {what} | {goal} | {found} | {'' if enough is None else 'yes' if enough else 'no'} |"
        )
    print(f"\n{sum(took.values()):.0f} s: {', '.join(f'{k} {v:.0f}' for k, v in took.items())}")
