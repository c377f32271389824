"""A model that says what it was told to say: for tests and examples, never chosen by itself.

It answers from a list or from a function, keeps every question, and reaches no server.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from saegim.engines.llm.llm import Answer, Request, checked, tokens_of
from saegim.engines.tokens import cut, estimate
from saegim.errors import BadReply, EngineError

# Text is said as it is, other values as JSON, and an error is raised.
Line = str | dict[str, Any] | list[Any] | EngineError


class Scripted:
    """Answers with the next line of its script, or with what a function returns."""

    provider = "scripted"
    local = True

    def __init__(
        self,
        script: Sequence[Line] | Callable[[Request], Line] = (),
        *,
        model: str = "scripted",
    ) -> None:
        self.model = model
        self.requests: list[Request] = []
        self.closed = False
        self._script = script

    def __repr__(self) -> str:
        return f"Scripted({self.model!r}, calls={self.calls})"

    @property
    def calls(self) -> int:
        """Return how often it was asked, failures included."""
        return len(self.requests)

    def ask(self, request: Request) -> Answer:
        """Return the next line as the answer, cut to the cap, or raise it."""
        self.requests.append(checked(request))
        line = self._line(request)
        if isinstance(line, EngineError):
            raise line
        whole = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
        text = cut(whole, request.max_tokens)
        return Answer(
            text=text,
            tokens_in=tokens_of(request),
            tokens_out=estimate(text),
            model=self.model,
            finished=text == whole,
        )

    def _line(self, request: Request) -> Line:
        if callable(self._script):
            return self._script(request)
        if self.calls > len(self._script):
            raise BadReply(
                "engine.scripted_model_has_no_line", model=self.model, count=len(self._script)
            )
        return self._script[self.calls - 1]

    def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True
