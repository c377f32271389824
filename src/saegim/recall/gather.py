"""Candidates from words and vectors, each path saying whether it ran and what it found."""

from __future__ import annotations

import re
from calendar import monthrange
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from math import exp, log1p
from operator import attrgetter
from typing import Final

from saegim.engines.embedder import Embedder, embed_by_deadline
from saegim.errors import BadInput, EngineError, StoreCorrupt
from saegim.language.times import Span, comes_back
from saegim.language.words import Term
from saegim.memory.clock import parse_instant
from saegim.memory.entities import CONTRADICTS, HAS_FEEDBACK, MERGED_FROM, SIMILAR_TO, SUPERSEDES
from saegim.memory.memory import Memory, Scope
from saegim.recall.understand import Query, Understanding
from saegim.store.rows import Where
from saegim.store.search.embedding_index import NearHit
from saegim.store.search.resident_tables import Tables
from saegim.store.tables.entity_table import LinkEnd

# How many of the words' best are also given their true cosine, and how many neighbours are taken
# from the vectors alone: more changes nothing (docs/decisions/0006-fusion-with-meaning.md).
BOTH = 32
NEAREST = 32
# In how many steps from the floor to `ask` a cosine begins to count. Cut off sharply at the floor,
# what words have found would lose the order that weak cosines still give it.
STEPS = 3.0
# So far below its floor an embedder may still have heard something: counted, and shown if asked.
NEAR_MISS = 0.1
# A question of which at least this share (by rarity) is known here is weighed in full. Below it,
# as in "Tom은 어디 살아?" asked of English notes, the one name that matches must not outvote what
# the sentence means.
ENOUGH_KNOWN = 0.5
# So many seconds an embedder may take where nobody says; beyond this, people are kept waiting.
PATIENCE = 2.0


# Returns the embedder that served this store before, where its vectors are still there.
Previous = Callable[[], Embedder | None]

# A time that comes again: what speaks of it speaks of all of them.
_RECURS = re.compile(
    r"(?i)요일|주말|설날|추석|생일|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|birthday"
)
# What is said of a day that comes back every year or month.
_COMES_AGAIN = (
    "생일 생신 기념일 제사 기일 매년 매달 매월 birthday bday anniversary every year month monthly"
)
_MOST_AGAIN = 64
# A day that comes back is looked for so many times after the one that was named.
_TIMES_AGAIN: Final = 24


@dataclass(frozen=True, slots=True)
class RecallPath:
    """One way of finding: whether it ran, how much it found, and why not if it did not."""

    name: str
    ran: bool
    found: int = 0
    why: str = ""


@dataclass(slots=True)
class Candidate:
    """A candidate: what each path says of it, from 0 (nothing) to about 1 (everything).

    `vector` is the cosine as it was measured, `meaning` what it says for this embedder.
    """

    number: int
    words: float = 0.0
    meaning: float = 0.0
    context: float = 0.0
    vector: float = 0.0
    # What ties lend it, how many ties away it is, along which, and whether one of them is negative.
    graph: float = 0.0
    hops: int | None = None
    via: tuple[str, ...] = ()
    negative: bool = False
    # Whether it lies in the stretch of time that the question names.
    during: bool = False
    fit: float = 0.0

    @property
    def tied(self) -> bool:
        """Say whether anything but its meaning ties it to the question."""
        return self.during or max(self.words, self.context, self.graph) > 0.0


@dataclass(slots=True)
class Gathered:
    """All candidates of a question, by row, and the paths that brought them."""

    found: dict[int, Candidate] = field(default_factory=dict)
    paths: list[RecallPath] = field(default_factory=list)
    terms: tuple[Term, ...] = ()
    analyser: str | None = None
    waiting: int = 0
    known: float = 1.0
    # Among how many memories was searched; 0 where nobody counted.
    among: int = 0
    # Near misses of the vectors that are not shown, only counted.
    hidden: int = 0
    # Why the word index could not be read, where it is damaged.
    damage: StoreCorrupt | None = None

    def at(self, number: int) -> Candidate:
        """Return the candidate in this row, new if it is the first time it is found."""
        found = self.found.get(number)
        if found is None:
            found = self.found[number] = Candidate(number)
        return found

    @property
    def words_may_say(self) -> float:
        """Say how far words may speak: less where hardly any word of the question is known."""
        return min(self.known / ENOUGH_KNOWN, 1.0)


