"""`Forgetting`: the queue of what is leaving, the archive behind it, and what a person lets go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from saegim.errors import BadInput
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope, checked_name
from saegim.memory.tiers import State
from saegim.mind import Mind
from saegim.recall.handle import named_id
from saegim.sleep import erase as erasing
from saegim.sleep import farewell
from saegim.store.where import Where, where_of

if TYPE_CHECKING:
    from saegim.session.working import WorkingMemory

_MOST = 1000


@dataclass(frozen=True, slots=True)
class Queued:
    """A memory on its way out: why, since when, and how long it can still be called back."""

    memory: Memory
    reason: str
    since: datetime
    left: timedelta


@dataclass(frozen=True, slots=True)
class Archived:
    """Words that lie in the archive: since when, and until when they can be called back."""

    id: str
    text: str
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What one user is letting go of."""

    scope: Scope
    mind: Mind
    home: Path
    # What of this user is in mind in this process.
    running: tuple[WorkingMemory, ...] = ()

    def queue(self) -> list[Queued]:
        """Return what is leaving, what goes first first (seed D §6)."""
        now = self.mind.now()
        where = Where(scope=self.scope, states=(State.LEAVING,))
        found = []
        for _, memory in self.mind.store.walk(where):
            life = memory.life
            if life.leaving_until is None or life.leaving_since is None:
                continue
            left = max(timedelta(0), life.leaving_until - now)
            reason = life.leaving_reason.value if life.leaving_reason else ""
            found.append(Queued(memory, reason, life.leaving_since, left))
        return sorted(found, key=lambda each: (each.left, each.memory.id))

    def archive(self, n: int = 20) -> list[Archived]:
        """Return what lies in the archive, the latest first; `restore` calls it back."""
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= _MOST:
            raise BadInput("sleep.n_cannot_be", n=n, most=_MOST)
        kept = timedelta(days=self.mind.settings.archive_days)
        rows = self.mind.store.rounds.archive(self.scope, limit=n)
        return [Archived(id, text, since, since + kept) for id, since, text in rows]

    def pin(self, *ids: str) -> list[Memory]:
        """Hold memories fast: nothing lets them fade or go by itself (seed C `memory_pin`)."""
        return farewell.pin(self._known(ids), scope=self.scope, mind=self.mind, pinned=True)

    def unpin(self, *ids: str) -> list[Memory]:
        """Let memories age again (seed C `memory_unpin`)."""
        return farewell.pin(self._known(ids), scope=self.scope, mind=self.mind, pinned=False)

    def keep(
        self,
        *ids: str,
        days: float | None = None,
        until: date | str | None = None,
        passing: bool = False,
    ) -> list[Memory]:
        """Keep memories for good, whatever their age; what was leaving or asleep is called back.

        With `days` or `until` they are kept until that day and a month more; `passing` gives them
        the time of their tier again.
        """
        wanted = self._known(ids)
        return farewell.keep(
            wanted, scope=self.scope, mind=self.mind, days=days, until=until, passing=passing
        )

    def session(self, session: str, *, confirm: bool = False) -> farewell.Farewell:
        """Let a whole session go; without `confirm`, only show what would leave."""
        name = checked_name("session", session)
        where = Where(scope=self.scope, session=name, everywhere=True)
        found = [memory for _, memory in self.mind.store.walk(where)]
        return farewell.leave(found, scope=self.scope, mind=self.mind, confirm=confirm)

    def matching(
        self, query: str | None = None, *, confirm: bool = False, **filters: Any
    ) -> farewell.Farewell:
        """Let go of what a search finds; without `confirm`, only show it (delete_by_query)."""
        named = any(value is not None for value in filters.values())
        where = where_of(self.scope, filters, self.mind.zone)
        return farewell.matching(query or "", where, named=named, mind=self.mind, confirm=confirm)

    def erase(self, *ids: str, confirm: bool = False, by: str = "") -> erasing.Receipt:
        """Leave nothing of memories, now and everywhere; preview first (U26.3)."""
        return erasing.erase(
            self._known(ids),
            scope=self.scope,
            mind=self.mind,
            confirm=confirm,
            home=self.home,
            by=by,
            running=self.running,
        )

    def _known(self, ids: Iterable[str]) -> list[str]:
        return [named_id(each, scope=self.scope, store=self.mind.store) for each in ids]
