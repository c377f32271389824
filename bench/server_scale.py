"""What `bench/server.py` measures at size: owners of up to 100,000, a million memories, rivals.

    python bench/server.py owners      recalls of 1,000, 20,000 and 100,000, file beside server
    python bench/server.py million     1,000,000 memories of 1,000 owners, and how it grew
    python bench/server.py client      the statements of a write by pgbench, beside ours
    python bench/server.py nights      nights of many owners by two replicas
    python bench/server.py rivals      the same memories in pgvector and in LangGraph's store

Texts and vectors are made from a fixed seed, and their hash is told. Of the million, one owner is
written by Saegim and copied under other names inside the server: its ledgers are as long as others'
but vouch for nobody.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from psycopg.conninfo import conninfo_to_dict

import server as plain
import servers
from saegim.engines.brain.model import Static
from saegim.memory.changes import Saved
from saegim.memory.memory import Content, Scope
from saegim.saegim import Saegim
from saegim.sleep.scheduler import Scheduler, is_due
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


def fill(
    store: Store, owner: str, said: list[str], made: Any, identity: Any, *, read: bool = False
) -> None:
    """Keep memories of one owner, many in each transaction.

    Through a door a memory is read when it is kept; with `read` it is said to have been.
    """
    for start in range(0, len(said), STEP):
        some = [
            plain.batch(at, said[at], made[at], identity, owner)
            for at in range(start, min(start + STEP, len(said)))
        ]
        held = {id: vector for each in some for id, vector in each.vectors.items()}
        changes = [change for each in some for change in each.changes]
        if read:
            known = [
                replace(each.memory, content=Content(language="en", brief=each.memory.text[:60]))
                for each in changes
            ]
            changes = [Saved(each) for each in known]
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
    # CPU of the server is counted in hundredths of a second: the mean of all, and no median.
    return {
        name: {
            key: round((statistics.mean if "cpu" in key else statistics.median)(found), 2)
            for key in each[0]
            for found in [[one[key] for one in each]]
        }
        for name, each in held.items()
    }


def owners(*given: int) -> dict[str, Any]:
    """Measure recalls of owners of several sizes, in a file and on a server."""
    sizes = given or SIZES
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
            print(size, told[str(size)], file=sys.stderr, flush=True)
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


def copies_of(server: servers.Server, dsn: str, name: str) -> list[str]:
    """Return how the first owner of a store, of at most a thousand memories, is copied there."""
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
    return [_copied(table, columns, name) for table, columns in rows]


def copied(server: servers.Server, dsn: str, copies: list[str], first: int, end: int) -> int:
    """Copy the first owner under the names of these numbers; return the one that comes next."""
    base = str(conninfo_to_dict(dsn)["dbname"])
    server.execute(*(each.format(first=first, last=end - 1) for each in copies), database=base)
    return end


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
        copies = copies_of(server, dsn, name)
        held, begun = 1, time.perf_counter()
        for goal in (count // 10, count // 3, count):
            while held < goal:
                held = copied(server, dsn, copies, held, min(held + 25, goal))
            settle(server, dsn)
            told["grew"][str(held * each)] = _grown(server, dsn, home, there, embedder, held) | {
                "bytes_per_memory": round((there.survey.server().bytes - empty) / (held * each)),
                "seconds_so_far": round(time.perf_counter() - begun),
            }
            print(held * each, told["grew"][str(held * each)], file=sys.stderr, flush=True)
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


def _plain(params: Any) -> Any:
    """Return parameters as they are sent: truths are numbers."""
    if isinstance(params, dict):
        return {key: int(each) if isinstance(each, bool) else each for key, each in params.items()}
    return tuple(int(each) if isinstance(each, bool) else each for each in params or ()) or None


def _script(dsn: str, store: Store, embedder: Static) -> str:
    """Return the statements of one write as pgbench reads them, each client with its own owner."""
    (vector,) = embedder.embed(["kettle"], "document")
    sent: list[tuple[Any, Any]] = []
    usual = psycopg.Connection.execute

    def heard(self: Any, query: Any, params: Any = None, **more: Any) -> Any:
        sent.append((query, params))
        return usual(self, query, params, **more)

    psycopg.Connection.execute = heard  # type: ignore[method-assign]
    try:
        store.commit(plain.batch(2, "kettle on the stove", vector, embedder.identity, "client0"))
    finally:
        psycopg.Connection.execute = usual  # type: ignore[method-assign]
    lines = ["\\set n random(1, 1000000000000)"]
    with psycopg.connect(dsn) as connection:
        written = psycopg.ClientCursor(connection)
        for query, params in sent:
            text = written.mogrify(query, _plain(params))
            if "pg_advisory_xact_lock" in text:
                head, _, tail = text.rpartition("pg_advisory_xact_lock(")
                key = "hashtextextended('client0', 0)"
                text = f"{head}pg_advisory_xact_lock({key}){tail[tail.index(')') + 1 :]}"
            if text.startswith("INSERT INTO words"):
                text = (
                    "INSERT INTO words_basic (rowid, scope, text, about) VALUES (:number, "
                    "'u' || encode(convert_to('client0', 'UTF8'), 'hex'), 'kettl stove', '')"
                )
            if text.startswith("INSERT INTO analysed"):
                text = "INSERT INTO analysed VALUES ('basic-1', :number)"
            if text.startswith("INSERT INTO vector"):
                numbered = str(dict(params)["n"])
                text = text.replace(f"VALUES (1, {numbered},", "VALUES (1, :number,", 1)
            if text.startswith("INSERT INTO ledger"):
                text = text.replace("'client0', 2,", "'client0', :seq + 1,", 1)
                # A colon before a word would be read as a variable.
                text = text.replace('":', '": ')
            text = text.replace("'mem_client0_2'", "('mem-' || :client_id || '-' || :n)")
            text = text.replace("'client0'", "('client' || :client_id)")
            brings = "RETURNING number" in text or text.startswith("SELECT seq, hash")
            lines.append(text + (" \\gset" if brings else ";"))
    return "\n".join(lines) + "\n"


def client(seconds: int = 15) -> dict[str, Any]:
    """Let a client in C send the statements of a write, and ours beside it."""
    embedder = Static()
    (vector,) = embedder.embed(["kettle"], "document")
    with tempfile.TemporaryDirectory() as place, opened() as (server, dsn):
        home = Path(place)
        path = PostgresDatabase.beside(dsn, home)
        there = Store(path, server=PostgresDatabase(dsn, path, most=32))
        names = [f"client{number}" for number in range(32)]
        for name in names:
            there.commit(plain.batch(1, "first", vector, embedder.identity, name))
        script = home / "write.sql"
        script.write_text(_script(dsn, there, embedder), "utf-8")
        home.chmod(0o755)
        told: dict[str, Any] = {"ruler": rulers(), "seconds": seconds}
        begun, ours = plain.cpu_of(server.folder), time.process_time()
        told["ours_per_s"] = plain.together(there, embedder, names, 40)
        writes = 32 * 43
        told["ours_server_cpu_ms"] = round(1000 * (plain.cpu_of(server.folder) - begun) / writes, 2)
        told["ours_cpu_ms"] = round(1000 * (time.process_time() - ours) / writes, 2)
        begun = plain.cpu_of(server.folder)
        ended = subprocess.run(
            [
                *("pgbench", "-n", "-M", "prepared", "-c", "32", "-j", "2", "-T", str(seconds)),
                *("-f", str(script), "-h", str(server.socket), "-U", servers.APP),
                conninfo_to_dict(dsn)["dbname"],
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode:
            raise RuntimeError(ended.stderr[-2000:])
        said = ended.stdout
        found = {line.split(" = ")[0]: line for line in said.splitlines() if " = " in line}
        told["c_client_per_s"] = round(float(found["tps"].split()[2]))
        told["c_client_server_cpu_ms"] = round(
            1000 * (plain.cpu_of(server.folder) - begun) / (told["c_client_per_s"] * seconds), 2
        )
        told["kept"] = there.survey.memories()
        there.close()
    return told


# Hybrid search as one writes it by hand: each way its best 64, joined by their ranks.
_HYBRID = """
WITH near AS (SELECT id, row_number() OVER (ORDER BY embedding <=> %(vector)s::halfvec) AS place
  FROM (SELECT id, embedding FROM note WHERE owner = %(owner)s
        ORDER BY embedding <=> %(vector)s::halfvec LIMIT 64) AS n),
