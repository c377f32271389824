"""Any of our values as plain JSON and back: complete, and the same bytes for the same value.

Fields that hold their default are left out; unknown fields are refused, so nothing vanishes.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from saegim.errors import BadInput
from saegim.memory.clock import iso, parse_instant

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
