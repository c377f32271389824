"""What every language model is to the house: one question in, one answer out.

A model never tries again and never hands a question to another server: who asks decides that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from saegim.engines.tokens import estimate
from saegim.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question: what the model is, what it is asked, and the shape its answer must have."""

    system: str
    prompt: str
    # JSON Schema with an object at its root; every property counts as required unless `required`
    # says otherwise, because some servers accept nothing else.
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 1024
    temperature: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the model said, its thinking left out, and what that cost."""

    text: str
    tokens_in: int
    tokens_out: int
    model: str
    # False: the token cap cut it off.
    finished: bool


class LanguageModel(Protocol):
    """Answers one question at a time."""

    provider: str
    model: str
    # True: the question does not leave this machine.
    local: bool

    def ask(self, request: Request) -> Answer:
        """Return one answer, or raise EngineError, Unavailable or BadReply."""
        ...

    def close(self) -> None:
        """Let go of what is kept open."""
        ...


def checked(request: Request) -> Request:
    """Return the request, or refuse one that no model can answer."""
    if not request.prompt.strip():
        raise BadInput("engine.empty_prompt_has_no_answer")
    if request.max_tokens < 1:
        raise BadInput("engine.answer_of_tokens_cannot_be", max_tokens=request.max_tokens)
    return request


def tokens_of(request: Request) -> int:
    """Estimate what a question costs, where the server does not count it."""
    shape = "" if request.schema is None else json.dumps(request.schema, default=dict)
    return sum(map(estimate, (request.system, request.prompt, shape)))
