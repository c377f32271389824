"""How the hooks fare: what waits on the spool, what was set apart, what the journal says."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from saegim.plugins import Late
from saegim.serve.hooks import journal
from saegim.serve.hooks.event import EVENTS
from saegim.serve.hooks.pace import LIMITS, Pace
from saegim.serve.hooks.spool import Spool
from saegim.serve.words.speech import Speech

if TYPE_CHECKING:
    from saegim.saegim import Saegim
    from saegim.serve.hooks import drain as draining
else:
    draining = Late("saegim.serve.hooks.drain")

_LINES: Final = 10
# Whoever asks for it by hand, waits.
_BY_HAND: Final = 600.0


def worked_off(home: Path, memory: Saegim, seconds: float = _BY_HAND) -> draining.Drained:
    """Work off the spool of a home into an open memory."""
    return draining.drain(home, lambda: memory, Pace(time.monotonic() + seconds))


def state_of(home: Path) -> dict[str, Any]:
    """Return what the hooks of a home have left behind, ready for JSON."""
    spool = Spool(home)
    return {
        "events": {name: {"called": EVENTS[name], "ms": LIMITS[name]} for name in EVENTS},
        "waiting": len(spool.waiting()),
        "apart": [str(each) for each in spool.apart()],
        "journal": journal.last(home, _LINES),
        "file": str(home / journal.FILE),
    }


def told(state: dict[str, Any], speech: Speech) -> Iterator[str]:
    """Say the same to a person."""
    yield speech("hook waiting", count=state["waiting"])
    if state["apart"]:
        yield speech("hook apart", count=len(state["apart"]), file=state["apart"][0])
    if not state["journal"]:
        yield speech("hook quiet")
        return
    yield speech("hook journal", file=state["file"])
    yield from (f"  {line}" for line in state["journal"])
