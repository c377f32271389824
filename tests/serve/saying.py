"""What a command line answers, as the tests look at it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command said, where, and with which exit code it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        assert self.err == ""
        return json.loads(self.out)


Say = Callable[..., Answer]


def handle(say: Say, id: str) -> str:
    """Return the short name by which people are shown a memory."""
    found = re.search(rf"(\bm\w+) · {id}", say("get", id, "--exact").out)
    assert found is not None
    return found[1]


def kept(say: Say, text: str, *more: str) -> str:
    """Remember a text and return its id."""
    return str(say("--json", "remember", text, *more).json["id"])
