"""Answers and errors as an MCP client receives them: as data, and as words."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any

from saegim.errors import SaegimError
from saegim.serve.terminal import json_text

if TYPE_CHECKING:
    from mcp.types import CallToolResult

Json = dict[str, Any]
_log = logging.getLogger(__name__)
# What a model does where a person types a command.
_COMMAND = re.compile(r"`saegim ([a-z-]+)[^`]*`")
_TOOLS = dict.fromkeys(("recent", "recall", "search"), "memory_search") | {
    "remember": "memory_save", "update": "memory_update", "forget": "memory_delete",
    "related": "memory_get_related", "status": "memory_stats", "sleep": "sleep_cycle_run",
}  # fmt: skip


def words_of(told: Mapping[str, Any] | SaegimError) -> tuple[str, str | None]:
    """Return an answer as words, for who reads only words, and as JSON; an error has words only."""
    if isinstance(told, SaegimError):
        step = for_a_model(told.next_step)
        said = {"kind": type(told).__name__, "message": told.message, "next_step": step}
        return json_text({"error": said}), None
    written = json_text(dict(told))
    words = told["context"] if isinstance(told.get("context"), str) else None
    return words or written, written


def for_a_model(step: str) -> str:
    """Return advice that names the tool where it named a command of the shell."""
    return _COMMAND.sub(
        lambda found: (
            f"`{_TOOLS[found[1]]}`" if found[1] in _TOOLS else f"{found[0]} (by the user)"
        ),
        step,
    )


async def carried_out(name: str, work: Awaitable[Json]) -> Json | SaegimError:
    """Wait for an answer; return what went wrong as an error that may be told."""
    try:
        return await work
    except SaegimError as error:
        return error
    except Exception as error:  # noqa: BLE001
        # A fault of ours or of a part that was plugged in; its words may tell of anything, so they
        # stay in the log.
        _log.exception("%s broke off", name)
        return SaegimError("server.broke_off", name=name, type=type(error).__name__)


def result_of(told: Mapping[str, Any] | SaegimError) -> CallToolResult:
    """Return an answer or an error as the client receives it."""
    from mcp.types import CallToolResult, TextContent

    text, written = words_of(told)
    content = TextContent(text=text)
    if written is None:
        return CallToolResult(content=[content], is_error=True)
    return CallToolResult(content=[content], structured_content=json.loads(written))
