"""Text for a terminal: what could steer the terminal or reorder a line is shown, not obeyed."""

from __future__ import annotations

import json
import re
from typing import Any

# Control characters but tab and newline, the marks that turn the reading direction, the
# separators that some terminals break lines at, the byte-order mark, halves of characters.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def visible(text: str) -> str:
    """Return the text with everything a terminal would obey written as an escape."""
    return _UNSAFE.sub(lambda found: _written(found[0]), text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Return the text on one line, its line breaks marked."""
    lines = (" ".join(line.split()) for line in visible(text).split("\n"))
    return " ⏎ ".join(line for line in lines if line)


def quoted(text: str, most: int = 60) -> str:
    """Return the beginning of a text on one line, in quotation marks."""
    line = one_line(text)
    return f"“{line if len(line) <= most else line[: most - 1].rstrip() + '…'}”"


def json_text(document: Any, *, indent: int | None = None) -> str:
    """Write one JSON document in UTF-8 that is safe to look at in a terminal."""
    written = json.dumps(document, ensure_ascii=False, indent=indent, default=str)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def is_whole(text: str) -> bool:
    """Say whether the text holds whole characters only, so that it can be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _written(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
