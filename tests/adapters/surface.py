"""The adapters on the real frameworks; run by upstream.py where these are installed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saegim import Saegim
from saegim.adapters import (
    AgentsSession,
    AnthropicMemory,
    AsyncAnthropicMemory,
    AutoGenMemory,
    LangGraphStore,
    LlamaIndexMemory,
    wrap,
)
from saegim.errors import BadInput

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


# -- AutoGen --------------------------------------------------------------------------------------


def _contents(memory: AutoGenMemory, asked: str) -> list[Any]:
    return [each.content for each in asyncio.run(memory.query(asked)).results]


def test_an_autogen_context_is_told_what_is_remembered_and_the_person_is_heard(
    memory: Saegim,
) -> None:
    """A block for the last message; the person's words are kept, those of other agents are not."""
    from autogen_core.model_context import UnboundedChatCompletionContext
    from autogen_core.models import SystemMessage, UserMessage

    memory.remember("Minho gave up coffee and drinks barley tea now")
    adapter = AutoGenMemory(memory, session="team")

    async def asked(words: str, source: str) -> list[Any]:
        context = UnboundedChatCompletionContext()
        await context.add_message(UserMessage(content=words, source=source))
        told = await adapter.update_context(context)
        added = [m for m in await context.get_messages() if isinstance(m, SystemMessage)]
        assert len(added) == bool(told.memories.results)
        return [each.content for each in added]

    (block,) = asyncio.run(asked("What does Minho drink?", "user"))
    assert "barley tea" in block
    assert asyncio.run(asked("질소의 끓는점은?", "user")) == []
    asyncio.run(asked("나는 땅콩 알레르기가 있어서 땅콩은 못 먹어", "user"))
    asyncio.run(asked("I am allergic to shrimp and never eat it", "planner"))
    assert memory.search("땅콩")[0].provenance.origin == "user_said"
    assert not memory.search("shrimp")


def test_what_autogen_adds_comes_back_as_it_was_and_clear_lets_only_that_go(
    memory: Saegim,
) -> None:
    """Texts, values and their metadata; found by meaning, also beside what others keep."""
    from autogen_core.memory import MemoryContent, MemoryMimeType

    memory.remember("우리 강아지 이름은 보리다")
    adapter = AutoGenMemory(memory)
    text = MemoryContent(content="The staging server is Lighthouse", mime_type="text/plain")
    value = MemoryContent(
        content={"city": "부산", "since": 2024},
        mime_type=MemoryMimeType.JSON,
        metadata={"by": "planner"},
    )
    for each in (text, value, text):
        asyncio.run(adapter.add(each))
    assert _contents(adapter, "") == [text.content, value.content]
    assert _contents(adapter, "which server is for staging?")[0] == text.content
    (found,) = [r for r in asyncio.run(adapter.query("부산")).results if r.content == value.content]
    assert found.metadata is not None
    assert (found.metadata["by"], found.mime_type) == ("planner", MemoryMimeType.JSON)
    assert found.metadata["score"] > 0
    assert _contents(adapter, "강아지 이름")[0] == "우리 강아지 이름은 보리다"
    asyncio.run(adapter.clear())
    assert _contents(adapter, "") == []
    assert text.content not in _contents(adapter, "which server is for staging?")
    assert _contents(adapter, "강아지 이름") == ["우리 강아지 이름은 보리다"]
    with pytest.raises(BadInput, match="bytes"):
        asyncio.run(adapter.add(MemoryContent(content=b"x", mime_type=MemoryMimeType.BINARY)))


# -- LlamaIndex -----------------------------------------------------------------------------------


def test_a_chat_of_llamaindex_is_given_what_is_remembered(memory: Saegim) -> None:
    """The framework's own memory puts the block into the system message, for what is asked."""
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.memory import Memory

    memory.remember("Minho gave up coffee and drinks barley tea now")

    async def told(asked: str, session: str) -> str:
        chat = Memory.from_defaults(
            session_id=session,
            token_limit=4000,
            memory_blocks=[LlamaIndexMemory(memory=memory)],
            tokenizer_fn=str.split,
        )
        await chat.aput(ChatMessage(role="user", content=asked))
        return "\n".join(str(each.content) for each in await chat.aget())

    assert "barley tea" in asyncio.run(told("What does Minho drink?", "s1"))
    assert "barley tea" not in asyncio.run(told("질소의 끓는점은?", "s2"))


def test_what_falls_out_of_a_chat_of_llamaindex_is_heard(memory: Saegim) -> None:
    """Its short-term memory is full, and what the person said first is kept under its session."""
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.memory import Memory

    told = "나는 땅콩 알레르기가 있어서 땅콩은 못 먹어"

    async def talked() -> None:
        chat = Memory.from_defaults(
            session_id="s2",
            token_limit=100,
            token_flush_size=20,
            chat_history_token_ratio=0.5,
            memory_blocks=[LlamaIndexMemory(memory=memory)],
            tokenizer_fn=str.split,
        )
        for text in (told, *(f"Rename the variable number {n} please" for n in range(20))):
            await chat.aput(ChatMessage(role="user", content=text))
            await chat.aput(ChatMessage(role="assistant", content="Done."))

    asyncio.run(talked())
    (kept,) = memory.search("땅콩")
    assert (kept.text, kept.scope.session) == (told, "s2")
    assert kept.provenance.origin == "user_said"


# -- the SDKs, wrapped ----------------------------------------------------------------------------


def test_the_real_clients_are_wrapped(memory: Saegim) -> None:
    """OpenAI's and Anthropic's own clients, blocking and awaited, over HTTP."""
    import anthropic
    import openai

    from engines.llm_server import LLMServer, Turn

    memory.remember("Minho gave up coffee and drinks barley tea now")
    asked: Any = [{"role": "user", "content": "What does Minho drink?"}]
    with LLMServer(turn=Turn(text="Barley tea.")) as server:
        one: Any = wrap(openai.OpenAI(base_url=f"{server.url}/v1", api_key="k"), memory)
        answer = one.chat.completions.create(model="m", messages=asked)
        assert answer.choices[0].message.content == "Barley tea."
        assert "barley tea" in str(server.seen[-1].body["messages"][0])
        two: Any = wrap(anthropic.Anthropic(base_url=server.url, api_key="k"), memory)
        answer = two.messages.create(model="m", max_tokens=9, messages=asked)
        assert answer.content[-1].text == "Barley tea."
        assert "barley tea" in str(server.seen[-1].body["system"])

        async def awaited() -> Any:
            plain = openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="k")
            async with wrap(plain, memory) as three:
                return await three.chat.completions.create(model="m", messages=asked)

        assert asyncio.run(awaited()).choices[0].message.content == "Barley tea."
        assert "barley tea" in str(server.seen[-1].body["messages"][0])


def test_the_examples_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the guide shows for each framework works as it stands."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SAEGIM_HOME", str(tmp_path / "home"))
    blocks = re.findall(r"^```text\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    shown = [block for block in blocks if "saegim.adapters" in block]
    assert len(shown) == 5
    for block in shown:
        exec(compile(block, PAGE.name, "exec"), {"__name__": "example"})
