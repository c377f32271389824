"""Saegim in the shape other frameworks expect; each name loads its framework on first use."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from saegim.adapters.anthropic_memory import AnthropicMemory, AsyncAnthropicMemory
    from saegim.adapters.autogen_memory import AutoGenMemory
    from saegim.adapters.langgraph_store import LangGraphStore
    from saegim.adapters.llamaindex_block import LlamaIndexMemory
    from saegim.adapters.openai_session import AgentsSession
    from saegim.adapters.wrapped_client import wrap

_HOME = {
    "AgentsSession": "saegim.adapters.openai_session",
    "AnthropicMemory": "saegim.adapters.anthropic_memory",
    "AsyncAnthropicMemory": "saegim.adapters.anthropic_memory",
    "AutoGenMemory": "saegim.adapters.autogen_memory",
    "LangGraphStore": "saegim.adapters.langgraph_store",
    "LlamaIndexMemory": "saegim.adapters.llamaindex_block",
    "wrap": "saegim.adapters.wrapped_client",
}

__all__ = [
    "AgentsSession",
    "AnthropicMemory",
    "AsyncAnthropicMemory",
    "AutoGenMemory",
    "LangGraphStore",
    "LlamaIndexMemory",
    "wrap",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'saegim.adapters' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
