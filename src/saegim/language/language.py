"""Korean and English behind one contract: nine questions that other rooms ask of a text.

A part of the room is imported when it is first asked for, so that a question that needs only words
and times does not wait for what reads feelings or facts.
"""

from __future__ import annotations

import re
from typing import Final, Literal

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
