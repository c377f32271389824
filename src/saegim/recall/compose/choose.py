"""Which of the memories that came back may stand in a prompt, and in which order.

Left out: what only supports something outdated, near twins, more than a few of
one source, and what reads like an order and was not said by the person. The order balances
relevance with variety, and keeps words of strangers from crowding out the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Final

from saegim.guard.injection import ORDERS, suspicion, weight
from saegim.guard.visible_text import see
from saegim.memory.entities import DERIVED_FROM, MERGED_FROM, SIMILAR_TO, SUPERSEDES, Link
from saegim.memory.memory import STRANGERS, Kind, Memory, Source, State
from saegim.memory.text import lazy_pattern, normalise
from saegim.mind import Mind
from saegim.perceive.build import asked_by_its_own
from saegim.recall.compose.card import is_of_a_person
from saegim.recall.rank import Hit
from saegim.settings import Settings
from saegim.store.rows import Where

Pieces = frozenset[str]

# The beginning says what a text is about; of a long one no more is compared.
_GLANCE: Final = 300
_RUNS: Final = lazy_pattern(r"[가-힣]+|[^\W_가-힣]+")
# Enough of an English word to know it again in another form.
_STEM: Final = 6
# What tells two facts apart that otherwise read alike: 월요일 and 화요일 have a cosine of 0.95.
_FIGURES: Final = lazy_pattern(
    r"[0-9]+(?:[.,:/-][0-9]+)*|[월화수목금토일]요일|오전|오후|아침|점심|저녁"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b[ap]\.?m\b|morning|afternoon|evening"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december)\b"
)
_DENIES: Final = lazy_pattern(
    r"\b(?:not?|never|none|nobody|nothing|without|cannot|stopped|quit)\b|n['’]t\b"
    r"|(?:^|\s)(?:안|못)\s|않|없|아니|아닌|말고|그만|싫|금지"
)
# What happened on two days happened twice.
_EVENTS: Final = (Kind.EXPERIENCE, Kind.EPISODE)


@dataclass(frozen=True, slots=True)
class CardText:
    """What a memory says, ready to be compared."""

    memory: Memory
    plain: str
    pieces: Pieces

    @property
    def date(self) -> str:
        """Return the day it happened, on the clock of its origin."""
        return self.memory.time.happened_at.date().isoformat()

    @property
    def details(self) -> tuple[set[str], bool]:
        """Return its figures, and whether it denies something."""
        return set(_FIGURES.findall(self.plain)), _DENIES.search(self.plain) is not None

    @property
    def objects(self) -> Pieces:
        """Return what its triples are about, where it has any."""
        return _pieces(normalise(" ".join(each for _, _, each in self.memory.content.triples)))


def said(memory: Memory) -> CardText:
    """Read a memory for comparing."""
    plain = normalise(memory.text[:_GLANCE])
    return CardText(memory, plain, _pieces(plain))


def _pieces(plain: str) -> Pieces:
    """Return the words of a text: pairs of syllables, beginnings of other words."""
    pieces: set[str] = set()
    for run in _RUNS.findall(plain):
        if "가" <= run[0] <= "힣":
            pieces.update(map("".join, pairwise(run)) if len(run) > 1 else run)
        else:
            pieces.add(run[:_STEM])
    return frozenset(pieces)


def overlap(one: Pieces, other: Pieces) -> float:
    """Return the share of all words that both have (Jaccard)."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def inside(one: Pieces, other: Pieces) -> float:
    """Return the share of the first one's words that the other has too."""
    return len(one & other) / len(one) if one else 0.0


def are_twins(one: CardText, other: CardText, *, alike: bool) -> bool:
    """Say whether the two say the same: equal words, or `alike` in words or meaning.

    Another figure, another thing, another day of an event, or a no makes no twin.
    """
    if not alike and one.plain != other.plain:
        return False
    if one.memory.kind in _EVENTS and one.date != other.date:
        return False
    if one.plain == other.plain and one.memory.canonical_key == other.memory.canonical_key:
        return True
    if not alike or one.details != other.details:
        return False
    mine, theirs = one.objects, other.objects
    return not mine or not theirs or bool(mine & theirs)


# -- Whether words that no person vouched for read like an order

