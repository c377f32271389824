"""No secret gets past here: every string of a moment is screened before anything else sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import StrEnum
from typing import Any, TypeVar

from saegim.errors import BadInput
from saegim.guard.guard import screen
from saegim.memory.scope import Scope

T = TypeVar("T")


@dataclass(slots=True)
class Tally:
    """How many were replaced on the way in, and how many held back."""

    masked: int = 0
    held: int = 0


def masked(value: T, tally: Tally, *, keep_private: bool = False) -> T:
    """Return the value with every secret in it replaced, at any depth; count them.

    A name of a room cannot carry a placeholder, so a secret there is refused.
    """
    made: T = _masked(value, tally, keep_private)
    return made


def _masked(value: Any, tally: Tally, keep_private: bool) -> Any:
    if isinstance(value, StrEnum) or not value:
        return value
    if isinstance(value, str):
        found = screen(value, keep_private=keep_private)
        tally.masked += found.masked
        tally.held += found.held
        return found.text
    if isinstance(value, Scope):
        return _checked(value)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {
            each.name: new
            for each in fields(value)
            if (old := getattr(value, each.name)) is not (new := _masked(old, tally, keep_private))
        }
        return replace(value, **changed) if changed else value
    if isinstance(value, tuple | list):
        made = [_masked(each, tally, keep_private) for each in value]
        return value if all(a is b for a, b in zip(made, value, strict=True)) else type(value)(made)
    if isinstance(value, Mapping):
        return {
            _masked(key, tally, keep_private): _masked(held, tally, keep_private)
            for key, held in value.items()
        }
    return value


def _checked(scope: Scope) -> Scope:
    for what in ("user", "agent", "project", "session"):
        if screen(getattr(scope, what)).masked:
            raise BadInput("perceive.name_of_holds_what_looks", what=what)
    return scope
