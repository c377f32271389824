"""`Insight`: memories as they are counted, in groups, and what was noticed before.

A turn and the facts read from it are one telling: what was said once counts once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

import xxhash

from saegim.language.en import words as english
from saegim.language.ko.words import is_particle
from saegim.language.wording import is_theme
from saegim.language.words import runs
from saegim.memory.entities import REFERS_TO, Entity
from saegim.memory.memory import (
    BY_NIGHT,
    FINDABLE,
    PERSON,
    QUOTED,
    Kind,
    Memory,
    Reason,
    Scope,
    State,
)
from saegim.memory.text import fold, normalise
from saegim.mind import Mind
from saegim.perceive.build import SELF
from saegim.recall.compose.choose import Pieces, overlap
from saegim.recall.compose.choose import said as pieces_of
from saegim.store.rows import Where

# The beginning of a document says what it is about.
_GLANCE: Final = 4000
# What the person said; every other origin speaks for itself alone.
OWN: Final = "person"
_NEVER: Final = (Kind.INSIGHT, Kind.IMAGINED)
# Names of these are given to one thing and so count also where another word stands for them.
NAMED: Final = frozenset(("person", "bot", "place", "organisation"))
_TAIL: Final = re.compile(r"\w*")


def voice_of(memory: Memory) -> str:
    """Return the class of trust a memory belongs to: what the person said, or its origin."""
    origin = memory.provenance.origin
    return OWN if origin in PERSON else origin.value


def told_by(new: Iterable[Memory], *, scope: Scope, mind: Mind) -> list[CountedMemory]:
    """Return what counts of the new memories, the earliest first."""
    welcome = [each for each in new if _counts(each, scope)]
    ids = {each.id for each in welcome}
    of: dict[str, list[Memory]] = {}
    for each in sorted(welcome, key=lambda one: (one.id != _turn(one), one.id)):
        of.setdefault(_turn(each), []).append(each)
    ties = mind.store.links.of(scope, sorted(ids), [REFERS_TO])
    refers: dict[str, set[str]] = {}
    for tie in ties:
        refers.setdefault(tie.source, set()).add(tie.target)
    made = [_told(facts, refers, mind) for facts in of.values()]
    return sorted(made, key=lambda each: (each.at, each.memory.id))


def _turn(memory: Memory) -> str:
    return memory.provenance.turn or memory.id


def _counts(memory: Memory, scope: Scope) -> bool:
    """Say whether a memory may be reflected on: of this person, alive, and no derived thought."""
    return (
        memory.scope.user == scope.user
        and memory.life.state in FINDABLE
        and memory.kind not in _NEVER
        and memory.provenance.source not in BY_NIGHT
        # How an assistant answers is neither an interest nor a trend of anyone; nor is what the
        # person only quotes.
        and memory.agent.role not in ("assistant", QUOTED)
        and bool(memory.text.strip())
    )


def _told(facts: Sequence[Memory], refers: dict[str, set[str]], mind: Mind) -> CountedMemory:
    first = facts[0]
    text = first.text[:_GLANCE]
    return CountedMemory(
        memory=first,
        plain=normalise(text),
        stems=stems_of(text),
        refers_to=frozenset(key for each in facts for key in refers.get(each.id, ())),
        at=mind.here(first.time.said_at or first.time.happened_at),
        happened=mind.here(first.time.happened_at),
    )


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of the Latin words of a text."""
    return frozenset(
        english.stem(part)
        for kind, run, _ in runs(fold(text))
        if kind == "latin"
        for part in re.split(r"[-_.'’]", run.lower())
        if part
    )


@lru_cache(maxsize=2048)
def _pattern(key: str) -> re.Pattern[str]:
    return re.compile(re.escape(key))


def stands(key: str, plain: str, *, is_name: bool = False) -> bool:
    """Say whether a normalised word stands in a normalised text on its own or with a particle."""
    if not key or key not in plain:
        return False
    for match in _pattern(key).finditer(plain):
        before = plain[match.start() - 1 : match.start()]
        if before.isalnum() and before.isascii() is key[0].isascii():
            continue
        tail = _TAIL.match(plain, match.end())
        rest = tail[0] if tail else ""
        if key[-1].isascii():
            if not rest[:1].isascii() or not rest:
                return True
        elif not rest or is_particle(rest) or (is_name and _called(rest)):
            return True
    return False


def _called(rest: str) -> bool:
    """Say whether what follows is how one calls a person: 지훈이가, 민수씨는."""
    return rest[0] in "이씨님네" and (len(rest) == 1 or is_particle(rest[1:]))


