"""`Told`: one memory as it is counted, and whether a name or a word stands in it.

A turn and the facts read from it are one telling: what was said once counts once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final

from saegim.language.en import words as english
from saegim.language.ko.words import is_particle
from saegim.language.words import runs
from saegim.memory.coordinate import BY_NIGHT, PERSON, Kind
from saegim.memory.entities import Entity
from saegim.memory.keys import fold, normalise
from saegim.memory.links import REFERS_TO
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.memory.tiers import FINDABLE
from saegim.mind import Mind

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


def told_by(new: Iterable[Memory], *, scope: Scope, mind: Mind) -> list[Told]:
    """Return what counts of the new memories, the earliest first."""
    welcome = [each for each in new if _counts(each, scope)]
    ids = {each.id for each in welcome}
    of: dict[str, list[Memory]] = {}
    for each in sorted(welcome, key=lambda one: (one.id != _turn(one), one.id)):
        of.setdefault(_turn(each), []).append(each)
    ties = mind.store.links(scope, sorted(ids), [REFERS_TO])
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
        # How an assistant answers is neither an interest nor a trend of anyone.
        and memory.agent.role != "assistant"
        and bool(memory.text.strip())
    )


def _told(facts: Sequence[Memory], refers: dict[str, set[str]], mind: Mind) -> Told:
    first = facts[0]
    text = first.text[:_GLANCE]
    return Told(
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
class Told:
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
