"""The tables a recall asks, answered from memory where an index is at hand, and else by SQL."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from saegim.engines.embedder import Identity, Sparse, Vector
from saegim.errors import StoreError
from saegim.language.words import Term
from saegim.memory.entities import CONTRADICTS, Link
from saegim.memory.memory import Memory, Scope
from saegim.store.database import Database
from saegim.store.rows import Where
from saegim.store.search.bm25 import (
    Counts,
    Numbers,
    Scores,
    WordHits,
    WordSearch,
    scope_token,
    search,
    table_of,
    words_complete,
)
from saegim.store.search.embedding_index import (
    FEW,
    Nearby,
    Shard,
    VectorSearch,
    cosines,
    in_their_order,
)
from saegim.store.search.resident import Outdated, ResidentIndex
from saegim.store.tables.entity_table import EntityTable, LinkEnd, LinkTable, PageTable
from saegim.store.tables.memory_table import Facts, MemoryTable

# The columns of `Facts`, in its order, and which of them are words.
_FACTS_NAMED: Final = "kind tier author origin source".split()
_FACTS: Final = (
    *"number importance last_at intensity confidence mentions asks".split(),
    *_FACTS_NAMED,
)
# Whoever asks once, as a command does, needs no index; with this question one is made.
ASKED_OFTEN: Final = 3
# Where none can be made, so many questions are waited; so many owners are counted.
_NOT_YET: Final = 100
_MOST_ASKED: Final = 10_000


class Tables(Protocol):
    """What a recall asks, wherever it is answered from."""

    memories: MemoryTable
    links: LinkTable
    entities: EntityTable
    pages: PageTable
    words: WordSearch
    vectors: VectorSearch


class ResidentMemories(MemoryTable):
    """Memories of one owner, by their rows."""

    def __init__(self, database: Database, index: ResidentIndex) -> None:
        super().__init__(database)
        self._index = index

    def facts(self, scope: Scope, numbers: Iterable[int], *, words: bool = False) -> Facts:
        """Return what the score needs of these rows."""
        if words or scope.user != self._index.owner:
            return super().facts(scope, numbers, words=words)
        index, named = self._index, self._index.codes.words
        with index.lock:
            at = index.places(numbers)
            held: dict[str, Any] = {name: index.column(name, at) for name in _FACTS}
        for name in _FACTS_NAMED:
            held[name] = [named[each] for each in held[name].tolist()]
        return Facts(**held)

    def sessions_of(self, scope: Scope, numbers: Iterable[int]) -> dict[int, str]:
        """Return the session of each of these rows that stands in one."""
        if scope.user != self._index.owner:
            return super().sessions_of(scope, numbers)
        index, words = self._index, self._index.codes.words
        with index.lock:
            at = index.places(numbers)
            if not (index.column("session", at) != index.codes.known("")).any():
                return {}
            pairs = zip(
                index.column("number", at).tolist(),
                index.column("session", at).tolist(),
                strict=True,
            )
            return {number: words[session] for number, session in pairs if words[session]}

    def ids_of(self, scope: Scope, numbers: Iterable[int]) -> dict[int, str]:
        """Return the ids in these rows of this user."""
        if scope.user != self._index.owner:
            return super().ids_of(scope, numbers)
        index = self._index
        with index.lock:
            at = index.places(numbers)
            return {int(index["number"][place]): index.ids[place] for place in at.tolist()}

    def rows_of(self, where: Where, ids: Iterable[str]) -> dict[str, int]:
        """Return the rows of these ids, as far as the filters allow them."""
        if where.scope.user != self._index.owner:
            return super().rows_of(where, ids)
        index = self._index
        with index.lock:
            held = (index.number_of.get(id) for id in ids)
            at = index.places(number for number in held if number is not None)
            allowed = at[index.passes(where, at)].tolist()
            return {index.ids[place]: int(index["number"][place]) for place in allowed}

    def neighbours(
        self, where: Where, numbers: Iterable[int], *, before: int, after: int
    ) -> list[tuple[int, int, int]]:
        """Return (row, neighbouring row, distance) for turns beside these in the same session."""
        if where.scope.user != self._index.owner:
            return super().neighbours(where, numbers, before=before, after=after)
        index = self._index
        with index.lock:
            found = [
                (int(index["number"][place]), row, turn - int(index["sequence"][place]), beside)
                for place in index.in_turn(index.places(numbers)).tolist()
                for turn, row, beside in index.turns_beside(place, before, after)
            ]
            if not found:
                return []
            at = np.array([each[3] for each in found], np.int64)
            allowed = index.passes(where, at).tolist()
        return [each[:3] for each, passes in zip(found, allowed, strict=True) if passes]

    def latest(self, where: Where, *, limit: int) -> list[int]:
        """Return the rows of the newest memories that `where` allows."""
        index = self._index
        with index.lock:
            if where.scope.user != index.owner:
                return super().latest(where, limit=limit)
            if not index.has_any(where.states):
                return []
            if where.during is None:
                return super().latest(where, limit=limit)
            at = index.everywhere(where)
            order = np.lexsort((index.column("number", at), index.column("happened_at", at)))
            rows: list[int] = index["number"][at[order[::-1][:limit]]].tolist()
            return rows

    def by_numbers(self, scope: Scope, numbers: Iterable[int]) -> dict[int, Memory]:
        """Return the memories in these rows, as far as they are this user's and can be read."""
        if scope.user != self._index.owner:
            return super().by_numbers(scope, numbers)
        index, wanted = self._index, sorted(numbers)
        with index.lock:
            held = {number: each for number in wanted if (each := index.kept(number))}
        missing = [number for number in wanted if number not in held]
        if missing:
            read = super().by_numbers(scope, missing)
            held |= read
            with index.lock:
                index.keep_whole(read)
        return {number: held[number] for number in wanted if number in held}


