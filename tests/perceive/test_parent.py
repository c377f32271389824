"""What a memory follows from, and the rhythm it was said in (seed A §3.1, §7.1)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from saegim import Saegim
from saegim.errors import BadInput, NotFound
from saegim.memory.entities import PARENT
from saegim.memory.seed_json import to_coordinate
from saegim.recall.handle import handle_of

SNAPSHOT = {
    "time": "2025-10-12T10:30:00Z",
    "space": "AGI_prototype",
    "agent": "synthesis",
    "emotion": {"affect": 0.68, "keywords": ["clarity", "risk"]},
    "rhythm_phase": "integration",
}


def parents(memory: Saegim) -> set[tuple[str, str]]:
    """Every tie from a child to its parent."""
    ties = memory.mind.store.links.all(memory.scope)
    return {(tie.source, tie.target) for tie in ties if tie.type == PARENT}


def test_what_is_remembered_follows_from_its_parent(memory: Saegim) -> None:
    """A1: by id or by handle; both ends tell it in seed A's shape."""
    first = memory.remember("정: 더 모으자")
    second = memory.remember("반: 덜 모으자", parent=first.id)
    number = memory.recall("덜 모으자").hits[0].number
    third = memory.remember("합: 골라 모으자", parent=handle_of(number, second.id))
    assert parents(memory) == {(second.id, first.id), (third.id, second.id)}
    ties = memory.mind.store.links.all(memory.scope)
    told = to_coordinate(
        memory.get(second.id), [t for t in ties if second.id in (t.source, t.target)]
    )
    assert told["relations"]["parent_memory_id"] == first.id
    assert told["relations"]["child_memory_ids"] == [third.id]
    assert [each.key for each in memory.related(third.id)][:1] == [second.id]


def test_a_turn_follows_from_its_parent(memory: Saegim) -> None:
    """A1: a long turn hangs on it with its first part, the others on that; facts stay facts."""
    first = memory.remember("우리는 이사 이야기를 하고 있다")
    seen = memory.observe("나는 지난달에 부산으로 이사했고 지금은 해운대에 살아", parent=first.id)
    assert (seen.kept[0].id, first.id) in parents(memory)
    long = "나는 매주 토요일에 한강에서 자전거를 타고 동생과 국수를 먹어. " * 60
    parts = memory.observe(long, parent=first.id).kept
    assert len(parts) > 1
    held = parents(memory)
    assert (parts[0].id, first.id) in held
    assert {(each.id, parts[0].id) for each in parts[1:]} <= held


@pytest.mark.parametrize("wrong", ["mem_nothing", "m:9999", "not an id!", 5])
def test_an_unknown_parent_is_refused_and_nothing_is_kept(wrong: Any, memory: Saegim) -> None:
    """A1: the tie and the words come together or not at all; a turn that is skipped too."""
    before = memory.maintenance.verify()
    for say in (memory.remember, memory.observe):
        with pytest.raises((NotFound, BadInput)):
            say("나는 부산에 살아", parent=wrong)
    with pytest.raises((NotFound, BadInput)):
        memory.observe("응", parent=wrong)
    assert memory.recent(5).total == 0
    assert memory.maintenance.verify() == before


def test_a_parent_of_another_person_is_unknown(memory: Saegim) -> None:
    """U21: the wall between people holds for ties."""
    theirs = memory.within(user="yuna").remember("다른 사람의 것")
    with pytest.raises(NotFound):
        memory.remember("내 것", parent=theirs.id)


def test_a_corrected_parent_leads_to_what_holds_now(memory: Saegim) -> None:
    """An old id is followed; and a corrected child keeps what it follows from."""
    first = memory.remember("회의는 화요일이다")
    now = memory.update(first.id, "회의는 수요일이다")
    child = memory.remember("그래서 발표 자료를 월요일에 만든다", parent=first.id)
    assert (child.id, now.id) in parents(memory)
    later = memory.update(child.id, "그래서 발표 자료를 화요일에 만든다")
    assert (later.id, now.id) in parents(memory)


