"""Sessions are remembered: what they were about is told in their own words, and no secret is."""

from __future__ import annotations

from pathlib import Path

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound
from saegim.session.sessions import Sessions
from session.minds import SECRET


def sessions(memory: Saegim, **scope: str) -> Sessions:
    """Return the sessions of a memory's user, or of another."""
    seen = memory.within(**scope) if scope else memory
    return Sessions(seen.mind, seen.scope)


def test_a_session_tells_its_topic_and_summary_without_a_model(memory: Saegim) -> None:
    """Seed E end_session: nouns and sentences of the session's own memories, in their language."""
    held = sessions(memory)
    begun = held.start(platform="discord")
    assert begun.id.startswith("sess_20260101_090000")
    for text in (
        "배포 서버를 부산으로 옮겼다",
        "배포 서버 비용은 월 30만 원이다",
        "점심은 김밥이다",
    ):
        memory.remember(text, session=begun.id)
        held.turn(begun.id)
    ended = held.end(begun.id)
    assert (ended.turns, ended.platform) == (3, "discord")
    assert ended.topic.split(" · ")[:2] == ["배포", "서버"]
    assert "배포 서버를 부산으로 옮겼다" in ended.summary
    english = held.start("stand-up")
    assert english.platform == "chat"
    memory.remember("The kettle in the kitchen is broken", session="stand-up")
    memory.remember("Jane orders a new kettle", session="stand-up")
    assert held.end(english.id).topic.split(" · ")[0] == "kettle"


def test_a_session_without_words_says_nothing(memory: Saegim) -> None:
    """Seed E: nothing is made up where nothing was said."""
    held = sessions(memory)
    held.start("silence")
    ended = held.end("silence")
    assert (ended.topic, ended.summary) == ("", "")


def test_what_a_person_says_about_a_session_is_taken_but_no_secret(memory: Saegim) -> None:
    """U22.1: given words win over read ones, and pass the guard like all others."""
    held = sessions(memory)
    held.start("talk")
    ended = held.end("talk", topic="열쇠", summary=f"열쇠는 {SECRET}")
    assert ended.topic == "열쇠"
    assert SECRET not in ended.summary
    with pytest.raises(BadInput, match="secret"):
        held.start(SECRET)
    assert [each.id for each in held.recent()] == ["talk"]


def test_sessions_are_told_to_their_user_alone(memory: Saegim, clock: FixedClock) -> None:
    """U21.1: another user neither sees nor ends a session."""
    mine, theirs = sessions(memory), sessions(memory, user="you")
    mine.start("talk")
    clock.forward(hours=1)
    mine.start("later")
    assert [each.id for each in mine.recent()] == ["later", "talk"]
    assert theirs.recent() == []
    for ask in (theirs.one, theirs.end, theirs.turn):
        with pytest.raises(NotFound):
            ask("talk")
    assert mine.one("talk").ended_at is None
    assert theirs.forget("talk") is False
    assert mine.forget("talk") is True


@pytest.mark.parametrize("wrong", ["", "  x", "a\nb", "..", 7, "x" * 201])
def test_a_name_that_cannot_be_is_refused(memory: Saegim, wrong: object) -> None:
    """A session has a name as every room has one."""
    with pytest.raises(BadInput):
        sessions(memory).start(wrong)
    with pytest.raises(BadInput):
        sessions(memory).recent(0)
    with pytest.raises(BadInput):
        sessions(memory).turn("talk", -1)


def test_sessions_outlive_the_process(tmp_path: Path, clock: FixedClock) -> None:
    """U1.1: what was ended is there when the store is opened again."""
    with Saegim.open(tmp_path / "memory.db", clock=clock) as memory:
        sessions(memory).start("talk")
        told = sessions(memory).end("talk", topic="t", summary="s")
    with Saegim.open(tmp_path / "memory.db", clock=clock) as memory:
        assert sessions(memory).one("talk") == told
