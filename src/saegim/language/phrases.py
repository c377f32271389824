"""Lists of phrases, written nearly as one says them and compiled when they are first looked for.

A phrase is a small pattern: ( | ) [ ] and ? mean what they mean in a regular expression; _ is a
space, … a few words, $ the end of the sentence. What else a sign means, each language says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

_JOINT: Final = re.compile(r"([|(])\s+")
# Opening an alternative copies what follows it; beyond this, the phrase is a pattern of its own.
_MOST_COPIED: Final = 200
_OPENERS: Final = {"(": ")", "[": "]"}


@dataclass(frozen=True)
class Spelling:
    """How a language writes phrases: signs that begin one, and signs within one."""

    heads: Mapping[str, str]
    within: Mapping[int, str]
    # What stands around each phrase that has no sign at its beginning.
    before: str = ""
    after: str = ""


class Phrases:
    """Some phrases of one language; a text must be prepared as that language asks."""

    def __init__(self, spelling: Callable[[], Spelling], text: str) -> None:
        self._spelling = spelling
        self._text = text

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        """Compile the phrases: a dear step, so not before the first turn is read."""
        return [re.compile(each, re.MULTILINE) for each in patterns(self._text, self._spelling())]

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile("|".join([each.pattern for each in self._patterns]), re.MULTILINE)

    def within(self, text: str) -> bool:
        """Say whether one of the phrases stands in the text."""
        return any(each.search(text) for each in self._patterns)

    def all(self, text: str) -> set[str]:
        """Return the different phrases that stand in the text."""
        return set(self._whole.findall(text))

    def without(self, text: str) -> str:
        """Return the text with a space in place of each phrase."""
        return self._whole.sub(" ", text)


def words_of(text: str) -> list[str]:
    """Return the phrases of a list: white space parts them, but not behind ( or |."""
    return _JOINT.sub(r"\1", text).split()


def patterns(text: str, spelling: Spelling) -> list[str]:
    """Return few patterns that together find any of the phrases.

    Phrases are sorted by how they begin: where all of a pattern's phrases begin with a plain
    letter, a search skips to that letter, which is many times quicker than trying each.
    """
    sorted_by: dict[str, list[str]] = {}
    alone: list[tuple[str, list[str]]] = []
    for phrase in words_of(text):
        sign = spelling.heads.get(phrase[0])
        head, bare = (spelling.before, phrase) if sign is None else (sign, phrase[1:])
        opened = list(_opened(bare))
        if sum(map(len, opened)) > _MOST_COPIED + len(bare):
            alone.append((head, [bare]))
        else:
            sorted_by.setdefault(head, []).extend(opened)
    return [
        f"{head}{_grouped(tails, spelling)}{spelling.after}"
        for head, tails in (*sorted_by.items(), *alone)
    ]


def _grouped(phrases: list[str], spelling: Spelling) -> str:
    """Return an alternation in which each first letter stands once."""
    tails: dict[str, list[str]] = {}
    for phrase in dict.fromkeys(phrases):
        plain = phrase[:1].isalnum() and phrase[1:2] not in ("?", "*", "+")
        first = phrase[0] if plain else ""
        tails.setdefault(first, []).append(phrase.removeprefix(first).translate(spelling.within))
    return "(?:" + "|".join([f"{each}(?:{'|'.join(rest)})" for each, rest in tails.items()]) + ")"


def _opened(phrase: str) -> Iterator[str]:
    """Yield the phrases that a phrase with an alternative at its beginning stands for."""
    closer = _OPENERS.get(phrase[:1])
    if closer is None:
        yield phrase
        return
    inner, rest = _parted(phrase, closer)
    if rest[:1] == "?":
        rest = rest[1:]
        yield from _opened(rest)
    for each in inner:
        yield from _opened(each + rest)


def _parted(phrase: str, closer: str) -> tuple[list[str], str]:
    """Return the alternatives of the group or class that opens a phrase, and what follows it."""
    if closer == "]":
        inner, _, rest = phrase[1:].partition("]")
        return list(inner), rest
    parts, depth = [""], 0
    for at, char in enumerate(phrase[1:], 1):
        if char == ")" and not depth:
            return parts, phrase[at + 1 :]
        depth += (char in "(~") - (char == ")")
        if char == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += char
    raise ValueError(f"the phrase {phrase!r} is not closed")
