"""How the world talks to the memory; what is heavy is loaded on first use, from this place."""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import demo as demo
    from . import heard as heard
    from . import plain as plain
    from . import rescue as rescue
    from . import shown as shown
    from . import standing as standing

# These load numpy, apsw or rich, which `saegim --version` and `saegim --help` do without.
_LATE = frozenset({"demo", "heard", "plain", "rescue", "shown", "standing"})


def __getattr__(name: str) -> ModuleType:
    if name in _LATE:
        return import_module(f"saegim.serve.{name}")
    raise AttributeError(f"module 'saegim.serve' has no attribute {name!r}")
