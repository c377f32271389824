"""A file and a PostgreSQL server side by side: python bench/server.py [memories].

`python bench/server.py all` measures every row of the table of goals (bench/server_goals.py).

Starts a server of its own in a temporary folder (tests/servers.py), with syncs on, and ends it.
Beside the wall it tells the CPU of this process and of the server, and a ruler: a fixed piece of
plain Python, which says how busy the machine was. The data is made from a fixed seed. Replicas are
processes of their own (`--replica`), which wait for a word and then ask as fast as they can.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import psycopg
from psycopg.conninfo import conninfo_to_dict

import servers
from saegim.engines.brain.model import Static
from saegim.memory.changes import Saved
from saegim.memory.memory import Memory, Scope, Time
from saegim.store import transfer
from saegim.store.commit import Batch
from saegim.store.databases import walls as second_wall
from saegim.store.databases.postgres import PostgresDatabase
from saegim.store.rows import Where
from saegim.store.store import Store

AT = datetime(2026, 1, 1, tzinfo=UTC)
ME = Scope("me")
HERE = Where(scope=ME)
WORDS = (
    "kettle tea garden meeting tuesday budget river walk dog coffee train ticket seoul busan mapo "
    "보리 한강 산책 회의 화요일 예산 김치 병원 약속 기차 커피 부산 서울 마포 강아지 생일 선물"
).split()
ASKED = 60


def texts(count: int) -> list[str]:
    """Return sentences from a fixed seed, and none twice."""
    draw = random.Random(24)
    return [f"{' '.join(draw.choices(WORDS, k=9))} {number}" for number in range(count)]


def batch(number: int, text: str, vector: Any, identity: Any, owner: str = "me") -> Batch:
    """Return the saving of one memory with its vector."""
    when = AT + timedelta(minutes=number)
    id = f"mem_{owner}_{number}"
    said = Memory(
        id=id, scope=Scope(owner), text=text, time=Time(happened_at=when, recorded_at=when)
    )
    return Batch(owner, [Saved(said)], owner, when, {id: vector}, identity)


def cpu_of(folder: Path) -> float:
    """Return the CPU seconds of a server and of every process it has begun."""
    first = int((folder / "d" / "postmaster.pid").read_text().splitlines()[0])
    ticks = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(stat.parent.name) == first:
            ticks += sum(map(int, fields[11:15]))
        elif int(fields[1]) == first:
            ticks += sum(map(int, fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def ruler() -> float:
    """Return how many milliseconds a fixed piece of plain Python takes now."""
    begun = time.perf_counter()
    sum(number * number % 7 for number in range(200_000))
    return 1000 * (time.perf_counter() - begun)


def measured(act: Callable[[int], object], times: int, folder: Path | None) -> dict[str, float]:
    """Return median and 99th wall, and CPU here and on the server, in milliseconds for each."""
    walls, here = [], time.process_time()
    there = cpu_of(folder) if folder else 0.0
    for at in range(times):
        begun = time.perf_counter()
        act(at)
        walls.append(1000 * (time.perf_counter() - begun))
    return {
        "wall_ms": round(statistics.median(walls), 2),
        "p99_ms": round(sorted(walls)[int(0.99 * (len(walls) - 1))], 2),
        "cpu_ms": round(1000 * (time.process_time() - here) / times, 2),
        "server_cpu_ms": round(1000 * (cpu_of(folder) - there) / times, 2) if folder else 0.0,
    }


def asked(store: Store, embedder: Static, at: int, *, resident: bool) -> None:
    """Ask by word and by vector, as a recall does."""
    said = f"{WORDS[at % len(WORDS)]} {WORDS[(at * 7) % len(WORDS)]}"
    tables = store.at_hand(ME) if resident else store
    terms = store.words.analyser().query(said)
    hits = tables.words.matching(terms, HERE, limit=64).hits
    (vector,) = embedder.embed([said], "query")
    near = tables.vectors.near(vector, embedder.identity, HERE, limit=64)
    numbers = {hit.number for hit in hits[:10]} | {hit.number for hit in near[:10]}
    tables.memories.by_numbers(ME, numbers)


def together(store: Store, embedder: Static, owners: list[str], each: int) -> float:
    """Return how many confirmed writes a second many clients reach once all have begun."""
    (vector,) = embedder.embed(["kettle"], "document")
    # The first writes of a client open its connection and prepare its statements.
    ready, first = threading.Barrier(len(owners) + 1), 3

    def write(at: int) -> None:
        for number in range(first + each):
            if number == first:
                ready.wait()
            name, which = owners[at], 10**6 + at * (first + each) + number
            said = f"w {at} {number}"
            store.commit(batch(which, said, vector, embedder.identity, name))

    threads = [threading.Thread(target=write, args=(at,)) for at in range(len(owners))]
    for thread in threads:
        thread.start()
    ready.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    return round(len(owners) * each / (time.perf_counter() - begun), 1)


def without_wall(server: servers.Server, dsn: str) -> None:
    """Take the second wall down, as it would stand if it had never been built."""
    name = str(conninfo_to_dict(dsn)["dbname"])
    with psycopg.connect(server.dsn(name), autocommit=True) as connection:
        found = connection.execute(
            "SELECT c.relname FROM pg_class c WHERE c.relrowsecurity AND c.relkind = 'r'"
        ).fetchall()
        for (table,) in found:
            connection.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY".encode())


def walls(
    server: servers.Server, dsn: str, store: Store, embedder: Static, said: list[str], vectors: Any
) -> dict[str, Any]:
    """Measure the same reads and writes with the second wall and, without it, untold."""
    number = iter(range(2_000_000, 3_000_000))

    def kept(_: int) -> None:
        at = next(number)
        text = f"{said[at % len(said)]} {at}"
        store.commit(batch(at, text, vectors[at % len(said)], embedder.identity))

    def both() -> dict[str, Any]:
        return {
            "recall_from_sql": measured(
                lambda at: asked(store, embedder, at, resident=False), ASKED, server.folder
            ),
            "recall_resident": measured(
                lambda at: asked(store, embedder, at, resident=True), ASKED, server.folder
            ),
            "remember": measured(kept, 100, server.folder),
        }

    name = str(conninfo_to_dict(dsn)["dbname"])
    both()
    # The planner knows as much of the tables both times.
    server.execute("ANALYZE", database=name)
    with_wall = both()
    without_wall(server, dsn)
    server.execute("ANALYZE", database=name)
    told, wall_owner = {"on": with_wall}, second_wall.whose
    # Without a wall nobody need be told whose rows are asked for.
    second_wall.whose = lambda: ""
    try:
        told["off"] = both()
    finally:
        second_wall.whose = wall_owner
    return told


def visible(store: Store, other: Store, embedder: Static) -> dict[str, int]:
    """Count in how many of its next questions another replica finds what one has kept."""
    (vector,) = embedder.embed(["kettle"], "document")
    other.prepare(ME)
    found = 0
    for number in range(50):
        word = f"sight{number}"
        store.commit(batch(4_000_000 + number, f"{word} garden", vector, embedder.identity))
        terms = other.words.analyser().query(word)
        found += bool(other.at_hand(ME).words.matching(terms, HERE, limit=1).hits)
    return {"asked": 50, "found_with_the_next_question": found}


def replica(dsn: str, place: str, clients: int) -> None:
    """Ask from many threads of one process, once a word comes; tell how long each answer took."""
    home = Path(place)
    home.mkdir(parents=True, exist_ok=True)
    path = PostgresDatabase.beside(dsn, home)
    store, embedder = Store(path, server=PostgresDatabase(dsn, path, most=8)), Static()
    store.prepare(ME)
    asked(store, embedder, 0, resident=True)
    print("ready", flush=True)
    sys.stdin.readline()
    walls: list[float] = []
    here = time.process_time()

    def ask(first: int) -> None:
        for at in range(first, first + ASKED):
            begun = time.perf_counter()
            asked(store, embedder, at, resident=True)
            walls.append(1000 * (time.perf_counter() - begun))

    threads = [threading.Thread(target=ask, args=(at * ASKED,)) for at in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({"walls": walls, "cpu": time.process_time() - here}), flush=True)
    store.close()


def lock_waits(server: servers.Server, over: threading.Event) -> list[int]:
    """Look fifty times a second how many wait for a lock, until it is over."""
    seen = []
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        while not over.wait(0.02):
            asked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            seen.append(int((connection.execute(asked).fetchone() or (0,))[0]))
    return seen


def over_replicas(
    dsn: str, home: Path, count: int, clients: int, server: servers.Server
) -> dict[str, Any]:
    """Return how many recalls a second so many replicas answer to so many clients."""
    words = [sys.executable, __file__, "--replica", dsn]
    ways = [
        subprocess.Popen(
            [*words, str(home / f"replica{at}"), str(clients // count)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for at in range(count)
    ]  # fmt: skip
    for way in ways:
        assert way.stdout is not None
        assert way.stdout.readline() == "ready\n"
    over, seen = threading.Event(), list[int]()
    looking = threading.Thread(target=lambda: seen.extend(lock_waits(server, over)))
    looking.start()
    begun, cpu = time.perf_counter(), cpu_of(server.folder)
    told = [json.loads(way.communicate()[0]) for way in _all_told(ways)]
    wall = time.perf_counter() - begun
    cpu = cpu_of(server.folder) - cpu
    over.set()
    looking.join()
    walls = sorted(each for one in told for each in one["walls"])
    return {
        "per_s": round(len(walls) / wall),
        "p50_ms": round(statistics.median(walls), 2),
        "p99_ms": round(walls[int(0.99 * (len(walls) - 1))], 2),
        "cpu_ms": round(1000 * sum(one["cpu"] for one in told) / len(walls), 2),
        "server_cpu_ms": round(1000 * cpu / len(walls), 2),
        "lock_waits": sum(seen),
        "looked_for_lock_waits": len(seen),
    }


def _all_told(ways: list[subprocess.Popen[str]]) -> list[subprocess.Popen[str]]:
    """Give all the word before one of them is waited for."""
    for way in ways:
        assert way.stdin is not None
        way.stdin.write("go\n")
        way.stdin.flush()
    return ways


def moved(file: Store, there: Store, folder: Path, count: int, one: Batch) -> dict[str, Any]:
    """Carry a file to a server, verified, while somebody writes for another owner now and then."""
    waits, over = [0.0], threading.Event()

    def write() -> None:
        for number in range(100_000):
            if over.wait(0.05):
                return
            begun = time.perf_counter()
            said = replace(one.changes[0].memory, id=f"mem_beside_{number}", scope=Scope("beside"))
            file.commit(Batch("beside", [Saved(said)], "beside", one.at))
            waits.append(1000 * (time.perf_counter() - begun))

    writer = threading.Thread(target=write)
    writer.start()
    begun, here, server = time.perf_counter(), time.process_time(), cpu_of(folder)
    transfer.move(file.database, there.database, closes=False)
    wall = time.perf_counter() - begun
    over.set()
    writer.join()
    return {
        "move_per_s": round(count / wall),
        "move_cpu_ms": round(1000 * (time.process_time() - here) / count, 3),
        "move_server_cpu_ms": round(1000 * (cpu_of(folder) - server) / count, 3),
        "move_longest_wait_of_a_writer_ms": round(max(waits)),
    }


def run(count: int) -> dict[str, Any]:
    """Measure a file and a server with the same memories."""
    said, embedder = texts(count), Static()
    vectors = embedder.embed(said, "document")
    told: dict[str, Any] = {
        "memories": count,
        "data": hashlib.sha256("\n".join(said).encode()).hexdigest()[:16],
        "ruler_ms": round(ruler(), 1),
    }
    with servers.apart(15) as server, tempfile.TemporaryDirectory() as place:
        home = Path(place)
        dsn = server.fresh()
        path = PostgresDatabase.beside(dsn, home)
        file = Store(home / "file.db")
        there = Store(path, server=PostgresDatabase(dsn, path, most=32))
        empty = there.survey.server().bytes
        few = count // 2
        for start in range(0, few, 200):
            for number in range(start, min(start + 200, few)):
                file.commit(batch(number, said[number], vectors[number], embedder.identity))
        told |= moved(
            file, there, server.folder, few, batch(-1, said[0], vectors[0], embedder.identity)
        )
        for name, store, folder in (("file", file, None), ("server", there, server.folder)):
            held: dict[str, Any] = {}
            held["remember"] = measured(
                lambda at, store=store: store.commit(
                    batch(few + at, said[few + at], vectors[few + at], embedder.identity)
                ),
                min(300, count - few),
                folder,
            )
            held["recall_from_sql"] = measured(
                lambda at, store=store: asked(store, embedder, at, resident=False), ASKED, folder
            )
            begun = time.perf_counter()
            store.prepare(ME)
            held["made_resident_ms"] = round(1000 * (time.perf_counter() - begun), 1)
            asked(store, embedder, 0, resident=True)
            held["recall_resident"] = measured(
                lambda at, store=store: asked(store, embedder, at, resident=True), ASKED, folder
            )
            held["writes_per_s_8_owners"] = together(
                store, embedder, [f"owner{at}" for at in range(8)], 40
            )
            held["writes_per_s_1_owner"] = together(store, embedder, ["me"] * 8, 40)
            held["writes_per_s_32_owners"] = together(
                store, embedder, [f"many{at}" for at in range(32)], 40
            )
            held["writes_per_s_1_owner_of_32"] = together(store, embedder, ["one"] * 32, 40)
            told[name] = held
        told["server"]["bytes_per_memory"] = round(
            (there.survey.server().bytes - empty) / max(there.survey.memories(), 1)
        )
        beside = home / "other"
        beside.mkdir()
        other = Store(path, server=PostgresDatabase(dsn, PostgresDatabase.beside(dsn, beside)))
        told["visible_in_the_other_replica"] = visible(there, other, embedder)
        told["recalls"] = {
            f"{count} replicas, {clients} clients": over_replicas(dsn, home, count, clients, server)
            for clients in (8, 32)
            for count in (1, 2)
        }
        told["wall"] = walls(server, dsn, there, embedder, said, vectors)
        for store in (file, there, other):
            store.close()
    return told


if __name__ == "__main__":
    if sys.argv[1:2] == ["--replica"]:
        replica(sys.argv[2], sys.argv[3], int(sys.argv[4]))
        sys.exit()
    if sys.argv[1:2] == ["--sleeper"]:
        sys.modules["server"] = sys.modules["__main__"]
        import server_scale

        server_scale.sleeper(sys.argv[2], sys.argv[3])
        sys.exit()
    if sys.argv[1:2] == ["all"]:
        import server_goals

        server_goals.run(*sys.argv[2:])
        sys.exit()
    parts = ("owners", "million", "client", "rivals", "nights")
    if sys.argv[1:2] and sys.argv[1] in parts:
        sys.modules["server"] = sys.modules["__main__"]
        import server_scale

        print(json.dumps(getattr(server_scale, sys.argv[1])(*map(int, sys.argv[2:])), indent=2))
        sys.exit()
    print(json.dumps(run(int(sys.argv[1]) if len(sys.argv) > 1 else 4_000), indent=2))
