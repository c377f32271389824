"""Recall can ask for a stretch of time, a feeling, a phase, and for what held at another time."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from saegim import FixedClock, Saegim, Scope
from saegim.errors import BadInput
from saegim.memory.changes import Archived, Erased, Restored
from saegim.store.commit import Batch
from saegim.store.rows import Where, where_of

NOW = datetime(2026, 5, 20, 3, 0, tzinfo=UTC)
LATEST = ("profile", "profile_read", "experience", "decision_count",
          "person", "access_token", "page_visit", "person_use")  # fmt: skip


@pytest.fixture
def clock() -> FixedClock:
    """A Wednesday in May, noon in Seoul."""
    return FixedClock(NOW)


def found(memory: Saegim, **filters: Any) -> set[str]:
    """Return the texts of a filtered list."""
    return {each.text for each in memory.recent(100, **filters).memories}


def test_during_finds_what_happened_then_and_what_speaks_of_then(memory: Saegim) -> None:
    """A dentist next Tuesday is found by that Tuesday, though it was said before."""
    memory.remember("다음 주 화요일에 치과에 간다")
    memory.remember("수영을 했다", happened_at="2026-05-26T01:00:00+00:00")
    memory.remember("책을 읽었다")
    tuesday = (datetime(2026, 5, 25, 15, tzinfo=UTC), datetime(2026, 5, 26, 15, tzinfo=UTC))
    with Saegim.open(memory.mind.store.path, clock=FixedClock(NOW), timezone="Asia/Seoul") as me:
        me.remember("다음 주 화요일에 은행에도 간다")
        texts = found(me, during=tuesday)
    assert texts >= {"수영을 했다", "다음 주 화요일에 은행에도 간다"}
    assert "책을 읽었다" not in texts


@pytest.mark.parametrize(
    "bad",
    [("2026-01-02", "2026-01-01"), ("2026-01-01", None), "2026-01-01", 7, ("x", "y")],
)
def test_a_stretch_needs_two_ends_in_order(memory: Saegim, bad: Any) -> None:
    """Bad input names the thing; nothing is searched as if it were not there."""
    with pytest.raises(BadInput):
        memory.recent(during=bad)


def test_feelings_and_emotion_words_filter(memory: Saegim) -> None:
    """Seed A §5: bqi_filters over the emotion words and the phase of the memory's snapshot."""
    memory.remember("합의에 이르렀다", phase="integration", words=["Clarity", "risk"])
    memory.remember("아직 갈라져 있다", phase="exploration", words=["doubt"])
    memory.remember("정말 기뻐서 눈물이 났다", feelings=["joy"])
    assert found(memory, emotion="clarity") == {"합의에 이르렀다"}
    assert found(memory, emotion=["doubt", "CLARITY"]) == {"합의에 이르렀다", "아직 갈라져 있다"}
    assert "정말 기뻐서 눈물이 났다" in found(memory, emotion="joy")
    both = {"rhythm_phase": "integration", "emotion": ["risk"]}
    assert found(memory, bqi_filters=both) == {"합의에 이르렀다"}
    assert found(memory, bqi_filters={"rhythm_phase": "integration", "emotion": "doubt"}) == set()
    assert found(memory, rhythm_phase="exploration") == {"아직 갈라져 있다"}


@pytest.mark.parametrize("bad", ["clarity", {"phase": "x"}, {"emotion": 3}, {"emotion": [1]}])
def test_a_bqi_filter_that_is_none_is_refused(memory: Saegim, bad: Any) -> None:
    """A misspelt coordinate must not become "no filter"."""
    with pytest.raises(BadInput):
        memory.recent(bqi_filters=bad)


def rows(memory: Saegim) -> tuple[int, int]:
    """Count what is derived from coordinates."""
    base = memory.mind.store.database
    return tuple(base.rows(f"SELECT count(*) FROM {name}")[0][0] for name in ("felt", "mention"))  # type: ignore[return-value]


def test_what_is_derived_goes_and_comes_with_the_words(memory: Saegim) -> None:
    """FAULTS M14: archived and erased memories leave no feeling and no date behind."""
    kept = memory.remember("어제 너무 기뻤다", words=["clarity"])
    before = rows(memory)
    assert min(before) > 0
    at, store = memory.mind.now(), memory.mind.store
    store.commit(Batch("me", [Archived(kept.id, at)], actor="me", at=at))
    assert rows(memory) == (0, 0)
    store.commit(Batch("me", [Restored(kept.id, None)], actor="me", at=at))
    assert rows(memory) == before
    store.commit(Batch("me", [Erased(kept.id)], actor="me", at=at))
    assert rows(memory) == (0, 0)


def test_an_older_store_learns_its_feelings_and_dates_when_it_is_opened(tmp_path: Path) -> None:
    """The migration derives from `details` what new memories are born with."""
    path = tmp_path / "m.db"
    with Saegim.open(path, clock=FixedClock(NOW)) as memory:
        memory.remember("어제 너무 기뻤다", words=["Clarity"])
        now = rows(memory)
        dump = memory.mind.store.database.rows("SELECT * FROM mention")
    connection = apsw.Connection(str(path))
    later = ("ageing", "night", "rota", "watch", "before", "place", "seal", *LATEST)
    for name in ("felt", "mention", "session", *later):
        connection.execute(f"DROP TABLE IF EXISTS {name}")
    for name in ("lifetime", "last_date"):
        connection.execute(f"ALTER TABLE memory DROP COLUMN {name}")
    connection.execute("DROP INDEX IF EXISTS spending_by_day")
    connection.execute("DELETE FROM house WHERE name = 'seal_key'")
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    with Saegim.open(path, clock=FixedClock(NOW)) as memory:
        assert rows(memory) == now
        assert memory.mind.store.database.rows("SELECT * FROM mention") == dump
        assert found(memory, emotion="clarity") == {"어제 너무 기뻤다"}


def test_history_and_as_of_look_among_what_no_longer_holds() -> None:
    """U19 and U20.3: by default only what holds; both names widen the states, once."""
    scope = Scope(user="me")
    assert [str(state) for state in where_of(scope, {}).states] == ["active"]
    for filters in ({"history": True}, {"as_of": "2026-01-01"}):
        states = [str(state) for state in where_of(scope, filters).states]
        assert states == ["active", "superseded"]
    kept = where_of(scope, {"as_of": "2026-01-01", "state": "active"})
    assert [str(state) for state in kept.states] == ["active"]
    assert where_of(scope, {"history": False}) == Where(scope=scope)
