"""The chain: every change of a line, and of what a line vouches for, is seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saegim import Saegim
from saegim.errors import LedgerBroken
from saegim.memory.changes import (
    Archived,
    Dozed,
    Erased,
    Leaving,
    Pinned,
    Recalled,
    Rehomed,
    Restored,
    Reweighed,
    Tiered,
    Woken,
)
from saegim.memory.memory import Reason, Scope, Tier
from saegim.store import ledger
from saegim.store.database import Database
from saegim.store.rows import to_row
from store.places import AT, commit, furnished, keep, memory, tamper


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return a database in which five things have happened."""
    made = furnished(tmp_path / "store.db")
    kept = [keep(made, f"tea {n}", id=f"mem_{n}") for n in range(3)]
    commit(made, Pinned(kept[0].id, True))
    commit(made, Erased(kept[1].id))
    yield made
    made.close()


def test_an_untouched_chain_verifies(database: Database) -> None:
    """Control: without tampering the chain is sound, and says how long it is."""
    length, head = ledger.LedgerTable(database).verify(Scope("me"))
    assert length == 5
    assert head == list(ledger.LedgerTable(database).entries(Scope("me")))[-1].hash
    assert ledger.LedgerTable(database).verify(Scope("nobody")) == (0, ledger.GENESIS)


def test_the_head_is_that_of_what_was_walked(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who writes while the chain is walked is in the next length and head, not in this one."""
    table, other = ledger.LedgerTable(database), furnished(database.path)
    before, walked = table.verify(Scope("me")), table._misfits

    def written_meanwhile(*given: Any) -> Iterator[LedgerBroken]:
        yield from walked(*given)
        keep(other, "meanwhile", id="mem_9")

    with monkeypatch.context() as patch:
        patch.setattr(table, "_misfits", written_meanwhile)
        assert table.verify(Scope("me")) == before
    assert table.verify(Scope("me"))[0] == before[0] + 1
    other.close()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE ledger SET actor = 'x' WHERE seq = 2",
        "UPDATE ledger SET at = at + 1 WHERE seq = 2",
        "UPDATE ledger SET change = 'Woken' WHERE seq = 4",
        "UPDATE ledger SET subject = 'mem_9' WHERE seq = 2",
        "UPDATE ledger SET facts = '{}' WHERE seq = 2",
        "UPDATE ledger SET digest = 'x' WHERE seq = 2",
        "UPDATE ledger SET hash = 'x' WHERE seq = 5",
        "DELETE FROM ledger WHERE seq = 3",
        "DELETE FROM ledger WHERE seq = 1",
        "UPDATE ledger SET seq = 9 WHERE seq = 5",
        "UPDATE memory SET text = 'coffee' WHERE id = 'mem_0'",
        "UPDATE memory SET author = 'someone' WHERE id = 'mem_0'",
        "UPDATE memory SET origin = 'user_confirmed' WHERE id = 'mem_0'",
        "UPDATE memory SET happened_at = 5 WHERE id = 'mem_0'",
        "UPDATE memory SET session = 's' WHERE id = 'mem_2'",
        "UPDATE memory SET digest = 'x' WHERE id = 'mem_2'",
        "UPDATE memory SET salt = 'x' WHERE id = 'mem_2'",
    ],
)
def test_any_change_from_outside_is_seen(database: Database, change: str) -> None:
    """FAULTS 80: lines, order, words, author, origin and times cannot be changed unseen."""
    tamper(database.path, change)
    with pytest.raises(LedgerBroken) as caught:
        ledger.LedgerTable(database).verify(Scope("me"))
    assert "backup" in caught.value.next_step


def test_what_changes_by_a_commit_does_not_break_the_chain(database: Database) -> None:
    """Control: worth and life go on changing, as long as it is we who change them."""
    commit(database, Tiered("mem_0", Tier.M365, None), Rehomed("mem_0", "house"))
    commit(database, Reweighed(memory="mem_0", at=AT, importance=0.9, recalled=5, rating=4))
    commit(database, Recalled("trace_1", ("mem_0", "mem_2")), Dozed("mem_2"), Woken("mem_2"))
    commit(database, Leaving("mem_2", Reason.MANUAL, AT, AT), Restored("mem_2", None))
    commit(database, Archived("mem_2", AT))
    assert ledger.LedgerTable(database).verify(Scope("me"))[0] == 14
    commit(database, Restored("mem_2", None))
    assert ledger.LedgerTable(database).verify(Scope("me"))[0] == 15


def test_a_digest_needs_its_salt(database: Database) -> None:
    """U26.3, M15: without the salt, a digest says nothing about the words under it."""
    row = to_row(memory("tea"))
    one, other = ledger.new_salt(), ledger.new_salt()
    assert one != other
    assert ledger.digest(one, row) == ledger.digest(one, row) != ledger.digest(other, row)
    assert database.rows("SELECT salt FROM memory WHERE id = 'mem_1'") == [(None,)]


def test_lines_are_read_a_page_at_a_time(database: Database) -> None:
    """The ledger is read in pages; none is lost between two of them."""
    all_lines = [line.seq for line in ledger.LedgerTable(database).entries(Scope("me"), page=2)]
    assert all_lines == [1, 2, 3, 4, 5]
    assert [
        line.seq for line in ledger.LedgerTable(database).entries(Scope("me"), since=3, page=1)
    ] == [4, 5]
    assert [
        e.change for e in ledger.LedgerTable(database).entries(Scope("me"), subject="mem_0")
    ] == [
        "Saved",
        "Pinned",
    ]


def test_chains_of_two_owners_do_not_meet(database: Database) -> None:
    """U21.1: an owner's head depends on that owner's lines alone."""
    before = ledger.LedgerTable(database).verify(Scope("me"))
    keep(database, "theirs", scope=memory().scope.__class__("you"))
    assert ledger.LedgerTable(database).verify(Scope("me")) == before
    with database.writing() as connection:
        assert ledger.head(connection, "you")[0] == 1


def test_names_and_predicates_are_words_too(tmp_path: Path) -> None:
    """DESIGN 1: the ledger holds ids, digests and numbers, not whom a memory names."""
    with Saegim.open(tmp_path / "m.db") as opened:
        opened.remember("민수는 한빛소프트에서 일하고 자바를 싫어한다")
        opened.remember("Minsu works at Hanbit Soft and dislikes Java")
        links = opened.mind.store.links.all(opened.scope)
        lines = opened.mind.store.database.rows("SELECT subject, facts FROM ledger")
        told = " ".join(f"{subject} {facts}" for subject, facts in lines)
        assert any(link.target == "entity:java" for link in links)
        for word in "민수 한빛 자바 싫어 Minsu minsu hanbit java dislikes".split():
            assert word not in told
        assert "entity#" in told
        opened.maintenance.verify()
