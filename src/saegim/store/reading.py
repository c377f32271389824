"""Every question a SQLite store answers; reads only, on the asking thread's own connection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial

from saegim.engines.embedder import Identity
from saegim.engines.vectors import Vector
from saegim.language.words import Analyser, Term
from saegim.memory.entities import Entity, SentimentPoint
from saegim.memory.links import Link
from saegim.memory.memory import Memory
from saegim.memory.pages import Page
from saegim.memory.scope import Scope
from saegim.store import ledger, nouns, read
from saegim.store.database import Database
from saegim.store.index import asking, claims, filling, substrings, ties
from saegim.store.index.shards import Shard, Shards
from saegim.store.index.vectors import known_number
from saegim.store.upkeep import Upkeep
from saegim.store.where import Where


class Reading:
    """The reading half of `Sqlite`."""

    analysers: list[Analyser]
    _database: Database
    _upkeep: Upkeep
    _shards: Shards
    _counts: dict[str, asking.Counts]

    def _ready(self) -> list[Analyser]:
        """Return the analysers that can be used at once; the others are filled in later."""
        return [each for each in self.analysers if getattr(each, "ready", lambda: True)()]

    def memory(self, scope: Scope, id: str) -> Memory | None:
        """Return one memory of this user."""
        return read.memory(self._database, scope, id)

    def current(self, scope: Scope, id: str) -> str:
        """Return the id that holds now for an id that was superseded."""
        return read.current(self._database, scope, id)

    def by_numbers(self, scope: Scope, numbers: Iterable[int]) -> dict[int, Memory]:
        """Return the memories behind hits."""
        return read.by_numbers(self._database, scope, numbers)

    def facts(self, scope: Scope, numbers: Iterable[int]) -> dict[int, read.Facts]:
        """Return what the score needs of these rows, without reading the memories themselves."""
        return read.facts(self._database, scope, numbers)

    def page(self, where: Where, *, limit: int, cursor: str | None = None) -> read.Slice:
        """Return part of a list, newest first, with the true total."""
        return read.page(self._database, where, limit=limit, cursor=cursor)

    def latest(self, where: Where, *, limit: int) -> list[int]:
        """Return the rows of the newest memories."""
        return read.latest(self._database, where, limit=limit)

    def walk(self, where: Where) -> Iterable[tuple[int, Memory]]:
        """Go through all memories in the order they were written."""
        return read.walk(self._database, where)

    def analyser(self) -> Analyser:
        """Return the best analyser that is ready and has read everything."""
        for each in reversed(self._ready()):
            if each is self.analysers[0] or filling.words_complete(self._database, each.name):
                return each
        return self.analysers[0]

    def matching(
        self, terms: Iterable[Term], where: Where, *, limit: int, analyser: str | None = None
    ) -> asking.WordHits:
        """Return the best memories for these words, filtered first."""
        name = analyser or self.analyser().name
        return asking.search(self._database, self._counts[name], name, terms, where, limit)

    def holding_all(
        self, terms: Iterable[Term], where: Where, *, limit: int, analyser: str | None = None
    ) -> list[int]:
        """Return the rows that hold every one of these words, newest first."""
        name = analyser or self.analyser().name
        return asking.holding_all(self._database, name, terms, where, limit)

    def containing(
        self, pieces: Sequence[str], where: Where, *, limit: int, also: Sequence[int] = ()
    ) -> list[int]:
        """Return the rows that contain every one of these pieces, and those in `also`, in order."""
        return substrings.containing(self._database, pieces, where, limit, also)

    def matched(
        self,
        scope: Scope,
        numbers: Iterable[int],
        terms: Iterable[Term],
        *,
        analyser: str | None = None,
    ) -> dict[int, tuple[str, ...]]:
        """Return which of the words each memory holds."""
        name = analyser or self.analyser().name
        return asking.matched(self._database, name, scope.user, tuple(numbers), tuple(terms))

    def near(
        self,
        vector: Vector,
        identity: Identity,
        where: Where,
        *,
        limit: int,
        also: Iterable[int] = (),
    ) -> list[read.NearHit]:
        """Return the nearest memories of this identity, and the rows in `also`, filtered first."""
        return read.near(
            self._database,
            self._shards,
            vector,
            identity,
            where,
            limit=limit,
            also=also,
            behind=self._warm,
        )

    def _warm(self, shard: Shard) -> None:
        """Read the rest of a large shard in the background; words answer meanwhile."""
        self._upkeep.fill(
            f"shard:{shard.owner}:{shard.embedder}",
            partial(shard.catch_up, self._database),
            lambda: False,
        )

    def unread(self, scope: Scope, identity: Identity) -> int:
        """Return how many vectors of this user the last search could not look at yet."""
        embedder = known_number(self._database, identity)
        if embedder is None:
            return 0
        return self._shards.of(scope.user, embedder, identity.dimension).unread

    def neighbours(
        self, where: Where, numbers: Iterable[int], *, before: int, after: int
    ) -> list[tuple[int, int, int]]:
        """Return (row, neighbouring row, distance) for turns beside these in the session."""
        return read.neighbours(self._database, where, numbers, before=before, after=after)

    def session_so_far(self, scope: Scope) -> tuple[int, datetime | None]:
        """Return the highest sequence number of the scope's session, and when it began."""
        return read.session_so_far(self._database, scope)

    def links(self, scope: Scope, keys: Iterable[str], types: Iterable[str] = ()) -> list[Link]:
        """Return the ties that touch any of the keys."""
        return nouns.links(self._database, scope.user, keys, types)

    def ties(
        self, scope: Scope, keys: Iterable[str], *, without: Iterable[str] = (), most: int = 64
    ) -> list[ties.Tie]:
        """Return the ties that lead away from these keys, at most so many each way."""
        return ties.ties(self._database, scope, keys, without=without, most=most)

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
        return ties.touching(self._database, scope, keys, only=only, without=without, most=most)

    def met_often(self, scope: Scope, keys: Iterable[str], *, more_than: int) -> set[str]:
        """Return which of these entities were met more often than that."""
        return ties.met_often(self._database, scope, keys, more_than=more_than)

    def ids_of(self, scope: Scope, numbers: Iterable[int]) -> dict[int, str]:
        """Return the ids in these rows."""
        return ties.ids_of(self._database, scope, numbers)

    def rows_of(self, where: Where, ids: Iterable[str]) -> dict[str, int]:
        """Return the rows of these ids, as far as the filters allow them."""
        return ties.rows_of(self._database, where, ids)

    def all_links(self, scope: Scope) -> list[Link]:
        """Return every tie of this user."""
        return nouns.all_links(self._database, scope.user)

    def entities(self, scope: Scope, key: str | None = None) -> list[Entity]:
        """Return the entities this user has met."""
        return nouns.entities(self._database, scope.user, key)

    def named(self, scope: Scope, names: Iterable[str]) -> dict[str, list[Entity]]:
        """Return the entities that go by these names, by normalised name."""
        return nouns.named(self._database, scope.user, names)

    def claimed(self, scope: Scope, slots: Iterable[str]) -> list[claims.Claimed]:
        """Return what active memories claim for these slots, the newest first."""
        return claims.claimed(self._database, scope, slots)

    def known_keys(self, scope: Scope, keys: Iterable[str]) -> set[str]:
        """Return which of these canonical keys belong to a memory of this user."""
        return read.known_keys(self._database, scope, keys)

    def carried_out(self, scope: Scope, key: str) -> datetime | None:
        """Return when the act of this key was carried out, if it was."""
        return read.carried_out(self._database, scope, key)

    def count_up_to(self, scope: Scope, most: int) -> int:
        """Count this user's active memories, but no further than `most`."""
        return read.count_up_to(self._database, scope, most)

    def sentiment_history(self, scope: Scope, entity: str) -> list[SentimentPoint]:
        """Return how the sentiment towards an entity moved."""
        return nouns.sentiment_history(self._database, scope.user, entity)

    def pages(self, scope: Scope, *, key: str | None = None, kind: str | None = None) -> list[Page]:
        """Return versions of pages."""
        return nouns.pages(self._database, scope.user, key=key, kind=kind)

    def entries(
        self, scope: Scope, *, since: int = 0, subject: str | None = None
    ) -> Iterator[ledger.Entry]:
        """Read the ledger of this user, oldest first."""
        return ledger.entries(self._database, scope.user, since=since, subject=subject)

    def entries_between(self, scope: Scope, first: str, last: str) -> list[ledger.Entry]:
        """Return the newest lines whose subjects lie between two keys that sort by time."""
        return ledger.between(self._database, scope.user, first, last)

    def verify(self, scope: Scope) -> tuple[int, str]:
        """Walk the ledger and every digest; return its length and head."""
        return ledger.verify(self._database, scope.user)

    def sessions(self, scope: Scope) -> list[str]:
        """Return the sessions that hold living memories, the latest first."""
        return read.sessions(self._database, scope)

    def tally(self, scope: Scope) -> dict[str, dict[str, int]]:
        """Count this user's memories by state, kind, tier and project."""
        return read.tally(self._database, scope)
