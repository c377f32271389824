"""Why each memory came back."""

from __future__ import annotations

import json
import re

import pytest

from saegim import Saegim
from saegim.errors import NotFound
from saegim.memory.memory import score
from saegim.mind import FEATURES
from saegim.recall.explain import features_of, handles, numbers, reason, replayed, signs
from saegim.recall.handle import handle_of
from saegim.recall.rank import Hit, features


def test_every_hit_explains_itself_in_words_and_numbers(memory: Saegim) -> None:
    """U32.2: matched words, the score of each path, recency and importance."""
    memory.remember("보리는 강아지 이름이다", session="s")
    memory.remember("그래서 매일 걷는다", session="s")
    hits = memory.recall("보리 강아지").hits
    told = numbers(hits[0])
    assert json.loads(json.dumps(told)) == told
    assert told["matched"] == ["보리", "강아지"]
    assert told["score"] == round(hits[0].score, 4)
    assert set(told["paths"]) >= {"words", "vector"}
    assert reason(hits[0]).startswith("shares 보리, 강아지; reads alike (")
    assert any("stands beside a hit" in reason(hit) for hit in hits)


def test_a_hit_with_nothing_to_show_is_called_weak(memory: Saegim) -> None:
    """U32.2: there is always a reason to read."""
    kept = memory.remember("tea").memory
    weighed = score(relevance=0, recency_score=0, importance_score=0)
    assert reason(Hit(kept, weighed, 0.0, 0.0, 0.0)) == "weak match"


def test_a_reason_names_ties_time_and_what_speaks_against_it(memory: Saegim) -> None:
    """U32.2: how far and along which ties it was reached, and every mark a reader must know."""
    kept = memory.remember("tea").memory
    weighed = score(relevance=0.1, recency_score=0, importance_score=0)
    hit = Hit(
        kept, weighed, 0.0, 0.0, 0.0, conflicts=("mem_other",), graph=0.4, hops=2,
        via=("refers_to", "refers_to"), negative=True, during=True, weak=True,
    )  # fmt: skip
    assert reason(hit) == (
        "2 ties away: refers_to; in the time asked for; through a negative tie; "
        "contradicted by mem_other; below the floor"
    )
    told = numbers(hit)
    assert (told["graph"], told["hops"], told["during"], told["weak"]) == (0.4, 2, True, True)
    assert (told["negative"], told["via"]) == (True, ["refers_to", "refers_to"])
    near = Hit(kept, weighed, 0.0, 0.0, 0.0, graph=0.1, hops=1, via=("related",))
    assert reason(near) == "1 tie away: related"


def test_what_is_superseded_says_since_when(memory: Saegim) -> None:
    """U19.1: an old version that was asked for is not taken for what holds."""
    old = memory.remember("the launch is on 12 March").id
    memory.update(old, "the launch is on 2 April")
    told = {hit.memory.id: reason(hit) for hit in memory.recall("launch", history=True).hits}
    assert re.search(r"superseded since \d{4}-\d\d-\d\d$", told.pop(old))
    assert all("superseded" not in said for said in told.values())


def test_in_short_what_others_lend_is_told_only_where_it_is_more(memory: Saegim) -> None:
    """U32.2: the short reason names what brought a memory; the long one leaves nothing out."""
    kept = memory.remember("tea").memory
    weighed = score(relevance=0.5, recency_score=0, importance_score=0)
    own = Hit(kept, weighed, 0.9, 0.5, 0.2, graph=0.3, hops=1, via=("related",))
    lent = Hit(kept, weighed, 0.1, 0.1, 0.2, graph=0.3, hops=1, via=("related",))
    assert [name for name, _ in signs(own, short=True)] == ["vector"]
    assert [name for name, _ in signs(lent, short=True)] == ["vector", "context", "tie"]
    assert [name for name, _ in signs(own)] == ["vector", "context", "tie"]


def test_features_are_those_that_a_reranker_would_see(memory: Saegim) -> None:
    """Seed C: the eleven, by name, for each hit, from the same words of the question."""
    memory.remember("보리는 강아지 이름이다")
    memory.remember("강아지는 매일 걷는다")
    mind = memory.mind
    found = memory.recall("보리 강아지")
    told = features_of(found, "보리 강아지", mind=mind)
    assert [tuple(each) for each in told] == [FEATURES] * 2
    terms = mind.store.words.analyser().query("보리 강아지")
    rows = features(found.hits, "보리 강아지", terms, scope=memory.scope, store=mind.store)
    assert [list(each.values()) for each in told] == [
        pytest.approx(row.tolist(), abs=1e-4) for row in rows
    ]
    assert told[0]["keyword_overlap"] > 0


def test_handles_are_given_to_what_is_here_and_to_nothing_else(memory: Saegim) -> None:
    """U23.1: a handle for each memory of this user, whatever its state."""
    kept = memory.remember("tea").id
    memory.forget(kept)
    store, scope = memory.mind.store, memory.scope
    (number,) = memory.recall("tea", states=["leaving"]).hits
    assert handles([kept, "mem_none"], scope=scope, store=store) == {
        kept: handle_of(number.number, kept)
    }
    assert handles([kept], scope=memory.within(user="other").scope, store=store) == {}


def test_a_replay_belongs_to_who_asked(memory: Saegim) -> None:
    """U32.2: the same memories in the same order; nobody replays the answers of another user."""
    for text in ("tea at noon", "tea at night"):
        memory.remember(text)
    found = memory.recall("tea")
    mind = memory.mind
    assert mind.traces is not None
    mind.traces.flush()
    told = replayed(found.trace, scope=memory.scope, store=mind.store)
    assert [id for id, _ in told.shown] == [hit.memory.id for hit in found.hits]
    assert [held.text for _, held in told.shown if held] == [h.memory.text for h in found.hits]
    with pytest.raises(NotFound):
        replayed(found.trace, scope=memory.within(user="other").scope, store=mind.store)
