"""A store on a server: what is confirmed is kept, whoever dies, and nothing is done twice."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import psycopg
import pytest

import servers
from conformance.store_parts import AT, HERE, ME, Toy, commit, found, ids, keep, keep_near, memory
from conformance.store_parts import near as nearest
from faults.cutting_proxy import CuttingProxy
from saegim import mind
from saegim.errors import SaegimError, SchemaMismatch, StoreError, TakenOver
from saegim.memory import clock as clock_module
from saegim.memory.changes import Reweighed, Saved
from saegim.memory.memory import Scope
from saegim.saegim import Saegim
from saegim.sleep import flow
from saegim.store.commit import Batch, IdempotencyKey
from saegim.store.databases.postgres import PostgresDatabase
from saegim.store.databases.server_clock import ServerClock
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

        def opened(dsn: str, *, home: Path | None = None, busy_seconds: float = 10.0) -> Store:
            place = home or tmp_path / f"replica{next(numbers)}"
            place.mkdir(exist_ok=True)
            path = PostgresDatabase.beside(dsn, place)
            server = PostgresDatabase(dsn, path, busy_seconds=busy_seconds)
            store = Store(place / "saegim.db", server=server)
            held.callback(store.close)
            return store

        yield opened


@pytest.fixture
def dsn() -> str:
    """Return the address of a new store."""
    return servers.server(15).fresh()


# -- what is confirmed is kept ---------------------------------------------------------------------


def test_what_was_confirmed_outlives_a_killed_server(opening: Open) -> None:
    """Kill -9 of the server in the middle of writing: none of the acknowledged is lost."""
    with servers.apart(15) as server:
        server.template = ""
        store = opening(server.fresh(), busy_seconds=2.0)
        confirmed: list[str] = []
        for turn in range(rounds(50, 3)):
            stop = threading.Event()

            def write(turn: int = turn, stop: threading.Event = stop) -> None:
                number = 0
                while not stop.is_set():
                    try:
                        confirmed.append(keep(store, f"kettle {turn} {number}").id)
                    except SaegimError:
                        return
                    number += 1

            writer = threading.Thread(target=write)
            begun = len(confirmed)
            writer.start()
            wait_until(lambda begun=begun: len(confirmed) > begun + 5)  # type: ignore[misc]
            server.kill()
            server.start()
            stop.set()
            writer.join()
            assert set(confirmed) <= set(ids(store))
        store.ledger.verify(ME)


def test_a_server_that_fell_has_kept_nothing_of_a_number_it_has_not_come_to(
    opening: Open, dsn: str
) -> None:
    """Numbers of transactions that left no trace are given anew: they are no open question."""
    store = opening(dsn)
    database = store.database
    assert isinstance(database, PostgresDatabase)
    with database.writing("me") as connection:
        pass
    assert not database._was_kept(connection, 1_000_000_000)


@pytest.mark.parametrize(
    ("moment", "kept"), [("before", False), ("after", True), ("half", True)], ids=str
)
def test_a_connection_cut_at_commit_is_resolved_by_the_line(
    moment: str, kept: bool, opening: Open, dsn: str
) -> None:
    """The answer is "kept" or "not kept", never both, never a guess."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        proxy = CuttingProxy(servers.server(15).socket, Path(folder))
        store = opening(dsn.replace(str(servers.server(15).socket), folder))
        keep(store, "before the cut")
        proxy.cut = moment
        said = memory("at the cut")
        receipt = IdempotencyKey("once", said.id)
        batch = Batch("me", [Saved(said)], "me", AT)
        if kept:
            assert store.commit(batch, receipt=receipt).repeated is None
        else:
            with pytest.raises(StoreError, match="nothing was written"):
                store.commit(batch, receipt=receipt)
        assert proxy.cuts == 1
        assert (said.id in ids(store)) is kept
        # The same request again does it once, whichever way the first one went.
        again = store.commit(batch, receipt=receipt)
        assert (again.repeated == said.id) is kept
        assert ids(store).count(said.id) == 1
        store.ledger.verify(ME)
        store.close()
        proxy.close()


