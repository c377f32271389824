"""Sessions that nobody closed are closed: their hotspots stay, the rest is on paper (seed B gc)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from saegim.memory.scope import Scope
from saegim.session.held import folder_of
from saegim.session.working import WorkingMemory
from saegim.sleep.night import Night, Step


def sessions(night: Night) -> Iterator[Step]:
    """Close what no process holds any more and in which nothing was said for long.

    What a session leaves behind is committed as it is closed, under keys that make it one act; a
    night that breaks off here begins again and does nothing twice.
    """
    mind = night.mind
    idle = timedelta(hours=mind.settings.session_idle_hours)
    rooms = {(each.agent, each.project) for each in mind.store.sessions.unended(night.scope)}
    for agent, project in sorted(rooms):
        # A rehearsal sleeps in a copy of the store, which has no sessions on paper beside it.
        scope = Scope(night.owner, agent, project)
        working = WorkingMemory(mind, scope, folder_of(mind.store.path))
        for done in working.close_unclosed(idle):
            about = tuple(each.memory for each in done.promoted)
            yield Step(why="closed_session", about=about, details={"kept": len(about)})
