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
    from saegim.memory.coordinate import Kind, Origin
    from saegim.memory.emotion import Emotion, Feeling
    from saegim.memory.memory import Memory
    from saegim.memory.scope import Scope
    from saegim.memory.tiers import State, Tier
    from saegim.perceive.moment import Kept
    from saegim.recall.flow import Recollection
    from saegim.recall.rank import Hit
    from saegim.saegim import Saegim
    from saegim.settings import Settings

__version__ = "0.1.0"

_HOME = {
    "Emotion": "saegim.memory.emotion",
    "Feeling": "saegim.memory.emotion",
    "FixedClock": "saegim.memory.clock",
    "Hit": "saegim.recall.rank",
    "Kept": "saegim.perceive.moment",
    "Kind": "saegim.memory.coordinate",
    "Memory": "saegim.memory.memory",
    "Origin": "saegim.memory.coordinate",
    "Recollection": "saegim.recall.flow",
    "Saegim": "saegim.saegim",
    "SaegimError": "saegim.errors",
    "Scope": "saegim.memory.scope",
    "Settings": "saegim.settings",
    "State": "saegim.memory.tiers",
    "Tier": "saegim.memory.tiers",
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
