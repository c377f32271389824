"""One way to write a text down: what is equal here is the same to every index and every key."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

import xxhash

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


def canonical_key(text: str) -> str:
    """Return the key that two texts share exactly when they normalise to the same words."""
    # surrogatepass: a lone surrogate is bad Unicode, but it is still something a person can paste.
    plain = normalise(text).encode("utf-8", "surrogatepass")
    return f"{NORM_VERSION}:{xxhash.xxh3_128_hexdigest(plain)}"
