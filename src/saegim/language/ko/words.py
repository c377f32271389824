"""Korean words: what a word asks for once its particles and endings are taken off.

A word is kept as character bigrams, so every part of a compound can be found. Beside them stand
nouns of one syllable, and the stems of verbs (`~마시`) that the written form may hide.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache
from typing import Final

from saegim.language.ko.verbs import (
    EMPTY,
    FAINT,
    MAKERS,
    closing,
    guessed_stem,
    known_stems,
    melted_stems,
)
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("ko/words")

STOP: Final = _LISTS.words("stop")
QUESTION: Final = _LISTS.words("question")
TITLES: Final = _LISTS.row("titles")
_NOUNS: Final = _LISTS.words("nouns")
_SHORT_NOUNS: Final = _LISTS.words("short_nouns")
_LOOSE_WORDS: Final = _LISTS.words("loose_words")

_ANY: Final = [*_LISTS.row("any")]
_CLOSED: Final = [*_LISTS.row("closed")]
_OPEN: Final = str.split("는 가 를 와 나 랑 라도 란 든지 며 야 라고 라서 라는 라면")
_OPEN_OR_L: Final = str.split("로 로서 로써 로부터")
_STACKED: Final = [*_LISTS.row("stacked")]
_UPON: Final = [*_LISTS.row("upon")]
_UPON_PLURAL: Final = str.split("이 은 을 의 과 도 만 에게 에게는 한테 이나 이랑 끼리")
_DOUBTFUL: Final = _LISTS.words("doubtful")
_COPULA_HEADS: Final = frozenset("이인일입였예라여")
_MAKER_HEADS: Final = _COPULA_HEADS | frozenset("하해했한할합되돼됐된될됩시당스받드")
_LONGEST: Final = 12  # syllables; what is longer is no word, and is only cut into bigrams
_LL, _SS = 8, 20


class Weight(IntEnum):
    """How much a word of a question asks for."""

    NOTHING = 0
    LITTLE = 1
    MUCH = 2


@dataclass(frozen=True, slots=True)
class WordReading:
    """What one word leaves in the index, and what it asks for in a question.

    `main` are tokens in order, `extra` tokens beside them, `asked` phrases of tokens. `bare` marks
    a noun without a particle, which may be the first half of a compound.
    """

    main: tuple[str, ...]
    extra: tuple[str, ...]
    asked: tuple[tuple[str, ...], ...]
    weight: Weight
    bare: bool = False


NOTHING: Final = WordReading((), (), (), Weight.NOTHING)


def bigrams(word: str) -> tuple[str, ...]:
    """Cut a word into pairs of neighbouring characters; one character stays as it is."""
    if len(word) < 2:
        return (word,) if word else ()
    return tuple([word[i : i + 2] for i in range(len(word) - 1)])


@cache
def _particles() -> dict[str, str]:
    """Build, once, particle -> what the word before it must end in."""
    known = dict.fromkeys(_ANY, "any")
    known.update((particle, "closed") for particle in _CLOSED)
    known.update((particle, "open") for particle in _OPEN)
    known.update((particle, "open or l") for particle in _OPEN_OR_L)
    for first in _STACKED:
        for second in _UPON:
            known.setdefault(first + second, known[first])
    for second in _UPON_PLURAL:
        known["들" + second] = "any"
    for particle in list(known):  # the end of a particle leads nowhere, but on to the particle
        for start in range(1, len(particle)):
            known.setdefault(particle[start:], "")
    return known


def is_particle(word: str) -> bool:
    """Say whether the whole word can only hang on another one: 에서, 입니다, 했다."""
    return word in STOP or bool(_particles().get(word)) or not EMPTY.isdisjoint(known_stems(word))


def _fits(word: str, ending: str) -> bool:
    last = closing(word)
    if ending == "closed":
        return last != 0
    if ending == "open":
        return last == 0
    return ending == "any" or last in (0, _LL)


def without_particle(word: str) -> str:
    """Return the word before its particles; the word itself if it has none."""
    known = _particles()
    shortest = word
    if word in _NOUNS:
        return word
    for cut in range(len(word) - 1, 0, -1):
        ending = known.get(word[cut:])
        if ending is None:
            break
        if ending and _fits(word[:cut], ending):
            shortest = word[:cut]
            if shortest in _NOUNS:
                break
    return shortest


def _made_of(word: str) -> str:
    """Return the noun inside 공부했다, 시작된, 학생입니다; "" if it is no such word."""
    for cut in range(1, len(word)):
        if word[cut] not in _MAKER_HEADS:
            continue
        tail = word[cut:]
        if len(tail) == 1:
            return word[:cut] if tail in "한할해된될돼" and cut > 1 else ""
        stems = known_stems(tail)
        if not MAKERS.isdisjoint(stems) and not (cut == 1 and "하" not in stems):
            return word[:cut]
        if "이" in stems and tail[0] in _COPULA_HEADS and _copula_fits(word[:cut], tail):
            return word[:cut]
    return ""


def _copula_fits(noun: str, tail: str) -> bool:
    """Say whether the noun may take this form of 이다: 친구였다, but 움직였다 is a verb."""
    if tail[0] not in "였예라여":
        return not tail.startswith("이기")  # 받아들이기 is a verb
    return closing(noun) == 0 and (len(noun) > 1 or tail[0] != "였")


def _verb(stems: tuple[str, ...], word: str, noun: str) -> WordReading:
    """Read a form of common verbs."""
    tokens = tuple("~" + stem for stem in stems)
    short = (noun,) if len(noun) == 1 else ()
    if not EMPTY.isdisjoint(stems):
        return NOTHING
    weight = Weight.MUCH if FAINT.isdisjoint(stems) else Weight.LITTLE
    return WordReading(bigrams(word), short + tokens, tuple((token,) for token in tokens), weight)


def _is_noun(word: str, noun: str) -> bool:
    """Say whether what stands before the particle is surely a noun."""
    if len(noun) == 1:
        return noun in _SHORT_NOUNS and noun != word
    return noun in _NOUNS


def _from_noun(word: str, noun: str) -> WordReading:
    """Read a noun with or without particles."""
    particle = word[len(noun) :]
    if len(noun) == 1 and particle in _DOUBTFUL and noun not in _SHORT_NOUNS:
        return WordReading(bigrams(word), (noun,), (bigrams(word),), Weight.MUCH)
    extra = (noun,) if len(noun) == 1 and particle else ()
    bare = not particle and len(word) > 1 and word not in _LOOSE_WORDS
    return WordReading(bigrams(word), extra, (bigrams(noun),), Weight.MUCH, bare)


def _from_maker(word: str, noun: str) -> WordReading:
    """Read a verb made of a noun: the noun counts."""
    if noun in STOP or (noun not in _SHORT_NOUNS and not EMPTY.isdisjoint(known_stems(noun))):
        return NOTHING
    extra: tuple[str, ...] = (noun,) if len(noun) == 1 else ()
    extra += tuple("~" + stem for stem in melted_stems(noun))
    weight = Weight.LITTLE if noun in QUESTION else Weight.MUCH
    return WordReading(bigrams(word), extra, (bigrams(noun),), weight)


def _from_guess(word: str, stem: str) -> WordReading:
    """Read a verb that is in no list."""
    tokens = bigrams(stem) if len(stem) > 1 else ("~" + stem,)
    extra = () if word.startswith(stem) and len(stem) > 1 else tokens
    for cut in range(1, len(word) - 2):  # 돌려보냈다 is also 보내다
        if inner := [verb for verb in known_stems(word[cut:]) if len(verb) > 1]:
            extra += tuple("~" + verb for verb in inner)
            break
    return WordReading(bigrams(word), extra, (tokens,), Weight.MUCH)


@lru_cache(maxsize=32768)
def _read(word: str) -> WordReading:
    if word in STOP:
        return NOTHING
    if word in QUESTION:
        return WordReading(bigrams(word), (), (bigrams(word),), Weight.LITTLE)
    if word in _NOUNS or word in _SHORT_NOUNS:
        return _from_noun(word, word)
    if len(word) == 1:
        stems = known_stems(word)
        return _verb(stems, word, "") if stems else _from_noun(word, word)
    noun = without_particle(word)
    if noun in STOP:
        stems = known_stems(word)
        return _verb(stems, word, "") if stems else NOTHING
    if noun in QUESTION:
        return WordReading(bigrams(word), (), (bigrams(noun),), Weight.LITTLE)
    if _is_noun(word, noun):
        return _from_noun(word, noun)
    if stems := known_stems(word):
        return _verb(stems, word, noun)
    if made_of := _made_of(word):
        return _from_maker(word, without_particle(made_of) if len(made_of) > 2 else made_of)
    if len(word) == 2 and word[1] == "해" and word[0] in _SHORT_NOUNS:
        # 일해 is 일하다; asked for both ways, since the written form says more where it stands.
        return WordReading((word,), (word[0],), ((word,), (word[0],)), Weight.MUCH)
    if (noun == word or closing(noun) == _SS) and (stem := guessed_stem(word)):
        return _from_guess(word, stem)
    return _from_noun(word, noun)


def read(word: str) -> WordReading:
    """Read one unbroken run of Hangul syllables."""
    if len(word) <= _LONGEST:
        return _read(word)
    pairs = bigrams(word)
    return WordReading(pairs, (), tuple([(pair,) for pair in pairs]), Weight.MUCH)
