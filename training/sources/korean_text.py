"""Cleaning and sentence splitting shared by the Korean readers; knows nothing of any source."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

_HANGUL = re.compile(r"[가-힣]")
_LETTERS = re.compile(r"[^\W\d_]")
_SPACES = re.compile(r"\s+")
_RUNS = re.compile(r"(.)\1{4,}")
_TAGS = re.compile(r"<[^<>]{1,200}>")
_PRIVATE = re.compile(r"https?://|www\.|\S+@\S+\.\w|01[016789][-. ]?\d{3,4}[-. ]?\d{4}")
_SENTENCE = re.compile(r"(?<=[가-힣][.!?…])[\"'”’」』)]*\s+(?=\S)|(?<=[.!?][\"”’」』])\s+(?=\S)")


def clean(text: str) -> str:
    """Return `text` on one line, without tags and entities, long runs of one sign cut to four."""
    plain = _TAGS.sub(" ", html.unescape(html.unescape(text)))
    plain = plain.replace("\u200b", "").replace("\ufeff", "").replace("\xa0", " ")
    return _RUNS.sub(lambda run: run.group(1) * 4, _SPACES.sub(" ", plain)).strip()


def is_korean(text: str, least: int = 4, most: int = 400, syllables: int = 3) -> bool:
    """Say whether `text` is a usable Korean passage: long enough, mostly Hangul, no address."""
    if not least <= len(text) <= most or _PRIVATE.search(text) or "\ufffd" in text:
        return False
    hangul = len(_HANGUL.findall(text))
    return hangul >= syllables and hangul * 2 >= len(_LETTERS.findall(text))


def sentences(paragraph: str, most: int = 300) -> Iterator[str]:
    """Yield the sentences of a cleaned paragraph, very short ones joined to the next."""
    waiting = ""
    start = 0
    cuts = [found.end() for found in _SENTENCE.finditer(paragraph)]
    for cut in [*cuts, len(paragraph)]:
        piece = paragraph[start:cut].strip()
        start = cut
        joined = f"{waiting} {piece}".strip()
        if len(joined) < 12 and cut != len(paragraph):
            waiting = joined
            continue
        waiting = ""
        if joined and len(joined) <= most:
            yield joined


def unique(texts: Iterable[str]) -> Iterator[str]:
    """Yield each text the first time it is seen."""
    seen: set[str] = set()
    for text in texts:
        if text not in seen:
            seen.add(text)
            yield text