class ResidentLinks(LinkTable):
    """Ties of one owner."""

    def __init__(self, database: Database, index: ResidentIndex) -> None:
        super().__init__(database)
        self._index = index

    def of(self, scope: Scope, keys: Iterable[str], types: Iterable[str] = ()) -> list[Link]:
        """Return the ties that touch any of the keys, in either direction."""
        wanted, kinds = list(keys), list(types)
        with self._index.lock:
            if kinds == [CONTRADICTS] and not self._index.ties.has(wanted, CONTRADICTS):
                return []
        return super().of(scope, wanted, kinds)

    def ties(
        self, scope: Scope, keys: Iterable[str], *, without: Iterable[str] = (), most: int = 64
    ) -> list[LinkEnd]:
        """Return the ties that lead away from these keys, at most so many each way."""
        if scope.user != self._index.owner:
            return super().ties(scope, keys, without=without, most=most)
        with self._index.lock:
            return self._index.ties.ends(keys, without, most)


class ResidentEntities(EntityTable):
    """Whom and what the memories of one owner speak of."""

    def __init__(self, database: Database, index: ResidentIndex) -> None:
        super().__init__(database)
        self._index = index

    def keys_named(self, scope: Scope, names: Iterable[str]) -> dict[str, list[str]]:
        """Return the keys of the entities that go by these normalised names, the most met first."""
        if scope.user != self._index.owner:
            return super().keys_named(scope, names)
        with self._index.lock:
            return self._index.entities.named(names)

    def met_often(self, scope: Scope, keys: Iterable[str], *, more_than: int) -> set[str]:
        """Return which of these entities were met more often than that."""
        if scope.user != self._index.owner:
            return super().met_often(scope, keys, more_than=more_than)
        with self._index.lock:
            met = self._index.entities.met
            return {key for key in keys if met.get(key, 0) > more_than}


class ResidentPages(PageTable):
    """What is written about one owner."""

    def __init__(self, database: Database, index: ResidentIndex) -> None:
        super().__init__(database)
        self._index = index

    def newest(self, owner: str, key: str) -> int:
        """Return the newest version of a page; nought if there is none."""
        ask = super().newest
        if owner != self._index.owner:
            return ask(owner, key)
        with self._index.lock:
            return self._index.remembered(f"page:{key}", lambda: ask(owner, key))


@dataclass(frozen=True, slots=True)
class IndexInMemory:
    """The words of one owner in memory, under one question's filters."""

    index: ResidentIndex
    where: Where
    words: WordSearch
    table: str
    counts: Counts

    @property
    def documents(self) -> int:
        """Return how many memories of all owners are indexed."""
        return self.counts.documents

    def count(self, token: str) -> int:
        """Return how many memories hold a token."""
        with self.index.lock:
            if token == scope_token(self.index.owner):
                return self.index.said.documents
            if self.index.said.documents == self.counts.documents:
                return self.index.said.count(token)
        # Others have memories here too: how rare a word is, the whole file says.
        return self.words.count(self.table, self.counts, token)

    def holding(self, terms: Sequence[Term], *, filtered: bool, most: int = -1) -> Numbers:
        """Return the places that hold all of the Terms, the newest if only so many are wanted."""
        with self.index.lock:
            at = self.index.said.holders(terms)
            if filtered:
                at = at[self.index.passes(self.where, at)]
            if 0 <= most < len(at):
                at = at[np.argsort(self.index.column("number", at))[len(at) - most :]]
        return at

    def among(self) -> Iterator[tuple[bool, Numbers | None]]:
        """Yield what to look among: filters cost nothing here."""
        yield True, None

    def distinct(self, places: Numbers) -> tuple[Numbers, Numbers]:
        """Return each place once, and for all of them which of these it is."""
        with self.index.lock:
            return self.index.said.distinct(places)

    def rows(self, places: Numbers) -> Numbers:
        """Return the rows in these places."""
        return self.index.column("number", places)

    def weighed(self, places: Numbers, weights: Mapping[Term, float]) -> tuple[Numbers, Scores]:
        """Return the rows there that the filters allow, and their BM25 over all Terms."""
        index = self.index
        with index.lock:
            at = places[index.passes(self.where, places)]
            scores = index.said.bm25(at, weights, self.counts.mean)
            return index.column("number", at), scores


