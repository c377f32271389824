"""How quickly the doors open and answer: stdio and HTTP, alone and in company, beside others.

    python bench/serve.py [--reference "node …/server-memory/dist/index.js"]
                          [--rival "mempalace-mcp"]

Other servers are given as the command that starts them; they are installed by whoever measures,
and asked in the same run on the same machine. Times are wall time unless they are said to be CPU
(of all threads of a process, as the system counts it); compare ratios, not machines: the ruler, a
fixed piece of plain Python, says how busy this one is.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import http.client
import json
import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import saegim
from latency import ruler

SAEGIM = [str(Path(sys.executable).with_name("saegim")), "mcp", "--alone"]
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}}
OPENING = {**CLIENT, "clientInfo": {"name": "bench", "version": "1"}}
CLIENTS = (1, 8, 32)
# The limits on one token are not what is measured.
UNHURRIED = {"SAEGIM_SERVE_RATE": "100000", "SAEGIM_SERVE_BURST": "100000"}
Json = dict[str, Any]


def sentence(number: int) -> str:
    """Return one of as many sentences as are wanted, half of them Korean."""
    if number % 2:
        return f"{number}번 상자에는 {number * 7 % 97}월의 영수증이 들어 있다."
    return f"Box number {number} holds the receipts of project {number * 7 % 97}."


# What each server is asked to do: keep one sentence, and look for it.
SAVES: dict[str, Callable[[int], tuple[str, Json]]] = {
    "saegim": lambda n: ("memory_save", {"content": sentence(n)}),
    "reference": lambda n: (
        "create_entities",
        {"entities": [{"name": f"box {n}", "entityType": "box", "observations": [sentence(n)]}]},
    ),
    "rival": lambda n: (
        "mempalace_kg_add",
        {"subject": f"box {n}", "predicate": "holds", "object": sentence(n)},
    ),
}
FINDS: dict[str, Callable[[int], tuple[str, Json]]] = {
    "saegim": lambda n: ("memory_search", {"query": sentence(n)}),
    "reference": lambda n: ("search_nodes", {"query": f"box {n}"}),
    "rival": lambda n: ("mempalace_kg_query", {"entity": f"box {n}"}),
}


class Stdio:
    """A client of one server process."""

    def __init__(self, command: list[str], home: str) -> None:
        quiet = {"HOME": home, "SAEGIM_HOME": home, "MEMORY_FILE_PATH": f"{home}/graph.jsonl"}
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **quiet},
            cwd=home,
        )
        self._id = 0

    def ask(self, method: str, params: Json) -> Json:
        """Send a request and wait for its answer."""
        assert self.process.stdin
        assert self.process.stdout
        self._id += 1
        message = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            answer: Json = json.loads(self.process.stdout.readline())
            if answer.get("id") == self._id:
                return answer

    def opened(self) -> None:
        """Shake hands."""
        self.ask("initialize", OPENING)
        assert self.process.stdin
        self.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self.process.stdin.flush()

    def call(self, name: str, arguments: Json) -> Json:
        """Call a tool that must work."""
        answer = self.ask("tools/call", {"name": name, "arguments": arguments})
        if answer.get("result", {}).get("isError"):
            raise SystemExit(f"{name} failed: {str(answer)[:200]}")
        return answer

    @property
    def megabytes(self) -> float:
        """Return what the server takes now."""
        return resident(self.process.pid)

    def close(self) -> None:
        """Leave, and wait until the server has left."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(20)


