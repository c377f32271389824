"""Words for relatives and other people who are named by what they are to someone."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("both/kin")


@cache
def relations() -> dict[str, re.Pattern[str]]:
    """Return a pattern for the words of each relation, by its English name."""
    return {
        name: re.compile(words, re.IGNORECASE)
        for name, _, words in (
            line.partition(": ") for line in _LISTS.text("relations").strip().splitlines()
        )
    }


def relation_of(word: str) -> str:
    """Return what relation a word names, "" if it is none of them."""
    for name, words in relations().items():
        if words.fullmatch(word):
            return name
    return ""
