"""A memory block of LlamaIndex on Saegim: what a chat needs in, what falls out of it kept."""

from __future__ import annotations

import asyncio
from typing import Any

from saegim.adapters.documents import missing
from saegim.adapters.wrapped_client import ClientMemory
from saegim.saegim import Saegim

try:
    from llama_index.core.base.llms.types import ChatMessage, TextBlock
    from llama_index.core.memory import BaseMemoryBlock
except ImportError as error:
    raise missing("llama-index-core 0.14 or later", "llamaindex") from error


class LlamaIndexMemory(BaseMemoryBlock[str]):
    """A block for `Memory.from_defaults(memory_blocks=[…])`.

    The chat is given what is remembered for the last thing the user said. What leaves LlamaIndex's
    own short-term memory comes here, turn by turn, and is judged and kept as anywhere else.
    """

    name: str = "saegim"
    memory: Saegim
    budget: int | None = None
    observe: bool = True

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        """Return the block for the last thing the user said; nothing where nothing is relevant."""
        said = (_text_of(each) for each in reversed(messages or ()) if each.role == "user")
        asked = next(said, "")
        return await asyncio.to_thread(self._room(block_kwargs.get("session_id")).context, asked)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Hear what was said, in its order."""
        for each in messages:
            room = self._room(each.additional_kwargs.get("session_id"))
            text = _text_of(each)
            if each.role == "user":
                await asyncio.to_thread(room.hear, text, "")
            elif each.role == "assistant":
                await asyncio.to_thread(room.hear, "", text)

    def _room(self, session: str | None) -> ClientMemory:
        return ClientMemory(self.memory, session or "", self.budget, self.observe)


def _text_of(message: ChatMessage) -> str:
    return "\n".join(each.text for each in message.blocks if isinstance(each, TextBlock))
