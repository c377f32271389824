"""From candidates to hits: weighed, in order, each knowing whether it is strong enough."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from math import log1p, log10
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from saegim.language.questions import asks_for_the_agents_words
from saegim.language.times import Span
from saegim.language.words import Term
from saegim.memory.clock import micros
from saegim.memory.entities import CONTRADICTS
from saegim.memory.memory import (
    PERSON,
    SECONDS_A_DAY,
    STRANGERS,
    FusionWeights,
    Kind,
    Memory,
    Origin,
    Scope,
    ScoreWeights,
    Source,
    State,
    Tier,
    Weighed,
    clamp,
    fused,
    said_after,
    score,
)
from saegim.memory.text import normalise
from saegim.mind import FEATURES, Mind, Reranker, Rows
from saegim.recall.gather import Candidates, Gathered, Reached, Values, day_in, in_order, is_read
from saegim.recall.understand import Query, Understanding
from saegim.settings import Settings
from saegim.store.search.resident_tables import Tables
from saegim.store.tables.memory_table import Facts

# What each sign is worth on the scale of relevance.
NAMES_A_DAY: Final = 0.06
HOLDS_A_NUMBER: Final = 0.04
SAID_BY_THE_NAMED: Final = 0.04
# The very words that were quoted: whoever quotes wants them and no others.
HOLDS_THE_QUOTE: Final = 0.3
ONLY_ASKS: Final = -0.06
# What the agent said in conversation: it asks back, repeats and advises; the person tells. What it
# reports of the person (`Source.REPORTED`) is the person's telling.
SAID_BY_THE_AGENT: Final = -0.08
# Called wrong by someone, and not corrected since: born with 0.7, halved each time.
DOUBTED: Final = -0.1
DOUBTED_BELOW: Final = 0.4

_WHEN: Final = re.compile(
    r"(?i)\bwhen\b|\b(?:what|which) (?:date|day|time|year|month|week)\b|\bhow long ago\b"
    r"|언제|며칠|몇\s?[일월시]|몇\s?년도|날짜|무슨 요일"
)
_MANY: Final = re.compile(
    r"(?i)\bhow (?:many|much|old|long|often|tall|far|big)\b|몇|얼마|액수|금액|점수|개수|횟수"
)
_NUMBER: Final = re.compile(
    r"(?i)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred"
    r"|thousand|once|twice|half)\b"
    r"|(?:[일이삼사오육칠팔구십백천만억]{1,8}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|서른)\s?"
    r"(?:개|명|번|살|원|시|분|권|부|마리|대|층|잔|달|주|년|시간|킬로|미터|그릇|병|장|군데|곳|채|판)"
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What shape of answer a question wants, and the question itself, to find a name in it."""

    when: bool
    many: bool
    asked: str
    phrases: tuple[str, ...] = ()
    # Whether it asks for what the agent said.
    yours: bool = False


def wanted(asked: str, phrases: Sequence[str] = ()) -> Wanted:
    """Read what shape of answer a question wants; `phrases` are what it quotes."""
    when = _WHEN.search(asked) is not None
    many = not when and _MANY.search(asked) is not None
    yours = asks_for_the_agents_words(asked)
    return Wanted(when, many, f" {normalise(asked)}", tuple(map(normalise, phrases)), yours)


_plain = lru_cache(maxsize=1024)(normalise)


_BY_THE_AGENT: Final = {
    (Origin.AGENT_INFERRED, Source.CONVERSATION),
    (Origin.AGENT_INFERRED, Source.USER),
}


def fit(wants: Wanted, facts: Facts) -> Values:
    """Return what the shape of each memory adds to its relevance, or takes from it."""
    worth = np.zeros(len(facts))
    named = {each for each in set(facts.author) if each and f" {_plain(each)}" in wants.asked}
    if named:
        worth += SAID_BY_THE_NAMED * np.array([each in named for each in facts.author])
    if wants.when:
        worth += NAMES_A_DAY * facts.mentions
    if wants.many:
        worth += [HOLDS_A_NUMBER * bool(_NUMBER.search(each)) for each in facts.beginning]
    if wants.phrases:
        said = map(normalise, facts.beginning)
        worth += [HOLDS_THE_QUOTE * any(each in text for each in wants.phrases) for text in said]
    worth += ONLY_ASKS * facts.asks + DOUBTED * (facts.confidence < DOUBTED_BELOW)
    if Origin.AGENT_INFERRED in facts.origin:
        agents = [each in _BY_THE_AGENT for each in zip(facts.origin, facts.source, strict=True)]
        worth += (-SAID_BY_THE_AGENT if wants.yours else SAID_BY_THE_AGENT) * np.array(agents)
    return worth


