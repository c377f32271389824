"""Working memory: the session first, the long memory behind it, and what outlives a session."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from saegim import FixedClock, Kind, Origin, Saegim, State, Tier
from saegim.errors import BadInput, NotFound, StoreBusy
from saegim.memory.text import canonical_key
from saegim.session.nodes import SessionSettings
from saegim.session.sessions import Sessions
from saegim.session.working import WorkingMemory
from saegim.store.rows import Where
from session.minds import questions, working

HOT = "배포 서버 오류는 누가 보나요?"


@pytest.fixture
def mind(memory: Saegim, tmp_path: Path) -> WorkingMemory:
    """A working memory over a fresh store."""
    return working(memory, tmp_path / "sessions")


def heat(mind: WorkingMemory, session: str, text: str = HOT, times: int = 3) -> str:
    """Make a question a hotspot: asked again and again, answered and praised."""
    for _ in range(times):
        id = mind.upsert_query(session, text)
    mind.record_answer(session, id, "민수가 봅니다")
    mind.record_feedback(session, id, "up")
    return id


def texts(memory: Saegim) -> list[str]:
    """Return the words of every memory, in the order they were kept."""
    return [each.text for _, each in memory.mind.store.memories.walk(Where(scope=memory.scope))]


# -- searching ------------------------------------------------------------------------------------


def test_the_session_comes_first_and_the_long_memory_behind_it(
    memory: Saegim, mind: WorkingMemory
) -> None:
    """D3: both are searched, scored alike, and the session's own is ahead by the bias alone."""
    memory.remember("배포 서버 오류는 지은이 봅니다")
    memory.remember("점심은 김밥이다")
    id = mind.upsert_query("talk", "배포 서버 오류는 지은이 봅니까?")
    found = mind.search("talk", "배포 서버 오류는 지은이 봅니까", 5)
    assert (found[0].id, found[0].source) == (id, "session")
    assert "agent" in {each.source for each in found}
    long = next(each for each in found if each.source == "agent")
    assert long.text == "배포 서버 오류는 지은이 봅니다"
    (own,) = mind.graph("talk").search_similar_queries("배포 서버 오류는 지은이 봅니까", 1)
    assert found[0].score == pytest.approx(own.score + 0.05)


def test_the_bias_decides_between_equals(memory: Saegim, tmp_path: Path) -> None:
    """D3 searchBiasSessionFirst: with it the session's own wins, without it the better rank."""
    memory.remember("배포 서버 오류 담당자")
    for bias, first in ((0.05, "session"), (0.0, "agent")):
        mind = working(memory, tmp_path / str(bias), settings=SessionSettings(bias=bias))
        id = mind.upsert_query("talk", "서버 배포 오류 담당자")
        mind.graph("talk").adjust_weights(id, feedback_delta=-1.0)
        found = mind.search("talk", "담당자 서버 배포 오류", 5)
        assert {each.sim for each in found[:2]} == {1.0}, "a table of meanings reads no order"
        assert found[0].source == first


def test_what_is_in_both_is_told_once(memory: Saegim, mind: WorkingMemory) -> None:
    """D1, D3: one answer per canonical key, whether or not its letters are spaced alike."""
    memory.remember(HOT)
    id = mind.upsert_query("talk", f"{HOT}  ")
    found = mind.search("talk", HOT, 5)
    keys = [each.canonical_key for each in found]
    assert len(keys) == len(set(keys))
    assert (found[0].id, found[0].source, found[0].sim) == (id, "session", 1.0)


def test_sessions_are_not_heard_in_each_other(mind: WorkingMemory) -> None:
    """D3: what was asked in one session is found in that session alone, until it is promoted."""
    mind.upsert_query("one", HOT)
    assert mind.search("two", HOT) == ()
    assert mind.active_sessions() == ["one"], "a question opens nothing"


def test_an_empty_question_finds_nothing_and_wrong_ones_are_refused(mind: WorkingMemory) -> None:
    """Any text is a question; a session and a number must be what they are."""
    mind.upsert_query("talk", HOT)
    assert mind.search("talk", " \n") == ()
    with pytest.raises(BadInput):
        mind.search("talk", HOT, 0)
    with pytest.raises(BadInput):
        mind.upsert_query("../talk", HOT)
    with pytest.raises(NotFound):
        mind.record_answer("talk", "nobody", "x")


