"""Replicas that die, wait for each other, differ in version: nothing is lost or doubled."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

import servers
from conformance.store_parts import AT, ME, commit, ids, keep, memory
from faults import replica
from saegim.errors import SchemaMismatch, StoreBusy, TakenOver
from saegim.memory.changes import Reweighed, Saved
from saegim.memory.memory import Scope
from saegim.store.commit import Batch
from saegim.store.databases.postgres import PostgresDatabase
from saegim.store.databases.server_clock import ServerClock
from saegim.store.migrate import Migration, migrate, newest_schema, steps
from saegim.store.store import Store
from saegim.store.tables import night_table
from saegim.store.tables.night_table import LEASE, ScheduleState, Shift
from stand_ins import rounds, wait_until

Open = Callable[..., Store]


@pytest.fixture
def opening(tmp_path: Path) -> Iterator[Open]:
    """Return how replicas of one store are opened; each is closed in the end."""
    with ExitStack() as held:
        numbers = iter(range(1000))

        def opened(dsn: str, **options: object) -> Store:
            place = tmp_path / f"replica{next(numbers)}"
            place.mkdir()
            path = PostgresDatabase.beside(dsn, place)
            store = Store(path, server=PostgresDatabase(dsn, path, **options))  # type: ignore[arg-type]
            held.callback(store.close)
            return store

        yield opened


@pytest.fixture
def dsn() -> str:
    """Return the address of a new store."""
    return servers.server(15).fresh()


class _Replica:
    """A replica in a process of its own."""

    def __init__(self, dsn: str, home: Path, what: str) -> None:
        home.mkdir(exist_ok=True)
        command = [sys.executable, replica.__file__, dsn, str(home), what]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.said: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.said.extend(line.strip() for line in self.process.stdout)

    def until(self, enough: Callable[[list[str]], bool]) -> None:
        wait_until(lambda: enough(self.said), 120)

    def kill(self) -> list[str]:
        """Kill it without a word; return what it had said."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()
        return self.said


# -- killed ----------------------------------------------------------------------------------------


def test_a_replica_killed_while_it_writes_loses_nothing_that_was_confirmed(
    opening: Open, dsn: str, tmp_path: Path
) -> None:
    """Kill -9 among commits: what it had confirmed is here, whole and findable, and one chain."""
    store = opening(dsn)
    for turn in range(rounds(10, 2)):
        killed = _Replica(dsn, tmp_path / f"killed{turn}", "commit")
        killed.until(lambda said: len(said) > 5)
        confirmed = killed.kill()
        here = set(ids(store))
        assert set(confirmed) <= here
        assert len(here) <= len(confirmed) + 1, "at most the one whose answer was not heard"
        length, _ = store.ledger.verify(ME)
        assert length == len(here)
        dsn = servers.server(15).fresh()
        store = opening(dsn)


def test_a_replica_killed_before_its_commit_leaves_nothing_and_frees_its_lock(
    opening: Open, dsn: str, tmp_path: Path
) -> None:
    """What it had written is not there, and its owner's next writer need not wait for long."""
    store = opening(dsn, busy_seconds=1.0)
    killed = _Replica(dsn, tmp_path / "killed", "hold")
    killed.until(lambda said: "here" in said)
    with pytest.raises(StoreBusy):
        keep(store, "while it is held")
    killed.kill()
    _keep_soon(store)
    assert "mem_unconfirmed" not in ids(store)
    assert store.ledger.verify(ME)[0] == 1


def test_a_replica_killed_in_a_migration_leaves_whole_steps_and_another_ends_it(
    opening: Open, dsn: str, tmp_path: Path
) -> None:
    """The steps before it stand, nothing of its own does; the tables end as those made at once."""
    begun = servers.server(15).empty()
    killed = _Replica(begun, tmp_path / "killed", "migrate")
    killed.until(lambda said: "here" in said)
    killed.kill()
    half = _tables(begun)
    store = opening(begun)
    assert store.schema() == newest_schema("postgres")
    assert _tables(begun) == _tables(dsn)
    assert ("memory", "id") in half
    assert ("access_token", "id") not in half, "the control: it was in the middle"
    keep(store, "after")
    assert store.ledger.verify(ME)[0] == 1


