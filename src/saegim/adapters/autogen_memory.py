"""AutoGen's `Memory` on Saegim: what a question needs goes into the model's context."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

import xxhash

from saegim.adapters.documents import Documents, exact, missing, screened
from saegim.adapters.value_text import value_of, value_text
from saegim.adapters.wrapped_client import ClientMemory
from saegim.errors import BadInput
from saegim.memory.memory import Memory as Remembered
from saegim.saegim import Saegim

try:
    from autogen_core import CancellationToken
    from autogen_core.memory import (
        Memory,
        MemoryContent,
        MemoryMimeType,
        MemoryQueryResult,
        UpdateContextResult,
    )
    from autogen_core.model_context import ChatCompletionContext
    from autogen_core.models import SystemMessage, UserMessage
except ImportError as error:
    raise missing("autogen-core 0.7 or later", "autogen") from error

KIND = "autogen"


class AutoGenMemory(Memory):
    """A `Memory` for `AssistantAgent(…, memory=[…])`.

    Each time the agent answers, its context is given what is remembered for the last message.
    Messages from `hears` are a person's: they are judged and kept as anywhere else. Other agents
    speak in the same form, and what they say is nobody's word here. `add` keeps a text or a JSON
    value, `query` searches all of the memory, `clear` lets go of what was added here.
    """

    component_type = "memory"

    def __init__(
        self,
        memory: Saegim,
        *,
        session: str = "",
        budget: int | None = None,
        limit: int = 10,
        hears: Collection[str] = ("user",),
        keep_private: bool = False,
    ) -> None:
        self._room = ClientMemory(memory, session, budget)
        self._documents = Documents(memory, KIND, keep_private=keep_private)
        self._limit, self._hears, self._keep_private = limit, frozenset(hears), keep_private

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Tell the model what is remembered for the last message, and hear it."""
        messages = await model_context.get_messages()
        last = next((each for each in reversed(messages) if isinstance(each, UserMessage)), None)
        asked = "" if last is None else _words(last.content)
        told = await asyncio.to_thread(self._room.told, asked)
        if told is not None and told.text:
            await model_context.add_message(SystemMessage(content=told.text))
        if last is not None and last.source in self._hears:
            await asyncio.to_thread(self._room.hear, asked, "")
        found = [] if told is None else [_text(each.words, id=each.id) for each in told.cards]
        return UpdateContextResult(memories=MemoryQueryResult(results=found))

    async def query(
        self,
        query: str | MemoryContent,
        cancellation_token: CancellationToken | None = None,
        **kwargs: Any,
    ) -> MemoryQueryResult:
        """Return what answers a question, best first; `limit` is how many at most."""
        del cancellation_token
        asked = query if isinstance(query, str) else _plain(query)
        return await asyncio.to_thread(self._found, asked, kwargs.get("limit", self._limit))

    async def add(
        self, content: MemoryContent, cancellation_token: CancellationToken | None = None
    ) -> None:
        """Keep a text or a JSON value; what was added in the same words is there already."""
        del cancellation_token
        await asyncio.to_thread(self._add, content)

    async def clear(self) -> None:
        """Let go of what was added here, into the forgetting queue; all else stays."""
        await asyncio.to_thread(lambda: self._documents.drop(self._documents.all()))

    async def close(self) -> None:
        """Do nothing: the memory belongs to whoever opened it."""

    def _add(self, content: MemoryContent) -> None:
        held, about = content.content, content.metadata
        if not isinstance(held, str | dict):
            raise BadInput("adapter.memory_is_text", type=type(held).__name__)
        if isinstance(held, str) and not about:
            text = held
        else:
            value = {"content": held} | ({"metadata": about} if about else {})
            text = value_text(screened(value, keep_private=self._keep_private).value)
        # Named by what it says: nothing is there twice.
        name = xxhash.xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass"))
        self._documents.made(name, text)

    def _found(self, asked: str, limit: int) -> MemoryQueryResult:
        memory = self._documents.memory
        if not asked.strip():
            held = self._documents.all()[-limit:]
            return MemoryQueryResult(results=[_shown(each.memory) for each in held])
        hits = [hit for hit in memory.recall(asked, limit=limit).hits if not hit.weak]
        return MemoryQueryResult(results=[_shown(hit.memory, score=hit.score) for hit in hits])


def _words(content: Any) -> str:
    """Return the text of a message; pictures have none."""
    parts = [content] if isinstance(content, str) else content
    return "\n".join(each for each in parts if isinstance(each, str))


def _plain(content: MemoryContent) -> str:
    held = content.content
    return held if isinstance(held, str) else value_text(held) if isinstance(held, dict) else ""


def _text(words: str, **about: Any) -> MemoryContent:
    return MemoryContent(content=words, mime_type=MemoryMimeType.TEXT, metadata=about)


def _shown(memory: Remembered, **about: Any) -> MemoryContent:
    """Return a memory as it was added here; one that came another way is a text."""
    about |= {"id": memory.id, "happened_at": memory.time.happened_at.isoformat()}
    ours = memory.space.domain.startswith(f"{KIND}:")
    text = exact(memory.text) if ours else memory.text
    held = value_of(text) if ours else None
    if held is None or "content" not in held:
        return _text(text, **about)
    mime = MemoryMimeType.JSON if isinstance(held["content"], dict) else MemoryMimeType.TEXT
    about |= held.get("metadata") or {}
    return MemoryContent(content=held["content"], mime_type=mime, metadata=about)
