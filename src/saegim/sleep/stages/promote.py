"""Marking who rises (seed D §3): by theme, use, feeling and wish; M0 is only ever proposed.

A theme is the same entity, or the person, and the same word, again. It reads words, not meanings,
and indexes by term: no memory is compared with another.
"""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from math import log
from typing import Final

from saegim.language.deeds import ME
from saegim.language.ko.verbs import EMPTY, FAINT
from saegim.language.tell import is_pale
from saegim.language.words import Analyser
from saegim.memory.entities import HAS_FEEDBACK, REFERS_TO
from saegim.memory.memory import PERSON, STRANGERS, Kind, Lifetime, Memory, State, Tier
from saegim.memory.text import normalise
from saegim.perceive.build import hear
from saegim.recall.related import CHANGED_BEHAVIOUR, LABELLED
from saegim.sleep import candidates
from saegim.sleep.candidates import Marked, RisingCandidate
from saegim.sleep.night import Night, NightStep
from saegim.soul import beliefs
from saegim.soul.proposals import CORE, asked_about, made, room_for_more
from saegim.store.tables.night_queries import MemoryStanding

# From so many memories on, a word in more than a tenth of them is everywhere.
_LARGE: Final = 100
_EVERYWHERE: Final = 0.1
# What is said again within a minute of the same session is the same moment.
_MOMENT: Final = timedelta(minutes=1)
_GLANCE: Final = 600
_MOST_TERMS: Final = 24
_MOST_ENTITIES: Final = 8
_MOST_SHARED: Final = 6
# Dates and amounts are no theme, and dear to take apart.
_NUMBERS: Final = re.compile(r"[0-9]+(?:[.,:/-][0-9]+)*[가-힣]*")


@dataclass(frozen=True, slots=True)
class Theme:
    """Memories of one theme, oldest first, and the words they share."""

    key: str
    shared: tuple[str, ...]
    sources: tuple[Memory, ...]


def themes(
    memories: Iterable[Memory],
    *,
    entities: Mapping[str, tuple[str, ...]],
    analyser: Analyser,
    least: int = 3,
) -> list[Theme]:
    """Return the themes that memories of one agent, project and visibility come back to."""
    rooms: dict[tuple[str, str, str, str], list[Memory]] = defaultdict(list)
    for memory in memories:
        scope = memory.scope
        rooms[scope.user, scope.agent, scope.project, memory.visibility].append(memory)
    found: list[Theme] = []
    for room in sorted(rooms):
        found += _Room(rooms[room], entities, analyser, least).themes()
    return found


def _said_at(memory: Memory) -> datetime:
    return memory.time.said_at or memory.time.happened_at


def _order(memory: Memory) -> tuple[datetime, str]:
    return memory.time.happened_at, memory.id


def moments(memories: Sequence[Memory]) -> list[Memory]:
    """Return one memory for each moment: what is said twice in a minute of a session is once.

    A turn and the facts that were read from it are one moment, too.
    """
    last: dict[str, tuple[datetime, datetime]] = {}
    turns: set[str] = set()
    kept = []
    for memory in sorted(memories, key=_order):
        session, turn = memory.scope.session, memory.provenance.turn or memory.id
        if turn in turns:
            continue
        turns.add(turn)
        happened, said = memory.time.happened_at, _said_at(memory)
        before = last.get(session)
        if before and happened - before[0] <= _MOMENT and abs(said - before[1]) <= _MOMENT:
            continue
        last[session] = happened, said
        kept.append(memory)
    return kept


@lru_cache(maxsize=32768)
def _word(tokens: tuple[str, ...], surface: str) -> str:
    """Return a term as one reads it, "" for what is no theme: times, fillers, faint verbs."""
    first = tokens[0]
    if first.startswith("~"):
        stem = first[1:]
        return "" if stem in EMPTY or stem in FAINT else f"{stem}다"
    noun = (
        first + "".join([token[-1] for token in tokens[1:]]) if "가" <= surface[0] <= "힣" else ""
    )
    noun = noun or (" ".join(tokens) if surface[0].isalpha() else "")
    return "" if not noun or not first[0].isalnum() or is_pale(noun, surface) else noun