# -- The three factors: relevance, recency, importance; kept apart for the explanation

PATHS = ("words", "vector", "context", "graph", "during")


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that came back, with every number that brought it and the words it shares."""

    memory: Memory
    weighed: Weighed
    words: float
    vector: float
    context: float
    matched: tuple[str, ...] = ()
    # Living memories that say otherwise; nobody has settled which of them holds.
    conflicts: tuple[str, ...] = ()
    number: int = 0
    # What ties lend it, how many ties away it is, along which, and whether one of them is negative.
    graph: float = 0.0
    hops: int | None = None
    via: tuple[str, ...] = ()
    negative: bool = False
    # Whether it lies in the stretch of time that the question names.
    during: bool = False
    # What its shape adds or takes away: names a day where one is asked for, only asks itself, …
    fit: float = 0.0
    # Whether it is below what this embedder needs to call something an answer.
    weak: bool = False

    @property
    def score(self) -> float:
        """Return the number the order rests on."""
        return self.weighed.score

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the names of the paths that found it."""
        return tuple(name for name in PATHS if getattr(self, name) > 0.0)


@dataclass(frozen=True, slots=True)
class Shares:
    """What each part counts in the answer to one question."""

    words: float
    context: float
    graph: float
    time: float
    fit: float
    weights: ScoreWeights
    half_life_days: float
    floor: float


# From so many words on, a question says enough for its words to find by themselves; at so many,
# they take half of what meaning had (docs/decisions/0018-what-a-question-wants.md).
SAYS_MUCH: Final = (8, 20)


def shares_of(
    settings: Settings, asked: str = "", *, known: float = 1.0, steady: bool = False
) -> Shares:
    """Return what each part counts by the settings, in this question.

    `known` is how far words may speak for it; in a `steady` one recency says nothing.
    """
    if settings.ranking == "seed":
        return _shares_of_the_seeds(settings)
    least, most = SAYS_MUCH
    much = clamp((len(asked.split()) - least) / (most - least))
    words = settings.words_share
    # Whoever turned words off wants none of them.
    words += (1 - words) * much / 2 if words else 0.0
    return Shares(
        words=words * known,
        context=settings.context_share,
        graph=settings.graph_share,
        time=settings.time_share,
        fit=settings.fit_share,
        weights=ScoreWeights(
            relevance=settings.relevance_weight,
            recency=0.0 if steady else settings.recency_weight,
            importance=settings.importance_weight,
        ),
        half_life_days=settings.recency_half_life_days,
        floor=settings.relevance_floor,
    )


def _shares_of_the_seeds(settings: Settings) -> Shares:
    """Return seed E's weights: three sources and three factors, and nothing that is lent."""
    sources = FusionWeights()
    weights = ScoreWeights(sources=sources)
    words = sources.words / (sources.words + sources.vector)
    days, floor = settings.recency_half_life_days, settings.relevance_floor
    return Shares(words, 0.0, 0.0, 0.0, 0.0, weights, days, floor)


# The best of many strangers looks better than the best of few: for questions about nothing that is
# here, the 95th percentile of the best relevance was 0.23 among 60 memories, 0.24 among 200 and
# 0.27 among 800. A small store asks for less than that: there, real answers lie lower too
# (docs/decisions/0017-fusion-for-a-reader.md).
FLOOR_COUNTED_AT = 5000
FLOOR_GROWS = 0.13
_LOWEST_FLOOR, _HIGHEST_FLOOR = 0.1, 0.5


def floor_among(floor: float, memories: int) -> float:
    """Return how relevant an answer must be among so many memories, to be no stranger."""
    if floor <= 0.0 or memories <= 0:
        return floor
    grown = floor + FLOOR_GROWS * log10(memories / FLOOR_COUNTED_AT)
    return clamp(grown, min(_LOWEST_FLOOR, floor), max(_HIGHEST_FLOOR, floor))


