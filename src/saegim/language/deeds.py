"""What one source tells: who did what, with whom and where, and which things it names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("both/deeds")

# done: it happened or is so; wish: someone wants to; likes, dislikes: a taste; other: asked,
# planned, heard or supposed, which supports no claim.
Mode = Literal["done", "wish", "likes", "dislikes", "other"]
# "" told, "not" denied, "cannot" out of reach.
Denial = Literal["", "not", "cannot"]
How = Literal["habit", "past", "state", "likes", "dislikes", "wish", "goes", "there", "together"]
Role = Literal["thing", "place", "with", "how", "for"]

ME: Final = "me"
SPEAKER: Final = frozenset(("", "user", "me", "사용자", "나"))
_ASSISTANT: Final = frozenset(("assistant", "어시스턴트"))
_HANGUL: Final = re.compile("[가-힣]")

_COFFEE: Final = _LISTS.text("coffee")
_CAFE: Final = "스타벅스 투썸 투썸플레이스 이디야 메가커피 컴포즈커피 빽다방 할리스 커피빈 커피숍"
_BROADER: Final[Mapping[str, str]] = {
    **dict.fromkeys(_COFFEE.split(), "커피"),
    **dict.fromkeys(_CAFE.split(), "카페"),
    **dict.fromkeys(
        str.split("americano latte cappuccino espresso mocha macchiato cortado"), "coffee"
    ),
    **dict.fromkeys(("starbucks", "coffee shop", "costa"), "cafe"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """One thing, place or person of a deed; `mark` is the particle or preposition it stood with.

    `wide` marks the head of a longer name, or a broader name, beside the one that was said.
    """

    role: Role
    key: str
    text: str
    mark: str = ""
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Who:
    """The one a deed is about: `key` is ME for the speaker."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Deed:
    """One verb of a source, with whom it is about and what belongs to it."""

    who: Who
    verb: str
    parts: tuple[Part, ...] = ()
    denied: Denial = ""
    mode: Mode = "done"
    # It is told as over.
    over: bool = False


@dataclass(frozen=True, slots=True)
class SourceTelling:
    """What one source tells; `nouns` maps a key to how it is shown; `felt` is its sentiment.

    `dated` says that it tells of an occasion.
    """

    deeds: tuple[Deed, ...]
    nouns: Mapping[str, str]
    felt: float = 0.0
    day: str = ""
    dated: bool = False
    text: str = ""


def broader(part: Part) -> tuple[Part, ...]:
    """Return the part and, where its name is a narrower one, the part under the broader name."""
    wide = _BROADER.get(part.key)
    if wide is None:
        return (part,)
    shown = f"the {wide}" if wide == "cafe" else wide
    return part, Part(part.role, wide, shown, part.mark, wide=True)


def speaker(author: str, language: str) -> str:
    """Return what the one who speaks is called in a fact."""
    if author.strip().lower() in _ASSISTANT:
        return "어시스턴트" if language == "ko" else "The assistant"
    if author.strip().lower() in SPEAKER:
        return "사용자" if language == "ko" else "The user"
    return author.strip()


def in_korean(text: str) -> bool:
    """Say whether a text is written in Korean letters at all."""
    return bool(_HANGUL.search(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """What `says` of the `of` sources tell."""

    how: How
    who: Who
    verb: str
    parts: tuple[Part, ...]
    says: int
    of: int
    denied: Denial = ""
    # Beside a feeling: what the sources speak of.
    nouns: tuple[str, ...] = ()
    # Each source names another thing to which it is done.
    various: bool = False
