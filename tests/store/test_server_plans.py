"""What a server reads for a question: the rows that are asked for, and not all of an owner's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import servers
from conformance.store_parts import HERE, ME, Toy, keep_near
from saegim.store.databases import dialect, walls
from saegim.store.databases.postgres import PostgresDatabase
from saegim.store.store import Store

EACH = 1_000


@pytest.fixture(params=[15, 18])
def major(request: pytest.FixtureRequest) -> int:
    """Return the version of the server under test."""
    return int(request.param)


@pytest.fixture
def store(major: int, tmp_path: Path) -> Iterator[Store]:
    """Return a store of two owners with memories enough that a plan makes a difference."""
    dsn = servers.server(major).fresh()
    path = PostgresDatabase.beside(dsn, tmp_path)
    opened = Store(path, server=PostgresDatabase(dsn, path))
    one = keep_near(opened, Toy(), "kettle on the stove")
    owner = f"CASE WHEN n > {EACH} THEN 'you' ELSE 'me' END"
    more = f"generate_series(1, {2 * EACH}) AS n"
    changed = f"jsonb_build_object('number', 1000 + n, 'id', 'mem_' || n, 'owner', {owner})"
    servers.server(major).execute(
        "INSERT INTO memory SELECT (made).* FROM (SELECT jsonb_populate_record(m, "
        f"{changed}) AS made FROM memory m, {more} WHERE m.id = '{one.id}') AS each",
        "INSERT INTO vector (embedder, number, owner, seq, live, data) "
        f"SELECT v.embedder, 1000 + n, {owner}, 1 + n, 1, v.data FROM vector v, {more}",
        "INSERT INTO words_basic_content (id, c0, c1, c2) SELECT 1000 + n, "
        f"'u' || encode(convert_to({owner}, 'UTF8'), 'hex'), 'word' || n, '' FROM {more}",
        database=_name(opened),
    )
    yield opened
    opened.close()


def _name(store: Store) -> str:
    return str(psycopg.conninfo.conninfo_to_dict(store.database._dsn)["dbname"])  # type: ignore[attr-defined]


def _asked(store: Store, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Ask by word and by meaning; return the most rows that the server read for each list."""
    plain, seen = PostgresDatabase.rows, list[tuple[str, Any]]()

    def rows(self: PostgresDatabase, sql: str, params: Any = ()) -> list[Any]:
        seen.append((sql, params))
        return plain(self, sql, params)

    embedder = Toy()
    (vector,) = embedder.embed(["kettle on the stove"], "query")
    with monkeypatch.context() as patch:
        patch.setattr(PostgresDatabase, "rows", rows)
        terms = store.words.analyser().query("kettle word7")
        hits = store.words.matching(terms, HERE, limit=20).hits
        near = store.vectors.near(vector, embedder.identity, HERE, limit=20)
        store.memories.by_numbers(ME, [hit.number for hit in hits])
        store.database.pulse("me")
    assert hits
    assert near
    # An owner's lines are counted, and the vectors read whole, when they are first asked for.
    with walls.asking_for("me"):
        return {
            sql: _most_rows(store, sql, params)
            for sql, params in seen
            if "count(*)" not in sql and "seq > ?" not in sql
        }


def _most_rows(store: Store, sql: str, params: Any) -> int:
    """Return how many rows the busiest step of a plan met, those it refused among them."""
    (((plan,),),) = (store.database.rows(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params),)
    steps, most = [plan[0]["Plan"]], 0
    while steps:
        step = steps.pop()
        met = step["Actual Rows"] + step.get("Rows Removed by Filter", 0)
        most = max(most, int(met * step["Actual Loops"]))
        steps += step.get("Plans", [])
    return most


def test_a_list_of_rows_is_read_by_its_rows(
    store: Store, major: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the role that owns nothing, behind the wall, before the tables are analysed and after."""
    for _ in range(2):
        read = _asked(store, monkeypatch)
        assert len(read) >= 5
        assert {sql: most for sql, most in read.items() if most > 100} == {}
        servers.server(major).execute("ANALYZE", database=_name(store))
    monkeypatch.setattr(
        dialect, "_in_this_order", lambda text: dialect._JOINED.sub(r"JOIN \1 \2 ON ", text)
    )
    dialect.for_postgres.cache_clear()
    try:
        assert max(_asked(store, monkeypatch).values()) >= EACH, "the control: in any order"
    finally:
        dialect.for_postgres.cache_clear()
