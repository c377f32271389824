"""Saegim (새김): a long-term memory for AI agents that lives on its user's own machine.

Importing this package loads nothing but the standard library; each name is loaded on first use.
"""

from __future__ import annotations

from importlib import import_module

# Not taken from typing: loading that takes longer than the rest of this file.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from saegim.errors import SaegimError
    from saegim.memory.clock import FixedClock
    from saegim.memory.memory import Emotion, Feeling, Kind, Memory, Origin, Scope, State, Tier
    from saegim.perceive.moment import Kept
    from saegim.recall.flow import Recollection
    from saegim.recall.rank import Hit
    from saegim.saegim import Saegim
    from saegim.settings import Settings

__version__ = "0.1.0"

_HOME = {
    "Emotion": "saegim.memory.memory",
    "Feeling": "saegim.memory.memory",
    "FixedClock": "saegim.memory.clock",
    "Hit": "saegim.recall.rank",
    "Kept": "saegim.perceive.moment",
    "Kind": "saegim.memory.memory",
    "Memory": "saegim.memory.memory",
    "Origin": "saegim.memory.memory",
    "Recollection": "saegim.recall.flow",
    "Saegim": "saegim.saegim",
    "SaegimError": "saegim.errors",
    "Scope": "saegim.memory.memory",
    "Settings": "saegim.settings",
    "State": "saegim.memory.memory",
    "Tier": "saegim.memory.memory",
}

__all__ = [
    "Emotion",
    "Feeling",
    "FixedClock",
    "Hit",
    "Kept",
    "Kind",
    "Memory",
    "Origin",
    "Recollection",
    "Saegim",
    "SaegimError",
    "Scope",
    "Settings",
    "State",
    "Tier",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'saegim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
