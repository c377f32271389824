"""Which memories hold the words of a question, and how much they say by BM25."""

from __future__ import annotations

import json
import math
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from saegim.errors import BadInput
from saegim.language.words import Analyser, Term
from saegim.memory.memory import Memory, Scope, checked_tags
from saegim.store.database import Connection, Database, NotReadable, first
from saegim.store.rows import Params, Where

TABLES = {"basic-1": "words_basic", "kiwi-1": "words_kiwi"}
# The schema sets these too. A question looks into every segment: few of them make it quick.
_OPTIONS = (("automerge", 0), ("crisismerge", 64), ("usermerge", 2), ("secure-delete", 1))


def table_of(analyser: str) -> str:
    """Return the table an analyser writes; each has its own, so they never mix."""
    if analyser not in TABLES:
        raise BadInput("store.no_word_index_is_kept", analyser=analyser, known=", ".join(TABLES))
    return TABLES[analyser]


@lru_cache(maxsize=1024)
def scope_token(owner: str) -> str:
    """Return the one token that stands for an owner in the index."""
    return "u" + owner.encode().hex()


def about(memory: Memory) -> str:
    """Return what is searched beside the words themselves: author, tags, keywords."""
    content = memory.content
    return " ".join((memory.provenance.author, *content.tags, *content.keywords))


def add(connection: Connection, number: int, memory: Memory, analyser: Analyser) -> None:
    """Index the words of a memory under this analyser."""
    connection.execute(
        f"INSERT INTO {table_of(analyser.name)} (rowid, scope, text, about) VALUES (?, ?, ?, ?)",
        (
            number,
            scope_token(memory.scope.user),
            " ".join(analyser.index(memory.text)),
            " ".join(analyser.index(about(memory))),
        ),
    )
    connection.execute("INSERT INTO analysed VALUES (?, ?)", (analyser.name, number))


def on_server(connection: Connection) -> bool:
    """Say whether this is a server's: there words are tokens of a GIN index, not FTS5's."""
    return getattr(connection, "is_server", False)


def add_next(connection: Connection, number: int, memory: Memory, analyser: Analyser) -> None:
    """Index a memory just born, and move the watermark if everything before it has been read."""
    add(connection, number, memory, analyser)
    if on_server(connection):
        return  # writers of other owners would wait for this row; upkeep moves it
    connection.execute(
        "UPDATE house SET value = :n WHERE name = :name AND value = :before",
        {"n": str(number), "name": f"read:{analyser.name}", "before": str(number - 1)},
    )


def set_about(connection: Connection, number: int, memory: Memory, analyser: Analyser) -> None:
    """Write anew what is searched beside the words, if this analyser has read the memory."""
    connection.execute(
        f"UPDATE {table_of(analyser.name)} SET about = ? WHERE rowid = ?",
        (" ".join(analyser.index(about(memory))), number),
    )


def remove(connection: Connection, number: int) -> None:
    """Take a memory out of every word index."""
    for name, table in TABLES.items():
        gone = first(
            connection,
            "DELETE FROM analysed WHERE analyser = ? AND number = ? RETURNING 1",
            (name, number),
        )
        if gone:
            connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (number,))


def configure(connection: Connection) -> None:
    """Set what FTS5 remembers itself: no merges on the write path, deletions that are real."""
    if on_server(connection):
        return
    for table in TABLES.values():
        for option, value in _OPTIONS:
            connection.execute(
                f"INSERT INTO {table} ({table}, rank) VALUES (?, ?)", (option, value)
            )


def merge(connection: Connection, pages: int = 500) -> None:
    """Merge a bounded part of the index; called in the background."""
    for table in TABLES.values():
        connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)", (pages,))


def rebuild(connection: Connection) -> None:
    """Throw the word indexes away without reading them; they are written anew from the text."""
    if on_server(connection):
        for table in TABLES.values():
            connection.execute(f"DELETE FROM {table}_content")
        connection.execute("DELETE FROM analysed")
        # What anyone holds in memory of it is void.
        connection.execute(
            "UPDATE house SET value = CAST(CAST(value AS BIGINT) + 1 AS TEXT) WHERE name = 'era'"
        )
        return
    for table in TABLES.values():
        sql: str = first(connection, "SELECT sql FROM sqlite_schema WHERE name = ?", (table,))
        _drop_unread(connection, table)
        connection.execute(sql)
    connection.execute("DELETE FROM analysed")
    configure(connection)


