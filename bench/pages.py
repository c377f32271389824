"""How quickly the pages come at a hundred thousand memories: the server's part, and first paint.

    python bench/pages.py [--size 100000] [--work FOLDER] [--json out.json]

A server of its own process is asked over loopback as a browser would ask. Wall time is printed
beside the CPU time of the server, which a busy machine changes little. With a Chromium on the
machine, the first contentful paint of each page is measured as the browser itself reports it, and
the frames of the graph of 5,000 points while it settles, is moved and is looked into. The ruler is
what a fixed piece of plain Python takes here (`latency.ruler`).
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from latency import WHAT, Texts, _meet, fill, grow, ruler, spread
from saegim import Saegim
from saegim.serve.server_file import believed
from saegim.serve.web import door

PAGES = (
    "/", "/memories", "/memories?view=list", "/memories?view=timeline", "/about", "/recall",
    "/cliff", "/proposals", "/self", "/islands", "/imagination", "/voices", "/learning", "/night",
    "/ledger", "/status", "/pulse", "/memories?feeling=joy", "/memories?kind=emotion&tag=t7",
    "/about/graph/data?limit=5000",
)  # fmt: skip
TIMES = 20
# Whom a person of years has met, beside those whom the sentences name.
NAMES = 3_000
_YEARS = 3 * 365 * 86_400 * 1_000_000
# Some of every state and rank, each a 331st of all.
STATES = (
    "tier = 'M0', expires_at = NULL", "kind = 'imagined'", "state = 'quarantined'",
    "state = 'leaving', leaving_reason = 'expired', leaving_since = recorded_at, "
    "leaving_until = (SELECT max(recorded_at) FROM memory) + 86400000000 * (number % 30)",
    "tier = 'M365'", "tier = 'M30'", "kind = 'experience'", "pinned = 1",
)  # fmt: skip
# So many are made; the rest are copies of them inside the file, indexes included.
COPIED_FROM = 10_000
# The limits on one token are not what is measured.
UNHURRIED = {"SAEGIM_SERVE_RATE": "100000", "SAEGIM_SERVE_BURST": "100000"}
CHROMIUM = ("chromium-headless-shell", "chromium", "google-chrome")
_TICK = os.sysconf("SC_CLK_TCK")


def made(home: Path, size: int) -> Path:
    """Return a store of that size, made once."""
    file = home / "saegim.db"
    if not file.exists():
        first = min(size, COPIED_FROM)
        with Saegim.open(file, user="user0") as memory:
            _meet(memory, size, 1)
            fill(memory, Texts(), first, 1)
        if size > first:
            grow(file, first, size, 1)
            with Saegim.open(file, user="user0") as memory:
                memory.remember("one more, so that closing tidies the word index")
            lived(file, size)
    return file


def lived(file: Path, size: int) -> None:
    """Make years of it: spread over time, with names, a long ledger, and some of every state.

    The older lines of the ledger have numbers below one, so that its head stays what it was.
    """
    values = {"size": size, "step": _YEARS // size, "most": size - 40, "names": NAMES}
    with contextlib.closing(apsw.Connection(str(file))) as base, base:
        for sql in (
            "UPDATE memory SET happened_at = happened_at - (:size - number) * :step, "
            "recorded_at = recorded_at - (:size - number) * :step WHERE number < :most",
            "UPDATE ledger SET at = at - :step * ((SELECT max(l.seq) FROM ledger l) - seq) / 4 "
            "WHERE change <> 'Recalled'",
            "INSERT INTO ledger SELECT m.owner, 1 - m.number, m.recorded_at, l.actor, l.change, "
            "m.id, l.facts, l.digest, l.hash FROM memory m CROSS JOIN (SELECT * FROM ledger "
            "WHERE change = 'Saved' ORDER BY seq LIMIT 1) l WHERE m.number < :most",
            *(
                f"UPDATE memory SET {what} WHERE number % 331 = {at} AND number < :most"
                for at, what in enumerate(STATES, start=1)
            ),
            "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < :names) "
            "INSERT INTO entity SELECT owner, 'entity:name ' || n, '', 'name ' || n, "
            "CASE n % 3 WHEN 0 THEN 'person' ELSE 'concept' END, first_seen_at, last_seen_at, "
            "1 + 60000 / (n * n), 'neutral', 0.0, 0.5, details FROM n CROSS JOIN "
            "(SELECT * FROM entity LIMIT 1)",
            "INSERT INTO alias SELECT owner, name, key FROM entity WHERE key LIKE 'entity:name %'",
            "INSERT INTO link SELECT owner, id, 'refers_to', 'entity:name ' || "
            "(1 + number / 10 % :names), 1.0, 0, happened_at, happened_at FROM memory "
            "WHERE number % 10 = 3",
        ):
            base.execute(sql, values)


@contextlib.contextmanager
def served(file: Path) -> Iterator[tuple[int, int]]:
    """Serve a store in a process of its own; yield its port and its process id."""
    command = [sys.executable, "-m", "saegim", "--path", str(file), "--user", "user0", "serve"]
    process = subprocess.Popen(
        [*command, "--port", "0"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **UNHURRIED},
    )
    try:
        while not (found := believed(file.parent)).get("port"):
            if process.poll() is not None:
                raise SystemExit("The server did not start.")
            time.sleep(0.2)
        yield int(str(found["port"])), process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def cpu(pid: int) -> float:
    """Return how long a process has computed, in seconds."""
    held = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(held[11]) + int(held[12])) / _TICK


class Visitor:
    """A browser without a screen."""

    def __init__(self, port: int, home: Path) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        self.said = {"Accept": "text/html"}
        self.ask(f"/in?code={door.new_code(home)}")

    def ask(self, path: str, **more: str) -> int:
        """Ask for a page; return how many bytes came."""
        self.connection.request("GET", path, headers={**self.said, **more})
        answer = self.connection.getresponse()
        if cookie := answer.getheader("set-cookie"):
            self.said["Cookie"] = cookie.partition(";")[0]
        body = answer.read()
        if answer.status not in (200, 303):
            raise SystemExit(f"{path}: {answer.status}")
        return len(body)


def measured(visitor: Visitor, pid: int, paths: list[str], **more: str) -> dict[str, Any]:
    """Ask for each path and return the spread of wall time and the mean of CPU time."""
    visitor.ask(paths[0], **more)
    before, seconds = cpu(pid), []
    for each in paths:
        start = time.perf_counter()
        size = visitor.ask(each, **more)
        seconds.append(time.perf_counter() - start)
    spent = 1000 * (cpu(pid) - before) / len(paths)
    wall = spread(seconds)
    return {"wall ms": [wall["p50"], wall["p95"]], "CPU ms": round(spent, 1), "kB": size // 1000}


def keystrokes(texts: Texts) -> list[str]:
    """Return what is asked while words are typed, letter by letter."""
    asked = []
    for word in (*texts.some(12), *WHAT[:12]):
        asked += [f"/memories?query={quote(word[:n])}" for n in range(1, len(word) + 1)]
    return asked


@contextlib.contextmanager
def window(port: int, home: Path) -> Iterator[Any]:
    """Open a page of a Chromium that was let in; nothing where there is none."""
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(f"http://127.0.0.1:{port}/in?code={door.new_code(home)}")
        yield page
        browser.close()


def painted(page: Any, port: int) -> dict[str, float]:
    """Return when the browser first painted something of each page, in milliseconds."""
    told = {}
    for each in PAGES[:16]:
        times = []
        for _ in range(5):
            page.goto(f"http://127.0.0.1:{port}{each}")
            times.append(
                page.evaluate(
                    "new Promise((done) => new PerformanceObserver((list) => done("
                    "list.getEntriesByName('first-contentful-paint')[0]?.startTime)).observe("
                    "{type: 'paint', buffered: true}))"
                )
            )
        told[each] = round(sorted(filter(None, times))[len(times) // 2], 1)
    return told


# Each frame: how long after the one before, and how long the page's own scripts computed in it.
_WATCH = """() => {
  window.frames_seen = []; let last = performance.now();
  const own = window.requestAnimationFrame.bind(window); let spent = 0;
  window.requestAnimationFrame = (work) => own((at) => {
    const start = performance.now(); work(at); spent += performance.now() - start; });
  const look = () => { const now = performance.now();
    window.frames_seen.push([now - last, spent]); last = now; spent = 0; own(look); };
  own(look);
}"""


def frames(page: Any, port: int) -> dict[str, Any]:
    """Return how long frames took while 5,000 points settle, are moved, and are looked into."""
    page.add_init_script(f"({_WATCH})()")
    page.goto(f"http://127.0.0.1:{port}/about/graph?limit=5000")
    page.wait_for_selector("[data-settled]", timeout=300_000)
    told = {"points": page.locator("#graph-count").inner_text(), "settling": _frames(page)}
    box = page.locator("#graph").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(40):
        page.mouse.move(x + 4 * step, y + 2 * step)
    page.mouse.up()
    told["moving"] = _frames(page)
    for _ in range(12):
        page.mouse.wheel(0, -240)
        page.wait_for_timeout(60)
    told["looking closer"] = _frames(page)
    return told


def _frames(page: Any) -> dict[str, Any]:
    """Return the spread of the frames since the last look, and forget them."""
    seen = page.evaluate("window.frames_seen.splice(0)")
    whole, own = (spread([each[at] / 1000 for each in seen]) for at in (0, 1))
    return {
        "frames": len(seen),
        "ms": [whole["p50"], whole["p95"]],
        "script ms": [own["p50"], own["p95"], own["p99.9"]],
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = given.work or Path(folder)
        home.mkdir(parents=True, mode=0o700, exist_ok=True)
        file = made(home, given.size)
        with served(file) as (port, pid):
            visitor = Visitor(port, home)
            told: dict[str, Any] = {"size": given.size}
            told["pages"] = {each: measured(visitor, pid, [each] * TIMES) for each in PAGES}
            part = {"HX-Request": "true"}
            told["keystroke"] = measured(visitor, pid, keystrokes(Texts()), **part)
            told["recall preview"] = measured(
                visitor, pid, [f"/recall?query={quote(each)}" for each in WHAT], **part
            )
            with window(port, home) as page:
                told["first paint ms"] = painted(page, port) if page else {}
                told["graph"] = frames(page, port) if page else {}
            told["ruler ms"] = ruler()
    for name, held in told["pages"].items():
        print(f"{name:34} {held}")
    for name in ("keystroke", "recall preview", "first paint ms", "graph", "ruler ms"):
        print(name, json.dumps(told[name], ensure_ascii=False))
    if given.json:
        given.json.write_text(json.dumps(told, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
