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
    from .answers import around as around
    from .answers import left as left
    from .answers import recollected as recollected
    from .answers import slept as slept

# These load numpy, apsw or rich, which `saegim --version` and `saegim --help` do without.
_LATE = {name: name for name in ("demo", "heard", "plain", "rescue", "shown", "standing")}
_LATE |= {name: f"answers.{name}" for name in ("around", "left", "recollected", "slept")}


def __getattr__(name: str) -> ModuleType:
    if name in _LATE:
        return import_module(f"saegim.serve.{_LATE[name]}")
    raise AttributeError(f"module 'saegim.serve' has no attribute {name!r}")
