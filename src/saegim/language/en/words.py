"""English words: which carry no meaning of their own, and what a word's other forms share."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

# Never asked for and never indexed.
STOP: Final = frozenset(
    str.split("""
    a an the and or but if so of in on at to by for from with into onto than as about over under
    is am are was were be been being do does did doing done have has had having will would shall
    should can could may might must i me my mine we us our ours you your yours he him his she her
    hers it its they them their theirs this that these those there here not no nor ca wo sha get
    gets got just also very too then also any some let lets please vs etc ie eg
    """)
)
# Dropped from a question while anything else is left of it.
QUESTION: Final = frozenset(
    str.split("""
    what which who whom whose when where why how tell show find know remember remind recall said
    say says mention mentioned ever again much many
    """)
)
_IRREGULAR: Final = {
    form: stem
    for stem, *forms in map(
        str.split,
        str.split(
            """be being|go goes going gone went|do doing|see saw seen|run ran|eat ate eaten
        |drink drank drunk|drive drove driven|write wrote written|break broke broken|buy bought
        |bring brought|think thought|teach taught|catch caught|pay paid|lay laid|make made
        |take took taken|give gave given|get gotten|know knew known|grow grew grown|fly flew flown
        |draw drew drawn|speak spoke spoken|choose chose chosen|forget forgot forgotten|find found
        |lose lost|leave left|meet met|keep kept|sleep slept|feel felt|send sent|spend spent
        |build built|sell sold|tell told|hold held|stand stood|understand understood
        |begin began begun|swim swam swum|sing sang sung|wear wore worn|fall fell fallen
        |come came|become became|hear heard|mean meant|learn learnt|dream dreamt|ride rode ridden
        |wake woke woken|steal stole stolen|throw threw thrown|hide hid hidden
        |bite bitten|child children|man men|woman women|foot feet|tooth teeth|mouse mice
        |wife wives|knife knives|half halves|shelf shelves|bus buses
        |gas gases|die dying died|lie lying|tie tying tied|agree agreed|free freed""",
            "|",
        ),
    )
    for form in forms
}
_WHOLE: Final = frozenset(
    str.split("""
    morning evening during ceiling nothing something anything everything wedding embed hundred
    news always series lens indeed united
    """)
)
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