@lru_cache(maxsize=16)
def scale_of(floor: float, ask: float) -> Callable[[float], float]:
    """Return what a cosine of this embedder says, on a scale from 0 to 1 that all of them share.

    Straight above the floor, bent softly around it; it depends on the embedder's identity alone,
    never on what else was found.
    """
    step = max(ask - floor, 1e-3) / STEPS
    whole = _ramp((1.0 - floor) / step)
    return lambda cosine: min(_ramp((cosine - floor) / step) / whole, 1.0)


def _ramp(x: float) -> float:
    """Return log(1 + e^x) without overflow: 0 far below zero, x far above it."""
    return max(x, 0.0) + log1p(exp(-abs(x)))


def in_order(valued: Mapping[int, float]) -> list[int]:
    """Return rows, those with the most first; equal ones by their numbers."""
    return sorted(sorted(valued), key=valued.__getitem__, reverse=True)


def gather(
    query: Query,
    asked: Understanding,
    *,
    store: Tables,
    embedder: Embedder,
    pool: int,
    patience: float = PATIENCE,
    previous: Previous = lambda: None,
) -> Gathered:
    """Look along every path; a path that fails or is late says so and the others answer."""
    gathered = Gathered()
    pool = max(pool, 2 * query.limit)
    if asked.only_time:
        by_time(query, asked, gathered, store, pool)
        return gathered
    about = replace(query, text=asked.topic) if asked.topic else query
    by_words(about, gathered, store, pool)
    by_vector(about, gathered, store, embedder, patience, previous)
    for phrase in asked.phrases:
        # What was quoted is looked for on its own, so that the rest of the question hides nothing.
        by_words(replace(query, text=phrase), Gathered(gathered.found), store, query.limit)
    for span in asked.spans:
        narrow = replace(query, text=asked.rest)
        _inside(span, narrow, gathered, store, embedder, patience, previous)
    return gathered


def by_time(
    query: Query, asked: Understanding, gathered: Gathered, store: Tables, pool: int
) -> None:
    """Find what happened, or is spoken of, in the stretch of time that the question names alone."""
    for span in asked.spans:
        for number in store.memories.latest(_within(query, span).where, limit=pool):
            gathered.at(number).during = True
        if _RECURS.search(span.words):
            # "배포는 화요일에만 한다" speaks of every Tuesday.
            by_words(replace(query, text=span.words), gathered, store, pool)
    if asked.agenda:
        _coming_back(query, asked, gathered, store)
    found = len(gathered.found)
    why = "" if found else f"nothing lies in {', '.join(span.words for span in asked.spans)}"
    gathered.paths.append(RecallPath("time", True, found, why))


def _coming_back(query: Query, asked: Understanding, gathered: Gathered, store: Tables) -> None:
    """Find what comes again in the time that is asked for: a birthday, every 15th."""
    analyser = store.words.analyser()
    terms = analyser.query(_COMES_AGAIN)
    try:
        found = store.words.matching(terms, query.where, limit=_MOST_AGAIN, analyser=analyser.name)
    except StoreCorrupt:  # it waits to be rebuilt, and what is dated is found without it
        return
    memories = store.memories.by_numbers(query.where.scope, [hit.number for hit in found.hits])
    for number, memory in memories.items():
        if day_in(memory, asked.spans):
            gathered.at(number).during = True


def day_in(memory: Memory, spans: Sequence[Span]) -> datetime | None:
    """Return the first day in the spans that a memory speaks of, also as one that comes back."""
    days = (day for day in _days(memory) if any(s.start <= day < s.end for s in spans))
    return min(days, default=None)


def _days(memory: Memory) -> Iterator[datetime]:
    every = comes_back(memory.text)
    for each in memory.time.mentions:
        # Imported as someone else wrote it, or beyond the calendar: that is no day to come.
        with suppress(BadInput, ValueError, OverflowError):
            named = parse_instant(each.partition("/")[0])
            for again in range(_TIMES_AGAIN if every else 1):
                yield _moved(named, every * again)


