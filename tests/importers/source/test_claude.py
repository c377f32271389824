"""Claude's export: messages in their order, tools left out."""

from __future__ import annotations

from pathlib import Path

from elsewhere import as_json, as_zip, claude, everything, memories, problems, texts, twice_the_same
from saegim import Saegim
from saegim.importers.source.chats import read_claude
from saegim.memory.memory import Origin


def test_each_message_is_a_memory_with_its_speaker(tmp_path: Path) -> None:
    """Human and assistant are kept apart, in order, under their conversation (U24.3)."""
    talk = claude(1, "내일 비 와?", "우산 챙기세요")
    talk["chat_messages"][0]["attachments"] = [{"file_name": "map.pdf", "extracted_content": "x"}]
    found = everything(read_claude, as_json(tmp_path / "conversations.json", [talk]), "claude")
    one, two = (each.value for each in memories(found))
    assert (one.agent.role, two.agent.role) == ("user", "assistant")
    assert (one.scope.session, one.time.sequence, two.time.sequence) == ("c1a0-1", 1, 2)
    assert one.space.files == ("map.pdf",)
    assert two.time.minutes_into_session == 1.0
    assert two.provenance.origin is Origin.IMPORT
    assert two.content.tags == ("Talk 1",)


def test_words_come_from_the_blocks_or_else_from_the_text(tmp_path: Path) -> None:
    """Thoughts and tools are left out; an older export has the plain text alone (U24.3)."""
    talk = claude(1, "a", "b", "c")
    talk["chat_messages"][0]["content"] = [
        {"type": "thinking", "thinking": "hm", "text": "hm"},
        {"type": "tool_use", "name": "search"},
        {"type": "text", "text": "one"},
        {"type": "text", "text": "two"},
    ]
    talk["chat_messages"][1] |= {"content": [], "text": "plain"}
    talk["chat_messages"][2] |= {"content": None, "text": None}
    found = everything(read_claude, as_json(tmp_path / "x.json", [talk]), "claude")
    assert texts(found) == ["one\n\ntwo", "plain"]


def test_strange_conversations_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    """A list of anything gives what it can (U24.3)."""
    odd = claude(2, "fine")
    odd["chat_messages"] += [7, {"sender": "system", "text": "x"}, {"sender": None}]
    found = everything(
        read_claude, as_json(tmp_path / "x.json", [None, {}, odd, claude(3)]), "claude"
    )
    assert texts(found) == ["fine"]
    assert [each.partition(":")[0] for each in problems(found)] == [
        "x.json item 1",
        "x.json item 2",
        "x.json item 3 message 2",
    ]


def test_an_export_comes_in_once(memory: Saegim, tmp_path: Path) -> None:
    """The archive as it came: rehearsed, imported, and the second time nothing (U24.3)."""
    talks = [claude(1, "a", "b"), claude(2, "c")]
    path = as_zip(tmp_path / "data.zip", users_json=[], conversations_json=talks)
    twice_the_same(memory, path, "claude", 3)
