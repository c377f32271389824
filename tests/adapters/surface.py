"""The adapters on the real frameworks; run by upstream.py where these are installed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saegim import Saegim
from saegim.adapters import AgentsSession, AnthropicMemory, AsyncAnthropicMemory, LangGraphStore

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "use-with-frameworks.md"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Saegim]:
    """A fresh memory."""
    with Saegim.open(tmp_path / "memory.db", background=False) as opened:
        yield opened


def test_what_claude_writes_is_recalled(memory: Saegim) -> None:
    """A file that the model makes through the tool's own door is a memory like any other."""
    tool = AnthropicMemory(memory)
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}
    path = "/memories/tea.md"
    tool.call({"command": "create", "path": path, "file_text": "Mina drinks barley tea."})
    shown = tool.call({"command": "view", "path": path})
    assert shown.endswith("     1\tMina drinks barley tea.")
    assert memory.recall("what does Mina drink?").hits[0].memory.space.files == (path,)


def test_the_asynchronous_tool_is_the_same_tool(memory: Saegim) -> None:
    """Both tools show the same files, and both tell the model what was refused."""
    from anthropic.tools import ToolError

    path = "/memories/a.txt"
    command = {"command": "create", "path": path, "file_text": "one"}
    asyncio.run(AsyncAnthropicMemory(memory).call(command))
    with pytest.raises(ToolError, match="already exists"):
        AnthropicMemory(memory).call(command)
    assert asyncio.run(AsyncAnthropicMemory(memory).clear_all_memory()) == "All memory cleared"
    with pytest.raises(ToolError, match=r"does not exist\. Please provide a valid path\."):
        AnthropicMemory(memory).call({"command": "view", "path": path})


def test_a_store_without_an_index_finds_by_recall(memory: Saegim) -> None:
    """A query is answered by our own search, in Korean too; what has no score comes last."""
    store = LangGraphStore(memory)
    store.put(("users", "1"), "a", {"text": "점심으로 비빔밥을 먹었다"})
    store.put(("users", "1"), "b", {"text": "The server runs on port 8080"}, index=False)
    store.put(("users", "1"), "c", {"text": "The bicycle is red"})
    found = store.search(("users",), query="비빔밥")
    assert found[0].key == "a"
    assert found[0].score is not None
    assert {each.key: each.score for each in found}["b"] is None


def test_embeddings_of_an_async_function_rank(memory: Saegim) -> None:
    """An index whose embeddings are asynchronous is used by the asynchronous methods."""

    async def embed(texts: list[str]) -> list[list[float]]:
        return [[float(text.count("x")), 1.0] for text in texts]

    store = LangGraphStore(memory, index={"dims": 2, "embed": embed, "fields": ["text"]})

    async def asked() -> list[str]:
        await store.aput(("n",), "few", {"text": "x"})
        await store.aput(("n",), "many", {"text": "xxxxx"})
        return [each.key for each in await store.asearch(("n",), query="xxxxxx")]

    assert asyncio.run(asked()) == ["many", "few"]


def test_a_time_to_live_is_supported(memory: Saegim) -> None:
    """The store takes a default, and lets go of what has outlived its time."""
    store = LangGraphStore(memory, ttl={"default_ttl": 1e-6, "refresh_on_read": False})
    store.put(("n",), "k", {"v": 1})
    assert store.get(("n",), "k") is None
    assert store.sweep_ttl() == 1


def test_an_agent_remembers_what_was_said_in_another_session(memory: Saegim) -> None:
    """The runner of the SDK writes and reads the session; the person's words are recalled."""
    from agents import Agent, Runner, Session
    from agents.testing import ScriptedModel

    model = ScriptedModel()
    model.enqueue([_message("Noted.")])
    session = AgentsSession("monday", memory)
    assert isinstance(session, Session)
    agent = Agent(name="a", model=model)
    said = "My sister Yuna lives in Daejeon."
    asyncio.run(Runner.run(agent, said, session=session))
    again = AgentsSession("monday", memory)
    items = asyncio.run(again.get_items())
    assert items[0] == {"content": said, "role": "user"}
    assert [each["role"] for each in items] == ["user", "assistant"]
    assert memory.recall("where does Yuna live?").hits[0].memory.text == said


def _message(text: str) -> Any:
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(
        id="1", type="message", role="assistant", content=[part], status="completed"
    )


def test_the_examples_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the guide shows for each framework works as it stands."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SAEGIM_HOME", str(tmp_path / "home"))
    blocks = re.findall(r"^```text\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    shown = [block for block in blocks if "saegim.adapters" in block]
    assert len(shown) == 3
    for block in shown:
        exec(compile(block, PAGE.name, "exec"), {"__name__": "example"})
