"""A question in; memories out, best first, each saying why, and which paths could be walked."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, Final

from saegim.errors import StoreCorrupt
from saegim.language.times import Span
from saegim.language.words import Term
from saegim.learn.reranker import frozen
from saegim.memory.clock import iso, micros
from saegim.memory.memory import PERSON, Scope, State, Weighed, shared_scope
from saegim.mind import Mind
from saegim.perceive.learned import MOST_SHOWN, reranker_for, shown_rows
from saegim.recall.gather import RecallPath, by_ties, day_in, gather, is_read, open_in, walk
from saegim.recall.mood import Mood, congruent, feelings_of, mood
from saegim.recall.rank import (
    Hit,
    best,
    by_day,
    features,
    marked,
    own_relevance,
    person_first,
    reordered,
    shares_of,
)
from saegim.recall.understand import Query, Understanding, understand
from saegim.recall.usage import FIRST, said_in
from saegim.store.search.resident_tables import Tables
from saegim.store.tables.experience_table import Experience


@dataclass(frozen=True, slots=True, kw_only=True)
class InMind:
    """Something said in the session at hand that no memory holds: a query of its graph (seed B).

    `answer` is what was answered to it last, `score` stands beside those of the hits.
    """

    id: str
    session: str
    text: str
    said_at: datetime
    score: float
    answer: str = ""
    origin: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return asdict(self) | {"said_at": iso(self.said_at)}


@dataclass(frozen=True, slots=True)
class Recollection:
    """What came back: hits in rank order, the paths that ran, and the scope they ran in.

    `below_floor` counts what is too far from the question to be put into a prompt unasked: hits
    that a search shows all the same, each marked `weak`, and near misses of the vectors, which
    `near_misses` shows (U17.2).
    """

    hits: tuple[Hit, ...]
    paths: tuple[RecallPath, ...]
    scope: Scope
    candidates: int = 0
    below_floor: int = 0
    # How many of those are near misses that are not among the hits.
    hidden: int = 0
    # With a session at hand: what was said in it comes before what is long remembered.
    in_mind: tuple[InMind, ...] = ()
    # The act and the question, not the answer: two that say the same are equal.
    trace: str = field(default="", compare=False)
    understood: Understanding = field(default_factory=Understanding, repr=False, compare=False)
    terms: tuple[Term, ...] = field(default=(), repr=False, compare=False)

    @property
    def searched(self) -> bool:
        """Say whether any path ran: nothing found is not the same as nothing searched."""
        return any(path.ran for path in self.paths)

    @property
    def feelings(self) -> Mood | None:
        """The feelings that what is shown brings back, if it has any (seed D §2)."""
        return feelings_of(hit.memory for hit in self.hits if not hit.weak)


# By so much what sleeps must be nearer to a question than the best of what lives. Chosen on the
# open lives: with it two questions more in a hundred are answered after eight weeks.
CLEARLY_NEARER: Final = 1.1


def recall(query: Query, *, mind: Mind) -> Recollection:
    """Answer a question from memory; reads only, and takes no lock.

    What the users of the agent at hand share is read beside one's own, as a second scope. What
    sleeps answers where it lies clearly nearer than anything living; who shows it says so.
    """
    store = mind.store.at_hand(query.where.scope)
    found = _looked(query, store, mind)
    if asleep := _asleep(query, found, store, mind):
        hits = tuple(sorted((*asleep, *found.hits), key=_strongest)[: query.limit])
        found = replace(found, hits=hits, candidates=found.candidates + len(asleep))
    found = _with_shared(query, found, mind)
    hits = person_first(found.hits, query.asked)
    if hits != found.hits:
        found = replace(found, hits=hits)
    if mind.store.damage and not found.hits:
        # What is there may lie on a page that cannot be read: that is not the same as nothing.
        raise StoreCorrupt(
            "store.damaged_nothing_was_found", path=mind.store.path, why=mind.store.damage
        )
    if query.steady:
        return found
    # What is shown is noted, and which words of the first the question said itself.
    said = partial(said_in, query.asked, [hit.memory.text for hit in found.hits[:FIRST]])
    shown = [hit.memory.id for hit in found.hits]
    trace = mind.shown(query.where.scope, shown, said)
    note_shown(trace, found.hits, found, query.asked, mind)
    return replace(found, trace=trace)


def _with_shared(query: Query, found: Recollection, mind: Mind) -> Recollection:
    """Put what the users of one agent share among one's own, by its score."""
    shared = shared_scope(query.where.scope)
    common = mind.store.common
    if shared is None or not common.memories.count_up_to(shared, 1):
        return found
    where = replace(query.where, scope=shared, visibility="shared")
    others = _looked(replace(query, where=where), common.at_hand(shared), mind)
    hits = list(found.hits)
    own = {hit.memory.canonical_key for hit in hits}
    for hit in others.hits:
        # What both hold is told once, as one's own.
        if hit.memory.canonical_key not in own:
            place = next((at for at, each in enumerate(hits) if each.score < hit.score), len(hits))
            hits.insert(place, hit)
    kept = hits[: query.limit]
    return replace(
        found,
        hits=tuple(kept),
        candidates=found.candidates + others.candidates,
        below_floor=sum(hit.weak for hit in kept) + found.hidden,
    )


