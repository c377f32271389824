"""Korean and English behind one contract: ten questions that other rooms ask of a text.

A part of the room is imported when it is first asked for, so that a question that needs only words
and times does not wait for what reads feelings or facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from saegim.language.deeds import Deed
    from saegim.language.extract import Extracted
    from saegim.language.features import Signs
    from saegim.language.feelings import FeelingHeads
    from saegim.language.meanings import GroundClause
    from saegim.language.tell import Distilled
    from saegim.language.times import Span
    from saegim.language.words import Analyser, Term
    from saegim.memory.memory import Emotion, Memory, SentenceReading, Tier

Language = Literal["ko", "en"]

LANGUAGES: Final[tuple[Language, ...]] = ("ko", "en")
_HANGUL: Final = re.compile(r"[가-힣ㄱ-ㅎㅏ-ㅣ]")
_LATIN: Final = re.compile(r"[a-zA-Z]")
# Enough of a text to tell its language.
_GLANCE: Final = 400
_SCRIPTS: Final = {
    "ko": re.compile("[가-힣ㄱ-ㅣ]+"),
    "latin": re.compile("[A-Za-zÀ-ɏ]+"),
    "cjk": re.compile("[\u3040-\u30ff\u3400-\u9fff]+"),
    "other": re.compile("[\u0370-\u10ff\u1200-\u1fff]+"),
}


def language_of(text: str) -> Language:
    """Return in which of the two languages a text is read; Hangul weighs twice a Latin letter."""
    glance = text[:_GLANCE]
    hangul, latin = len(_HANGUL.findall(glance)), len(_LATIN.findall(glance))
    return "ko" if 2 * hangul >= latin else "en"


def script_of(text: str) -> str:
    """Return "ko", "latin", "cjk" or "other", by the words of the text; "" if it has none."""
    counts = {name: len(script.findall(text)) for name, script in _SCRIPTS.items()}
    if not any(counts.values()):
        return ""
    # Korean speakers write half of a technical sentence in Latin letters.
    if counts["ko"] * 2 >= sum(counts.values()) - counts["ko"]:
        return "ko"
    return max(counts, key=lambda name: counts[name])


def terms(text: str, analyser: Analyser) -> list[Term]:
    """Return what a text asks for: its words without what any word may carry."""
    return analyser.query(text)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    found: list[str] = _part("sentences").sentences(text)
    return found


def clauses(text: str) -> list[GroundClause]:
    """Return who does what in a text, and whether it is told, asked, denied or supposed."""
    found: list[GroundClause] = _part("grounding").clauses(text)
    return found


def deeds(text: str) -> list[Deed]:
    """Return what is done in a text: by whom, which verb, and what belongs to it."""
    found: list[Deed] = _part("tell").deeds_in(text, language_of(text))
    return found


def times(text: str, said_at: datetime, last: Span | None = None) -> list[Span]:
    """Return the times that a text names, resolved against the moment it was said."""
    found: list[Span] = _part("times").spans(text, said_at, ahead=True, last=last)
    return found


def nearer_days(text: str) -> str:
    """Return the text as it is asked of a reader who never met the rarest words for days."""
    found: str = _part("times").korean_dates.nearer_days(text)
    return found


def features(
    text: str, *, emotion: Emotion, reading: SentenceReading | None, analyser: Analyser
) -> Signs:
    """Return what a text does: ask, wish, order, tell of oneself, settle something."""
    read: Signs = _part("features").read_signs(
        text, emotion=emotion, reading=reading, analyser=analyser
    )
    return read


def feelings(text: str, heads: FeelingHeads | None) -> Emotion:
    """Return what a text feels like; without heads its words alone are read."""
    felt: Emotion = _part("feelings").feel(text, heads)
    return felt


def facts(
    text: str,
    *,
    analyser: Analyser,
    signs: Signs,
    speaker: str = "",
    known: Collection[str] = (),
) -> Extracted:
    """Return what one sentence or short turn says: its kind, ties, names and short form."""
    said: Extracted = _part("extract").extract(
        text, analyser=analyser, signs=signs, speaker=speaker, known=known
    )
    return said


def same(survivor: Memory, other: Memory, *, analyser: Analyser) -> str:
    """Return why the other memory does not say the same as the survivor, "" if it does."""
    reason: str = _part("same").may_become(survivor, other, analyser=analyser)
    return reason


def tell(
    sources: Sequence[Memory],
    *,
    to: Tier,
    analyser: Analyser,
    here: Callable[[datetime], datetime],
) -> Distilled | None:
    """Return in one or two sentences what the sources have in common, None if nothing honest."""
    told: Distilled | None = _part("tell").distilled_by_rule(
        sources, to=to, analyser=analyser, here=here
    )
    return told


def _part(name: str) -> Any:
    return import_module(f"saegim.language.{name}")
