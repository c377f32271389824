"""Writes of one owner travel together, and nobody fails for another's sake."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import servers
from conformance.store_parts import AT, HERE, ME, Toy, found, ids, keep, memory
from saegim.errors import BadInput, SaegimError, StoreBusy, StoreError
from saegim.memory.changes import Reweighed, Saved
from saegim.store.commit import Batch, IdempotencyKey
from saegim.store.databases.dialect import GatheredRows
from saegim.store.databases.postgres import PostgresDatabase
from saegim.store.store import Store
from stand_ins import wait_until


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return a store on a server."""
    dsn = servers.server(15).fresh()
    path = PostgresDatabase.beside(dsn, tmp_path)
    opened = Store(path, server=PostgresDatabase(dsn, path))
    yield opened
    opened.close()


def _in_line(store: Store, count: int) -> bool:
    assert store._grouped is not None
    return len(store._grouped._lines.get("me", [])) == count


def _while_held(store: Store, acts: list[Callable[[], object]]) -> list[object]:
    """Let all of these come while somebody else holds the owner's lock; return what each got."""
    ended: list[object] = [None] * len(acts)

    def run(at: int, act: Callable[[], object]) -> None:
        try:
            ended[at] = act()
        except SaegimError as error:
            ended[at] = error

    threads = []
    with store.database.pausing_writes(owner="me"):
        for at, act in enumerate(acts):
            threads.append(threading.Thread(target=run, args=(at, act)))
            threads[-1].start()
            wait_until(lambda at=at: _in_line(store, at + 1))  # type: ignore[misc]
    for thread in threads:
        thread.join()
    return ended


def _transactions(store: Store) -> int:
    """Return how many transactions the ledger's lines were written in."""
    return len(store.database.rows("SELECT DISTINCT xmin::text FROM ledger"))


def _saving(store: Store, text: str, id: str) -> Callable[[], object]:
    toy = Toy()
    (vector,) = toy.embed([text], "document")
    batch = Batch("me", [Saved(memory(text, id=id))], "me", AT, {id: vector}, toy.identity)
    return lambda: store.commit(batch)


def test_those_who_wait_travel_in_one_transaction_in_their_order(store: Store) -> None:
    """Ten who stand in line: one transaction, ten lines, each findable, each told of in order."""
    told: list[str] = []
    store.subscribe(lambda news: told.extend(each.memory.id for each in news.changes), Saved)  # type: ignore[union-attr]
    acts = [_saving(store, f"kettle number{at}", f"mem_{at}") for at in range(10)]
    assert not any(isinstance(each, SaegimError) for each in _while_held(store, acts))
    assert _transactions(store) == 1
    assert store.ledger.verify(ME)[0] == 10
    assert found(store, "number7") == ["mem_7"]
    wait_until(lambda: len(told) == 10)
    assert told == [f"mem_{at}" for at in range(10)]
    assert [each.subject for each in store.ledger.entries(ME)] == told


def test_one_that_is_refused_takes_nobody_down(store: Store) -> None:
    """An id that is here, a memory that is not: those two are refused, the others kept."""
    keep(store, "tea", id="mem_here")
    lost = Batch("me", [Reweighed(memory="mem_nowhere", at=AT, used=1)], "me", AT)
    acts = [
        _saving(store, "one", "mem_1"),
        _saving(store, "again", "mem_here"),
        _saving(store, "two", "mem_2"),
        lambda: store.commit(lost),
        _saving(store, "three", "mem_3"),
    ]
    ended = _while_held(store, acts)
    assert [isinstance(each, SaegimError) for each in ended] == [False, True, False, True, False]
    assert isinstance(ended[1], BadInput)
    assert sorted(ids(store)) == ["mem_1", "mem_2", "mem_3", "mem_here"]
    assert store.ledger.verify(ME)[0] == 4


def test_the_same_request_twice_in_one_group_is_done_once(store: Store) -> None:
    """A key that two of a group bear is carried out by the first; the second is told so."""
    said = memory("tea", id="mem_once")
    batch = Batch("me", [Saved(said)], "me", AT)
    receipt = IdempotencyKey("once", said.id)
    one, two = _while_held(store, [lambda: store.commit(batch, receipt)] * 2)
    assert (one.repeated, two.repeated) == (None, "mem_once")  # type: ignore[attr-defined]
    assert ids(store) == ["mem_once"]
    assert store.ledger.verify(ME)[0] == 1


def test_who_has_waited_too_long_steps_out_of_line(store: Store) -> None:
    """Nothing of theirs is written later: busy means not kept."""
    with store.database.pausing_writes(owner="me"):
        caught: list[BaseException] = []

        def impatient() -> None:
            try:
                store.commit(Batch("me", [Saved(memory("tea"))], "me", AT), patience=0.05)
            except StoreBusy as error:
                caught.append(error)

        thread = threading.Thread(target=impatient)
        thread.start()
        thread.join()
    assert len(caught) == 1
    assert str(caught[0])
    keep(store, "coffee", id="mem_after")
    assert ids(store) == ["mem_after"]


