"""Words by what they mean: which say the same, which name a time, which say nothing of their own.

What a text said is read into such words once, and a clause holds who does what with them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from saegim.language import words
from saegim.language.en import words as english
from saegim.language.en.words import stem
from saegim.language.ko.verbs import guessed_stem, known_stems
from saegim.language.ko.words import STOP, Weight, bigrams, without_particle
from saegim.language.ko.words import read as read_korean
from saegim.language.word_lists import read_lists
from saegim.memory.text import fold

_LISTS: Final = read_lists("both/meanings")

_ALIKE: Final = _LISTS.text("alike")
_EMPTY: Final = _LISTS.text("empty")
_TIMES: Final = _LISTS.text("times")


def key_of(word: str) -> str:
    """Return the key of a word of the lists: an English one is stemmed."""
    return stem(word) if word.isascii() else word


def _keys(words: str) -> frozenset[str]:
    return frozenset(map(key_of, words.split()))


def _classes() -> dict[str, frozenset[int]]:
    lines = _ALIKE.strip().replace("\n  ", " ").splitlines()
    found: dict[str, set[int]] = {}
    for number, line in enumerate(lines):
        for key in _keys(line):
            found.setdefault(key, set()).add(number)
    return {key: frozenset(numbers) for key, numbers in found.items()}


CLASSES: Final[Mapping[str, frozenset[int]]] = _classes()
EMPTY: Final = _keys(_EMPTY)
TIMES: Final = _keys(_TIMES)


# ---- A text as the words that count: of a fact, what it says; of a source, what may be retold.

_HANGUL: Final = re.compile("[가-힣]")
_ANALYSER: Final = words.Basic()
# 않다, 못하다 and 말다 after 지 make a verb of what stands before them.
_BEFORE_DENIAL: Final = re.compile(r"[가-힣]+지(?:는|도)? (?:않|못|말[고아])")
_MADE: Final = re.compile("[하해했한할합되돼됐된될됩시당스]")
_RESOLVED: Final = re.compile("기로 ?(?:했|하|결정|합의)")
_VOWELS: Final = frozenset(map(chr, range(0x1161, 0x1176)))
# 잡히 and 잡혀 share five letters; less than four are shared by chance.
_LEAST_LETTERS: Final = 4
# Syllables: the longest word that the reading of Korean words takes apart.
_LONGEST_WORD: Final = 12
_POLITE: Final = ("님", "씨", "들", "네", "쌤")


@dataclass(frozen=True, slots=True)
class GroundWord:
    """A word that says something: any of its keys may be what is meant."""

    text: str
    keys: tuple[str, ...]
    at: int
    # Known only of Korean.
    is_verb: bool = False


@dataclass(frozen=True, slots=True)
class GroundText:
    """What a text holds, ready to be asked whether a word is in it."""

    words: tuple[GroundWord, ...]
    tokens: frozenset[str]
    keys: frozenset[str]
    written: str

    def holds(self, word: GroundWord) -> bool:
        """Say whether one of the word's keys was said, in any form."""
        return any(map(self._has, word.keys))

    def holds_alike(self, word: GroundWord) -> bool:
        """Say whether the word, or one that says the same, was said."""
        if self.holds(word):
            return True
        own = [CLASSES.get(key, frozenset()) for key in word.keys]
        return any(not one.isdisjoint(CLASSES.get(key, ())) for one in own for key in self.keys)

    def _has(self, key: str) -> bool:
        # A Korean noun of two syllables is also half of many others.
        if key in self.keys or (key in self.tokens and (len(key) == 1 or not _HANGUL.match(key))):
            return True
        if " " in key:
            return self.tokens.issuperset(key.split())
        if key[0] == "~":
            return _begins_like(key[1:], self.written)
        if len(key) < 2 or not _HANGUL.match(key):
            return False
        if len(key) > 2 and all(pair in self.tokens for pair in bigrams(key)):
            return True
        # Inside a word only behind two syllables: 오전회의 holds 회의, 재작년 not 작년.
        return re.search(rf"(?:(?<![가-힣])|(?<=[가-힣]{{2}})){key}", self.written) is not None


def stems_of(word: str) -> tuple[str, ...]:
    """Return the common stems a word may be a form of; none of what is too long to be a word."""
    return known_stems(word) if len(word) <= _LONGEST_WORD else ()


def _begins_like(stem: str, written: str) -> bool:
    """Say whether a word begins with a stem that is in no list, its last vowel aside."""
    letters = unicodedata.normalize("NFD", stem)
    if len(letters) < _LEAST_LETTERS or stem in stems_of(f"{stem}다"):
        return False
    head = letters[:-1] if letters[-1] in _VOWELS else letters
    return any(unicodedata.normalize("NFD", each).startswith(head) for each in written.split())


