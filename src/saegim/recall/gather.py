"""Candidates from words and vectors, each path saying whether it ran and what it found."""

from __future__ import annotations

import re
from calendar import monthrange
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from saegim.engines.embedder import Embedder, embed_by_deadline
from saegim.errors import BadInput, EngineError, StoreCorrupt
from saegim.language.times import Span, comes_back, is_of_its_day, recurs_on
from saegim.language.words import Term
from saegim.memory.clock import parse_instant
from saegim.memory.entities import CONTRADICTS, HAS_FEEDBACK, MERGED_FROM, SIMILAR_TO, SUPERSEDES
from saegim.memory.memory import Kind, Memory, Scope
from saegim.recall.understand import Query, Understanding
from saegim.store.rows import Where
from saegim.store.search.embedding_index import Nearby
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
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
# A day that comes back is looked for so many times after the one that was named.
_TIMES_AGAIN: Final = 24


@dataclass(frozen=True, slots=True)
class RecallPath:
    """One way of finding: whether it ran, how much it found, and why not if it did not."""

    name: str
    ran: bool
    found: int = 0
    why: str = ""


Values = npt.NDArray[np.float64]
# What is said of each candidate, from 0 (nothing) to about 1 (everything): the cosine as it was
# measured (`vector`) and what it says for this embedder (`meaning`), what neighbours and ties lend,
# and whether it lies in the stretch of time that the question names (`during`).
_COLUMNS: Final = {
    name: at for at, name in enumerate("meaning vector words context graph during".split())
}
_ROOM: Final = 256


class Candidates:
    """What was found, in the order in which it was: what each path says of it, in columns."""

    def __init__(self) -> None:
        self._place: dict[int, int] = {}
        self._held = np.zeros((len(_COLUMNS), _ROOM))
        # How ties led to those that they led to, by row.
        self.reached: dict[int, Reached] = {}

    def __len__(self) -> int:
        return len(self._place)

    def __contains__(self, number: int) -> bool:
        return number in self._place

    def __getitem__(self, name: str) -> Values:
        """Return one column, to be written to in place."""
        return self._held[_COLUMNS[name], : len(self._place)]

    @property
    def numbers(self) -> npt.NDArray[np.int64]:
        """The rows that were found."""
        return np.fromiter(self._place, np.int64, len(self._place))

    @property
    def tied(self) -> npt.NDArray[np.bool_]:
        """Whether anything but its meaning ties each to the question."""
        return np.asarray(self._held[_COLUMNS["words"] :, : len(self)].any(axis=0), np.bool_)

    def told(self, at: npt.NDArray[np.intp]) -> list[list[float]]:
        """Return what every column says of those that stand there."""
        told: list[list[float]] = self._held[:, at].T.tolist()
        return told

    def at(self, numbers: Iterable[int]) -> list[int]:
        """Return where these rows stand, each new if it is the first time it is found."""
        place = self._place
        found = [place.setdefault(number, len(place)) for number in numbers]
        while len(place) > self._held.shape[1]:
            self._held = np.concatenate([self._held, np.zeros_like(self._held)], axis=1)
        return found

    def raised(self, name: str, numbers: Sequence[int], values: Values | float) -> None:
        """Let a column say at least this much of these rows."""
        at, column = self.at(numbers), self[name]
        column[at] = np.maximum(column[at], values)


def is_read(paths: Iterable[RecallPath]) -> bool:
    """Say whether a question was read for its meaning in time; else nobody waits for that."""
    return any(path.name == "vector" and path.ran for path in paths)


@dataclass(slots=True)
class Gathered:
    """All candidates of a question and the paths that brought them."""

    found: Candidates = field(default_factory=Candidates)
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

    @property
    def words_may_say(self) -> float:
        """Say how far words may speak: less where hardly any word of the question is known."""
        return min(self.known / ENOUGH_KNOWN, 1.0)


@lru_cache(maxsize=16)
def scale_of(floor: float, ask: float) -> Callable[[npt.ArrayLike], Values]:
    """Return what a cosine of this embedder says, on a scale from 0 to 1 that all of them share.

    Straight above the floor, bent softly around it; it depends on the embedder's identity alone,
    never on what else was found.
    """
    step = max(ask - floor, 1e-3) / STEPS
    whole = np.logaddexp(0.0, (1.0 - floor) / step)

    def says(cosine: npt.ArrayLike) -> Values:
        # log(1 + e^x): 0 far below zero, x far above it.
        said: Values = np.logaddexp(0.0, (np.asarray(cosine) - floor) / step) / whole
        return np.minimum(said, 1.0)

    return says