def _drop_unread(connection: Connection, table: str) -> None:
    """Drop an FTS5 table whose shadow tables may be too damaged to open."""
    try:
        connection.execute(f"DROP TABLE {table}")
        return
    except NotReadable:
        pass
    connection.execute("PRAGMA writable_schema = ON")
    try:
        connection.execute("DELETE FROM sqlite_schema WHERE name = ?", (table,))
    finally:
        connection.execute("PRAGMA writable_schema = RESET")
    for part in ("data", "idx", "content", "docsize", "config"):
        connection.execute(f"DROP TABLE IF EXISTS {table}_{part}")


def words_complete(database: Database, analyser: str) -> bool:
    """Say whether this analyser has read every memory."""
    newest = database.rows("SELECT max(number) FROM memory WHERE text IS NOT NULL")[0][0]
    if newest is None:
        return True
    # A mark that is no number any more counts as none: then every memory is looked at.
    rows = database.rows(
        "SELECT CAST(value AS INTEGER) FROM house WHERE name = ?", (f"read:{analyser}",)
    )
    mark = rows[0][0] if rows else 0
    return not database.rows(
        "SELECT 1 FROM memory m LEFT JOIN analysed a ON a.analyser = :a AND a.number = m.number "
        "WHERE m.number > :mark AND m.text IS NOT NULL AND a.number IS NULL LIMIT 1",
        {"a": analyser, "mark": mark},
    )


def drop_page_marks(connection: Connection, words: Mapping[str, Collection[bytes]]) -> None:
    """Move every mark that begins one of these words, and no living one, on to a living word."""
    if not any(words.values()) or on_server(connection):
        return
    # FTS5 writes what it has collected at a savepoint.
    connection.execute("SAVEPOINT collected")
    connection.execute("RELEASE collected")
    for table, said in words.items():
        held = sorted(said)
        rows: list[Any] = connection.execute(f"SELECT segid, term FROM {table}_idx").fetchall()
        # The first byte names the index; all of ours is in one.
        gone = [row for row in rows if _begins(held, row[1][1:])]
        if not all(_moved(connection, table, segment, mark) for segment, mark in gone):
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")


def _begins(words: list[bytes], mark: bytes) -> bool:
    at = bisect_left(words, mark)
    return bool(mark) and at < len(words) and words[at].startswith(mark)


