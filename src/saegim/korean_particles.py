"""Choose the Korean particle that fits the word before it: 은/는, 이/가, 을/를, 과/와, 으로/로.

What counts is the last sound when the word is read aloud. Closing quotes, brackets and other marks
are not read; digits are read as numbers (3은, 2는), capital letters one by one (API는, HTML은), and
a Latin word as it is usually pronounced (카페 latte는, Docker는).
"""

from __future__ import annotations

import re
from typing import Final

_RIEUL: Final = 8
_LAST: Final = re.compile(r"[0-9A-Za-z가-힣](?=[^0-9A-Za-z가-힣]*$)")
_LAST_WORD: Final = re.compile(r"[A-Za-z]+(?=[^A-Za-z]*$)")
# How the digits are read: 영 일 이 삼 사 오 육 칠 팔 구; round numbers end in 십, 백, 천, 만.
_DIGITS: Final = dict(
    zip("0123456789", (21, _RIEUL, 0, 16, 0, 0, 1, _RIEUL, _RIEUL, 0), strict=True)
)
# Letters that are read with a consonant at their end: 엘 엠 엔 알.
_LETTERS: Final = {"l": _RIEUL, "m": 16, "n": 4, "r": _RIEUL}
_STOPS: Final = re.compile(r"(?:^|[^aeiou])[aeiou](?:[ptkb]|ck)$")
_SILENT: Final = re.compile(r"[^aeiou]e$")


def choose_particle(word: str, pair: str) -> str:
    """Return the particle of a pair that fits the end of a word; never both of them."""
    closed, opened = pair.split("/")
    last = _final_consonant(word)
    if pair == "으로/로" and last == _RIEUL:
        return opened
    return closed if last else opened


def with_particle(word: str, pair: str) -> str:
    """Return a word together with the particle that fits it: 카페를, 책을, API는."""
    return word + choose_particle(word, pair)


def _final_consonant(word: str) -> int:
    """Return the consonant a word ends in when it is read aloud, 0 for a vowel."""
    found = _LAST.search(word)
    if not found:
        return 0
    last = found[0]
    if "가" <= last <= "힣":
        return (ord(last) - 0xAC00) % 28
    if last in _DIGITS:
        return _DIGITS[last]
    latin = _LAST_WORD.search(word)
    return _latin_consonant(latin[0] if latin else last)


def _latin_consonant(word: str) -> int:
    low = word.lower()
    if word.isupper() or len(word) == 1:
        return _LETTERS.get(low[-1], 0)
    if len(low) > 3 and _SILENT.search(low):
        return {"l": _RIEUL, "m": 16, "n": 4}.get(low[-2], 0)
    if low.endswith(("m", "n", "ng")):
        return 21
    if low.endswith("l"):
        return _RIEUL
    return 1 if len(low) <= 5 and _STOPS.search(low) else 0
