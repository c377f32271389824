"""Sentence pairs of everyday life from an own Korean and English grammar.

The wordings are in `own_talk`, the words in `own_words`; nothing is read from outside.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from source import Language, Pair, Source
from sources.own_talk import MEANINGS
from sources.own_words import Word, words

ROWS = 60_000
# The form after a final consonant, then the form after a vowel.
_PARTICLES = {
    "을": "를", "이": "가", "은": "는", "과": "와", "으로": "로", "이랑": "랑", "이나": "나",
    "이야": "야", "이에요": "예요", "이었": "였", "이라": "라", "이고": "고", "이지": "지",
    "이다": "다", "이거든": "거든", "이래": "래", "이네": "네", "이신": "신",
}  # fmt: skip
_SLOT = re.compile(r"\{(\w+)\}(?:\((\w+)\))?")
_BEFORE_VOWEL = re.compile(r"\b([Aa]) (?=[aeiouAEIOU])(?!(?:user|uni|use|Euro|one))")
_LAST_DIGIT = {"0": 21, "1": 8, "2": 0, "3": 16, "4": 0, "5": 0, "6": 1, "7": 8, "8": 8, "9": 0}

Wordings = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Meaning:
    """One thing to say, in wordings of both languages, with the questions it answers."""

    korean: Wordings
    english: Wordings
    korean_asks: Wordings = ()
    english_asks: Wordings = ()


def final_consonant(word: str) -> int:
    """Return the number of the word's final consonant, 0 where it ends in a vowel."""
    last = word[-1]
    if "가" <= last <= "힣":
        return (ord(last) - ord("가")) % 28
    return _LAST_DIGIT.get(last, 0)


def with_particle(word: str, particle: str) -> str:
    """Return the Korean word with the form of the particle that its ending asks for."""
    final = final_consonant(word)
    if final == 0 or (particle == "으로" and final == 8):  # after ㄹ it is 로
        return word + _PARTICLES[particle]
    return word + particle


def korean(wording: str, filling: dict[str, Word]) -> str:
    """Return the Korean wording with its slots filled."""

    def fill(slot: re.Match[str]) -> str:
        word = filling[slot[1]][0]
        return with_particle(word, slot[2]) if slot[2] else word

    return _SLOT.sub(fill, wording)


def english(wording: str, filling: dict[str, Word]) -> str:
    """Return the English wording with its slots filled and its articles made to agree."""
    text = _SLOT.sub(lambda slot: filling[slot[1]][1], wording)
    text = _BEFORE_VOWEL.sub(r"\1n ", text)
    return (text[0].upper() + text[1:]).replace("a.m..", "a.m.").replace("p.m..", "p.m.")


def _wordings(line: str) -> Wordings:
    return tuple(map(str.strip, line.removeprefix("? ").split("|")))


def meanings() -> tuple[Meaning, ...]:
    """Return every meaning of the grammar."""
    lines = MEANINGS.strip().splitlines()
    made: list[Meaning] = []
    for korean_line, english_line in zip(lines[::2], lines[1::2], strict=True):
        said, meant = _wordings(korean_line), _wordings(english_line)
        if korean_line.startswith("? "):
            made[-1] = replace(made[-1], korean_asks=said, english_asks=meant)
        else:
            made.append(Meaning(said, meant))
    return tuple(made)


def filled(meaning: Meaning, chance: random.Random, classes: dict[str, tuple[Word, ...]]
           ) -> dict[str, Word]:  # fmt: skip
    """Return a word for each slot; slots of one class that differ by a digit differ in word."""
    slots = sorted({slot[1] for text in (*meaning.korean, *meaning.english,
                    *meaning.korean_asks, *meaning.english_asks)
                    for slot in _SLOT.finditer(text)})  # fmt: skip
    filling: dict[str, Word] = {}
    for slot in slots:
        name = slot if slot in classes else slot.rstrip("23")
        free = [word for word in classes[name] if word not in filling.values()]
        filling[slot] = chance.choice(free)
    return filling


def rows_of(meaning: Meaning, filling: dict[str, Word], chance: random.Random) -> Iterator[Pair]:
    """Yield the pairs of one meaning and filling: paraphrases, translations, answers."""
    said: dict[Language, list[str]] = {
        "ko": [korean(text, filling) for text in meaning.korean],
        "en": [english(text, filling) for text in meaning.english],
    }
    asked: dict[Language, list[str]] = {
        "ko": [korean(text, filling) for text in meaning.korean_asks],
        "en": [english(text, filling) for text in meaning.english_asks],
    }
    for texts in (said, asked):
        if texts["ko"]:
            first, second = chance.sample(texts["ko"], 2)
            yield Pair(first, second, ("ko", "ko"))
            yield Pair(chance.choice(texts["ko"]), chance.choice(texts["en"]), ("ko", "en"))
            first, second = chance.sample(texts["en"], 2)
            yield Pair(first, second, ("en", "en"))
    if asked["ko"]:
        ways: tuple[tuple[Language, Language], ...] = (
            ("ko", "ko"), ("en", "en"), chance.choice((("ko", "en"), ("en", "ko"))),
        )  # fmt: skip
        for one, other in ways:
            yield Pair(chance.choice(asked[one]), chance.choice(said[other]), (one, other))


def read(_: Path) -> Iterator[Pair]:
    """Yield the grammar's pairs, the same ones each time, none twice."""
    chance = random.Random(3)
    classes, known = words(), meanings()
    seen: set[tuple[str, str]] = set()
    while len(seen) < ROWS:
        for meaning in known:
            for pair in rows_of(meaning, filled(meaning, chance, classes), chance):
                key = (min(pair.first, pair.second), max(pair.first, pair.second))
                if key not in seen:
                    seen.add(key)
                    yield pair


SOURCES: tuple[Source, ...] = (
    Source(
        name="own-everyday",
        kind="pairs",
        licence="Apache-2.0",
        credit="written for Saegim",
        obtain="nothing to obtain: written in this file",
        read=read,
    ),
)
