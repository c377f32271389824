"""Any of our values as plain JSON and back: complete, and the same bytes for the same value.

Fields that hold their default are left out; unknown fields are refused, so nothing vanishes.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from saegim.errors import BadInput
from saegim.memory.clock import aware, iso, parse_instant

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


# -- Any of our values as plain JSON and back: complete, and the same bytes for the same value

T = TypeVar("T")


def to_record(value: Any) -> dict[str, Any]:
    """Return the value as JSON-ready data, in the order of its fields."""
    return {
        each.name: _plain(held)
        for each in fields(value)
        if (held := getattr(value, each.name)) != _default(each)
    }


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return to_record(value)
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return dict(value)
    return value


def from_record(kind: type[T], record: object) -> T:
    """Read a value that `to_record` wrote; name the field that does not fit."""
    if not isinstance(record, Mapping):
        raise BadInput("memory.must_be_object", kind=kind.__name__, record=record)
    types_of: dict[str, Any] = _types(kind)  # type: ignore[arg-type]
    if unknown := sorted(set(record) - set(types_of)):
        raise BadInput("memory.unknown_field", unknown=unknown[0], kind=kind.__name__)
    try:
        return kind(**{name: _typed(types_of[name], value) for name, value in record.items()})
    except BadInput:
        raise
    except (TypeError, ValueError) as error:
        raise BadInput("memory.cannot_be_read", kind=kind.__name__, error=error) from error


@cache
def _types(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _typed(kind: Any, value: Any) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        if value is None:
            return None
        return _typed(next(each for each in get_args(kind) if each is not types.NoneType), value)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise TypeError(f"{value!r:.40} is not a list")
        inner = get_args(kind)
        of = inner[0]
        if len(inner) == 2 and inner[1] is Ellipsis:
            return tuple(_typed(of, each) for each in value)
        return tuple(value)
    if is_dataclass(kind) and isinstance(kind, type):
        return from_record(kind, value)
    if kind is datetime:
        return parse_instant(value)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind(value)
    if isinstance(kind, type) and kind in (str, int, float, bool):
        return _scalar(kind, value)
    return value


def _scalar(kind: type[Any], value: Any) -> Any:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"{value!r:.40} is not of type {kind.__name__}")
    return value


def _default(each: Field[Any]) -> Any:
    if each.default is not MISSING:
        return each.default
    if each.default_factory is not MISSING:
        return each.default_factory()
    return MISSING