def test_whom_the_long_memory_knows_is_recognised_in_the_session(
    memory: Saegim, mind: WorkingMemory
) -> None:
    """T6: an entity of the store comes to mind with its names when a question names it."""
    memory.remember("김민수는 백엔드 개발자다")
    one = mind.upsert_query("talk", "김민수가 맡은 일은?")
    mind.upsert_query("talk", "점심 메뉴 추천해줘")
    graph = mind.graph("talk")
    (who,) = graph.nodes("entity")
    assert who.text == "김민수"
    assert [(edge.source, edge.target) for edge in graph.edges()] == [(one, who.id)]


# -- ending ---------------------------------------------------------------------------------------


def test_a_hotspot_becomes_a_memory_and_is_found_better_than_before(
    memory: Saegim, mind: WorkingMemory
) -> None:
    """D3: the score of the same question in the long memory is no less than before, and exact."""
    memory.remember("배포 서버 오류는 지은이 봅니다")
    heat(mind, "talk")
    before = mind.search("elsewhere", HOT, 3)[0]
    done = mind.finalize_session("talk")
    after = mind.search("elsewhere", HOT, 3)[0]
    assert before.source == after.source == "agent"
    assert after.score > before.score
    assert (after.text, after.sim) == (HOT, 1.0)
    assert [each.memory for each in done.promoted] == [after.id]


def test_a_promoted_query_is_a_young_memory_of_its_session(
    memory: Saegim, mind: WorkingMemory
) -> None:
    """Seed B in DESIGN: M30, said by the user, of this session, its weights carried over."""
    id = heat(mind, "talk")
    node = mind.graph("talk").node(id)
    (promoted,) = mind.finalize_session("talk").promoted
    kept = memory.get(promoted.memory)
    assert (promoted.node, promoted.status, kept.text) == (id, "stored", HOT)
    assert (kept.life.tier, kept.life.state, kept.scope.session) == (Tier.M30, State.ACTIVE, "talk")
    assert kept.provenance.origin is Origin.USER_SAID
    assert (kept.worth.repeat, kept.worth.feedback) == (node.repeat, node.feedback) == (2.0, 1.0)
    assert memory.by_session("talk") == [kept]
    memory.maintenance.verify()


def test_the_kind_is_read_in_the_words(memory: Saegim, mind: WorkingMemory) -> None:
    """What is promoted is heard as everything else is: a preference is one."""
    heat(mind, "talk", "나는 매운 음식을 정말 좋아해")
    (promoted,) = mind.finalize_session("talk").promoted
    assert memory.get(promoted.memory).kind is Kind.PREFERENCE


def test_only_hotspots_are_promoted(memory: Saegim, tmp_path: Path) -> None:
    """B promotion: rank and degree must both be high enough, and no more than so many go."""
    settings = SessionSettings(max_promotions=2)
    mind = working(memory, tmp_path / "sessions", settings=settings)
    hot = questions(4)
    for number, text in enumerate(hot):
        heat(mind, "talk", text, times=2 + number)
    alone = mind.upsert_query("talk", "아무 데도 이어지지 않은 말")
    mind.graph("talk").adjust_weights(alone, repeat_delta=50.0, feedback_delta=50.0)
    cold = mind.upsert_query("talk", "한 번만 물은 것")
    for answer in ("하나", "둘", "셋"):
        mind.record_answer("talk", cold, answer)
    assert mind.graph("talk").rank(cold) < settings.min_rank
    done = mind.finalize_session("talk")
    assert texts(memory) == [hot[3], hot[2]], "the best two, the best first"
    assert len(done.promoted) == 2


def test_what_is_remembered_already_is_reinforced_not_stored_twice(
    memory: Saegim, mind: WorkingMemory
) -> None:
    """D1, D3: the same canonical key is never stored twice across session and long memory."""
    known = memory.remember(HOT)
    heat(mind, "talk", f"  {HOT} ")
    (promoted,) = mind.finalize_session("talk").promoted
    assert (promoted.memory, promoted.status) == (known.id, "duplicate")
    kept = memory.get(known.id)
    assert (kept.worth.repeat, kept.worth.feedback) == (3.0, 1.0), "once more, and what was carried"
    assert [canonical_key(text) for text in texts(memory)] == [canonical_key(HOT)]


def test_a_session_that_goes_on_carries_only_what_is_new(
    memory: Saegim, mind: WorkingMemory
) -> None:
    """D3: taken up from its checkpoint and ended again, the old weights are not added twice."""
    heat(mind, "talk")
    (first,) = mind.finalize_session("talk").promoted
    assert mind.open("talk").resumed
    assert mind.finalize_session("talk").promoted == (), "nothing new was said"
    assert memory.get(first.memory).worth.feedback == 1.0
    heat(mind, "talk", times=1)
    (again,) = mind.finalize_session("talk").promoted
    assert (again.memory, again.status) == (first.memory, "duplicate")
    worth = memory.get(first.memory).worth
    assert (worth.feedback, worth.repeat) == (2.0, 4.0)


