"""What a text says, read once: its sentences, and the marks that tell it from a near twin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from saegim.language import same_marks as figures
from saegim.language import same_marks__marks as marks
from saegim.language.en import same as english
from saegim.language.en import words as words_of_english
from saegim.language.ko import same as korean
from saegim.language.ko.verbs import known_stems
from saegim.language.ko.words import without_particle
from saegim.language.names import korean_person
from saegim.language.same_marks__tokens import cut, is_korean, squashed
from saegim.memory.keys import fold
from saegim.memory.late import late

Sentence = korean.Sentence | english.Sentence
# Beyond this a text is a document: it is only ever the same as itself.
MOST: Final = 2000
_CAPITALS: Final = late(r"\b[A-Z]{2,4}\b")
_SMALL: Final = late(r"[a-z]")
_WORD: Final = late(r"[^\s\"“”‘()「」『』《》.,;!?]+")
_HALF_OF_DAY: Final = late(r"(?<=[0-9]) ?([ap])\.?m\b")
_CAPITALISED: Final = late(r"(?<![\w'’.-])[A-Z][\w.-]*(?:['’][a-z]+)?")
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
_LATIN: Final = late(r"[a-z][a-z0-9_.+#/-]*")
_QUOTED: Final = late("['\"‘“「『《]([^'\"‘’“”」』》\n]{1,60})['\"’”」』》]")
_CALLED: Final = late(r"([가-힣]{1,4}) ?(?:씨|님)(?![가-힣]{2})")
_LONG_DATES: Final = [each for each in marks.DATES if len(each) > 1 and each[0] >= "가"]
_DATED: Final = late("|".join(sorted(_LONG_DATES, key=len, reverse=True)))
_SHORT_DATES: Final = marks.DATES.difference(_LONG_DATES)
_TURNING: Final = tuple([each for each in marks.TURNS if each[0] >= "가"])


@dataclass(frozen=True, slots=True)
class Reading:
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
def read(text: str) -> Reading:
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
    return Reading(
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
    if isinstance(one, korean.Sentence):
        return isinstance(other, korean.Sentence) and korean.same(one, other)
    return isinstance(other, english.Sentence) and english.same(one, other)


def holds(full: Reading, part: Reading) -> bool:
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