def _moved(connection: Connection, table: str, segment: int, mark: bytes) -> bool:
    """Let a page be found by the beginning of a word that is still here; say if that can be.

    A mark lies after the last word of the page before, and not after the first of its own. The
    next living word is not after that first one either, and the shortest beginning of it that is
    beyond the old mark lies between the two.
    """
    word = mark[1:]
    found = first(
        connection,
        f"SELECT term FROM {table}_vocab WHERE term >= CAST(? AS TEXT) ORDER BY term LIMIT 1",
        (word,),
    )
    following = str(found or "").encode()
    if following.startswith(word):
        return True
    pairs = zip(word, following, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    moved = mark[:1] + following[: same + 1]
    taken = first(
        connection,
        f"SELECT 1 FROM {table}_idx WHERE segid = ? AND term > ? AND term <= ?",
        (segment, mark, moved),
    )
    if not following or taken:
        return False
    connection.execute(
        f"UPDATE {table}_idx SET term = ? WHERE segid = ? AND term = ?", (moved, segment, mark)
    )
    return True


# -- Which memories hold the words of a question, and how much they say by BM25

# A longer question adds cost, not meaning.
MAX_TERMS = 32
# Postings that one question may read, rarest words first: FTS5 needs about 1 µs for each, so this
# bounds a question to a few milliseconds at any size. Commoner words are weighed afterwards, on
# what the rarer ones found.
MAX_POSTINGS = 3_000
# How many of the likeliest are given their true BM25.
CONSIDERED = 96
# How often those that come next take the places of hidden ones.
_NEXT: Final = 9
K1, B = 1.2, 0.75
# An owner with a smaller share of the store is searched inside its own part of the index.
_SMALL_SHARE = 0.3
# Most of the vocabulary's counts fit here; beyond it the oldest are asked again.
_REMEMBERED_COUNTS = 50_000

Numbers = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


class WordHit(NamedTuple):
    """A memory that the words found: its row and its BM25."""

    number: int
    bm25: float


@dataclass(frozen=True, slots=True)
class WordHits:
    """What the words found, with the bound that makes scores comparable between questions."""

    numbers: list[int]
    bm25: list[float]
    bound: float
    terms: tuple[Term, ...] = ()
    left_out: tuple[str, ...] = ()
    # How much of the question, by weight, any memory here knows: little, if it was asked in a
    # language that nothing is written in.
    known: float = 1.0
    # Among how many memories of this owner was searched, about.
    among: int = 0

    @property
    def hits(self) -> list[WordHit]:
        """What was found, one by one."""
        return list(map(WordHit, self.numbers, self.bm25))


def phrase(term: Term) -> str:
    """Write a Term as FTS5 reads it: quoted, so that no character of it is syntax."""
    inside = " ".join(token.replace('"', "") for token in term.tokens)
    return f'"{inside}"' + ("*" if term.prefix else "")


def totals(database: Database, table: str) -> list[int]:
    """Return what FTS5 keeps in its first block: the number of rows, then tokens per column."""
    rows = database.rows(f"SELECT block FROM {table}_data WHERE id = 1")
    numbers, number = [], 0
    for byte in rows[0][0] if rows else b"":
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    return numbers or [0, 0, 0, 0]


@dataclass(slots=True)
class Counts:
    """How many memories hold a token, remembered while the word index stays as it is."""

    totals: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    held: dict[str, int] = field(default_factory=dict)

    @property
    def documents(self) -> int:
        """Return how many memories of all owners are indexed."""
        return self.totals[0]

    @property
    def mean(self) -> float:
        """Return the mean number of tokens of a memory, over all columns as FTS5 counts it."""
        return max(sum(self.totals[1:]) / max(self.totals[0], 1), 1.0)

    def refresh(self, database: Database, table: str) -> None:
        """Forget the counts when anything was added or taken away."""
        now = totals(database, table)
        if now != self.totals:
            self.held.clear()
            self.totals = now

    def token(self, database: Database, table: str, token: str) -> int:
        """Return how many memories hold one token."""
        # Read once: another thread may empty the counts at any moment.
        count = self.held.get(token)
        if count is None:
            if len(self.held) >= _REMEMBERED_COUNTS:
                self.held.clear()
            rows = database.rows(f"SELECT doc FROM {table}_vocab WHERE term = ?", (token,))
            if not rows:
                # Not remembered: the next memory may bring the word, and must be found by it.
                return 0
            count = self.held[token] = int(rows[0][0])
        return count


def idf(documents: int, holding: int) -> float:
    """Return the inverse document frequency."""
    # Remembered counts may be older than the last deletion.
    others = max(documents - holding, 0)
    return max(math.log((others + 0.5) / (holding + 0.5)), 1e-6)


def usable(terms: Iterable[Term]) -> list[Term]:
    """Return each Term once, at most as many as a question can carry."""
    return list({term.tokens: term for term in terms if term.tokens}.values())[:MAX_TERMS]


def affordable(counted: Sequence[tuple[Term, int]]) -> tuple[list[Term], list[Term]]:
    """Split Terms into those an OR query can afford, rarest first, and those too common for it."""
    kept: list[Term] = []
    left_out: list[Term] = []
    spent = 0
    for term, holding in sorted(counted, key=lambda pair: pair[1]):
        spent += holding
        (kept if not kept or spent <= MAX_POSTINGS else left_out).append(term)
    return kept, left_out


class Holders(Protocol):
    """Who knows which memories hold a word, under one question's filters: the file, or memory.

    Counts are of all owners; memories are of the owner who asks, named by where they stand: in
    the file by their rows, in memory by their places.
    """

    @property
    def documents(self) -> int:
        """Return how many memories of all owners are indexed."""
        ...

    def count(self, token: str) -> int:
        """Return how many memories hold a token."""
        ...

    def holding(self, terms: Sequence[Term], *, filtered: bool, most: int = -1) -> Numbers:
        """Return where all of the Terms are held, the newest if only so many are wanted."""
        ...

    def among(self) -> Iterator[tuple[bool, Numbers | None]]:
        """Yield what to look among, each time more exactly: filtered or not, and these places."""
        ...

    def distinct(self, places: Numbers) -> tuple[Numbers, Numbers]:
        """Return each place once, and for all of them which of these it is."""
        ...

    def rows(self, places: Numbers) -> Numbers:
        """Return the rows in these places."""
        ...

    def weighed(self, places: Numbers, weights: Mapping[Term, float]) -> tuple[Numbers, Scores]:
        """Return the rows there that the filters allow, and their BM25 over all Terms."""
        ...


def search(held: Holders, terms: Iterable[Term], where: Where, limit: int) -> WordHits:
    """Return the best memories for the Terms among those that `where` allows, by BM25.

    Every filter is part of the query, so nothing outside the scope can push anything out.
    """
    counts = {term: min(map(held.count, term.tokens)) for term in usable(terms)}
    weights = {term: idf(held.documents, count) for term, count in counts.items()}
    # The largest BM25 this question could earn: the same words always give the same bound.
    bound = 0.6 * (K1 + 1) * sum(weights.values())
    here = [(term, count) for term, count in counts.items() if count or term.prefix]
    own = held.count(scope_token(where.scope.user))
    if not here:
        return WordHits([], [], bound, tuple(weights), known=0.0, among=own)
    known = sum(weights[term] for term, _ in here) / max(sum(weights.values()), 1e-9)
    kept, left_out = affordable(here)
    rows, scores = _Ask(held, counts, weights).best(kept, bool(left_out), limit)
    # Equal ones by their rows.
    order = np.lexsort((rows, -scores))[:limit]
    names = tuple(term.surface for term in left_out)
    found = rows[order].tolist(), scores[order].tolist()
    return WordHits(*found, bound, tuple(weights), names, known, own)


def share_of(own: int, documents: int) -> float:
    """Return the owner's share of the store; 0 if small enough for the scope token."""
    share = own / max(documents, 1)
    return 0.0 if share < _SMALL_SHARE else min(share, 1.0)


@dataclass(frozen=True, slots=True)
class _Ask:
    """One question to one word index, under its filters."""

    held: Holders
    counts: Mapping[Term, int]
    weights: Mapping[Term, float]

    def best(self, terms: Sequence[Term], common: bool, limit: int) -> tuple[Numbers, Scores]:
        """Return rows and their BM25: those whose words weigh most, scored exactly.

        Hidden memories leave their places to those that come next; if too few are left, every
        posting is filtered instead, so nothing is ever crowded out.
        """
        found = np.zeros(0, np.int64), np.zeros(0)
        most = max(CONSIDERED, limit)
        for filtered, among in self.held.among():
            places, tally = self._tally(terms, filtered, among)
            likely = self._heaviest(places, tally, most)
            if common:
                every = self.held.holding(list(self.weights), filtered=filtered, most=limit)
                likely = np.union1d(likely, every)
            found = self.held.weighed(likely, self.weights)
            for _ in range(_NEXT):
                if common or len(found[0]) >= most or len(likely) >= len(places):
                    break
                rest = ~np.isin(places, likely)
                come = self._heaviest(places[rest], tally[rest], most - len(found[0]))
                more = self.held.weighed(come, self.weights)
                likely = np.concatenate([likely, come])
                found = np.concatenate([found[0], more[0]]), np.concatenate([found[1], more[1]])
            if len(found[0]) >= min(limit, len(places)) or len(places) <= CONSIDERED:
                break
        return found

    def _tally(
        self, terms: Sequence[Term], filtered: bool, among: Numbers | None
    ) -> tuple[Numbers, Scores]:
        """Return where any of the Terms is held, and the weight of those that are held there."""
        every = [self._holding(term, filtered, among) for term in terms]
        each_weighs = np.array([self.weights[term] for term in terms], np.float64)
        weights: Scores = np.repeat(each_weighs, [len(each) for each in every])
        places, which = self.held.distinct(np.concatenate(every))
        tally = np.bincount(which, weights=weights, minlength=len(places))
        return places, np.asarray(tally, np.float64)

    def _heaviest(self, places: Numbers, weights: Scores, most: int) -> Numbers:
        """Return the places with the most weight, of the newest rows among equals."""
        if len(places) <= most:
            return places
        edge = np.partition(weights, len(weights) - most)[len(weights) - most]
        above = places[weights > edge]
        equal = places[weights == edge]
        if len(above) + len(equal) > most:
            equal = equal[np.argsort(self.held.rows(equal))[len(above) - most :]]
        return np.concatenate([above, equal])

    def _holding(self, term: Term, filtered: bool, among: Numbers | None) -> Numbers:
        # Even the rarest word of a question may be everywhere: then its newest holders count.
        common = self.counts[term] > MAX_POSTINGS
        if among is not None and len(among) and not common:
            # Two lists from two indexes; the other filters are asked of what is in both.
            return np.intersect1d(self.held.holding([term], filtered=False), among)
        return self.held.holding([term], filtered=filtered, most=MAX_POSTINGS if common else -1)


@dataclass(frozen=True, slots=True)
class IndexInFile:
    """The word index in the file, under one question's filters."""

    database: Database
    table: str
    where: Where
    counts: Counts

    @staticmethod
    def counted(database: Database, table: str, owner: str, known: Counts) -> Counts:
        """Return what is known of the counts now: those of all owners of the file."""
        del owner
        known.refresh(database, table)
        return known

    @staticmethod
    def holding_all(
        database: Database, table: str, terms: Sequence[Term], where: Where, limit: int
    ) -> list[int]:
        """Return the rows that hold every one of these words, newest first."""
        sql, params = where.sql()
        match = " AND ".join(phrase(term) for term in terms)
        rows = database.rows(
            f"SELECT f.rowid FROM {table} f JOIN memory m ON m.number = f.rowid "
            f"WHERE {table} MATCH :match AND {sql} "
            "ORDER BY m.happened_at DESC, m.number DESC LIMIT :limit",
            {**params, "match": f"{{text about}} : ({match})", "limit": limit},
        )
        return [int(row[0]) for row in rows]

    @property
    def documents(self) -> int:
        """Return how many memories of all owners are indexed."""
        return self.counts.documents

    def count(self, token: str) -> int:
        """Return how many memories hold a token."""
        return self.counts.token(self.database, self.table, token)

    def holding(self, terms: Sequence[Term], *, filtered: bool, most: int = -1) -> Numbers:
        """Return the rows that hold all of the Terms, the newest if only so many are wanted."""
        sql, params = self.where.sql() if filtered else ("1", {})
        join = "JOIN memory m ON m.number = f.rowid" if filtered else ""
        order = "ORDER BY f.rowid DESC" if most >= 0 else ""
        rows = self.database.rows(
            f"SELECT f.rowid FROM {self.table} f {join} "
            f"WHERE {self.table} MATCH :match AND {sql} {order} LIMIT :limit",
            {**params, "match": self._scoped(" AND ".join(map(phrase, terms))), "limit": most},
        )
        return numbers_of(rows)

    def _scoped(self, match: str) -> str:
        """Keep a MATCH off the scope column, and inside a small owner's part of the index."""
        match, own = f"{{text about}} : ({match})", scope_token(self.where.scope.user)
        if share_of(self.count(own), self.documents) == 0.0:
            match += f' AND scope : "{own}"'
        return match

    def among(self) -> Iterator[tuple[bool, Numbers | None]]:
        """Yield what to look among, each time more exactly: filtered or not, and these rows."""
        own = self.count(scope_token(self.where.scope.user))
        # The postings may hold more than this owner's memories, or fewer are wanted.
        if not self.where.narrows and share_of(own, self.documents) in (0.0, 1.0):
            yield False, None
        elif self.where.tags:
            yield True, self._tagged()
        yield True, None

    def _tagged(self) -> Numbers:
        """Return the rows that carry the first tag that is asked for."""
        rows = self.database.rows(
            "SELECT number FROM tag WHERE owner = ? AND tag = ?",
            (self.where.scope.user, checked_tags(self.where.tags)[0]),
        )
        return numbers_of(rows)

    def distinct(self, places: Numbers) -> tuple[Numbers, Numbers]:
        """Return each row once, and for all of them which of these it is."""
        found: tuple[Numbers, Numbers] = np.unique(places, return_inverse=True)
        return found

    def rows(self, places: Numbers) -> Numbers:
        """Return the rows themselves: they are their places here."""
        return places

    def weighed(self, places: Numbers, weights: Mapping[Term, float]) -> tuple[Numbers, Scores]:
        """Return the rows that the filters allow, and their BM25 over all Terms."""
        sql, params = self.where.sql()
        mean = self.counts.mean
        forms = [(inside(term), weight) for term, weight in weights.items()]
        rows = self.database.rows(
            f"SELECT f.id, f.c0, f.c1, f.c2 FROM json_each(:numbers) j "
            f"CROSS JOIN {self.table}_content f ON f.id = j.value "
            f"CROSS JOIN memory m ON m.number = f.id WHERE {sql}",
            {**params, "numbers": json.dumps(places.tolist())},
        )
        scores = [
            bm25(f" {text} | {about} ", _tokens(scope, text, about) / mean, forms)
            for _, scope, text, about in rows
        ]
        return numbers_of(rows), np.array(scores, np.float64)


def numbers_of(rows: Sequence[Any]) -> Numbers:
    """Return the numbers in the first column."""
    return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))