class _Room:
    """The memories of one room, indexed by whom and what they speak of."""

    def __init__(
        self,
        memories: Sequence[Memory],
        entities: Mapping[str, tuple[str, ...]],
        analyser: Analyser,
        least: int,
    ) -> None:
        self._memories = memories
        self._least = max(least, 1)
        self._words = [_words(each, analyser) for each in self._memories]
        self._about = [
            tuple(sorted(set(entities.get(each.id, ()))))[:_MOST_ENTITIES]
            for each in self._memories
        ]
        held: dict[str, int] = defaultdict(int)
        for words in self._words:
            for word in words:
                held[word] += 1
        self._held = held
        self._taken: set[int] = set()

    def themes(self) -> list[Theme]:
        """Return the themes, those about someone first, the strongest first among them.

        Each memory belongs to one at most.
        """
        index = self._index()
        heap = [(key[0] == ME, -self._strength(key, at), key) for key, at in index.items()]
        heapq.heapify(heap)
        found = []
        while heap:
            own, strength, key = heapq.heappop(heap)
            left = [at for at in index[key] if at not in self._taken]
            if len(left) < self._least:
                continue
            now = -self._strength(key, left)
            if now > strength and heap and (own, now, key) > heap[0]:
                # Others have taken some of it: it waits for its turn again.
                index[key] = left
                heapq.heappush(heap, (own, now, key))
                continue
            sources = moments([self._memories[at] for at in left])
            if len(sources) >= self._least:
                self._taken.update(left)
                found.append(self._theme(key, left, sources))
        return found

    def _index(self) -> dict[tuple[str, str], list[int]]:
        """Map (whom, word) to the memories that speak of both."""
        common = self._common()
        index: dict[tuple[str, str], list[int]] = defaultdict(list)
        for at, words in enumerate(self._words):
            names = {entity: entity.rpartition(":")[2] for entity in self._about[at]}
            for word in words:
                if word not in common:
                    continue
                named = [name for name in names.values() if name in word or word in name]
                if not named:
                    index[ME, word].append(at)
                for entity, name in names.items():
                    if name not in named:
                        index[entity, word].append(at)
        return {key: at for key, at in index.items() if len(at) >= self._least}

    def _common(self) -> set[str]:
        """Return the words that come often enough to be a theme, and not everywhere."""
        size = len(self._memories)
        most = size * _EVERYWHERE if size >= _LARGE else size
        return {word for word, count in self._held.items() if self._least <= count <= most}

    def _strength(self, key: tuple[str, str], at: Sequence[int]) -> float:
        return len(at) * log(1 + len(self._memories) / self._held[key[1]])

    def _theme(self, key: tuple[str, str], left: list[int], sources: list[Memory]) -> Theme:
        kept = {each.id for each in sources}
        mine = [self._words[at] for at in left if self._memories[at].id in kept]
        every = set(mine[0]).intersection(*mine[1:]) if mine else set()
        names = sorted(every, key=lambda word: (word != key[1], self._held[word], word))
        return Theme("|".join(key), tuple(names[:_MOST_SHARED]), tuple(sources))


def _words(memory: Memory, analyser: Analyser) -> tuple[str, ...]:
    """Return the words of a memory that can be a theme, each once."""
    found: dict[str, None] = {}
    for term in analyser.query(_NUMBERS.sub(" ", memory.text[:_GLANCE])):
        if word := _word(term.tokens, term.surface):
            found[normalise(word)] = None
    return tuple(found)[:_MOST_TERMS]


# Before a sentence is read for a wish, one of these must stand in it.
_WISHES = ("기억", "잊지", "remember", "forget", "keep in mind", "note that", "명심", "적어")
_AT_ONCE = 500
_YEAR_DAYS = 365


def promote(night: Night) -> Iterator[NightStep]:
    """Mark what rises at the end of the week and of the month, and what could become core."""
    queries = night.mind.store.night_queries
    living = [
        each
        for each in queries.standings(night.owner, ("active",))
        if each.tier != Tier.M0.value
        and each.kind != Kind.IMAGINED.value
        and each.id not in night.gone
    ]
    risen = queries.risen(night.owner)
    fresh = [each for each in living if each.id not in risen]
    rising = (
        *_short(_of(Tier.M30, fresh), night),
        *_middle(_of(Tier.M90, fresh), night),
    )
    marked = Marked(rising, tuple(_core(_of(Tier.M365, living), night)))
    for each in marked.rising:
        details = {"to": each.to.value, "because": each.why}
        yield NightStep(why="marked", about=each.sources, details=details)
    for id, reasons in marked.core:
        yield NightStep(why="core", about=(id,), details={"because": ", ".join(reasons)})
    yield NightStep(why="looked", place=candidates.written(marked))


def _of(tier: Tier, standings: list[MemoryStanding]) -> list[MemoryStanding]:
    return [each for each in standings if each.tier == tier.value]


def _short(held: list[MemoryStanding], night: Night) -> Iterator[RisingCandidate]:
    """M30 → M90: used, felt or wished for alone; by theme together."""
    settings = night.mind.settings
    memories = dict(night.memories(each.number for each in held))
    alone: set[str] = set()
    for each in held:
        if each.number not in memories:
            continue
        why = (
            candidates.USED
            if each.used >= settings.rise_used
            else ""
            if each.origin in STRANGERS
            else candidates.REPEATED
            if each.repeated + 1 >= settings.theme_least
            else candidates.FELT
            if each.intensity > settings.rise_intensity
            else candidates.WISHED
            if _wished(each, memories[each.number], night)
            else ""
        )
        if why:
            alone.add(each.id)
            yield RisingCandidate(Tier.M90, why, (each.id,))
    left = [memory for memory in memories.values() if memory.id not in alone]
    entities = _entities(left, night)
    # The person's own words are not mixed with others': those would make them less trusted.
    own = [memory for memory in left if memory.provenance.origin in PERSON]
    others = [
        memory
        for memory in left
        if memory.provenance.origin not in (*PERSON, *STRANGERS) and not _answered(memory)
    ]
    analyser = night.mind.store.words.analyser()
    for voice in (own, others):
        for theme in themes(
            voice, entities=entities, analyser=analyser, least=settings.theme_least
        ):
            yield RisingCandidate(
                Tier.M90, candidates.THEME, tuple(each.id for each in theme.sources)
            )


