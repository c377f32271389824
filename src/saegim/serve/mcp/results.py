"""Answers and errors as an MCP client receives them: as data, and as words."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Awaitable, Mapping
from typing import Any

from mcp.types import CallToolResult, TextContent

from saegim.errors import SaegimError
from saegim.serve.terminal import json_text

Json = dict[str, Any]
_log = logging.getLogger(__name__)
# What a model does where a person types a command.
_COMMAND = re.compile(r"`saegim ([a-z-]+)[^`]*`")
_TOOLS = dict.fromkeys(("recent", "recall", "search"), "memory_search") | {
    "remember": "memory_save", "update": "memory_update", "forget": "memory_delete",
    "related": "memory_get_related", "status": "memory_stats", "sleep": "sleep_cycle_run",
}  # fmt: skip


def answered(told: Mapping[str, Any]) -> CallToolResult:
    """Return an answer: as data, and as words for clients that read only words."""
    words = told["context"] if isinstance(told.get("context"), str) else None
    text = words or json_text(dict(told))
    whole = json.loads(json_text(dict(told)))
    return CallToolResult(content=[TextContent(text=text)], structured_content=whole)


def failed(error: BaseException) -> CallToolResult:
    """Return an error as a result that the model can read and act upon."""
    kind, message = type(error).__name__, getattr(error, "message", str(error))
    step = for_a_model(getattr(error, "next_step", ""))
    said = {"kind": kind, "message": message, "next_step": step}
    text = json_text({"error": said})
    return CallToolResult(content=[TextContent(text=text)], is_error=True)


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


def result_of(told: Json | SaegimError) -> CallToolResult:
    """Return an answer or an error as the client receives it."""
    return failed(told) if isinstance(told, SaegimError) else answered(told)
