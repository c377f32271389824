"""`Minds`: what is in mind in this process, one working memory for each scope.

The room of working memory is opened when someone first asks for it: most who open a memory never
do.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.plugins import Late

if TYPE_CHECKING:
    from saegim.session import working
else:
    working = Late("saegim.session.working")

FOLDER = "sessions"


class Minds:
    """The working memories of one open Saegim; all its views share them."""

    def __init__(self) -> None:
        self._held: dict[Scope, working.WorkingMemory] = {}
        self._lock = threading.Lock()

    def of(self, scope: Scope, mind: Mind, home: Path) -> working.WorkingMemory:
        """Return the working memory of a scope, the same for every thread that asks."""
        with self._lock:
            if scope not in self._held:
                self._held[scope] = working.WorkingMemory(mind, scope, home / FOLDER)
            return self._held[scope]

    def close(self) -> None:
        """Write down what is in mind."""
        for each in self._held.values():
            each.close()
