"""Whether each field of a value holds what its type promises, so that all of it can be stored."""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from saegim.errors import BadInput
from saegim.memory.clock import aware

# What a database can hold in a whole number.
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1

Test = Callable[[Any], bool]


def checked_fields(value: Any) -> None:
    """Refuse a value of ours if one of its fields, at any depth, is not what it promises."""
    own: Any = type(value)
    for name, default, kind, fits in _plan(own):
        held = getattr(value, name)
        # Most fields of most values were never touched; this runs for every memory written.
        if held is default:
            continue
        if not fits(held):
            raise BadInput("memory.cannot_be", name=name, held=held, wanted=_plain_name(kind))
        if isinstance(held, datetime):
            aware(name, held)
        elif is_dataclass(held):
            checked_fields(held)


@cache
def _plan(own: Any) -> tuple[tuple[str, Any, Any, Test], ...]:
    """Return the fields of a class: name, default, type, and the test for that type."""
    kinds = get_type_hints(own)
    return tuple((f.name, f.default, kinds[f.name], _test(kinds[f.name])) for f in fields(own))


def storable(text: str) -> bool:
    """Say whether a string is whole: no NUL and no half of a character."""
    if "\x00" in text:
        return False
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _test(kind: Any) -> Test:
    """Return the test that tells whether a value is of this type."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        either = [_test(each) for each in inner]
        return lambda value: any(test(value) for test in either)
    if origin is tuple and inner[-1] is Ellipsis:
        every = _test(inner[0])
        return lambda value: isinstance(value, tuple) and all(map(every, value))
    if origin is tuple:
        several = [_test(each) for each in inner]
        return lambda value: (
            isinstance(value, tuple)
            and len(value) == len(several)
            and all(test(each) for test, each in zip(several, value, strict=True))
        )
    if origin is Mapping:
        return lambda value: isinstance(value, Mapping) and _is_json(value)
    return _SIMPLE.get(kind) or (lambda value: isinstance(value, kind))


def _is_whole(value: Any) -> bool:
    """Say whether a value is a whole number that a database can hold; True is none."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return is_number and _LOWEST <= value <= _HIGHEST


_SIMPLE: dict[Any, Test] = {
    str: lambda value: isinstance(value, str) and storable(value),
    bool: lambda value: isinstance(value, bool),
    int: _is_whole,
    float: lambda value: _is_whole(value) or (isinstance(value, float) and math.isfinite(value)),
}


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
    if get_origin(kind) is Mapping:
        return "an object that can be written as JSON"
    return _NAMES.get(kind, f"a {kind.__name__}")


_NAMES: dict[Any, str] = {
    str: "a string without NUL or half characters",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    types.NoneType: "nothing",
}
