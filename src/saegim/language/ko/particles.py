"""Korean particles that fit the word before them, and lists of words in either language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from saegim.language.ko.verbs import closing

_L: Final = 8
# How the digits are read: 영 일 이 삼 사 오 육 칠 팔 구; 1, 7 and 8 end in ㄹ.
_DIGITS: Final = dict(zip("0123456789", (21, _L, 0, 16, 0, 0, 1, _L, _L, 0), strict=True))
# Latin letters after which it is plain how a word is read in Korean; the others are not guessed.
_LATIN: Final = {**dict.fromkeys("aiouy", 0), "l": _L, "m": 16, "n": 4}


def with_particle(word: str, pair: str) -> str:
    """Return the word with the particle of a pair that fits: 은/는, 을/를, 과/와, 으로/로, 이다/다.

    Where nobody can tell how the word is read, both are written: Docker은(는).
    """
    closed, open = pair.split("/")
    last = _closing(word)
    if last is None:
        rest = closed.removesuffix(open)
        return f"{word}({rest}){open}" if closed.endswith(open) else f"{word}{closed}({open})"
    if pair == "으로/로" and last == _L:
        return word + open
    return word + (closed if last else open)


def _closing(word: str) -> int | None:
    """Return the consonant a word ends in when it is read aloud, 0 for a vowel, None if unknown."""
    letter = word.rstrip(" .\"'”’)」』》").lower()[-1:]
    if "가" <= letter <= "힣":
        return closing(letter)
    return _DIGITS.get(letter, _LATIN.get(letter))


def listed(words: Sequence[str], language: str) -> str:
    """Return words as a list one reads: 등산과 커피, hiking and coffee."""
    if len(words) < 2:
        return "".join(words)
    if language != "ko":
        return f"{', '.join(words[:-1])} and {words[-1]}"
    return f"{', '.join((*words[:-2], with_particle(words[-2], '과/와')))} {words[-1]}"
