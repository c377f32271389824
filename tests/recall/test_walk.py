"""From a hit to the turns beside it."""

from __future__ import annotations

from saegim import Saegim


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
    """The reply gets most, two turns on and the turn before get half of it."""
    texts = ["aaaa", "zqxv", "cccc", "dddd", "eeee"]
    for text in texts:
        memory.remember(text, session="s")
    given = {hit.memory.text: hit.context for hit in memory.recall("zqxv").hits}
    assert given["cccc"] > given["dddd"] > 0
    assert given["aaaa"] > 0
    assert "eeee" not in given
