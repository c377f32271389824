"""Groups of memories with one theme: the same entity, or the person, and the same word, again.

It reads words, not meanings, and indexes by term: no memory is compared with another.
"""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from math import log
from typing import Final

from saegim.language.deeds import ME
from saegim.language.ko.verbs import EMPTY, FAINT
from saegim.language.tell import is_pale
from saegim.language.words import Analyser
from saegim.memory.memory import Memory
from saegim.memory.text import normalise

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
