"""A caller that never heard the answer asks again: with a key of its own, it is done once."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from faults.processes import Warm
from faults.stores import born, opened
from stand_ins import rounds, wait_until

KEYS = rounds(1000, 300)
BEGIN = datetime(2026, 3, 1, tzinfo=UTC)


def dropped(warm: Warm, path: Path, *, keyed: bool, wishes: int) -> int:
    """Let a process write many texts, kill it before it answers, and write them all again.

    Returns how many memories there are in the end.
    """
    child = warm.start("keyed", path=str(path), count=wishes, keyed=keyed)
    assert child.told() == "open"
    # However slow the machine is: some are written before it dies.
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as raw:
        wait_until(lambda: raw.execute("SELECT count(*) FROM memory").get > 9)
    child.kill()
    assert child.rest() == []
    with opened(path, durability="fast") as memory:
        assert memory.recent(1).total > 9
        for number in range(wishes):
            # Another try at another time: only the key says that it is the same wish.
            at = BEGIN + timedelta(days=1, seconds=number)
            key = f"wish-{number}" if keyed else None
            memory.remember(f"wish number{number}end", key=key, happened_at=at)
        return memory.recent(1).total


def test_a_wish_with_a_key_is_carried_out_once(warm: Warm, tmp_path: Path) -> None:
    """R-25: writes whose answer is lost (a thousand by night), tried again: each is there once."""
    path = tmp_path / "memory.db"
    assert dropped(warm, path, keyed=True, wishes=KEYS) == KEYS
    with opened(path) as memory:
        kept = memory.remember("wish number3end", key="wish-3")
        assert kept.status == "repeated"
        assert memory.get(kept.memory.id).text == "wish number3end"
        assert born(memory) == KEYS
        assert memory.mind.store.check() == []


def test_a_wish_without_a_key_is_carried_out_twice(warm: Warm, tmp_path: Path) -> None:
    """R-25 control: the same without keys leaves some memories twice, and this test sees it."""
    assert dropped(warm, tmp_path / "memory.db", keyed=False, wishes=200) > 200


@pytest.mark.parametrize("tries", [2, 5])
def test_a_key_belongs_to_its_owner(tmp_path: Path, tries: int) -> None:
    """R-25: however often it is tried, the first answer comes again; another user's key is his."""
    with opened(tmp_path / "memory.db") as memory:
        answers = [memory.remember("the same wish", key="wish").memory.id for _ in range(tries)]
        assert len(set(answers)) == 1
        other = memory.within(user="another").remember("the same wish", key="wish")
        assert other.memory.id not in answers
        assert memory.recent(5).total == 1
