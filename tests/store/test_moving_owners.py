"""One owner goes to another store while they write: nothing is lost, and never do both take it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import servers
from conformance.store_parts import AT, ME, commit, ids, keep, keep_near
from conformance.test_equal_programmes import answers, carried_out
from saegim.errors import BadInput, StoreBusy, StoreCorrupt
from saegim.memory.changes import Erased
from saegim.memory.memory import Scope
from saegim.store import row_copy, tombstones, transfer
from saegim.store.databases.postgres import PostgresDatabase
from saegim.store.rows import Where
from saegim.store.store import Store
from stand_ins import Toy, rounds
from store.writers import Writer, passes_that_wait

YOU = Scope("you")


def _on(dsn: str, place: Path) -> Store:
    path = PostgresDatabase.beside(dsn, place)
    return Store(path, server=PostgresDatabase(dsn, path))


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Two stores: one with an owner who goes and one who stays, one with somebody else."""
    stores = tuple(_on(servers.server(15).fresh(), tmp_path) for _ in range(2))
    carried_out(stores[0], 3)
    keep(stores[0], "the other stays", scope=YOU)
    for number in range(5):
        # So that the same numbers are taken there.
        keep_near(stores[1], Toy(), f"kettle {number}", scope=Scope("local"))
    yield stores  # type: ignore[misc]
    for each in stores:
        each.close()


def _move(source: Store, target: Store, owner: str = "me") -> transfer.Carried:
    names = {"here": "main", "there": "busan"}
    return transfer.move_owner(source.database, target.database, owner, **names)


def _left_of(store: Store, owner: str) -> dict[str, int]:
    with store.database.reading() as held:
        parts = row_copy.parts_of_owner(held, owner)
        counts = {part.table: part.count(held, part.there) for part in parts}
    return {table: count for table, count in counts.items() if count}


def test_an_owner_goes_and_answers_as_before(pair: tuple[Store, Store]) -> None:
    """Ids, order, scores, ties, undo images and the chain are what they were; others stay put."""
    source, target = pair
    before = answers(source, Toy(), 3), source.ledger.verify(ME)
    local = answers(target, Toy(), 3), ids(target, Where(scope=Scope("local")))
    undo = source.database.rows("SELECT seq, held FROM before WHERE owner = 'me' ORDER BY seq")
    carried = _move(source, target)
    assert (answers(target, Toy(), 3), target.ledger.verify(ME)) == before
    assert carried.heads["me"][1] == before[1][1]
    same = "SELECT seq, held FROM before WHERE owner = 'me' ORDER BY seq"
    assert target.database.rows(same) == undo
    assert _left_of(source, "me") == {}, "nothing is left in the old store"
    assert len(ids(source, Where(scope=YOU))) == 1
    assert ids(target, Where(scope=Scope("local"))) == local[1]
    # What follows is kept there, and refused here.
    carried_out(target, 4)
    target.ledger.verify(ME)
    with pytest.raises(StoreBusy, match="busan"):
        keep(source, "too late")
    assert source.database.elsewhere() == {"me": "busan"}
    assert source.lost_lines == [], "an owner who went is not a ledger that was cut"


def test_an_owner_comes_back(pair: tuple[Store, Store]) -> None:
    """There and back: the same answers, and the old place takes them again."""
    source, target = pair
    before = answers(source, Toy(), 3)
    names = {"here": "busan", "there": "main"}
    for _ in range(2):
        _move(source, target)
        transfer.move_owner(target.database, source.database, "me", **names)
        assert answers(source, Toy(), 3) == before
    keep(source, "home again")
    source.ledger.verify(ME)
    assert _left_of(target, "me") == {}


