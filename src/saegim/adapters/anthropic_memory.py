"""Claude's memory tool (`memory_20250818`) on Saegim: every file it writes is a memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from saegim.adapters.documents import missing
from saegim.adapters.files import Files
from saegim.errors import SaegimError
from saegim.saegim import Saegim

try:
    from anthropic.tools import ToolError
    from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
    from anyio.to_thread import run_sync
except ImportError as error:
    raise missing("anthropic 2.8 or later", "anthropic") from error


class AnthropicMemory(BetaAbstractMemoryTool):
    """The memory tool for `client.beta.messages.run_tools(tools=[…])`.

    `mirror` is a folder that stands for /memories and is kept in step; `keep_private` keeps phone
    numbers and password-like words, as `Saegim.remember` does.
    """

    def __init__(
        self,
        memory: Saegim,
        *,
        mirror: str | os.PathLike[str] | None = None,
        keep_private: bool = False,
        cache_control: Any = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        place = None if mirror is None else Path(mirror)
        self.files = Files(memory, mirror=place, keep_private=keep_private)

    def view(self, command: Any) -> str:
        """Show a file with line numbers, or what lies in a folder."""
        return _told(self.files.view, command.path, command.view_range)

    def create(self, command: Any) -> str:
        """Make a new file."""
        return _told(self.files.create, command.path, command.file_text)

    def str_replace(self, command: Any) -> str:
        """Replace the one place where a text stands in a file."""
        return _told(self.files.str_replace, command.path, command.old_str, command.new_str)

    def insert(self, command: Any) -> str:
        """Insert a text after a line."""
        return _told(self.files.insert, command.path, command.insert_line, command.insert_text)

    def delete(self, command: Any) -> str:
        """Let a file or a folder go; it can be called back for some days."""
        return _told(self.files.delete, command.path)

    def rename(self, command: Any) -> str:
        """Give a file or a folder another path."""
        return _told(self.files.rename, command.old_path, command.new_path)

    def clear_all_memory(self) -> str:
        """Let every file go."""
        return _told(self.files.clear)


class AsyncAnthropicMemory(BetaAsyncAbstractMemoryTool):
    """The same tool for an asynchronous client; the store is read and written in a thread."""

    def __init__(
        self,
        memory: Saegim,
        *,
        mirror: str | os.PathLike[str] | None = None,
        keep_private: bool = False,
        cache_control: Any = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._tool = AnthropicMemory(memory, mirror=mirror, keep_private=keep_private)
        self.files = self._tool.files

    async def view(self, command: Any) -> str:
        """Show a file with line numbers, or what lies in a folder."""
        return await run_sync(self._tool.view, command)

    async def create(self, command: Any) -> str:
        """Make a new file."""
        return await run_sync(self._tool.create, command)

    async def str_replace(self, command: Any) -> str:
        """Replace the one place where a text stands in a file."""
        return await run_sync(self._tool.str_replace, command)

    async def insert(self, command: Any) -> str:
        """Insert a text after a line."""
        return await run_sync(self._tool.insert, command)

    async def delete(self, command: Any) -> str:
        """Let a file or a folder go; it can be called back for some days."""
        return await run_sync(self._tool.delete, command)

    async def rename(self, command: Any) -> str:
        """Give a file or a folder another path."""
        return await run_sync(self._tool.rename, command)

    async def clear_all_memory(self) -> str:
        """Let every file go."""
        return await run_sync(self._tool.clear_all_memory)


def _told(act: Callable[..., str], *given: Any) -> str:
    """Carry out a command; what is refused is told to the model."""
    try:
        return act(*given)
    except SaegimError as error:
        raise ToolError(str(error)) from error