def resident(pid: int) -> float:
    """Return the memory of a process in megabytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def computed(pid: int) -> float:
    """Return the seconds that a process has computed."""
    told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


@dataclass(frozen=True, slots=True)
class Measured:
    """What one server did over stdio."""

    name: str
    listed: list[float]
    waiting: float
    working: float
    save: list[float]
    find: list[float]
    # Seconds of CPU for each call of either sort.
    each: tuple[float, float]

    def line(self) -> str:
        """Return it in one line."""
        return (
            f"{self.name:10} ready {statistics.median(self.listed):5.2f} s  "
            f"idle {self.waiting:5.0f} MB, after calls {self.working:5.0f} MB  "
            f"save p50 {1e3 * percentile(self.save, 0.5):6.1f} p99 "
            f"{1e3 * percentile(self.save, 0.99):6.1f} ms  "
            f"find p50 {1e3 * percentile(self.find, 0.5):6.1f} p99 "
            f"{1e3 * percentile(self.find, 0.99):6.1f} ms  "
            f"CPU {1e3 * self.each[0]:5.1f} / {1e3 * self.each[1]:5.1f} ms"
        )


def over_stdio(name: str, command: list[str], *, starts: int, calls: int) -> Measured:
    """Start a server a few times, then work with the last one."""
    listed: list[float] = []
    for each in range(starts):
        home = tempfile.mkdtemp()
        began = time.perf_counter()
        client = Stdio(command, home)
        client.opened()
        client.ask("tools/list", {})
        listed.append(time.perf_counter() - began)
        if each + 1 < starts:
            client.close()
    time.sleep(2)
    waiting = client.megabytes
    save, find = [], []
    for number in range(calls):
        for times, act in ((save, SAVES[name]), (find, FINDS[name])):
            began = time.perf_counter()
            client.call(*act(number))
            times.append(time.perf_counter() - began)
    each = [0.0, 0.0]
    for at, act in enumerate((SAVES[name], FINDS[name])):
        before = computed(client.process.pid)
        for number in range(calls, 2 * calls):
            client.call(*act(number))
        each[at] = (computed(client.process.pid) - before) / calls
    spent = (each[0], each[1])
    measured = Measured(name, listed, waiting, client.megabytes, save[3:], find[3:], spent)
    client.close()
    return measured


def library(calls: int) -> tuple[list[float], list[float]]:
    """Return how long the same calls take without any door."""
    save, find = [], []
    with saegim.Saegim.open(Path(tempfile.mkdtemp()) / "saegim.db") as memory:
        for number in range(calls):
            began = time.perf_counter()
            memory.remember(sentence(number), origin="agent_inferred")
            between = time.perf_counter()
            memory.recall(sentence(number))
            save.append(between - began)
            find.append(time.perf_counter() - between)
    return save[3:], find[3:]


def cold_commands() -> None:
    """Say what a command of its own process computes: alone, and beside a server that answers."""
    words = {"recall": ["recall", sentence(3)], "remember": ["remember", sentence(2)]}
    # A setting of one process is its own: a server is asked by who has none.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("SAEGIM_")}
    alone = {**plain, "SAEGIM_HOME": tempfile.mkdtemp()}
    for number in range(20):
        _cost(alone, ["remember", sentence(number)])
    for name, asked in words.items():
        print(f"cold {name:9} {1e3 * statistics.median(_costs(alone, asked)):6.0f} ms of CPU")
    with server() as (_, _, pid):
        beside = {**plain, "SAEGIM_HOME": str(Path(f"/proc/{pid}/cwd").resolve())}
        for name, asked in words.items():
            _cost(beside, asked)
            before = computed(pid)
            took = _costs(beside, asked)
            there = (computed(pid) - before) / len(took)
            print(
                f"beside a server {name:9} {1e3 * statistics.median(took):6.0f} ms of CPU, "
                f"and {1e3 * there:.0f} in the server"
            )


def _costs(environment: dict[str, str], words: list[str]) -> list[float]:
    return [_cost(environment, words) for _ in range(7)]


def _cost(environment: dict[str, str], words: list[str]) -> float:
    """Run a command; return the seconds that it computed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [SAEGIM[0], "--json", *words],
        env=environment,
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@contextlib.contextmanager
def server() -> Iterator[tuple[int, str, int]]:
    """Run `saegim serve`; yield its port, its token and its process id."""
    home = Path(tempfile.mkdtemp())
    process = subprocess.Popen(
        [SAEGIM[0], "--json", "serve", "--port", "0"],
        env={
            **os.environ,
            "SAEGIM_HOME": str(home),
            "SAEGIM_SERVE_RATE": "100000",
            "SAEGIM_SERVE_BURST": "100000",
        },
        stdout=subprocess.PIPE,
        cwd=home,
    )
    try:
        told = home / "server.json"
        while not told.exists():
            time.sleep(0.05)
        held = json.loads(told.read_text())
        yield held["port"], Path(held["token_file"]).read_text().strip(), process.pid
    finally:
        process.terminate()
        process.wait(20)


