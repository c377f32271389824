"""`Sources`: what a source brought, kept apart, let out, or taken back with all that came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.perceive import quarantine as separating
from saegim.recall.handle import named_id
from saegim.sleep import revert as reverting
from saegim.store.where import where_of


@dataclass(frozen=True, slots=True)
class Sources:
    """Where one user's memories came from."""

    scope: Scope
    mind: Mind

    def quarantine(self, *, confirm: bool = False, **filters: Any) -> separating.Separated:
        """Keep apart what a source brought (author=, origin=, session=, domain=); preview first."""
        return separating.quarantine(where_of(self.scope, filters), mind=self.mind, confirm=confirm)

    def release(self, *ids: str) -> separating.Separated:
        """Let memories out of quarantine: a person has looked at them."""
        known = [named_id(each, scope=self.scope, store=self.mind.store) for each in ids]
        return separating.release(known, scope=self.scope, mind=self.mind)

    def revert(
        self, *, since: datetime | None = None, confirm: bool = False, **filters: Any
    ) -> reverting.Reverted:
        """Take back what a source brought since an instant, and all that was made of it (M7)."""
        where = where_of(self.scope, filters)
        return reverting.revert(where, since=since, mind=self.mind, confirm=confirm)
