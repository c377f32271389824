"""A whole store is carried from a file to a server and back: nothing is lost or changed."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import psycopg
import pytest

import servers
from conformance.store_parts import AT, commit, found, ids, keep, keep_near, memory
from conformance.test_equal_programmes import answers, carried_out
from saegim.errors import SaegimError, StoreCorrupt, StoreReadOnly
from saegim.language.words import Basic
from saegim.memory.changes import Erased, Saved
from saegim.memory.memory import Scope
from saegim.saegim import Saegim
from saegim.store import row_copy, tombstones, transfer
from saegim.store.commit import Batch, written
from saegim.store.databases.postgres import PostgresDatabase
from saegim.store.sidecar import Sidecar
from saegim.store.store import Store
from stand_ins import Toy, rounds, wait_until
from store.writers import Writer, passes_that_wait

ME = Scope("me")


def _on(dsn: str, place: Path) -> Store:
    path = PostgresDatabase.beside(dsn, place)
    return Store(path, server=PostgresDatabase(dsn, path))


def test_a_store_goes_to_a_server_and_comes_back_as_it_was(tmp_path: Path) -> None:
    """Ids, versions, order, ties, undo images and the chain are equal on all three."""
    file = Store(tmp_path / "one.db")
    carried_out(file, 3)
    server, back = _on(servers.server(15).fresh(), tmp_path), Store(tmp_path / "two.db")
    there = transfer.move(file.database, server.database, closes=False)
    here = transfer.move(server.database, back.database, closes=False)
    assert there.rows == here.rows
    assert there.heads == here.heads
    told = [
        [answers(store, Toy(), 3), store.ledger.verify(ME), store.check()]
        for store in (file, server, back)
    ]
    assert told[0] == told[1] == told[2]
    # What comes after them follows from them, on each.
    for store in (file, server, back):
        carried_out(store, 4)
        store.ledger.verify(ME)
        store.close()


@pytest.mark.parametrize("lossy", [True, False])
def test_a_move_that_loses_a_row_is_not_taken_for_a_move(
    lossy: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One row left out on the way is seen: the old place stays open, the new one takes nothing.

    The control loses none.
    """
    file = Store(tmp_path / "one.db")
    carried_out(file, 3)
    server = _on(servers.server(15).fresh(), tmp_path)
    whole = row_copy.stream

    def losing(source: object, sql: str, params: tuple[object, ...] = ()) -> object:
        rows = list(whole(source, sql, params))  # type: ignore[arg-type]
        return iter(rows[1:] if lossy and " FROM tag" in sql else rows)

    monkeypatch.setattr(row_copy, "stream", losing)
    if lossy:
        with pytest.raises(StoreCorrupt, match="tag"):
            transfer.move(file.database, server.database)
        keep(file, "still open")
        with pytest.raises(StoreReadOnly, match="not whole yet"):
            keep(server, "not yet")
        monkeypatch.setattr(row_copy, "stream", whole)
    transfer.move(file.database, server.database)
    assert server.memories.states(ME) == file.memories.states(ME)
    server.ledger.verify(ME)
    for store in (file, server):
        store.close()


