"""Two stores of one person that grew apart become alike again, whichever reads the other's export.

Words never change, so what can differ is where a memory stands. What was corrected on either side
is corrected on both; of forgetting and calling back the later one holds; the same words kept twice
become one, the older of the two. What both sides corrected differently stands side by side, tied
as a contradiction, and is told. Every choice depends on the memories alone and not on who reads,
so both sides come to the same living memories.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from saegim.memory.changes import Change, Leaving, Linked, Restored, Superseded, Woken
from saegim.memory.entities import CONTRADICTS, MERGED_FROM, SUPERSEDES, Link
from saegim.memory.memory import FINDABLE, LIFETIMES, Memory, Reason, Scope, State
from saegim.mind import Mind
from saegim.store.commit import Batch


class Merge:
    """Brings what is here to where an export says that it stands, as far as that is later."""

    def __init__(self, scope: Scope, mind: Mind) -> None:
        self._scope, self._mind = scope, mind
        self.moved = 0
        self.conflicts: list[str] = []

    def settle(
        self, moved: Sequence[tuple[str, Memory]], twins: Sequence[Memory], old: Sequence[str]
    ) -> None:
        """Settle what stands elsewhere there, what was added in words known here, and old versions.

        Each of `moved` comes with its place in the file; `old` are superseded memories, by id.
        """
        for where, theirs in moved:
            here = self._get(theirs.id)
            if here is not None and here.life.state is not theirs.life.state:
                self._take_over(where, here, theirs)
        new = {each.id for each in twins}
        for each in twins:
            self._join_twin(each, new)
        for id in dict.fromkeys((*old, *(theirs.id for _, theirs in moved))):
            self._tie_versions(id)

    def _get(self, id: str) -> Memory | None:
        return self._mind.store.memories.get(self._scope, id)

    def _commit(self, *changes: Change) -> None:
        batch = Batch(self._scope.user, list(changes), actor="import", at=self._mind.now())
        self._mind.store.commit(batch)

    # -- where it stands --------------------------------------------------------------------------

    def _take_over(self, where: str, here: Memory, theirs: Memory) -> None:
        """Let one memory stand where the later of two decisions put it; tell what is not plain."""
        changes = self._changes(here, theirs)
        if changes and not (here.life.immutable or here.life.pinned):
            self._commit(*changes)
            self.moved += 1
        elif changes or not _is_later_here(here, theirs):
            states = f"{theirs.life.state} there, {here.life.state} here"
            self.conflicts.append(f"{where}: {here.id} is here with another state ({states})")

    def _changes(self, here: Memory, theirs: Memory) -> tuple[Change, ...]:
        mine, other = here.life, theirs.life
        if other.state is State.SUPERSEDED and mine.state in (*FINDABLE, State.LEAVING):
            newer = self._versions(here.id)
            at = theirs.time.valid_to or self._mind.now()
            # Out of the queue first: what leaves is not corrected.
            awake = (Woken(here.id),) if mine.state is State.LEAVING else ()
            return (*awake, Superseded(here.id, by=newer[0], at=at)) if newer else ()
        if other.state is State.LEAVING and mine.state in FINDABLE:
            since, until = other.leaving_since, other.leaving_until
            if since is None or until is None or _renewed(here) > since:
                return ()
            reason = other.leaving_reason or Reason.MANUAL
            return (Leaving(here.id, reason=reason, since=since, until=until),)
        if mine.state is State.LEAVING and other.state in FINDABLE:
            since = mine.leaving_since
            if since is not None and _renewed(theirs) > since:
                return (Restored(here.id, other.expires_at),)
        return ()

    def _versions(self, id: str) -> list[str]:
        """Return what holds in the place of a memory, by id."""
        links = self._mind.store.links.of(self._scope, [id], (SUPERSEDES,))
        newer = {each.source for each in links if each.target == id}
        return sorted(each for each in newer if self._get(each) is not None)

    # -- the same words twice ---------------------------------------------------------------------

    def _join_twin(self, added: Memory, new: set[str]) -> None:
        """Let the older of two living memories with the same words hold for both."""
        store = self._mind.store
        rows = store.memories.same_words(self._scope.user, added.canonical_key)
        living = store.memories.by_numbers(self._scope, rows)
        mine = next((each for each in living.values() if each.id == added.id), None)
        for other in living.values():
            if mine is None or other.id in new or not _stands_for_the_same(other, mine):
                continue
            first, last = sorted((mine, other), key=lambda each: (each.time.recorded_at, each.id))
            if last.life.pinned or last.life.immutable:
                continue
            self._commit(
                Linked(Link(source=first.id, type=MERGED_FROM, target=last.id)),
                Linked(Link(source=first.id, type=SUPERSEDES, target=last.id)),
                Superseded(last.id, by=first.id, at=last.time.recorded_at),
            )
            self.moved += 1
            return

    # -- corrected on both sides ------------------------------------------------------------------

    def _tie_versions(self, old: str) -> None:
        """Tie and tell the living versions that two sides made of one memory."""
        living = [
            each
            for id in self._versions(old)
            if (each := self._get(id)) is not None and each.life.state in FINDABLE
        ]
        for one, other in _pairs(living):
            tie = Link(source=other.id, type=CONTRADICTS, target=one.id)
            known = self._mind.store.links.of(self._scope, [one.id], (CONTRADICTS,))
            if not any({one.id, other.id} == {each.source, each.target} for each in known):
                self._commit(Linked(tie))
                both = f"{one.id} and {other.id}"
                self.conflicts.append(f"{old} was corrected twice: {both} stand side by side")


def _pairs(living: Sequence[Memory]) -> Iterator[tuple[Memory, Memory]]:
    for at, one in enumerate(living):
        for other in living[at + 1 :]:
            yield one, other


def _renewed(memory: Memory) -> datetime:
    """Return when the time of a memory last began: when it was kept, raised or called back."""
    life, since = memory.life, memory.time.recorded_at
    time = LIFETIMES[life.tier]
    if life.expires_at is None or time is None or life.last_date is not None:
        return since
    return max(since, life.expires_at - time)


def _is_later_here(here: Memory, theirs: Memory) -> bool:
    """Say whether it stands here where it does by the later decision: the other side follows."""
    mine, other = here.life, theirs.life
    if mine.state is State.SUPERSEDED and other.state in (*FINDABLE, State.LEAVING):
        return True
    if mine.state is State.LEAVING and other.state in FINDABLE:
        return True
    waits = other.state is State.LEAVING and mine.state in FINDABLE
    rests = {mine.state, other.state} <= set(FINDABLE)
    return rests or (waits and other.leaving_since is not None)


def _stands_for_the_same(one: Memory, other: Memory) -> bool:
    """Say whether two memories of the same words are about the same, and from the same."""
    return (
        one.scope.project == other.scope.project
        and one.scope.agent == other.scope.agent
        and one.provenance.author == other.provenance.author
        and one.provenance.origin is other.provenance.origin
        and one.life.state in FINDABLE
        # "Yesterday" said a week later is another day.
        and (one.time.said_at is None or one.time.happened_at == other.time.happened_at)
    )