def in_order(values: Values, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """Return the places of values, the highest first; equal ones by their rows.

    Sums that were added up in another order differ in their last digits and are equal all the same.
    """
    return np.lexsort((numbers, -values.round(9)))


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
        latest = store.memories.latest(_within(query, span).where, limit=pool)
        gathered.found.raised("during", latest, 1.0)
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
    inside = [number for number, memory in memories.items() if day_in(memory, asked.spans)]
    gathered.found.raised("during", inside, 1.0)


def day_in(memory: Memory, spans: Sequence[Span]) -> datetime | None:
    """Return the first day in the spans that a memory speaks of, also as one that comes back."""
    days = (day for day in _days(memory) if any(s.start <= day < s.end for s in spans))
    return min(days, default=None)


def open_in(memory: Memory, spans: Sequence[Span], now: datetime) -> bool:
    """Say whether what names no day may yet be of the spans: told today for today, or it recurs."""
    if memory.time.mentions or memory.kind is Kind.PREFERENCE:
        return False
    weekdays = recurs_on(memory.text)
    if weekdays is not None:
        days = {s.start + timedelta(day) for s in spans for day in range(7)}
        within = {_WEEKDAYS[day.weekday()] for day in days if any(day < s.end for s in spans)}
        return not weekdays or not within.isdisjoint(weekdays)
    told = memory.time.happened_at.astimezone(now.tzinfo)
    today = any(s.start <= now < s.end for s in spans) and told.date() == now.date()
    return today and is_of_its_day(memory.text)


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
    inside, found = Gathered(), gathered.found
    narrow = _within(query, span)
    # What lies in the time is a candidate, also where it shares nothing with the rest.
    found.raised("during", store.memories.latest(narrow.where, limit=query.limit), 1.0)
    by_words(narrow, inside, store, query.limit)
    by_vector(narrow, inside, store, embedder, patience, previous)
    rows = inside.found.numbers.tolist()
    found.raised("during", rows, 1.0)
    for name in ("words", "meaning", "vector"):
        # There the time is answered already: what is left of the question may be all it says.
        found.raised(name, rows, inside.found[name])
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
    said = np.minimum(np.array(hits.bm25) / hits.bound, 1.0) if hits.bound else 0.0
    gathered.found.raised("words", hits.numbers, said)
    gathered.terms, gathered.analyser = hits.terms, analyser.name
    gathered.known, gathered.among = hits.known, hits.among
    why = f"too common to search for: {', '.join(hits.left_out)}" if hits.left_out else ""
    gathered.paths.append(RecallPath("words", True, len(hits.numbers), why))


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
    found = gathered.found
    best = in_order(found["words"], found.numbers)[:BOTH]
    rows = found.numbers[best].tolist()
    enough = embedder.lexical and len(found) >= query.limit
    try:
        vector, identity = embed_by_deadline(embedder, asked, patience)
        hits = store.vectors.nearby(
            vector,
            identity,
            query.where,
            limit=0 if enough else max(NEAREST, query.limit),
            also=rows,
        )
    except EngineError as error:
        # Words that answer alone speak for meaning too, or the floor would let none of them by.
        found["meaning"][best] = found["words"][best]
        gathered.paths.append(RecallPath("vector", False, why=error.message))
        return
    _heard(query, gathered, hits, embedder)
    measured = set(hits.numbers)
    waiting = store.vectors.waiting(identity)
    if waiting and (before := previous()) is not None:
        measured |= _by_previous(query, gathered, store, before, patience, measured)
    if lacking := [at for at, row in zip(best, rows, strict=True) if row not in measured]:
        # Not embedded yet, or its vector is spoilt: its words speak for its meaning too, so that
        # it stands where it would if all were in its place.
        found["meaning"][lacking] = found["words"][lacking]
    floor = embedder.floor
    near = sum(cosine >= floor for cosine in hits.cosines)
    missed = floor - NEAR_MISS
    gathered.hidden = sum(
        cosine >= missed and each not in found for each, cosine in zip(*hits, strict=True)
    )
    unread = store.vectors.unread(query.where.scope, identity)
    why = f"{waiting} memories are not embedded yet" if waiting else ""
    if unread:
        why = f"{unread} vectors are still being read"
    gathered.paths.append(RecallPath("vector", True, near, why))
    gathered.waiting = waiting


def _heard(query: Query, gathered: Gathered, hits: Nearby, embedder: Embedder) -> None:
    """Take in what an embedder finds near, on the scale that all share."""
    says, found = scale_of(embedder.floor, embedder.ask), gathered.found
    lowest = embedder.floor - NEAR_MISS if query.near_misses else embedder.floor
    heard = {
        number: cosine
        for number, cosine in zip(*hits, strict=True)
        if cosine >= lowest or number in found
    }
    at, near = found.at(heard), np.array(list(heard.values()))
    found["vector"][at], found["meaning"][at] = np.maximum(near, 0.0), says(near)


def _by_previous(
    query: Query,
    gathered: Gathered,
    store: Tables,
    previous: Embedder,
    patience: float,
    measured: set[int],
) -> set[int]:
    """Let the embedder that served before answer for what has no vector of the new one yet."""
    rows = gathered.found.numbers.tolist()
    unmeasured = [number for number in rows if number not in measured]
    try:
        asked = query.meaning if previous.lexical else query.asked
        vector, identity = embed_by_deadline(previous, asked, patience)
        limit = max(NEAREST, query.limit)
        near = store.vectors.nearby(vector, identity, query.where, limit=limit, also=unmeasured)
    except EngineError:
        return set()  # The path itself has run; what is not embedded is counted.
    new = {n: cosine for n, cosine in zip(*near, strict=True) if n not in measured}
    _heard(query, gathered, Nearby(list(new), list(new.values())), previous)
    return set(new)


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
    own: Values,
    named: Iterable[str],
    store: Tables,
    hops: int,
) -> None:
    """Let the best candidates and whom the question names lift what is tied to them."""
    found = gathered.found
    numbers = found.numbers[: len(own)]
    best = in_order(own, numbers)[:FROM]
    holds = dict(zip(numbers[best].tolist(), own[best].tolist(), strict=True))
    ids = store.memories.ids_of(query.where.scope, holds)
    starts = {ids[number]: held for number, held in holds.items() if number in ids}
    starts |= dict.fromkeys(named, NAMED)
    reached = spread(starts, where=query.where, store=store, hops=hops) if hops else {}
    rows = {there.number: there for there in reached.values() if there.number is not None}
    found.reached |= rows
    at = found.at(rows)
    found["graph"][at] = [min(there.activation, 1.0) for there in rows.values()]
    why = "" if rows else "nothing is tied to what was found" if hops else "turned off"
    gathered.paths.append(RecallPath("graph", bool(starts) and hops > 0, len(rows), why))