def _moved(at: datetime, months: int) -> datetime:
    """Return the same day so many months later; the 31st is the last of a shorter month."""
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    return at.replace(year=year, month=month + 1, day=min(at.day, monthrange(year, month + 1)[1]))


def _within(query: Query, span: Span) -> Query:
    """Return the question, asked of one stretch of time."""
    return replace(query, where=replace(query.where, during=(span.start, span.end)))


def _inside(
    span: Span,
    query: Query,
    gathered: Gathered,
    store: Tables,
    embedder: Embedder,
    patience: float,
    previous: Previous,
) -> None:
    """Ask again inside a stretch of time, so that nothing outside it can crowd out what is in it.

    Time lifts, it does not filter: what was said in May may speak of April without its name.
    """
    inside = Gathered()
    narrow = _within(query, span)
    for number in store.memories.latest(narrow.where, limit=query.limit):
        # What lies in the time is a candidate, also where it shares nothing with the rest.
        gathered.at(number).during = True
    by_words(narrow, inside, store, query.limit)
    by_vector(narrow, inside, store, embedder, patience, previous)
    for number, found in inside.found.items():
        here = gathered.at(number)
        here.during = True
        # There the time is answered already: what is left of the question may be all it says.
        here.words, here.meaning = max(here.words, found.words), max(here.meaning, found.meaning)
        here.vector = max(here.vector, found.vector)
    gathered.paths.append(RecallPath("time", True, len(inside.found), ""))


def by_words(query: Query, gathered: Gathered, store: Tables, pool: int) -> None:
    """Find by the words of the question; BM25 over the most this question could earn."""
    analyser = store.words.analyser()
    terms = analyser.query(query.asked)
    if not terms:
        gathered.paths.append(
            RecallPath("words", False, why="the question has no words to look for")
        )
        return
    try:
        hits = store.words.matching(terms, query.where, limit=pool, analyser=analyser.name)
    except StoreCorrupt as error:
        # The word index is derived: while it waits to be rebuilt, the other paths answer. If the
        # file itself is damaged, they fail in their turn.
        gathered.paths.append(RecallPath("words", False, why=error.message))
        gathered.damage = error
        return
    bound = hits.bound
    for number, bm25 in hits.hits:
        found = gathered.at(number)
        found.words = max(found.words, min(bm25 / bound, 1.0) if bound else 0.0)
    gathered.terms, gathered.analyser = hits.terms, analyser.name
    gathered.known, gathered.among = hits.known, hits.among
    why = f"too common to search for: {', '.join(hits.left_out)}" if hits.left_out else ""
    gathered.paths.append(RecallPath("words", True, len(hits.hits), why))


def by_vector(
    query: Query,
    gathered: Gathered,
    store: Tables,
    embedder: Embedder,
    patience: float = PATIENCE,
    previous: Previous = lambda: None,
) -> None:
    """Find by meaning, and give the words' best candidates their true cosine as well."""
    # Words that only ask mislead an embedder that compares spelling; one that knows meaning has
    # learned what to make of them.
    asked = query.meaning if embedder.lexical else query.asked
    if not asked.strip():
        gathered.paths.append(RecallPath("vector", False, why="the question is empty"))
        return
    best = sorted(gathered.found.values(), key=attrgetter("words"), reverse=True)[:BOTH]
    enough = embedder.lexical and len(gathered.found) >= query.limit
    try:
        vector, identity = embed_by_deadline(embedder, asked, patience)
        hits = store.vectors.near(
            vector,
            identity,
            query.where,
            limit=0 if enough else max(NEAREST, query.limit),
            also=[each.number for each in best],
        )
    except EngineError as error:
        gathered.paths.append(RecallPath("vector", False, why=error.message))
        return
    _heard(query, gathered, hits, embedder)
    measured = {hit.number for hit in hits}
    waiting = store.vectors.waiting(identity)
    if waiting and (before := previous()) is not None:
        measured |= _by_previous(query, gathered, store, before, patience, measured)
    for each in best:
        if each.number not in measured:
            # Not embedded yet, or its vector is spoilt: its words speak for its meaning too, so
            # that it stands where it would if all were in its place.
            each.meaning = each.words
    floor, found = embedder.floor, gathered.found
    near = sum(cosine >= floor for _, cosine in hits)
    missed = floor - NEAR_MISS
    gathered.hidden = sum(cosine >= missed and each not in found for each, cosine in hits)
    unread = store.vectors.unread(query.where.scope, identity)
    why = f"{waiting} memories are not embedded yet" if waiting else ""
    if unread:
        why = f"{unread} vectors are still being read"
    gathered.paths.append(RecallPath("vector", True, near, why))
    gathered.waiting = waiting


