"""Edits of a JSON text that touch nothing but the member they are about.

Taking out what was put in gives back the text byte for byte, comments, commas and line ends
included; only an object that had been empty needs to be told what it looked like.
"""

from __future__ import annotations

import json
import re
from typing import Any

from saegim.serve.clients.jsonc import Node

_WHITE = " \t\r\n"
_INDENTED = re.compile(r"""^([ \t]+)["{\[]""", re.MULTILINE)


def line_end(text: str) -> str:
    """Return how the lines of a text end; a text of one line gets the plain newline."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def inserted(text: str, holder: Node, key: str | None, value: Any) -> str:
    """Return the text with a member or element added at the end of an object or array."""
    inside = text[holder.start : holder.end]
    alone = holder.start == len(text) - len(text.lstrip("\ufeff" + _WHITE))
    inline = "\n" not in inside and (
        bool(holder.children) or not (alone or "\n" in text.strip(_WHITE))
    )
    eol, deeper = line_end(text), _indent_inside(text, holder)
    written = _written(text, value, "" if inline else deeper, inline=inline)
    member = written if key is None else f"{json.dumps(key, ensure_ascii=False)}: {written}"
    place = len(text[: holder.end - 1].rstrip(_WHITE))
    if not holder.children:
        if inline:
            return text[:place] + member + text[holder.end - 1 :]
        rest = text[place : holder.end - 1]
        if "\n" not in rest:
            rest = eol + _indent_of(text, holder.start)
        return text[:place] + eol + deeper + member + rest + text[holder.end - 1 :]
    last = holder.children[-1]
    between = " " if inline else eol + deeper
    if last.comma is not None:
        return f"{text[:place]}{between}{member},{text[place:]}"
    end = last.value.end
    return f"{text[:end]},{text[end:place]}{between}{member}{text[place:]}"


def removed(text: str, holder: Node, index: int) -> str:
    """Return the text without one member or element, and without the comma it needed."""
    child = holder.children[index]
    begin = len(text[: child.start].rstrip(_WHITE))
    if child.comma is not None:
        cut = text[:begin] + text[child.comma + 1 :]
    elif index == 0:
        cut = text[:begin] + text[child.value.end :]
    else:
        comma = holder.children[index - 1].comma
        assert comma is not None, "only the last member stands without a comma"
        cut = text[:comma] + text[comma + 1 : begin] + text[child.value.end :]
    if len(holder.children) > 1:
        return cut
    end = holder.end - (len(text) - len(cut))
    if cut[holder.start + 1 : end - 1].strip(_WHITE):
        return cut
    return cut[: holder.start + 1] + cut[end - 1 :]


def replaced(text: str, node: Node, value: Any) -> str:
    """Return the text with another value in the place of one, laid out as that one was."""
    inline = "\n" not in text[node.start : node.end]
    written = _written(text, value, _indent_of(text, node.start), inline=inline)
    return text[: node.start] + written + text[node.end :]


def _written(text: str, value: Any, indent: str, *, inline: bool) -> str:
    if inline:
        return json.dumps(value, ensure_ascii=False)
    written = json.dumps(value, ensure_ascii=False, indent=_unit(text))
    return written.replace("\n", line_end(text) + indent)


def _unit(text: str) -> str:
    """Return what one step of indentation is in this text."""
    first = _INDENTED.search(text)
    return "  " if first is None else "\t" if first[1].startswith("\t") else first[1]


def _indent_of(text: str, at: int) -> str:
    """Return the white space that the line of a place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _indent_inside(text: str, holder: Node) -> str:
    """Return the indentation of what an object or array holds."""
    for each in holder.children:
        before = text[text.rfind("\n", 0, each.start) + 1 : each.start]
        if not before.strip(" \t") and text.rfind("\n", holder.start, each.start) >= 0:
            return before
    return _indent_of(text, holder.start) + _unit(text)