def test_an_owner_goes_while_they_write(
    pair: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every confirmed memory is there; writes are refused for the last moment alone."""
    source, target = pair
    writer, other = Writer(source), Writer(source, "you")
    writer.written(10)
    passes = passes_that_wait(monkeypatch, writer, 5)
    carried = _move(source, target)
    confirmed = writer.end()
    other.written(len(other.confirmed) + 3)
    assert len(other.end()) > 3, "who stays is not held back"
    assert other.refused == ""
    assert min(passes[1:]) > 0, "they wrote between the passes"
    assert "busan" in writer.refused
    assert set(confirmed) <= set(ids(target))
    length, head = target.ledger.verify(ME)
    assert carried.heads["me"] == (length, head)


def test_without_the_row_that_says_so_both_would_take_them(
    pair: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: with nothing written down, a late writer of the old store is confirmed."""
    source, target = pair
    monkeypatch.setattr(transfer, "_place", lambda *_: None)
    monkeypatch.setattr(transfer, "_fence", lambda *_: lambda _: None)
    _move(source, target)
    keep(source, "in the old store", id="mem_lost")
    assert "mem_lost" not in ids(target)


# A move makes at least so many transactions; by day three of them are cut.
@pytest.mark.parametrize("at", range(2, 23, 21 // rounds(21, 3)))
def test_a_move_of_an_owner_that_was_interrupted_goes_on(
    at: int, pair: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut off before any of its transactions: run again, it ends, and both never take writes."""
    source, target = pair
    before = answers(source, Toy(), 3), source.ledger.verify(ME)
    plain, count = PostgresDatabase.writing, iter(range(1, 1000))

    def cut(self: PostgresDatabase, *given: object, **named: object) -> object:
        if next(count) == at:
            raise KeyboardInterrupt
        return plain(self, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(PostgresDatabase, "writing", cut)
    with pytest.raises(KeyboardInterrupt):
        _move(source, target)
    monkeypatch.undo()
    taken = []
    for store in pair:
        try:
            with store.database.writing("me"):
                taken.append(store)
        except StoreBusy:
            pass
    assert len(taken) <= 1
    _move(source, target)
    assert (answers(target, Toy(), 3), target.ledger.verify(ME)) == before
    assert _left_of(source, "me") == {}
    keep(target, "and it is open")


@pytest.mark.parametrize("cut", ["_look_again", "remove_owner"])
def test_a_move_cut_off_after_the_old_store_said_so_is_ended(
    cut: str, pair: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two, neither takes anything; and what is left in the old store goes."""
    source, target = pair
    before = source.ledger.verify(ME)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(transfer, cut, stop)
    with pytest.raises(KeyboardInterrupt):
        _move(source, target)
    monkeypatch.undo()
    with pytest.raises(StoreBusy):
        keep(source, "too late")
    if cut == "_look_again":
        with pytest.raises(StoreBusy):
            keep(target, "too early")
    _move(source, target)
    assert target.ledger.verify(ME) == before
    assert _left_of(source, "me") == {}


def test_a_name_that_is_taken_there_is_refused(pair: tuple[Store, Store]) -> None:
    """Two people of one name in two stores are not made one."""
    source, target = pair
    keep(target, "another me")
    with pytest.raises(BadInput, match="already"):
        _move(source, target)
    keep(source, "still here")


def test_a_row_lost_on_the_way_is_seen(
    pair: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old store stays the one that takes them; the next try carries everything."""
    source, target = pair
    plain = row_copy.insert

    def lossy(there: object, table: str, columns: object, rows: list[object]) -> None:
        plain(there, table, columns, rows[1:] if table == "tag" else rows)  # type: ignore[arg-type]

    monkeypatch.setattr(row_copy, "insert", lossy)
    with pytest.raises(StoreCorrupt, match="tag"):
        _move(source, target)
    monkeypatch.undo()
    keep(source, "still here")
    _move(source, target)
    target.ledger.verify(ME)


def test_what_was_erased_stays_erased_in_the_new_store(pair: tuple[Store, Store]) -> None:
    """The stones of the owner go along; those of others do not."""
    source, target = pair
    gone = keep(source, "a secret word")
    theirs = keep(source, "their secret", scope=YOU)
    commit(source, Erased(gone.id))
    commit(source, Erased(theirs.id), owner="you")
    _move(source, target)
    stones = [(each.owner, each.id) for each in tombstones._stones(target.database.path)]
    assert ("me", gone.id) in stones
    assert all(owner == "me" for owner, _ in stones)
    assert tombstones.reapply(target.database, target.words.ready(), AT) == 0


def test_a_divided_store_moves_to_a_server_and_not_into_a_file(
    pair: tuple[Store, Store], tmp_path: Path
) -> None:
    """Who lies elsewhere does so after the move too: a file could not say it, and is refused."""
    source, target = pair
    _move(source, target)
    file = Store(tmp_path / "file.db")
    with pytest.raises(BadInput, match="me"):
        transfer.move(source.database, file.database)
    keep(source, "the other stays and writes", scope=YOU)
    third = _on(servers.server(15).fresh(), tmp_path)
    transfer.move(source.database, third.database)
    assert third.database.elsewhere() == {"me": "busan"}
    with pytest.raises(StoreBusy, match="busan"):
        keep(third, "not here either")
    for each in (file, third):
        each.close()


def test_a_backup_from_before_a_move_brings_nobody_back(
    pair: tuple[Store, Store], tmp_path: Path
) -> None:
    """What it holds of who was moved since is taken out again; who stayed is as they were."""
    source, target = pair
    made = source.back_up(tmp_path / "backups", AT)
    before = ids(source, Where(scope=YOU))
    _move(source, target)
    source.restore_backup(made.path, tmp_path / "backups", AT)
    assert _left_of(source, "me") == {}
    assert ids(source, Where(scope=YOU)) == before
    target.ledger.verify(ME)
    with pytest.raises(StoreBusy, match="busan"):
        keep(source, "still elsewhere")


@pytest.mark.parametrize("fenced", [True, False])
def test_of_two_who_move_the_same_owner_the_later_wins(
    fenced: bool, pair: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first stops where the second has begun. The control takes away what had arrived."""
    source, target = pair
    before = source.ledger.verify(ME)
    plain, seen = row_copy.RowCopy.follow, []

    def follow(self: row_copy.RowCopy, here: object) -> int:
        made = plain(self, here)  # type: ignore[arg-type]
        seen.append(made)
        if len(seen) == 1:
            # Between two passes of the first, the second does all of it.
            ended = threading.Thread(target=_move, args=(source, target))
            ended.start()
            ended.join()
        return made

    monkeypatch.setattr(row_copy.RowCopy, "follow", follow)
    if not fenced:
        monkeypatch.setattr(transfer, "_fence", lambda *_: lambda _: None)
    with pytest.raises(StoreBusy):
        _move(source, target)
    kept = _left_of(target, "me").get("ledger", 0)
    assert kept == (before[0] if fenced else 0)
    if fenced:
        assert target.ledger.verify(ME) == before
        keep(target, "and it is open")