@dataclass(frozen=True, slots=True)
class CountedMemory:
    """One memory: its words ready to be asked, whom it refers to, when it was told and happened."""

    memory: Memory
    plain: str
    stems: frozenset[str]
    refers_to: frozenset[str]
    at: datetime
    happened: datetime

    @property
    def room(self) -> tuple[str, str]:
        """Return the agent and the project it belongs to."""
        return self.memory.scope.agent, self.memory.scope.project

    @property
    def voice(self) -> str:
        """Return whose words these are: the person's, or what other origin they came from."""
        return voice_of(self.memory)

    @property
    def sentiment(self) -> float:
        """Return how it feels, from -1 to 1."""
        return self.memory.emotion.sentiment

    def speaks_of(self, entity: Entity) -> bool:
        """Say whether it names an entity, or refers to someone or somewhere that has a name."""
        if entity.key in self.refers_to and entity.type in NAMED:
            return True
        return any(stands(name, self.plain, is_name=True) for name in entity.names)

    def says(self, word: str) -> bool:
        """Say whether a theme word stands in it, in any form of the word."""
        if word.isascii():
            return english.stem(word.lower()) in self.stems
        return stands(normalise(word), self.plain)


# -- New memories in groups: by room and voice first, never mixed

# Two memories that name the same are a coincidence.
SMALLEST: Final = 3
# Of fewer memories no share can be told; of more groups nobody wants to hear in one night.
_SMALLEST_WINDOW: Final = 6
_MOST_GROUPS: Final = 12
# Together: in most of the group, and there clearly more often than in the rest.
_MOSTLY: Final = 0.5
_CLEARLY: Final = 2.0


@dataclass(frozen=True, slots=True)
class GroupSubject:
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

    subject: GroupSubject
    told: tuple[CountedMemory, ...]


@dataclass(frozen=True, slots=True)
class RoomWindow:
    """The new memories of one room and one voice, the earliest first."""

    room: tuple[str, str]
    voice: str
    told: tuple[CountedMemory, ...]

    @property
    def own(self) -> bool:
        """Say whether these are the person's own words."""
        return self.voice == OWN


@dataclass(frozen=True, slots=True)
class Group:
    """The memories of a window that speak of one subject, the earliest first."""

    window: RoomWindow
    subject: GroupSubject
    told: tuple[CountedMemory, ...]
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

    subject: GroupSubject
    told: list[CountedMemory] = field(default_factory=list)


def windows(told: Iterable[CountedMemory]) -> list[RoomWindow]:
    """Part what was told by room and voice: no project reads another, no page speaks for anyone."""
    parts: dict[tuple[tuple[str, str], str], list[CountedMemory]] = {}
    for each in told:
        parts.setdefault((each.room, each.voice), []).append(each)
    made = [RoomWindow(room, voice, tuple(each)) for (room, voice), each in parts.items()]
    return sorted(made, key=lambda each: (not each.own, -len(each.told), each.voice, each.room))


def groups(window: RoomWindow, known: Sequence[Entity]) -> list[Group]:
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


def _named(window: RoomWindow, known: Sequence[Entity]) -> list[_Found]:
    """Find the entities that the window speaks of; of two names of one thing, the more met."""
    near = {key for each in window.told for key in each.refers_to}
    found: list[_Found] = []
    for entity in known:
        if entity.key not in near or not _is_subject(entity):
            continue
        told = [each for each in window.told if each.speaks_of(entity)]
        subject = GroupSubject(entity.key, entity.display_name or entity.name, entity)
        same = any(each.told == told and _overlap(each.subject, subject) for each in found)
        if len(told) >= SMALLEST and not same:
            found.append(_Found(subject, told))
    return sorted(found, key=_order)


def _is_subject(entity: Entity) -> bool:
    """Say whether an entity is someone or something: the speaker is neither, nor is "its"."""
    if entity.key == SELF.key or entity.type == SELF.type:
        return False
    return entity.type in NAMED or all(map(is_theme, entity.name.split()))


def _themes(window: RoomWindow, named: Sequence[_Found]) -> list[_Found]:
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
            found.append(_Found(GroupSubject(stem, word), told))
    return sorted(found, key=_order)


def _order(found: _Found) -> tuple[bool, int, str]:
    entity = found.subject.entity
    return entity is None or entity.type != "person", -len(found.told), found.subject.key


def _names(subject: GroupSubject) -> tuple[str, ...]:
    return subject.entity.names if subject.entity else (subject.name,)


def _parts(name: str) -> set[str]:
    return {_stem(each) for each in (name, *name.split())}


def _stem(word: str) -> str:
    plain = normalise(word)
    return english.stem(plain) if plain.isascii() else plain


def _shown(word: str) -> str:
    """Return a word in small letters, unless it is one of capitals."""
    return word if word.isupper() or any(map(str.isupper, word[1:])) else word.lower()