class ResidentWords(WordSearch):
    """What the words of a question find among one owner's memories."""

    def __init__(self, words: WordSearch, index: ResidentIndex) -> None:
        self.share_with(words)
        self._index = index

    def _counted(self, analyser: str) -> tuple[str, Counts]:
        """Return what is known of the counts: on a server they are the owner's own, held here."""
        if self._database.is_server:
            said = self._index.said
            return table_of(analyser), Counts([said.documents, said.tokens])
        return self.counts_of(analyser, self._index.owner)

    def _answers(self, scope: Scope, analyser: str, terms: Sequence[Term]) -> bool:
        """Say whether the words in memory are this user's, of this analyser, and none a piece."""
        mine = scope.user == self._index.owner and analyser == self._index.analyser
        return mine and not any(term.prefix for term in terms)

    def matching(
        self, terms: Iterable[Term], where: Where, *, limit: int, analyser: str | None = None
    ) -> WordHits:
        """Return the best memories for these words, filtered first."""
        asked, name = list(terms), analyser or self.analyser().name
        if not self._answers(where.scope, name, asked):
            return super().matching(asked, where, limit=limit, analyser=name)
        with self._index.lock:
            table, counts = self._index.remembered("counts", lambda: self._counted(name))
        held = IndexInMemory(self._index, where, self, table, counts)
        return search(held, asked, where, limit)

    def matched(
        self,
        scope: Scope,
        numbers: Iterable[int],
        terms: Iterable[Term],
        *,
        analyser: str | None = None,
    ) -> dict[int, tuple[str, ...]]:
        """Return, for the explanation, which words of the question each memory holds."""
        index, asked, wanted = self._index, tuple(terms), tuple(numbers)
        name = analyser or self.analyser().name
        if not self._answers(scope, name, asked):
            return super().matched(scope, wanted, asked, analyser=name)
        if not wanted or not asked:
            return {}
        with index.lock:
            at = index.said.speaking(index.places(wanted))
            said = index.said.matched(asked, at)
            return dict(zip(index.column("number", at).tolist(), said, strict=True))


class ResidentVectors(VectorSearch):
    """The nearest of one owner's memories, filtered and scored in memory where they lie there."""

    def __init__(self, vectors: VectorSearch, index: ResidentIndex) -> None:
        self.share_with(vectors)
        self._index = index

    def _number_of(self, identity: Identity) -> int | None:
        ask = super()._number_of
        with self._index.lock:
            return self._index.remembered(f"embedder:{identity.key}", lambda: ask(identity))

    def _follow(self, shard: Shard) -> int:
        ask = super()._follow
        with self._index.lock:
            # One that is still being read is looked at again.
            name = f"shard:{shard.embedder}"
            return self._index.remembered(name, lambda: ask(shard)) and ask(shard)

    def waiting(self, identity: Identity) -> int:
        """Count quickly how many memories lack their vector."""
        ask = super().waiting
        with self._index.lock:
            return self._index.remembered(f"waiting:{identity.key}", lambda: ask(identity))

    def nearby(
        self,
        vector: Vector,
        identity: Identity,
        where: Where,
        *,
        limit: int,
        also: Iterable[int] = (),
    ) -> Nearby:
        """Return the nearest memories that `where` allows, and the rows in `also`."""
        if where.scope.user != self._index.owner:
            raise ValueError("an index answers its owner alone")
        return super().nearby(vector, identity, where, limit=limit, also=also)

    def _few(self, where: Where) -> Numbers:
        return self._allowed(where, FEW + 1)

    def _narrower(self, where: Where, shard: Shard) -> Iterator[Numbers | None]:
        """Yield what to look among: with filters what they allow, which is known at once here."""
        allowed = self._allowed(where) if where.narrows else None
        if allowed is None or 2 * len(allowed) > len(shard):
            yield None
        yield self._allowed(where) if allowed is None else allowed

    def _allowed(self, where: Where, most: int = -1) -> Numbers:
        with self._index.lock:
            found = self._index.column("number", self._index.everywhere(where))
        return found if most < 0 else found[:most]

    def _rescored(self, vector: Vector, shard: Shard, where: Where, numbers: set[int]) -> Nearby:
        """Give each row its true cosine from the vectors in memory; from the file what lacks."""
        index = self._index
        with index.lock:
            at = index.places(numbers)
            allowed = index.column("number", at[index.passes(where, at)]).tolist()
        if isinstance(vector, Sparse):
            return self._scored_here(vector, shard, allowed)
        found, rows = shard.held(allowed)
        near = cosines(vector, rows)
        if len(found) < len(allowed):
            lacking = self._scored_here(vector, shard, set(allowed).difference(found))
            found = found + lacking.numbers
            near = np.concatenate([near, np.array(lacking.cosines, np.float32)])
        return in_their_order(np.array(found, np.int64), near)