words AS (SELECT id, row_number() OVER (ORDER BY ts_rank(said, q) DESC) AS place
  FROM note, to_tsquery('simple', %(words)s) AS q
  WHERE owner = %(owner)s AND said @@ q ORDER BY ts_rank(said, q) DESC LIMIT 64)
SELECT id, text FROM note JOIN (SELECT id, sum(1.0 / (60 + place)) AS score FROM
  (SELECT * FROM near UNION ALL SELECT * FROM words) AS both_ways GROUP BY id) AS best USING (id)
ORDER BY score DESC LIMIT 10
"""


def rivals(size: int = 10_000, small: int = 1_000, others: int = 4) -> dict[str, Any]:
    """Ask the same of Saegim, of pgvector by hand and of LangGraph's store, on one server."""
    embedder = Static()
    whose = {"big": size, **{f"small{at}": small for at in range(others)}}
    said = plain.texts(size)
    made = vectors(size, embedder.identity.dimension)
    told: dict[str, Any] = {"data": data_hash(said, made), "memories": sum(whose.values())}
    with tempfile.TemporaryDirectory() as place, opened(18) as (server, dsn):
        # Beside, since a table of ours has the name of their type.
        base = "rivals"
        server.execute(f"CREATE DATABASE {base} TEMPLATE template0 ENCODING 'UTF8'")
        server.execute("CREATE EXTENSION vector", database=base)
        there = on_server(dsn, Path(place))
        before = there.survey.server().bytes
        for owner, count in whose.items():
            fill(there, owner, said[:count], made[:count], embedder.identity)
        settle(server, dsn)
        after = there.survey.server().bytes
        told["saegim"] = {"bytes_per_memory": round((after - before) / told["memories"])}
        for owner in ("small0", "big"):
            there.prepare(Scope(owner))
            ask(there, embedder, owner, 0, resident=True)
        acts = {
            "small": lambda at: ask(there, embedder, "small0", at, resident=True),
            "big": lambda at: ask(there, embedder, "big", at, resident=True),
            "write": lambda at: there.commit(
                plain.batch(10**6 + at, f"late {at}", made[at % size], embedder.identity, "small1")
            ),
        }
        told["saegim"] |= in_turns(acts, 20, server.folder)
        there.close()
        told["pgvector"] = _by_hand(server, base, whose, said, made)
        told["langgraph"] = _langgraph(server, base, whose, said, made)
        told["ruler"] = rulers()
    return told