def _heard(query: Query, gathered: Gathered, hits: Sequence[NearHit], embedder: Embedder) -> None:
    """Take in what an embedder finds near, on the scale that all share."""
    says = scale_of(embedder.floor, embedder.ask)
    lowest = embedder.floor - NEAR_MISS if query.near_misses else embedder.floor
    for number, cosine in hits:
        if cosine >= lowest or number in gathered.found:
            found = gathered.at(number)
            found.vector = max(cosine, 0.0)
            found.meaning = says(cosine)


def _by_previous(
    query: Query,
    gathered: Gathered,
    store: Tables,
    previous: Embedder,
    patience: float,
    measured: set[int],
) -> set[int]:
    """Let the embedder that served before answer for what has no vector of the new one yet."""
    unmeasured = [number for number in gathered.found if number not in measured]
    try:
        asked = query.meaning if previous.lexical else query.asked
        vector, identity = embed_by_deadline(previous, asked, patience)
        limit = max(NEAREST, query.limit)
        near = store.vectors.near(vector, identity, query.where, limit=limit, also=unmeasured)
    except EngineError:
        return set()  # The path itself has run; what is not embedded is counted.
    hits = [hit for hit in near if hit.number not in measured]
    _heard(query, gathered, hits, previous)
    return {hit.number for hit in hits}


# -- From the best hits, and from whom the question names, along typed ties to other memories

# From how many of the best candidates the walk begins.
FROM: Final = 8
# How much of what a key holds goes on along one tie.
GIVES_ON: Final = 0.5
# Ties followed from one key each way; who has more than this is named everywhere and says little.
MOST_TIES: Final = 24
# Who was met in more memories than this is no way to any of them; the name finds them all anyway.
CROWD: Final = 32
ENTITY: Final = "entity:"
# Keys a walk stands on at once; those with the least are left behind.
MOST_KEYS: Final = 32
# What the question names outright gives as much as a perfect hit.
NAMED: Final = 1.0
# Ties that say what no longer holds, or how a memory was judged, are no way to an answer; and near
# twins would only lift each other: whatever finds the one finds the other.
_NO_WAY: Final = (SUPERSEDES, CONTRADICTS, MERGED_FROM, HAS_FEEDBACK, SIMILAR_TO)


@dataclass(slots=True)
class Reached:
    """A key the walk has come to: what it received, by how many ties, along which."""

    activation: float = 0.0
    hops: int = 0
    via: tuple[str, ...] = ()
    negative: bool = False
    # Its row, if it is a memory.
    number: int | None = None


@dataclass(slots=True)
class _Standing:
    """A key the walk stands on: what it has to give, and how it was reached."""

    holds: float
    via: tuple[str, ...] = ()
    negative: bool = False
    # What each neighbour gave: none of it goes back to the giver.
    givers: dict[str, float] = field(default_factory=dict)


def spread(
    starts: Mapping[str, float], *, where: Where, store: Tables, hops: int
) -> dict[str, Reached]:
    """Return every key within reach of the starts, with the activation that came to it.

    Memories that the filters leave out are neither reached nor walked through.
    """
    reached: dict[str, Reached] = {}
    standing = {key: _Standing(holds) for key, holds in starts.items()}
    for hop in range(1, hops + 1):
        standing = _without_crowds(standing, where.scope, store)
        if not standing:
            break
        came = _step(
            store.links.ties(where.scope, standing, without=_NO_WAY, most=MOST_TIES), standing
        )
        memories = [key for key in came if not key.startswith(ENTITY)]
        rows = store.memories.rows_of(where, memories) if memories else {}
        allowed = (key for key in came if key in rows or key.startswith(ENTITY))
        best = sorted(allowed, key=lambda key: (-came[key].holds, key))[:MOST_KEYS]
        standing = {key: came[key] for key in best}
        for key, here in standing.items():
            there = reached.setdefault(key, Reached(0.0, hop, here.via, here.negative))
            there.activation += here.holds
            there.negative = there.negative or here.negative
            there.number = rows.get(key)
    return reached


