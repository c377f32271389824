"""`WorkingMemories`: what is in mind in this process, one working memory for each scope."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

from saegim.errors import each_tried
from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.perceive.turn import Observed, Turn
from saegim.recall.flow import Recollection
from saegim.session import turns
from saegim.session.held import folder_of
from saegim.session.search import session_first
from saegim.session.working import Finalized, WorkingMemory

# Beyond so many scopes, those of which nothing is in mind are let go of.
_MOST = 256


class WorkingMemories:
    """The working memories of one open Saegim; all its views share them."""

    def __init__(self, mind: Mind, home: Path) -> None:
        self._mind, self._home = mind, home
        self._held: dict[Scope, WorkingMemory] = {}
        self._lock = threading.Lock()

    def of(self, scope: Scope) -> WorkingMemory:
        """Return the working memory of a scope, the same for every thread that asks.

        One for all sessions of a scope; and two stores in one folder never share theirs.
        """
        whole = replace(scope, session="")
        with self._lock:
            if whole not in self._held:
                if len(self._held) >= _MOST:
                    self._held = {s: w for s, w in self._held.items() if w.active_sessions()}
                folder = folder_of(self._home / self._mind.store.path.name)
                self._held[whole] = WorkingMemory(self._mind, whole, folder)
            return self._held[whole]

    def of_user(self, user: str) -> tuple[WorkingMemory, ...]:
        """Return what is in mind of one user, in all their rooms."""
        with self._lock:
            return tuple(each for scope, each in self._held.items() if scope.user == user)

    def overheard(self, said: Turn, seen: Observed) -> Observed:
        """Bring an observed turn to mind in the session it belongs to."""
        return turns.overheard(said, seen, self.of(said.scope))

    def first(
        self, question: str, scope: Scope, *, narrowed: bool
    ) -> Callable[[Recollection], Recollection]:
        """Return what puts the session of this scope before an answer."""
        return partial(
            session_first,
            question=question,
            session=scope.session,
            working=self.of(scope),
            mind=self._mind,
            narrowed=narrowed,
        )

    def close_idle(self) -> list[Finalized]:
        """Close what is in mind of sessions in which nothing was said for long (seed B gc)."""
        older_than = timedelta(hours=self._mind.settings.session_idle_hours)
        return [done for each in self._every() for done in each.gc_sessions(older_than)]

    def close(self) -> None:
        """Write down what is in mind, all of it; the first that cannot be written is told."""
        each_tried(each.close for each in self._every())

    def _every(self) -> list[WorkingMemory]:
        with self._lock:
            return list(self._held.values())