# -- while others write ----------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["file to server", "server to file", "server to server"])
def test_a_store_moves_while_somebody_writes(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that was confirmed is in the new place, the heads are equal, the old one says where."""
    begins, _, ends = way.split()
    make = {
        "file": lambda name: Store(tmp_path / f"{name}.db"),
        "server": lambda name: _on(servers.server(15).fresh(), tmp_path),
    }
    source, target = make[begins]("one"), make[ends]("two")
    keep_near(source, Toy(), "a kettle in the garden")
    writer = Writer(source)
    writer.written(20)
    passes = passes_that_wait(monkeypatch, writer, 10)
    carried = transfer.move(source.database, target.database)
    confirmed = writer.end()
    assert len(passes) >= 3
    assert min(passes[1:]) > 0, "somebody wrote between the passes"
    assert "has moved to" in writer.refused
    assert set(confirmed) <= set(ids(target))
    assert source.ledger.verify(ME) == target.ledger.verify(ME)
    assert carried.heads["me"][1] == target.ledger.verify(ME)[1]
    assert found(target, "garden") == found(source, "garden")
    keep(target, "after the move")
    with pytest.raises(StoreReadOnly, match="has moved to"):
        keep(source, "too late")
    # Asked again, it has nothing left to do; and it can be opened again on purpose.
    assert transfer.reopen(source.database)
    keep(source, "a store of its own again")
    source.close()
    target.close()


def test_without_the_last_moment_a_confirmed_memory_would_be_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: nobody is held back, and what was confirmed meanwhile is not in the new place.

    The move is not taken for one: the heads differ.
    """
    source, target = Store(tmp_path / "one.db"), _on(servers.server(15).fresh(), tmp_path)
    keep(source, "first")
    plain = row_copy.RowCopy.compare

    def late(self: row_copy.RowCopy, here: object) -> object:
        # As if somebody had not waited for the lock.
        written(here, Batch("me", [Saved(memory("in between"))], "me", AT), [Basic()])  # type: ignore[arg-type]
        return plain(self, here)  # type: ignore[arg-type]

    monkeypatch.setattr(row_copy.RowCopy, "compare", late)
    with pytest.raises(StoreCorrupt, match="last lines"):
        transfer.move(source.database, target.database)
    monkeypatch.undo()
    keep(source, "the old place is open")
    transfer.move(source.database, target.database)
    assert len(ids(target)) == 2
    source.close()
    target.close()


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_move_that_was_interrupted_goes_on(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any pass: what arrived is kept, compared and not sent again."""
    source, target = Store(tmp_path / "one.db"), _on(servers.server(15).fresh(), tmp_path)
    for number in range(40):
        keep(source, f"cup {number}")
    writer = Writer(source)
    writer.written(5)
    passes_that_wait(monkeypatch, writer, 2, stop_at=at)
    with pytest.raises(KeyboardInterrupt):
        transfer.move(source.database, target.database)
    confirmed = writer.end()
    assert writer.refused == ""
    with pytest.raises(StoreReadOnly, match="not whole yet"):
        keep(target, "too early")
    monkeypatch.undo()
    sent = passes_that_wait(monkeypatch, writer, 0)
    transfer.move(source.database, target.database)
    rows = sum(each.count(source.database._reader(), ()) for each in _parts(source))
    assert sent[0] < rows, "what was there already is not sent again"
    assert set(confirmed) <= set(ids(target))
    assert source.ledger.verify(ME) == target.ledger.verify(ME)
    source.close()
    target.close()


def _parts(store: Store) -> list[row_copy.TableRows]:
    return row_copy.parts_of(store.database._reader())


@pytest.mark.parametrize("cut", [(transfer, "_settle_server"), (Sidecar, "accept")])
def test_a_move_cut_off_at_its_end_is_ended_by_the_same_words(
    cut: tuple[object, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the closing of the old place and the opening of the new, neither takes anything."""
    source, target = Store(tmp_path / "one.db"), _on(servers.server(15).fresh(), tmp_path)
    keep(source, "tea")

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(*cut, stop)
    with pytest.raises(KeyboardInterrupt):
        transfer.move(source.database, target.database)
    with pytest.raises(StoreReadOnly, match="has moved to"):
        keep(source, "too late")
    with pytest.raises(StoreReadOnly, match="not whole yet"):
        keep(target, "too early")
    monkeypatch.undo()
    transfer.move(source.database, target.database)
    keep(target, "now")
    gone = keep(target, "a secret word")
    commit(target, Erased(gone.id))
    # Asked again much later, nothing is done to what has happened there since.
    assert transfer.move(source.database, target.database).heads["me"][0] == 4
    assert target.ledger.verify(ME)[0] == 4
    stones = [each.id for each in tombstones._stones(target.database.path)]
    assert stones == [gone.id]
    source.close()
    target.close()


_MOVES = """
import sys
import threading
from pathlib import Path
from saegim.store import transfer
from saegim.store.databases.postgres import PostgresDatabase
from saegim.store.store import Store
file, dsn, place = sys.argv[1:]
path = PostgresDatabase.beside(dsn, Path(place))
target = Store(path, server=PostgresDatabase(dsn, path))
transfer.move(Store(Path(file)).database, target.database)
"""


def test_a_move_killed_in_the_middle_goes_on(tmp_path: Path) -> None:
    """Kill -9, again and again, each time a little further: in the end everything is there."""
    file = tmp_path / "one.db"
    source = Store(file)
    for number in range(60):
        keep(source, f"cup {number} {'x' * 3000}")
    dsn = servers.server(15).fresh()
    name = str(psycopg.conninfo.conninfo_to_dict(dsn)["dbname"])
    with psycopg.connect(servers.server(15).dsn(name), autocommit=True) as seen:
        asked = "SELECT (SELECT count(*) FROM ledger) + (SELECT count(*) FROM memory)"
        for turn in range(rounds(10, 2)):
            command = [sys.executable, "-c", _MOVES, str(file), dsn, str(tmp_path)]
            child = subprocess.Popen(command)
            want = min(1 + turn * 12, 120)
            wait_until(lambda want=want: seen.execute(asked).fetchone()[0] >= want, 120)  # type: ignore[misc, index]
            child.kill()
            child.wait()
    target = _on(dsn, tmp_path)
    transfer.move(source.database, target.database)
    assert source.ledger.verify(ME) == target.ledger.verify(ME)
    assert ids(source) == ids(target)
    source.close()
    target.close()


def test_two_stores_do_not_arrive_in_one_place(tmp_path: Path) -> None:
    """A place that holds something, or waits for another, is refused and left alone."""
    one, two = Store(tmp_path / "one.db"), Store(tmp_path / "two.db")
    target = _on(servers.server(15).fresh(), tmp_path)
    keep(one, "tea")
    keep(two, "coffee")
    place = one.database.place
    transfer._expect(target.database, place, f"arriving:{place}#earlier")
    with pytest.raises(StoreReadOnly, match="not whole yet"):
        transfer.move(two.database, target.database)
    transfer.move(one.database, target.database)
    with pytest.raises(StoreCorrupt, match="already"):
        transfer.move(two.database, target.database)
    for each in (one, two, target):
        each.close()


def test_the_facade_moves_and_the_new_place_answers(tmp_path: Path) -> None:
    """`move` counts first, carries all, and the old place says where everything went."""
    dsn = servers.server(15).fresh()
    with Saegim.open(tmp_path / "memory.db") as memory:
        memory.remember("보리는 닭고기를 먹지 못해요")
        counted = memory.maintenance.move(dsn, dry_run=True)
        assert (counted.memories, counted.done) == (1, False)
        moved = memory.maintenance.move(dsn)
        assert (moved.memories, moved.done) == (1, True)
        assert moved.heads["me"] == memory.mind.store.ledger.verify(ME)[1]
        assert memory.maintenance.move(dsn).heads == moved.heads, "asked again, nothing is done"
        assert memory.recall("보리").hits, "the old place is read"
        with pytest.raises(SaegimError, match="has moved to postgresql"):
            memory.remember("보리는 산책을 좋아해요")
    with Saegim.open(tmp_path / "memory.db") as memory:
        with pytest.raises(SaegimError, match="has moved to postgresql"):
            memory.remember("보리는 산책을 좋아해요")
        assert memory.maintenance.reopen()
        assert not memory.maintenance.reopen()
        memory.remember("보리는 산책을 좋아해요")
    with Saegim.open(dsn) as there:
        assert [hit.memory.text for hit in there.recall("보리는 뭘 못 먹지?").hits]
        there.remember("보리는 산책을 좋아해요")
        there.maintenance.move(str(tmp_path / "back.db"))
        with pytest.raises(SaegimError, match="there already"):
            Saegim.open(tmp_path / "memory.db").maintenance.move(str(tmp_path / "back.db"))
    with Saegim.open(tmp_path / "back.db") as back:
        assert back.recall("산책").hits
        assert back.status()["warnings"] == []


def test_of_two_moves_of_the_same_store_the_later_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first stops at its next write; what the second brought is whole and open."""
    source, target = Store(tmp_path / "one.db"), _on(servers.server(15).fresh(), tmp_path)
    keep(source, "tea")
    plain, seen = row_copy.RowCopy.follow, []

    def follow(self: row_copy.RowCopy, here: object) -> int:
        made = plain(self, here)  # type: ignore[arg-type]
        seen.append(made)
        if len(seen) == 1:
            ended = threading.Thread(target=transfer.move, args=(source.database, target.database))
            ended.start()
            ended.join()
        return made

    monkeypatch.setattr(row_copy.RowCopy, "follow", follow)
    with pytest.raises(SaegimError):
        transfer.move(source.database, target.database)
    monkeypatch.undo()
    assert target.ledger.verify(ME) == source.ledger.verify(ME)
    keep(target, "and it is open")
    source.close()
    target.close()
