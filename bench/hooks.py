"""What a hook costs: CPU of the whole process, with and without a server, busy and idle.

    python bench/hooks.py [--runs 15] [--busy 2]

Every event is run as a client runs it, and the CPU of the ended process is taken from the system
(`resource.getrusage` of children), so starting Python is in it. The promise with a server is 60 ms.
The last lines are the window of a client without a transcript: how long after the start of the
process its words are on the spool. `--busy N` keeps N processes counting meanwhile.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from saegim import Saegim
from saegim.serve.hooks.event import EVENTS

SAEGIM = str(Path(sys.executable).with_name("saegim"))
SESSION = "0b3f6a52-7c1d-4e7a-9f05-2f4f4a1d7c11"
FACTS = ("My dog is called Bori.", "나는 땅콩 알레르기가 있다.", "I live in Busan.")
PROMISED_MS = 60
# The limit is not what is measured.
UNHURRIED = {"SAEGIM_HOOK_MS": "60000"}


def event(folder: Path, transcript: str, prompt: str = "What is my dog called?") -> bytes:
    """Return an event as Claude Code sends it."""
    told = {"session_id": SESSION, "cwd": str(folder), "transcript_path": transcript}
    return json.dumps({**told, "prompt": prompt, "source": "startup"}).encode()


def cpu_of(command: list[str], data: bytes, environment: Mapping[str, str]) -> float:
    """Run a program to its end and return the milliseconds of CPU that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=data, env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1000 * spent


def costs(runs: int, command: list[str], data: bytes, environment: Mapping[str, str]) -> str:
    """Return the median and the largest of several runs; the first writes the bytecode."""
    cpu_of(command, data, environment)
    found = [cpu_of(command, data, environment) for _ in range(runs)]
    return f"{statistics.median(found):6.1f} ms  (largest {max(found):6.1f})"


def window(home: Path, environment: Mapping[str, str], runs: int) -> str:
    """Return how long the words of a client without a transcript are nowhere but in the hook."""
    found = []
    for number in range(runs):
        data = event(home, "", f"My cousin number {number} lives in Busan.")
        before = {*(home / "spool").glob("*.json")}
        began = time.monotonic()
        process = subprocess.Popen(
            [SAEGIM, "hook", "user-prompt-submit"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=environment,
        )
        assert process.stdin is not None
        process.stdin.write(data)
        process.stdin.close()
        while not {*(home / "spool").glob("*.json")} - before and process.poll() is None:
            time.sleep(0.0005)
        found.append(1000 * (time.monotonic() - began))
        process.wait()
    return f"{statistics.median(found):6.1f} ms  (largest {max(found):6.1f}), wall time"


@contextlib.contextmanager
def served(environment: Mapping[str, str], home: Path) -> Iterator[None]:
    """Run a server of this home."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([SAEGIM, "serve", "--port", "0"], env=environment, **quiet)
    try:
        while not (home / "server.json").exists():
            assert process.poll() is None, "the server did not start"
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep so many processes counting."""
    burning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for each in burning:
            each.kill()
            each.wait()


def measure(home: Path, environment: Mapping[str, str], runs: int) -> None:
    """Print one line for each event."""
    transcript = home / "t.jsonl"
    transcript.touch()
    for name in EVENTS:
        data = event(home, str(transcript))
        print(f"  {name:20}{costs(runs, [SAEGIM, 'hook', name], data, environment)}")
    print(f"  {'window':20}{window(home, environment, runs)}")


def main() -> None:
    """Measure with a server, then without one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--busy", type=int, default=0, metavar="N")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="saegim-hooks-") as folder, busy(options.busy):
        home = Path(folder) / "home"
        home.mkdir(mode=0o700)
        environment = {**os.environ, **UNHURRIED, "SAEGIM_HOME": str(home)}
        # As it is installed: with its bytecode.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "bytecode")
        with Saegim.open(home / "saegim.db", background=False) as memory:
            for text in FACTS:
                memory.remember(text)
        start = [sys.executable, "-c", "import re"]
        print(f"python, started as a script is: {costs(options.runs, start, b'', environment)}")
        with served(environment, home):
            print(f"with a server (CPU; promised: {PROMISED_MS} ms)")
            measure(home, environment, options.runs)
        print("without a server (CPU)")
        measure(home, environment, max(options.runs // 3, 3))


if __name__ == "__main__":
    main()
