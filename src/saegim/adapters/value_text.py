"""A JSON object as text for people, the word index and the embedder; and back, exactly.

A line for each leaf, `food › likes: • mango`: the way to it, then what stands there. Numbers, true,
false and null are themselves; a string is in quotes only where it could be taken for something
else. Of a list with parts of its own, each place is a label: `#1`, `#2`. An object that is nothing
but a `text` of one line is that line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from saegim.memory.record import storable

_BULLET: Final = "•"
_EMPTY: Final = "—"
_TEXT: Final = "text"
# A line that goes on: the string has a line break of its own.
_GOES_ON: Final = "\n  "
_BARE: Final = r'[^\s":›#][^":›\n]*'
_LABEL: Final = re.compile(rf'"(?:[^"\\\n]|\\.)*"|{_BARE}|#[1-9][0-9]*')
_LINE: Final = re.compile(rf"((?:{_LABEL.pattern})(?: › (?:{_LABEL.pattern}))*): (.+)", re.DOTALL)
_IN_NO_ROW: Final = re.compile(rf"[\n{_BULLET}]")
_HALF: Final = re.compile(r"[\ud800-\udfff]")


def as_json(value: Any) -> str:
    """Write JSON that can be stored: halves of letters by number, all others as they are."""
    written = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", written)


def value_text(value: dict[str, Any]) -> str:
    """Return an object as text: nothing if it is empty."""
    if _is_text_alone(value):
        return str(value[_TEXT])
    return "\n".join(f"{' › '.join(way)}: {leaf}" for way, leaf in _lines(value, ()))


def value_of(text: str) -> dict[str, Any] | None:
    """Return the object whose text this is; None if it is that of none."""
    if _is_text_alone(alone := {_TEXT: text}):
        return alone
    root: dict[str, Any] = {}
    try:
        for line in re.split(r"\n(?!  )", text):
            if (found := _LINE.fullmatch(line)) is None:
                return None
            *way, last = (each.strip() for each in _LABEL.findall(found[1]))
            here = root
            for label in way:
                here = here.setdefault(label, {})
            here[last] = _leaf_of(found[2].replace(_GOES_ON, "\n"))
        value = _with_lists(root)
        # Another way to write the same, or two things in one place, is nothing of ours.
        return value if isinstance(value, dict) and value_text(value) == text else None
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def _is_text_alone(value: dict[str, Any]) -> bool:
    """Say whether an object is a text and nothing else, which nobody could take for a label."""
    text = value.get(_TEXT) if len(value) == 1 else None
    one_line = isinstance(text, str) and len(text.splitlines()) == 1
    return one_line and _is_bare(str(text)) and not _LINE.fullmatch(str(text))


def _lines(value: Any, way: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    inner: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        inner = [(_label(key), held) for key, held in value.items()]
    elif isinstance(value, list) and any(
        isinstance(each, dict | list) or _IN_NO_ROW.search(str(each)) for each in value
    ):
        inner = [(f"#{place}", held) for place, held in enumerate(value, 1)]
    for label, held in inner:
        yield from _lines(held, (*way, label))
    if way and not inner:
        yield way, _leaf(value)


def _label(key: str) -> str:
    plain = re.fullmatch(_BARE, key) and key == key.strip() and storable(key)
    return key if plain else as_json(key)


def _leaf(value: Any) -> str:
    if isinstance(value, dict):
        return _EMPTY
    if isinstance(value, list):
        return " ".join(f"{_BULLET} {_scalar(each)}" for each in value) or _BULLET
    return _scalar(value).replace("\n", _GOES_ON)


def _leaf_of(text: str) -> Any:
    if text == _EMPTY:
        return {}
    if text.startswith(_BULLET):
        return [_scalar_of(each) for each in text[2:].split(f" {_BULLET} ")] if text[1:] else []
    return _scalar_of(text)


def _scalar(value: Any) -> str:
    return str(value) if isinstance(value, str) and _is_bare(value) else as_json(value)


def _is_bare(text: str) -> bool:
    taken = text.strip() != text or text[:1] in ("", '"', _BULLET, _EMPTY)
    return not taken and storable(text) and _scalar_of(text) is text


def _scalar_of(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _with_lists(value: Any) -> Any:
    """Make lists of the objects whose labels are places, and keys of the other labels."""
    if not isinstance(value, dict):
        return value
    parts = {label: _with_lists(held) for label, held in value.items()}
    if any(label[0] == "#" for label in parts):
        return list(parts.values())
    return {json.loads(label) if label[0] == '"' else label: held for label, held in parts.items()}
