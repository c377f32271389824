"""Whom and what memories speak about: by name, by how often, and how the feeling moved."""

from __future__ import annotations

from dataclasses import dataclass

from saegim.errors import BadInput, NotFound
from saegim.memory.entities import Entity, SentimentPoint
from saegim.memory.keys import normalise
from saegim.memory.scope import Scope
from saegim.mind import Mind

_PEOPLE = ("person", "bot")
MOST = 1000


@dataclass(frozen=True, slots=True)
class Acquaintances:
    """Everyone and everything that one user's memories have met (seed E, entity profiles)."""

    scope: Scope
    mind: Mind

    def all(self) -> list[Entity]:
        """Return everyone and everything, the most met first."""
        return self.mind.store.entities(self.scope)

    def named(self, name: str) -> list[Entity]:
        """Return who goes by this name or alias, the most met first."""
        return self.mind.store.named(self.scope, [name]).get(normalise(name), [])

    def frequent(self, n: int = 10) -> list[Entity]:
        """Return the people met most often (seed E `get_frequent_contacts`)."""
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MOST:
            raise BadInput(f"n cannot be {n!r}.", next_step=f"Give 1 to {MOST}.")
        return [each for each in self.all() if each.type in _PEOPLE][:n]

    def trajectory(self, name: str) -> list[SentimentPoint]:
        """Return how the feeling towards someone moved, oldest first."""
        found = self.named(name)
        if not found:
            raise NotFound(
                f"Nobody is known as {name!r:.60}.", next_step="`saegim people` lists them."
            )
        return self.mind.store.sentiment_history(self.scope, found[0].key)
