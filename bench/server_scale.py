"""What `bench/server.py` measures at size: owners of up to 100,000, a million memories, rivals.

    python bench/server.py owners      recalls of 1,000, 20,000 and 100,000, file beside server
    python bench/server.py million     1,000,000 memories of 1,000 owners, and how it grew
    python bench/server.py client      the statements of a write by pgbench, beside ours
    python bench/server.py rivals      the same memories in pgvector and in LangGraph's store

Texts and vectors are made from a fixed seed, and their hash is told. Of the million, one owner is
written by Saegim and copied under other names inside the server: its ledgers are as long as others'
but vouch for nobody.
"""

from __future__ import annotations

import hashlib
import itertools
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from psycopg.conninfo import conninfo_to_dict

import server as plain
import servers
from saegim.engines.brain.model import Static
from saegim.memory.memory import Scope
from saegim.store import transfer
from saegim.store.commit import Batch
from saegim.store.databases.postgres import PostgresDatabase
from saegim.store.rows import Where
from saegim.store.store import Store

SIZES = (1_000, 20_000, 100_000)
# As a server of some size is set; those of the tests are as small as can be.
OPTIONS = ("-c", "shared_buffers=512MB", "-c", "max_wal_size=4GB", "-c", "autovacuum=off")
STEP = 500


