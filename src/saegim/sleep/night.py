"""`Night`: one sleep of one person's memories; `Step`: what a stage would change, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import xxhash

from saegim.engines.embedder import Vector
from saegim.memory.changes import Archived, Change, Erased, Leaving, Superseded
from saegim.memory.clock import from_micros, micros
from saegim.memory.memory import Memory, Scope, Tier
from saegim.mind import Mind
from saegim.sleep import candidates
from saegim.soul.proposals import CORE, proposals
from saegim.store.tables.night_queries import MemoryStanding

DAY = timedelta(days=1)
# What is marked waits for the next weekly or monthly distillation, and a day more.
_WAIT = {Tier.M90: timedelta(days=8), Tier.M365: timedelta(days=32)}


@dataclass(frozen=True, slots=True, kw_only=True)
class NightStep:
    """What belongs together: all of it is committed, or none.

    `why` names the reason the report tells; `about` are the ids it happened to.
    """

    changes: tuple[Change, ...] = ()
    why: str
    about: tuple[str, ...] = ()
    # Numbers and names beside the reason, for the person who reads a rehearsal.
    details: Mapping[str, str | int | float] = field(default_factory=dict)
    vectors: Mapping[str, Vector] = field(default_factory=dict)
    # Up to where the stage has looked when it ends here.
    place: str | None = None


@dataclass(slots=True, kw_only=True)
class Night:
    """What a stage may use: whose night it is, the instant it counts with, and what is exempt."""

    scope: Scope
    mind: Mind
    id: str
    at: datetime
    # False after the clock leapt: then nothing leaves and nothing is forgotten tonight.
    lets_go: bool = True
    # Up to where each stage had looked the last time.
    places: dict[str, str] = field(default_factory=dict)
    rehearsed: bool = False
    # Whether every stage is slept, and none was asked for by its name.
    whole: bool = False
    # What earlier stages of this night have let go; in a rehearsal the store does not know it.
    gone: set[str] = field(default_factory=set)
    # What waits for a person's yes, and what waits for its rise: until when that can take.
    _waiting: set[str] | None = None
    _rising: dict[str, timedelta] = field(default_factory=dict)

    @property
    def owner(self) -> str:
        """Return whose night it is."""
        return self.scope.user

    @property
    def until(self) -> datetime:
        """Return until when what happens tonight can be taken back."""
        return self.at + timedelta(days=self.mind.settings.forgetting_days)

    def new_id(self, *parts: str) -> str:
        """Return the id of a memory that this night makes: the same again if it is run again."""
        moment = self.at.astimezone(UTC)
        told = "\x1f".join((self.owner, self.id, *parts)).encode()
        return f"mem_{moment:%Y%m%d_%H%M%S}_{xxhash.xxh3_64_hexdigest(told)}"

    def days_since(self, stamp: int) -> float:
        """Return how many days ago a stored instant was; the future is now."""
        return max(0.0, (micros(self.at) - stamp) / (DAY / timedelta(microseconds=1)))

    def spares(self, standing: MemoryStanding) -> bool:
        """Say whether nothing automatic may let this one go (DESIGN §4b, exempt)."""
        return (
            standing.pinned
            or standing.immutable
            or standing.tier == "M0"
            or self.is_waiting(standing.id)
            or standing.id in self.gone
            or self._rises(standing)
        )

    def is_waiting(self, id: str) -> bool:
        """Say whether a person's answer about a memory is waited for."""
        if self._waiting is None:
            self._look_up()
        assert self._waiting is not None
        return id in self._waiting

    def _look_up(self) -> None:
        marked = candidates.read(self.places.get("promote", ""))
        waiting = {each.memory for each in proposals(self.scope, self.mind) if each.about == CORE}
        self._waiting = {*waiting, *(id for id, _ in marked.core)}
        self._rising = {id: _WAIT[each.to] for each in marked.rising for id in each.sources}

    def _rises(self, standing: MemoryStanding) -> bool:
        """Say whether its time is over only because the week or month of its rise is not yet."""
        wait = self._rising.get(standing.id)
        if wait is None or standing.expires_at is None:
            return wait is not None
        return self.at < from_micros(standing.expires_at) + wait

    def note(self, stage: str, step: NightStep) -> None:
        """Remember what a step lets go and where the stage stands, for the later stages."""
        if step.place is not None:
            self.places[stage] = step.place
            self._waiting = None
        for change in step.changes:
            if isinstance(change, Leaving | Superseded | Archived | Erased):
                self.gone.add(change.memory)

    def memories(self, numbers: Iterable[int], *, chunk: int = 500) -> Iterator[tuple[int, Memory]]:
        """Read memories a chunk at a time, in the order asked for."""
        wanted = list(numbers)
        for start in range(0, len(wanted), chunk):
            part = wanted[start : start + chunk]
            found = self.mind.store.memories.by_numbers(self.scope, part)
            yield from ((number, found[number]) for number in part if number in found)


Run = Callable[[Night], Iterator[NightStep]]


@dataclass(frozen=True, slots=True)
class Stage:
    """One part of the night: its name, the setting that says how often, and what it does."""

    name: str
    cadence: str
    run: Run
