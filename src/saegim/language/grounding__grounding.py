"""Whether a fact is in its source: every number, date, name and quotation, and who did what.

Strict on purpose: a fact that is left out costs little, because the source itself is always kept; a
fact that is invented is worse than none. It knows no world: what the source says may be untrue.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Final

from saegim.language.amounts import amounts, foreign
from saegim.language.grounding import misread
from saegim.language.grounding__telling import USERS, clauses, first_person
from saegim.language.ko.ground import is_person
from saegim.language.language import script_of
from saegim.language.meanings import TIMES
from saegim.language.meanings__clause import Clause
from saegim.language.meanings__reading import Said, Word, said, words_of
from saegim.language.times import spans
from saegim.memory.keys import fold, normalise
from saegim.memory.late import late

_HANGUL: Final = late("[가-힣]")
_LATIN_WORD: Final = late(r"[A-Za-zÀ-ɏ][\w'’.+#-]*")
_KOREAN_RUN: Final = late("[가-힣ㄱ-ㅣ]+")
_QUOTED: Final = late(
    r"[\"“「『]([^\"”」』\n]{2,200})[\"”」』]|(?<![\w'])'([^'\n]{2,200})'(?![A-Za-z0-9])"
)
_MAY: Final = late(r"\bMay\b(?= [0-9]| 20|,|\.|$)")
_TURNED: Final = late(
    r"\b(?:this|last|next|past|coming|every) (?:week|month|year|weekend|summer|winter|spring|fall"
    r"|autumn|morning|night|evening|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b"
)
_DATES: Final = frozenset(("year", "월", "day", "clock", "week"))


def same_language(fact: str, source: str) -> bool:
    """Say whether a fact is in the language of its source; words it takes from there count not."""
    of_source = script_of(source)
    taken = {normalise(word) for word in _LATIN_WORD.findall(fold(source))}
    own = _LATIN_WORD.sub(lambda word: "" if normalise(word[0]) in taken else word[0], fold(fact))
    if of_source == "ko" and not _HANGUL.search(fact):
        return False
    rest = own if _letters(own) else fact
    if of_source == "latin":
        known = set(_KOREAN_RUN.findall(fold(source)))
        rest = _KOREAN_RUN.sub(lambda run: "" if run[0] in known else run[0], rest)
        return not _letters(rest) or script_of(rest) == "latin"
    return script_of(rest) == of_source


def _letters(text: str) -> bool:
    return any(letter.isalpha() for letter in text)


def _foreign_quote(fact: str, source: str) -> str:
    held = "".join(normalise(source).split())
    for match in _QUOTED.finditer(fact):
        quoted = match[1] or match[2]
        if "".join(normalise(quoted).strip(" .,!?").split()) not in held:
            return "quote"
    return ""


def _in_words_of_source(fact: str, source: str, said_at: datetime | None) -> str:
    """Return the fact with each date that means a day of the source in the source's words."""
    if said_at is None:
        return fact
    known = {(span.start, span.end): span.words for span in spans(source, said_at)}
    held = normalise(source)
    for span in reversed(spans(fact, said_at)):
        words = known.get((span.start, span.end))
        if words and normalise(span.words) not in held:
            fact = fact[: span.at] + words + fact[span.at + len(span.words) :]
    return fact


def _foreign_time(fact: str, source: str) -> str:
    """Check numbers, and English time phrases whose words alone would be too common."""
    plain, held = normalise(fact), normalise(source)
    if odd := foreign(amounts(plain), amounts(held)):
        return "date" if odd.unit in _DATES else "number"
    if _MAY.search(fact) and not re.search(r"\bmay\b", held):
        return "date"
    if any(found[0] not in held for found in _TURNED.finditer(plain)):
        return "date"
    return ""


def _foreign_word(fact: str, source: Said) -> str:
    """Check that the source says each word, or one that says the same."""
    found = list(words_of(fact))
    literal = sum(source.holds(word) for word in found)
    for word in found:
        if source.holds(word):
            continue
        if any(key in TIMES for key in word.keys):
            return "date"
        if not source.holds_alike(word):
            return "name" if _is_name(word) else "invented"
    # Of a sentence in other words alone nobody knows whether it is the same.
    return "" if literal * 3 >= len(found) and (found or amounts(normalise(fact))) else "invented"


def _is_name(word: Word) -> bool:
    return word.text[0].isupper() or any(map(is_person, word.keys))


class Ground:
    """A source that is read once, to hold many facts against it.

    `order_in` says which order a text gives, "" if none. `allowed` are names of the speaker beside
    "user"; with `said_at`, a day may be named by its date where the source names it by a word.
    """

    def __init__(
        self,
        source: str,
        *,
        order_in: Callable[[str], str],
        allowed: Collection[str] = (),
        said_at: datetime | None = None,
    ) -> None:
        self._source = fold(source)
        self._order_in = order_in
        self._allowed = tuple(allowed)
        self._said_at = said_at
        self._heard = first_person(self._source, self._allowed)
        self._said = said(self._heard)
        self._clauses: list[Clause] | None = None

    def wrong_with(self, fact: str) -> str:
        """Return what is wrong with a fact, "" if the source says it.

        Reasons: language, instruction, quote, date, number, name, invented, negation, question,
        condition, tense, subject.
        """
        fact = fold(fact)
        if not same_language(fact, self._source):
            return "language"
        spoken = first_person(fact, (*USERS, *self._allowed))
        if spoken.startswith("I "):
            spoken = re.sub(r"\bthey\b", "I", spoken)
        # That someone does not tell is no order to keep a secret, if it is told of someone.
        if (order := self._order_in(fact)) and (order != "secrecy" or spoken == fact):
            return "instruction"
        spoken = _in_words_of_source(spoken, self._heard, self._said_at)
        return (
            _foreign_quote(fact, self._source)
            or _foreign_time(spoken, self._heard)
            or _foreign_word(spoken, self._said)
            or self._misread(spoken)
        )

    def _misread(self, fact: str) -> str:
        if self._clauses is None:
            self._clauses = clauses(self._heard)
        return misread(clauses(fact), self._clauses)
