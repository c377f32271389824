"""`Store`: where memories rest. Everyone may propose Changes; only `commit` makes them true."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from saegim.engines.embedder import Embedder, Identity
from saegim.engines.vectors import Vector
from saegim.language.words import Analyser, Term
from saegim.memory.entities import Entity, SentimentPoint
from saegim.memory.links import Link
from saegim.memory.memory import Memory
from saegim.memory.pages import Page
from saegim.memory.scope import Scope
from saegim.store.backup import Backup
from saegim.store.commit import Batch
from saegim.store.index.asking import WordHits
from saegim.store.index.claims import Claimed
from saegim.store.index.filling import Coverage
from saegim.store.index.ties import Tie
from saegim.store.ledger import Entry
from saegim.store.read import Facts, NearHit, Slice
from saegim.store.where import Where


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


class Store(Protocol):
    """The contract every database fulfils; `tests/conformance/test_store.py` is its proof."""

    def commit(
        self, batch: Batch, *, receipt: Receipt | None = None, patience: float | None = None
    ) -> Committed:
        """Make all Changes of the batch true, and their ledger lines, or none of them.

        `patience` is how many seconds to wait for other writers, if not as long as usual.
        """
        ...

    def memory(self, scope: Scope, id: str) -> Memory | None:
        """Return one memory of this user."""
        ...

    def current(self, scope: Scope, id: str) -> str:
        """Return the id that holds now for an id that was superseded."""
        ...

    def by_numbers(self, scope: Scope, numbers: Iterable[int]) -> dict[int, Memory]:
        """Return the memories behind hits."""
        ...

    def facts(self, scope: Scope, numbers: Iterable[int]) -> dict[int, Facts]:
        """Return what the score needs of these rows, without reading the memories themselves."""
        ...

    def page(self, where: Where, *, limit: int, cursor: str | None = None) -> Slice:
        """Return part of a list, newest first, with the true total."""
        ...

    def latest(self, where: Where, *, limit: int) -> list[int]:
        """Return the rows of the newest memories."""
        ...

    def walk(self, where: Where) -> Iterable[tuple[int, Memory]]:
        """Go through all memories in the order they were written."""
        ...

    def analyser(self) -> Analyser:
        """Return the analyser that questions should be cut with now."""
        ...

    def matching(
        self, terms: Iterable[Term], where: Where, *, limit: int, analyser: str | None = None
    ) -> WordHits:
        """Return the best memories for these words, filtered first.

        `analyser` names who cut them: between two calls a better one may have become ready.
        """
        ...

    def holding_all(
        self, terms: Iterable[Term], where: Where, *, limit: int, analyser: str | None = None
    ) -> list[int]:
        """Return the rows that hold every one of these words, newest first."""
        ...

    def containing(
        self, pieces: Sequence[str], where: Where, *, limit: int, also: Sequence[int] = ()
    ) -> list[int]:
        """Return the rows whose text or tags contain every piece, in any case, newest first.

        The rows in `also`, found otherwise, are put in their place among them.
        """
        ...

    def matched(
        self,
        scope: Scope,
        numbers: Iterable[int],
        terms: Iterable[Term],
        *,
        analyser: str | None = None,
    ) -> dict[int, tuple[str, ...]]:
        """Return which of the words each memory holds."""
        ...

    def near(
        self,
        vector: Vector,
        identity: Identity,
        where: Where,
        *,
        limit: int,
        also: Iterable[int] = (),
    ) -> list[NearHit]:
        """Return the nearest memories of this identity, and the rows in `also`, filtered first."""
        ...

    def unread(self, scope: Scope, identity: Identity) -> int:
        """Return how many vectors of this user the last search could not look at yet."""
        ...

    def neighbours(
        self, where: Where, numbers: Iterable[int], *, before: int, after: int
    ) -> list[tuple[int, int, int]]:
        """Return (row, neighbouring row, distance) for turns beside these in the session."""
        ...

    def session_so_far(self, scope: Scope) -> tuple[int, datetime | None]:
        """Return the highest sequence number of the scope's session, and when it began."""
        ...

    def links(self, scope: Scope, keys: Iterable[str], types: Iterable[str] = ()) -> list[Link]:
        """Return the ties that touch any of the keys."""
        ...

    def ties(
        self, scope: Scope, keys: Iterable[str], *, without: Iterable[str] = (), most: int = 64
    ) -> list[Tie]:
        """Return the ties that lead away from these keys, at most so many each way."""
        ...

    def touching(
        self,
        scope: Scope,
        keys: Iterable[str],
        *,
        only: Iterable[str] = (),
        without: Iterable[str] = (),
        most: int = 64,
    ) -> list[Link]:
        """Return ties of these keys: of each type and way the newest, at most so many."""
        ...

    def met_often(self, scope: Scope, keys: Iterable[str], *, more_than: int) -> set[str]:
        """Return which of these entities were met more often than that."""
        ...

    def ids_of(self, scope: Scope, numbers: Iterable[int]) -> dict[int, str]:
        """Return the ids in these rows."""
        ...

    def rows_of(self, where: Where, ids: Iterable[str]) -> dict[str, int]:
        """Return the rows of these ids, as far as the filters allow them."""
        ...

    def all_links(self, scope: Scope) -> list[Link]:
        """Return every tie of this user."""
        ...

    def entities(self, scope: Scope, key: str | None = None) -> list[Entity]:
        """Return the entities this user has met."""
        ...

    def named(self, scope: Scope, names: Iterable[str]) -> dict[str, list[Entity]]:
        """Return the entities that go by these names, by normalised name."""
        ...

    def claimed(self, scope: Scope, slots: Iterable[str]) -> list[Claimed]:
        """Return what active memories claim for these slots, the newest first."""
        ...

    def known_keys(self, scope: Scope, keys: Iterable[str]) -> set[str]:
        """Return which of these canonical keys belong to a memory of this user."""
        ...

    def count_up_to(self, scope: Scope, most: int) -> int:
        """Count this user's active memories, but no further than `most`."""
        ...

    def sentiment_history(self, scope: Scope, entity: str) -> list[SentimentPoint]:
        """Return how the sentiment towards an entity moved."""
        ...

    def pages(self, scope: Scope, *, key: str | None = None, kind: str | None = None) -> list[Page]:
        """Return versions of pages."""
        ...

    def entries(
        self, scope: Scope, *, since: int = 0, subject: str | None = None
    ) -> Iterator[Entry]:
        """Read the ledger of this user, oldest first."""
        ...

    def entries_between(self, scope: Scope, first: str, last: str) -> list[Entry]:
        """Return the newest lines whose subjects lie between two keys that sort by time."""
        ...

    def verify(self, scope: Scope) -> tuple[int, str]:
        """Walk the ledger and every digest; return its length and head."""
        ...

    def sessions(self, scope: Scope) -> list[str]:
        """Return the sessions that hold living memories, the latest first."""
        ...

    def tally(self, scope: Scope) -> dict[str, dict[str, int]]:
        """Count this user's memories by state, kind, tier and project."""
        ...

    def coverage(self, identity: Identity) -> Coverage:
        """Say how far the vectors of an embedder cover the memories."""
        ...

    def waiting(self, identity: Identity) -> int:
        """Count quickly how many memories still lack their vector."""
        ...

    def keep_indexed(self, embedder: Embedder, now: Callable[[], datetime]) -> None:
        """Fill in missing vectors in the background until there are none."""
        ...

    def rebuild(self, embedder: Embedder, now: Callable[[], datetime]) -> Iterator[tuple[int, int]]:
        """Write words and vectors anew from the text alone; yield (done, total)."""
        ...

    def back_up(self, folder: Path, at: datetime, *, keep: int = 10) -> Backup:
        """Make one verified backup file while others write."""
        ...

    def restore_backup(self, backup: Path, folder: Path, at: datetime) -> tuple[Backup, Backup]:
        """Put a backup in place; return what was restored and what was kept aside."""
        ...

    def check(self) -> list[str]:
        """Check every page and index; return what is wrong."""
        ...

    def close(self) -> None:
        """Let go of the store."""
        ...
