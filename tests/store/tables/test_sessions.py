"""Sessions that were held: begun, counted, ended, each user's own, and unsaid with an erasure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from saegim.errors import NotFound
from saegim.memory.changes import Erased
from saegim.memory.memory import Scope
from saegim.store.database import Database
from saegim.store.migrate import migrate, steps, version
from saegim.store.tables.session_table import SessionTable
from store.places import AT, ME, commit, furnished, keep

TALK = replace(ME, session="talk", agent="bara", project="garden")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    made = furnished(tmp_path / "store.db")
    yield made
    made.close()


@pytest.fixture
def book(database: Database) -> SessionTable:
    """Return the book in which sessions are written down."""
    return SessionTable(database)


def test_a_session_is_begun_counted_and_ended(book: SessionTable) -> None:
    """Seed E memory_sessions: platform, start, end, turns, topic and summary are kept."""
    begun = book.start(TALK, "discord", AT)
    assert (begun.unfinished, begun.runs, begun.ended_at, begun.turns) == (False, 1, None, 0)
    assert (begun.owner, begun.agent, begun.project) == ("me", "bara", "garden")
    assert (book.turn(TALK, 1), book.turn(TALK, 3)) == (1, 4)
    later = AT + timedelta(hours=1)
    ended = book.end(TALK, later, topic="배포", summary="배포 일정을 물었다")
    assert ended == book.get(TALK, "talk")
    assert (ended.platform, ended.started_at, ended.ended_at) == ("discord", AT, later)
    assert (ended.turns, ended.topic, ended.summary) == (4, "배포", "배포 일정을 물었다")


def test_a_session_that_was_never_ended_says_so(book: SessionTable) -> None:
    """U8.2: what a process left open is told to the next one; one that was ended is not."""
    book.start(TALK, "chat", AT)
    assert book.start(TALK, "chat", AT).unfinished
    book.end(TALK, AT, topic="", summary="")
    again = book.start(TALK, "chat", AT + timedelta(days=1))
    assert (again.unfinished, again.runs, again.ended_at) == (False, 2, None)
    assert again.started_at == AT


def test_nothing_said_leaves_what_is_known(book: SessionTable) -> None:
    """An end without words keeps the words of the end before it, and the end stays the first."""
    book.start(TALK, "chat", AT)
    book.end(TALK, AT, topic="배포", summary="물었다")
    again = book.end(TALK, AT + timedelta(days=1), topic="", summary="")
    assert (again.topic, again.summary, again.ended_at) == ("배포", "물었다", AT)


def test_sessions_belong_to_their_user(book: SessionTable) -> None:
    """U21.1: a name says nothing about another user's session of the same name."""
    other = Scope("you", session="talk")
    book.start(TALK, "chat", AT)
    book.start(other, "chat", AT)
    book.turn(other, 7)
    book.end(other, AT, topic="theirs", summary="theirs")
    mine = book.get(TALK, "talk")
    assert mine is not None
    assert (mine.turns, mine.topic, mine.ended_at) == (0, "", None)
    assert [each.owner for each in book.recent(ME, 10)] == ["me"]
    assert book.drop(Scope("nobody"), "talk") is False
    assert book.drop(other, "talk") is True
    assert book.get(TALK, "talk") == mine
    with pytest.raises(NotFound):
        book.turn(other, 1)
    with pytest.raises(NotFound):
        book.end(other, AT, topic="", summary="")


def test_the_latest_come_first_and_one_platform_alone(book: SessionTable) -> None:
    """Seed E: sessions are listed by start, and by platform."""
    for number in range(5):
        platform = "discord" if number % 2 else "chat"
        scope = replace(ME, session=f"talk {number}")
        book.start(scope, platform, AT + timedelta(hours=number))
    assert [each.id for each in book.recent(ME, 3)] == ["talk 4", "talk 3", "talk 2"]
    assert [each.id for each in book.recent(ME, 9, "discord")] == ["talk 3", "talk 1"]


def test_an_erased_memory_takes_the_words_about_its_session_along(
    database: Database, book: SessionTable
) -> None:
    """U26.3: topic and summary may hold its words; the session itself stays counted."""
    for name in ("talk", "other"):
        scope = replace(ME, session=name)
        book.start(scope, "chat", AT)
        book.end(scope, AT, topic="kettle", summary="the kettle was blue")
    kept = keep(database, "the kettle was blue", scope=replace(ME, session="talk"))
    commit(database, Erased(kept.id))
    told = {each.id: (each.topic, each.summary) for each in book.recent(ME, 9)}
    assert told == {"talk": ("", ""), "other": ("kettle", "the kettle was blue")}


def test_a_store_of_the_second_schema_gets_its_book(tmp_path: Path) -> None:
    """U25.1: an older store is brought up to date and keeps what it held."""
    database = Database(tmp_path / "old.db")
    migrate(database, to=steps()[:2])
    keep_number = version(database._reader())
    assert keep_number == 2
    assert migrate(database) == steps()[-1].number
    keep(database, "tea")
    book = SessionTable(database)
    book.start(TALK, "chat", AT)
    assert [each.id for each in book.recent(ME, 9)] == ["talk"]
    database.close()


def test_two_agents_and_two_projects_have_sessions_of_their_own(book: SessionTable) -> None:
    """U13: the same name in another project is another session; each project sees its own."""
    here, there = (
        Scope("me", project="one", session="chat"),
        Scope("me", project="two", session="chat"),
    )
    book.start(here, "chat", AT)
    assert not book.start(there, "chat", AT).unfinished
    book.end(here, AT, topic="배포", summary="배포를 물었다")
    assert book.recent(there, 9)[0].topic == ""
    assert [each.project for each in book.recent(there, 9)] == ["two"]
    assert len(book.recent(Scope("me"), 9)) == 2
    assert book.drop(there, "chat")
    assert [each.topic for each in book.recent(here, 9)] == ["배포"]
