"""Texts and JSON values on their way into a memory and out again, to the byte.

What a memory cannot hold as it is (nothing but white space, a NUL, half a character) is held as
a JSON string behind a mark. A secret in a JSON value is replaced value by value, so that what is
kept is still the same JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from saegim.errors import BadInput
from saegim.guard.guard import Finding, screen
from saegim.memory.fields import storable
from saegim.memory.keys import normalise

MARK = "saegim:exact "
# Replacing one value can bring others close together (guard looks again for the same reason).
_LOOKS = 6


def worded(text: str) -> str:
    """Return a text as a memory can hold it."""
    plain = storable(text) and not text.startswith(MARK) and normalise(text)
    return text if plain else MARK + json.dumps(text)


def exact(held: str) -> str:
    """Return the text that `worded` was given."""
    if not held.startswith(MARK):
        return held
    try:
        text = json.loads(held.removeprefix(MARK))
    except ValueError:
        # Someone corrected the memory by hand: what they wrote is the text.
        return held
    return text if isinstance(text, str) else held


def json_text(value: Any, what: str = "value") -> str:
    """Write a value as JSON; refuse what JSON cannot hold."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        return text if storable(text) else json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput("adapter.cannot_be_written_as_json", what=what, error=error) from error


@dataclass(frozen=True, slots=True)
class Screened:
    """A JSON value that may be kept, and how many of its parts were replaced."""

    value: Any
    masked: int


def screened(
    value: Any, *, keep_private: bool = False, spared: frozenset[str] = frozenset()
) -> Screened:
    """Return the value with every part replaced that holds a secret; the rest is untouched.

    `spared` names keys whose values are sealed by a machine and must stay as they are.
    """
    value, masked = json.loads(json_text(value)), 0
    for _ in range(_LOOKS):
        found = screen(json.dumps(value, ensure_ascii=False), keep_private=keep_private).findings
        walk = _Walk(found, spared, keep_private)
        if found:
            value = walk.replaced(value)
        if not walk.count:
            return Screened(value, masked)
        masked += walk.count
    raise BadInput("adapter.value_holds_what_looks_like")


class _Walk:
    """One walk through a value beside its JSON text, replacing what the findings touch."""

    def __init__(
        self, findings: Sequence[Finding], spared: frozenset[str], keep_private: bool
    ) -> None:
        # How many parts were replaced.
        self.count = 0
        self._findings, self._spared, self._keep_private = findings, spared, keep_private
        self._at = 0

    def replaced(self, value: Any, spare: bool = False) -> Any:
        """Return a value, and move on by as much text as it takes."""
        if isinstance(value, dict) and value:
            made: dict[str, Any] = {}
            for key, held in value.items():
                self._at += 2 if made else 1
                name = _unlike(self._scalar(key, spare), made)
                self._at += 2
                made[name] = self.replaced(held, spare or key in self._spared)
            self._at += 1
            return made
        if isinstance(value, list) and value:
            parts: list[Any] = []
            for held in value:
                self._at += 2 if parts else 1
                parts.append(self.replaced(held, spare))
            self._at += 1
            return parts
        return self._scalar(value, spare)

    def _scalar(self, value: Any, spare: bool) -> Any:
        start = self._at
        self._at += len(json.dumps(value, ensure_ascii=False))
        touching = [each for each in self._findings if each.start < self._at and each.end > start]
        if not touching or spare:
            return value
        if isinstance(value, str):
            masked = screen(value, keep_private=self._keep_private).text
            if masked != value:
                self.count += 1
                return masked
        self.count += 1
        return f"[{touching[0].tier}:{touching[0].kind}#1]"


def _unlike(name: str, taken: dict[str, Any]) -> str:
    """Return a name that is not taken: two masked names may have become the same."""
    more = 1
    made = name
    while made in taken:
        more += 1
        made = f"{name}#{more}"
    return made