class ResidentTables:
    """The tables of one owner that are answered from memory."""

    def __init__(self, tables: Tables, database: Database, index: ResidentIndex) -> None:
        self.index, walled = index, database.walled
        self.memories: MemoryTable = walled(ResidentMemories)(database, index)
        self.links: LinkTable = walled(ResidentLinks)(database, index)
        self.entities: EntityTable = walled(ResidentEntities)(database, index)
        self.pages: PageTable = walled(ResidentPages)(database, index)
        self.words: WordSearch = walled(ResidentWords)(tables.words, index)
        self.vectors: VectorSearch = walled(ResidentVectors)(tables.vectors, index)


Work = Callable[[], Iterator[int]]


class ResidentIndexes:
    """The indexes of this process: made behind the answers, the least recently asked leave first.

    `most` is how many memories may be held in all; with 0 none is ever made.
    """

    def __init__(
        self,
        database: Database,
        tables: Tables,
        behind: Callable[[str, Work], None],
        most: int,
    ) -> None:
        self._database, self._tables, self._behind, self._most = database, tables, behind, most
        self._held: OrderedDict[str, ResidentTables] = OrderedDict()
        self._asked: Counter[str] = Counter()
        self._making: set[str] = set()
        self._lock = threading.Lock()

    def settle(self, most: int) -> int:
        """Hold no more than so many memories from now on; return how many it was before."""
        before, self._most = self._most, most
        self.forget()
        return before

    def forget(self) -> None:
        """Let go of every index: the file holds something else now."""
        with self._lock:
            self._held.clear()

    def at_hand(self, scope: Scope) -> Tables:
        """Return the tables to ask: those in memory, as the file is now, if they are at hand."""
        if not self._most or self._database.damage or not self._database.sees_others:
            return self._tables
        with self._lock:
            held = self._held.get(scope.user)
            if held is not None:
                self._held.move_to_end(scope.user)
        analyser = self._tables.words.analyser().name
        if held is None or held.index.analyser != analyser:
            if len(self._asked) > _MOST_ASKED:
                self._asked.clear()
            self._asked[scope.user] += 1
            if self._asked[scope.user] >= ASKED_OFTEN:
                self._make(scope.user, analyser)
            return self._tables
        try:
            with held.index.lock:
                held.index.follow()
        except (Outdated, StoreError):
            with self._lock:
                self._held.pop(scope.user, None)
            self._make(scope.user, analyser)
            return self._tables
        if held.index.is_late:
            self._make(scope.user, analyser)
        return held

    def prepare(self, scope: Scope) -> bool:
        """Make an owner's index now, where it may be; say whether it is at hand."""
        for _ in self._made(scope.user, self._tables.words.analyser().name):
            pass
        return scope.user in self._held

    def _make(self, owner: str, analyser: str) -> None:
        with self._lock:
            if owner in self._making:
                return
            self._making.add(owner)
        self._behind(f"resident:{owner}", lambda: self._made(owner, analyser))

    def _made(self, owner: str, analyser: str) -> Iterator[int]:
        """Make an owner's index, a piece at a time, and put it at hand."""
        try:
            rows = self._database.rows("SELECT count(*) FROM memory WHERE owner = ?", (owner,))
            if int(rows[0][0]) > self._most or not words_complete(self._database, analyser):
                # Looked at again after many more questions.
                self._asked[owner] = -_NOT_YET
                return
            index = ResidentIndex(self._database, self._tables.words, owner, analyser)
            yield from index.make()
            index.follow()
            with self._lock:
                self._held[owner] = ResidentTables(self._tables, self._database, index)
                while sum(len(each.index) for each in self._held.values()) > self._most:
                    self._held.popitem(last=False)
        except Outdated:
            return  # Words were taken away meanwhile: the next question begins anew.
        finally:
            with self._lock:
                self._making.discard(owner)