def _asleep(query: Query, found: Recollection, store: Tables, mind: Mind) -> tuple[Hit, ...]:
    """Return what lies clearly nearer to the question, among the dormant, than anything living."""
    where = query.where
    if not mind.settings.is_gentle or where.states != (State.ACTIVE,):
        return ()
    if found.understood.only_time:
        return ()
    where = replace(where, states=(State.DORMANT,))
    if not store.memories.latest(where, limit=1):
        return ()
    again = _looked(replace(query, where=where), store, mind)
    living = max((hit.weighed.relevance for hit in found.hits if not hit.weak), default=0.0)
    nearer = CLEARLY_NEARER * living
    return tuple(hit for hit in again.hits if not hit.weak and hit.weighed.relevance > nearer)


# So many memories of diets and allergies stand beside a request about food.
_LIMITS: Final = 2


def with_limits(query: Query, found: Recollection, *, mind: Mind) -> Recollection:
    """Put what somebody may not eat beside a request about food, which seldom shares its words.

    Only what the person said or confirmed; after the best hit, and as relevant as that. Where the
    question was not read for its meaning in time, nobody waits for it here.
    """
    limits = mind.eating_limits(query.asked) if is_read(found.paths) else None
    if limits is None or query.where.states != (State.ACTIVE,):
        return found
    scope, (vector, least) = query.where.scope, limits
    where = replace(query.where, origins=query.where.origins or tuple(PERSON))
    store = mind.store.at_hand(scope)
    near = store.vectors.nearby(vector, mind.embedder.identity, where, limit=_LIMITS)
    rows = [row for row, at in zip(*near, strict=True) if at >= least]
    memories = store.memories.by_numbers(scope, rows)
    first = [hit for hit in found.hits[:1] if not hit.weak]
    weighed = first[0].weighed if first else Weighed(1.0, 1.0, 0.0, 0.0)
    shown = {hit.number for hit in first}
    beside = [
        Hit(memories[row], weighed, 0.0, 0.0, 0.0, number=row)
        for row in rows
        if row in memories and row not in shown  # what was forgotten meanwhile is gone
    ]
    taken = {hit.memory.id for hit in (*first, *beside)}
    rest = (hit for hit in found.hits if hit.memory.id not in taken)
    marks = marked(tuple(beside), scope, store, now=mind.now())
    return replace(found, hits=(*first, *marks, *rest))


def _strongest(hit: Hit) -> tuple[bool, float]:
    """Order hits of two looks: what answers first, and by its score."""
    return hit.weak, -hit.score