def inside(term: Term) -> str:
    """Return how a Term looks inside an indexed line."""
    return f" {' '.join(term.tokens)}{'' if term.prefix else ' '}"


def _tokens(*columns: str) -> int:
    """Return how many tokens a row holds; FTS5 counts the scope's too."""
    return sum(column.count(" ") + 1 for column in columns if column)


def bm25(line: str, length: float, forms: Sequence[tuple[str, float]]) -> float:
    """Return the BM25 of one indexed line; `length` is in mean lengths."""
    norm = K1 * (1 - B + B * length)
    score = 0.0
    for form, weight in forms:
        if often := _occurrences(line, form):
            score += weight * often * (K1 + 1) / (often + norm)
    return score


def _occurrences(line: str, form: str) -> int:
    """Count how often a form stands in a line; two that follow each other share a space."""
    often, at = 0, line.find(form)
    while at >= 0:
        often, at = often + 1, line.find(form, at + 1)
    return often


# There is no index of substrings: letters inside words would cost more room than the words. What
# is newest is looked at first, along the index of time, and looking ends as soon as enough is
# found, or where everything older is found by its words already. So a piece that many memories
# contain costs what a page of a list costs; one that none contains costs a look at every text of
# the owner, which SQLite does by itself: 1 to 2 ms for each 1,000 memories (seed A §5.2 allows
# 100 ms for 5,000). Of tags each is looked at once, however many memories bear it.

