"""A pytest plugin: puts our adapters where the tests of other projects expect their own classes.

It is loaded with `-p swapped` before any test module is imported, so the suites themselves stay
as they are; `SAEGIM_SWAP` names the framework. Each class opens a fresh memory in a new folder.
"""

from __future__ import annotations

import atexit
import importlib
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from saegim import Saegim


@cache
def _home() -> Path:
    """A folder for all memories of this run; it goes with the run."""
    folder = Path(tempfile.mkdtemp(prefix="saegim-upstream-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _fresh(file: Path | None = None) -> Saegim:
    place = file or Path(tempfile.mkdtemp(dir=_home())) / "memory.db"
    return Saegim.open(place, background=False)


def _swap_anthropic() -> None:
    ours: Any = importlib.import_module("saegim.adapters.anthropic_memory")
    there: Any = importlib.import_module("anthropic.lib.tools._beta_builtin_memory_tool")
    async_path = importlib.import_module("anyio").Path

    class Sync(ours.AnthropicMemory):  # type: ignore[misc]
        def __init__(self, base_path: str = "./memory") -> None:
            self.base_path = Path(base_path)
            self.memory_root = self.base_path / "memories"
            super().__init__(_fresh(), mirror=self.memory_root)

    class Async(ours.AsyncAnthropicMemory):  # type: ignore[misc]
        def __init__(self, base_path: str = "./memory") -> None:
            self.base_path = async_path(base_path)
            self.memory_root = self.base_path / "memories"
            super().__init__(_fresh(), mirror=str(self.memory_root))

        async def _ensure_memory_root(self) -> None:
            """Nothing: our folder is there from the beginning."""

    there.BetaLocalFilesystemMemoryTool = Sync
    there.BetaAsyncLocalFilesystemMemoryTool = Async


def _swap_langgraph() -> None:
    ours: Any = importlib.import_module("saegim.adapters.langgraph_store")
    there: Any = importlib.import_module("langgraph.store.memory")

    class InMemoryStore(ours.LangGraphStore):  # type: ignore[misc]
        def __init__(self, *, index: Any = None) -> None:
            super().__init__(_fresh(), index=index)

    there.InMemoryStore = InMemoryStore


def _swap_agents() -> None:
    ours: Any = importlib.import_module("saegim.adapters.openai_session")
    there: Any = importlib.import_module("agents")

    class SQLiteSession(ours.AgentsSession):  # type: ignore[misc]
        def __init__(
            self, session_id: str, db_path: Any = ":memory:", session_settings: Any = None
        ) -> None:
            file = None if str(db_path) == ":memory:" else Path(db_path)
            self._own = _fresh(file)
            super().__init__(session_id, self._own, session_settings=session_settings)

        def close(self) -> None:
            self._own.close()

    there.SQLiteSession = SQLiteSession


def _swap_autogen() -> None:
    ours: Any = importlib.import_module("saegim.adapters.autogen_memory")
    there: Any = importlib.import_module("autogen_core.memory")

    class ListMemory(ours.AutoGenMemory):  # type: ignore[misc]
        def __init__(self, name: str | None = None, memory_contents: Any = None) -> None:
            self.name = name
            super().__init__(_fresh())
            for each in memory_contents or ():
                self._add(each)

    there.ListMemory = ListMemory


if _wanted := os.environ.get("SAEGIM_SWAP"):
    {
        "agents": _swap_agents,
        "anthropic": _swap_anthropic,
        "autogen": _swap_autogen,
        "langgraph": _swap_langgraph,
    }[_wanted]()