def test_a_group_whose_server_is_away_fails_as_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is everyone's trouble is told to each once; nobody waits for it again by themselves."""
    begun = []

    def away(*_: object, **__: object) -> object:
        begun.append(1)
        raise StoreError("store.server_went_away", path="")

    monkeypatch.setattr(store.database, "writing", away)
    acts = [_saving(store, f"tea {at}", f"mem_{at}") for at in range(5)]
    ended = _while_held(store, acts)
    assert all(isinstance(each, StoreError) for each in ended)
    assert len(begun) == 1


def test_without_groups_each_has_a_transaction_of_its_own(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: what is counted above is not so by itself."""
    monkeypatch.setattr("saegim.store.grouped_writes._MOST_TOGETHER", 1)
    acts = [_saving(store, f"kettle number{at}", f"mem_{at}") for at in range(4)]
    _while_held(store, acts)
    assert _transactions(store) == 4
    assert len(list(store.memories.walk(HERE))) == 4


@pytest.mark.parametrize("calls", [True, False])
def test_a_line_whose_first_is_interrupted_goes_on(
    calls: bool, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has the turn and leaves calls the next. The control calls nobody: they wait in vain.

    Of the one who was interrupted nothing is kept.
    """
    assert store._grouped is not None
    line, plain = store._grouped, store._grouped._together
    line._patience = 30.0 if calls else 0.3
    first = threading.Event()

    def interrupted(requests: object) -> object:
        if not first.is_set():
            first.set()
            raise KeyboardInterrupt
        return plain(requests)  # type: ignore[arg-type]

    monkeypatch.setattr(line, "_together", interrupted)
    if not calls:
        monkeypatch.setattr(line, "_call_next", lambda _: None)
    acts = [_saving(store, f"cup {at}", f"mem_{at}") for at in range(4)]

    def leads() -> object:
        try:
            return acts[0]()
        except KeyboardInterrupt:
            return "interrupted"

    ended = _while_held(store, [leads, *acts[1:]])
    assert ended[0] == "interrupted"
    busy = [isinstance(each, StoreBusy) for each in ended[1:]]
    assert busy == [not calls] * 3
    assert sorted(ids(store)) == (["mem_1", "mem_2", "mem_3"] if calls else [])
    if calls:
        assert line._led == set()
        assert line._lines == {}


def test_many_who_write_for_one_owner_travel_in_few_transactions(store: Store) -> None:
    """Eight clients, twelve memories each: nobody is lost or doubled, and lines do form."""
    ready = threading.Barrier(8)

    def write(at: int) -> None:
        ready.wait()
        for number in range(12):
            _saving(store, f"cup {at} {number}", f"mem_{at}_{number}")()

    threads = [threading.Thread(target=write, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(ids(store))) == len(ids(store)) == 96
    assert store.ledger.verify(ME)[0] == 96
    assert _transactions(store) < 72, "else each went by itself"


def test_rows_that_are_gathered_are_there_for_whoever_looks(store: Store) -> None:
    """A question, a change of the same rows and the end of a transaction find what was added."""
    row = "INSERT INTO tag VALUES (:owner, :tag, :number)"
    with store.database.writing("me") as connection:
        connection.reserve_numbers(1)  # type: ignore[attr-defined]
        for number in range(7):
            connection.execute(row, {"number": number, "owner": "me", "tag": f"t{number}"})
        connection.execute("UPDATE tag SET tag = 'changed' WHERE number = 3")
        connection.execute(row, {"number": 7, "owner": "me", "tag": "late"})
        seen = connection.execute("SELECT tag FROM tag ORDER BY number").fetchall()
        connection.execute(row, {"number": 8, "owner": "me", "tag": "last"})
    wanted = ["t0", "t1", "t2", "changed", "t4", "t5", "t6", "late"]
    assert [each[0] for each in seen] == wanted
    rows = store.database.rows("SELECT tag FROM tag ORDER BY number")
    assert [each[0] for each in rows] == [*wanted, "last"]


def test_what_adds_more_than_one_row_of_values_is_sent_as_it_is() -> None:
    """Conflicts, questions inside and rows that bring something back are never put together."""
    gathered = GatheredRows()
    for sql in (
        "INSERT INTO a VALUES (?, ?) ON CONFLICT DO NOTHING",
        "INSERT INTO a VALUES (?, (SELECT 1))",
        "INSERT INTO a SELECT ?, ?",
        "UPDATE a SET b = ?",
    ):
        assert not gathered.takes(sql, (1, 2))
    assert gathered.takes("INSERT INTO a VALUES (?, ?)", (1, 2))
    assert gathered.takes("INSERT INTO a VALUES (?, ?)", (3, 4))
    assert gathered.takes("INSERT INTO a VALUES (?, ?)", (5, 6))
    assert gathered.touches("DELETE FROM a")
    assert not gathered.touches("DELETE FROM b")
    assert list(gathered.drained()) == [
        ("INSERT INTO a VALUES (%s, %s), (%s, %s)", (1, 2, 3, 4)),
        ("INSERT INTO a VALUES (%s, %s)", (5, 6)),
    ]
    assert list(gathered.drained()) == []
