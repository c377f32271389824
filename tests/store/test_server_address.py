"""What is wrong with a server, or its address, is said in its own sentence; nothing is changed."""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

import servers
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


@pytest.mark.parametrize("key", BAD)
def test_each_bad_address_has_its_own_sentence_and_next_step(key: str) -> None:
    """The password is shown nowhere, in neither language, and nothing is changed."""
    dsn = BAD[key]()
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


@pytest.mark.parametrize("text", ["nul\0inside", "lone \ud800 half"])
def test_letters_that_are_no_text_end_the_same_on_both(text: str, tmp_path: Path) -> None:
    """NUL and halves of letters are refused or cleaned at the door, before any database."""
    ends = []
    for place in (servers.server(15).fresh(), str(tmp_path / "file.db")):
        with Saegim.open(place) as memory:
            try:
                ends.append(memory.remember(text, tags=["t"]).memory.text)
            except SaegimError as error:
                ends.append(f"{type(error).__name__} {error.key}")
    assert ends[0] == ends[1]


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
