"""`wrap`: clients of OpenAI's and Anthropic's shape remember, against a real local HTTP server."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from engines.llm_server import LLMServer, Turn
from saegim import Saegim
from saegim.adapters import wrap
from saegim.adapters.wrapped_client import last_said

ASKED = "What does Minho drink?"


@pytest.fixture
def server() -> Iterator[LLMServer]:
    """A server that answers as OpenAI and as Anthropic do."""
    with LLMServer(turn=Turn(text="Barley tea, I believe.")) as running:
        yield running


def posted(server: LLMServer, path: str, given: dict[str, Any]) -> Any:
    """Send a request as an SDK does, and return the answer as objects."""
    request = urllib.request.Request(
        server.url + path, json.dumps(given).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read(), object_hook=lambda held: SimpleNamespace(**held))


def client_of(server: LLMServer) -> Any:
    """A client of the shape of both SDKs."""
    chat = SimpleNamespace(create=lambda **given: posted(server, "/v1/chat/completions", given))
    messages = SimpleNamespace(create=lambda **given: posted(server, "/v1/messages", given))
    return SimpleNamespace(
        chat=SimpleNamespace(completions=chat), messages=messages, models=["m"], api_key="k"
    )


def said(text: str = ASKED) -> list[dict[str, Any]]:
    """A conversation that ends with a question."""
    return [{"role": "user", "content": text}]


def test_openai_is_given_what_is_remembered_and_the_turn_is_heard(
    memory: Saegim, server: LLMServer
) -> None:
    """The block stands right before the question; the caller's list stays as it was."""
    memory.remember("Minho gave up coffee and drinks barley tea now")
    client, messages = wrap(client_of(server), memory, session="s1"), said()
    answer = client.chat.completions.create(model="m", messages=messages)
    assert answer.choices[0].message.content == "Barley tea, I believe."
    sent = server.seen[-1].body["messages"]
    assert [each["role"] for each in sent] == ["system", "user"]
    assert "barley tea" in sent[0]["content"]
    assert messages == said()
    client.chat.completions.create(model="m", messages=said("나는 땅콩 알레르기가 있어"))
    assert memory.search("땅콩")[0].provenance.origin == "user_said"


@pytest.mark.parametrize("system", ["Be brief.", [{"type": "text", "text": "Be brief."}], None])
def test_anthropic_has_it_behind_its_system_prompt(
    memory: Saegim, server: LLMServer, system: Any
) -> None:
    """Text, blocks or nothing: what was there comes first and stays whole."""
    memory.remember("Minho gave up coffee and drinks barley tea now")
    given = {"system": system} if system is not None else {}
    blocks = [{"role": "user", "content": [{"type": "text", "text": ASKED}]}]
    wrap(client_of(server), memory).messages.create(model="m", messages=blocks, **given)
    sent = json.dumps(server.seen[-1].body["system"])
    assert "barley tea" in sent
    assert ("Be brief." in sent) is (system is not None)


def test_it_stays_while_a_tool_is_used_and_the_turn_is_heard_once(
    memory: Saegim, server: LLMServer
) -> None:
    """What a tool found goes out in the user's name: the question behind it is still the one."""
    memory.remember("Minho gave up coffee and drinks barley tea now")
    client, told = wrap(client_of(server), memory, session="s1"), "나는 땅콩 알레르기가 있어"
    used = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
    found = {"type": "tool_result", "tool_use_id": "t1", "content": "nothing"}
    loop = [{"role": "assistant", "content": [used]}, {"role": "user", "content": [found]}]
    client.messages.create(model="m", messages=[*said(), *loop])
    assert "barley tea" in server.seen[-1].body["system"]
    result = {"type": "function_call_output", "call_id": "t1", "output": "nothing"}
    for after in ([], loop, [*loop, *loop], [{"role": "assistant", "content": "그렇군요"}]):
        client.messages.create(model="m", messages=[*said(told), *after])
    tool = {"role": "tool", "tool_call_id": "t1", "content": "nothing"}
    client.chat.completions.create(model="m", messages=[*said(told), tool])
    assert last_said([*said(told), result]) == (told, False)
    (kept,) = memory.search("땅콩")
    # Before any tool, and with an answer that the caller began for the model.
    assert kept.worth.repeat == 1


def test_nothing_relevant_changes_nothing(memory: Saegim, server: LLMServer) -> None:
    """An empty memory sends what the caller sent, byte for byte."""
    wrap(client_of(server), memory).chat.completions.create(model="m", messages=said())
    assert server.seen[-1].body == {"model": "m", "messages": said()}


def test_a_memory_that_cannot_answer_costs_no_answer(
    memory: Saegim, server: LLMServer, caplog: pytest.LogCaptureFixture
) -> None:
    """The client answers, and the log says what was missing."""
    client = wrap(client_of(server), memory, budget=-1)
    assert client.chat.completions.create(model="m", messages=said()).choices


def test_an_awaited_client_is_wrapped_as_well(memory: Saegim, server: LLMServer) -> None:
    """What `create` returns may be awaited; the turn is heard once the answer is there."""
    plain = client_of(server)

    async def create(**given: Any) -> Any:
        return plain.messages.create(**given)

    client = wrap(SimpleNamespace(messages=SimpleNamespace(create=create)), memory)
    told = "나는 매주 토요일에 등산을 가"
    answer = asyncio.run(client.messages.create(model="m", messages=said(told)))
    assert answer.content[-1].text == "Barley tea, I believe."
    assert memory.search("등산")


def test_everything_else_of_the_client_is_as_before(memory: Saegim, server: LLMServer) -> None:
    """Other attributes are the client's own; without `observe` nothing is kept."""
    client = wrap(client_of(server), memory, observe=False)
    assert (client.models, client.api_key) == (["m"], "k")
    client.messages.create(model="m", messages=said("나는 땅콩 알레르기가 있어"))
    assert memory.recent().total == 0


def test_a_parsed_answer_and_an_async_with_are_remembered_too(
    memory: Saegim, server: LLMServer
) -> None:
    """`parse` begins an answer as `create` does; `async with` closes the client."""
    memory.remember("Minho gave up coffee and drinks barley tea now")
    plain, closed = client_of(server), []

    class Client:
        chat = SimpleNamespace(
            completions=SimpleNamespace(
                parse=lambda **given: plain.chat.completions.create(**given)
            )
        )

        async def __aenter__(self) -> Client:
            return self

        async def __aexit__(self, *how: object) -> None:
            closed.append(how)

    async def asked() -> None:
        async with wrap(Client(), memory) as client:
            client.chat.completions.parse(model="m", messages=said())

    asyncio.run(asked())
    assert "barley tea" in server.seen[-1].body["messages"][0]["content"]
    assert closed == [(None, None, None)]