# So much of a text is read; of a longer one, only the brief is shown.
LONGEST_READ: Final = 4000
# One cue of an order in a sentence: of 82 harmless sentences in our samples, 13 have it, most of
# them from recipes and notices; the guard at the door asks for 2.5 and more.
_LEAST: Final = 1.0
_SENTENCES: Final = re.compile(r"(?<=[.!?。])\s+|\n+")
# Shapes that only a text for machines has: hidden comments, tags and headings of roles, notes to
# whoever reads it by program, letters set apart.
_FOR_MACHINES: Final = re.compile(
    r"<!--|</?(?:system|assistant|user|tool|saegim)|[\[(#*]{1,4}\s*(?:system|assistant|instructions?"
    r"|시스템|지시|관리자)\b|\b(?:notes?|message|attention|instructions?)\s+(?:to|for)\s+[^.\n]{0,24}"
    r"\b(?:assistants?|agents?|models?|bots?|ai)\b|(?:모델|에이전트|어시스턴트|비서|인공지능|봇)"
    r"(?:에게|은|는|이|가|아|야)(?:\s|:)|<\|"
)


def gives_orders(memory: Memory) -> bool:
    """Say whether anything that could be shown of a memory reads like an order (U23.1)."""
    content, text = memory.content, memory.text[:LONGEST_READ]
    prompt = "" if asked_by_its_own(memory) else content.prompt_digest
    parts = [text, memory.provenance.author, prompt]
    if content.brief and content.brief.rstrip("…") not in text:
        parts.append(content.brief)
    if content.triples:
        parts.append("; ".join(" ".join(each) for each in content.triples))
    strange = memory.provenance.origin in STRANGERS
    return any(_order(part, strange=strange) for part in parts if part)


def reads_like_an_order(text: str) -> bool:
    """Say whether words that are no memory read like an order."""
    return _order(text[:LONGEST_READ], strange=True)


@lru_cache(maxsize=512)
def _order(text: str, *, strange: bool) -> bool:
    return bool(suspicion(text)) or (strange and _speaks_to_a_machine(text))


def _speaks_to_a_machine(text: str) -> bool:
    """Look at each sentence by itself, so that no harmless words around it make it weigh less."""
    plain = see(text).low
    if _FOR_MACHINES.search(plain):
        return True
    return any(
        weight(each) >= _LEAST or _is_two_orders(each) or suspicion(each)
        for each in _SENTENCES.split(plain)
        if each
    )


def _is_two_orders(sentence: str) -> bool:
    """Say whether a sentence begins with an order and goes on with another."""
    return ORDERS.match(sentence) is not None and len(ORDERS.findall(sentence)) > 1


# -- Which of the memories that came back may stand in a prompt, and in which order

# One card of each source of strangers is enough, and of five cards in a row one may be theirs while
# others are left (FAULTS M5: ten planted, at most one in the top five).
ONE_IN: Final = 5
# How things are to be done: what a stranger says of that comes after all that a person said.
_PROCEDURES: Final = (Kind.PRINCIPLE, Kind.TECHNICAL)
_PROCEDURE: Final = re.compile(
    r"\b(?:step\s*[0-9]|steps?\s+to|how\s+to|procedure|workflow|best\s+practice|successful(?:ly)?"
    r"|always|never|must|should|then\s+run)\b|(?m:^\s*[0-9]+[.)]\s)"
    r"|단계|절차|방법은|하는\s*법|순서는|항상|반드시|먼저|야\s*(?:한다|합니다|해|함|돼|된다|됩니다)"
    r"|하면\s*(?:된다|됩니다|돼)"
)
# A source this short says nothing that its fact does not say.
_SHORT: Final = 300


@dataclass(slots=True)
class Choice:
    """What may be shown, best first, and why the rest may not."""

    hits: list[Hit] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    # Sources of which a part no longer holds.
    partly: frozenset[str] = frozenset()
    # What has faded so far that its short form is enough.
    shrunk: frozenset[str] = frozenset()
    # By an outdated memory that is shown: what holds in its place, which is shown too.
    newer: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Ties:
    """How the hits are tied among themselves and to what no longer holds."""

    # By id: which others say nearly the same, and of a fact the turns it was said in.
    similar: Mapping[str, set[str]] = field(default_factory=dict)
    turns: Mapping[str, set[str]] = field(default_factory=dict)
    outdated: frozenset[str] = frozenset()
    partly: frozenset[str] = frozenset()


def choose(hits: Sequence[Hit], where: Where, *, mind: Mind) -> Choice:
    """Choose among hits in rank order; every hit is either returned or counted."""
    ties = _ties([hit.memory.id for hit in hits], where, mind)
    choice = Choice(partly=ties.partly, newer=_newer(hits, where, mind))
    said_whole = _turns_over_facts(hits, ties)
    kept = _Kept()
    taken: Counter[tuple[str, ...]] = Counter()
    for hit in hits:
        why = _unfit(hit.memory, ties, taken, mind.settings)
        if hit.memory.id in said_whole:
            why = "twin"
        elif hit.memory.life.state is State.SUPERSEDED and hit.memory.id not in choice.newer:
            # What no longer holds stands only beside what does.
            why = "" if where.as_of else "outdated"
        if why:
            choice.left_out[why] += 1
            continue
        what = said(hit.memory)
        row = kept.overlaps(what)
        twin = _twin_of(hit, what, row, kept, ties, mind.settings)
        if twin is None:
            kept.add(hit, what, row)
        else:
            choice.left_out["twin"] += 1
            if hit.memory.provenance.trust <= kept.hits[twin].memory.provenance.trust:
                continue
            # Of two that say the same, the better vouched for speaks, in the place of the first.
            taken[source_of(kept.hits[twin].memory)] -= 1
            kept.put(twin, hit, what)
        taken[source_of(hit.memory)] += 1
    choice.hits = _arranged(kept, mind.settings)
    choice.shrunk = frozenset(
        mind.store.memories.shrunk(where.scope, [hit.memory.id for hit in choice.hits])
    )
    return choice


