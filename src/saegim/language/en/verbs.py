"""English verb forms: goes, went, and the lemma of a verb that is in no list."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from saegim.language.en import lexicon as lex
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("en/verbs")

_VOWELS: Final = "aeiou"
_DOUBLED: Final = re.compile(r"([bdgmnprt])\1$")
_LOST_E: Final = re.compile(
    r"(?:[cvzu]|[^aeiou]l|[aeiou]s|dg|rg|[^aeiouwxy][aeiou][dgkmnprt]|[aeiou]{2}s|rs)$"
)
_WHOLE: Final = re.compile(
    r"(?:en|er|it|et|on|ow|or|op|up|al|el|il|ain|ean|eat|oat|oin|oom|ool|eed|elp|ast)$"
)
_IRREGULAR: Final = _LISTS.pairs("irregular")
_PAST: Final = {form: lemma for lemma, form in _IRREGULAR.items()}
_S: Final = ("s", "sh", "ch", "x", "z", "o")


@cache
def _forms(kind: str) -> dict[str, str]:
    """Return lemma -> form, the last form that is listed: jogged, after joged."""
    found: dict[str, str] = {}
    for written, form in lex.VERBS.items():
        if form.kind == kind:
            found[form.lemma] = written
    return found


def third(lemma: str) -> str:
    """Return how a verb is said of one person now: goes, studies, watches."""
    if lemma == "be":
        return "is"
    if known := _forms("s").get(lemma):
        return known
    if lemma.endswith("y") and lemma[-2:-1] not in _VOWELS:
        return lemma[:-1] + "ies"
    return lemma + ("es" if lemma.endswith(_S) else "s")


def past(lemma: str) -> str:
    """Return how a verb is said of what is over: went, studied, baked."""
    if lemma == "be":
        return "was"
    if known := _forms("past").get(lemma):
        return known
    if lemma in lex.SAME_PAST or lemma in _IRREGULAR:
        return _IRREGULAR.get(lemma, lemma)
    if lemma.endswith("y") and lemma[-2:-1] not in _VOWELS:
        return lemma[:-1] + "ied"
    return lemma + ("d" if lemma.endswith("e") else "ed")


def is_irregular(word: str) -> bool:
    """Say whether a word is a form of a verb that changes its vowel and is in no other list."""
    return word in _PAST or word in _IRREGULAR


def lemma_of(word: str) -> str:
    """Return the lemma of a past or third-person form; "" for what looks like none."""
    low = word.lower()
    if known := lex.VERBS.get(low):
        return known.lemma
    if is_irregular(low):
        return _PAST.get(low, low)
    if low.endswith("ied") and len(low) > 4:
        return low[:-3] + "y"
    if low.endswith("ed") and len(low) > 4:
        return _restored(low[:-2])
    if low.endswith("ies") and len(low) > 4:
        return low[:-3] + "y"
    if low.endswith(("shes", "ches", "xes", "sses", "zzes")):
        return low[:-2]
    return low[:-1] if low.endswith("s") and not low.endswith("ss") and len(low) > 3 else ""


def _restored(stem: str) -> str:
    """Return a stem whose -ed was taken off with the e or the single letter it had."""
    if _DOUBLED.search(stem) and not stem.endswith(("ll", "ss")):
        return stem[:-1]
    if _WHOLE.search(stem) and len(stem) > 4:
        return stem
    return stem + "e" if _LOST_E.search(stem) else stem