def said(text: str) -> GroundText:
    """Read a text once."""
    plain = fold(text)
    found = tuple(words_of(plain))
    keys = {key for word in found for key in word.keys}
    for kind, run, _ in words.runs(plain):
        if kind == "hangul":
            keys.update(f"~{stem}" for stem in stems_of(run))
            keys.add(without_particle(run))
        elif kind == "latin":
            keys.add(english.stem(run.lower()))
    if _RESOLVED.search(plain):
        keys.add("결정")
    return GroundText(found, frozenset(_ANALYSER.index(plain)), frozenset(keys), plain.casefold())


def words_of(text: str) -> Iterator[GroundWord]:
    """Yield the words of a folded text that say something of their own."""
    for kind, run, at in words.runs(text):
        if run == "A" and at == 0:
            continue
        denied = kind == "hangul" and _BEFORE_DENIAL.match(text, at)
        keys = tuple(_denied_keys(run)) if denied else tuple(filter(None, _word_keys(kind, run)))
        if keys and not any(key in EMPTY for key in keys):
            yield GroundWord(run, keys, at, is_verb=_is_verb(run, keys))


def _is_verb(run: str, keys: Iterable[str]) -> bool:
    """Say whether a word is a verb or adjective, made of a noun (이사했다) or not."""
    return all(key[0] == "~" or _MADE.match(run[len(key) :]) for key in keys)


def _word_keys(kind: str, run: str) -> Iterable[str]:
    if kind in ("measure", "number", "jamo", "emoji"):
        return ()
    if kind == "latin" and len(run) == 1 and run.isupper() and run != "I":
        return (f"={run}",)  # a blood type, a grade
    found = words.read(kind, run)
    if found.weight is not Weight.MUCH:
        return ()
    if kind in ("hangul", "tail"):
        return _korean_keys(run)
    return (" ".join(phrase) for phrase in found.asked) if kind == "latin" else found.main


def _denied_keys(run: str) -> Iterator[str]:
    """Read a word before 않다 or 못하다: it can only be a verb."""
    if asked := [key for key in _korean_keys(run) if 1 < len(key) < len(run) - 1]:
        yield from asked  # 좋아하지: the noun counts
    else:
        yield from (f"~{stem}" for stem in stems_of(run) or (run[:-1],))


def _korean_keys(run: str) -> Iterator[str]:
    noun = without_particle(run)
    if noun in STOP or noun in EMPTY or _bare(noun) in EMPTY:
        return
    if len(run) > _LONGEST_WORD:
        yield run
        return
    if len(run) > 1 and run[-1] in "함됨해":
        yield run[:-1]  # 근무함, 일해
    asked = read_korean(run).asked
    guess = guessed_stem(run) if run.endswith("다") else ""
    if guess and asked[:1] == (bigrams(guess),):
        yield f"~{guess}"
        return
    for phrase in asked:
        if phrase[0].startswith("~"):
            yield phrase[0]
        else:
            yield _bare(phrase[0] + "".join(pair[1:] for pair in phrase[1:]))


def _bare(noun: str) -> str:
    """Return a noun without 님, 씨 and 들."""
    for ending in _POLITE:
        if noun.endswith(ending) and len(noun) > 2:
            return noun.removesuffix(ending)
    return noun


# ---- Who does, or does not do, what: a text cut into the clauses that each say one thing.

# told: it is so; asked: it may be so; if: it would be so; wish and plan: it is not yet so.
Mood = Literal["told", "asked", "if", "wish", "plan"]

ME: Final = "\x00me"
_QUOTED: Final = re.compile(
    r"[\"“「『](.{2,200}?)[\"”」』]|(?<![\w'])'([^'\n]{4,200})'(?![A-Za-z0-9])"
)


@dataclass(frozen=True, slots=True)
class ClauseSubject:
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
class GroundClause:
    """One thing a text says."""

    text: str
    said: GroundText
    subjects: tuple[ClauseSubject, ...] = ()
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
    found: Sequence[GroundClause], before: ClauseSubject | None, *, starts_open: bool, things: bool
) -> tuple[list[GroundClause], ClauseSubject | None]:
    """Give each clause that names no one the person before it, else the speaker; return the topic.

    Inside a sentence any person is carried on (with `things`, any subject: English leaves out only
    the same one), between sentences only a topic, and not past a word like 그래서, after which a
    speaker often comes back to himself.
    """
    told: list[GroundClause] = []
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
