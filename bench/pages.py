"""How quickly the pages come at a hundred thousand memories: the server's part, and first paint.

    python bench/pages.py [--size 100000] [--work FOLDER] [--json out.json]

A server of its own process is asked over loopback as a browser would ask. Wall time is printed
beside the CPU time of the server, which a busy machine changes little. With a Chromium on the
machine, the first contentful paint of each page is measured as the browser itself reports it.
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

from latency import WHAT, Texts, _meet, fill, grow, spread
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
# So many are made; the rest are copies of them inside the file, indexes included.
COPIED_FROM = 10_000
# The limits on one token are not what is measured.
UNHURRIED = {"SAEGIM_SERVE_RATE": "100000", "SAEGIM_SERVE_BURST": "100000"}
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
    return file


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


def painted(port: int, home: Path) -> dict[str, float]:
    """Return when the browser first painted something of each page, in milliseconds."""
    path = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
    if path is None:
        return {}
    from playwright.sync_api import sync_playwright

    told = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/in?code={door.new_code(home)}")
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
        browser.close()
    return told


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
            told["first paint ms"] = painted(port, home)
    for name, held in told["pages"].items():
        print(f"{name:34} {held}")
    for name in ("keystroke", "recall preview", "first paint ms"):
        print(name, json.dumps(told[name], ensure_ascii=False))
    if given.json:
        given.json.write_text(json.dumps(told, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