def own_relevance(found: Candidates, shares: Shares) -> Values:
    """Fuse what memories say themselves: words and meaning by their shares."""
    if weights := shares.weights.sources:
        said = (found[name].tolist() for name in ("vector", "words", "graph"))
        return np.array(
            [fused(weights, vector=v, words=w, graph=g) for v, w, g in zip(*said, strict=True)]
        )
    return shares.words * found["words"] + (1 - shares.words) * found["meaning"]


def relevance(found: Candidates, shares: Shares) -> Values:
    """Fuse the paths: what they say themselves, and what neighbours, ties and their time lend.

    What is lent fills up what is missing, so that nothing lent outdoes the very words asked for.
    """
    own = own_relevance(found, shares)
    lent = shares.context * found["context"] + shares.graph * found["graph"]
    lent += shares.time * found["during"]
    return own + (1.0 - own) * np.minimum(lent, 1.0)


# How slowly each kind and tier ages beside an episode of the lowest tier (seed C: decay by
# category): a mood passes, a preference lasts, a principle stays.
KIND_PACE: dict[str, float] = {
    Kind.EMOTION: 0.5, Kind.IMAGINED: 0.5, Kind.EPISODE: 1.0, Kind.EXPERIENCE: 2.0,
    Kind.TECHNICAL: 2.0, Kind.FACT: 3.0, Kind.PREFERENCE: 4.0, Kind.INSIGHT: 4.0,
    Kind.PRINCIPLE: 12.0,
}  # fmt: skip
TIER_PACE: dict[str, float] = {Tier.M30: 1.0, Tier.M90: 2.0, Tier.M365: 6.0, Tier.M0: 24.0}


class Scores(NamedTuple):
    """The parts of the scores of some candidates, in columns."""

    score: Values
    relevance: Values
    recency: Values
    importance: Values
    fit: Values

    def of(self, at: npt.NDArray[np.intp], weights: ScoreWeights) -> list[tuple[Weighed, float]]:
        """Return the scores of some of them, each with what its shape added."""
        parts = (self.relevance, self.recency, self.importance, self.fit)
        return [
            (score(relevance=r, recency_score=t, importance_score=i, weights=weights), fit)
            for r, t, i, fit in zip(*(part[at].tolist() for part in parts), strict=True)
        ]


def weigh(relevant: Values, facts: Facts, *, wants: Wanted, now: int, shares: Shares) -> Scores:
    """Score candidates by their facts; `now` is in microseconds."""
    weights = shares.weights
    added = shares.fit * fit(wants, facts)
    half_life: float | Values = shares.half_life_days * SECONDS_A_DAY
    if not weights.sources:  # Seed E knows one clock for all.
        kinds_and_tiers = zip(facts.kind, facts.tier, strict=True)
        pace = [
            KIND_PACE.get(kind, 1.0) * TIER_PACE.get(tier, 1.0) for kind, tier in kinds_and_tiers
        ]
        # Strong feeling slows it.
        half_life = half_life * np.array(pace) * (1 + facts.intensity)
    relevant = np.minimum(np.fmax(relevant + added, 0.0), 1.0)
    # 1 for now, one half after the half-life; the future counts as now.
    recent = np.exp2(-np.maximum((now - facts.last_at) / 1_000_000, 0.0) / half_life)
    scores = (
        weights.relevance * relevant
        + weights.recency * recent
        + weights.importance * facts.importance
    )
    return Scores(scores, relevant, recent, facts.importance, added)


# -- Memories that disagree and were not settled: each is marked


def marked(hits: Sequence[Hit], scope: Scope, store: Tables, *, now: datetime) -> tuple[Hit, ...]:
    """Tell each hit which living memories contradict it, and let the right one of two lead."""
    ids = [hit.memory.id for hit in hits]
    links = store.links.of(scope, ids, [CONTRADICTS]) if ids else []
    if not links:
        return tuple(hits)
    against: dict[str, list[str]] = {}
    for link in links:
        against.setdefault(link.source, []).append(link.target)
        against.setdefault(link.target, []).append(link.source)
    told = [replace(hit, conflicts=_living(against.get(hit.memory.id, ()), scope, store))
            for hit in hits]  # fmt: skip
    return tuple(_in_their_order(told, now))