def test_without_the_line_a_lost_answer_would_be_a_guess(
    opening: Open, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: who takes a lost answer for a failure says "not kept" of what is there."""
    monkeypatch.setattr(PostgresDatabase, "_was_kept", lambda *_: False)
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        proxy = CuttingProxy(servers.server(15).socket, Path(folder))
        store = opening(dsn.replace(str(servers.server(15).socket), folder))
        keep(store, "before the cut")
        proxy.cut = "after"
        said = memory("at the cut")
        with pytest.raises(StoreError, match="nothing was written"):
            commit(store, Saved(said))
        assert said.id in ids(store)
        store.close()
        proxy.close()


def test_a_server_that_came_back_without_commits_is_told_by_the_head_kept_here(
    opening: Open, dsn: str, tmp_path: Path
) -> None:
    """A standby promoted too early lacks what was confirmed: the head beside us says so."""
    home, server = tmp_path / "home", servers.server(15)
    store = opening(dsn, home=home)
    keep(store, "in both")
    store.close()
    name = psycopg.conninfo.conninfo_to_dict(dsn)["dbname"]
    server.execute(f"CREATE DATABASE {name}_older TEMPLATE {name}")
    store = opening(dsn, home=home)
    assert store.lost_lines == []
    keep(store, "in the first alone")
    store.close()
    server.execute(
        f"DROP DATABASE {name} WITH (FORCE)", f"ALTER DATABASE {name}_older RENAME TO {name}"
    )
    assert any("line 2" in each for each in opening(dsn, home=home).lost_lines)


# -- nobody does anything twice --------------------------------------------------------------------


def _write_together(stores: list[Store], owners: list[str], each: int) -> list[BaseException]:
    """Let each store commit at the same time; return what went wrong."""
    wrong: list[BaseException] = []
    ready = threading.Barrier(len(stores))

    def write(store: Store, owner: str, at: int) -> None:
        ready.wait()
        try:
            for number in range(each):
                keep(store, f"{at} {number}", id=f"mem_{at}_{number}", scope=Scope(owner))
        except (SaegimError, psycopg.Error) as error:
            wrong.append(error)

    threads = [
        threading.Thread(target=write, args=(store, owner, at))
        for at, (store, owner) in enumerate(zip(stores, owners, strict=True))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def test_replicas_that_write_for_one_owner_make_one_chain(opening: Open, dsn: str) -> None:
    """The lock of the owner is taken before the head is read: nobody's line is lost or doubled."""
    stores = [opening(dsn) for _ in range(3)]
    assert _write_together(stores, ["me"] * 3, 15) == []
    assert stores[0].ledger.verify(ME)[0] == 45
    assert len(ids(stores[1])) == 45


def test_without_the_lock_of_the_owner_a_chain_breaks(
    opening: Open, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: two replicas that read the same head write the same line."""
    monkeypatch.setattr(PostgresDatabase, "_lock_of", lambda *_: [])
    stores = [opening(dsn) for _ in range(3)]
    assert _write_together(stores, ["me"] * 3, 15) != []


def test_writers_of_different_owners_do_not_wait_for_each_other(opening: Open, dsn: str) -> None:
    """While one owner's transaction is open, another's is carried out; the same owner's waits."""
    one, two = opening(dsn), opening(dsn, busy_seconds=1.0)
    keep(one, "first")
    with one.database.writing("me"):
        keep(two, "of another", scope=Scope("you"))
        with pytest.raises(StoreError, match="busy"):
            keep(two, "of the same")
        assert ids(two) == ids(one), "who reads waits for nobody"


def test_work_is_taken_once_by_replicas_that_ask_together(opening: Open, dsn: str) -> None:
    """SKIP LOCKED: twenty pieces of work, four takers, each piece taken once."""
    stores = [opening(dsn) for _ in range(4)]
    wishes = [("read", f"mem_{number}") for number in range(20)]
    stores[0].commit(Batch("me", [], "me", AT, wishes=wishes))
    taken: list[str] = []
    ready = threading.Barrier(4)

    def take(store: Store) -> None:
        ready.wait()
        while (job := store.jobs.take(AT, ["read"])) is not None:
            taken.append(job.subject)

    threads = [threading.Thread(target=take, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(subject for _, subject in wishes)


@pytest.mark.parametrize("place", ["file", "server"])
def test_owners_take_turns_with_their_work(
    place: str, opening: Open, dsn: str, tmp_path: Path
) -> None:
    """Who has much to be done keeps nobody else waiting for the end of it."""
    store = Store(tmp_path / "file.db") if place == "file" else opening(dsn)
    for owner, count in (("busy", 6), ("me", 2), ("you", 1)):
        wishes = [("read", f"mem_{owner}_{number}") for number in range(count)]
        store.commit(Batch(owner, [], owner, AT, wishes=wishes))
    taken = [store.jobs.take(AT, ["read"]) for _ in range(9)]
    whose = [job.owner for job in taken if job is not None]
    assert sorted(whose[:3]) == ["busy", "me", "you"]
    assert sorted(whose[3:5]) == ["busy", "me"]
    assert whose[5:] == ["busy"] * 4
    store.close()


def _night(store: Store, name: str, at: int) -> night_table.NightRow | None:
    vigil = ScheduleState(None, AT, False)
    now = AT + timedelta(minutes=at)
    return store.nights.begin(ME, name, ["importance"], now, vigil=vigil)


def _night_commit(store: Store, row: night_table.NightRow, id: str) -> None:
    shift = Shift(night=row.id, fence=row.fence, stage="importance", until=AT + LEASE)
    change = Reweighed(memory=id, at=AT, used=1)
    store.commit(Batch("me", [change], row.id, AT, shift=shift))


def test_two_replicas_sleep_once_for_an_owner(opening: Open, dsn: str) -> None:
    """Fence and lease: the second waits, takes over after the lease, and the first is refused."""
    one, two = opening(dsn), opening(dsn)
    kept = keep(one, "tea")
    first = _night(one, "night_1", 0)
    assert first is not None
    assert _night(two, "night_2", 1) is None
    taken = _night(two, "night_3", 5)
    assert taken is not None
    assert (taken.id, taken.fence) == (first.id, first.fence + 1)
    _night_commit(two, taken, kept.id)
    with pytest.raises(TakenOver):
        _night_commit(one, first, kept.id)
    assert one.memories.get(ME, kept.id).worth.used == 1  # type: ignore[union-attr]


def test_without_the_fence_a_night_is_slept_twice(
    opening: Open, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: who has lost the night writes on, and does everything again."""
    monkeypatch.setattr(night_table, "hold", lambda *_: None)
    one, two = opening(dsn), opening(dsn)
    kept = keep(one, "tea")
    first = _night(one, "night_1", 0)
    taken = _night(two, "night_3", 5)
    assert first is not None
    assert taken is not None
    _night_commit(two, taken, kept.id)
    _night_commit(one, first, kept.id)
    assert one.memories.get(ME, kept.id).worth.used == 2  # type: ignore[union-attr]


# -- replicas --------------------------------------------------------------------------------------


def test_what_one_replica_keeps_the_other_finds_with_its_next_question(
    opening: Open, dsn: str
) -> None:
    """Durable and findable by word and vector, also where the other holds the owner in memory."""
    one, two, toy = opening(dsn), opening(dsn), Toy()
    keep_near(one, toy, "kettle on the stove")
    assert two.prepare(ME)
    assert two.at_hand(ME) is not two
    later = keep_near(one, toy, "a kettle in the garden")
    tables = two.at_hand(ME)
    assert tables is not two, "still answered from memory"
    assert later.id in found(two, "garden")
    terms = two.words.analyser().query("garden")
    hits = tables.words.matching(terms, HERE, limit=5).hits
    assert two.memories.ids_of(ME, [hit.number for hit in hits]) == {hits[0].number: later.id}
    assert nearest(two, toy, "a kettle in the garden")[0][0] == later.id


def test_nothing_is_kept_in_a_session_behind_a_pooler(tmp_path: Path, dsn: str) -> None:
    """With prepared statements off, no connection remembers anything between transactions."""
    kept = {}
    for prepare in (True, False):
        path = PostgresDatabase.beside(dsn, tmp_path)
        store = Store(path, server=PostgresDatabase(dsn, path, prepare=prepare, most=2))
        for number in range(12):
            keep(store, f"kettle {prepare} {number}")
            ids(store)
        asked = "SELECT count(*) FROM pg_prepared_statements"
        with store.database.writing("me") as connection:
            kept[prepare] = connection.execute(asked).fetchall()[0][0]
        timeout = store.database.rows("SHOW statement_timeout")[0][0]
        assert (timeout == "0") is not prepare, "behind a pooler each transaction says it itself"
        store.close()
    assert kept[True] > 0, "the control"
    assert kept[False] == 0


def test_an_older_program_refuses_a_newer_schema_inside_its_transaction(
    opening: Open, dsn: str
) -> None:
    """Another replica migrated meanwhile: the older one writes nothing, and opens no more."""
    store = opening(dsn)
    keep(store, "tea")
    with psycopg.connect(dsn) as other:
        other.execute("UPDATE house SET value = '9999' WHERE name = 'schema'")
    with pytest.raises(SchemaMismatch, match="9999"):
        keep(store, "more tea")
    with pytest.raises(SchemaMismatch, match="9999"):
        opening(dsn)
    assert len(ids(store)) == 1


def test_a_server_that_is_away_is_said_and_comes_back(opening: Open) -> None:
    """Degraded, not dead: reads are refused clearly, and go on by themselves."""
    with servers.apart(15) as server:
        store = opening(server.fresh(), busy_seconds=1.0)
        kept = keep(store, "tea")
        server.kill()
        assert not store.database.answers()
        with pytest.raises(StoreError):
            ids(store)
        server.start()
        assert ids(store) == [kept.id]
        assert store.database.answers()


# -- clocks ----------------------------------------------------------------------------------------


class _TenMinutesAhead(datetime):
    """What this machine takes for the hour, where its clock is wrong."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        # A little more: the lease of a job is ten minutes itself.
        return datetime.now(tz) + timedelta(minutes=10, seconds=30)


def _slept_with_clocks_apart(dsn: str, monkeypatch: pytest.MonkeyPatch) -> tuple[bool, bool]:
    """Let one replica hold a night and another, ten minutes ahead, look at it.

    Return whether the second took it away, and whether it took the first one's job away.
    """
    with Saegim.open(dsn) as one:
        one.remember("tea")
        held = flow.begun(one.scope, one.mind, flow.NIGHT)
        assert held is not None
        one.mind.store.commit(Batch("me", [], "me", AT, wishes=[("later", "mem_x")]))
        job = one.mind.store.jobs.take(one.mind.now(), ["later"])
        assert job is not None
        monkeypatch.setattr(clock_module, "datetime", _TenMinutesAhead)
        with Saegim.open(dsn) as two:
            taken = flow.begun(two.scope, two.mind, flow.NIGHT)
            again = two.mind.store.jobs.take(two.mind.now(), ["later"])
        return taken is not None, again is not None


def test_a_replica_whose_clock_is_wrong_takes_nothing_away(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten minutes apart: leases are counted by the server's clock, on both."""
    assert _slept_with_clocks_apart(dsn, monkeypatch) == (False, False)


def test_by_its_own_clock_it_would_take_both(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: with this machine's clock a lease that still holds seems long over."""
    monkeypatch.setattr(mind, "clock_of", lambda _, clock: clock)
    assert _slept_with_clocks_apart(dsn, monkeypatch) == (True, True)


def test_the_clock_of_the_server_goes_on_while_it_is_away(opening: Open) -> None:
    """Between two looks, and while nobody answers, the time that passes here is added."""
    with servers.apart(15) as server:
        store = opening(server.fresh(), busy_seconds=1.0)
        clock = ServerClock(store.database)
        first = clock.now()
        server.kill()
        clock._looked -= 3600
        later = clock.now()
        assert timedelta(hours=1) <= later - first < timedelta(hours=1, minutes=5)
