"""`Minds`: what is in mind in this process, one working memory for each scope.

The room of working memory is opened when someone first asks for it: most who open a memory never
do.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from saegim.errors import each_tried
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
        """Return the working memory of a scope, the same for every thread that asks.

        One for all sessions of a scope; and two stores in one folder never share theirs.
        """
        whole = replace(scope, session="")
        with self._lock:
            if whole not in self._held:
                folder = home / FOLDER / mind.store.path.stem
                self._held[whole] = working.WorkingMemory(mind, whole, folder)
            return self._held[whole]

    def of_user(self, user: str) -> tuple[working.WorkingMemory, ...]:
        """Return what is in mind of one user, in all their rooms."""
        with self._lock:
            return tuple(held for scope, held in self._held.items() if scope.user == user)

    def close(self) -> None:
        """Write down what is in mind, all of it; the first that cannot be written is told."""
        with self._lock:
            held = list(self._held.values())
        each_tried(each.close for each in held)
