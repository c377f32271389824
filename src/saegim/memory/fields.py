"""Whether each field of a value holds what its type promises, so that all of it can be stored."""

from __future__ import annotations

import json
import math
import types
from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from saegim.errors import BadInput
from saegim.memory.clock import aware

# What a database can hold in a whole number.
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1


def checked_fields(value: Any) -> None:
    """Refuse a value of ours if one of its fields, at any depth, is not what it promises."""
    own: Any = type(value)
    for name, kind in _kinds(own).items():
        held = getattr(value, name)
        if not _fits(kind, held):
            raise BadInput(
                f"{name} cannot be {held!r:.60}.", next_step=f"Give {_plain_name(kind)}."
            )
        if is_dataclass(held):
            checked_fields(held)
        elif isinstance(held, datetime):
            aware(name, held)


@cache
def _kinds(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def storable(text: str) -> bool:
    """Say whether a string is whole: no NUL and no half of a character."""
    if text.isascii():
        return "\x00" not in text
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in text


def _fits(kind: Any, value: Any) -> bool:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return any(_fits(each, value) for each in get_args(kind))
    if origin is tuple:
        return isinstance(value, tuple) and _fit_together(get_args(kind), value)
    if origin is Mapping:
        return isinstance(value, Mapping) and _is_json(value)
    if kind is str:
        return isinstance(value, str) and storable(value)
    if isinstance(value, bool) or kind is bool:
        return isinstance(value, bool) and kind is bool
    if kind is float:
        return isinstance(value, int | float) and math.isfinite(value)
    if kind is int:
        return isinstance(value, int) and _LOWEST <= value <= _HIGHEST
    return isinstance(value, kind)


def _fit_together(kinds: tuple[Any, ...], values: tuple[Any, ...]) -> bool:
    if kinds[-1] is Ellipsis:
        return all(_fits(kinds[0], each) for each in values)
    return len(kinds) == len(values) and all(map(_fits, kinds, values))


def _is_json(value: Mapping[Any, Any]) -> bool:
    try:
        return storable(json.dumps(dict(value), ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return False


def _plain_name(kind: Any) -> str:
    """Name a type as a person would."""
    if get_origin(kind) in (Union, types.UnionType):
        return " or ".join(_plain_name(each) for each in get_args(kind))
    if get_origin(kind) is tuple:
        return f"a list, each of it {_plain_name(get_args(kind)[0])}"
    known = {
        str: "a string without NUL or half characters",
        int: "a whole number",
        float: "a number",
        bool: "True or False",
        types.NoneType: "nothing",
    }
    if get_origin(kind) is Mapping:
        return "an object that can be written as JSON"
    return known.get(kind, f"a {kind.__name__}")
