"""`Mind`: the parts a verb may use. Flows take the Mind; leaves take only what they use."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from saegim.engines.embedder import Embedder
from saegim.memory.clock import Clock, new_id
from saegim.settings import Settings
from saegim.store.sqlite import Sqlite


@dataclass(frozen=True, slots=True)
class Mind:
    """Store, engines, clock and settings: at most ten fields, so that it stays a mind."""

    store: Sqlite
    embedder: Embedder
    clock: Clock
    settings: Settings

    def now(self) -> datetime:
        """Return the present instant."""
        return self.clock.now()

    def new_id(self) -> str:
        """Return the id of a memory that is born now."""
        return new_id(self.now())
