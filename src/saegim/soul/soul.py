"""`Soul`: who memories make of us: the self, its islands, its file, and what waits for a yes.

Nothing here writes the self: it reads, and lays proposals before a person. `OUTCOMES` says what
their yes does; what needs a later room is added there by that room.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from saegim.memory.changes import Change, Written
from saegim.memory.memory import Memory, Scope
from saegim.mind import Mind
from saegim.soul import beliefs, core_memories, islands, soul_file
from saegim.soul.beliefs import SelfVersion
from saegim.soul.consent import Consent, Outcome, Outcomes, recorded
from saegim.soul.core_memories import Story
from saegim.soul.islands import Island
from saegim.soul.proposals import (
    ASKED,
    BELIEF,
    CORE,
    CORE_CHANGE,
    ISLAND,
    SOUL_FILE,
    Proposal,
    a_person,
    one,
)
from saegim.soul.soul_file import SoulFile


def _believed(consent: Consent) -> None:
    consent.commit(beliefs.believed(consent))


def _renamed(consent: Consent) -> None:
    new = islands.renamed(consent)
    told = beliefs.after_islands([new], consent.scope, consent.mind)
    consent.commit([islands.written(new), told])


OUTCOMES: Final[Outcomes] = {
    CORE: Outcome(core_memories.kept),
    CORE_CHANGE: Outcome(core_memories.changed),
    BELIEF: Outcome(_believed, beliefs.doubted),
    ISLAND: Outcome(_renamed),
    SOUL_FILE: Outcome(soul_file.approve),
}


@dataclass(frozen=True, slots=True)
class Soul:
    """One person's agent as itself: read it, propose to it, go back to what it was."""

    scope: Scope
    mind: Mind

    def text(self) -> str:
        """Return the self as SOUL.md tells it."""
        return soul_file.rendered(self.scope, self.mind)

    def now(self) -> SelfVersion:
        """Return what is believed, as it was last approved."""
        return beliefs.current(self.scope, self.mind)

    def history(self) -> list[SelfVersion]:
        """Return every version of the self, the oldest first: what changed, by whom and why."""
        return beliefs.history(self.scope, self.mind)

    def islands(self) -> list[Island]:
        """Return every island, the oldest first."""
        return islands.islands(self.scope, self.mind)

    def held_up_by(self, *ids: str) -> list[Island]:
        """Return the islands that stand on any of these core memories."""
        return islands.held_up_by(ids, self.scope, self.mind)

    def shaken_by(self, *ids: str) -> list[Island]:
        """Return the islands that letting these core memories go would shake."""
        return islands.shaken_by(ids, self.scope, self.mind)

    def cores(self) -> dict[str, Memory]:
        """Return the core memories by their numbers."""
        return core_memories.cores(self.scope, self.mind)

    def story(self, memory: Memory) -> Story:
        """Tell where a memory came from and how it was used."""
        return core_memories.story(memory, self.scope, self.mind)

    def home_of(self, memory: Memory) -> Island:
        """Return the island that a memory would hold up as a core memory: one there is, or new."""
        return islands.founded(memory, memory.id, self.scope, self.mind)

    def propose_belief(self, statement: str, *, instead_of: str = "") -> Proposal | None:
        """Propose to believe something, or to say a belief in other words; None if it is known."""
        made = beliefs.asked(statement, self.scope, self.mind, belief=instead_of, why=ASKED)
        return self._laid(made)

    def propose_unbelief(self, belief: str) -> Proposal | None:
        """Propose to believe something no longer."""
        made = beliefs.asked("", self.scope, self.mind, belief=belief, remove=True, why=ASKED)
        return self._laid(made)

    def propose_beliefs(self) -> list[Proposal]:
        """Propose what the memories let one believe, by rule."""
        drafts = beliefs.drafts_by_rule(self.scope, self.mind)
        return self._all_laid(beliefs.proposed(drafts, self.scope, self.mind))

    def propose_island(
        self, island: str, *, name: str = "", emoji: str = "", description: str = ""
    ) -> Proposal | None:
        """Propose to call an island something else; None if it is called so."""
        held = islands.island(island, self.scope, self.mind)
        made = islands.proposed(
            held, self.scope, self.mind, name=name, emoji=emoji, description=description
        )
        return self._laid(made)

    def check(self) -> SoulFile:
        """Compare SOUL.md with the self."""
        return soul_file.check(self.scope, self.mind)

    def propose_file(self) -> Proposal | None:
        """Propose to write SOUL.md as the self is now; None where it says so already."""
        soul_file.finish(self.scope, self.mind)
        made = self._all_laid(soul_file.proposed(self.scope, self.mind, why=ASKED))
        return made[0] if made else None

    def offer_edits(self) -> list[Proposal]:
        """Propose what somebody changed in SOUL.md by hand."""
        return self._all_laid(soul_file.offers(self.scope, self.mind))

    def roll_back(self, version: int, *, by: str, after: int | None = None) -> SelfVersion:
        """Make an earlier version of the self the current one; `by` names the person.

        `after` is the version that was current when they were asked: where another is, nothing is.
        """
        person = a_person(by)
        return beliefs.roll_back(version, by=person, scope=self.scope, mind=self.mind, after=after)

    def _laid(self, made: Written | None) -> Proposal | None:
        return self._all_laid([made])[0] if made else None

    def _all_laid(self, changes: Iterable[Change]) -> list[Proposal]:
        """Put proposals into the queue; return them."""
        made = list(changes)
        if made:
            recorded(made, self.scope.agent or self.scope.user, self.scope, self.mind)
        keys = [each.page.key for each in made if isinstance(each, Written)]
        ids = [key.partition(":")[2] for key in keys if key.startswith("proposal:")]
        return [one(id, self.scope, self.mind) for id in ids]
