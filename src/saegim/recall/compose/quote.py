"""Words as quoted data: on one line, nothing unseen, nothing that could open or close a block."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Final

from saegim.guard.echo import closing, opening

# What may not stand in a quotation as it is: angle brackets in any width, controls, separators of
# lines, marks of direction, everything of no width, half characters, and what no font shows.
_UNSAFE: Final = (
    "<>\u2039\u203a\u2329\u232a\u27e8\u27e9\u3008\u3009\ufe64\ufe65\uff1c\uff1e"
    "\x00-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
    "\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\ue000-\uf8ff"
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U0010ffff"
)
# Of an emoji, what joins and colours it belongs to what is seen.
_FACE: Final = (
    "[\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u2328\u232b-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff][\ufe0f\U0001f3fb-\U0001f3ff]?"
)
_SEEN: Final = re.compile(rf"(?P<emoji>{_FACE}(?:\u200d{_FACE})*|[0-9#*]\ufe0f\u20e3)|[{_UNSAFE}]")
# Letters only: any boundary costs the same tokens, so that a block can be measured before it is
# written.
_LETTERS: Final = "abcdefghijklmnop"
_ANY_BOUNDARY: Final = _LETTERS
# Joins to the character before it: accents, vowels and finals of conjoining jamo, joiners, tones
# of skin, letters of flags.
_CLINGS: Final = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u064b-\u065f\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    "\u1160-\u11ff\ud7b0-\ud7fb\u200d\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f"
    "\U0001f3fb-\U0001f3ff\U0001f1e6-\U0001f1ff\U000e0020-\U000e007f]"
)
_LONGEST_CLUSTER: Final = 24


def quoted(text: str) -> str:
    """Return the text as one JSON string in which everything is seen and nothing is a mark."""
    written = json.dumps(text, ensure_ascii=False)
    return _SEEN.sub(_visible, written)


def _visible(found: re.Match[str]) -> str:
    if found["emoji"]:
        return found[0]
    return "".join(f"\\u{unit:04x}" for unit in _units(found[0]))


def _units(character: str) -> tuple[int, ...]:
    """Return the UTF-16 units in which JSON writes a character."""
    code = ord(character)
    if code < 0x10000:
        return (code,)
    code -= 0x10000
    return 0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF)


def shortened(text: str, most: int) -> str:
    """Return at most so many characters on one line, cut between words, never inside a letter."""
    flat = " ".join(text[: 8 * most].split())
    if len(flat) <= most and len(text) <= 8 * most:
        return flat
    end = min(most - 1, len(flat))
    space = flat.rfind(" ", end // 2, end + 1)
    if space > 0:
        return flat[:space].rstrip(" ,;:-") + "…"
    lowest = max(0, end - _LONGEST_CLUSTER)
    while end > lowest and (_CLINGS.match(flat, end) or flat[end - 1] == "\u200d"):
        end -= 1
    return flat[:end] + "…" if end else ""


def block(header: str, lines: Sequence[str]) -> str:
    """Return the lines between our marks, or nothing where there are none."""
    if not lines:
        return ""
    body = "\n".join((header, *lines))
    boundary = _boundary(body)
    return f"{opening(boundary)}\n{body}\n{closing(boundary)}"


def frame(header: str) -> str:
    """Return everything of a block but its lines, for measuring."""
    return f"{opening(_ANY_BOUNDARY)}\n{header}\n{closing(_ANY_BOUNDARY)}"


def _boundary(body: str) -> str:
    """Return a boundary that no line inside can name.

    It is made from the body and not at random, so that the same memories give the same bytes and a
    prompt cache holds (U9.3). A random one protects because the writer of a memory cannot know it;
    to close this one, a text would have to contain 64 bits of the hash of everything it will ever
    stand among, itself included. And no line holds an angle bracket to close anything with.
    """
    digest = hashlib.blake2b(body.encode(), digest_size=8).hexdigest()
    return "".join(_LETTERS[int(each, 16)] for each in digest)
