"""ChatGPT's export: the branch that was kept, turn by turn."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from elsewhere import (
    AT,
    ORDER,
    SECRET,
    as_array,
    as_json,
    as_zip,
    chatgpt,
    everything,
    memories,
    problems,
    texts,
    twice_the_same,
)
from saegim import Saegim
from saegim.importers.source.chats import read_chatgpt
from saegim.memory.memory import Origin, State


def found(tmp_path: Path, *conversations: Any) -> list[Any]:
    """Read conversations from a file."""
    return everything(
        read_chatgpt, as_json(tmp_path / "conversations.json", conversations), "chatgpt"
    )


def test_each_turn_is_a_memory_with_its_speaker_and_its_time(tmp_path: Path) -> None:
    """Who said what, when and in which conversation is kept; the origin is import (U24.3)."""
    first, second = memories(found(tmp_path, chatgpt(1, "홍차 좋아해", "저도 알아 둘게요")))
    one, two = first.value, second.value
    assert (one.text, one.agent.role, one.provenance.author) == ("홍차 좋아해", "user", "user")
    assert (two.agent.role, two.agent.backend, two.provenance.addressee) == (
        "assistant",
        "gpt-4o",
        "user",
    )
    assert [each.scope.session for each in (one, two)] == ["6f1c-1"] * 2
    assert [each.time.sequence for each in (one, two)] == [1, 2]
    assert [each.time.minutes_into_session for each in (one, two)] == [0.0, 1.0]
    assert two.time.happened_at == AT + timedelta(hours=1, minutes=1)
    assert {each.provenance.origin for each in (one, two)} == {Origin.IMPORT}
    assert one.content.tags == ("Talk 1",)
    assert one.id.startswith("mem_20240305_103000_")


def test_only_the_branch_that_was_kept_is_read(tmp_path: Path) -> None:
    """A reply that was written anew and a question that was edited are left out (U24.3)."""
    talk = chatgpt(1, "first try", "old answer", "thanks")
    nodes = talk["mapping"]
    nodes["edited"] = {
        **nodes["node-1-0"],
        "message": {**nodes["node-1-0"]["message"], "content": {"parts": ["second try"]}},
        "children": [],
    }
    nodes["root-1"]["children"].append("edited")
    assert texts(found(tmp_path, talk)) == ["first try", "old answer", "thanks"]
    assert texts(found(tmp_path, {**talk, "current_node": "edited"})) == ["second try"]
    # Where the last node is not named, the leaf that was said last ends the branch.
    unnamed = {**talk, "current_node": None}
    assert texts(found(tmp_path, unnamed)) == ["first try", "old answer", "thanks"]


def test_what_was_not_said_in_the_conversation_is_left_out(tmp_path: Path) -> None:
    """System, tools, hidden messages, calls and thoughts are no turns of anyone (U24.3)."""
    talk = chatgpt(1, "a", "b", "c", "d", "e", "f", "g", "h")
    messages = [talk["mapping"][f"node-1-{at}"]["message"] for at in range(8)]
    messages[0]["author"]["role"] = "system"
    messages[1]["author"]["role"] = "tool"
    messages[2]["metadata"]["is_visually_hidden_from_conversation"] = True
    messages[3]["recipient"] = "python"
    messages[4]["content"] = {"content_type": "code", "text": "print(1)"}
    messages[5]["content"] = {"content_type": "thoughts", "thoughts": [{"content": "hm"}]}
    messages[6]["content"] = {
        "content_type": "multimodal_text",
        "parts": [{"asset_pointer": "file-1"}, "look", {"content_type": "audio", "text": "heard"}],
    }
    messages[7]["content"]["parts"] = ["", "  "]
    assert texts(found(tmp_path, talk)) == ["look\n\nheard"]


def test_strange_conversations_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    """Whatever stands in the list, the good conversations come in (U24.3)."""
    circle = chatgpt(2, "round", "and round")
    circle["mapping"]["root-2"]["parent"] = "node-2-1"
    odd = chatgpt(3, "fine", "x")
    odd["mapping"]["node-3-1"]["message"]["content"]["parts"] = ["half \ud800"]
    odd["mapping"]["node-3-0"]["message"]["create_time"] = "not a time"
    lost = {**chatgpt(4, "gone"), "current_node": "nowhere", "mapping": {"n": 7}}
    every = found(tmp_path, 7, {"title": "x"}, circle, odd, lost, chatgpt(5, "last"))
    assert texts(every) == ["round", "and round", "fine", "last"]
    assert problems(every) == [
        "conversations.json item 1: It is not a conversation: it has no mapping.",
        "conversations.json item 2: It is not a conversation: it has no mapping.",
        "conversations.json item 4 turn 2: The text contains half of a character "
        "(a lone surrogate) at 5.",
    ]


def test_an_export_comes_in_once(memory: Saegim, tmp_path: Path) -> None:
    """The archive as it came: rehearsed, imported, and the second time nothing (U24.3)."""
    talks = [chatgpt(1, "녹차 마실래", "좋아요"), chatgpt(2, "tea", "yes", "good")]
    twice_the_same(memory, as_zip(tmp_path / "a.zip", conversations_json=talks), "chatgpt", 5)
    assert [each.text for each in memory.by_session("6f1c-2")] == ["tea", "yes", "good"]
    # A conversation that went on since brings only what is new.
    talks[1] = chatgpt(2, "tea", "yes", "good", "bye")
    later = memory.import_from(as_json(tmp_path / "conversations.json", talks))
    assert (later.added, later.known) == (1, 5)


def test_a_secret_is_masked_and_an_order_is_kept_apart(memory: Saegim, tmp_path: Path) -> None:
    """Neither a key nor an order in an old conversation becomes a memory that speaks (M4, M6)."""
    path = as_json(tmp_path / "x.json", [chatgpt(1, f"my key is {SECRET}", ORDER, "plain")])
    rehearsed = memory.import_from(path, dry_run=True)
    report = memory.import_from(path)
    assert (report.added, report.masked, report.quarantined) == (3, 1, 1)
    assert (rehearsed.masked, rehearsed.quarantined) == (1, 1)
    kept = memory.recent(10, states=list(State)).memories
    assert [each.life.state for each in kept if each.text == ORDER] == [State.QUARANTINED]
    assert all(SECRET not in each.text for each in kept)
    assert any("[secret:" in each.text for each in kept)
    again = memory.import_from(path)
    assert (again.added, again.known, again.masked, again.quarantined) == (0, 3, 0, 0)


def test_the_window_cuts_nothing_in_a_long_export(memory: Saegim, tmp_path: Path) -> None:
    """Conversations longer than the window come in whole (U24.3)."""
    long = "차 " * 200_000
    path = as_array(tmp_path / "x.json", (chatgpt(n, f"{n} {long}", "ok") for n in range(3)))
    read_in = everything(read_chatgpt, path, "chatgpt")
    assert [len(each) for each in texts(read_in)] == [len(long) + 2, 2] * 3