def _living(ids: Sequence[str], scope: Scope, store: Tables) -> tuple[str, ...]:
    found = ((id, store.memories.get(scope, id)) for id in dict.fromkeys(ids))
    return tuple(id for id, each in found if each and each.life.state is State.ACTIVE)


def _in_their_order(hits: list[Hit], now: datetime) -> list[Hit]:
    """Let two that disagree change places where the one that leads stands second."""
    place = {hit.memory.id: at for at, hit in enumerate(hits)}
    for at, hit in enumerate(hits):
        for other in hit.conflicts:
            to = place.get(other, -1)
            if to > at and leads(hits[to].memory, hit.memory, now=now):
                hits[at], hits[to] = hits[to], hits[at]
                place[hits[at].memory.id], place[hits[to].memory.id] = at, to
                break
    return hits


def leads(one: Memory, other: Memory, *, now: datetime) -> bool:
    """Say whether the first of two that disagree leads: the newer, unless it is trusted less."""
    mine, theirs = one.provenance.trust, other.provenance.trust
    return mine >= theirs if said_after(one, other, now=now) else mine > theirs


# -- Whose words take the first place

# Beside a stranger's words, a person's own stand first from this part of their relevance on; beside
# those of an agent or an import, which often are the person's, only where they fit about as well.
BESIDE_A_STRANGER: Final = 0.5
BESIDE_A_REPORT: Final = 0.82


def person_first(hits: Sequence[Hit], asked: str = "") -> tuple[Hit, ...]:
    """Give the first place to a person's own words where they answer and another's stand there.

    Words can be made to fit any question; whoever plants them chooses them so. Whoever asks for
    the agent's words gets those.
    """
    if not hits or (origin := hits[0].memory.provenance.origin) in PERSON:
        return tuple(hits)
    if origin not in STRANGERS and asks_for_the_agents_words(asked):
        return tuple(hits)
    enough = BESIDE_A_STRANGER if origin in STRANGERS else BESIDE_A_REPORT
    least = enough * hits[0].weighed.relevance
    own = [hit.memory.provenance.origin in PERSON for hit in hits]
    for at, hit in enumerate(hits):
        if own[at] and not hit.weak and hit.weighed.relevance >= least:
            # Among themselves a person's words keep their order.
            before = [each for each, mine in zip(hits[:at], own, strict=False) if mine]
            others = [each for each, mine in zip(hits[:at], own, strict=False) if not mine]
            return (*before, hit, *others, *hits[at + 1 :])
    return tuple(hits)


# -- What lies ahead, in the order of its days


def by_day(hits: Iterable[Hit], spans: Sequence[Span]) -> tuple[Hit, ...]:
    """Put what lies ahead in the order of its days, and last what was only said in those days."""
    dated = [(day_in(hit.memory, spans) or spans[-1].end, hit) for hit in hits]
    return tuple(hit for _, hit in sorted(dated, key=lambda each: each[0]))


# -- From candidates to hits: weighed, in order, each knowing whether it is strong enough

# How many candidates beyond the answer's size are weighed too: their shape may lift them.
REACH = 40
# Beside a hit above the floor, others count from this part of it on.
BESIDE_AN_ANSWER = 0.25
# What meaning alone has found, this far behind the best, is no result beside it but a near miss.
FAR_BEHIND = 0.25
# How many ties away, along which, and whether one is negative, where no tie leads.
_NO_WAY: Final = (None, (), False)


