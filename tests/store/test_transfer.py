"""A whole store is carried from a file to a server and back: nothing is lost or changed."""

from __future__ import annotations

from pathlib import Path

import pytest

import servers
from conformance.test_equal_programmes import answers, carried_out
from saegim.errors import SaegimError, StoreCorrupt
from saegim.memory.memory import Scope
from saegim.saegim import Saegim
from saegim.store import transfer
from saegim.store.databases.postgres import PostgresDatabase
from saegim.store.store import Store
from stand_ins import Toy

ME = Scope("me")


def _on(dsn: str, place: Path) -> Store:
    path = PostgresDatabase.beside(dsn, place)
    return Store(path, server=PostgresDatabase(dsn, path))


def test_a_store_goes_to_a_server_and_comes_back_as_it_was(tmp_path: Path) -> None:
    """Ids, versions, order, ties, undo images and the chain are equal on all three."""
    file = Store(tmp_path / "one.db")
    carried_out(file, 3)
    server, back = _on(servers.server(15).fresh(), tmp_path), Store(tmp_path / "two.db")
    there = transfer.move(file.database, server.database)
    here = transfer.move(server.database, back.database)
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


def test_a_move_that_loses_a_row_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: one row left out on the way is seen, and the new place stays empty."""
    file = Store(tmp_path / "one.db")
    carried_out(file, 3)
    server = _on(servers.server(15).fresh(), tmp_path)
    whole = transfer._stream

    def lossy(source: object, sql: str) -> object:
        rows = list(whole(source, sql))
        return iter(rows[1:] if " FROM tag" in sql else rows)

    monkeypatch.setattr(transfer, "_stream", lossy)
    with pytest.raises(StoreCorrupt, match="tag"):
        transfer.move(file.database, server.database)
    assert server.memories.states(ME) == {}
    monkeypatch.setattr(transfer, "_stream", whole)
    transfer.move(file.database, server.database)
    assert server.memories.states(ME) == file.memories.states(ME)
    for store in (file, server):
        store.close()


def test_the_facade_moves_and_the_new_place_answers(tmp_path: Path) -> None:
    """`move` counts first, carries all, and refuses a place that holds something already."""
    dsn = servers.server(15).fresh()
    with Saegim.open(tmp_path / "memory.db") as memory:
        memory.remember("보리는 닭고기를 먹지 못해요")
        counted = memory.maintenance.move(dsn, dry_run=True)
        assert (counted.memories, counted.done) == (1, False)
        moved = memory.maintenance.move(dsn)
        assert (moved.memories, moved.done) == (1, True)
        assert moved.heads["me"] == memory.mind.store.ledger.verify(ME)[1]
        with pytest.raises(SaegimError, match="already"):
            memory.maintenance.move(dsn)
    with Saegim.open(dsn) as there:
        assert [hit.memory.text for hit in there.recall("보리는 뭘 못 먹지?").hits]
        there.remember("보리는 산책을 좋아해요")
        there.maintenance.move(str(tmp_path / "back.db"))
        with pytest.raises(SaegimError, match="there already"):
            there.maintenance.move(str(tmp_path / "back.db"))
    with Saegim.open(tmp_path / "back.db") as back:
        assert back.recall("산책").hits
        assert back.status()["warnings"] == []
