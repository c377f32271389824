"""Texts in normal form, names of arguments at every door, patterns compiled on first use."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Mapping
from typing import Any, Final, cast

import xxhash

from saegim.errors import BadInput

# Seed C's names for what is called `text`, `kind` and `tags` at every door.
ALIASES: Final = {"content": "text", "category": "kind", "keywords": "tags"}


def plain_names(
    given: Mapping[str, Any], known: Container[str] = ALIASES.values()
) -> dict[str, Any]:
    """Return arguments under their plain names; refuse both names of one thing if they differ.

    An alias of what is not among the `known` names stays as it is: nothing of that name is taken.
    """
    aliases = {alias: name for alias, name in ALIASES.items() if name in known}
    held = {name: value for name, value in given.items() if name not in aliases}
    for alias, name in aliases.items():
        if (value := given.get(alias)) is None:
            continue
        if held.get(name) is not None and not _is_same(held[name], value):
            raise BadInput("memory.two_names_of_one_thing", name=name, alias=alias)
        held[name] = value
    if held.get("kind") == "core_principle":
        # What seed C calls a principle.
        held["kind"] = "principle"
    return held


def _is_same(one: object, other: object) -> bool:
    lists = isinstance(one, list | tuple) and isinstance(other, list | tuple)
    return list(one) == list(other) if lists else one == other  # type: ignore[call-overload]


# -- One way to write a text down: what is equal here is the same to every index and every key

NORM_VERSION: Final = "1"

# Soft hyphen, Mongolian and zero-width separators, joiners, bidi marks, variation selectors, BOM:
# none of them is seen, so none of them may tell two texts apart.
_UNSEEN: Final = (
    0x00AD,
    0x034F,
    0x061C,
    0x180E,
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFE00, 0xFE10),
    0xFEFF,
)


# What fills the place of a letter and draws none: of Hangul, and the braille cell without a dot.
# Two texts that differ by one differ still, as their keys were made when these counted.
_FILLERS: Final = dict.fromkeys((0x115F, 0x1160, 0x2800, 0x3164))


def _width_forms() -> dict[int, str | None]:
    """Map each full-width and half-width form to the character it is a form of.

    NFKC would do this too, but it also turns compatibility jamo (ㅋㅋ) into conjoining ones.
    """
    forms: dict[int, str | None] = {}
    for code in range(0xFF00, 0xFFF0):
        tag, _, plain = unicodedata.decomposition(chr(code)).partition(" ")
        if tag in ("<wide>", "<narrow>"):
            forms[code] = chr(int(plain, 16))
    return forms


_FOLD: Final[dict[int, str | None]] = {
    0x3000: " ",
    **_width_forms(),
    **dict.fromkeys(_UNSEEN),
}
_FOLDABLE: Final = re.compile("[" + "".join(map(chr, sorted(_FOLD))) + "]")


def fold(text: str) -> str:
    """Return the text in NFC and one width, nothing unseen; case and white space stay."""
    if text.isascii():
        return text
    if _FOLDABLE.search(text):
        text = text.translate(_FOLD)
    return unicodedata.normalize("NFC", text)


def normalise(text: str) -> str:
    """Return the folded text in one case with one space between words."""
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(unicodedata.normalize("NFC", fold(text).casefold()).split())


def is_blank(text: str) -> bool:
    """Say whether a text has nothing in it that is seen, be it only what fills a place."""
    return not normalise(text).translate(_FILLERS).strip()


def canonical_key(text: str) -> str:
    """Return the key that two texts share exactly when they normalise to the same words."""
    # surrogatepass: a lone surrogate is bad Unicode, but it is still something a person can paste.
    plain = normalise(text).encode("utf-8", "surrogatepass")
    return f"{NORM_VERSION}:{xxhash.xxh3_128_hexdigest(plain)}"


# -- Patterns that are compiled when they are first used

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


def lazy_pattern(source: str, flags: re.RegexFlag | int = 0) -> re.Pattern[str]:
    """Return what behaves like the compiled pattern and is compiled on first use."""
    return cast("re.Pattern[str]", _Late(source, flags))


class _Late:
    """A promise of a pattern; after the first use its methods are the pattern's own."""

    __slots__ = (*_METHODS, "_flags", "pattern")

    def __init__(self, source: str, flags: re.RegexFlag | int) -> None:
        self.pattern, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        made = re.compile(self.pattern, self._flags)
        # From now on nobody comes here.
        for method in _METHODS:
            setattr(self, method, getattr(made, method))
        return getattr(made, name)
