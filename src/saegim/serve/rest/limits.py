"""How much one caller may ask: how often, how deep, how wide."""

from __future__ import annotations

import json
import math
import time
from typing import Any

from saegim.errors import BadInput

# FAULTS M10.
MOST_BYTES = 1024 * 1024
MOST_HEADERS = 32 * 1024
MOST_DEPTH = 32
MOST_KEYS = 256


class Bucket:
    """A bucket of requests that fills again at a steady rate; one thread alone may use it."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, float(burst)
        self._held, self._at = float(burst), time.monotonic()

    def take(self) -> int:
        """Take one; return 0, or in how many seconds there will be one."""
        now = time.monotonic()
        self._held = min(self._burst, self._held + (now - self._at) * self._rate)
        self._at = now
        if self._held >= 1:
            self._held -= 1
            return 0
        return max(1, math.ceil((1 - self._held) / self._rate))


def json_of(body: bytes) -> Any:
    """Read JSON; raise ValueError if it is none, and BadInput if it is too deep or too wide."""
    try:
        held = json.loads(
            body.decode("utf-8"), object_pairs_hook=_object, parse_constant=_no_number
        )
    except RecursionError:
        raise _too_deep() from None
    level = [held]
    for _ in range(MOST_DEPTH):
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            return held
    raise _too_deep()


def _inside(each: Any) -> Any:
    if isinstance(each, dict):
        return each.values()
    return each if isinstance(each, list) else ()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MOST_KEYS:
        raise BadInput("server.object_of_body_has_more", most=MOST_KEYS)
    held = dict(pairs)
    if len(held) < len(pairs):
        raise BadInput("server.object_of_body_has_name")
    return held


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _too_deep() -> BadInput:
    return BadInput("server.body_is_nested_deeper_than", most=MOST_DEPTH)