def _without_crowds(
    standing: dict[str, _Standing], scope: Scope, store: Tables
) -> dict[str, _Standing]:
    """Leave those whom everyone knows: that two memories name them says nothing."""
    entities = [key for key in standing if key.startswith(ENTITY)]
    crowds = store.entities.met_often(scope, entities, more_than=CROWD) if entities else set()
    return {key: here for key, here in standing.items() if key not in crowds}


def _step(step: Sequence[LinkEnd], standing: Mapping[str, _Standing]) -> dict[str, _Standing]:
    """Let every key give to its neighbours; return what came to each of them."""
    degree = Counter(tie.at for tie in step)
    came: dict[str, _Standing] = {}
    for tie in step:
        here = standing[tie.at]
        holds = here.holds - here.givers.get(tie.to, 0.0)
        gives = GIVES_ON * holds * min(abs(tie.weight), 1.0) / degree[tie.at] ** 0.5
        if gives <= 0.0:
            continue
        there = came.get(tie.to)
        if there is None:
            there = came[tie.to] = _Standing(0.0, (*here.via, tie.type))
        there.holds += gives
        # A dislike on any way to it is worth knowing, also where a neutral tie came first.
        there.negative = there.negative or here.negative or tie.negative
        there.givers[tie.at] = there.givers.get(tie.at, 0.0) + gives
    return came


def by_ties(
    query: Query,
    gathered: Gathered,
    *,
    own: Mapping[int, float],
    named: Iterable[str],
    store: Tables,
    hops: int,
) -> None:
    """Let the best candidates and whom the question names lift what is tied to them."""
    best = in_order(own)[:FROM]
    ids = store.memories.ids_of(query.where.scope, best)
    starts = {ids[number]: own[number] for number in best if number in ids}
    starts |= dict.fromkeys(named, NAMED)
    reached = spread(starts, where=query.where, store=store, hops=hops) if hops else {}
    rows = {there.number: there for there in reached.values() if there.number is not None}
    for number, there in rows.items():
        found = gathered.at(number)
        found.graph = min(there.activation, 1.0)
        found.hops, found.via, found.negative = there.hops, there.via, there.negative
    why = "" if rows else "nothing is tied to what was found" if hops else "turned off"
    gathered.paths.append(RecallPath("graph", bool(starts) and hops > 0, len(rows), why))


# -- From the best hits to their neighbours in the conversation

# What a hit gives to the turns around it, by distance. The next turn is the reply.
GIVES = {-3: 0.1, -2: 0.15, -1: 0.3, 1: 0.5, 2: 0.3, 3: 0.15, 4: 0.1}
# How many of the best hits share what they have.
FROM_TURNS = 32
# A conversation is about what its best turns are about: their mean lifts what else is found in it.
TOPIC = 3


def walk(query: Query, gathered: Gathered, *, own: Mapping[int, float], store: Tables) -> None:
    """Let the best candidates lift the turns around them, also those nothing else has found."""
    best = sorted(own, key=own.__getitem__, reverse=True)[:FROM_TURNS]
    steps = store.memories.neighbours(query.where, best, before=min(GIVES), after=max(GIVES))
    for number, neighbour, step in steps:
        gathered.at(neighbour).context += GIVES.get(step, 0.0) * own[number]
    sessions = store.memories.sessions_of(query.where.scope, gathered.found)
    about: defaultdict[str, list[float]] = defaultdict(list)
    for number in best:
        about[sessions.get(number, "")].append(own[number])
    for number, session in sessions.items() if len(about.keys() - {""}) > 1 else ():
        # Where there is only one conversation, its subject tells nothing apart.
        gathered.at(number).context += sum(about[session][:TOPIC]) / TOPIC
    found = len({neighbour for _, neighbour, _ in steps})
    why = "" if steps else "no hit has turns beside it"
    gathered.paths.append(RecallPath("context", bool(steps), found, why))