def _vector_text(row: Any) -> str:
    return "[" + ",".join(f"{each:.5f}" for each in row.tolist()) + "]"


def _by_hand(
    server: servers.Server, base: str, whose: dict[str, int], said: list[str], made: Any
) -> dict[str, Any]:
    """Measure one table with an HNSW and a GIN index: no versions, no ledger, no walls."""
    embedder = Static()
    with psycopg.connect(server.dsn(base), autocommit=True) as connection:
        asked = "SELECT pg_database_size(current_database())"
        ((before,),) = connection.execute(asked).fetchall()
        connection.execute(
            "CREATE TABLE note (id bigserial PRIMARY KEY, owner text, text text, "
            "embedding halfvec(256), said tsvector GENERATED ALWAYS AS "
            "(to_tsvector('simple', text)) STORED)"
        )
        with connection.cursor().copy("COPY note (owner, text, embedding) FROM STDIN") as copying:
            for owner, count in whose.items():
                for at in range(count):
                    copying.write_row((owner, said[at], _vector_text(made[at])))
        for index in ("(owner)", "USING gin (said)", "USING hnsw (embedding halfvec_cosine_ops)"):
            connection.execute(f"CREATE INDEX ON note {index}".encode())
        for each in ("VACUUM ANALYZE", "CHECKPOINT", "SET hnsw.iterative_scan = strict_order"):
            connection.execute(each.encode())
        ((after,),) = connection.execute(asked).fetchall()

        def found(owner: str, at: int) -> None:
            words = [plain.WORDS[at % len(plain.WORDS)], plain.WORDS[(at * 7) % len(plain.WORDS)]]
            (vector,) = embedder.embed([" ".join(words)], "query")
            connection.execute(
                _HYBRID,
                {"owner": owner, "vector": _vector_text(vector), "words": " | ".join(words)},
            ).fetchall()

        acts = {
            "small": lambda at: found("small0", at),
            "big": lambda at: found("big", at),
            "write": lambda at: connection.execute(
                "INSERT INTO note (owner, text, embedding) VALUES (%s, %s, %s)",
                ("small1", f"late {at}", _vector_text(made[at % len(made)])),
            ),
        }
        return {
            "bytes_per_memory": round((after - before) / sum(whose.values())),
            **in_turns(acts, 20, server.folder),
        }


def _langgraph(
    server: servers.Server, base: str, whose: dict[str, int], said: list[str], made: Any
) -> dict[str, Any] | str:
    """Measure LangGraph's store: vectors and namespaces, no words."""
    try:
        from langgraph.store.postgres import PostgresStore
    except ImportError:
        return "not installed: pip install langgraph-checkpoint-postgres"
    embedder, known = Static(), dict(zip(said, made, strict=True))

    def embed(texts: list[str]) -> list[list[float]]:
        there = [known.get(each) for each in texts]
        return [
            (embedder.embed([text], "query")[0] if held is None else held).tolist()
            for text, held in zip(texts, there, strict=True)
        ]

    asked = "SELECT pg_database_size(current_database())"
    index = {"dims": 256, "embed": embed, "fields": ["text"]}
    with psycopg.connect(server.dsn(base), autocommit=True) as seen:
        ((before,),) = seen.execute(asked).fetchall()
        with PostgresStore.from_conn_string(server.dsn(base), index=index) as store:
            store.setup()
            for owner, count in whose.items():
                for at in range(count):
                    store.put(("memories", owner), f"m{at}", {"text": said[at]})
            for each in ("VACUUM ANALYZE", "CHECKPOINT"):
                seen.execute(each.encode())
            ((after,),) = seen.execute(asked).fetchall()

            def found(owner: str, at: int) -> None:
                words = f"{plain.WORDS[at % len(plain.WORDS)]} {plain.WORDS[at * 7 % 31]}"
                store.search(("memories", owner), query=words, limit=10)

            acts = {
                "small": lambda at: found("small0", at),
                "big": lambda at: found("big", at),
                "write": lambda at: store.put(
                    ("memories", "small1"), f"late{at}", {"text": said[at % len(said)]}
                ),
            }
            return {
                "bytes_per_memory": round((after - before) / sum(whose.values())),
                **in_turns(acts, 20, server.folder),
            }