def best(
    gathered: Gathered, query: Query, asked: Understanding, mind: Mind, shares: Shares, held: Tables
) -> tuple[Hit, ...]:
    """Weigh the most relevant candidates and return the best, with the words they share."""
    scope, found = query.where.scope, gathered.found
    relevant, numbers = relevance(found, shares), found.numbers
    reach = query.limit + max(query.limit, REACH)
    if shares.weights.sources:
        # There recency and importance count for much: all that the three sources found is weighed.
        reach = len(found) if asked.only_time else int((relevant > 0.0).sum())
    now, wants = micros(mind.now()), wanted(query.asked, asked.phrases)
    words = wants.many or bool(wants.phrases)
    likely = in_order(relevant, numbers)[:reach]
    facts, at = held.memories.facts(scope, numbers[likely], words=words), likely
    if not np.array_equal(facts.number, numbers[likely]):  # some are gone, or came otherwise
        at = np.array(found.at(facts.number.tolist()), np.intp)
    weighed = weigh(relevant[at], facts, wants=wants, now=now, shares=shares)
    # Of equal ones the newest.
    ranked = np.lexsort((-facts.number, -weighed.score))[: query.limit]
    said = weighed.relevance[ranked]
    if found["during"].any():
        said = said - _lent_by_time(found, shares)[at[ranked]]
    floor = _floor(said, gathered, query, asked, mind, shares)
    weak = said < floor
    if not query.near_misses:
        least = FAR_BEHIND * weighed.relevance.max(initial=0.0)
        near = found.tied[at[ranked]] | (weighed.relevance[ranked] >= least)
        if not near.all():
            gathered.hidden += len(ranked) - int(near.sum())
            ranked, weak = ranked[near], weak[near]
    rows = facts.number[ranked].tolist()
    memories = held.memories.by_numbers(scope, rows)
    matched = held.words.matched(scope, memories, gathered.terms, analyser=gathered.analyser)
    scores, told = weighed.of(ranked, shares.weights), found.told(at[ranked])
    hits = dict(zip(rows, zip(told, scores, weak.tolist(), strict=True), strict=True))
    return tuple(
        _hit(row, memories[row], matched.get(row, ()), found.reached.get(row), *hits[row])
        for row in _without_echoes(rows, memories)
    )


def _hit(
    number: int,
    memory: Memory,
    matched: tuple[str, ...],
    reached: Reached | None,
    told: Sequence[float],
    weighed: tuple[Weighed, float],
    weak: bool,
) -> Hit:
    """Return a candidate as a hit, with the memory behind it."""
    _, vector, words, context, graph, during = told
    hops, via, negative = (reached.hops, reached.via, reached.negative) if reached else _NO_WAY
    return Hit(
        memory,
        weighed[0],
        words,
        vector,
        context,
        matched,
        (),
        number,
        graph,
        hops,
        via,
        negative,
        during > 0.0,
        weighed[1],
        weak,
    )


def _without_echoes(ranked: Iterable[int], memories: Mapping[int, Memory]) -> Iterator[int]:
    """Leave out what was distilled into the same words, or the source of it, if both were found."""
    present = [number for number in ranked if number in memories]
    distilled = [memories[n].provenance.source is Source.DISTILLATION for n in present]
    if not any(distilled):
        yield from present
        return
    said: dict[str, bool] = {}
    for number, made in zip(present, distilled, strict=True):
        key = memories[number].canonical_key
        if not (key in said and (made or said[key])):
            yield number
        said[key] = said.get(key, False) or made


def _lent_by_time(found: Candidates, shares: Shares) -> Values:
    """Return what lying in the time of a question adds: it orders answers and makes none.

    On the first day everything is "today": "오늘 날씨 어때?" must bring nothing of it unasked.
    """
    return relevance(found, shares) - relevance(found, replace(shares, time=0.0))


def _floor(
    relevant: Values,
    gathered: Gathered,
    query: Query,
    asked: Understanding,
    mind: Mind,
    shares: Shares,
) -> float:
    """Return how relevant a hit must be to be no weak one."""
    over = all(span.end <= mind.now() for span in asked.spans)
    if asked.only_time and (over or asked.agenda or not query.steady):
        # Whatever lies in the time that was asked for, and nothing else, answers the question. But
        # "how are you today?" asks for no memory: unasked, only what is past is shown like this.
        return 0.0
    best = float(relevant.max(initial=0.0))
    floor = floor_among(shares.floor, gathered.among)
    lower = floor_among(min(shares.floor, mind.settings.asked_floor), gathered.among)
    if asked.spans:
        # Words of time resemble whatever has a time: among few memories that would be nearly all.
        floor = max(floor, min(shares.floor, mind.settings.asked_floor))
    # Only where it decides is a question read.
    if lower <= best < floor and is_read(gathered.paths) and mind.asks_memory(query.asked):
        floor = lower
    if best >= floor:
        # The question belongs here: what helps to answer it may stand lower than what shows that.
        return floor * BESIDE_AN_ANSWER
    return floor


# -- The eleven features of seed C for each hit, and the order a trained reranker gives them

