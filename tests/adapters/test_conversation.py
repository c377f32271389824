"""The items of a conversation, exactly and in order; and what was said in them, remembered."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.adapters.conversation import Conversation, said_by
from saegim.adapters.documents import Document, Documents
from saegim.errors import BadInput
from saegim.memory.entities import Page
from saegim.memory.memory import Memory

SAID = "My sister Yuna lives in Daejeon."
KEY = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": SAID},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": KEY},
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"x": 1.0, "y": "한"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "  \n\x00 half \ud800"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "Noted.", "logprobs": None}]},
]


def pages(memory: Saegim) -> list[Page]:
    """Return every page of this user."""
    return memory.forgetting.mind.store.pages.of(memory.scope)


def what_stands_for(memory: Saegim, name: str) -> Memory:
    """Return the memory of a conversation; no search shows it, a farewell to its session does."""
    (found,) = (
        each
        for each in memory.forgetting.session(name).memories
        if each.space.domain == f"conversation:{name}"
    )
    return found


def test_items_come_back_exactly_and_in_order(memory: Saegim, tmp_path: Path) -> None:
    """U1.1: every byte is there after the process ended, in the order of the calls."""
    talk = Conversation(memory, "monday")
    assert talk.items() == []
    talk.add(ITEMS[:2])
    talk.add([])
    talk.add(ITEMS[2:])
    with Saegim.open(tmp_path / "memory.db") as other:
        assert Conversation(other, "monday").items() == ITEMS
        assert Conversation(other, "tuesday").items() == []
    assert talk.items(2) == ITEMS[-2:]
    assert talk.items(0) == []
    assert talk.items(99) == ITEMS


def test_what_the_person_says_is_found_in_later_sessions(memory: Saegim) -> None:
    """U31.2: the user's words are remembered without anyone asking; tool output is not."""
    Conversation(memory, "monday").add(ITEMS)
    hit = memory.recall("where does Yuna live?").hits[0]
    assert hit.memory.text == SAID
    assert hit.memory.scope.session == "monday"
    assert [each.text for each in memory.search("Noted")] == []
    Conversation(memory, "tuesday", observe=False).add([{"role": "user", "content": "Yuna sings."}])
    assert memory.search("sings") == []


def test_the_last_item_is_taken_away(memory: Saegim) -> None:
    """Items are taken from the end, also across calls; then there is none."""
    talk = Conversation(memory, "monday", observe=False)
    talk.add(ITEMS[:2])
    talk.add(ITEMS[2:3])
    assert [talk.pop() for _ in range(4)] == [ITEMS[2], ITEMS[1], ITEMS[0], None]
    talk.add(ITEMS[3:])
    assert talk.items() == ITEMS[3:]


def test_a_cleared_conversation_is_gone_but_not_what_was_remembered(memory: Saegim) -> None:
    """U26.2: clearing is forgetting; the same name begins anew, and can be called back."""
    talk = Conversation(memory, "monday")
    talk.clear()
    talk.add(ITEMS)
    stands = what_stands_for(memory, "monday")
    talk.clear()
    assert talk.items() == []
    assert memory.recall("where does Yuna live?").hits[0].memory.text == SAID
    memory.restore(stands.id)
    assert talk.items() == ITEMS
    talk.clear()
    talk.add(ITEMS[:1])
    assert talk.items() == ITEMS[:1]


def test_an_erased_turn_takes_its_item_along(memory: Saegim, tmp_path: Path) -> None:
    """U26.3: nothing of the words is left in the conversation, nor in an export."""
    talk = Conversation(memory, "monday")
    talk.add(ITEMS)
    memory.export_to(tmp_path / "before.jsonl")
    # Control: before, the words are in the pages and in the export.
    assert any("Yuna" in each.body for each in pages(memory))
    assert "Yuna" in (tmp_path / "before.jsonl").read_text(encoding="utf-8")
    ids = [each.id for each in memory.search("Yuna")]
    memory.forgetting.erase(*ids, confirm=True)
    assert talk.items() == ITEMS[1:]
    memory.export_to(tmp_path / "after.jsonl")
    assert "Yuna" not in (tmp_path / "after.jsonl").read_text(encoding="utf-8")


def test_an_erased_conversation_takes_all_its_items_along(memory: Saegim) -> None:
    """U26.3: erasing what stands for a conversation empties every line of it, taken ones too."""
    talk = Conversation(memory, "monday", observe=False)
    talk.add(ITEMS)
    talk.pop()
    stands = what_stands_for(memory, "monday")
    memory.forgetting.erase(stands.id, confirm=True)
    assert talk.items() == []
    assert {each.body for each in pages(memory)} == {""}


def test_a_conversation_moves_with_an_export(memory: Saegim, tmp_path: Path) -> None:
    """U24.2: on another machine the conversation goes on where it was."""
    Conversation(memory, "monday", observe=False).add(ITEMS[2:])
    memory.export_to(tmp_path / "out.jsonl")
    with Saegim.open(tmp_path / "other.db") as other:
        other.import_from(tmp_path / "out.jsonl")
        assert Conversation(other, "monday").items() == ITEMS[2:]