def _tables(dsn: str) -> set[tuple[str, str]]:
    with psycopg.connect(dsn) as seen:
        return set(
            seen.execute(
                "SELECT c.relname, coalesce(a.attname, '') "
                "FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid "
                "AND a.attnum > 0 AND NOT a.attisdropped "
                "WHERE c.relnamespace = current_schema()::regnamespace"
            ).fetchall()
        )


def _keep_soon(store: Store) -> None:
    """Keep a memory once the server has noticed that the other is gone."""

    def kept() -> bool:
        try:
            keep(store, "after", id="mem_after")
        except StoreBusy:
            return False
        return True

    wait_until(kept)


def _sleep_again(store: Store, name: str, minutes: float) -> night_table.NightRow | None:
    now = ServerClock(store.database).now() + timedelta(minutes=minutes)
    vigil = ScheduleState(None, now - timedelta(days=1), False)
    return store.nights.begin(ME, name, ["importance"], now, vigil=vigil)


def _did(store: Store, row: night_table.NightRow) -> None:
    until = ServerClock(store.database).now() + LEASE
    shift = Shift(night=row.id, fence=row.fence, stage="importance", until=until, ends=True)
    store.commit(
        Batch("me", [Reweighed(memory="mem_kept", at=AT, used=1)], row.id, AT, shift=shift)
    )


def test_a_replica_killed_in_a_night_delays_it_by_one_lease_and_doubles_nothing(
    opening: Open, dsn: str, tmp_path: Path
) -> None:
    """Half a stage is taken back with it; another takes the night up when the lease is over."""
    store = opening(dsn)
    keep(store, "tea", id="mem_kept")
    killed = _Replica(dsn, tmp_path / "killed", "night")
    killed.until(lambda said: "here" in said)
    killed.kill()
    wait_until(lambda: not _waits_for_lock(dsn))
    assert _sleep_again(store, "night_early", 0) is None, "its lease still holds"
    taken = _sleep_again(store, "night_later", 2.5)
    assert taken is not None
    assert (taken.id, taken.fence) == ("night_killed", 2)
    _did(store, taken)
    assert store.memories.get(ME, "mem_kept").worth.used == 1  # type: ignore[union-attr]


