"""A text as its speaker tells it: the speaker's names become "I", and the text becomes clauses."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from saegim.language.en import ground as english
from saegim.language.ko import ground as korean
from saegim.language.meanings__clause import Clause, Subject, inherit
from saegim.language.sentences import sentences
from saegim.memory.keys import fold
from saegim.memory.late import late

# What a model calls the speaker; in a source these may be anyone.
USERS: Final = ("사용자", "유저", "이용자", "화자", "the user", "user", "the speaker", "speaker")
_HANGUL: Final = late("[가-힣]")
# Particles after a name, by the form of 나 that stands for both.
_AS_ME: Final = (
    ("께서는|님은|씨는|이는|은|는", "나는"),
    ("께서|님이|씨가|이가|이|가", "내가"),
    ("님의|씨의|이의|의", "내"),
    ("님을|씨를|이를|을|를", "나를"),
    ("님에게|에게|한테|께", "나에게"),
    ("님도|이도|도", "나도"),
    ("님|씨|", "나"),
)


def first_person(text: str, names: Collection[str]) -> str:
    """Return the folded text with every name of the speaker put into the first person."""
    text = fold(text)
    for name in sorted({fold(each).strip() for each in names}, key=len, reverse=True):
        if len(name) > 1:
            text = _renamed(text, re.escape(name))
    return text


def _renamed(text: str, name: str) -> str:
    if _HANGUL.search(text):
        for particles, pronoun in _AS_ME:
            pattern = rf"(?<!\w){name} ?(?:{particles})(?!\w)"
            text = re.sub(pattern, pronoun, text, flags=re.IGNORECASE)
    text = re.sub(rf"(?<!\w){name}['’]s(?!\w)", "my", text, flags=re.IGNORECASE)
    return re.sub(rf"(?<!\w){name}(?!\w)", "I", text, flags=re.IGNORECASE)


def clauses(text: str) -> list[Clause]:
    """Return the clauses of a text; one that names no one is about whom the one before was."""
    found: list[Clause] = []
    topic: Subject | None = None
    for sentence in sentences(text):
        hangul = bool(_HANGUL.search(sentence))
        language = korean if hangul else english
        told, topic = inherit(
            language.clauses(sentence),
            topic,
            starts_open=language.starts_open(sentence),
            things=not hangul,
        )
        found += told
    return found