def vectors(count: int, dimension: int) -> Any:
    """Return unit vectors of chance from a fixed seed."""
    made = np.random.default_rng(24).standard_normal((count, dimension), dtype=np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def data_hash(said: list[str], made: Any) -> str:
    """Return the hash of texts and vectors."""
    told = hashlib.sha256("\n".join(said).encode())
    told.update(made.astype("<f2").tobytes())
    return told.hexdigest()[:16]


def fill(store: Store, owner: str, said: list[str], made: Any, identity: Any) -> None:
    """Keep memories of one owner, many in each transaction."""
    for start in range(0, len(said), STEP):
        some = [
            plain.batch(at, said[at], made[at], identity, owner)
            for at in range(start, min(start + STEP, len(said)))
        ]
        held = {id: vector for each in some for id, vector in each.vectors.items()}
        changes = [change for each in some for change in each.changes]
        store.commit(Batch(owner, changes, owner, some[-1].at, held, identity))


@contextmanager
def opened(major: int = 15, *options: str) -> Iterator[tuple[servers.Server, str]]:
    """Lend a server of its own on a disk, and the address of a store on it."""
    folder = Path(tempfile.mkdtemp(prefix="saegim-bench-", dir="/tmp"))
    folder.chmod(0o755)
    made = servers.Server(major, folder, options=(*OPTIONS, *options))
    made.make()
    made.start()
    try:
        yield made, made.fresh()
    finally:
        made.stop()


def on_server(dsn: str, home: Path, name: str = "store") -> Store:
    """Open a store on a server, as another process of another machine would."""
    beside = home / name
    beside.mkdir(exist_ok=True)
    path = PostgresDatabase.beside(dsn, beside)
    return Store(path, server=PostgresDatabase(dsn, path))


def settle(server: servers.Server, dsn: str) -> None:
    """Do what the server does by itself within minutes, so that it is not counted."""
    server.execute("VACUUM ANALYZE", "CHECKPOINT", database=str(conninfo_to_dict(dsn)["dbname"]))


def ask(store: Store, embedder: Static, owner: str, at: int, *, resident: bool) -> None:
    """Ask by word and by vector for an owner, as a recall does."""
    scope = Scope(owner)
    said = f"{plain.WORDS[at % len(plain.WORDS)]} {plain.WORDS[(at * 7) % len(plain.WORDS)]}"
    tables, where = store.at_hand(scope) if resident else store, Where(scope=scope)
    hits = tables.words.matching(store.words.analyser().query(said), where, limit=64).hits
    (vector,) = embedder.embed([said], "query")
    near = tables.vectors.near(vector, embedder.identity, where, limit=64)
    tables.memories.by_numbers(scope, {each.number for each in [*hits[:10], *near[:10]]})


def rulers() -> dict[str, float]:
    """Return how long a fixed piece of plain Python takes, by the clock and in CPU."""
    begun = time.thread_time()
    wall = plain.ruler()
    return {"wall_ms": round(wall, 1), "cpu_ms": round(1000 * (time.thread_time() - begun), 1)}


def in_turns(acts: dict[str, Any], times: int, folder: Path) -> dict[str, dict[str, float]]:
    """Measure several things in turns, so that a busy moment counts for all of them."""
    held: dict[str, list[dict[str, float]]] = {name: [] for name in acts}
    for part in range(5):
        for name, act in acts.items():
            at = itertools.count(part * times)
            each = plain.measured(lambda _, at=at, act=act: act(next(at)), times, folder)
            held[name].append(each)
    return {
        name: {key: round(statistics.median(one[key] for one in each), 2) for key in each[0]}
        for name, each in held.items()
    }


def owners(sizes: tuple[int, ...] = SIZES) -> dict[str, Any]:
    """Measure recalls of owners of several sizes, in a file and on a server."""
    embedder, told = Static(), dict[str, Any]()
    said = plain.texts(max(sizes))
    made = vectors(max(sizes), embedder.identity.dimension)
    told["data"], told["ruler"] = data_hash(said, made), rulers()
    with tempfile.TemporaryDirectory() as place, opened() as (server, dsn):
        home = Path(place)
        file, there = Store(home / "file.db"), on_server(dsn, home)
        for size in sizes:
            fill(file, f"o{size}", said[:size], made[:size], embedder.identity)
        begun, here = time.perf_counter(), time.process_time()
        transfer.move(file.database, there.database, closes=False)
        told["move_per_s"] = round(sum(sizes) / (time.perf_counter() - begun))
        told["move_cpu_ms"] = round(1000 * (time.process_time() - here) / sum(sizes), 3)
        settle(server, dsn)
        for size in sizes:
            owner, cold = f"o{size}", dict[str, Any]()
            for name in ("file", "server"):
                firsts = []
                for again in range(5):
                    other = (
                        Store(home / "file.db")
                        if name == "file"
                        else on_server(dsn, home, f"cold{size}-{again}")
                    )
                    # Its connections are open and its statements known; this owner is not.
                    ask(other, embedder, "nobody", 0, resident=False)
                    firsts.append(
                        plain.measured(
                            lambda _, other=other, owner=owner: ask(
                                other, embedder, owner, 3, resident=False
                            ),
                            1,
                            server.folder,
                        )
                    )
                    other.close()
                cold[name] = {key: min(each[key] for each in firsts) for key in firsts[0]}
            for store in (file, there):
                store.prepare(Scope(owner))
                ask(store, embedder, owner, 0, resident=True)
                ask(store, embedder, owner, 1, resident=True)
            warm = in_turns(
                {
                    name: lambda at, store=store, owner=owner: ask(
                        store, embedder, owner, at, resident=True
                    )
                    for name, store in (("file", file), ("server", there))
                },
                40,
                server.folder,
            )
            told[str(size)] = {"first": cold, "resident": warm, "ruler": rulers()}
            print(size, told[str(size)], flush=True)
        file.close()
        there.close()
    return told


def _copied(table: str, columns: list[str], name: str) -> str:
    """Write how rows of one owner become those of many others, inside the server."""
    made = {
        "owner": f"'{name}' || n",
        "number": "number + n * 1000",
        "c0": f"'u' || encode(convert_to('{name}' || n, 'UTF8'), 'hex')",
        "subject": "subject || '_' || n",
        "id": "id + n * 1000" if table.startswith("words") else "id || '_' || n",
    }
    listed = ", ".join(columns)
    values = ", ".join(made.get(each, each) for each in columns)
    whose = {"words_basic_content": f"c0 = 'u{(name + '0').encode().hex()}'", "analysed": "true"}
    return (
        f"INSERT INTO {table} ({listed}) SELECT {values} FROM (SELECT * FROM {table} WHERE "
        f"{whose.get(table, f'owner = {chr(39)}{name}0{chr(39)}')}"
        f"{' AND number <= 1000' if table == 'analysed' else ''}) AS one, "
        "generate_series({first}, {last}) AS n"
    )


def million(count: int = 1_000, each: int = 1_000) -> dict[str, Any]:
    """Fill a server with a thousand owners of a thousand, and measure on the way."""
    embedder, name = Static(), "person"
    said, made = plain.texts(each), vectors(each, embedder.identity.dimension)
    told: dict[str, Any] = {"data": data_hash(said, made), "grew": {}}
    with tempfile.TemporaryDirectory() as place, opened() as (server, dsn):
        home = Path(place)
        there = on_server(dsn, home)
        empty = there.survey.server().bytes
        fill(there, f"{name}0", said, made, embedder.identity)
        base = str(conninfo_to_dict(dsn)["dbname"])
        # What is written on the way lies beyond what is copied.
        beyond = "SELECT setval(pg_get_serial_sequence('memory', 'number'), 1000000000)"
        server.execute(beyond, database=base)
        with psycopg.connect(server.dsn(base), autocommit=True) as connection:
            rows = connection.execute(
                "SELECT table_name, array_agg(column_name::text ORDER BY ordinal_position) "
                "FROM information_schema.columns WHERE table_schema = 'public' "
                "AND is_generated = 'NEVER' AND table_name IN ('memory', 'ledger', 'vector', "
                "'words_basic_content', 'analysed') GROUP BY 1"
            ).fetchall()
        copies = [_copied(table, columns, name) for table, columns in rows]
        held, begun = 1, time.perf_counter()
        for goal in (count // 10, count // 3, count):
            while held < goal:
                last = min(held + 24, goal - 1)
                server.execute(
                    *(each.format(first=held, last=last) for each in copies), database=base
                )
                held = last + 1
            settle(server, dsn)
            told["grew"][str(held * each)] = _grown(server, dsn, home, there, embedder, held) | {
                "bytes_per_memory": round((there.survey.server().bytes - empty) / (held * each)),
                "seconds_so_far": round(time.perf_counter() - begun),
            }
            print(held * each, told["grew"][str(held * each)], flush=True)
        there.close()
    return told


def _grown(
    server: servers.Server, dsn: str, home: Path, there: Store, embedder: Static, held: int
) -> dict[str, Any]:
    """Measure one of so many owners: known, not known, and a write."""
    draw, one = np.random.default_rng(held), f"person{held - 1}"
    known = [f"person{number}" for number in draw.choice(held, min(21, held), replace=False)]
    cold = on_server(dsn, home, f"cold{held}")
    ask(cold, embedder, known.pop(), 0, resident=False)
    first = plain.measured(
        lambda at: ask(cold, embedder, known[at], at, resident=False), len(known), server.folder
    )
    cold.close()
    there.prepare(Scope(one))
    ask(there, embedder, one, 0, resident=True)
    warm = plain.measured(
        lambda at: ask(there, embedder, one, at, resident=True), 100, server.folder
    )
    (vector,) = embedder.embed(["kettle"], "document")

    def kept(at: int) -> None:
        number = 10**7 + held * 1000 + at
        there.commit(plain.batch(number, f"late {number}", vector, embedder.identity, one))

    return {
        "first": first,
        "resident": warm,
        "remember": plain.measured(kept, 50, server.folder),
        "ruler": rulers(),
    }
