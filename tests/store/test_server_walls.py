"""The second wall on a server: what a query forgets to ask, the server refuses to show."""

from __future__ import annotations

import inspect
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import servers
from conformance.store_parts import AT, Toy, found, keep_near, memory
from saegim.doctor.health import examine
from saegim.errors import SaegimError
from saegim.memory.changes import Saved
from saegim.memory.memory import Scope
from saegim.saegim import Saegim
from saegim.store.commit import Batch
from saegim.store.databases import walls
from saegim.store.databases.postgres import PostgresDatabase, ServerConnection
from saegim.store.grouped_writes import GroupedWrites
from saegim.store.rows import Where
from saegim.store.search import words_on_server
from saegim.store.store import Store, Upkeep

OWNERS = [f"owner{number}" for number in range(10)]


@pytest.fixture(params=[15, 18])
def major(request: pytest.FixtureRequest) -> int:
    """Return the version of the server under test."""
    return int(request.param)


@pytest.fixture
def dsn(major: int) -> str:
    """Return the address of a new store, for the role that owns nothing."""
    return servers.server(major).fresh()


@pytest.fixture
def store(dsn: str, tmp_path: Path) -> Iterator[Store]:
    """Return a store of ten owners, each with a canary of its own and words that all share."""
    path = PostgresDatabase.beside(dsn, tmp_path)
    opened = Store(path, server=PostgresDatabase(dsn, path))
    for owner in OWNERS:
        for number in range(3):
            keep_near(opened, Toy(), f"kettle canary{owner} {number}", scope=Scope(owner))
    yield opened
    opened.close()


def _canaries(seen: object) -> set[str]:
    """Return whose canaries an answer holds, wherever in it."""
    said = repr(seen)
    return {owner for owner in OWNERS if f"canary{owner} " in said}


def _forgetting(monkeypatch: pytest.MonkeyPatch, condition: str) -> list[str]:
    """Take the owner's condition out of every statement that has it; return those it was in."""
    plain, cut = ServerConnection._run, []

    def forgets(self: ServerConnection, sql: str, params: Any) -> Any:
        if condition in sql:
            cut.append(sql)
        return plain(self, sql.replace(condition, "true"), params)

    monkeypatch.setattr(ServerConnection, "_run", forgets)
    return cut


def _walked(store: Store, owner: str) -> list[str]:
    return [each.text or "" for _, each in store.memories.walk(Where(scope=Scope(owner)))]