@dataclass(slots=True)
class _Kept:
    """What was chosen so far, and how alike each two of it are."""

    hits: list[Hit] = field(default_factory=list)
    said: list[CardText] = field(default_factory=list)
    rows: list[list[float]] = field(default_factory=list)

    def overlaps(self, what: CardText) -> list[float]:
        """Return how alike something is to each of the chosen."""
        return [overlap(what.pieces, each.pieces) for each in self.said]

    def add(self, hit: Hit, what: CardText, row: list[float]) -> None:
        """Add one, with how alike it is to those before it."""
        self.hits.append(hit)
        self.said.append(what)
        self.rows.append(row)

    def put(self, place: int, hit: Hit, what: CardText) -> None:
        """Put one in the place of its twin, which is as alike to the others as itself."""
        self.hits[place], self.said[place] = hit, what

    def alike(self, one: int, other: int) -> float:
        """Return how alike two of the chosen are."""
        return self.rows[max(one, other)][min(one, other)]


# -- what may not be shown ------------------------------------------------------------------------


def _unfit(memory: Memory, ties: _Ties, taken: Counter[tuple[str, ...]], settings: Settings) -> str:
    """Say why a memory may not be put into a prompt unasked, if it may not."""
    if memory.id in ties.outdated:
        return "outdated"
    if not is_of_a_person(memory):
        source = source_of(memory)
        if source and taken[source] >= _most_of(memory, settings):
            return "source"
        if gives_orders(memory):
            return "order"
    return ""


def source_of(memory: Memory) -> tuple[str, ...]:
    """Name whom the words come from; empty for the person, and for an import that names nobody.

    What an agent reports of the person is one source with all that the person ever said.
    """
    provenance = memory.provenance
    if is_of_a_person(memory) or provenance.source is Source.REPORTED:
        return ()
    told = (provenance.author, memory.scope.session)
    if provenance.origin in STRANGERS:
        return (provenance.origin, *told)
    # A fact has no session of its own; the turn it was said in stands for it.
    named = (provenance.author, memory.scope.session or provenance.turn)
    return (provenance.origin, *named) if any(named) else ()


def _most_of(memory: Memory, settings: Settings) -> int:
    return 1 if memory.provenance.origin in STRANGERS else settings.most_per_source


def _ties(ids: Sequence[str], where: Where, mind: Mind) -> _Ties:
    """Read how the hits hang together, in two questions to the store."""
    if not ids:
        return _Ties()
    similar: dict[str, set[str]] = {}
    turns: dict[str, set[str]] = {}
    facts: dict[str, set[str]] = {}
    for link in mind.store.links.of(where.scope, ids, [SIMILAR_TO, DERIVED_FROM]):
        if link.type == DERIVED_FROM:
            turns.setdefault(link.source, set()).add(link.target)
            facts.setdefault(link.target, set()).add(link.source)
        # Tied from 0.85 on, where "my sister is a nurse" and "my brother is a nurse" lie; what is
        # as near as 0.92 brings nothing new (seed C).
        elif link.weight >= mind.settings.same_from:
            similar.setdefault(link.source, set()).add(link.target)
            similar.setdefault(link.target, set()).add(link.source)
    told = {id: facts[id] for id in ids if id in facts}
    history = State.SUPERSEDED in where.states
    ended = set() if history or not told else _ended(set().union(*told.values()), where, mind)
    outdated = frozenset(id for id, each in told.items() if each <= ended)
    partly = frozenset(id for id, each in told.items() if each & ended) - outdated
    return _Ties(similar, turns, outdated, partly)


def _newer(hits: Sequence[Hit], where: Where, mind: Mind) -> dict[str, str]:
    """Return, of the outdated among the hits, what holds in their place and was found too."""
    here = {hit.memory.id for hit in hits}
    old = [hit.memory.id for hit in hits if hit.memory.life.state is State.SUPERSEDED]
    if not old:
        return {}
    now = {id: mind.store.memories.current(where.scope, id) for id in old}
    return {id: newer for id, newer in now.items() if newer in here and newer != id}


