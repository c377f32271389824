"""`Batch`: what is committed together; `Writing`: the transaction while it is being written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from saegim.engines.embedder import Identity, Vector
from saegim.errors import NotFound, Refused
from saegim.language.words import Analyser
from saegim.memory.changes import Change, Linked
from saegim.memory.clock import micros
from saegim.memory.links import DERIVED_FROM, PROMOTED_FROM
from saegim.store.database import Connection
from saegim.store.tables.job_table import Job
from saegim.store.tables.night_table import Shift


@dataclass(frozen=True, slots=True)
class Batch:
    """What is to be committed together, for one owner."""

    owner: str
    changes: Sequence[Change]
    actor: str
    at: datetime
    vectors: Mapping[str, Vector] = field(default_factory=dict)
    identity: Identity | None = None
    # An identical text of the same author in the same agent and project is reinforced, not
    # stored again; looked up inside the transaction, so two processes cannot both store it.
    collapse: bool = False
    # A turn takes the next number of its session inside the transaction, so that two processes
    # that write into one session cannot take the same.
    count_turns: bool = False
    # Work to be done later, written down with what it is about: (kind, memory).
    wishes: Sequence[tuple[str, str]] = ()
    # The leased work that these changes are the result of; without it nothing is written.
    finishes: Job | None = None
    # The night that makes these changes; one that was taken over writes nothing.
    shift: Shift | None = None
    # The last line of the ledger when these changes were thought out: what someone else has
    # changed since is left alone.
    seen: int | None = None
    # Memories that the changes were drawn from without naming them.
    leans_on: Sequence[str] = ()
    # Under which name, and until when, the changes can be taken back.
    maker: str = ""
    until: datetime | None = None
    # Lines of the ledger that these changes take back; each can be taken back once.
    undoes: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """The caller's own key for a write: the same key is carried out once."""

    key: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Committed:
    """What a commit did: `same` maps ids not stored to the identical memory that is here.

    `repeated` is the outcome of the first try when the receipt's key was known already.
    """

    same: dict[str, str]
    repeated: str | None = None


@dataclass(slots=True)
class Writing:
    """The transaction while it is being written."""

    connection: Connection
    batch: Batch
    analysers: Sequence[Analyser]
    lines: list[tuple[Change, str]] = field(default_factory=list)
    same: dict[str, str] = field(default_factory=dict)
    # The number of the last line in the owner's ledger, once they are chained.
    last: int = 0

    @property
    def owner(self) -> str:
        """Return whose memories these are."""
        return self.batch.owner

    @property
    def at(self) -> int:
        """Return the instant of the commit, as it is stored."""
        return micros(self.batch.at)

    def execute(self, sql: str, params: dict[str, Any] | tuple[Any, ...] = ()) -> list[Any]:
        """Run one statement inside the transaction."""
        return self.connection.execute(sql, params).fetchall()

    def number(self, id: str) -> int:
        """Return the row of a memory of this owner."""
        rows = self.execute(
            "SELECT number FROM memory WHERE owner = ? AND id = ?", (self.batch.owner, id)
        )
        if not rows:
            raise NotFound("store.no_memory", id=id)
        return int(rows[0][0])

    def refuse_changed(self, change: Change) -> None:
        """Refuse a Change to a memory that someone else changed after it was thought out."""
        if (id := _leans_on(change)) is not None:
            self.refuse_newer(id)

    def refuse_newer(self, id: str) -> None:
        """Refuse to write what was thought out about a memory before someone else changed it."""
        if self.batch.seen is None:
            return
        newer = self.execute(
            "SELECT 1 FROM ledger WHERE owner = ? AND subject = ? AND seq > ? AND actor <> ? "
            "LIMIT 1",
            (self.batch.owner, id, self.batch.seen, self.batch.actor),
        )
        if newer:
            raise Refused("store.changed_meanwhile", id=id)

    def words(self, id: str, also: str) -> tuple[Any, ...]:
        """Return the text of a memory and other columns; refuse one whose words are gone."""
        found: tuple[Any, ...] = self.execute(
            f"SELECT text, {also} FROM memory WHERE number = ?", (self.number(id),)
        )[0]
        if found[0] is None:
            raise NotFound("store.words_of_are_gone", id=id)
        return found

    def update(self, id: str, assignments: str, params: Mapping[str, Any]) -> int:
        """Set columns of one memory; return its row."""
        number = self.number(id)
        self.execute(
            f"UPDATE memory SET {assignments} WHERE number = :number", {**params, "number": number}
        )
        return number


def _leans_on(change: Change) -> str | None:
    """Return the memory that a Change was thought out for: its own, or the source of a new one."""
    if isinstance(change, Linked) and change.link.type in (DERIVED_FROM, PROMOTED_FROM):
        return change.link.target
    id = getattr(change, "memory", None)
    return id if isinstance(id, str) else None
