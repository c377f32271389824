"""A text cut into sentences and words, free of marks, stress and politeness that say nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from saegim.language import same_marks__marks as marks
from saegim.memory.late import late

_END: Final = late(r"(?<=[.!?…。])[\"'”’)\]]*\s+|\n+")
# Marks that change nothing at the edge of a word. Not among them: < = [x] * _ {id}, and tears.
_OPEN: Final = "\"'“”‘’`(「『《"
_CLOSE: Final = "\"'“”‘’`)」』》.,!?~…;:。ㅋㅎ^"
_HARMLESS: Final = late(r"(?!\.\.$)[-\"'“”‘’`().,!?~…;:。ㅋㅎ^–—·]+")
_DOTTED: Final = late(r"\.[a-z]")
_ASKS: Final = late(r"\?[\s!?.~…ㅋㅎㅠㅜ\"'”’)]*$")
_QUOTED: Final = late(r"[\"“”「『《`]|(?<!\w)['‘]")
_HANGUL: Final = late("[가-힣]")
_LATIN: Final = late("[a-zA-Z]")
_SPACE: Final = late(r"(?<=[가-힣]) (?=[가-힣0-9])|(?<=[0-9]) (?=[가-힣])")
_IDLE: Final = marks.STRESS | marks.DEGREES


@dataclass(frozen=True, slots=True)
class Cut:
    """One sentence: its words in lower case, whether it asks, and whether it is Korean."""

    words: tuple[str, ...]
    asks: bool
    korean: bool
    # What was left out of its words that says how much.
    degrees: tuple[str, ...] = ()


def is_korean(text: str) -> bool:
    """Say whether a text is Korean rather than English: a name in the other script is no matter."""
    hangul = 0 if text.isascii() else len(_HANGUL.findall(text))
    return bool(hangul) and 3 * hangul >= len(_LATIN.findall(text))


def cut(text: str, denied: bool) -> list[Cut]:
    """Cut a folded text with plain figures into sentences of bare words.

    With `denied`, words of stress are kept: "I do not really like it" says less than without.
    """
    loose = not _QUOTED.search(text)
    found = []
    for piece in _END.split(text):
        words = [word for chunk in piece.split() if (word := _bare(chunk))]
        words = _unopened(words) if loose else words
        degrees: tuple[str, ...] = ()
        if loose and not denied and (rest := [word for word in words if word not in _IDLE]):
            degrees = tuple([word for word in words if word in marks.DEGREES])
            words = rest
        if words:
            asks = _ASKS.search(piece) is not None
            found.append(Cut(tuple(words), asks, is_korean(piece), degrees))
    return found


def _bare(chunk: str) -> str:
    """Return a word without the marks around it; "" if it is nothing but marks."""
    if _HARMLESS.fullmatch(chunk):
        return ""
    word = chunk.lstrip(_OPEN).rstrip(_CLOSE)
    if word.startswith(".") and not _DOTTED.match(word):
        word = word.lstrip(".")
    return word or chunk


def _unopened(words: list[str]) -> list[str]:
    """Drop what opens a sentence and says nothing, while something else is left."""
    while len(words) > 2:
        phrase = next((p for p in marks.OPENING_PHRASES if tuple(words[: len(p)]) == p), ())
        if phrase and len(words) > len(phrase):
            words = words[len(phrase) :]
        elif words[0] in marks.OPENERS or (
            words[0] in marks.DOUBTFUL_OPENERS and words[1] in marks.SUBJECTS
        ):
            words = words[1:]
        else:
            break
    return words


def squashed(words: Sequence[str]) -> str:
    """Join words without the spaces that Korean writers set as they like."""
    return _SPACE.sub("", " ".join(words))