class _DaysAhead:
    """A clock two days ahead: what was planned today is due."""

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(days=2)


def sleeper(dsn: str, home: str) -> None:
    """Sleep whatever is due, as one replica, until nothing is."""
    os.environ["SAEGIM_HOME"] = home
    with Saegim.open(dsn, clock=_DaysAhead(), nights_at_once=4, embedder="static") as memory:
        watching = Scheduler(memory.mind, keep=False)
        print("ready", flush=True)
        sys.stdin.readline()
        slept, here = 0, time.process_time()
        while (more := watching.look()) or is_due(memory.mind):
            slept += more
        told = {"slept": slept, "cpu_s": time.process_time() - here, "trouble": watching.trouble}
        print(json.dumps(told), flush=True)


def nights(count: int = 40, each: int = 100) -> dict[str, Any]:
    """Let two replicas sleep the nights of many owners, and ask for another one meanwhile."""
    embedder, said = Static(), plain.texts(each)
    made = vectors(each, embedder.identity.dimension)
    told: dict[str, Any] = {"owners": count, "memories_each": each, "data": data_hash(said, made)}
    with tempfile.TemporaryDirectory() as place, opened() as (server, dsn):
        home = Path(place)
        there = on_server(dsn, home)
        base = str(conninfo_to_dict(dsn)["dbname"])
        fill(there, "sleeper0", said, made, embedder.identity, read=True)
        copies, held = copies_of(server, dsn, "sleeper"), 1
        while held < count:
            held = copied(server, dsn, copies, held, min(held + 25, count))
        fill(there, "awake", said, made, embedder.identity, read=True)
        os.environ["SAEGIM_HOME"] = str(home / "planner")
        with Saegim.open(dsn, embedder="static", background=False) as memory:
            reader = memory.mind.claim_reader
            assert reader is not None
            mark = f"INSERT INTO house VALUES ('claims:{reader.name}', '2000000000')"
            server.execute(mark, database=base)
            Scheduler.once(memory.mind)
        settle(server, dsn)
        there.prepare(Scope("awake"))
        walls: dict[str, list[float]] = {"alone": [], "beside_nights": []}

        def ask_on(name: str) -> None:
            begun = time.perf_counter()
            ask(there, embedder, "awake", len(walls[name]), resident=True)
            walls[name].append(1000 * (time.perf_counter() - begun))
            time.sleep(0.02)

        for _ in range(400):
            ask_on("alone")
        words = [sys.executable, plain.__file__, "--sleeper", dsn]
        ways = [
            subprocess.Popen(
                [*words, str(home / f"replica{at}")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for at in range(2)
        ]
        for way in ways:
            assert way.stdout is not None
            assert way.stdout.readline() == "ready\n"
        begun, cpu = time.perf_counter(), plain.cpu_of(server.folder)
        plain._all_told(ways)
        while any(way.poll() is None for way in ways):
            ask_on("beside_nights")
        told["seconds"] = round(time.perf_counter() - begun, 1)
        told["server_cpu_s"] = round(plain.cpu_of(server.folder) - cpu, 1)
        told["replicas"] = [json.loads(way.communicate()[0]) for way in ways]
        slept = there.database.rows(
            "SELECT owner, count(*), count(ended_at) FROM night WHERE owner LIKE 'sleeper%' "
            "GROUP BY owner"
        )
        told["owners_that_slept"] = len(slept)
        told["nights_of_one_owner_at_most"] = max(int(row[1]) for row in slept)
        told["unfinished"] = sum(int(row[1] - row[2]) for row in slept)
        for name, each_wall in walls.items():
            ordered = sorted(each_wall)
            told[name] = {
                "asked": len(ordered),
                "p50_ms": round(statistics.median(ordered), 2),
                "p99_ms": round(ordered[int(0.99 * (len(ordered) - 1))], 2),
            }
        told["ruler"] = rulers()
        there.close()
    return told
