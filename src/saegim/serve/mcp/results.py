"""Answers and errors as an MCP client receives them: as data, and as words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mcp.types import CallToolResult, TextContent

from saegim.serve.terminal import json_text


def answered(told: Mapping[str, Any]) -> CallToolResult:
    """Return an answer: as data, and as words for clients that read only words."""
    words = told["context"] if isinstance(told.get("context"), str) else None
    text = words or json_text(dict(told))
    whole = json.loads(json_text(dict(told)))
    return CallToolResult(content=[TextContent(text=text)], structured_content=whole)


def failed(error: BaseException) -> CallToolResult:
    """Return an error as a result that the model can read and act upon."""
    kind, message = type(error).__name__, getattr(error, "message", str(error))
    said = {"kind": kind, "message": message, "next_step": getattr(error, "next_step", "")}
    text = json_text({"error": said})
    return CallToolResult(content=[TextContent(text=text)], is_error=True)
