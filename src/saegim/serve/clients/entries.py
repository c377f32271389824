"""Our entries in a JSON text: put in, brought up to date, taken out again.

What an object or array was before it got its first entry of ours (absent, or empty in some way of
its own) is noted in `Was`, so that taking out gives back exactly that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from saegim.errors import BadInput
from saegim.serve.clients.jsonc import (
    JsonNode,
    inserted,
    line_end,
    line_of,
    parse,
    plain,
    removed,
    replaced,
)

# The path of an object or array, its names joined by "/", and its text; None where it was absent.
Was = dict[str, str | None]
_BELONGS = {"{": "client.no_object_here", "[": "client.no_list_here"}


def rooted(text: str, name: str, was: Was) -> tuple[str, JsonNode]:
    """Return the text and its outermost object; a text without one gets it."""
    root = parse(text, name)
    if root is None:
        was[""] = text
        gap = "" if not text.lstrip("\ufeff") or text.endswith("\n") else line_end(text)
        text = f"{text}{gap}{{}}{line_end(text)}"
        root = parse(text, name)
        assert root is not None
    _refuse_other(text, root, "{", name, "it")
    return text, root


def value_at(text: str, path: tuple[str, ...], name: str) -> Any:
    """Return what lies at a path as Python has it, or nothing."""
    root = parse(text, name)
    node = None if root is None else root.at(*path)
    return None if node is None else plain(text, node)


def put_in(text: str, path: tuple[str, ...], key: str, value: Any, name: str, was: Was) -> str:
    """Return the text with a new member in the object at a path."""
    return _added(text, path, "{", key, value, name, was)


def put_last(text: str, path: tuple[str, ...], value: Any, name: str, was: Was) -> str:
    """Return the text with a new element in the array at a path."""
    return _added(text, path, "[", None, value, name, was)


def brought_up(
    text: str, find: Callable[[JsonNode], JsonNode | None], wanted: Mapping[str, Any], name: str
) -> str:
    """Return the text with the wanted members in one object; its other members stay."""
    for key, value in wanted.items():
        root = parse(text, name)
        node = None if root is None else find(root)
        assert node is not None, "the object is there before it is brought up to date"
        _refuse_other(text, node, "{", name, "our entry")
        held = node.child(key)
        if held is None:
            text = inserted(text, node, key, value)
        elif plain(text, held.value) != value:
            text = replaced(text, held.value, value)
    return text


def taken_out(
    text: str, path: tuple[str, ...], index: int, name: str, was: Mapping[str, str | None]
) -> str:
    """Return the text without one member or element, and without what was made for it alone."""
    root = parse(text, name)
    holder = None if root is None else root.at(*path)
    assert root is not None
    assert holder is not None, "only what is there is taken out"
    text = removed(text, holder, index)
    if len(holder.children) > 1 or "/".join(path) not in was:
        return text
    before = was["/".join(path)]
    if not path:
        return before or ""
    if before is not None:
        emptied = parse(text, name)
        node = None if emptied is None else emptied.at(*path)
        assert node is not None
        return text[: node.start] + before + text[node.end :]
    above = root.at(*path[:-1])
    assert above is not None
    places = [at for at, each in enumerate(above.children) if each.key == path[-1]]
    return taken_out(text, path[:-1], places[-1], name, was)


def _added(
    text: str,
    path: tuple[str, ...],
    kind: str,
    key: str | None,
    value: Any,
    name: str,
    was: Was,
) -> str:
    text, holder = rooted(text, name, was)
    for depth, step in enumerate(path):
        found = holder.child(step)
        if found is None:
            _note_empty(text, holder, path[:depth], was)
            for made in range(depth, len(path)):
                was["/".join(path[: made + 1])] = None
            return inserted(text, holder, step, _nested(path[depth + 1 :], kind, key, value))
        holder = found.value
        wanted = kind if depth == len(path) - 1 else "{"
        _refuse_other(text, holder, wanted, name, ".".join(path[: depth + 1]))
    there = None if key is None else holder.child(key)
    if there is not None:
        _refuse_other(text, there.value, "{", name, ".".join((*path, str(key))))
    _note_empty(text, holder, path, was)
    return inserted(text, holder, key, value)


def _note_empty(text: str, holder: JsonNode, path: tuple[str, ...], was: Was) -> None:
    if not holder.children and (path or "" not in was):
        was["/".join(path)] = text if not path else text[holder.start : holder.end]


def _nested(path: tuple[str, ...], kind: str, key: str | None, value: Any) -> Any:
    """Return a value inside the objects and the array that are still missing around it."""
    made = [value] if kind == "[" else {key: value}
    for step in reversed(path):
        made = {step: made}
    return made


def _refuse_other(text: str, node: JsonNode, kind: str, name: str, what: str) -> None:
    if node.kind != kind:
        raise BadInput(_BELONGS[kind], name=name, what=what, line=line_of(text, node.start))