# A memory that no tie leads to is farther away than the farthest walk.
NOT_REACHED: Final = 4
# More ties than this are not counted.
_MOST_TIES: Final = 32
# What a question is after, by its words; the first that fits.
_ASKS_FOR: Final = (
    (
        Kind.PREFERENCE,
        re.compile(
            r"(?i)좋아|싫어|선호|취향|즐겨|최애|favou?rite|prefer|\blikes?\b|\blove|\bhates?\b"
            r"|\benjoys?\b|dislike"
        ),
    ),
    (
        Kind.EMOTION,
        re.compile(
            r"(?i)기분|감정|느낌|느꼈|행복|슬[퍼프펐]|우울|화[났가]|불안|걱정|\bfe(?:el|lt)|\bmood\b"
            r"|happy|\bsad\b|angry|anxious|worried|afraid"
        ),
    ),
    (
        Kind.TECHNICAL,
        re.compile(
            r"(?i)버전|서버|배포|코드|에러|오류|설정|라이브러리|데이터베이스|version|server|deploy"
            r"|\bcode\b|error|config|librar|database|\bapi\b|framework"
        ),
    ),
    (
        Kind.EXPERIENCE,
        re.compile(
            r"(?i)갔|다녀|만났|언제|여행|했었|봤|\bwent\b|visit|\btrip\b|\bwhen\b|\bmet\b|\bdid\b"
        ),
    ),
)


def category_of(question: str) -> Kind:
    """Return which kind of memory a question is after; a fact, if nothing says otherwise."""
    return next((kind for kind, words in _ASKS_FOR if words.search(question)), Kind.FACT)


def features(
    hits: Sequence[Hit], question: str, terms: Sequence[Term], *, scope: Scope, store: Tables
) -> Rows:
    """Return one row of eleven numbers for each hit, in the order of `FEATURES`."""
    rows = np.zeros((len(hits), len(FEATURES)), dtype=np.float32)
    ties = _ties(hits, scope, store)
    wanted = category_of(question)
    asked = {term.surface for term in terms}
    for row, hit in zip(rows, hits, strict=True):
        memory = hit.memory
        every, to_entities = ties.get(memory.id, (0, 0))
        row[:] = (
            hit.vector,
            _overlap(asked, set(hit.matched), memory.content.keywords),
            memory.kind is wanted,
            hit.weighed.recency,
            log1p(memory.worth.recalled),
            _length_ratio(len(question), len(memory.text)),
            every > 0,
            1 + (memory.content.brief is not None) + bool(memory.content.triples),
            to_entities,
            _distance(hit),
            hit.negative,
        )
    return rows


def reordered(hits: Sequence[Hit], rows: Rows, reranker: Reranker | None) -> tuple[Hit, ...]:
    """Return the hits in the reranker's order; in their own while there is none that has learned.

    Equal scores keep the order they had.
    """
    if reranker is None or not reranker.trained or len(hits) < 2:
        return tuple(hits)
    scores = reranker.scores(rows)
    return tuple(hits[at] for at in np.argsort(-scores, kind="stable").tolist())


def _ties(hits: Sequence[Hit], scope: Scope, store: Tables) -> dict[str, tuple[int, int]]:
    """Return how many ties each hit has, and how many of them lead to an entity."""
    if not hits:
        return {}
    every: Counter[str] = Counter()
    to_entities: Counter[str] = Counter()
    for tie in store.links.ties(scope, [hit.memory.id for hit in hits], most=_MOST_TIES):
        every[tie.at] += 1
        to_entities[tie.at] += tie.to.startswith("entity:")
    return {id: (every[id], to_entities[id]) for id in every}


def _overlap(asked: set[str], shared: set[str], keywords: Sequence[str]) -> float:
    """Return how much of both sets of keywords is shared (Jaccard)."""
    union = len(asked | set(keywords) | shared)
    return len(shared) / union if union else 0.0


def _length_ratio(question: int, text: int) -> float:
    """Return the shorter length over the longer: 1 for equal ones, near 0 for strangers."""
    return min(question, text) / max(question, text, 1)


def _distance(hit: Hit) -> int:
    """Return how many ties away from the question a hit is; what it names itself is at 0."""
    if hit.words > 0 or hit.vector > 0:
        return 0
    return NOT_REACHED if hit.hops is None else hit.hops
