"""The predicates that rules write, in both languages, the triples made of them, and versions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from saegim.language.word_lists import read_lists
from saegim.memory.keys import normalise

_LISTS: Final = read_lists("both/predicates")

Shape = Literal["one", "each", "when", "none"]

_TABLE: Final = _LISTS.text("table")
_ALSO: Final = _LISTS.text("also")


@dataclass(frozen=True, slots=True)
class Predicate:
    """One row of the table; `words` are Korean, Korean denied, English, English denied."""

    name: str
    slot: str
    shape: Shape
    denies: bool
    words: tuple[str, str, str, str]


def _rows() -> Iterator[Predicate]:
    shapes: dict[str, Shape] = {"one": "one", "each": "each", "when": "when", "none": "none"}
    for line in _TABLE.strip().splitlines():
        name, slot, shape, korean, english = [cell.strip() for cell in line.split("|")]
        ko, not_ko = korean.split(", ")
        en, not_en = english.split(", ")
        denies = name.startswith("-")
        yield Predicate(name.lstrip("-"), slot, shapes[shape], denies, (ko, not_ko, en, not_en))


PREDICATES: Final = {row.name: row for row in _rows()}


def _written() -> dict[str, tuple[Predicate, bool]]:
    """Map each way to write a predicate to its row and whether it denies."""
    known: dict[str, tuple[Predicate, bool]] = {}
    for row in PREDICATES.values():
        for at, word in enumerate(row.words):
            known.setdefault(word, (row, (at % 2 == 1) is not row.denies))
        known.setdefault(row.name.replace("_", " "), (row, row.denies))
    for line in _ALSO.strip().splitlines():
        name, words = line.split(": ")
        row, denied = PREDICATES[name.lstrip("-")], name.startswith("-")
        for word in words.split():
            known.setdefault(word.replace("_", " "), (row, denied is not row.denies))
    return known


_WRITTEN: Final = _written()


def predicate(name: str, language: str, *, denied: bool = False) -> str:
    """Return how a predicate of the table is written in Korean ("ko") or English."""
    return PREDICATES[name].words[(0 if language == "ko" else 2) + denied]


def plain(text: str) -> str:
    """Return a text in the one form in which predicates and values are compared."""
    return normalise(text).replace("_", " ").strip(" .,!?~'\"“”‘’()")


def known_predicate(written: str) -> tuple[Predicate, bool] | None:
    """Return the row of a written predicate and whether it denies, None if it is in no table."""
    return _WRITTEN.get(plain(written))


# ---- `Fact`: one thing that is said, before it is written in the words of a language.

Triple = tuple[str, str, str]

# What is longer is a clause that was not understood.
LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is said: by a predicate of the table, or in words of its own (`said`)."""

    subject: str
    name: str
    value: str
    denied: bool = False
    said: str = ""


def written(fact: Fact, language: str) -> Triple | None:
    """Return a fact as a triple, None if a part of it is missing."""
    subject, value = fact.subject.strip(), fact.value.strip()
    if not subject or not value or subject == value or len(value) > LONGEST:
        return None
    return subject, fact.said or predicate(fact.name, language, denied=fact.denied), value


# ---- Names that stand with a version number: Python 3.12, 노드 20, 앱 2.5, but not port 3000.

_VERSIONED: Final = _LISTS.words("versioned")
_NUMBERED: Final = re.compile(
    r"(?:(?P<owner>.*) )?(?P<name>[A-Za-z가-힣.][\w.+#]*?)(?: (?:version|버전|ver\.?))?"
    r"[ -]?(?P<v>v)?(?P<number>[0-9]+(?P<dot>(?:\.[0-9x]+)+)?)(?: (?:버전|기반))?"
)
_LONGEST: Final = 60
_MAC: Final = frozenset(str.split("ventura sonoma sequoia monterey tahoe"))
_OWNED: Final = re.compile(
    r"^(?:the|our|my|a|new|to|on|우리|내|제|지금|현재|최신)\b ?|\b(?:OS|운영체제)$"
)
_WORD: Final = re.compile(r" (?:version|버전|ver\.?) ")
_NO_NAMES: Final = _LISTS.words("no_names")


def version_in(text: str, *, sure: bool = False) -> tuple[str, str] | None:
    """Return (name, version) if the text ends in a name and its version, else None.

    With `sure`, the verb has told already that it is a version.
    """
    if len(text) > _LONGEST:
        return None
    match = _NUMBERED.fullmatch(_WORD.sub(" ", text.strip()))
    if not match:
        return None
    name, number = match["name"], match["number"]
    plain = name.lower()
    if plain in _NO_NAMES:
        return None
    owner = _OWNED.sub("", match["owner"] or "").strip()
    if plain in _MAC:
        name = "macOS"
    if plain in ("version", "release", "v", "버전"):
        return (owner or "release"), number
    if match["dot"] or match["v"] or plain in _VERSIONED or plain in _MAC or sure:
        return (f"{owner} {name}" if owner and owner.isascii() is name.isascii() else name), number
    return None


def is_versioned(name: str) -> bool:
    """Say whether a name is known to come in versions."""
    return name.lower() in _VERSIONED


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Someone or something a text names; type: person place organisation thing topic self."""

    name: str
    type: str
    aliases: tuple[str, ...] = ()