def test_secrets_are_masked_and_sealed_parts_are_not(memory: Saegim) -> None:
    """U22.1: a key that was said is a placeholder; what the provider sealed stays whole."""
    talk = Conversation(memory, "monday")
    talk.add([{"role": "user", "content": f"use {KEY} please"}, ITEMS[1]])
    said, sealed = talk.items()
    assert said["content"] == "use [secret:anthropic_key#1] please"
    assert sealed == ITEMS[1]


def test_a_person_may_rename_what_stands_for_a_conversation(memory: Saegim) -> None:
    """A correction of that memory by hand loses no item."""
    talk = Conversation(memory, "monday", observe=False)
    talk.add(ITEMS)
    stands = what_stands_for(memory, "monday")
    memory.update(stands.id, "The long talk about the garden.")
    talk.add(ITEMS)
    assert talk.items() == ITEMS * 2


@pytest.mark.parametrize("name", ["", " odd ", "'; DROP TABLE memory; --", "../x", "한" * 300])
def test_any_name_can_be_that_of_a_conversation(memory: Saegim, name: str) -> None:
    """A session id is whatever the caller's system makes of it."""
    talk = Conversation(memory, name)
    talk.add(ITEMS[:1])
    assert talk.items() == ITEMS[:1]
    assert Conversation(memory, name + "x").items() == []


def test_what_is_no_json_is_refused_whole(memory: Saegim) -> None:
    """All items are added, or none."""
    talk = Conversation(memory, "monday")
    with pytest.raises(BadInput, match="JSON"):
        talk.add([ITEMS[0], {"x": object()}])
    assert talk.items() == []
    assert memory.recent().total == 0


def test_a_document_that_another_makes_between_two_looks_is_made_once(
    memory: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who found nothing and is then overtaken adds to the conversation that the other made."""
    one, looks = Documents.one, []

    def overtaken(self: Documents, name: str) -> Document | None:
        found = one(self, name)
        if found is None and not looks:
            looks.append(name)
            Conversation(memory, "busy", observe=False).add([{"n": 1}])
        return found

    monkeypatch.setattr(Documents, "one", overtaken)
    Conversation(memory, "busy", observe=False).add([{"n": 2}])
    assert looks == ["busy"]
    assert [each["n"] for each in Conversation(memory, "busy").items()] == [1, 2]


def test_threads_add_and_take_nothing_twice(memory: Saegim) -> None:
    """Writers at the same time begin one conversation; each item is added and taken once."""
    start = threading.Barrier(4)
    taken: list[Any] = []

    def add(at: int) -> None:
        start.wait()
        Conversation(memory, "busy", observe=False).add([{"n": at}, {"n": at + 100}])

    def take() -> None:
        start.wait()
        taken.append(Conversation(memory, "busy").pop())

    for act in ([lambda at=at: add(at) for at in range(4)], [take] * 4):
        threads = [threading.Thread(target=each) for each in act]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    left = Conversation(memory, "busy").items()
    assert sorted(each["n"] for each in [*left, *taken]) == [0, 1, 2, 3, 100, 101, 102, 103]


def test_what_a_person_says_is_told_from_the_rest() -> None:
    """Only texts of the user are their words."""
    parts = [{"type": "input_text", "text": "look"}, {"type": "input_image", "image_url": "x"}, "?"]
    assert said_by({"role": "user", "content": [*parts, {"text": "here"}]}, "user") == "look\nhere"
    for item in ({"role": "assistant", "content": "no"}, {"type": "x"}, "text", {"role": "user"}):
        assert said_by(item, "user") == ""


def test_a_conversation_outlives_the_nights(memory: Saegim, clock: FixedClock) -> None:
    """U26.1: what nobody cleared is there after a hundred days."""
    talk = Conversation(memory, "monday", observe=False)
    talk.add(ITEMS)
    for _ in range(16):
        clock.forward(days=7)
        memory.sleep("fade", "leave", "forget")
    assert talk.items() == ITEMS


def test_a_reply_among_the_items_counts_what_it_uses(memory: Saegim, clock: FixedClock) -> None:
    """Once, also when the same items are added again; a reply of its own is not remembered."""
    id = memory.remember("My dentist is Dr. Alvarez on Mill Street.").id
    talk = Conversation(memory, "monday")
    talk.add([{"role": "user", "content": "Who is my dentist again?"}])
    memory.context("Who is my dentist again?")
    clock.forward(seconds=20)
    before = memory.recent().total
    reply = {"type": "output_text", "text": "Your dentist is Dr. Alvarez."}
    for _ in range(2):
        talk.add([{"role": "assistant", "content": [reply]}])
    assert memory.get(id, counts=False).worth.used == 1
    assert memory.recent().total == before
    assert len(talk.items()) == 3


def test_a_conversation_that_is_not_heard_counts_nothing(memory: Saegim, clock: FixedClock) -> None:
    """Whoever does not want to be heard is not heard answering either."""
    id = memory.remember("My dentist is Dr. Alvarez on Mill Street.").id
    memory.context("Who is my dentist again?")
    clock.forward(seconds=20)
    talk = Conversation(memory, "monday", observe=False)
    talk.add([{"role": "assistant", "content": "Your dentist is Dr. Alvarez."}])
    assert memory.get(id, counts=False).worth.used == 0
