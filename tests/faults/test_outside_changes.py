"""A store changed from outside: the ledger names the first line or memory that does not fit."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from faults.stores import OWNER, grown, opened, sentences, steady
from saegim import Saegim
from saegim.errors import LedgerBroken
from saegim.store.ledger import _SWORN, digest
from stand_ins import rounds

LINE = ("at", "actor", "change", "subject", "facts", "digest", "hash")
# Whose it is and its id say where to look; what a change of those does is asked below.
WORDS = tuple(each for each in _SWORN if each not in ("id", "owner"))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Saegim]:
    """A memory in which forty things have happened."""
    with steady(tmp_path / "memory.db") as made:
        ids = grown(made, sentences(36))
        for id in ids[:4]:
            made.forget(id)
        yield made


def outside(memory: Saegim) -> apsw.Connection:
    """Open the file behind everyone's back."""
    raw = apsw.Connection(str(memory.mind.store.path))
    raw.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    return raw


def spoilt(value: Any, dice: random.Random) -> Any:
    """Change one bit of a value."""
    if isinstance(value, int | float):
        return int(value) ^ 1 << dice.randrange(16)
    held = bytearray(str(value).encode())
    if not held:
        return "x"
    # Only in the lower half of ASCII a flipped bit leaves text behind.
    places = [at for at, byte in enumerate(held) if byte < 0x80]
    if not places:
        return f"{value}x"
    held[dice.choice(places)] ^= 1 << dice.randrange(6)
    return held.decode()


def test_a_flipped_bit_in_any_line_or_memory_is_named(memory: Saegim) -> None:
    """FAULTS 80: of a thousand flips (a tenth by day) in what is sworn each is seen and named."""
    raw, dice = outside(memory), random.Random(80)
    lines = raw.execute("SELECT seq FROM ledger WHERE owner = ? ORDER BY seq", (OWNER,)).fetchall()
    living = raw.execute("SELECT id FROM memory WHERE text IS NOT NULL").fetchall()
    for _ in range(rounds(1000)):
        if dice.random() < 0.5:
            table, key, at, column = "ledger", "seq", dice.choice(lines)[0], dice.choice(LINE)
        else:
            table, key, at, column = "memory", "id", dice.choice(living)[0], dice.choice(WORDS)
        held = raw.execute(f"SELECT {column} FROM {table} WHERE {key} = ?", (at,)).fetchall()
        change = f"UPDATE {table} SET {column} = ? WHERE {key} = ?"
        raw.execute(change, (spoilt(held[0][0], dice), at)).fetchall()
        with pytest.raises(LedgerBroken) as caught:
            memory.maintenance.verify()
        assert str(at) in str(caught.value), (table, at, column)
        raw.execute(change, (held[0][0], at)).fetchall()
    assert memory.maintenance.verify()[0] == len(lines) >= 40
    raw.close()


@pytest.mark.parametrize("column", ["owner", "id"])
def test_a_memory_given_to_another_is_missed_where_it_was(memory: Saegim, column: str) -> None:
    """FAULTS 80: what has changed hands or its name is lost here, and nobody swore to it there."""
    survey = memory.mind.store.survey
    assert (survey.lost(), survey.unsworn()) == ([], [])
    raw = outside(memory)
    raw.execute(f"UPDATE memory SET {column} = {column} || 'x' WHERE number = 7").fetchall()
    raw.close()
    assert survey.lost()
    assert survey.unsworn()


@pytest.mark.parametrize(
    ("change", "first"),
    [
        ("DELETE FROM ledger WHERE seq = 17", 17),
        ("UPDATE ledger SET seq = CASE seq WHEN 5 THEN 1006 ELSE seq END", 5),
        ("UPDATE ledger SET hash = (SELECT hash FROM ledger WHERE seq = 9) WHERE seq = 8", 8),
    ],
)
def test_a_line_taken_out_moved_or_copied_is_named(memory: Saegim, change: str, first: int) -> None:
    """FAULTS 80: the first number at which the chain does not go on is told."""
    raw = outside(memory)
    raw.execute(change).fetchall()
    raw.close()
    with pytest.raises(LedgerBroken, match=rf"\b{first}\b"):
        memory.maintenance.verify()


def test_an_older_copy_in_the_place_of_the_store_has_another_head(
    memory: Saegim, tmp_path: Path
) -> None:
    """FAULTS 80 and 81: whole in itself; only who kept the head of a later backup sees it."""
    older = memory.maintenance.backup(tmp_path / "older")
    memory.remember("words that the thief did not want")
    kept = memory.maintenance.backup(tmp_path / "newer").heads[OWNER]
    memory.close()
    shutil.copy(older.path, tmp_path / "rolled.db")
    with opened(tmp_path / "rolled.db") as rolled:
        length, head = rolled.maintenance.verify()
        hashes = [line.hash for line in rolled.mind.store.ledger.entries(rolled.scope)]
    assert head == older.heads[OWNER] != kept
    assert kept not in hashes
    assert len(hashes) == length


def test_the_store_that_was_not_replaced_still_holds_the_head(
    memory: Saegim, tmp_path: Path
) -> None:
    """FAULTS 81 control: a head that was kept is found in the chain however far it has grown."""
    kept = memory.maintenance.backup(tmp_path / "kept").heads[OWNER]
    memory.remember("more words")
    hashes = [line.hash for line in memory.mind.store.ledger.entries(memory.scope)]
    assert kept in hashes[:-1]


def test_an_erased_memory_s_line_still_proves_and_tells_nothing(memory: Saegim) -> None:
    """M15, FAULTS 35: the chain verifies, the line keeps its hash, and no guess can be tried."""
    kept = memory.remember("the letter of the harbour").id
    store = memory.mind.store
    ((salt, sworn, *values),) = store.database.rows(
        f"SELECT salt, digest, {', '.join(_SWORN)} FROM memory WHERE id = ?", (kept,)
    )
    row = dict(zip(_SWORN, values, strict=True))
    before = {line.seq: line.hash for line in store.ledger.entries(memory.scope)}
    assert digest(salt, row) == sworn, "with the salt a guess can be tried"
    memory.forgetting.erase(kept, confirm=True, by=OWNER)
    after = {line.seq: line.hash for line in store.ledger.entries(memory.scope)}
    assert {seq: after[seq] for seq in before} == before
    assert memory.maintenance.verify()[0] == len(after) > len(before)
    assert store.database.rows("SELECT 1 FROM memory WHERE salt = ?", (salt,)) == []
    assert salt.encode() not in b"".join(
        each.read_bytes() for each in store.path.parent.rglob("*") if each.is_file()
    )


def test_what_is_written_during_a_look_is_not_taken_for_a_cut(memory: Saegim) -> None:
    """U12.2: a look sees one moment; the last line that another adds after it is no loss."""
    database = memory.mind.store.database
    with database.one_moment():
        before = memory.mind.store.ledger.length(OWNER)
        with opened(memory.mind.store.path) as other:
            other.remember("words that arrive while somebody looks")
        assert memory.mind.store.ledger.length(OWNER) == before
        assert memory.mind.store.ledger.cut() == {}
        # Control: held against what the file beside the store says now, it looks cut off.
        database.sidecar._before.record = None
        assert memory.mind.store.ledger.cut() != {}
    assert memory.mind.store.ledger.cut() == {}
