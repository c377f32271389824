"""What is in mind belongs to one store and one scope, and closing gives up on nothing."""

from __future__ import annotations

import threading
from pathlib import Path

import apsw
import pytest

from saegim import FixedClock, Saegim
from saegim.errors import SaegimError


def test_two_stores_in_one_folder_share_nothing_in_mind(tmp_path: Path) -> None:
    """M9: what was asked of one store never comes up in the other beside it."""
    with Saegim.open(tmp_path / "work.db", clock=FixedClock()) as work:
        work.working.upsert_query("chat", "사내 인수 계획이 뭐야?")
    with Saegim.open(tmp_path / "home.db", clock=FixedClock()) as home:
        assert not home.working.open("chat").resumed
        assert home.working.graph("chat").stats().nodes == 0
    with Saegim.open(tmp_path / "work.db", clock=FixedClock()) as work:
        assert work.working.open("chat").resumed


def test_all_views_of_a_scope_share_one_mind(tmp_path: Path) -> None:
    """Whoever looks from within a session sees the same graph; none overwrites the other."""
    with Saegim.open(tmp_path / "m.db", clock=FixedClock()) as memory:
        inside = memory.within(session="x")
        assert inside.working is memory.working
        assert memory.within(project="two").working is not memory.working
        memory.working.upsert_query("s1", "배포는 언제 하지?")
        inside.working.upsert_query("s1", "점심은 뭐 먹지?")
    with Saegim.open(tmp_path / "m.db", clock=FixedClock()) as memory:
        memory.working.open("s1")
        assert memory.working.graph("s1").stats().nodes == 2


def test_a_checkpoint_that_cannot_be_written_keeps_nothing_open(tmp_path: Path) -> None:
    """U12.3: the trouble is told once, and the store, the traces and the others are let go."""
    memory = Saegim.open(tmp_path / "m.db", clock=FixedClock())
    memory.remember("tea at noon")
    memory.recall("tea")
    memory.working.upsert_query("s1", "tea?")
    (tmp_path / "sessions").write_text("a file in the way", encoding="utf-8")
    with pytest.raises(SaegimError, match="sessions"):
        memory.close()
    assert memory.mind.traces is not None
    assert memory.mind.traces.waiting == 0
    with pytest.raises(SaegimError, match="closed"):
        memory.recall("tea")


def test_weights_are_carried_over_once_whatever_the_checkpoint_is_called(tmp_path: Path) -> None:
    """Seed B D3: a session that is taken up again after its end promotes nothing a second time."""
    with Saegim.open(tmp_path / "m.db", clock=FixedClock()) as memory:
        mind = memory.working
        first = mind.upsert_query("s", "배포 서버는 누가 보나요?")
        mind.record_answer("s", first, "지은이 봅니다")
        for _ in range(2):
            mind.upsert_query("s", "배포 서버는 누가 보나요?")
        mind.record_feedback("s", first, "up")
        mind.checkpoint("s")
        (promoted,) = mind.finalize_session("s", checkpoint_name="backup").promoted
        before = memory.get(promoted.memory).worth
        mind.open("s")
        mind.finalize_session("s")
        after = memory.get(promoted.memory).worth
        assert (after.repeat, after.feedback) == (before.repeat, before.feedback)
        assert before.repeat > 0


def test_a_search_of_one_session_does_not_wait_for_another_to_open(tmp_path: Path) -> None:
    """U10: opening takes the write lock; looking does not."""
    path = tmp_path / "m.db"
    with Saegim.open(path, clock=FixedClock(), busy_seconds=20.0) as memory:
        memory.working.upsert_query("s1", "배포는 언제 하지?")
        with apsw.Connection(str(path)) as other:
            held = apsw.Connection(str(path))
            held.execute("BEGIN IMMEDIATE")
            opening = threading.Thread(target=memory.working.open, args=("s2",))
            opening.start()
            found = memory.working.search("s1", "배포는 언제 하지?")
            # Still waiting for the lock, while the search has its answer already.
            assert opening.is_alive()
            assert [each.source for each in found] == ["session"]
            assert memory.working.active_sessions() == ["s1"]
            held.execute("ROLLBACK")
            held.close()
            opening.join()
            assert other.execute("SELECT count(*) FROM session").fetchall() == [(2,)]
        assert set(memory.working.active_sessions()) == {"s1", "s2"}