# Every tag of an owner once: from each to the next along their index, not row by row.
_EACH_TAG: Final = (
    "WITH RECURSIVE each_tag (tag) AS (SELECT min(tag) FROM tag WHERE owner = :owner UNION ALL "
    "SELECT (SELECT min(n.tag) FROM tag n WHERE n.owner = :owner AND n.tag > each_tag.tag) "
    "FROM each_tag WHERE each_tag.tag IS NOT NULL)"
)


def _contains(at: int, piece: str, params: Params) -> str:
    """Return the condition that a text, or one of its tags, contains a piece."""
    likes = []
    for number, form in enumerate(_forms(piece)):
        name = f"piece{at}_{number}"
        params[name] = f"%{_escaped(form)}%"
        likes.append(f"{{}} LIKE :{name} ESCAPE '\\'")
    either = " OR ".join(likes)
    text, tag = (either.replace("{}", column) for column in ("m.text", "tag"))
    return (
        f"({text} OR m.number IN (SELECT number FROM tag WHERE owner = :owner AND tag IN "
        f"({_EACH_TAG} SELECT tag FROM each_tag WHERE {tag})))"
    )


def _forms(piece: str) -> Iterator[str]:
    """Yield how a piece may be written: SQLite knows the case of ASCII letters alone.

    Files of some systems bring letters in parts, Hangul in jamo: those are other bytes.
    """
    if piece.isascii():
        yield piece
        return
    forms: dict[str, None] = {}
    for each in (piece.lower(), piece.upper(), piece.title()):
        forms[unicodedata.normalize("NFC", each)] = None
        forms[unicodedata.normalize("NFD", each)] = None
    yield from forms


