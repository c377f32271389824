"""`Minds`: what is in mind in this process, one working memory for each scope.

The room of working memory is opened when someone first asks for it: most who open a memory never
do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from saegim.errors import each_tried
from saegim.memory.scope import Scope, checked_name
from saegim.mind import Mind
from saegim.plugins import Late
from saegim.store.where import Where, where_of

if TYPE_CHECKING:
    from saegim.perceive.turn import Observed, Turn
    from saegim.recall.flow import Recollection
    from saegim.session import held, turns, working
    from saegim.session import search as searching
else:
    held = Late("saegim.session.held")
    searching = Late("saegim.session.search")
    turns = Late("saegim.session.turns")
    working = Late("saegim.session.working")

# Beyond so many scopes, those of which nothing is in mind are let go of.
_MOST = 256


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
                if len(self._held) >= _MOST:
                    self._held = {s: w for s, w in self._held.items() if w.active_sessions()}
                folder = held.folder_of(home / mind.store.path.name)
                self._held[whole] = working.WorkingMemory(mind, whole, folder)
            return self._held[whole]

    def of_user(self, user: str) -> tuple[working.WorkingMemory, ...]:
        """Return what is in mind of one user, in all their rooms."""
        with self._lock:
            return tuple(each for scope, each in self._held.items() if scope.user == user)

    def overheard(self, said: Turn, seen: Observed, mind: Mind, home: Path) -> Observed:
        """Bring an observed turn to mind in the session it belongs to, if it belongs to one."""
        if not said.scope.session:
            return seen
        return turns.overheard(said, seen, self.of(said.scope, mind, home))

    def asked(
        self, question: str, filters: Mapping[str, Any], scope: Scope, mind: Mind, home: Path
    ) -> tuple[Callable[[Recollection], Recollection], Where]:
        """Return what puts the session at hand before an answer, and what to look among.

        A session among the filters names the one at hand; it leaves nothing out.
        """
        others = {name: value for name, value in filters.items() if name != "session"}
        if (named := filters.get("session")) is not None:
            scope = replace(scope, session=checked_name("session", named))
        where = where_of(scope, others, mind.zone)
        if not scope.session:
            return lambda found: found, where
        first = partial(
            searching.session_first,
            question=question,
            session=scope.session,
            working=self.of(scope, mind, home),
            mind=mind,
            narrowed=any(value for name, value in others.items() if name != "everywhere"),
        )
        return first, where

    def tend(self, mind: Mind) -> list[working.Finalized]:
        """Close what is in mind of sessions in which nothing was said for long (seed B gc)."""
        older_than = timedelta(hours=mind.settings.session_idle_hours)
        with self._lock:
            every = list(self._held.values())
        return [done for each in every for done in each.gc_sessions(older_than)]

    def finish(self) -> None:
        """End every session that is in mind: who spoke here is gone."""
        with self._lock:
            every = list(self._held.values())
        ending = (
            partial(each.finalize_session, session)
            for each in every
            for session in each.active_sessions()
        )
        each_tried(ending)

    def close(self) -> None:
        """Write down what is in mind, all of it; the first that cannot be written is told."""
        with self._lock:
            every = list(self._held.values())
        each_tried(each.close for each in every)
