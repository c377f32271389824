"""New memories in groups: by room and voice first, never mixed, then by whom and what they name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from saegim.language.en import words as english
from saegim.language.wording import is_theme
from saegim.memory.entities import Entity
from saegim.memory.keys import normalise
from saegim.memory.memory import Memory
from saegim.perceive.connect import SELF
from saegim.reflect.told import NAMED, OWN, Told

# Two memories that name the same are a coincidence.
SMALLEST: Final = 3
# Of fewer memories no share can be told; of more groups nobody wants to hear in one night.
_SMALLEST_WINDOW: Final = 6
_MOST_GROUPS: Final = 12
# Together: in most of the group, and there clearly more often than in the rest.
_MOSTLY: Final = 0.5
_CLEARLY: Final = 2.0


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what a group is about; a theme has no entity, and its key is the stem of its word."""

    key: str
    name: str
    entity: Entity | None = None

    @property
    def about(self) -> str:
        """Return the key of the entity, or the theme word."""
        return self.key if self.entity else self.name


@dataclass(frozen=True, slots=True)
class Beside:
    """What a subject is mostly told together with, and where."""

    subject: Subject
    told: tuple[Told, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """The new memories of one room and one voice, the earliest first."""

    room: tuple[str, str]
    voice: str
    told: tuple[Told, ...]

    @property
    def own(self) -> bool:
        """Say whether these are the person's own words."""
        return self.voice == OWN


@dataclass(frozen=True, slots=True)
class Group:
    """The memories of a window that speak of one subject, the earliest first."""

    window: Window
    subject: Subject
    told: tuple[Told, ...]
    beside: Beside | None = None

    @property
    def sources(self) -> tuple[Memory, ...]:
        """Return the memories themselves."""
        return tuple(each.memory for each in self.told)

    @property
    def language(self) -> str:
        """Return the language most of its memories have; two letters, en where none is known."""
        known = Counter(each.memory.content.language or "en" for each in self.told)
        return min(known, key=lambda each: (-known[each], each))


@dataclass(slots=True)
class _Found:
    """A subject on the way to becoming a group."""

    subject: Subject
    told: list[Told] = field(default_factory=list)


def windows(told: Iterable[Told]) -> list[Window]:
    """Part what was told by room and voice: no project reads another, no page speaks for anyone."""
    parts: dict[tuple[tuple[str, str], str], list[Told]] = {}
    for each in told:
        parts.setdefault((each.room, each.voice), []).append(each)
    made = [Window(room, voice, tuple(each)) for (room, voice), each in parts.items()]
    return sorted(made, key=lambda each: (not each.own, -len(each.told), each.voice, each.room))


def groups(window: Window, known: Sequence[Entity]) -> list[Group]:
    """Return the groups of one window, people first, then what has a name, then themes."""
    if len(window.told) < _SMALLEST_WINDOW:
        return []
    named = _named(window, known)
    found = [*named, *_themes(window, named)]
    joined = _beside(window, found)
    made = [
        Group(window, each.subject, tuple(each.told), joined.get(each.subject.key))
        for each in found
    ]
    return _worth(made)[:_MOST_GROUPS]


def _named(window: Window, known: Sequence[Entity]) -> list[_Found]:
    """Find the entities that the window speaks of; of two names of one thing, the more met."""
    near = {key for each in window.told for key in each.refers_to}
    found: list[_Found] = []
    for entity in known:
        if entity.key not in near or not _is_subject(entity):
            continue
        told = [each for each in window.told if each.speaks_of(entity)]
        subject = Subject(entity.key, entity.display_name or entity.name, entity)
        same = any(each.told == told and _overlap(each.subject, subject) for each in found)
        if len(told) >= SMALLEST and not same:
            found.append(_Found(subject, told))
    return sorted(found, key=_order)


def _is_subject(entity: Entity) -> bool:
    """Say whether an entity is someone or something: the speaker is neither, nor is "its"."""
    if entity.key == SELF.key or entity.type == SELF.type:
        return False
    return entity.type in NAMED or all(map(is_theme, entity.name.split()))


def _themes(window: Window, named: Sequence[_Found]) -> list[_Found]:
    """Find the words that several memories are about, each under its most common form."""
    forms: dict[str, Counter[str]] = {}
    for each in window.told:
        for word in each.memory.content.keywords:
            if is_theme(word, each.memory.emotion.words):
                forms.setdefault(_stem(word), Counter())[_shown(word)] += 1
    names = {part for one in named for name in _names(one.subject) for part in _parts(name)}
    found = []
    for stem, written in sorted(forms.items()):
        if stem in names or written.total() < SMALLEST - 1:
            continue
        word = min(written, key=lambda each: (-written[each], each))
        told = [each for each in window.told if each.says(word)]
        if len(told) >= SMALLEST:
            found.append(_Found(Subject(stem, word), told))
    return sorted(found, key=_order)


def _order(found: _Found) -> tuple[bool, int, str]:
    entity = found.subject.entity
    return entity is None or entity.type != "person", -len(found.told), found.subject.key


def _names(subject: Subject) -> tuple[str, ...]:
    return subject.entity.names if subject.entity else (subject.name,)


def _parts(name: str) -> set[str]:
    return {_stem(each) for each in (name, *name.split())}


def _stem(word: str) -> str:
    plain = normalise(word)
    return english.stem(plain) if plain.isascii() else plain


def _shown(word: str) -> str:
    """Return a word in small letters, unless it is one of capitals."""
    return word if word.isupper() or any(map(str.isupper, word[1:])) else word.lower()


def _beside(window: Window, found: Sequence[_Found]) -> dict[str, Beside]:
    """Say of each subject what it is mostly told together with; each pair is named once."""
    made: dict[str, Beside] = {}
    taken: set[frozenset[str]] = set()
    for one in found:
        mine = {each.memory.id for each in one.told}
        best: Beside | None = None
        for other in found:
            pair = frozenset((one.subject.key, other.subject.key))
            both = tuple(each for each in other.told if each.memory.id in mine)
            if other is one or pair in taken or _overlap(one.subject, other.subject):
                continue
            elsewhere = len(other.told) - len(both)
            if not _mostly(len(both), len(mine), elsewhere, len(window.told) - len(mine)):
                continue
            if best is None or len(both) > len(best.told):
                best = Beside(other.subject, both)
        if best:
            made[one.subject.key] = best
            taken.add(frozenset((one.subject.key, best.subject.key)))
    return made


def _mostly(both: int, mine: int, elsewhere: int, rest: int) -> bool:
    share = both / mine
    outside = elsewhere / rest if rest else 0.0
    return both >= SMALLEST and share >= _MOSTLY and share >= _CLEARLY * outside


def _overlap(one: Subject, other: Subject) -> bool:
    """Say whether two subjects are named alike, so that nothing is learned from their meeting."""
    mine = {part for name in _names(one) for part in _parts(name)}
    theirs = {part for name in _names(other) for part in _parts(name)}
    return bool(mine & theirs) or any(a in b or b in a for a in mine for b in theirs)


def _worth(made: Sequence[Group]) -> list[Group]:
    """Leave out a theme of which another group already says everything."""
    kept: list[Group] = []
    for group in made:
        ids = {each.memory.id for each in group.told}
        covered = any(
            one.beside is not None
            and one.beside.subject.key == group.subject.key
            and ids <= {each.memory.id for each in one.told}
            for one in kept
        )
        same = any(
            group.subject.entity is None and ids == {each.memory.id for each in one.told}
            for one in kept
        )
        if group.subject.entity is not None or not (covered or same):
            kept.append(group if not covered else replace(group, beside=None))
    return kept