def test_promotion_and_checkpoint_are_each_a_choice(memory: Saegim, mind: WorkingMemory) -> None:
    """D3 finalizeSession({promote, checkpoint, checkpointName})."""
    heat(mind, "talk")
    done = mind.finalize_session("talk", promote=False, checkpoint=False)
    assert (done.promoted, done.checkpoint, texts(memory)) == ((), None, [])
    assert not mind.open("talk").resumed
    heat(mind, "talk")
    named = mind.finalize_session("talk", promote=False, checkpoint_name="backup of Tuesday")
    assert named.checkpoint is not None
    assert named.checkpoint.name.startswith("backup-of-Tuesday-")
    assert mind.load_checkpoint("backup of Tuesday").stats().by_type["query"] == 1
    assert not mind.open("talk").resumed, "another name is another checkpoint"
    assert mind.finalize_session("nobody").promoted == ()


def test_a_session_is_remembered_with_what_it_was_about(
    memory: Saegim, mind: WorkingMemory, clock: FixedClock
) -> None:
    """Seed E memory_sessions: turns, topic and summary from the questions of the session."""
    mind.open("talk", platform="discord")
    heat(mind, "talk")
    mind.upsert_query("talk", "점심 메뉴는?")
    clock.forward(hours=1)
    done = mind.finalize_session("talk")
    told = Sessions(memory.mind, memory.scope).one("talk")
    assert (told.turns, told.platform, told.topic, told.summary) == (
        4,
        "discord",
        done.topic,
        done.summary,
    )
    assert told.ended_at == clock.now()
    assert told.topic.startswith("배포 · 서버")
    assert told.summary == f"{HOT} / 점심 메뉴는?"


def test_idle_sessions_are_put_away_and_nothing_of_them_is_lost(
    memory: Saegim, mind: WorkingMemory, clock: FixedClock
) -> None:
    """D3 gcSessions: only what was idle for so long is ended, promoted and checkpointed."""
    heat(mind, "old")
    clock.forward(hours=2)
    heat(mind, "new", "점심 메뉴는 누가 정하나요?")
    assert mind.active_sessions() == ["old", "new"]
    assert mind.gc_sessions(timedelta(hours=3)) == []
    (done,) = mind.gc_sessions(timedelta(hours=1))
    assert done.session == "old"
    assert mind.active_sessions() == ["new"]
    assert mind.open("old").resumed
    assert done.checkpoint is not None


def test_forgetting_a_session_leaves_nothing_of_it(
    memory: Saegim, mind: WorkingMemory, tmp_path: Path
) -> None:
    """U26.3: neither in mind, nor on paper, nor in the book; memories are memories."""
    heat(mind, "talk")
    mind.finalize_session("talk")
    heat(mind, "talk")
    mind.forget("talk")
    assert mind.active_sessions() == []
    assert list((tmp_path / "sessions").iterdir()) == []
    with pytest.raises(NotFound):
        Sessions(memory.mind, memory.scope).one("talk")
    assert not mind.open("talk").resumed
    assert texts(memory) == [HOT]


def test_closing_puts_every_session_down_to_be_taken_up_again(
    memory: Saegim, mind: WorkingMemory, tmp_path: Path
) -> None:
    """U1.1: a process that ends in good order loses no main query, and the next is told nothing."""
    ids = {session: heat(mind, session) for session in ("one", "two")}
    mind.close()
    assert mind.active_sessions() == []
    assert texts(memory) == [], "closing promotes nothing"
    again = working(memory, tmp_path / "sessions")
    for session, id in ids.items():
        opened = again.open(session)
        assert (opened.resumed, opened.lost, opened.words()) == (True, False, "")
        assert again.graph(session).node(id).repeat == 2.0


def test_what_is_in_mind_can_be_written_now_and_then(
    memory: Saegim, clock: FixedClock, tmp_path: Path
) -> None:
    """§4.5: with a pause set, changes in quick succession are one write."""
    folder = tmp_path / "sessions"
    mind = working(memory, folder, settings=SessionSettings(save_every=timedelta(seconds=10)))
    inodes = []
    for text in questions(30):
        clock.forward(seconds=1)
        mind.upsert_query("talk", text)
        inodes += [each.stat().st_mtime_ns for each in folder.glob("*.json")]
    assert 2 <= len(set(inodes)) <= 4
    assert working(memory, folder).open("talk").resumed
    silent = working(memory, tmp_path / "none", settings=SessionSettings(save_every=None))
    silent.upsert_query("talk", HOT)
    assert not (tmp_path / "none").exists(), "with no pause set, only a checkpoint writes"