def _beside(window: RoomWindow, found: Sequence[_Found]) -> dict[str, Beside]:
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


def _overlap(one: GroupSubject, other: GroupSubject) -> bool:
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


# -- `Insight` and `Portrait`: what was noticed, and the memories it was noticed in

# The tag by which a kept insight is known again.
TAG = "insight:"


@dataclass(frozen=True, slots=True)
class Insight:
    """One thing noticed; `about` are keys of entities or theme words, all sources of one room.

    `key` names what is said about whom, then a dot, then in which direction.
    """

    text: str
    language: str
    about: tuple[str, ...]
    sources: tuple[Memory, ...]
    key: str

    @property
    def tag(self) -> str:
        """Return the tag under which a kept insight carries its key."""
        return f"{TAG}{self.key}"


@dataclass(frozen=True, slots=True)
class Portrait:
    """An entity with its renewed summary, and the memories that say so."""

    entity: Entity
    sources: tuple[Memory, ...]


def insight_key(topic: str, tendency: str) -> str:
    """Return the key of a statement: its topic and its tendency, each as a digest."""
    return f"{_digest(topic)[:16]}.{_digest(tendency)[:8]}"


def _digest(words: str) -> str:
    return xxhash.xxh3_64_hexdigest(words.encode("utf-8", "surrogatepass"))


# -- What was noticed before, so that no night only repeats the last; and who was met before

# A season later it is news again that something is still so.
_STALE: Final = timedelta(days=90)
# From this share of common words on, two sentences of a model say the same.
_SAME: Final = 0.6
# An insight the person sent away stays away; one that expired, or ended with a correction of what
# it was seen in, may be noticed again.
_STATES: Final = tuple(state for state in State if state not in (State.FORGOTTEN, State.SUPERSEDED))
# So many points of a long acquaintance say how it felt before.
_MOST_POINTS: Final = 20


@dataclass(slots=True)
class Earlier:
    """The statements of earlier nights: the last tendency of each topic, and their words."""

    tendencies: dict[str, str] = field(default_factory=dict)
    texts: dict[tuple[str, str], list[Pieces]] = field(default_factory=dict)

    def note(self, key: str, room: tuple[str, str], words: Memory) -> None:
        """Take in one statement; a later one about the same topic takes its place."""
        topic, _, tendency = key.partition(".")
        self.tendencies[topic] = tendency
        self.texts.setdefault(room, []).append(pieces_of(words).pieces)

    def repeats(self, insight: Insight) -> bool:
        """Say whether the last statement about this topic had the same tendency."""
        topic, _, tendency = insight.key.partition(".")
        return self.tendencies.get(topic) == tendency

    def resembles(self, text: str, group: Group) -> bool:
        """Say whether nearly the same words were said about this room before."""
        like = pieces_of(group.told[0].memory.evolve(text=text)).pieces
        return any(overlap(like, each) >= _SAME for each in self.texts.get(group.window.room, ()))


def said_before(scope: Scope, mind: Mind, at: datetime) -> Earlier:
    """Return what earlier nights noticed and still holds as said."""
    earlier = Earlier()
    where = Where(scope=Scope(scope.user), states=_STATES, kinds=(Kind.INSIGHT,), everywhere=True)
    for _, memory in mind.store.memories.walk(where):
        if at - memory.time.recorded_at >= _STALE or _expired(memory):
            continue
        for tag in memory.content.tags:
            if tag.startswith(TAG):
                room = (memory.scope.agent, memory.scope.project)
                earlier.note(tag.removeprefix(TAG), room, memory)
    return earlier


def _expired(memory: Memory) -> bool:
    return memory.life.state is State.LEAVING and memory.life.leaving_reason is not Reason.MANUAL


def met_before(group: Group, *, scope: Scope, mind: Mind, most: int = _MOST_POINTS) -> list[Memory]:
    """Return older memories of the same room and voice that met this entity, oldest first."""
    entity = group.subject.entity
    if entity is None:
        return []
    first = group.told[0].memory.time.happened_at
    new = {each.memory.id for each in group.window.told}
    found: list[Memory] = []
    for point in reversed(mind.store.entities.sentiment_history(scope, entity.key)):
        if not point.memory or point.memory in new or point.at >= first:
            continue
        memory = mind.store.memories.get(scope, point.memory)
        if memory is not None and _alike(memory, group):
            found.append(memory)
        if len(found) == most:
            break
    return found[::-1]


def _alike(memory: Memory, group: Group) -> bool:
    """Say whether an older memory belongs to the same room and voice, and may be looked at."""
    room = (memory.scope.agent, memory.scope.project)
    return (
        memory.life.state in FINDABLE
        and room == group.window.room
        and voice_of(memory) == group.window.voice
    )
