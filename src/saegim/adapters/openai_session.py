"""The session of OpenAI's Agents SDK on Saegim: the conversation is kept, the person remembered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from saegim.adapters.conversation import Conversation
from saegim.adapters.documents import missing
from saegim.saegim import Saegim

try:
    from agents.memory import SessionSettings
    from agents.memory.session_settings import coerce_session_settings, resolve_session_limit
except ImportError as error:
    raise missing("openai-agents 0.24 or later", "agents") from error


class AgentsSession:
    """A `Session` for `Runner.run(agent, …, session=…)`.

    Items come back exactly and in order, in this process or another. With `observe`, what the
    user says is heard too, and found by `Saegim.recall` in every later session.
    """

    def __init__(
        self,
        session_id: str,
        memory: Saegim,
        *,
        observe: bool = True,
        session_settings: SessionSettings | dict[str, Any] | None = None,
        keep_private: bool = False,
    ) -> None:
        self.session_id = session_id
        self.session_settings: SessionSettings | None = (
            SessionSettings()
            if session_settings is None
            else coerce_session_settings(session_settings)
        )
        self._conversation = Conversation(
            memory, session_id, observe=observe, keep_private=keep_private
        )

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the items, oldest first; with a limit the last so many."""
        most = resolve_session_limit(limit, self.session_settings)
        return list(await asyncio.to_thread(self._conversation.items, most))

    async def add_items(self, items: list[Any]) -> None:
        """Add items at the end: all of them, or none."""
        await _carried_out(self._conversation.add, list(items))

    async def pop_item(self) -> Any:
        """Take the last item away and return it; None if there is none."""
        return await _carried_out(self._conversation.pop)

    async def clear_session(self) -> None:
        """Let the conversation go; what was remembered of it stays."""
        await _carried_out(self._conversation.clear)


async def _carried_out(act: Callable[..., Any], *given: Any) -> Any:
    """Carry out a change in a thread; who is cancelled meanwhile leaves once it is known."""
    change = asyncio.ensure_future(asyncio.to_thread(act, *given))
    cancelled: asyncio.CancelledError | None = None
    while not change.done():
        try:
            await asyncio.wait([change])
        except asyncio.CancelledError as wish:
            cancelled = wish
    if cancelled is not None:
        # Whether it failed is nobody's concern any more, but it must have been looked at.
        change.exception()
        raise cancelled
    return change.result()