def _answered(memory: Memory) -> bool:
    """Say whether an assistant said it to the person: its manner of answering is no theme."""
    return memory.agent.role == "assistant"


def _wished(standing: MemoryStanding, memory: Memory, night: Night) -> bool:
    """Say whether the person asked to keep it (seed D: "기억해"); nobody else's wish counts."""
    if standing.origin not in PERSON:
        return False
    folded = memory.text[:4000].casefold()
    return any(word in folded for word in _WISHES) and hear(memory.text, night.mind).signs.wish


def _entities(memories: list[Memory], night: Night) -> dict[str, tuple[str, ...]]:
    """Return which entities each memory refers to."""
    found: dict[str, list[str]] = {}
    for start in range(0, len(memories), _AT_ONCE):
        ids = [memory.id for memory in memories[start : start + _AT_ONCE]]
        for link in night.mind.store.links.of(night.scope, ids, (REFERS_TO,)):
            found.setdefault(link.source, []).append(link.target)
    return {id: tuple(keys) for id, keys in found.items()}


def _middle(held: list[MemoryStanding], night: Night) -> Iterator[RisingCandidate]:
    """M90 → M365: used often, it changed what was done, deeply felt, or part of an island."""
    settings = night.mind.settings
    changed = _changed_behaviour(night)
    deep = [each for each in held if each.intensity > settings.deepen_intensity]
    feelings = {
        memory.id: len(set(memory.emotion.feelings))
        for _, memory in night.memories(each.number for each in deep)
    }
    for each in held:
        why = (
            candidates.USED
            if each.used >= settings.deepen_used
            else candidates.BEHAVIOUR
            if each.id in changed
            else candidates.DEEPLY_FELT
            if feelings.get(each.id, 0) > 1 and each.origin not in STRANGERS
            else candidates.ISLAND
            if each.island
            else ""
        )
        if why:
            yield RisingCandidate(Tier.M365, why, (each.id,))


def _changed_behaviour(night: Night) -> set[str]:
    """Return the memories because of which something was done differently."""
    key = f"{LABELLED}{CHANGED_BEHAVIOUR}"
    links = night.mind.store.links.of(night.scope, [key], (HAS_FEEDBACK,))
    return {link.source for link in links if link.target == key}


def _core(held: list[MemoryStanding], night: Night) -> Iterator[tuple[str, tuple[str, ...]]]:
    """M365 → M0: a year old, used often, under a belief or an island; the most used first.

    No more than can be laid before a person at once: what waits unasked would never leave.
    """
    asked = asked_about(night.scope, night.mind)
    room = room_for_more(night.scope, night.mind)
    yield from islice(_worthy(held, asked, night), room)


def _worthy(
    held: list[MemoryStanding], asked: set[str], night: Night
) -> Iterator[tuple[str, tuple[str, ...]]]:
    held_beliefs = beliefs.current(night.scope, night.mind).beliefs
    bears = {id for each in held_beliefs for id in each.supporting}
    for each in sorted(held, key=lambda one: (-one.used, -one.importance, one.number)):
        reasons = tuple(
            why
            for why, holds in (
                (candidates.A_YEAR, _a_year(each, night) and each.origin not in STRANGERS),
                (candidates.OFTEN_USED, each.used >= night.mind.settings.core_used),
                (candidates.OF_THE_SELF, each.id in bears),
                (candidates.ISLAND, bool(each.island)),
            )
            if holds
        )
        if reasons and each.id not in asked:
            yield each.id, reasons


def _a_year(standing: MemoryStanding, night: Night) -> bool:
    """Say whether a year was survived: by being wanted, where its lifetime has no end anyway."""
    kept_anyway = night.mind.settings.is_gentle and standing.lifetime == Lifetime.LASTING
    wanted = standing.used > 0 or standing.recalled > 0
    return night.days_since(standing.settled_at) >= _YEAR_DAYS and (wanted or not kept_anyway)


# -- Proposing: what could become a core memory is laid before the person, a few at a time


def propose(night: Night) -> Iterator[NightStep]:
    """Put the strongest candidates into the queue of proposals; no answer is no yes (seed D §3)."""
    mind = night.mind
    asked = asked_about(night.scope, mind)
    room = room_for_more(night.scope, mind)
    for id, reasons in candidates.read(night.places.get("promote", "")).core:
        if room <= 0:
            return
        memory = mind.store.memories.get(night.scope, id)
        if id in asked or memory is None or memory.life.state is not State.ACTIVE:
            continue
        room -= 1
        name = night.new_id(CORE, id).removeprefix("mem_")
        yield NightStep(
            changes=(made(f"core_{name}", CORE, id, reasons),),
            why="proposed",
            about=(id,),
            details={"reasons": ", ".join(reasons)},
        )