def test_a_store_that_can_only_be_read_still_has_a_mind(tmp_path: Path, clock: FixedClock) -> None:
    """R-10: questions are held and found; nothing is written, and nothing is promised."""
    path = tmp_path / "memory.db"
    with Saegim.open(path, clock=clock) as memory:
        memory.remember("배포 서버 오류는 지은이 봅니다")
    with Saegim.open(path, clock=clock) as memory:
        memory.mind.store.database.readonly = True
        mind = working(memory, tmp_path / "sessions")
        mind.upsert_query("talk", HOT)
        assert {each.source for each in mind.search("talk", HOT)} == {"session", "agent"}
        assert mind.finalize_session("talk", promote=False).checkpoint is not None


# -- several at once ------------------------------------------------------------------------------


def test_two_threads_that_end_a_session_promote_it_once(
    memory: Saegim, mind: WorkingMemory
) -> None:
    """§4.5: one of them ends it, the others find nothing to end."""
    heat(mind, "talk")
    with ThreadPoolExecutor(6) as threads:
        done = list(threads.map(lambda _: mind.finalize_session("talk"), range(6)))
    assert sorted(len(each.promoted) for each in done) == [0, 0, 0, 0, 0, 1]
    assert sum(each.checkpoint is not None for each in done) == 1
    assert texts(memory) == [HOT]
    (kept,) = memory.recent(9).memories
    assert (kept.worth.repeat, kept.worth.feedback) == (2.0, 1.0)


def test_threads_talk_while_sessions_end(memory: Saegim, tmp_path: Path) -> None:
    """§4.5: what is said while a session ends is said in it or in its next run, never nowhere."""
    mind = working(memory, tmp_path / "sessions")
    said = questions(40)

    def talk(number: int) -> None:
        for text in said[number::4]:
            mind.upsert_query("talk", text)
            if number == 0:
                mind.finalize_session("talk")

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(talk, range(4)))
    mind.finalize_session("talk")
    # Each run takes up the checkpoint of the run before, and 30 queries are in a checkpoint.
    kept = {node.text for node in mind.graph("talk").nodes("query")}
    assert kept <= set(said)
    assert len(kept) == 30
    assert Sessions(memory.mind, memory.scope).one("talk").turns == 40


def test_a_session_that_cannot_be_ended_stays_open(
    memory: Saegim, tmp_path: Path, clock: FixedClock
) -> None:
    """U8.2: a store that is busy costs nothing: the session is ended later, once."""
    with Saegim.open(memory.mind.store.path, clock=clock, busy_seconds=0.2) as other:
        mind = working(other, tmp_path / "sessions")
        heat(mind, "talk")
        with memory.mind.store.database.writing(), pytest.raises(StoreBusy):
            mind.finalize_session("talk")
        assert mind.active_sessions() == ["talk"]
        (promoted,) = mind.finalize_session("talk").promoted
        assert other.get(promoted.memory).worth.repeat == 2.0


def test_a_checkpoint_that_cannot_be_written_promotes_nothing_twice(
    memory: Saegim, tmp_path: Path
) -> None:
    """R-08: the place is taken; with room, the session ends, and what was promoted stays so."""
    (tmp_path / "sessions").write_text("not a folder")
    mind = working(memory, tmp_path / "sessions")
    heat(mind, "talk")
    with pytest.raises(BadInput, match="cannot be written"):
        mind.finalize_session("talk")
    assert mind.active_sessions() == ["talk"]
    os.unlink(tmp_path / "sessions")
    done = mind.finalize_session("talk")
    assert done.checkpoint is not None
    (kept,) = memory.recent(9).memories
    assert (kept.text, kept.worth.repeat, kept.worth.feedback) == (HOT, 2.0, 1.0)


def test_users_do_not_hear_each_others_sessions(memory: Saegim, tmp_path: Path) -> None:
    """U21.1: the same session name under another user is another session, in every respect."""
    mine = working(memory, tmp_path / "sessions")
    theirs = working(memory.within(user="you"), tmp_path / "sessions")
    heat(mine, "talk")
    mine.finalize_session("talk")
    opened = theirs.open("talk")
    assert (opened.resumed, opened.lost, opened.run) == (False, False, 1)
    assert theirs.search("talk", HOT) == ()
    assert theirs.graph("talk").stats().nodes == 0
