"""What a client may read without a tool: memories and reports as resources, and prompts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from saegim.errors import NotFound, SaegimError
from saegim.serve.house import House
from saegim.serve.terminal import json_text

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

    from saegim.serve.mcp.guest import Guest

Json = dict[str, Any]


def add_resources(
    server: MCPServer[Any], house: House, guest: Guest, limiter: anyio.CapacityLimiter
) -> None:
    """Add memories by id, SOUL.md and the reports of the nights."""

    async def told(name: str, **arguments: Any) -> Json:
        try:
            return await anyio.to_thread.run_sync(
                partial(house.call, guest.wish(name, arguments)),
                limiter=limiter,
                abandon_on_cancel=True,
            )
        except NotFound as error:
            raise ResourceNotFoundError(error.message) from error
        except SaegimError as error:
            raise ResourceError(f"{error.message} {error.next_step}") from error

    @server.resource(
        "saegim://memories/{id}", name="memory", mime_type="application/json",
        description="One memory, whole, by its id or handle.",
    )  # fmt: skip
    async def memory(id: str) -> str:
        return json_text(await told("memory_get", id=id))

    @server.resource(
        "saegim://SOUL.md", name="SOUL.md", mime_type="text/markdown",
        description="What the user approved to be kept for ever.",
    )  # fmt: skip
    async def soul() -> str:
        return str((await told("soul_read"))["text"])

    @server.resource(
        "saegim://nights/latest", name="latest night", mime_type="application/json",
        description="What the last night did.",
    )  # fmt: skip
    async def latest() -> str:
        return json_text(await told("night_report"))

    @server.resource(
        "saegim://nights/{id}", name="night", mime_type="application/json",
        description="What one night did, by its id.",
    )  # fmt: skip
    async def night(id: str) -> str:
        return json_text(await told("night_report", id=id))


def add_prompts(server: MCPServer[Any]) -> None:
    """Add what a person may pick from a menu."""

    @server.prompt(title="Ask my memory · 기억에게 묻기")
    def ask_memory(question: str) -> str:
        """Answer from what is remembered, with the ids of the memories used."""
        return (
            f"Answer this from my long-term memory: {question}\n"
            "Call memory_search, answer only from what it returns, name the ids you used, and say "
            "so plainly if nothing is remembered. Answer in the language of the question."
        )

    @server.prompt(title="Remember this talk · 이 대화 기억하기")
    def remember_conversation() -> str:
        """Keep what will matter later from this conversation."""
        return (
            "Look through our conversation and save with memory_save what will matter in later "
            "sessions: decisions, preferences, people, plans. One fact for each call, in my words "
            "and my language. Search first, and correct with memory_update what has changed."
        )

    @server.prompt(title="What will be forgotten · 곧 잊을 것 보기")
    def review_forgetting() -> str:
        """Go through what is about to be forgotten."""
        return (
            "Show me what is about to be forgotten (forgetting_queue, or memory_stats if you do "
            "not have it), ask me what to keep, and pin or restore only what I name."
        )
