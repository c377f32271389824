"""From a hit to the turns beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from saegim import FixedClock, Saegim
from saegim.recall import gather as gathering


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Saegim]:
    """Open a memory that compares spelling, so that context alone can join these texts."""
    with Saegim.open(tmp_path / "m.db", clock=FixedClock(), embedder="hashed") as opened:
        yield opened


def test_the_turn_after_a_hit_is_lifted_though_it_shares_no_word(memory: Saegim) -> None:
    """EMBEDDINGS: the answer stands beside the question; one step brings it back."""
    memory.remember("zqxv wrtp", session="s")
    reply = memory.remember("mnbv lkjh", session="s")
    memory.remember("mnbv lkjh unrelated", session="t")
    found = memory.recall("zqxv")
    beside = {hit.memory.id: hit for hit in found.hits}
    assert "context" in beside[reply.id].paths
    assert beside[reply.id].context > 0
    assert next(path for path in found.paths if path.name == "context").found == 1


def test_neighbours_stay_inside_session_user_and_filters(memory: Saegim) -> None:
    """U21.1: a walk never leaves the room it started in."""
    memory.remember("zqxv", session="s", kind="preference")
    memory.remember("beside", session="s", kind="emotion")
    memory.within(user="you").remember("theirs", session="s")
    assert {hit.memory.text for hit in memory.recall("zqxv").hits} == {"zqxv", "beside"}
    only = memory.recall("zqxv", kind="preference")
    assert {hit.memory.text for hit in only.hits} == {"zqxv"}


def test_without_sessions_the_path_says_why_it_did_not_run(memory: Saegim) -> None:
    """U12.1: no neighbour is a reason, not a silence."""
    memory.remember("zqxv")
    path = next(path for path in memory.recall("zqxv").paths if path.name == "context")
    assert (path.ran, path.why) == (False, "no hit has turns beside it")


def test_what_a_hit_gives_falls_with_distance(memory: Saegim) -> None:
    """The reply gets most, the turns further on and before it less, those far away nothing."""
    texts = ["aaaa", "bbbb", "zqxv", "cccc", "dddd", "eeee", "ffff", "gggg"]
    for text in texts:
        memory.remember(text, session="s")
    given = {hit.memory.text: hit.context for hit in memory.recall("zqxv").hits}
    assert given["cccc"] > given["dddd"] > given["eeee"] > given["ffff"] > 0
    assert given["bbbb"] > given["aaaa"] > 0
    assert "gggg" not in given


@pytest.mark.parametrize(
    ("about", "beside", "other", "elsewhere", "asked"),
    [
        ("The ferry to Jeju was cancelled in the storm", "we slept in the harbour hall",
         "My printer is out of toner", "we slept in the airport hall",
         "where did we sleep when the ferry was cancelled?"),
        ("태풍 때문에 제주 가는 배가 결항됐어", "우리는 항구 대합실에서 잤어",
         "프린터 토너가 떨어졌어", "우리는 공항 대합실에서 잤어",
         "배가 결항됐을 때 우리 어디서 잤지?"),
    ],
)  # fmt: skip
def test_a_conversation_is_about_what_its_best_turns_are_about(
    memory: Saegim,
    monkeypatch: pytest.MonkeyPatch,
    about: str,
    beside: str,
    other: str,
    elsewhere: str,
    asked: str,
) -> None:
    """Too far away to be a neighbour, a turn is lifted by the subject of its conversation."""
    for session, first, later in (("a", about, beside), ("b", other, elsewhere)):
        memory.remember(first, session=session, sequence=1)
        memory.remember(later, session=session, sequence=20)

    def lent() -> dict[str, float]:
        return {hit.memory.text: hit.context for hit in memory.recall(asked).hits}

    assert lent()[beside] > lent()[elsewhere]
    monkeypatch.setattr(gathering, "TOPIC", 10**9)  # control: a subject that lends nothing
    assert lent()[beside] == pytest.approx(lent()[elsewhere], abs=1e-6)
