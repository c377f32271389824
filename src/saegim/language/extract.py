"""What a sentence says, by rules alone: its kind, ties, names, keywords and short form.

No triple is better than a wrong one: questions, wishes, rumours and suppositions yield none.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from saegim.language.claims import Named, Triple, known_predicate
from saegim.language.en.triples import triples as english_triples
from saegim.language.features import Signs
from saegim.language.ko.triples import triples as korean_triples
from saegim.language.language import language_of
from saegim.language.names import named
from saegim.language.words import Analyser, sentences
from saegim.memory.memory import Kind
from saegim.memory.text import fold

# Seed C's level 1: a summary of at most this many characters.
BRIEF: Final = 100
_MOST_SENTENCES: Final = 24
_MOST_TRIPLES: Final = 16
# What is longer is a list or a log, and not read for ties.
_LONGEST_SENTENCE: Final = 500
_GLANCE: Final = 2000
_USERS: Final = frozenset(("", "user", "me", "사용자", "나"))

_PRINCIPLE: Final = re.compile(
    r"(?:항상|언제나|반드시|무조건|절대|꼭)[^.!?\n]{0,60}"
    r"(?:[가-힣]자(?=[.!]?$)|지 말 것|해야 (?:한다|해|돼|됩니다|합니다)|면 안 (?:돼|된다|됩니다)"
    r"|하지 않는다|원칙|규칙)"
    r"|(?:원칙|규칙|철칙|좌우명|신조)(?:은|는|이|가|으로|야|이야|이다|입니다)|(?:하자|말자)[.!]?$"
    r"|\b(?:we|i) (?:never|always|only ever) (?!(?:lik|lov|hat|enjoy|prefer|forg|felt|feel)\w*\b)"
    r"\w+(?= [^.!?\n]{0,80}\b(?:on|without|before|after|until|unless|when|first)\b)"
    r"|\b(?:always|never) (?:commit|deploy|merge|push|ship|test|write|keep|ask|check|review)\b"
    r"|\b(?:rule of thumb|house rule|our rule|my rule|new rule|the rule is|principle|motto)\b"
    r"|\b(?:must|should) (?:never|always)\b",
    re.IGNORECASE,
)
_ENDS_IN_KOREAN: Final = re.compile(r"[가-힣][^0-9A-Za-z가-힣]*$")
_ENGLISH: Final = re.compile(r"\b(?:i|the|to|is|are|my|we|and|of|in|it)\b", re.IGNORECASE)
_PREFERENCES: Final = frozenset(str.split("likes prefers supports"))
_EVENTS: Final = frozenset(str.split("met went_to learned made decided bought got stopped gave_up"))
_FILLER: Final = re.compile(
    r"^(?:(?:아|어|음|오|와|헐|저기|그|근데|그런데|그리고|그래서|참|맞다|있잖아|사실|솔직히|일단"
    r"|아무튼|암튼|um+|uh+|oh|well|so|ok|okay|hey|hi|hello|anyway|actually|honestly|basically|btw"
    r"|by the way|just so you know|you know)[\s,!.~…]+)+|[ㅋㅎㅠㅜ]{2,}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What was read in one sentence or short turn, in the language it was said in."""

    kind: Kind
    triples: tuple[Triple, ...]
    named: tuple[Named, ...]
    keywords: tuple[str, ...]
    brief: str | None
    language: str


def extract(
    text: str,
    *,
    analyser: Analyser,
    signs: Signs,
    speaker: str = "",
    known: Collection[str] = (),
) -> Extracted:
    """Return what one sentence or short turn says, by rules alone."""
    folded = fold(text)
    language = _language(folded)
    who = "" if speaker in _USERS else speaker
    said = sentences(folded)[:_MOST_SENTENCES]
    short = [each for each in said if len(each) <= _LONGEST_SENTENCE]
    asked = signs.question and len(said) == 1 and not signs.tells
    read = korean_triples if language == "ko" else english_triples
    triples = [] if asked else read(short, who)[:_MOST_TRIPLES]
    me = who or ("사용자" if language == "ko" else "user")
    return Extracted(
        kind=_kind(folded, signs, triples, me),
        triples=tuple(triples),
        named=named(folded[:_GLANCE], triples, language=language, me=me, known=known),
        keywords=signs.keywords,
        brief=_brief(folded, said, analyser),
        language=language,
    )


def _language(text: str) -> str:
    """Return the language; a Korean sentence may hold more Latin letters, but ends in Korean."""
    korean = _ENDS_IN_KOREAN.search(text[-40:]) and not _ENGLISH.search(text[:_GLANCE])
    return "ko" if korean else language_of(text)


def _kind(text: str, signs: Signs, triples: list[Triple], me: str) -> Kind:
    """Say what sort of thing it is; a rule to live by before all else."""
    if _PRINCIPLE.search(text) and not signs.question:
        return Kind.PRINCIPLE
    rows = [known[0] for _, said, _ in triples if (known := known_predicate(said))]
    # What somebody else likes is no wish of the one who tells it.
    own = not triples or any(subject == me for subject, _, _ in triples)
    if own and (signs.preference or any(row.slot in _PREFERENCES for row in rows)):
        return Kind.PREFERENCE
    if own and any(said.startswith(("favourite ", "가장 좋아하는 ")) for _, said, _ in triples):
        return Kind.PREFERENCE
    if signs.technical:
        return Kind.TECHNICAL
    if signs.emotion and all(row.name == "ill" for row in rows):
        return Kind.EMOTION
    if signs.experience or any(row.name in _EVENTS for row in rows):
        return Kind.EXPERIENCE
    return Kind.FACT


def _brief(text: str, said: list[str], analyser: Analyser) -> str | None:
    """Return the sentence that says most, at most 100 characters; None for a short text."""
    if len(text) <= BRIEF:
        return None
    best = max(said, key=lambda each: _weight(each, analyser), default=text)
    best = " ".join(_FILLER.sub("", best).split()) or " ".join(best.split())
    if len(best) <= BRIEF:
        return best
    cut = best.rfind(" ", 0, BRIEF)
    return best[: cut if cut > BRIEF // 2 else BRIEF - 1].rstrip(" ,;:-") + "…"


def _weight(sentence: str, analyser: Analyser) -> float:
    """Weigh a sentence by how many different words it asks for; a question tells little."""
    words = len(analyser.query(sentence[: 4 * BRIEF]))
    asks = sentence.rstrip().endswith(("?", "？"))
    return words * (0.3 if asks else 1.0)