def test_with_the_owner_taken_out_of_a_statement_the_second_wall_holds(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten owners, every walk: nobody sees a row of another's."""
    cut = _forgetting(monkeypatch, "m.owner = %(owner)s")
    for owner in OWNERS:
        assert _canaries(_walked(store, owner)) == {owner}
    assert len(cut) >= len(OWNERS)


def test_without_the_second_wall_the_forgotten_owner_shows_everyone(
    store: Store, dsn: str, major: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: the same statement with the wall taken down brings all ten."""
    name = str(psycopg.conninfo.conninfo_to_dict(dsn)["dbname"])
    servers.server(major).execute("ALTER TABLE memory DISABLE ROW LEVEL SECURITY", database=name)
    _forgetting(monkeypatch, "m.owner = %(owner)s")
    assert _canaries(_walked(store, OWNERS[0])) == set(OWNERS)


def test_words_of_others_are_not_found_even_without_the_mark_in_the_question(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search by words asks with another's mark and without an owner: it finds nothing."""
    plain = words_on_server.query_of
    monkeypatch.setattr(words_on_server, "query_of", lambda _, terms: plain(OWNERS[1], terms))
    cut = _forgetting(monkeypatch, "f.c0 || '' = %(own)s")
    assert found(store, "kettle", Where(scope=Scope(OWNERS[0]))) == []
    assert cut
    with walls.asking_for(OWNERS[1]):
        hits = store.database.rows("SELECT count(*) FROM words_basic_content")
    assert hits == [(3,)], "the control: its owner sees them"


def test_every_public_read_of_ten_owners_brings_no_foreign_row(store: Store) -> None:
    """Whatever a table is asked for one owner, canaries of others are in no answer."""
    draw = random.Random(24)
    asked = 0
    for owner in OWNERS:
        scope, where = Scope(owner), Where(scope=Scope(owner))
        store.prepare(scope)
        mine = [number for number, _ in store.memories.walk(where)]
        theirs = store.database.rows("SELECT number, id FROM memory ORDER BY number")
        numbers = [int(row[0]) for row in draw.sample(theirs, 10)] + mine
        names = [str(row[1]) for row in theirs]
        for tables in (store, store.at_hand(scope)):
            answers: list[Any] = [
                tables.memories.by_numbers(scope, numbers),
                [tables.memories.get(scope, each) for each in names],
                list(tables.memories.walk(where)),
                tables.words.containing(["canary"], where, limit=50),
                tables.links.of(scope, names),
                found(store, "kettle", where, limit=50),
                list(store.ledger.entries(scope)),
            ]
            asked += len(answers)
            assert _canaries(answers) <= {owner}
            assert set(tables.memories.by_numbers(scope, numbers)) <= set(mine)
    assert asked == len(OWNERS) * 14


def test_rows_of_another_cannot_be_written(store: Store) -> None:
    """A transaction of one owner inserts, changes and deletes nothing of another's."""
    before = _walked(store, OWNERS[1])
    with store.database.writing(OWNERS[0]) as connection:
        connection.execute("UPDATE memory SET text = 'mine now'")
        connection.execute("DELETE FROM link")
        connection.execute("DELETE FROM words_basic_content")
    assert _walked(store, OWNERS[1]) == before
    assert set(_walked(store, OWNERS[0])) == {"mine now"}, "the control: its own it may change"
    with (
        pytest.raises(SaegimError, match="row-level security"),
        store.database.writing(OWNERS[0]) as connection,
    ):
        connection.execute("INSERT INTO tag VALUES (?, 'x', 1)", (OWNERS[1],))
    smuggled = Batch(OWNERS[0], [Saved(memory("smuggled", scope=Scope(OWNERS[1])))], "me", AT)
    with pytest.raises(SaegimError):
        store.commit(smuggled)


def test_who_tells_nothing_sees_nothing(store: Store, dsn: str, major: int) -> None:
    """A connection of the application's role that never said for whom it asks; a pooled one too."""
    asked = "SELECT count(*) FROM memory"
    with psycopg.connect(dsn, autocommit=True) as plain:
        name = plain.info.dbname
        assert plain.execute(asked).fetchone() == (0,)
        with plain.transaction():
            plain.execute(walls.TELL, (OWNERS[0],))
            assert plain.execute(asked).fetchone() == (3,)
        assert plain.execute(asked).fetchone() == (0,), "it is told for one transaction alone"
        assert plain.execute("SELECT count(*) FROM access_token").fetchone() == (0,)
    owner = servers.server(major).dsn(name, servers.OWNER)
    with psycopg.connect(owner) as owning:
        assert owning.execute(asked).fetchone() == (0,), "forced: the owner of the tables too"


@pytest.mark.parametrize(
    "attempt",
    [
        f"SET ROLE {servers.OWNER}",
        "SET ROLE saegim",
        "SET SESSION AUTHORIZATION saegim",
        "ALTER TABLE memory DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE memory NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY wall ON memory",
        "CREATE POLICY hole ON memory USING (true)",
        "ALTER ROLE saegim_app BYPASSRLS",
        "CREATE TABLE mine (x int)",
        "TRUNCATE memory",
        "DROP VIEW words_basic",
    ],
)
def test_the_role_that_owns_nothing_cannot_take_the_wall_down(attempt: str, dsn: str) -> None:
    """Neither by becoming another, nor by changing tables that are not its own."""
    with psycopg.connect(dsn) as plain, pytest.raises(psycopg.errors.InsufficientPrivilege):
        plain.execute(attempt.encode())


def test_with_row_security_off_the_server_refuses_rather_than_shows(store: Store, dsn: str) -> None:
    """`SET row_security = off` is no way past it: the query is an error."""
    with psycopg.connect(dsn) as plain:
        plain.execute("SET row_security = off")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            plain.execute("SELECT count(*) FROM memory")


def test_every_table_with_an_owner_is_behind_the_wall(dsn: str) -> None:
    """Also one that a later migration adds: it must bring its wall along."""
    with psycopg.connect(dsn) as plain:
        rows = plain.execute(
            "SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity FROM pg_class c "
            "WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' "
            "AND (c.relname LIKE 'words%' OR EXISTS (SELECT 1 FROM pg_attribute a "
            "WHERE a.attrelid = c.oid AND a.attname = 'owner' AND NOT a.attisdropped))"
        ).fetchall()
    assert len(rows) > 25
    assert [name for name, walled in rows if not walled] == []


def _plan(store: Store, owner: str) -> str:
    terms = store.words.analyser().query("kettle")
    params: dict[str, Any] = {}
    held = words_on_server.condition(terms, Where(scope=Scope(owner)), params)
    with store.database.writing(owner) as connection:
        rows = connection.execute(
            f"EXPLAIN SELECT f.id FROM words_basic_content f WHERE {held}", params
        ).fetchall()
    return "\n".join(str(row[0]) for row in rows)


@pytest.fixture
def many(store: Store, major: int) -> Store:
    """Return the store with so many lines that a plan has reason to use an index."""
    name = str(psycopg.conninfo.conninfo_to_dict(store.database._dsn)["dbname"])  # type: ignore[attr-defined]
    servers.server(major).execute(
        "INSERT INTO words_basic_content (id, c0, c1, c2) SELECT 1000000 + n, "
        "'u' || encode(convert_to('owner' || (n % 10), 'UTF8'), 'hex'), 'word' || n, '' "
        "FROM generate_series(1, 20000) AS n",
        "ANALYZE words_basic_content",
        database=name,
    )
    return store


def test_the_search_by_words_uses_its_index_behind_the_wall(many: Store) -> None:
    """The plan, read under the role that owns nothing."""
    assert "words_basic_tokens" in _plan(many, OWNERS[0])


def test_without_the_mark_the_index_is_not_used(many: Store, major: int) -> None:
    """The control: the same plan where nobody said that the match tells nothing."""
    name = str(psycopg.conninfo.conninfo_to_dict(many.database._dsn)["dbname"])  # type: ignore[attr-defined]
    servers.server(major).execute(
        "ALTER FUNCTION pg_catalog.ts_match_vq (tsvector, tsquery) NOT LEAKPROOF", database=name
    )
    assert "words_basic_tokens" not in _plan(many, OWNERS[0])


def _found_by_doctor(dsn: str) -> str:
    with Saegim.open(dsn) as memory:
        found = examine(memory.mind, memory.scope, Path(os.environ["SAEGIM_HOME"]))
    ((case, level),) = [(each.case, each.level) for each in found if each.name == "walls"]
    assert (level == "ok") is (case == "ok")
    return str(case)


def test_doctor_says_which_wall_is_missing() -> None:
    """Each in its own sentence: past the walls, owning them, without the mark, without a wall."""
    server = servers.server(15)
    dsn = server.fresh()
    name = str(psycopg.conninfo.conninfo_to_dict(dsn)["dbname"])
    assert _found_by_doctor(dsn) == "ok"
    assert _found_by_doctor(server.dsn(name, servers.OWNER)) == "owned"
    assert _found_by_doctor(server.dsn(name)) == "seen_past"
    match = "ALTER FUNCTION pg_catalog.ts_match_vq (tsvector, tsquery) NOT LEAKPROOF"
    server.execute(match, database=name)
    assert _found_by_doctor(dsn) == "unmarked"
    server.execute("ALTER TABLE tag NO FORCE ROW LEVEL SECURITY", database=name)
    assert _found_by_doctor(dsn) == "open"


# What asks for everyone, because it works for everyone. A method that is new here needs a reason;
# one that reads memories for somebody names whose.
FOR_EVERYONE = {
    "LedgerTable": {"cut", "heads", "owners"},
    "JobTable": {"due", "take"},
    "NightTable": {"owners", "under_way"},
    # Numbers of the house; no memory.
    "UsageTable": {"leave_out", "left_out"},
    # Who comes in is not known before the token or the cookie is looked up.
    "PeopleTable": {"add", "all", "is_here", "is_shared", "limit", "named", "remove"},
    "TokenTable": {"add", "close_others", "find", "note_use", "opening"},
    "VisitTable": {"admit", "end", "find"},
    # Writes for each owner by itself, in transactions of theirs.
    "ExperienceTable": {"write"},
    "ProfileTable": {"keep", "settle"},
    "AuditTable": {"one_moment"},
    # What `doctor` asks of a whole store.
    "Survey": {
        *("behind", "embedders", "from_another_process", "gaps", "largest", "lost", "memories"),
        *("misread", "one_moment", "owners", "server", "slowest", "unfindable", "unswept"),
        *("unsworn", "unusable", "waiting", "walls"),
    },
    # Read on behalf of a question that named its owner before.
    "WordSearch": {"analyser", "count", "forget_counts", "lines_of", "ready", "share_with"},
    "VectorSearch": {"coverage", "forget_shards", "share_with", "spaces", "waiting"},
    "ResidentIndexes": {"forget", "settle"},
}


def test_whatever_names_no_owner_is_known(store: Store) -> None:
    """Every other public method of every table says whose rows it asks for."""
    assert _unnamed(store) == FOR_EVERYONE


def _unnamed(store: Store) -> dict[str, set[str]]:
    tables = [
        each
        for each in vars(store).values()
        if hasattr(each, "_database") and not isinstance(each, Upkeep | GroupedWrites)
    ]
    found: dict[str, set[str]] = {}
    for table in tables:
        for name, method in inspect.getmembers(type(table), inspect.isfunction):
            if not name.startswith("_") and walls.named_owner(method) is None:
                found.setdefault(type(table).__name__, set()).add(name)
    return found