# -- From the best hits to their neighbours in the conversation

# What a hit gives to the turns around it, by distance. The next turn is the reply.
GIVES = {-3: 0.1, -2: 0.15, -1: 0.3, 1: 0.5, 2: 0.3, 3: 0.15, 4: 0.1}
# How many of the best hits share what they have.
FROM_TURNS = 32
# A conversation is about what its best turns are about: their mean lifts what else is found in it.
TOPIC = 3


def walk(query: Query, gathered: Gathered, *, own: Values, store: Tables) -> None:
    """Let the best candidates lift the turns around them, also those nothing else has found."""
    found = gathered.found
    best = in_order(own, found.numbers)[:FROM_TURNS]
    holds = dict(zip(found.numbers[best].tolist(), own[best].tolist(), strict=True))
    steps = store.memories.neighbours(query.where, holds, before=min(GIVES), after=max(GIVES))
    beside = found.at(neighbour for _, neighbour, _ in steps)
    for place, (number, _, step) in zip(beside, steps, strict=True):
        found["context"][place] += GIVES.get(step, 0.0) * holds[number]
    sessions = store.memories.sessions_of(query.where.scope, found.numbers)
    about: defaultdict[str, list[float]] = defaultdict(list)
    for number, held in holds.items():
        about[sessions.get(number, "")].append(held)
    if len(about.keys() - {""}) > 1:
        # Where there is only one conversation, its subject tells nothing apart.
        lends = {session: sum(held[:TOPIC]) / TOPIC for session, held in about.items()}
        at = found.at(sessions)
        found["context"][at] += [lends.get(session, 0.0) for session in sessions.values()]
    lifted = len({neighbour for _, neighbour, _ in steps})
    why = "" if steps else "no hit has turns beside it"
    gathered.paths.append(RecallPath("context", bool(steps), lifted, why))