def test_the_same_words_again_follow_from_what_is_named(memory: Saegim) -> None:
    """A duplicate is tied as well; but nothing ever follows from itself."""
    first = memory.remember("정: 더 모으자")
    second = memory.remember("반: 덜 모으자")
    again = memory.remember("반: 덜 모으자", parent=first.id)
    assert (again.status, parents(memory)) == ("duplicate", {(second.id, first.id)})
    circle = memory.remember("정: 더 모으자", parent=second.id)
    itself = memory.remember("정: 더 모으자", parent=first.id)
    assert {circle.status, itself.status} == {"duplicate"}
    assert parents(memory) == {(second.id, first.id)}


def test_a_repeated_call_does_not_look_for_its_parent_again(memory: Saegim) -> None:
    """With a key it is done once, also if the parent is gone by then."""
    first = memory.remember("정: 더 모으자")
    kept = memory.remember("반: 덜 모으자", parent=first.id, key="k")
    memory.forgetting.erase(first.id, confirm=True, by="me")
    assert memory.remember("반: 덜 모으자", parent=first.id, key="k").id == kept.id


@pytest.mark.parametrize("how", ["remember", "observe"])
def test_a_snapshot_fills_phase_and_words(how: str, memory: Saegim) -> None:
    """A1: what seed A §7.1 hands over is found by `bqi_filters` without saying it twice."""
    if how == "remember":
        kept = memory.remember("좌표로 통합한다", snapshot=SNAPSHOT)
    else:
        kept = memory.observe("나는 지난달에 좌표동으로 이사했어", snapshot=SNAPSHOT).kept[0]
    rhythm = memory.get(kept.id).rhythm
    assert (rhythm.phase, rhythm.words) == ("integration", ("clarity", "risk"))
    assert dict(rhythm.snapshot) == SNAPSHOT
    wanted = {"rhythm_phase": "integration", "emotion": ["clarity"]}
    assert [each.id for each in memory.search("좌표", bqi_filters=wanted)] == [kept.id]
    assert memory.search("좌표", bqi_filters={"rhythm_phase": "rest"}) == []


def test_what_is_said_beside_a_snapshot_goes_before_it(memory: Saegim) -> None:
    """A phase that was named is the phase; a snapshot without one leaves it open."""
    named = memory.remember("하나", snapshot=SNAPSHOT, phase="rest").memory.rhythm
    assert (named.phase, named.words) == ("rest", ("clarity", "risk"))
    for bare in ({}, {"emotion": None}, {"emotion": {"affect": 0.4}}, {"rhythm_phase": None}):
        open_ = memory.remember(f"둘 {bare}", snapshot=bare).memory.rhythm
        assert (open_.phase, open_.words) == ("", ())


@pytest.mark.parametrize(
    "wrong",
    ["integration", {"rhythm_phase": 5}, {"emotion": {"keywords": "clarity"}},
     {"emotion": {"keywords": [1]}}],
)  # fmt: skip
def test_a_snapshot_of_another_shape_is_refused_by_name(wrong: Any, memory: Saegim) -> None:
    """U1.3: nothing is kept of it."""
    for say in (memory.remember, memory.observe):
        with pytest.raises(BadInput, match="snapshot"):
            say("나는 부산에 살아", snapshot=wrong)
    assert memory.recent(5).total == 0


def test_a_secret_in_a_snapshot_is_masked(memory: Saegim) -> None:
    """No way in is open to a key, nor to the words that are taken from the snapshot."""
    key = "sk-ant-" + "api03-Zx8Wq2Lm5Nv7Rt1Yb4Kc6Hd9Jf3Ps0Qa8We5Rt2Yu7Io4Pa1Sd6Fg9Hj"
    kept = memory.remember("하나", snapshot={"emotion": {"keywords": [f"my {key}"]}}).memory
    assert key not in str(kept.rhythm)


def test_seed_as_own_loop_goes_through(memory: Saegim, tmp_path: Path) -> None:
    """A §7.1: three voices, each with its snapshot, each following from the one before."""
    last: str | None = None
    for voice, words in (("thesis", "모으자"), ("antithesis", "버리자"), ("synthesis", "고르자")):
        kept = memory.remember(
            words, persona=voice, session="sess_1", parent=last, snapshot=SNAPSHOT,
            type="persona_response", origin="agent_inferred",
        )  # fmt: skip
        last = kept.id
    memory.export_to(tmp_path / "out", form="coordinates")
    text = (tmp_path / "out" / "memory" / "sessions" / "sess_1.jsonl").read_text("utf-8")
    assert text.count('"parent_memory_id":null') == 1
    assert text.count('"rhythm_phase":"integration"') == 3
