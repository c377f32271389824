"""What is wrong with a server, or its address, is said in its own sentence; nothing is changed."""

from __future__ import annotations

import importlib.metadata
import itertools
import os
import socket
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import psycopg
import pytest

import servers
from saegim import FixedClock
from saegim.errors import BadInput, SaegimError, SettingsError, StoreReadOnly
from saegim.memory.changes import Saved
from saegim.saegim import Saegim
from saegim.settings import Settings
from saegim.store.databases import postgres

SECRET = "p4ssw0rd-nobody-sees"
SOCKET = "host={0}&user=saegim"


def _named(name: str) -> str:
    return servers.server(15).dsn(name).replace("://", f"://saegim:{SECRET}@", 1)


def _database(*statements: str, template: str = "template0 ENCODING 'UTF8'") -> str:
    server = servers.server(15)
    dsn = server.empty()
    name = psycopg.conninfo.conninfo_to_dict(dsn)["dbname"]
    if "UTF8" not in template:
        server.execute(f"DROP DATABASE {name}", f"CREATE DATABASE {name} TEMPLATE {template}")
    server.execute(*statements, database=str(name))
    return _named(str(name))


def _with_password() -> str:
    """Return an address whose user needs a password that is another one."""
    server = servers.server(15)
    server.execute(
        "DROP ROLE IF EXISTS guarded", "CREATE ROLE guarded LOGIN PASSWORD 'another one'"
    )
    hba = server.folder / "d" / "pg_hba.conf"
    rule = "local all guarded scram-sha-256\n"
    if rule not in hba.read_text():
        hba.write_text(rule + hba.read_text())
    server.execute("SELECT pg_reload_conf()")
    return f"postgresql://guarded:{SECRET}@/postgres?host={server.socket}"


def _half_migrated() -> str:
    return _database(
        "CREATE TABLE house (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
        "INSERT INTO house VALUES ('application', 'saegim'), ('schema', '3')",
    )


def _stranger() -> int:
    """Listen as a program that is no PostgreSQL, once; return the port."""
    listening = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        with listening:
            for _ in range(2):
                met, _ = listening.accept()
                with met:
                    met.recv(100)
                    met.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    threading.Thread(target=answer, daemon=True).start()
    return int(listening.getsockname()[1])


_UNREAD = "store.dsn_cannot_be_read"
BAD: dict[str, Callable[[], str]] = {
    "store.server_host": lambda: f"postgresql://me:{SECRET}@nosuch.invalid/x",
    "store.server_refuses": lambda: f"postgresql://me:{SECRET}@127.0.0.1:1/x",
    "store.server_socket": lambda: f"postgresql://me:{SECRET}@/x?host=/nonexistent",
    "store.server_database": lambda: _named("no_such_database"),
    "store.server_password": _with_password,
    "store.server_role": lambda: _named("postgres").replace("user=saegim", "user=nobody_here"),
    "store.dsn_cannot_be_read": lambda: f"postgresql://me:{SECRET}@h/x?colour=blue",
    "store.server_encoding": lambda: _database(template="template0 ENCODING 'SQL_ASCII'"),
    "store.database_of_another_program": lambda: _database("CREATE TABLE orders (id INT)"),
    "store.lacks_part_of_saegim_store": lambda: _half_migrated(),
}
# Other ways to the same sentences.
WORSE: dict[str, tuple[str, Callable[[], str]]] = {
    "a port that is a word": (_UNREAD, lambda: f"postgresql://me:{SECRET}@127.0.0.1:abc/x"),
    "a port beyond all": (_UNREAD, lambda: f"postgresql://me:{SECRET}@127.0.0.1:99999/x"),
    "@ in the password": (_UNREAD, lambda: f"postgresql://me:a@{SECRET}@127.0.0.1/x"),
    "/ in the password": (_UNREAD, lambda: f"postgresql://me:1/{SECRET}@127.0.0.1/x"),
    "NUL": (_UNREAD, lambda: f"postgresql://me:{SECRET}@127.0.0.1/x\0y"),
    "half a letter": (_UNREAD, lambda: f"postgresql://me:{SECRET}@127.0.0.1/x\ud800"),
    "no number": (_UNREAD, lambda: f"{_named('postgres')}&connect_timeout=soon"),
    "no such mode": (
        "store.server_unreachable",
        lambda: f"postgresql://me:{SECRET}@127.0.0.1:1/x?sslmode=sometimes",
    ),
    "no such parameter": (
        "store.server_unreachable",
        lambda: f"{_named('postgres')}&options=-c%20colour%3Dblue",
    ),
    "another program that listens": (
        "store.server_unreachable",
        lambda: f"postgresql://me:{SECRET}@127.0.0.1:{_stranger()}/x",
    ),
    "a house of another program": (
        "store.database_of_another_program",
        lambda: _database("CREATE TABLE house (id INT, street TEXT)"),
    ),
    "a house without a name": (
        "store.database_of_another_program",
        lambda: _database("CREATE TABLE house (name TEXT, value TEXT)"),
    ),
    "a schema that is no number": (
        "store.lacks_part_of_saegim_store",
        lambda: _database(
            "CREATE TABLE house (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
            "INSERT INTO house VALUES ('application', 'saegim'), ('schema', 'many')",
        ),
    ),
    "no place for tables": (
        "store.server_role_may_not",
        lambda: f"{_database()}&options=-c%20search_path%3Dnowhere",
    ),
}
EVERY = {**{key: (key, make) for key, make in BAD.items()}, **WORSE}


