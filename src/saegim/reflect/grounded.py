"""Whether a sentence of a model rests on the memories it cites: names, numbers, words, and no more.

Less strict than the check of a fact, because an insight says in new words what several memories
say; but a name, a number or a denial that is not in its sources makes it untrue.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from saegim.engines.llm.thinking import clean
from saegim.guard.echo import NAME
from saegim.guard.guard import screen
from saegim.guard.instructions import suspicion
from saegim.language.amounts import amounts, foreign
from saegim.language.grounding import clauses, misread, same_language
from saegim.language.language import script_of
from saegim.language.meanings import said, words_of
from saegim.language.names import named
from saegim.memory.keys import canonical_key, fold, normalise
from saegim.memory.memory import Memory
from saegim.reflect.told import stands

LONGEST: Final = 300
_FEWEST_SOURCES: Final = 2
# Of the words of an insight at least every third must be its sources' own.
_OWN_WORDS: Final = 3
_CAPITAL: Final = re.compile(r"(?<=[a-z,;:] )[A-Z][\w'’-]+")
# What is built like the name of a place or a house: 한라산, 서울역, 하늘병원.
_PLACE: Final = re.compile(
    r"[가-힣]{2,}(?:산|강|섬|역|동|시|군|읍|궁|공항|대학교?|병원|시장|공원|호텔|카페|식당|전자|은행)"
)
_QUOTED: Final = re.compile(r"[\"“「『]([^\"”」』\n]{2,200})[\"”」』]")
# How often something was spoken of is nothing to remember.
_COUNT: Final = re.compile(
    r"(?i)\S+\s?(?:번|회|차례)이?나? ?(?:나왔|나온|언급|등장|이야기)"
    r"|\b(?:came|come|comes|mentioned|appears?|appeared|referenced) (?:up )?"
    r"(?:\w+ times|in \w+ (?:of|memories))"
)
_NUMBER: Final = re.compile(r"\d{1,4}")
_MOST_CITED: Final = 40


def tidy(value: Any) -> str:
    """Return a sentence of a model on one line, nothing unseen in it; "" for what is no text."""
    return " ".join(clean(fold(value)).split()) if isinstance(value, str) else ""


def cited(value: Any, shown: Sequence[Memory]) -> list[Memory]:
    """Return the memories a model names by number, each once, in their order."""
    given = value if isinstance(value, list) else [value]
    numbers: set[int] = set()
    for each in given[:_MOST_CITED]:
        if isinstance(each, str):
            numbers.update(map(int, _NUMBER.findall(each)[:_MOST_CITED]))
        elif isinstance(each, int) and not isinstance(each, bool):
            numbers.add(each)
    return [memory for at, memory in enumerate(shown, 1) if at in numbers]


def ungrounded(text: str, sources: Sequence[Memory], *, known: Sequence[str] = ()) -> str:
    """Return "" if the sentence may be kept, else what is wrong with it.

    `known` are names that count as said, because the group is about them. Reasons: empty, too_long,
    sources, language, instruction, secret, count, repeats, quote, number, name, invented, negation.
    """
    source = "\n".join(each.text for each in sources)
    if not any(map(str.isalnum, text)) or len(text) > LONGEST:
        return "too_long" if text else "empty"
    if len(sources) < _FEWEST_SOURCES:
        return "sources"
    if not same_language(text, source):
        return "language"
    if suspicion(text) or NAME in text:
        return "instruction"
    if screen(text).findings:
        return "secret"
    if _COUNT.search(text):
        return "count"
    if canonical_key(text.rstrip(".")) in {canonical_key(one.text.rstrip(".")) for one in sources}:
        return "repeats"
    return _foreign(text, source, known)


def _foreign(text: str, source: str, known: Sequence[str]) -> str:
    """Return what the sentence holds that its sources do not."""
    plain, held = normalise(text), normalise(" ".join((source, *known)))
    squeezed = "".join(held.split())
    if any("".join(normalise(each).split()) not in squeezed for each in _QUOTED.findall(text)):
        return "quote"
    if foreign(amounts(plain), amounts(held)):
        return "number"
    if any(not stands(name, held, is_name=True) for name in _names(text)):
        return "name"
    found, heard = list(words_of(fold(text))), said(" ".join((source, *known)))
    held_words = [word for word in found if heard.holds(word)]
    if any(_PLACE.fullmatch(key) for word in found if word not in held_words for key in word.keys):
        return "name"
    own = len(held_words)
    if own < 1 or own * _OWN_WORDS < len(found):
        return "invented"
    return "negation" if misread(clauses(fold(text)), clauses(fold(source))) == "negation" else ""


def _names(text: str) -> set[str]:
    """Return who and what the sentence names, normalised."""
    language = "ko" if script_of(text) == "ko" else "en"
    found = [each.name for each in named(fold(text), (), language=language, me="")]
    found += [re.sub(r"['’]s$", "", each) for each in _CAPITAL.findall(text)]
    return {part for name in found for part in normalise(name).split()}
