"""Work that waits: taken once, tried again, parked with its reason, gone with its memory."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from saegim.errors import Refused
from saegim.memory.changes import Erased, Saved
from saegim.store.database import Database
from saegim.store.tables.job_table import LEASE, JobTable
from saegim.store.tables.model_usage import UsageTable
from store.places import AT, ME, commit, furnished, keep, memory

KINDS = ("facts",)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    made = furnished(tmp_path / "store.db")
    yield made
    made.close()


def test_work_is_written_down_with_the_memory_or_not_at_all(database: Database) -> None:
    """R-23: a memory and the wish to read it with a model are one transaction."""
    kept = memory("tea")
    commit(database, Saved(kept), wishes=[("facts", kept.id)])
    (job,) = JobTable(database).all(ME)
    assert (job.kind, job.subject, job.state, job.attempts) == ("facts", kept.id, "waiting", 0)
    other, foreign = memory("coffee"), memory("x", scope=type(ME)("you"))
    with pytest.raises(Refused):
        commit(database, Saved(other), Saved(foreign), wishes=[("facts", other.id)])
    assert len(JobTable(database).all(ME)) == 1


def test_one_lease_at_a_time_and_it_ends(database: Database) -> None:
    """U2.4: two workers never hold the same work; a dead one's comes back after its lease."""
    kept = memory("tea")
    commit(database, Saved(kept), wishes=[("facts", kept.id)])
    one, other = JobTable(database), JobTable(Database(database.path))
    held = one.take(AT, KINDS)
    assert held is not None
    assert held.attempts == 1
    assert other.take(AT, KINDS) is None
    assert other.take(AT, ("dreams",)) is None
    again = other.take(AT + LEASE, KINDS)
    assert again is not None
    assert again.attempts == 2
    one.finish(held)
    assert len(one.all(ME)) == 1, "a lease that ended finishes nothing"
    other.finish(again)
    assert one.all(ME) == []


def test_what_is_put_off_waits_and_says_why(database: Database) -> None:
    """U14.2: due later, with its reason; an uncounted try does not wear it out."""
    kept = memory("tea")
    commit(database, Saved(kept), wishes=[("facts", kept.id)])
    desk = JobTable(database)
    held = desk.take(AT, KINDS)
    assert held is not None
    desk.put_off(held, AT + timedelta(minutes=5), "busy")
    assert desk.take(AT, KINDS) is None
    (job,) = desk.all(ME)
    assert (job.error, job.attempts) == ("busy", 1)
    held = desk.take(AT + timedelta(minutes=5), KINDS)
    assert held is not None
    desk.put_off(held, AT, "the day's calls are spent", counted=False)
    assert desk.all(ME)[0].attempts == 1


def test_what_is_parked_stays_until_it_is_asked_for_again(database: Database) -> None:
    """U14.2: no endless retry; a person sees the reason and may ask again."""
    kept = memory("tea")
    commit(database, Saved(kept), wishes=[("facts", kept.id)])
    desk = JobTable(database)
    held = desk.take(AT, KINDS)
    assert held is not None
    desk.park(held, "no sense in it")
    assert desk.take(AT + timedelta(days=30), KINDS) is None
    assert [job.error for job in desk.all(ME)] == ["no sense in it"]
    assert desk.again(ME, AT) == 1
    assert desk.take(AT, KINDS) is not None


def test_results_are_written_only_under_a_lease_that_stands(database: Database) -> None:
    """U5.1: a worker that slept too long writes nothing over the one that took its work."""
    kept = memory("tea")
    commit(database, Saved(kept), wishes=[("facts", kept.id)])
    desk = JobTable(database)
    slow = desk.take(AT, KINDS)
    quick = desk.take(AT + LEASE, KINDS)
    assert slow is not None
    assert quick is not None
    with pytest.raises(Refused, match="another process"):
        commit(database, Saved(memory("late")), finishes=slow)
    commit(database, Saved(memory("in time")), finishes=quick)
    assert [row[0] for row in database.rows("SELECT text FROM memory")] == ["tea", "in time"]
    assert desk.all(ME) == []


def test_work_about_an_erased_memory_is_gone(database: Database) -> None:
    """U26.3: nothing that was erased comes back through the back door."""
    kept = memory("tea")
    commit(database, Saved(kept), wishes=[("facts", kept.id)])
    commit(database, Erased(kept.id))
    assert JobTable(database).all(ME) == []


def test_a_twin_brings_no_work_of_its_own(database: Database) -> None:
    """U9.2: the same text said twice is read by a model once."""
    keep(database, "tea")
    twin = memory("tea")
    commit(database, Saved(twin), wishes=[("facts", twin.id)], collapse=True)
    assert JobTable(database).all(ME) == []


def test_the_cap_of_a_day_is_shared_and_hard(database: Database) -> None:
    """U9.2: calls are counted before they are made; the next day starts anew."""
    one, other = UsageTable(database), UsageTable(Database(database.path))
    assert [each.reserve(AT, "facts", "toy", 3) for each in (one, other, one, other)] == [
        True, True, True, False,
    ]  # fmt: skip
    one.note(AT, "facts", "toy", tokens=(10, 5), failed=False)
    one.note(AT, "facts", "toy", tokens=(10, 0), failed=True)
    (spent,) = one.spent()
    assert (spent.calls, spent.failed, spent.tokens_in, spent.tokens_out) == (3, 1, 20, 5)
    tomorrow = AT + timedelta(days=1)
    assert other.reserve(tomorrow, "facts", "toy", 3)
    assert [each.day for each in one.spent(since="2026-01-02")] == ["2026-01-02"]


def test_what_was_spent_is_told_by_owner_and_in_all(database: Database) -> None:
    """People who share a store share its cap, and it can be told who used it."""
    usage = UsageTable(database)
    said = [usage.reserve(AT, "facts", "toy", 3, owner=who) for who in ("me", "you", "me", "you")]
    assert said == [True, True, True, False]
    usage.note(AT, "facts", "toy", tokens=(10, 5), failed=False, owner="you")
    mine, yours, ours = (usage.spent(owner=who)[0] for who in ("me", "you", None))
    assert (mine.calls, mine.tokens_in) == (2, 0)
    assert (yours.calls, yours.tokens_in) == (1, 10)
    assert (ours.calls, ours.tokens_in) == (3, 10)
    assert usage.spent(owner="nobody") == []