def _escaped(text: str) -> str:
    for mark in ("\\", "%", "_"):
        text = text.replace(mark, f"\\{mark}")
    return text


class WordSearch:
    """What the words of a question find, under its filters."""

    def __init__(
        self,
        database: Database,
        analysers: list[Analyser],
        index: type[IndexInFile] | None = None,
    ) -> None:
        self._database = database
        self._analysers = analysers
        # Where the words lie: in the file, or on a server.
        self._holder: type[IndexInFile] = index or IndexInFile
        self._counts = {name: Counts() for name in TABLES}

    def share_with(self, other: WordSearch) -> None:
        """Ask the same file with the same counts."""
        self._database, self._analysers = other._database, other._analysers
        self._counts, self._holder = other._counts, other._holder

    def forget_counts(self) -> None:
        """Count the words again: the index was written anew, or looked at as it might become."""
        for name in TABLES:
            self._counts[name] = Counts()

    def ready(self) -> list[Analyser]:
        """Return the analysers that can be used at once; the others are filled in later."""
        return [each for each in self._analysers if getattr(each, "ready", lambda: True)()]

    def analyser(self) -> Analyser:
        """Return the best analyser that is ready and has read everything."""
        for each in reversed(self.ready()):
            if each is self._analysers[0] or words_complete(self._database, each.name):
                return each
        return self._analysers[0]

    def matching(
        self, terms: Iterable[Term], where: Where, *, limit: int, analyser: str | None = None
    ) -> WordHits:
        """Return the best memories for these words, filtered first.

        `analyser` names who cut them: between two calls a better one may have become ready.
        """
        name = analyser or self.analyser().name
        table, counts = self.counts_of(name, where.scope.user)
        return search(self._holder(self._database, table, where, counts), terms, where, limit)

    def lines_of(self, analyser: str, numbers: Iterable[int]) -> dict[int, tuple[str, str]]:
        """Return what an analyser has indexed of these rows: their words, and what is beside."""
        rows = self._database.rows(
            f"SELECT f.id, f.c1, f.c2 FROM json_each(?) j "
            f"CROSS JOIN {table_of(analyser)}_content f ON f.id = j.value",
            (json.dumps(list(numbers)),),
        )
        return {int(number): (text, about) for number, text, about in rows}

    def count(self, table: str, counts: Counts, token: str) -> int:
        """Return how many memories of all owners hold a token."""
        return counts.token(self._database, table, token)

    def counts_of(self, analyser: str, owner: str) -> tuple[str, Counts]:
        """Return the table of an analyser, and what is known of its counts now.

        A file counts the words of all its owners; on a server each owner's are counted alone.
        """
        table = table_of(analyser)
        known = self._counts[analyser]
        return table, self._holder.counted(self._database, table, owner, known)

    def holding_all(
        self, terms: Iterable[Term], where: Where, *, limit: int, analyser: str | None = None
    ) -> list[int]:
        """Return the rows that hold every one of these words, newest first."""
        table = table_of(analyser or self.analyser().name)
        return self._holder.holding_all(self._database, table, usable(terms), where, limit)

    def matched(
        self,
        scope: Scope,
        numbers: Iterable[int],
        terms: Iterable[Term],
        *,
        analyser: str | None = None,
    ) -> dict[int, tuple[str, ...]]:
        """Return, for the explanation, which words of the question each memory holds."""
        wanted, asked = tuple(numbers), tuple(terms)
        if not wanted or not asked:
            return {}
        marks = ", ".join("?" * len(wanted))
        found: dict[int, tuple[str, ...]] = {}
        for number, text, about in self._database.rows(
            f"SELECT rowid, text, about FROM {table_of(analyser or self.analyser().name)} "
            f"WHERE rowid IN ({marks}) AND scope = ?",
            (*wanted, scope_token(scope.user)),
        ):
            line = f" {text} | {about} "
            found[int(number)] = tuple(term.surface for term in asked if inside(term) in line)
        return found

    def containing(
        self, pieces: Sequence[str], where: Where, *, limit: int, also: Sequence[int] = ()
    ) -> list[int]:
        """Return the rows whose text or tags contain every piece, in any case, newest first.

        The rows in `also`, found otherwise, are put in their place among them.
        """
        sql, params = where.sql()
        parts = [sql, *(_contains(at, piece, params) for at, piece in enumerate(pieces))]
        if len(also) >= limit:
            # What is older than the last of these has no place in the list.
            params["last"] = also[limit - 1]
            parts.append("m.happened_at >= (SELECT happened_at FROM memory WHERE number = :last)")
        rows = self._database.rows(
            f"SELECT m.number FROM memory m WHERE {' AND '.join(parts)} "
            "ORDER BY m.happened_at DESC, m.number DESC LIMIT :limit",
            {**params, "limit": limit},
        )
        found = dict.fromkeys((*(int(row[0]) for row in rows), *also))
        if not also:
            return list(found)
        rows = self._database.rows(
            "SELECT m.number FROM json_each(:numbers) j CROSS JOIN memory m ON m.number = j.value "
            "ORDER BY m.happened_at DESC, m.number DESC LIMIT :limit",
            {"numbers": json.dumps(list(found)), "limit": limit},
        )
        return [int(row[0]) for row in rows]