def _looked(query: Query, store: Tables, mind: Mind) -> Recollection:
    """Answer a question from the memories that its filters allow."""
    scope = query.where.scope
    asked = understand(query.asked, now=mind.here(mind.now()), scope=scope, store=store)
    gathered = gather(
        query,
        asked,
        store=store,
        embedder=mind.embedder,
        pool=mind.settings.pool,
        patience=mind.patience,
        previous=mind.previous_embedder,
    )
    known = gathered.words_may_say
    shares = shares_of(mind.settings, query.asked, known=known, steady=query.steady)
    own = own_relevance(gathered.found, shares)
    if not asked.only_time:
        # A stretch of time has no neighbours: what lies beside it lies outside.
        if shares.context:
            walk(query, gathered, own=own, store=store)
        hops = mind.settings.graph_hops
        by_ties(query, gathered, own=own, named=asked.names, store=store, hops=hops)
    if gathered.waiting:
        mind.store.keep_indexed(mind.embedder, mind.now)
    hits = best(gathered, query, asked, mind, shares, store)
    hits = _reranked(hits, query, gathered.terms, store, mind)
    if mind.settings.mood_share and not query.steady:
        hits = congruent(hits, mood(scope, mind), mind.settings.mood_share)
    hits = marked(hits, scope, store, now=mind.now())
    if asked.agenda:
        hits = _ahead(hits, asked.spans, mind.here(mind.now()))
    if gathered.damage is not None and not hits:
        raise gathered.damage
    return Recollection(
        hits,
        tuple(gathered.paths),
        scope,
        len(gathered.found),
        below_floor=sum(hit.weak for hit in hits) + gathered.hidden,
        hidden=gathered.hidden,
        understood=asked,
        terms=tuple(gathered.terms),
    )


def _ahead(hits: Sequence[Hit], asked: Sequence[Span], now: datetime) -> tuple[Hit, ...]:
    """Return what lies ahead in the spans by its day: no plan is what was only said in them.

    What is over stands only where nothing lies ahead; what was told today for today, without its
    day, is of today.
    """
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    spans = [replace(span, start=max(span.start, today)) for span in asked]
    dated = [hit for hit in hits if day_in(hit.memory, asked)]
    dated = [hit for hit in dated if day_in(hit.memory, spans)] or dated
    if not dated:
        said = ((hit, hit.memory.time.happened_at) for hit in hits)
        dated = [hit for hit, at in said if not any(s.start <= at <= now for s in asked)]
    beside = [hit for hit in hits if hit not in dated and open_in(hit.memory, spans, now)]
    return by_day([*dated, *beside], spans)


def _reranked(
    hits: tuple[Hit, ...], query: Query, terms: Sequence[Term], store: Tables, mind: Mind
) -> tuple[Hit, ...]:
    """Put the hits into the learned order where one is in charge and quick enough.

    Recency and recalls are among the features: a prompt must not change by being asked for, so it
    is ordered without them.
    """
    scope = query.where.scope
    reranker = mind.reranker
    if reranker is None and mind.may_rerank(scope.user, store.pages):
        reranker = reranker_for(scope.user, mind)
    if reranker is None or len(hits) < 2:
        return hits
    began = time.perf_counter()
    rows = features(hits, query.asked, terms, scope=scope, store=mind.store)
    ordered = reordered(hits, frozen(rows) if query.steady else rows, reranker)
    late = (time.perf_counter() - began) * 1000 > mind.settings.reranker_milliseconds
    return hits if late else ordered


def note_shown(
    trace: str, hits: Sequence[Hit], found: Recollection, asked: str, mind: Mind
) -> None:
    """Note the eleven features of what an answer showed, worked out behind it."""
    if not trace or mind.traces is None or not mind.settings.experience_rows:
        return
    scope, at = found.scope, micros(mind.now())

    def made() -> list[Experience]:
        first = hits[:MOST_SHOWN]
        rows = features(first, asked, found.terms, scope=scope, store=mind.store)
        ids = [hit.memory.id for hit in first]
        return shown_rows(scope.user, trace, at, scope.session, ids, rows)

    mind.traces.note_experience(made)