def test_without_the_fence_the_one_that_hung_does_it_again(
    opening: Open, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: a replica that was taken for dead writes on, and the work is done twice."""
    one, two = opening(dsn), opening(dsn)
    keep(one, "tea", id="mem_kept")
    hung = _sleep_again(one, "night_hung", 0)
    taken = _sleep_again(two, "night_later", 2.5)
    assert hung is not None
    assert taken is not None
    _did(two, taken)
    with pytest.raises(TakenOver):
        _did(one, hung)
    monkeypatch.setattr(night_table, "hold", lambda *_: None)
    _did(one, hung)
    assert one.memories.get(ME, "mem_kept").worth.used == 2  # type: ignore[union-attr]


def _waits_for_lock(dsn: str) -> bool:
    with psycopg.connect(dsn) as seen:
        asked = (
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' "
            "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return bool((seen.execute(asked).fetchone() or (0,))[0])


# -- waiting ---------------------------------------------------------------------------------------


def test_a_pool_that_is_used_up_is_said_and_recovers(opening: Open, dsn: str) -> None:
    """Every connection is in use: a clear refusal after the patience, nothing broken after it."""
    store = opening(dsn, most=2, busy_seconds=1.0)
    with ExitStack() as held:
        for owner in ("a", "b"):
            held.enter_context(_in_a_thread(store, owner))
        with pytest.raises(StoreBusy, match="connections"):
            keep(store, "one too many", scope=Scope("c"))
    kept = keep(store, "now there is room", scope=Scope("c"))
    assert store.memories.get(Scope("c"), kept.id) is not None


def _in_a_thread(store: Store, owner: str) -> ExitStack:
    """Hold a transaction of an owner open in a thread of its own, until the stack is closed."""
    here, over = threading.Event(), threading.Event()

    def hold() -> None:
        with store.database.writing(owner):
            here.set()
            over.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    here.wait(60)
    stack = ExitStack()
    stack.callback(thread.join)
    stack.callback(over.set)
    return stack


@pytest.mark.parametrize("crossing", [True, False])
def test_a_deadlock_is_resolved_and_said(crossing: bool, opening: Open, dsn: str) -> None:
    """Two who wait for each other's rows: the server ends one, which is told so in our words.

    The control: in the same order nobody has to be ended.
    """
    store = opening(dsn, busy_seconds=30.0)
    keep(store, "tea", id="mem_a", scope=Scope("a"))
    keep(store, "tea", id="mem_b", scope=Scope("b"))
    both = threading.Barrier(2)
    ended: list[object] = []

    def cross(mine: str, first: str, second: str) -> None:
        touch = "UPDATE house SET value = value WHERE name = ? RETURNING 1"
        try:
            with store.database.writing(mine) as connection:
                connection.execute(touch, (first,)).fetchall()
                if crossing:
                    both.wait()
                connection.execute(touch, (second,)).fetchall()
            ended.append("kept")
        except StoreBusy as error:
            ended.append(error)

    names = ("read:basic-1", "read:kiwi-1")
    threads = [
        threading.Thread(target=cross, args=("a", *names)),
        threading.Thread(target=cross, args=("b", *names[:: -1 if crossing else 1])),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ended.count("kept") == (1 if crossing else 2)
    assert sum(isinstance(each, StoreBusy) for each in ended) == crossing
    for owner in ("a", "b"):
        keep(store, "after", scope=Scope(owner))
        assert store.ledger.verify(Scope(owner))[0] == 2


# -- of different versions -------------------------------------------------------------------------


def _migrated(dsn: str, place: Path, *more: Migration) -> None:
    """Let a newer version, which owns the tables, change them."""
    name = str(psycopg.conninfo.conninfo_to_dict(dsn)["dbname"])
    database = PostgresDatabase(servers.server(15).dsn(name, servers.OWNER), place)
    migrate(database, to=(*steps("postgres"), *more))
    database.close()


_KNOWN = steps("postgres")[-1].number
_ADDED = "ALTER TABLE memory ADD COLUMN extra TEXT; CREATE TABLE added (x BIGINT)"


def test_an_old_replica_beside_a_schema_that_only_adds_reads_and_writes_on(
    opening: Open, dsn: str
) -> None:
    """Also one that starts again; after the next step, which may remove, it writes nothing."""
    old = opening(dsn)
    kept = [keep(old, "tea").id]
    first = Migration(_KNOWN + 1, _ADDED, writable=_KNOWN)
    _migrated(dsn, old.path.with_name("owner"), first)
    kept.append(keep(old, "more tea").id)
    again = opening(dsn)
    kept.append(keep(again, "and started again").id)
    assert ids(again) == ids(old)
    assert set(ids(old)) == set(kept)
    assert old.ledger.verify(ME)[0] == 3
    second = Migration(_KNOWN + 2, "DROP TABLE added", writable=_KNOWN + 1)
    _migrated(dsn, old.path.with_name("owner"), first, second)
    for store in (old, again):
        with pytest.raises(SchemaMismatch):
            keep(store, "too old")
    with pytest.raises(SchemaMismatch):
        opening(dsn)
    assert set(ids(old)) == set(kept), "what it could read it still reads"


def test_an_old_replica_beside_a_schema_that_does_not_say_so_writes_nothing(
    opening: Open, dsn: str
) -> None:
    """The control: the same step without its word. It answers what it knows, and refuses."""
    old = opening(dsn)
    kept = keep(old, "tea")
    _migrated(dsn, old.path.with_name("owner"), Migration(_KNOWN + 1, _ADDED))
    assert ids(old) == [kept.id], "what it could read it still reads"
    with pytest.raises(SchemaMismatch):
        commit(old, Saved(memory("more tea")))
    assert ids(old) == [kept.id]
    assert old.ledger.verify(ME)[0] == 1