def _turns_over_facts(hits: Sequence[Hit], ties: _Ties) -> set[str]:
    """Return which of a fact and its turn is not shown where both were found: one is enough.

    A short turn says what its facts say and more; of a long one the fact is the better card.
    """
    texts = {hit.memory.id: hit.memory.text for hit in hits}
    dropped: set[str] = set()
    for fact, turns in ties.turns.items():
        for turn in turns & texts.keys():
            if fact in texts and texts[fact] in texts[turn]:
                dropped.add(fact if len(texts[turn]) <= _SHORT else turn)
    return dropped


def _ended(facts: set[str], where: Where, mind: Mind) -> set[str]:
    """Return which facts no longer hold; one that was merged into its twin still does."""
    links: Iterable[Link] = mind.store.links.of(
        where.scope, sorted(facts), [SUPERSEDES, MERGED_FROM]
    )
    merged = {link.target for link in links if link.type == MERGED_FROM}
    return {link.target for link in links if link.type == SUPERSEDES} & facts - merged


# -- twins ----------------------------------------------------------------------------------------


def _twin_of(
    hit: Hit, what: CardText, row: Sequence[float], kept: _Kept, ties: _Ties, settings: Settings
) -> int | None:
    """Return the place of a memory that says the same already."""
    id = hit.memory.id
    similar, turns = ties.similar.get(id, ()), ties.turns.get(id, ())
    for place, other in enumerate(kept.hits):
        beside = other.memory.id
        if id in other.conflicts or beside in hit.conflicts:
            # Two that disagree read alike: both are shown, each with its mark (U19.2).
            continue
        alike = beside in similar or row[place] >= settings.similar_from
        if are_twins(what, kept.said[place], alike=alike):
            return place
        # A fact beside the turn it was said in adds nothing, while the turn is shown in full.
        shown = beside in turns and len(other.memory.text) <= _SHORT
        if shown and inside(what.pieces, kept.said[place].pieces) >= settings.similar_from:
            return place
    return None


# -- the order ------------------------------------------------------------------------------------


def _arranged(kept: _Kept, settings: Settings) -> list[Hit]:
    """Order by relevance and variety (MMR): what repeats the chosen counts for less."""
    share = settings.mmr_lambda
    worth = [share * each for each in _falling([hit.score for hit in kept.hits])]
    alike = [0.0] * len(worth)
    waiting = [_Turn(hit.memory) for hit in kept.hits]
    left = list(range(len(worth)))
    order: list[int] = []
    strangers = 0
    behind = _behind(kept.hits)
    while left:
        room = strangers < -(-(len(order) + 1) // ONE_IN)
        free = _free(left, waiting, room=room, first=not order)
        leading = [at for at in free if behind[at].isdisjoint(left)] or free
        best = max(leading, key=lambda at: (worth[at] - (1 - share) * alike[at], -at))
        order.append(best)
        left.remove(best)
        strangers += waiting[best].strange
        for at in left:
            alike[at] = max(alike[at], kept.alike(at, best))
    return [kept.hits[at] for at in order]


def _behind(hits: Sequence[Hit]) -> list[set[int]]:
    """Return for each hit the places of those that disagree with it and lead."""
    place = {hit.memory.id: at for at, hit in enumerate(hits)}
    return [
        {place[id] for id in hit.conflicts if place.get(id, at) < at} for at, hit in enumerate(hits)
    ]


def _falling(scores: Sequence[float]) -> list[float]:
    """Return scores that never rise along the rank: of two that disagree, the newer stays first."""
    falling: list[float] = []
    for score in reversed(scores):
        falling.append(max(score, falling[-1]) if falling else score)
    return falling[::-1]


class _Turn:
    """What decides when a memory may come: whose words they are, and whether they say how to."""

    __slots__ = ("person", "procedure", "strange")

    def __init__(self, memory: Memory) -> None:
        self.person = is_of_a_person(memory)
        self.strange = memory.provenance.origin in STRANGERS
        self.procedure = self.strange and (
            memory.kind in _PROCEDURES
            or _PROCEDURE.search(memory.text[:LONGEST_READ].lower()) is not None
        )


def _free(
    left: Sequence[int], waiting: Sequence[_Turn], *, room: bool, first: bool
) -> Sequence[int]:
    """Return who may come next: strangers in their turn, their procedures after the person.

    The first place is no stranger's while anything the person said is there to take it.
    """
    known = [at for at in left if not waiting[at].strange]
    if not known or len(known) == len(left):
        return left
    person = any(waiting[at].person for at in known)
    if first:
        return known if person else left
    if not room:
        return known
    return [at for at in left if not (person and waiting[at].procedure)]
