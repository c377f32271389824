"""JSON as people write it, with comments and trailing commas, and where in the text each part is.

A scanner of our own, because an edit must leave every byte that is not ours as it was: the
libraries that read such files (json5, commentjson, jsonc-parser for Python) give up the places,
and those that can write them back lay the whole text out anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from saegim.errors import BadInput

_TOKEN = re.compile(
    r"""(?P<gap>[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)
    |(?P<string>"(?:[^"\\\x00-\x1f]|\\[^\x00-\x1f])*")
    |(?P<mark>[{}\[\]:,])
    |(?P<word>[-+.\w]+)""",
    re.DOTALL | re.VERBOSE,
)
_CLOSERS = {"{": "}", "[": "]"}
# What stands there is not quoted: it may be somebody's password.
_NO_JSON = "what begins here is no JSON"


@dataclass(frozen=True, slots=True)
class Child:
    """One member of an object or element of an array; `comma` is the place of the one after it."""

    key: str | None
    start: int
    value: JsonNode
    comma: int | None = None


@dataclass(frozen=True, slots=True)
class JsonNode:
    """One value: `{`, `[` or a scalar, from `start` up to `end`."""

    kind: str
    start: int
    end: int
    children: tuple[Child, ...] = ()

    def child(self, key: str) -> Child | None:
        """Return the member of that name; where a name stands twice, readers take the last."""
        return next((each for each in reversed(self.children) if each.key == key), None)

    def at(self, *path: str) -> JsonNode | None:
        """Return the value that a path of names leads to, or nothing."""
        here: JsonNode | None = self
        for key in path:
            found = here.child(key) if here is not None else None
            here = None if found is None else found.value
        return here


@dataclass(slots=True)
class _Open:
    """An object or array whose end has not come yet, and what may come next in it."""

    kind: str
    start: int
    key: str | None = None
    key_start: int = 0
    expects: str = "item"
    children: list[Child] = field(default_factory=list)


# The state of Claude Code can be megabytes long and is asked for several things in a row.
@lru_cache(maxsize=2)
def parse(text: str, name: str) -> JsonNode | None:
    """Return the value that a text holds, or nothing if it holds only gaps and comments."""
    found: JsonNode | None = None
    stack: list[_Open] = []
    for kind, start, end in _tokens(text, name):
        word = text[start:end]
        top = stack[-1] if stack else None
        if found is not None:
            raise _broken(text, start, name, "nothing may follow the end")
        if top is not None and word == _CLOSERS[top.kind] and top.expects in ("item", "comma"):
            stack.pop()
            found = _closed(stack, JsonNode(top.kind, top.start, end, tuple(top.children)))
        elif top is not None and top.expects == "comma":
            if word != ",":
                raise _broken(text, start, name, "a comma is missing")
            top.children[-1] = replace(top.children[-1], comma=start)
            top.expects = "item"
        elif top is not None and top.expects == "colon":
            if word != ":":
                raise _broken(text, start, name, "a colon is missing")
            top.expects = "value"
        elif top is not None and top.kind == "{" and top.expects == "item":
            if kind != "string":
                raise _broken(text, start, name, "a name in double quotes is missing")
            top.key, top.key_start = _scalar(text, start, end, name), start
            top.expects = "colon"
        elif word in _CLOSERS:
            stack.append(_Open(word, start))
        else:
            _scalar(text, start, end, name)
            found = _closed(stack, JsonNode("scalar", start, end))
    if stack:
        raise _broken(text, stack[-1].start, name, "what begins here has no end")
    return found


def plain(text: str, node: JsonNode) -> Any:
    """Return a value as Python has it, without its comments; meant for small ones."""
    if node.kind == "{":
        return {each.key: plain(text, each.value) for each in node.children}
    if node.kind == "[":
        return [plain(text, each.value) for each in node.children]
    return json.loads(text[node.start : node.end])


def line_of(text: str, at: int) -> int:
    """Return the number of the line that a place lies in."""
    return text.count("\n", 0, at) + 1


def _closed(stack: list[_Open], node: JsonNode) -> JsonNode | None:
    """Put a whole value where it belongs; return it if it is the outermost."""
    if not stack:
        return node
    top = stack[-1]
    start = top.key_start if top.kind == "{" else node.start
    top.children.append(Child(top.key if top.kind == "{" else None, start, node))
    top.expects = "comma"
    return None


def _tokens(text: str, name: str) -> Iterator[tuple[str, int, int]]:
    at = 1 if text.startswith("\ufeff") else 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise _broken(text, at, name, _NO_JSON)
        if found.lastgroup != "gap":
            yield str(found.lastgroup), found.start(), found.end()
        at = found.end()


def _scalar(text: str, start: int, end: int, name: str) -> Any:
    try:
        return json.loads(text[start:end])
    except ValueError:
        raise _broken(text, start, name, _NO_JSON) from None


def _broken(text: str, at: int, name: str, what: str) -> BadInput:
    column = at - text.rfind("\n", 0, at)
    return BadInput(
        "client.cannot_be_read_line_column",
        name=name,
        line=line_of(text, at),
        column=column,
        what=what,
    )


_WHITE = " \t\r\n"
_INDENTED = re.compile(r"""^([ \t]+)["{\[]""", re.MULTILINE)


def line_end(text: str) -> str:
    """Return how the lines of a text end; a text of one line gets the plain newline."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def inserted(text: str, holder: JsonNode, key: str | None, value: Any) -> str:
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


def removed(text: str, holder: JsonNode, index: int) -> str:
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


def replaced(text: str, node: JsonNode, value: Any) -> str:
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


def _indent_inside(text: str, holder: JsonNode) -> str:
    """Return the indentation of what an object or array holds."""
    for each in holder.children:
        before = text[text.rfind("\n", 0, each.start) + 1 : each.start]
        if not before.strip(" \t") and text.rfind("\n", holder.start, each.start) >= 0:
            return before
    return _indent_of(text, holder.start) + _unit(text)
