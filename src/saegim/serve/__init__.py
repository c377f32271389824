"""How the world talks to the memory; what is heavy is loaded on first use, from this place."""

from __future__ import annotations

from importlib import import_module

# Not taken from typing: loading that takes longer than a hook has.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from . import backend as backend
    from . import clients as clients
    from .answers import around as around
    from .answers import handed as handed
    from .answers import heard as heard
    from .answers import housed as housed
    from .answers import left as left
    from .answers import plain as plain
    from .answers import recollected as recollected
    from .answers import risen as risen
    from .answers import shown as shown
    from .answers import slept as slept
    from .answers import standing as standing
    from .catalogue import entry as entry
    from .catalogue import turns as turns
    from .commands import demo as demo
    from .commands import rescue as rescue
    from .mcp import attending as attending
    from .mcp import stdio as stdio

# These load numpy, apsw or rich, which `saegim --version` and `saegim --help` do without.
_ANSWERS = "around handed heard housed left plain recollected risen shown slept standing"
_LATE = {name: f"answers.{name}" for name in _ANSWERS.split()}
_LATE |= {name: f"commands.{name}" for name in ("demo", "rescue")}
_LATE |= {name: f"catalogue.{name}" for name in ("entry", "turns")}
_LATE |= {name: f"mcp.{name}" for name in ("attending", "stdio")}
_LATE |= {name: name for name in ("clients", "backend")}


def __getattr__(name: str) -> ModuleType:
    if name in _LATE:
        return import_module(f"saegim.serve.{_LATE[name]}")
    raise AttributeError(f"module 'saegim.serve' has no attribute {name!r}")
