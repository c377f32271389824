"""Who does, or does not do, what: a text cut into the clauses that each say one thing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from saegim.language.meanings__reading import Said
from saegim.memory.late import late

# told: it is so; asked: it may be so; if: it would be so; wish and plan: it is not yet so.
Mood = Literal["told", "asked", "if", "wish", "plan"]

ME: Final = "\x00me"
_QUOTED: Final = late(r"[\"“「『](.{2,200}?)[\"”」』]|(?<![\w'])'([^'\n]{4,200})'(?![A-Za-z0-9])")


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what a clause is about.

    `owner` is whose it is (ME, a name, or ""). A `loose` subject has no particle, so it may be
    something else. `topic` says that the clauses after it may be about it too.
    """

    name: str
    person: bool
    owner: str = ""
    loose: bool = False
    topic: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One thing a text says."""

    text: str
    said: Said
    subjects: tuple[Subject, ...] = ()
    # The speaker does it, says so or leaves it to be understood.
    me: bool = False
    # The speaker is the one it is done to.
    to_me: bool = False
    # Others who do the same: 동생이랑 나는, "my brother and I".
    partners: frozenset[str] = frozenset()
    # Whose is what: ("이름", "애").
    owned: frozenset[tuple[str, str]] = frozenset()
    # What is left out, replaced or found worse: 설탕 없이, "than tea"; as keys.
    without: frozenset[str] = frozenset()
    denied: bool = False
    mood: Mood = "told"
    # It asks for something, or says what the speaker likes: from it a wish may be told.
    asks_for: bool = False
    # None where nothing shows the time: 면접 봄, "dark mode, always".
    past: bool | None = None
    # Which way: ("수원", "to"); only where both ends are named.
    ways: frozenset[tuple[str, str]] = frozenset()
    # What a verbless clause says was so, and may be so no more: 교사였다, "was a teacher".
    was: bool = False
    # The subject is that of a clause before.
    inherited: bool = False
    # It only tells which one is meant: 언니가 추천한 (미용실).
    embedded: bool = False
    # The thing that a clause before it in the sentence was about.
    about: str = ""


def without_strangers(text: str, first_person: re.Pattern[str], stranger: str) -> str:
    """Return the text with the I of quoted speech made someone else's, where someone speaks."""
    if not _QUOTED.sub("", text).strip(" .,!?"):
        return text
    return _QUOTED.sub(lambda found: first_person.sub(stranger, found[0]), text)


def inherit(
    found: Sequence[Clause], before: Subject | None, *, starts_open: bool, things: bool
) -> tuple[list[Clause], Subject | None]:
    """Give each clause that names no one the person before it, else the speaker; return the topic.

    Inside a sentence any person is carried on (with `things`, any subject: English leaves out only
    the same one), between sentences only a topic, and not past a word like 그래서, after which a
    speaker often comes back to himself.
    """
    told: list[Clause] = []
    person = None if starts_open else before
    topic = person
    thing = ""
    for clause in found:
        people = [each for each in clause.subjects if each.person or things]
        if clause.embedded:
            people = [each for each in people if each.topic]
        if clause.me:
            person = topic = None
            thing = ""
        elif people:
            first = people[0]
            # 동생 만나서 밥 먹었어: whom I met is not who ate.
            person = first if first.topic or not first.loose else None
            topic = first if first.topic and first.person else topic
        elif person and not clause.embedded:
            clause = replace(clause, subjects=(*clause.subjects, person), inherited=True)
        elif not clause.subjects:
            clause = replace(clause, me=True)
        topical = [each.name for each in clause.subjects if each.topic and not each.person]
        thing = topical[0] if topical else thing
        told.append(replace(clause, about=thing))
    return told, topic