@pytest.mark.parametrize("case", EVERY)
def test_each_bad_address_has_its_own_sentence_and_next_step(case: str) -> None:
    """The password is shown nowhere, in neither language, and nothing is changed."""
    key, make = EVERY[case]
    dsn = make()
    with pytest.raises(SaegimError) as caught:
        Saegim.open(dsn)
    error = caught.value
    assert error.key == key
    for language in ("en", "ko"):
        message, step = error.told(language)
        assert message
        assert step
        assert SECRET not in f"{message} {step}"
    chain: BaseException | None = error
    while chain is not None:
        assert SECRET not in str(chain)
        chain = chain.__cause__


def test_a_database_of_another_program_stays_as_it_is() -> None:
    """Nothing of ours is put beside the tables of someone else."""
    dsn = BAD["store.database_of_another_program"]()
    with pytest.raises(SaegimError):
        Saegim.open(dsn)
    with psycopg.connect(dsn) as seen:
        rows = seen.execute("SELECT relname FROM pg_class WHERE relname = 'house'").fetchall()
    assert rows == []


def test_a_server_older_than_fifteen_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked of a real one, with the bound moved above it."""
    monkeypatch.setattr(postgres, "OLDEST", 990_000)
    with pytest.raises(SaegimError, match="PostgreSQL 15; Saegim needs 99"):
        Saegim.open(servers.server(15).fresh())


def test_a_standby_is_read_and_not_written() -> None:
    """A database that is set to read-only opens, answers, and refuses in its own sentence."""
    dsn = servers.server(15).fresh()
    with Saegim.open(dsn) as memory:
        memory.remember("the kettle is red")
    name = psycopg.conninfo.conninfo_to_dict(dsn)["dbname"]
    servers.server(15).execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with Saegim.open(dsn) as memory:
        assert memory.recall("kettle").hits
        with pytest.raises(StoreReadOnly) as caught:
            memory.remember("another kettle")
        assert caught.value.key == "store.server_is_standby"


def test_the_settings_show_no_password() -> None:
    """Status and doctor show where the store is."""
    for dsn in (
        f"postgresql://me:{SECRET}@host:5432/x",
        f"postgresql://host/x?user=me&password={SECRET}",
        f"postgresql://me:a@{SECRET}@host/x",
        f"postgresql://me:a/{SECRET}@host/x",
    ):
        shown = Settings(store=dsn).shown()["store"]
        assert SECRET not in shown
        assert "host" in shown


def test_an_address_of_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    """A store opens by the beginning of its address, which a plug-in may add to."""
    with pytest.raises(SettingsError):
        Saegim.open("mysql://host/x")
    with pytest.raises(SettingsError) as caught:
        Saegim.open(store="host=localhost dbname=x")
    assert caught.value.key == "settings.store_is_no_server"
    assert not list(tmp_path.glob("**/saegim.db"))


OWNERS = ["a.b@c:+/#()", "한" * 200, "o'brien", 'q"uote', "100%", "가" * 4000, "e\u0301"]


def test_owners_of_any_name_end_the_same_on_both(tmp_path: Path) -> None:
    """Quotes, signs of SQL, NFD and 4,000 letters are refused on both, long names kept on both."""
    ends: list[list[str]] = []
    for place in (servers.server(15).fresh(), str(tmp_path / "file.db")):
        ends.append([])
        for owner in OWNERS:
            try:
                with Saegim.open(place, user=owner) as memory:
                    memory.remember("the kettle is red")
                    mine = len(memory.recall("kettle").hits)
                    theirs = len(memory.within(user="another").recall("kettle").hits)
                    ends[-1].append(f"{mine} {theirs}")
            except SaegimError as error:
                ends[-1].append(error.key)
    assert ends[0] == ends[1]
    assert ends[0][:2] == ["1 0", "1 0"]
    assert "memory.cannot_be_used_as_name" in ends[0]


KETTLE = "the kettle is red"
FAR = timezone(timedelta(hours=14))
NO_INPUT: dict[str, Callable[[Saegim, str], object]] = {
    "text": lambda memory, sign: memory.remember(KETTLE + sign),
    "tag": lambda memory, sign: memory.remember(KETTLE, tags=["t" + sign]),
    "author": lambda memory, sign: memory.remember(KETTLE, author="a" + sign),
    "user": lambda memory, sign: memory.within(user="u" + sign),
    "project": lambda memory, sign: memory.within(project="p" + sign),
    "session": lambda memory, sign: memory.within(session="s" + sign).remember(KETTLE),
    "id": lambda memory, sign: memory.get("mem_" + sign),
    "id to forget": lambda memory, sign: memory.forget("mem_" + sign),
    "limit": lambda memory, _: memory.recall(KETTLE, limit=2**70),
    "rating": lambda memory, _: memory.remember(KETTLE, rating=2**70),
    "importance": lambda memory, _: memory.remember(KETTLE, importance=10**400),
    "before all dates": lambda memory, _: memory.remember(
        KETTLE, happened_at=datetime(1, 1, 1, tzinfo=FAR)
    ),
    "after all dates": lambda memory, _: memory.remember(KETTLE, happened_at="12026-01-01"),
}


def test_what_is_no_input_is_refused_alike_at_the_door(tmp_path: Path) -> None:
    """NUL, halves of letters, numbers and dates beyond all: before any database, on both."""
    ends: list[list[str]] = []
    for place in (servers.server(15).fresh(), str(tmp_path / "file.db")):
        ends.append([])
        with Saegim.open(place) as memory:
            for attempt, sign in itertools.product(NO_INPUT.values(), ("\0", "\ud800")):
                with pytest.raises(BadInput) as caught:
                    attempt(memory, sign)
                ends[-1].append(caught.value.key)
            # The control: without such a letter it is kept, and what is asked with one is answered.
            NO_INPUT["text"](memory, "")
            assert [len(memory.recall("kettle" + sign).hits) for sign in "\0\ud800"] == [1, 1]
            assert memory.status()["memories"]["state"] == {"active": 1}
    assert ends[0] == ends[1]


def test_a_database_of_another_collation_gives_the_same_order(tmp_path: Path) -> None:
    """Keys compare letter by letter whatever the database says: here Korean rules, by ICU."""
    server = servers.server(15)
    name = str(psycopg.conninfo.conninfo_to_dict(server.empty())["dbname"])
    made = f"CREATE DATABASE {name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'ko-KR'"
    server.execute(f"DROP DATABASE {name}", made)
    ends = []
    for place in (server.dsn(name), str(tmp_path / "file.db")):
        with Saegim.open(place, clock=FixedClock(datetime(2026, 1, 1, tzinfo=UTC))) as memory:
            for name in ("나", "가", "b", "B", "a", "Z", "é", "_"):
                memory.within(project=name).remember(f"the kettle of {name}", tags=[name])
            hits = [each.memory.text for each in memory.recall("kettle", everywhere=True).hits]
            ends.append((hits, list(memory.status()["memories"]["project"].items())))
    assert ends[0] == ends[1]
    assert len(ends[0][0]) == 8


def test_a_store_may_be_a_plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed B T6: a toy store is found by the name its address begins with."""
    dsn = servers.server(15).fresh()

    class ToyStore(postgres.PostgresDatabase):
        def __init__(self, address: str, path: Path, **options: object) -> None:
            super().__init__(dsn, path, **options)  # type: ignore[arg-type]
            self.place = address

        @staticmethod
        def beside(address: str, home: Path) -> Path:
            return home / "toy"

    class Point:
        @staticmethod
        def load() -> type[ToyStore]:
            return ToyStore

    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: [Point])
    with Saegim.open("toy://anywhere") as memory:
        memory.remember("the kettle is red")
        assert memory.status()["path"] == "toy://anywhere"
        assert (Path(os.environ["SAEGIM_HOME"]) / ".toy.head").exists()


def test_a_batch_that_the_server_cannot_keep_changes_nothing(tmp_path: Path) -> None:
    """A number beyond 64 bits is refused as input, and the chain stays as it was."""
    from conformance.store_parts import AT, ME, head, memory
    from saegim.memory.memory import Worth
    from saegim.store.commit import Batch
    from saegim.store.store import Store

    dsn = servers.server(15).fresh()
    path = postgres.PostgresDatabase.beside(dsn, tmp_path)
    store = Store(path, server=postgres.PostgresDatabase(dsn, path))
    before = head(store)
    bad = memory("tea", worth=Worth(recalled=2**70))
    with pytest.raises((BadInput, SaegimError)):
        store.commit(Batch("me", [Saved(bad)], "me", AT))
    assert (head(store), store.memories.states(ME)) == (before, {})
    store.close()
