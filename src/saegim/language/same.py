"""Whether two memories say the same, word for word or nearly, or only look alike.

What differs in a number, a name, a denial or a time is not the same, however alike it reads.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from saegim.language import same_marks as figures
from saegim.language import same_marks as marks
from saegim.language.en import same as english
from saegim.language.en import words as words_of_english
from saegim.language.ko import same as korean
from saegim.language.ko.verbs import known_stems
from saegim.language.ko.words import without_particle
from saegim.language.names import korean_person
from saegim.language.same_marks import cut, is_korean, squashed
from saegim.language.words import Analyser
from saegim.memory.memory import Kind, Memory
from saegim.memory.text import fold, normalise

Sentence = korean.KoreanSentence | english.EnglishSentence
# Beyond this a text is a document: it is only ever the same as itself.
MOST: Final = 2000
_CAPITALS: Final = re.compile(r"\b[A-Z]{2,4}\b")
_SMALL: Final = re.compile(r"[a-z]")
_WORD: Final = re.compile(r"[^\s\"“”‘()「」『』《》.,;!?]+")
_HALF_OF_DAY: Final = re.compile(r"(?<=[0-9]) ?([ap])\.?m\b")
_CAPITALISED: Final = re.compile(r"(?<![\w'’.-])[A-Z][\w.-]*(?:['’][a-z]+)?")
# A capital at the beginning of a sentence makes no name of these.
_COMMON: Final = (
    words_of_english.STOP
    | words_of_english.QUESTION
    | frozenset(figures.ENGLISH)
    | marks.STRESS
    | marks.DEGREES
    | marks.OPENERS
    | marks.DOUBTFUL_OPENERS
)
_LATIN: Final = re.compile(r"[a-z][a-z0-9_.+#/-]*")
_QUOTED: Final = re.compile("['\"‘“「『《]([^'\"‘’“”」』》\n]{1,60})['\"’”」』》]")
_CALLED: Final = re.compile(r"([가-힣]{1,4}) ?(?:씨|님)(?![가-힣]{2})")
_LONG_DATES: Final = [each for each in marks.DATES if len(each) > 1 and each[0] >= "가"]
_DATED: Final = re.compile("|".join(sorted(_LONG_DATES, key=len, reverse=True)))
_SHORT_DATES: Final = marks.DATES.difference(_LONG_DATES)
_TURNING: Final = tuple([each for each in marks.TURNS if each[0] >= "가"])


@dataclass(frozen=True, slots=True)
class ComparedText:
    """One text, read: what it says and what it counts, dates, denies and names."""

    in_korean: bool
    sentences: tuple[Sentence, ...]
    numbers: tuple[str, ...]
    dates: tuple[str, ...]
    denials: int
    words: frozenset[str]
    names: frozenset[str]
    joined: str
    # Does it name a day that is another one when it is said on another?
    floats: bool
    # Which of its sentences may turn the others round.
    turns: tuple[bool, ...]
    degrees: tuple[str, ...]


@lru_cache(maxsize=8192)
def read(text: str) -> ComparedText:
    """Read a text of at most `MOST` characters."""
    written = _marked(fold(text))
    plain = figures.plain(written.lower())
    rough = [word for word in _WORD.findall(plain.replace("’", "'")) if word]
    denied = any(_denies(word) for word in rough)
    pieces = cut(plain, denied)
    words = [word for piece in pieces for word in piece.words]
    bare = [_noun(word) for word in words]
    sentences = [
        (korean.sentence if piece.korean else english.sentence)(piece.words, piece.asks)
        for piece in pieces
    ]
    joined = squashed(words)
    dates = _dates(joined, bare) + _HALF_OF_DAY.findall(plain)
    return ComparedText(
        in_korean=is_korean(plain),
        sentences=tuple(sentences),
        numbers=tuple(sorted(_numbers(plain, words, bare))),
        dates=tuple(sorted(dates)),
        denials=sum(map(_denies, words)) + sum(map(_dislikes, words)),
        words=frozenset(words) | frozenset(bare),
        names=frozenset(_names(written, plain)),
        joined=joined,
        floats=not marks.DAYS.isdisjoint(dates),
        turns=tuple([_turns(piece.words, piece.asks) for piece in pieces]),
        degrees=tuple([word for piece in pieces for word in piece.degrees]),
    )


def same(one: Sentence, other: Sentence) -> bool:
    """Say whether two sentences say the same."""
    if isinstance(one, korean.KoreanSentence):
        return isinstance(other, korean.KoreanSentence) and korean.same(one, other)
    return isinstance(other, english.EnglishSentence) and english.same(one, other)


def holds(full: ComparedText, part: ComparedText) -> bool:
    """Say whether a text says every sentence of another, in order, and takes none of it back."""
    if not part.sentences or Counter(part.degrees) - Counter(full.degrees):
        return False
    at = 0
    for sentence, turns in zip(full.sentences, full.turns, strict=True):
        if at < len(part.sentences) and same(sentence, part.sentences[at]):
            at += 1
        elif turns:
            return False
    return at == len(part.sentences)


def opposed(one: Set[str], other: Set[str]) -> bool:
    """Say whether a word of one stands against a word of the other."""
    mine = {side for word in one - other for side in _sides(word)}
    return any(-side in mine for word in other - one for side in _sides(word))


@lru_cache(maxsize=16384)
def _sides(word: str) -> tuple[int, ...]:
    """Return on which side of which opposites a word stands: 3 is against -3."""
    korean = word[0] >= "가"
    return tuple(
        [
            side
            for at, pair in enumerate(marks.OPPOSITES, 1)
            for side, words in zip((at, -at), pair, strict=True)
            if word in words or (korean and word.startswith(tuple(words)))
        ]
    )


def _marked(text: str) -> str:
    """Mark capitals that would read as a little word: the US, not us."""
    if not _SMALL.search(text):
        return text
    return _CAPITALS.sub(
        lambda found: found[0] + "°" * (found[0].lower() in words_of_english.STOP), text
    )


@lru_cache(maxsize=16384)
def _noun(word: str) -> str:
    return without_particle(word) if "가" <= word[-1] <= "힣" else word


@lru_cache(maxsize=16384)
def _denies(word: str) -> bool:
    if word in marks.DENIALS or word.endswith("n't") or word.startswith(marks.DENYING):
        return True
    return word[0] in "안못" and len(word) > 1 and bool(known_stems(word[1:]))


def _dislikes(word: str) -> bool:
    return word in marks.DISLIKES or word.startswith(marks.DISLIKING)


def _numbers(plain: str, words: list[str], bare: list[str]) -> list[str]:
    found: list[str] = figures.DIGITS.findall(plain)
    for word in words:
        if word in figures.ENGLISH:
            found += figures.DIGITS.findall(figures.ENGLISH[word])
    return found + [word for word in bare if word in figures.WORDS]


def _dates(plain: str, bare: list[str]) -> list[str]:
    """Return the words that say when; the longer Korean ones wherever the spaces stand."""
    found: list[str] = _DATED.findall(plain)
    return found + [word for word in bare if word in _SHORT_DATES]


def _names(written: str, plain: str) -> Iterable[str]:
    """Yield what looks like a name: capitals, quotations, Latin in Korean, people, files."""
    for found in _CAPITALISED.findall(written):
        name = found.lower().replace("’", "'").removesuffix("'s").rstrip(".-")
        if "'" not in name and name not in _COMMON:
            yield name
    for quoted in _QUOTED.findall(plain):
        yield from quoted.split()
    if is_korean(plain):
        yield from (each.rstrip(".-/") for each in _LATIN.findall(plain))
        yield from _CALLED.findall(plain)
        yield from filter(None, map(_person, plain.split()))


@lru_cache(maxsize=16384)
def _person(word: str) -> str:
    return korean_person(_noun(word))


def _turns(words: tuple[str, ...], asks: bool) -> bool:
    return asks or any(map(_may_turn, words))


@lru_cache(maxsize=16384)
def _may_turn(word: str) -> bool:
    return word in marks.TURNS or word.startswith(_TURNING)


# ---- `difference`: what tells two near-identical memories apart, and which of them says it all.

# They happen on a day; told of another day they are another time.
_EVENTS: Final = frozenset((Kind.EXPERIENCE, Kind.EPISODE, Kind.EMOTION))


def difference(one: Memory, other: Memory, *, analyser: Analyser) -> str:
    """Return the name of the first difference between two memories, "" if they say the same.

    The names: scope, kind, author, origin, day, language, number, date, negation, name, words, and
    form where the same words are said in another way (who helped whom, went or will go, or asks).
    """
    if apart := _around(one, other):
        return apart
    if one.text == other.text:
        return ""
    if len(one.text) > MOST or len(other.text) > MOST:
        return "" if normalise(one.text) == normalise(other.text) else "words"
    mine, yours = read(one.text), read(other.text)
    if marked := _differs_in_marks(mine, yours):
        return marked
    if holds(mine, yours) or holds(yours, mine):
        return ""
    if opposed(mine.words, yours.words):
        return "negation"
    return "form" if _content(one.text, analyser) == _content(other.text, analyser) else "words"


def fuller(one: Memory, other: Memory, *, analyser: Analyser) -> Memory | None:
    """Return which of two memories says everything the other says, None if neither does.

    Where they say equally much, it is the first.
    """
    if one.text == other.text:
        return one
    if len(one.text) <= MOST and len(other.text) <= MOST:
        mine, yours = read(one.text), read(other.text)
        if holds(mine, yours):
            return one
        if holds(yours, mine):
            return other
    has, had = _content(one.text, analyser), _content(other.text, analyser)
    if has >= had:
        return one
    return other if had > has else None


def may_become(survivor: Memory, other: Memory, *, analyser: Analyser) -> str:
    """Return why the other memory may not be merged into the survivor, "" if it may."""
    if reason := difference(survivor, other, analyser=analyser):
        return reason
    return "" if fuller(survivor, other, analyser=analyser) is survivor else "words"


def _around(one: Memory, other: Memory) -> str:
    """Return what differs around the words."""
    mine, yours = one.scope, other.scope
    if (mine.user, mine.agent, mine.project) != (yours.user, yours.agent, yours.project):
        return "scope"
    if one.visibility != other.visibility:
        return "scope"
    if one.kind != other.kind:
        return "kind"
    if one.provenance.author != other.provenance.author:
        return "author"
    if one.provenance.origin != other.provenance.origin:
        return "origin"
    return "day" if _other_day(one, other) else ""


def _other_day(one: Memory, other: Memory) -> bool:
    """Say whether two memories tell of different days, or hold until different times."""
    mine, yours = one.time, other.time
    if set(mine.mentions) != set(yours.mentions) or mine.valid_to != yours.valid_to:
        return True
    if mine.happened_at.date() != yours.happened_at.date() and (
        one.kind in _EVENTS or mine.said_at or yours.said_at
    ):
        return True
    said = (mine.said_at or mine.happened_at).date(), (yours.said_at or yours.happened_at).date()
    return said[0] != said[1] and (_floats(one.text) or _floats(other.text))


def _floats(text: str) -> bool:
    """Say whether a text names a day by the day on which it is said: tomorrow, 어제."""
    return read(text[:MOST]).floats


def _differs_in_marks(one: ComparedText, other: ComparedText) -> str:
    """Return which of the marks differ that tell near texts apart."""
    if one.in_korean != other.in_korean:
        return "language"
    if one.numbers != other.numbers:
        return "number"
    if one.dates != other.dates:
        return "date"
    if one.denials != other.denials:
        return "negation"
    return "name" if _strange(one, other) or _strange(other, one) else ""


def _strange(one: ComparedText, other: ComparedText) -> bool:
    """Say whether one names what the other does not hold."""
    return any(name not in other.words and name not in other.joined for name in one.names)


def _content(text: str, analyser: Analyser) -> frozenset[tuple[str, ...]]:
    return frozenset([term.tokens for term in analyser.query(text)])