def posted(connection: http.client.HTTPConnection, token: str, path: str, body: Json) -> Json:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    headers["Accept"] = "application/json, text/event-stream"
    if path == "/mcp":
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": "memory_search"}
        headers["MCP-Protocol-Version"] = "2026-07-28"
    connection.request("POST", path, json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{path} answered {answer.status}: {text[:200]!r}")
    told: Json = json.loads(text) if text.startswith(b"{") else {}
    return told


def by_rest(number: int) -> tuple[str, Json]:
    return "/v1/search", {"query": sentence(number)}


def by_mcp(number: int) -> tuple[str, Json]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    }
    params = {"name": "memory_search", "arguments": {"query": sentence(number)}, "_meta": meta}
    return "/mcp", {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def over_http(calls: int) -> None:
    """Ask one server over REST and MCP with 1, 8 and 32 clients at a time."""
    with server() as (port, token, pid):
        first = http.client.HTTPConnection("127.0.0.1", port)
        for number in range(calls):
            posted(first, token, "/v1/memories", {"content": sentence(number)})
        for name, act in (("REST", by_rest), ("MCP", by_mcp)):
            for clients in CLIENTS:
                before = computed(pid)
                times, took = crowd(port, token, act, clients, max(calls, 4 * clients))
                spent = 1e3 * (computed(pid) - before) / len(times)
                half, most = 1e3 * percentile(times, 0.5), 1e3 * percentile(times, 0.99)
                rate = len(times) / took
                print(
                    f"HTTP {name:5} {clients:3} clients  {rate:7.1f} calls/s  "
                    f"p50 {half:6.1f}  p99 {most:6.1f} ms  CPU {spent:5.1f} ms each"
                )
        print(f"HTTP server after that: {resident(pid):.0f} MB")


def crowd(
    port: int, token: str, act: Callable[[int], tuple[str, Json]], clients: int, calls: int
) -> tuple[list[float], float]:
    """Let so many clients ask at once; return each call's time and how long all took."""
    times: list[float] = []

    def one(first: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for number in range(first, calls, clients):
            began = time.perf_counter()
            posted(connection, token, *act(number))
            times.append(time.perf_counter() - began)

    began = time.perf_counter()
    threads = [threading.Thread(target=one, args=(each,)) for each in range(clients)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return times, time.perf_counter() - began


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--reference", help="command of the MCP reference memory server")
    asked.add_argument("--rival", help="command of another memory server")
    asked.add_argument("--starts", type=int, default=5)
    asked.add_argument("--calls", type=int, default=200)
    given = asked.parse_args()
    data = "".join(sentence(number) for number in range(given.calls)).encode()
    said = f"saegim {saegim.__version__}, data {hashlib.sha256(data).hexdigest()[:16]}"
    print(f"{said}, ruler {ruler()} ms")
    cold_commands()
    commands = {"saegim": SAEGIM}
    for name in ("reference", "rival"):
        if getattr(given, name):
            commands[name] = shlex.split(getattr(given, name))
    measured = {
        name: over_stdio(name, command, starts=given.starts, calls=given.calls)
        for name, command in commands.items()
    }
    for each in measured.values():
        print(each.line())
    save, find = library(given.calls)
    ours = measured["saegim"]
    for what, alone, through in (("save", save, ours.save), ("find", find, ours.find)):
        over = percentile(through, 0.5) - percentile(alone, 0.5)
        print(
            f"library    {what} p50 {1e3 * percentile(alone, 0.5):6.1f} ms; "
            f"the door adds {1e3 * over:5.1f} ms"
        )
    over_http(given.calls)


if __name__ == "__main__":
    main()
