"""The front matter of a note: the few lines of YAML that notes really carry, and no more of it.

Names with one value, `[a, b]`, and lists with a dash a line. Tags, anchors and objects of YAML
mean nothing here, so a note cannot make anything happen.
"""

from __future__ import annotations

import re
from typing import Final

Fields = dict[str, list[str]]

_FENCE: Final = re.compile(r"---[ \t]*\n(?P<held>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
_DASH: Final = re.compile(r"[ \t]*-[ \t]+(?P<value>.+)")
_ITEM: Final = re.compile(r"\s*(\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^,\s][^,]*)")
# A comment stands between spaces; `#tag` in a list does not.
_COMMENT: Final = re.compile(r"(?<=\s)#\s.*")


def split(text: str) -> tuple[Fields, str]:
    """Return the fields of a note, their names in small letters, and the text behind them."""
    found = _FENCE.match(text)
    return (_fields(found["held"]), text[found.end() :]) if found else ({}, text)


def _fields(held: str) -> Fields:
    fields: Fields = {}
    last = ""
    for line in held.splitlines():
        if dash := _DASH.match(line):
            if last:
                fields[last] += _values(dash["value"], listed=False)
            continue
        name, colon, value = line.partition(":")
        if colon and not name[:1].isspace() and (not value or value[0].isspace()):
            last = _bare(name).lower()
            fields[last] = _values(value)
    return fields


def _values(text: str, *, listed: bool = True) -> list[str]:
    """Return the values of one line: a list in brackets, or the one that stands there."""
    text = _COMMENT.sub("", text.strip()).strip()
    if listed and text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        return [each for item in _ITEM.findall(text[1:-1]) if (each := _bare(item))]
    return [each] if (each := _bare(text)) else []


def _bare(text: str) -> str:
    text = text.strip()
    for mark in "\"'":
        if len(text) >= 2 and text[0] == text[-1] == mark:
            return text[1:-1].strip()
    return text
