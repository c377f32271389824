"""Rows by which adapters keep their books have a life, and are shown to nobody."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from saegim import FixedClock, Saegim
from saegim.adapters.conversation import Conversation
from saegim.adapters.documents import Documents
from saegim.adapters.files import Files
from saegim.adapters.values import Values
from saegim.importers import jsonl
from saegim.memory.memory import BOOKKEEPING
from saegim.recall.compose.prompt import assemble
from saegim.store.rows import Where

NAME = "support ukulele"
# What stands in the row of a conversation, word for word.
ROW = f"Conversation {NAME}, kept item by item."
SAID = "My ukulele is a blue Kala from Busan."
ASKED = (ROW, "conversation", "support ukulele conversation", "what is kept item by item?")


@pytest.fixture
def talked(memory: Saegim, clock: FixedClock) -> Saegim:
    """A memory that went through a session of an agent: a turn, a call, its answer."""
    talk = Conversation(memory, NAME)
    talk.add([{"role": "user", "content": SAID}])
    clock.forward(minutes=1)
    talk.add([{"type": "function_call", "name": "look"}, {"role": "assistant", "content": "Nice!"}])
    return memory


def shown(memory: Saegim) -> Iterator[str]:
    """Yield everything that any way of asking shows."""
    for question in (*ASKED, "today", "오늘"):
        for near in (False, True):
            for history in (False, True):
                found = memory.recall(question, near_misses=near, history=history)
                yield from (hit.memory.text for hit in found.hits)
        yield memory.context(question).text
        where = Where(scope=memory.scope)
        yield assemble(question=question, where=where, mind=memory.mind).text
        yield from (each.text for each in memory.search(question))
    yield from (each.text for each in memory.search(tags=["conversation"]))
    yield from (hit.memory.text for hit in memory.recall(ROW, tags=["conversation"]).hits)
    yield from (each.text for each in memory.recent(100).memories)
    yield from (each.text for each in memory.by_session(NAME))


def test_the_row_of_a_conversation_is_never_shown(talked: Saegim) -> None:
    """Asked for by its very words, by its tag, its session and its day, it does not come."""
    found = list(shown(talked))
    assert not [each for each in found if "kept item by item" in each]
    assert any(SAID in each for each in found)
    assert talked.recent().total == len(talked.recent(100).memories)
    assert {each.text for each in talked.recent(100).memories} >= {SAID}


def test_the_same_words_of_a_person_are_shown(memory: Saegim) -> None:
    """Control: nothing but the mark hides it."""
    memory.remember(ROW, session=NAME, tags=["conversation"])
    found = list(shown(memory))
    assert sum(each == ROW for each in found) > len(ASKED)
    assert any(each != ROW and ROW in each for each in found)


def test_what_an_observed_turn_says_alone_is_in_the_session(talked: Saegim) -> None:
    """Without a turn worth keeping nothing is listed, and the items are there all the same."""
    quiet = Conversation(talked, "quiet", observe=False)
    before = talked.recent().total
    items = [{"role": "user", "content": "I moved to Jeju."}, {"type": "x"}]
    quiet.add(items)
    assert quiet.items() == items
    assert talked.recent().total == before
    assert talked.by_session("quiet") == []


def test_files_and_values_keep_no_row_of_their_own(memory: Saegim) -> None:
    """What is listed is what was put: a file, a value, and nothing beside them."""
    Files(memory).create("/memories/tea.md", "barley tea\n")
    Values(memory).put(("users", "mina"), "k", {"drinks": ["green tea"]})
    texts = {each.text for each in memory.recent(100).memories}
    assert texts == {"barley tea\n", "drinks: • green tea"}
    assert {hit.memory.text for hit in memory.recall("tea").hits} == texts
    Files(memory).delete("/memories/tea.md")
    Values(memory).delete(("users", "mina"), "k")
    assert memory.recent().total == 0


def test_it_lives_all_the_same(talked: Saegim) -> None:
    """It is exported, let go with its session, called back, and read by its adapter."""
    exported = [json.loads(line) for line in jsonl.lines(talked.scope, talked.mind.store)]
    rows = [each["memory"] for each in exported if "memory" in each]
    (row,) = [each for each in rows if each["text"] == ROW]
    assert BOOKKEEPING in row["content"]["tags"]
    talk = Conversation(talked, NAME)
    assert len(talk.items()) == 3
    gone = talked.forgetting.session(NAME, confirm=True)
    assert row["id"] in {each.id for each in gone.memories}
    assert Conversation(talked, NAME).items() == []
    assert row["id"] in {each.memory.id for each in talked.forgetting.queue()}
    talked.restore(row["id"])
    assert len(Conversation(talked, NAME).items()) == 3
    assert ROW not in {each.text for each in talked.recent(100).memories}


def test_a_night_does_not_think_about_it(talked: Saegim) -> None:
    """The night reads what is new without it; an unmarked row of the same shape is read."""
    store, scope = talked.mind.store, talked.scope
    plain = Documents(talked, "conversation").made("other", "Conversation other, kept.")
    numbers = store.night_queries.since(scope.user, 0, most=100)
    read = {each.text for each in store.memories.by_numbers(scope, numbers).values()}
    assert plain.text in read
    assert SAID in read
    assert ROW not in read
