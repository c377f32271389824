"""English words: which carry no meaning of their own, and what a word's other forms share."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("en/words")

STOP: Final = _LISTS.words("stop")
QUESTION: Final = _LISTS.words("question")
_IRREGULAR: Final = _LISTS.pairs("irregular")
_WHOLE: Final = _LISTS.words("whole")
_VOWEL: Final = re.compile("[aeiouy]")
# One syllable that ends in one vowel and one consonant: such a verb doubles the consonant before
# -ed and -ing (plan, planned), so if it did not, it had lost an e (care, cared).
_SHORT: Final = re.compile(r"[^aeiouy]*[aeiouy][^aeiouywx]")
_DOUBLED: Final = re.compile(r"([^aeiou])\1$")


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith(("xes", "ches", "shes", "sses")):
        return word[:-2]
    if word.endswith("ies") and len(word) > 4:
        return word[:-2]
    return word[:-1]


def _infinitive(word: str) -> str:
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest == word or len(rest) < 2 or word.endswith("eed") or not _VOWEL.search(rest):
            continue
        if _DOUBLED.search(rest):
            return rest
        return rest + "e" if _SHORT.fullmatch(rest) else rest
    return word


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Return what the forms of a lower-case word share; it need not be a word itself."""
    if len(word) < 3 or not word.isalpha():
        return word
    word = _IRREGULAR.get(word, word)
    if word in _WHOLE:
        return word
    word = _singular(word)
    if word not in _WHOLE:
        word = _infinitive(_IRREGULAR.get(word, word))
    if len(word) > 3 and word.endswith("e") and not word.endswith("ee"):
        rest = word[:-1]
        word = word if _SHORT.fullmatch(rest) else rest
    if len(word) > 3 and _DOUBLED.search(word):
        word = word[:-1]
    if len(word) > 2 and word.endswith("y") and word[-2] not in "aeiou":
        word = word[:-1] + "i"
    return word
